"""Products of rows with a matrix, as float32, equal in every bit on every machine.

Each number of a product is one sum Σ xₖ wₖⱼ over rising k, with no fused multiply-add.
"""

import numpy as np

from tercet.arrays import Array
from tercet.kernel.base.arguments import expect


class FloatMatrix:
    def __init__(self, values: Array) -> None:
        expect(values.size > 0, "a matrix of the encoder is empty")
        self.values = values
        self.n_rows, self.n_columns = values.shape

    def multiply(self, rows: Array) -> Array:
        """rows · matrix.

        >>> FloatMatrix(np.array([[1, 2], [3, 4]], np.float32)).multiply(np.array([[1, 10]], np.float32)).tolist()
        [[31.0, 42.0]]
        """
        sums = np.zeros((len(rows), self.n_columns), np.float32)
        for k, weights in enumerate(self.values):
            sums += rows[:, k : k + 1] * weights
        return sums


def multiply_rows(rows: Array, matrix: Array, threads: int = 1) -> Array:
    """rows · matrix."""
    expect(rows.shape[1] == len(matrix), "the matrix does not fit the rows")
    return FloatMatrix(matrix).multiply(rows)
