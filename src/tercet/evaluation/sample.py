"""A sample of documents with gold and predicted labels: the estimate of any metric, and of the metrics of each label.

A metric that divides 0 by 0 is NaN, and a warning says which one, for which labels, and why.
"""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.counts.labels import Labels
from tercet.evaluation.bootstrap import bootstrap_forecast, bootstrap_metrics
from tercet.evaluation.confusion import Confusion, MarginalSums
from tercet.evaluation.intervals import (
    ROUNDING,
    Estimate,
    estimate_between,
    estimate_proportion,
    estimate_weighted_proportion,
    note_rare_labels,
    note_small_sample,
)
from tercet.evaluation.metrics import (
    LABEL_SCORES,
    METRICS,
    PROBABILITY_NAMES,
    Metric,
    find_metric,
    pick_label,
    score_all,
    unknown_metric,
)
from tercet.evaluation.probabilities import (
    PROBABILITY_METRICS,
    ProbabilisticPredictions,
    ProbabilityMetric,
    find_probability_metric,
)
from tercet.evaluation.resampling import Resampling, SamplingUnits
from tercet.evaluation.standard_errors import (
    StandardErrors,
    compute_errors,
    compute_label_errors,
    derive_all,
    estimate_probability_metrics,
    find_bounds,
    note_bias,
)


class UndefinedMetric(UserWarning):
    """A metric divides 0 by 0."""


def warn_undefined(undefined: list[str], remedy: str, *, stacklevel: int) -> None:
    """One warning for all of them; `stacklevel` as `warnings.warn` counts it, from the caller of this function."""
    averages = "Averages count the precision of a label that is never predicted as 0, and leave other undefined values out."
    message = f"{'; '.join(undefined)}. Undefined values are NaN. {averages} {remedy}"
    warnings.warn(message, UndefinedMetric, stacklevel=stacklevel + 1)


def describe_undefined(confusion: Confusion, metrics: Iterable[Metric]) -> list[str]:
    """Which metrics of labels are undefined, for which labels, and why; nothing is repeated.

    >>> from tercet.evaluation.metrics import METRICS
    >>> describe_undefined(Confusion.of(["a"], ["b"]), METRICS.values())
    ['mcc is undefined: gold or predicted has one label only',
     "precision is undefined for 'a' (never predicted)", "recall is undefined for 'b' (not in gold)"]
    """
    sums, labels = confusion.sums, confusion.labels.tolist()
    lines: dict[str, None] = {}
    for metric in metrics:
        if metric.label_score is not None:
            indices = np.flatnonzero(np.isnan(metric.label_score(sums, np.nan))).tolist()
            indices = indices if metric.label_index is None else [index for index in indices if index == metric.label_index]
            names = [f"{labels[index]!r} ({_name_reason(sums, index)})" for index in indices]
            if names:
                lines[f"{metric.part} is undefined for {join_names(names)}"] = None
        elif np.isnan(metric(sums)):
            lines[f"{metric.name} is undefined: {_REASONS.get(metric.name, 'there are no documents')}"] = None
    return list(lines)


def note_never_predicted(confusion: Confusion) -> str:
    """A note for averages of precision, if some gold labels are never predicted; otherwise an empty string.

    >>> note_never_predicted(Confusion.of(["a", "b"], ["a", "a"]))
    "counts precision 0 for 'b', which is never predicted"
    """
    sums = confusion.sums
    (indices,) = np.nonzero((sums.gold > 0) & (sums.predicted == 0))
    if not len(indices):
        return ""
    names = join_names([repr(each) for each in confusion.labels[indices].tolist()], most=3)
    return f"counts precision 0 for {names}, which {'is' if len(indices) == 1 else 'are'} never predicted"


def describe_undefined_probability_metrics(
    forecast: ProbabilisticPredictions, metrics: Iterable[ProbabilityMetric]
) -> list[str]:
    """Which metrics of probabilities are undefined, for which labels, and why; nothing is repeated."""
    sizes = np.bincount(forecast.gold, forecast.weights, len(forecast.labels))
    lines: dict[str, None] = {}
    for metric in metrics:
        needs_others = metric.name.startswith("roc_auc")
        is_undefined = (sizes == 0) | (needs_others & (np.count_nonzero(sizes) == 1))
        indices = [] if metric.label_score is None else np.flatnonzero(is_undefined).tolist()
        indices = indices if metric.label_index is None else [index for index in indices if index == metric.label_index]
        reasons = {index: "not in gold" if not sizes[index] else "no others in gold" for index in indices}
        names = [f"{forecast.labels.tolist()[index]!r} ({reasons[index]})" for index in indices]
        if names:
            lines[f"{metric.name.partition(':')[0]} is undefined for {join_names(names)}"] = None
    return list(lines)


def join_names(names: list[str], most: int = 10) -> str:
    """
    >>> join_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"


_REASONS = {"mcc": "gold or predicted has one label only", "kappa": "gold and predicted have the same one label only"}


def _name_reason(sums: MarginalSums, index: int) -> str:
    if sums.gold[index]:
        return "never predicted"
    return "not in gold" if sums.predicted[index] else "in neither gold nor predicted"


OF_ALL = ("accuracy", "micro_precision", "micro_recall", "micro_f1")  # equal, since each document has one label
MAX_DRAWN = 2_000_000  # labels × resamples of a bootstrap: about a second


@dataclass(frozen=True, eq=False)
class EvaluatedDocuments:
    """Gold and predicted labels as codes, and what else is known of each document."""

    labels: Labels
    gold: Integers
    predicted: Integers
    weights: Floats | None = None
    groups: Integers | None = None  # codes; documents of a group are drawn together
    forecast: ProbabilisticPredictions | None = None

    def spell(self) -> list[Labels]:
        """The gold label and the predicted label of each document."""
        return [self.labels[self.gold], self.labels[self.predicted]]

    def take(self, documents: Any) -> "EvaluatedDocuments":
        """These documents only, with the labels that they have."""
        used, codes = np.unique(np.stack([self.gold[documents], self.predicted[documents]]), return_inverse=True)
        gold, predicted = codes.reshape(2, -1)
        weights = None if self.weights is None else self.weights[documents]
        groups = None if self.groups is None else np.unique(self.groups[documents], return_inverse=True)[1]
        forecast = None if self.forecast is None else self.forecast.take(documents)
        return EvaluatedDocuments(self.labels[used], gold, predicted, weights, groups, forecast)


@dataclass(frozen=True, eq=False)
class Sample:
    """A confusion matrix and all that intervals need: Wilson's for proportions, the BCa bootstrap's for other metrics.

    With weights or groups, or with many labels, intervals follow from standard errors instead of the bootstrap. An interval
    that the plan names replaces these: `percentile` and `bca` for all metrics, the others for proportions only.

    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b"] * 25, ["a", "b", "b", "b"] * 25))
    >>> print(*sample.estimate(["accuracy", "f1:a"]))
    0.750 [0.657, 0.825] 0.667 [0.529, 0.780]
    """

    confusion: Confusion
    n_gold: Floats  # documents of each label with a weight above 0
    squared: Confusion  # sums of squared weights
    units: SamplingUnits  # with marginal sums
    plan: Resampling
    forecast: ProbabilisticPredictions | None = None
    groups: Integers | None = None  # the group code of each document

    @classmethod
    def of(cls, confusion: Confusion, plan: Resampling | None = None) -> "Sample":
        """From a confusion matrix of documents that all have weight 1."""
        units = SamplingUnits.of_cells(confusion.cells, confusion.values, len(confusion.labels)).to_marginal_sums()
        return cls(confusion, confusion.support, confusion, units, plan or Resampling())

    @classmethod
    def of_documents(cls, documents: EvaluatedDocuments, plan: Resampling) -> "Sample":
        """From documents with labels, and with weights, groups and probabilities if there are any."""
        labels, gold, predicted = documents.labels, documents.gold, documents.predicted
        groups, forecast = documents.groups, documents.forecast
        if documents.weights is None and groups is None:
            return replace(cls.of(Confusion.from_codes(labels, gold, predicted), plan), forecast=forecast)
        weights = np.ones(len(gold)) if documents.weights is None else documents.weights
        confusion = Confusion.from_codes(labels, gold, predicted, weights)
        squared = Confusion.from_codes(labels, gold, predicted, weights**2)
        units = SamplingUnits.of_documents(gold, [predicted], len(labels), groups=groups, weights=weights)
        n_gold = np.bincount(gold[weights > 0], minlength=len(labels)).astype(np.float64)
        return cls(confusion, n_gold, squared, units.to_marginal_sums(), plan, forecast, groups)

    @property
    def is_weighted(self) -> bool:
        """Whether there are weights other than 0 and 1."""
        return self.squared is not self.confusion and bool((self.squared.values != self.confusion.values).any())

    @property
    def n_groups(self) -> int:
        """The number of groups with a weight above 0; 0 if documents are drawn one by one."""
        return 0 if self.groups is None else self.units.n_units

    def find(self, name: Any) -> Metric | ProbabilityMetric:
        """The metric of this name, of labels or of probabilities."""
        if isinstance(name, Metric | ProbabilityMetric):
            return name
        if isinstance(name, str) and self.forecast is not None and name.partition(":")[0] in PROBABILITY_NAMES:
            return find_probability_metric(name, self.forecast.labels)
        try:
            return find_metric(name, self.confusion.labels)
        except ValueError:
            if self.forecast is None or ":" in str(name):
                raise
            raise unknown_metric(
                name, [*METRICS, "precision:LABEL", "recall:LABEL", "f1:LABEL", "f2:LABEL", *PROBABILITY_METRICS]
            ) from None

    def estimate(self, names: Iterable[Any]) -> list[Estimate]:
        """Each metric with its interval. All bootstrapped metrics use the same resamples."""
        found = [self.find(name) for name in names]
        of_forecast = [metric for metric in found if isinstance(metric, ProbabilityMetric)]
        of_labels = [metric for metric in found if isinstance(metric, Metric)]
        is_plain = self.units.is_even and not self.plan.is_drawn
        is_counted = [is_plain and self._is_proportion(metric) for metric in of_labels]
        counted = [metric for metric, is_count in zip(of_labels, is_counted, strict=True) if is_count]
        others = [metric for metric, is_count in zip(of_labels, is_counted, strict=True) if not is_count]
        estimates = {id(metric): self._estimate_proportion(metric) for metric in counted}
        estimates |= dict(zip(map(id, others), self._estimate_others(others), strict=True))
        if self.forecast is not None:
            estimates |= dict(zip(map(id, of_forecast), self._estimate_forecast(self.forecast, of_forecast), strict=True))
        return self._add_notes(found, [estimates[id(metric)] for metric in found])

    @property
    def n_effective(self) -> float:
        """The effective number of documents, (Σw)² / Σw²."""
        return float(self.confusion.total**2 / self.squared.total)

    def _estimate_others(self, metrics: Sequence[Metric]) -> list[Estimate]:
        """By the bootstrap if it is named, or for documents that count the same. With many labels it would take minutes."""
        if not metrics:
            return []
        is_quick = len(self.confusion.labels) * self.plan.resamples <= MAX_DRAWN
        if self.plan.is_drawn or (self.units.is_even and is_quick):
            found = bootstrap_metrics(self.units, lambda stacked: score_all(metrics, _unstack(stacked)), self.plan)
            return [estimate.cut(metric.bounds) for estimate, metric in zip(found, metrics, strict=True)]
        return self._estimate_by_errors(metrics)

    def _estimate_by_errors(self, metrics: Sequence[Metric]) -> list[Estimate]:
        sums = self._sums[0]
        whole = [metric for metric in metrics if metric.label_index is None]
        found = compute_errors(self.units, derive_all(whole, MarginalSums(*self.units.total))) if whole else None
        of_whole = iter(zip(*found, strict=True)) if found else iter(())
        tables: dict[str, StandardErrors] = {}
        values = score_all(metrics, sums)
        estimates = []
        for metric, value in zip(metrics, values.tolist(), strict=True):
            if metric.label_index is None or metric.label_score is None:
                error, effective = next(of_whole)
            else:
                if metric.part not in tables:
                    tables[metric.part] = compute_label_errors(self.units, metric.part, metric.label_score)
                error, effective = (each[metric.label_index] for each in tables[metric.part])
            estimates.append(self._estimate_by_error(metric, value, float(error), float(effective)))
        return estimates

    def _estimate_by_error(self, metric: Metric, value: float, error: float, effective: float) -> Estimate:
        confidence = self.plan.confidence
        if np.isnan(value):
            return Estimate(value, np.nan, np.nan, confidence, "logit", "undefined")
        is_share, is_inner = self._is_proportion(metric), error > ROUNDING and 0 < value < 1
        n_alike = self._count_effective(metric) if self.groups is None else effective  # if all are right, or none is
        is_usual = self.groups is None or not is_inner
        if is_share and n_alike > 0 and (is_usual or self.plan.interval is not None):
            n = value * (1 - value) / error**2 if is_inner else n_alike
            return estimate_weighted_proportion(value, n, effective, confidence, self.plan.share_method)
        return estimate_between(value, error, effective, confidence, metric.bounds)

    def _estimate_forecast(self, forecast: ProbabilisticPredictions, metrics: Sequence[ProbabilityMetric]) -> list[Estimate]:
        """By the jackknife, or by the bootstrap if it is named."""
        if not self.plan.is_drawn or not metrics:
            return estimate_probability_metrics(forecast, metrics, self.plan.confidence, self.groups)
        found, n = bootstrap_forecast(forecast, metrics, self.plan, self.groups), self.units.n_units
        return [
            estimate.cut(find_bounds(metric)).add_note(note_bias(metric, n))
            for metric, estimate in zip(metrics, found, strict=True)
        ]

    @cached_property
    def _sums(self) -> tuple[MarginalSums, MarginalSums]:
        """Marginal sums of the weights, and of the squared weights."""
        return self.confusion.sums, self.squared.sums

    def _is_proportion(self, metric: Metric) -> bool:
        is_of_all = metric.name in OF_ALL and metric.part != "better"
        return is_of_all or (metric.label_index is not None and metric.part in ("precision", "recall"))

    def _add_notes(self, metrics: Sequence[Metric | ProbabilityMetric], estimates: Sequence[Estimate]) -> list[Estimate]:
        small = note_small_sample(self.n_groups, self.n_effective, is_weighted=self.is_weighted)
        rare, never = note_rare_labels(self.confusion.labels, self.n_gold), note_never_predicted(self.confusion)
        noted = []
        for metric, estimate in zip(metrics, estimates, strict=True):
            is_precision = metric.name in ("macro_precision", "weighted_precision")
            needs_all = metric.name.startswith("macro_") or metric.name == "balanced_accuracy"
            notes = small, never if is_precision else "", rare if needs_all and not small else ""
            noted.append(estimate.add_note("; ".join(filter(None, notes))))
        return noted

    def _estimate_proportion(self, metric: Metric) -> Estimate:
        effective, share = self._count_effective(metric), float(metric(self._sums[0]))
        successes = 0.0 if np.isnan(share) else share * effective
        is_whole = effective == round(effective)  # documents that count the same: the weights leave only rounding errors
        successes = round(successes) if is_whole else successes
        return estimate_proportion(min(successes, effective), effective, self.plan.confidence, self.plan.share_method)

    def _count_effective(self, metric: Metric) -> float:
        """The effective number of the documents of which the metric is a proportion."""
        total, squares = (_compute_denominator(metric, sums) for sums in self._sums)
        return total**2 / squares if squares else 0.0


def _compute_denominator(metric: Metric, sums: MarginalSums) -> float:
    """The weight of the documents of which the metric is a proportion."""
    if metric.label_index is None:
        return float(sums.gold.sum())
    return float((sums.gold if metric.part == "recall" else sums.predicted)[metric.label_index])


def _unstack(stacked: Floats) -> MarginalSums:
    return MarginalSums(stacked[..., 0, :], stacked[..., 1, :], stacked[..., 2, :])


# The metrics of each label


class LabelRow(NamedTuple):
    """Precision, recall and F1 of one label, and the weight of its gold documents (support) and predicted documents."""

    label: Any
    precision: Estimate
    recall: Estimate
    f1: Estimate
    support: float
    predicted: float


def list_label_metrics(sample: Sample) -> list[Metric]:
    """Precision, recall and F1 of each label, label by label."""
    return list_metrics_of(sample.confusion.labels)


def list_metrics_of(labels: Labels) -> list[Metric]:
    """Precision, recall and F1 of each of these labels, label by label."""
    return [
        pick_label(f"{part}:{label}", part, score, label_index)
        for label_index, label in enumerate(labels.tolist())
        for part, score in LABEL_SCORES.items()
    ]


def make_label_rows(sample: Sample, estimates: Sequence[Estimate]) -> tuple[LabelRow, ...]:
    """A row for each label, from the estimates of `list_label_metrics`.

    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b"], ["a", "b", "b", "b"]))
    >>> row = make_label_rows(sample, sample.estimate(list_label_metrics(sample)))[0]
    >>> print(row.label, row.recall, row.support)
    a 0.500 [0.095, 0.905] 2.0
    """
    return make_rows_of(sample.confusion.labels, sample.confusion.sums, estimates)


def make_rows_of(labels: Labels, sums: MarginalSums, estimates: Sequence[Estimate]) -> tuple[LabelRow, ...]:
    """A row for each of these labels, from their sums and the estimates of `list_metrics_of`."""
    columns = labels.tolist(), sums.gold.tolist(), sums.predicted.tolist()
    parts = estimates[0::3], estimates[1::3], estimates[2::3]
    return tuple(
        LabelRow(label, precision, recall, f1, support, predicted)
        for label, support, predicted, precision, recall, f1 in zip(*columns, *parts, strict=True)
    )
