"""Which smoothing? The counts themselves can tell: leave something out and see how likely it was."""

import numpy as np

from tercet.counts.units import to_numbers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.classifier import normalize_scores
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.likelihood import Likelihood
from tercet.models.smoothing import CANDIDATES, Additive, Smoothing


def candidates(kind: str) -> list[Smoothing]:
    return [way for way in CANDIDATES if kind in ("multinomial", "binary") or isinstance(way, Additive)]


def choose_by_labels(left_out: LeaveOneOut) -> Smoothing:
    """Where log P(own label) of the left-out documents is highest; a document whose label only it has is passed over."""
    _, codes, weights = left_out.taken  # each document alone
    counted = np.flatnonzero(left_out.counts.n_documents()[codes] > weights)

    def likelihood(smoothing: Smoothing) -> float:
        log_probabilities = normalize_scores(left_out.log_joint(smoothing))
        return float(to_numbers(weights[counted]) @ log_probabilities[counted, codes[counted]])

    return max(candidates(left_out.likelihood.kind), key=likelihood)  # of equals the first


def choose_by_table(likelihood: Likelihood, counts: engine.Counts) -> Smoothing:
    """Where the occurrences of the table are likeliest, each scored by the table without it.

    An occurrence whose term nobody else has is unknown then, and passed over.
    """
    if likelihood.kind in ("bernoulli", "complement"):
        raise InvalidOption(f"kind={likelihood.kind!r} has no smoothing='table': give a number, or 'auto'.")
    return max(
        candidates(likelihood.kind), key=lambda way: engine.occurrence_likelihood(counts, likelihood.with_smoothing(way))
    )
