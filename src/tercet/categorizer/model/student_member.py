"""The member of a stack that learns from unlabelled texts: a teacher labels them, and a student learns these labels.

- The *teacher* is softmax regression on the vectors of whole texts, by the sentence encoder. It learns from the labelled texts,
  and from the names of the labels, if all of them have words.
- The *student* is a sum over words: softmax regression on tf-idf of words and word n-grams, plus softmax regression on the
  mean vectors of words (`vector_member.py`). It learns from all texts. A labelled text has its own label and weight. An
  unlabelled one has the label that the teacher finds most probable, and this probability is its weight.

So the encoder is needed only for training. A held-out document is scored by a student whose teacher has not learned it.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.model.added_block import AddedBlock, WordNumbers
from tercet.categorizer.model.margin_model import LOG_TF_IDF, Floats32, MarginFit, MarginTrainer
from tercet.categorizer.model.vector_member import (
    MAX_WORDS,
    VectorFit,
    VectorTrainer,
    find_name_words,
    fit_directions,
    score_held_out,
    to_units,
)
from tercet.categorizer.model.word_terms import WordTerms, find_word_recipe
from tercet.categorizer.unlabelled import encode
from tercet.counts.kept_documents import JoinedTexts
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable, Mask
from tercet.counts.training_data import ArrivingLabels, LabelledCounter
from tercet.counts.units import to_numbers
from tercet.kernel import engine
from tercet.models.classifier import normalize_scores
from tercet.models.logistic_regression import LogisticRegression
from tercet.text.recipe import make_recipe
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import HeldDocuments

NAME = "student of unlabelled texts"
TEACHER_COST = 10.0
COST = 3.0  # of the part of the student that learns from terms
USUAL = np.array([0.3, 0.4])  # the weights of all other members, and of the student
MIN_TEXTS = 2  # texts that have a term of the student
STEPS = 4096  # probabilities are coarse, because an exponential may differ in its last bits between machines


class StudentFit(NamedTuple):
    """A trained student."""

    terms: MarginFit
    words: VectorFit
    scores: Floats  # of the documents that were asked for, documents × labels

    @property
    def labels(self) -> Labels:
        return self.terms.labels


@dataclass(frozen=True, eq=False)
class StudentTrainer:
    """The rows of all texts. A labelled text has the index of its document; unlabelled ones come after all documents."""

    trainer: MarginTrainer
    table: CountTable  # of words and word n-grams
    words: VectorTrainer
    labelled: Floats32  # vectors of the texts of length 1, in the order of the rows
    unlabelled: Floats32
    names: Floats32 | None  # vectors of the names of the labels; None if a label has no name in words

    @classmethod
    def of(cls, held: "HeldDocuments", direct: VectorTrainer | None) -> "StudentTrainer | None":
        """None if there are no unlabelled texts. `direct` is the member that learns from the labelled texts alone."""
        pool, recipe, vectors = held.pool, find_word_recipe(held.table.analyzer, has_ngrams=True), held.settings.vectors
        if pool is None or recipe is None or vectors is None or direct is None:
            return None
        threads, both = held.settings.model.threads, (pool.labelled_texts, pool.choose_unlabelled())
        texts = JoinedTexts.join(both).open()
        counter = LabelledCounter(labels := ArrivingLabels(), recipe, make_recipe(recipe), threads, keep=True)
        for part in (texts, engine.Texts(list(direct.listed))):  # a listed word is a term, too, if it is one word of a text
            labels.number(np.array([""]), np.zeros(len(part), np.int64))
            counter.add(part, slice(0, len(part)), None)
        table, kept = counter.take()
        assert kept is not None
        rows = engine.TextRows(table.counts.n_terms, None)
        for _, block in kept.parts(np.arange(len(texts))):
            rows.append(block, threads)
        rows.finish(np.arange(len(texts)))
        n, order = len(held.codes), np.argsort(held.data.prints, kind="stable")
        weights = np.ones(n) if held.data.weights is None else to_numbers(held.data.weights)
        numbers = np.concatenate([order, np.arange(n, len(texts))])
        codes = np.concatenate([held.codes[order], np.zeros(len(texts) - n, np.int64)])
        own = np.concatenate([weights[order], np.zeros(len(texts) - n)])
        trainer = MarginTrainer(held.table.labels, numbers, codes, own, rows, None, threads)
        n_texts = rows.count_documents(np.ones(len(texts)))
        frequent = (n_texts >= MIN_TEXTS).astype(np.uint8)
        n_categories = len(held.settings.categorical)
        labelled, unlabelled = (to_units(encode(vectors, part, n_categories, threads)) for part in both)
        # A listed word is encoded already. Others must be worth it.
        is_listed = np.zeros(len(frequent), np.uint8)
        is_listed[[number for number in table.table.look_up(list(direct.listed)).tolist() if number >= 0]] = 1
        words = WordTerms.of(table).pick(frequent | (is_listed & (n_texts > 0))).take_most_frequent(n_texts, MAX_WORDS)
        of_words = VectorTrainer.on(trainer, vectors, table, words, direct.listed)
        return cls(trainer, table, of_words, labelled, unlabelled, encode_names(trainer.labels, vectors, threads))

    def train(self, documents: Integers, of_all: Integers, scored: Integers | None = None) -> StudentFit:
        """Train teacher and student on the documents at these indices and on all unlabelled texts, and score others.

        `of_all` is that of `VectorTrainer.train`.
        """
        trainer = self._teach(documents, of_all)
        used = np.concatenate([documents, trainer.indices[len(self.labelled) :]])
        frequent = self._find_frequent(trainer.detect_used(used))
        terms = trainer.train(
            LogisticRegression(COST, tol=1e-3), LOG_TF_IDF, terms=frequent, documents=used, scored=scored, warns=False
        )
        counts = np.bincount(trainer.codes[trainer.find_rows(used)], minlength=len(trainer.labels))
        words = replace(self.words, trainer=trainer).train(used, counts, scored, frequent)
        return StudentFit(terms, words, terms.scores + words.scores)

    def _find_frequent(self, is_used: Flags) -> Mask:
        """The terms that enough of the used rows have: held-out texts have no say."""
        n_texts = self.trainer.rows.count_documents(is_used.astype(np.float64))
        return (n_texts >= MIN_TEXTS).astype(np.uint8)

    def _teach(self, documents: Integers, of_all: Integers) -> MarginTrainer:
        """The rows, in which unlabelled texts have the labels and weights that a teacher gives them."""
        trainer, n = self.trainer, len(self.labelled)
        rows = np.sort(trainer.find_rows(documents))  # the order of the documents does not matter
        present, codes = np.unique(trainer.codes[rows], return_inverse=True)
        weights = trainer.weights[rows] * (of_all[present] / np.bincount(codes))[codes]
        x = self.labelled[rows].astype(np.float64)
        names = None if self.names is None else self.names[present].astype(np.float64)
        teacher = fit_directions(x, trainer.labels[present], codes, weights, TEACHER_COST, trainer.threads, names)
        log_proba = normalize_scores(teacher.score(self.unlabelled, trainer.threads))
        sure = np.rint(np.exp(log_proba.max(axis=1)) * STEPS) / STEPS
        taught = np.concatenate([trainer.codes[:n], present[log_proba.argmax(axis=1)]])
        return replace(trainer, codes=taught, weights=np.concatenate([trainer.weights[:n], sure]))

    def hold_out(self, held: "HeldDocuments", indices: Integers, folds: Integers, scored: Integers) -> Floats:
        """The scores of held-out documents: see `VectorTrainer.hold_out`."""
        return score_held_out(self.train, held, indices, folds, scored)

    def fold(self, fit: StudentFit, weight: float, words: WordNumbers) -> AddedBlock:
        """The block of these words, and of the terms of the student with this weight."""
        terms, source = fit.terms, self.words.vectors.identity
        return AddedBlock.of_table(source, self.table, words, terms.factors, np.float32(weight) * terms.values, terms.labels)


def encode_names(labels: Labels, vectors: WordVectors, threads: int) -> Floats32 | None:
    """Vectors of the names of labels, as texts; None if the name of a label has no words."""
    spelled = [" ".join(find_name_words(str(label))) for label in labels.tolist()]
    return to_units(vectors.encode_texts(spelled, threads=threads)) if all(spelled) else None
