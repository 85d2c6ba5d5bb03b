"""Standard errors and intervals of metrics, from how much each document or group changes them. Nothing is resampled.

The change is linear: the derivative of the metric times what the unit adds to the sums. For a mean it is the distance from the
mean, for ROC-AUC it is DeLong's. For metrics of probabilities this is the infinitesimal jackknife. benchmarks/coverage.py
measures how often the intervals cover the true value.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.intervals import ROUNDING, Estimate, estimate_between, estimate_student
from tercet.evaluation.metrics import LabelScore, Metric, average_defined, derive_label_score, derive_metric, divide
from tercet.evaluation.probabilities import (
    ProbabilisticPredictions,
    ProbabilityMetric,
    bin_documents,
    log_losses,
    squared_errors,
)
from tercet.evaluation.resampling import ConfusionMetric, SamplingUnits, cut_blocks

PRIOR_DOCUMENTS = 3  # of mean squared weight, which each kind of answer is given in addition
DENOMINATORS = {"precision": (0.0, 0.0, 1.0), "recall": (0.0, 1.0, 0.0)}  # by correct, gold, predicted; F has gold + predicted


class StandardErrors(NamedTuple):
    """The standard error of each metric, and the number of equal units that would say as much (for Student's t)."""

    errors: Floats
    effective: Floats


def compute_errors(units: SamplingUnits, gradient: Floats) -> StandardErrors:
    """For metrics of all documents. `gradient` (sums × metrics) has their derivatives by the sums of the units."""
    changes = np.asarray(units.parts @ gradient)
    errors = np.sqrt((units.sizes * inflate_changes(units)) @ changes**2)
    return StandardErrors(errors, np.full(gradient.shape[1], units.effective))


def compute_label_errors(units: SamplingUnits, part: str, score: LabelScore) -> StandardErrors:
    """For the score of each label. `units` have marginal sums."""
    n_labels = units.shape[-1]
    derivatives = np.stack(derive_label_score(score, MarginalSums(*units.total)))
    denominators = np.array(DENOMINATORS.get(part, (0.0, 1.0, 1.0)))
    kinds, sums, values = list_parts(units.parts)
    rows, labels = sums // n_labels, sums % n_labels
    pairs, pair_of = np.unique(kinds * n_labels + labels, return_inverse=True)
    changes = np.bincount(pair_of, values * derivatives[rows, labels], len(pairs))
    weights = np.bincount(pair_of, values * denominators[rows], len(pairs))
    kinds, labels = pairs // n_labels, pairs % n_labels
    if units.patterns is not None:
        factors, effective = inflate_changes(units)[kinds], np.full(n_labels, units.effective)
    else:
        total, squares, n_groups = (
            np.bincount(labels, each, n_labels) for each in (weights, weights**2, (weights > 0).astype(np.float64))
        )
        factors = inflate_groups(divide(weights, total[labels], 0.0), n_groups[labels])
        effective = divide(total**2, squares, 0.0)
    return StandardErrors(np.sqrt(np.bincount(labels, units.sizes[kinds] * factors * changes**2, n_labels)), effective)


def inflate_changes(units: SamplingUnits) -> Floats:
    """By what the squared change of a unit of each kind is multiplied, because few units vary less than many."""
    if units.patterns is None:
        return inflate_groups(units.weights / (units.sizes @ units.weights), np.float64(units.n_units))
    effective = max(units.effective, 1 + 1e-9)
    return inflate_weights(units.sizes, units.weights, units.patterns) * effective / (effective - 1)


def inflate_groups(shares: Floats, n_groups: Any) -> Floats:
    """As if each group were left out: the sum without the group is 1 - its share.

    >>> inflate_groups(np.array([0.5, 0.25, 0.25]), np.float64(3)).round(3)
    array([2.667, 1.185, 1.185])
    """
    rest = np.where(shares < 1, 1 - shares, np.inf)  # a metric of one group only has no known error: `effective` is 1
    return np.asarray((n_groups - 1) / np.maximum(n_groups, 1) / rest**2)


def inflate_weights(sizes: Integers, weights: Floats, patterns: Integers) -> Floats:
    """Documents of one kind of answer whose weights happen to be small: their squared weight is raised towards the mean.

    A kind of answer is a gold label with its predicted labels. If it has few documents (errors are rare), they may happen to
    have small weights. So it is judged as if it had three more documents with the mean squared weight of all documents.

    >>> inflate_weights(np.array([1, 2]), np.array([1.0, 4.0]), patterns=np.array([0, 1])).round(3)
    array([3., 1.])
    """
    n, weight, squared = (np.bincount(patterns, sizes * weights**power) for power in (0, 1, 2))
    prior = PRIOR_DOCUMENTS * squared.sum() / weight.sum()
    raised = divide(n * squared + prior * weight, n + PRIOR_DOCUMENTS)
    return np.maximum(divide(raised, squared, 1.0), 1.0)[patterns]


# Derivatives by the sums of the units


def derive_all(metrics: Sequence[Metric], sums: MarginalSums) -> Floats:
    """Sums × metrics; 0 where a metric is undefined."""
    return np.stack([derive_defined(metric, sums) for metric in metrics], axis=-1)


def derive_difference(metric: ConfusionMetric, units: SamplingUnits) -> Floats:
    """Of the metric of the first of two systems minus that of the second: sums × 1."""
    if isinstance(metric, Metric):
        first, second = (derive_defined(metric, MarginalSums(*system)) for system in units.total)
        return np.concatenate([first, -second])[:, None]
    return np.concatenate([derive_function(metric, units.total[0]), -derive_function(metric, units.total[1])])[:, None]


def derive_defined(metric: Metric, sums: MarginalSums) -> Floats:
    if np.isnan(metric(sums)):
        return np.zeros(3 * len(sums.gold))
    return np.nan_to_num(np.concatenate(derive_metric(metric, sums)))


def derive_function(metric: ConfusionMetric, matrix: Floats) -> Floats:
    """Of any function of a matrix of sums, by small differences."""
    (cells,) = np.nonzero(matrix.ravel())
    derivatives = np.zeros(matrix.size)
    for start, end in cut_blocks(len(cells), 32 * matrix.size):
        block = cells[start:end]
        steps = np.zeros((len(block), matrix.size))
        steps[np.arange(len(block)), block] = 1e-6 * matrix.ravel()[block]
        above, below = (metric((matrix.ravel() + sign * steps).reshape(-1, *matrix.shape)) for sign in (1, -1))
        derivatives[block] = np.nan_to_num((above - below) / (2 * steps.sum(axis=1)))
    return derivatives


def list_parts(parts: Any) -> tuple[Integers, Integers, Floats]:
    """The kind, the index and the value of all parts that are not 0, of a dense or sparse array."""
    if isinstance(parts, np.ndarray):
        kinds, indices = np.nonzero(parts)
        return kinds, indices, parts[kinds, indices]
    sparse = parts.tocoo()
    return sparse.row.astype(np.int64), sparse.col.astype(np.int64), sparse.data


MAX_VALUES = {"log_loss": np.inf, "brier": 2.0}
MIN_DOCUMENTS = 10_000  # documents: with 500 the interval of a well calibrated model misses the true value in 24 of 100 samples


def estimate_probability_metrics(
    forecast: ProbabilisticPredictions,
    metrics: Iterable[ProbabilityMetric],
    confidence: float = 0.95,
    groups: Integers | None = None,
) -> list[Estimate]:
    """Each metric with Student's interval from the influences; `groups` has the group code of each document, if any.

    With groups or weights the interval is on a logarithmic scale between the bounds of the metric: few groups are often skewed.

    >>> from tercet.evaluation.probabilities import PROBABILITY_METRICS
    >>> forecast = ProbabilisticPredictions.of(["a", "b", "b", "a"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    >>> print(*estimate_probability_metrics(forecast, [PROBABILITY_METRICS["log_loss"]]))
    0.400 [0.000, 0.972]
    """
    rankings = _Rankings(forecast)
    return [_estimate_metric(forecast, metric, rankings, confidence, groups) for metric in metrics]


def compute_influences(
    forecast: ProbabilisticPredictions, metric: ProbabilityMetric, rankings: "_Rankings | None" = None
) -> Floats:
    """One number for each document. Their weighted mean is 0."""
    kind = metric.name.partition(":")[0]
    if kind in ("roc_auc", "average_precision"):
        influence = _influence_auc if kind == "roc_auc" else _influence_precision
        rankings = rankings or _Rankings(forecast)
        label_indices = range(len(forecast.labels)) if metric.label_index is None else [metric.label_index]
        return average_defined(np.stack([influence(rankings[label_index]) for label_index in label_indices], axis=-1))
    values = _VALUES[kind](forecast)
    return np.asarray(values - np.average(values, weights=forecast.weights), np.float64)


def _estimate_metric(
    forecast: ProbabilisticPredictions,
    metric: ProbabilityMetric,
    rankings: "_Rankings",
    confidence: float,
    groups: Integers | None,
) -> Estimate:
    value = float(metric(forecast))
    if np.isnan(value):
        return Estimate(value, np.nan, np.nan, confidence, "jackknife", "undefined")
    shares = forecast.weights / forecast.weights.sum()
    changes = shares * compute_influences(forecast, metric, rankings)
    if groups is not None:
        shares, changes = np.bincount(groups, shares), np.bincount(groups, changes)
    n, effective = int(np.count_nonzero(shares)), 1 / float(shares @ shares)
    if n < 2:
        note = "no interval: it needs at least two documents or groups"
        return Estimate(value, np.nan, np.nan, confidence, "jackknife", note)
    error = float(np.sqrt(inflate_groups(shares, np.float64(n)) @ changes**2))
    is_even = groups is None and bool(np.all(shares == shares[0]))
    interval = estimate_student if is_even else estimate_between
    estimate = replace(interval(value, error, effective, confidence, find_bounds(metric)), method="jackknife")
    estimate = estimate.add_note(note_bias(metric, n))
    if error <= ROUNDING and is_even:
        return estimate.add_note("all documents are alike: the width is unknown, not 0")
    return estimate


def note_bias(metric: ProbabilityMetric, n: int) -> str:
    """A note for a calibration error of n documents (or groups), if it is biased; otherwise an empty string."""
    if metric.name != "calibration_error" or n >= MIN_DOCUMENTS:
        return ""
    return "too high on average in a sample of this size: the true value may be lower"


def find_bounds(metric: ProbabilityMetric) -> tuple[float, float]:
    """The lowest and the highest possible value."""
    return 0.0, float(MAX_VALUES.get(metric.name, 1.0))


# Influences on means


def _signed_gaps(forecast: ProbabilisticPredictions) -> Floats:
    """(1 if right, otherwise 0) minus confidence, with the sign of the mean gap of the document's bin."""
    bins, confidence, is_right = bin_documents(forecast, 10)
    gaps = np.bincount(bins, forecast.weights * (is_right - confidence))
    return np.asarray(np.sign(gaps)[bins] * (is_right - confidence))


_VALUES = {"log_loss": log_losses, "brier": squared_errors, "calibration_error": _signed_gaps}


# Influences on rankings


class Ranking:
    """The documents by rising probability of one label: their ranks, and the weight of own and other documents at each rank."""

    def __init__(self, rank: Integers, is_own: Flags, weights: Floats) -> None:
        self.rank, self.is_own, n_ranks = rank, is_own, int(rank.max()) + 1
        shares = weights / weights.sum()
        self.own = np.bincount(rank, shares * is_own, n_ranks)
        self.others = np.bincount(rank, shares * ~is_own, n_ranks)


class _Rankings(dict[int, Ranking]):
    """The ranking of each label, by its index; made on first use."""

    def __init__(self, forecast: ProbabilisticPredictions) -> None:
        super().__init__()
        self.forecast = forecast

    def __missing__(self, label_index: int) -> Ranking:
        rank = np.unique(self.forecast.probabilities[:, label_index], return_inverse=True)[1]
        self[label_index] = Ranking(rank, self.forecast.gold == label_index, self.forecast.weights)
        return self[label_index]


def measure_area(ranking: Ranking) -> tuple[float, Floats]:
    """The area under the ROC curve, and the influence of each document on it; NaN if a kind of documents is missing.

    >>> measure_area(Ranking(np.array([1, 0, 2]), np.array([True, False, False]), np.ones(3)))
    (0.5, array([ 0.  ,  0.75, -0.75]))
    """
    own, others = ranking.own.sum(), ranking.others.sum()
    if not own or not others:
        return np.nan, np.full(len(ranking.rank), np.nan)
    lower = (np.cumsum(ranking.others) - ranking.others / 2) / others
    higher = (own - np.cumsum(ranking.own) + ranking.own / 2) / own
    area = float((ranking.own * lower).sum() / own)
    shares = np.where(ranking.is_own, lower[ranking.rank], higher[ranking.rank])
    return area, np.asarray((shares - area) / np.where(ranking.is_own, own, others))


def _influence_auc(ranking: Ranking) -> Floats:
    return measure_area(ranking)[1]


def _influence_precision(ranking: Ranking) -> Floats:
    own = ranking.own.sum()
    if not own:
        return np.full(len(ranking.rank), np.nan)
    found = np.cumsum(ranking.own[::-1])[::-1]
    reached = np.maximum(np.cumsum((ranking.own + ranking.others)[::-1])[::-1], 1e-300)  # 0 above all documents that count
    precision = found / reached
    mean = float(ranking.own @ precision) / own
    # A document changes the precision at its own rank and at all lower ranks: up if it has the label, and down in any case.
    up, down = np.cumsum(ranking.own / reached), np.cumsum(ranking.own * precision / reached)
    own_part = ranking.is_own * (precision - mean + up)[ranking.rank]
    return np.asarray((own_part - down[ranking.rank]) / own)
