"""Text → the characters that are tokenised, each with its place in the original text."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple


class Character(NamedTuple):
    """A character (or byte) after normalisation, with its place in the original text."""

    value: str
    start: int
    end: int


@lru_cache(maxsize=1)
def composition_seconds() -> frozenset[str]:
    """The characters that NFC may join to the character before them."""
    seconds = {chr(c) for c in (*range(0x1161, 0x1176), *range(0x11A8, 0x11C3))}  # vowels and finals of Hangul
    for code in range(0x110000):
        fields = unicodedata.decomposition(chr(code)).split()
        if len(fields) == 2 and not fields[0].startswith("<"):
            first, second = (chr(int(field, 16)) for field in fields)
            if unicodedata.normalize("NFC", first + second) == chr(code):
                seconds.add(second)
    return frozenset(seconds)


def starts_segment(c: str) -> bool:
    """Whether nothing before this character can change its normal form."""
    if c < "\x80":
        return True
    firsts = unicodedata.normalize("NFD", c)[0] + unicodedata.normalize("NFKD", c)[0]
    return all(not unicodedata.combining(f) and f not in composition_seconds() for f in firsts)


def strip_marks(text: str) -> str:
    """Drop accents and keep the letters under them.

    >>> strip_marks("México 한국")
    'Mexico 한국'
    """
    letters = (c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))
    # Recompose: NFD also splits Hangul syllables, which carry no accent to drop.
    return unicodedata.normalize("NFC", "".join(letters))


def rewrite_segments(characters: list[Character], rewrite: Callable[[str], str]) -> Iterator[Character]:
    """Rewrite segment by segment. The source of each new character is its whole segment.

    A segment is a character with all following characters that may still change its normal form.
    """
    begin = 0
    for end in range(1, len(characters) + 1):
        if end < len(characters) and not starts_segment(characters[end].value):
            continue
        segment = characters[begin:end]
        for value in rewrite("".join(c.value for c in segment)):
            yield Character(value, segment[0].start, segment[-1].end)
        begin = end


def lower(characters: list[Character]) -> Iterator[Character]:
    lowered = iter("".join(c.value for c in characters).lower())
    for c in characters:
        for _ in c.value.lower():  # one character, but two for İ. Lowering the whole text finds the final sigmas
            yield Character(next(lowered), c.start, c.end)


FORMS: dict[str, Callable[[str], str]] = {
    "nfc": lambda text: unicodedata.normalize("NFC", text),
    "nfkc": lambda text: unicodedata.normalize("NFKC", text),
    "nfd": lambda text: unicodedata.normalize("NFD", text),
}


def rewrite_matches(characters: list[Character], pattern: re.Pattern[str], write: Callable[[str], str]) -> Iterator[Character]:
    """Rewrite every match of the pattern. The source of each new character is the whole match.

    >>> cents = [Character("5", 0, 1), Character("¢", 1, 2)]
    >>> list(rewrite_matches(cents, re.compile("[0-9]+"), lambda number: "#"))
    [Character(value='#', start=0, end=1), Character(value='¢', start=1, end=2)]
    """
    done = 0
    for match in pattern.finditer("".join(c.value for c in characters)):
        begin, end = match.span()
        yield from characters[done:begin]
        for value in write(match[0]):
            yield Character(value, characters[begin].start, characters[end - 1].end)
        done = end
    yield from characters[done:]
