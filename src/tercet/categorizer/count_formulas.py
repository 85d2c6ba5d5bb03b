"""The formulas of naive Bayes with their counts: log P(term | label) of one label minus that of another."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.arithmetic import UNKNOWN, DecisionFormulas
from tercet.categorizer.bayes_model import BayesWeights
from tercet.characters import show_line
from tercet.counts.table import read_cells
from tercet.counts.units import ONE
from tercet.kernel import engine
from tercet.models.smoothing import Smoothing
from tercet.report.arithmetic import Formula, add, divide, multiply, subtract, take_log, write_number

MOST_GROUPS = 3  # of absent terms with equal counts that are written out; with more groups only their sums are written


class LabelSums(NamedTuple):
    """The counts of a label that the formulas of all its terms use."""

    n_documents: float  # D
    weight: float  # Σ w² / Σ w of its documents
    counts: Floats  # of each known term that the label has
    total: float  # N: their sum


@dataclass(frozen=True)
class CountFormulas(DecisionFormulas):
    """Formulas for the labels at the places `a` and `b`, by the counts of the weights, which must not change meanwhile."""

    weights: BayesWeights
    counts: engine.Counts
    a: int
    b: int

    # The counts.

    @property
    def _kind(self) -> str:
        return self.weights.kind

    @property
    def _smoothing(self) -> Smoothing:
        return self.weights.smoothing

    @property
    def _counts_documents(self) -> bool:
        return self.weights.counts_once

    @cached_property
    def _columns(self) -> tuple[int, int]:
        """The places of both labels in the counts."""
        return int(self.weights.columns[self.a]), int(self.weights.columns[self.b])

    @property
    def _has_unknown(self) -> bool:
        """Whether the unknown terms are one more term of the vocabulary."""
        return self.weights.likelihood.unknown == "unk"

    @cached_property
    def _known(self) -> Integers:
        return np.flatnonzero(self.weights.kernel.knows(np.arange(self.weights.kernel.n_terms)))

    @cached_property
    def _sums(self) -> tuple[float, dict[int, LabelSums]]:
        """The count of all known terms under all labels, and the sums of both labels."""
        total, found = 0, {place: [np.zeros(0, np.int64)] for place in self._columns}
        for cells in read_cells(self.counts, self._known):
            values = cells.documents if self._counts_documents else cells.occurrences
            total += int(values.sum())
            for place, parts in found.items():
                parts.append(values[(cells.labels == place) & (values > 0)])
        documents, squares = self.counts.n_documents().tolist(), self.counts.squares().tolist()
        weights = {place: ((squares[place][0] << 64) + squares[place][1]) / (documents[place] * ONE) for place in found}
        counts = {place: np.concatenate(parts) for place, parts in found.items()}
        return total / ONE, {
            place: LabelSums(documents[place] / ONE, weights[place], own / ONE, int(own.sum()) / ONE)
            for place, own in counts.items()
        }

    @cached_property
    def _discounts(self) -> dict[int, tuple[float, Formula]]:
        """For both labels δ, and D: what is subtracted from all counts together, Σ min(n, δ)."""

        def discount(own: LabelSums) -> tuple[float, Formula]:
            delta = self._smoothing.value * own.weight
            if (own.counts >= delta).all():
                return delta, multiply(write_number(delta), write_number(len(own.counts)))
            return delta, write_number(float(np.minimum(own.counts, delta).sum()))

        return {place: discount(own) for place, own in self._sums[1].items()}

    @cached_property
    def _own_counts(self) -> Floats | None:
        terms = self.weights.likelihood.terms
        return None if terms is None else self._smoothing.own_counts(terms)

    @property
    def _n_terms(self) -> int:
        """V"""
        return len(self._known) + self._has_unknown

    def _count(self, term: int) -> tuple[dict[int, float], float]:
        """n: the count of a term under both labels, and under all labels."""
        if term == UNKNOWN:
            return dict.fromkeys(self._columns, 0.0), 0.0
        _, labels, occurrences, documents = self.counts.cells(np.array([term]))
        values = documents if self._counts_documents else occurrences
        return {place: int(values[labels == place].sum()) / ONE for place in self._columns}, int(values.sum()) / ONE

    # The formulas.

    def write_prior(self) -> Formula | None:
        if self._kind == "complement":
            return None
        labels, n_documents = [self.a, self.b], self.weights.n_documents
        if n_documents is None:
            return subtract(*(take_log(write_number(share)) for share in np.exp(self.weights.prior[labels]).tolist()))
        total = write_number(float(n_documents.sum()))
        return subtract(*(take_log(divide(write_number(n), total)) for n in n_documents[labels].tolist()))

    def write_term(self, term: int, count: int) -> Formula:
        counts, in_all = self._count(term)
        sides = [self._write_side(term, place, counts[place], in_all) for place in self._columns]
        difference = subtract(*map(take_log, sides[::-1] if self._kind == "complement" else sides))
        return difference if count == 1 or self._counts_documents else multiply(write_number(count), difference)

    def _write_side(self, term: int, place: int, n: float, in_all: float) -> Formula:
        """P(term | label). For Bernoulli P / (1 - P), and for complement P(term | other labels)."""
        total, sums = self._sums
        own = sums[place]
        if self._kind == "bernoulli":
            return self._write_odds(n, own.n_documents)
        if self._kind == "complement":
            return self._write_additive(term, in_all - n, total - own.total)
        if self._smoothing.registered_name == "additive":
            return self._write_additive(term, n, own.total)
        return self._write_with_share(place, n, divide(write_number(in_all), write_number(total)))

    def _write_additive(self, term: int, n: float, total: float) -> Formula:
        """(n + ε) / (N + ε V)"""
        value, own = self._smoothing.value, self._own_counts
        if value == 0:
            return divide(write_number(n), write_number(total)) if total else write_number(0)
        if own is not None:
            of_term = value if term == UNKNOWN else float(own[term])
            mass = write_number(float(own[self._known].sum()) + value * self._has_unknown)
        else:
            of_term, mass = value, write_number(self._n_terms)
            mass = mass if value == 1 else multiply(write_number(value), mass)
        return divide(add(write_number(n), write_number(of_term)), add(write_number(total), mass))

    def _write_with_share(self, place: int, n: float, share: Formula) -> Formula:
        """The smoothings that use P(term) = `share`."""
        own = self._sums[1][place]
        value, total = write_number(self._smoothing.value), write_number(own.total)
        match self._smoothing.registered_name:
            case "jelinek_mercer":
                from_all = multiply(value, share)
                from_label = multiply(subtract(write_number(1), value), divide(write_number(n), total))
                return add(from_label, from_all) if own.total else from_all
            case "dirichlet":
                return divide(add(write_number(n), multiply(value, share)), add(total, value))
            case _:
                return self._write_discounted(place, n, share) if own.total else share

    def _write_discounted(self, place: int, n: float, share: Formula) -> Formula:
        """(max(n - δ, 0) + D P(term)) / N"""
        delta, taken = self._discounts[place]
        kept = subtract(write_number(n), write_number(delta)) if n > delta else write_number(0)
        return divide(add(kept, multiply(taken, share)), write_number(self._sums[1][place].total))

    def _write_odds(self, d: float, n_documents: float) -> Formula:
        """(d + ε) / (D - d + ε)"""
        value = write_number(self._smoothing.value)
        return divide(add(write_number(d), value), add(subtract(write_number(n_documents), write_number(d)), value))

    def write_absent(self) -> Formula | None:
        totals = self.weights.absent_values(np.zeros(0, np.int64))  # with a smoothing above 0 the text does not matter
        if totals is None:
            return None
        _, sums = self._sums
        groups = [self._group_absent(sums[place]) for place in self._columns]
        if all(0 < len(own) <= MOST_GROUPS for own in groups):
            return subtract(*(self._sum_absent(sums[place], own) for place, own in zip(self._columns, groups, strict=True)))
        return subtract(*(write_number(total) for total in totals[[self.a, self.b]].tolist()))

    def _group_absent(self, own: LabelSums) -> list[tuple[float, int]]:
        """How many known terms are in d documents of a label, for each d."""
        d, sizes = np.unique(own.counts, return_counts=True)
        groups = [(0.0, self._n_terms - len(own.counts)), *zip(d.tolist(), sizes.tolist(), strict=True)]
        return [(d, n) for d, n in groups if n]

    def _sum_absent(self, own: LabelSums, groups: list[tuple[float, int]]) -> Formula:
        """Σ log (1 - P(term | label)) = Σ log (D - d + ε) / (D + 2 ε)"""
        value, of_documents = write_number(self._smoothing.value), write_number(own.n_documents)
        below = add(of_documents, multiply(write_number(2), value))
        logs = [take_log(divide(add(subtract(of_documents, write_number(d)), value), below)) for d, _ in groups]
        return add(*(log if n == 1 else multiply(write_number(n), log) for log, (_, n) in zip(logs, groups, strict=True)))

    # Words.

    def list_notes(self) -> list[str]:
        a, b = (show_line(label) for label in self.weights.labels[[self.a, self.b]].tolist())
        value = "" if self._own_counts is not None else f", {self._smoothing.symbol} = {self._smoothing.value:g}"
        if self._kind == "bernoulli":
            return [
                f"Each term of the text: log P / (1 - P) under {a}, minus the same under {b}, with natural logarithms. "
                f"P = (d + ε) / (D + 2 ε){value}; d: documents with the term under the label; D: all documents of the label.",
                f"Absent terms: the sum of log (1 - P) over all {self._n_terms} known terms under {a}, minus that under {b}. "
                "It is for a text without terms; the line of a term that the text has corrects it.",
            ]
        is_complement = self._kind == "complement"
        each = f"log P(term | not {b}) - log P(term | not {a})" if is_complement else f"log P(term | {a}) - log P(term | {b})"
        counted = "documents with the term" if self._counts_documents else "occurrences of the term"
        zero = ["log 0 is -∞. If both labels have it, the difference counts as 0."] if self._smoothing.value == 0 else []
        under = "under all other labels" if is_complement else "under the label"
        return [
            f"Each term: {each}, with natural logarithms. P = {self._smoothing.formula}{value}; n: {counted} {under}; "
            f"N: the sum of n over all known terms; {self._smoothing.explain_symbols(self._n_terms)}.",
            *zero,
        ]
