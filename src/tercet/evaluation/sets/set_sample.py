"""A sample of documents with sets of gold and predicted labels: the estimate of any metric, and the metrics of each label."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.cached import cached_property
from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.intervals import Estimate, estimate_between, estimate_proportion, note_rare_labels, note_small_sample
from tercet.evaluation.metrics import Metric, score_all
from tercet.evaluation.resampling import ConfusionMetric, Resampling, SamplingUnits
from tercet.evaluation.sample import LabelRow, list_metrics_of, make_rows_of
from tercet.evaluation.sets.set_answers import SetAnswers, make_document_units, make_label_units
from tercet.evaluation.sets.set_metrics import DocumentMetric, SetMetric, SetMetrics, measure_documents
from tercet.evaluation.standard_errors import StandardErrors, compute_errors, compute_label_errors, derive_all, derive_function

MAX_DRAWN_LABELS = 2_000_000  # labels × resamples, if F1 of each label is drawn: all of them are held in memory
MAX_DRAWN_SUMS = 200_000_000  # labels × resamples of averages over labels
MAX_DRAWN_DOCUMENTS = 1_000_000_000  # different documents × resamples


@dataclass(frozen=True, eq=False)
class SetSample:
    """Sets of gold and predicted labels, and all that intervals need.

    Subset accuracy, and precision and recall of a label, are shares with Wilson's interval. Other metrics have the BCa
    bootstrap interval: documents are drawn with replacement. With very many labels or documents it follows from the standard
    error. `ranked` has the metrics of scores: a number for each document.

    >>> from tercet.counts.label_sets import DocumentLabels
    >>> answers = SetAnswers(DocumentLabels.of([["a", "b"], ["b"]] * 50), DocumentLabels.of([["a"], ["b"]] * 50))
    >>> print(*SetSample(answers, Resampling()).estimate(["micro_f1", "subset_accuracy"]))
    0.800 [0.769, 0.833] 0.500 [0.404, 0.596]
    """

    answers: SetAnswers
    plan: Resampling
    ranked: dict[str, Floats] = field(default_factory=dict)

    @cached_property
    def columns(self) -> dict[str, Floats]:
        """What each document adds to the sums over documents."""
        return measure_documents(self.answers) | self.ranked

    @cached_property
    def metrics(self) -> SetMetrics:
        """All metrics of these documents."""
        return SetMetrics.of(self.answers.sums, self.answers.labels, tuple(self.columns))

    @cached_property
    def label_units(self) -> SamplingUnits:
        """The documents with the sums of each label."""
        return make_label_units([self.answers])

    @cached_property
    def document_units(self) -> SamplingUnits:
        """The documents with what they add to the sums over documents."""
        return make_document_units([self.stack_columns()])

    def stack_columns(self) -> Floats:
        """Documents × columns."""
        return np.stack(list(self.columns.values()), axis=1)

    def estimate(self, names: Iterable[Any]) -> list[Estimate]:
        """Each metric with its interval."""
        found = [self.metrics.find(name) for name in names]
        estimates = {id(metric): self._estimate_share(metric) for metric in found if self._is_share(metric)}
        rest = [metric for metric in found if id(metric) not in estimates]
        of_documents = [metric for metric in rest if isinstance(metric, DocumentMetric)]
        averages = [metric for metric in rest if isinstance(metric, Metric) and metric.label_index is None]
        of_labels = [metric for metric in rest if isinstance(metric, Metric) and metric.label_index is not None]
        estimates |= dict(zip(map(id, of_documents), self._estimate_documents(of_documents), strict=True))
        estimates |= dict(zip(map(id, averages), self._estimate_averages(averages), strict=True))
        estimates |= dict(zip(map(id, of_labels), self._estimate_labels(of_labels), strict=True))
        return [self._add_notes(metric, estimates[id(metric)]) for metric in found]

    def list_rows(self) -> tuple[LabelRow, ...]:
        """Precision, recall and F1 of each label, in the order of the labels."""
        labels = self.answers.labels
        return make_rows_of(labels, self.answers.sums, self.estimate(list_metrics_of(labels)))

    # Shares

    def _is_share(self, metric: SetMetric) -> bool:
        if self.plan.is_drawn:
            return False
        is_of_label = isinstance(metric, Metric) and metric.label_index is not None and metric.part in ("precision", "recall")
        return is_of_label or metric.name == "subset_accuracy"

    def _estimate_share(self, metric: SetMetric) -> Estimate:
        correct, gold, predicted = self.answers.sums
        if not isinstance(metric, Metric) or metric.label_index is None:
            successes, n = float(self.columns["subset_accuracy"].sum()), float(self.answers.n)
        else:
            successes = float(correct[metric.label_index])
            n = float((gold if metric.part == "recall" else predicted)[metric.label_index])
        return estimate_proportion(successes, n, self.plan.confidence, self.plan.share_method)

    # Other metrics

    def _estimate_documents(self, metrics: Sequence[DocumentMetric]) -> list[Estimate]:
        if not metrics:
            return []
        units = self.document_units

        def score(sums: Floats) -> Floats:
            return np.stack([metric(sums) for metric in metrics], axis=-1)

        if len(units.sizes) * self.plan.resamples <= MAX_DRAWN_DOCUMENTS:
            return self._bootstrap(units, score, metrics)
        gradient = np.stack([derive_function(metric, units.total) for metric in metrics], axis=-1)
        return self._estimate_by_errors(metrics, score(units.total), compute_errors(units, gradient))

    def _estimate_averages(self, metrics: Sequence[Metric]) -> list[Estimate]:
        if not metrics:
            return []
        units = self.label_units
        if len(self.answers.labels) * self.plan.resamples <= MAX_DRAWN_SUMS:
            return self._bootstrap(units, lambda sums: score_all(metrics, _unstack(sums)), metrics)
        found = compute_errors(units, derive_all(metrics, self.answers.sums))
        return self._estimate_by_errors(metrics, score_all(metrics, self.answers.sums), found)

    def _estimate_labels(self, metrics: Sequence[Metric]) -> list[Estimate]:
        """Metrics of one label."""
        if not metrics:
            return []
        units = self.label_units
        if len(self.answers.labels) * self.plan.resamples <= MAX_DRAWN_LABELS:
            return self._bootstrap(units, lambda sums: score_all(metrics, _unstack(sums)), metrics)
        tables: dict[str, StandardErrors] = {}
        errors = np.empty(len(metrics))
        for index, metric in enumerate(metrics):
            assert metric.label_score is not None
            assert metric.label_index is not None
            if metric.part not in tables:
                tables[metric.part] = compute_label_errors(units, metric.part, metric.label_score)
            errors[index] = tables[metric.part].errors[metric.label_index]
        found = StandardErrors(errors, np.full(len(metrics), units.effective))
        return self._estimate_by_errors(metrics, score_all(metrics, self.answers.sums), found)

    def _bootstrap(self, units: SamplingUnits, score: ConfusionMetric, metrics: Sequence[SetMetric]) -> list[Estimate]:
        found = bootstrap_metrics(units, score, self.plan)
        return [estimate.cut(metric.bounds) for estimate, metric in zip(found, metrics, strict=True)]

    def _estimate_by_errors(self, metrics: Sequence[SetMetric], values: Floats, found: StandardErrors) -> list[Estimate]:
        confidence = self.plan.confidence
        return [
            Estimate(value, np.nan, np.nan, confidence, "logit", "undefined")
            if np.isnan(value)
            else estimate_between(value, error, effective, confidence, metric.bounds)
            for metric, value, error, effective in zip(
                metrics, values.tolist(), found.errors.tolist(), found.effective.tolist(), strict=True
            )
        ]

    def _add_notes(self, metric: SetMetric, estimate: Estimate) -> Estimate:
        small = note_small_sample(0, self.answers.n, is_weighted=False)
        is_average = isinstance(metric, Metric) and metric.label_index is None
        rare = note_rare_labels(self.answers.labels, self.answers.sums.gold) if is_average and not small else ""
        return estimate.add_note("; ".join(filter(None, [small, rare])))


def _unstack(sums: Floats) -> MarginalSums:
    return MarginalSums(*np.moveaxis(sums, -2, 0))
