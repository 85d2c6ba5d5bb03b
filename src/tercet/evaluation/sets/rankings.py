"""Metrics of scores (documents × labels): do the gold labels of a document have the highest scores?

Each metric is the mean of one number of each document. Labels with equal scores stand in no order: precision@k and nDCG@k
average over all their orders, and the other metrics count the worst order, as scikit-learn does.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Array, Floats
from tercet.counts.label_sets import DocumentLabels
from tercet.errors import InvalidMatrix, bad_option
from tercet.evaluation.metrics import divide
from tercet.evaluation.resampling import cut_blocks
from tercet.options import is_int, is_list

ROW_BYTES = 128  # for each label of a document: its score, its rank, and what follows from them
CUTOFFS = (1, 3, 5)  # of precision@k and nDCG@k


@dataclass(frozen=True, eq=False)
class RankedLabels:
    """The labels of some documents, the highest score first. All arrays are documents × labels, in this order.

    >>> ranking = RankedLabels.of(np.array([[0.2, 0.9, 0.2]]), np.array([[True, False, False]]))
    >>> ranking.is_gold, ranking.last, ranking.n_gold_before, ranking.expected
    (array([[False,  True, False]]), array([[1., 3., 3.]]), array([[0., 1., 1.]]), array([[0. , 0.5, 0.5]]))
    """

    is_gold: Array
    last: Floats  # the rank of the last label with the same score, from 1
    n_gold_before: Floats  # the number of gold labels up to that rank
    expected: Floats  # the share of gold labels among those with the same score

    @classmethod
    def of(cls, scores: Floats, is_gold: Array) -> "RankedLabels":
        order = np.argsort(-scores, axis=1, kind="stable")
        ordered, gold = np.take_along_axis(scores, order, 1), np.take_along_axis(is_gold, order, 1)
        n, n_labels = scores.shape
        begins = np.ones((n, n_labels), np.bool_)  # whether the score differs from the one before
        begins[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        group = np.cumsum(begins.ravel()) - 1  # a number for all labels of a document with the same score
        sizes, n_gold = np.bincount(group), np.bincount(group, gold.ravel())
        ends = np.append(np.flatnonzero(begins.ravel())[1:], n * n_labels)  # the first place after each group
        before = np.cumsum(gold, axis=1, dtype=np.float64).ravel()
        shaped = (each[group].reshape(n, n_labels) for each in ((ends - 1) % n_labels + 1.0, before[ends - 1], n_gold / sizes))
        return cls(gold, *shaped)

    @property
    def n_gold(self) -> Floats:
        """The number of gold labels of each document."""
        return np.asarray(self.is_gold.sum(axis=1), np.float64)

    @property
    def n_other(self) -> Floats:
        """The number of other labels."""
        return np.asarray(self.is_gold.shape[1] - self.n_gold)


# One number for each document


def precision_at(ranking: RankedLabels, k: int) -> Floats:
    """The share of gold labels among the k labels with the highest scores."""
    return np.asarray(ranking.expected[:, :k].sum(axis=1) / k)


def ndcg_at(ranking: RankedLabels, k: int) -> Floats:
    """Σ gold / log₂(rank + 1) over the first k ranks, as a share of the highest possible sum; 0 without gold labels."""
    discounts = 1 / np.log2(np.arange(2, k + 2))
    best = np.append(0.0, np.cumsum(discounts))[np.minimum(ranking.n_gold, k).astype(np.int64)]
    return divide(ranking.expected[:, :k] @ discounts, best, 0.0)


def average_label_precision(ranking: RankedLabels) -> Floats:
    """For each gold label, the share of gold labels among all labels with at least its score; their mean.

    1 for a document that has no label, or all: no order would be wrong.
    """
    shares = np.where(ranking.is_gold, ranking.n_gold_before / ranking.last, 0.0).sum(axis=1)
    return np.where(ranking.n_other == 0, 1.0, divide(shares, ranking.n_gold, 1.0))


def coverage_depth(ranking: RankedLabels) -> Floats:
    """How many labels one must take, the highest scores first, to have all gold labels; 0 without gold labels."""
    return np.asarray(np.where(ranking.is_gold, ranking.last, 0.0).max(axis=1, initial=0.0))


def pair_loss(ranking: RankedLabels) -> Floats:
    """The share of pairs of a gold label and another label in which the other one has at least the gold label's score."""
    wrong = np.where(ranking.is_gold, ranking.last - ranking.n_gold_before, 0.0).sum(axis=1)
    return divide(wrong, ranking.n_gold * ranking.n_other, 0.0)


RANKED: dict[str, Callable[[RankedLabels], Floats]] = {
    "lrap": average_label_precision,
    "coverage_error": coverage_depth,
    "ranking_loss": pair_loss,
}
RANKED_AT: dict[str, Callable[[RankedLabels, int], Floats]] = {"precision": precision_at, "ndcg": ndcg_at}


def rank_documents(gold: DocumentLabels, scores: Array, cutoffs: Sequence[int]) -> dict[str, Floats]:
    """The number of each document for each metric, in blocks of documents.

    >>> values = rank_documents(DocumentLabels.of([["a"], ["b"]]), np.array([[0.9, 0.1], [0.8, 0.3]]), [1])
    >>> {name: each.round(2).tolist() for name, each in values.items()}
    {'lrap': [1.0, 0.5], 'coverage_error': [1.0, 2.0], 'ranking_loss': [0.0, 1.0],
     'precision@1': [1.0, 0.0], 'ndcg@1': [1.0, 0.0]}
    """
    names = [*RANKED, *(f"{name}@{k}" for name in RANKED_AT for k in cutoffs)]
    found: dict[str, Floats] = {name: np.empty(len(gold)) for name in names}
    for start, end in cut_blocks(len(gold), ROW_BYTES * len(gold.labels)):
        ranking = RankedLabels.of(_read_block(scores, start, end), _mark_gold(gold, start, end))
        for name, score in RANKED.items():
            found[name][start:end] = score(ranking)
        for name, score_at in RANKED_AT.items():
            for k in cutoffs:
                found[f"{name}@{k}"][start:end] = score_at(ranking, k)
    return found


def _read_block(scores: Array, start: int, end: int) -> Floats:
    block = np.asarray(scores[start:end], np.float64)
    if np.isnan(block).any():
        row, column = np.argwhere(np.isnan(block))[0]
        raise InvalidMatrix(
            f"the score in row {start + row}, column {column} (counted from 0) is NaN: it has no place in an order. Use -inf "
            "for labels that were not scored."
        )
    return block


def _mark_gold(gold: DocumentLabels, start: int, end: int) -> Array:
    """The rows of the indicator matrix of these documents."""
    is_gold = np.zeros((end - start, len(gold.labels)), np.bool_)
    own = slice(gold.starts[start], gold.starts[end])
    is_gold[gold.documents[own] - start, gold.codes[own]] = True
    return is_gold


# Scores as users pass them


def check_scores(scores: Any, n_documents: int, n_labels: int) -> Array:
    """A matrix of numbers, documents × labels. It is not copied."""
    if hasattr(scores, "tocsr"):
        raise InvalidMatrix("scores are a sparse matrix: is a missing score the lowest one, or 0? Pass scores.toarray().")
    try:
        values = np.asarray(scores)
        values = values if values.dtype.kind in "fiu" else values.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidMatrix(f"scores must be numbers, documents × labels: {error}.") from None
    if values.shape != (n_documents, n_labels):
        raise InvalidMatrix(
            f"scores have the shape {values.shape}, and there are {n_documents} documents and {n_labels} labels: which column "
            "is which label? Pass labels, with one for each column, in their order."
        )
    return values


def check_cutoffs(k: Any, n_labels: int) -> tuple[int, ...]:
    """The cutoffs of precision@k and nDCG@k; without any, those of 1, 3 and 5 for which there are enough labels.

    >>> check_cutoffs(None, n_labels=4), check_cutoffs(2, n_labels=4)
    ((1, 3), (2,))
    """
    if k is None:
        return tuple(cutoff for cutoff in CUTOFFS if cutoff <= n_labels)
    given = list(k) if is_list(k) else [k]
    for cutoff in given:
        if not is_int(cutoff) or not 1 <= cutoff <= n_labels:
            raise bad_option(
                "k", f"an int from 1 to {n_labels}, or a list of them", k, "so many labels of each document count."
            )
    return tuple(dict.fromkeys(given))
