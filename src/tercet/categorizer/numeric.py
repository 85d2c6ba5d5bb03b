"""Numeric columns beside the text: a normal distribution for each column and label."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.counts.exact_sums import ONE, divide
from tercet.counts.label_moments import LabelMoments

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ColumnNormals:
    """Means and variances, labels × columns.

    A column may well be constant under a label (no ham has links) and must not make every other value impossible. So each
    label has one more document, which has the mean of the label and the variance of all documents: variance = (n s² + S²) /
    (n + 1). A column that is constant everywhere says nothing.
    """

    means: Floats
    variances: Floats

    @classmethod
    def of(cls, moments: LabelMoments) -> "ColumnNormals":
        n, sums = moments.n.units, moments.sums.units
        total, all_sums, all_products = n.sum(), sums.sum(axis=0), moments.products.units.sum(axis=0)
        spread = divide(total * all_products - all_sums * all_sums, np.full(sums.shape[1], total * total, object))
        weights = divide(n, np.full(len(n), ONE, object))[:, None]
        with np.errstate(invalid="ignore"):
            own = divide(moments.scatter(), (n * n)[:, None] + 0 * sums)
            variances = np.where(weights > 0, (weights * own + spread) / (weights + 1), spread)
        means = divide(sums, n[:, None] + 0 * sums)
        return cls(np.where(weights > 0, means, divide(all_sums, np.full(len(all_sums), total, object))), variances)

    def log_densities(self, numbers: Floats) -> Floats:
        """What each column says, documents × labels × columns."""
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = (numbers[:, None, :] - self.means) ** 2 / self.variances
            result = -0.5 * (distance + np.log(2 * np.pi * self.variances))
        return np.where(self.variances > 0, result, 0.0)
