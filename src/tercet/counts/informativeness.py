"""How much a term says about the label of a document: functions of the documents that have it, label by label.

What counts is whether a document has the term, not how often. A document of weight w counts as w documents. In the formulas N
are the documents of all labels, n those of one, D the documents that have the term, d those of one label that have it.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.term_cells import TermCells, sum_floats

Measure = Callable[[TermCells, Integers], Floats]


def measure_gain(cells: TermCells, n_documents: Integers) -> Floats:
    """Information gain of each term, in nats: H(D / N) - Σ n / N · H(d / n), where H(p) is the entropy of yes with p.

    That is the mutual information of the label and the presence of the term. 0 where there are no documents.

    >>> both_ways = TermCells(*map(np.array, ([0, 1, 3], [0, 0, 1], [2, 1, 1], [2, 1, 1])))
    >>> measure_gain(both_ways, np.array([2, 2])).round(4)  # the first term tells the labels apart, the second says nothing
    array([0.6931, 0.    ])
    """
    total = max(int(n_documents.sum()), 1)
    n = n_documents[cells.labels]
    given_label = sum_floats(cells.starts, n / total * _entropy(cells.documents / np.maximum(n, 1)))
    return np.maximum(_entropy(cells.sum_documents() / total) - given_label, 0.0)


def measure_association(cells: TermCells, n_documents: Integers) -> Floats:
    """χ² / N of each term: Pearson's statistic of the table of 2 × labels, presence and absence, from 0 to 1.

    χ² / N = (Σ (d - e)² / e) / (N - D) with e = n D / N, the sum over all labels; 0 for a term that every document has. (What
    scikit-learn calls chi2 sums over the documents with the term alone, and is χ² (N - D) / N.)

    >>> both_ways = TermCells(*map(np.array, ([0, 1, 3], [0, 0, 1], [2, 1, 1], [2, 1, 1])))
    >>> measure_association(both_ways, np.array([2, 2]))
    array([1., 0.])
    """
    total, having = float(n_documents.sum()), cells.sum_documents()
    n = n_documents[cells.labels]
    expected = n / max(total, 1.0) * np.repeat(having, np.diff(cells.starts))
    with np.errstate(divide="ignore", invalid="ignore"):
        present = sum_floats(cells.starts, np.where(expected > 0, (cells.documents - expected) ** 2 / expected, 0.0))
        # Labels without the term: (0 - e)² / e = e.
        absent = having / total * (total - sum_floats(cells.starts, n.astype(np.float64)))
        return np.where((having > 0) & (having < total), (present + absent) / (total - having), 0.0)


MEASURES: dict[str, Measure] = {"information_gain": measure_gain, "chi2": measure_association}


def _entropy(p: npt.NDArray[np.float64]) -> Floats:
    """Of a choice between yes with p and no, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where((p > 0) & (p < 1), -(p * np.log(p) + (1 - p) * np.log1p(-p)), 0.0)
