"""Numeric columns beside the text: a normal distribution for each column and label."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.exact_sums import SCALE, divide, divide_root
from tercet.counts.label_moments import LabelMoments

FAR = 1e100  # so that one number can't make all labels impossible


@dataclass(frozen=True)
class ColumnNormals:
    """Means and standard deviations, labels × columns.

    A column may well be constant under a label (no ham has links) and must not make every other value impossible. So each
    label has one more document, which has the mean of the label and the variance of all documents: variance = (n s² + S²) /
    (n + 1). A column that is constant everywhere says nothing.
    """

    means: Floats
    deviations: Floats

    @classmethod
    def of(cls, moments: LabelMoments) -> "ColumnNormals":
        n, sums = moments.n.units[:, None] + 0 * moments.sums.units, moments.sums.units
        total, all_sums = n.sum(axis=0), sums.sum(axis=0)
        spread = total * moments.products.units.sum(axis=0) - all_sums * all_sums  # times total²
        # (n s² + S²) / (n + 1), without rounding: squares of large numbers may be too large for a float.
        squares = np.where(n > 0, n * n, 1)
        above = n * moments.scatter() * (total * total) + SCALE * spread * squares
        means = np.where(n > 0, divide(sums, n), divide(all_sums, total))
        return cls(means, divide_root(above, (n + SCALE) * squares * (total * total)))

    def pick(self, labels: npt.NDArray[np.int64]) -> "ColumnNormals":
        """Those of the labels in these places."""
        return ColumnNormals(self.means[labels], self.deviations[labels])

    def log_densities(self, numbers: Floats) -> Floats:
        """What each column says, documents × labels × columns."""
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = (numbers[:, None, :] - self.means) / self.deviations
            result = -0.5 * (distance**2 + np.log(2 * np.pi)) - np.log(self.deviations)
        return np.where(self.deviations > 0, np.maximum(result, -FAR), 0.0)
