"""Texts in few bytes, without loss: each text is a list of numbers of runs of characters.

A run is a word, a single character of a script without blanks between words, or up to 32 bytes between them. One blank
between two words is not written. Runs that occur more than once are in a dictionary, the most frequent first, so that frequent
runs have small numbers; other runs are written out. Numbers have seven bits in each byte; their last byte is below 128.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from tercet.arrays import Array, Integers
from tercet.kernel.base.documents import Texts

LONGEST_RUN = 32
WORD, SINGLE, BETWEEN = range(3)


def pack_texts(texts: Texts) -> tuple[Array, Array]:
    """The dictionary of runs, and the texts, as arrays of bytes."""
    lists = [list(split_runs(text.encode("utf-8", "surrogatepass"))) for text in texts.texts]
    counts = Counter(run for runs in lists for run in runs if len(run) <= LONGEST_RUN)
    frequent = sorted((run for run, n in counts.items() if n > 1), key=lambda run: (-counts[run], run))
    numbers = {run: i + 1 for i, run in enumerate(frequent)}
    dictionary = b"".join(write_run(run) for run in frequent)
    packed = [write_number(len(runs)) + b"".join(_write(run, numbers.get(run, 0)) for run in runs) for runs in lists]
    return np.frombuffer(dictionary, np.uint8), np.frombuffer(b"".join(packed), np.uint8)


def unpack_texts(dictionary: Array, packed: Array, n: int) -> tuple[Integers, Array]:
    """n texts as the offsets n + 1 and the bytes of all of them. Raises ValueError if the arrays are damaged."""
    reader, runs = Reader(dictionary.tobytes()), [b""]
    while reader.rest:
        runs.append(reader.take_run())
        if len(runs[-1]) > LONGEST_RUN:
            raise damaged()
    reader, texts = Reader(packed.tobytes()), []
    for _ in range(n):
        text, after_word = bytearray(), False
        for _ in range(reader.take_number()):
            number = reader.take_number()
            if number >= len(runs):
                raise damaged()
            run = runs[number] if number else reader.take_run()
            is_word = bool(run) and find_kind(run, 0) == WORD
            text += b" " * (after_word and is_word) + run
            after_word = is_word
        texts.append(bytes(text))
    try:
        [text.decode("utf-8", "surrogatepass") for text in texts]
    except UnicodeDecodeError as error:
        raise damaged() from error
    if reader.rest:
        raise damaged()
    return np.cumsum([0, *map(len, texts)], dtype=np.int64), np.frombuffer(b"".join(texts), np.uint8)


def split_runs(text: bytes) -> Iterator[bytes]:
    """The runs of a text, without single blanks between two words.

    >>> list(split_runs("Two words, 你好".encode()))
    [b'Two', b'words', b', ', b'\\xe4\\xbd\\xa0', b'\\xe5\\xa5\\xbd']
    """
    starts = [i for i in range(len(text)) if i == 0 or text[i] & 0xC0 != 0x80]
    kinds = [find_kind(text, i) for i in starts]
    cuts = [i for i in range(len(starts)) if i == 0 or kinds[i] == SINGLE or kinds[i] != kinds[i - 1]]
    runs = [
        (kinds[a], text[starts[a] : starts[b] if b < len(starts) else len(text)]) for a, b in pairwise([*cuts, len(starts)])
    ]
    for i, (kind, run) in enumerate(runs):
        is_between_words = 0 < i < len(runs) - 1 and runs[i - 1][0] == runs[i + 1][0] == WORD
        if kind != BETWEEN:
            yield run
        elif run != b" " or not is_between_words:
            yield from (run[k : k + LONGEST_RUN] for k in range(0, len(run), LONGEST_RUN))


def find_kind(text: bytes, i: int) -> int:
    """The kind of run that the character at byte i belongs to, from its first two bytes."""
    lead = text[i]
    if lead < 0x80:
        return WORD if chr(lead).isalnum() else BETWEEN
    second = text[i + 1] if i + 1 < len(text) and text[i + 1] & 0xC0 == 0x80 else 0
    if lead < 0xC3 or lead == 0xE2:
        return BETWEEN
    is_word = lead < 0xE0 or (lead == 0xE0 and second < 0xB8) or (lead == 0xE1 and second >= 0xB4)
    return WORD if is_word else SINGLE


def write_number(number: int) -> bytes:
    """
    >>> write_number(5), write_number(300)
    (b'\\x05', b'\\xac\\x02')
    """
    written = bytearray()
    while number >= 128:
        written.append(number & 127 | 128)
        number >>= 7
    return bytes([*written, number])


def write_run(run: bytes) -> bytes:
    return write_number(len(run)) + run


def _write(run: bytes, number: int) -> bytes:
    return write_number(number) + (b"" if number else write_run(run))


class Reader:
    """Takes numbers and runs from the beginning of some bytes."""

    def __init__(self, rest: bytes) -> None:
        self.rest = rest

    def take_number(self) -> int:
        number = 0
        for place, byte in enumerate(self.rest[:9]):
            number |= (byte & 127) << 7 * place
            if byte < 128:
                self.rest = self.rest[place + 1 :]
                return number
        raise damaged()

    def take_run(self) -> bytes:
        size = self.take_number()
        if size > len(self.rest):
            raise damaged()
        run, self.rest = self.rest[:size], self.rest[size:]
        return run


def damaged() -> ValueError:
    return ValueError("the kept texts are damaged")
