"""The rows of documents, kept for linear models, and the margins that are trained on them. The reference makes them dense."""

import math

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, expect_below
from tercet.kernel.counts.rows import Row, Rows
from tercet.kernel.linear.descent import descend
from tercet.kernel.linear.dual_descent import BINARY_LOSSES, DualDescent
from tercet.kernel.linear.linear_problem import append_constant, read_options
from tercet.kernel.linear.weighting import DAMPINGS, NORMS

Floats32 = npt.NDArray[np.float32]
Weighing = tuple[Floats32, str, str, bool, int]  # factors, damping, norm, whether blocks have their own norms, number of blocks
Ratios = tuple[Floats, float, float]  # the weight of the documents that have each term, smoothing, beta
Passes = tuple[float, float, int, int]  # bias, tol, max_epochs, seed
# Values of terms, intercepts, states of documents, passes, gaps, and scores of the documents that were asked for.
Margins = tuple[Floats32, Floats, Floats, Integers, Floats, Floats]


class TextRows:
    def __init__(self, n_terms: int, blocks: npt.NDArray[np.uint8] | None) -> None:
        """`blocks` has the block of each term; without it there is one block."""
        expect(0 <= n_terms < MAX_IDS, "so many terms have no numbers")
        expect(blocks is None or len(blocks) == n_terms, "each term needs a block")
        self._n_terms, self._blocks = n_terms, np.zeros(n_terms, np.uint8) if blocks is None else blocks
        self._appended: list[Row] = []
        self._rows: list[Row] = []

    def append(self, rows: Rows, threads: int = 1) -> None:
        if rows.n_columns > self._n_terms:
            raise IndexError("no such term")
        self._appended += rows.rows

    def finish(self, order: Integers) -> None:
        """All rows are here. `order` is an order of the documents that does not depend on their arrival."""
        expect(len(order) == len(self._appended), "each row needs a place")
        self._rows = [self._appended[i] for i in expect_below(order, len(self._appended), "no such row")]

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def n_blocks(self) -> int:
        return int(self._blocks.max(initial=0)) + 1

    def count_documents(self, weights: Floats) -> Floats:
        """The total weight of the documents that have each term."""
        expect(len(weights) == len(self), "each document needs a weight")
        counts = np.zeros(self._n_terms)
        for row, weight in zip(self._rows, weights.tolist(), strict=True):
            counts[list(row.counts)] += weight
        return counts

    def fit_margins(
        self,
        codes: Integers,
        weights: Floats,
        label_weights: Floats,
        cost: float,
        weighing: Weighing,
        ratios: Ratios | None,
        loss: str,
        passes: Passes,
        start: Floats | None,
        scored: Integers,
        wants_values: bool,
        threads: int = 1,
    ) -> Margins:
        """Margins of each label against the others; of two labels, one margin for the second.

        Documents of weight 0 are not used. With `ratios`, values are multiplied by log-count ratios, and weights are
        interpolated, as NB-SVM does.
        """
        expect(len(codes) == len(weights) == len(self), "each document needs a label and a weight")
        expect(len(label_weights) >= 2, "there must be labels")
        expect_below(codes, len(label_weights), "no such label")
        for some in (weights, label_weights):
            expect(bool((np.isfinite(some) & (some >= 0)).all()), "weights must be finite and >= 0")
        expect(math.isfinite(cost) and cost > 0, "costs must be finite and > 0")
        options, factors = read_options(*passes), weighing[0]
        expect(loss in BINARY_LOSSES, f"no such choice: {loss}")
        if ratios is not None:
            documents, smoothing, beta = ratios
            expect(len(documents) == self._n_terms, "each term needs a number of documents")
            expect(bool((np.isfinite(documents) & (documents >= 0)).all()), "numbers of documents must be finite and >= 0")
            expect(math.isfinite(smoothing) and smoothing > 0 and 0 <= beta <= 1, "no smoothing or beta")
            expect(bool(np.isin(factors, (0, 1)).all()), "with ratios, factors are 0 or 1")
        places = expect_below(scored, len(self), "no such document")
        X = self._weigh(*weighing)
        n_margins = 1 if len(label_weights) == 2 else len(label_weights)
        expect(start is None or start.shape == (len(self), n_margins), "each document needs a start")
        values, bias_weights = np.zeros((self._n_terms, n_margins)), np.zeros(n_margins)
        states, results = np.zeros((len(self), n_margins)), []
        scores = np.zeros((len(scored), n_margins))
        for margin in range(n_margins):
            is_own = codes == (1 if n_margins == 1 else margin)
            costs = cost * weights * np.where(is_own | (n_margins == 1), label_weights[codes], 1.0)
            known, scale = factors != 0, np.ones(self._n_terms)
            if ratios is not None:
                inside = self.count_documents(weights * is_own)
                scale = np.where(known, find_ratios(inside, documents - inside, known, smoothing), 0.0)
            sides = np.where(is_own, 1.0, -1.0).tolist()
            begin = None if start is None else start[:, margin].tolist()
            scaled = append_constant(X * scale, options.bias)
            descent = DualDescent(scaled, sides, costs.tolist(), BINARY_LOSSES[loss], margin, options, begin)
            results.append(descend(descent, options))
            own, constant = descent.weights[:-1], float(descent.weights[-1]) * options.bias
            if ratios is not None:
                used = scale != 0
                mean = float(np.abs(own[used]).sum()) / max(int(used.sum()), 1)
                own, constant = scale * (beta * own + (1 - beta) * mean), beta * constant
            values[:, margin], bias_weights[margin], states[:, margin] = own * known, constant, descent.states
            scores[:, margin] = X[places] @ values[:, margin] + constant
        kept = values.astype(np.float32) if wants_values else np.zeros((0, n_margins), np.float32)
        epochs, gaps = [epoch for epoch, _ in results], [gap for _, gap in results]
        return kept, bias_weights, states, np.array(epochs, np.int64), np.array(gaps, np.float64), scores

    def matrix(
        self, documents: Integers, weighing: Weighing, threads: int = 1
    ) -> tuple[Integers, npt.NDArray[np.int32], Floats]:
        """(ends, terms, values): a CSR matrix of these rows. Terms whose factor is 0 are left out."""
        places = expect_below(documents, len(self), "no such document")
        X, (factors, *_, n_blocks) = self._weigh(*weighing), weighing
        used = [[term for term in self._order(i, n_blocks) if factors[term] != 0] for i in places]
        ends = np.cumsum([0, *map(len, used)], dtype=np.int64)
        values = [X[i, term] for i, terms in zip(places, used, strict=True) for term in terms]
        return ends, np.array([term for terms in used for term in terms], np.int32), np.array(values, np.float64)

    def _order(self, i: int, n_blocks: int) -> list[int]:
        """The terms of a row by block, by count, then in the order of the row."""
        counts = self._rows[i].counts
        used = [term for term in counts if self._blocks[term] < n_blocks]
        return sorted(used, key=lambda term: (self._blocks[term], counts[term]))

    def _weigh(self, factors: Floats32, damping: str, norm: str, by_block: bool, n_blocks: int) -> Floats:
        """Documents × terms. Each document, or each block of it, is divided by its norm."""
        expect(len(factors) == self._n_terms, "each term needs a factor")
        expect(bool(np.isfinite(factors).all()), "factors must be finite")
        expect(damping in DAMPINGS and norm in NORMS, f"no {damping} or {norm}")
        expect(1 <= n_blocks <= self.n_blocks, "no such block")
        X = np.zeros((len(self), self._n_terms))
        for i in range(len(self)):
            counts = self._rows[i].counts
            for term in self._order(i, n_blocks):
                X[i, term] = DAMPINGS[damping](counts[term]) * float(factors[term])
            for block in range(n_blocks) if by_block else [None]:
                own = slice(None) if block is None else self._blocks == block
                X[i, own] /= NORMS[norm](X[i, own].tolist()) or 1.0
        return X


def find_ratios(inside: Floats, outside: Floats, known: npt.NDArray[np.bool_], smoothing: float) -> Floats:
    """log (p / Σp) / (q / Σq), where p and q are the numbers of documents plus the smoothing. The sums are over known terms."""
    p, q = inside + smoothing, outside + smoothing
    shift = math.log(q[known].sum() / p[known].sum()) if known.any() else 0.0
    return np.asarray(np.log(p / q) + shift, np.float64)
