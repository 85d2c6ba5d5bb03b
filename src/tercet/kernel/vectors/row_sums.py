"""Sums of rows of a float32 matrix, Σ share · row, equal in every bit on every machine.

Each number is one sum in float64 over the entries in their order, with no fused multiply-add.
"""

import numpy as np

from tercet.arrays import Array
from tercet.kernel.base.arguments import expect, expect_below, read_ranges


def sum_rows(starts: Array, rows: Array, shares: Array, matrix: Array, threads: int = 1) -> Array:
    """For each i the sum over k from starts[i] to starts[i + 1] of shares[k] · matrix[rows[k]].

    >>> sum_rows(np.array([0, 2, 2]), np.array([1, 0]), np.array([0.5, 0.25]), np.eye(2, dtype=np.float32)).tolist()
    [[0.25, 0.5], [0.0, 0.0]]
    """
    ranges = read_ranges(starts, len(rows))
    expect(len(shares) == len(rows), "each row needs a share")
    expect_below(rows, len(matrix), "there is no such row")
    sums = np.zeros((len(ranges), matrix.shape[1]))
    with np.errstate(all="ignore"):
        for i, (begin, end) in enumerate(ranges):
            for k in range(begin, end):
                sums[i] += shares[k] * matrix[rows[k]].astype(np.float64)
    return sums
