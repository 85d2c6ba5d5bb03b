"""The numbers of each label."""

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from tercet.evaluation import label_metrics
from tercet.evaluation.averages import LabelScore
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.metrics import Metric, pick_label
from tercet.report.sample import Sample


class LabelRow(NamedTuple):
    """One label: of the documents predicted so, of those that are so, both together; `support` is its gold documents."""

    label: Any
    precision: Estimate
    recall: Estimate
    f1: Estimate
    support: float
    predicted: float


_PARTS: dict[str, LabelScore] = {
    "precision": label_metrics.precision,
    "recall": label_metrics.recall,
    "f1": partial(label_metrics.f_score, beta=1.0),
}


def list_label_metrics(sample: Sample) -> list[Metric]:
    """Three for each label, in their order."""
    labels = enumerate(sample.confusion.labels.tolist())
    return [pick_label(f"{part}:{label}", part, score, place) for place, label in labels for part, score in _PARTS.items()]


def make_rows(sample: Sample, estimates: Sequence[Estimate]) -> tuple[LabelRow, ...]:
    """A row for each label, from the estimates of `list_label_metrics`.

    >>> from tercet.evaluation.confusion import Confusion
    >>> sample = Sample.of(Confusion.of(["a", "a", "b", "b"], ["a", "b", "b", "b"]))
    >>> row = make_rows(sample, sample.estimate(list_label_metrics(sample)))[0]
    >>> print(row.label, row.recall, row.support)
    a 0.500 [0.095, 0.905] 2.0
    """
    counts = sample.confusion.counts
    columns = sample.confusion.labels.tolist(), counts.sum(axis=1).tolist(), counts.sum(axis=0).tolist()
    parts = estimates[0::3], estimates[1::3], estimates[2::3]
    return tuple(
        LabelRow(label, precision, recall, f1, support, predicted)
        for label, support, predicted, precision, recall, f1 in zip(*columns, *parts, strict=True)
    )
