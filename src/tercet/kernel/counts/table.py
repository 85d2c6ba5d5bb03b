"""Labelled documents → a table that can be added and subtracted: terms, their counts per label, and document lengths."""

from collections import Counter
from itertools import accumulate
from operator import index

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect, expect_below, make_array
from tercet.kernel.base.documents import Texts
from tercet.kernel.base.fingerprint import fingerprint_bytes
from tercet.kernel.bayes.model import Model
from tercet.kernel.bayes.weights import Weights
from tercet.kernel.counts.counts import ONE, Counts
from tercet.kernel.counts.rows import KeptTerms, Row, Rows, pack_rows
from tercet.kernel.linear.linear_weights import LinearWeights
from tercet.kernel.terms.analysis import Key, Recipe, list_lengths
from tercet.kernel.terms.frozen_vocabulary import NONE, Arrays, expect_sound, freeze_vocabulary, open_vocabulary
from tercet.kernel.terms.spelling import read_term, write_term

MAX_LABELS = 1_000_000


class Table:
    """Terms are numbered in the order in which they arrive. A forgotten term keeps its number."""

    def __init__(self, recipe: Recipe, n_labels: int) -> None:
        self._recipe = recipe
        self._numbers: dict[str, int] = {}
        self._counts = Counts(n_labels, 0)
        self._lengths: Counter[tuple[int, int]] = Counter()  # (label, words in a document) → documents
        self._arrays: Arrays = {}  # of a table from a file

    @classmethod
    def open(
        cls, recipe: Recipe, arrays: Arrays, counts: Counts, labels: Integers, lengths: Integers, documents: Integers
    ) -> "Table":
        """A table from the arrays that `freeze` gives. It takes ownership of `counts`."""
        expect(len(labels) == len(lengths) == len(documents), "no table")
        of_labels = expect_below(labels, len(counts.of_labels), "no such label")
        keys = zip(of_labels, expect_below(lengths, 1 << 32, "no such length"), strict=True)
        weights = expect_below(documents, 1 << 62, "no such weight")
        keys_of_terms = open_vocabulary(arrays, counts.n_terms)
        terms = [write_term(recipe, key) for key in keys_of_terms]
        expect(len(set(terms)) == len(terms), "a term is there twice")
        longest = max([high for _, high in recipe.word_ngrams] + [n for n, _ in recipe.skip_grams], default=1)
        expect(all(kind or len(tokens) <= longest for kind, tokens in keys_of_terms), "the vocabulary is damaged")
        table = cls(recipe, 0)
        table._arrays = arrays
        table._numbers = {term: number for number, term in enumerate(terms)}
        table._counts = counts
        table._lengths.update(dict(zip(keys, weights, strict=True)))
        return table

    def check(self) -> None:
        """An error if the hash tables that a file has are not those of its vocabulary. This kernel does not use them."""
        expect_sound(self._arrays)

    def freeze(self, terms: Integers) -> Arrays:
        """The vocabulary of these terms as arrays. The terms must be in canonical order."""
        spelled = self.terms()
        keys = [read_term(self._recipe, spelled[number]) for number in expect_below(terms, len(self), "no such term")]
        return freeze_vocabulary([key for key in keys if key])

    @property
    def counts(self) -> Counts:
        return self._counts

    def __len__(self) -> int:
        return len(self._numbers)

    def grow_labels(self, n_labels: int) -> None:
        for sums in (self._counts.of_labels, self._counts.squared):
            sums += [0] * (n_labels - len(sums))

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

    def subtract(self, other: "Table", possible: bool = False) -> bool:
        """Subtract another table. If a number would become negative, nothing changes and the result is False.

        With `possible`, also if no documents could have the counts that would be left.
        """
        self._expect_fit(other)
        cells = [(term, cell) for term, n in other._numbers.items() for cell in other._counts.rows[n].values()]
        has_terms = all(term in self._numbers for term, cell in cells if any(cell))
        has_lengths = all(self._lengths[key] >= documents for key, documents in other._lengths.items())
        if not has_terms or not has_lengths or not self._counts.subtract(self._renumber(other)):
            return False
        if possible and not self._counts.is_possible():
            self._counts.add(self._renumber(other))
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
        """The numbers of the terms in canonical order, including forgotten terms.

        With `of_length`, only the terms that count for the length of a document.
        """
        keys = [(read_term(self._recipe, term), number) for term, number in self._numbers.items()]
        terms = sorted((key, number) for key, number in keys if key and (not of_length or self._has_length(key)))
        return make_array(number for _, number in terms)

    def terms(self) -> list[str]:
        """All terms in the order of their numbers."""
        return list(self._numbers)

    def spell(self, terms: Integers) -> tuple[Integers, npt.NDArray[np.uint8]]:
        """(ends, bytes) of these terms in UTF-8: term i is bytes[ends[i]] … bytes[ends[i + 1]]."""
        spelled = self.terms()
        numbers = expect_below(terms, len(self), "no such term")
        encoded = [spelled[number].encode("utf-8", "surrogatepass") for number in numbers]
        return make_array([0, *accumulate(map(len, encoded))]), np.frombuffer(b"".join(encoded), np.uint8)

    def look_up(self, terms: list[str]) -> Integers:
        """The number of each of these distinct spellings. Unknown terms are -1."""
        return make_array(self._numbers.get(term, -1) for term in terms)

    def sort(self, terms: Integers) -> Integers:
        """These terms in canonical order."""
        wanted = set(expect_below(terms, len(self), "no such term"))
        return make_array(number for number in self.order().tolist() if number in wanted)

    def character_flags(self) -> npt.NDArray[np.uint8]:
        """For each term 1 if it is a character n-gram, else 0."""
        keys = [read_term(self._recipe, term) for term in self._numbers]
        return np.array([key is not None and key[0] == 1 for key in keys], np.uint8)

    def lengths(self) -> tuple[Integers, Integers, Integers]:
        """(labels, lengths, documents)"""
        rows = sorted((label, length, documents) for (label, length), documents in self._lengths.items() if documents)
        labels, lengths, documents = np.array(rows, np.int64).reshape(-1, 3).T.copy()
        return labels, lengths, documents

    def split(self, n: int, stride: int = 1) -> list[tuple[int, Arrays]]:
        """(number, arrays) of each of n shards that has a term: its vocabulary for `open`, and its cells for `from_cells`.

        Shard (hash / stride) mod n has a term. The hash depends only on the spelling. Terms that no document has are left out.
        """
        expect(0 < n < NONE and stride > 0, "the number of shards and the stride must be above 0")
        keys = [read_term(self._recipe, term) for term in self._numbers]
        met = [(key, number) for number, key in enumerate(keys) if key and any(map(any, self._counts.rows[number].values()))]
        shards: dict[int, list[tuple[Key, int]]] = {}
        for key, number in sorted(met):
            hashed, _ = fingerprint_bytes(b" ".join(key[1]))
            shards.setdefault(hashed // stride % n, []).append((key, number))
        return [(shard, self._pack_shard(terms)) for shard, terms in sorted(shards.items())]

    def _pack_shard(self, terms: list[tuple[Key, int]]) -> Arrays:
        vocabulary = freeze_vocabulary([key for key, _ in terms])
        starts, labels, occurrences, documents = self._counts.cells(make_array(number for _, number in terms))
        cells = {"sizes": np.diff(starts), "labels": labels, "occurrences": occurrences, "documents": documents}
        return {name: array for name, array in vocabulary.items() if not name.endswith((".slots", ".seed"))} | cells

    def rows(self, texts: Texts, threads: int = 1) -> Rows:
        return Rows([self._read(text) for text in texts.texts])

    def find(self, texts: Texts) -> Integers:
        """The term number of each occurrence, in the order in which the recipe lists them. Unknown terms are -1."""
        expect(len(texts) == 1, "one text")
        return make_array(self._numbers.get(term, -1) for term, _ in self._recipe.list_terms(texts.texts[0]))

    def weigh(self, model: Model, threads: int = 1) -> Weights:
        """Weights for the present counts. Changes of the table do not change them.

        The native kernel does not derive the weights of all terms at once, if the model knows every term that some document
        has. It scores the first documents from the counts, and gets the same scores.
        """
        return Weights(self._counts, model, threads)

    def log_joint(self, weights: Weights | LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Floats, int]:
        """The scores with the prior, and the number of texts for which every label has the score -inf.

        Such a text gets the prior as its scores.
        """
        expect(len(prior) == weights.n_labels, "each label needs a prior")
        scores = np.array([weights.score_row(self._read(text)) for text in texts.texts]).reshape(-1, len(prior)) + prior
        lost = np.asarray(np.isneginf(scores).all(axis=1))
        return np.where(lost[:, None], prior, scores), int(lost.sum())

    def predict(self, weights: Weights | LinearWeights, texts: Texts, prior: Floats, threads: int = 1) -> tuple[Integers, int]:
        """The label with the highest score; ties go to the first label."""
        scores, n_lost = self.log_joint(weights, texts, prior)
        return scores.argmax(axis=1), n_lost

    def _number(self, term: str) -> int:
        if term not in self._numbers:
            self._numbers[term] = len(self._numbers)
            self._counts.rows.append({})
        return self._numbers[term]

    def _has_length(self, key: Key) -> bool:
        """Whether a term counts for the length of a document.

        The length counts words. If words are not terms, it counts n-grams, else character n-grams, else features.
        """
        kind, tokens = key
        if self._recipe.has_words:
            return kind == 0 and (len(tokens) == 1) == (1 in list_lengths(self._recipe.word_ngrams))
        return kind == (1 if self._recipe.char_ngrams else 2)

    def _read(self, text: str) -> Row:
        numbers = Counter(self._numbers.get(term, -1) for term, _ in self._recipe.list_terms(text))
        return Row({number: float(n) for number, n in numbers.items() if number >= 0}, float(numbers[-1]))

    def _renumber(self, other: "Table") -> Counts:
        """The counts of another table, with the term numbers of this table."""
        counts = Counts(0, len(self))
        counts.of_labels, counts.squared = list(other._counts.of_labels), list(other._counts.squared)
        for term, row in zip(other._numbers, other._counts.rows, strict=True):
            if term in self._numbers:
                counts.rows[self._numbers[term]] = dict(row)
        return counts

    def _expect_fit(self, other: "Table") -> None:
        fits = other is not self and len(other._counts.of_labels) == len(self._counts.of_labels)
        expect(fits, "the tables must have the same labels")


class TableCounter:
    """Counts documents into a table. With `keep`, `add` also returns their rows."""

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
        """Count documents. Weights are in units of 2⁻²⁰; without weights each document has the weight 1.

        The result is for `KeptTerms`. A document of weight 0 has an empty row.
        """
        of_documents = [ONE] * len(texts) if weights is None else weights.tolist()
        expect(len(labels) == len(texts), "as many labels as texts are needed")
        expect(len(of_documents) == len(texts), "as many weights as texts are needed")
        expect_below(labels, self._n_labels, "no such label")
        for text, label, weight in zip(texts.texts, labels.tolist(), of_documents, strict=True):
            if weight:
                self._table.learn(text, index(label), weight)  # a float is not a label
        if not self._keep:
            return b""
        rows = self._table.rows(texts).rows
        return pack_rows([row if weight else Row({}) for row, weight in zip(rows, of_documents, strict=True)])

    def take(self, places: Integers | None = None, n_labels: int = 0) -> Table:
        """The table. With `places`, label l has the number places[l], or is left out if that is negative.

        Documents that are added later go to a new table.
        """
        table, self._table = self._table, Table(self._recipe, self._n_labels)
        if places is not None:
            kept = [place for place in places.tolist() if place >= 0]
            expect(len(set(kept)) == len(kept) and n_labels <= self._n_labels, "no such place")
            table.place_labels(places, n_labels)
        self._n_terms = len(table)
        return table

    def take_terms(self) -> KeptTerms:
        """A reader of the rows that `add` has returned, with the term numbers of the table that was taken."""
        return KeptTerms(self._n_terms)
