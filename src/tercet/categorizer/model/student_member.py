"""The member of a stack that learns from seeds and from unlabelled texts: a teacher labels them, a student learns these labels.

- The *teacher* is softmax regression on the vectors of whole texts, by the sentence encoder, or on tf-idf of words without it.
  It learns from the labelled texts, and from the names of the labels, if all of them have words. What seeds say of a text is
  added to its scores: score = teacher + w · log P(label | text) by the seeds (`seeds/prior.py`). w is 0, 0.5, 1 or 2, whatever
  suits the labels of held-out texts best. So wrong seeds do not count.
- The *student* is a sum over words: softmax regression on tf-idf of words and word n-grams, plus softmax regression on the
  mean vectors of words (`vector_member.py`). It learns from all texts. A labelled text has its own label and weight. An
  unlabelled one has the label that the teacher finds most probable, and this probability is its weight. The seeds are short
  texts of their labels, with weight w.

So encoder and seeds are needed only for training. A held-out document is scored by a student whose teacher has not learned it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.arrays import Flags, Floats, Integers
from tercet.categorizer.model.added_block import NO_SOURCE, TAUGHT, AddedBlock, WordNumbers
from tercet.categorizer.model.margin_model import LOG_TF_IDF, Floats32, MarginFit, MarginTrainer
from tercet.categorizer.model.vector_member import (
    MAX_WORDS,
    UsualWeights,
    VectorFit,
    VectorTrainer,
    find_name_words,
    fit_directions,
    score_held_out,
    to_units,
)
from tercet.categorizer.model.word_terms import WordTerms, find_word_recipe
from tercet.categorizer.seeds.prior import MIN_TEXTS, PoolWords, SeedPrior
from tercet.categorizer.seeds.seeds import Seeds
from tercet.categorizer.unlabelled import fingerprint_texts, read_beginnings
from tercet.counts.kept_documents import JoinedTexts
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable, Mask
from tercet.counts.training_data import ArrivingLabels, LabelledCounter
from tercet.counts.units import to_numbers
from tercet.errors import InvalidText
from tercet.kernel import engine
from tercet.kernel.text.columns import SEPARATOR
from tercet.models.classifier import normalize_scores
from tercet.models.logistic_regression import LogisticRegression
from tercet.text.analyzer import Analyzer
from tercet.text.layout import Layout
from tercet.text.recipe import make_recipe
from tercet.text.vectors.word_vectors import WordVectors

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import HeldDocuments

TEACHER_COST = 10.0
COST = 10.0  # of the part of the student that learns from terms
USUAL = UsualWeights(np.array([0.3, 0.4]))
SEEDED = UsualWeights(np.array([0.1, 0.8]), 30.0)  # with seeds and unlabelled texts
STEPS = 4096  # probabilities are coarse, because an exponential may differ in its last bits between machines
SEED_WEIGHTS = (1.0, 0.5, 2.0, 0.0)  # of equally good ones, the first
PULL = 2.0  # towards the first of them: what a weight of 0 or 2 costs, in units of log-loss
N_FOLDS, MAX_JUDGED = 5, 1000  # folds, and documents, that choose the weight of the seeds


class StudentFit(NamedTuple):
    """A trained student."""

    terms: MarginFit
    words: VectorFit | None
    scores: Floats  # of the documents that were asked for, documents × labels
    seed_weight: float  # 0 if the labels speak against the seeds, or if there are none

    @property
    def labels(self) -> Labels:
        return self.terms.labels


@dataclass(frozen=True, eq=False)
class StudentTrainer:
    """The rows of all texts: labelled ones with the index of their document, then unlabelled ones, then the seeds."""

    trainer: MarginTrainer
    table: CountTable  # of words and word n-grams
    words: VectorTrainer | None
    vectors: Floats32 | None  # of labelled and unlabelled texts, of length 1; None without a sentence encoder
    names: Floats32 | None  # vectors of the names of the labels; None if a label has no name in words
    n_labelled: int
    n_unlabelled: int
    groups: Integers  # a number for each labelled row: copies of a text have the same
    prior: Floats | None  # log P(label | text) of labelled and unlabelled texts by the seeds; None if they are unknown

    @classmethod
    def of(cls, held: "HeldDocuments", direct: VectorTrainer | None) -> "StudentTrainer | None":
        """None without unlabelled texts and seeds. `direct` is the member that learns from the vectors of labelled texts."""
        pool, recipe = held.pool, find_word_recipe(held.table.analyzer, has_ngrams=True)
        if pool is None or recipe is None:
            return None
        labels, unlabelled, threads = held.table.labels, pool.choose_unlabelled(), held.settings.model.threads
        seeds = held.settings.seeds.fill(labels.tolist()) if held.settings.uses_seeds and held.settings.seeds else None
        phrases, of_seeds = ([], []) if seeds is None else list_phrases(seeds, held.settings.layout)
        if not phrases and pool.unlabelled is None:
            return None
        texts = JoinedTexts.join((pool.labelled_texts, unlabelled, JoinedTexts(*engine.Texts(list(phrases)).join()))).open()
        table, rows = count_texts(texts, () if direct is None else direct.listed, recipe, threads)
        n, order = len(held.codes), np.argsort(held.data.prints, kind="stable")
        own = np.ones(n) if held.data.weights is None else to_numbers(held.data.weights)
        free = len(texts) - n
        trainer = MarginTrainer(
            labels,
            np.concatenate([order, np.arange(n, len(texts))]),
            np.concatenate([held.codes[order], np.zeros(free - len(of_seeds), np.int64), np.array(of_seeds, np.int64)]),
            np.concatenate([own[order], np.zeros(free)]),
            rows,
            None,
            threads,
        )
        of_words = None
        if direct is not None:
            words = cls._choose_words(table, rows.count_documents(np.ones(len(texts))), direct)
            of_words = VectorTrainer.on(trainer, direct.vectors, table, words, direct.listed)
        vectors, n_categories = None if direct is None else direct.vectors, len(held.settings.categorical)
        read = [text for part in (pool.labelled_texts, unlabelled) for text in read_beginnings(part, n_categories)]
        return cls(
            trainer,
            table,
            of_words,
            None if vectors is None else to_units(vectors.encode_texts(read, threads=threads)),
            None if vectors is None else encode_names(labels, vectors, threads),
            n,
            free - len(of_seeds),
            np.unique(fingerprint_texts(pool.labelled_texts), return_inverse=True)[1],
            None if seeds is None else weigh_texts(seeds, read, n, vectors, threads),
        )

    @staticmethod
    def _choose_words(table: CountTable, n_texts: Floats, direct: VectorTrainer) -> WordTerms:
        """The words that have vectors. A listed word is encoded already. Others must be worth it."""
        is_listed = np.zeros(len(n_texts), np.bool_)
        is_listed[[number for number in table.table.look_up(list(direct.listed)).tolist() if number >= 0]] = True
        chosen = (n_texts >= MIN_TEXTS) | (is_listed & (n_texts > 0))
        return WordTerms.of(table).pick(chosen.astype(np.uint8)).take_most_frequent(n_texts, MAX_WORDS)

    @property
    def name(self) -> str:
        """In the table of members."""
        return f"student of {' and '.join(self.list_sources())}"

    def list_sources(self) -> tuple[str, ...]:
        """What the student learns from beside labelled texts, in words."""
        return tuple(name for name, is_there in zip(TAUGHT, (self.has_seeds, self.n_unlabelled > 0), strict=True) if is_there)

    @property
    def usual(self) -> UsualWeights:
        """The weights beside all other members."""
        return SEEDED if self.has_seeds and self.n_unlabelled else USUAL

    @property
    def has_seeds(self) -> bool:
        return len(self.trainer.codes) > self.n_labelled + self.n_unlabelled

    def train(self, documents: Integers, of_all: Integers, scored: Integers | None = None) -> StudentFit:
        """Train teacher and student on the documents at these indices, on all unlabelled texts and on the seeds; score others.

        `of_all` is that of `VectorTrainer.train`.
        """
        trainer, seed_weight = self._teach(documents, of_all)
        others = trainer.indices[self.n_labelled :]
        used = np.concatenate([documents, others[trainer.weights[self.n_labelled :] > 0]])
        known = self._find_known(trainer.detect_used(used))
        terms = trainer.train(
            LogisticRegression(COST, tol=1e-3), LOG_TF_IDF, terms=known, documents=used, scored=scored, warns=False
        )
        if self.words is None:
            return StudentFit(terms, None, terms.scores, seed_weight)
        counts = np.bincount(trainer.codes[trainer.find_rows(used)], minlength=len(trainer.labels))
        words = replace(self.words, trainer=trainer).train(used, counts, scored, known)
        return StudentFit(terms, words, terms.scores + words.scores, seed_weight)

    def _find_known(self, is_used: Flags) -> Mask:
        """The terms that enough of the used rows have, or a seed has: held-out texts have no say."""
        is_seed = is_used & (np.arange(len(is_used)) >= self.n_labelled + self.n_unlabelled)
        n_texts, n_seeds = (self.trainer.rows.count_documents(rows.astype(np.float64)) for rows in (is_used, is_seed))
        return ((n_texts >= MIN_TEXTS) | (n_seeds > 0)).astype(np.uint8)

    def _teach(self, documents: Integers, of_all: Integers) -> tuple[MarginTrainer, float]:
        """The rows with the labels and weights that a teacher gives to unlabelled texts; and the weight of the seeds."""
        trainer, n, n_others = self.trainer, self.n_labelled, self.n_unlabelled
        rows = np.sort(trainer.find_rows(documents))  # the order of the documents does not matter
        present, codes = np.unique(trainer.codes[rows], return_inverse=True)
        sizes = of_all[present] / np.bincount(codes)
        seed_weight = self._weigh_seeds(rows)
        taught, sure = np.zeros(n_others, np.int64), np.zeros(n_others)
        if n_others and (self.vectors is not None or seed_weight > 0):  # what terms alone say of other texts teaches nothing
            scores = self._fit_teacher(rows, sizes[codes])(np.arange(n, n + n_others))
            if self.prior is not None:
                scores = scores + seed_weight * self.prior[n:][:, present]
            log_proba = normalize_scores(scores)
            sure = np.rint(np.exp(log_proba.max(axis=1)) * STEPS) / STEPS
            taught = present[log_proba.argmax(axis=1)]
        of_seeds = trainer.codes[n + n_others :]
        weights = trainer.weights[:n], sure, seed_weight * np.isin(of_seeds, present)
        codes = np.concatenate([trainer.codes[:n], taught, of_seeds])
        return replace(trainer, codes=codes, weights=np.concatenate(weights)), seed_weight

    def _fit_teacher(self, rows: Integers, sizes: Floats) -> Callable[[Integers], Floats]:
        """Scores of any rows by softmax regression on these labelled ones, whose weights are multiplied by sizes."""
        trainer = self.trainer
        weights = trainer.weights[rows] * sizes
        if self.vectors is None:
            given = np.zeros_like(trainer.weights)
            given[rows] = weights
            on_terms, model = replace(trainer, weights=given), LogisticRegression(COST, tol=1e-3)
            return lambda others: on_terms.train(model, LOG_TF_IDF, scored=trainer.indices[others], warns=False).scores
        vectors = self.vectors
        present, codes = np.unique(trainer.codes[rows], return_inverse=True)
        names = None if self.names is None else self.names[present].astype(np.float64)
        x, labels = vectors[rows].astype(np.float64), trainer.labels[present]
        teacher = fit_directions(x, labels, codes, weights, TEACHER_COST, trainer.threads, names)
        return lambda others: teacher.score(vectors[others], trainer.threads)

    def _weigh_seeds(self, rows: Integers) -> float:
        """The weight of the seeds that suits the labels of held-out rows best. A few rows hardly pull it away from 1."""
        if not self.has_seeds:
            return 0.0
        if self.prior is None:
            return SEED_WEIGHTS[0]
        rows, all_codes = rows[:MAX_JUDGED], self.trainer.codes
        folds, losses = deal_groups(self.groups[rows], all_codes[rows]), PULL * (np.array(SEED_WEIGHTS) - SEED_WEIGHTS[0]) ** 2
        for fold in range(N_FOLDS):
            rest, inside = rows[folds != fold], rows[folds == fold]
            present, codes = np.unique(all_codes[rest], return_inverse=True)
            judged = inside[np.isin(all_codes[inside], present)]
            if len(present) < 2 or not len(judged):
                continue
            scores, gold = self._fit_teacher(rest, np.ones(len(codes)))(judged), np.searchsorted(present, all_codes[judged])
            own = self.trainer.weights[judged]
            for place, weight in enumerate(SEED_WEIGHTS):
                log_proba = normalize_scores(scores + weight * self.prior[judged][:, present])
                losses[place] -= float((own * log_proba[np.arange(len(gold)), gold]).sum())
        return SEED_WEIGHTS[int(np.round(losses, 6).argmin())]

    def hold_out(self, held: "HeldDocuments", indices: Integers, folds: Integers, scored: Integers) -> Floats:
        """The scores of held-out documents: see `VectorTrainer.hold_out`."""
        return score_held_out(self.train, held, indices, folds, scored)

    def fold(self, fit: StudentFit, weight: float, directions: Floats) -> AddedBlock:
        """The block of the words with these directions, and of the terms of the student with this weight."""
        terms = fit.terms
        source, words = NO_SOURCE, WordNumbers([], np.zeros(0), np.zeros((0, terms.values.shape[1])))
        if self.words is not None and fit.words is not None:
            source, words = self.words.vectors.identity, self.words.fold(directions, fit.words.usable)
        values = np.float32(weight) * terms.values
        return AddedBlock.of_table(source, self.table, words, terms.factors, values, terms.labels, self.list_sources())


def count_texts(
    texts: engine.Texts, listed: Sequence[str], recipe: Analyzer, threads: int
) -> tuple[CountTable, engine.TextRows]:
    """The counts of texts by this recipe, and their rows. A listed word is a term, too, if it is one word of a text."""
    counter = LabelledCounter(labels := ArrivingLabels(), recipe, make_recipe(recipe), threads, keep=True)
    for part in (texts, engine.Texts(list(listed))):
        labels.number(np.array([""]), np.zeros(len(part), np.int64))
        counter.add(part, slice(0, len(part)), None)
    table, kept = counter.take()
    assert kept is not None
    rows = engine.TextRows(table.counts.n_terms, None)
    for _, block in kept.parts(np.arange(len(texts))):
        rows.append(block, threads)
    rows.finish(np.arange(len(texts)))
    return table, rows


def list_phrases(seeds: Seeds, layout: Layout | None) -> tuple[list[str], list[int]]:
    """The seeds as texts with this layout, and the code of the label of each. A seed stands in the last text column."""
    n_texts, n_categories = (1, 0) if layout is None else (layout.n_texts, len(layout.categorical))
    before, after = SEPARATOR * (n_texts - 1), SEPARATOR * n_categories
    pairs = [(f"{before}{phrase}{after}", code) for code, own in enumerate(seeds.labels) for phrase in sorted(own.phrases)]
    return [text for text, _ in pairs], [code for _, code in pairs]


def weigh_texts(seeds: Seeds, texts: list[str], n_labelled: int, vectors: WordVectors | None, threads: int) -> Floats | None:
    """log P(label | text) by the seeds. Only texts after the labelled ones say what goes with a label; None if they can't."""
    try:
        pool = PoolWords.of(texts[n_labelled:], min_texts=MIN_TEXTS, threads=threads)
    except InvalidText:
        return None
    prior = SeedPrior.fit(pool, seeds, vectors, None, threads=threads)
    return np.concatenate([prior.score(texts[:n_labelled]), prior.score_pool(pool)])


def deal_groups(groups: Integers, codes: Integers) -> Integers:
    """A fold for each row. The groups of each label are dealt in turn, so that each fold has some of them.

    >>> deal_groups(np.array([7, 3, 7, 5, 4]), np.array([0, 0, 0, 0, 1]))
    array([2, 0, 2, 1, 0])
    """
    folds = np.zeros(len(groups), np.int64)
    for code in np.unique(codes).tolist():
        own = codes == code
        folds[own] = np.unique(groups[own], return_inverse=True)[1] % N_FOLDS
    return folds


def encode_names(labels: Labels, vectors: WordVectors, threads: int) -> Floats32 | None:
    """Vectors of the names of labels, as texts; None if the name of a label has no words."""
    spelled = [" ".join(find_name_words(str(label))) for label in labels.tolist()]
    return to_units(vectors.encode_texts(spelled, threads=threads)) if all(spelled) else None
