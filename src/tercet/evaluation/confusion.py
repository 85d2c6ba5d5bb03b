"""The confusion matrix: how often each gold label was answered by each predicted label. Most metrics need nothing else."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.evaluation.checked_labels import check_weights, encode_label_columns

MAX_LABELS = 2**14  # a matrix of 2 GiB


@dataclass(frozen=True, eq=False)
class Confusion:
    """A row for each gold label, a column for each predicted label; a cell is the sum of its documents' weights.

    Labels are sorted and keep their type. A label that only gold or only predicted has is included.

    >>> confusion = Confusion.of(gold=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"])
    >>> confusion.labels, confusion.counts, confusion.n
    (array(['ham', 'spam'], dtype='<U4'), array([[1., 1.], [0., 1.]]), 3)
    """

    labels: Labels
    counts: Floats  # [gold, predicted]
    n: int  # documents, whatever their weight

    @classmethod
    def of(cls, gold: Any, predicted: Any, weights: Any = None, labels: Any = None) -> Self:
        """From one gold and one predicted label for each document. `labels` gives the order of labels, and may name more."""
        labels, (gold, predicted) = encode_label_columns({"gold": gold, "predicted": predicted}, labels)
        return cls.from_codes(labels, gold, predicted, None if weights is None else check_weights(weights, len(gold)))

    @classmethod
    def from_codes(cls, labels: Labels, gold: Integers, predicted: Integers, weights: Floats | None = None) -> Self:
        """From labels as codes 0 … labels - 1, as `encode_label_columns` returns them."""
        n_labels = len(labels)
        if n_labels > MAX_LABELS:
            raise InvalidLabel(
                f"{n_labels} different labels in {len(gold)} documents: a table of all pairs would fill the memory. "
                "Are these labels, or texts or numbers of documents?"
            )
        cells = np.bincount(gold * n_labels + predicted, weights, minlength=n_labels**2)
        return cls(labels, cells.reshape(n_labels, n_labels).astype(np.float64, copy=False), len(gold))

    @property
    def support(self) -> Floats:
        """The weight of the gold documents of each label."""
        return np.asarray(self.counts.sum(axis=1), np.float64)

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
        index = self.index_of(label)
        true = self.counts[index, index]
        missed, wrong = self.counts[index].sum() - true, self.counts[:, index].sum() - true
        return np.array([[true, missed], [wrong, self.counts.sum() - true - missed - wrong]])

    def pool_tables(self) -> Floats:
        """The sum of the tables of all labels. Micro averages are its metrics.

        >>> Confusion.of(["a", "b", "c"], ["a", "a", "b"]).pool_tables()
        array([[1., 2.], [2., 4.]])
        """
        total, true = self.counts.sum(), np.trace(self.counts)
        wrong = total - true  # each is a false negative of one label and a false positive of another
        return np.array([[true, wrong], [wrong, len(self.labels) * total - true - 2 * wrong]])


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
    wrong = _clear_diagonal(confusion)
    order = np.argsort(-wrong.ravel(), kind="stable")[:n]
    labels, support = confusion.labels.tolist(), confusion.support
    cells = [(int(index) // len(labels), int(index) % len(labels)) for index in order]
    return [
        ConfusedPair(labels[i], labels[j], float(wrong[i, j]), float(wrong[i, j] / support[i])) for i, j in cells if wrong[i, j]
    ]


def list_most_confused_labels(confusion: Confusion, n: int) -> Integers:
    """The indices of the n labels with the largest cells outside the diagonal; ties by most gold documents.

    >>> list_most_confused_labels(Confusion.of(["a", "a", "b", "c", "d"], ["a", "a", "b", "d", "d"]), 2).tolist()
    [2, 3]
    """
    wrong = _clear_diagonal(confusion)
    largest = np.maximum(wrong.max(axis=0), wrong.max(axis=1))
    return np.sort(np.lexsort((-confusion.support, -largest))[:n])


def _clear_diagonal(confusion: Confusion) -> Floats:
    wrong = np.array(confusion.counts, np.float64)
    np.fill_diagonal(wrong, 0)
    return wrong
