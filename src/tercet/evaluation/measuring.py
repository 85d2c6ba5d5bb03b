"""The numbers of one confusion: chosen metrics, and those of each label."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.label_metrics import check_beta, f_score, precision, recall
from tercet.evaluation.margins import sum_margins
from tercet.evaluation.metrics import METRICS, average_part, find_metric
from tercet.evaluation.undefined import settle_zero_division


@dataclass(frozen=True, eq=False)
class LabelScores:
    """Precision, recall, F and gold documents of each label, in the order of the labels."""

    labels: Labels
    precision: Floats
    recall: Floats
    f: Floats
    support: Floats


def measure(confusion: Confusion, metrics: Iterable[str] = tuple(METRICS), zero_division: Any = "warn") -> dict[str, float]:
    """The metrics by name, as `find_metric` knows them.

    `zero_division` is what 0/0 counts as: 0.0, 1.0 or nan; "warn" is nan with one warning that names the labels.

    >>> measure(Confusion.of(["a", "a", "b", "b"], ["a", "b", "b", "b"]), ["accuracy", "recall:a"])
    {'accuracy': 0.75, 'recall:a': 0.5}
    """
    found = [find_metric(name, confusion.labels) for name in ([metrics] if isinstance(metrics, str) else metrics)]
    value = settle_zero_division(zero_division, confusion, found)
    margins = sum_margins(confusion.counts)
    return {metric.name: float(metric(margins, value)) for metric in found}


def measure_labels(confusion: Confusion, beta: float = 1.0, zero_division: Any = "warn") -> LabelScores:
    """The numbers of each label; `f` with this β.

    >>> measure_labels(Confusion.of(["a", "a", "b", "b"], ["a", "b", "b", "b"])).f.round(2)
    array([0.67, 0.8 ])
    """
    margins = sum_margins(confusion.counts)
    f_metric = average_part("macro", f"f{check_beta(beta):g}", partial(f_score, beta=beta))
    value = settle_zero_division(zero_division, confusion, [METRICS["macro_precision"], METRICS["macro_recall"], f_metric])
    scores = precision(margins, value), recall(margins, value), f_score(margins, value, beta=beta)
    return LabelScores(confusion.labels, *scores, margins.gold)
