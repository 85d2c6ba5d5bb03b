"""Documents × columns as linear models take them: the parts of a CSR matrix."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel import engine

BLOCK = 1 << 12  # documents at once: bounds the memory


class Matrix(NamedTuple):
    """The entries of document i are ends[i] … ends[i + 1]; no values means that all are 1."""

    ends: Integers
    columns: npt.NDArray[np.int32]
    values: Floats | None
    n_columns: int

    @classmethod
    def of(cls, X: Any) -> "Matrix":
        """A CSR matrix of scipy."""
        values = None if (X.data == 1).all() else X.data
        return cls(X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), values, X.shape[1])

    def problem(self) -> engine.LinearProblem:
        return engine.LinearProblem(self.ends, self.columns, self.values, self.n_columns)

    def count_documents(self, codes: Integers, n_labels: int, weights: Floats | None = None) -> Floats:
        """How many documents of each label have each column, labels × columns.

        >>> Matrix(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), None, 3).count_documents(np.array([0, 1]), 2)
        array([[1., 1., 0.],
               [0., 1., 0.]])
        """
        counts = np.zeros(n_labels * self.n_columns)
        for begin in range(0, len(codes), BLOCK):
            ends = self.ends[begin : begin + BLOCK + 1]
            some, sizes = slice(begin, begin + BLOCK), np.diff(ends)
            cells = np.repeat(codes[some] * self.n_columns, sizes)
            cells += self.columns[ends[0] : ends[-1]]
            np.add.at(counts, cells, 1.0 if weights is None else np.repeat(weights[some], sizes))
        return counts.reshape(n_labels, self.n_columns)

    def keep(self, known: npt.NDArray[np.bool_]) -> "Matrix":
        """Without the entries of other columns."""
        kept = known[self.columns]
        ends = np.concatenate([[0], np.cumsum(kept)])[self.ends]
        return Matrix(ends, self.columns[kept], None if self.values is None else self.values[kept], self.n_columns)
