"""The metrics of probabilities by name. Each takes a forecast, and weights of any number of resamples at once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.evaluation.averages import average_defined
from tercet.evaluation.metric_names import PROBABILITY_NAMES, find_place, unknown_metric
from tercet.evaluation.probabilities import Forecast, brier, log_loss
from tercet.evaluation.ranking import average_precision, roc_auc
from tercet.evaluation.reliability import calibration_error
from tercet.evaluation.undefined import join_some, warn_undefined

ForecastScore = Callable[[Forecast, Floats | None], Floats]


@dataclass(frozen=True)
class ProbabilityMetric:
    """A named function from a forecast and weights (..., documents) to numbers (...). Undefined is NaN.

    >>> metric = PROBABILITY_METRICS["roc_auc"]
    >>> forecast = Forecast.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])
    >>> metric(forecast), metric(forecast, np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]]))
    (array(0.5), array([1., 0.]))
    """

    name: str
    score: ForecastScore
    label_score: ForecastScore | None = None  # (..., labels): what it averages, or picks one of
    place: int | None = None  # of the label that it picks

    def __call__(self, forecast: Forecast, weights: Floats | None = None) -> Floats:
        """One number; with weights of resamples, one for each of these."""
        return self.score(forecast, weights)


def find_probability_metric(name: Any, labels: Labels) -> ProbabilityMetric:
    """A metric of `PROBABILITY_METRICS`, or of one label: `roc_auc:spam`, `average_precision:spam`.

    >>> find_probability_metric("roc_auc:spam", np.array(["ham", "spam"])).place
    1
    """
    if isinstance(name, ProbabilityMetric):
        return name
    head, colon, label = str(name).partition(":")
    known = PROBABILITY_METRICS.get(head)
    if known is None or (colon and known.label_score is None):
        raise unknown_metric(name, [*PROBABILITY_METRICS, "roc_auc:LABEL", "average_precision:LABEL"])
    if not colon or known.label_score is None:
        return known
    place = find_place(str(name), label, labels)
    return ProbabilityMetric(str(name), partial(_score_label, known.label_score, place), known.label_score, place)


def measure_probabilities(forecast: Forecast, metrics: Iterable[str] = PROBABILITY_NAMES) -> dict[str, float]:
    """The metrics by name; one warning names the labels for which something is undefined.

    >>> measure_probabilities(Forecast.of(["a", "b"], [[0.75, 0.25], [0.5, 0.5]]), ["brier", "roc_auc:a"])
    {'brier': 0.3125, 'roc_auc:a': 1.0}
    """
    names = [metrics] if isinstance(metrics, str) else metrics
    found = [find_probability_metric(name, forecast.labels) for name in names]
    undefined = describe_undefined(forecast, found)
    if undefined:
        warn_undefined(undefined, "Gold documents of each label, and of others, would define it.", stacklevel=2)
    return {metric.name: float(metric(forecast)) for metric in found}


def describe_undefined(forecast: Forecast, metrics: Iterable[ProbabilityMetric]) -> list[str]:
    """What has no value, for which labels, and why."""
    size = np.bincount(forecast.gold, forecast.weights, len(forecast.labels))
    said: dict[str, None] = {}
    for metric in metrics:
        is_ranked = metric.name.startswith("roc_auc")
        is_undefined = (size == 0) | (is_ranked & (np.count_nonzero(size) == 1))
        places = [] if metric.label_score is None else np.flatnonzero(is_undefined).tolist()
        places = places if metric.place is None else [place for place in places if place == metric.place]
        why = {place: "not in gold" if not size[place] else "no others in gold" for place in places}
        names = [f"{forecast.labels.tolist()[place]!r} ({why[place]})" for place in places]
        if names:
            said[f"{metric.name.partition(':')[0]} is undefined for {join_some(names)}"] = None
    return list(said)


def _score_label(score: ForecastScore, place: int, forecast: Forecast, weights: Floats | None) -> Floats:
    return np.asarray(score(forecast, weights)[..., place])


def _average_labels(score: ForecastScore, forecast: Forecast, weights: Floats | None) -> Floats:
    return average_defined(score(forecast, weights))


_WHOLE: tuple[Any, ...] = (log_loss, brier, calibration_error)
_RANKED = (roc_auc, average_precision)
_FOUND = {each.__name__: ProbabilityMetric(each.__name__, each) for each in _WHOLE} | {
    each.__name__: ProbabilityMetric(each.__name__, partial(_average_labels, each), each) for each in _RANKED
}
PROBABILITY_METRICS: dict[str, ProbabilityMetric] = {name: _FOUND[name] for name in PROBABILITY_NAMES}
