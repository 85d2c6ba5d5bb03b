"""The best of several systems: which systems are shown to be worse, and how good the chosen system is on new documents.

The system with the highest metric was lucky, too, so its own metric is too high on average. Both functions here allow for that.
Documents of a group (copies of a text) are never separated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.cached import cached_property
from tercet.counts.labels import Labels
from tercet.evaluation.confusion import MarginalSums, sum_cells
from tercet.evaluation.intervals import ROUNDING, Estimate
from tercet.evaluation.metrics import Metric
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sample import EvaluatedDocuments, Sample
from tercet.evaluation.standard_errors import derive_defined

DRAWS = 2000  # draws of the luck of all systems
# How often a choice is repeated, each time by another share of the documents. One choice alone would be luck, and the estimate
# would vary more than its interval says. See benchmarks/tune_coverage.py.
CHOICES, SHARE = 20, 0.75
# Held-out answers are not independent: each document is learned by the systems that answer the others. So an estimate from
# folds varies more than one from separate test documents, by a factor of 1 to 1.3 in benchmarks/tune_coverage.py.
WIDENED = 1.2


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

    def measure(self, metric: Metric, seed: int = 0) -> "Measured":
        """The metric of each system, and how they vary together."""
        return Measured(self, metric, seed)

    def sum_up(self, system: int) -> MarginalSums:
        """The sums of one system that its metrics follow from."""
        n_labels, predicted = len(self.labels), self.predicted[system]
        correct = _sum_up(self.gold, self.weights * (self.gold == predicted), n_labels)
        return MarginalSums(correct, _sum_up(self.gold, self.weights, n_labels), _sum_up(predicted, self.weights, n_labels))

    def sum_changes(self, system: int, metric: Metric) -> Floats:
        """How much each group of documents moves the metric of one system."""
        predicted = self.predicted[system]
        by_correct, by_gold, by_predicted = derive_defined(metric, self.sum_up(system)).reshape(3, len(self.labels))
        right = by_correct[self.gold] * (self.gold == predicted)
        change = self.weights * (right + by_gold[self.gold] + by_predicted[predicted])
        return _sum_up(self.groups, change, int(self.groups.max()) + 1)

    def estimate(self, system: int, metrics: list[Metric], plan: Resampling) -> list[Estimate]:
        """The metrics of one system with their intervals, as if it were the only one."""
        is_plain = bool((self.weights == 1).all()) and int(self.groups.max()) + 1 == len(self.groups)
        extra = (None, None) if is_plain else (self.weights, self.groups)
        documents = EvaluatedDocuments(self.labels, self.gold, self.predicted[system], *extra)
        return Sample.of_documents(documents, plan).estimate(metrics)


def _sum_up(indices: Integers, values: Floats, n: int) -> Floats:
    return np.asarray(np.bincount(indices, values, n), np.float64)


@dataclass(frozen=True, eq=False)
class Measured:
    """The metric of each system, and the covariances of these numbers. The order of the systems decides between equal ones."""

    answers: SeveralAnswers
    metric: Metric
    seed: int = 0  # seed of these draws

    @cached_property
    def values(self) -> Floats:
        found = [self.metric(self.answers.sum_up(system)) for system in range(len(self.answers.predicted))]
        return np.nan_to_num(np.array(found, np.float64), nan=self.metric.bounds[0])  # undefined is as bad as possible

    @cached_property
    def covariances(self) -> Floats:
        systems = range(len(self.answers.predicted))
        changes = np.stack([self.answers.sum_changes(system, self.metric) for system in systems], axis=1)
        return np.asarray(changes.T @ changes * (len(changes) / max(len(changes) - 1, 1)))

    @property
    def best(self) -> int:
        """The system with the highest metric; of several, the first."""
        return int(np.flatnonzero(self.values >= self.values.max() - ROUNDING)[0])

    def compute_p_value(self, system: int) -> float:
        """How often another system would lead this one by so much if no system were better than it.

        The lead is in standard errors of the difference. The largest of all leads over the system is compared with the largest
        of as many leads by chance, so the number of systems is allowed for. If the systems with p < level are left out, the
        best of all is left out with a probability of at most this level (Gupta's subset selection).

        >>> from tercet.evaluation.metrics import find_metric
        >>> answers = np.array([[0] * 80, [0] * 60 + [1] * 20, [0] * 79 + [1]])
        >>> several = SeveralAnswers(np.arange(2), np.zeros(80, int), answers, np.arange(80), np.ones(80))
        >>> measured = several.measure(find_metric("accuracy", several.labels))
        >>> [round(measured.compute_p_value(system), 1) for system in range(3)]
        [1.0, 0.0, 0.3]
        """
        error = self.compute_errors(system)
        lead = ((self.values - self.values[system]) / error).max()
        if lead <= ROUNDING:
            return 1.0
        n_larger = np.count_nonzero(((self._luck - self._luck[:, [system]]) / error).max(axis=1) >= lead)
        return float((n_larger + 1) / (DRAWS + 1))

    @cached_property
    def _luck(self) -> Floats:
        """How far the numbers of all systems may be from the truth, by chance: draws × systems."""
        draws = np.random.default_rng(self.seed).standard_normal((DRAWS, len(self.values)))
        return np.asarray(draws @ _take_root(self.covariances))

    def choose_system(self, level: float) -> int:
        """The first system that is not shown to be worse than the best at this level."""
        return next(system for system in range(len(self.values)) if self.compute_p_value(system) >= level)

    def compute_errors(self, system: int) -> Floats:
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
    answers: SeveralAnswers,
    parts: Integers,
    without: Sequence[SeveralAnswers],
    metric: Metric,
    choose: Choose,
    shown: list[Metric],
    plan: Resampling,
) -> list[Estimate]:
    """How good the system that `choose` takes by this metric is on new documents: the `shown` metrics, with intervals.

    `parts` has the part of each document. `without` has, for each part, the answers to other documents by systems that have not
    learned the documents of the part. They make the choice, and the documents of the part judge the chosen system. So no
    document has a say in the choice that it judges, not even through a system that has learned it. The choice is repeated by
    random shares of the documents, and all choices count the same. The interval is that of the chosen system's own metric,
    moved by the difference and widened by a fifth, because held-out answers are not independent.
    """
    systems, documents, times = _count_choices(answers.predicted.shape, parts, without, metric, choose, plan.seed)
    weights, predicted = answers.weights[documents] * times / CHOICES, answers.predicted[systems, documents]
    cells = np.bincount(answers.gold[documents] * len(answers.labels) + predicted, weights, len(answers.labels) ** 2)
    judged = sum_cells(cells.reshape(len(answers.labels), -1))
    own = answers.estimate(choose(answers.measure(metric)), shown, plan)
    return [_move(each, float(one(judged)), one.bounds) for one, each in zip(shown, own, strict=True)]


def _move(estimate: Estimate, value: float, bounds: tuple[float, float]) -> Estimate:
    """The estimate with another value; its interval is moved as much, and widened, within the bounds of the metric.

    >>> print(_move(Estimate(0.9, 0.8, 0.95, 0.95, "wilson"), 0.88, (0.0, 1.0)))
    0.880 [0.760, 0.940]
    """
    low, high = value + WIDENED * (estimate.low - estimate.value), value + WIDENED * (estimate.high - estimate.value)
    return replace(estimate, value=value, low=low, high=high).cut(bounds)


def _count_choices(
    shape: tuple[int, ...],
    parts: Integers,
    without: Sequence[SeveralAnswers],
    metric: Metric,
    choose: Choose,
    seed: int,
) -> tuple[Integers, Integers, Integers]:
    """Systems, documents, and how often the system was chosen to be judged by the document."""
    rng, times = np.random.default_rng(seed), np.zeros(shape, np.int64)
    for part, others in enumerate(without):
        n_groups = int(others.groups.max()) + 1
        for _ in range(CHOICES):
            drawn = rng.permutation(n_groups) < max(SHARE * n_groups, 1)
            times[choose(others.take(drawn[others.groups]).measure(metric)), parts == part] += 1
    systems, documents = np.nonzero(times)
    return systems, documents, times[systems, documents]
