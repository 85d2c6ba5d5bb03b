"""Standard errors of metrics of documents with weights or in groups, from how much each document or group changes them.

The change is linear: the derivative of the metric times what the unit adds to the sums. benchmarks/coverage.py measures how
often the intervals that follow from it cover the true value.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.metrics import LabelScore, Metric, derive_label_score, derive_metric, divide
from tercet.evaluation.resampling import ConfusionMetric, SamplingUnits, cut_blocks

PRIOR_DOCUMENTS = 3  # of mean squared weight, which each kind of answer is given in addition
DENOMINATORS = {"precision": (0.0, 0.0, 1.0), "recall": (0.0, 1.0, 0.0)}  # by correct, gold, predicted; F has gold + predicted


class StandardErrors(NamedTuple):
    """The standard error of each metric, and the number of equal units that would say as much (for Student's t)."""

    errors: Floats
    effective: Floats


def find_errors(units: SamplingUnits, gradient: Floats) -> StandardErrors:
    """For metrics of all documents. `gradient` (sums × metrics) has their derivatives by the sums of the units."""
    changes = np.asarray(units.parts @ gradient)
    errors = np.sqrt((units.sizes * inflate_changes(units)) @ changes**2)
    return StandardErrors(errors, np.full(gradient.shape[1], units.effective))


def find_label_errors(units: SamplingUnits, part: str, score: LabelScore) -> StandardErrors:
    """For the score of each label. `units` have marginal sums."""
    n_labels = units.shape[-1]
    derivatives = np.stack(derive_label_score(score, MarginalSums(*units.total)))
    denominators = np.array(DENOMINATORS.get(part, (0.0, 1.0, 1.0)))
    kinds, sums, values = list_parts(units.parts)
    rows, labels = sums // n_labels, sums % n_labels
    pairs, pair_of = np.unique(kinds * n_labels + labels, return_inverse=True)
    changes = np.bincount(pair_of, values * derivatives[rows, labels], len(pairs))
    weights = np.bincount(pair_of, values * denominators[rows], len(pairs))
    kinds, labels = pairs // n_labels, pairs % n_labels
    if units.patterns is not None:
        factors, effective = inflate_changes(units)[kinds], np.full(n_labels, units.effective)
    else:
        total, squares, n_groups = (
            np.bincount(labels, each, n_labels) for each in (weights, weights**2, (weights > 0).astype(np.float64))
        )
        factors = inflate_groups(divide(weights, total[labels], 0.0), n_groups[labels])
        effective = divide(total**2, squares, 0.0)
    return StandardErrors(np.sqrt(np.bincount(labels, units.sizes[kinds] * factors * changes**2, n_labels)), effective)


def inflate_changes(units: SamplingUnits) -> Floats:
    """By what the squared change of a unit of each kind is multiplied, because few units vary less than many."""
    if units.patterns is None:
        return inflate_groups(units.weights / (units.sizes @ units.weights), np.float64(units.n_units))
    effective = max(units.effective, 1 + 1e-9)
    return inflate_weights(units.sizes, units.weights, units.patterns) * effective / (effective - 1)


def inflate_groups(shares: Floats, n_groups: Any) -> Floats:
    """As if each group were left out: the sum without the group is 1 - its share.

    >>> inflate_groups(np.array([0.5, 0.25, 0.25]), np.float64(3)).round(3)
    array([2.667, 1.185, 1.185])
    """
    rest = np.where(shares < 1, 1 - shares, np.inf)  # a metric of one group only has no known error: `effective` is 1
    return np.asarray((n_groups - 1) / np.maximum(n_groups, 1) / rest**2)


def inflate_weights(sizes: Integers, weights: Floats, patterns: Integers) -> Floats:
    """Documents of one kind of answer whose weights happen to be small: their squared weight is raised towards the mean.

    A kind of answer is a gold label with its predicted labels. If it has few documents (errors are rare), they may happen to
    have small weights. So it is judged as if it had three more documents with the mean squared weight of all documents.

    >>> inflate_weights(np.array([1, 2]), np.array([1.0, 4.0]), patterns=np.array([0, 1])).round(3)
    array([3., 1.])
    """
    n, weight, squared = (np.bincount(patterns, sizes * weights**power) for power in (0, 1, 2))
    prior = PRIOR_DOCUMENTS * squared.sum() / weight.sum()
    raised = divide(n * squared + prior * weight, n + PRIOR_DOCUMENTS)
    return np.maximum(divide(raised, squared, 1.0), 1.0)[patterns]


# Derivatives by the sums of the units


def derive_all(metrics: Sequence[Metric], sums: MarginalSums) -> Floats:
    """Sums × metrics; 0 where a metric is undefined."""
    return np.stack([derive_defined(metric, sums) for metric in metrics], axis=-1)


def derive_difference(metric: ConfusionMetric, units: SamplingUnits) -> Floats:
    """Of the metric of the first of two systems minus that of the second: sums × 1."""
    if isinstance(metric, Metric):
        first, second = (derive_defined(metric, MarginalSums(*system)) for system in units.total)
        return np.concatenate([first, -second])[:, None]
    return np.concatenate([_derive_cells(metric, units.total[0]), -_derive_cells(metric, units.total[1])])[:, None]


def derive_defined(metric: Metric, sums: MarginalSums) -> Floats:
    if np.isnan(metric(sums)):
        return np.zeros(3 * len(sums.gold))
    return np.nan_to_num(np.concatenate(derive_metric(metric, sums)))


def _derive_cells(metric: ConfusionMetric, matrix: Floats) -> Floats:
    """Of any function of a confusion matrix, by small differences."""
    (cells,) = np.nonzero(matrix.ravel())
    derivatives = np.zeros(matrix.size)
    for start, end in cut_blocks(len(cells), 32 * matrix.size):
        block = cells[start:end]
        steps = np.zeros((len(block), matrix.size))
        steps[np.arange(len(block)), block] = 1e-6 * matrix.ravel()[block]
        above, below = (metric((matrix.ravel() + sign * steps).reshape(-1, *matrix.shape)) for sign in (1, -1))
        derivatives[block] = np.nan_to_num((above - below) / (2 * steps.sum(axis=1)))
    return derivatives


def list_parts(parts: Any) -> tuple[Integers, Integers, Floats]:
    """The kind, the place and the value of all parts that are not 0, of a dense or sparse array."""
    if isinstance(parts, np.ndarray):
        kinds, places = np.nonzero(parts)
        return kinds, places, parts[kinds, places]
    sparse = parts.tocoo()
    return sparse.row.astype(np.int64), sparse.col.astype(np.int64), sparse.data
