"""The best of several systems: which systems are shown to be worse, and how good the chosen system is on new documents.

The system with the highest metric was lucky, too, so its own metric is too high on average. Both functions here allow for that.
Documents of a group (copies of a text) are never separated.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.evaluation.confusion import MarginalSums, sum_cells
from tercet.evaluation.intervals import ROUNDING, Estimate
from tercet.evaluation.metrics import Metric
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import EvaluatedDocuments, Sample
from tercet.evaluation.splits import assign_plain_folds
from tercet.evaluation.standard_errors import derive_defined

DRAWS = 2000  # of the luck of all systems
# How often the documents are dealt into parts to estimate a choice, and into how many. With more parts the choices are nearly
# the same each time, so luck does not average out, and the interval covers too rarely. See benchmarks/tune_coverage.py.
DEALS, PARTS = 20, 3


@dataclass(frozen=True, eq=False)
class SeveralAnswers:
    """The answers of several systems to the same documents. Labels are codes."""

    labels: Labels
    gold: Integers
    predicted: Integers  # systems × documents
    groups: Integers  # the group code of each document: 0 … groups - 1
    weights: Floats

    def take(self, documents: Flags) -> "SeveralAnswers":
        """The answers to these documents."""
        groups = np.unique(self.groups[documents], return_inverse=True)[1]
        return SeveralAnswers(self.labels, self.gold[documents], self.predicted[:, documents], groups, self.weights[documents])

    def measure(self, metric: Metric) -> "Measured":
        """The metric of each system, and how they vary together."""
        n_labels, n_groups = len(self.labels), int(self.groups.max()) + 1
        gold = _sum_up(self.gold, self.weights, n_labels)
        values, changes = np.empty(len(self.predicted)), np.empty((n_groups, len(self.predicted)))
        for k, predicted in enumerate(self.predicted):
            is_right = self.gold == predicted
            correct = _sum_up(self.gold, self.weights * is_right, n_labels)
            sums = MarginalSums(correct, gold, _sum_up(predicted, self.weights, n_labels))
            by_correct, by_gold, by_predicted = derive_defined(metric, sums).reshape(3, n_labels)
            change = self.weights * (by_correct[self.gold] * is_right + by_gold[self.gold] + by_predicted[predicted])
            values[k] = np.nan_to_num(metric(sums), nan=metric.bounds[0])  # undefined is as bad as possible
            changes[:, k] = _sum_up(self.groups, change, n_groups)
        return Measured(values, changes.T @ changes * (n_groups / max(n_groups - 1, 1)))

    def estimate(self, system: int, metrics: list[Metric], plan: Resampling) -> list[Estimate]:
        """The metrics of one system with their intervals, as if it were the only one."""
        is_plain = bool((self.weights == 1).all()) and int(self.groups.max()) + 1 == len(self.groups)
        extra = (None, None) if is_plain else (self.weights, self.groups)
        documents = EvaluatedDocuments(self.labels, self.gold, self.predicted[system], *extra)
        return Sample.of_documents(documents, plan).estimate(metrics)


def _sum_up(places: Integers, values: Floats, n: int) -> Floats:
    return np.asarray(np.bincount(places, values, n), np.float64)


class Measured(NamedTuple):
    """The metric of each system, and the covariances of these numbers. The order of the systems decides between equal ones."""

    values: Floats
    covariances: Floats

    @property
    def best(self) -> int:
        """The system with the highest metric; of several, the first."""
        return int(np.flatnonzero(self.values >= self.values.max() - ROUNDING)[0])

    def find_p_value(self, system: int, seed: int = 0) -> float:
        """How often another system would lead this one by so much if no system were better than it.

        The lead is in standard errors of the difference. The largest of all leads over the system is compared with the largest
        of as many leads by chance, so the number of systems is allowed for. If the systems with p < level are left out, the
        best of all is left out with a probability of at most this level (Gupta's subset selection).

        >>> from tercet.evaluation.metrics import find_metric
        >>> answers = np.array([[0] * 80, [0] * 60 + [1] * 20, [0] * 79 + [1]])
        >>> several = SeveralAnswers(np.arange(2), np.zeros(80, int), answers, np.arange(80), np.ones(80))
        >>> measured = several.measure(find_metric("accuracy", several.labels))
        >>> [round(measured.find_p_value(system), 1) for system in range(3)]
        [1.0, 0.0, 0.3]
        """
        error = self.find_errors(system)
        lead = ((self.values - self.values[system]) / error).max()
        if lead <= ROUNDING:
            return 1.0
        luck = np.random.default_rng(seed).standard_normal((DRAWS, len(self.values))) @ _take_root(self.covariances)
        n_larger = np.count_nonzero(((luck - luck[:, [system]]) / error).max(axis=1) >= lead)
        return float((n_larger + 1) / (DRAWS + 1))

    def find_first(self, level: float, seed: int = 0) -> int:
        """The first system that is not shown to be worse than the best at this level."""
        return next(system for system in range(len(self.values)) if self.find_p_value(system, seed) >= level)

    def find_errors(self, system: int) -> Floats:
        """The standard error of the difference to each system; infinite for a system with equal answers."""
        variances, common = np.diagonal(self.covariances), self.covariances[system]
        errors = np.sqrt(np.maximum(variances + variances[system] - 2 * common, 0.0))
        return np.where(errors > ROUNDING, errors, np.inf)


def _take_root(matrix: Floats) -> Floats:
    """The symmetric square root of a matrix of covariances."""
    values, vectors = np.linalg.eigh(matrix)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T)


Choose = Callable[[Measured], int]


def estimate_choice(
    answers: SeveralAnswers, metric: Metric, choose: Choose, shown: list[Metric], plan: Resampling
) -> list[Estimate]:
    """How good the system that `choose` takes by this metric is on new documents: the `shown` metrics, with intervals.

    The documents are dealt into three parts. For each part the choice is made by the other parts, and the documents of the part
    are judged by the system that was chosen without them. So no document has a say in the choice that it judges. This is
    repeated with other parts, and the answers of all repetitions count together. The interval is that of the chosen system's
    own metric, moved by the difference.
    """
    documents, systems, times = count_choices(answers, metric, choose, plan.seed)
    weights, predicted = answers.weights[documents] * times / DEALS, answers.predicted[systems, documents]
    cells = np.bincount(answers.gold[documents] * len(answers.labels) + predicted, weights, len(answers.labels) ** 2)
    judged = sum_cells(cells.reshape(len(answers.labels), -1))
    own = answers.estimate(choose(answers.measure(metric)), shown, plan)
    return [_move(each, float(one(judged)), one.bounds) for one, each in zip(shown, own, strict=True)]


def _move(estimate: Estimate, value: float, bounds: tuple[float, float]) -> Estimate:
    """The estimate with another value, and its interval moved as much, within the bounds of the metric.

    >>> print(_move(Estimate(0.9, 0.8, 0.95, 0.95, "wilson"), 0.88, (0.0, 1.0)))
    0.880 [0.780, 0.930]
    """
    by = value - estimate.value
    return replace(estimate, value=value, low=estimate.low + by, high=estimate.high + by).cut(bounds)


def count_choices(answers: SeveralAnswers, metric: Metric, choose: Choose, seed: int) -> tuple[Integers, Integers, Integers]:
    """Documents, systems, and how often the document was judged by the system."""
    n_groups = int(answers.groups.max()) + 1
    times = np.zeros(answers.predicted.shape, np.int64)
    for deal in range(DEALS):
        part_of = assign_plain_folds(n_groups, PARTS, seed + deal)[answers.groups]
        for part in range(PARTS):
            judged = part_of == part
            times[choose(answers.take(~judged).measure(metric)), judged] += 1
    systems, documents = np.nonzero(times)
    return documents, systems, times[systems, documents]
