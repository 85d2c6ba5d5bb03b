"""The vocabulary of a SentencePiece model: pieces of words, and the pieces that are whole words.

The file is a message of Protocol Buffers. Field 1 of the message is a piece, and field 1 of a piece is its spelling.
"""

from collections.abc import Iterable, Iterator

WORD_MARK = "▁"  # the first character of a piece that begins a word
LENGTH_DELIMITED, FIXED_SIZES = 2, {1: 8, 5: 4}  # wire types


def read_pieces(model: bytes) -> list[str]:
    """The spelling of each piece, by its number.

    >>> read_pieces(bytes.fromhex("0a09" "0a02" "6869" "15" "00000000" "0a03" "0a01" "61"))
    ['hi', 'a']
    """
    return [
        next(text for field, text in read_fields(piece) if field == 1).decode()
        for field, piece in read_fields(model)
        if field == 1
    ]


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


def list_whole_words(pieces: Iterable[str]) -> tuple[str, ...]:
    """The pieces that begin a word and have a letter, without the mark, in canonical order.

    >>> list_whole_words(["▁the", "▁a", "ing", "▁42", "▁"])
    ('a', 'the')
    """
    words = (piece.removeprefix(WORD_MARK) for piece in pieces if piece.startswith(WORD_MARK))
    return tuple(sorted(word for word in words if any(map(str.isalpha, word))))
