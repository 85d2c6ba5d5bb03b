"""Labelled texts, batch by batch, into one table."""

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.kept_rows import KeptRows, RowBlocks
from tercet.counts.labels import ArrivingLabels
from tercet.counts.table import CountTable
from tercet.counts.units import explain_overflow
from tercet.kernel import engine
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe


class LabelledCounter:
    """Counts documents whose labels come with them, batch by batch; with `keep` their terms are kept, too."""

    def __init__(self, labels: ArrivingLabels, analyzer: Analyzer, threads: int, *, keep: bool) -> None:
        self._labels, self._analyzer, self._threads = labels, analyzer, threads
        self._counter = engine.TableCounter(make_recipe(analyzer), 0, threads, keep)
        self._blocks = RowBlocks() if keep else None
        self._has_weight = np.zeros(0, np.bool_)  # for each label

    def add(self, texts: engine.Texts, place: slice, weights: Integers | None) -> None:
        """Texts of the batch whose labels came last, and where in it they are; weights are in units of 2⁻²⁰."""
        numbers = self._labels.last[place]
        self._note_weights(numbers, weights)
        self._counter.grow_labels(len(self._labels))
        with explain_overflow():
            block = self._counter.add(texts, numbers, weights)
        if self._blocks is not None:
            self._blocks.append(block, texts, weights)

    def take(self) -> tuple[CountTable, KeptRows | None]:
        """The table, without labels that only documents without weight have, and the rows of all documents."""
        has_weight = np.zeros(len(self._labels), np.bool_)
        has_weight[: len(self._has_weight)] = self._has_weight
        kept = self._labels.known[has_weight[np.argsort(self._labels.places(self._labels.known))]]
        with explain_overflow():
            table = self._counter.take(self._labels.places(kept), len(kept))
        rows = None
        if self._blocks is not None:
            rows = KeptRows(self._blocks, table, self._counter.take_terms(), self._threads)
        return CountTable(self._analyzer, kept, table), rows

    def _note_weights(self, numbers: Integers, weights: Integers | None) -> None:
        found = np.zeros(len(self._labels), np.bool_)
        found[: len(self._has_weight)] = self._has_weight
        found[numbers if weights is None else numbers[weights > 0]] = True
        self._has_weight = found
