"""Stacking: the scores of several models → one score for each label, by weights that are fitted to held-out documents."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.calibration import MIN_DOCUMENTS, deal_by_label, measure_loss, round_all
from tercet.models.classifier import normalize_scores

MOST_MIXED = 30  # labels: the mix has members × labels² numbers


@dataclass(frozen=True, eq=False)
class Stacking:
    """score(label) = Σ weight of the member · its score + Σ its scores · mix + offset of the label.

    The scores of a document by a member count from their mean, so a constant that is added to all of them changes nothing. A
    score of -inf counts as the lowest finite score of the document by this member, minus 1.

    >>> half = Stacking(np.array([0.5, 0.0]), np.array([0.0, 1.0]))
    >>> half.apply(np.array([[[3.0, 5.0]], [[9.0, 9.0]]])), half.used
    (array([[-0.5,  1.5]]), array([0]))
    """

    weights: Floats  # of the members, at least 0
    offsets: Floats  # of the labels
    mix: Floats | None = None  # members × labels × labels: the effect of each score on the score of each label

    def apply(self, scores: Floats) -> Floats:
        """log P(label) + log P(document | label) up to a constant, documents × labels, from members × documents × labels."""
        joint = np.repeat(self.offsets[None], scores.shape[1], axis=0)
        # No product of matrices: its sums could depend on the machine and on the number of threads.
        for member in self.used.tolist():
            centred = centre_scores(scores[member])
            joint += self.weights[member] * centred
            if self.mix is not None:
                for label, effects in enumerate(self.mix[member]):
                    joint += centred[:, label, None] * effects
        return joint

    @property
    def effects(self) -> Floats:
        """members × labels × labels, such that finite scores @ effects, summed over members, plus the offsets are the result.

        So members that are linear in the same terms make one linear model.
        """
        n_labels = len(self.offsets)
        own = self.weights[:, None, None] * np.eye(n_labels)
        mixed = own if self.mix is None else own + self.mix
        return np.asarray(mixed - mixed.mean(axis=1, keepdims=True), np.float64)

    @property
    def used(self) -> Integers:
        """The positions of the members that have a weight. The others can be dropped."""
        has_weight = self.weights > 0
        return np.flatnonzero(has_weight if self.mix is None else has_weight | self.mix.any(axis=(1, 2)))


def centre_scores(scores: Floats) -> Floats:
    """Scores of one member, documents × labels, each minus the mean of its document.

    >>> centre_scores(np.array([[2.0, 4.0, -np.inf]]))
    array([[-0.33333333,  1.66666667, -1.33333333]])
    """
    is_lost = np.isneginf(scores)
    if is_lost.any():
        lowest = np.where(is_lost, np.inf, scores).min(axis=1, keepdims=True)
        scores = np.where(is_lost, np.where(np.isposinf(lowest), 0.0, lowest - 1), scores)
    return np.asarray(scores - scores.mean(axis=1, keepdims=True), np.float64)


def fit_stacking(scores: Floats, codes: Integers, weights: Floats | None = None, folds: Integers | None = None) -> Stacking:
    """The stacking with the smallest log-loss of these held-out documents.

    `scores` are members × documents × labels, and `codes` are the positions of the documents' labels. A mix of labels is added
    for 3 to 30 labels if it lowers the log-loss of documents that it was not fitted to: one half of the folds is for fitting,
    the other for measuring, and then the other way round. `folds` are those of `deal_by_label` by default. The order of
    the documents decides about the last bits: sort them first. Without documents the first member decides alone.

    >>> codes = np.arange(60) % 2
    >>> good = np.where(codes[:, None] == np.arange(2), 1.0, 0.0)
    >>> fit_stacking(np.stack([good, 1 - good]), codes).used
    array([0])
    """
    scores = np.ascontiguousarray(scores, np.float64)
    relative = np.ones(len(codes)) if weights is None else np.asarray(weights, np.float64)
    if not len(codes):
        return Stacking(np.eye(len(scores))[0], np.zeros(scores.shape[2]))
    if not relative.any():
        raise InvalidOption(
            "there is nothing to stack: no held-out document has a weight. Give some documents a weight above 0."
        )
    plain = _solve(scores, codes, relative)
    n_labels, used = len(plain.offsets), plain.used
    n_documents = np.count_nonzero(relative)
    if not 2 < n_labels <= MOST_MIXED or n_documents < max(MIN_DOCUMENTS, 10 * n_labels) or not len(used):
        return plain
    halves = _halve(deal_by_label(codes) if folds is None else folds)
    plain_loss, mixed_loss = (_cross_loss(scores[used], codes, relative, halves, has_mix) for has_mix in (False, True))
    if not mixed_loss < plain_loss:
        return plain
    mixed = _solve(scores[used], codes, relative, has_mix=True)
    every = np.zeros(len(scores)), np.zeros((len(scores), n_labels, n_labels))
    every[0][used], every[1][used] = mixed.weights, mixed.mix
    return Stacking(every[0], mixed.offsets, every[1])


def _solve(scores: Floats, codes: Integers, weights: Floats, *, has_mix: bool = False) -> Stacking:
    factors, offsets, mix = engine.fit_stack(scores, codes, weights, has_mix)
    shape = len(factors), len(offsets), len(offsets)
    return Stacking(round_all(factors), round_all(offsets), round_all(mix).reshape(shape) if has_mix else None)


def _halve(folds: Integers) -> Integers:
    """Half 0 or 1 of each document: the folds that occur take turns."""
    turns = np.cumsum(np.bincount(folds) > 0) - 1
    return np.asarray(turns[folds] % 2, np.int64)


def _cross_loss(scores: Floats, codes: Integers, weights: Floats, halves: Integers, has_mix: bool) -> float:
    """The log-loss of all documents, each half by the stacking that is fitted to the other half."""
    log_proba = np.empty(scores.shape[1:])
    for half in (0, 1):
        inside = halves == half
        if not weights[~inside].any():
            return np.inf
        stacking = _solve(np.ascontiguousarray(scores[:, ~inside]), codes[~inside], weights[~inside], has_mix=has_mix)
        log_proba[inside] = normalize_scores(stacking.apply(scores[:, inside]))
    return measure_loss(log_proba, codes, weights)


class CrossStacked(NamedTuple):
    """A stacking, and for each fold the stacking that is fitted to the other folds."""

    stacking: Stacking
    without: tuple[Stacking, ...]
    log_proba: Floats  # of each document, by the stacking without its fold

    def apply(self, scores: Floats, folds: Integers) -> Floats:
        """log P(label | document) by the stacking without the document's fold; fold -1 uses the stacking of all folds."""
        log_proba = np.empty(scores.shape[1:])
        for fold in np.flatnonzero(np.bincount(folds + 1, minlength=1)) - 1:
            in_fold = folds == fold
            stacking = self.stacking if fold < 0 else self.without[fold]
            log_proba[in_fold] = normalize_scores(stacking.apply(scores[:, in_fold]))
        return log_proba


def cross_fit_stacking(
    scores: Floats, codes: Integers, weights: Floats | None = None, folds: Integers | None = None
) -> CrossStacked:
    """The stacking of all documents, and the probabilities of each document by a stacking that it had no say in.

    The choice of a mix is part of what is cross-fitted. Without `folds` there are those of `deal_by_label`. A fold whose
    other folds have no weight gets the stacking of all documents.
    """
    folds = deal_by_label(codes) if folds is None else folds
    stacking = fit_stacking(scores, codes, weights, folds)
    without = []
    for fold in range(int(folds.max(initial=-1)) + 1):
        rest = folds != fold
        rest_weights = None if weights is None else weights[rest]
        can_fit = rest.any() if rest_weights is None else rest_weights.any()
        without.append(fit_stacking(scores[:, rest], codes[rest], rest_weights, folds[rest]) if can_fit else stacking)
    fitted = CrossStacked(stacking, tuple(without), np.empty(0))
    return fitted._replace(log_proba=fitted.apply(scores, folds))
