"""Bootstrap intervals of any metric: percentile, or corrected for bias and skewness (BCa).

Metrics of confusion matrices are resampled by cells (`bootstrap_metrics`), metrics of probabilities by the weights of
documents (`bootstrap_forecast`), any other function by documents (`bootstrap_documents`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate, compute_quantile
from tercet.evaluation.probabilities import ProbabilisticPredictions, ProbabilityMetric
from tercet.evaluation.resampling import (
    DEFAULT,
    ConfusionMetric,
    Resampling,
    SamplingUnits,
    cut_blocks,
    draw_with_replacement,
)

MAX_KINDS_LEFT_OUT = 2000  # from more kinds of units a sample is left out, one by one: enough to estimate the skewness
MAX_DOCUMENTS_LEFT_OUT = 1000  # the same for documents
TIE = 1e-12  # values that differ by less are equal: sums in another order differ by their last bits


# Metrics of confusion matrices


def bootstrap_metrics(units: SamplingUnits, metrics: ConfusionMetric, plan: Resampling = DEFAULT) -> list[Estimate]:
    """Several metrics with their intervals, all from the same resamples. `metrics` gives a row of values for each matrix.

    >>> def recalls(matrices):
    ...     return np.diagonal(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=-1)
    >>> print(*bootstrap_metrics(SamplingUnits.of_counts([[40, 10], [5, 45]]), recalls))
    0.800 [0.661, 0.896] 0.900 [0.786, 0.962]
    """
    return make_estimates(
        evaluate_total(units, metrics),
        draw_replicates(units, metrics, plan),
        measure_accelerations(units, metrics, plan),
        plan,
    )


def evaluate_total(units: SamplingUnits, metrics: ConfusionMetric) -> Floats:
    """The values of the metrics on all documents."""
    return np.asarray(metrics(units.total[None])[0], np.float64)


def draw_replicates(units: SamplingUnits, metrics: ConfusionMetric, plan: Resampling) -> Floats:
    """The values of the metrics on each resample: resamples × metrics."""
    return np.concatenate([metrics(matrices) for matrices in units.resample(plan.resamples, plan.seed)])


def measure_accelerations(units: SamplingUnits, metrics: ConfusionMetric, plan: Resampling) -> Floats:
    """BCa's acceleration of each metric, from its values when one unit is left out (the same for all units of a kind)."""
    weights = units.sizes
    if plan.method != "bca" or units.n_units == 1:  # without its only unit nothing is left
        return np.zeros(len(evaluate_total(units, metrics)))
    if len(weights) > MAX_KINDS_LEFT_OUT:
        weights = np.random.default_rng(plan.seed).multinomial(MAX_KINDS_LEFT_OUT, weights / units.n_units)
    (kinds,) = np.nonzero(weights)
    values = np.concatenate([metrics(matrices) for matrices in units.leave_out(kinds)])
    return compute_accelerations(values, weights[kinds].astype(np.float64), units.n_units)


# Metrics of probabilities


def bootstrap_forecast(
    forecast: ProbabilisticPredictions, metrics: Sequence[ProbabilityMetric], plan: Resampling, groups: Integers | None = None
) -> list[Estimate]:
    """Several metrics with their intervals, all from the same resamples. Documents of a group are drawn together.

    A document that is drawn twice has twice its weight, so a metric is computed for many resamples at once.

    >>> from tercet.evaluation.probabilities import PROBABILITY_METRICS
    >>> forecast = ProbabilisticPredictions.of(["a", "b", "b", "a"] * 25, [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]] * 25)
    >>> print(*bootstrap_forecast(forecast, [PROBABILITY_METRICS["log_loss"]], Resampling(interval="percentile")))
    0.400 [0.340, 0.462]
    """
    counted = np.flatnonzero(forecast.weights)  # a document with weight 0 is none
    forecast = forecast.take(counted)
    unit = np.arange(len(counted)) if groups is None else np.unique(groups[counted], return_inverse=True)[1]
    n_units, row_bytes = int(unit.max()) + 1, 64 * len(unit)

    def score(draws: Integers) -> Floats:
        weights = forecast.weights * draws[:, unit]
        return np.stack([metric(forecast, weights) for metric in metrics], axis=-1)

    draws = draw_with_replacement(np.ones(n_units, np.int64), plan.resamples, plan.seed, row_bytes)
    replicates = np.concatenate([score(block) for block in draws])
    left_out = np.random.default_rng(plan.seed).permutation(n_units)[: _count_left_out(n_units, plan)]
    others = [score(_leave_out(left_out[start:end], n_units)) for start, end in cut_blocks(len(left_out), row_bytes)]
    values = np.array([float(metric(forecast)) for metric in metrics])
    return DrawnValues(replicates, np.concatenate([replicates[:0], *others]), n_units).estimate(values, plan)


def _leave_out(units: Integers, n_units: int) -> Integers:
    """How often each unit counts, if one of these units is left out in each row.

    >>> _leave_out(np.array([2, 0]), 3)
    array([[1, 1, 0], [0, 1, 1]])
    """
    return np.where(np.arange(n_units) == units[:, None], 0, 1)


def _count_left_out(n_units: int, plan: Resampling) -> int:
    """The number of units that are left out one by one, which BCa needs. Without its only unit nothing is left."""
    return min(n_units, MAX_DOCUMENTS_LEFT_OUT) if plan.method == "bca" and n_units > 1 else 0


# Any function of documents


def bootstrap_documents(
    function: Callable[..., Any],
    arrays: Sequence[npt.ArrayLike],
    plan: Resampling = DEFAULT,
    *,
    groups: npt.ArrayLike | None = None,
) -> Estimate:
    """function(*arrays) with its interval. Each array has a row for each document; documents of a group are drawn together.

    The function is called once for each resample, so memory holds one resample at a time. A resample for which it returns NaN
    or raises ValueError (because only one label is left, for example) is left out, and the note gives their number.

    >>> def accuracy(gold, predicted):
    ...     return np.mean(gold == predicted)
    >>> print(bootstrap_documents(accuracy, [["a", "b", "a", "b", "a"], ["a", "b", "a", "a", "a"]]))
    0.800 [0.200, 1.000]
    """
    columns = _check_arrays(arrays)
    value = float(function(*(column.copy() for column in columns)))  # copies, which the function may change
    units = DocumentUnits.of(len(columns[0]), groups)
    drawn = draw_documents(lambda documents: [measure_part(function, columns, documents)], units, plan)
    return drawn.estimate(np.array([value]), plan)[0]


def measure_part(function: Callable[..., Any], columns: Sequence[npt.NDArray[Any]], documents: Integers) -> float:
    """The function of these documents; NaN if it is undefined for them."""
    try:
        return float(function(*(column[documents] for column in columns)))
    except (ValueError, ZeroDivisionError):
        return np.nan


def draw_documents(measure: Callable[[Integers], list[float]], units: "DocumentUnits", plan: Resampling) -> "DrawnValues":
    """The values on each resample. `measure` gives one or more values for the positions of documents."""
    rng = np.random.default_rng(plan.seed)
    replicates = np.array([measure(units.draw(rng)) for _ in range(plan.resamples)])
    left_out = [measure(units.leave_out(group)) for group in rng.permutation(units.n)[: _count_left_out(units.n, plan)]]
    return DrawnValues(replicates, np.reshape(left_out, (len(left_out), replicates.shape[1])), units.n)


@dataclass(frozen=True, eq=False)
class DrawnValues:
    """Values on each resample (resamples × values), and without one unit (units × values; none if BCa is not wanted)."""

    replicates: Floats
    left_out: Floats
    n_units: int

    def subtract(self, first: int, second: int) -> "DrawnValues":
        """One value minus another, on the same resamples."""
        replicates, left_out = (each[:, [first]] - each[:, [second]] for each in (self.replicates, self.left_out))
        return DrawnValues(replicates, left_out, self.n_units)

    def estimate(self, values: Floats, plan: Resampling) -> list[Estimate]:
        """The values of all documents with their intervals."""
        accelerations = compute_accelerations(self.left_out, np.ones(len(self.left_out)), self.n_units)
        return make_estimates(values, self.replicates, accelerations, plan)


class DocumentUnits:
    """Documents in groups that are drawn whole. Without groups each document is a group of its own."""

    def __init__(self, order: Integers, starts: Integers, *, has_groups: bool) -> None:
        self.order, self.starts, self.n, self.has_groups = order, starts, len(starts) - 1, has_groups
        self.sizes = np.diff(starts)

    @classmethod
    def of(cls, n: int, groups: npt.ArrayLike | None) -> "DocumentUnits":
        if groups is None:
            return cls(np.arange(n), np.arange(n + 1), has_groups=False)
        _, codes = encode_labels(groups)
        if len(codes) != n:
            raise InvalidOption(f"there are {n} documents and {len(codes)} groups: each document needs one.")
        starts = np.concatenate([[0], np.cumsum(np.bincount(codes))])
        return cls(np.argsort(codes, kind="stable"), starts, has_groups=True)

    @property
    def effective(self) -> float:
        """The effective number of groups, (Σ size)² / Σ size²."""
        return float(self.sizes.sum() ** 2 / (self.sizes**2).sum())

    def draw(self, rng: np.random.Generator) -> Integers:
        """The documents of as many groups, drawn with replacement."""
        drawn = rng.integers(self.n, size=self.n)
        sizes = self.sizes[drawn]
        offsets = np.repeat(self.starts[drawn] - np.cumsum(sizes) + sizes, sizes)
        return np.take(self.order, offsets + np.arange(sizes.sum()))

    def halve(self, rng: np.random.Generator) -> npt.NDArray[np.bool_]:
        """Whether each document is taken: each group is taken whole, with probability 1/2."""
        is_taken = np.empty(len(self.order), np.bool_)
        is_taken[self.order] = np.repeat(rng.integers(2, size=self.n) == 1, self.sizes)
        return is_taken

    def leave_out(self, group: int) -> Integers:
        return np.delete(self.order, slice(self.starts[group], self.starts[group + 1]))


def _check_arrays(arrays: Sequence[npt.ArrayLike]) -> list[npt.NDArray[Any]]:
    columns = [np.asarray(array) for array in arrays]
    lengths = sorted({len(column) if column.ndim else 0 for column in columns})
    if len(lengths) != 1 or lengths[0] == 0:
        raise InvalidOption(f"arrays must have one row for each document, and at least one; got lengths {lengths}.")
    return columns


# From the values on resamples to the interval


def compute_accelerations(values: Floats, weights: Floats, n_units: int) -> Floats:
    """BCa's acceleration of each metric: the skewness of its jackknife values / 6.

    A row of `values` has the metrics without one unit, and stands for so many units as `weights` says.

    >>> compute_accelerations(np.array([[1.0], [2.0]]), np.array([3.0, 1.0]), n_units=4)
    array([-0.09622504])
    """
    known = ~np.isnan(values)
    weight = np.where(known, weights[:, None], 0.0)
    filled = np.where(known, values, 0.0)
    change = np.where(known, (weight * filled).sum(axis=0) / np.maximum(weight.sum(axis=0), 1) - filled, 0.0)
    spread = (weight * change**2).sum(axis=0)
    # If only a sample of the units was left out, the sums are those of the sample. The skewness is the same, but the
    # acceleration falls with 1 / √n.
    sampled = np.sqrt(weight.sum(axis=0) / n_units)
    with np.errstate(divide="ignore", invalid="ignore"):
        accelerations = sampled * (weight * change**3).sum(axis=0) / (6 * spread**1.5)
    return np.where(np.isfinite(accelerations), accelerations, 0.0)


def make_estimates(values: Floats, replicates: Floats, accelerations: Floats, plan: Resampling) -> list[Estimate]:
    """One estimate for each metric, from its replicates (resamples × metrics). Undefined replicates are left out."""
    ordered = np.sort(replicates, axis=0)  # NaN comes last
    n_known = np.count_nonzero(~np.isnan(ordered), axis=0)
    return [
        _make_estimate(float(value), ordered[:n, k], float(accelerations[k]), plan)
        for k, (value, n) in enumerate(zip(values, n_known, strict=True))
    ]


def _make_estimate(value: float, ordered: Floats, acceleration: float, plan: Resampling) -> Estimate:
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
            notes.append("percentile interval, because BCa is undefined: the resamples are too skewed or all on one side")
        levels = corrected or levels
    low, high = read_quantiles(ordered, levels)
    if not low - tie <= value <= high + tie:
        method, (low, high) = "spread", _spread_around(value, ordered, plan.confidence)
        bias = f"{float(np.median(ordered)) - value:+.3g}"
        notes = [*notes[:n_lost], f"the resamples are biased by {bias}: the interval covers their spread and this bias"]
    return Estimate(value, min(low, value), max(high, value), plan.confidence, method, "; ".join(notes))


def read_quantiles(ordered: Floats, levels: Sequence[float]) -> list[float]:
    """The quantiles of sorted values, as `np.quantile` has them. Its first call would take 80 ms.

    >>> read_quantiles(np.array([1.0, 2.0, 4.0]), (0.25, 0.5, 0.9))
    [1.5, 2.0, 3.6]
    """
    positions = np.asarray(levels) * (len(ordered) - 1)
    before = np.floor(positions).astype(np.int64)
    low, high = ordered[before], ordered[np.minimum(before + 1, len(ordered) - 1)]
    share = positions - before
    between = np.where(share < 0.5, low + (high - low) * share, high - (high - low) * (1 - share))
    return [float(value) for value in between]


def _spread_around(value: float, ordered: Floats, confidence: float) -> tuple[float, float]:
    """The interval of a value that lies outside the interval of its resamples.

    This happens to metrics of many labels with one or two documents each: resamples lose such labels. The sample may have lost
    some of the population's labels in the same way, so the true value may be off by as much to the other side; or it may have
    lost none. The interval covers both cases: the resamples shifted to the value, and their mirror image.

    >>> low, high = _spread_around(0.7, np.array([0.5, 0.6, 0.65]), confidence=0.98)
    >>> print(f"{low:.3f} {high:.3f}")
    0.602 0.898
    """
    low, middle, high = read_quantiles(ordered, ((1 - confidence) / 2, 0.5, (1 + confidence) / 2))
    lows, highs = (value - middle + low, 2 * value - high), (value - middle + high, 2 * value - low)
    return min(lows), max(highs)


def _correct_levels(value: float, ordered: Floats, acceleration: float, confidence: float) -> tuple[float, float] | None:
    """BCa's two quantile levels, corrected for the bias of the resamples and for skewness; None where they are undefined."""
    from statistics import NormalDist

    tie = TIE * max(1.0, abs(value))
    below, within = np.searchsorted(ordered, value - tie, "left"), np.searchsorted(ordered, value + tie, "right")
    share = (below + within) / (2 * len(ordered))  # ties count as half
    if not 0 < share < 1:
        return None
    bias, z = compute_quantile(share), compute_quantile((1 + confidence) / 2)
    shifted = np.array([bias - z, bias + z])
    if np.any(acceleration * shifted >= 1):
        return None
    low, high = (NormalDist().cdf(level) for level in (bias + shifted / (1 - acceleration * shifted)).tolist())
    return low, high
