"""The confusion matrix: how often each gold label was answered by each predicted label. Most metrics need nothing else."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.counts.labels import Labels
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.evaluation.checked_labels import check_weights, encode_label_columns

MAX_LABELS = 2**14  # of a whole matrix: 2 GiB
MIN_OF_MANY = 3  # documents for each label, if there are more labels: otherwise they are hardly labels
MAX_DENSE = 2**10  # labels up to which sums are those of the whole matrix


@dataclass(frozen=True, eq=False)
class Confusion:
    """A row for each gold label, a column for each predicted label; a cell is the sum of its documents' weights.

    Labels are sorted and keep their type. A label that only gold or only predicted has is included.

    >>> confusion = Confusion.of(gold=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"])
    >>> confusion.labels, confusion.counts, confusion.n
    (array(['ham', 'spam'], dtype='<U4'), array([[1., 1.], [0., 1.]]), 3)
    """

    labels: Labels
    cells: Integers  # the indices of the pairs of labels that occur, ascending: gold · labels + predicted
    values: Floats  # of these cells
    n: int  # documents, whatever their weight

    @classmethod
    def of(cls, gold: Any, predicted: Any, weights: Any = None, labels: Any = None) -> Self:
        """From one gold and one predicted label for each document. `labels` gives the order of labels, and may name more."""
        labels, (gold, predicted) = encode_label_columns({"gold": gold, "predicted": predicted}, labels)
        return cls.from_codes(labels, gold, predicted, None if weights is None else check_weights(weights, len(gold)))

    @classmethod
    def from_codes(cls, labels: Labels, gold: Integers, predicted: Integers, weights: Floats | None = None) -> Self:
        """From labels as codes 0 … labels - 1, as `encode_label_columns` returns them."""
        if len(labels) > max(MAX_LABELS, len(gold) / MIN_OF_MANY):
            raise _too_many_labels(len(labels), len(gold))
        cells, which = np.unique(gold * len(labels) + predicted, return_inverse=True)
        values = np.bincount(which, weights, len(cells)).astype(np.float64, copy=False)
        return cls(labels, cells.astype(np.int64, copy=False), values, len(gold))

    @classmethod
    def from_matrix(cls, labels: Labels, counts: Floats, n: int) -> Self:
        """From the whole matrix, with a row for each gold label."""
        matrix = np.asarray(counts, np.float64).ravel()
        (cells,) = np.nonzero(matrix)
        return cls(labels, cells, matrix[cells], n)

    @cached_property
    def counts(self) -> Floats:
        """The whole matrix [gold, predicted]. Raises InvalidLabel if it would fill the memory."""
        n_labels = len(self.labels)
        if n_labels > MAX_LABELS:
            raise _too_many_labels(n_labels, self.n)
        matrix = np.zeros(n_labels**2)
        matrix[self.cells] = self.values
        return matrix.reshape(n_labels, n_labels)

    @cached_property
    def sums(self) -> "MarginalSums":
        """The weight of the correct, the gold and the predicted documents of each label."""
        n_labels = len(self.labels)
        if n_labels <= MAX_DENSE:
            return sum_cells(self.counts)
        gold, predicted = self.gold_and_predicted
        correct = np.where(gold == predicted, self.values, 0.0)
        return MarginalSums(
            np.bincount(gold, correct, n_labels).astype(np.float64),
            np.bincount(gold, self.values, n_labels).astype(np.float64),
            np.bincount(predicted, self.values, n_labels).astype(np.float64),
        )

    @property
    def total(self) -> float:
        """The weight of all documents."""
        return float(self.counts.sum() if len(self.labels) <= MAX_DENSE else self.values.sum())

    @property
    def gold_and_predicted(self) -> tuple[Integers, Integers]:
        """The codes of both labels of each cell."""
        n_labels = max(len(self.labels), 1)
        return self.cells // n_labels, self.cells % n_labels

    def list_cells(self) -> list[tuple[int, int, float]]:
        """The cells that are not 0: the indices of the gold and of the predicted label, and the value.

        >>> Confusion.of(["a", "b", "b"], ["a", "a", "a"]).list_cells()
        [(0, 0, 1.0), (1, 0, 2.0)]
        """
        gold, predicted = self.gold_and_predicted
        return list(zip(gold.tolist(), predicted.tolist(), self.values.tolist(), strict=True))

    def pick(self, labels: Integers) -> Floats:
        """The matrix of these labels only.

        >>> Confusion.of(["a", "b", "c"], ["a", "c", "c"]).pick(np.array([1, 2]))
        array([[0., 1.], [0., 1.]])
        """
        wanted = labels[:, None] * len(self.labels) + labels
        if not len(self.cells):
            return np.zeros(wanted.shape)
        found = np.minimum(np.searchsorted(self.cells, wanted), len(self.cells) - 1)
        return np.where(self.cells[found] == wanted, self.values[found], 0.0)

    @property
    def support(self) -> Floats:
        """The weight of the gold documents of each label."""
        return self.sums.gold

    @property
    def majority_index(self) -> int:
        """The index of the label with most gold documents; the first of several."""
        return int(np.argmax(self.support))

    @property
    def majority_label(self) -> Any:
        """The label with most gold documents; the first of several."""
        return self.labels.tolist()[self.majority_index]

    def index_of(self, label: Any) -> int:
        """The index of a label. A label that is in neither gold nor predicted is an error."""
        indices = {name: index for index, name in enumerate(self.labels.tolist())}
        if label not in indices:
            shown = ", ".join(map(repr, list(indices)[:8])) + (" …" if len(indices) > 8 else "")
            raise InvalidLabel(f"the label {label!r} is in neither gold nor predicted: there are {shown}.")
        return indices[label]

    def table_of(self, label: Any) -> Floats:
        """One label against the rest: [[true positives, false negatives], [false positives, true negatives]].

        It is itself a confusion matrix: a row for each gold answer (the label, the rest), a column for each predicted one.

        >>> Confusion.of(["a", "b", "c"], ["a", "a", "b"]).table_of("a")
        array([[1., 0.], [1., 1.]])
        """
        index, (correct, gold, predicted) = self.index_of(label), self.sums
        true = correct[index]
        missed, wrong = gold[index] - true, predicted[index] - true
        return np.array([[true, missed], [wrong, self.total - true - missed - wrong]])

    def pool_tables(self) -> Floats:
        """The sum of the tables of all labels. Micro averages are its metrics.

        >>> Confusion.of(["a", "b", "c"], ["a", "a", "b"]).pool_tables()
        array([[1., 2.], [2., 4.]])
        """
        total, true = self.total, self.sums.correct.sum()
        wrong = total - true  # each is a false negative of one label and a false positive of another
        return np.array([[true, wrong], [wrong, len(self.labels) * total - true - 2 * wrong]])


def _too_many_labels(n_labels: int, n: int) -> InvalidLabel:
    return InvalidLabel(
        f"{n_labels} different labels in {n} documents: a table of all pairs would fill the memory. "
        "Are these labels, or texts or numbers of documents?"
    )


# Its marginal sums


class MarginalSums(NamedTuple):
    """For each label the weight of the correct, the gold and the predicted documents: each array is (..., labels)."""

    correct: Floats
    gold: Floats
    predicted: Floats


Cells = npt.NDArray[Any] | MarginalSums  # confusion matrices (..., labels, labels) with gold in rows, or their sums


def sum_cells(cells: Cells) -> MarginalSums:
    """The diagonal, row sums and column sums of any number of confusion matrices at once.

    >>> sum_cells(np.array([[8, 2], [1, 4]]))
    MarginalSums(correct=array([8., 4.]), gold=array([10., 5.]), predicted=array([9., 6.]))
    """
    if isinstance(cells, MarginalSums):
        return cells
    matrices = np.asarray(cells)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise InvalidMatrix(f"confusion matrices must be (..., labels, labels), got shape {matrices.shape}.")
    sums = np.diagonal(matrices, axis1=-2, axis2=-1), matrices.sum(axis=-1), matrices.sum(axis=-2)
    return MarginalSums(*(each.astype(np.float64) for each in sums))


# Its worst cells


class ConfusedPair(NamedTuple):
    """Documents of one label that were answered by another. `share` is their share of the label's gold documents."""

    gold: Any
    predicted: Any
    documents: float
    share: float


def list_confused_pairs(confusion: Confusion, n: int = 5) -> list[ConfusedPair]:
    """The n largest cells outside the diagonal, largest first; ties in the order of the labels.

    >>> list_confused_pairs(Confusion.of(["a", "a", "b"], ["b", "b", "b"]))
    [ConfusedPair(gold='a', predicted='b', documents=2.0, share=1.0)]
    """
    gold, predicted, wrong = _list_wrong(confusion)
    labels, support = confusion.labels.tolist(), confusion.support
    return [
        ConfusedPair(labels[gold[k]], labels[predicted[k]], float(wrong[k]), float(wrong[k] / support[gold[k]]))
        for k in np.argsort(-wrong, kind="stable")[:n].tolist()
    ]


def list_most_confused_labels(confusion: Confusion, n: int) -> Integers:
    """The indices of the n labels with the largest cells outside the diagonal; ties by most gold documents.

    >>> list_most_confused_labels(Confusion.of(["a", "a", "b", "c", "d"], ["a", "a", "b", "d", "d"]), 2).tolist()
    [2, 3]
    """
    gold, predicted, wrong = _list_wrong(confusion)
    largest = np.zeros(len(confusion.labels))
    np.maximum.at(largest, gold, wrong)
    np.maximum.at(largest, predicted, wrong)
    return np.sort(np.lexsort((-confusion.support, -largest))[:n])


def _list_wrong(confusion: Confusion) -> tuple[Integers, Integers, Floats]:
    """The cells outside the diagonal that are above 0: the codes of both labels, and the values."""
    gold, predicted = confusion.gold_and_predicted
    is_wrong = (gold != predicted) & (confusion.values > 0)
    return gold[is_wrong], predicted[is_wrong], confusion.values[is_wrong]
