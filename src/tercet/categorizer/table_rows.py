"""Documents as a table counts them, to be taken out of it and put back."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.kept_rows import RowSource
from tercet.counts.table import CountTable
from tercet.counts.units import ONE
from tercet.kernel import engine


@dataclass(frozen=True)
class TableRows:
    """Documents under the numbers that a table gives their terms, the places of their labels in it, and their weights."""

    table: CountTable
    rows: RowSource
    codes: Integers
    weights: Integers | None  # none if all are 1

    @contextmanager
    def without(self, documents: Integers) -> Iterator[None]:
        """While it lasts the table has not learned these of the documents, whose places are in order."""
        n_taken = 0
        try:
            for places, rows in self.rows.parts(documents):
                add_rows(self.table.counts, rows, self.codes[places], -self._weights(places))
                n_taken += len(places)
            yield
        finally:
            for places, rows in self.rows.parts(documents[:n_taken]):
                add_rows(self.table.counts, rows, self.codes[places], self._weights(places))

    def _weights(self, places: Integers) -> Integers:
        return np.full(len(places), ONE) if self.weights is None else self.weights[places]


def add_rows(counts: engine.Counts, rows: engine.Rows, labels: Integers, weights: Integers) -> None:
    counts.add_rows(rows, np.arange(len(rows)), labels, weights)


@contextmanager
def taken_out(counts: engine.Counts, rows: engine.Rows, labels: Integers, weights: Integers) -> Iterator[None]:
    """While it lasts the counts are without these rows."""
    add_rows(counts, rows, labels, -weights)
    try:
        yield
    finally:
        add_rows(counts, rows, labels, weights)
