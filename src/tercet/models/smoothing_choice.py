"""Scores of documents that are left out of a table one by one, and the smoothing under which they are most likely."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.units import to_numbers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.bayes_rule import Likelihood, log_priors_left
from tercet.models.smoothing import CANDIDATES, DEFAULT_SMOOTHING, Additive, Smoothing
from tercet.options import n_threads


class Taken(NamedTuple):
    """The weights that are left out with document i: the entries starts[i] … starts[i + 1], each label at most once.

    Weights are sums over the document and its copies. `squares` are the sums of the squared weights, in 128 bits.
    """

    starts: Integers
    labels: Integers
    weights: Integers
    squares: npt.NDArray[np.uint64]

    @classmethod
    def own(cls, codes: Integers, weights: Integers) -> "Taken":
        """For documents that are each left out alone."""
        starts = np.arange(len(codes) + 1)
        return cls(starts, codes, weights, engine.sum_squares(weights, starts[:-1], len(codes)))


@dataclass(frozen=True)
class LeaveOneOut:
    """Counts that score their own documents. The counts must not change meanwhile."""

    likelihood: Likelihood
    prior: Any
    labels: Labels
    counts: engine.Counts
    threads: int | None = None

    def with_smoothing(self, smoothing: Smoothing) -> engine.LeftOut:
        if self.likelihood.kind == "bernoulli" and smoothing.value == 0:
            raise InvalidOption(
                "leave-one-out of kind='bernoulli' needs smoothing > 0: a term that all or no documents have would be certain."
            )
        return engine.LeftOut(self.counts, self.likelihood.with_smoothing(smoothing))

    def log_joint(self, rows: engine.Rows, taken: Taken, smoothing: Smoothing) -> Floats:
        """The score of each document by the counts without its entries in `taken`, documents × labels."""
        scores = self.with_smoothing(smoothing).score(rows, *taken, n_threads(self.threads))
        return np.asarray(scores + self.log_priors(taken), np.float64)

    def prior_option(self) -> Any:
        """The prior; None for complement, which does not use one."""
        return self.prior if self.likelihood.kind != "complement" or len(self.labels) == 1 else None

    def log_prior(self) -> Floats | None:
        """The prior if it is the same for each left-out document, else None."""
        option = self.prior_option()
        if isinstance(option, str) and option == "empirical":
            return None
        left = to_numbers(self.counts.n_documents())[None]
        prior: Floats = log_priors_left(option, self.labels, left, only_present=self.likelihood.is_open)[0]
        return prior

    def log_priors(self, taken: Taken) -> Floats:
        """The prior without each document's entries in `taken`, documents × labels."""
        n, of_label = len(taken.starts) - 1, self.counts.n_documents()
        document = np.repeat(np.arange(n), np.diff(taken.starts))
        option = self.prior_option()
        if isinstance(option, str) and option == "empirical":
            return _share_priors(of_label, taken, document, n)
        left = np.tile(of_label, (n, 1))
        left[document, taken.labels] -= taken.weights
        return log_priors_left(option, self.labels, to_numbers(left), only_present=self.likelihood.is_open)


def _share_priors(of_label: Integers, taken: Taken, document: Integers, n: int) -> Floats:
    """The share of each label in the documents that are left, documents × labels.

    Only few numbers differ from those of another document of the same weight, so most logarithms are taken once.

    >>> taken = Taken.own(np.array([0, 1]), np.array([1, 1]))
    >>> np.exp(_share_priors(np.array([2, 2]), taken, np.arange(2), 2)).round(2)
    array([[0.33, 0.67], [0.67, 0.33]])
    """
    n_taken = np.zeros(n, np.int64)
    np.add.at(n_taken, document, taken.weights)
    distinct, which = np.unique(n_taken, return_inverse=True)
    totals = to_numbers(of_label.sum() - distinct)
    with np.errstate(divide="ignore", invalid="ignore"):
        priors: Floats = np.log(to_numbers(of_label) / totals[:, None])[which]
        left = to_numbers(of_label[taken.labels] - taken.weights)
        priors[document, taken.labels] = np.log(left / totals[which[document]])
    priors[totals[which] <= 0] = np.log(1 / len(of_label))  # no document is left: all labels are equal
    return priors


def list_candidates(likelihood: Likelihood) -> list[Smoothing]:
    """The smoothings of CANDIDATES that this likelihood allows."""
    only_additive = likelihood.kind in ("bernoulli", "complement") or likelihood.unknown == "unk"
    return [smoothing for smoothing in CANDIDATES if isinstance(smoothing, Additive) or not only_additive]


def choose_by_labels(left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers) -> Smoothing:
    """The smoothing with the highest likelihood of the labels of the left-out documents, in which rare labels count for more.

    If every document counted the same, the choice would drift to smoothings that predict the frequent labels more often; if
    every label counted the same, to those that predict rare labels too often. So a label with n documents has the weight √n.
    And no smoothing is chosen that is worse than the default one by documents, or by labels.
    """
    smoothings = list_candidates(left_out.likelihood)
    measured = measure_by_labels(left_out, rows, codes, weights, smoothings)
    default = smoothings.index(DEFAULT_SMOOTHING) if DEFAULT_SMOOTHING in smoothings else 0
    is_safe = (measured.by_documents >= measured.by_documents[default]) & (measured.by_labels >= measured.by_labels[default])
    return smoothings[int(np.argmax(np.where(is_safe, measured.between, -np.inf)))]  # ties: the first


class LabelLikelihoods(NamedTuple):
    """For each smoothing, the mean of log P(own label) of left-out documents."""

    by_documents: Floats  # every document has the same weight
    between: Floats  # the documents of a label with n documents have the weight √n together
    by_labels: Floats  # every label has the same weight


def measure_by_labels(
    left_out: LeaveOneOut, rows: engine.Rows, codes: Integers, weights: Integers, smoothings: Sequence[Smoothing]
) -> LabelLikelihoods:
    """The likelihood of the labels of the left-out documents. A document that is the only one of its label is skipped.

    Naive Bayes is overconfident, with some smoothings more than with others, and the choice should not depend on that. So the
    scores of each smoothing are first multiplied by a factor: the best one on a grid from 1 to 1/256.
    """
    models = [left_out.likelihood.with_smoothing(smoothing) for smoothing in smoothings]
    prior, threads = left_out.log_prior(), n_threads(left_out.threads)
    sums = engine.label_likelihood(left_out.counts, models, rows, codes, weights, prior, threads)
    sizes = np.maximum(to_numbers(left_out.counts.n_documents()), to_numbers(1))
    scored = np.zeros(len(sizes))
    np.add.at(scored, codes, to_numbers(weights))

    def average(of_labels: Floats) -> Floats:
        best: Floats = (sums * of_labels).sum(axis=2).max(axis=1)
        return best / (float((scored * of_labels).sum()) or 1.0)

    return LabelLikelihoods(*(average(of_labels) for of_labels in (np.ones(len(sizes)), 1 / np.sqrt(sizes), 1 / sizes)))


def check_table_choice(likelihood: Likelihood) -> None:
    """Raises InvalidOption for kinds that have no probability of an occurrence."""
    if likelihood.kind in ("bernoulli", "complement"):
        raise InvalidOption(f"kind={likelihood.kind!r} has no smoothing='table': give a number, or 'auto'.")


def choose_by_table(likelihood: Likelihood, counts: engine.Counts, threads: int | None = None) -> Smoothing:
    """The smoothing with the highest likelihood of the table's occurrences, each scored by the table without it.

    The only occurrence of a term is skipped: without it the term is unknown.
    """
    check_table_choice(likelihood)
    smoothings = list_candidates(likelihood)
    models = [likelihood.with_smoothing(smoothing) for smoothing in smoothings]
    values = engine.occurrence_likelihood(counts, models, n_threads(threads))
    return smoothings[int(np.argmax(values))]
