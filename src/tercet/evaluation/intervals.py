"""A number with its confidence interval; Wilson's and other intervals of proportions; Student's interval of a mean.

Rounded numbers never claim more than the number: 0.99996 is not shown as 1.000.
"""

import math
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, is_number

MAX_DIGITS = 7  # after the point, where fewer would show a number as 0 or 1 that is neither
NOISE = 1e-12  # a number that is nearer to 0 or 1 differs from it by rounding errors only
_FIXED = re.compile(r"([+]?)\.(\d+)([f%])")


def format_rounded(value: float, spec: str = ".3f", exact: tuple[int, ...] = (-1, 0, 1)) -> str:
    """The number with as many digits as `spec` says, or with more: only 0 and 1 themselves are shown as 0.000 and 1.000.

    `exact` has the numbers for which this holds. `spec` is a format such as ".3f", "+.3f" or ".1%"; any other is used as it is.

    >>> format_rounded(0.61549), format_rounded(0.99996), format_rounded(-0.00004), format_rounded(1.0)
    ('0.615', '0.99996', '-0.00004', '1.000')
    >>> format_rounded(0.99996, ".1%"), format_rounded(1 - 1e-9), format_rounded(1e-9)
    ('99.996%', '>0.9999999', '<0.0000001')
    >>> format_rounded(0.7045, ".10f"), format_rounded(1 - 1e-9, ".8f")
    ('0.7045000000', '>0.99999999')
    """
    parts = _FIXED.fullmatch(spec)
    nearest = round(value) if math.isfinite(value) else 2
    if not parts or nearest not in exact or abs(value - nearest) < NOISE:
        return f"{value:{spec}}"
    sign, digits, unit = parts.groups()
    n_percent_digits = 2 if unit == "%" else 0
    most_digits = max(int(digits), MAX_DIGITS)  # whoever asks for more gets more
    for n_digits in range(int(digits), most_digits + 1):
        if round(value, n_digits + n_percent_digits) != nearest:
            return f"{value:{sign}.{n_digits}{unit}}"
    step = math.copysign(10.0 ** -(most_digits + n_percent_digits), value)
    bound = step if nearest == 0 else nearest - step
    return f"{'<' if value < bound else '>'}{bound:{sign}.{most_digits}{unit}}"


PROPORTIONS = ("wald", "wilson", "clopper_pearson")
# With fewer gold documents of a label an interval that depends on it covers too rarely: see benchmarks/coverage.py.
MIN_CASES = 10
MIN_GROUPS, MIN_DOCUMENTS = 12, 30  # with fewer an interval, or the level of a test, is less reliable
ROUNDING = 1e-12  # a smaller standard error is a rounding error
NO_WIDTH = "Wald's interval has no width at 0 and 1, and says nothing there: take wilson"


@dataclass(frozen=True)
class Estimate:
    """A value and its confidence interval, which covers the true value in a share `confidence` of all samples.

    `note` says why the interval may be unreliable.

    >>> accuracy = Estimate(0.615, 0.58484, 0.64516, 0.95, "wald")
    >>> print(accuracy, f"{accuracy:.1%}", float(accuracy))
    0.615 [0.585, 0.645] 61.5% [58.5%, 64.5%] 0.615
    >>> print(Estimate(0.99999, 0.9, 1.0, 0.95, "wilson"), Estimate(1.07, 0.99999, 1.14, 0.95, "jackknife"))
    0.99999 [0.900, 1.000] 1.070 [1.000, 1.140]
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    note: str = ""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return format(self, ".3f")

    def __format__(self, spec: str) -> str:
        numbers = self.value, self.low, self.high
        is_share = all(abs(number) <= 1 for number in numbers)  # otherwise, as for a log loss, 1 is a number like others
        value, low, high = (format_rounded(each, spec or ".3f", (-1, 0, 1) if is_share else (0,)) for each in numbers)
        return f"{value} [{low}, {high}]"

    def add_note(self, note: str) -> "Estimate":
        """The same estimate with one more note."""
        return replace(self, note="; ".join(filter(None, [self.note, note])))

    def cut(self, bounds: tuple[float, float]) -> "Estimate":
        """The same estimate, with its interval cut at the bounds of the metric."""
        return replace(self, low=max(self.low, bounds[0]), high=min(self.high, bounds[1]))


def derive_level(confidence: float) -> float:
    """The level of a test that belongs to intervals of this confidence.

    >>> derive_level(0.95), derive_level(0.999)
    (0.05, 0.001)
    """
    return round(1 - confidence, 12)


def check_confidence(confidence: Any) -> float:
    if not is_number(confidence) or not 0 < confidence < 1:
        raise bad_option("confidence", "a number between 0 and 1", confidence, "it is a share of samples. 0.95 is usual.")
    return float(confidence)


def estimate_proportion(successes: float, n: float, confidence: float = 0.95, method: str = "wilson") -> Estimate:
    """successes / n with its interval, within 0 … 1; all NaN if n is 0.

    Fractions are allowed, for weighted documents: n is then the effective sample size (Σw)² / Σw², and successes are n times
    the weighted share.

    >>> print(estimate_proportion(615, 1000, method="wald"))
    0.615 [0.585, 0.645]
    """
    check_confidence(confidence)
    check_choice("method", method, PROPORTIONS)
    if not (is_number(successes) and is_number(n) and 0 <= successes <= n < math.inf):
        raise InvalidOption(f"{successes!r} successes of {n!r} are not a proportion: 0 <= successes <= n is needed.")
    if n == 0:
        return Estimate(math.nan, math.nan, math.nan, confidence, method, "undefined: there are no documents")
    low, high = _BOUNDS[method](float(successes), float(n), confidence)
    # Exactly 0 if nothing succeeds and exactly 1 if everything does, whatever the rounding.
    low, high = (0.0 if successes == 0 else max(low, 0.0)), (1.0 if successes == n else min(high, 1.0))
    note = NO_WIDTH if method == "wald" and successes in (0, n) else ""
    return Estimate(float(successes / n), low, high, confidence, method, note)


def wald(successes: float, n: float, confidence: float = 0.95) -> Estimate:
    """The normal interval p ± z √(p (1 - p) / n), cut at 0 and 1. It is too narrow near 0 and 1.

    >>> print(f"{wald(615, 1000):.5f}")
    0.61500 [0.58484, 0.64516]
    """
    return estimate_proportion(successes, n, confidence, "wald")


def wilson(successes: float, n: float, confidence: float = 0.95) -> Estimate:
    """All p that a normal test would not reject. It is good for any n, and the default.

    >>> print(wilson(0, 10))
    0.000 [0.000, 0.278]
    """
    return estimate_proportion(successes, n, confidence, "wilson")


def clopper_pearson(successes: float, n: float, confidence: float = 0.95) -> Estimate:
    """All p that the exact binomial test would not reject. It covers at least as often as it promises, often more.

    >>> print(clopper_pearson(0, 10))
    0.000 [0.000, 0.308]
    """
    return estimate_proportion(successes, n, confidence, "clopper_pearson")


def estimate_weighted_proportion(
    share: float, n: float, effective: float, confidence: float, method: str = "wilson"
) -> Estimate:
    """The interval of a weighted share that is as exact as that of n documents, with Student's quantile.

    `effective` is the effective size of the whole sample: it says how well the standard error is known.

    >>> print(estimate_weighted_proportion(0.9, n=50, effective=40, confidence=0.95))
    0.900 [0.782, 0.958]
    """
    from statistics import NormalDist

    level = NormalDist().cdf(compute_student_quantile((1 + confidence) / 2, max(effective, 1 + ROUNDING)))
    found = estimate_proportion(min(share, 1.0) * n, n, min(2 * level - 1, 1 - ROUNDING), method)
    return replace(found, value=share, confidence=confidence)


def estimate_student(value: float, error: float, n: float, confidence: float, bounds: tuple[float, float]) -> Estimate:
    """Student's interval of a mean of n numbers (or an effective number), from its standard error; cut at the bounds.

    >>> print(estimate_student(0.9, 0.05, n=5, confidence=0.95, bounds=(0.0, 1.0)))
    0.900 [0.761, 1.000]
    """
    width = compute_student_quantile((1 + confidence) / 2, n) * error
    return Estimate(value, max(value - width, bounds[0]), min(value + width, bounds[1]), confidence, "t")


def estimate_between(value: float, error: float, n: float, confidence: float, bounds: tuple[float, float]) -> Estimate:
    """Student's interval on the scale of log((value - low) / (high - value)), so that it stays within the bounds.

    If only the low bound is finite, the scale is log(value - low); if none is, the scale is that of the value.

    >>> print(estimate_between(0.9, 0.05, n=5, confidence=0.95, bounds=(0.0, 1.0)))
    0.900 [0.658, 0.977]
    >>> print(estimate_between(0.9, 0.05, n=5, confidence=0.95, bounds=(0.0, math.inf)))
    0.900 [0.771, 1.050]
    """
    low, high = bounds
    below, above = value - low, high - value
    if not error > ROUNDING or not (below > 0 and above > 0):
        return Estimate(value, value, value, confidence, "logit", "all units are alike: the width is unknown, not 0")
    if not n > 1:
        return Estimate(value, low, high, confidence, "logit", "no interval: it needs at least two documents or groups")
    width = compute_student_quantile((1 + confidence) / 2, n) * error
    if math.isinf(low):
        return Estimate(value, value - width, value + width, confidence, "t")
    if math.isinf(high):
        sides = [low + below * _exp(side * width / below) for side in (-1, 1)]
        return Estimate(value, sides[0], sides[1], confidence, "log")
    width *= 1 / below + 1 / above
    sides = [low + (high - low) / (1 + above / below * _exp(-side * width)) for side in (-1, 1)]
    return Estimate(value, min(sides[0], value), max(sides[1], value), confidence, "logit")


def _exp(power: float) -> float:
    return math.exp(min(power, 700))  # a larger power would overflow; 1 / exp(700) is 0 for all that is shown


def note_rare_labels(labels: npt.NDArray[Any], n_gold: npt.ArrayLike, fewest: int = MIN_CASES) -> str:
    """A note for a metric that depends on every label, if some have few gold documents; otherwise an empty string.

    Labels without any gold document do not count: the metric is undefined for them, or leaves them out.

    >>> note_rare_labels(np.array(["ham", "spam"]), [494, 6])
    "unreliable: rests on few gold documents of 'spam' (6)"
    """
    counts = np.asarray(n_gold)
    (rare,) = np.nonzero((counts > 0) & (counts < fewest))
    if not len(rare):
        return ""
    names = labels[rare[:3]].tolist()
    shown = ", ".join(f"{name!r} ({count:g})" for name, count in zip(names, counts[rare[:3]], strict=True))
    more = f" and {len(rare) - 3} more labels" if len(rare) > 3 else ""
    return f"unreliable: rests on few gold documents of {shown}{more}"


def compute_student_quantile(share: float, n: float) -> float:
    """The quantile of Student's t of the mean of n numbers, or of an effective number.

    >>> round(compute_student_quantile(0.975, 13), 3)
    2.179
    """
    from scipy.special import stdtrit

    return float(stdtrit(n - 1, share))


def note_small_sample(n_groups: int, effective: float, *, is_weighted: bool) -> str:
    """A note if there are few groups, or few documents (or few effective ones); otherwise an empty string.

    >>> note_small_sample(6, 80.0, is_weighted=False), note_small_sample(0, 17.2, is_weighted=True)
    ('unreliable: only 6 groups', 'unreliable: only 17 effective documents, by their weights')
    """
    if n_groups:
        return f"unreliable: only {n_groups} group{'s' * (n_groups > 1)}" if n_groups < MIN_GROUPS else ""
    if effective >= MIN_DOCUMENTS:
        return ""
    if is_weighted:
        return f"unreliable: only {effective:.0f} effective documents, by their weights"
    return f"unreliable: only {effective:.0f} document{'s' * (effective > 1)}"


def compute_quantile(share: float) -> float:
    """z with P(Z < z) = share for a standard normal Z.

    >>> round(compute_quantile(0.975), 4)
    1.96
    """
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def _wald_bounds(successes: float, n: float, confidence: float) -> tuple[float, float]:
    p, z = successes / n, compute_quantile((1 + confidence) / 2)
    width = z * math.sqrt(p * (1 - p) / n)
    return p - width, p + width


def _wilson_bounds(successes: float, n: float, confidence: float) -> tuple[float, float]:
    p, z = successes / n, compute_quantile((1 + confidence) / 2)
    middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    width = z * math.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    return middle - width, middle + width


def _clopper_pearson_bounds(successes: float, n: float, confidence: float) -> tuple[float, float]:
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = betaincinv(successes, n - successes + 1, tail) if successes > 0 else 0.0
    high = betaincinv(successes + 1, n - successes, 1 - tail) if successes < n else 1.0
    return float(low), float(high)


_BOUNDS = {"wald": _wald_bounds, "wilson": _wilson_bounds, "clopper_pearson": _clopper_pearson_bounds}
