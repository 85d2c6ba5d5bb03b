"""A matrix of documents × terms, for training linear models."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.document_rows import RowPart

BLOCK = 1 << 12  # documents at a time: limits the memory


class Matrix(NamedTuple):
    """Documents × columns as a CSR matrix: document i has the entries ends[i] … ends[i + 1]; None as values means all 1."""

    ends: Integers
    columns: npt.NDArray[np.int32]
    values: Floats | None
    n_columns: int

    @classmethod
    def of(cls, X: Any) -> "Matrix":
        """The same matrix from scipy's CSR format."""
        values = None if (X.data == 1).all() else X.data
        return cls(X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), values, X.shape[1])

    @classmethod
    def of_rows(
        cls, parts: Iterable[RowPart], n_terms: int, weights: Integers | None, *, clip: bool
    ) -> tuple[Integers, "Matrix"]:
        """The places of the documents with a weight above 0, and their rows; with `clip` every count is 1."""
        places, ends, terms, counts = [np.zeros(0, np.int64)], [np.zeros(1, np.int64)], [], []
        n_entries = 0
        for part_places, rows in parts:
            if weights is not None and not weights[part_places].all():
                kept = np.flatnonzero(weights[part_places])
                part_places, rows = part_places[kept], rows.pick(kept)
            own_ends, own_terms, own_counts = rows.arrays()
            places.append(part_places)
            ends.append(own_ends[1:] + n_entries)
            n_entries += len(own_terms)
            terms.append(own_terms)
            if not clip:
                counts.append(own_counts)
        values = None if clip else _join(counts, np.float64)
        return np.concatenate(places), cls(np.concatenate(ends), _join(terms, np.int32), values, n_terms)

    def count_documents(self, codes: Integers, n_labels: int, weights: Floats | None = None) -> Floats:
        """How many documents of each label have each column, labels × columns.

        >>> Matrix(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), None, 3).count_documents(np.array([0, 1]), 2)
        array([[1., 1., 0.],
               [0., 1., 0.]])
        """
        counts = np.zeros(n_labels * self.n_columns)
        for begin in range(0, len(codes), BLOCK):
            ends = self.ends[begin : begin + BLOCK + 1]
            block, sizes = slice(begin, begin + BLOCK), np.diff(ends)
            cells = np.repeat(codes[block] * self.n_columns, sizes)
            cells += self.columns[ends[0] : ends[-1]]
            np.add.at(counts, cells, 1.0 if weights is None else np.repeat(weights[block], sizes))
        return counts.reshape(n_labels, self.n_columns)

    def pick(self, rows: Integers) -> "Matrix":
        """The matrix of these rows, in this order."""
        sizes = np.diff(self.ends)[rows]
        ends = np.concatenate([[0], np.cumsum(sizes)])
        entries = np.repeat(self.ends[rows] - ends[:-1], sizes) + np.arange(ends[-1])
        return Matrix(ends, self.columns[entries], None if self.values is None else self.values[entries], self.n_columns)

    def keep(self, known: Flags) -> "Matrix":
        """The matrix without the entries of other columns."""
        if known.all():
            return self
        kept = known[self.columns]
        ends = np.concatenate([[0], np.cumsum(kept)])[self.ends]
        return Matrix(ends, self.columns[kept], None if self.values is None else self.values[kept], self.n_columns)


def _join(parts: list[Any], dtype: Any) -> Any:
    return parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, dtype), *parts])
