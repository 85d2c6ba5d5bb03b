"""Measures: numbers that describe a whole text, such as its length, the share of capitals, its links and images."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from tercet.errors import InvalidText, bad_option
from tercet.kernel.text.header_fields import find_fields
from tercet.options import check_choice

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LINK = re.compile(r"(?i)(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>\"]+")
# No < inside, so that each character is read only once even if there is no >.
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*>")
_IMAGE = re.compile(r"(?i)<img\b[^<>]*>")
_SIZES = {name: re.compile(rf"(?i)\b{name}\s*=(?:3D)?\s*[\"']?([0-9]{{1,5}})(?![0-9%])") for name in ("width", "height")}
_DOMAIN = re.compile(r"@([\w.-]+)")
# In pixels: a letter with the space around it, and an image that does not say its size.
LETTER_AREA, IMAGE_SIDE = 100, 100


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


def image_share(text: str) -> float:
    """The share of images in the area of images and letters, without the header of an e-mail.

    The area of an image is its width times its height in pixels, and 100 where it does not say one of them. A letter, or any
    other character outside of tags except white space, has 100 square pixels.

    >>> image_share('<img src="a.gif" width="10" height="20"> Buy')
    0.4
    """
    body = text[_read_header(text).end :]
    images = sum(_measure_image(match[0]) for match in _IMAGE.finditer(body))
    letters = len("".join(_TAG.sub("", body).split())) if images else 0
    return _share(images, images + LETTER_AREA * letters)


def _measure_image(tag: str) -> int:
    width, height = (size.search(tag) for size in _SIZES.values())
    return (int(width[1]) if width else IMAGE_SIDE) * (int(height[1]) if height else IMAGE_SIDE)


def n_received(text: str) -> float:
    """The number of Received fields in the header of an e-mail: the servers that it has passed.

    >>> n_received("Received: from a by b\\nReceived: from c by a\\nSubject: hi\\n\\nReceived: no")
    2.0
    """
    return float(len(_read_header(text).list_values("received")))


def reply_to_differs(text: str) -> float:
    """1 if an e-mail asks for replies to another domain than that of its sender, else 0.

    >>> reply_to_differs("From: Joe <joe@bank.example>\\nReply-To: joe@free.example\\n\\nHi")
    1.0
    """
    sender, reply = (_DOMAIN.search(" ".join(_read_header(text).list_values(name))) for name in ("from", "reply-to"))
    return float(sender is not None and reply is not None and sender[1].lower() != reply[1].lower())


def subject_capital_share(text: str) -> float:
    """The share of capitals among the letters of an e-mail's subject; 0 without a subject."""
    return capital_share(" ".join(_read_header(text).list_values("subject")))


class Header(NamedTuple):
    """The fields of an e-mail as (name in lower case, value), and where they end; no fields if a text has no header."""

    fields: tuple[tuple[str, str], ...] = ()
    end: int = 0

    def list_values(self, name: str) -> list[str]:
        return [value for own, value in self.fields if own == name]


@lru_cache(maxsize=1)  # several measures read the same header
def _read_header(text: str) -> Header:
    fields = find_fields(text)
    begins = [0, *(field.end for field in fields)]
    lines = (text[begin : field.end] for begin, field in zip(begins, fields, strict=False))
    values = tuple((field.name.rstrip(":"), line.partition(":")[2]) for field, line in zip(fields, lines, strict=True))
    return Header(values, begins[-1])


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
    "link_count": n_links,  # another name
    "markup_share": markup_share,
    "html_share": markup_share,  # another name
    "image_share": image_share,
    "n_received": n_received,
    "reply_to_differs": reply_to_differs,
    "subject_capital_share": subject_capital_share,
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
