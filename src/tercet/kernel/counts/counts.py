"""How often each term occurs under each label, and in how many documents: integers in units of 2⁻²⁰."""

import math
from collections.abc import Iterable
from itertools import accumulate, pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.kernel.base.arguments import expect, expect_below, make_array
from tercet.kernel.counts.rows import Row, Rows

ONE = 1 << 20


Squares = npt.NDArray[np.uint64]  # a row (high, low) for each number, which is high · 2⁶⁴ + low


def split_squares(numbers: Iterable[int]) -> Squares:
    """Sums of squared weights, in units of 2⁻⁴⁰, as an array."""
    return np.array([divmod(number, 1 << 64) for number in numbers], np.uint64).reshape(-1, 2)


def join_squares(squares: Squares) -> list[int]:
    expect(squares.shape[1] == 2, "each weight needs its square")
    return [(high << 64) + low for high, low in squares.tolist()]


def sum_squares(weights: Integers, places: Integers, n: int) -> Squares:
    """The sums of the squared weights in each of n places."""
    expect(len(weights) == len(places), "each weight needs a place")
    sums = [0] * n
    for weight, place in zip(weights.tolist(), expect_below(places, n, "no such place"), strict=True):
        sums[place] += weight**2
    return split_squares(sums)


class Cell(NamedTuple):
    occurrences: int = 0
    documents: int = 0


def round_half_up(number: float) -> int:
    """Round to the nearest integer. Python's `round` would round a half to the next even number."""
    return math.floor(number) + (number - math.floor(number) >= 0.5)


def to_units(count: float, weight: int) -> int:
    """A count times a weight, in units. A whole weight gives the same as that number of copies.

    Adding and removing a document give the same units.


    >>> to_units(0.5, 3 * ONE) == 3 * to_units(0.5, ONE) == -to_units(0.5, -3 * ONE) == 3 * ONE // 2
    True
    """
    if weight < 0:
        return -to_units(count, -weight)
    units, (whole, part) = round_half_up(count * ONE), divmod(weight, ONE)
    return units * whole + round_half_up(units * part / ONE)


class Counts:
    """Sums over labelled documents."""

    def __init__(self, n_labels: int, n_terms: int) -> None:
        self.of_labels = [0] * n_labels  # documents
        self.squared = [0] * n_labels  # the sum of the squared weights of these documents, in units of 2⁻⁴⁰
        self.rows: list[dict[int, Cell]] = [{} for _ in range(n_terms)]

    @classmethod
    def from_cells(
        cls,
        n_documents: Integers,
        squares: Squares,
        sizes: Integers,
        labels: Integers,
        occurrences: Integers,
        documents: Integers,
        unit: int = 1,
    ) -> "Counts":
        """Counts from cells: `sizes` has the number of cells of each term, the other arrays have the cells of all terms.

        Counts are multiplied by the unit. The labels of a term must be in rising order.
        """
        expect(len(labels) == len(occurrences) == len(documents) == sum(sizes.tolist()) and unit > 0, "no table")
        expect(min(sizes.tolist(), default=0) >= 0 and len(squares) == len(n_documents), "no table")
        expect_below(labels, len(n_documents), "no such label")
        numbers = [numbers.tolist() for numbers in (n_documents, occurrences, documents)]
        fits = all(min(own, default=0) >= 0 and sum(own) * unit <= 1 << 62 for own in numbers)
        expect(fits, "the sums are too large, or below zero")
        counts = cls(len(n_documents), len(sizes))
        counts.of_labels, counts.squared = [n * unit for n in numbers[0]], join_squares(squares)
        expect(counts._has_documents(), "no documents have these sums of weights and squared weights")
        for term, (begin, end) in enumerate(pairwise(accumulate(sizes.tolist(), initial=0))):
            expect(bool((np.diff(labels[begin:end].astype(np.int64)) > 0).all()), "the labels of a term must rise")
            for i in range(begin, end):
                counts.add_cell(term, int(labels[i]), numbers[1][i] * unit, numbers[2][i] * unit)
        return counts

    @property
    def n_terms(self) -> int:
        return len(self.rows)

    def n_met(self) -> int:
        """The number of terms that occur in a document. Forgotten terms do not count."""
        return sum(self.has_met(term) for term in range(self.n_terms))

    def has_met(self, term: int) -> bool:
        """Whether the term occurs in a document."""
        return any(map(any, self.rows[term].values()))

    def n_documents(self) -> Integers:
        return make_array(self.of_labels)

    def squares(self) -> Squares:
        """For each label, the sum of the squared weights of its documents."""
        return split_squares(self.squared)

    def _has_documents(self) -> bool:
        """Whether documents, each with a weight of at least one unit, can have these sums of weights and squared weights."""
        return all(n <= squares <= n**2 for n, squares in zip(self.of_labels, self.squared, strict=True))

    def n_occurrences(self, label: int) -> int:
        return sum(row[label].occurrences for row in self.rows if label in row)

    def cells(self, terms: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """(starts, labels, occurrences, documents) of these terms, in this order, without empty cells."""
        numbers = expect_below(terms, self.n_terms, "no such term")
        rows = [[(label, *cell) for label, cell in sorted(self.rows[term].items()) if any(cell)] for term in numbers]
        cells = np.array([cell for row in rows for cell in row], np.int64).reshape(-1, 3)
        starts = make_array([0, *accumulate(map(len, rows))])
        return starts, cells[:, 0].copy(), cells[:, 1].copy(), cells[:, 2].copy()

    def copy(self) -> "Counts":
        result = Counts(0, 0)
        result.of_labels, result.squared = list(self.of_labels), list(self.squared)
        result.rows = [dict(row) for row in self.rows]
        return result

    def add_cell(self, term: int, label: int, occurrences: int, documents: int) -> None:
        here = self.rows[term].get(label, Cell())
        self.rows[term][label] = Cell(here.occurrences + occurrences, here.documents + documents)

    def add_documents(self, label: int, total: int, squares: int) -> None:
        """`total` is the sum of the weights of the documents, `squares` of their squares."""
        self.of_labels[label] += total
        self.squared[label] += squares

    def add_row(self, row: Row, label: int, weight: int) -> None:
        """Add a document, or remove it if its weight is negative."""
        self.add_documents(label, weight, weight * abs(weight))
        for term, count in row.counts.items():
            self.add_cell(term, label, to_units(count, weight), weight)

    def add_rows(self, rows: Rows, documents: Integers, labels: Integers, weights: Integers) -> None:
        """Add these documents. `labels` and `weights` have a value for every row."""
        expect_below(documents, len(rows), "no such document")
        expect_below(labels, len(self.of_labels), "no such label")
        expect(len(labels) == len(weights) == len(rows), "each document needs a label and a weight")
        expect(rows.n_columns <= self.n_terms, "no such term")
        for i in documents.tolist():
            self.add_row(rows.rows[i], int(labels[i]), int(weights[i]))

    def add(self, other: "Counts") -> None:
        expect(other is not self, "the counts do not fit")
        self._add(other, 1)

    def subtract(self, other: "Counts") -> bool:
        """Subtract other counts. If the counts do not cover them, nothing changes and the result is False."""
        expect(other is not self, "the counts do not fit")
        covers = self.covers(other)
        if covers:
            self._add(other, -1)
        return covers

    def covers(self, other: "Counts") -> bool:
        """Whether the other counts can be subtracted.

        No number may become negative, no term may keep occurrences without documents, and some documents must be able to have
        the weights that are left.
        """
        self._expect_fit(other)
        left = self.copy()
        left._add(other, -1)
        labels = [Cell(left.n_occurrences(label), left.of_labels[label]) for label in range(len(left.of_labels))]
        met = [left.rows[term][label] for term, row in enumerate(other.rows) for label, cell in row.items() if any(cell)]
        return left._has_documents() and all(n >= 0 and d >= 0 and (d > 0 or n == 0) for n, d in [*labels, *met])

    def is_possible(self) -> bool:
        """Whether documents can have these counts: no term is in more documents than it has occurrences, or than there are."""
        cells = [(label, cell) for row in self.rows for label, cell in row.items()]
        return all(cell.documents <= min(cell.occurrences, self.of_labels[label]) for label, cell in cells)

    def place_labels(self, places: Integers, n_labels: int) -> "Counts":
        """Counts in which label l has the number places[l]. Labels with a negative place are left out."""
        expect(len(places) == len(self.of_labels), "each label needs a place")
        expect(all(place < n_labels for place in places.tolist()), "a place is too large")
        placed = Counts(n_labels, self.n_terms)
        for label, place in enumerate(places.tolist()):
            if place < 0:
                continue
            placed.add_documents(place, self.of_labels[label], self.squared[label])
            for term, row in enumerate(self.rows):
                if label in row:
                    placed.add_cell(term, place, *row[label])
        return placed

    def _add(self, other: "Counts", sign: int) -> None:
        self._expect_fit(other)
        for label, (total, squares) in enumerate(zip(other.of_labels, other.squared, strict=True)):
            self.add_documents(label, sign * total, sign * squares)
        for term, row in enumerate(other.rows):
            for label, cell in row.items():
                self.add_cell(term, label, sign * cell.occurrences, sign * cell.documents)

    def _expect_fit(self, other: "Counts") -> None:
        expect(len(self.rows) == len(other.rows) and len(self.of_labels) == len(other.of_labels), "the counts do not fit")
