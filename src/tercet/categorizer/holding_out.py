"""Leave-one-out and cross-validation by subtraction: the counts of what is held out are taken away, and put back."""

from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tercet.categorizer.held_out import HeldOut, take_copies
from tercet.categorizer.numeric import ColumnNormals
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.table_rows import TableRows, read_rows, taken_out
from tercet.categorizer.training import Learned, Training
from tercet.counts.fingerprints import Words
from tercet.counts.label_counts import place_labels
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels, find_labels
from tercet.counts.selector import Mask
from tercet.counts.table import CountTable
from tercet.counts.units import to_numbers
from tercet.errors import NeverLearned
from tercet.evaluation.folds import assign_folds
from tercet.kernel import engine
from tercet.models.leave_one_out import LeaveOneOut, Taken
from tercet.models.likelihood import join_prior, warn_of_lost
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.priors import log_priors_left
from tercet.models.smoothing import Smoothing
from tercet.models.smoothing_choice import choose_by_labels
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
    domains: TableRows | None  # the same documents in a table of their domains

    @classmethod
    def of(cls, model: TableModel, learned: Learned, training: Training, columns: Integers | None = None) -> "HeldDocuments":
        table = learned.table
        rows = read_rows(table, learned.parts, model.threads)
        codes, gold = place_labels(training.labels, table.labels)[training.codes], training.labels[training.codes]
        find_labels(gold[training.units > 0], table.labels)  # an error where one is unknown
        codes[training.units == 0] = 0  # as good as no document: it may have a label that no other has
        columns = np.arange(len(table.labels)) if columns is None else columns
        domains = None
        if learned.domains is not None and training.domains is not None:
            domains = TableRows.of(learned.domains, learned.parts, *training.domains, model.threads)
        return cls(model, table, rows, codes, training.units, gold, training.numbers, learned.moments, columns, domains)

    @cached_property
    def kept(self) -> Mask | None:
        """The terms that are selected where nothing is taken away."""
        return self._select_terms()

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

    def describe(self, smoothing: Smoothing | None) -> dict[str, str]:
        """Analyzer and model in one line each; a smoothing that was chosen is named."""
        model = NaiveBayes(**self.model.model.get_params(deep=False))
        if smoothing is not None:
            model.set_params(smoothing=smoothing)
        return {"analyzer": self.table.analyzer.signature, "model": repr(model)}

    def check_learned(self) -> None:
        """An error where the table can't have these documents."""
        own = engine.Counts(len(self.table.labels), self.table.counts.n_terms)
        own.add_rows(self.rows, np.arange(len(self.codes)), self.codes, self.weights)
        if self.rows.n_unknown().any() or not self.table.counts.covers(own):
            raise NeverLearned("these documents were never learned, or with other weights: they can't be left out.")

    def choose_smoothing(self) -> Smoothing:
        """By the likelihood of the labels, each document left out in its turn."""
        return choose_by_labels(self._left_out(Taken.own(self.codes, self.weights)))

    def score_one_by_one(self, taken: Taken, smoothing: Smoothing) -> Floats:
        """log P(label) + log P(text | label) of each document without what is taken with it. The selected terms stay."""
        left_out = self._left_out(taken)
        scores = left_out.log_joint(smoothing)
        if left_out.likelihood.vocabulary == "shared":
            # Without a label more terms are shared by the rest, and not only the document's own.
            for i in np.flatnonzero(self._last_of_label(taken)):
                span = slice(taken.starts[i], taken.starts[i + 1])
                rows = self.rows.pick(np.full(len(taken.labels[span]), i))
                with taken_out(self.table.counts, rows, taken.labels[span], taken.weights[span]):
                    scores[i] = self._score(np.array([i]), smoothing, self.kept)
        return scores

    def score_without(self, documents: Integers, smoothing: Smoothing | None) -> Floats:
        """The same for documents that are taken away together; terms and a smoothing of the table are chosen anew."""
        weights = self.weights[documents]
        of_domains = nullcontext() if self.domains is None else self.domains.without(documents, weights)
        with TableRows(self.table, self.rows, self.codes).without(documents, weights), of_domains:
            return self._score(documents, smoothing, self._select_terms())

    def _score(self, documents: Integers, smoothing: Smoothing | None, kept: Mask | None) -> Floats:
        """By the table as it is now."""
        way = self.model.find_smoothing(self.table, kept) if smoothing is None else smoothing
        scores = self.model.derive_weights(self.table, way, kept).score(self.rows, documents, self.model.threads)
        return join_prior(scores, self.model.log_prior(self.table, np.arange(len(self.table.labels))))

    def _select_terms(self) -> Mask | None:
        return self.model.select_terms(self.table, None if self.domains is None else self.domains.table)

    def _left_out(self, taken: Taken) -> LeaveOneOut:
        return self.model.left_out(self.table, self.rows, taken, self.kept)

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
    recipe = held.describe(smoothing) | {"left_out": f"one+copies={copies}"}
    return replace(held.tell(scores), selection="fixed" if held.model.selects else "", recipe=recipe)


def cross_validate(held: HeldDocuments, folds: int, seed: int, smoothing: Smoothing | None) -> HeldOut:
    """What the table without each fold says of its documents."""
    fold_of = assign_folds(encode_labels(held.gold)[1], folds, seed)
    scores = np.empty((len(fold_of), len(held.table.labels)))
    for fold in range(folds):
        (documents,) = np.nonzero(fold_of == fold)
        scores[documents] = held.score_without(documents, smoothing) + held.numeric_without(documents, documents)
    recipe = held.describe(smoothing) | {"folds": f"{folds}+seed={seed}"}
    return replace(held.tell(scores), selection="anew" if held.model.selects else "", recipe=recipe)
