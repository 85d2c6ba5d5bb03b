"""Label counts of a matrix: documents and terms counted under each label, which is all that a generative model needs."""

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from tercet.arrays import Array, Floats, Integers
from tercet.counts.labels import Labels, index_labels, merge_labels, pick_labels, refuse_unknown
from tercet.counts.units import ONE, check_total, to_numbers, to_units
from tercet.errors import NeverLearned
from tercet.kernel import engine


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """Sums over the documents of each label, as whole numbers in units of 2⁻²⁰. They can be added and subtracted.

    >>> from scipy.sparse import csr_matrix
    >>> X = csr_matrix([[2.0, 0.0], [1.0, 1.0]])
    >>> counts = LabelCounts.of(X, np.array(["a", "b"]), np.array([0, 1]), np.ones(2))
    >>> (counts + counts - counts).occurrences
    array([[2., 0.],
           [1., 1.]])
    """

    labels: Labels
    counts: engine.Counts

    @classmethod
    def of(cls, X: Any, labels: Labels, codes: Integers, weights: Floats) -> Self:
        """Count the rows of a CSR matrix; `codes` are the positions of their labels."""
        check_total(float(np.add.reduce(X.data)) * weights.max(initial=0.0))
        counts = engine.Counts(len(labels), X.shape[1])
        counts.add_rows(make_rows(X), np.arange(X.shape[0]), codes, to_units(weights))
        return cls(labels, counts)

    @property
    def n_documents(self) -> Floats:
        """The number of documents of each label."""
        return to_numbers(self.counts.n_documents())

    @property
    def occurrences(self) -> Floats:
        """How often each term occurs, labels × terms."""
        return self._spread_cells("occurrences")

    @property
    def documents(self) -> Floats:
        """How many documents have each term, labels × terms."""
        return self._spread_cells("documents")

    def __add__(self, other: "LabelCounts") -> "LabelCounts":
        labels = merge_labels(self.labels, other.labels)
        total = self.align(labels)
        total.add(other.align(labels))
        return LabelCounts(labels, total)

    def __sub__(self, other: "LabelCounts") -> "LabelCounts":
        """The difference. Raises NeverLearned if a count would fall below zero. Labels without documents stay."""
        refuse_unknown(other.labels, self.labels)
        left = self.counts.copy()
        if not left.subtract(other.align(self.labels)):
            raise NeverLearned("these documents were never learned: a count would fall below zero. Nothing is changed.")
        return LabelCounts(self.labels, left)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelCounts) or not np.array_equal(self.labels, other.labels):
            return False
        return all(map(np.array_equal, self.arrays(), other.arrays()))

    __hash__ = None  # type: ignore[assignment]

    def restrict(self, labels: Any) -> "LabelCounts":
        """The counts of these labels only."""
        kept = pick_labels(labels, self.labels)
        return LabelCounts(kept, self.align(kept))

    def align(self, labels: Labels) -> engine.Counts:
        """The counts for these labels. New labels have no counts; the counts of all other labels are dropped."""
        return self.counts.place_labels(index_labels(self.labels, labels), len(labels))

    def arrays(self) -> tuple[Array, ...]:
        """The documents of each label, the sums of their squared weights, and the cells term by term: their starts, labels,
        occurrences and documents."""
        return self.counts.n_documents(), self.counts.squares(), *self.counts.cells(np.arange(self.counts.n_terms))

    def __getstate__(self) -> Any:
        return self.labels, self.arrays()

    def __setstate__(self, state: Any) -> None:
        labels, arrays = state
        object.__setattr__(self, "labels", labels)
        n_documents, squares, starts, *cells = arrays
        object.__setattr__(self, "counts", engine.Counts.from_cells(n_documents, squares, np.diff(starts), *cells))

    def _spread_cells(self, which: Literal["occurrences", "documents"]) -> Floats:
        terms = np.arange(self.counts.n_terms)
        starts, labels, occurrences, documents = self.counts.cells(terms)
        table = np.zeros((len(self.labels), self.counts.n_terms))
        table[labels, np.repeat(terms, np.diff(starts))] = (occurrences if which == "occurrences" else documents) / ONE
        return table


def make_rows(X: Any) -> engine.Rows:
    """The rows of a CSR matrix for the kernel."""
    return engine.Rows.from_matrix(X.indptr.astype(np.int64), X.indices.astype(np.int64), np.asarray(X.data, np.float64))
