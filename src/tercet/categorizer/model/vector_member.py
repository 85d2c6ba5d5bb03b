"""The member of a stack that learns from word vectors: softmax regression on the mean vectors of the texts.

    x(text) = Σ n(word) · rarity(word) · v(word) / Σ n(word) · rarity(word)      over the words that have a vector v of length 1

The vectors are centred on those of the training texts, and scaled to a mean square of 1. Both are folded into the result:
score(label) = x · direction(label) + bias(label). The name of a label ("sport", "credit_limit") is one more text of it, if the
names of all labels have words with vectors. The stack of all other members and this member are then joined by two weights
(`models/joined_scores.py`).
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

import numpy as np

from tercet.arrays import Flags, Floats, Integers, SmallIntegers
from tercet.categorizer.model.added_block import WordNumbers
from tercet.categorizer.model.margin_model import Floats32, MarginTrainer, Weigher, check_finite
from tercet.categorizer.model.word_terms import WordTerms, find_word_recipe, read_words
from tercet.categorizer.vector_choice import MAX_NUMBERS
from tercet.counts.labels import Labels, find_labels
from tercet.counts.matrices import Matrix
from tercet.counts.table import CountTable, Mask
from tercet.kernel import engine
from tercet.models.joined_scores import STRENGTH, fit_joint_weights, join_scores
from tercet.models.logistic_regression import LogisticRegression
from tercet.text.analyzer import Analyzer
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import HeldDocuments


class UsualWeights(NamedTuple):
    """The weights that few documents hardly change, and how many documents weigh as much as the pull to them."""

    weights: Floats  # of all other members, and of this one
    strength: float = STRENGTH


NAME = "word vectors"
COST = 3.0  # of softmax regression, at every size
USUAL = UsualWeights(np.array([0.3, 1.0]))
AT_A_TIME = 4096  # words that are multiplied together: limits the memory
MAX_WORDS = 60_000  # of the texts that have vectors: limits the memory
MIN_JUDGED = 500  # held-out documents that can tell whether the member helps


class Directions(NamedTuple):
    """A linear model on vectors: score = vector · direction + bias."""

    labels: Labels
    values: Floats  # dimensions × margins; two labels have one margin
    bias: Floats

    def score(self, vectors: Floats32, threads: int) -> Floats:
        """Scores, vectors × labels."""
        margins = multiply(vectors, self.values, threads) + self.bias
        return np.hstack([-margins / 2, margins / 2]) if len(self.labels) == 2 else margins


class VectorFit(NamedTuple):
    """A trained member."""

    directions: Directions
    scores: Floats  # of the documents that were asked for, documents × labels
    usable: Flags  # the words of the table that were known

    @property
    def labels(self) -> Labels:
        return self.directions.labels


class JoinedMember(NamedTuple):
    """A member beside the stack of all others, after their weights were fitted."""

    weights: Floats  # of the stack, and of the member
    scores: Floats  # of the held-out documents by the member, documents × labels
    log_proba: Floats  # of both together: each document is judged by weights that it had no say in


@dataclass(frozen=True, eq=False)
class VectorTrainer:
    """The rows of the documents, and a vector for each of their words."""

    trainer: MarginTrainer
    vectors: WordVectors
    recipe: Analyzer  # of single words
    words: WordTerms
    units: Floats32  # a vector of length 1 for each word; zeros for a word without vector
    rarities: Floats  # of each word; 0 for a word without vector
    listed: Sequence[str]  # words that the vectors list: a new text may have them, too
    is_listed: Flags  # whether each word is among them
    names: Floats | None  # the mean vector of the words in the name of each label; None if a label has no such word
    n_terms: int  # of the table

    @classmethod
    def of(cls, trainer: MarginTrainer, held: "HeldDocuments") -> "VectorTrainer | None":
        """None if there are no vectors."""
        if held.settings.vectors is None or not held.settings.uses_vectors or find_word_recipe(held.table.analyzer) is None:
            return None
        vectors, words = held.settings.vectors, WordTerms.of(held.table)
        most, counts = MAX_NUMBERS // len(trainer.labels), words.count_occurrences(held.table)
        listed = vectors.words_for(read_words(words.words), counts, most=most)
        words = words.take_most_frequent(trainer.rows.count_documents(np.ones(len(trainer.codes))), MAX_WORDS)
        return cls.on(trainer, vectors, held.table, words, listed)

    @classmethod
    def on(
        cls, trainer: MarginTrainer, vectors: WordVectors, table: CountTable, words: WordTerms, listed: Sequence[str]
    ) -> "VectorTrainer":
        """For the rows of texts that this table has counted, with these words."""
        recipe, spelled, known = find_word_recipe(table.analyzer), read_words(words.words), set(listed)
        assert recipe is not None
        is_listed = np.array([word in known for word in spelled], np.bool_)
        units = to_units(vectors.vectors(spelled, threads=trainer.threads))
        rarities = vectors.rarities(spelled) * units.any(axis=1)
        names = average_names(trainer.labels, vectors, trainer.threads)
        return cls(trainer, vectors, recipe, words, units, rarities, listed, is_listed, names, table.counts.n_terms)

    def train(
        self, documents: Integers, of_all: Integers, scored: Integers | None = None, terms: Mask | None = None
    ) -> VectorFit:
        """Train on the documents at these indices, and score others.

        `of_all` is the number of documents of each label from which these are taken. A held-out text leaves its label with
        fewer documents than the others have, which would count against it: so each label keeps the weight that it has in all.
        Words that neither these documents have (or, with `terms`, that have no 1 there) nor the vectors list are unknown, as
        they are in a new text.
        """
        trainer = self.trainer
        weights = trainer.weights * trainer.detect_used(documents)
        known = trainer.rows.count_documents(weights) > 0 if terms is None else terms > 0
        usable = known[self.words.terms] | self.is_listed
        kept = np.flatnonzero(weights > 0)
        present, codes = np.unique(trainer.codes[kept], return_inverse=True)
        sizes = of_all[present] / np.bincount(codes)
        x, labels, threads = self._average(kept, usable), trainer.labels[present], trainer.threads
        names = None if self.names is None else self.names[present]
        found = fit_directions(x, labels, codes, weights[kept] * sizes[codes], COST, threads, names)
        rows = np.zeros(0, np.int64) if scored is None else trainer.find_rows(scored)
        return VectorFit(found, found.score(self._average(rows, usable).astype(np.float32), threads), usable)

    def hold_out(self, held: "HeldDocuments", indices: Integers, folds: Integers, scored: Integers) -> Floats:
        """The scores of held-out documents, by members that are trained on the others, documents × labels of the table.

        `folds` has the fold of each of the documents at these indices. The scored ones are in the first folds.
        """
        return score_held_out(self.train, held, indices, folds, scored)

    def fold(self, directions: Floats, usable: Flags) -> WordNumbers:
        """What these directions give each word of the documents, and each listed word."""
        own = set(self.words.words)
        others = [word for word in (each.encode("utf-8", "surrogatepass") for each in self.listed) if word not in own]
        spelled, threads = read_words(others), self.trainer.threads
        vectors = self.vectors.vectors(spelled, threads=threads)
        parts = [to_units(vectors[first : first + AT_A_TIME]) for first in range(0, len(vectors), AT_A_TIME)]
        numbers = np.concatenate([multiply(units, directions, threads) for units in (self.units, *parts)])
        rarities = np.concatenate([self.rarities * usable, self.vectors.rarities(spelled)])
        words = [*self.words.words, *others]
        kept = np.array([i for i in sorted(range(len(words)), key=words.__getitem__) if rarities[i] > 0], np.int64)
        return WordNumbers([words[i] for i in kept.tolist()], rarities[kept], numbers[kept])

    def _average(self, rows: Integers, usable: Flags) -> Floats:
        """The mean vector of each of these rows."""
        factors = np.zeros(self.n_terms, np.float32)
        factors[self.words.terms] = self.rarities * usable
        weigher = Weigher(factors, "raw", "l1", by_block=False, n_blocks=self.trainer.rows.n_blocks)
        ends, terms, shares = self.trainer.rows.matrix(rows, weigher, self.trainer.threads)
        places = np.zeros(self.n_terms, np.int64)
        places[self.words.terms] = np.arange(len(self.words.terms))
        return engine.sum_rows(ends, places[terms], shares, self.units, self.trainer.threads)


class ScoredFit(Protocol):
    """A member that was trained on some documents, and its scores of others."""

    @property
    def labels(self) -> Labels: ...
    @property
    def scores(self) -> Floats: ...


def score_held_out(
    train: Callable[[Integers, Integers, Integers], ScoredFit],
    held: "HeldDocuments",
    indices: Integers,
    folds: Integers,
    scored: Integers,
) -> Floats:
    """The scores of held-out documents, by members that are trained on the others, documents × labels of the table."""
    of_all = np.bincount(held.codes[indices], minlength=len(held.table.labels))
    scores = np.full((len(held.codes), len(held.table.labels)), -np.inf)
    for fold in np.unique(folds[np.isin(indices, scored)]).tolist():
        inside = indices[folds == fold]
        fit = train(indices[folds != fold], of_all, inside)
        scores[np.ix_(inside, find_labels(fit.labels, held.table.labels))] = fit.scores
    return scores[scored]


def fit_directions(
    x: Floats,
    labels: Labels,
    codes: Integers,
    weights: Floats,
    cost: float,
    threads: int,
    names: Floats | None = None,
) -> Directions:
    """Softmax regression on vectors, which are centred and scaled to a mean square of 1.

    `names` are vectors of the names of the labels. The name of a label is one more text of it.
    """
    mean = x.mean(axis=0)
    size = float(np.sqrt(((x - mean) ** 2).sum(axis=1).mean())) or 1.0
    rows = (x - mean) / size
    if names is not None:
        rows = np.concatenate([rows, (names - names.mean(axis=0)) / size])
        codes, weights = np.append(codes, np.arange(len(names))), np.append(weights, np.ones(len(names)))
    model = LogisticRegression(cost, tol=1e-3, threads=threads)
    model._fit_matrix(make_matrix(rows), labels, codes, weights)
    directions = model.coef_.T / size
    bias = model.intercept_ - multiply(mean[None].astype(np.float32), directions, threads)[0]
    check_finite(cost, directions, bias)
    return Directions(labels, directions, bias)


def join_members(
    stacked: Floats, scores: Floats, gold: Integers, sizes: Floats | None, folds: Integers, usual: "UsualWeights"
) -> JoinedMember:
    """The weights of the stack of all other members and of one more; (1, 0) if the member does not help.

    `stacked` are log-probabilities by the stack, `scores` those of the member, documents × labels, and `usual` the weights that
    few documents hardly change. Many documents tell whether the member helps: it must lower their log-loss by more than the
    standard error of the gain, without fewer right answers. Each document is judged by weights that it had no say in.
    """
    weights = np.ones(len(gold)) if sizes is None else sizes
    log_proba, alone = np.empty_like(stacked), np.empty_like(stacked)
    for fold in np.unique(folds).tolist():
        inside, rest = folds == fold, folds != fold
        given = stacked[rest], scores[rest], gold[rest], weights[rest]
        log_proba[inside] = join_scores(stacked[inside], scores[inside], fit_joint_weights(*given, *usual))
        own = fit_joint_weights(given[0], np.zeros_like(given[1]), *given[2:], np.array([1.0, 0.0]))
        alone[inside] = join_scores(stacked[inside], scores[inside], own * [1, 0])
    if len(gold) >= MIN_JUDGED and not is_gain(alone, log_proba, gold, weights):
        return JoinedMember(np.array([1.0, 0.0]), scores, stacked)
    return JoinedMember(fit_joint_weights(stacked, scores, gold, weights, *usual), scores, log_proba)


def is_gain(before: Floats, after: Floats, gold: Integers, weights: Floats) -> bool:
    """Whether log P(own label) grows on average by more than its standard error, and as many documents or more are right.

    >>> before, gold = np.log([[0.5, 0.5]] * 4), np.zeros(4, np.int64)
    >>> is_gain(before, np.log([[0.6, 0.4], [0.7, 0.3], [0.5, 0.5], [0.6, 0.4]]), gold, np.ones(4))
    True
    >>> is_gain(before, np.log([[0.9, 0.1], [0.4, 0.6], [0.4, 0.6], [0.4, 0.6]]), gold, np.ones(4))
    False
    """
    rows = np.arange(len(gold))
    right = [float((weights * (log_proba.argmax(axis=1) == gold)).sum()) for log_proba in (before, after)]
    own, own_before = after[rows, gold], before[rows, gold]
    is_usable = np.isfinite(own) & np.isfinite(own_before) & (weights > 0)
    if not is_usable.any():
        return False
    gains, shares = (own[is_usable] - own_before[is_usable]), weights[is_usable] / weights[is_usable].sum()
    mean = float((shares * gains).sum())
    return right[1] >= right[0] and mean > float(np.sqrt((shares**2 * (gains - mean) ** 2).sum()))


def to_units(vectors: SmallIntegers) -> Floats32:
    """Vectors of length 1; zeros stay zeros.

    >>> to_units(np.array([[3, 4], [0, 0]], np.int8))
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.int64).astype(np.float64))
    return vectors.astype(np.float32) / np.where(lengths > 0, lengths, 1.0).astype(np.float32)[:, None]


def multiply(rows: Floats32, columns: Floats, threads: int) -> Floats:
    """The product of two matrices. Each sum has a fixed order: it depends on no library and no machine.

    >>> multiply(np.array([[1.0, 2.0]], np.float32), np.array([[3.0], [4.0]]), 1)
    array([[11.]])
    """
    return np.asarray(engine.multiply_rows(rows, np.ascontiguousarray(columns, np.float32), threads), np.float64)


def average_names(labels: Labels, vectors: WordVectors, threads: int) -> Floats | None:
    """The mean vector of the words in the name of each label; None if the name of a label has no word with a vector.

    >>> words = WordVectors.of(["good", "film", "bad"], [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    >>> average_names(np.array(["good_film", "bad"]), words, 1)
    array([[ 0.5,  0.5],
           [-1. ,  0. ]])
    >>> average_names(np.array(["good", "1"]), words, 1)
    """
    spelled = [find_name_words(str(label)) for label in labels.tolist()]
    words = sorted({word for own in spelled for word in own})
    units = to_units(vectors.vectors(words, threads=threads))
    rarities = vectors.rarities(words) * units.any(axis=1)
    numbers = {word: place for place, word in enumerate(words) if rarities[place] > 0}
    places = [[numbers[word] for word in own if word in numbers] for own in spelled]
    if not all(places):
        return None
    shares = [rarities[own] / rarities[own].sum() for own in places]
    return engine.sum_rows(np.cumsum([0, *map(len, places)]), np.concatenate(places), np.concatenate(shares), units, threads)


def find_name_words(name: str) -> list[str]:
    """The words of a label in lower case; single letters are abbreviations, and say nothing.

    >>> find_name_words("comp.os.ms-windows_X2 OS")
    ['comp', 'os', 'ms', 'windows', 'os']
    """
    return re.findall(r"[^\W\d_]{2,}", name.lower())


def make_matrix(numbers: Floats) -> Matrix:
    """A dense matrix as the solver takes it."""
    n, d = numbers.shape
    return Matrix(np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), np.ascontiguousarray(numbers).ravel(), d)
