"""Documents of a table, and what it says of them when they are taken out of it."""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.copies import AT_A_TIME, Copies
from tercet.categorizer.held_out import HeldOut
from tercet.categorizer.kept_rows import Part, RowSource
from tercet.categorizer.learned import Learned
from tercet.categorizer.numeric import ColumnNormals
from tercet.categorizer.table_model import TableModel
from tercet.categorizer.table_rows import TableRows, add_rows, taken_out
from tercet.categorizer.training import Training
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, find_labels, place_labels
from tercet.counts.selection import Mask
from tercet.counts.table import CountTable
from tercet.counts.units import ONE, to_numbers
from tercet.errors import NeverLearned
from tercet.kernel import engine
from tercet.models.leave_one_out import Taken
from tercet.models.likelihood import add_prior, warn_of_lost
from tercet.models.naive_bayes import NaiveBayes
from tercet.models.priors import log_priors_left
from tercet.models.smoothing import Smoothing
from tercet.models.smoothing_choice import choose_by_labels, measure_by_labels

if TYPE_CHECKING:
    from tercet.categorizer.margins import Margins


SAMPLE = 2000  # documents that a smoothing is chosen by
MOST_SCORES = 1 << 22  # at a time


class Scored(NamedTuple):
    """Some documents, and what is said of them when they are held out."""

    places: Integers
    log_joint: Floats  # documents × labels
    n_lost: int  # of those that no label makes possible, which get the prior


@dataclass(frozen=True)
class HeldDocuments:
    """Documents of a table, to be taken out of it."""

    model: TableModel
    table: CountTable
    training: Training
    rows: RowSource
    codes: Integers  # the place of each document's label in the table
    moments: LabelMoments | None
    columns: Integers  # the places of the labels that are decided between
    domain_table: CountTable | None  # of the same documents by domain
    domains: TableRows | None  # these in it, where they are taken away together

    @classmethod
    def of(cls, model: TableModel, learned: Learned, training: Training, columns: Integers | None = None) -> "HeldDocuments":
        """Of documents with their rows."""
        table, source = learned.table, training.rows
        assert source is not None
        used = training.codes if training.weights is None else training.codes[training.weights > 0]
        find_labels(training.labels[np.flatnonzero(np.bincount(used))], table.labels)  # an error where one is unknown
        # A document without weight is as good as none, and may have a label that no other has: any place will do.
        places = np.maximum(place_labels(training.labels, table.labels), 0)
        codes = training.codes if (places == np.arange(len(places))).all() else places[training.codes]
        domains = None
        if learned.domains is not None and training.domain_rows is not None and training.domains is not None:
            of_domain = np.maximum(place_labels(training.domains[0], learned.domains.labels), 0)[training.domains[1]]
            domains = TableRows(learned.domains, training.domain_rows, of_domain, training.weights)
        columns = np.arange(len(table.labels)) if columns is None else columns
        return cls(model, table, training, source, codes, learned.moments, columns, learned.domains, domains)

    @property
    def gold(self) -> Labels:
        gold: Labels = self.training.labels[self.training.codes]
        return gold

    def weights(self, places: Integers) -> Integers:
        """Of the documents in these places."""
        weights = self.training.weights
        return np.full(len(places), ONE) if weights is None else weights[places]

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
            n_documents[np.arange(len(lost)), self.codes[lost]] -= self.weights(lost)
            left = to_numbers(n_documents[:, self.columns])
            kept[lost] = log_priors_left(self.model.model.prior, labels[self.columns], left, only_present=True)
            warn_of_lost(int((left > 0).any(axis=1).sum()), len(kept))
        return HeldOut(labels[self.columns], self.gold, kept)

    def describe(self, smoothing: Smoothing | None) -> dict[str, str]:
        """Analyzer and model in one line each; a smoothing that was chosen is named."""
        if self.model.margin is not None:
            weighting = {} if self.model.weighting is None else {"weighting": repr(self.model.weighting)}
            return {"analyzer": self.table.analyzer.signature, "model": repr(self.model.margin)} | weighting
        model = NaiveBayes(**self.model.model.get_params(deep=False))
        if smoothing is not None:
            model.set_params(smoothing=smoothing)
        return {"analyzer": self.table.analyzer.signature, "model": repr(model)}

    def check_learned(self) -> None:
        """An error where the table can't have these documents."""
        own = engine.Counts(len(self.table.labels), self.table.counts.n_terms)
        for places, rows in self.rows.parts():
            if rows.n_unknown().any():
                raise never_learned()
            add_rows(own, rows, self.codes[places], self.weights(places))
        if not self.table.counts.covers(own):
            raise never_learned()

    def choose_smoothing(self) -> Smoothing | None:
        """By the likelihood of the labels, each document left out in its turn; None where it is not to be chosen so.

        Of many documents only some are asked: those with the smallest fingerprints, so that neither the order of the
        documents nor the number of threads changes the choice. The counts are those of all.
        """
        if self.model.chooses_by() != "auto":
            return None
        return choose_by_labels(self.model.left_out(self.table, self.kept), *self._ask_some())

    def measure_smoothings(self, ways: Sequence[Smoothing]) -> Floats:
        """The mean of log P(own label) of the same documents, for each smoothing."""
        rows, codes, weights = self._ask_some()
        left_out = self.model.left_out(self.table, self.kept)
        return np.asarray(measure_by_labels(left_out, rows, codes, weights, ways)) / float(to_numbers(weights).sum())

    def _ask_some(self) -> tuple[engine.Rows, Integers, Integers]:
        """The documents that a smoothing is chosen by: their rows, the places of their labels, their weights."""
        documents = self.sample(SAMPLE)
        rows = engine.Rows.join([rows for _, rows in self.rows.parts(documents)])
        return rows, self.codes[documents], self.weights(documents)

    def sample(self, most: int) -> Integers:
        """Documents with weight, at most so many: those with the smallest fingerprints, in the order of the input."""
        weights, first = self.training.weights, self.training.prints.view(">u8")[::2]
        sample = np.zeros(0, np.int64)
        for begin in range(0, len(self.codes), AT_A_TIME):
            some = np.arange(begin, min(begin + AT_A_TIME, len(self.codes)))
            sample = np.concatenate([sample, some if weights is None else some[weights[some] > 0]])
            if len(sample) > most:
                sample = sample[np.argpartition(first[sample], most)[:most]]  # of copies any will do
        return np.sort(sample)

    def train_margins(self, documents: Integers | None = None, kept: Mask | None = None) -> "Margins":
        """On all documents with the terms that the table selects, or on these with those that are kept."""
        from tercet.categorizer.margin_training import LabelledRows, train_margins  # few models need it

        parts, n_terms = self.rows.parts(documents), self.table.counts.n_terms
        rows = LabelledRows.gather(parts, n_terms, self.codes, self.training.weights, clip=self.model.weighting is None)
        return train_margins(self.model, rows, self.table.labels, self.kept if documents is None else kept)

    def leave_out(self, copies: Copies, smoothing: Smoothing, documents: Integers | None = None) -> Iterator[Scored]:
        """log P(label) + log P(text | label) of each document, or of these, without its copies and itself.

        The selected terms stay.
        """
        members = copies.members
        together = copies.take(self.codes[members], self.weights(members), len(self.table.labels))
        left_out = self.model.left_out(self.table, self.kept)
        left, is_shared = left_out.with_smoothing(smoothing), left_out.likelihood.vocabulary == "shared"
        for places, rows in self._cut(self.rows.parts(documents)):
            own = copies.join(places, Taken.own(self.codes[places], self.weights(places)), together)
            scores = left.score(rows, *own, self.model.threads)
            joint, n_lost = add_prior(scores, left_out.log_priors(own))
            if is_shared:
                self._score_last(rows, own, smoothing, joint)
            yield Scored(places, joint, n_lost)

    def leave_out_together(self, documents: Integers, smoothing: Smoothing | None) -> Iterator[Scored]:
        """The same for documents that are taken away together; terms and a smoothing of the table are chosen anew."""
        of_domains = nullcontext() if self.domains is None else self.domains.without(documents)
        with TableRows(self.table, self.rows, self.codes, self.training.weights).without(documents), of_domains:
            kept = self._select_terms()
            if self.model.margin is not None:
                yield from self._score_margins(documents, kept)
                return
            weights = self._derive_weights(smoothing, kept)
            for places, rows in self._cut(self.rows.parts(documents)):
                yield Scored(places, *self._score(weights, rows))

    def _score_margins(self, documents: Integers, kept: Mask | None) -> Iterator[Scored]:
        """By margins of the others. A label that these do not have has no chance; where they have one alone, it is that one."""
        if np.count_nonzero(self.table.counts.n_documents()) < 2:
            left = self.model.log_prior(self.table, np.arange(len(self.table.labels)))
            yield Scored(documents, np.tile(left, (len(documents), 1)), 0)
            return
        margins = self.train_margins(np.setdiff1d(np.arange(len(self.codes)), documents), kept)
        weights, columns = margins.weights(self.table.table), find_labels(margins.labels, self.table.labels)
        prior = margins.prior(np.arange(len(columns)))
        for places, rows in self._cut(self.rows.parts(documents)):
            joint = np.full((len(places), len(self.table.labels)), -np.inf)
            joint[:, columns] = weights.score(rows, np.arange(len(rows)), self.model.threads) + prior
            yield Scored(places, joint, 0)

    def _score_last(self, rows: engine.Rows, taken: Taken, smoothing: Smoothing, joint: Floats) -> None:
        """Without a label more terms are shared by the rest, and not only the document's own."""
        empties = self.table.counts.n_documents()[taken.labels] <= taken.weights
        document = np.repeat(np.arange(len(rows)), np.diff(taken.starts))
        for i in np.flatnonzero(np.bincount(document, weights=empties, minlength=len(rows))):
            own = taken.pick(int(i), int(i) + 1)
            with taken_out(self.table.counts, rows.pick(np.full(len(own.labels), i)), own.labels, own.weights):
                weights = self._derive_weights(smoothing, self.kept)
                joint[i], _ = self._score(weights, rows.pick(np.array([i])))

    def _derive_weights(self, smoothing: Smoothing | None, kept: Mask | None) -> engine.Weights:
        """By the table as it is now."""
        way = self.model.find_smoothing(self.table, kept) if smoothing is None else smoothing
        return self.model.derive_weights(self.table, way, kept)

    def _score(self, weights: engine.Weights, rows: engine.Rows) -> tuple[Floats, int]:
        scores = weights.score(rows, np.arange(len(rows)), self.model.threads)
        return add_prior(scores, self.model.log_prior(self.table, np.arange(len(self.table.labels))))

    def _select_terms(self) -> Mask | None:
        return self.model.select_terms(self.table, self.domain_table)

    def _cut(self, parts: Iterator[Part]) -> Iterator[Part]:
        """So that not too many scores are there at once."""
        step = max(1, MOST_SCORES // len(self.table.labels))
        for places, rows in parts:
            if len(rows) <= step:
                yield places, rows
                continue
            for begin in range(0, len(rows), step):
                some = np.arange(begin, min(begin + step, len(rows)))
                yield places[some], rows.pick(some)

    def numeric_without(self, documents: Integers) -> Floats | float:
        """What the numeric columns of some documents say when these are taken away together."""
        if self.moments is None:
            return 0.0
        labels, codes, numbers = self.table.labels, self.codes[documents], self.training.numbers[documents]
        taken = LabelMoments.of(numbers, labels, codes, to_numbers(self.weights(documents)), full=False)
        normals = ColumnNormals.of(self.moments - taken)
        return np.asarray(normals.log_densities(numbers).sum(axis=2), np.float64)


def never_learned() -> NeverLearned:
    return NeverLearned("these documents were never learned, or with other weights: they can't be left out.")
