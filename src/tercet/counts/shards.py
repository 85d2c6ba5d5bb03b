"""A table of counts, cut into shards. The hash of a term says in which shard it is, so a term is in the same shard of every
table, and the sum of all shards is the table.

A shard is a table itself. It has no documents of labels: those are in the totals, a table without terms.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tercet.arrays import Array
from tercet.counts.labels import Labels, keep_labels
from tercet.counts.table import CountTable, pack_numbers, unpack_numbers
from tercet.kernel import engine
from tercet.text.analyzer import Analyzer
from tercet.text.recipe import make_recipe

NO_LABELS: Labels = np.zeros(0, "U1")
SPELLED = ("words", "characters", "features")


class TablePart(NamedTuple):
    """Labels, and the counts of some terms under them, as arrays in the narrowest types."""

    labels: Labels
    arrays: dict[str, Array]

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.arrays.values())

    def open(self, analyzer: Analyzer) -> CountTable:
        """The table of these counts."""
        numbers = unpack_numbers(self.arrays)
        counts = engine.Counts.from_cells(
            numbers["label_documents"],
            self.arrays["label_squares"],
            numbers["sizes"],
            numbers["labels"],
            numbers["occurrences"],
            numbers["documents"],
        )
        lengths = (numbers[name] for name in ("length_labels", "lengths", "length_documents"))
        return CountTable(
            analyzer, self.labels, engine.Table.open(make_recipe(analyzer), widen_ends(self.arrays), counts, *lengths)
        )


def make_empty(analyzer: Analyzer) -> CountTable:
    """The table of no documents."""
    return CountTable(analyzer, NO_LABELS, engine.Table(make_recipe(analyzer), 0))


def split_table(table: CountTable, n: int, stride: int = 1) -> Iterator[tuple[int, TablePart]]:
    """The number and the terms of each of n shards, without empty ones. Shard (hash / stride) mod n has a term.

    >>> table = CountTable.of(["to be", "or not"], ["x", "y"])
    >>> parts = [part for _, part in split_table(table, 3)]
    >>> sum((part.open(table.analyzer) for part in parts), start=take_totals(table).open(table.analyzer)) == table
    True
    """
    nothing = np.zeros(0, np.int64)
    for number, arrays in table.table.split(n, stride):
        used, codes = np.unique(arrays["labels"], return_inverse=True)  # a shard of many labels has only a few of them
        cells = {
            "label_documents": np.zeros(len(used), np.int64),
            **{name: arrays[name] for name in ("sizes", "occurrences", "documents")},
            "labels": codes.astype(np.int64),
            **dict.fromkeys(("length_labels", "lengths", "length_documents"), nothing),
        }
        vocabulary = {name: array for name, array in arrays.items() if "." in name}
        packed = narrow_ends(vocabulary) | pack_numbers(cells) | {"label_squares": np.zeros((len(used), 2), np.uint64)}
        yield number, TablePart(keep_labels(table.labels, used), packed)


def take_totals(table: CountTable) -> TablePart:
    """The documents of each label with their lengths, without terms."""
    nothing = np.zeros(0, np.int64)
    length_labels, lengths, length_documents = table.table.lengths()
    numbers = pack_numbers(
        {
            "label_documents": table.counts.n_documents(),
            **dict.fromkeys(("sizes", "labels", "occurrences", "documents"), nothing),
            "length_labels": length_labels,
            "lengths": lengths,
            "length_documents": length_documents,
        }
    )
    return TablePart(table.labels, numbers | {"label_squares": table.counts.squares()})


def narrow_ends(vocabulary: dict[str, Array]) -> dict[str, Array]:
    """The sizes of spellings, of one byte mostly, instead of where they end, which takes eight."""
    narrow = dict(vocabulary)
    for name in SPELLED:
        if f"{name}.ends" in narrow:
            sizes = np.diff(narrow.pop(f"{name}.ends"))
            narrow[f"{name}.sizes"] = sizes.astype(np.min_scalar_type(sizes.max(initial=0)))
    return narrow


def widen_ends(arrays: dict[str, Array]) -> dict[str, Array]:
    """The vocabulary as the kernel opens it, from what `narrow_ends` has made."""
    wide = {name: array for name, array in arrays.items() if "." in name}
    for name in SPELLED:
        if f"{name}.sizes" in wide:
            sizes = wide.pop(f"{name}.sizes").astype(np.uint64)
            wide[f"{name}.ends"] = np.concatenate([np.zeros(1, np.uint64), np.cumsum(sizes)])
    return wide
