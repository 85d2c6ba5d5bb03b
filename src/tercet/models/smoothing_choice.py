"""The choice of the smoothing: the one under which left-out documents or occurrences are most likely."""

from collections.abc import Sequence

import numpy as np

from tercet.arrays import Integers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.bayes_rule import Likelihood
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.smoothing import CANDIDATES, Additive, Smoothing
from tercet.options import n_threads


def candidates(likelihood: Likelihood) -> list[Smoothing]:
    """The smoothings of CANDIDATES that this likelihood allows."""
    only_additive = likelihood.kind in ("bernoulli", "complement") or likelihood.unknown == "unk"
    return [smoothing for smoothing in CANDIDATES if isinstance(smoothing, Additive) or not only_additive]


def choose_by_labels(left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers) -> Smoothing:
    """The smoothing with the highest log P(own label) of the left-out documents."""
    smoothings = candidates(left_out.likelihood)
    return smoothings[int(np.argmax(measure_by_labels(left_out, rows, codes, weights, smoothings)))]  # ties: the first


def measure_by_labels(
    left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers, smoothings: Sequence[Smoothing]
) -> list[float]:
    """Σ log P(own label) of the left-out documents for each smoothing. A document that is the only one of its label is skipped.

    Naive Bayes is overconfident, with some smoothings more than with others, and the choice should not depend on that. So the
    scores of each smoothing are first multiplied by a factor: the best one on a grid from 1 to 1/256.
    """
    models = [left_out.likelihood.with_smoothing(smoothing) for smoothing in smoothings]
    prior, threads = left_out.log_prior(), n_threads(left_out.threads)
    return engine.label_likelihood(left_out.counts, models, rows, codes, weights, prior, threads)


def check_table_choice(likelihood: Likelihood) -> None:
    """Raises InvalidOption for kinds that have no probability of an occurrence."""
    if likelihood.kind in ("bernoulli", "complement"):
        raise InvalidOption(f"kind={likelihood.kind!r} has no smoothing='table': give a number, or 'auto'.")


def choose_by_table(likelihood: Likelihood, counts: engine.Counts, threads: int | None = None) -> Smoothing:
    """The smoothing with the highest likelihood of the table's occurrences, each scored by the table without it.

    The only occurrence of a term is skipped: without it the term is unknown.
    """
    check_table_choice(likelihood)
    smoothings = candidates(likelihood)
    models = [likelihood.with_smoothing(smoothing) for smoothing in smoothings]
    values = engine.occurrence_likelihood(counts, models, n_threads(threads))
    return smoothings[int(np.argmax(values))]
