"""Significance tests: is the difference between two systems on the same documents more than chance?

Approximate randomization (a permutation test), the paired bootstrap and McNemar's test; Holm's correction for several pairs;
and how many documents would show a difference.

`SamplingUnits.of_documents(gold, [a, b], n_labels)` counts how many documents have the same gold label and the same two
answers. They are exchangeable, so a resample draws how many documents of each kind there are, or how many are swapped. Every
p is (r + 1) / (B + 1) if r of B resamples are as extreme as the data, so it is never 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.bootstrap import (
    TIE,
    DocumentUnits,
    draw_documents,
    draw_replicates,
    evaluate_total,
    make_estimates,
    measure_accelerations,
    measure_part,
)
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.intervals import Estimate, compute_quantile, estimate_between, note_small_sample
from tercet.evaluation.metrics import Metric
from tercet.evaluation.resampling import DEFAULT, ConfusionMetric, Resampling, SamplingUnits
from tercet.evaluation.standard_errors import compute_errors, derive_difference
from tercet.options import check_choice, is_int

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")
ONE_SIDED = ("textbook_bootstrap",)  # they ask only whether the first system is better
LEVEL, POWER = 0.05, 0.8
MAX_DRAWN = 20_000_000  # marginal sums × resamples of a bootstrap


# Two systems


@dataclass(frozen=True)
class Difference:
    """The first system's metric minus the second's, with its interval and the p-value of a test.

    `n_needed` is about how many documents (or groups, where groups are drawn whole) would show such a difference at
    p < 1 - confidence in four of five studies.
    """

    estimate: Estimate
    p_value: float
    test: str
    n_needed: int | None


def compare_pair(
    units: SamplingUnits, metric: ConfusionMetric, test: str = "randomization", plan: Resampling = DEFAULT
) -> Difference:
    """By how much the first system is better, whether it may be chance, and how many documents would show the difference.

    >>> def accuracy(matrices):
    ...     return np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1))
    >>> right_a, right_b = [1, 1, 1, 0, 1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 0, 0]
    >>> difference = compare_pair(SamplingUnits.of_documents([1] * 10, [right_a, right_b], n_labels=2), accuracy)
    >>> print(difference.estimate, f"{difference.p_value:.2f}", difference.n_needed)
    0.200 [-0.300, 0.600] 0.69 116
    """
    check_choice("test", test, TESTS)
    discordant = _count_discordant_if_accuracy(units, metric)
    if test.startswith("mcnemar") and discordant is None:
        raise InvalidOption(f"test={test!r} is for accuracy on single documents, and this is another metric or has groups.")
    if isinstance(metric, Metric):  # with many labels the sums are much smaller than matrices
        units = units.to_marginal_sums()
    return compare_sums(units, metric, test, plan, discordant)


def compare_sums(
    units: SamplingUnits,
    metric: ConfusionMetric,
    test: str = "randomization",
    plan: Resampling = DEFAULT,
    discordant: tuple[int, int] | None = None,
) -> Difference:
    """The same for units of two systems that hold what the metric takes: marginal sums if it is a `Metric`.

    `discordant` is how many documents only the first system has right, and how many only the second, if the metric is the
    share of right documents. McNemar's test needs these numbers.
    """
    score = _take_sums(metric) if isinstance(metric, Metric) else metric
    estimate, error = _estimate_difference(units, metric, score, plan)
    if discordant is not None:
        n_needed = compute_needed_discordant(*discordant, units.n_units, level=1 - plan.confidence)
    else:
        n_needed = compute_needed(estimate.value, error, units.n_units, level=1 - plan.confidence)
    n_groups = units.n_units if units.patterns is None else 0
    small = note_small_sample(n_groups, units.effective, is_weighted=not units.is_even)
    if test == "randomization":
        p_value = randomize_pair(units, score, plan)
    elif test.startswith("mcnemar") and discordant is not None:
        p_value = mcnemar(*discordant, mid_p=test == "mcnemar")
    else:
        p_value = bootstrap_pair(units, score, plan, one_sided=test in ONE_SIDED)
    return Difference(estimate.add_note(small), p_value, test, n_needed)


def _take_sums(metric: Metric) -> ConfusionMetric:
    return lambda stacked: metric(MarginalSums(*np.moveaxis(stacked, -2, 0)))


def _estimate_difference(
    units: SamplingUnits, metric: ConfusionMetric, score: ConfusionMetric, plan: Resampling
) -> tuple[Estimate, float]:
    """The difference with its interval, and its standard error. `score` is the metric of what the units hold."""
    subtract = _subtract_systems(units, score)
    observed = evaluate_total(units, subtract)
    if units.is_even and units.total.size * plan.resamples <= MAX_DRAWN:
        replicates = draw_replicates(units, subtract, plan)
        (estimate,) = make_estimates(observed, replicates, measure_accelerations(units, subtract, plan), plan)
        return estimate, _compute_standard_error(replicates)
    found = compute_errors(units, derive_difference(metric, units))
    value, error, effective = float(observed[0]), float(found.errors[0]), float(found.effective[0])
    if np.isnan(value):
        return Estimate(value, np.nan, np.nan, plan.confidence, "logit", "undefined"), np.nan
    low, high = getattr(metric, "bounds", (-np.inf, np.inf))
    return estimate_between(value, error, effective, plan.confidence, (low - high, high - low)), error


def randomize_pair(units: SamplingUnits, metric: ConfusionMetric, plan: Resampling = DEFAULT) -> float:
    """The two-sided p of approximate randomization: if the systems were alike, each document's answers could be swapped.

    A swap for which the metric is undefined counts as extreme.
    """
    subtract = _subtract_systems(units, metric)
    observed = abs(evaluate_total(units, subtract)[0])
    swapped = np.concatenate([subtract(matrices)[:, 0] for matrices in units.swap(plan.resamples, plan.seed)])
    return _compute_p(observed, np.abs(swapped))


def bootstrap_pair(
    units: SamplingUnits, metric: ConfusionMetric, plan: Resampling = DEFAULT, *, one_sided: bool = False
) -> float:
    """The p of the paired bootstrap: how often a resample is as far from the observed difference as that is from 0.

    For groups or weighted documents it is corrected by Student's t. One-sided, it is the share of resamples with
    δ(x⁽ⁱ⁾) ≥ 2 δ(x), as in textbooks: is the first system better?
    """
    subtract = _subtract_systems(units, metric)
    observed = float(evaluate_total(units, subtract)[0])
    p_value = _compute_bootstrap_p(observed, draw_replicates(units, subtract, plan)[:, 0], one_sided=one_sided)
    return p_value if units.is_even else _widen_tail(p_value, units.n_units, units.effective, n_sides=1 if one_sided else 2)


def _compute_bootstrap_p(observed: float, replicates: Floats, *, one_sided: bool) -> float:
    distances = replicates - observed
    return _compute_p(observed, distances) if one_sided else _compute_p(abs(observed), np.abs(distances))


def _widen_tail(p_value: float, n: int, effective: float, n_sides: int) -> float:
    """The p of n units from that of their resamples, which vary less: by √((n - 1) / n), and without Student's wide tails.

    The degrees of freedom of unequal units lie between their number and their effective number.

    >>> round(_widen_tail(0.05, n=20, effective=20.0, n_sides=2), 3)
    0.071
    """
    from scipy.special import stdtr

    if np.isnan(p_value) or not effective > 1:
        return p_value if np.isnan(p_value) else 1.0
    z = compute_quantile(max(1 - p_value / n_sides, 2.0**-53))
    freedom = math.sqrt(n * effective) - 1
    return float(min(1.0, n_sides * stdtr(freedom, -z * math.sqrt((n - 1) / n))))


def _compute_p(observed: float, resampled: Floats) -> float:
    """Values that are equal but for their last bits count as extreme, and so do undefined values."""
    if np.isnan(observed):
        return np.nan
    n_less = np.count_nonzero(resampled < observed - TIE * max(1.0, abs(observed)))
    return float((len(resampled) - n_less + 1) / (len(resampled) + 1))


def _compute_standard_error(replicates: Floats) -> float:
    known = replicates[~np.isnan(replicates)]
    return float(known.std()) if len(known) else np.nan


def _subtract_systems(units: SamplingUnits, metric: ConfusionMetric) -> ConfusionMetric:
    if len(units.shape) != 3 or units.shape[0] != 2:
        raise InvalidMatrix(
            "a difference needs the answers of two systems: SamplingUnits.of_documents(gold, [a, b], n_labels)."
        )
    return lambda pairs: (metric(pairs[..., 0, :, :]) - metric(pairs[..., 1, :, :]))[..., None]


# McNemar's test: it counts only the documents that one system has right and the other has wrong


def mcnemar(a_only: int, b_only: int, *, mid_p: bool = True) -> float:
    """The two-sided p that counts at least as unequal as these come from a fair coin.

    The exact test (the sign test) is conservative, because counts are whole numbers. Mid-p counts only half of the probability
    of the observed counts.

    >>> round(mcnemar(4, 2, mid_p=False), 6), round(mcnemar(4, 2), 6)
    (0.6875, 0.453125)
    """
    from scipy.special import bdtr, gammaln

    if not (is_int(a_only) and is_int(b_only) and a_only >= 0 and b_only >= 0):
        raise InvalidOption(f"numbers of discordant documents must be ints >= 0, got {a_only!r} and {b_only!r}.")
    n, fewer = a_only + b_only, min(a_only, b_only)
    exact = 2 * float(bdtr(fewer, n, 0.5))
    probability = math.exp(gammaln(n + 1) - gammaln(fewer + 1) - gammaln(n - fewer + 1) - n * math.log(2))
    return min(1.0, exact - probability if mid_p else exact)


def count_discordant(units: SamplingUnits) -> tuple[int, int]:
    """How many documents only the first of two systems has right, and how many only the second.

    >>> count_discordant(SamplingUnits.of_documents([0, 0, 1], [[0, 0, 1], [1, 1, 1]], n_labels=2))
    (2, 0)
    """
    if not _has_single_documents(units):
        raise InvalidMatrix("McNemar's test takes two systems on single documents: without groups, without weights.")
    n_labels = units.shape[1]
    diagonal = np.arange(n_labels) * (n_labels + 1)
    a, b = (np.asarray(units.parts[:, diagonal + system * n_labels**2].sum(axis=1)) for system in (0, 1))
    return int(units.sizes[a > b].sum()), int(units.sizes[a < b].sum())


def _count_discordant_if_accuracy(units: SamplingUnits, metric: ConfusionMetric) -> tuple[int, int] | None:
    """The discordant documents, if the metric of these documents is their accuracy."""
    if not _has_single_documents(units):
        return None
    a_only, b_only = count_discordant(units)
    a, b = (float(metric(matrix[None])[0]) for matrix in units.total)
    return (a_only, b_only) if abs((a_only - b_only) / units.n_units - (a - b)) < 1e-9 else None


def _has_single_documents(units: SamplingUnits) -> bool:
    """Whether each unit of two systems is one document with weight 1."""
    return len(units.shape) == 3 and units.shape[0] == 2 and bool(np.all(units.parts.sum(axis=1) == 2))


# Several systems


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
    """Every system against the baseline, or, without a baseline, every pair, in the order of `answers`.

    >>> def accuracy(matrices):
    ...     return np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1))
    >>> gold = [0, 1] * 20
    >>> answers = {"a": gold, "b": [0] * 40, "c": [1] * 40}
    >>> [(pair.first, pair.second, round(pair.adjusted_p, 3)) for pair in compare_systems(gold, answers, 2, accuracy)]
    [('a', 'b', 0.0), ('a', 'c', 0.0), ('b', 'c', 1.0)]
    """
    found = {}
    for first, second in list_pairs(list(answers), baseline):
        pair = [answers[first], answers[second]]
        units = SamplingUnits.of_documents(gold, pair, n_labels, groups=groups, weights=weights)
        found[first, second] = compare_pair(units, metric, test, plan)
    return adjust_pairs(found)


def list_pairs(names: Sequence[str], baseline: str | None = None) -> list[tuple[str, str]]:
    """Every system with the baseline, or, without a baseline, every pair.

    >>> list_pairs(["a", "b", "c"]), list_pairs(["a", "b", "c"], "b")
    ([('a', 'b'), ('a', 'c'), ('b', 'c')], [('a', 'b'), ('c', 'b')])
    """
    if baseline is not None and (not isinstance(baseline, str) or baseline not in names):
        raise InvalidOption(f"baseline={baseline!r} is not one of the systems: {', '.join(map(repr, names))}.")
    if len(names) < 2:
        raise InvalidOption(f"a comparison needs at least two systems, got {len(names)}: there is nothing to compare.")
    return list(combinations(names, 2)) if baseline is None else [(name, baseline) for name in names if name != baseline]


def adjust_pairs(found: Mapping[tuple[str, str], Difference]) -> list[ComparedPair]:
    """The pairs with their p-values after Holm's correction."""
    adjusted = adjust_holm([difference.p_value for difference in found.values()])
    return [ComparedPair(*names, found[names], float(p)) for names, p in zip(found, adjusted, strict=True)]


def adjust_holm(p_values: npt.ArrayLike) -> Floats:
    """Holm's correction of the p-values of several tests: the chance of any false claim stays below the level.

    NaN stays NaN, and is not counted: there was no test.

    >>> adjust_holm([0.01, 0.04, math.nan, 0.03])
    array([0.03, 0.06,  nan, 0.06])
    """
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p)[: np.count_nonzero(~np.isnan(p))]  # NaN is last
    adjusted = np.full_like(p, np.nan)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(len(order), 0, -1)))
    return adjusted


# Any function of gold and predicted labels: documents are resampled, not the cells of confusion matrices


def compare_by_function(
    function: Callable[..., float],
    gold: npt.NDArray[Any],
    answers: Mapping[str, npt.NDArray[Any]],
    *,
    test: str = "randomization",
    baseline: str | None = None,
    plan: Resampling = DEFAULT,
    groups: npt.ArrayLike | None = None,
) -> tuple[dict[str, Estimate], list[ComparedPair]]:
    """The function of each system's answers, and the pairs as in `compare_systems`. A larger number is better.

    The function is called with gold and predicted labels: for each system once a resample, and for each pair twice a
    resample of `randomization`. A resample for which it raises ValueError is left out of intervals and counts as extreme in
    tests.

    >>> gold = np.array([0, 1] * 20)
    >>> answers = {"a": gold, "b": np.zeros(40, np.int64)}
    >>> scores, (pair,) = compare_by_function(lambda gold, own: np.mean(gold == own), gold, answers)
    >>> print(scores["b"], pair.difference.estimate, round(pair.adjusted_p, 4))
    0.500 [0.350, 0.650] 0.500 [0.350, 0.650] 0.0001
    """
    check_choice("test", test, TESTS)
    if test.startswith("mcnemar"):
        raise InvalidOption(f"test={test!r} is for accuracy on single documents, and this is a function: take randomization.")
    names, pairs = list(answers), list_pairs(list(answers), baseline)
    values = np.array([float(function(gold.copy(), own.copy())) for own in answers.values()])  # the function may change them
    units = DocumentUnits.of(len(gold), groups)
    small = note_small_sample(units.n if units.has_groups else 0, len(gold), is_weighted=False)
    drawn = draw_documents(
        lambda documents: [measure_part(function, [gold, own], documents) for own in answers.values()], units, plan
    )
    found = {}
    for first, second in pairs:
        observed = float(values[names.index(first)] - values[names.index(second)])
        own = drawn.subtract(names.index(first), names.index(second))
        if test == "randomization":
            p_value = _randomize_function(function, gold, answers[first], answers[second], units, plan)
        else:
            p_value = _bootstrap_function(observed, own.replicates[:, 0], units, one_sided=test in ONE_SIDED)
        (estimate,) = own.estimate(np.array([observed]), plan)
        n_needed = compute_needed(observed, _compute_standard_error(own.replicates), units.n, level=1 - plan.confidence)
        found[first, second] = Difference(estimate.add_note(small), p_value, test, n_needed)
    scores = [score.add_note(small) for score in drawn.estimate(values, plan)]
    return dict(zip(names, scores, strict=True)), adjust_pairs(found)


def _randomize_function(
    function: Callable[..., float],
    gold: npt.NDArray[Any],
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    units: DocumentUnits,
    plan: Resampling,
) -> float:
    rng, everything = np.random.default_rng(plan.seed), np.arange(len(gold))

    def subtract(is_swapped: npt.NDArray[np.bool_]) -> float:
        first, second = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
        return measure_part(function, [gold, first], everything) - measure_part(function, [gold, second], everything)

    observed = subtract(np.zeros(len(gold), np.bool_))
    return _compute_p(abs(observed), np.abs([subtract(units.halve(rng)) for _ in range(plan.resamples)]))


def _bootstrap_function(observed: float, replicates: Floats, units: DocumentUnits, *, one_sided: bool) -> float:
    p_value = _compute_bootstrap_p(observed, replicates, one_sided=one_sided)
    return _widen_tail(p_value, units.n, units.effective, n_sides=1 if one_sided else 2) if units.has_groups else p_value


# Sample size: how many documents would show a difference, if the true difference is the observed one


def compute_needed_discordant(a_only: int, b_only: int, n: int, *, level: float = LEVEL, power: float = POWER) -> int | None:
    """For accuracy, by the normal approximation of McNemar's test; None if the accuracies are equal.

    >>> compute_needed_discordant(4, 2, 10)
    116
    """
    difference, discordant = (a_only - b_only) / n, (a_only + b_only) / n
    if difference == 0:
        return None
    if_equal = compute_quantile(1 - level / 2) * math.sqrt(discordant)
    if_different = compute_quantile(power) * math.sqrt(discordant - difference**2)
    return math.ceil(((if_equal + if_different) / difference) ** 2)


def compute_needed(
    difference: float, standard_error: float, n: int, *, level: float = LEVEL, power: float = POWER
) -> int | None:
    """For any metric: the standard error falls with √n. None if there is no difference.

    >>> compute_needed(0.2, standard_error=0.24, n=10)
    114
    """
    if not (abs(difference) > 0 and math.isfinite(standard_error)):
        return None
    errors = compute_quantile(1 - level / 2) + compute_quantile(power)
    return math.ceil(n * (errors * standard_error / difference) ** 2)
