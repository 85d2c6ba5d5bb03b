"""One number for all labels together: (..., labels, labels) → (...)."""

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.averages import average_macro
from tercet.evaluation.label_metrics import recall
from tercet.evaluation.margins import Cells, divide, sum_margins


def accuracy(cells: Cells, zero_division: float = np.nan) -> Floats:
    """The share of the documents answered right.

    >>> float(accuracy(np.array([[8, 2], [0, 10]])))
    0.9
    """
    correct, gold, _ = sum_margins(cells)
    return divide(correct.sum(axis=-1), gold.sum(axis=-1), zero_division)


def balanced_accuracy(cells: Cells, zero_division: float = np.nan) -> Floats:
    """The mean recall of the labels that gold has; others are none of its business, whatever `zero_division` is.

    >>> float(balanced_accuracy(np.array([[90, 0], [10, 0]])))
    0.5
    """
    value = average_macro(recall, sum_margins(cells))
    return np.where(np.isnan(value), zero_division, value)


def kappa(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Cohen's κ: 1 - (share of wrong answers) / (share of wrong answers that chance would give).

    Undefined if gold and predicted have one and the same label only.

    >>> float(kappa(np.array([[8, 2], [0, 10]])))
    0.8
    """
    correct, gold, predicted = sum_margins(cells)
    total = predicted.sum(axis=-1)
    # With one label alone each of these terms is exactly 0, whatever the rounding of weights.
    expected = (gold * (total[..., None] - predicted)).sum(axis=-1)
    wrong = divide((total - correct.sum(axis=-1)) * total, expected)
    return np.where(np.isnan(wrong), zero_division, 1 - wrong)


def mcc(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Matthews' correlation coefficient of gold and predicted, for any number of labels.

    Undefined if gold has one label only, or predicted has: what does not vary has no correlation.

    >>> float(mcc(np.array([[8, 2], [0, 10]])).round(4))
    0.8165
    """
    correct, gold, predicted = sum_margins(cells)
    covariance = correct.sum(axis=-1) * predicted.sum(axis=-1) - (gold * predicted).sum(axis=-1)
    return divide(covariance, np.sqrt(_variance(gold) * _variance(predicted)), zero_division)


def _variance(sizes: Floats) -> Floats:
    """n² - Σ n_label², as a sum whose terms are exactly 0 if there is one label only."""
    return np.asarray((sizes * (sizes.sum(axis=-1, keepdims=True) - sizes)).sum(axis=-1))
