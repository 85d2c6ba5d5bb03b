"""A categorizer with given probabilities: the vocabulary is the listed terms, and the weights are the logarithms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tercet.arrays import Array, Floats, Integers, read_floats
from tercet.categorizer.bayes_model import BayesWeights
from tercet.categorizer.compact import CompactCategorizer, PackedModel, strip_kernel
from tercet.categorizer.model import Arrays
from tercet.categorizer.scorer import Scorer
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
from tercet.registry import register
from tercet.text.analyzer import Analyzer, find_analyzer


@register("weights", "given_probabilities")
@dataclass(frozen=True, eq=False)
class GivenWeights(BayesWeights):
    """The logarithms of probabilities that the user gave. A file has the probabilities themselves, in 64 bits."""

    given: Floats  # P(term | label), labels × terms
    given_prior: Floats  # P(label)

    @classmethod
    def of(cls, labels: Labels, given: Floats, prior: Floats, kind: Kind) -> Self:
        columns, logs = np.arange(len(labels)), log_prior(prior, labels, np.ones(len(labels)))
        return cls(labels, columns, kind, UNSMOOTHED, weigh_terms(given, kind), logs, Likelihood(kind), given, prior)

    def open_probabilities(self, terms: Integers) -> Callable[[int], Floats]:
        return self.given[:, terms].__getitem__

    def pack(self, terms: Integers) -> tuple[dict[str, Any], dict[str, Array]]:
        return {"kind": self.kind}, {"probabilities": self.given[:, terms], "prior": self.given_prior}

    @classmethod
    def unpack(cls, content: Mapping[str, Any], arrays: Arrays, labels: Labels) -> Self:
        kind, shape = check_kind(content["kind"]), np.asarray(arrays["probabilities"]).shape
        given = check_probabilities(arrays["probabilities"], labels.tolist(), range(*shape[1:2]), kind)
        return cls.of(labels, given, read_floats(arrays, "prior", labels.shape), kind)


def make_given(labels: Any, terms: Any, matrix: Any, prior: Any, kind: Any, analyzer: Analyzer | str) -> CompactCategorizer:
    """The categorizer of `Categorizer.from_probabilities`."""
    known, names, checked, recipe = GivenLabels.of(labels), check_terms(terms), check_kind(kind), find_analyzer(analyzer)
    prior = known.name_prior(prior)
    probabilities = check_probabilities(matrix, known.names, names, checked)[known.order]
    table = count_terms(names, recipe)
    columns = {term: column for column, term in enumerate(names)}
    places, shares = [columns[term] for term in table.terms()], [prior[label] for label in known.labels.tolist()]
    weights = GivenWeights.of(known.labels, probabilities[:, places], np.array(shares), checked)
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
