"""Parameters that the user gives instead of documents: textbooks state them. There are no counts that could be added to."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, encode_labels
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import Kind, Likelihood, log_prior
from tercet.models.smoothing import Additive, Smoothing
from tercet.options import check_choice, is_list

UNSMOOTHED: Smoothing = Additive(0.0)  # given probabilities are used as they are, also 0
ROUNDING = 1e-5  # by which probabilities may sum to more than 1: tables are rounded


class GivenLabels(NamedTuple):
    """Labels in the order in which they were given, and sorted, as every model has them."""

    names: list[Any]
    labels: Labels  # sorted
    order: Integers  # the index of each sorted label among the given ones

    @classmethod
    def of(cls, given: Any) -> "GivenLabels":
        """
        >>> GivenLabels.of(["spam", "ham"])
        GivenLabels(names=['spam', 'ham'], labels=array(['ham', 'spam'], dtype='<U4'), order=array([1, 0]))
        """
        labels, codes = encode_labels(given)
        if not len(labels):
            raise InvalidLabel("labels is empty: give at least one label, with its prior and its parameters.")
        if len(labels) < len(codes):
            twice = labels.tolist()[np.bincount(codes).argmax()]
            raise InvalidLabel(f"the label {twice!r} is given twice, and would have two sets of parameters. Drop one of them.")
        return cls(labels[codes].tolist(), labels, np.argsort(codes))

    def name_prior(self, prior: Any) -> dict[Any, float]:
        """The prior of each label, from a mapping, a sequence in the order of the labels, or "uniform".

        >>> GivenLabels.of(["spam", "ham"]).name_prior([0.9, 0.1])
        {'spam': 0.9, 'ham': 0.1}
        """
        if isinstance(prior, Mapping):
            named = dict(prior)
            if unknown := [label for label in named if label not in self.names]:
                raise InvalidOption(
                    f"prior has the label {unknown[0]!r}, which has no parameters. Give them, or drop the label."
                )
        elif isinstance(prior, str):
            check_choice("prior", prior, ("uniform",))
            named = dict.fromkeys(self.names, 1 / len(self.names))
        else:
            named = dict(zip(self.names, _list_prior(prior, len(self.names)), strict=True))
        log_prior(named, self.labels, np.ones(len(self.labels)))  # an error unless each label has a probability
        return named


def _list_prior(prior: Any, n_labels: int) -> list[float]:
    why = "without documents nothing else says how probable a label is."
    wanted = f"uniform, a mapping or {n_labels} numbers"
    try:
        values = np.asarray(prior, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise bad_option("prior", wanted, prior, why) from None
    if values.shape != (n_labels,):
        raise bad_option("prior", wanted, prior, why)
    numbers: list[float] = values.tolist()
    return numbers


def check_terms(terms: Any) -> list[str]:
    """The terms in a list. Raises InvalidOption unless they are different texts."""
    listed = list(terms) if is_list(terms) else []
    if not listed or not all(isinstance(term, str) for term in listed):
        raise bad_option("terms", "a list of texts", terms, "each term has a column of the matrix.")
    if len(set(listed)) < len(listed):
        twice = next(term for term in listed if listed.count(term) > 1)
        raise InvalidOption(f"the term {twice!r} is given twice, and would have two probabilities. Drop one of them.")
    return list(map(str, listed))


def check_kind(kind: Any) -> Kind:
    """The kind. Complement naive Bayes has no P(term | label) that could be given."""
    check_choice("kind", kind, ("multinomial", "binary", "bernoulli"))
    checked: Kind = kind
    return checked


def check_probabilities(matrix: Any, labels: Sequence[Any], terms: Sequence[Any], kind: Kind) -> Floats:
    """P(term | label), labels × terms. Raises InvalidMatrix unless these are probabilities.

    A row sums to at most 1: the rest belongs to terms that are not listed. With kind="bernoulli" each number is the
    probability that a document has the term, and a row may have any sum.
    """
    table = read_numbers("matrix", matrix)
    if table.shape != (len(labels), len(terms)):
        raise InvalidMatrix(
            f"matrix must have a row for each of {len(labels)} labels and a column for each of {len(terms)} terms, got shape "
            f"{table.shape}: each term has one probability under each label."
        )
    wrong = np.argwhere(~((table >= 0) & (table <= 1)))
    if len(wrong):
        label, term = wrong[0].tolist()
        raise InvalidMatrix(
            f"matrix must hold probabilities from 0 to 1, got {table[label, term]:g} for the term {terms[term]!r} under the "
            f"label {labels[label]!r}."
        )
    sums = table.sum(axis=1)
    if kind != "bernoulli" and sums.max() > 1 + ROUNDING:
        label = int(sums.argmax())
        raise InvalidMatrix(
            f"the probabilities of the terms under the label {labels[label]!r} sum to {sums[label]:g}, and a sum above 1 is "
            "impossible: each word of a text is one of the terms. If they are shares of documents that have the term, use "
            "kind='bernoulli'."
        )
    return table


def read_numbers(name: str, values: Any) -> Floats:
    """An array of floats. Raises InvalidMatrix if they are not numbers."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidMatrix(f"{name} must hold numbers, in rows of equal length: {error}.") from None


def weigh_terms(probabilities: Floats, kind: Kind) -> engine.Weights:
    """The weights of terms with these probabilities, labels × terms."""
    model = Likelihood(kind).with_smoothing(UNSMOOTHED)
    return engine.Weights.from_probabilities(model, np.ascontiguousarray(probabilities.T))


def no_counts(model: object) -> InvalidOption:
    """The error of a method that changes or leaves out counts."""
    name = type(model).__name__
    return InvalidOption(
        f"the parameters of this {name} were given, so there are no counts to add to or to subtract from: fit a {name} on "
        "documents."
    )
