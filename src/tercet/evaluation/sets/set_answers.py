"""The gold labels and the predicted labels of each document, and which of them are right, missed and wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.counts.label_sets import DocumentLabels
from tercet.counts.labels import Labels
from tercet.evaluation.confusion import MarginalSums
from tercet.evaluation.resampling import SamplingUnits


@dataclass(frozen=True, eq=False)
class SetAnswers:
    """Sets of gold and of predicted labels, over the same labels.

    >>> answers = SetAnswers(DocumentLabels.of([["a", "b"], []]), DocumentLabels.of([["a"], ["b"]]))
    >>> answers.correct.to_lists(), answers.missed.to_lists(), answers.wrong.to_lists()
    ([['a'], []], [['b'], []], [[], ['b']])
    """

    gold: DocumentLabels
    predicted: DocumentLabels

    @property
    def labels(self) -> Labels:
        return self.gold.labels

    @property
    def n(self) -> int:
        """The number of documents."""
        return len(self.gold)

    @cached_property
    def correct(self) -> DocumentLabels:
        """The labels that are gold and predicted."""
        return self._hold(np.intersect1d(self.gold.cells, self.predicted.cells, assume_unique=True))

    @cached_property
    def missed(self) -> DocumentLabels:
        """The gold labels that are not predicted."""
        return self._hold(np.setdiff1d(self.gold.cells, self.predicted.cells, assume_unique=True))

    @cached_property
    def wrong(self) -> DocumentLabels:
        """The predicted labels that are not gold."""
        return self._hold(np.setdiff1d(self.predicted.cells, self.gold.cells, assume_unique=True))

    @cached_property
    def sums(self) -> MarginalSums:
        """The number of correct, gold and predicted documents of each label."""
        return MarginalSums(*(each.support.astype(np.float64) for each in self._list_parts()))

    def _list_parts(self) -> tuple[DocumentLabels, DocumentLabels, DocumentLabels]:
        return self.correct, self.gold, self.predicted

    def _hold(self, cells: Integers) -> DocumentLabels:
        return DocumentLabels.from_cells(self.labels, self.n, cells)


def make_label_units(systems: Sequence[SetAnswers]) -> SamplingUnits:
    """Documents to draw, with the marginal sums of each label: (3, labels), or (systems, 3, labels) for several systems.

    Documents with the same sets are of one kind.

    >>> answers = SetAnswers(DocumentLabels.of([["a", "b"], ["b"], ["b"]]), DocumentLabels.of([["a"], ["b"], ["b"]]))
    >>> units = make_label_units([answers])
    >>> units.sizes, units.total.tolist()
    (array([1, 2]), [[1.0, 2.0], [1.0, 3.0], [1.0, 2.0]])
    """
    from scipy.sparse import csr_array, hstack

    kinds = number_rows(np.stack([each.number_kinds() for each in (systems[0].gold, *(own.predicted for own in systems))], 1))
    _, first, sizes = np.unique(kinds, return_index=True, return_counts=True)
    parts = [part.take(first).to_indicator() for own in systems for part in (own.correct, own.gold, own.predicted)]
    shape = (3, len(systems[0].labels))
    ones = np.ones(len(sizes))
    held = csr_array(hstack(parts, format="csr"))
    return SamplingUnits(sizes, held, (len(systems), *shape) if len(systems) > 1 else shape, ones, np.arange(len(sizes)))


def make_document_units(systems: Sequence[Floats]) -> SamplingUnits:
    """Documents to draw, with a few numbers of each document, which add up: (numbers, 1), or (systems, numbers, 1).

    >>> make_document_units([np.array([[1.0, 0.5], [1.0, 0.0], [1.0, 0.5]])]).total.tolist()
    [[3.0], [1.0]]
    """
    rows, sizes = np.unique(np.concatenate(systems, axis=1), axis=0, return_counts=True)
    shape = (systems[0].shape[1], 1)
    ones = np.ones(len(rows))
    return SamplingUnits(sizes, rows, (len(systems), *shape) if len(systems) > 1 else shape, ones, np.arange(len(rows)))


def number_rows(rows: Integers) -> Integers:
    """A number for each row, equal for equal rows.

    >>> number_rows(np.array([[1, 2], [0, 3], [1, 2]]))
    array([1, 0, 1])
    """
    return np.asarray(np.unique(rows, axis=0, return_inverse=True)[1]).reshape(-1)
