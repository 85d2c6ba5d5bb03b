"""The terms of each learned document as a row of numbers. Rows are kept during counting, so no text is read twice."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, Protocol
from weakref import finalize

import numpy as np

from tercet.arrays import Integers
from tercet.counts.table import CountTable
from tercet.counts.units import ONE
from tercet.kernel import engine
from tercet.temporary_files import open_temporary, write_temporary

RowPart = tuple[Integers, engine.Rows]  # indices among all documents, and their rows
MAX_BYTES_IN_MEMORY = 1 << 26  # bytes
AT_A_TIME = 1 << 10  # documents: limits the memory of their rows


class RowSource(Protocol):
    """Rows of documents that can be read more than once. A term is its number in a table."""

    def parts(self, documents: Integers | None = None) -> Iterator[RowPart]:
        """The rows of all documents, or of these, in parts. The indices in `documents` must ascend."""
        ...


@dataclass(eq=False)
class Spool:
    """Blocks of bytes that can be read again: in memory, or in a temporary file if they are too large for memory.

    >>> spool = Spool(in_memory=4)
    >>> spool.append(b"Arma"), spool.append(b"virumque"), [spool[0], spool[1]]
    (None, None, [b'Arma', b'virumque'])
    """

    in_memory: int = MAX_BYTES_IN_MEMORY  # how many more bytes may be kept in memory
    purpose: str = "the terms of the documents"
    _blocks: list[bytes | tuple[int, int]] = field(default_factory=list)  # a block, or its start in the file and its length
    _file: IO[bytes] | None = None  # it has no name, so it disappears with the process

    def __len__(self) -> int:
        return len(self._blocks)

    def append(self, block: bytes) -> None:
        if len(block) <= self.in_memory:
            self.in_memory -= len(block)
            self._blocks.append(block)
        else:
            self._blocks.append((self._write(block), len(block)))

    def __getitem__(self, index: int) -> bytes:
        block = self._blocks[index]
        if isinstance(block, bytes) or self._file is None:
            return bytes(block)
        begin, size = block
        self._file.seek(begin)
        return self._file.read(size)

    def _write(self, block: bytes) -> int:
        if self._file is None:
            self._file = open_temporary(self.purpose)
            finalize(self, self._file.close)
        begin = self._file.seek(0, 2)
        write_temporary(self._file, [block], self.purpose)
        return begin


class RowBlocks:
    """The rows that a counter returns while it counts, in blocks of bytes."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._starts = [0]
        self._unread: dict[int, tuple[Integers, engine.Texts]] = {}

    def append(self, block: bytes, texts: engine.Texts, weights: Integers | None) -> None:
        """Keep a block of rows. Documents of weight 0 are not counted: their texts stay in memory and are read at the end."""
        if weights is not None and not weights.all():
            (indices,) = np.nonzero(weights == 0)
            self._unread[len(self._spool)] = indices, texts.pick(indices)
        self._spool.append(block)
        self._starts.append(self._starts[-1] + len(texts))

    def parts(
        self, table: engine.Table, terms: engine.KeptTerms, documents: Integers | None, threads: int
    ) -> Iterator[RowPart]:
        for number in range(len(self._spool)):
            begin, end = self._starts[number : number + 2]
            wanted = np.arange(begin, end) if documents is None else _between(documents, begin, end)
            if not len(wanted):
                continue
            if number not in self._unread:
                block = self._spool[number]
                for first in range(0, len(wanted), AT_A_TIME):
                    some = wanted[first : first + AT_A_TIME]
                    yield some, terms.rows(block, some - begin, threads)
                continue
            unread, texts = self._unread[number]
            whole = engine.Rows.join([terms.rows(self._spool[number], None, threads), table.rows(texts, threads)])
            indices = np.arange(end - begin)
            indices[unread] = end - begin + np.arange(len(unread))
            yield wanted, whole.pick(indices[wanted - begin])


@dataclass(frozen=True)
class KeptRows:
    """Rows that were kept while the table was counted."""

    blocks: RowBlocks
    table: engine.Table
    terms: engine.KeptTerms
    threads: int

    def parts(self, documents: Integers | None = None) -> Iterator[RowPart]:
        return self.blocks.parts(self.table, self.terms, documents, self.threads)


@dataclass(frozen=True)
class ReadRows:
    """Rows of texts in memory, for a table that is already complete. The texts are read again each time."""

    table: engine.Table
    texts: list[engine.Texts]
    threads: int

    def parts(self, documents: Integers | None = None) -> Iterator[RowPart]:
        begin = 0
        for part in self.texts:
            end = begin + len(part)
            wanted = np.arange(begin, end) if documents is None else _between(documents, begin, end)
            yield wanted, self.table.rows(part.pick(wanted - begin), self.threads)
            begin = end


@dataclass(frozen=True)
class CountedRows:
    """Rows with their labels and weights, and the table that counted them. They can be taken out of this table."""

    table: CountTable
    rows: RowSource
    codes: Integers
    weights: Integers | None  # None if all are 1

    @contextmanager
    def without(self, documents: Integers) -> Iterator[None]:
        """A block in which the table does not contain these documents. The indices in `documents` must ascend."""
        n_taken = 0
        try:
            for indices, rows in self.rows.parts(documents):
                add_rows(self.table.counts, rows, self.codes[indices], -self._weights(indices))
                n_taken += len(indices)
            yield
        finally:
            for indices, rows in self.rows.parts(documents[:n_taken]):
                add_rows(self.table.counts, rows, self.codes[indices], self._weights(indices))

    def reweigh(self, weights: Integers) -> None:
        """Count all documents with these weights instead of their own."""
        for indices, rows in self.rows.parts():
            # Add first: a term is forgotten when its last document is taken out.
            add_rows(self.table.counts, rows, self.codes[indices], weights[indices])
            add_rows(self.table.counts, rows, self.codes[indices], -self._weights(indices))

    def _weights(self, indices: Integers) -> Integers:
        return np.full(len(indices), ONE) if self.weights is None else self.weights[indices]


def add_rows(counts: engine.Counts, rows: engine.Rows, labels: Integers, weights: Integers) -> None:
    counts.add_rows(rows, np.arange(len(rows)), labels, weights)


def _between(documents: Integers, begin: int, end: int) -> Integers:
    return documents[np.searchsorted(documents, begin) : np.searchsorted(documents, end)]
