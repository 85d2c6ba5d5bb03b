"""Several systems on the same documents, each pair compared, and p-values corrected for how many there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.errors import InvalidOption
from tercet.evaluation.pool import ConfusionMetric, Pool
from tercet.evaluation.resampling import DEFAULT, Resampling
from tercet.evaluation.significance import Difference, compare_pair


@dataclass(frozen=True)
class ComparedPair:
    """Two systems by name, and their difference: the first minus the second."""

    first: str
    second: str
    difference: Difference
    adjusted_p: float  # by Holm, for all pairs that were compared


def compare_systems(
    gold: npt.ArrayLike,
    answers: Mapping[str, npt.ArrayLike],
    n_labels: int,
    metric: ConfusionMetric,
    *,
    test: str = "randomization",
    baseline: str | None = None,
    plan: Resampling = DEFAULT,
    groups: npt.ArrayLike | None = None,
    weights: npt.ArrayLike | None = None,
) -> list[ComparedPair]:
    """Every system against the baseline, or, without one, every pair, in the order of the answers.

    >>> def accuracy(matrices):
    ...     return np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1))
    >>> gold = [0, 1] * 20
    >>> answers = {"a": gold, "b": [0] * 40, "c": [1] * 40}
    >>> [(pair.first, pair.second, round(pair.adjusted_p, 3)) for pair in compare_systems(gold, answers, 2, accuracy)]
    [('a', 'b', 0.0), ('a', 'c', 0.0), ('b', 'c', 1.0)]
    """
    if baseline is not None and baseline not in answers:
        raise InvalidOption(f"baseline={baseline!r} is none of the systems: {', '.join(map(repr, answers))}.")
    if len(answers) < 2:
        raise InvalidOption(f"a comparison takes two systems at least, got {len(answers)}: there is nothing to compare.")
    names = combinations(answers, 2) if baseline is None else ((name, baseline) for name in answers if name != baseline)
    found = []
    for first, second in names:
        pool = Pool.of_documents(gold, [answers[first], answers[second]], n_labels, groups=groups, weights=weights)
        found.append((first, second, compare_pair(pool, metric, test, plan)))
    adjusted = adjust_holm([difference.p_value for _, _, difference in found])
    return [ComparedPair(*pair, float(p)) for pair, p in zip(found, adjusted, strict=True)]


def adjust_holm(p_values: npt.ArrayLike) -> Floats:
    """The p-values of several tests, raised so that the chance of any false claim stays below the level (Holm's steps).

    >>> adjust_holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p)
    stepped = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    adjusted = np.empty_like(p)
    adjusted[order] = stepped
    return adjusted
