"""Two tables: the terms of a text are scored by both."""

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect
from tercet.kernel.base.documents import Texts
from tercet.kernel.counts.table import Table
from tercet.kernel.linear.linear_weights import LinearWeights


class TablePair:
    """A table, and a second one that adds scores.

    The recipe of the second must make the same words and categories, and the same n-grams or none. The native kernel reads each
    text once for both tables, by the recipe of the first.
    """

    def __init__(self, table: Table, added: Table, weights: LinearWeights) -> None:
        expect(table is not added, "two tables are needed")
        self._table, self._added, self._weights = table, added, weights

    def log_joint(self, weights: LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Floats, int]:
        """The scores by both tables, with the prior. The number of lost texts is that of the first table."""
        expect(weights.n_labels == self._weights.n_labels, "both tables need weights of the same labels")
        scores, n_lost = self._table.log_joint(weights, texts, prior)
        more, _ = self._added.log_joint(self._weights, texts, np.zeros(len(prior)))
        return scores + more, n_lost

    def predict(self, weights: LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Integers, int]:
        """The label with the highest score; ties go to the first label."""
        scores, n_lost = self.log_joint(weights, texts, prior)
        return scores.argmax(axis=1), n_lost
