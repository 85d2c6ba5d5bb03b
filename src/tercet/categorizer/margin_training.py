"""Training of linear models on the documents of a categorizer. The rows of the documents are made once, for several models."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels
from tercet.counts.table import Mask
from tercet.counts.term_matrix import Matrix
from tercet.counts.units import to_numbers
from tercet.counts.weighting import TermWeighting, inverse_frequencies, weigh_counts
from tercet.errors import bad_option
from tercet.models.linear import LinearModel

if TYPE_CHECKING:
    from tercet.categorizer.held_out import HeldDocuments

Floats32 = npt.NDArray[np.float32]
Blocks = npt.NDArray[np.uint8]


class MarginFit(NamedTuple):
    """Trained margins. Two labels have one margin; more labels have one each."""

    labels: Labels  # the labels of the training documents
    values: Floats32  # terms × margins
    factors: Floats32  # a factor for each term, before its document is normalized; 0 for a term that is not used
    bias: Floats  # one for each margin
    duals: Any  # the start of another training
    epochs: Integers  # passes over the documents, for each problem


@dataclass(frozen=True)
class MarginTrainer:
    """The documents of a categorizer in the order of their fingerprints, so that the order of arrival does not matter."""

    labels: Labels
    places: Integers  # the place of each row among the documents
    codes: Integers  # the label of each row
    weights: Floats | None  # the weight of each row; None if all are 1
    matrix: Matrix
    blocks: Blocks | None  # the block of each term; None for one block
    threads: int

    @classmethod
    def of(cls, held: "HeldDocuments", blocks: Blocks | None = None) -> "MarginTrainer":
        """The documents with a weight above 0. `blocks` has the block of each term."""
        places, matrix = Matrix.of_rows(held.rows.parts(), held.table.counts.n_terms, held.data.weights, clip=False)
        order = np.argsort(held.data.prints[places], kind="stable")
        places, matrix = places[order], matrix.pick(order)
        weights = None if held.data.weights is None else to_numbers(held.data.weights[places])
        return cls(held.table.labels, places, held.codes[places], weights, matrix, blocks, held.settings.model.threads)

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
    ) -> MarginFit:
        """Train on all documents, or on those at these places.

        Terms are those of `terms`, in the first `blocks_used` blocks, that at least `min_documents` of these documents have.
        Frequencies come from these documents alone. `start` is another training on some of these documents: it saves passes.
        Without `weighting`, a term counts once. Some labels may have no document here.
        """
        kept = np.arange(len(self.places)) if documents is None else np.flatnonzero(np.isin(self.places, documents))
        matrix = self.matrix if documents is None else self.matrix.pick(kept)
        weights = None if self.weights is None else self.weights[kept]
        present, codes = np.unique(self.codes[kept], return_inverse=True)
        frequencies = matrix.count_documents(np.zeros_like(codes), 1, weights)[0]
        known = frequencies >= min_documents if min_documents > 1 else frequencies > 0
        known = known if terms is None else known & (terms[: len(known)] > 0)
        if blocks_used is not None and self.blocks is not None:
            known = known & (self.blocks < blocks_used)
        matrix = matrix.keep(known)
        n_documents = float(len(codes) if weights is None else weights.sum())
        idf = None if weighting is None else weighting.idf
        # In 32 bits, because decisions are made with 32 bits.
        factors = inverse_frequencies(frequencies, n_documents, idf).astype(np.float32) * known
        values = None if weighting is None else self._weigh(matrix, weighting, factors.astype(np.float64))
        ones = np.ones(len(codes)) if weights is None else weights
        labels = self.labels[present]
        model = type(estimator)(**estimator.get_params() | {"threads": self.threads})
        fitted = model._fit_matrix(matrix._replace(values=values), labels, codes, ones)
        of_terms = shorten(np.ascontiguousarray(fitted.coef_.T), model.C)
        shorten(fitted.intercept_, model.C)  # only checks that it is not too large; the bias keeps 64 bits
        return MarginFit(labels, of_terms, factors, fitted.intercept_, None, fitted.n_iter_)

    def _weigh(self, matrix: Matrix, weighting: TermWeighting, factors: Floats) -> Floats:
        """The weights of the entries. Each block of a document is normed on its own, if the weighting has blocks."""
        blocks = None if weighting.blocks is None else self.blocks
        arrays = matrix.ends, matrix.columns, matrix.values
        return weigh_counts(*arrays, weighting.tf, factors, weighting.norm, blocks, self.threads)


def shorten(weights: Floats, C: float) -> Floats32:
    """The weights in 32 bits. Raises InvalidOption if they are too large for that."""
    with np.errstate(over="ignore"):
        short = weights.astype(np.float32)
    if not np.isfinite(short).all():
        raise bad_option("C", "a smaller number", C, "margins became too large to be weights. Try 1.0.")
    return short
