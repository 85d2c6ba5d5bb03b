"""Counts → the weights of each kind of naive Bayes. A score is a sum over the terms of a document."""

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tercet.counts.label_counts import LabelCounts
from tercet.errors import InvalidOption
from tercet.models.smoothing import Additive, Smoothing, TermCounts

Floats = npt.NDArray[np.float64]
Kind = Literal["multinomial", "binary", "bernoulli", "complement"]


@dataclass(frozen=True)
class LinearScores:
    """Scores that are sums over the terms of a document: weights · counts + offset.

    A label is out for a document where `obstacles` · counts + `n_obstacles` is not 0: its probability there is 0, and an
    infinite weight would make nan of 0 · ∞.
    """

    weights: Floats  # labels × terms, finite
    offset: Floats  # of each label
    obstacles: Floats | None = None
    n_obstacles: Floats | float = 0.0

    def score(self, X: Any) -> Floats:
        scores = np.asarray(X @ self.weights.T + self.offset, np.float64)
        if self.obstacles is not None:
            present = X.copy()
            present.data = np.ones_like(X.data)
            scores[np.asarray(present @ self.obstacles.T + self.n_obstacles) != 0] = -np.inf
        return scores


def term_table(kind: str, counts: LabelCounts) -> Floats:
    """What a kind counts of each term, labels × terms."""
    return counts.occurrences if kind in ("multinomial", "complement") else counts.documents


def known_terms(table: Floats, vocabulary: str) -> npt.NDArray[np.bool_]:
    """Which terms count: all, or those that every label has."""
    if vocabulary == "shared":
        return np.asarray((table > 0).all(axis=0), np.bool_)
    return np.ones(table.shape[1], np.bool_)


def term_counts(table: Floats) -> TermCounts:
    """The counts of a whole table, labels × terms."""
    return TermCounts(
        in_label=table,
        of_label=table.sum(axis=1, keepdims=True),
        in_all=table.sum(axis=0),
        of_all=np.asarray(table.sum()),
        n_distinct=(table > 0).sum(axis=1, keepdims=True),
        n_terms=np.asarray(table.shape[1]),
    )


def derive_scores(kind: str, counts: LabelCounts, smoothing: Smoothing, vocabulary: str) -> LinearScores:
    """The weights of each kind, from the same counts."""
    if kind in ("bernoulli", "complement"):
        pseudo_count = check_additive(kind, smoothing)
        return _bernoulli(counts, pseudo_count) if kind == "bernoulli" else _complement(counts, pseudo_count)
    table = term_table(kind, counts)
    known = known_terms(table, vocabulary)
    weights = np.zeros(table.shape)
    n = term_counts(table[:, known])
    log_probability = smoothing.log_probability(n)
    if not isinstance(smoothing, Additive):
        log_probability[:, n.in_all == 0] = 0.0  # a term that nobody has seen says nothing
    weights[:, known] = log_probability
    out = np.isneginf(weights)
    offset = np.zeros(len(counts.labels))
    return LinearScores(np.where(out, 0.0, weights), offset, out.astype(np.float64) if out.any() else None)


def _bernoulli(counts: LabelCounts, pseudo_count: float) -> LinearScores:
    of_label = counts.n_documents[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_total = np.log(of_label + 2 * pseudo_count)
        present = np.log(counts.documents + pseudo_count) - log_total
        absent = np.log(of_label - counts.documents + pseudo_count) - log_total
    never, always = np.isneginf(present) | np.isnan(present), np.isneginf(absent) | np.isnan(absent)
    present, absent = np.where(never, 0.0, present), np.where(always, 0.0, absent)
    obstacles = never.astype(np.float64) - always if never.any() or always.any() else None
    return LinearScores(present - absent, absent.sum(axis=1), obstacles, always.sum(axis=1).astype(np.float64))


def _complement(counts: LabelCounts, pseudo_count: float) -> LinearScores:
    others = counts.occurrences.sum(axis=0) - counts.occurrences + pseudo_count
    return LinearScores(np.log(others.sum(axis=1, keepdims=True)) - np.log(others), np.zeros(len(counts.labels)))


def check_additive(kind: str, smoothing: Smoothing) -> float:
    """The pseudo-count of a kind that knows no other smoothing."""
    if not isinstance(smoothing, Additive):
        raise InvalidOption(f"kind={kind!r} has no {type(smoothing).__name__} smoothing: give a number, for example 1.0.")
    if kind == "complement" and smoothing.pseudo_count == 0:
        raise InvalidOption("kind='complement' needs smoothing > 0: a term of one label alone would weigh without limit.")
    return smoothing.pseudo_count


def fall_back(scores: Floats, prior: Floats) -> Floats:
    """Where every label is out, only the prior is left to decide."""
    lost = np.asarray(np.isneginf(scores).all(axis=1))
    if lost.any():
        warnings.warn(
            f"{lost.sum()} of {len(lost)} documents have probability 0 under every label, and get the prior: no label has "
            "all of their terms. A smoothing above 0 mends it.",
            RuntimeWarning,
            stacklevel=3,
        )
        scores[lost] = np.broadcast_to(prior, scores.shape)[lost]
    return scores
