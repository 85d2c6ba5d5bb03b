"""The majority baseline: the metrics of always answering the majority label, and how much better the system is.

The majority label is the most frequent label of the training data. If that is not known, it is that of the test documents.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.characters import show_line
from tercet.evaluation.confusion import Cells, MarginalSums, sum_cells
from tercet.evaluation.intervals import Estimate, format_rounded
from tercet.evaluation.metrics import Metric, derive_metric
from tercet.evaluation.sample import Sample

ABSENT = -1  # the index of a label that the test documents do not have


@dataclass(frozen=True, eq=False)
class Baseline:
    """Metrics of the majority label as the only answer, and the system's metrics minus these, on the same documents.

    `of` says which documents have this label most often: `"training"`, or `"test"` if the training data are not known.
    `most_frequent` is the most frequent label of the test documents.
    """

    label: Any
    estimates: dict[str, Estimate]
    differences: dict[str, Estimate]
    of: str = "test"
    most_frequent: Any = None

    @property
    def note(self) -> str:
        """What to say if training data and test documents have different majority labels; otherwise an empty string."""
        if self.of == "test" or self.label == self.most_frequent:
            return ""
        return (
            f"The majority label is that of the training data, {show_line(self.label)!r}. In the test documents "
            f"{show_line(self.most_frequent)!r} is the most frequent."
        )

    @property
    def doubt(self) -> str:
        """What to say if the system is not shown to be more often right than the majority label; otherwise an empty string."""
        if self.differences["accuracy"].low > 0:
            return ""
        return f"Not shown to be better than always answering {show_line(self.label)!r}: accuracy {self._compare()}."

    def _compare(self) -> str:
        majority, better = self.accuracy, self.differences["accuracy"]
        return f"{format_rounded(majority.value + better.value)} against {format_rounded(majority.value)}, better by {better}"

    @property
    def accuracy(self) -> Estimate:
        return self.estimates["accuracy"]

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]


def find_majority(sample: Sample, label: Any) -> int:
    """The index of the majority label; -1 if no document has it and it was never predicted.

    `label` is that of the training data; None if it is not known: then it is that of the test documents.
    """
    if label is None:
        return sample.confusion.majority_index
    labels = sample.confusion.labels.tolist()
    return labels.index(label) if label in labels else ABSENT


def list_majority_metrics(sample: Sample, names: Iterable[str], label: Any = None) -> list[Metric]:
    """Accuracy and the named metrics of labels: those of the majority label, then the system's minus those.

    All are metrics of the system's own matrices, so that the same resamples serve for all.
    """
    found = [metric for name in dict.fromkeys(["accuracy", *names]) if isinstance(metric := sample.find(name), Metric)]
    label_index = find_majority(sample, label)
    both = (
        Metric(metric.name, partial(score, metric, label_index), partial(derive, metric, label_index), part)
        for score, derive, part in ((_score_majority, _derive_majority, "majority"), (_score_better, _derive_better, "better"))
        for metric in found
    )
    return list(both)


def make_baseline(sample: Sample, metrics: Sequence[Metric], estimates: Sequence[Estimate], label: Any = None) -> Baseline:
    """From the metrics of `list_majority_metrics` and their estimates.

    >>> from tercet.evaluation.confusion import Confusion
    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b", "b"], ["a", "b", "b", "b", "b"]))
    >>> metrics = list_majority_metrics(sample, [])
    >>> baseline = make_baseline(sample, metrics, sample.estimate(metrics))
    >>> print(baseline.label, baseline.accuracy, baseline.differences["accuracy"])
    b 0.600 [0.231, 0.882] 0.200 [0.000, 0.800]
    >>> baseline.doubt
    "Not shown to be better than always answering 'b': accuracy 0.800 against 0.600, better by 0.200 [0.000, 0.800]."
    """
    own, better = (
        {metric.name: each for metric, each in zip(metrics, estimates, strict=True) if metric.part == part}
        for part in ("majority", "better")
    )
    most_frequent = sample.confusion.majority_label
    of, label = ("test", most_frequent) if label is None else ("training", label)
    return Baseline(label, own, better, of, most_frequent)


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
    answered = 0.0 if label_index == ABSENT else predicted[label_index]
    by_gold = gold + answered + correct * (np.arange(len(gold)) == label_index)
    return MarginalSums(np.zeros_like(gold), np.where(sums.gold > 0, by_gold, 0.0), np.zeros_like(gold))


def _derive_better(metric: Metric, label_index: int, sums: MarginalSums) -> MarginalSums:
    own, majority = derive_metric(metric, sums), _derive_majority(metric, label_index, sums)
    return MarginalSums(*(a - b for a, b in zip(own, majority, strict=True)))
