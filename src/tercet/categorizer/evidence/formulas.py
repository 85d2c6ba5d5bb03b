"""The arithmetic of one decision: for each value of an explanation, the formula with the numbers that it comes from.

For naive Bayes these are counts: log P(term | label) of one label minus that of another. For trained margins it is the value
of a term in the text times its weight for one label against another."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.evidence.meanings import Meaning
from tercet.categorizer.model.bayes_model import BayesWeights
from tercet.categorizer.model.numeric_columns import MAX_PENALTY
from tercet.categorizer.model.trained_margins import MarginLayer, TrainedMargins
from tercet.categorizer.scorer import Scorer
from tercet.characters import show_line
from tercet.counts.table import read_cells
from tercet.counts.units import ONE
from tercet.kernel import engine
from tercet.models.calibration import PairOdds
from tercet.models.smoothing import Smoothing
from tercet.report.explanation.arithmetic import (
    Arithmetic,
    Formula,
    Step,
    add,
    divide,
    multiply,
    sort_steps,
    subtract,
    take_log,
    write_density,
    write_number,
    write_probability,
)
from tercet.report.explanation.evidence import Evidence, add_up
from tercet.report.explanation.explanation import Explanation

UNKNOWN = -1  # the number that stands for all unknown terms


class DecisionFormulas(ABC):
    """Writes what the parts of a text add to the score of one label, minus what they add to the score of another label."""

    @abstractmethod
    def write_prior(self) -> Formula | None:
        """None if the model has no prior."""

    @abstractmethod
    def write_term(self, term: int, count: int) -> Formula:
        """For a term with this count in the text; -1 stands for all unknown terms."""

    def write_absent(self) -> Formula | None:
        """For all terms that the text could have; None if absent terms add nothing."""
        return None

    @abstractmethod
    def list_notes(self) -> list[str]:
        """Sentences that explain the formulas."""


def add_arithmetic(
    explanation: Explanation,
    scorer: Scorer,
    indices: tuple[int, int],
    occurrences: Sequence[tuple[str, int, float]],
    others: Sequence[Evidence],
    documents: Any,
    meanings: Sequence[Meaning] = (),
) -> Explanation:
    """The explanation with its arithmetic. `indices` are those of its two labels.

    `occurrences` are those of terms in the text: name, number (-1 for all unknown terms) and value. `others` is the evidence
    that stands nowhere in the text: absent terms, and columns of numbers.
    """
    found: dict[int, list[tuple[str, float]]] = {}
    for name, term, value in occurrences:
        found.setdefault(term, []).append((name, value))
    terms = np.array([term for term in found if term >= 0], np.int64)
    counts = np.array([len(found[term]) for term in terms.tolist()], np.float64)
    formulas = scorer.weights.write_formulas(*indices, terms, counts)
    steps = [
        Step(own[0][0], formulas.write_term(term, len(own)), add_up(value for _, value in own))
        for term, own in found.items()
        if term != UNKNOWN or any(value for _, value in own)
    ]
    absent, columns = formulas.write_absent(), _write_columns(scorer, indices, documents)
    of_others = columns if absent is None else [absent, *columns]
    steps += [Step(item.term, formula, item.value) for item, formula in zip(others, of_others, strict=True)]
    steps += _write_meanings(scorer, indices, meanings)
    prior = Step("(prior)", formulas.write_prior(), explanation.prior)
    notes = [*formulas.list_notes(), *_explain_columns(columns), *_explain_calibration(scorer)]
    probability = _write_probability(explanation, scorer, indices, documents)
    arithmetic = Arithmetic(prior, sort_steps(steps), probability, tuple(notes))
    return replace(explanation, arithmetic=arithmetic)


def _write_meanings(scorer: Scorer, indices: tuple[int, int], meanings: Sequence[Meaning]) -> list[Step]:
    """The formula of each term that adds something in the added block."""
    if scorer.added is None or not meanings:
        return []
    terms = np.array([meaning.number for meaning in meanings], np.int64)
    counts = np.array([meaning.n_occurrences for meaning in meanings], np.float64)
    formulas = scorer.added.make_weights(scorer.labels).write_formulas(*indices, terms, counts)
    return [Step(each.evidence.term, formulas.write_term(each.number, each.n_occurrences), each.value) for each in meanings]


def _write_columns(scorer: Scorer, indices: tuple[int, int], documents: Any) -> list[Formula]:
    """The formula of each column of numbers: the densities of its normal distributions under the two labels."""
    if not scorer.numeric or scorer.normals is None:
        return []
    numbers = documents.numbers(scorer.numeric)
    scores = scorer.normals.log_densities(numbers)[0]
    means, deviations = scorer.normals.means, scorer.normals.deviations

    def write_log_density(label: int, column: int) -> Formula:
        if deviations[label, column] == 0 or scores[label, column] <= -MAX_PENALTY:
            return write_number(float(scores[label, column]))
        spread = float(means[label, column]), float(deviations[label, column])
        return take_log(write_density(float(numbers[0, column]), *spread))

    a, b = indices
    return [subtract(write_log_density(a, column), write_log_density(b, column)) for column in range(len(scorer.numeric))]


def _explain_columns(columns: Sequence[Formula]) -> list[str]:
    return ["N(x | m, s²) is the density of the normal distribution with mean m and variance s²."] if columns else []


def _explain_calibration(scorer: Scorer) -> list[str]:
    if scorer.calibration is None:
        return []
    how = f"The calibration {scorer.calibration.method!r} turns the scores of all labels into probabilities"
    return [f"The score is before calibration. {how}: {scorer.calibration.formula}."]


def _write_probability(explanation: Explanation, scorer: Scorer, indices: tuple[int, int], documents: Any) -> Step | None:
    """None if the score is infinite, or if a calibration also uses the scores of other labels."""
    odds: PairOdds | None = PairOdds()
    if explanation.calibrated is not None and scorer.calibration is not None:
        odds = scorer.calibration.derive_odds(scorer.score_labels(documents)[0], *indices)
    if odds is None or not np.isfinite(explanation.score):
        return None
    name = "probability" if explanation.n_labels == 2 else "probability between the two"
    return Step(name, write_probability(explanation.score, *odds), explanation.probability, is_probability=True)


MAX_GROUPS = 3  # of absent terms with equal counts that are written out; with more groups only their sums are written


class LabelSums(NamedTuple):
    """The counts of a label that the formulas of all its terms use."""

    n_documents: float  # D
    weight: float  # Σ w² / Σ w of its documents
    counts: Floats  # of each known term that the label has
    total: float  # N: their sum


@dataclass(frozen=True)
class CountFormulas(DecisionFormulas):
    """Formulas for the labels at the indices `a` and `b`, by the counts of the weights, which must not change meanwhile."""

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
        """The indices of both labels in the counts."""
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
        total, found = 0, {index: [np.zeros(0, np.int64)] for index in self._columns}
        for cells in read_cells(self.counts, self._known):
            values = cells.documents if self._counts_documents else cells.occurrences
            total += int(values.sum())
            for index, parts in found.items():
                parts.append(values[(cells.labels == index) & (values > 0)])
        documents, squares = self.counts.n_documents().tolist(), self.counts.squares().tolist()
        weights = {index: ((squares[index][0] << 64) + squares[index][1]) / (documents[index] * ONE) for index in found}
        counts = {index: np.concatenate(parts) for index, parts in found.items()}
        return total / ONE, {
            index: LabelSums(documents[index] / ONE, weights[index], own / ONE, int(own.sum()) / ONE)
            for index, own in counts.items()
        }

    @cached_property
    def _discounts(self) -> dict[int, tuple[float, Formula]]:
        """For both labels δ, and D: what is subtracted from all counts together, Σ min(n, δ)."""

        def discount(own: LabelSums) -> tuple[float, Formula]:
            delta = self._smoothing.value * own.weight
            if (own.counts >= delta).all():
                return delta, multiply(write_number(delta), write_number(len(own.counts)))
            return delta, write_number(float(np.minimum(own.counts, delta).sum()))

        return {index: discount(own) for index, own in self._sums[1].items()}

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
        return {index: int(values[labels == index].sum()) / ONE for index in self._columns}, int(values.sum()) / ONE

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
        sides = [self._write_side(term, index, counts[index], in_all) for index in self._columns]
        difference = subtract(*map(take_log, sides[::-1] if self._kind == "complement" else sides))
        return difference if count == 1 or self._counts_documents else multiply(write_number(count), difference)

    def _write_side(self, term: int, index: int, n: float, in_all: float) -> Formula:
        """P(term | label). For Bernoulli P / (1 - P), and for complement P(term | other labels)."""
        total, sums = self._sums
        own = sums[index]
        if self._kind == "bernoulli":
            return self._write_odds(n, own.n_documents)
        if self._kind == "complement":
            return self._write_additive(term, in_all - n, total - own.total)
        if self._smoothing.registered_name == "additive":
            return self._write_additive(term, n, own.total)
        return self._write_with_share(index, n, divide(write_number(in_all), write_number(total)))

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

    def _write_with_share(self, index: int, n: float, share: Formula) -> Formula:
        """The smoothings that use P(term) = `share`."""
        own = self._sums[1][index]
        value, total = write_number(self._smoothing.value), write_number(own.total)
        match self._smoothing.registered_name:
            case "jelinek_mercer":
                from_all = multiply(value, share)
                from_label = multiply(subtract(write_number(1), value), divide(write_number(n), total))
                return add(from_label, from_all) if own.total else from_all
            case "dirichlet":
                return divide(add(write_number(n), multiply(value, share)), add(total, value))
            case _:
                return self._write_discounted(index, n, share) if own.total else share

    def _write_discounted(self, index: int, n: float, share: Formula) -> Formula:
        """(max(n - δ, 0) + D P(term)) / N"""
        delta, taken = self._discounts[index]
        kept = subtract(write_number(n), write_number(delta)) if n > delta else write_number(0)
        return divide(add(kept, multiply(taken, share)), write_number(self._sums[1][index].total))

    def _write_odds(self, d: float, n_documents: float) -> Formula:
        """(d + ε) / (D - d + ε)"""
        value = write_number(self._smoothing.value)
        return divide(add(write_number(d), value), add(subtract(write_number(n_documents), write_number(d)), value))

    def write_absent(self) -> Formula | None:
        totals = self.weights.absent_values(np.zeros(0, np.int64))  # with a smoothing above 0 the text does not matter
        if totals is None:
            return None
        _, sums = self._sums
        groups = [self._group_absent(sums[index]) for index in self._columns]
        if all(0 < len(own) <= MAX_GROUPS for own in groups):
            return subtract(*(self._sum_absent(sums[index], own) for index, own in zip(self._columns, groups, strict=True)))
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


write_weight = partial(write_number, digits=9)  # weights have single precision
TAMED = {"raw": "the count", "log": "1 + log of the count", "binary": "1"}
SCALED = {"none": "", "l1": ", divided by the sum over the text", "l2": ", divided by the length of the text as a vector"}


@dataclass(frozen=True)
class MarginFormulas(DecisionFormulas):
    """Formulas for the labels at the indices `a` and `b` of the margins, and a text with these terms and counts."""

    margins: TrainedMargins  # of these terms, in their order
    terms: Integers
    counts: Floats
    a: int
    b: int
    prior: tuple[float, float]

    def write_prior(self) -> Formula | None:
        return subtract(*map(write_weight, self.prior))

    def write_term(self, term: int, count: int) -> Formula:
        parts = [] if term == UNKNOWN else list(self._write_products(term))
        return add(*parts) if parts else write_number(0)

    def _write_products(self, term: int) -> Iterator[Formula]:
        index = int(np.flatnonzero(self.terms == term)[0])
        for layer, values in self._layers:
            if values[index]:
                weights = layer.values[index].astype(np.float64)
                yield multiply(write_weight(float(values[index])), self._write_weight(weights))

    def _write_weight(self, weights: Floats) -> Formula:
        """Two labels have one weight, which is that of the second label against the first."""
        if len(weights) == 1:
            return write_weight(float(weights[0]) if self.a == 1 else -float(weights[0]))
        return subtract(write_weight(float(weights[self.a])), write_weight(float(weights[self.b])))

    @cached_property
    def _layers(self) -> list[tuple[MarginLayer, Floats]]:
        """Each layer, and the values of the terms in the text."""
        ends, columns = np.array([0, len(self.terms)]), np.arange(len(self.terms), dtype=np.int32)
        return [
            (
                layer,
                engine.weigh_counts(
                    ends, columns, self.counts, layer.factors.astype(np.float64), layer.damping, layer.norm, self.margins.blocks
                ),
            )
            for layer in self.margins.layers
        ]

    def list_notes(self) -> list[str]:
        notes = ["Each term: its value in the text times its trained weight. The weights come from training, not from counts."]
        kinds = dict.fromkeys((layer.damping, layer.norm) for layer in self.margins.layers)
        is_one = len(kinds) == 1
        for number, (damping, norm) in enumerate(kinds, 1):
            which = "The value" if is_one else f"Value {number}"
            notes.append(f"{which} is {TAMED[damping]}, times a factor of the term{SCALED[norm]}.")
        return notes
