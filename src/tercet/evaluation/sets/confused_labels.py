"""Which labels are mistaken for each other or missed together, and how many labels documents have."""

import itertools
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Integers
from tercet.counts.label_sets import DocumentLabels
from tercet.evaluation.confusion import ConfusedPair
from tercet.evaluation.sets.set_answers import SetAnswers

MAX_PAIRS = 4_000_000  # pairs of labels of documents that are counted at once


def list_mistaken_pairs(answers: SetAnswers, n: int = 5) -> list[ConfusedPair]:
    """The n most frequent pairs of a missed gold label and a wrong predicted label of the same document.

    >>> answers = SetAnswers(DocumentLabels.of([["a"], ["a", "b"]]), DocumentLabels.of([["b"], ["b", "a"]]))
    >>> list_mistaken_pairs(answers)
    [ConfusedPair(gold='a', predicted='b', documents=1.0, share=0.5)]
    """
    return _name_pairs(answers, _count_pairs(answers.missed, answers.wrong, n))


def list_forgotten_pairs(answers: SetAnswers, n: int = 5) -> list[ConfusedPair]:
    """The n most frequent pairs of gold labels of a document that are both missed, each pair once."""
    return _name_pairs(answers, _count_pairs(answers.missed, answers.missed, n, is_ordered=True))


def _name_pairs(answers: SetAnswers, found: list[tuple[int, int, int]]) -> list[ConfusedPair]:
    labels, support = answers.labels.tolist(), answers.gold.support
    return [ConfusedPair(labels[a], labels[b], float(n), float(n / support[a])) for a, b, n in found]


def _count_pairs(
    first: DocumentLabels, second: DocumentLabels, n: int, *, is_ordered: bool = False
) -> list[tuple[int, int, int]]:
    """The n most frequent pairs of a label in the first sets and a label in the second; ties in the order of the labels.

    With `is_ordered` only pairs of a label and a later label count.
    """
    best: list[tuple[int, int, int]] = []
    matrix, others = first.to_indicator().T.tocsr(), second.to_indicator()
    for start, end in _cut_labels(first, second.sizes):
        found = (matrix[start:end] @ others).tocoo()
        rows, columns, counts = found.row + start, found.col, found.data
        kept = np.flatnonzero((counts > 0) & ((columns > rows) | (not is_ordered)))
        kept = kept[np.lexsort((columns[kept], rows[kept], -counts[kept]))[:n]]
        best += zip(rows[kept].tolist(), columns[kept].tolist(), counts[kept].astype(np.int64).tolist(), strict=True)
    return sorted(best, key=lambda pair: (-pair[2], pair[0], pair[1]))[:n]


def _cut_labels(first: DocumentLabels, sizes: Integers) -> Iterator[tuple[int, int]]:
    """Blocks of labels with about MAX_PAIRS pairs each, or with one label."""
    n_labels = len(first.labels)
    n_pairs = np.bincount(first.codes, sizes[first.documents], n_labels)
    block = np.floor(np.cumsum(n_pairs) / MAX_PAIRS)
    bounds = [0, *(np.flatnonzero(np.diff(block)) + 1).tolist(), n_labels]
    return ((start, end) for start, end in itertools.pairwise(bounds))


class SetSize(NamedTuple):
    """How many documents have so many gold labels, and so many predicted labels."""

    n_labels: int
    gold: int
    predicted: int


def count_set_sizes(answers: SetAnswers) -> list[SetSize]:
    """A row for each number of labels that a document has, ascending."""
    counts = [np.bincount(sets.sizes) for sets in (answers.gold, answers.predicted)]
    gold, predicted = (np.append(own, np.zeros(max(map(len, counts)) - len(own), np.int64)).tolist() for own in counts)
    rows: list[Any] = list(zip(gold, predicted, strict=True))
    return [SetSize(n_labels, *row) for n_labels, row in enumerate(rows) if any(row)]
