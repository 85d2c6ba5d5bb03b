"""Documents as a table counts them, to be taken out of it and put back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.counts.label_counts import place_labels
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.kernel import engine

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TableRows:
    """Documents under the numbers that a table gives their terms, and the places of their labels in it."""

    table: CountTable
    rows: engine.Rows
    codes: Integers

    @classmethod
    def of(cls, table: CountTable, parts: list[engine.Texts], labels: Labels, codes: Integers, threads: int) -> "TableRows":
        # A label that the table does not have is one of documents without weight: any place will do.
        places = np.maximum(place_labels(labels, table.labels), 0)
        return cls(table, read_rows(table, parts, threads), places[codes])

    @contextmanager
    def without(self, documents: Integers, weights: Integers) -> Iterator[None]:
        """While it lasts the table has not learned these of the documents, which have these weights."""
        with taken_out(self.table.counts, self.rows.pick(documents), self.codes[documents], weights):
            yield


def read_rows(table: CountTable, parts: list[engine.Texts], threads: int) -> engine.Rows:
    return engine.Rows.join([table.table.rows(part, threads) for part in parts])


@contextmanager
def taken_out(counts: engine.Counts, rows: engine.Rows, labels: Integers, weights: Integers) -> Iterator[None]:
    """While it lasts the counts are without these rows."""
    everything = np.arange(len(labels))
    counts.add_rows(rows, everything, labels, -weights)
    try:
        yield
    finally:
        counts.add_rows(rows, everything, labels, weights)
