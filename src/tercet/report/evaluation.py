"""Gold and predicted labels of documents → a report."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.counts.labels import Labels
from tercet.errors import InvalidLabel, InvalidOption
from tercet.evaluation.document_bootstrap import bootstrap_documents
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metric_names import PROBABILITY_NAMES
from tercet.evaluation.metrics import METRICS, Metric
from tercet.evaluation.probabilities import Forecast
from tercet.evaluation.probability_metrics import ProbabilityMetric
from tercet.evaluation.probability_metrics import describe_undefined as describe_undefined_forecast
from tercet.evaluation.reliability import reliability_table
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sides import check_weights, encode_side, encode_sides
from tercet.evaluation.undefined import describe_undefined, warn_undefined
from tercet.report.baseline import list_majority_metrics, make_baseline
from tercet.report.label_rows import list_label_metrics, make_rows
from tercet.report.report import Report
from tercet.report.sample import Sample

SHOWN = ("accuracy", "balanced_accuracy", "macro_precision", "macro_f1", "weighted_f1", "mcc", "kappa")
MOST_SLICES = 1000


def evaluate(
    gold: Any,
    predicted: Any,
    probabilities: Any = None,
    weights: Any = None,
    groups: Any = None,
    slices: Mapping[str, Any] | None = None,
    metrics: Sequence[str | Callable[..., Any]] | None = None,
    confidence: float = 0.95,
    resamples: int = 10_000,
    seed: int = 0,
    *,
    labels: Any = None,
) -> Report:
    """How good the predicted labels are, with an interval on every number.

    Proportions have Wilson's interval, other metrics of labels the BCa bootstrap's, those of probabilities (documents ×
    labels) the jackknife's. `labels` names the columns of the probabilities; without it they are the labels of gold and
    predicted, sorted. Documents of a group (an author, a thread) are drawn together. `slices` gives, by name, one value for
    each document, and the report has a report for each of these. `metrics` are those to show, by name, or functions of gold
    and predicted labels of your own, called once for each resample; `report[name]` knows all.

    >>> report = evaluate(["ham"] * 50 + ["spam"] * 50, ["ham"] * 45 + ["spam"] * 55)
    >>> print(report.accuracy, report.macro_f1, report["recall:ham"])
    0.950 [0.888, 0.978] 0.950 [0.897, 0.980] 0.900 [0.786, 0.957]
    >>> report.sign("accuracy")
    'accuracy|n:100|interval:wilson95|resamples:10000|seed:0|tercet:0.1.0'
    """
    plan = Resampling(confidence, resamples, seed)
    metrics = [metrics] if isinstance(metrics, str) or callable(metrics) else metrics
    gold = list(gold) if isinstance(gold, Iterator) else gold  # it is read again with the probabilities
    known, (gold_codes, codes) = encode_sides({"gold": gold, "predicted": predicted})
    heavy = None if weights is None else check_weights(weights, len(codes))
    units = None if groups is None else _encode_column("groups", groups, len(codes))[1]
    forecast = None if probabilities is None else _read_forecast(gold, probabilities, labels, known, heavy)
    if not isinstance(slices or {}, Mapping):
        raise InvalidOption(f"slices must be a mapping of names to one value for each document, got {type(slices).__name__}.")
    columns = {name: _encode_column(f"slice {name!r}", values, len(codes)) for name, values in (slices or {}).items()}
    documents = _Documents(known, gold_codes, codes, heavy, units, forecast)
    report = _report(documents, plan, metrics)
    _warn(report, {name_function(metric) for metric in metrics or () if callable(metric)})
    parts = {
        name: {value: _report(documents.take(places == k), plan, metrics) for k, value in enumerate(values.tolist())}
        for name, (values, places) in columns.items()
    }
    return replace(report, slices=parts)


def evaluate_codes(labels: Labels, gold: Integers, predicted: Integers, metrics: Sequence[str]) -> Report:
    """The same from places among labels that are in order, each of which is there.

    The numbers of each label are left for later: with ten thousand of them they would take most of the time, and all memory.
    """
    return _report(_Documents(labels, gold, predicted, None, None, None), Resampling(), metrics, with_rows=False)


class _Documents:
    """All that is known of each document."""

    def __init__(self, labels: Labels, gold: Integers, predicted: Integers, weights: Any, units: Any, forecast: Any) -> None:
        self.labels, self.gold, self.predicted = labels, gold, predicted
        self.weights, self.units, self.forecast = weights, units, forecast

    def take(self, rows: Any) -> "_Documents":
        """Those of a slice, with the labels that they have."""
        used, codes = np.unique(np.stack([self.gold[rows], self.predicted[rows]]), return_inverse=True)
        gold, predicted = codes.reshape(2, -1)
        weights = None if self.weights is None else self.weights[rows]
        units = None if self.units is None else np.unique(self.units[rows], return_inverse=True)[1]
        f = self.forecast
        forecast = None if f is None else Forecast(f.labels, f.gold[rows], f.probabilities[rows], f.weights[rows])
        return _Documents(self.labels[used], gold, predicted, weights, units, forecast)


def _report(
    documents: _Documents, plan: Resampling, metrics: Sequence[str | Callable[..., Any]] | None, *, with_rows: bool = True
) -> Report:
    d = documents
    sample = Sample.of_codes(d.labels, d.gold, d.predicted, plan, d.weights, d.units, d.forecast)
    shown = [*SHOWN, *(() if d.forecast is None else PROBABILITY_NAMES)] if metrics is None else metrics
    names = [name for name in dict.fromkeys(shown) if not callable(name)]
    of_labels, of_majority = list_label_metrics(sample) if with_rows else [], list_majority_metrics(sample, names)
    found = iter(sample.estimate([*names, *of_labels, *of_majority]))  # at once: the same draws serve for all
    estimates = {name: next(found) for name in names}
    estimates |= {name_function(f): _estimate_function(f, d, plan) for f in dict.fromkeys(shown) if callable(f)}
    rows = make_rows(sample, [next(found) for _ in of_labels]) if with_rows else None
    baseline = make_baseline(sample, of_majority, list(found))
    return Report(sample, estimates, rows, baseline, None if d.forecast is None else reliability_table(d.forecast))


def name_function(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _estimate_function(function: Callable[..., Any], d: _Documents, plan: Resampling) -> Estimate:
    if d.weights is not None:
        raise InvalidOption(f"{name_function(function)} is a function of labels and would not see the weights: leave one out.")
    return bootstrap_documents(function, [d.labels[d.gold], d.labels[d.predicted]], plan, groups=d.units)


def _warn(report: Report, functions: Collection[str]) -> None:
    found = [report.sample.find(name) for name in report.estimates if name not in functions]
    metrics = [metric for metric in found if isinstance(metric, Metric)]
    undefined = describe_undefined(report.confusion, [*metrics, METRICS["macro_precision"], METRICS["macro_recall"]])
    if report.sample.forecast is not None:
        ranked = [metric for metric in found if isinstance(metric, ProbabilityMetric)]
        undefined += describe_undefined_forecast(report.sample.forecast, ranked)
    if undefined:
        warn_undefined(undefined, "The report shows it as –.", stacklevel=3)


def _read_forecast(gold: Any, probabilities: Any, labels: Any, known: Labels, weights: Any) -> Forecast:
    has_names = hasattr(probabilities, "columns") or hasattr(probabilities, "column_names")
    if labels is None and not has_names and _count_columns(probabilities) == len(known):
        labels = known
    return Forecast.of(gold, probabilities, labels, weights)


def _count_columns(matrix: Any) -> int:
    try:
        return int(np.shape(matrix)[1])
    except (ValueError, IndexError):  # no matrix: `Forecast.of` says so
        return 0


def _encode_column(name: str, values: Any, n: int) -> tuple[Labels, Integers]:
    found, codes = encode_side(name, values)
    if len(codes) != n:
        raise InvalidLabel(f"{name} has {len(codes)} values for {n} documents: each needs one, in the same order.")
    if name.startswith("slice") and len(found) > MOST_SLICES:
        raise InvalidOption(f"{name} has {len(found)} different values: a slice is a subgroup. Put numbers in bins first.")
    return found, codes
