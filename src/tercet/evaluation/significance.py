"""Is the difference between two systems on the same documents more than chance?

The pool of both (`Pool.of_documents(gold, [a, b], n_labels)`) keeps how many documents have the same gold label and the same
two answers: they are exchangeable, so a resample draws how many of each there are, or how many of each are swapped. Every p
is (r + 1) / (B + 1) for r of B resamples as extreme as the data, so it is never 0.
"""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats
from tercet.errors import InvalidMatrix, InvalidOption
from tercet.evaluation.bootstrap import draw_replicates, evaluate_total, find_accelerations
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.mcnemar import count_discordant, has_single_documents, mcnemar
from tercet.evaluation.pool import ConfusionMetric, Pool
from tercet.evaluation.replicates import TIE, make_estimates
from tercet.evaluation.resampling import DEFAULT, Resampling
from tercet.evaluation.sample_size import find_needed, find_needed_discordant
from tercet.options import check_choice

TESTS = ("randomization", "paired_bootstrap", "textbook_bootstrap", "mcnemar", "mcnemar_exact")


@dataclass(frozen=True)
class Difference:
    """The first system's metric minus the second's, with its interval, and whether it may be chance.

    `n_needed` is about how many documents (or groups, where these are drawn whole) show such a difference in four of five
    studies at p < 0.05.
    """

    estimate: Estimate
    p_value: float
    test: str
    n_needed: int | None


def compare_pair(pool: Pool, metric: ConfusionMetric, test: str = "randomization", plan: Resampling = DEFAULT) -> Difference:
    """By how much the first system is better, whether that may be chance, and how many documents would show it.

    >>> def accuracy(matrices):
    ...     return np.trace(matrices, axis1=-2, axis2=-1) / matrices.sum(axis=(-2, -1))
    >>> right_a, right_b = [1, 1, 1, 0, 1, 0, 1, 1, 0, 1], [1, 0, 1, 1, 0, 1, 0, 1, 0, 0]
    >>> difference = compare_pair(Pool.of_documents([1] * 10, [right_a, right_b], n_labels=2), accuracy)
    >>> print(difference.estimate, f"{difference.p_value:.2f}", difference.n_needed)
    0.200 [-0.300, 0.600] 0.69 116
    """
    check_choice("test", test, TESTS)
    subtract = _subtract_systems(pool, metric)
    observed = evaluate_total(pool, subtract)
    replicates = draw_replicates(pool, subtract, plan)
    (estimate,) = make_estimates(observed, replicates, find_accelerations(pool, subtract, plan), plan)
    discordant = _find_discordant(pool, estimate.value)
    if test == "randomization":
        p_value = randomize_pair(pool, metric, plan)
    elif test in ("paired_bootstrap", "textbook_bootstrap"):
        p_value = _judge_replicates(estimate.value, replicates[:, 0], one_sided=test == "textbook_bootstrap")
    elif discordant is None:
        raise InvalidOption(f"test={test!r} is for accuracy on single documents, and this is another metric or has groups.")
    else:
        p_value = mcnemar(*discordant, mid_p=test == "mcnemar")
    if discordant is not None:
        n_needed = find_needed_discordant(*discordant, pool.n_units)
    else:
        n_needed = find_needed(estimate.value, _find_spread(replicates), pool.n_units)
    return Difference(estimate, p_value, test, n_needed)


def randomize_pair(pool: Pool, metric: ConfusionMetric, plan: Resampling = DEFAULT) -> float:
    """The two-sided p of approximate randomisation: were the systems alike, each document's answers could be swapped.

    A swap for which the metric is undefined counts against a difference.
    """
    subtract = _subtract_systems(pool, metric)
    observed = abs(evaluate_total(pool, subtract)[0])
    swapped = np.concatenate([subtract(matrices)[:, 0] for matrices in pool.swap(plan.resamples, plan.seed)])
    return _find_p(observed, np.abs(swapped))


def bootstrap_pair(pool: Pool, metric: ConfusionMetric, plan: Resampling = DEFAULT, *, one_sided: bool = False) -> float:
    """The p of the paired bootstrap: how often resamples stray from the difference as far as it is from 0.

    One-sided it is the textbook's, the share with δ(x⁽ⁱ⁾) ≥ 2 δ(x), which asks whether the first system is better.
    """
    subtract = _subtract_systems(pool, metric)
    observed = float(evaluate_total(pool, subtract)[0])
    return _judge_replicates(observed, draw_replicates(pool, subtract, plan)[:, 0], one_sided=one_sided)


def _judge_replicates(observed: float, replicates: Floats, *, one_sided: bool) -> float:
    strayed = replicates - observed
    return _find_p(observed, strayed) if one_sided else _find_p(abs(observed), np.abs(strayed))


def _find_p(observed: float, resampled: Floats) -> float:
    """Equal values count as extreme, whatever their last bits; so do undefined ones."""
    if np.isnan(observed):
        return np.nan
    n_less = np.count_nonzero(resampled < observed - TIE)
    return float((len(resampled) - n_less + 1) / (len(resampled) + 1))


def _find_spread(replicates: Floats) -> float:
    known = replicates[~np.isnan(replicates)]
    return float(known.std()) if len(known) else np.nan


def _find_discordant(pool: Pool, difference: float) -> tuple[int, int] | None:
    """The discordant documents, if the difference is one of accuracies."""
    if not has_single_documents(pool):
        return None
    a_only, b_only = count_discordant(pool)
    return (a_only, b_only) if abs((a_only - b_only) / pool.n_units - difference) < 1e-9 else None


def _subtract_systems(pool: Pool, metric: ConfusionMetric) -> ConfusionMetric:
    if len(pool.shape) != 3 or pool.shape[0] != 2:
        raise InvalidMatrix("a difference takes the answers of two systems: Pool.of_documents(gold, [a, b], n_labels).")
    return lambda pairs: (metric(pairs[..., 0, :, :]) - metric(pairs[..., 1, :, :]))[..., None]
