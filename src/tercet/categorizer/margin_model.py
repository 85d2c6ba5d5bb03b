"""Linear models inside a categorizer: margins are trained on the rows of the documents. Two margins cannot be added."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from tercet.arrays import Integers
from tercet.categorizer.margin_training import MarginTrainer
from tercet.categorizer.model import Scored, TextModel, TrainedState
from tercet.categorizer.trained_margins import Layer, MarginWeights, TrainedMargins
from tercet.counts.labels import Labels, find_labels
from tercet.counts.table import CountTable, Mask
from tercet.counts.weighting import Blocks, TermWeighting
from tercet.errors import InvalidOption, bad_option
from tercet.models.bayes_rule import log_priors_left
from tercet.models.linear import LinearModel
from tercet.models.nbsvm import NBSVM

if TYPE_CHECKING:
    from tercet.categorizer.held_out import Copies, HeldDocuments

LOG_TF_IDF = TermWeighting(tf="log", idf="smooth", norm="l2")


@dataclass(frozen=True)
class MarginModel(TextModel):
    """An `NBSVM`, `LinearSVM` or `LogisticRegression` on the documents of a categorizer."""

    estimator: LinearModel

    takes_numbers: ClassVar[bool] = False
    trained_type: ClassVar[type[TrainedState]] = TrainedMargins
    selects_again: ClassVar[bool] = False
    leaves_one_out: ClassVar[bool] = False
    prior: ClassVar[Any] = "empirical"
    clips: ClassVar[bool] = True
    needs_rows: ClassVar[bool] = True

    @classmethod
    def check_options(cls, estimator: Any, min_documents: int, threads: int, weighting: Any) -> Self:
        """The model, with a copy of the estimator, because the user may change the original."""
        if not isinstance(estimator, LinearModel) or "registered_name" not in vars(type(estimator)):
            known = "'auto', a NaiveBayes, NBSVM, LinearSVM, LogisticRegression, Stack or None"
            raise bad_option("model", known, estimator, "it learns from counts.")
        checked = check_weighting(weighting, estimator)
        copy = type(estimator)(**estimator.get_params())
        copy._check_options()
        return cls(copy, min_documents, threads, checked)

    @property
    def kind(self) -> str:
        return self.estimator.registered_name

    def is_like(self, other: TextModel) -> bool:
        return repr((self.estimator, self.weighting)) == repr((other.estimator, other.weighting))

    def known_smoothing(self, trained: TrainedState | None) -> None:
        return None

    def describe(self, trained: TrainedState | None) -> dict[str, str]:
        weighting = {} if self.weighting is None else {"weighting": repr(self.weighting)}
        return {"model": repr(self.estimator)} | weighting

    def train(self, held: "HeldDocuments | None") -> TrainedMargins:
        assert held is not None
        return self._train_on(held, None, held.kept)

    def make_weights(self, table: CountTable, trained: TrainedState | None, labels: Labels, kept: Mask | None) -> MarginWeights:
        assert isinstance(trained, TrainedMargins)
        return trained.make_weights(self.kind, labels, table.table)

    def check_leave_one_out(self) -> None:
        raise InvalidOption(
            "margins would have to be trained again for each document: use cross_validate, which trains them once for "
            "each fold. Only NaiveBayes can leave out documents one by one, because its counts can be subtracted."
        )

    def score_left_out(
        self, held: "HeldDocuments", trained: TrainedState | None, copies: "Copies", documents: Integers | None
    ) -> Iterator[Scored]:
        self.check_leave_one_out()
        return iter(())

    def score_without(
        self, held: "HeldDocuments", trained: TrainedState | None, documents: Integers, kept: Mask | None
    ) -> Iterator[Scored]:
        """Scores by margins that are trained on the other documents. A label that no other document has scores -inf.

        If only one label is left, it is certain.
        """
        if np.count_nonzero(held.table.counts.n_documents()) < 2:
            prior = log_priors_left(self.prior, held.table.labels, held.table.n_documents[None], only_present=True)
            yield Scored(documents, np.repeat(prior, len(documents), axis=0), 0)
            return
        margins = self._train_on(held, np.setdiff1d(np.arange(len(held.codes)), documents), kept)
        weights, columns = margins.make_weights(self.kind, margins.labels), find_labels(margins.labels, held.table.labels)
        for places, rows in held.parts(documents):
            joint = np.full((len(places), len(held.table.labels)), -np.inf)
            joint[:, columns] = weights.score_rows(rows, self.threads) + weights.prior
            yield Scored(places, joint, 0)

    def _train_on(self, held: "HeldDocuments", documents: Integers | None, kept: Mask | None) -> TrainedMargins:
        """Margins trained on all documents, or on these. Their terms are those of `kept` that enough of these documents have.

        Some labels of the table may have no document here.
        """
        blocks = None if self.weighting is None else find_blocks(self.weighting, held.table)
        trainer = MarginTrainer.of(held, blocks)
        fit = trainer.train(self.estimator, self.weighting, terms=kept, documents=documents, min_documents=self.min_documents)
        damping, norm = ("binary", None) if self.weighting is None else (self.weighting.tf, self.weighting.norm)
        return TrainedMargins(fit.labels, (Layer(fit.values, fit.factors, damping, norm or "none"),), fit.bias, blocks)


def find_blocks(weighting: TermWeighting, table: CountTable) -> Blocks | None:
    """The block of each term of the table; None if all terms are in one block."""
    if weighting.blocks is None:
        return None
    if weighting.blocks == "kinds":
        return np.asarray(table.table.character_flags(), np.uint8)
    layout = table.analyzer.layout
    if layout is None or not layout.fields:
        why = "the terms do not know their text columns. Use documents with several text columns, and fields=True."
        raise bad_option("weighting", "TermWeighting(blocks='kinds') or no blocks", weighting, why)
    prefixes = tuple(prefix for prefix, _ in layout.prefixes)
    blocks = [
        next((place for place, prefix in enumerate(prefixes) if term.startswith(prefix)), 0) for term in table.table.terms()
    ]
    return np.array(blocks, np.uint8)


def check_weighting(weighting: Any, estimator: LinearModel) -> TermWeighting | None:
    """The checked weighting; log tf · idf of length 1 by default. None for an NBSVM, which only uses whether a term occurs."""
    if isinstance(estimator, NBSVM):
        if weighting is not None:
            raise bad_option("weighting", "None", weighting, "an NBSVM weighs terms by their log-count ratio.")
        return None
    if weighting is None:
        return LOG_TF_IDF
    if not isinstance(weighting, TermWeighting):
        raise bad_option("weighting", "a TermWeighting or None", weighting, "it turns counts into weights.")
    copy = TermWeighting(**weighting.get_params())
    copy._check_options()
    if not (copy.blocks is None or isinstance(copy.blocks, str)):
        why = "terms are numbered when they are learned, so a list can't name their blocks. Try 'kinds'."
        raise bad_option("weighting", "a TermWeighting with blocks None, 'kinds' or 'fields'", weighting, why)
    return copy
