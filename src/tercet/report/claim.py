"""What may be said of a difference, in one sentence."""

import math

from tercet.evaluation.intervals import Estimate
from tercet.evaluation.sample_size import LEVEL
from tercet.evaluation.systems import ComparedPair
from tercet.report.characters import show_line

OWN_SCALE = ("mcc", "kappa")  # correlations, of which nobody speaks in points


def write_claim(pair: ComparedPair, metric: str, unit: str = "documents", level: float = LEVEL) -> str:
    """Better by so much, if p is below the level; else how many documents it would take.

    >>> from tercet.evaluation.significance import Difference
    >>> shown = Difference(Estimate(0.018, 0.009, 0.027, 0.95, "bca"), 0.0004, "randomization", 900)
    >>> write_claim(ComparedPair("a", "b", shown, 0.0004), "accuracy")
    'a is better than b by 1.8 points of accuracy, 95 % interval 0.9 to 2.7, p = 0.0004'
    >>> unclear = Difference(Estimate(-0.01, -0.03, 0.01, 0.95, "bca"), 0.4, "randomization", 12_345)
    >>> write_claim(ComparedPair("a", "b", unclear, 0.4), "accuracy")
    'no difference in accuracy between a and b shown (-1.0 points, 95 % interval -3.0 to 1.0, p = 0.4); to show one of this
     size you would need about 12000 documents'
    """
    estimate, p = pair.difference.estimate, pair.adjusted_p
    first, second = show_line(pair.first), show_line(pair.second)
    if math.isnan(estimate.value) or math.isnan(p):
        return f"{metric} is undefined for {first} or {second}: nothing can be said"
    if p < level and pair.difference.test == "textbook_bootstrap" and estimate.value <= 0:
        p = 1.0  # that test asks only whether the first is better
    if p >= level:
        needed = pair.difference.n_needed
        remedy = f"; to show one of this size you would need about {round_roughly(needed)} {unit}" if needed else ""
        size = _show_size(estimate, metric, estimate.value)
        return f"no difference in {metric} between {first} and {second} shown ({size}, p = {show_p(p)}){remedy}"
    if estimate.value < 0:
        first, second = second, first
        low, high = -estimate.high, -estimate.low
        estimate = Estimate(-estimate.value, low, high, estimate.confidence, estimate.method)
    points = _show_size(estimate, metric, estimate.value, of=f" of {metric}")
    return f"{first} is better than {second} by {points}, p = {show_p(p)}"


def show_p(p: float) -> str:
    """
    >>> show_p(0.69), show_p(0.00039996), show_p(1.0), show_p(0.04996)
    ('0.69', '0.0004', '1', '0.04996')
    """
    if math.isnan(p):
        return "–"
    short = f"{p:.2g}"
    return short if (float(short) < LEVEL) == (p < LEVEL) else f"{p:.4g}"  # never rounded across the level


def round_roughly(n: int) -> int:
    """Two digits that count: more would pretend to a precision that is not there.

    >>> round_roughly(12_345), round_roughly(116), round_roughly(7)
    (12000, 120, 7)
    """
    return int(float(f"{n:.2g}"))


def _show_size(estimate: Estimate, metric: str, value: float, of: str = "") -> str:
    confidence = f"{100 * estimate.confidence:g} % interval"
    if metric in OWN_SCALE:
        return f"{value:.3f}{of}, {confidence} {estimate.low:.3f} to {estimate.high:.3f}"
    return f"{100 * value:.1f} points{of}, {confidence} {100 * estimate.low:.1f} to {100 * estimate.high:.1f}"
