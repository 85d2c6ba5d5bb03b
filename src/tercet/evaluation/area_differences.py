"""Differences of two areas under ROC curves, which may share documents: DeLong's variances, on the scale of log-odds.

Each document changes the areas by its influences (see jackknife.py), so documents that count for both areas are considered.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.cached import cached_property
from tercet.evaluation.intervals import FEWEST, ROUNDING, Estimate, estimate_between, find_quantile, find_student_quantile
from tercet.evaluation.jackknife import Ranking, measure_area
from tercet.evaluation.proportion_differences import find_boundary
from tercet.evaluation.significance import POWER

FEW = f"unreliable: too few documents (the smallest number of a kind, times 1 - AUC of all documents, is below {FEWEST})"
FIRST_ONLY, SECOND_ONLY = 1, 2  # the areas that documents count for
NO_WIDTH = "no interval: these documents do not show how much the area varies"


@dataclass(frozen=True)
class AreaPair:
    """Two areas of the same ranking: that of the documents in `first`, and that of the documents in `second`.

    `rank` is the rank of each document by the probability of a label, and `is_own` says which documents have the label. Each
    document counts for one of the areas or for both.
    """

    rank: Integers
    is_own: Flags
    first: Flags
    second: Flags

    @classmethod
    def of(cls, rank: Integers, is_own: Flags, first: Flags, second: Flags) -> "AreaPair":
        """The same of any documents: those that count for neither area are left out."""
        counted = np.flatnonzero(first | second)
        return cls(rank[counted], is_own[counted], first[counted], second[counted])

    @property
    def areas(self) -> tuple[float, float]:
        """NaN if no document has the label, or all have it."""
        (first, _), (second, _) = self._measured
        return first, second

    def estimate(self, confidence: float) -> tuple[Estimate, Estimate]:
        """The two areas with Student's interval on the scale of log-odds.

        >>> numbers = np.arange(80)
        >>> pair = AreaPair.of(numbers, numbers % 7 > 3, numbers < 40, numbers >= 40)
        >>> print(*pair.estimate(0.95))
        0.531 [0.345, 0.710] 0.460 [0.282, 0.649]
        """
        return self._estimate_one(0, confidence), self._estimate_one(1, confidence)

    def compare(self, confidence: float) -> tuple[Estimate, float]:
        """The first area minus the second with its interval, and the p-value if both are the same; NaN if it is unreliable.

        Log-odds are compared. Their interval becomes an interval of areas by moving each area as far as it is uncertain. So it
        excludes 0 if and only if p < 1 - confidence.
        """
        first, second = self.areas
        value = first - second
        if not self._has_variances:
            note = "undefined" if math.isnan(value) else NO_WIDTH
            return Estimate(value, math.nan, math.nan, confidence, "logit", note), math.nan
        from scipy.special import stdtr

        slopes = np.array([1 / _vary(first), -1 / _vary(second)])
        error, freedom = self._find_error(slopes)
        logits = _find_logit(first), _find_logit(second)
        width = find_student_quantile((1 + confidence) / 2, freedom + 1) * error
        low, high = (self._find_bound(logits, step, slopes, width / error) for step in (-width, width))
        estimate = Estimate(value, low, high, confidence, "logit", FEW if self.is_few else "")
        p_value = 2 * float(stdtr(freedom, -abs(logits[0] - logits[1]) / error))
        return estimate, math.nan if self.is_few else p_value

    @cached_property
    def is_few(self) -> bool:
        """Whether so few documents would be ranked wrongly, if both areas are alike, that test and interval are unreliable."""
        return self._are_few(self._sizes[self._sizes > 0])

    def _are_few(self, sizes: Integers) -> bool:
        # By the area of all documents: a rule by the area itself would leave out samples where it happens to be high.
        area, _ = self._plan
        return bool(sizes.min() * min(area, 1 - area) < FEWEST)

    def find_detectable(self, level: float, power: float = POWER) -> float:
        """By how much the first area must be below the second, so that the test at this level finds it with this power.

        Planned with the area of all documents together. NaN if no difference is found so, or if the areas are not tested.
        """
        area, squares = self._plan
        if math.isnan(area) or self.is_few:
            return math.nan
        first, second = (self._plan_variances(squares, kind) for kind in (FIRST_ONLY, SECOND_ONLY))
        parts = np.concatenate([first, second])
        freedom = parts.sum() ** 2 / (parts**2 / np.maximum(np.tile(self._sizes, 2) - 1, 1)).sum()
        needed = find_student_quantile(1 - level / 2, freedom + 1) + find_quantile(power)

        def is_missed(decrease: Floats) -> Flags:
            lower = area - decrease
            larger = _vary_shares(lower) / _vary_shares(area)
            variance = first.sum() * larger / _vary(lower) ** 2 + second.sum() / _vary(area) ** 2
            return np.asarray(_find_logit(area) - _find_logit(lower) < needed * np.sqrt(variance))

        # At most down to the area of the opposite ranking.
        found = find_boundary(is_missed, np.zeros(1), np.array([max(2 * area - 1, area / 2)]))
        return float(np.where(is_missed(found), np.nan, found)[0])

    def _plan_variances(self, squares: Floats, kind: int) -> Floats:
        """By how much each cell of documents that count for one area only makes it vary. Shared documents change both alike."""
        places = np.arange(8)
        is_counted = (self._sizes > 0) & (places // 2 == kind)
        return np.where(is_counted, squares[places % 2] / np.maximum(self._sizes, 1), 0.0)

    @cached_property
    def _cells(self) -> Integers:
        """Documents that are drawn alike: with the label or without, and counted for the same areas."""
        return np.asarray(self.is_own + 2 * self.first + 4 * self.second, np.int64)

    @cached_property
    def _sizes(self) -> Integers:
        """The number of documents in each cell."""
        return np.bincount(self._cells, minlength=8)

    @cached_property
    def _measured(self) -> list[tuple[float, Floats]]:
        return [self._measure(self.first), self._measure(self.second)]

    def _measure(self, is_counted: Flags) -> tuple[float, Floats]:
        """The area, and by how much each document changes it."""
        if not is_counted.any():
            return math.nan, np.full(len(self.rank), math.nan)
        weights = is_counted.astype(np.float64)
        area, influences = measure_area(Ranking(self.rank, self.is_own, weights))
        n_own = int((self.is_own & is_counted).sum())
        if n_half_pairs := 2 * n_own * (int(is_counted.sum()) - n_own):
            area = round(area * n_half_pairs) / n_half_pairs  # without rounding errors, so that equal areas differ by 0
        return area, influences * weights / weights.sum()

    @cached_property
    def _variances(self) -> Floats:
        """By how much each cell of documents makes the two areas vary: cells × 2 × 2."""
        changes = [changes for _, changes in self._measured]
        products = np.array([[np.bincount(self._cells, a * b, 8) for a in changes] for b in changes])
        return np.moveaxis(products * _inflate(self._sizes), -1, 0)

    @property
    def _has_variances(self) -> bool:
        if not all(0 < area < 1 for area in self.areas) or (self._sizes == 1).any():
            return False
        return all(self._find_error(np.array(factors))[0] > ROUNDING for factors in ((1.0, 0.0), (0.0, 1.0), (1.0, -1.0)))

    @cached_property
    def _plan(self) -> tuple[float, Floats]:
        """The area of all documents, and the variance of the share of documents that each document is ranked rightly against.

        The shares are those of documents without the label, and of documents with the label. If no share varies, because all
        probabilities are equal, the variance is that of normal scores.
        """
        area, changes = self._measure(np.ones(len(self.rank), np.bool_))
        if math.isnan(area):
            return area, np.full(2, math.nan)
        sizes = np.bincount(self.is_own, minlength=2)
        squares = np.bincount(self.is_own, changes**2, 2) * sizes * _inflate(sizes)
        return area, np.where(squares > ROUNDING, squares, _vary_shares(area))

    def _estimate_one(self, place: int, confidence: float) -> Estimate:
        area = self.areas[place]
        if math.isnan(area):
            return Estimate(area, area, area, confidence, "logit", "undefined: it needs documents with and without the label")
        error, freedom = self._find_error(np.eye(2)[place])
        sizes = np.bincount(self.is_own[(self.first, self.second)[place]], minlength=2)
        estimate = estimate_between(area, error, freedom + 1, confidence, (0.0, 1.0))
        return estimate.add_note(FEW) if self._are_few(sizes) else estimate

    def _find_error(self, factors: Floats) -> tuple[float, float]:
        """The standard error of a weighted sum of the two areas, and its degrees of freedom, by Satterthwaite."""
        parts = np.einsum("i,cij,j->c", factors, np.nan_to_num(self._variances), factors)
        squares = float((parts**2 / np.maximum(self._sizes - 1, 1)).sum())
        return math.sqrt(parts.sum()), float(parts.sum() ** 2 / squares) if squares > 0 else 1.0

    def _find_bound(self, logits: tuple[float, float], step: float, slopes: Floats, quantile: float) -> float:
        """A bound of the difference of areas, from a bound of the difference of log-odds, which is a step away.

        The share of the step that the second area makes is its share in the uncertainty. Then the level of both areas does not
        depend on their difference. The level is uncertain, too, and changes the difference of areas, unless they are equal.
        """
        covariance = slopes[:, None] * self._variances.sum(axis=0) * slopes
        share = float(covariance[1].sum() / covariance.sum())
        first, second = _find_area(logits[0] + (1 - share) * step), _find_area(logits[1] - share * step)
        level_error = math.sqrt(max(covariance[1, 1] - share**2 * covariance.sum(), 0))
        by_level = quantile * level_error * (_vary(first) - _vary(second))
        value = _find_area(logits[0]) - _find_area(logits[1])
        return float(value + math.copysign(math.hypot(first - second - value, by_level), step))


def _inflate(sizes: Integers) -> Floats:
    """n / (n - 1): a sample varies less than what it was drawn from. One document does not tell how much it varies."""
    n = np.maximum(sizes, 2)
    return np.asarray(n / (n - 1))


def _vary(area: Any) -> Any:
    return area * (1 - area)


def _vary_shares(area: Any) -> Any:
    """The variance of the share of documents that a document is ranked rightly against, if scores are normal: within 3 %."""
    return (4 * _vary(area)) ** 1.3 / 12


def _find_logit(area: Any) -> Any:
    return np.log(area / (1 - area))


def _find_area(logit: float) -> float:
    return float(1 / (1 + np.exp(-logit)))
