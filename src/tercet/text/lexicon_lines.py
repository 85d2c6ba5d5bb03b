"""The lines of a lexicon file that say something, and the error about one that does not."""

import re
from typing import NamedTuple

from tercet.errors import InvalidFile

_COMMENT = re.compile(r"\s*[;#](?:[;#\s]|$)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


class Line(NamedTuple):
    """A line that is neither blank nor a comment, and its number in the file, counted from 1."""

    number: int
    text: str


def list_lines(lines: list[str]) -> list[Line]:
    """The lines with words. A comment begins with `;` or `#`, and a blank or another of them: `;)` and `#happy` are words.

    >>> list_lines(["; Opinion lexicon", ";;;;", "", "#happy", ";)"])
    [Line(number=4, text='#happy'), Line(number=5, text=';)')]
    """
    return [Line(number, text) for number, text in enumerate(lines, 1) if text.strip() and not _COMMENT.match(text)]


def is_number_text(text: str) -> bool:
    """
    >>> [is_number_text(text) for text in ("-1.5", "1e-3", "nan", "1,5")]
    [True, True, False, False]
    """
    return _NUMBER.fullmatch(text) is not None


def bad_line(number: int, text: str, why: str) -> InvalidFile:
    shown = text if len(text) <= 60 else text[:57] + "..."
    return InvalidFile(f"line {number}: {shown!r} {why}.")
