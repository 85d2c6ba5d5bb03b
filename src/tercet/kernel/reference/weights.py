"""Counts → scores: log P(document | label), a sum over the terms of the document."""

from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.reference.arrays import expect, expect_below, read_ranges
from tercet.kernel.reference.counts import Counts
from tercet.kernel.reference.model import Model
from tercet.kernel.reference.rows import Row, Rows
from tercet.kernel.reference.smoothing import log
from tercet.kernel.reference.term_scores import UNKNOWN, CountedTerms, PackedTerms, TermScores

Floats32 = npt.NDArray[np.float32]


class Weights:
    """Later changes of the counts do not change them."""

    def __init__(self, counts: Counts, model: Model, threads: int = 1) -> None:
        self._model = model
        self._terms: TermScores = CountedTerms(counts, model)

    @property
    def n_labels(self) -> int:
        return self._terms.n_labels

    @property
    def n_terms(self) -> int:
        return self._terms.n_terms

    def score(self, rows: Rows, documents: Integers, threads: int = 1) -> Floats:
        """Of these documents, documents × labels; the prior is not in it."""
        return self._make_matrix(self.score_row(rows.rows[i]) for i in expect_below(documents, len(rows), "no such document"))

    def score_row(self, row: Row) -> list[float]:
        """A document without known terms scores 0, or what their absence says."""
        counts = self._count_known(row)
        return [self._terms.score(counts, label) for label in range(self.n_labels)]

    def n_counted(self, rows: Rows) -> Floats:
        """Over how many occurrences the score of each document is a sum."""
        return np.array([sum(self._count_known(row).values()) for row in rows.rows], np.float64)

    def offset(self) -> Floats:
        """The score of a document without terms."""
        return np.array(self.score_row(Row({})), np.float64)

    def knows(self, terms: Integers) -> npt.NDArray[np.bool_]:
        numbers = expect_below(terms, self._terms.n_terms, "no such term")
        return np.array([term in self._terms.known for term in numbers], np.bool_)

    def log_probabilities(self, terms: Integers) -> Floats:
        """log P(term | label), terms × labels; for Bernoulli what its presence adds. Below zero stands for an unknown term."""
        expect(all(term < self._terms.n_terms for term in terms.tolist()), "no such term")
        return self._make_matrix(self._explain(term) for term in terms.tolist())

    def pack(self, terms: Integers) -> tuple[Floats, Floats, Floats32, Integers, Integers, Floats32]:
        """(of_label, offset, of_term, starts, labels, values) of these terms, with half the digits.

        log P(term | label) is of_term + of_label + value; that of the unknown term log ε + of_label.
        """
        numbers = expect_below(terms, self._terms.n_terms, "no such term")
        of_label = np.array(self._explain(UNKNOWN)) - (log(self._model.value) if self._model.unknown_term else 0)
        values = np.array([self._explain(term) for term in numbers]).reshape(-1, self.n_labels) - of_label
        starts = np.arange(len(numbers) + 1) * self.n_labels
        labels = np.tile(np.arange(self.n_labels), len(numbers))
        return of_label, self.offset(), np.zeros(len(numbers), np.float32), starts, labels, values.astype(np.float32).ravel()

    @classmethod
    def unpack(
        cls,
        model: Model,
        of_label: Floats,
        offset: Floats,
        of_term: Floats32,
        starts: Integers,
        labels: Integers,
        values: Floats32,
    ) -> "Weights":
        expect(len(of_label) == len(offset) and len(starts) == len(of_term) + 1 and len(labels) == len(values), "no weights")
        expect_below(labels, len(of_label), "no such label")
        table = np.repeat(of_term.astype(np.float64)[:, None], len(of_label), axis=1)
        for term, (begin, end) in enumerate(read_ranges(starts, len(labels))):
            table[term, labels[begin:end]] += values[begin:end]
        weights = cls.__new__(cls)
        weights._model = model
        weights._terms = PackedTerms(model, of_label.tolist(), offset.tolist(), table.tolist())
        return weights

    def _count_known(self, row: Row) -> dict[int, float]:
        """What is not known is an unknown term; what says nothing is passed over."""
        known, silent = self._terms.known, self._terms.silent
        counts = {term: count for term, count in row.counts.items() if term in known and term not in silent}
        n_unknown = row.n_unknown + sum(count for term, count in row.counts.items() if term not in known)
        if n_unknown and self._model.unknown_term:
            counts[UNKNOWN] = n_unknown
        return dict.fromkeys(counts, 1.0) if self._model.clips else counts

    def _explain(self, term: int) -> list[float]:
        counted = self._count_known(Row({term: 1.0}))
        return [sum(self._terms.explain(one, label) for one in counted) for label in range(self.n_labels)]

    def _make_matrix(self, scores: Any) -> Floats:
        return np.array(list(scores), np.float64).reshape(-1, self.n_labels)
