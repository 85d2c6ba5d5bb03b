"""The score of each training document with the counts of all other documents.

The reference removes the document and computes the weights again.
"""

import math
from collections.abc import Sequence

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect, expect_below, read_ranges
from tercet.kernel.bayes.model import Model
from tercet.kernel.bayes.smoothing import FORMULAS, log
from tercet.kernel.bayes.weights import CountedTerms, Weights
from tercet.kernel.counts.counts import ONE, Counts, Squares, join_squares, sum_squares
from tercet.kernel.counts.rows import Rows

FACTORS = [2 ** (step / 2) for step in range(-16, 1)]


class LeftOut:
    """Scores documents with the counts without them. The counts must not change meanwhile."""

    def __init__(self, counts: Counts, model: Model) -> None:
        self._counts, self._model = counts, model

    def score(
        self, rows: Rows, starts: Integers, labels: Integers, weights: Integers, squares: Squares, threads: int = 1
    ) -> Floats:
        """Scores as documents × labels. Document i is removed from each of labels[starts[i] : starts[i + 1]].

        If it is removed with its copies, weights and squares are sums over them.
        """
        counts = self._counts
        expect(len(starts) == len(rows) + 1 and len(labels) == len(weights), "each document needs what is taken with it")
        expect(rows.n_columns <= counts.n_terms, "no such term")
        expect_below(labels, len(counts.of_labels), "no such label")
        expect(len(squares) == len(labels), "each weight needs its square")
        taken = list(zip(labels.tolist(), weights.tolist(), join_squares(squares), strict=True))
        scores = []
        for row, (begin, end) in zip(rows.rows, read_ranges(starts, len(labels)), strict=True):
            left = counts.copy()
            for label, weight, square in taken[begin:end]:
                left.add_row(row, label, -weight)
                left.squared[label] += weight**2 - square
            scores.append(Weights(left, self._model).score_row(row))
        return np.array(scores, np.float64).reshape(-1, len(counts.of_labels))


def label_likelihood(
    counts: Counts,
    models: Sequence[Model],
    rows: Rows,
    labels: Integers,
    weights: Integers,
    prior: Floats | None,
    threads: int = 1,
) -> Floats:
    """Σ weight · log P(own label) over the documents of each label, each scored without itself: models × factors × labels.

    A document that is the only one of its label is skipped. Without a prior, the prior is the share of the remaining documents.
    The scores are multiplied by the factor.
    """
    expect_alike(models)
    expect(len(labels) == len(weights) == len(rows), "each document needs a label and a weight")
    expect(prior is None or len(prior) == len(counts.of_labels), "each label needs a prior")
    expect_below(labels, len(counts.of_labels), "no such label")
    left = np.tile(counts.n_documents(), (len(rows), 1))
    left[np.arange(len(rows)), labels] -= weights
    log_priors = np.array([[log(n) for n in row] for row in left.tolist()]).reshape(left.shape) if prior is None else prior
    squares = sum_squares(weights, np.arange(len(rows)), len(rows))

    def sum_up(joint: Floats, label: int) -> float:
        own = [i for i in np.flatnonzero(labels == label).tolist() if left[i, label] > 0]
        return math.fsum(weights[i] / ONE * max(log_share(joint[i].tolist(), label), -1e6) for i in own)

    def sum_factors(model: Model) -> list[list[float]]:
        joint = LeftOut(counts, model).score(rows, np.arange(len(rows) + 1), labels, weights, squares) + log_priors
        return [[sum_up(factor * joint, label) for label in range(len(counts.of_labels))] for factor in FACTORS]

    return np.array([sum_factors(model) for model in models], np.float64)


def log_share(scores: list[float], label: int) -> float:
    """log P(label) from log P(label, document)."""
    shifted = [score - max(scores) for score in scores]  # shift first: exp(-1200) alone would be 0
    return shifted[label] - math.log(sum(map(math.exp, shifted)))


def occurrence_likelihood(counts: Counts, models: Sequence[Model], threads: int = 1) -> list[float]:
    """For each model Σ n log P(term | label) over all occurrences, each scored with the counts without it.

    An occurrence that is the only one of its term is skipped. All counts together decide which terms are known.
    """
    expect_alike(models)
    return [_sum_occurrences(counts, model) for model in models]


def _sum_occurrences(counts: Counts, model: Model) -> float:
    terms = CountedTerms(counts, model)
    values = []
    for term in terms.known:
        for label, cell in counts.rows[term].items():
            seen = terms.see(term, label)
            if model.count(cell) >= ONE and seen.n_all > 1:
                counts_left = list(seen.counts)
                counts_left[counts_left.index(seen.n)] -= 1
                left = seen._replace(n=seen.n - 1, N=seen.N - 1, n_all=seen.n_all - 1, N_all=seen.N_all - 1, counts=counts_left)
                values.append(seen.n * log(FORMULAS[model.smoothing](left, model.value)))
    return math.fsum(values)


def expect_alike(models: Sequence[Model]) -> None:
    """Check that the models differ only in their smoothing."""
    expect(len(models) > 0, "no model")
    expect(len({model.likelihood for model in models}) == 1, "models of one likelihood")
    expect(all(model.pseudo_counts is None for model in models), "all terms must have the same pseudo-count")
