"""Training of linear models on the documents of a categorizer. The rows of the documents are made once, for several models."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Floats, Integers
from tercet.counts.labels import Labels, place_labels
from tercet.counts.matrix_checks import sparse
from tercet.counts.table import Mask
from tercet.counts.term_matrix import Matrix
from tercet.counts.units import to_numbers
from tercet.counts.weighting import MOST_BLOCKS, Blocks, Idf, TermWeighting, inverse_frequencies
from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.models.classifier import check_two_labels
from tercet.models.linear import LinearModel

if TYPE_CHECKING:
    from tercet.categorizer.held_out import HeldDocuments

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
    places: Integers  # the place of each row among the documents
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
        places = used[order]
        weights = np.ones(len(places)) if units is None else to_numbers(units[places])
        return cls(held.table.labels, places, held.codes[places], weights, rows, blocks, threads)

    def count_entries(self, documents: Integers) -> int:
        """The number of terms of the documents at these places, each counted once for each document."""
        return int(self.rows.count_documents(self._find_used(documents).astype(np.float64)).sum())

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
    ) -> MarginFit:
        """Train on all documents, or on those at these places.

        Terms are those of `terms`, in the first `blocks_used` blocks, that at least `min_documents` of these documents have.
        Frequencies come from these documents alone. Without `weighting`, a term counts once.

        - `start`: a training of the same model on some of these documents. It saves passes.
        - `scored`: the places of documents to score.
        - `wants_values`: without values the margins can only score these documents, and take less memory.
        """
        model = type(estimator)(**estimator.get_params() | {"threads": self.threads})
        terms = self._choose_terms(terms, blocks_used)
        training = self._choose_documents(documents, terms, min_documents, None if weighting is None else weighting.idf)
        check_two_labels(training.labels)
        weigher = Weigher.of(weighting, training.factors, min(blocks_used or MOST_BLOCKS, self.rows.n_blocks))
        places = np.zeros(0, np.int64) if scored is None else self._find_rows(scored)
        loss = model._one_vs_rest_loss(len(training.labels))
        if loss is None:
            return self._train_jointly(model, training, weigher, places)
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
            places,
            wants_values,
            self.threads,
        )
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
        weights = self.weights if documents is None else self.weights * self._find_used(documents)
        present = np.flatnonzero(np.bincount(self.codes[weights > 0], minlength=len(self.labels)))
        places = np.zeros(len(self.labels), np.int64)  # other labels have no weight here, so any place is right
        places[present] = np.arange(len(present))
        frequencies = self.rows.count_documents(weights)
        known = frequencies >= min_documents if min_documents > 1 else frequencies > 0
        known = known if terms is None else known & (terms[: len(known)] > 0)
        # In 32 bits, because decisions are made with 32 bits.
        factors = inverse_frequencies(frequencies, float(weights.sum()), idf).astype(np.float32) * known
        return TrainingSet(self.labels[present], places[self.codes], weights, factors, frequencies)

    def _find_used(self, documents: Integers) -> Flags:
        """Which rows are those of the documents at these places."""
        is_used = np.zeros(max(int(each.max(initial=-1)) for each in (self.places, documents)) + 1, np.bool_)
        is_used[documents] = True
        return is_used[self.places]

    def _find_rows(self, documents: Integers) -> Integers:
        """The rows of the documents at these places."""
        rows = np.full(int(self.places.max(initial=-1)) + 1, -1)
        rows[self.places] = np.arange(len(self.places))
        return rows[documents]

    def _move_duals(self, start: MarginFit, labels: Labels) -> Floats | None:
        """The duals of another training for these labels. A label that it did not have begins anew."""
        if start.duals is None or (len(start.labels) == 2) != (len(labels) == 2):
            return None
        if len(labels) == 2:
            return start.duals if (start.labels == labels).all() else None
        places = place_labels(labels, start.labels)
        return np.ascontiguousarray(np.where(places >= 0, start.duals[:, places], np.nan))

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
