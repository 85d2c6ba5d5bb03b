"""The filled cells of a table, term by term: what a selection of terms looks at. Empty ones cost nothing."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel import engine

BLOCK = 1 << 22  # cells at once, if all were filled: bounds the memory
FEWEST = 1 << 10  # terms at once, however many labels there are: of 10,000 labels a term has a few


class TermCells(NamedTuple):
    """Those of term t are starts[t] … starts[t + 1]; counts are in units of 2⁻²⁰."""

    starts: Integers
    labels: Integers
    occurrences: Integers
    documents: Integers

    def sum_occurrences(self) -> Integers:
        """Of each term under all labels."""
        return sum_whole(self.starts, self.occurrences)

    def sum_documents(self) -> Integers:
        """Of each term under all labels."""
        return sum_whole(self.starts, self.documents)


def read_cells(counts: engine.Counts, terms: Integers) -> Iterator[TermCells]:
    """The cells of these terms, in this order, in blocks of terms."""
    size = max(FEWEST, BLOCK // max(1, len(counts.n_documents())))
    for begin in range(0, len(terms), size):
        yield TermCells(*counts.cells(terms[begin : begin + size]))


def sum_whole(starts: Integers, values: Integers) -> Integers:
    """The sum of each term's values; 0 for a term without cells.

    >>> sum_whole(np.array([0, 2, 2, 3]), np.array([1, 2, 5]))
    array([3, 0, 5])
    """
    sums = np.concatenate([[0], np.cumsum(values)])
    return np.asarray(sums[starts[1:]] - sums[starts[:-1]], np.int64)


def sum_floats(starts: Integers, values: Floats) -> Floats:
    """The same for floats: a term's sum does not depend on the terms before it.

    >>> sum_floats(np.array([0, 2, 2, 3]), np.array([1.0, 2.0, 5.0]))
    array([3., 0., 5.])
    """
    sums, (filled,) = np.zeros(len(starts) - 1), np.nonzero(np.diff(starts))
    if len(filled):
        sums[filled] = np.add.reduceat(values, starts[filled])
    return sums
