"""Numbers of a text as a whole: how long it is, how loud, how full of links and markup."""

import re
from collections.abc import Callable, Iterable

from tercet.errors import InvalidText, bad_option
from tercet.options import check_choice

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LINK = re.compile(r"(?i)(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"]+")
# No < inside, so that each character is looked at once even if no > ever comes.
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")


def n_words(text: str) -> float:
    """Runs of letters and digits, with apostrophes inside: don't is one."""
    return float(sum(1 for _ in _WORD.finditer(text)))


def n_lines(text: str) -> float:
    """Lines, the last one whether a line feed ends it or not."""
    return float(text.count("\n") + (not text.endswith("\n"))) if text else 0.0


def mean_word_length(text: str) -> float:
    """In characters; 0 where there is no word."""
    lengths = [match.end() - match.start() for match in _WORD.finditer(text)]
    return _share(sum(lengths), len(lengths))


def capital_share(text: str) -> float:
    """Capitals among the letters; scripts without capitals have letters only.

    >>> capital_share("FREE entry!")
    0.4444444444444444
    """
    letters = "".join(filter(str.isalpha, text))  # Ⓕ is a capital, and no letter
    return _share(sum(map(str.isupper, letters)), len(letters))


def loud_share(text: str) -> float:
    """Words of two letters or more in capitals alone, among all words."""
    words = _WORD.findall(text)
    return _share(sum(len(word) > 1 and word.isupper() for word in words), len(words))


def digit_share(text: str) -> float:
    """Digits among all characters."""
    return _share(sum(map(str.isdecimal, text)), len(text))


def mark_share(text: str) -> float:
    """Punctuation marks and symbols among all characters: what is neither letter, digit, `_` nor blank."""
    return _share(len(re.findall(r"[^\w\s]", text)), len(text))


def n_links(text: str) -> float:
    """Addresses that begin with http://, https://, ftp:// or www."""
    return float(sum(1 for _ in _LINK.finditer(text)))


def markup_share(text: str) -> float:
    """Characters inside HTML tags, brackets counted, among all.

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
    """The numbers of those names, in their order; all are finite, and 0 for the empty text.

    >>> measure("Call now! www.example.org", ["n_words", "n_links", "n_exclamations"])
    (5.0, 1.0, 1.0)
    """
    if not isinstance(text, str):
        raise InvalidText(f"a text must be a str, got {type(text).__name__}: only text can be measured.")
    return tuple(MEASURES[name](text) for name in check_measures(names))


def check_measures(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each of a measure and none twice."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise bad_option("measures", "a list of names", names, "one name is a list too: [name].")
    checked = tuple(check_choice("measures", name, tuple(MEASURES)) for name in names)
    if len(set(checked)) < len(checked):
        raise bad_option("measures", "names, each once", list(checked), "the same number twice would count twice.")
    return checked


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
