"""Moments → the normal distribution of each label, and its density."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.exact_sums import SCALE, ExactSums, divide
from tercet.counts.label_moments import LabelMoments
from tercet.errors import InvalidMatrix


@dataclass(frozen=True)
class Normals:
    """The normal distribution of each label: covariance = diag(scales) · factor · factorᵀ · diag(scales)."""

    means: Floats  # labels × columns
    rests: Floats  # what the rounding of the means left
    covariances: Floats
    scales: Floats  # labels × columns: standard deviations
    factors: Floats | None  # labels × columns × columns: lower triangles; None where columns are independent

    @classmethod
    def of(cls, moments: LabelMoments, shared: bool, ddof: int, shrinkage: float | None) -> Self:
        """Refused where a covariance is singular."""
        means, rests = find_means(moments)
        _check_sizes(moments, shared, ddof)
        covariances = (pool_covariances if shared else find_covariances)(moments, ddof)
        with np.errstate(over="ignore"):
            covariances = covariances if shrinkage is None else shrink(covariances, shrinkage, moments.is_full)
        names = ["all labels together"] if shared else [f"the label {label!r}" for label in moments.labels.tolist()]
        parts = [decompose(C, name) for C, name in zip(covariances, names, strict=True)]
        shape = means.shape
        scales = np.broadcast_to(np.stack([scale for scale, _ in parts]), shape)
        factors = np.broadcast_to(np.stack([f for _, f in parts]), (*shape, shape[1])) if moments.is_full else None
        return cls(means, rests, covariances[0] if shared else covariances, scales, factors)

    def log_density(self, X: Floats) -> Floats:
        scores = np.empty((len(X), len(self.means)))
        for label, scale in enumerate(self.scales):
            with np.errstate(over="ignore", invalid="ignore"):
                # Both parts of the mean: far from 0 its rounding alone would move every point.
                z = (X - self.means[label] - self.rests[label]) / scale
                log_volume = np.log(scale).sum() + 0.5 * len(scale) * math.log(2 * math.pi)
                if self.factors is not None:
                    z = _solve(self.factors[label], z)
                    log_volume += np.log(np.diag(self.factors[label])).sum()
                scores[:, label] = -0.5 * (z * z).sum(axis=1) - log_volume
        return np.where(np.isnan(scores), -np.inf, scores)  # no documents, or ∞ - ∞ far away

    def draw(self, z: Floats, codes: npt.NDArray[np.int64]) -> Floats:
        """Points of the labels in `codes`, made of standard normal numbers."""
        if self.factors is not None:
            z = z.copy()
            for label in np.unique(codes):
                z[codes == label] = z[codes == label] @ self.factors[label].T
        return self.means[codes] + self.scales[codes] * z


def find_means(moments: LabelMoments) -> tuple[Floats, Floats]:
    """The mean of each column under each label as two floats, the nearest and the rest."""
    n, sums = moments.n.units[:, None], moments.sums.units
    means = divide(sums, n)
    nearest = ExactSums.zeros(means.shape).add(np.nan_to_num(means)[None]).units
    return means, divide(sums * SCALE - nearest * n, n * SCALE)


def find_covariances(moments: LabelMoments, ddof: int) -> Floats:
    """Those of each label, rounded once."""
    n = moments.n.units.reshape((-1,) + (1,) * (moments.products.units.ndim - 1))
    return divide(moments.scatter(), n * (n - ddof * SCALE))


def pool_covariances(moments: LabelMoments, ddof: int) -> Floats:
    """The one that all labels share, rounded once: Σ (Σxxᵀ - Σx Σxᵀ / n) / (Σ n - ddof · labels)."""
    seen = np.flatnonzero(moments.n.units)
    n, scatter = moments.n.units[seen], moments.scatter()[seen]
    common = math.lcm(*n)
    total = (scatter * (common // n)[:, None, None]).sum(axis=0)
    return divide(total, np.asarray(common * (sum(n) - len(seen) * ddof * SCALE), object))[None]


def shrink(covariances: Floats, share: float, full: bool) -> Floats:
    """(1 - s) C + s mean(diag C) I."""
    variances = np.diagonal(covariances, axis1=1, axis2=2) if full else covariances
    mean = variances.mean(axis=1, keepdims=True)
    target = mean[:, :, None] * np.eye(variances.shape[1]) if full else mean
    return np.asarray((1 - share) * covariances + share * target, np.float64)


def decompose(covariance: Floats, name: str) -> tuple[Floats, Floats]:
    """Standard deviations and the Cholesky factor of the correlations; of a row of variances the latter is empty."""
    variances = covariance if covariance.ndim == 1 else np.diag(covariance)
    if np.isnan(variances).all():  # no documents
        return variances, covariance
    if not np.isfinite(covariance).all():
        raise InvalidMatrix(f"the covariance of {name} is too large for a float64: divide the columns by a large number.")
    flat = np.flatnonzero(variances <= 0)
    if len(flat) == len(variances):
        raise InvalidMatrix(
            f"the covariance of {name} is 0: no column varies, as with one document (n_samples=1), and not even shrinkage "
            "can tell how wide the normal distribution is. Learn more documents."
        )
    if len(flat):
        raise _singular(name, f"column {flat[0]} (counted from 0) has variance 0")
    scales = np.sqrt(variances)
    if covariance.ndim == 1:
        return scales, np.empty(0)
    correlations = covariance / scales[:, None] / scales
    if np.linalg.matrix_rank(correlations, hermitian=True) < len(scales):
        raise _singular(name, "a column follows from the others, or there are too few documents")
    return scales, np.asarray(np.linalg.cholesky(correlations), np.float64)


def _solve(factor: Floats, z: Floats) -> Floats:
    """factor⁻¹ z for each row. No BLAS: it would round a row by how many others there are."""
    solved = np.empty_like(z)
    for j in range(z.shape[1]):
        solved[:, j] = (z[:, j] - (solved[:, :j] * factor[j, :j]).sum(axis=1)) / factor[j, j]
    return solved


def _singular(name: str, why: str) -> InvalidMatrix:
    return InvalidMatrix(
        f"the covariance of {name} is singular: {why}, so the normal distribution has no density. "
        "Drop such columns, learn more documents or set shrinkage, for example 0.01."
    )


def _check_sizes(moments: LabelMoments, shared: bool, ddof: int) -> None:
    n = moments.n.units
    seen = np.flatnonzero(n)
    if shared:
        few = ["all labels together"] if len(seen) and sum(n) <= len(seen) * ddof * SCALE else []
    else:
        few = [f"the label {moments.labels.tolist()[place]!r}" for place in seen if n[place] <= ddof * SCALE]
    if few:
        raise InvalidMatrix(f"too few documents for the covariance of {few[0]} with ddof={ddof}: use ddof=0, or learn more.")
