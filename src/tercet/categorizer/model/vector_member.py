"""The member of a stack that learns from word vectors: softmax regression on the mean vectors of the texts.

    x(text) = Σ n(word) · rarity(word) · v(word) / Σ n(word) · rarity(word)      over the words that have a vector v of length 1

The vectors are centred on those of the training texts, and scaled to a mean square of 1. Both are folded into the result:
score(label) = x · direction(label) + bias(label). The stack of all other members and this member are then joined by two weights
(`models/joined_scores.py`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers, SmallIntegers
from tercet.categorizer.model.margin_model import Floats32, MarginTrainer, Weigher, check_finite
from tercet.categorizer.model.vector_block import VectorBlock, WordTerms, find_word_recipe, read_words
from tercet.counts.labels import Labels, find_labels
from tercet.counts.matrices import Matrix
from tercet.kernel import engine
from tercet.models.calibration import measure_loss
from tercet.models.joined_scores import fit_joint_weights, join_scores
from tercet.models.logistic_regression import LogisticRegression
from tercet.text.analyzer import Analyzer
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import HeldDocuments

NAME = "word vectors"
COST = 3.0  # of softmax regression, at every size
USUAL = np.array([0.3, 1.0])  # the weights of all other members, and of this one
AT_A_TIME = 4096  # words that are multiplied together: limits the memory
MIN_JUDGED = 500  # held-out documents that can tell whether the member helps


class VectorFit(NamedTuple):
    """A trained member."""

    labels: Labels
    directions: Floats  # dimensions × margins; two labels have one margin
    bias: Floats
    scores: Floats  # of the documents that were asked for, documents × labels
    usable: Flags  # the words of the table that were known


class JoinedVectors(NamedTuple):
    """The member beside the stack of all others, after their weights were fitted."""

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
    is_listed: Flags  # whether the vectors list the word themselves: a new text may have it, too
    n_terms: int  # of the table

    @classmethod
    def of(cls, trainer: MarginTrainer, held: "HeldDocuments") -> "VectorTrainer | None":
        """None if there are no vectors."""
        vectors, recipe = held.settings.vectors, find_word_recipe(held.table.analyzer)
        if vectors is None or recipe is None or not held.settings.uses_vectors:
            return None
        words = WordTerms.of(held.table)
        spelled = read_words(words.words)
        units = to_units(vectors.vectors(spelled, threads=trainer.threads))
        listed = set(vectors.words)
        is_listed = np.array([word in listed for word in spelled], np.bool_)
        rarities = vectors.rarities(spelled) * units.any(axis=1)
        return cls(trainer, vectors, recipe, words, units, rarities, is_listed, held.table.counts.n_terms)

    def train(self, documents: Integers, of_all: Integers, scored: Integers | None = None) -> VectorFit:
        """Train on the documents at these indices, and score others.

        `of_all` is the number of documents of each label from which these are taken. A held-out text leaves its label with
        fewer documents than the others have, which would count against it: so each label keeps the weight that it has in all.
        Words that neither these documents have nor the vectors list are unknown, as they are in a new text.
        """
        trainer = self.trainer
        weights = trainer.weights * trainer.detect_used(documents)
        usable = (trainer.rows.count_documents(weights)[self.words.terms] > 0) | self.is_listed
        kept = np.flatnonzero(weights > 0)
        present, codes = np.unique(trainer.codes[kept], return_inverse=True)
        sizes = of_all[present] / np.bincount(codes)
        x = self._average(kept, usable)
        mean = x.mean(axis=0)
        size = float(np.sqrt(((x - mean) ** 2).sum(axis=1).mean())) or 1.0
        model = LogisticRegression(COST, tol=1e-3, threads=trainer.threads)
        labels = trainer.labels[present]
        model._fit_matrix(make_matrix((x - mean) / size), labels, codes, weights[kept] * sizes[codes])
        directions = model.coef_.T / size
        bias = model.intercept_ - multiply(mean[None].astype(np.float32), directions, trainer.threads)[0]
        check_finite(COST, directions, bias)
        rows = np.zeros(0, np.int64) if scored is None else trainer.find_rows(scored)
        margins = multiply(self._average(rows, usable).astype(np.float32), directions, trainer.threads) + bias
        scores = np.hstack([-margins / 2, margins / 2]) if len(labels) == 2 else margins
        return VectorFit(labels, directions, bias, scores, usable)

    def hold_out(self, held: "HeldDocuments", indices: Integers, folds: Integers, scored: Integers) -> Floats:
        """The scores of held-out documents, by members that are trained on the others, documents × labels of the table.

        `folds` has the fold of each of the documents at these indices. The scored ones are in the first folds.
        """
        of_all = np.bincount(held.codes[indices], minlength=len(held.table.labels))
        scores = np.full((len(held.codes), len(held.table.labels)), -np.inf)
        for fold in np.unique(folds[np.isin(indices, scored)]).tolist():
            inside = indices[folds == fold]
            fit = self.train(indices[folds != fold], of_all, inside)
            scores[np.ix_(inside, find_labels(fit.labels, held.table.labels))] = fit.scores
        return scores[scored]

    def fold(self, fit: VectorFit) -> VectorBlock:
        """The block of these directions: a number for each word of the documents, and for each listed word."""
        own = set(self.words.words)
        others = [word for word in (each.encode("utf-8", "surrogatepass") for each in self.vectors.words) if word not in own]
        spelled, threads = read_words(others), self.trainer.threads
        vectors = self.vectors.vectors(spelled, threads=threads)
        parts = [to_units(vectors[first : first + AT_A_TIME]) for first in range(0, len(vectors), AT_A_TIME)]
        numbers = np.concatenate([multiply(units, fit.directions, threads) for units in (self.units, *parts)])
        rarities = np.concatenate([self.rarities * fit.usable, self.vectors.rarities(spelled)])
        words = [*self.words.words, *others]
        kept = np.array([i for i in sorted(range(len(words)), key=words.__getitem__) if rarities[i] > 0], np.int64)
        return VectorBlock.of(
            self.vectors.identity, self.recipe, [words[i] for i in kept.tolist()], rarities[kept], numbers[kept], fit.labels
        )

    def _average(self, rows: Integers, usable: Flags) -> Floats:
        """The mean vector of each of these rows."""
        factors = np.zeros(self.n_terms, np.float32)
        factors[self.words.terms] = self.rarities * usable
        weigher = Weigher(factors, "raw", "l1", by_block=False, n_blocks=self.trainer.rows.n_blocks)
        ends, terms, shares = self.trainer.rows.matrix(rows, weigher, self.trainer.threads)
        places = np.zeros(self.n_terms, np.int64)
        places[self.words.terms] = np.arange(len(self.words.terms))
        return average_rows(ends, places[terms], shares, self.units)


def join_members(
    stacked: Floats, scores: Floats, gold: Integers, sizes: Floats | None, folds: Integers
) -> JoinedVectors | None:
    """The weights of the stack of all other members and of this one; None if the stack alone is better.

    `stacked` are log-probabilities by the stack, `scores` those of this member, documents × labels. Many documents tell whether
    the member helps: by their log-loss, each judged by weights that it had no say in.
    """
    weights = np.ones(len(gold)) if sizes is None else sizes
    log_proba, alone = np.empty_like(stacked), np.empty_like(stacked)
    for fold in np.unique(folds).tolist():
        inside, rest = folds == fold, folds != fold
        given = stacked[rest], scores[rest], gold[rest], weights[rest]
        log_proba[inside] = join_scores(stacked[inside], scores[inside], fit_joint_weights(*given, USUAL))
        own = fit_joint_weights(given[0], np.zeros_like(given[1]), *given[2:], np.array([1.0, 0.0]))
        alone[inside] = join_scores(stacked[inside], scores[inside], own * [1, 0])
    if len(gold) >= MIN_JUDGED and not measure_loss(log_proba, gold, weights) < measure_loss(alone, gold, weights):
        return None
    return JoinedVectors(fit_joint_weights(stacked, scores, gold, weights, USUAL), scores, log_proba)


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


def average_rows(ends: Integers, places: Integers, shares: Floats, vectors: Floats32) -> Floats:
    """Σ share · vector over the words of each document.

    >>> average_rows(np.array([0, 2, 2]), np.array([1, 0]), np.array([0.5, 0.5]), np.eye(2, dtype=np.float32))
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    sums = np.zeros((len(ends) - 1, vectors.shape[1]))
    for i, (begin, end) in enumerate(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)):
        for k in range(begin, end):
            sums[i] += shares[k] * vectors[places[k]]
    return sums


def make_matrix(numbers: Floats) -> Matrix:
    """A dense matrix as the solver takes it."""
    n, d = numbers.shape
    return Matrix(np.arange(n + 1) * d, np.tile(np.arange(d, dtype=np.int32), n), np.ascontiguousarray(numbers).ravel(), d)
