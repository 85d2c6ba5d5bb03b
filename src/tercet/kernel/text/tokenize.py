"""Text → tokens: where each begins and ends."""

import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from tercet.kernel.text.groups import EMOJI


def is_word(c: str) -> bool:
    return c.isalnum() or c == "_"


def is_mark(c: str) -> bool:
    return unicodedata.category(c)[0] == "M" or c in "\u200c\u200d"


def is_symbol(c: str) -> bool:
    return unicodedata.category(c)[0] in "PS" and not is_word(c)


UNSPACED = (
    *("CJK UNIFIED", "CJK COMPATIBILITY IDEOGRAPH", "HIRAGANA", "KATAKANA", "HALFWIDTH KATAKANA"),
    *("IDEOGRAPHIC ITERATION", "THAI ", "LAO ", "KHMER ", "MYANMAR "),
)


@lru_cache(maxsize=100_000)
def is_unspaced(c: str) -> bool:
    """Whether this is a letter of a script that is written without spaces between words."""
    return c.isalpha() and unicodedata.name(c, "").startswith(UNSPACED)


class Token(NamedTuple):
    begin: int
    end: int
    alone: bool  # part of a run without spaces: it is not part of any word n-gram


def token_end(text: str, begin: int, inside: Callable[[str], bool]) -> int:
    end = begin + 1
    while end < len(text) and inside(text[end]):
        end += 1
    return end


def unspaced_tokens(text: str, begin: int) -> Iterator[Token]:
    """Each character of the run with its marks, and each pair of neighbours."""
    before = begin
    while begin < len(text) and is_unspaced(text[begin]):
        end = token_end(text, begin, is_mark)
        if before < begin:
            yield Token(before, end, True)
        yield Token(begin, end, True)
        before, begin = begin, end


def word_end(text: str, begin: int) -> int:
    return token_end(text, begin, lambda c: (is_word(c) or is_mark(c)) and not is_unspaced(c))


def continues_behind_apostrophe(text: str, end: int) -> bool:
    """Whether the word that ends here continues after an apostrophe: didn't."""
    behind = text[end + 1 : end + 2]
    return text[end : end + 1] in ("'", "’") and behind != "" and is_word(behind) and not is_unspaced(behind)


def split_words(text: str, symbols: bool) -> Iterator[Token]:
    begin = 0
    while begin < len(text):
        c, end = text[begin], begin + 1
        if is_unspaced(c):
            for token in unspaced_tokens(text, begin):
                yield token
                end = token.end
        elif is_word(c):
            end = word_end(text, begin)
            while symbols and continues_behind_apostrophe(text, end):
                end = word_end(text, end + 1)
            yield Token(begin, end, False)
        elif symbols and (is_symbol(c) or EMOJI.match(text, begin)):
            emoji = EMOJI.match(text, begin)
            end = token_end(text, emoji.end() - 1 if emoji else begin, is_mark)
            yield Token(begin, end, False)
        begin = end


def split_runs(text: str, first: Callable[[str], bool], rest: Callable[[str], bool]) -> Iterator[Token]:
    begin = 0
    while begin < len(text):
        end = begin + 1
        if first(text[begin]):
            end = token_end(text, begin, rest)
            yield Token(begin, end, False)
        begin = end


def is_ink(c: str) -> bool:
    return not c.isspace()


TWEET_MARKS = frozenset(
    ";:,.@\\-\"'/…“・”’()[]¿?¡!{}~<>|"
)  # the punctuation of b4msa. It keeps # & * % _ + = $, which carry meaning


def is_tweet_letter(c: str) -> bool:
    return not c.isspace() and c not in TWEET_MARKS


SPLITTERS: dict[str, Callable[[str], Iterator[Token]]] = {
    "words": lambda text: split_words(text, symbols=False),
    "words_and_marks": lambda text: split_words(text, symbols=True),
    "regex_words": lambda text: split_runs(text, is_word, is_word),
    "tweet_words": lambda text: split_runs(text, is_tweet_letter, is_tweet_letter),
    "whitespace": lambda text: split_runs(text, is_ink, is_ink),
    "characters": lambda text: split_runs(text, is_ink, is_mark),
    "treebank": lambda text: split_runs(text, is_ink, is_ink),  # `space_tokens` has already put blanks between the tokens
    "bytes": lambda text: (Token(i, i + 1, False) for i in range(len(text))),
}
