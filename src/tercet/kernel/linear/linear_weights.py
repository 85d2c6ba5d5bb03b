"""Trained weights → scores: sums over the weighted counts of a document."""

from math import fsum

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, expect_below
from tercet.kernel.counts.rows import Row, Rows
from tercet.kernel.linear.weighting import DAMPINGS, NORMS

Floats32 = npt.NDArray[np.float32]
Rows32 = npt.NDArray[np.uint32]


class LinearWeights:
    """The values of terms. A row has a factor and values. Two labels have one value, for the second label; more labels have
    one value each.

    `rows` has the row of each term, because many terms may share a row. Without it, term t has row t. A term whose factor is 0
    is not known.
    """

    def __init__(
        self, values: Floats32, factors: Floats32, damping: str, norm: str, n_labels: int, rows: Rows32 | None = None
    ) -> None:
        expect(1 < n_labels < MAX_IDS and values.shape == (len(factors), 1 if n_labels == 2 else n_labels), "no weights")
        expect(damping in DAMPINGS and norm in NORMS, f"no {damping} or {norm}")
        if rows is not None:
            expect(len(rows) > 0 or len(factors) == 0, "rows without terms")
            places = expect_below(rows.astype(np.int64), len(factors), "no such row")
            values, factors = values[places], factors[places]
        self._factors, self._damp, self._norm = factors.astype(np.float64).tolist(), DAMPINGS[damping], NORMS[norm]
        halves = values.astype(np.float64)
        self._values = np.hstack([-halves / 2, halves / 2]) if n_labels == 2 else halves
        self._n_labels = n_labels

    @property
    def n_labels(self) -> int:
        return self._n_labels

    @property
    def n_terms(self) -> int:
        return len(self._factors)

    def knows(self, terms: Integers) -> npt.NDArray[np.bool_]:
        return np.array([self._factors[term] != 0 for term in expect_below(terms, self.n_terms, "no such term")], np.bool_)

    def score(self, rows: Rows, documents: Integers, threads: int = 1) -> Floats:
        scores = [self.score_row(rows.rows[i]) for i in expect_below(documents, len(rows), "no such document")]
        return np.array(scores, np.float64).reshape(-1, self.n_labels)

    def score_row(self, row: Row) -> list[float]:
        known = {term: count for term, count in row.counts.items() if term < self.n_terms}
        shares = self._share(list(known), list(known.values()))
        return [fsum(column) for column in shares.T.tolist()]

    def share(self, terms: Integers, counts: Floats) -> Floats:
        """The score that each of these distinct terms adds to a document with these counts. A negative term adds nothing."""
        expect(len(terms) == len(counts), "each term needs a count")
        expect(all(term < self.n_terms for term in terms.tolist()), "no such term")
        return self._share(terms.tolist(), counts.tolist())

    def values(self, terms: Integers) -> Floats:
        """The score that one occurrence of each term adds, before the division by the norm."""
        rows = [self._factors[term] * self._values[term] for term in expect_below(terms, self.n_terms, "no such term")]
        return np.array(rows, np.float64).reshape(-1, self.n_labels)

    def _share(self, terms: list[int], counts: list[float]) -> Floats:
        weighed = [self._weigh(term, count) for term, count in zip(terms, counts, strict=True)]
        norm = self._norm(weighed) or 1.0
        rows = [x / norm * self._values[term] for term, x in zip(terms, weighed, strict=True)]
        return np.array(rows, np.float64).reshape(-1, self.n_labels)

    def _weigh(self, term: int, count: float) -> float:
        if term < 0 or self._factors[term] == 0:
            return 0.0
        return self._damp(count) * float(self._factors[term])
