"""What a table holds as arrays for a file: whole numbers, no wider than they need to be. Equal tables have equal arrays."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.counts.units import ONE
from tercet.kernel import engine

TableArrays = Mapping[str, npt.NDArray[Any]]

IN_UNITS = ("label_documents", "occurrences", "documents", "length_documents")


def pack_numbers(arrays: dict[str, Integers]) -> dict[str, npt.NDArray[Any]]:
    """Counts, in units of 2⁻²⁰, as whole documents where all are whole: `unit` tells how many units make one.

    >>> packed = pack_numbers({"occurrences": np.array([1, 300]) * ONE, "labels": np.array([0, 1])})
    >>> packed["occurrences"], packed["labels"], packed["unit"] == ONE
    (array([  1, 300], dtype=uint16), array([0, 1], dtype=uint8), array([ True]))
    """
    counts = [arrays[name] for name in IN_UNITS if name in arrays]
    unit = ONE if all((count % ONE == 0).all() for count in counts) else 1
    whole = {name: array // unit if name in IN_UNITS else array for name, array in arrays.items()}
    return {name: array.astype(np.min_scalar_type(array.max(initial=0))) for name, array in whole.items()} | {
        "unit": np.array([unit], np.uint32)
    }


def unpack_numbers(arrays: TableArrays) -> dict[str, Integers]:
    """The same numbers in 64 bits, counts in units of 2⁻²⁰."""
    unit = int(arrays["unit"][0])
    wide = {name: array.astype(np.int64) for name, array in arrays.items() if "." not in name}
    return {name: array * unit if name in IN_UNITS else array for name, array in wide.items()}


def pack_table(table: engine.Table) -> dict[str, npt.NDArray[Any]]:
    """The terms that some document has, in canonical order, and their counts.

    The vocabulary is there with its hash tables, to be used where it lies. Then how many cells each term has, the cells of
    all terms, the documents of each label, and how many documents of a label have a length.
    """
    met, sizes, labels, occurrences, documents = find_met(table)
    length_labels, lengths, length_documents = table.lengths()
    return table.freeze(met) | pack_numbers(
        {
            "label_documents": table.counts.n_documents(),
            "sizes": sizes,
            "labels": labels,
            "occurrences": occurrences,
            "documents": documents,
            "length_labels": length_labels,
            "lengths": lengths,
            "length_documents": length_documents,
        }
    )


def find_met(table: engine.Table) -> tuple[Integers, Integers, Integers, Integers, Integers]:
    """The numbers of the terms that some document has, in canonical order; how many cells each has, and the cells."""
    order = table.order()
    starts, labels, occurrences, documents = table.counts.cells(order)
    sizes = np.diff(starts)
    met = sizes > 0  # what is forgotten has no cells
    return order[met], sizes[met], labels, occurrences, documents


def open_table(recipe: engine.Recipe, arrays: TableArrays) -> engine.Table:
    """The table; its vocabulary stays where it lies."""
    counts = engine.Counts.from_cells(
        arrays["label_documents"],
        arrays["sizes"],
        arrays["labels"],
        arrays["occurrences"],
        arrays["documents"],
        unit=int(arrays["unit"][0]),
    )
    vocabulary = {name: array for name, array in arrays.items() if "." in name}
    lengths = unpack_numbers({name: arrays[name] for name in ("unit", "length_labels", "lengths", "length_documents")})
    return engine.Table.open(
        recipe, vocabulary, counts, lengths["length_labels"], lengths["lengths"], lengths["length_documents"]
    )
