"""One number from those of the labels. What is undefined (NaN) is left out, as scikit-learn does with zero_division=nan."""

from collections.abc import Callable

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.margins import Margins, divide

LabelScore = Callable[[Margins, float], Floats]  # (..., labels) → (..., labels), and what 0/0 is


def average_macro(score: LabelScore, margins: Margins, zero_division: float = np.nan) -> Floats:
    """The mean over the labels: each counts the same, however rare.

    >>> from tercet.evaluation.label_metrics import recall
    >>> from tercet.evaluation.margins import sum_margins
    >>> float(average_macro(recall, sum_margins(np.array([[8, 2], [0, 10]]))))
    0.9
    """
    return average_defined(score(margins, zero_division))


def average_weighted(score: LabelScore, margins: Margins, zero_division: float = np.nan) -> Floats:
    """The mean over the labels, each by its gold documents; a plain mean if those that are defined have none."""
    values = score(margins, zero_division)
    weights = np.where(np.isnan(values), 0.0, margins.gold)
    has_weight = weights.sum(axis=-1, keepdims=True) > 0
    return average_defined(values, np.where(has_weight, weights, 1.0))


def average_micro(score: LabelScore, margins: Margins, zero_division: float = np.nan) -> Floats:
    """The score of the pooled table of all labels: each document counts the same."""
    pooled = Margins(*(each.sum(axis=-1, keepdims=True) for each in margins))
    return np.asarray(score(pooled, zero_division)[..., 0])


def average_defined(values: Floats, weights: Floats | None = None) -> Floats:
    """The mean over the last axis of what is not NaN; NaN if nothing is left.

    >>> average_defined(np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, np.nan]]))
    array([0.75, nan])
    """
    weights = np.where(np.isnan(values), 0.0, 1.0 if weights is None else weights)
    return divide((np.nan_to_num(values) * weights).sum(axis=-1), weights.sum(axis=-1))
