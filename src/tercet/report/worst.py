"""Which labels are mistaken for which, most often."""

from typing import Any, NamedTuple

import numpy as np

from tercet.evaluation.confusion import Confusion


class Mistake(NamedTuple):
    """Documents of one label that were answered by another; `share` is their part of that label's gold documents."""

    gold: Any
    predicted: Any
    documents: float
    share: float


def find_worst(confusion: Confusion, n: int = 5) -> list[Mistake]:
    """The n cells beside the diagonal with most documents, the fullest first; ties in the order of the labels.

    >>> find_worst(Confusion.of(["a", "a", "b"], ["b", "b", "b"]))
    [Mistake(gold='a', predicted='b', documents=2.0, share=1.0)]
    """
    wrong = confusion.counts.copy()
    np.fill_diagonal(wrong, 0)
    order = np.argsort(-wrong.ravel(), kind="stable")[:n]
    labels, support = confusion.labels.tolist(), confusion.support
    cells = [(int(place) // len(labels), int(place) % len(labels)) for place in order]
    return [Mistake(labels[i], labels[j], float(wrong[i, j]), float(wrong[i, j] / support[i])) for i, j in cells if wrong[i, j]]
