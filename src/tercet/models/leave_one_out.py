"""The score of each training document by the counts without it: by subtraction, not by learning again.

Only what the document itself had changes, so all documents together cost about as much as scoring them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.counts.label_counts import LabelCounts
from tercet.errors import InvalidOption
from tercet.models.priors import log_prior
from tercet.models.scores import Kind, check_additive, fall_back, known_terms, term_table
from tercet.models.smoothing import Additive, Smoothing, TermCounts

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

BLOCK = 1 << 20  # entries at once: bounds the memory


class Block:
    """Neighbouring documents: their entries side by side."""

    def __init__(self, X: Any, codes: Integers, weights: Floats) -> None:
        self.n = X.shape[0]
        self.codes, self.weights = codes, weights
        self.document = np.repeat(np.arange(self.n), np.diff(X.indptr))
        self.term, self.count = X.indices, X.data
        self.taken = self.count * weights[self.document]  # what goes with the document
        self.own = codes[self.document]

    def sum(self, values: Floats) -> Floats:
        """Sums over the entries of each document."""
        return np.bincount(self.document, weights=values, minlength=self.n).astype(np.float64)


@dataclass(frozen=True)
class LeaveOneOut:
    """Training documents (a prepared CSR matrix, the places of their labels, their weights) and the counts they are in."""

    kind: Kind
    vocabulary: str
    prior: Any
    counts: LabelCounts
    X: Any
    codes: Integers
    weights: Floats

    def log_joint(self, smoothing: Smoothing) -> Floats:
        """The score of each document without itself, documents × labels."""
        priors = self._priors()
        scores = np.concatenate([self._score(smoothing, block) for block in self._blocks()])
        return fall_back(priors + scores, priors)

    def _score(self, smoothing: Smoothing, block: Block) -> Floats:
        if self.kind == "bernoulli":
            return _bernoulli(self.counts, check_additive(self.kind, smoothing), block)
        if self.kind == "complement":
            return _complement(self.counts, check_additive(self.kind, smoothing), block)
        return _multinomial(term_table(self.kind, self.counts), self.vocabulary, smoothing, block)

    def _blocks(self) -> Iterator[Block]:
        begin, ends = 0, self.X.indptr
        while begin < self.X.shape[0]:
            end = max(begin + 1, int(np.searchsorted(ends, ends[begin] + BLOCK)))
            yield Block(self.X[begin:end], self.codes[begin:end], self.weights[begin:end])
            begin = end

    def _priors(self) -> Floats:
        n_labels, n = len(self.counts.labels), len(self.codes)
        if self.kind == "complement" and n_labels > 1:
            return np.zeros((n, n_labels))
        if not isinstance(self.prior, str) or self.prior != "empirical":
            return np.tile(log_prior(self.prior, self.counts.labels, self.counts.n_documents), (n, 1))
        left = np.tile(self.counts.n_documents, (n, 1))
        left[np.arange(n), self.codes] -= self.weights
        left[left.sum(axis=1) == 0] = 1.0  # the only document: nothing is left that speaks for a label
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(left / left.sum(axis=1, keepdims=True)), np.float64)


def _multinomial(table: Floats, vocabulary: str, smoothing: Smoothing, block: Block) -> Floats:
    known = known_terms(table, vocabulary)
    is_known = known[block.term]
    own_left = table[block.own, block.term] - block.taken
    # Without the document its label no longer has the term; a shared vocabulary then loses it.
    gone = is_known & (own_left <= 0) if vocabulary == "shared" else np.zeros(len(block.term), bool)
    n_gone = block.sum(gone.astype(np.float64))
    in_all = table.sum(axis=0)[block.term] - block.taken
    says = is_known & ~gone & (isinstance(smoothing, Additive) | (in_all > 0))
    taken = np.where(is_known, block.taken, 0.0)
    totals = table[:, known].sum(axis=1)
    # Of a term that is gone all occurrences go, under every label.
    gone_rest = block.sum(np.where(gone, in_all, 0.0))
    of_all = totals.sum() - block.sum(taken) - gone_rest
    scores = np.empty((block.n, len(table)))
    for label in range(len(table)):
        mine = block.own == label
        here = table[label, block.term]
        in_label = np.where(mine, own_left, here)
        lost = np.where(gone, here, np.where(mine, taken, 0.0))
        vanished = np.where(gone, here > 0, mine & is_known & (own_left <= 0))
        n = TermCounts(
            in_label=in_label,
            of_label=(totals[label] - block.sum(lost))[block.document],
            in_all=in_all,
            of_all=of_all[block.document],
            n_distinct=((table[label, known] > 0).sum() - block.sum(vanished.astype(np.float64)))[block.document],
            n_terms=(known.sum() - n_gone)[block.document],
        )
        log_probability = smoothing.log_probability(n)
        scores[:, label] = block.sum(np.where(says, block.count * np.where(says, log_probability, 0.0), 0.0))
    return scores


def _bernoulli(counts: LabelCounts, pseudo_count: float, block: Block) -> Floats:
    if pseudo_count == 0:
        raise InvalidOption("leave-one-out of kind='bernoulli' needs smoothing > 0: terms that all or none have are certain.")
    scores = np.empty((block.n, len(counts.labels)))
    with np.errstate(divide="ignore"):
        for label, row in enumerate(counts.documents):
            mine = block.codes == label
            left = counts.n_documents[label] - np.where(mine, block.weights, 0.0)
            # As if every term were absent; a term that all other documents' counts leave no room for is in the document.
            sizes, which = np.unique(left, return_inverse=True)
            nothing = np.array([np.log(size - row[row <= size] + pseudo_count).sum() for size in sizes])[which]
            size = left[block.document]
            here = row[block.term]
            absent = np.where(here <= size, np.log(np.maximum(size - here, 0.0) + pseudo_count), 0.0)
            present = np.log(np.where(mine[block.document], here - block.taken, here) + pseudo_count)
            n_terms = len(row)
            scores[:, label] = nothing + block.sum(present - absent) - n_terms * np.log(left + 2 * pseudo_count)
    return scores


def _complement(counts: LabelCounts, pseudo_count: float, block: Block) -> Floats:
    others = counts.occurrences.sum(axis=0) - counts.occurrences + pseudo_count
    scores = np.empty((block.n, len(counts.labels)))
    for label, row in enumerate(others):
        taken = np.where(block.own == label, 0.0, block.taken)
        total = (row.sum() - block.sum(taken))[block.document]
        scores[:, label] = block.sum(block.count * (np.log(total) - np.log(row[block.term] - taken)))
    return scores
