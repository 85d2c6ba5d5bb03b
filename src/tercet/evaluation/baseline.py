"""What always answering the most frequent gold label would give: a number below this is no achievement."""

import numpy as np

from tercet.evaluation.confusion import Confusion
from tercet.evaluation.margins import Cells, Margins, sum_margins


def majority_confusion(confusion: Confusion) -> Confusion:
    """The same gold documents, all of them answered by the majority label (the first of several).

    >>> majority_confusion(Confusion.of(["a", "b", "b"], ["a", "a", "c"])).counts
    array([[0., 1., 0.], [0., 2., 0.], [0., 0., 0.]])
    """
    counts = np.zeros_like(confusion.counts)
    counts[:, confusion.majority_place] = confusion.support
    return Confusion(confusion.labels, counts, confusion.n)


def majority_margins(cells: Cells, place: int) -> Margins:
    """The sums of as many confusion matrices if all documents were answered by the label at this place.

    So a resample of the system's matrix is one of the baseline's, too, with the same documents in it.

    >>> majority_margins(np.array([[8, 2], [1, 4]]), place=0)
    Margins(correct=array([10., 0.]), gold=array([10., 5.]), predicted=array([15., 0.]))
    """
    gold = sum_margins(cells).gold
    is_majority = np.arange(gold.shape[-1]) == place
    return Margins(gold * is_majority, gold, gold.sum(axis=-1, keepdims=True) * is_majority)
