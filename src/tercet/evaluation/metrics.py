"""The metrics of confusion matrices by name. Each takes one matrix or any number at once, so that resampling is quick."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.evaluation import agreement
from tercet.evaluation.averages import LabelScore, average_macro, average_micro, average_weighted
from tercet.evaluation.label_metrics import f_score, precision, recall
from tercet.evaluation.margins import Cells, Margins, sum_margins
from tercet.evaluation.metric_names import find_place, unknown_metric

SIGNED = ("mcc", "kappa")
AVERAGES = {"micro": average_micro, "macro": average_macro, "weighted": average_weighted}


@dataclass(frozen=True)
class Metric:
    """A named function from confusion matrices (..., labels, labels) to numbers (...). Undefined is NaN.

    >>> METRICS["macro_recall"](np.array([[[8, 2], [0, 10]], [[5, 5], [5, 5]]]))
    array([0.9, 0.5])
    """

    name: str
    score: Callable[[Margins, float], Floats]
    part: str = ""  # what it is an average of, or picks one label from: precision, recall, f1, f0.5 …
    label_score: LabelScore | None = None  # the numbers of that part
    place: int | None = None  # of the label that it picks

    def __call__(self, cells: Cells, zero_division: float = np.nan) -> Floats:
        """Numbers for matrices, or for their sums; `zero_division` is what 0/0 is taken for."""
        return self.score(sum_margins(cells), zero_division)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest that it can be."""
        return (-1.0, 1.0) if self.name in SIGNED or self.part == "better" else (0.0, 1.0)


def score_all(metrics: Sequence[Metric], margins: Margins) -> Floats:
    """The numbers of several metrics, side by side; those of the labels are worked out for all labels at once.

    >>> labels = np.array(["ham", "spam"])
    >>> score_all([find_metric(f"recall:{label}", labels) for label in labels], sum_margins(np.array([[8, 2], [0, 10]])))
    array([0.8, 1. ])
    """
    tables: dict[str, Floats] = {}
    columns = []
    for metric in metrics:
        if metric.place is None or metric.label_score is None:
            columns.append(metric(margins))
            continue
        if metric.part not in tables:
            tables[metric.part] = metric.label_score(margins, np.nan)
        columns.append(tables[metric.part][..., metric.place])
    return np.stack(columns, axis=-1)


def find_metric(name: Any, labels: Labels) -> Metric:
    """A metric of `METRICS`, with any β in place of the 1 in f1, or of one label: `f1:spam`, `recall:spam`, `f0.5:spam`.

    >>> find_metric("recall:ham", np.array(["ham", "spam"]))(np.array([[8, 2], [0, 10]]))
    array(0.8)
    """
    if isinstance(name, Metric):
        return name
    if isinstance(name, str) and name in METRICS:
        return METRICS[name]
    head, colon, label = str(name).partition(":")
    average, _, part = head.partition("_")
    if isinstance(name, str) and colon and (score := _find_part(head)):
        return pick_label(name, head, score, find_place(name, label, labels))
    if isinstance(name, str) and not colon and average in AVERAGES and (score := _find_part(part)):
        return average_part(average, part, score)
    raise unknown_metric(name, [*METRICS, "precision:LABEL", "recall:LABEL", "f1:LABEL"])


def _find_part(part: str) -> LabelScore | None:
    """
    >>> _find_part("f0.5").keywords
    {'beta': 0.5}
    """
    beta = re.fullmatch(r"f(\d+\.?\d*)", part, re.ASCII)
    return partial(f_score, beta=float(beta[1])) if beta else {"precision": precision, "recall": recall}.get(part)


def average_part(average: str, part: str, score: LabelScore) -> Metric:
    """The micro, macro or weighted average of a score of labels, under the name of both."""
    # A pooled table has no labels: nothing in it is undefined for one of them.
    label_score = None if average == "micro" else score
    return Metric(f"{average}_{part}", partial(AVERAGES[average], score), part, label_score)


def pick_label(name: str, part: str, score: LabelScore, place: int) -> Metric:
    """The score of the label at this place."""
    return Metric(name, partial(_score_label, score, place), part, score, place)


def _score_label(score: LabelScore, place: int, margins: Margins, zero_division: float) -> Floats:
    return np.asarray(score(Margins(*(each[..., [place]] for each in margins)), zero_division)[..., 0])


_WHOLE = (agreement.accuracy, agreement.balanced_accuracy, agreement.mcc, agreement.kappa)
_PARTS: dict[str, LabelScore] = {"precision": precision, "recall": recall, "f1": f_score}
METRICS: dict[str, Metric] = {each.__name__: Metric(each.__name__, each) for each in _WHOLE} | {
    f"{average}_{part}": average_part(average, part, score) for average in AVERAGES for part, score in _PARTS.items()
}
