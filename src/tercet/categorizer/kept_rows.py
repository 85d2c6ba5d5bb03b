"""The terms of learned documents, under the numbers of the table that has them, batch by batch."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.spool import Spool
from tercet.kernel import engine

Part = tuple[Integers, engine.Rows]  # places among all documents, and their rows


class RowSource(Protocol):
    """Rows that can be gone through again and again."""

    def parts(self, documents: Integers | None = None) -> Iterator[Part]:
        """All documents, or these, whose places are in order; some at a time."""
        ...


class RowBlocks:
    """What a counter hands out while it counts."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._starts = [0]
        self._unread: dict[int, tuple[Integers, engine.Texts]] = {}

    def append(self, block: bytes, texts: engine.Texts, weights: Integers | None) -> None:
        """Documents without weight are not counted, so their texts are held in memory, to be read by the whole table."""
        if weights is not None and not weights.all():
            (places,) = np.nonzero(weights == 0)
            self._unread[len(self._spool)] = places, texts.pick(places)
        self._spool.append(block)
        self._starts.append(self._starts[-1] + len(texts))

    def parts(self, table: engine.Table, terms: engine.KeptTerms, documents: Integers | None, threads: int) -> Iterator[Part]:
        for number in range(len(self._spool)):
            begin, end = self._starts[number : number + 2]
            wanted = np.arange(begin, end) if documents is None else _between(documents, begin, end)
            if not len(wanted):
                continue
            if number not in self._unread:
                yield wanted, terms.rows(self._spool[number], wanted - begin, threads)
                continue
            unread, texts = self._unread[number]
            whole = engine.Rows.join([terms.rows(self._spool[number], None, threads), table.rows(texts, threads)])
            places = np.arange(end - begin)
            places[unread] = end - begin + np.arange(len(unread))
            yield wanted, whole.pick(places[wanted - begin])


@dataclass(frozen=True)
class KeptRows:
    """Rows that were kept while the table was counted."""

    blocks: RowBlocks
    table: engine.Table
    terms: engine.KeptTerms
    threads: int

    def parts(self, documents: Integers | None = None) -> Iterator[Part]:
        return self.blocks.parts(self.table, self.terms, documents, self.threads)


@dataclass(frozen=True)
class ReadRows:
    """Rows of texts in memory, which a table has learned before; they are read each time."""

    table: engine.Table
    texts: list[engine.Texts]
    threads: int

    def parts(self, documents: Integers | None = None) -> Iterator[Part]:
        begin = 0
        for part in self.texts:
            end = begin + len(part)
            wanted = np.arange(begin, end) if documents is None else _between(documents, begin, end)
            yield wanted, self.table.rows(part.pick(wanted - begin), self.threads)
            begin = end


def _between(documents: Integers, begin: int, end: int) -> Integers:
    return documents[np.searchsorted(documents, begin) : np.searchsorted(documents, end)]
