"""Precision, recall and F of each label: (..., labels, labels) → (..., labels)."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.errors import bad_option
from tercet.evaluation.margins import Cells, divide, sum_margins
from tercet.options import is_number


def precision(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Of the documents predicted so, the share that is so. Undefined for a label that is never predicted.

    >>> precision(np.array([[8, 2], [0, 10]])).round(3)
    array([1. , 0.833])
    """
    correct, _, predicted = sum_margins(cells)
    return divide(correct, predicted, zero_division)


def recall(cells: Cells, zero_division: float = np.nan) -> Floats:
    """Of the documents that are so, the share predicted so. Undefined for a label that no gold document has.

    >>> recall(np.array([[8, 2], [0, 10]]))
    array([0.8, 1. ])
    """
    correct, gold, _ = sum_margins(cells)
    return divide(correct, gold, zero_division)


def f_score(cells: Cells, zero_division: float = np.nan, *, beta: float = 1.0) -> Floats:
    """(1 + β²) P R / (β² P + R): recall counts β times as much as precision. β = 0 is precision, β = inf is recall.

    Undefined for a label that is neither in gold nor predicted; 0 if it is in one of them alone.

    >>> f_score(np.array([[8, 2], [0, 10]])).round(3)
    array([0.889, 0.909])
    """
    check_beta(beta)
    if beta == 0:
        return precision(cells, zero_division)
    if np.isinf(beta):
        return recall(cells, zero_division)
    correct, gold, predicted = sum_margins(cells)
    # The same in counts, so that it is defined where precision or recall alone is not.
    return divide((1 + beta**2) * correct, beta**2 * gold + predicted, zero_division)


def check_beta(beta: Any) -> float:
    if not is_number(beta) or not beta >= 0:
        raise bad_option("beta", "a number >= 0", beta, "recall counts so many times as much as precision.")
    return float(beta)
