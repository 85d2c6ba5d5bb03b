"""Differences of two independent proportions, and means of differences, with their intervals and tests.

Proportions: score intervals and tests that keep their level for samples of any two sizes. They are those of Miettinen and
Nurminen (1985) with the correction for skewness of Gart and Nam (1990). Without the correction, a small sample beside a large
one has errors on one side mostly: see benchmarks/audit_coverage.py.

Means of differences, one for each unit (a pair or a cell of texts): the symmetric bootstrap-t. Units are resampled, and each
resample has its t = (mean* - mean) / error*. The interval is mean ± the quantile of |t| times the error, and p is the share of
resamples with a larger |t| than mean / error. benchmarks/audit_coverage_pairs.py compares it with Student's t and sign
flipping: its coverage is nearer to the nominal one for skewed differences, and for differences of which many are 0. Where
coverage is off, the estimate has a note."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.evaluation.intervals import MIN_CASES, MIN_DOCUMENTS, Estimate, compute_quantile, estimate_student
from tercet.evaluation.resampling import DEFAULT, Resampling, cut_blocks
from tercet.evaluation.significance import POWER, adjust_holm

N_HALVINGS = 40  # of an interval that has a bound


class ProportionPairs(NamedTuple):
    """Pairs of proportions, in arrays: `successes` of `n`, and `others` of `n_others`. No n is 0."""

    successes: Floats
    n: Floats
    others: Floats
    n_others: Floats

    @property
    def differences(self) -> Floats:
        """The first proportion of each pair minus the second."""
        return np.asarray(self.successes / self.n - self.others / self.n_others)

    def flip(self) -> "ProportionPairs":
        """The failures in place of the successes."""
        return ProportionPairs(self.n - self.successes, self.n, self.n_others - self.others, self.n_others)


def score_differences(pairs: ProportionPairs, true: Floats) -> Floats:
    """How many standard errors the differences lie above true differences, corrected for skewness.

    >>> pairs = ProportionPairs(*np.array([[9.0, 5.0], [20.0, 20.0], [2000.0, 5.0], [20000.0, 20.0]]))
    >>> score_differences(pairs, np.array([0.0, 0.0])).round(2)
    array([3.84, 0.  ])
    """
    first, second = _fit_rates(pairs, true)
    n = pairs.n + pairs.n_others
    variance = (_vary(first) / pairs.n + _vary(second) / pairs.n_others) * n / (n - 1)
    third = _vary(first) * (1 - 2 * first) / pairs.n**2 - _vary(second) * (1 - 2 * second) / pairs.n_others**2
    distance = pairs.differences - true
    is_known = variance > 0
    error = np.sqrt(np.where(is_known, variance, 1.0))
    # Without variance a distance is impossible, but for rounding errors.
    score = np.where(is_known, distance / error, np.where(np.abs(distance) > 1e-9, np.sign(distance) * 1e9, 0.0))
    skewness = np.where(is_known, third / error**3 / 6, 0.0)
    # The root w of w + skewness (w² - 1) = score, in a form that does not divide by the skewness.
    shifted = score + skewness
    return np.asarray(2 * shifted / (1 + np.sqrt(np.maximum(1 + 4 * skewness * shifted, 0))))


def compute_p_values(pairs: ProportionPairs) -> Floats:
    """The two-sided p-value of each pair, if both proportions are the same. It agrees with `compute_bounds`."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(score_differences(pairs, np.zeros(len(pairs.n))))))


def compute_bounds(pairs: ProportionPairs, confidence: float) -> tuple[Floats, Floats]:
    """The lowest and the highest true difference that the test does not reject.

    >>> pairs = ProportionPairs(*np.array([[9.0], [20.0], [2000.0], [20000.0]]))
    >>> np.round(compute_bounds(pairs, 0.95), 3).ravel()
    array([0.149, 0.565])
    """
    quantile, middle = compute_quantile((1 + confidence) / 2), pairs.differences
    low = bisect_boundary(lambda true: score_differences(pairs, true) > quantile, np.full(len(middle), -1.0), middle)
    high = bisect_boundary(lambda true: score_differences(pairs, true) < -quantile, np.full(len(middle), 1.0), middle)
    return low, high


def compute_detectable(errors: ProportionPairs, level: float, power: float = POWER) -> Floats:
    """The smallest increase of the first rate of errors that a test at this level finds with this power; NaN if there is none.

    Planned with the rate of all documents, (errors + ½) / (documents + 1): with it, rates of 0 can be planned with, too.

    >>> errors = ProportionPairs(*np.array([[0.0, 0.0], [20.0, 2000.0], [0.0, 0.0], [20.0, 2000.0]]))
    >>> compute_detectable(errors, 0.05).round(3)
    array([0.292, 0.003])
    """
    _, n, _, n_others = errors
    rate = compute_common_rate(errors)
    quantile, reserve, zero = compute_quantile(1 - level / 2), compute_quantile(power), np.zeros(len(n))

    def is_missed(increase: Floats) -> Flags:
        # The rates that are so near to each other in one of five samples: each moves by its share in the variance.
        variances = _vary(rate + increase) / n, _vary(rate) / n_others
        step = reserve / np.sqrt(np.maximum(sum(variances), 1e-300))
        first, second = rate + increase - step * variances[0], rate + step * variances[1]
        return np.asarray(score_differences(ProportionPairs(n * first, n, n_others * second, n_others), zero) < quantile)

    found = bisect_boundary(is_missed, np.zeros(len(n)), 1 - rate)
    return np.where(is_missed(found), np.nan, found)


def compute_common_rate(pairs: ProportionPairs) -> Floats:
    """The proportion of both samples together, with half a success and half a failure in addition."""
    return np.asarray((pairs.successes + pairs.others + 0.5) / (pairs.n + pairs.n_others + 1))


def are_few(pairs: ProportionPairs) -> tuple[Flags, Flags]:
    """Whether the first sample is too small for a reliable interval, and whether the second is.

    It has fewer than 30 documents, or fewer than ten successes or failures are expected in it, if both samples are alike.
    """
    rate = compute_common_rate(pairs)
    fewest = np.maximum(MIN_CASES / np.minimum(rate, 1 - rate), MIN_DOCUMENTS)
    return np.asarray(pairs.n < fewest), np.asarray(pairs.n_others < fewest)


def _vary(rate: Floats) -> Floats:
    return np.asarray(rate * (1 - rate))


def _fit_rates(pairs: ProportionPairs, true: Floats) -> tuple[Floats, Floats]:
    """The most likely two proportions with this difference: a root of Miettinen and Nurminen's cubic equation."""
    successes, n, others, n_others = pairs
    total, both = n + n_others, successes + others
    a2 = (n + 2 * n_others) * true - total - both
    a1 = (n_others * true - total - 2 * others) * true + both
    a0 = others * true * (1 - true)
    q = a2**3 / (3 * total) ** 3 - a1 * a2 / (6 * total**2) + a0 / (2 * total)
    p = np.where(q < 0, -1, 1) * np.sqrt(np.maximum(a2**2 / (3 * total) ** 2 - a1 / (3 * total), 0))
    cosine = np.divide(q, p**3, out=np.zeros_like(q), where=p != 0)
    angle = (np.pi + np.arccos(np.clip(cosine, -1, 1))) / 3
    second = np.clip(2 * p * np.cos(angle) - a2 / (3 * total), np.maximum(0, -true), np.minimum(1, 1 - true))
    return np.clip(second + true, 0, 1), second


def bisect_boundary(is_outside: Callable[[Floats], Flags], outer: Floats, inner: Floats) -> Floats:
    """Where a condition that holds near `outer` stops to hold on the way to `inner`."""
    for _ in range(N_HALVINGS):
        middle = (outer + inner) / 2
        is_out = is_outside(middle)
        outer, inner = np.where(is_out, middle, outer), np.where(is_out, inner, middle)
    return np.asarray(inner)


ALIKE = 1e-9  # differences whose spread is a smaller share of their size differ by rounding errors only
MAX_RESAMPLED = 2000  # units: the mean of more has nearly a normal distribution, and Student's interval takes no time
# With fewer units, or with fewer units that differ from the median, coverage may be off. Neither looks at outliers: a note for
# samples with outliers would leave those without a note whose interval is too narrow because the outliers are missing.
MIN_UNITS = 100
MIN_APART = 30
MIN_RESAMPLES = 200  # for each test: with fewer, a p-value could never stay small after Holm's correction
METHOD = "bootstrap_t"


@dataclass(frozen=True)
class MeanDifference:
    """The mean with its interval, the p-value of the test that it is 0, its standard error and the number of units."""

    estimate: Estimate
    p_value: float
    error: float
    n: int

    def cut(self, bounds: tuple[float, float]) -> "MeanDifference":
        """The same with its interval cut at the bounds of a difference."""
        return replace(self, estimate=self.estimate.cut(bounds))

    def compute_detectable(self, level: float, power: float = POWER) -> float:
        """The smallest mean that a two-sided test at this level would show with this power; NaN if the spread is unknown.

        By the normal approximation, as if the mean had the spread of Student's t, which is unknown for three units or fewer.

        >>> round(MeanDifference(Estimate(0.1, 0.0, 0.2, 0.95, "bootstrap_t"), 0.06, 0.05, 20).compute_detectable(0.05), 3)
        0.148
        """
        if not (self.n > 3 and self.error > 0):
            return math.nan
        spread = math.sqrt((self.n - 1) / (self.n - 3))
        return (compute_quantile(1 - level / 2) + compute_quantile(power)) * spread * self.error


@dataclass(frozen=True)
class CorrectedDifference:
    """A mean difference whose p-value is corrected for all tests.

    `detectable` is the smallest true difference that so many units would show with 80 % power, at the level of the first step
    of Holm's correction. It is NaN if the differences of all units are equal.
    """

    estimate: Estimate
    p_value: float
    adjusted_p: float
    detectable: float

    @property
    def is_zero(self) -> bool:
        """Whether there is exactly no difference in any unit."""
        return self.estimate.value == self.estimate.low == self.estimate.high == 0


def correct_differences(found: Sequence[MeanDifference], level: float) -> list[CorrectedDifference]:
    """The differences with Holm's correction for all of them. `level` is that of all tests together."""
    adjusted = adjust_holm([each.p_value for each in found])
    level /= max(1, int(np.count_nonzero(~np.isnan(adjusted))))
    return [
        CorrectedDifference(each.estimate, each.p_value, p, each.compute_detectable(level))
        for each, p in zip(found, adjusted.tolist(), strict=True)
    ]


def plan_tests(n_tests: int, confidence: float, seed: int) -> Resampling:
    """The resamples for so many tests.

    >>> plan_tests(4, 0.95, 0).resamples, plan_tests(400, 0.95, 0).resamples
    (10000, 80000)
    """
    return Resampling(confidence, max(DEFAULT.resamples, MIN_RESAMPLES * n_tests), seed)


def estimate_means(differences: Floats, plan: Resampling = DEFAULT, unit: str = "cell") -> list[MeanDifference]:
    """The mean of each column of differences, units × columns. All columns have the same resamples.

    The sums are exact: a mean is 0 if the differences cancel each other, whatever their order. A column with NaN is undefined.

    >>> (found,) = estimate_means(np.array([[0.3], [0.1], [0.2], [0.4], [0.1], [0.2]]))
    >>> print(found.estimate, round(found.p_value, 3), found.estimate.note)
    0.217 [0.074, 0.359] 0.014 unreliable: only 6 cells
    """
    n, is_known = len(differences), [bool(np.isfinite(column).all()) for column in differences.T]
    if not all(is_known):
        known = iter(estimate_means(differences[:, is_known], plan, unit))
        return [next(known) if each else _leave_undefined(n, plan, unit) for each in is_known]
    means = np.array([math.fsum(column) / n for column in differences.T.tolist()])
    centred = differences - means
    deviations = np.sqrt((centred**2).sum(axis=0) / max(n - 1, 1))
    is_alike = deviations <= ALIKE * np.abs(differences).max(axis=0, initial=0.0)
    standardized = centred / np.where(is_alike, 1.0, deviations)
    sizes = _draw_sizes(standardized, plan) if n <= MAX_RESAMPLED else None
    found = []
    for k, (mean, deviation) in enumerate(zip(means.tolist(), deviations.tolist(), strict=True)):
        if n < 2 or is_alike[k]:
            found.append(_judge_alike(mean, n, plan, unit))
        else:
            judged = _judge(mean, deviation / math.sqrt(n), n, None if sizes is None else sizes[:, k], plan)
            found.append(_flag(judged, standardized[:, k], unit))
    return found


def _draw_sizes(standardized: Floats, plan: Resampling) -> Floats:
    """|t| of each resample and column. A resample without spread has an infinite |t|, or 0 if its mean is the mean itself."""
    n, rng = len(standardized), np.random.default_rng(plan.seed)
    found = []
    for start, end in cut_blocks(plan.resamples, 24 * n):
        drawn = rng.integers(0, n, size=(end - start, n)) + n * np.arange(end - start)[:, None]
        times = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        means = np.abs(times @ standardized / n)
        variances = (times @ standardized**2 - n * means**2) / max(n - 1, 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = means * math.sqrt(n) / np.sqrt(np.where(variances > ALIKE, variances, 0.0))
        found.append(np.nan_to_num(sizes, nan=0.0, posinf=np.inf))
    return np.concatenate(found)


def _judge(mean: float, error: float, n: int, sizes: Floats | None, plan: Resampling) -> MeanDifference:
    """By the |t| of the resamples, or by Student's t if there are none."""
    own = abs(mean) / error
    if sizes is None:
        from scipy.special import stdtr

        estimate = estimate_student(mean, error, n, plan.confidence, (-math.inf, math.inf))
        return MeanDifference(estimate, 2 * float(stdtr(n - 1, -own)), error, n)
    index = min(math.ceil(plan.confidence * (len(sizes) + 1)), len(sizes)) - 1
    width = float(np.partition(sizes, index)[index]) * error
    p_value = float((np.count_nonzero(sizes >= own) + 1) / (len(sizes) + 1))
    return MeanDifference(Estimate(mean, mean - width, mean + width, plan.confidence, METHOD), p_value, error, n)


def _leave_undefined(n: int, plan: Resampling, unit: str) -> MeanDifference:
    note = f"undefined: a {unit} has no finite difference"
    return MeanDifference(Estimate(math.nan, math.nan, math.nan, plan.confidence, METHOD, note), math.nan, math.nan, n)


def _judge_alike(mean: float, n: int, plan: Resampling, unit: str) -> MeanDifference:
    """All differences are equal: then only their number says something, and the sign test gives the p-value."""
    p_value = 1.0 if mean == 0 else max(2.0 ** (1 - n), 1 / (plan.resamples + 1))
    if n < 2:
        note = f"no interval: it needs at least two {unit}s"
        return MeanDifference(Estimate(mean, -math.inf, math.inf, plan.confidence, METHOD, note), p_value, math.nan, n)
    note = f"the differences of all {unit}s are equal: the width is unknown, not 0"
    return MeanDifference(Estimate(mean, mean, mean, plan.confidence, METHOD, note), p_value, 0.0, n)


def _flag(found: MeanDifference, centred: Floats, unit: str) -> MeanDifference:
    """The same with a note if so few units decide that the interval may cover too rarely or too often."""
    if found.n < MIN_UNITS:
        return replace(found, estimate=found.estimate.add_note(f"unreliable: only {found.n} {unit}s"))
    n_apart = int(np.count_nonzero(np.abs(centred - np.median(centred)) > ALIKE))
    if n_apart < MIN_APART:
        why = f"unreliable: {found.n - n_apart} of {found.n} {unit}s have the same difference"
        return replace(found, estimate=found.estimate.add_note(why))
    return found
