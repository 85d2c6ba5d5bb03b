"""What to do about 0/0: it is NaN, and one warning says for which labels and why, unless the user chose a number."""

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from tercet.errors import bad_option
from tercet.evaluation.confusion import Confusion
from tercet.evaluation.margins import Margins, sum_margins
from tercet.evaluation.metrics import Metric
from tercet.options import is_number


class UndefinedMetric(UserWarning):
    """A metric divides 0 by 0."""


def settle_zero_division(zero_division: Any, confusion: Confusion, metrics: Iterable[Metric]) -> float:
    """The number that 0/0 is taken for. For "warn" it is NaN, after one warning about all that is undefined.

    >>> settle_zero_division(0, Confusion.of(["a"], ["b"]), [])
    0.0
    """
    if isinstance(zero_division, str) and zero_division == "warn":
        undefined = describe_undefined(confusion, metrics)
        if undefined:
            warn_undefined(undefined, "Pass zero_division=0.0, 1.0 or nan to choose what 0/0 is.", stacklevel=3)
        return np.nan
    if not is_number(zero_division) or not (zero_division in (0, 1) or np.isnan(zero_division)):
        raise bad_option("zero_division", '"warn", 0.0, 1.0 or nan', zero_division, "that is what 0/0 is taken for.")
    return float(zero_division)


def warn_undefined(undefined: list[str], remedy: str, *, stacklevel: int) -> None:
    """One warning for all of it; `stacklevel` as `warnings.warn` counts it, from the caller of this."""
    message = f"{'; '.join(undefined)}. What is undefined is NaN, and averages over labels leave it out. {remedy}"
    warnings.warn(message, UndefinedMetric, stacklevel=stacklevel + 1)


def describe_undefined(confusion: Confusion, metrics: Iterable[Metric]) -> list[str]:
    """What divides 0 by 0, for which labels, and why; nothing twice.

    >>> from tercet.evaluation.metrics import METRICS
    >>> describe_undefined(Confusion.of(["a"], ["b"]), METRICS.values())
    ['mcc is undefined: gold or predicted has one label only',
     "precision is undefined for 'a' (never predicted)", "recall is undefined for 'b' (not in gold)"]
    """
    margins, labels = sum_margins(confusion.counts), confusion.labels.tolist()
    said: dict[str, None] = {}
    for metric in metrics:
        if metric.label_score is not None:
            places = np.flatnonzero(np.isnan(metric.label_score(margins, np.nan))).tolist()
            places = places if metric.place is None else [place for place in places if place == metric.place]
            names = [f"{labels[place]!r} ({_explain(margins, place)})" for place in places]
            if names:
                said[f"{metric.part} is undefined for {join_some(names)}"] = None
        elif np.isnan(metric(margins)):
            said[f"{metric.name} is undefined: {_WHY.get(metric.name, 'there are no documents')}"] = None
    return list(said)


def join_some(names: list[str], most: int = 10) -> str:
    """
    >>> join_some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    return ", ".join(names) if len(names) <= most else f"{', '.join(names[:most])} and {len(names) - most} more"


_WHY = {"mcc": "gold or predicted has one label only", "kappa": "gold and predicted have the same one label only"}


def _explain(margins: Margins, place: int) -> str:
    if margins.gold[place]:
        return "never predicted"
    return "not in gold" if margins.predicted[place] else "in neither gold nor predicted"
