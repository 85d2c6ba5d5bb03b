"""Measures: numbers that describe a whole text, such as its length, the share of capitals, and its links."""

import re
from collections.abc import Callable, Iterable

from tercet.errors import InvalidText, bad_option
from tercet.options import check_choice

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LINK = re.compile(r"(?i)(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"]+")
# No < inside, so that each character is read only once even if there is no >.
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


def n_words(text: str) -> float:
    """The number of words: runs of letters and digits, with apostrophes inside. don't is one word."""
    return float(sum(1 for _ in _WORD.finditer(text)))


def n_lines(text: str) -> float:
    """The number of lines; the last line counts with or without a line feed at its end."""
    return float(text.count("\n") + (not text.endswith("\n"))) if text else 0.0


def mean_word_length(text: str) -> float:
    """The mean length of words in characters; 0 if there is no word."""
    lengths = [match.end() - match.start() for match in _WORD.finditer(text)]
    return _share(sum(lengths), len(lengths))


def capital_share(text: str) -> float:
    """The share of capitals among the letters.

    >>> capital_share("FREE entry!")
    0.4444444444444444
    """
    letters = "".join(filter(str.isalpha, text))  # Ⓕ is a capital, but not a letter
    return _share(sum(map(str.isupper, letters)), len(letters))


def loud_share(text: str) -> float:
    """The share of words written all in capitals, with at least two letters, among all words."""
    words = _WORD.findall(text)
    return _share(sum(len(word) > 1 and word.isupper() for word in words), len(words))


def digit_share(text: str) -> float:
    """The share of digits among all characters."""
    return _share(sum(map(str.isdecimal, text)), len(text))


def mark_share(text: str) -> float:
    """The share of punctuation marks and symbols among all characters: not letters, digits, `_` or blanks."""
    return _share(len(re.findall(r"[^\w\s]", text)), len(text))


def n_links(text: str) -> float:
    """The number of addresses that begin with http://, https://, ftp:// or www."""
    return float(sum(1 for _ in _LINK.finditer(text)))


def markup_share(text: str) -> float:
    """The share of characters inside HTML tags, with their brackets, among all characters.

    >>> markup_share("<b>bold</b>")
    0.6363636363636364
    """
    return _share(sum(match.end() - match.start() for match in _TAG.finditer(text)), len(text))


MEASURES: dict[str, Callable[[str], float]] = {
    "n_characters": lambda text: float(len(text)),
    "n_words": n_words,
    "n_lines": n_lines,
    "mean_word_length": mean_word_length,
    "capital_share": capital_share,
    "loud_share": loud_share,
    "digit_share": digit_share,
    "mark_share": mark_share,
    "n_exclamations": lambda text: float(text.count("!")),
    "n_questions": lambda text: float(text.count("?")),
    "n_links": n_links,
    "markup_share": markup_share,
}


def measure(text: str, names: Iterable[str]) -> tuple[float, ...]:
    """The measures of these names, in their order. All are finite, and 0 for the empty text.

    >>> measure("Call now! www.example.org", ["n_words", "n_links", "n_exclamations"])
    (5.0, 1.0, 1.0)
    """
    if not isinstance(text, str):
        raise InvalidText(f"a text must be a str, got {type(text).__name__}: only text can be measured.")
    return tuple(MEASURES[name](text) for name in check_measures(names))


def check_measures(names: Iterable[str]) -> tuple[str, ...]:
    """The names. Raises InvalidOption if a name is not a measure, or is there twice."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise bad_option("measures", "a list of names", names, "one name is a list too: [name].")
    checked = tuple(check_choice("measures", name, tuple(MEASURES)) for name in names)
    if len(set(checked)) < len(checked):
        raise bad_option("measures", "names, each once", list(checked), "the same number twice would count twice.")
    return checked


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
