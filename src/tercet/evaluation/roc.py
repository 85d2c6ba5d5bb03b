"""The ROC curve of a label: which share of its documents is found, against the share of other documents that are called so."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.forecast import Forecast
from tercet.evaluation.metrics import divide
from tercet.evaluation.precision_recall import find_column
from tercet.evaluation.probability_metrics import rank_documents


@dataclass(frozen=True, eq=False)
class RocCurve:
    """The two rates of one label if it is the answer for all documents with P(label) >= threshold.

    `recall` is the share of the label's documents that get it (true positive rate), `false_positive_rate` the share of all
    other documents that get it. The first point is (0, 0), where no document gets it; its threshold is inf. Then there is one
    point for each probability that occurs, in descending order: documents with equal probabilities are answered together. The
    last point is (1, 1). The area under the straight lines between the points is the metric `roc_auc`. A rate is NaN if no
    document counts for it.

    >>> curve = find_roc_curve(Forecast.of(["ham", "spam", "spam"], [[0.6, 0.4], [0.7, 0.3], [0.2, 0.8]]), "spam")
    >>> curve.thresholds, curve.false_positive_rate, curve.recall
    (array([inf, 0.8, 0.4, 0.3]), array([0., 0., 1., 1.]), array([0. , 0.5, 0.5, 1. ]))
    """

    label: Any
    thresholds: Floats
    false_positive_rate: Floats
    recall: Floats


def find_roc_curve(forecast: Forecast, label: Any) -> RocCurve:
    """The curve of a label against all other labels. Documents of weight 0 do not count."""
    place = find_column(forecast, label)
    own, others = rank_documents(forecast, place)
    thresholds = np.unique(forecast.probabilities[:, place])[::-1]
    counts = own + others > 0
    rates = [_accumulate(weights[counts]) for weights in (others, own)]
    return RocCurve(label, np.concatenate([[np.inf], thresholds[counts]]), *rates)


def _accumulate(weights: Floats) -> Floats:
    """The share of all weight up to each rank, from 0 to 1."""
    sums = np.concatenate([[0.0], np.cumsum(weights)])
    return divide(sums, sums[-1])
