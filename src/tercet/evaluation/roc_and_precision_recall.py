"""The precision–recall curve and the ROC curve of a label, and the threshold that gives a wanted precision."""

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import make_labels
from tercet.errors import InvalidLabel, bad_option, suggest
from tercet.evaluation.intervals import Estimate, format_rounded
from tercet.evaluation.metrics import divide
from tercet.evaluation.probabilities import ProbabilisticPredictions, rank_documents
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import EvaluatedDocuments, Sample
from tercet.options import is_number

ROUNDING = 1e-12  # a precision of weighted documents that is lower only by this much is the wanted one
MAX_DIGITS = 17  # of a threshold
CHOSEN = "the threshold was chosen on these documents, so its precision on others is lower on average: measure it on others"


@dataclass(frozen=True, eq=False)
class PrecisionRecallCurve:
    """Precision and recall of one label if it is the answer for all documents with P(label) >= threshold.

    There is one point for each probability that occurs, in ascending order: documents with equal probabilities are answered
    together. `answered` is the share of all documents that get this answer. Recall is NaN if no document has the label.

    >>> predictions = ProbabilisticPredictions.of(["ham", "spam", "spam"], [[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]])
    >>> curve = compute_precision_recall_curve(predictions, "spam")
    >>> curve.thresholds, curve.precision, curve.recall
    (array([0.1, 0.5, 0.8]), array([0.66666667, 1. , 1. ]), array([1. , 1. , 0.5]))
    """

    label: Any
    thresholds: Floats
    precision: Floats
    recall: Floats
    answered: Floats


@dataclass(frozen=True)
class Threshold:
    """A threshold on the probability of a label, and how good the answers are that reach it.

    `wanted` is the precision that it was chosen for; None for a threshold that was given. `threshold` is inf if no threshold
    reaches that precision; `best` is the highest precision of any threshold. `answered` is the share of all `n` documents
    that get the label.
    """

    label: Any
    wanted: float | None
    threshold: float
    precision: Estimate
    recall: Estimate
    answered: Estimate
    best: float
    n: int

    @property
    def is_reached(self) -> bool:
        """Whether there is such a threshold."""
        return self.threshold < math.inf

    def __str__(self) -> str:
        if not self.is_reached:
            highest = format_rounded(self.best)
            return f"no threshold gives {self.label!r} a precision of {self.wanted:g}: the highest is {highest}"
        return (
            f"{self.label!r} if its probability is at least {self.threshold!r}: precision {self.precision}, "
            f"recall {self.recall}, {self.answered:.1%} of {self.n} documents answered"
        )


def compute_precision_recall_curve(forecast: ProbabilisticPredictions, label: Any) -> PrecisionRecallCurve:
    """The curve of a label. Documents of weight 0 do not count."""
    column = find_column(forecast, label)
    used = forecast.weights > 0
    probabilities, weights = forecast.probabilities[used, column], forecast.weights[used]
    order = np.argsort(-probabilities, kind="stable")
    falling, weights, is_gold = probabilities[order], weights[order], forecast.gold[used][order] == column
    ends = np.flatnonzero(np.diff(falling, append=-1.0))[::-1]  # the last document of each group of equal probabilities
    answered, right = np.cumsum(weights)[ends], np.cumsum(weights * is_gold)[ends]
    total = float((weights * is_gold).sum())
    recall = right / total if total else np.full(len(ends), np.nan)
    return PrecisionRecallCurve(label, falling[ends], right / answered, recall, answered / weights.sum())


def find_threshold(
    forecast: ProbabilisticPredictions, label: Any, precision: float, plan: Resampling, groups: Integers | None = None
) -> Threshold:
    """The lowest threshold with at least this precision on these documents: of all such thresholds it has the highest recall.

    It is the shortest number that gives the same answers. Its precision on other documents is lower on average, because it
    was chosen on these; the estimate has a note that says so.
    """
    if not is_number(precision) or not 0 < precision <= 1:
        raise bad_option("precision", "a number above 0 and at most 1", precision, "it is a share of answers. Try 0.95.")
    curve = compute_precision_recall_curve(forecast, label)
    enough = np.flatnonzero(curve.precision >= precision * (1 - ROUNDING))
    if not len(enough):
        return _measure(forecast, label, math.inf, float(precision), float(curve.precision.max()), plan, groups)
    at = int(enough[0])
    below = float(curve.thresholds[at - 1]) if at else -1.0
    threshold = shorten_threshold(below, float(curve.thresholds[at]))
    return _measure(forecast, label, threshold, float(precision), float(curve.precision.max()), plan, groups)


def measure_threshold(
    forecast: ProbabilisticPredictions, label: Any, threshold: float, plan: Resampling, groups: Integers | None = None
) -> Threshold:
    """How good the answers are that reach this threshold, for example one that was chosen on other documents."""
    if not is_number(threshold) or not 0 <= threshold <= 1:
        raise bad_option("threshold", "a number from 0 to 1", threshold, "it is the lowest probability of an answer.")
    best = float(compute_precision_recall_curve(forecast, label).precision.max())
    return _measure(forecast, label, float(threshold), None, best, plan, groups)


def shorten_threshold(below: float, threshold: float) -> float:
    """The number with the fewest digits that is above `below` and at most `threshold`.

    >>> shorten_threshold(0.71828, 0.73251), shorten_threshold(0.9999, 0.99994), shorten_threshold(0.0, 1e-30)
    (0.73, 0.99994, 1e-30)
    """
    for digits in range(1, MAX_DIGITS + 1):
        shorter = float(Decimal(repr(threshold)).quantize(Decimal(1).scaleb(-digits), ROUND_FLOOR))
        if below < shorter <= threshold:
            return shorter
    return threshold


def _measure(
    forecast: ProbabilisticPredictions,
    label: Any,
    threshold: float,
    wanted: float | None,
    best: float,
    plan: Resampling,
    groups: Integers | None,
) -> Threshold:
    column = find_column(forecast, label)
    gold = (forecast.gold == column).astype(np.int64)
    answers = (forecast.probabilities[:, column] >= threshold).astype(np.int64)
    precision, recall = _sample(forecast, gold, answers, plan, groups).estimate(["precision:label", "recall:label"])
    # The recall of answers among documents that all should be answered is the share of answers.
    (answered,) = _sample(forecast, np.ones_like(gold), answers, plan, groups).estimate(["recall:label"])
    if wanted is not None and threshold < math.inf:
        precision = precision.add_note(CHOSEN)
    n = int((forecast.weights > 0).sum())
    return Threshold(label, wanted, threshold, precision, recall, answered, best, n)


def _sample(
    forecast: ProbabilisticPredictions, gold: Integers, answers: Integers, plan: Resampling, groups: Integers | None
) -> Sample:
    is_plain = bool((forecast.weights == 1).all())
    names = make_labels(["another", "label"])  # in the order of their codes
    return Sample.of_documents(EvaluatedDocuments(names, gold, answers, None if is_plain else forecast.weights, groups), plan)


def find_column(forecast: ProbabilisticPredictions, label: Any) -> int:
    """The position of a label among the columns of the probabilities."""
    labels: list[Any] = forecast.labels.tolist()
    if label not in labels:
        shown = ", ".join(map(repr, labels[:10])) + (", …" if len(labels) > 10 else "")
        raise InvalidLabel(
            f"no probabilities are known for the label {label!r}: there is {shown}.{suggest(label, labels)} Name one of these."
        )
    return labels.index(label)


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The two rates of one label if it is the answer for all documents with P(label) >= threshold.

    `recall` is the share of the label's documents that get it (true positive rate), `false_positive_rate` the share of all
    other documents that get it. The first point is (0, 0), where no document gets it; its threshold is inf. Then there is one
    point for each probability that occurs, in descending order: documents with equal probabilities are answered together. The
    last point is (1, 1). The area under the straight lines between the points is the metric `roc_auc`. A rate is NaN if no
    document counts for it.

    >>> predictions = ProbabilisticPredictions.of(["ham", "spam", "spam"], [[0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> curve = compute_roc_curve(predictions, "spam")
    >>> curve.thresholds, curve.false_positive_rate, curve.recall
    (array([inf, 0.8, 0.4, 0.3]), array([0., 0., 1., 1.]), array([0. , 0.5, 0.5, 1. ]))
    """

    label: Any
    thresholds: Floats
    false_positive_rate: Floats
    recall: Floats


def compute_roc_curve(forecast: ProbabilisticPredictions, label: Any) -> RocCurve:
    """The curve of a label against all other labels. Documents of weight 0 do not count."""
    column = find_column(forecast, label)
    own, others = rank_documents(forecast, column)
    thresholds = np.unique(forecast.probabilities[:, column])[::-1]
    counts = own + others > 0
    rates = [_accumulate(weights[counts]) for weights in (others, own)]
    return RocCurve(label, np.concatenate([[np.inf], thresholds[counts]]), *rates)


def _accumulate(weights: Floats) -> Floats:
    """The share of all weight up to each rank, from 0 to 1."""
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return divide(sums, sums[-1])
