"""Small metrics of confusion matrices, and simulated answers, for the tests of intervals and significance."""

import numpy as np
import numpy.typing as npt

from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.resampling import DEFAULT, ConfusionMetric, Resampling, SamplingUnits

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


def accuracy(matrices: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1)))


def macro_f1(matrices: Floats) -> Floats:
    both = matrices.sum(axis=-1) + matrices.sum(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.mean(2 * np.diagonal(matrices, axis1=-2, axis2=-1) / both, axis=-1))


def macro_recall(matrices: Floats) -> Floats:
    return np.asarray(np.mean(recalls(matrices), axis=-1))


def recalls(matrices: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.diagonal(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=-1))


def bootstrap_metric(units: SamplingUnits, metric: ConfusionMetric, plan: Resampling = DEFAULT) -> Estimate:
    return bootstrap_metrics(units, lambda matrices: metric(matrices)[..., None], plan)[0]


def spread_errors(priors: list[float], recall: float) -> Floats:
    """P(gold, predicted) of a system with this recall for each label, and errors spread evenly."""
    n = len(priors)
    answers = np.full((n, n), (1 - recall) / (n - 1))
    np.fill_diagonal(answers, recall)
    return np.array(priors)[:, None] * answers


def invent_answers(rng: np.random.Generator, n: int, n_labels: int = 3, right: float = 0.7) -> tuple[Integers, Integers]:
    """Gold labels and a system's answers."""
    gold = rng.integers(n_labels, size=n)
    return gold, np.where(rng.random(n) < right, gold, rng.integers(n_labels, size=n))


def count_cells(gold: Integers, predicted: Integers, n_labels: int = 3) -> Floats:
    return np.bincount(gold * n_labels + predicted, minlength=n_labels**2).reshape(n_labels, n_labels).astype(np.float64)
