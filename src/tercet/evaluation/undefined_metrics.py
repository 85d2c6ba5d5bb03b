"""Warnings about metrics that divide 0 by 0: which ones, for which labels, and why. Their value is NaN."""

import warnings
from collections.abc import Iterable

import numpy as np

from tercet.evaluation.confusion import Confusion, MarginalSums, sum_cells
from tercet.evaluation.metrics import Metric
from tercet.evaluation.probabilities import ProbabilisticPredictions
from tercet.evaluation.probability_metrics import ProbabilityMetric


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
    sums, labels = sum_cells(confusion.counts), confusion.labels.tolist()
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
    sums = sum_cells(confusion.counts)
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
