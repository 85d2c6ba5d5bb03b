"""Which smoothing? The counts themselves can tell: leave something out and see how likely it was."""

import numpy as np
import numpy.typing as npt

from tercet.counts.label_counts import LabelCounts
from tercet.errors import InvalidOption
from tercet.models.classifier import normalize_scores
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.scores import term_counts, term_table
from tercet.models.smoothing import CANDIDATES, Additive, Smoothing, TermCounts

Floats = npt.NDArray[np.float64]


def candidates(kind: str) -> list[Smoothing]:
    return [c for c in CANDIDATES if kind in ("multinomial", "binary") or isinstance(c, Additive)]


def choose_by_labels(left_out: LeaveOneOut) -> Smoothing:
    """Where log P(own label) of the left-out documents is highest; a document whose label only it has is passed over."""
    codes, weights = left_out.codes, left_out.weights
    counted = np.flatnonzero(left_out.counts.n_documents[codes] > weights)

    def likelihood(smoothing: Smoothing) -> float:
        log_probabilities = normalize_scores(left_out.log_joint(smoothing))
        return float(weights[counted] @ log_probabilities[counted, codes[counted]])

    return max(candidates(left_out.kind), key=likelihood)  # of equals the first


def choose_by_table(kind: str, counts: LabelCounts) -> Smoothing:
    """Where the occurrences of the table are likeliest, each scored by the table without it.

    An occurrence whose term nobody else has is unknown then, and passed over.
    """
    if kind in ("bernoulli", "complement"):
        raise InvalidOption(f"kind={kind!r} has no smoothing='table': give a number, or 'auto'.")
    table = term_table(kind, counts)
    n = term_counts(table)
    label, term = np.nonzero((table >= 1) & (n.in_all > 1))
    here = table[label, term]
    left = TermCounts(
        in_label=here - 1,
        of_label=n.of_label[label, 0] - 1,
        in_all=n.in_all[term] - 1,
        of_all=n.of_all - 1,
        n_distinct=n.n_distinct[label, 0] - (here == 1),
        n_terms=n.n_terms,
    )
    return max(candidates(kind), key=lambda smoothing: float(here @ smoothing.log_probability(left)))
