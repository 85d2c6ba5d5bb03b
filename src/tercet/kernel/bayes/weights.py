"""Counts → scores: log P(document | label), a sum over the terms of the document.

Sums are exact and rounded once (`fsum`), so that they do not depend on the numbers of the terms.
"""

from math import fsum
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect, expect_below, read_ranges
from tercet.kernel.bayes.model import Model
from tercet.kernel.bayes.smoothing import FORMULAS, Seen, has_term, lacks_term, log, log_rest, weigh_complement
from tercet.kernel.counts.counts import ONE, Cell, Counts
from tercet.kernel.counts.rows import Row, Rows

UNKNOWN = -1


class TermScores(Protocol):
    n_labels: int
    n_terms: int
    known: set[int]
    silent: set[int]  # known terms that are skipped

    def explain(self, term: int, label: int) -> float:
        """log P(term | label). For Bernoulli, the score that the presence of the term adds."""

    def score(self, counts: dict[int, float], label: int) -> float:
        """log P(document | label) from the counts of known terms."""


class CountedTerms:
    def __init__(self, counts: Counts, model: Model) -> None:
        self.n_labels, self.n_terms = len(counts.of_labels), counts.n_terms
        self.known = model.known_terms(counts)
        self._model = model
        self._n_documents = [n / ONE for n in counts.of_labels]
        self._document_weights = [
            squares / n / ONE if n else 1.0 for n, squares in zip(counts.of_labels, counts.squared, strict=True)
        ]
        self._counted = {
            term: [model.count(counts.rows[term].get(label, Cell())) / ONE for label in range(self.n_labels)]
            for term in self.known
        }
        self._of_labels = [[row[label] for row in self._counted.values()] for label in range(self.n_labels)]
        self._totals = [fsum(counted) for counted in self._of_labels]
        own = (model.value_of(term) for term in self.known)
        self._pseudo_counts = fsum([*own, model.value] if model.unknown_term else own)
        # Smoothing with the share in the collection says nothing about terms that do not occur.
        is_share = model.smoothing != "additive"
        self.silent = {term for term, counted in self._counted.items() if is_share and not any(counted)}

    def see(self, term: int, label: int) -> Seen:
        counted = self._counted.get(term, [0.0] * self.n_labels)
        return Seen(
            n=counted[label],
            N=self._totals[label],
            A=self._pseudo_counts,
            n_all=fsum(counted),
            N_all=fsum(self._totals),
            counts=self._of_labels[label],
            w=self._document_weights[label],
        )

    def explain(self, term: int, label: int) -> float:
        if self._model.likelihood == "bernoulli":
            present, absent = self._presence(term, label)
            return log(present) - log(absent) if present else log(present)
        seen = self.see(term, label)
        if self._model.likelihood == "complement":
            return weigh_complement(seen, self._model.value_of(term))
        return log(FORMULAS[self._model.smoothing](seen, self._model.value_of(term)))

    def score(self, counts: dict[int, float], label: int) -> float:
        if self._model.likelihood == "bernoulli":
            return fsum(log(self._presence(term, label)[term not in counts]) for term in self.known)
        return fsum(count * self.explain(term, label) for term, count in counts.items())

    def _presence(self, term: int, label: int) -> tuple[float, float]:
        """The probabilities that a document of the label has the term, and that it does not."""
        d, D, count = self._counted[term][label], self._n_documents[label], self._model.value
        return has_term(d, D, count), lacks_term(d, D, count)


class PackedTerms:
    """Weights as `pack` writes them. `of_label` is added to every term.

    For the unknown term the other part is the logarithm of its pseudo-count.
    """

    def __init__(self, model: Model, of_label: list[float], offset: list[float], values: list[list[float]]) -> None:
        self.n_labels, self.n_terms = len(offset), len(values)
        self.known: set[int] = set(range(self.n_terms))
        self.silent: set[int] = set()
        self._offset = offset
        self._values = [[value + own for value, own in zip(row, of_label, strict=True)] for row in values]
        self._of_unknown = [log(model.value) + own for own in of_label]

    def explain(self, term: int, label: int) -> float:
        return self._of_unknown[label] if term == UNKNOWN else self._values[term][label]

    def score(self, counts: dict[int, float], label: int) -> float:
        return fsum([self._offset[label], *(count * self.explain(term, label) for term, count in counts.items())])


class GivenTerms:
    """Probabilities that the user gave, terms × labels. For Bernoulli: that a document of the label has the term."""

    def __init__(self, model: Model, probabilities: list[list[float]], n_labels: int) -> None:
        self.n_labels, self.n_terms = n_labels, len(probabilities)
        self.known: set[int] = set(range(self.n_terms))
        self.silent: set[int] = set()
        self._uses_absent = model.likelihood == "bernoulli"
        self._probabilities = probabilities

    def explain(self, term: int, label: int) -> float:
        """If a document of the label always has the term, it adds 0: its absence is impossible, and has no score."""
        p = self._probabilities[term][label]
        return log(p) - log_rest(p) if self._uses_absent and p < 1 else log(p)

    def score(self, counts: dict[int, float], label: int) -> float:
        if not self._uses_absent:
            return fsum(count * self.explain(term, label) for term, count in counts.items())
        ps = [row[label] for row in self._probabilities]
        return fsum(log(p) if term in counts else log_rest(p) for term, p in enumerate(ps))


Floats32 = npt.NDArray[np.float32]


class Weights:
    """Weights of all terms. Later changes of the counts do not change them."""

    def __init__(self, counts: Counts, model: Model, threads: int = 1) -> None:
        self._model = model
        self._terms: TermScores = CountedTerms(counts, model)

    @property
    def is_derived(self) -> bool:
        """Whether the weights of all terms are computed. The native kernel may score from the counts for a while."""
        return True

    @property
    def n_labels(self) -> int:
        return self._terms.n_labels

    @property
    def n_terms(self) -> int:
        return self._terms.n_terms

    def score(self, rows: Rows, documents: Integers, threads: int = 1) -> Floats:
        """The scores of these documents as documents × labels, without the prior."""
        return self._make_matrix(self.score_row(rows.rows[i]) for i in expect_below(documents, len(rows), "no such document"))

    def score_row(self, row: Row) -> list[float]:
        """The scores of a row. A document without known terms scores 0; for Bernoulli, the absence of all terms."""
        counts = self._count_known(row)
        return [self._terms.score(counts, label) for label in range(self.n_labels)]

    def n_counted(self, rows: Rows) -> Floats:
        """The number of occurrences that the score of each document sums over."""
        return np.array([sum(self._count_known(row).values()) for row in rows.rows], np.float64)

    def offset(self) -> Floats:
        """The score of a document without terms."""
        return np.array(self.score_row(Row({})), np.float64)

    def knows(self, terms: Integers) -> npt.NDArray[np.bool_]:
        numbers = expect_below(terms, self._terms.n_terms, "no such term")
        return np.array([term in self._terms.known for term in numbers], np.bool_)

    def log_probabilities(self, terms: Integers) -> Floats:
        """log P(term | label) as terms × labels. For Bernoulli, the score that the presence of the term adds.

        A negative number stands for an unknown term.
        """
        expect(all(term < self._terms.n_terms for term in terms.tolist()), "no such term")
        return self._make_matrix(self._explain(term) for term in terms.tolist())

    def pack(self, terms: Integers) -> tuple[Floats, Floats, Floats32, Integers, Integers, Floats32]:
        """(of_label, offset, of_term, starts, labels, values) of these terms, in single precision.

        log P(term | label) is of_term + of_label + value. For the unknown term it is log ε + of_label.
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

    @classmethod
    def from_probabilities(cls, model: Model, probabilities: Floats) -> "Weights":
        """Weights from P(term | label), terms × labels. The model has smoothing 0."""
        is_strict = model.smoothing == "additive" and model.value == 0
        expect(is_strict and model.likelihood != "complement" and not model.unknown_term, "no given probabilities")
        expect(bool(((probabilities >= 0) & (probabilities <= 1)).all()), "no probabilities")
        weights = cls.__new__(cls)
        weights._model = model
        weights._terms = GivenTerms(model, probabilities.tolist(), probabilities.shape[1])
        return weights

    def _count_known(self, row: Row) -> dict[int, float]:
        """The counts of known terms. All unknown terms count as one term; silent terms are skipped."""
        known, silent = self._terms.known, self._terms.silent
        counts = {term: count for term, count in row.counts.items() if term in known and term not in silent}
        n_unknown = row.n_unknown + sum(count for term, count in row.counts.items() if term not in known)
        if n_unknown and self._model.unknown_term:
            counts[UNKNOWN] = n_unknown
        return dict.fromkeys(counts, 1.0) if self._model.clips else counts

    def _explain(self, term: int) -> list[float]:
        counted = self._count_known(Row({term: 1.0}))
        return [sum(self._terms.explain(known, label) for known in counted) for label in range(self.n_labels)]

    def _make_matrix(self, scores: Any) -> Floats:
        return np.array(list(scores), np.float64).reshape(-1, self.n_labels)
