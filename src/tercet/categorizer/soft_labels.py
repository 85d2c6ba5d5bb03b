"""Probabilities of labels → weighted labels, which a model learns as documents."""

from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers

MOST_LABELS, LEAST = 2, 0.1  # labels of a text that a model learns, and the least probability of the second


class SoftLabels(NamedTuple):
    """The rows, labels and weights of the documents that a model learns. A row may occur twice."""

    rows: Integers
    codes: Integers
    weights: Floats


def list_soft_labels(proba: Floats) -> SoftLabels:
    """The best label of each row with its probability as weight, and the second best if it has at least 0.1.

    The best label alone would make the model far too sure: calibration error .119 instead of .059, with the same accuracy (mean
    of six corpora, with labels guessed by `begin`).

    >>> found = list_soft_labels(np.array([[0.75, 0.25, 0.0], [0.04, 0.9, 0.06]]))
    >>> found.rows.tolist(), found.codes.tolist(), found.weights.tolist()
    ([0, 0, 1], [0, 1, 1], [0.75, 0.25, 0.9])
    """
    order = np.argsort(-proba, axis=1, kind="stable")[:, :MOST_LABELS]
    ranked = np.take_along_axis(proba, order, axis=1)
    rows, places = np.nonzero((ranked >= LEAST) | (np.arange(order.shape[1]) == 0))
    return SoftLabels(rows, order[rows, places], ranked[rows, places])
