"""A matrix of documents × terms, for training linear models."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers

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
