"""Labelled documents → a table that adds up: terms, their counts under each label, and how long the documents are."""

from collections import Counter
from operator import index

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.reference.analysis import Key, Recipe, list_lengths
from tercet.kernel.reference.arrays import expect, expect_below, make_array
from tercet.kernel.reference.counts import ONE, Counts
from tercet.kernel.reference.frozen import Arrays, freeze_vocabulary, open_vocabulary
from tercet.kernel.reference.kept_rows import KeptTerms, pack_rows
from tercet.kernel.reference.linear_weights import LinearWeights
from tercet.kernel.reference.matrix import Texts
from tercet.kernel.reference.rows import Row, Rows
from tercet.kernel.reference.spelling import read_term, write_term
from tercet.kernel.reference.weights import Weights

MAX_LABELS = 1_000_000


class Table:
    """Terms are numbered in the order of arrival. One that no document has any more keeps its number."""

    def __init__(self, recipe: Recipe, n_labels: int) -> None:
        self._recipe = recipe
        self._numbers: dict[str, int] = {}
        self._counts = Counts(n_labels, 0)
        self._lengths: Counter[tuple[int, int]] = Counter()  # (label, words in a document) → documents

    @classmethod
    def open(
        cls, recipe: Recipe, arrays: Arrays, counts: Counts, labels: Integers, lengths: Integers, documents: Integers
    ) -> "Table":
        """From what `freeze` gives, and counts, which are taken over."""
        expect(len(labels) == len(lengths) == len(documents), "no table")
        of_labels = expect_below(labels, len(counts.of_labels), "no such label")
        keys = zip(of_labels, expect_below(lengths, 1 << 32, "no such length"), strict=True)
        weights = expect_below(documents, 1 << 62, "no such weight")
        terms = [write_term(recipe, key) for key in open_vocabulary(arrays, counts.n_terms)]
        expect(len(set(terms)) == len(terms), "a term is there twice")
        table = cls(recipe, 0)
        table._numbers = {term: number for number, term in enumerate(terms)}
        table._counts = counts
        table._lengths.update(dict(zip(keys, weights, strict=True)))
        return table

    def freeze(self, terms: Integers) -> Arrays:
        """The vocabulary of these terms, which are in canonical order, as arrays."""
        spelled = self.terms()
        keys = [read_term(self._recipe, spelled[number]) for number in expect_below(terms, len(self), "no such term")]
        return freeze_vocabulary([key for key in keys if key])

    @property
    def counts(self) -> Counts:
        return self._counts

    def __len__(self) -> int:
        return len(self._numbers)

    def grow_labels(self, n_labels: int) -> None:
        self._counts.of_labels += [0] * (n_labels - len(self._counts.of_labels))

    def learn(self, text: str, label: int, weight: int) -> None:
        occurrences = list(self._recipe.occurrences(text))
        tally = Counter(self._number(o.spelling) for o in occurrences)
        self._counts.add_row(Row(dict(tally)), label, weight)
        self._lengths[label, sum(self._has_length(o.key) for o in occurrences)] += weight

    def add(self, other: "Table") -> None:
        self._expect_fit(other)
        for term in other._numbers:
            self._number(term)
        self._counts.add(self._renumber(other))
        self._lengths.update(other._lengths)

    def subtract(self, other: "Table") -> bool:
        """False, and nothing is changed, where something would fall below zero."""
        self._expect_fit(other)
        cells = [(term, cell) for term, n in other._numbers.items() for cell in other._counts.rows[n].values()]
        has_terms = all(term in self._numbers for term, cell in cells if any(cell))
        has_lengths = all(self._lengths[key] >= documents for key, documents in other._lengths.items())
        if not has_terms or not has_lengths or not self._counts.subtract(self._renumber(other)):
            return False
        self._lengths.subtract(other._lengths)
        return True

    def place_labels(self, places: Integers, n_labels: int) -> None:
        self._counts = self._counts.place_labels(places, n_labels)
        lengths: Counter[tuple[int, int]] = Counter()
        for (label, length), documents in self._lengths.items():
            if places[label] >= 0:
                lengths[int(places[label]), length] += documents
        self._lengths = lengths

    def order(self, of_length: bool = False) -> Integers:
        """The numbers of the terms in canonical order, those that are forgotten too; all, or those that lengths count."""
        keys = [(read_term(self._recipe, term), number) for term, number in self._numbers.items()]
        terms = sorted((key, number) for key, number in keys if key and (not of_length or self._has_length(key)))
        return make_array(number for _, number in terms)

    def terms(self) -> list[str]:
        """By their numbers."""
        return list(self._numbers)

    def lengths(self) -> tuple[Integers, Integers, Integers]:
        """(labels, lengths, documents)"""
        rows = sorted((label, length, documents) for (label, length), documents in self._lengths.items() if documents)
        labels, lengths, documents = np.array(rows, np.int64).reshape(-1, 3).T.copy()
        return labels, lengths, documents

    def rows(self, texts: Texts, threads: int = 1) -> Rows:
        return Rows([self._read(text) for text in texts.texts])

    def find(self, texts: Texts) -> Integers:
        """The number of each occurrence of a term, in the order in which the recipe lists them; -1 for unknown ones."""
        expect(len(texts) == 1, "one text")
        return make_array(self._numbers.get(term, -1) for term, _ in self._recipe.list_terms(texts.texts[0]))

    def log_joint(self, weights: Weights | LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Floats, int]:
        """With the prior; and for how many texts every label is out: then the prior alone decides."""
        expect(len(prior) == weights.n_labels, "each label needs a prior")
        scores = np.array([weights.score_row(self._read(text)) for text in texts.texts]).reshape(-1, len(prior)) + prior
        lost = np.asarray(np.isneginf(scores).all(axis=1))
        return np.where(lost[:, None], prior, scores), int(lost.sum())

    def predict(self, weights: Weights | LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Integers, int]:
        """The best label, of equals the first."""
        scores, n_lost = self.log_joint(weights, texts, prior)
        return scores.argmax(axis=1), n_lost

    def _number(self, term: str) -> int:
        if term not in self._numbers:
            self._numbers[term] = len(self._numbers)
            self._counts.rows.append({})
        return self._numbers[term]

    def _has_length(self, key: Key) -> bool:
        """Documents are as long as they have words, or what comes next where words are no terms."""
        kind, tokens = key
        if self._recipe.has_words:
            return kind == 0 and (len(tokens) == 1) == (1 in list_lengths(self._recipe.word_ngrams))
        return kind == (1 if self._recipe.char_ngrams else 2)

    def _read(self, text: str) -> Row:
        numbers = Counter(self._numbers.get(term, -1) for term, _ in self._recipe.list_terms(text))
        return Row({number: float(n) for number, n in numbers.items() if number >= 0}, float(numbers[-1]))

    def _renumber(self, other: "Table") -> Counts:
        """The counts of another table under the numbers of this one."""
        counts = Counts(0, len(self))
        counts.of_labels = list(other._counts.of_labels)
        for term, row in zip(other._numbers, other._counts.rows, strict=True):
            if term in self._numbers:
                counts.rows[self._numbers[term]] = dict(row)
        return counts

    def _expect_fit(self, other: "Table") -> None:
        fits = other is not self and len(other._counts.of_labels) == len(self._counts.of_labels)
        expect(fits, "the tables must have the same labels")


class TableCounter:
    """Counts documents into a table; with `keep` their rows are handed out, too."""

    def __init__(self, recipe: Recipe, n_labels: int, threads: int = 1, keep: bool = False) -> None:
        self._recipe, self._n_labels, self._keep = recipe, 0, keep
        self._table = Table(recipe, 0)
        self._n_terms = 0
        self.grow_labels(n_labels)

    def grow_labels(self, n_labels: int) -> None:
        expect(n_labels <= MAX_LABELS, "more than a million labels")
        self._n_labels = max(self._n_labels, n_labels)
        self._table.grow_labels(self._n_labels)

    def add(self, texts: Texts, labels: Integers, weights: Integers | None = None) -> bytes:
        """Weights are in units of 2⁻²⁰; none are 1 each. The result is for `KeptTerms`; one of weight 0 has an empty row."""
        of_documents = [ONE] * len(texts) if weights is None else weights.tolist()
        expect(len(labels) == len(texts), "as many labels as texts are needed")
        expect(len(of_documents) == len(texts), "as many weights as texts are needed")
        expect_below(labels, self._n_labels, "no such label")
        for text, label, weight in zip(texts.texts, labels.tolist(), of_documents, strict=True):
            if weight:
                self._table.learn(text, index(label), weight)  # a float is no label
        if not self._keep:
            return b""
        rows = self._table.rows(texts).rows
        return pack_rows([row if weight else Row({}) for row, weight in zip(rows, of_documents, strict=True)])

    def take(self, places: Integers | None = None, n_labels: int = 0) -> Table:
        """The table, the label l in places[l], or left out; what is added later goes to another one."""
        table, self._table = self._table, Table(self._recipe, self._n_labels)
        if places is not None:
            kept = [place for place in places.tolist() if place >= 0]
            expect(len(set(kept)) == len(kept) and n_labels <= self._n_labels, "no such place")
            table.place_labels(places, n_labels)
        self._n_terms = len(table)
        return table

    def take_terms(self) -> KeptTerms:
        """What reads the rows under the numbers of the table that was taken."""
        return KeptTerms(self._n_terms)
