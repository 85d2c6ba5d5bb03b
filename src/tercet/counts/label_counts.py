"""What a generative model sees of its training data: documents and terms counted under each label. Counts add up."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tercet.counts.labels import Labels, find_labels, merge_labels
from tercet.counts.matrices import sparse
from tercet.errors import InvalidLabel, NeverLearned

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Sums over the documents of each label. Whole numbers up to 2⁵³ are exact, so any order gives the same sums.

    >>> counts = LabelCounts.of(sparse().csr_matrix([[2, 0], [1, 1]]), np.array(["a", "b"]), np.array([0, 1]), np.ones(2))
    >>> (counts + counts - counts).occurrences
    array([[2., 0.],
           [1., 1.]])
    """

    labels: Labels
    n_documents: Floats  # of each label
    occurrences: Floats  # labels × terms: how often
    documents: Floats  # labels × terms: in how many documents

    @classmethod
    def of(cls, X: Any, labels: Labels, codes: npt.NDArray[np.int64], weights: Floats) -> Self:
        """Count the rows of a CSR matrix without stored zeros; `codes` are their places among the labels."""
        n_rows = X.shape[0]
        rows = sparse().csr_matrix((weights, (codes, np.arange(n_rows))), shape=(len(labels), n_rows))
        present = X.copy()
        present.data = np.ones_like(X.data)
        n_documents = np.bincount(codes, weights=weights, minlength=len(labels)).astype(np.float64)
        return cls(labels, n_documents, (rows @ X).toarray(), (rows @ present).toarray())

    def __add__(self, other: "LabelCounts") -> "LabelCounts":
        labels = merge_labels(self.labels, other.labels)
        a, b = self.spread(labels), other.spread(labels)
        return LabelCounts(labels, a.n_documents + b.n_documents, a.occurrences + b.occurrences, a.documents + b.documents)

    def __sub__(self, other: "LabelCounts") -> "LabelCounts":
        """Refused as a whole where a count would fall below zero. Labels without documents stay."""
        unknown = set(other.labels.tolist()) - set(self.labels.tolist())
        if unknown:
            raise NeverLearned(
                f"no document of the label {min(unknown)!r} was learned: it can't be forgotten. Nothing is changed."
            )
        b = other.spread(self.labels)
        result = LabelCounts(
            self.labels, self.n_documents - b.n_documents, self.occurrences - b.occurrences, self.documents - b.documents
        )
        if min(result.n_documents.min(), result.occurrences.min(initial=0), result.documents.min(initial=0)) < 0:
            raise NeverLearned("these documents were never learned: a count would fall below zero. Nothing is changed.")
        return result

    def spread(self, labels: Labels) -> "LabelCounts":
        """The same counts for a larger set of labels: zeros for the new ones."""
        if np.array_equal(labels, self.labels):
            return self
        places = find_labels(self.labels, labels) if len(self.labels) else np.zeros(0, np.int64)
        n_terms = self.occurrences.shape[1]
        result = LabelCounts(labels, np.zeros(len(labels)), np.zeros((len(labels), n_terms)), np.zeros((len(labels), n_terms)))
        result.n_documents[places] = self.n_documents
        result.occurrences[places] = self.occurrences
        result.documents[places] = self.documents
        return result

    def restrict(self, labels: Any) -> "LabelCounts":
        """The rows of these labels alone."""
        wanted = np.unique(np.asarray(list(labels)))
        if not len(wanted):
            raise InvalidLabel("no label is left: name at least one to keep.")
        places = find_labels(wanted, self.labels)
        return LabelCounts(self.labels[places], self.n_documents[places], self.occurrences[places], self.documents[places])
