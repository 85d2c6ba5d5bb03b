"""Files of word vectors as text: a word and its numbers in each line, as GloVe writes them.

word2vec and fastText write a first line with the number of words and the dimension. The files may be compressed.
"""

import re
from collections.abc import Iterator
from io import BufferedReader
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import BinaryIO, NoReturn

import numpy as np

from tercet.arrays import Floats, SmallIntegers
from tercet.characters import show_line
from tercet.compression import SUFFIXES, decompress, list_damage_errors
from tercet.errors import InvalidFile
from tercet.interruption import check_wanted
from tercet.text.vectors.vector_table import BATCH, VectorTable, find_row_fault, find_size_fault, find_word_fault, round_rows

MAX_LINE_BYTES = 1 << 18  # of 4,096 numbers and a word
BLANK = re.compile("[ \t]")
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_table(path: str | PathLike[str]) -> VectorTable:
    """The table of a file. Raises InvalidFile, with the number of the line, if something is wrong with it."""
    return TableReader(Path(path)).read()


class TableReader:
    """Reads one file. The words are kept as they are, the rows as int8."""

    def __init__(self, path: Path) -> None:
        self._path, self._line = path, 0
        self._n_promised: int | None = None  # words, by the first line
        self._dimension = 0  # not known yet
        self._words: list[str] = []
        self._met: set[str] = set()

    def read(self) -> VectorTable:
        rows = self._read_rows()
        parts = [self._round(batch) for batch in iter(lambda: list(islice(rows, BATCH)), [])]
        if not parts:
            raise InvalidFile(f"{self._path.name} has no vectors: each line should be a word and its numbers.")
        if self._n_promised not in (None, len(self._words)):
            raise InvalidFile(
                f"{self._path.name} has {len(self._words):,} words, but its first line says {self._n_promised:,}: "
                "it is not complete. Fetch it again."
            )
        return VectorTable(self._words, np.concatenate(parts))

    def _round(self, rows: list[Floats]) -> SmallIntegers:
        check_wanted()
        stacked = np.stack(rows)
        if found := find_row_fault(stacked):
            place, fault = found
            word = self._words[len(self._words) - len(rows) + place]
            raise InvalidFile(f"{self._path.name}: the vector of {show_line(word)!r} {fault}")
        return round_rows(stacked)

    def _read_rows(self) -> Iterator[Floats]:
        for line in self._read_lines():
            word, *rest = BLANK.split(line, maxsplit=1)
            numbers = rest[0].split() if rest else []
            if self._line == 1 and len(numbers) == 1 and word.isdecimal() and numbers[0].isdecimal():
                self._n_promised, self._dimension = int(word), int(numbers[0])
            else:
                yield self._read_row(word, numbers)

    def _read_row(self, word: str, numbers: list[str]) -> Floats:
        if fault := find_word_fault(word, self._met):
            self._refuse(f"the word {fault}")
        self._dimension = self._dimension or len(numbers)
        if len(numbers) != self._dimension or not numbers:
            self._refuse(
                f"{show_line(word)!r} has {len(numbers)} numbers, and {self._dimension or 'at least 1'} are expected: "
                "all vectors have the same length. Mend the line, or leave it out."
            )
        self._words.append(word)
        self._met.add(word)
        if fault := find_size_fault(len(self._words), self._dimension):
            raise InvalidFile(f"{self._path.name} {fault}")
        try:
            return np.array([float(number) for number in numbers])
        except ValueError:
            self._refuse(f"{show_line(word)!r} has something that is not a number. Mend the line, or leave it out.")

    def _refuse(self, fault: str) -> NoReturn:
        raise InvalidFile(f"{self._path.name}, line {self._line}: {fault}")

    def _read_lines(self) -> Iterator[str]:
        with self._open() as file:
            compression = SUFFIXES.get(self._path.suffix.lower())
            content = BufferedReader(decompress(file, compression)) if compression else file
            while raw := self._read_line(content):
                self._line += 1
                if len(raw) > MAX_LINE_BYTES:
                    self._refuse(f"it is longer than {MAX_LINE_BYTES:,} bytes, so it is not a word with its numbers.")
                if line := self._decode(raw):
                    yield line

    def _open(self) -> BinaryIO:
        try:
            return self._path.open("rb")
        except (OSError, ValueError) as error:
            why = "it is a folder" if self._path.is_dir() else getattr(error, "strerror", None) or str(error)
            raise InvalidFile(
                f"{str(self._path)!r} can't be read ({why}): name a file with a word and its numbers in each line."
            ) from None

    def _read_line(self, content: BinaryIO) -> bytes:
        try:
            return content.readline(MAX_LINE_BYTES + 1)
        except list_damage_errors() as error:
            raise InvalidFile(f"{self._path.name} is damaged ({error}): fetch it again.") from error

    def _decode(self, raw: bytes) -> str:
        """The line without its end."""
        try:
            return raw.removeprefix(BYTE_ORDER_MARK if self._line == 1 else b"").decode().rstrip("\r\n")
        except UnicodeDecodeError as error:
            byte = f"0x{error.object[error.start]:02x}"
            self._refuse(f"byte {byte} is not UTF-8, so its letters are unknown. Save the file as UTF-8.")
