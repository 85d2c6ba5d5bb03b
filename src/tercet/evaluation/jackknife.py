"""Intervals of metrics of probabilities by the infinitesimal jackknife: no resamples, so it is quick for millions of documents.

The influence of a document is the derivative of the metric by the document's weight. For a mean it is the distance from the
mean, for ROC-AUC it is DeLong's.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.evaluation.forecast import Forecast
from tercet.evaluation.intervals import ROUNDING, Estimate, estimate_between, estimate_student
from tercet.evaluation.metrics import average_defined
from tercet.evaluation.probability_metrics import ProbabilityMetric, bin_documents, log_losses, squared_errors
from tercet.evaluation.standard_errors import inflate_groups

HIGHEST = {"log_loss": np.inf, "brier": 2.0}
FEW = 10_000  # documents: with 500 the interval of a well calibrated model misses the true value in 24 of 100 samples


def estimate_probability_metrics(
    forecast: Forecast, metrics: Iterable[ProbabilityMetric], confidence: float = 0.95, groups: Integers | None = None
) -> list[Estimate]:
    """Each metric with Student's interval from the influences; `groups` has the group code of each document, if any.

    With groups or weights the interval is on a logarithmic scale between the bounds of the metric: few groups are often skewed.

    >>> from tercet.evaluation.probability_metrics import PROBABILITY_METRICS
    >>> forecast = Forecast.of(["a", "b", "b", "a"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    >>> print(*estimate_probability_metrics(forecast, [PROBABILITY_METRICS["log_loss"]]))
    0.400 [0.000, 0.972]
    """
    rankings = _Rankings(forecast)
    return [_estimate_metric(forecast, metric, rankings, confidence, groups) for metric in metrics]


def find_influences(forecast: Forecast, metric: ProbabilityMetric, rankings: "_Rankings | None" = None) -> Floats:
    """One number for each document. Their weighted mean is 0."""
    kind = metric.name.partition(":")[0]
    if kind in ("roc_auc", "average_precision"):
        influence = _influence_auc if kind == "roc_auc" else _influence_precision
        rankings = rankings or _Rankings(forecast)
        places = range(len(forecast.labels)) if metric.place is None else [metric.place]
        return average_defined(np.stack([influence(rankings[place]) for place in places], axis=-1))
    values = _VALUES[kind](forecast)
    return np.asarray(values - np.average(values, weights=forecast.weights), np.float64)


def _estimate_metric(
    forecast: Forecast, metric: ProbabilityMetric, rankings: "_Rankings", confidence: float, groups: Integers | None
) -> Estimate:
    value = float(metric(forecast))
    if np.isnan(value):
        return Estimate(value, np.nan, np.nan, confidence, "jackknife", "undefined")
    shares = forecast.weights / forecast.weights.sum()
    changes = shares * find_influences(forecast, metric, rankings)
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
    if metric.name != "calibration_error" or n >= FEW:
        return ""
    return "too high on average in a sample of this size: the true value may be lower"


def find_bounds(metric: ProbabilityMetric) -> tuple[float, float]:
    """The lowest and the highest possible value."""
    return 0.0, float(HIGHEST.get(metric.name, 1.0))


# Influences on means


def _signed_gaps(forecast: Forecast) -> Floats:
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

    def __init__(self, forecast: Forecast) -> None:
        super().__init__()
        self.forecast = forecast

    def __missing__(self, place: int) -> Ranking:
        rank = np.unique(self.forecast.probabilities[:, place], return_inverse=True)[1]
        self[place] = Ranking(rank, self.forecast.gold == place, self.forecast.weights)
        return self[place]


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
