"""Trained weights → scores: sums over the weighted counts of a document."""

import copy
from math import fsum

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, expect_below
from tercet.kernel.counts.counts import Counts
from tercet.kernel.counts.rows import Row, Rows
from tercet.kernel.linear.weighting import DAMPINGS, NORMS, Blocks, divide_by_norms

Floats32 = npt.NDArray[np.float32]
Rows32 = npt.NDArray[np.uint32]
LayerArrays = tuple[Floats32, Floats32, str, str]  # values, factors, damping, norm


class LinearWeights:
    """The values of terms, in layers. In each layer a row has a factor and values. Two labels have one value, for the second
    label; more labels have one value each.

    `rows` has the row of each term, because many terms may share a row. Without it, term t has row t. `blocks` has the block
    of each term; each layer has a norm for each block. A term whose factors are all 0 is not known.
    """

    def __init__(
        self, layers: list[LayerArrays], n_labels: int, rows: Rows32 | None = None, blocks: Blocks | None = None
    ) -> None:
        expect(len(layers) > 0 and 1 < n_labels < MAX_IDS, "no weights")
        self._layers = [Layer(*layer, n_labels, len(layers[0][1]), rows) for layer in layers]
        self._n_labels = n_labels
        expect(blocks is None or len(blocks) == self.n_terms, "each term needs a block")
        self._blocks = [0] * self.n_terms if blocks is None else blocks.tolist()

    def without_forgotten(self, counts: Counts) -> "LinearWeights":
        """The same weights, but the terms that these counts have forgotten are not known any more."""
        gone = [term for term in range(min(self.n_terms, counts.n_terms)) if not counts.has_met(term)]
        if not gone:
            return self
        left = copy.copy(self)
        left._layers = [layer.without(gone) for layer in self._layers]
        left._blocks = [0 if term in gone else block for term, block in enumerate(self._blocks)]
        return left

    @property
    def n_labels(self) -> int:
        return self._n_labels

    @property
    def n_terms(self) -> int:
        return len(self._layers[0].factors)

    def knows(self, terms: Integers) -> npt.NDArray[np.bool_]:
        known = expect_below(terms, self.n_terms, "no such term")
        return np.array([any(layer.factors[term] != 0 for layer in self._layers) for term in known], np.bool_)

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
        """The score that one occurrence of each term adds, before the division by norms."""
        known = expect_below(terms, self.n_terms, "no such term")
        rows = [sum(layer.factors[term] * layer.values[term] for layer in self._layers) for term in known]
        return np.array(rows, np.float64).reshape(-1, self.n_labels)

    def _share(self, terms: list[int], counts: list[float]) -> Floats:
        shares = np.zeros((len(terms), self.n_labels))
        for layer in self._layers:
            weighed = [layer.weigh(term, count) for term, count in zip(terms, counts, strict=True)]
            blocks = [0 if term < 0 else self._blocks[term] for term in terms]
            for row, term, x in zip(shares, terms, divide_by_norms(weighed, blocks, layer.norm), strict=True):
                row += x * layer.values[term]
        return shares


class Layer:
    """One way to weigh counts, and the values of all terms for it."""

    def __init__(
        self, values: Floats32, factors: Floats32, damping: str, norm: str, n_labels: int, n_rows: int, rows: Rows32 | None
    ) -> None:
        expect(len(factors) == n_rows and values.shape == (n_rows, 1 if n_labels == 2 else n_labels), "no weights")
        expect(damping in DAMPINGS and norm in NORMS, f"no {damping} or {norm}")
        if rows is not None:
            expect(len(rows) > 0 or n_rows == 0, "rows without terms")
            places = expect_below(rows.astype(np.int64), n_rows, "no such row")
            values, factors = values[places], factors[places]
        self.factors, self.norm, self._damp = factors.astype(np.float64).tolist(), norm, DAMPINGS[damping]
        halves = values.astype(np.float64)
        self.values = np.hstack([-halves / 2, halves / 2]) if n_labels == 2 else halves

    def without(self, terms: list[int]) -> "Layer":
        """The same layer, in which these terms have the factor and the values 0."""
        left = copy.copy(self)
        left.factors = [0.0 if term in terms else factor for term, factor in enumerate(self.factors)]
        left.values = self.values.copy()
        left.values[terms] = 0.0
        return left

    def weigh(self, term: int, count: float) -> float:
        if term < 0 or self.factors[term] == 0:
            return 0.0
        return self._damp(count) * float(self.factors[term])
