"""What each term says of each label: from counts by the formulas, or as it was packed.

Sums are exact before they are rounded once (`fsum`), so that they do not depend on how the terms are numbered.
"""

from math import fsum
from typing import Protocol

from tercet.kernel.reference.counts import ONE, Cell, Counts
from tercet.kernel.reference.model import Model
from tercet.kernel.reference.smoothing import FORMULAS, Seen, has_term, lacks_term, log, weigh_complement

UNKNOWN = -1


class TermScores(Protocol):
    n_labels: int
    n_terms: int
    known: set[int]
    silent: set[int]  # of the known ones: they are passed over

    def explain(self, term: int, label: int) -> float:
        """log P(term | label); for Bernoulli what its presence adds."""

    def score(self, counts: dict[int, float], label: int) -> float:
        """log P(document | label), from known terms."""


class CountedTerms:
    def __init__(self, counts: Counts, model: Model) -> None:
        self.n_labels, self.n_terms = len(counts.of_labels), counts.n_terms
        self.known = model.known_terms(counts)
        self._model = model
        self._n_documents = [n / ONE for n in counts.of_labels]
        self._counted = {
            term: [model.count(counts.rows[term].get(label, Cell())) / ONE for label in range(self.n_labels)]
            for term in self.known
        }
        of_labels = [[row[label] for row in self._counted.values()] for label in range(self.n_labels)]
        self._totals = [fsum(counted) for counted in of_labels]
        self._n_distinct = [sum(n > 0 for n in counted) for counted in of_labels]
        # A share of the collection says nothing about terms that nobody has.
        is_share = model.smoothing != "additive"
        self.silent = {term for term, counted in self._counted.items() if is_share and not any(counted)}

    def see(self, term: int, label: int) -> Seen:
        counted = self._counted.get(term, [0.0] * self.n_labels)
        n_terms = len(self.known) + self._model.unknown_term
        return Seen(counted[label], self._totals[label], self._n_distinct[label], n_terms, fsum(counted), fsum(self._totals))

    def explain(self, term: int, label: int) -> float:
        if self._model.likelihood == "bernoulli":
            present, absent = self._presence(term, label)
            return log(present) - log(absent) if present else log(present)
        seen = self.see(term, label)
        if self._model.likelihood == "complement":
            return weigh_complement(seen, self._model.value)
        return log(FORMULAS[self._model.smoothing](seen, self._model.value))

    def score(self, counts: dict[int, float], label: int) -> float:
        if self._model.likelihood == "bernoulli":
            return fsum(log(self._presence(term, label)[term not in counts]) for term in self.known)
        return fsum(count * self.explain(term, label) for term, count in counts.items())

    def _presence(self, term: int, label: int) -> tuple[float, float]:
        """How likely a document of the label has the term, and how likely not."""
        d, D, count = self._counted[term][label], self._n_documents[label], self._model.value
        return has_term(d, D, count), lacks_term(d, D, count)


class PackedTerms:
    """`of_label` is part of every term, also of the unknown one, whose other part is the logarithm of its pseudo-count."""

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
