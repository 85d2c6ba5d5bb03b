"""The layers of a sentence encoder: norms, windows of tokens, residual blocks, and the way to int8.

All is float32 in one fixed order: products as in `FloatMatrix`, windows from the first place to the last. Means and variances
are float64: eight sums, of every eighth number, are added from the first to the last.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array
from tercet.kernel.base.arguments import expect
from tercet.kernel.vectors.float_matrix import FloatMatrix

N_SUMS = 8  # of a mean


class Norm(NamedTuple):
    gain: Array
    bias: Array
    epsilon: float

    def apply(self, rows: Array) -> Array:
        """gain · (x - mean) / √(variance + epsilon) + bias, row by row."""
        n = rows.shape[1]
        means = (add_lanes(rows.astype(np.float64)) / n).astype(np.float32)
        centred = rows - means[:, None]
        variances = add_lanes(centred.astype(np.float64) ** 2) / n
        factors = (1.0 / np.sqrt(variances + self.epsilon)).astype(np.float32)
        return np.asarray(centred * factors[:, None] * self.gain + self.bias)


def add_lanes(rows: Array) -> Array:
    """The sum of each row, as eight sums of every eighth number."""
    lanes = np.zeros((len(rows), N_SUMS))
    for first in range(0, rows.shape[1], N_SUMS):
        part = rows[:, first : first + N_SUMS]
        lanes[:, : part.shape[1]] += part
    sums = np.zeros(len(rows))
    for lane in lanes.T:
        sums = sums + lane
    return sums


class Window:
    """One layer of a branch: for each token, a sum over the tokens around it."""

    def __init__(self, left: int, weights: Array, bias: Array) -> None:
        n_numbers = weights.shape[1]
        expect(weights.size > 0 and len(weights) % n_numbers == 0, "a window needs a square matrix for each of its places")
        expect(bias.shape == (n_numbers,), "a window needs a bias for each column")
        self.matrices = [FloatMatrix(part) for part in np.split(weights, len(weights) // n_numbers)]
        expect(0 <= left < len(self.matrices), "a window must contain its token")
        self.left, self.bias = left, bias

    def apply(self, rows: Array) -> Array:
        """relu(bias + Σ rows[t + i - left] · Wᵢ) + rows."""
        sums = np.tile(self.bias, (len(rows), 1))
        for place, matrix in enumerate(self.matrices):
            products, offset = matrix.multiply(rows), place - self.left
            for t in range(max(0, -offset), min(len(rows), len(rows) - offset)):
                sums[t] += products[t + offset]
        return np.asarray(cut_negative(sums) + rows)


class ResidualBlock:
    def __init__(self, inner: Array, outer: Array, shortcut: Array) -> None:
        self.inner, self.outer, self.shortcut = FloatMatrix(inner), FloatMatrix(outer), FloatMatrix(shortcut)
        fits = len(inner) == len(shortcut) and inner.shape[1] == len(outer) and outer.shape[1] == shortcut.shape[1]
        expect(fits, "the matrices of a block do not fit each other")

    def apply(self, rows: Array) -> Array:
        """rows · shortcut + relu(rows · inner) · outer."""
        return self.shortcut.multiply(rows) + self.outer.multiply(cut_negative(self.inner.multiply(rows)))


def cut_negative(numbers: Array) -> Array:
    """relu: 0 for negative numbers."""
    return np.where(numbers > 0, numbers, np.float32(0))


def compute_tanh(numbers: Array) -> Array:
    """tanh by + - * / alone, because the tanh of C libraries differs between machines.

    tanh(x / 8) is a convergent of Lambert's continued fraction, and tanh(2 x) = 2 t / (1 + t²), three times.

    >>> [f"{number:.6f}" for number in compute_tanh(np.array([0.5, -2, 30], np.float32))]
    ['0.462117', '-0.964028', '1.000000']
    """
    x = np.clip(numbers.astype(np.float64), -10, 10) / 8
    square = x * x
    above = 135135 + square * (17325 + square * (378 + square))
    below = 135135 + square * (62370 + square * (3150 + square * 28))
    tangent = x * above / below
    for _ in range(3):
        tangent = 2 * tangent / (1 + tangent * tangent)
    return tangent.astype(np.float32)


def round_to_bytes(row: Array) -> npt.NDArray[np.int8]:
    """round(127 · x / max |x|), or zeros if a number is not finite or all are 0."""
    most = np.abs(row).max()
    if not 0 < most <= 1:  # also false for nan
        return np.zeros(len(row), np.int8)
    return np.rint(row.astype(np.float64) * 127 / float(most)).astype(np.int8)
