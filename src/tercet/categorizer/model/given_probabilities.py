"""A categorizer with given probabilities: the vocabulary is the listed terms, and the weights are the logarithms."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from tercet.arrays import Array, Floats, Integers, read_floats
from tercet.categorizer.evidence.formulas import DecisionFormulas
from tercet.categorizer.files.compact import CompactCategorizer, PackedModel, strip_kernel
from tercet.categorizer.model.bayes_model import BayesWeights
from tercet.categorizer.model.text_model import Arrays
from tercet.categorizer.scorer import Scorer
from tercet.characters import show_line
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.errors import InvalidOption
from tercet.kernel import engine
from tercet.models.bayes_rule import Kind, Likelihood, log_prior
from tercet.models.given_parameters import (
    UNSMOOTHED,
    GivenLabels,
    check_kind,
    check_probabilities,
    check_terms,
    weigh_terms,
)
from tercet.models.parameters import ComputeValues, FinishValues, take_logs
from tercet.registry import register
from tercet.report.explanation.arithmetic import Formula, divide, multiply, subtract, take_log, write_number
from tercet.text.analyzer import Analyzer, resolve_analyzer


@register("weights", "given_probabilities")
@dataclass(frozen=True, eq=False)
class GivenWeights(BayesWeights):
    """The logarithms of probabilities that the user gave. A file has the probabilities themselves, in 64 bits."""

    given: Floats = field(kw_only=True)  # P(term | label), labels × terms
    given_prior: Floats = field(kw_only=True)  # P(label)

    @classmethod
    def of(cls, labels: Labels, given: Floats, prior: Floats, kind: Kind) -> Self:
        columns, logs = np.arange(len(labels)), log_prior(prior, labels, np.ones(len(labels)))
        weights = weigh_terms(given, kind)
        return cls(labels, columns, kind, UNSMOOTHED, weights, logs, Likelihood(kind), given=given, given_prior=prior)

    def _derive_log_probabilities(self, counts: engine.Counts | None) -> tuple[ComputeValues, FinishValues]:
        return take_logs(self.given)

    def write_formulas(self, a: int, b: int, terms: Integers, counts: Floats) -> DecisionFormulas:
        if self.kind == "bernoulli" and ((self.given == 0) | (self.given == 1)).any():
            raise InvalidOption(
                "kind='bernoulli' with a probability of 0 or 1 has no arithmetic: the presence or absence of that term decides "
                "alone, so that values do not add up. Explain without arithmetic."
            )
        return GivenFormulas(self, a, b)

    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        return {"kind": self.kind}, {"probabilities": self.given[:, terms], "prior": self.given_prior}

    @classmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        kind, shape = check_kind(content["kind"]), np.asarray(arrays["probabilities"]).shape
        given = check_probabilities(arrays["probabilities"], labels.tolist(), range(*shape[1:2]), kind)
        return cls.of(labels, given, read_floats(arrays, "prior", labels.shape), kind)


@dataclass(frozen=True)
class GivenFormulas(DecisionFormulas):
    """Formulas of the given probabilities, for the labels at the indices `a` and `b`."""

    weights: GivenWeights
    a: int
    b: int

    def write_prior(self) -> Formula:
        return self._compare(*self.weights.given_prior[[self.a, self.b]].tolist())

    def write_term(self, term: int, count: int) -> Formula:
        difference = self._compare(*self.weights.given[[self.a, self.b], term].tolist(), as_odds=self._is_bernoulli)
        return difference if count == 1 or self.weights.counts_once else multiply(write_number(count), difference)

    def write_absent(self) -> Formula | None:
        if not self._is_bernoulli:
            return None
        return subtract(*(write_number(total) for total in self.weights.kernel.offset()[[self.a, self.b]].tolist()))

    def list_notes(self) -> list[str]:
        a, b = (show_line(label) for label in self.weights.labels[[self.a, self.b]].tolist())
        if not self._is_bernoulli:
            return [f"Each term: log P(term | {a}) - log P(term | {b}), with natural logarithms and the given probabilities."]
        return [
            f"Each term of the text: log P / (1 - P) under {a}, minus the same under {b}, with natural logarithms. P: the "
            "given probability that a text of the label has the term.",
            f"Absent terms: the sum of log (1 - P) over all terms under {a}, minus that under {b}. It is for a text without "
            "terms; the line of a term that the text has corrects it.",
        ]

    @property
    def _is_bernoulli(self) -> bool:
        return self.weights.kind == "bernoulli"

    def _compare(self, p: float, q: float, *, as_odds: bool = False) -> Formula:
        """log p - log q; or, as odds, log p / (1 - p) - log q / (1 - q)"""
        sides = [write_number(p), write_number(q)]
        if as_odds:
            sides = [divide(side, subtract(write_number(1), side)) for side in sides]
        return subtract(*map(take_log, sides))


def make_given(labels: Any, terms: Any, matrix: Any, prior: Any, kind: Any, analyzer: Analyzer | str) -> CompactCategorizer:
    """The categorizer of `Categorizer.from_probabilities`."""
    known, names, checked, recipe = GivenLabels.of(labels), check_terms(terms), check_kind(kind), resolve_analyzer(analyzer)
    prior = known.name_prior(prior)
    probabilities = check_probabilities(matrix, known.names, names, checked)[known.order]
    table = count_terms(names, recipe)
    columns = {term: column for column, term in enumerate(names)}
    indices, shares = [columns[term] for term in table.terms()], [prior[label] for label in known.labels.tolist()]
    weights = GivenWeights.of(known.labels, probabilities[:, indices], np.array(shares), checked)
    scorer = Scorer(recipe, table, weights, numeric=[], measured=frozenset(), normals=None, threads=None)
    return CompactCategorizer(strip_kernel(scorer), known.labels, PackedModel.of(scorer))


def count_terms(terms: list[str], analyzer: Analyzer) -> engine.Table:
    """A table with these terms. Raises InvalidOption if the analyzer finds a term in no text, not even in its own."""
    for term in terms:
        if term not in (found := analyzer.terms(term)):
            read_as = f"reads it as {', '.join(map(repr, found))}" if found else "leaves it out"
            raise InvalidOption(
                f"the term {term!r} would never be found in a text: the analyzer {read_as}. Write each term as the analyzer "
                "does, or choose another analyzer."
            )
    table = CountTable.of(terms, [""] * len(terms), analyzer=analyzer)
    wanted = set(terms)  # without the parts of n-grams
    return table.keep_terms(np.array([term in wanted for term in table.table.terms()], np.uint8)).table
