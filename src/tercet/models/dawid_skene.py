"""Dawid & Skene (1979): votes of several teachers → the probability of each label for each row, and how each teacher errs.

    P(k | row)  ∝  s_k · Π_t Π_l θ_t[k, l] ^ (p_t · v_t[row, l])

s are the shares of the labels. θ_t[k, l] is the probability that teacher t says l where k is right. v_t are its votes: shares
that add up to 1, or zeros where it abstains, which says nothing. p_t is 1, or less for teachers that make the same errors.
Expectation maximisation finds s and θ, from the majority vote on. A row with a gold label keeps it in every round.

The confusion of a teacher is smoothed by a Dirichlet prior. Its mean is a teacher that is right equally often for each label,
and says each wrong label equally often. So a label with few rows borrows from all others.

The formula holds if teachers err independently. Gold labels show whether they do: with enough of them, leave-one-out on the
rows with gold chooses whether rows without gold have a say in θ, and whether teachers of one group count as one teacher.

Votes and probabilities are whole numbers of 1/4096, so the sums are exact, and no order of the rows changes the result.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.models.classifier import normalize_scores

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

STEPS = 4096
MAX_ROUNDS = 60
SMOOTHING = 16.0  # rows of the mean teacher that are added to each label of a confusion
RIGHT, WRONG = 1.4, 0.6  # rows that are added to the right and wrong answers of all labels together
MIN_GOLD = 20  # gold labels that can choose between ways to combine


@dataclass(frozen=True, eq=False)
class Combination:
    """The probability of each label for each row, rows × labels, in steps of 1/4096, and what it follows from."""

    proba: Floats  # a row that nobody has labelled has the shares
    shares: Floats  # of the labels
    confusions: tuple[Floats, ...]  # of each teacher: right label × label that it says
    powers: tuple[float, ...]  # of each teacher: 1, or less if it counts as a part of a group
    uses_all_rows: bool  # False if the confusions come from the rows with gold labels alone
    losses: Floats  # -log P(gold label) of each row with a gold label, if it is left out; empty with few gold labels

    def is_clearly_better(self, other: "Combination") -> bool:
        """Whether it predicts left-out gold labels of the same rows better, by more than a standard error."""
        gains = (other.losses - self.losses).tolist()
        return math.fsum(gains) > math.sqrt(math.fsum(gain**2 for gain in gains))  # exact: no order of the rows matters


def combine_votes(
    votes: "Sequence[csr_matrix]", gold: Integers, *, groups: Sequence[int] | None = None, weights: Integers | None = None
) -> Combination:
    """The combination of these votes, each rows × labels. The gold label of a row is -1 if it is not known.

    `groups` has a number for each teacher: those with the same number may make the same errors. `weights` are whole numbers
    that say how often each row counts.

    >>> from scipy.sparse import csr_matrix
    >>> right, poor = np.array([0, 1] * 8), np.array([0, 1, 1, 0] * 4)
    >>> said = [csr_matrix(np.eye(2)[codes]) for codes in (right, right, poor)]
    >>> found = combine_votes(said, np.full(16, -1))
    >>> found.proba.argmax(axis=1).tolist() == right.tolist()
    True
    >>> [round(float(np.trace(each)) / 2, 1) for each in found.confusions]
    [1.0, 1.0, 0.5]
    """
    panel = Panel.of(votes, gold, weights)
    alone = (1.0,) * len(votes)
    usual = panel.combine(alone, uses_all_rows=True)
    if panel.n_gold < MIN_GOLD:
        return usual
    together = alone if groups is None else tuple(1 / list(groups).count(group) for group in groups)
    plans = [(powers, uses_all) for powers in dict.fromkeys([alone, together]) for uses_all in (True, False)]
    found = [usual, *(panel.combine(*plan) for plan in plans[1:])]
    judged = [replace(each, losses=panel.leave_one_out(each)) for each in found]
    best = min(judged, key=lambda each: math.fsum(each.losses.tolist()))
    return best if best.is_clearly_better(judged[0]) else judged[0]


@dataclass(frozen=True, eq=False)
class Panel:
    """The votes of all teachers and the gold labels."""

    votes: "tuple[csr_matrix, ...]"  # in steps of 1/4096
    gold: Integers
    weights: Integers
    is_labelled: Flags  # rows that have a vote or a gold label

    @classmethod
    def of(cls, votes: "Sequence[csr_matrix]", gold: Integers, weights: Integers | None) -> "Panel":
        coarse = tuple(_coarsen_votes(own) for own in votes)
        n_votes = reduce(add, (np.asarray(own.sum(axis=1)).ravel() for own in coarse))
        counted = np.ones(len(gold), np.int64) if weights is None else weights
        return cls(coarse, gold, counted, np.asarray((n_votes > 0) | (gold >= 0), np.bool_))

    @property
    def n_gold(self) -> int:
        return int(self.weights[self.gold >= 0].sum())

    def combine(self, powers: tuple[float, ...], uses_all_rows: bool) -> Combination:
        """Rounds of expectation maximisation until no probability changes by more than a step.

        The shares of the labels come from all rows in any case: some gold labels alone would tell them badly.
        """
        proba = self._vote(powers)
        shares, confusions = self._estimate(proba, uses_all_rows)
        for _ in range(MAX_ROUNDS):
            proba, before = self._infer(shares, confusions, powers), proba
            if np.abs(proba - before).max(initial=0.0) <= 1 / STEPS:
                break
            shares, confusions = self._estimate(proba, uses_all_rows)
        return Combination(proba, shares, confusions, powers, uses_all_rows, np.zeros(0))

    def _estimate(self, proba: Floats, uses_all_rows: bool) -> tuple[Floats, tuple[Floats, ...]]:
        """The shares of the labels and the confusions that follow from soft labels, rows × labels."""
        n_rows = self._count_labels(proba) + 1.0
        soft = self._weigh(proba, uses_all_rows)
        return n_rows / n_rows.sum(), tuple(smooth_confusion(_count(own, soft)) for own in self.votes)

    def _count_labels(self, proba: Floats) -> Floats:
        return np.asarray(self._weigh(proba, uses_all_rows=True).sum(axis=0))

    def _weigh(self, proba: Floats, uses_all_rows: bool) -> Floats:
        """The soft labels of the rows that have a say, as often as these count."""
        counted = self.weights * (self.is_labelled if uses_all_rows else self.gold >= 0)
        return np.asarray(proba * counted[:, None])

    def _vote(self, powers: Sequence[float]) -> Floats:
        """The majority vote: shares of the votes of all teachers. A row without any has zeros."""
        total = reduce(add, (power * own.toarray() for own, power in zip(self.votes, powers, strict=True)))
        sums = total.sum(axis=1, keepdims=True)
        return self._clamp(np.rint(total / np.where(sums > 0, sums, 1.0) * STEPS) / STEPS)

    def _infer(self, shares: Floats, confusions: Sequence[Floats], powers: Sequence[float]) -> Floats:
        log_joint = np.tile(np.log(shares), (len(self.gold), 1))
        for own, confusion, power in zip(self.votes, confusions, powers, strict=True):
            log_joint += power * (own @ np.log(confusion).T)
        return self._clamp(np.rint(np.exp(normalize_scores(log_joint)) * STEPS) / STEPS)

    def _clamp(self, proba: Floats) -> Floats:
        """The probabilities with 1 for each gold label."""
        rows = np.flatnonzero(self.gold >= 0)
        proba[rows] = 0.0
        proba[rows, self.gold[rows]] = 1.0
        return proba

    def leave_one_out(self, found: Combination) -> Floats:
        """-log P(gold label) of each row with a gold label, where the row itself had no say in shares and confusions.

        What the row has changed in the guesses of other rows is not taken back.
        """
        rows = np.flatnonzero(self.gold >= 0)
        labels, places = self.gold[rows], np.arange(len(rows))
        soft, n_rows = self._weigh(found.proba, found.uses_all_rows), self._count_labels(found.proba)
        log_joint = np.log(np.tile(n_rows + 1, (len(rows), 1)))
        log_joint[places, labels] = np.log(n_rows[labels])  # n + 1 without the row itself
        for own, confusion, power in zip(self.votes, found.confusions, found.powers, strict=True):
            said = own[rows].toarray()
            scores = said @ np.log(confusion).T
            counts = _count(own, soft)
            without = np.maximum(counts[labels] - said, 0.0) + SMOOTHING * _mean_teacher(counts)[labels]
            left = np.log(without / without.sum(axis=1, keepdims=True))
            scores[places, labels] = (said * left).sum(axis=1)
            log_joint += power * scores
        log_proba = normalize_scores(log_joint)
        return -np.maximum(log_proba[places, labels], -math.log(STEPS))


def _coarsen_votes(own: "csr_matrix") -> "csr_matrix":
    from scipy.sparse import csr_matrix  # on first use: import tercet stays quick

    coarse = csr_matrix(own, dtype=np.float64, copy=True)
    coarse.sort_indices()  # the order of sums
    coarse.data = np.rint(coarse.data * STEPS) / STEPS
    return coarse


def _count(own: "csr_matrix", soft: Floats) -> Floats:
    """How often the teacher says each label where each label is right: right label × label that it says."""
    return np.ascontiguousarray((own.T @ soft).T)


def smooth_confusion(counts: Floats) -> Floats:
    """The probability of each label that a teacher says, for each right label.

    >>> smooth_confusion(np.array([[84.0, 0.0], [0.0, 0.0]])).round(2)
    array([[1.  , 0.  ],
           [0.01, 0.99]])
    """
    smoothed = counts + SMOOTHING * _mean_teacher(counts)
    return np.asarray(smoothed / smoothed.sum(axis=1, keepdims=True))


def _mean_teacher(counts: Floats) -> Floats:
    """The confusion of a teacher that is right equally often for each label, and says each wrong label equally often."""
    n_labels = len(counts)
    right = (float(np.trace(counts)) + RIGHT) / (float(counts.sum()) + RIGHT + WRONG)
    mean = np.full((n_labels, n_labels), (1.0 - right) / max(n_labels - 1, 1))
    np.fill_diagonal(mean, right)
    return mean
