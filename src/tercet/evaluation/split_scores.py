"""Scores of several splits of the same documents → one number with an honest interval."""

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate, check_confidence, estimate_student


def correct_variance(scores: npt.ArrayLike, n_train: int, n_test: int) -> float:
    """The variance of the mean score of J splits, (1/J + n_test/n_train) S², after Nadeau and Bengio.

    The splits share documents, so their scores are alike: S²/J alone is far too small.

    >>> round(correct_variance([0.8, 0.9], n_train=90, n_test=10), 6)
    0.003056
    """
    values = np.asarray(scores, np.float64)
    if values.ndim != 1 or len(values) < 2:
        raise InvalidOption(f"scores must be those of two splits at least, got shape {values.shape}: one has no variance.")
    if not (n_train > 0 and n_test > 0):
        raise InvalidOption(f"n_train={n_train}, n_test={n_test}: each split has documents to learn and to test.")
    return float((1 / len(values) + n_test / n_train) * values.var(ddof=1))


def average_splits(
    scores: npt.ArrayLike, n_train: int, n_test: int, confidence: float = 0.95, *, bounds: tuple[float, float] = (0.0, 1.0)
) -> Estimate:
    """The mean score with Student's interval from the corrected variance, cut at the bounds that a score can't leave.

    >>> print(average_splits([0.80, 0.82, 0.78, 0.81], n_train=90, n_test=10))
    0.803 [0.770, 0.835]
    """
    check_confidence(confidence)
    error = math.sqrt(correct_variance(scores, n_train, n_test))
    values = np.asarray(scores, np.float64)
    estimate = estimate_student(float(values.mean()), error, len(values), confidence, bounds)
    return replace(estimate, method="nadeau_bengio")
