"""Stop words: the words to leave out, of a language or from a list."""

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
# The parts of don't, won't, haven't and shan't if a tokenizer splits at the apostrophe. They are also words, so they are not
# in the negation lists. But if they were stop words, no trace of the negation would remain.
_PARTS_OF_NEGATION = {"en": frozenset(("t", "don", "won", "haven", "shan"))}


def find_stop_words(value: str | PathLike[str] | Iterable[str] | WordList | None) -> WordList | None:
    """The stop words of a language (`"en"`, `"english"`), of a file (a Path), or of a list; None for None.

    The list of a language does not have negation words or their parts, such as `don t`: without `not`, a review says the
    opposite. The user's own list is used as it is, and a UserWarning names the negation words in it. A stop word is one word:
    a phrase with a blank is refused.

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
        raise bad_option("stop_words", _EXPECTED, value, "it gives the words to leave out.")
    # No warning for a WordList: it was written and read back, or made on purpose.
    words = make_word_list(value, "stop_words")
    return words if isinstance(value, WordList) else _warn_of_negation(words)


@cache
def list_stop_words(code: str) -> WordList:
    """The stop words of a language by its code, without phrases and negation words."""
    stripped = {word.strip() for word in _load_package().stopwords(code)} - {""}
    return WordList((word for word in stripped if not has_blank(word) and not _negates(word, code)), name=code)


def _negates(word: str, code: str) -> bool:
    # A tokenizer may split a word, and then every part would be left out: "no" with "no-one".
    negation, parts = list_negation(code), _PARTS_OF_NEGATION.get(code, frozenset())
    return any(is_negation(part, negation) or part in parts for part in (word, *re.findall(r"\w+", word)))


def _load_package() -> Any:
    return import_extra("stopwordsiso", package="stopwordsiso", extra="forms", purpose="stop words of a language need")


def _warn_of_negation(words: WordList) -> WordList:
    if found := name_negation(words):
        message = f"the stop words contain words that negate: {', '.join(found)}. Without them, “not good” is “good”."
        warnings.warn(message, UserWarning, stacklevel=3)
    return words
