"""The scope of a negation: from the negation word to the next punctuation mark, or to the end of the paragraph."""

import re
import string
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise

from tercet.kernel.text.tokenize import Token

# They end a clause also at the edge of a token. Other marks, such as ' - / & * # @, may belong to the token.
ENDS_CLAUSE = frozenset(',.;:!?()[]{}"`…–—“”„«»¿¡،؛؟۔।॥。、，！？；：（）「」')
JOINS_WORDS = frozenset("'’-\u2010\u2011")
ENDS_IN_NT = re.compile("[nN]['’][tT]$")
BEGINS_NT = re.compile("[nN]['’][tT]")


def ends_in_nt(token: str) -> bool:
    """
    >>> ends_in_nt("didn't"), ends_in_nt("didn")
    (True, False)
    """
    return ENDS_IN_NT.search(token) is not None


def find_negated(text: str, tokens: Iterable[tuple[Token, bool, int]], nt_negates: bool) -> Iterator[bool]:
    """Whether each token is negated. Each token comes with whether it is a negation word, and with the number of its field."""
    inside, at, field = False, 0, -1
    for token, negates, own_field in tokens:
        if begins_clause(text, token) or ends_negation(text[at : token.begin]) or own_field != field:
            inside = False
        at, field = max(at, token.end), own_field
        is_t = nt_negates and completes_nt(text, token)
        yield inside and not is_t
        if negates or is_t:
            inside = True
        elif text[token.end - 1] in ENDS_CLAUSE:
            inside = False


def number_clauses(text: str, tokens: list[Token]) -> list[int]:
    """The number of the clause that each token belongs to."""
    gaps = [text[before.end : token.begin] for before, token in pairwise(tokens)]
    return list(accumulate(map(has_border, gaps), initial=0)) if tokens else []


def begins_clause(text: str, token: Token) -> bool:
    """Whether a token begins with a mark that ends a clause, or is nothing but punctuation marks."""
    return text[token.begin] in ENDS_CLAUSE or all(map(is_punctuation, text[token.begin : token.end]))


def ends_negation(gap: str) -> bool:
    """Whether a negation ends in the gap between two tokens. An apostrophe or a hyphen alone joins two words.

    >>> ends_negation("/"), ends_negation(" - "), ends_negation("-"), ends_negation("\\n\\n")
    (True, True, False, True)
    """
    return gap not in JOINS_WORDS and (gap.count("\n") >= 2 or any(map(is_punctuation, gap)))


def is_punctuation(c: str) -> bool:
    """Whether Unicode calls a character punctuation, or ASCII does: $ + < = > ^ ` | ~ are symbols in Unicode.

    >>> [is_punctuation(c) for c in "-_|€a"]
    [True, True, True, False, False]
    """
    return unicodedata.category(c)[0] == "P" or c in string.punctuation


def has_border(gap: str) -> bool:
    """Whether a clause ends in the gap between two tokens, so that no phrase of a lexicon reaches over it.

    >>> has_border(", "), has_border("\\n\\n"), has_border(" - ")
    (True, True, False)
    """
    return gap.count("\n") >= 2 or any(c in ENDS_CLAUSE for c in gap)


def completes_nt(text: str, token: Token) -> bool:
    """Whether this is the `t` of didn't, for tokenizers that split words at an apostrophe."""
    return token.end - token.begin == 1 and token.begin >= 2 and BEGINS_NT.match(text, token.begin - 2) is not None
