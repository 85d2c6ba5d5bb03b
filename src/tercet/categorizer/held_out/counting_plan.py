"""How the documents of a categorizer are counted, part by part and anywhere, and how the sum becomes what `fit` gives.

From the counts of each fold follows a model for each fold, of all folds but this one: the counts of a fold are subtracted.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.partial_counts import PartialCounts
from tercet.categorizer.fitted import Fitted
from tercet.categorizer.fitting import WORDS_AND_PAIRS, count_labelled
from tercet.categorizer.held_out.held_out import HeldDocuments
from tercet.categorizer.model.bayes_model import SAMPLE, BayesModel
from tercet.categorizer.model.numeric_columns import ColumnNormals
from tercet.categorizer.model.text_model import TermWeights, TrainedState
from tercet.categorizer.rules import check_rule_labels, decide_labels, match_rules, overrule
from tercet.categorizer.settings import Settings
from tercet.categorizer.state import State
from tercet.counts.document_rows import ReadRows
from tercet.counts.fingerprints import Prints
from tercet.counts.labels import Labels
from tercet.counts.table import CountTable
from tercet.counts.training_data import (
    EncodedBatch,
    LabelledTexts,
    encode_documents,
    fingerprint_labelled,
    no_weight,
)
from tercet.counts.units import check_total
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned
from tercet.kernel import engine
from tercet.models.bayes_rule import add_prior
from tercet.options import n_threads
from tercet.row_table import PackedTexts
from tercet.text.analyzer import Analyzer

if TYPE_CHECKING:
    from tercet.categorizer.files.record import TrainingRecord


@dataclass(frozen=True)
class FoldModel:
    """A naive Bayes that has not learned the documents of one fold. It decides exactly as `cross_validate` does."""

    settings: Settings
    table: CountTable  # has the labels of all documents
    weights: TermWeights
    normals: ColumnNormals | None

    @classmethod
    def of(cls, settings: Settings, trained: TrainedState, total: PartialCounts, fold: PartialCounts) -> "FoldModel":
        """The model of all documents without those of a fold. Terms are selected again without them."""
        table = subtract(total.table, fold.table)
        domains = total.domains
        if domains is not None and fold.domains is not None:
            domains = subtract(domains, fold.domains)
        moments = None if total.moments is None else total.moments.pick(table.labels)
        if moments is not None and fold.moments is not None:
            moments = moments - fold.moments.pick(fold.table.labels)
        kept = settings.select_terms(table, domains)
        weights = settings.model.make_weights(table, trained, table.labels, kept)
        return cls(settings, table, weights, None if moments is None else ColumnNormals.of(moments))

    @property
    def labels(self) -> Labels:
        return self.table.labels

    def predict(self, batch: EncodedBatch) -> Integers:
        """The index of the best label of each document."""
        best = [self._predict_part(texts, batch.numbers[span]) for texts, span in batch.parts()]
        return np.concatenate([np.zeros(0, np.int64), *best])

    def _predict_part(self, texts: engine.Texts, numbers: Floats) -> Integers:
        threads, rules = self.settings.threads, self.settings.rules
        joint, _ = add_prior(self.weights.score_rows(self.table.table.rows(texts, threads), threads), self.weights.prior)
        if self.normals is not None:
            joint = joint + self.normals.log_densities(numbers).sum(axis=2)
        decided = None
        if rules:
            matches = match_rules(rules, PackedTexts(*texts.join()).tolist(), self.table.analyzer)
            decided = decide_labels(rules, matches, self.labels)
        return np.asarray(overrule(joint, decided).argmax(axis=1), np.int64)


def subtract(total: CountTable, part: CountTable) -> CountTable:
    """A copy without the counts of a part. It keeps all labels, also those without documents."""
    left, taken = total.copy(), part.copy()
    taken.align_labels(left.labels)
    left.table.subtract(taken.table)
    return left


@dataclass(frozen=True)
class CountingPlan:
    """The options of a categorizer that counting needs. It can be pickled and sent to other machines.

    >>> from tercet import Categorizer, Documents
    >>> first, second = Documents(["to be"], ["x"]), Documents(["or not"], ["y"])
    >>> plan = CountingPlan.of(Categorizer(), first)
    >>> total = PartialCounts(plan.analyzer)
    >>> for counts in (plan.count([second]), plan.count([first])):
    ...     for shard, part in counts.split(2):
    ...         total.add(part)
    >>> plan.finish(Categorizer(), total).table_ == Categorizer().fit(["to be", "or not"], ["x", "y"]).table_
    True
    """

    settings: Settings
    analyzer: Analyzer
    remember: bool  # whether fingerprints are collected

    @classmethod
    def of(cls, categorizer: Categorizer, first: Documents, *, sums: bool = True) -> "CountingPlan":
        """The plan for documents with the columns of these, which may be empty.

        With `sums`, a categorizer that is more than a sum of counts is refused. Without, the plan can only read documents.
        """
        options = categorizer.check_options()
        settings = options.settings.name_columns(first)
        if sums:
            refuse_others(categorizer, settings)
        analyzer = options.analyzer or WORDS_AND_PAIRS
        return cls(settings, analyzer.replace(layout=settings.layout), options.remember)

    def read(self, documents: Iterable[Documents]) -> Iterator[LabelledTexts]:
        """The documents as they are counted."""
        return self.settings.read_batches(iter(documents), self.analyzer)

    def fingerprint(self, documents: Documents) -> Prints:
        """The fingerprints of the documents."""
        return fingerprint_labelled(self.read([documents]), self.settings.threads)

    def count(self, documents: Iterable[Documents]) -> PartialCounts:
        """The counts of some documents. All of them may have weight 0."""
        return self.count_read(self.read(documents))

    def count_read(self, documents: Iterable[LabelledTexts]) -> PartialCounts:
        data, state = count_labelled(
            documents,
            self.analyzer,
            self.settings.threads,
            remember=self.remember,
            by_domain=self.settings.domain is not None,
        )
        return PartialCounts.of(state, data.labels)

    @property
    def n_sampled(self) -> int:
        """How many documents `finish` needs to choose a smoothing: the smallest fingerprints of a weight above 0."""
        return SAMPLE if self.settings.model.needs_rows else 0

    @property
    def drops_early(self) -> bool:
        """Whether rare terms of a pruned categorizer can be dropped before all counts are together."""
        return self.settings.min_documents > 1 and self.settings.domain is None

    def finish(
        self,
        categorizer: Categorizer,
        counts: PartialCounts,
        sample: Documents | None = None,
        record: "TrainingRecord | None" = None,
    ) -> Categorizer:
        """The categorizer, fitted to all documents that were counted. Needs the `sample` of `n_sampled`."""
        settings, state = self.check(counts, remember=bool(categorizer.remember))
        settings = settings.with_threads(n_threads(categorizer.threads))
        held = None if sample is None else self._hold(settings, state, sample)
        state.trained = settings.model.train(held)
        categorizer.publish(Fitted(settings, state, record=record).mark())
        return categorizer

    def check(self, counts: PartialCounts, *, remember: bool) -> tuple[Settings, State]:
        """The settings and the state for these counts. Raises the errors of `fit` if nothing can be learned from them."""
        if not len(counts.labels):
            raise InvalidLabel("there are no documents, so there is nothing to learn: give at least one.")
        if not len(counts.table.labels):
            raise no_weight()
        check_total(float(counts.table.n_documents.sum()))
        state = counts.to_state(remember=remember)
        settings = self.settings.name_prior(counts.labels)
        settings.model.check(state.table)
        check_rule_labels(settings.rules, state.table.labels)
        return settings, state

    def _hold(self, settings: Settings, state: State, sample: Documents) -> HeldDocuments:
        data, parts = encode_documents(self.read([sample]), settings.threads)
        if state.prints is not None and not state.prints.find_known(data.prints).all():
            raise other_documents()
        rows = ReadRows(state.table.table, parts, settings.threads)
        held = HeldDocuments.of(settings, state, replace(data, rows=rows))
        try:
            held.check_learned()
        except NeverLearned:
            raise other_documents() from None
        return held


def other_documents() -> InvalidOption:
    return InvalidOption(
        "the documents were other ones when they were read again: the data frame depends on chance or changes. Write it to "
        "files, or call df.cache(), and train on that."
    )


def refuse_others(categorizer: Categorizer, settings: Settings) -> None:
    """Raises InvalidOption for a categorizer that is more than its counts."""
    if not isinstance(settings.model, BayesModel):
        raise InvalidOption(
            f"a {type(settings.model.estimator).__name__} is trained on all documents at once, and only counts can be summed "
            "over parts of them: use NaiveBayes, or give `sample`, the number of documents to train on."
        )
    if categorizer.calibrate is not None:
        raise InvalidOption(
            f"calibrate={categorizer.calibrate!r} needs the held-out scores of all documents in one place: train with "
            "calibrate=None, and then call calibrate_on with some thousand documents that were not learned."
        )
    if categorizer.keep_documents:
        raise InvalidOption(
            "keep_documents=True would bring all texts to one machine: train without it. The counts can still learn and forget."
        )
