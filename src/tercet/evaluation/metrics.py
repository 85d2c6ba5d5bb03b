"""Metrics of confusion matrices: precision, recall, F, their averages, accuracy, MCC, Cohen's kappa; and each by its name.

The derivative of a metric by the marginal sums says how much it changes if a document is added or left out.

A metric takes one matrix, or any number at once: (..., labels, labels) → (...), so that resampling is quick.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.confusion import Cells, MarginalSums, sum_cells
from tercet.options import is_number

PROBABILITY_NAMES = ("log_loss", "brier", "roc_auc", "average_precision", "calibration_error")
SIGNED = ("mcc", "kappa")
STEP = 1e-6  # of a sum, for a derivative: small, but its square root is far above the rounding of numbers
LabelScore = Callable[[MarginalSums, float], Floats]  # (..., labels) → (..., labels); the number is the value of 0/0


def divide(numerator: Any, denominator: Any, zero_division: float = np.nan) -> Floats:
    """The ratio; `zero_division` where the denominator is 0.

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    result = np.full(numerator.shape, zero_division, np.float64)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


# One number for each label: (..., labels, labels) → (..., labels)


def precision(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Correct documents / documents predicted with the label. Undefined for a label that is never predicted.

    >>> precision(np.array([[8, 2], [0, 10]])).round(3)
    array([1. , 0.833])
    """
    correct, _, predicted = sum_cells(cells)
    return divide(correct, predicted, zero_division)


def recall(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Correct documents / gold documents of the label. Undefined for a label that no gold document has.

    >>> recall(np.array([[8, 2], [0, 10]]))
    array([0.8, 1. ])
    """
    correct, gold, _ = sum_cells(cells)
    return divide(correct, gold, zero_division)


def f_score(cells: Cells, zero_division: float = np.nan, *, beta: float = 1.0) -> Floats:
    """(1 + β²) P R / (β² P + R): recall counts β times as much as precision. β = 0 is precision, β = inf is recall.

    Undefined for a label that is in neither gold nor predicted; 0 if it is in only one of them.

    >>> f_score(np.array([[8, 2], [0, 10]])).round(3)
    array([0.889, 0.909])
    """
    return _f_score(cells, zero_division, check_beta(beta))


def _f_score(cells: Cells, zero_division: float, beta: float) -> Floats:
    if beta == 0:
        return precision(cells, zero_division)
    if np.isinf(beta):
        return recall(cells, zero_division)
    correct, gold, predicted = sum_cells(cells)
    # The same formula in counts, so that it is defined where only precision or only recall is.
    return divide((1 + beta**2) * correct, beta**2 * gold + predicted, zero_division)


def check_beta(beta: Any) -> float:
    if not is_number(beta) or not beta >= 0:
        raise bad_option("beta", "a number >= 0", beta, "recall counts so many times as much as precision.")
    return float(beta)


# Averages over labels. A label that gold has but that is never predicted has precision 0 in them: the system found none of
# its documents. Other undefined values (NaN) are left out: recall of a label that gold does not have, for example.


def average_macro(score: LabelScore, sums: MarginalSums, zero_division: float = np.nan) -> Floats:
    """The mean over the labels: each counts the same, however rare it is.

    >>> float(average_macro(recall, sum_cells(np.array([[8, 2], [0, 10]]))))
    0.9
    >>> float(average_macro(precision, sum_cells(np.array([[90, 0], [10, 0]]))))
    0.45
    """
    return average_defined(_score_known_labels(score, sums, zero_division))


def average_weighted(score: LabelScore, sums: MarginalSums, zero_division: float = np.nan) -> Floats:
    """The mean over the labels, weighted by gold documents; unweighted if no label with a defined score has any."""
    values = _score_known_labels(score, sums, zero_division)
    weights = np.where(np.isnan(values), 0.0, sums.gold)
    has_weight = weights.sum(axis=-1, keepdims=True) > 0
    return average_defined(values, np.where(has_weight, weights, 1.0))


def average_micro(score: LabelScore, sums: MarginalSums, zero_division: float = np.nan) -> Floats:
    """The score of the pooled table of all labels: each document counts the same."""
    pooled = MarginalSums(*(each.sum(axis=-1, keepdims=True) for each in sums))
    return np.asarray(score(pooled, zero_division)[..., 0])


def _score_known_labels(score: LabelScore, sums: MarginalSums, zero_division: float) -> Floats:
    """The score of each label; 0 instead of an undefined one for a label that gold has."""
    values = score(sums, zero_division)
    return np.where(np.isnan(values) & (sums.gold > 0), 0.0, values)


def average_defined(values: Floats, weights: Floats | None = None) -> Floats:
    """The mean over the last axis, without NaN values; NaN if all are NaN.

    >>> average_defined(np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, np.nan]]))
    array([0.75, nan])
    """
    weights = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    return divide((np.nan_to_num(values) * weights).sum(axis=-1), weights.sum(axis=-1))


# One number for all labels together: (..., labels, labels) → (...)


def accuracy(cells: Cells, zero_division: float = np.nan) -> Floats:
    """The share of correct documents.

    >>> float(accuracy(np.array([[8, 2], [0, 10]])))
    0.9
    """
    correct, gold, _ = sum_cells(cells)
    return divide(correct.sum(axis=-1), gold.sum(axis=-1), zero_division)


def balanced_accuracy(cells: Cells, zero_division: float = np.nan) -> Floats:
    """The mean recall of the labels that gold has. Other labels are left out, whatever `zero_division` is.

    >>> float(balanced_accuracy(np.array([[90, 0], [10, 0]])))
    0.5
    """
    value = average_macro(recall, sum_cells(cells))
    return np.where(np.isnan(value), zero_division, value)


def kappa(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Cohen's κ: 1 - (share of wrong answers) / (share of wrong answers expected by chance).

    Undefined if gold and predicted have only one label, and the same one.

    >>> float(kappa(np.array([[8, 2], [0, 10]])))
    0.8
    """
    correct, gold, predicted = sum_cells(cells)
    total = predicted.sum(axis=-1)
    # With only one label each of these terms is exactly 0, whatever the rounding of weights.
    expected = (gold * (total[..., None] - predicted)).sum(axis=-1)
    wrong = divide((total - correct.sum(axis=-1)) * total, expected)
    return np.where(np.isnan(wrong), zero_division, 1 - wrong)


def mcc(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Matthews' correlation coefficient of gold and predicted, for any number of labels.

    Undefined if gold or predicted has only one label: a constant has no correlation.

    >>> float(mcc(np.array([[8, 2], [0, 10]])).round(4))
    0.8165
    """
    correct, gold, predicted = sum_cells(cells)
    covariance = correct.sum(axis=-1) * predicted.sum(axis=-1) - (gold * predicted).sum(axis=-1)
    return divide(covariance, np.sqrt(_variance(gold) * _variance(predicted)), zero_division)


def _variance(sizes: Floats) -> Floats:
    """n² - Σ n_label², as a sum whose terms are exactly 0 if there is only one label."""
    return np.asarray((sizes * (sizes.sum(axis=-1, keepdims=True) - sizes)).sum(axis=-1))


# Derivatives by the correct, gold and predicted documents of each label; 0 where a metric is undefined


def derive_label_score(score: LabelScore, sums: MarginalSums) -> MarginalSums:
    """The derivatives of each label's score by that label's own sums, by small differences.

    >>> derive_label_score(recall, sum_cells(np.array([[8, 2], [0, 10]]))).correct.round(6)
    array([0.1, 0.1])
    """
    derivatives = []
    for k, values in enumerate(sums):
        step = np.where(values > 0, STEP * values, 1.0)
        above, below = (score(sums._replace(**{sums._fields[k]: values + sign * step}), np.nan) for sign in (1, -1))
        derivatives.append(np.where(values > 0, np.nan_to_num((above - below) / (2 * step)), 0.0))
    return MarginalSums(*derivatives)


def derive_macro(score: LabelScore, sums: MarginalSums) -> MarginalSums:
    n_known = int(np.count_nonzero(~np.isnan(_score_known_labels(score, sums, np.nan))))
    return MarginalSums(*(each / max(n_known, 1) for each in derive_label_score(score, sums)))


def derive_weighted(score: LabelScore, sums: MarginalSums) -> MarginalSums:
    values = _score_known_labels(score, sums, np.nan)
    weights = np.where(np.isnan(values), 0.0, sums.gold)
    total, mean = max(float(weights.sum()), 1e-300), average_defined(values, weights)
    correct, gold, predicted = (weights / total * each for each in derive_label_score(score, sums))
    return MarginalSums(correct, gold + np.nan_to_num(values - mean) * (weights > 0) / total, predicted)


def derive_micro(score: LabelScore, sums: MarginalSums) -> MarginalSums:
    pooled = MarginalSums(*(each.sum(axis=-1, keepdims=True) for each in sums))
    return MarginalSums(*(np.repeat(each, sums.gold.shape[-1], axis=-1) for each in derive_label_score(score, pooled)))


def derive_kappa(sums: MarginalSums) -> MarginalSums:
    correct, gold, predicted = sums
    total = predicted.sum()
    expected, wrong = (gold * (total - predicted)).sum(), total - correct.sum()
    by_expected = wrong * total / expected**2
    by_predicted = by_expected * (gold.sum() - gold) - (total + wrong) / expected
    return MarginalSums(np.full(len(gold), total / expected), by_expected * (total - predicted), by_predicted)


def derive_mcc(sums: MarginalSums) -> MarginalSums:
    correct, gold, predicted = sums
    right, total, spread = correct.sum(), predicted.sum(), np.sqrt(_variance(gold) * _variance(predicted))
    value = (right * total - (gold * predicted).sum()) / spread
    by_gold = -predicted / spread - value * (gold.sum() - gold) / _variance(gold)
    by_predicted = (right - gold) / spread - value * (total - predicted) / _variance(predicted)
    return MarginalSums(np.full(len(gold), total / spread), by_gold, by_predicted)


def derive_metric(metric: "Metric", sums: MarginalSums) -> MarginalSums:
    """The derivative of any metric that is defined for these sums.

    >>> derive_metric(METRICS["accuracy"], sum_cells(np.array([[8, 2], [0, 10]]))).correct.round(6)
    array([0.05, 0.05])
    """
    if metric.derive is not None:
        return metric.derive(sums)
    steps = np.diag(STEP * np.concatenate(sums))
    above, below = (metric(_split_sums(np.concatenate(sums) + sign * steps)) for sign in (1, -1))
    steps = 2 * steps.diagonal()
    return _split_sums(np.nan_to_num(divide(above - below, steps)))


def _split_sums(values: Floats) -> MarginalSums:
    return MarginalSums(*np.split(values, 3, axis=-1))


# Metrics by name


@dataclass(frozen=True)
class Metric:
    """A named function from confusion matrices (..., labels, labels) to numbers (...). An undefined number is NaN.

    >>> METRICS["macro_recall"](np.array([[[8, 2], [0, 10]], [[5, 5], [5, 5]]]))
    array([0.9, 0.5])
    """

    name: str
    score: Callable[[MarginalSums, float], Floats]
    derive: Callable[[MarginalSums], MarginalSums] | None = None  # its derivative by each of the sums
    part: str = ""  # the score of labels that it averages or picks from: precision, recall, f1, f0.5 …
    label_score: LabelScore | None = None  # the function for that part
    label_index: int | None = None  # the index of the label that it picks

    def __call__(self, cells: Cells, zero_division: float = np.nan) -> Floats:
        """Numbers for matrices, or for their marginal sums; `zero_division` is the value of 0/0."""
        return self.score(sum_cells(cells), zero_division)

    @property
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible value."""
        return (-1.0, 1.0) if self.name in SIGNED or self.part == "better" else (0.0, 1.0)


def score_all(metrics: Sequence[Metric], sums: MarginalSums) -> Floats:
    """The numbers of several metrics, side by side. Metrics of one label are computed for all labels at once.

    >>> labels = np.array(["ham", "spam"])
    >>> score_all([find_metric(f"recall:{label}", labels) for label in labels], sum_cells(np.array([[8, 2], [0, 10]])))
    array([0.8, 1. ])
    """
    tables: dict[str, Floats] = {}
    columns = []
    for metric in metrics:
        if metric.label_index is None or metric.label_score is None:
            columns.append(metric(sums))
            continue
        if metric.part not in tables:
            tables[metric.part] = metric.label_score(sums, np.nan)
        columns.append(tables[metric.part][..., metric.label_index])
    return np.stack(columns, axis=-1)


def find_metric(name: Any, labels: Labels) -> Metric:
    """A metric of `METRICS`, also with any β instead of the 1 in f1, or of one label: `f1:spam`, `recall:spam`, `f0.5:spam`.

    >>> find_metric("recall:ham", np.array(["ham", "spam"]))(np.array([[8, 2], [0, 10]]))
    array(0.8)
    """
    if isinstance(name, Metric):
        return name
    if isinstance(name, str) and name in METRICS:
        return METRICS[name]
    head, colon, label = str(name).partition(":")
    average, _, part = head.partition("_")
    if isinstance(name, str) and colon and (score := parse_part(head)):
        return pick_label(name, head, score, find_label_index(name, label, labels))
    if isinstance(name, str) and not colon and average in AVERAGES and (score := parse_part(part)):
        return average_part(average, part, score)
    raise unknown_metric(name, [*METRICS, "precision:LABEL", "recall:LABEL", "f1:LABEL", "f2:LABEL"])


def find_label_index(name: str, label: str, labels: Labels) -> int:
    """The index of the label that a metric names by its text: `recall:3` is the recall of the label 3.

    >>> find_label_index("recall:3", "3", np.array([1, 3]))
    1
    """
    spelled = [str(known) for known in labels.tolist()]
    if label not in spelled:
        nearest = get_close_matches(label, spelled, n=1, cutoff=0)[0]
        raise InvalidOption(
            f"{name!r} asks for the label {label!r}, which is in neither gold nor predicted. Did you mean {nearest!r}?"
        )
    return spelled.index(label)


def unknown_metric(name: Any, known: list[str]) -> InvalidOption:
    """
    >>> print(unknown_metric("makro_f1", ["accuracy", "macro_f1"]))
    there is no metric 'makro_f1'. Did you mean 'macro_f1'? There are accuracy, macro_f1.
    """
    if str(name).partition(":")[0] in PROBABILITY_NAMES and not set(PROBABILITY_NAMES) & set(known):
        return InvalidOption(f"the metric {name!r} needs probabilities, documents × labels: labels alone are not enough.")
    nearest = get_close_matches(str(name), known, n=1, cutoff=0)[0]
    return InvalidOption(f"there is no metric {name!r}. Did you mean {nearest!r}? There are {', '.join(known)}.")


def average_part(average: str, part: str, score: LabelScore) -> Metric:
    """The micro, macro or weighted average of a score of labels, such as `macro_f1`."""
    # A pooled table has no labels, so that no label can be undefined in it.
    label_score = None if average == "micro" else score
    return Metric(f"{average}_{part}", partial(AVERAGES[average], score), partial(DERIVED[average], score), part, label_score)


def pick_label(name: str, part: str, score: LabelScore, label_index: int) -> Metric:
    """The score of the label with this index."""
    return Metric(name, partial(_score_label, score, label_index), None, part, score, label_index)


def parse_part(part: str) -> LabelScore | None:
    """The score of labels that a name such as precision, recall, f1 or f0.5 means; None for any other name.

    >>> parse_part("f0.5").keywords
    {'beta': 0.5}
    """
    beta = re.fullmatch(r"f(\d+\.?\d*)", part, re.ASCII)
    return partial(_f_score, beta=float(beta[1])) if beta else {"precision": precision, "recall": recall}.get(part)


def _score_label(score: LabelScore, label_index: int, sums: MarginalSums, zero_division: float) -> Floats:
    return np.asarray(score(MarginalSums(*(each[..., [label_index]] for each in sums)), zero_division)[..., 0])


AVERAGES = {"micro": average_micro, "macro": average_macro, "weighted": average_weighted}
DERIVED = {"micro": derive_micro, "macro": derive_macro, "weighted": derive_weighted}
LABEL_SCORES: dict[str, LabelScore] = {"precision": precision, "recall": recall, "f1": partial(_f_score, beta=1.0)}
METRICS: dict[str, Metric] = {
    "accuracy": Metric("accuracy", accuracy, partial(derive_micro, recall)),
    "balanced_accuracy": Metric("balanced_accuracy", balanced_accuracy, partial(derive_macro, recall)),
    "mcc": Metric("mcc", mcc, derive_mcc),
    "kappa": Metric("kappa", kappa, derive_kappa),
} | {f"{average}_{part}": average_part(average, part, score) for average in AVERAGES for part, score in LABEL_SCORES.items()}
