"""Differences of two independent proportions: score intervals and tests that keep their level for samples of any two sizes.

The score statistic of Miettinen and Nurminen (1985) with the correction for skewness of Gart and Nam (1990). Without the
correction, a small sample beside a large one has errors on one side mostly: see benchmarks/audit_coverage.py.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.evaluation.intervals import FEWEST, FEWEST_DOCUMENTS, find_quantile
from tercet.evaluation.significance import POWER

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


def find_p_values(pairs: ProportionPairs) -> Floats:
    """The two-sided p-value of each pair, if both proportions are the same. It agrees with `find_bounds`."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(score_differences(pairs, np.zeros(len(pairs.n))))))


def find_bounds(pairs: ProportionPairs, confidence: float) -> tuple[Floats, Floats]:
    """The lowest and the highest true difference that the test does not reject.

    >>> pairs = ProportionPairs(*np.array([[9.0], [20.0], [2000.0], [20000.0]]))
    >>> np.round(find_bounds(pairs, 0.95), 3).ravel()
    array([0.149, 0.565])
    """
    quantile, middle = find_quantile((1 + confidence) / 2), pairs.differences
    low = find_boundary(lambda true: score_differences(pairs, true) > quantile, np.full(len(middle), -1.0), middle)
    high = find_boundary(lambda true: score_differences(pairs, true) < -quantile, np.full(len(middle), 1.0), middle)
    return low, high


def find_detectable(errors: ProportionPairs, level: float, power: float = POWER) -> Floats:
    """The smallest increase of the first rate of errors that a test at this level finds with this power; NaN if there is none.

    Planned with the rate of all documents, (errors + ½) / (documents + 1): with it, rates of 0 can be planned with, too.

    >>> errors = ProportionPairs(*np.array([[0.0, 0.0], [20.0, 2000.0], [0.0, 0.0], [20.0, 2000.0]]))
    >>> find_detectable(errors, 0.05).round(3)
    array([0.292, 0.003])
    """
    _, n, _, n_others = errors
    rate = find_common_rate(errors)
    quantile, reserve, zero = find_quantile(1 - level / 2), find_quantile(power), np.zeros(len(n))

    def is_missed(increase: Floats) -> Flags:
        # The rates that are so near to each other in one of five samples: each moves by its share in the variance.
        variances = _vary(rate + increase) / n, _vary(rate) / n_others
        step = reserve / np.sqrt(np.maximum(sum(variances), 1e-300))
        first, second = rate + increase - step * variances[0], rate + step * variances[1]
        return np.asarray(score_differences(ProportionPairs(n * first, n, n_others * second, n_others), zero) < quantile)

    found = find_boundary(is_missed, np.zeros(len(n)), 1 - rate)
    return np.where(is_missed(found), np.nan, found)


def find_common_rate(pairs: ProportionPairs) -> Floats:
    """The proportion of both samples together, with half a success and half a failure in addition."""
    return np.asarray((pairs.successes + pairs.others + 0.5) / (pairs.n + pairs.n_others + 1))


def are_few(pairs: ProportionPairs) -> tuple[Flags, Flags]:
    """Whether the first sample is too small for a reliable interval, and whether the second is.

    It has fewer than 30 documents, or fewer than ten successes or failures are expected in it, if both samples are alike.
    """
    rate = find_common_rate(pairs)
    fewest = np.maximum(FEWEST / np.minimum(rate, 1 - rate), FEWEST_DOCUMENTS)
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


def find_boundary(is_outside: Callable[[Floats], Flags], outer: Floats, inner: Floats) -> Floats:
    """Where a condition that holds near `outer` stops to hold on the way to `inner`."""
    for _ in range(N_HALVINGS):
        middle = (outer + inner) / 2
        is_out = is_outside(middle)
        outer, inner = np.where(is_out, middle, outer), np.where(is_out, inner, middle)
    return np.asarray(inner)
