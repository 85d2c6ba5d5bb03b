"""The terms and weights of a compact categorizer as few bytes: hash tables are left out, and equal weights are kept once."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers
from tercet.kernel import engine


class PackedWeights(NamedTuple):
    """As the kernel packs them: the cells of term t are starts[t] … starts[t + 1]."""

    of_label: npt.NDArray[np.float64]
    offset: npt.NDArray[np.float64]
    of_term: npt.NDArray[np.float32]
    starts: Integers
    labels: Integers
    values: npt.NDArray[np.float32]

    def pick(self, columns: Integers) -> "PackedWeights":
        """The weights of some labels alone."""
        kept = np.isin(self.labels, columns)
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        labels = np.searchsorted(columns, self.labels[kept])
        return PackedWeights(self.of_label[columns], self.offset[columns], self.of_term, starts, labels, self.values[kept])


def narrow(numbers: Array) -> Array:
    """The same numbers, which are not below zero, in as few bytes as they need."""
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))


def pack_terms(table: engine.Table, terms: Integers) -> dict[str, Array]:
    """These terms of a table. The hash tables are built again when they are needed."""
    vocabulary = {name: array for name, array in table.freeze(terms).items() if not name.endswith((".slots", ".seed"))}
    return vocabulary | {name: narrow(array) for name, array in vocabulary.items() if name.endswith(".ends")}


def pack_weights(weights: PackedWeights) -> dict[str, Array]:
    term_book, term_codes = np.unique(weights.of_term, return_inverse=True)
    cell_book, cell_codes = np.unique(weights.values, return_inverse=True)
    return {
        "of_label": weights.of_label,
        "offset": weights.offset,
        "sizes": narrow(np.diff(weights.starts)),
        "labels": narrow(weights.labels),
        "term_book": term_book,
        "term_codes": narrow(term_codes),
        "cell_book": cell_book,
        "cell_codes": narrow(cell_codes),
    }


def unpack_weights(arrays: Mapping[str, Array]) -> PackedWeights:
    starts = np.concatenate([[0], np.cumsum(arrays["sizes"], dtype=np.int64)])
    of_term, values = arrays["term_book"][arrays["term_codes"]], arrays["cell_book"][arrays["cell_codes"]]
    return PackedWeights(arrays["of_label"], arrays["offset"], of_term, starts, arrays["labels"].astype(np.int64), values)


def open_terms(recipe: engine.Recipe, arrays: Mapping[str, Array], n_labels: int, n_terms: int) -> engine.Table:
    """The terms alone, in a table without counts."""
    vocabulary = {name: array for name, array in arrays.items() if "." in name}
    vocabulary |= {name: array.astype(np.uint64) for name, array in vocabulary.items() if name.endswith(".ends")}
    nothing = np.zeros(0, np.int64)
    counts = engine.Counts(n_labels, n_terms)
    return engine.Table.open(recipe, vocabulary, counts, nothing, nothing, nothing)
