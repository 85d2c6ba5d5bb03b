"""What always answering the most frequent gold label would give, and how much better the system is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from tercet.arrays import Floats
from tercet.evaluation.baseline import majority_confusion, majority_margins
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.margins import Margins
from tercet.evaluation.metrics import Metric
from tercet.report.sample import OF_ALL, Sample


@dataclass(frozen=True, eq=False)
class Baseline:
    """Metrics of the majority label as the only answer, and the system's minus these, on the same documents."""

    label: Any
    estimates: dict[str, Estimate]
    differences: dict[str, Estimate]

    @property
    def accuracy(self) -> Estimate:
        return self.estimates["accuracy"]

    def __getitem__(self, name: str) -> Estimate:
        return self.estimates[name]


def list_majority_metrics(sample: Sample, names: Iterable[str]) -> list[Metric]:
    """Accuracy and those of the metrics that need labels only: of the majority label, and the system's minus that.

    Both are metrics of the system's own matrices, so that one draw of documents serves for all.
    """
    found = [metric for name in dict.fromkeys(["accuracy", *names]) if isinstance(metric := sample.find(name), Metric)]
    place = sample.confusion.majority_place
    own = [Metric(metric.name, partial(_score_majority, metric, place), "majority") for metric in found]
    return own + [Metric(metric.name, partial(_score_better, metric, place), "better") for metric in found]


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
    if sample.units is None:
        majority = replace(sample, confusion=majority_confusion(sample.confusion))
        proportions = [name for name in own if name in OF_ALL]
        own |= dict(zip(proportions, majority.estimate(proportions), strict=True))
    return Baseline(sample.confusion.majority_label, own, better)


def _score_majority(metric: Metric, place: int, margins: Margins, zero_division: float) -> Floats:
    return metric(majority_margins(margins, place), zero_division)


def _score_better(metric: Metric, place: int, margins: Margins, zero_division: float) -> Floats:
    return metric(margins, zero_division) - _score_majority(metric, place, margins, zero_division)
