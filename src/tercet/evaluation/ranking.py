"""How well the probability of a label ranks its documents before all others: (..., documents) of weights → (..., labels)."""

from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.margins import divide
from tercet.evaluation.probabilities import Forecast


class Ranks(NamedTuple):
    """From the highest probability of a label to the lowest, the weight of its documents and of the others there."""

    own: Floats  # (..., distinct probabilities)
    others: Floats


def rank_documents(forecast: Forecast, place: int, weights: Floats | None = None) -> Ranks:
    """Documents of the same probability share a rank.

    >>> rank_documents(Forecast.of(["b", "a", "a"], [[0.9, 0.1], [0.2, 0.8], [0.9, 0.1]]), place=0)
    Ranks(own=array([1., 1.]), others=array([1., 0.]))
    """
    weights = forecast.weights if weights is None else weights
    descending = -forecast.probabilities[:, place]
    order = np.argsort(descending)
    starts = np.flatnonzero(np.diff(descending[order], prepend=-np.inf))
    ranked, is_own = weights[..., order], forecast.gold[order] == place
    own = np.add.reduceat(ranked * is_own, starts, axis=-1)
    return Ranks(own, np.add.reduceat(ranked * ~is_own, starts, axis=-1))


def roc_auc(forecast: Forecast, weights: Floats | None = None) -> Floats:
    """For each label, how probably a document of it ranks before another one; of two on the same rank, each is first half.

    Undefined (NaN) for a label that no document has, or all.

    >>> roc_auc(Forecast.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]]))
    array([0.5, 0.5])
    """
    return np.stack([_area(rank_documents(forecast, k, weights)) for k in range(len(forecast.labels))], axis=-1)


def average_precision(forecast: Forecast, weights: Floats | None = None) -> Floats:
    """For each label, the mean over its documents of the precision among all that rank as high or higher.

    It is the area under the steps of the precision-recall curve. Undefined (NaN) for a label that no document has.

    >>> average_precision(Forecast.of(["a", "b", "a"], [[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])).round(3)
    array([0.833, 0.5 ])
    """
    return np.stack([_mean_precision(rank_documents(forecast, k, weights)) for k in range(len(forecast.labels))], axis=-1)


def _area(ranks: Ranks) -> Floats:
    own, others = ranks
    before = np.cumsum(own, axis=-1) - own / 2
    return divide((others * before).sum(axis=-1), own.sum(axis=-1) * others.sum(axis=-1))


def _mean_precision(ranks: Ranks) -> Floats:
    own, others = ranks
    found = np.cumsum(own, axis=-1)
    precision = divide(found, found + np.cumsum(others, axis=-1), zero_division=0.0)  # 0/0 only before any document
    return divide((own * precision).sum(axis=-1), own.sum(axis=-1))
