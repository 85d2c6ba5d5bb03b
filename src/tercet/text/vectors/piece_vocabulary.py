"""The vocabulary of a SentencePiece model: pieces of words, and the pieces that are whole words.

The file is a message of Protocol Buffers. Field 1 of the message is a piece. Field 1 of a piece is its spelling, and field 2
the logarithm of its probability in the texts that the vocabulary was made of.
"""

import math
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

WORD_MARK = "▁"  # the first character of a piece that begins a word
LENGTH_DELIMITED, FIXED_SIZES = 2, {1: 8, 5: 4}  # wire types


class WordPiece(NamedTuple):
    """The spelling of a piece, and the logarithm of its probability."""

    spelling: str
    score: float


def read_pieces(model: bytes) -> list[WordPiece]:
    """The pieces by their numbers. A piece without a score is a sign, such as the end of a text.

    >>> read_pieces(bytes.fromhex("0a09" "0a02" "6869" "15" "000000bf" "0a03" "0a01" "61"))
    [WordPiece(spelling='hi', score=-0.5), WordPiece(spelling='a', score=0.0)]
    """
    return [read_piece(dict(read_fields(piece))) for field, piece in read_fields(model) if field == 1]


def read_piece(fields: dict[int, bytes]) -> WordPiece:
    return WordPiece(fields[1].decode(), struct.unpack("<f", fields[2])[0] if 2 in fields else 0.0)


def read_fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The number and the bytes of each field."""
    at = 0
    while at < len(message):
        key, at = read_number(message, at)
        if key & 7 == LENGTH_DELIMITED:
            size, at = read_number(message, at)
        else:
            size = FIXED_SIZES.get(key & 7) or read_number(message, at)[1] - at
        yield key >> 3, message[at : at + size]
        at += size


def read_number(message: bytes, at: int) -> tuple[int, int]:
    """The number of seven bits a byte that begins at this position, and the position after it."""
    number = shift = 0
    while True:
        byte = message[at]
        number, shift, at = number | (byte & 127) << shift, shift + 7, at + 1
        if byte < 128:
            return number, at


def list_whole_words(pieces: Iterable[WordPiece]) -> tuple[str, ...]:
    """The pieces that begin a word and have a letter, without the mark, in lower case and canonical order.

    >>> list_whole_words(WordPiece(spelling, -9.0) for spelling in ["▁The", "▁the", "▁a", "ing", "▁42", "▁"])
    ('a', 'the')
    """
    words = {spelling.removeprefix(WORD_MARK).lower() for spelling, _ in pieces if spelling.startswith(WORD_MARK)}
    return tuple(sorted(word for word in words if any(map(str.isalpha, word))))


def sum_frequencies(pieces: Iterable[WordPiece]) -> dict[str, float]:
    """How frequent each whole word and each mark is, in lower case. Parts of words are left out.

    >>> pieces = [WordPiece("▁The", -3.0), WordPiece("▁the", -2.0), WordPiece("ing", -1.0), WordPiece("!", -4.0)]
    >>> {word: round(frequency, 4) for word, frequency in sum_frequencies(pieces).items()}
    {'the': 0.1851, '!': 0.0183}
    """
    found: defaultdict[str, float] = defaultdict(float)
    for spelling, score in pieces:
        word = spelling.removeprefix(WORD_MARK).lower()
        is_whole = spelling.startswith(WORD_MARK) or not any(map(str.isalnum, word))
        if word and score < 0 and is_whole:
            found[word] += math.exp(score)
    return dict(found)
