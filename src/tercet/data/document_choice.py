"""Filters of a stream: some of its documents, by their label or by their position."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tercet.arrays import Integers
from tercet.data.column_choice import spell_names
from tercet.data.documents import DocumentBatch
from tercet.errors import InvalidLabel, suggest


@dataclass(frozen=True)
class OfLabels:
    """The documents with one of these labels. It is an error if no document has a label: all labels, if only some are needed.

    >>> batch = DocumentBatch(["a", "b", "c"], ["x", "y", "z"], lines=[1, 2, 3])
    >>> [kept.texts for kept in OfLabels(("x", "z"), "mails.csv")(iter([batch]))]
    [['a', 'c']]
    """

    labels: tuple[str, ...]
    source: str  # its name, for the error
    needs_all: bool = True

    def __call__(self, batches: Iterator[DocumentBatch]) -> Iterator[DocumentBatch]:
        wanted, seen = set(self.labels), dict[str, None]()
        for batch in batches:
            labels = list(map(str, batch.labels or ()))
            seen.update(dict.fromkeys(labels))
            indices = [index for index, label in enumerate(labels) if label in wanted]
            if indices:
                yield batch if len(indices) == len(labels) else batch.pick(indices)
        missing = [label for label in self.labels if label not in seen]
        if missing and (self.needs_all or len(missing) == len(self.labels)):
            known = sorted(seen)
            raise InvalidLabel(
                f"no document of {self.source} has the label {missing[0]!r}: there is {spell_names(known)}."
                f"{suggest(missing[0], known)} Name labels that documents have."
            )


@dataclass(frozen=True, eq=False)
class AtPositions:
    """The documents at these positions of the stream, which are in ascending order."""

    positions: Integers

    def __call__(self, batches: Iterator[DocumentBatch]) -> Iterator[DocumentBatch]:
        n = 0
        for batch in batches:
            begin, end = np.searchsorted(self.positions, [n, n + len(batch)])
            if begin < end:
                yield batch.pick((self.positions[begin:end] - n).tolist())
            n += len(batch)
