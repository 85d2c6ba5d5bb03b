"""Leave-one-out and cross-validation by subtraction: the counts of what is held out are taken away, and put back."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tercet.categorizer.held_out import HeldOut, take_copies
from tercet.categorizer.numeric import ColumnNormals
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.training import Learned, Training
from tercet.counts.fingerprints import Words
from tercet.counts.label_counts import place_labels
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels, find_labels
from tercet.counts.table import CountTable
from tercet.counts.units import to_numbers
from tercet.errors import NeverLearned
from tercet.evaluation.folds import assign_folds
from tercet.kernel import engine
from tercet.models.leave_one_out import Taken
from tercet.models.likelihood import join_prior, warn_of_lost
from tercet.models.priors import log_priors_left
from tercet.models.smoothing import Smoothing
from tercet.options import check_choice

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class HeldDocuments:
    """Documents of a table, to be taken out of it."""

    model: TableModel
    table: CountTable
    rows: engine.Rows
    codes: Integers  # the place of each document's label in the table
    weights: Integers
    gold: Labels
    numbers: Floats
    moments: LabelMoments | None
    columns: Integers  # the places of the labels that are decided between

    @classmethod
    def of(cls, model: TableModel, learned: Learned, training: Training, columns: Integers | None = None) -> "HeldDocuments":
        table = learned.table
        rows = engine.Rows.join([table.table.rows(part, model.threads) for part in learned.parts])
        codes, gold = place_labels(training.labels, table.labels)[training.codes], training.labels[training.codes]
        find_labels(gold[training.units > 0], table.labels)  # an error where one is unknown
        codes[training.units == 0] = 0  # as good as no document: it may have a label that no other has
        columns = np.arange(len(table.labels)) if columns is None else columns
        return cls(model, table, rows, codes, training.units, gold, training.numbers, learned.moments, columns)

    def tell(self, scores: Floats) -> HeldOut:
        """The scores of all labels, for those that are decided between."""
        labels, kept = self.table.labels, scores[:, self.columns]
        lost = np.flatnonzero(np.isneginf(kept).all(axis=1))
        if len(lost):  # none of the labels that are left is possible: only the prior is left to decide
            n_documents = np.tile(self.table.counts.n_documents(), (len(lost), 1))
            n_documents[np.arange(len(lost)), self.codes[lost]] -= self.weights[lost]
            left = to_numbers(n_documents[:, self.columns])
            kept[lost] = log_priors_left(self.model.model.prior, labels[self.columns], left, only_present=True)
            warn_of_lost(int((left > 0).any(axis=1).sum()), len(kept))
        return HeldOut(labels[self.columns], self.gold, kept)

    def check_learned(self) -> None:
        """An error where the table can't have these documents."""
        own = engine.Counts(len(self.table.labels), self.table.counts.n_terms)
        own.add_rows(self.rows, np.arange(len(self.codes)), self.codes, self.weights)
        if self.rows.n_unknown().any() or not self.table.counts.covers(own):
            raise NeverLearned("these documents were never learned, or with other weights: they can't be left out.")

    def choose_smoothing(self) -> Smoothing:
        """By the likelihood of the labels, each document left out in its turn."""
        return self.model.choose_by_labels(self.table, self.rows, Taken.own(self.codes, self.weights))

    def score_one_by_one(self, taken: Taken, smoothing: Smoothing) -> Floats:
        """log P(label) + log P(text | label) of each document without what is taken with it."""
        left_out = self.model.left_out(self.table, self.rows, taken)
        scores = left_out.log_joint(smoothing)
        if left_out.likelihood.vocabulary == "shared":
            # Without a label more terms are shared by the rest, and not only the document's own.
            for i in np.flatnonzero(self._last_of_label(taken)):
                span = slice(taken.starts[i], taken.starts[i + 1])
                scores[i] = self._score_without(
                    np.full(len(taken.labels[span]), i), taken.labels[span], taken.weights[span], np.array([i]), smoothing
                )
        return scores

    def score_without(self, documents: Integers, smoothing: Smoothing | None) -> Floats:
        """The same for documents that are taken away together; a smoothing of the table is chosen anew."""
        return self._score_without(documents, self.codes[documents], self.weights[documents], documents, smoothing)

    def _score_without(
        self, documents: Integers, labels: Integers, weights: Integers, scored: Integers, smoothing: Smoothing | None
    ) -> Floats:
        counts = self.table.counts
        rows = self.rows.pick(documents)
        everything = np.arange(len(documents))
        counts.add_rows(rows, everything, labels, -weights)
        try:
            way = self.model.find_smoothing(self.table) if smoothing is None else smoothing
            scores = self.model.derive_weights(self.table, way).score(self.rows, scored, self.model.threads)
            return join_prior(scores, self.model.log_prior(self.table, np.arange(len(self.table.labels))))
        finally:
            counts.add_rows(rows, everything, labels, weights)

    def _last_of_label(self, taken: Taken) -> npt.NDArray[np.bool_]:
        empties = self.table.counts.n_documents()[taken.labels] <= taken.weights
        document = np.repeat(np.arange(len(self.codes)), np.diff(taken.starts))
        return np.bincount(document, weights=empties, minlength=len(self.codes)) > 0

    def numeric_without(self, held: Integers, scored: Integers) -> Floats | float:
        """What the numeric columns of some documents say when others are taken away."""
        if self.moments is None:
            return 0.0
        labels, codes = self.table.labels, self.codes[held]
        taken = LabelMoments.of(self.numbers[held], labels, codes, to_numbers(self.weights[held]), full=False)
        normals = ColumnNormals.of(self.moments - taken)
        return np.asarray(normals.log_densities(self.numbers[scored]).sum(axis=2), np.float64)


def leave_one_out(held: HeldDocuments, texts: Words, copies: str, smoothing: Smoothing) -> HeldOut:
    """What the table without each document says of it; with copies="all", without all that have the same text."""
    check_choice("copies", copies, ("own", "all"))
    groups = np.arange(len(held.codes))
    taken = Taken.own(held.codes, held.weights)
    if copies == "all":
        taken = take_copies(texts, held.codes, held.weights, len(held.table.labels))
        groups = np.unique(texts, axis=0, return_inverse=True)[1].ravel()
    scores = held.score_one_by_one(taken, smoothing)
    if held.moments is not None:
        order = np.argsort(groups, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(groups[order])) + 1):
            scores[group] += held.numeric_without(group, group)
    return held.tell(scores)


def cross_validate(held: HeldDocuments, folds: int, seed: int, smoothing: Smoothing | None) -> HeldOut:
    """What the table without each fold says of its documents."""
    fold_of = assign_folds(encode_labels(held.gold)[1], folds, seed)
    scores = np.empty((len(fold_of), len(held.table.labels)))
    for fold in range(folds):
        (documents,) = np.nonzero(fold_of == fold)
        scores[documents] = held.score_without(documents, smoothing) + held.numeric_without(documents, documents)
    return held.tell(scores)
