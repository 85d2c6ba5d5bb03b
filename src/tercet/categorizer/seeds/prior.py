"""What seeds say of texts: probabilities of the labels for each text, learned from a pool of texts without labels.

    score(text, label) = nearness of its vector to the label's centre + w · naive Bayes

Both parts are differences from the mean over the labels, divided by their standard deviation over all texts of the pool and all
labels. A label that is better for most texts stays better: the mean over the texts would hide which labels are frequent.

- The *centre* of a label begins as the mean vector of its name, description and words, by the sentence encoder. Soft k-means
  moves it to the texts that are nearest to it, and in each round partly back to its beginning.
- *Naive Bayes* learns from the texts in which the words of one label are most frequent, and then in two rounds of expectation
  maximisation from all texts, with equal weight of the labels. w is 1 if a fifth of the texts or more has such words, and less
  in proportion to it.

With names alone there is no naive Bayes, because texts rarely name their label, and k-means gives each label the same share of
the texts: names say less than words, and a centre could move to the texts of other labels. Without the encoder there is only
naive Bayes, and the words of a name count as words of its label.

The result depends on no order of the pool, no number of threads and no library of linear algebra.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, Self

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.model.margin_model import Floats32
from tercet.categorizer.model.vector_member import multiply, to_units
from tercet.categorizer.seeds.seeds import LabelSeeds, Seeds
from tercet.categorizer.unlabelled import MAX_CHARACTERS
from tercet.counts.counter import TermCounter
from tercet.errors import EmptyVocabulary, InvalidText
from tercet.models.classifier import normalize_scores
from tercet.models.stack import centre_scores
from tercet.text.analyzer import Analyzer
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

N_ROUNDS, SHARPNESS, ANCHOR = 10, 20.0, 0.5  # of soft k-means
N_BALANCED = 5  # steps towards the shares of the labels in each round
EM_ROUNDS, SMOOTHING = 2, 0.1
MIN_TEXTS = 2  # texts that have a word of naive Bayes
FULL_COVERAGE = 0.2  # of the texts, from which naive Bayes has its full weight
PENALTY = 2.0  # in standard deviations: what a counter-word costs
STEPS = 4096  # probabilities are coarse, because an exponential may differ in its last bits between machines
TEMPERATURE = 0.75  # what the sum of both parts is multiplied by, so that its probabilities are about right
WORDS = Analyzer.preset("words")


@dataclass(frozen=True, eq=False)
class PoolWords:
    """The texts of a pool in a fixed order, and which words each has."""

    texts: Sequence[str]
    words: tuple[str, ...]
    matrix: "csr_matrix"  # texts × words: whether the text has the word

    @classmethod
    def of(cls, texts: Sequence[str], *, min_texts: int, threads: int) -> "PoolWords":
        """Words that so many texts have. Raises InvalidText if there is no such word."""
        counter = TermCounter(WORDS, binary=True, min_documents=min(min_texts, len(texts)), threads=threads)
        try:
            matrix = counter.fit_transform(texts)
        except EmptyVocabulary:
            raise InvalidText(
                f"no word occurs in {min_texts} of the texts: there is nothing to learn from. Is it the right column? Give "
                "some hundred texts or more."
            ) from None
        return cls(texts, tuple(counter.get_feature_names_out().tolist()), matrix)

    @classmethod
    def like(cls, texts: Sequence[str], words: tuple[str, ...], *, threads: int) -> "PoolWords":
        """Other texts, and which of these words each has."""
        counter = TermCounter(WORDS, vocabulary=list(words), binary=True, threads=threads)
        return cls(texts, words, counter.transform(texts))


class SeedMatches(NamedTuple):
    """How often each text has words of each label, and counter-words of it, texts × labels."""

    own: Integers
    against: Integers

    def find_labelled(self) -> Flags:
        """Texts × labels: whether the words of this label, and of no other, are most frequent in the text."""
        net = self.own - self.against
        is_best = (net == net.max(axis=1, keepdims=True)) & (net > 0)
        return np.asarray(is_best & (is_best.sum(axis=1, keepdims=True) == 1), np.bool_)


def coarsen(log_proba: Floats) -> Floats:
    """The probabilities in steps of 1/4096.

    >>> coarsen(np.log([[0.25, 0.75001]]))
    array([[0.25, 0.75]])
    """
    return np.asarray(np.rint(np.exp(log_proba) * STEPS) / STEPS, np.float64)


def spell_term(phrase: str) -> str:
    """A word or phrase as it is counted; empty if no word is in it.

    >>> spell_term("Middle  East"), spell_term("?!")
    ('middle east', '')
    """
    return " ".join(WORDS.terms(phrase))


def count_phrases(texts: Sequence[str], phrases: Sequence[str], *, threads: int) -> Integers:
    """How often each text has each phrase, texts × phrases.

    >>> count_phrases(["The middle east", "east of it, east"], ["East", "middle east"], threads=1).tolist()
    [[1, 1], [2, 0]]
    """
    terms = [spell_term(phrase) for phrase in phrases]
    known = sorted(set(filter(None, terms)))
    found = np.zeros((len(texts), len(phrases)), np.int64)
    if not known:
        return found
    longest = max(len(term.split()) for term in known)
    counter = TermCounter(WORDS.replace(word_ngrams=(1, longest)), vocabulary=known, threads=threads)
    matrix, places = counter.transform(texts).tocsc(), {term: place for place, term in enumerate(known)}
    for column, term in enumerate(terms):
        if term:
            found[:, column] = matrix[:, [places[term]]].toarray().ravel()
    return found


def list_words(own: LabelSeeds, *, with_name: bool) -> tuple[str, ...]:
    """The words that are looked for in the texts."""
    return tuple(dict.fromkeys((*own.words, *(own.name.split() if with_name else ()))))


def match_seeds(texts: Sequence[str], seeds: Seeds, *, with_names: bool, threads: int) -> SeedMatches:
    """How often the texts have the words of each label."""
    own = [list_words(each, with_name=with_names) for each in seeds.labels]
    against = [each.counter_words for each in seeds.labels]
    return SeedMatches(*(_sum_phrases(texts, lists, threads) for lists in (own, against)))


def _sum_phrases(texts: Sequence[str], lists: Sequence[Sequence[str]], threads: int) -> Integers:
    phrases = sorted({phrase for listed in lists for phrase in listed})
    counts, places = count_phrases(texts, phrases, threads=threads), {phrase: i for i, phrase in enumerate(phrases)}
    columns = [counts[:, [places[phrase] for phrase in listed]].sum(axis=1) for listed in lists]
    return np.stack(columns, axis=1)


class Meanings(NamedTuple):
    """The centre of each label among vectors of texts."""

    centres: Floats  # labels × dimension, of length 1
    bias: Floats  # of each label
    spread: float

    @classmethod
    def fit(cls, texts: Sequence[str], seeds: Seeds, vectors: WordVectors, shares: Floats | None, *, threads: int) -> Self:
        """The centres after soft k-means on these texts. With shares, labels get so many of them."""
        rows, first = encode_beginnings(texts, vectors, threads), encode_seeds(seeds, vectors, threads=threads)
        centres, bias = first, np.zeros(len(first))
        for _ in range(N_ROUNDS):
            scores = SHARPNESS * multiply(rows, centres.T, threads)
            if shares is not None:
                scores, bias = balance(scores, shares, N_BALANCED, bias)
            proba = coarsen(normalize_scores(scores))
            sums = multiply(np.ascontiguousarray(proba.T, np.float32), rows.astype(np.float64), threads)
            sizes = np.maximum(proba.sum(axis=0), 1 / STEPS)
            centres = make_units(sums / sizes[:, None] + ANCHOR * first)
        found = cls(centres, bias, 1.0)
        return found._replace(spread=measure_spread(found.score(rows, threads)))

    def score(self, rows: Floats32, threads: int) -> Floats:
        """The nearness of each vector of a text to each centre, from its mean over the labels, texts × labels."""
        return centre_scores(SHARPNESS * multiply(rows, self.centres.T, threads) + self.bias) / self.spread


class WordRates(NamedTuple):
    """How frequent each word is in texts of each label."""

    log_rates: Floats  # labels × words
    spread: float

    @classmethod
    def fit(cls, matrix: "csr_matrix", labelled: Flags) -> Self:
        """From texts × words, and the labels of some texts, texts × labels. Labels have equal weight."""
        proba, log_rates = labelled.astype(np.float64), np.zeros(())
        for _ in range(1 + EM_ROUNDS):
            counts = (matrix.T @ np.rint(proba * STEPS).astype(np.int64)).T / STEPS  # whole numbers: the order does not matter
            sizes = proba.sum(axis=0)
            rates = counts * (sizes.sum() / len(sizes) / np.maximum(sizes, 1 / STEPS))[:, None] + SMOOTHING
            log_rates = np.log(rates / rates.sum(axis=1, keepdims=True))
            proba = coarsen(normalize_scores(matrix @ log_rates.T))
        found = cls(log_rates, 1.0)
        return found._replace(spread=measure_spread(found.score(matrix)))

    def score(self, matrix: "csr_matrix") -> Floats:
        """Log-likelihoods from their mean over the labels, divided by the square root of the number of words of the text."""
        lengths = np.maximum(np.asarray(matrix.sum(axis=1)).ravel(), 1)
        return centre_scores(matrix @ self.log_rates.T) / np.sqrt(lengths)[:, None] / self.spread


@dataclass(frozen=True, eq=False)
class SeedPrior:
    """What seeds say of any text, after a pool of texts has shown what goes with each label."""

    seeds: Seeds
    vectors: WordVectors | None
    meanings: Meanings | None  # None without vectors
    words: tuple[str, ...]
    rates: WordRates | None  # None if no text has words of a label
    temperature: float
    bias: Floats  # of each label, so that the pool has the given shares
    coverage: float  # the share of the pool in which the words of one label are most frequent
    threads: int

    @classmethod
    def fit(
        cls, pool: PoolWords, seeds: Seeds, vectors: WordVectors | None, shares: Mapping[str, float] | None, *, threads: int
    ) -> Self:
        """With shares, the labels get so many of the texts of the pool."""
        labelled = match_seeds(pool.texts, seeds, with_names=vectors is None, threads=threads).find_labelled()
        wanted = None if shares is None else np.array([shares[label] for label in seeds.names])
        meanings = None
        if vectors is not None:
            kept = wanted if labelled.any() or wanted is not None else np.full(len(seeds.labels), 1 / len(seeds.labels))
            meanings = Meanings.fit(pool.texts, seeds, vectors, kept, threads=threads)
        rates = WordRates.fit(pool.matrix, labelled) if labelled.any() else None
        found = cls(
            seeds,
            vectors,
            meanings,
            pool.words,
            rates,
            choose_temperature(len(seeds.labels), has_meaning=vectors is not None, has_words=rates is not None),
            np.zeros(len(seeds.labels)),
            float(labelled.any(axis=1).mean()),
            threads,
        )
        return found if wanted is None else replace(found, bias=balance(found._add_up(pool), wanted, 50)[1])

    def score(self, texts: Sequence[str]) -> Floats:
        """log P(label | text), texts × labels."""
        return self.score_pool(PoolWords.like(texts, self.words, threads=self.threads))

    def score_pool(self, pool: PoolWords) -> Floats:
        """The same for texts whose words are known already."""
        return normalize_scores(self._add_up(pool) + self.bias)

    def _add_up(self, pool: PoolWords) -> Floats:
        matches = match_seeds(pool.texts, self.seeds, with_names=self.vectors is None, threads=self.threads)
        scores = -PENALTY * (matches.against > 0)
        if self.vectors is not None and self.meanings is not None:
            scores = scores + self.meanings.score(encode_beginnings(pool.texts, self.vectors, self.threads), self.threads)
        if self.rates is not None:
            weight = 1.0 if self.vectors is None else min(1.0, self.coverage / FULL_COVERAGE)
            scores = scores + weight * self.rates.score(pool.matrix)
        return np.asarray(self.temperature * scores, np.float64)


def choose_temperature(n_labels: int, *, has_meaning: bool, has_words: bool) -> float:
    """What the scores are multiplied by. The nearness of many labels differs less than that of two."""
    if has_meaning and has_words:
        return TEMPERATURE
    return 1.0 if has_words else max(1.0, math.log(n_labels) / 2)


def encode_beginnings(texts: Sequence[str], vectors: WordVectors, threads: int) -> Floats32:
    """Vectors of length 1 of the beginnings of texts."""
    return to_units(vectors.encode_texts([text[:MAX_CHARACTERS] for text in texts], threads=threads))


def encode_seeds(seeds: Seeds, vectors: WordVectors, *, threads: int) -> Floats:
    """The mean vector of the seeds of each label, of length 1. A label without any words has zeros."""
    phrases = sorted({phrase for own in seeds.labels for phrase in own.phrases})
    rows = encode_beginnings(phrases, vectors, threads)
    places = {phrase: place for place, phrase in enumerate(phrases)}
    means = [rows[[places[phrase] for phrase in sorted(own.phrases)]].astype(np.float64).sum(axis=0) for own in seeds.labels]
    return make_units(np.array(means))


def balance(scores: Floats, shares: Floats, n_steps: int, bias: Floats | None = None) -> tuple[Floats, Floats]:
    """The scores with a bias for each label, so that the mean probabilities come near to the shares; and the bias.

    >>> scores, _ = balance(np.array([[2.0, 0.0], [1.0, 0.0]]), np.array([0.5, 0.5]), 50)
    >>> np.exp(normalize_scores(scores)).mean(axis=0).round(3)
    array([0.5, 0.5])
    """
    bias = np.zeros(len(shares)) if bias is None else bias
    for _ in range(n_steps):
        found = np.exp(normalize_scores(scores + bias)).mean(axis=0)
        bias = bias + np.log(shares / np.maximum(found, 1 / STEPS))
    return scores + bias, bias


def measure_spread(differences: Floats) -> float:
    """The standard deviation over all texts and labels; 1 if all are equal."""
    spread = float(differences.std())
    return spread if spread > 1e-9 else 1.0


def make_units(rows: Floats) -> Floats:
    """Rows of length 1; zeros stay zeros."""
    lengths = np.sqrt((rows**2).sum(axis=1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0), np.float64)
