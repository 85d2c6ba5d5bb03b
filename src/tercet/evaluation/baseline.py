"""The majority baseline: the metrics of always answering the most frequent gold label, and how much better the system is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.confusion import Cells, MarginalSums, sum_cells
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metrics import Metric, derive_metric
from tercet.evaluation.sample import Sample


@dataclass(frozen=True, eq=False)
class Baseline:
    """Metrics of the majority label as the only answer, and the system's metrics minus these, on the same documents."""

    label: Any
    estimates: dict[str, Estimate]
    differences: dict[str, Estimate]

    @property
    def accuracy(self) -> Estimate:
        return self.estimates["accuracy"]

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]


def list_majority_metrics(sample: Sample, names: Iterable[str]) -> list[Metric]:
    """Accuracy and the named metrics of labels: those of the majority label, then the system's minus those.

    All are metrics of the system's own matrices, so that the same resamples serve for all.
    """
    found = [metric for name in dict.fromkeys(["accuracy", *names]) if isinstance(metric := sample.find(name), Metric)]
    label_index = sample.confusion.majority_index
    both = (
        Metric(metric.name, partial(score, metric, label_index), partial(derive, metric, label_index), part)
        for score, derive, part in ((_score_majority, _derive_majority, "majority"), (_score_better, _derive_better, "better"))
        for metric in found
    )
    return list(both)


def make_baseline(sample: Sample, metrics: Sequence[Metric], estimates: Sequence[Estimate]) -> Baseline:
    """From the metrics of `list_majority_metrics` and their estimates.

    >>> from tercet.evaluation.confusion import Confusion
    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "b"]))
    >>> metrics = list_majority_metrics(sample, [])
    >>> baseline = make_baseline(sample, metrics, sample.estimate(metrics))
    >>> print(baseline.label, baseline.accuracy, baseline.differences["accuracy"])
    b 0.600 [0.231, 0.882] 0.200 [0.000, 0.800]
    """
    own, better = (
        {metric.name: each for metric, each in zip(metrics, estimates, strict=True) if metric.part == part}
        for part in ("majority", "better")
    )
    return Baseline(sample.confusion.majority_label, own, better)


def sum_majority_cells(cells: Cells, label_index: int) -> MarginalSums:
    """The marginal sums if all documents were answered by the label with this index.

    So a resample of the system's matrix is also a resample of the baseline's, with the same documents.

    >>> sum_majority_cells(np.array([[8, 2], [1, 4]]), label_index=0)
    MarginalSums(correct=array([10., 0.]), gold=array([10., 5.]), predicted=array([15., 0.]))
    """
    gold = sum_cells(cells).gold
    is_majority = np.arange(gold.shape[-1]) == label_index
    return MarginalSums(gold * is_majority, gold, gold.sum(axis=-1, keepdims=True) * is_majority)


def _score_majority(metric: Metric, label_index: int, sums: MarginalSums, zero_division: float) -> Floats:
    return metric(sum_majority_cells(sums, label_index), zero_division)


def _score_better(metric: Metric, label_index: int, sums: MarginalSums, zero_division: float) -> Floats:
    return metric(sums, zero_division) - _score_majority(metric, label_index, sums, zero_division)


def _derive_majority(metric: Metric, label_index: int, sums: MarginalSums) -> MarginalSums:
    correct, gold, predicted = derive_metric(metric, sum_majority_cells(sums, label_index))
    by_gold = gold + predicted[label_index] + correct * (np.arange(len(gold)) == label_index)
    return MarginalSums(np.zeros_like(gold), np.where(sums.gold > 0, by_gold, 0.0), np.zeros_like(gold))


def _derive_better(metric: Metric, label_index: int, sums: MarginalSums) -> MarginalSums:
    own, majority = derive_metric(metric, sums), _derive_majority(metric, label_index, sums)
    return MarginalSums(*(a - b for a, b in zip(own, majority, strict=True)))
