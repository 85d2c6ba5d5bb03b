"""Text → words, as symbols of the writing system that each word is written in.

A letter is its writing system and its symbol there, as one number. A word is a run of letters of one system. Addresses (URLs,
e-mail addresses, @names) are left out. A letter and an accent after it are one letter if Unicode has one for both. Signs that
are frequent in programs and rare in texts are counted.
"""

import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

N_CODES = 0x323B0  # there are no letters after them
FIRST_SYMBOL = 2  # 1 is the boundary of a word
SIGNS = frozenset("{}[]<>=;|\\_*&^%$#~/+`")


class Word(NamedTuple):
    """Letters of one writing system: their symbols, and the place of the word in the text."""

    system: int
    symbols: tuple[int, ...]
    begin: int
    end: int


class LetterTable:
    def __init__(self, runs: np.ndarray) -> None:
        self._letters: dict[int, tuple[int, int]] = {}  # writing system and symbol
        self.highest: dict[int, int] = {}  # symbol of each writing system
        for first, last, letter, step in runs.tolist():
            system, symbol = letter >> 16, letter & 0xFFFF
            last_symbol = symbol + step * (last - first)
            fits = (
                first <= last < N_CODES and step <= 1 and symbol >= FIRST_SYMBOL and last_symbol <= 0xFFFF and 0 < system < 256
            )
            if not fits:
                raise ValueError("the letters do not fit")
            self.highest[system] = max(last_symbol, self.highest.get(system, 0))
            for code in range(first, last + 1):
                found = letter + step * (code - first)
                self._letters[code] = found >> 16, found & 0xFFFF

    def find(self, character: str) -> tuple[int, int] | None:
        return self._letters.get(ord(character))


def is_space(character: str) -> bool:
    return character <= " " or character in "\x85\xa0\u1680\u2028\u2029\u202f\u205f" or "\u2000" <= character <= "\u200a"


def ends_chunk(character: str) -> bool:
    """Whether no address goes on after this. From U+2E80 on, there are writing systems without spaces."""
    return character >= "\u2e80" or is_space(character)


def read_words(text: str, table: LetterTable) -> tuple[list[Word], int]:
    """The words, and the number of signs of programs."""
    letters: list[tuple[int, int, int]] = []  # system, symbol and place; system 0 is the end of a word
    n_signs = chunk = kept = kept_signs = i = 0
    last = ""  # the letter before, if an accent may follow it

    def end_word(place: int) -> None:
        if letters and letters[-1][0]:
            letters.append((0, 0, place))

    while i < len(text):
        character = text[i]
        if found := table.find(character):
            if letters and letters[-1][0] and letters[-1][0] != found[0]:
                end_word(i)
            letters.append((*found, i))
            if ends_chunk(character):
                chunk, kept, kept_signs = i + 1, len(letters), n_signs
            last, i = character, i + 1
            continue
        if last and "\u0300" <= character < "\u0370":
            composed = unicodedata.normalize("NFC", last + character)
            found = table.find(composed) if len(composed) == 1 else None
            if found and found[0] == letters[-1][0]:
                letters[-1] = (*found, letters[-1][2])
                last, i = composed, i + 1
                continue
        last = ""
        if begins_address(text, chunk, i):
            del letters[kept:]
            n_signs = kept_signs
            while i + 1 < len(text) and not ends_chunk(text[i + 1]):
                i += 1
        elif is_sign(text, i, table):
            n_signs += 1
        end_word(i)
        if ends_chunk(character):
            chunk, kept, kept_signs = i + 1, len(letters), n_signs
        i += 1
    end_word(len(text))
    return split_letters(letters), n_signs


def split_letters(letters: Sequence[tuple[int, int, int]]) -> list[Word]:
    words, begin = [], 0
    for end, (system, _, place) in enumerate(letters):
        if not system:
            symbols = tuple(symbol for _, symbol, _ in letters[begin:end])
            words.append(Word(letters[begin][0], symbols, letters[begin][2], place))
            begin = end + 1
    return words


def begins_address(text: str, chunk: int, i: int) -> bool:
    return (
        text[i] == "@"
        or text.startswith("://", i)
        or (text[i] == "." and i == chunk + 3 and all(ord(c) | 32 == ord("w") for c in text[chunk:i]))
    )


def is_sign(text: str, i: int, table: LetterTable) -> bool:
    """Whether a character belongs to programs: one of some signs, a bracket after a letter, or a dot between letters."""
    character = text[i]
    if character in "(.":
        is_after = i > 0 and table.find(text[i - 1]) is not None
        return is_after and i + 1 < len(text) and (character == "(" or table.find(text[i + 1]) is not None)
    return character in SIGNS
