"""Linear models inside a categorizer: margins are trained on the rows of the documents. Two margins cannot be added.

The rows of the documents are made once, for several models.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.categorizer.model.text_model import Scored, TextModel, TrainedState
from tercet.categorizer.model.trained_margins import MarginLayer, MarginWeights, TrainedMargins
from tercet.counts.labels import Labels, find_labels, index_labels
from tercet.counts.matrices import Matrix, sparse
from tercet.counts.table import CountTable, Mask
from tercet.counts.units import to_numbers
from tercet.counts.weighting import MAX_BLOCKS, Blocks, Idf, TermWeighting, inverse_frequencies
from tercet.errors import InvalidOption, bad_option
from tercet.kernel import engine
from tercet.models.bayes_rule import log_priors_left
from tercet.models.classifier import check_two_labels
from tercet.models.linear import LinearModel
from tercet.models.nbsvm import NBSVM

if TYPE_CHECKING:
    from tercet.categorizer.held_out.held_out import Copies, HeldDocuments

Floats32 = npt.NDArray[np.float32]


class MarginFit(NamedTuple):
    """Trained margins. Two labels have one margin; more labels have one each."""

    labels: Labels  # the labels of the training documents
    values: Floats32  # terms × margins; no terms if no values were wanted
    factors: Floats32  # a factor for each term, before its document is normalized; 0 for a term that is not used
    bias: Floats  # one for each margin
    duals: Floats | None  # the start of another training: documents × margins; None if all labels are one problem
    epochs: Integers  # passes over the documents, for each problem
    scores: Floats  # of the documents of `scored`, documents × labels


class TrainingSet(NamedTuple):
    """The documents of one training. Other documents have weight 0."""

    labels: Labels
    codes: Integers
    weights: Floats
    factors: Floats32
    frequencies: Floats  # the weight of the documents that have each term


@dataclass(frozen=True)
class MarginTrainer:
    """The documents of a categorizer in the order of their fingerprints, so that the order of arrival does not matter."""

    labels: Labels
    indices: Integers  # the index of each row among the documents
    codes: Integers  # the label of each row
    weights: Floats  # the weight of each row
    rows: engine.TextRows
    blocks: Blocks | None  # the block of each term
    threads: int

    @classmethod
    def of(cls, held: "HeldDocuments", blocks: Blocks | None = None) -> "MarginTrainer":
        """The documents with a weight above 0. `blocks` has the block of each term; without it there is one block."""
        units, threads = held.data.weights, held.settings.model.threads
        used = np.arange(len(held.codes)) if units is None else np.flatnonzero(units)
        rows = engine.TextRows(held.table.counts.n_terms, blocks)
        for _, part in held.rows.parts(None if units is None else used):
            rows.append(part, threads)
        order = np.argsort(held.data.prints[used], kind="stable")
        rows.finish(order)
        indices = used[order]
        weights = np.ones(len(indices)) if units is None else to_numbers(units[indices])
        return cls(held.table.labels, indices, held.codes[indices], weights, rows, blocks, threads)

    def count_entries(self, documents: Integers) -> int:
        """The number of terms of the documents at these indices, each counted once for each document."""
        return int(self.rows.count_documents(self.detect_used(documents).astype(np.float64)).sum())

    def train(
        self,
        estimator: LinearModel,
        weighting: TermWeighting | None,
        *,
        terms: Mask | None = None,
        documents: Integers | None = None,
        min_documents: int = 1,
        start: MarginFit | None = None,
        blocks_used: int | None = None,
        scored: Integers | None = None,
        wants_values: bool = True,
        warns: bool = True,
    ) -> MarginFit:
        """Train on all documents, or on those at these indices.

        Terms are those of `terms`, in the first `blocks_used` blocks, that at least `min_documents` of these documents have.
        Frequencies come from these documents alone. Without `weighting`, a term counts once.

        - `start`: a training of the same model on some of these documents. It saves passes.
        - `scored`: the indices of documents to score.
        - `wants_values`: without values the margins can only score these documents, and take less memory.
        - `warns`: warn if it does not converge. Nobody can do anything about it if nobody has chosen the model.
        """
        model = type(estimator)(**estimator.get_params() | {"threads": self.threads})
        terms = self._choose_terms(terms, blocks_used)
        training = self._choose_documents(documents, terms, min_documents, None if weighting is None else weighting.idf)
        check_two_labels(training.labels)
        weigher = Weigher.of(weighting, training.factors, min(blocks_used or MAX_BLOCKS, self.rows.n_blocks))
        indices = np.zeros(0, np.int64) if scored is None else self.find_rows(scored)
        loss = model._one_vs_rest_loss(len(training.labels))
        if loss is None:
            return self._train_jointly(model, training, weigher, indices)
        kept = training.weights > 0
        ratios = model._ratio_options()
        values, bias, duals, epochs, gaps, margins = self.rows.fit_margins(
            training.codes,
            training.weights,
            model._weigh_labels(training.labels, training.codes[kept], training.weights[kept]),
            float(model.C),
            weigher,
            None if ratios is None else (training.frequencies, *ratios),
            loss,
            model._descent(),
            None if start is None else self._move_duals(start, training.labels),
            indices,
            wants_values,
            self.threads,
        )
        if warns:
            model._check_gaps(gaps)
        check_finite(model.C, values, bias)
        scores = np.hstack([-margins / 2, margins / 2]) if len(training.labels) == 2 else margins
        return MarginFit(training.labels, values, training.factors, bias, duals, epochs, scores)

    def _choose_terms(self, terms: Mask | None, blocks_used: int | None) -> Mask | None:
        if blocks_used is None or self.blocks is None:
            return terms
        used = (self.blocks < blocks_used).astype(np.uint8)
        return used if terms is None else used & terms[: len(used)]

    def _choose_documents(
        self, documents: Integers | None, terms: Mask | None, min_documents: int, idf: Idf | None
    ) -> TrainingSet:
        weights = self.weights if documents is None else self.weights * self.detect_used(documents)
        present = np.flatnonzero(np.bincount(self.codes[weights > 0], minlength=len(self.labels)))
        indices = np.zeros(len(self.labels), np.int64)  # other labels have no weight here, so any index is right
        indices[present] = np.arange(len(present))
        frequencies = self.rows.count_documents(weights)
        known = frequencies >= min_documents if min_documents > 1 else frequencies > 0
        known = known if terms is None else known & (terms[: len(known)] > 0)
        # In 32 bits, because decisions are made with 32 bits.
        factors = inverse_frequencies(frequencies, float(weights.sum()), idf).astype(np.float32) * known
        return TrainingSet(self.labels[present], indices[self.codes], weights, factors, frequencies)

    def detect_used(self, documents: Integers) -> Flags:
        """Which rows are those of the documents at these indices."""
        is_used = np.zeros(max(int(each.max(initial=-1)) for each in (self.indices, documents)) + 1, np.bool_)
        is_used[documents] = True
        return is_used[self.indices]

    def find_rows(self, documents: Integers) -> Integers:
        """The rows of the documents at these indices."""
        rows = np.full(int(self.indices.max(initial=-1)) + 1, -1)
        rows[self.indices] = np.arange(len(self.indices))
        return rows[documents]

    def _move_duals(self, start: MarginFit, labels: Labels) -> Floats | None:
        """The duals of another training for these labels. A label that it did not have begins anew."""
        if start.duals is None or (len(start.labels) == 2) != (len(labels) == 2):
            return None
        if len(labels) == 2:
            return start.duals if (start.labels == labels).all() else None
        indices = index_labels(labels, start.labels)
        return np.ascontiguousarray(np.where(indices >= 0, start.duals[:, indices], np.nan))

    def _train_jointly(self, model: LinearModel, training: TrainingSet, weigher: "Weigher", scored: Integers) -> MarginFit:
        """All labels in one problem, on a matrix of the documents."""
        kept = np.flatnonzero(training.weights > 0)
        n_terms = len(training.factors)
        matrix = Matrix(*self.rows.matrix(kept, weigher, self.threads), n_terms)
        fitted = model._fit_matrix(matrix, training.labels, training.codes[kept], training.weights[kept])
        ends, terms, numbers = self.rows.matrix(scored, weigher, self.threads)
        X = sparse().csr_matrix((numbers, terms, ends), shape=(len(scored), n_terms))
        values = np.ascontiguousarray(fitted.coef_.T, np.float32)
        check_finite(model.C, values, fitted.intercept_)
        margins = np.asarray(X @ fitted.coef_.T + fitted.intercept_)
        scores = np.hstack([-margins / 2, margins / 2]) if len(training.labels) == 2 else margins
        return MarginFit(training.labels, values, training.factors, fitted.intercept_, None, fitted.n_iter_, scores)


class Weigher(NamedTuple):
    """How counts become values, as the kernel takes it."""

    factors: Floats32
    damping: str
    norm: str
    by_block: bool
    n_blocks: int

    @classmethod
    def of(cls, weighting: TermWeighting | None, factors: Floats32, n_blocks: int) -> "Weigher":
        if weighting is None:
            return cls(factors, "binary", "none", by_block=False, n_blocks=n_blocks)
        return cls(factors, weighting.tf, weighting.norm or "none", weighting.blocks is not None, n_blocks)


def check_finite(C: float, *weights: Array) -> None:
    """Raises InvalidOption if a weight is too large for 32 bits."""
    with np.errstate(over="ignore"):
        if not all(np.isfinite(some.astype(np.float32, copy=False)).all() for some in weights):
            raise bad_option("C", "a smaller number", C, "margins became too large to be weights. Try 1.0.")


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
        return cls(estimator.copy_checked(), min_documents, threads, checked)

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
            yield Scored(documents, np.repeat(prior, len(documents), axis=0))
            return
        margins = self._train_on(held, np.setdiff1d(np.arange(len(held.codes)), documents), kept)
        weights, columns = margins.make_weights(self.kind, margins.labels), find_labels(margins.labels, held.table.labels)
        for indices, rows in held.parts(documents):
            joint = np.full((len(indices), len(held.table.labels)), -np.inf)
            joint[:, columns] = weights.score_rows(rows, self.threads) + weights.prior
            if margins.added is not None:
                joint[:, columns] += held.score_block(margins.added, indices, rows)
            yield Scored(indices, joint)

    def _train_on(self, held: "HeldDocuments", documents: Integers | None, kept: Mask | None) -> TrainedMargins:
        """Margins trained on all documents, or on these. Their terms are those of `kept` that enough of these documents have.

        Some labels of the table may have no document here.
        """
        blocks = None if self.weighting is None else assign_blocks(self.weighting, held.table)
        trainer = MarginTrainer.of(held, blocks)
        fit = trainer.train(self.estimator, self.weighting, terms=kept, documents=documents, min_documents=self.min_documents)
        damping, norm = ("binary", None) if self.weighting is None else (self.weighting.tf, self.weighting.norm)
        return TrainedMargins(fit.labels, (MarginLayer(fit.values, fit.factors, damping, norm or "none"),), fit.bias, blocks)


def assign_blocks(weighting: TermWeighting, table: CountTable) -> Blocks | None:
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
        next((index for index, prefix in enumerate(prefixes) if term.startswith(prefix)), 0) for term in table.table.terms()
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
    copy = weighting.copy_checked()
    if not (copy.blocks is None or isinstance(copy.blocks, str)):
        why = "terms are numbered when they are learned, so a list can't name their blocks. Try 'kinds'."
        raise bad_option("weighting", "a TermWeighting with blocks None, 'kinds' or 'fields'", weighting, why)
    return copy
