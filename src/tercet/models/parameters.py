"""The parameters of a model, term by term: counts and probabilities under each label, or trained weights."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.characters import show_line
from tercet.counts.labels import Labels, find_labels
from tercet.counts.table import TermCells
from tercet.counts.term_names import TermNames
from tercet.counts.units import ONE
from tercet.errors import InvalidOption, bad_option, shorten
from tercet.kernel import engine
from tercet.models.smoothing import Additive, Smoothing
from tercet.options import check_count, is_list
from tercet.row_table import Coded, Listed, RowTable, Values

ComputeValues = Callable[[Integers], Floats]
FinishValues = Callable[[Floats], Floats]
BLOCK = 1 << 17  # weights at a time: they stay in the cache of the processor
N_SHOWN = 5  # labels in a note
PROBABILITY = ("probability", "log_probability")
IGNORED = "Unknown terms are ignored: they have no probability."
FOLLOWS = "The probability follows from `documents`."
MEANINGS = {
    "binary": "A term counts once for each document.",
    "bernoulli": "probability: that a document of the label has the term.",
    "complement": "weight: high if the other labels rarely have the term.",
}


@dataclass(frozen=True, eq=False)
class LearnedTerms:
    """What a model has learned of its terms, which have the numbers 0 … n_terms - 1."""

    kind: str
    labels: Labels
    names: TermNames
    n_terms: int
    known: Callable[[Integers], Flags]  # which terms the model uses
    values: ComputeValues  # terms × labels: the higher the value, the higher the probability or the weight
    finish: FinishValues  # from values to log P(term | label), or to weights
    is_probability: bool
    has_unknown: bool = True  # whether a document can have an unknown term; a matrix has none
    counts: engine.Counts | None = None  # None if only weights are left
    columns: Integers | None = None  # the indices of the labels among those of the counts
    log_prior: Floats | None = None
    bias: Floats | None = None
    unknown: Floats | None = None  # P(unknown term | label), if the model has such a term

    def list_known(self) -> Integers:
        """The terms that the model uses, in canonical order."""
        numbers = np.arange(self.n_terms)
        return self.names.sort(numbers[self.known(numbers)])

    def by_label(self, numbers: Floats | None) -> dict[Any, float] | None:
        return None if numbers is None else dict(zip(self.labels.tolist(), numbers.tolist(), strict=True))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Parameters(RowTable):
    """A row for each term and label.

    - naive Bayes: `term`, `label`, `count` (occurrences under the label), `documents` (of the label that have the term),
      `probability` and `log_probability`: P(term | label). For Bernoulli it is the probability that a document of the label has
      the term. Complement has a `weight` instead.
    - margins: `weight`, the score that one occurrence adds, before it is divided by the length of the document. Two labels have
      one margin, and each has half of it.
    - a compact categorizer has no `count` and no `documents`.

    By label: `prior` is P(label), `unknown` is P(unknown term | label), and `bias` the score of a text without terms. Each is
    None if the model has no such number: a model with unknown="ignore" gives unknown terms no probability.
    """

    prior: Mapping[Any, float] | None = None
    bias: Mapping[Any, float] | None = None
    unknown: Mapping[Any, float] | None = None


def list_parameters(learned: LearnedTerms, label: Any = None, terms: Any = None, top: Any = None) -> Parameters:
    """The parameters of all terms in canonical order, of these terms, or of the `top` terms of each label.

    The top terms have the highest probability or weight. Ties are in canonical order. With `label`, the rows of this label.
    """
    if isinstance(label, list | tuple | np.ndarray):
        raise bad_option("label", "one label or None", label, "None gives the rows of all labels.")
    indices = np.arange(len(learned.labels)) if label is None else find_labels([label], learned.labels)
    if terms is not None and top is not None:
        raise bad_option("top", "None if terms are given", top, "either you name the terms, or the highest ones are found.")
    if top is not None:
        n = min(check_count("top", top), max(learned.n_terms, 1))
        rows = TermRows.of(learned, *list_top(learned, indices, n))
    else:
        numbers = learned.list_known() if terms is None else find_terms(learned, terms)
        rows = TermRows.of(learned, numbers, None, indices)
    counted = () if learned.counts is None else ("count", "documents")
    prior = learned.by_label(None if learned.log_prior is None else np.exp(learned.log_prior))
    bias, unknown = learned.by_label(learned.bias), learned.by_label(learned.unknown)
    return Parameters(
        title=f"{learned.kind}: {len(rows):,} parameter{'' if len(rows) == 1 else 's'}",
        columns=("term", "label", *counted, *(PROBABILITY if learned.is_probability else ("weight",))),
        rows=rows,
        notes=tuple(_write_notes(learned, prior, bias, unknown)),
        prior=prior,
        bias=bias,
        unknown=unknown,
    )


def find_terms(learned: LearnedTerms, terms: Any) -> Integers:
    """The numbers of these terms. Raises InvalidOption for a term that the model does not use."""
    listed = list(terms.tolist() if isinstance(terms, np.ndarray) else terms) if is_list(terms) else []
    if not listed or not all(isinstance(term, Hashable) for term in listed):
        raise bad_option("terms", "a list of terms", terms, "it names the rows. For one term, write a list of one term.")
    wanted = list(dict.fromkeys(listed))
    numbers = np.array(list(dict.fromkeys(learned.names.find(wanted).tolist())), np.int64)
    unused = np.flatnonzero((numbers >= learned.n_terms) | ~learned.known(np.minimum(numbers, learned.n_terms - 1)))
    if unused.size:
        shown = shorten(repr(learned.names.spell(numbers[unused]).tolist()[0]), 100)
        raise InvalidOption(f"the model does not use the term {shown}: it has no parameters. Maybe the selection dropped it.")
    return numbers


def list_top(learned: LearnedTerms, indices: Integers, n: int) -> tuple[Integers, Integers, Integers]:
    """The distinct terms that are among the n highest of a label; then for each row the index of its term and of its label."""
    best = [_Highest(n) for _ in indices]
    size = max(1, BLOCK // max(1, len(learned.labels)))
    for begin in range(0, learned.n_terms, size):
        numbers = np.arange(begin, min(begin + size, learned.n_terms))
        known = learned.known(numbers)
        numbers = numbers if known.all() else numbers[known]
        values = learned.values(numbers)
        for own, index in zip(best, indices.tolist(), strict=True):
            own.add(numbers, values[:, index])
    chosen = [own.pick(learned.names) for own in best]
    terms = np.unique(np.concatenate([np.zeros(0, np.int64), *(numbers for numbers, _ in chosen)]))
    ranks = np.empty(len(terms), np.int64)
    ranks[np.searchsorted(terms, learned.names.sort(terms))] = np.arange(len(terms))
    of_labels = []
    for numbers, values in chosen:
        found = np.searchsorted(terms, numbers)
        of_labels.append(found[np.lexsort((ranks[found], -values))])
    sizes = [len(found) for found in of_labels]
    return terms, np.concatenate([np.zeros(0, np.int64), *of_labels]), np.repeat(indices, sizes)


class _Highest:
    """The terms with the n highest values so far, and all that were tied with the last of them."""

    def __init__(self, n: int) -> None:
        self.n, self.highest = n, np.full(n, -np.inf)
        self.lowest = -np.inf
        self.parts: list[tuple[Integers, Floats]] = [(np.zeros(0, np.int64), np.zeros(0))]

    def add(self, numbers: Integers, values: Floats) -> None:
        high = np.flatnonzero(values >= self.lowest)
        self.parts.append((numbers[high], values[high]))
        above = np.append(self.highest, values[high][values[high] > self.lowest])
        self.highest = np.partition(above, len(above) - self.n)[len(above) - self.n :]
        self.lowest = self.highest.min()

    def pick(self, names: TermNames) -> tuple[Integers, Floats]:
        """The n terms and their values, in any order. Of the terms that are tied for the last places, the first are taken."""
        numbers, values = map(np.concatenate, zip(*self.parts, strict=True))
        above, tied = values > self.lowest, values == self.lowest
        first = names.pick_first(numbers[tied], self.n - int(above.sum()))
        return np.append(numbers[above], first), np.append(values[above], np.full(len(first), self.lowest))


@dataclass(frozen=True, eq=False, repr=False)
class TermRows:
    """Rows of parameters. They do not change if the model learns more, because the counts are a copy."""

    learned: LearnedTerms
    terms: Integers
    term_indices: Integers | None  # of each row; None: each term with each label
    label_indices: Integers  # of each row, or of each label that is shown
    cells: TermCells | None = None  # the counts of the terms
    columns: Integers | None = None  # for each label of the counts its index among the labels of the model, or -1
    is_whole: bool = True  # whether all counts are

    @classmethod
    def of(cls, learned: LearnedTerms, terms: Integers, term_indices: Integers | None, label_indices: Integers) -> "TermRows":
        if learned.counts is None or learned.columns is None:
            return cls(learned, terms, term_indices, label_indices)
        cells = TermCells(*learned.counts.cells(terms))
        columns = np.full(len(learned.counts.n_documents()), -1)
        columns[learned.columns] = np.arange(len(learned.columns))
        is_whole = not (cells.occurrences % ONE).any() and not (cells.documents % ONE).any()
        return cls(learned, terms, term_indices, label_indices, cells, columns, is_whole)

    def __len__(self) -> int:
        return len(self.terms) * len(self.label_indices) if self.term_indices is None else len(self.term_indices)

    def read(self, begin: int, end: int) -> Mapping[str, Values | Array]:
        terms, labels = self._locate(begin, end)
        first = int(terms.min(initial=len(self.terms)))
        numbers = self.terms[first : terms.max(initial=0) + 1]
        terms = terms - first
        order = np.argsort(numbers)  # the kernel reads terms in this order, because it is much faster
        indices = np.empty(len(order), np.int64)
        indices[order] = np.arange(len(order))
        return {
            "term": Coded(self.learned.names.spell(numbers[order]), indices[terms]),
            "label": Coded(Listed(self.learned.labels.tolist()), labels),
            **self._read_counts(first, len(numbers), terms, labels),
            **self._read_values(numbers[order], indices[terms], labels),
        }

    def _locate(self, begin: int, end: int) -> tuple[Integers, Integers]:
        """The indices of the terms and of the labels of these rows."""
        if self.term_indices is not None:
            return self.term_indices[begin:end], self.label_indices[begin:end]
        terms, labels = np.divmod(np.arange(begin, end), max(1, len(self.label_indices)))
        return terms, self.label_indices[labels]

    def _read_values(self, numbers: Integers, terms: Integers, labels: Integers) -> dict[str, Array]:
        values = self.learned.finish(self.learned.values(numbers)[terms, labels])
        return {"probability": np.exp(values), "log_probability": values} if self.learned.is_probability else {"weight": values}

    def _read_counts(self, first: int, n: int, terms: Integers, labels: Integers) -> dict[str, Array]:
        if self.cells is None or self.columns is None:
            return {}
        starts = self.cells.starts[first : first + n + 1]
        filled = slice(starts[0], starts[-1])
        indices = self.columns[self.cells.labels[filled]]
        is_shown = indices >= 0
        cells = np.repeat(np.arange(n), np.diff(starts))[is_shown], indices[is_shown]
        read = {}
        for name, units in (("count", self.cells.occurrences), ("documents", self.cells.documents)):
            dense = np.zeros((n, len(self.learned.labels)), np.int64)
            dense[cells] = units[filled][is_shown]
            shown = dense[terms, labels]
            read[name] = shown // ONE if self.is_whole else shown / ONE
        return read


def derive_log_probabilities(
    weights: engine.Weights, kind: str, smoothing: Smoothing, counts: engine.Counts | None
) -> tuple[ComputeValues, FinishValues]:
    """The function from terms to values, terms × labels of the counts, and the one from values to log P(term | label).

    For complement the values are the weights. The counts must not change later. They may be None for packed weights.
    """
    if kind == "bernoulli" and counts is not None and smoothing.value == 0:
        return lambda numbers: _log_share(counts, numbers), keep_values
    if kind == "bernoulli":  # the kernel has the log-odds of having the term
        return weights.log_probabilities, lambda odds: -np.logaddexp(0.0, -odds)
    if kind == "complement" or isinstance(smoothing, Additive) or counts is None:
        return weights.log_probabilities, keep_values
    return lambda numbers: _exclude_unmet(weights.log_probabilities(numbers), counts, numbers), keep_values


def take_logs(given: Floats) -> tuple[ComputeValues, FinishValues]:
    """The same functions for given probabilities, labels × terms."""

    def find(numbers: Integers) -> Floats:
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(given[:, numbers].T), np.float64)

    return find, keep_values


def keep_values(values: Floats) -> Floats:
    """The values, which are finished already."""
    return values


def _log_share(counts: engine.Counts, numbers: Integers) -> Floats:
    """log of the share of documents that have each term."""
    starts, labels, _, documents = counts.cells(numbers)
    n_documents = counts.n_documents()
    shares = np.zeros((len(numbers), len(n_documents)))
    shares[np.repeat(np.arange(len(numbers)), np.diff(starts)), labels] = documents / n_documents[labels]
    with np.errstate(divide="ignore"):
        return np.log(shares)


def _exclude_unmet(values: Floats, counts: engine.Counts, numbers: Integers) -> Floats:
    """A column that no document has: its share of all terms is 0, and the kernel skips it."""
    return np.where((np.diff(counts.cells(numbers)[0]) > 0)[:, None], values, -np.inf)


def _write_notes(learned: LearnedTerms, prior: Any, bias: Any, unknown: Any) -> list[str]:
    given = {"prior": prior, "bias": bias, "unknown term": unknown}
    notes = [f"{name}: {show_labels(numbers)}" for name, numbers in given.items() if numbers is not None]
    ignored = [IGNORED] if learned.is_probability and learned.has_unknown and unknown is None else []
    follows = [FOLLOWS] if learned.kind == "binary" and learned.counts is not None else []
    return [*notes, *ignored, *filter(None, [MEANINGS.get(learned.kind)]), *follows]


def show_labels(numbers: Mapping[Any, float]) -> str:
    """A number for each label, in one line.

    >>> show_labels({"ham": 0.75, "spam": 0.25})
    'ham 0.75, spam 0.25'
    """
    shown = [f"{show_line(label)} {number:.4g}" for label, number in list(numbers.items())[:N_SHOWN]]
    return ", ".join(shown) + (f" … {len(numbers) - N_SHOWN} more" if len(numbers) > N_SHOWN else "")
