"""Values of a metric on resamples → the interval: percentile, or corrected for bias and skew (BCa)."""

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.intervals import Estimate, find_quantile
from tercet.evaluation.resampling import Resampling

TIE = 1e-12  # sums in another order differ by less, and mean the same value


def estimate_accelerations(values: Floats, weights: Floats, n_units: int) -> Floats:
    """The skew of what one unit changes, for each metric: from its values without a unit, each standing for `weights` units.

    >>> estimate_accelerations(np.array([[1.0], [2.0]]), np.array([3.0, 1.0]), n_units=4)
    array([-0.09622504])
    """
    known = ~np.isnan(values)
    weight = np.where(known, weights[:, None], 0.0)
    filled = np.where(known, values, 0.0)
    change = np.where(known, (weight * filled).sum(axis=0) / np.maximum(weight.sum(axis=0), 1) - filled, 0.0)
    spread = (weight * change**2).sum(axis=0)
    # Where only a sample of the units was left out, the sums are those of a sample: the skew is the same, its share 1 / √n.
    sampled = np.sqrt(weight.sum(axis=0) / n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        accelerations = sampled * (weight * change**3).sum(axis=0) / (6 * spread**1.5)
    return np.where(np.isfinite(accelerations), accelerations, 0.0)


def make_estimates(values: Floats, replicates: Floats, accelerations: Floats, plan: Resampling) -> list[Estimate]:
    """One estimate for each metric, from its replicates (resamples × metrics); undefined resamples are left out, and named."""
    ordered = np.sort(replicates, axis=0)  # NaN comes last
    n_known = np.count_nonzero(~np.isnan(ordered), axis=0)
    return [
        _make_one(float(value), ordered[:n, k], float(accelerations[k]), plan)
        for k, (value, n) in enumerate(zip(values, n_known, strict=True))
    ]


def _make_one(value: float, ordered: Floats, acceleration: float, plan: Resampling) -> Estimate:
    notes, tie = [], TIE * max(1.0, abs(value))
    if len(ordered) < plan.resamples:
        notes.append(f"undefined in {plan.resamples - len(ordered)} of {plan.resamples} resamples, which are left out")
    if np.isnan(value) or not len(ordered):
        return Estimate(value, np.nan, np.nan, plan.confidence, plan.method, "; ".join(["undefined", *notes]))
    n_lost = len(notes)
    if ordered[-1] - ordered[0] <= tie and abs(value - ordered[0]) <= tie:
        notes.append("all resamples are equal: the width is unknown, not 0")
        return Estimate(value, value, value, plan.confidence, plan.method, "; ".join(notes))
    method, levels = plan.method, ((1 - plan.confidence) / 2, (1 + plan.confidence) / 2)
    if method == "bca":
        corrected = _correct_levels(value, ordered, acceleration, plan.confidence)
        if corrected is None:
            method = "percentile"
            notes.append("percentile instead of BCa, which is undefined: the resamples are too skewed or all to one side")
        levels = corrected or levels
    low, high = np.quantile(ordered, levels).tolist()
    if not low - tie <= value <= high + tie:
        method, (low, high) = "spread", _spread_around(value, ordered, plan.confidence)
        lean = f"{float(np.median(ordered)) - value:+.3g}"
        notes = [
            *notes[:n_lost],
            f"the resamples lean by {lean}: the interval holds their spread around the value, and this lean",
        ]
    return Estimate(value, min(low, value), max(high, value), plan.confidence, method, "; ".join(notes))


def _spread_around(value: float, ordered: Floats, confidence: float) -> tuple[float, float]:
    """Where the value lies beside its resamples, as that of many labels with a document or two: resamples lose such labels.

    The sample may have lost some of the population's in the same way, so the truth may be off by as much to the other side; or
    it may have none to lose. The interval holds both cases: the resamples moved to the value, and their mirror image.

    >>> low, high = _spread_around(0.7, np.array([0.5, 0.6, 0.65]), confidence=0.98)
    >>> print(f"{low:.3f} {high:.3f}")
    0.602 0.898
    """
    low, middle, high = np.quantile(ordered, [(1 - confidence) / 2, 0.5, (1 + confidence) / 2]).tolist()
    lows, highs = (value - middle + low, 2 * value - high), (value - middle + high, 2 * value - low)
    return min(lows), max(highs)


def _correct_levels(value: float, ordered: Floats, acceleration: float, confidence: float) -> tuple[float, float] | None:
    from statistics import NormalDist

    tie = TIE * max(1.0, abs(value))
    below, within = np.searchsorted(ordered, value - tie, "left"), np.searchsorted(ordered, value + tie, "right")
    share = (below + within) / (2 * len(ordered))  # half of the ties
    if not 0 < share < 1:
        return None
    bias, z = find_quantile(share), find_quantile((1 + confidence) / 2)
    shifted = np.array([bias - z, bias + z])
    if np.any(acceleration * shifted >= 1):
        return None
    low, high = (NormalDist().cdf(level) for level in (bias + shifted / (1 - acceleration * shifted)).tolist())
    return low, high
