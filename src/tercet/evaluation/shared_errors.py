"""Do two systems err on the same documents more often than independent systems would? An exact test."""

import math
from typing import NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers


class SharedErrors(NamedTuple):
    """On how many of n documents both systems are wrong, how many are expected of independent systems, and the p-value."""

    n: int
    n_both: int
    expected: float
    p_value: float


def compare_errors(gold: Integers, is_wrong: Flags, is_other_wrong: Flags) -> SharedErrors:
    """The test whether both are wrong together too often. It is one-sided, and conditional on the errors of each label.

    Systems are independent here if each label has its own error rates, and errors coincide only by chance within a label. Then
    the number of common errors of a label has a hypergeometric distribution, and their sum is convolved exactly.

    >>> wrong = np.array([True, True, True] + [False] * 17)
    >>> compare_errors(np.zeros(20, np.int64), wrong, wrong)
    SharedErrors(n=20, n_both=3, expected=0.45, p_value=0.000877...)
    >>> compare_errors(np.zeros(20, np.int64), wrong, ~wrong).p_value
    1.0
    """
    total, expected = np.ones(1), 0.0
    for label in np.unique(gold):
        own = gold == label
        n, a, b = int(own.sum()), int(is_wrong[own].sum()), int(is_other_wrong[own].sum())
        expected += a * b / n
        total = np.convolve(total, _list_chances(n, a, b))
    n_both = int((is_wrong & is_other_wrong).sum())
    return SharedErrors(len(gold), n_both, expected, min(1.0, math.fsum(total[n_both:].tolist())))


def _list_chances(n: int, a: int, b: int) -> Floats:
    """P(x) for x = 0, 1, … common members of two random subsets of n that have a and b members."""
    counts = range(min(a, b) + 1)
    return np.array([math.exp(_choose(a, x) + _choose(n - a, b - x) - _choose(n, b)) for x in counts])


def _choose(n: int, k: int) -> float:
    """log of n over k; -inf if there is no such subset."""
    if not 0 <= k <= n:
        return -math.inf
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
