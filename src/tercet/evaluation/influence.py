"""How much each document moves a metric of probabilities, and the interval that follows: no resample, so quick for millions.

The influence of a document is the metric's derivative by its weight (the infinitesimal jackknife); for a mean it is the
distance from the mean, for ROC-AUC it is DeLong's.
"""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.averages import average_defined
from tercet.evaluation.intervals import Estimate, estimate_student
from tercet.evaluation.probabilities import Forecast
from tercet.evaluation.probability_metrics import ProbabilityMetric
from tercet.evaluation.reliability import bin_documents

HIGHEST = {"log_loss": np.inf, "brier": 2.0}
FEW = 10_000  # documents: with 500 the interval of a well calibrated model misses the truth in 24 of 100 samples


class Ranked:
    """The documents by rising probability of one label: their rank, and the weight of its own and of others there."""

    def __init__(self, forecast: Forecast, place: int) -> None:
        values, self.rank = np.unique(forecast.probabilities[:, place], return_inverse=True)
        self.is_own = forecast.gold == place
        weights = forecast.weights / forecast.weights.sum()
        self.own = np.bincount(self.rank, weights * self.is_own, len(values))
        self.others = np.bincount(self.rank, weights * ~self.is_own, len(values))


class Ranks(dict[int, Ranked]):
    """By the place of the label; sorted when first asked for."""

    def __init__(self, forecast: Forecast) -> None:
        super().__init__()
        self.forecast = forecast

    def __missing__(self, place: int) -> Ranked:
        self[place] = Ranked(self.forecast, place)
        return self[place]


def estimate_forecasts(
    forecast: Forecast, metrics: Iterable[ProbabilityMetric], confidence: float = 0.95, units: Integers | None = None
) -> list[Estimate]:
    """Each metric with Student's interval from the influences; `units` is the group of each document, if any.

    >>> from tercet.evaluation.probability_metrics import PROBABILITY_METRICS
    >>> forecast = Forecast.of(["a", "b", "b", "a"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.7, 0.3]])
    >>> print(*estimate_forecasts(forecast, [PROBABILITY_METRICS["log_loss"]]))
    0.400 [0.000, 0.972]
    """
    ranks = Ranks(forecast)
    return [_estimate_one(forecast, metric, ranks, confidence, units) for metric in metrics]


def _estimate_one(
    forecast: Forecast, metric: ProbabilityMetric, ranks: Ranks, confidence: float, units: Integers | None
) -> Estimate:
    value = float(metric(forecast))
    if np.isnan(value):
        return Estimate(value, np.nan, np.nan, confidence, "jackknife", "undefined")
    shares = forecast.weights / forecast.weights.sum() * find_influences(forecast, metric, ranks)
    shares = shares if units is None else np.bincount(units, shares)
    n = len(shares)
    if n < 2:
        return Estimate(value, np.nan, np.nan, confidence, "jackknife", "no interval: it takes two documents or groups")
    error = float(np.sqrt((shares**2).sum() * n / (n - 1)))
    bounds = (0.0, float(HIGHEST.get(metric.name, 1.0)))
    estimate = replace(estimate_student(value, error, n, confidence, bounds), method="jackknife")
    if metric.name == "calibration_error" and n < FEW:
        estimate = estimate.add_note("chance alone adds to it in a sample of this size: the truth may be lower")
    return estimate if error > 1e-12 else estimate.add_note("all documents count alike: the width is unknown, not 0")


def find_influences(forecast: Forecast, metric: ProbabilityMetric, ranks: Ranks | None = None) -> Floats:
    """One number for each document; their weighted mean is 0."""
    kind = metric.name.partition(":")[0]
    if kind in ("roc_auc", "average_precision"):
        influence = _influence_auc if kind == "roc_auc" else _influence_precision
        ranks = ranks or Ranks(forecast)
        places = range(len(forecast.labels)) if metric.place is None else [metric.place]
        return average_defined(np.stack([influence(ranks[place]) for place in places], axis=-1))
    values = _VALUES[kind](forecast)
    return np.asarray(values - np.average(values, weights=forecast.weights), np.float64)


def _lose_logs(forecast: Forecast) -> Floats:
    smallest = np.finfo(np.float64).eps
    return np.asarray(-np.log(forecast.given.clip(smallest, 1 - smallest)))


def _square_errors(forecast: Forecast) -> Floats:
    given = forecast.given
    return np.asarray((1 - given) ** 2 + np.einsum("ij,ij->i", forecast.probabilities, forecast.probabilities) - given**2)


def _sign_gaps(forecast: Forecast) -> Floats:
    """Right or wrong minus confidence, in the direction in which the document's bin errs."""
    bins, confidence, is_right = bin_documents(forecast, 10)
    gaps = np.bincount(bins, forecast.weights * (is_right - confidence))
    return np.asarray(np.sign(gaps)[bins] * (is_right - confidence))


_VALUES = {"log_loss": _lose_logs, "brier": _square_errors, "calibration_error": _sign_gaps}


def _influence_auc(ranked: Ranked) -> Floats:
    own, others = ranked.own.sum(), ranked.others.sum()
    if not own or not others:
        return np.full(len(ranked.rank), np.nan)
    lower = (np.cumsum(ranked.others) - ranked.others / 2) / others
    higher = (own - np.cumsum(ranked.own) + ranked.own / 2) / own
    area = float(ranked.own @ lower) / own
    shares = np.where(ranked.is_own, lower[ranked.rank], higher[ranked.rank])
    return np.asarray((shares - area) / np.where(ranked.is_own, own, others))


def _influence_precision(ranked: Ranked) -> Floats:
    own = ranked.own.sum()
    if not own:
        return np.full(len(ranked.rank), np.nan)
    found = np.cumsum(ranked.own[::-1])[::-1]
    reached = np.maximum(np.cumsum((ranked.own + ranked.others)[::-1])[::-1], 1e-300)  # 0 above all documents that count
    precision = found / reached
    mean = float(ranked.own @ precision) / own
    # A document changes the precision at its own rank and at all lower ones, up if it has the label and down in any case.
    up, down = np.cumsum(ranked.own / reached), np.cumsum(ranked.own * precision / reached)
    own_part = ranked.is_own * (precision - mean + up)[ranked.rank]
    return np.asarray((own_part - down[ranked.rank]) / own)
