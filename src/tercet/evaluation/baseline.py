"""The majority baseline: the metrics of always answering the most frequent gold label, and how much better the system is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.confusion import Cells, Confusion, MarginalSums, sum_cells
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metrics import Metric
from tercet.evaluation.sample import OF_ALL, Sample


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
    place = sample.confusion.majority_place
    own = [Metric(metric.name, partial(_score_majority, metric, place), "majority") for metric in found]
    return own + [Metric(metric.name, partial(_score_better, metric, place), "better") for metric in found]


def make_baseline(sample: Sample, metrics: Sequence[Metric], estimates: Sequence[Estimate]) -> Baseline:
    """From the metrics of `list_majority_metrics` and their estimates.

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
    if sample.groups is None:
        majority = replace(sample, confusion=make_majority_confusion(sample.confusion))
        proportions = [name for name in own if name in OF_ALL]
        own |= dict(zip(proportions, majority.estimate(proportions), strict=True))
    return Baseline(sample.confusion.majority_label, own, better)


def make_majority_confusion(confusion: Confusion) -> Confusion:
    """The same gold documents, all answered by the majority label (the first of several).

    >>> make_majority_confusion(Confusion.of(["a", "b", "b"], ["a", "a", "c"])).counts
    array([[0., 1., 0.], [0., 2., 0.], [0., 0., 0.]])
    """
    counts = np.zeros_like(confusion.counts)
    counts[:, confusion.majority_place] = confusion.support
    return Confusion(confusion.labels, counts, confusion.n)


def sum_majority_cells(cells: Cells, place: int) -> MarginalSums:
    """The marginal sums if all documents were answered by the label with this index.

    So a resample of the system's matrix is also a resample of the baseline's, with the same documents.

    >>> sum_majority_cells(np.array([[8, 2], [1, 4]]), place=0)
    MarginalSums(correct=array([10., 0.]), gold=array([10., 5.]), predicted=array([15., 0.]))
    """
    gold = sum_cells(cells).gold
    is_majority = np.arange(gold.shape[-1]) == place
    return MarginalSums(gold * is_majority, gold, gold.sum(axis=-1, keepdims=True) * is_majority)


def _score_majority(metric: Metric, place: int, sums: MarginalSums, zero_division: float) -> Floats:
    return metric(sum_majority_cells(sums, place), zero_division)


def _score_better(metric: Metric, place: int, sums: MarginalSums, zero_division: float) -> Floats:
    return metric(sums, zero_division) - _score_majority(metric, place, sums, zero_division)
