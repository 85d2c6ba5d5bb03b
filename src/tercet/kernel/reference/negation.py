"""How far a negation reaches: from the word that negates to the next mark that ends a clause."""

import re
from collections.abc import Iterable, Iterator

from tercet.kernel.reference.tokenize import Token, is_mark, is_word

ENDS_CLAUSE = frozenset(',.;:!?()[]{}"…–—“”„«»¿¡،؛؟۔।॥。、，！？；：（）「」')
ENDS_IN_NT = re.compile("[nN]['’][tT]$")
BEGINS_NT = re.compile("[nN]['’][tT]")


def ends_in_nt(token: str) -> bool:
    """
    >>> ends_in_nt("didn't"), ends_in_nt("didn")
    (True, False)
    """
    return ENDS_IN_NT.search(token) is not None


def find_negated(text: str, tokens: Iterable[tuple[Token, bool]]) -> Iterator[bool]:
    """Which tokens are negated; each comes with whether it is a negation word."""
    inside, at = False, 0
    for token, negates in tokens:
        if text[token.begin] in ENDS_CLAUSE or any(c in ENDS_CLAUSE for c in text[at : token.begin]):
            inside = False
        at = max(at, token.end)
        is_t = completes_nt(text, token)
        yield inside and not is_t
        if negates or is_t or begins_nt(text, token):
            inside = True
        elif text[token.end - 1] in ENDS_CLAUSE:
            inside = False


def begins_nt(text: str, token: Token) -> bool:
    """`didn` before 't, where an apostrophe parts words."""
    behind = text[token.end + 2 : token.end + 3]
    more = behind != "" and (is_word(behind) or is_mark(behind))
    return BEGINS_NT.match(text, token.end - 1) is not None and not more


def completes_nt(text: str, token: Token) -> bool:
    """That `t` itself."""
    return token.end - token.begin == 1 and token.begin >= 2 and BEGINS_NT.match(text, token.begin - 2) is not None
