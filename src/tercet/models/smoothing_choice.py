"""Which smoothing? The counts themselves can tell: leave something out and see how likely it was."""

from collections.abc import Sequence

import numpy as np

from tercet.arrays import Integers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.kernel.threads import n_threads
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.likelihood import Likelihood
from tercet.models.smoothing import CANDIDATES, Additive, Smoothing


def candidates(likelihood: Likelihood) -> list[Smoothing]:
    only_additive = likelihood.kind in ("bernoulli", "complement") or likelihood.unknown == "unk"
    return [way for way in CANDIDATES if isinstance(way, Additive) or not only_additive]


def choose_by_labels(left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers) -> Smoothing:
    """Where log P(own label) of the left-out documents is highest."""
    ways = candidates(left_out.likelihood)
    return ways[int(np.argmax(measure_by_labels(left_out, rows, codes, weights, ways)))]  # of equals the first


def measure_by_labels(
    left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers, ways: Sequence[Smoothing]
) -> list[float]:
    """Σ log P(own label) of the left-out documents for each smoothing; one whose label only it has is passed over.

    Naive Bayes is too sure of itself, more so with some smoothings than with others, and that is not what the choice is about.
    So for each of them the scores are first multiplied by the factor, of a grid from 1 to 1/256, that suits them best.
    """
    models = [left_out.likelihood.with_smoothing(way) for way in ways]
    prior, threads = left_out.log_prior(), n_threads(left_out.threads)
    return engine.label_likelihood(left_out.counts, models, rows, codes, weights, prior, threads)


def check_table_choice(likelihood: Likelihood) -> None:
    """An error for kinds that do not say how likely an occurrence is."""
    if likelihood.kind in ("bernoulli", "complement"):
        raise InvalidOption(f"kind={likelihood.kind!r} has no smoothing='table': give a number, or 'auto'.")


def choose_by_table(likelihood: Likelihood, counts: engine.Counts, threads: int | None = None) -> Smoothing:
    """Where the occurrences of the table are likeliest, each scored by the table without it.

    An occurrence whose term nobody else has is unknown then, and passed over.
    """
    check_table_choice(likelihood)
    ways = candidates(likelihood)
    values = engine.occurrence_likelihood(counts, [likelihood.with_smoothing(way) for way in ways], n_threads(threads))
    return ways[int(np.argmax(values))]
