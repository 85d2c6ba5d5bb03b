"""Words to leave out: those of a language, or a list of one's own."""

import re
import warnings
from collections.abc import Iterable
from functools import cache
from os import PathLike
from typing import Any

from tercet.errors import bad_option
from tercet.extras import import_extra
from tercet.text.languages import find_language
from tercet.text.negation import is_negation, list_negation, name_negation
from tercet.text.word_lists import WordList, has_blank, make_word_list, read_word_list

_EXPECTED = "None, a language, a list of words, or Path('stop.txt') for a file"
# What don't, won't, haven't and shan't leave where a tokenizer splits at the apostrophe. They are words themselves, so they
# do not negate; but with them gone, no trace of the negation would be left.
_LEFT_OF_NEGATION = {"en": frozenset(("t", "don", "won", "haven", "shan"))}


def find_stop_words(value: str | PathLike[str] | Iterable[str] | WordList | None) -> WordList | None:
    """The stop words of a language (`"en"`, `"english"`), of a file (a Path), or an own list; None for None.

    The list of a language has no negation words, nor what is left of them in `don t`: without `not`, a review says the
    opposite. An own list is taken as it is; a UserWarning names the negation words in it. A stop word is one word: what has a
    blank inside is refused.

    >>> find_stop_words(["the", "a"])
    WordList(2 words)
    >>> "the" in find_stop_words("en"), "not" in find_stop_words("en")
    (True, False)
    """
    if value is None:
        return None
    if isinstance(value, str):
        return list_stop_words(find_language(value, _load_package().langs(), "stop_words", _EXPECTED))
    if isinstance(value, PathLike):
        return _warn_of_negation(make_word_list(read_word_list(value), "stop_words"))
    if not isinstance(value, Iterable):
        raise bad_option("stop_words", _EXPECTED, value, "it names the words to leave out.")
    # A WordList has been looked at before: it is one that was stored and read back, or made with care.
    words = make_word_list(value, "stop_words")
    return words if isinstance(value, WordList) else _warn_of_negation(words)


@cache
def list_stop_words(code: str) -> WordList:
    """The stop words of a language by its code, without phrases and those that negate."""
    stripped = {word.strip() for word in _load_package().stopwords(code)} - {""}
    return WordList((word for word in stripped if not has_blank(word) and not _negates(word, code)), name=code)


def _negates(word: str, code: str) -> bool:
    # A tokenizer may take a word apart, and then every part of it is left out: no-one would take no along.
    negation, left = list_negation(code), _LEFT_OF_NEGATION.get(code, frozenset())
    return any(is_negation(part, negation) or part in left for part in (word, *re.findall(r"\w+", word)))


def _load_package() -> Any:
    return import_extra("stopwordsiso", package="stopwordsiso", extra="forms", purpose="stop words of a language need")


def _warn_of_negation(words: WordList) -> WordList:
    if found := name_negation(words):
        message = f"the stop words hold words that negate: {', '.join(found)}. Without them, “not good” is “good”."
        warnings.warn(message, UserWarning, stacklevel=3)
    return words
