"""Naive Bayes on a table of texts: which of its terms count, which smoothing, which weights."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tercet.counts.selection import select_most
from tercet.counts.table import CountTable
from tercet.counts.units import to_numbers
from tercet.kernel import engine
from tercet.models.leave_one_out import LeaveOneOut, Taken
from tercet.models.likelihood import Likelihood
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.priors import log_priors_left
from tercet.models.smoothing import Smoothing, find_smoothing
from tercet.models.smoothing_choice import choose_by_labels, choose_by_table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TableModel:
    """All of it depends on the table alone, but for a smoothing that is chosen by labels."""

    model: NaiveBayes
    min_documents: int
    max_terms: int | None
    threads: int

    def likelihood(self, table: CountTable) -> Likelihood:
        """P(text | label) without its smoothing."""
        likelihood = replace(self.model.likelihood(), is_open=True, min_documents=self.min_documents)
        return likelihood if self.max_terms is None else replace(likelihood, kept=self._keep_most(table, self.max_terms))

    def find_smoothing(self, table: CountTable) -> Smoothing:
        """The given one, or the one that makes the table likeliest."""
        if self.model.chooses_by() == "table":
            return choose_by_table(self.likelihood(table), table.counts, self.threads)
        return find_smoothing(self.model.smoothing)

    def choose_by_labels(self, table: CountTable, rows: engine.Rows, taken: Taken) -> Smoothing:
        """The one that makes the labels of these documents likeliest, each left out in its turn."""
        return choose_by_labels(self.left_out(table, rows, taken))

    def left_out(self, table: CountTable, rows: engine.Rows, taken: Taken) -> LeaveOneOut:
        likelihood = self.likelihood(table)
        return LeaveOneOut(likelihood, self.model.prior, table.labels, table.counts, rows, taken, self.threads)

    def derive_weights(self, table: CountTable, smoothing: Smoothing) -> engine.Weights:
        return engine.Weights(table.counts, self.likelihood(table).with_smoothing(smoothing))

    def log_prior(self, table: CountTable) -> Floats:
        """Of the labels that have documents; the others have no chance."""
        left = to_numbers(table.counts.n_documents())[None]
        has_prior = self.model.kind != "complement" or len(table.labels) == 1
        prior: Floats = log_priors_left(self.model.prior if has_prior else None, table.labels, left, only_present=True)[0]
        return prior

    def _keep_most(self, table: CountTable, max_terms: int) -> npt.NDArray[np.uint8]:
        """A 1 for each of the terms that are counted most often; of equals the first in canonical order."""
        order = table.table.order()
        starts, _, occurrences, documents = table.counts.cells(order)
        cells = documents if self.model.kind in ("binary", "bernoulli") else occurrences
        sums = np.concatenate([[0], np.cumsum(cells)])
        kept = np.zeros(len(order), np.uint8)
        kept[order[select_most(sums[starts[1:]] - sums[starts[:-1]], max_terms)]] = 1
        return kept
