"""Suspects: documents whose label is improbable for a categorizer that has not learned them. It may be wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tercet.arrays import Flags, Floats, Integers
from tercet.counts.labels import Labels
from tercet.data.document_batches import Beginnings
from tercet.data_frames import add_columns, make_frame
from tercet.report.tables import pluralize


class Suspect(NamedTuple):
    """A document whose label may be wrong: it is improbable for a categorizer that has not learned the document."""

    position: int  # counted from 0
    label: Any
    better: Any
    probability: float  # of `label`
    beginning: str = ""  # the first characters of the text
    place: str = ""  # its place, if it was read from a file: "reviews.csv, line 17"
    row: int | None = None  # the row of its table as a spreadsheet counts rows: the header is row 1
    columns: Mapping[str, Any] = MappingProxyType({})  # its columns beside text and label


@dataclass(frozen=True, eq=False)
class Suspects(Sequence[Suspect]):
    """All suspects, the worst first. Only numbers are in memory: the beginnings of the texts are read when they are needed.

    >>> from tercet import train
    >>> texts = [f"{words} number {i}" for i in range(20) for words in ("good film", "bad plot")]
    >>> found = train(["bad bad plot", *texts], ["+", *["+", "-"] * 20]).all_suspects
    >>> len(found), found[0].label, found[0].better, found[0].beginning
    (1, '+', '-', 'bad bad plot')
    """

    positions: Integers
    labels: Labels  # of these documents
    better: Labels
    probabilities: Floats
    beginnings: Beginnings

    @classmethod
    def of(
        cls,
        labels: Labels,
        gold: Integers,
        predicted: npt.NDArray[np.integer[Any]],
        log_own: Any,
        beginnings: Beginnings,
        counted: Flags | None = None,
    ) -> "Suspects":
        """The suspects among held-out documents, as far as they are `counted`; ties are in the order of the documents.

        `gold` and `predicted` are codes of labels, and `log_own` has the log-probability of each document's own label. A
        label that only one document has is impossible without it, so it is not suspect.
        """
        is_suspect = (predicted != gold) & np.isfinite(log_own)
        wrong = np.flatnonzero(is_suspect if counted is None else is_suspect & counted)
        found = wrong[np.argsort(log_own[wrong], kind="stable")]
        probabilities = np.exp(log_own[found].astype(np.float64))
        return cls(found, labels[gold[found]], labels[predicted[found]], probabilities, beginnings)

    def take(self, n: int) -> "Suspects":
        """The n worst of them."""
        return replace(
            self,
            positions=self.positions[:n],
            labels=self.labels[:n],
            better=self.better[:n],
            probabilities=self.probabilities[:n],
        )

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[Suspect]:
        return self._read(slice(None))

    @overload
    def __getitem__(self, index: int) -> Suspect: ...
    @overload
    def __getitem__(self, index: slice) -> list[Suspect]: ...
    def __getitem__(self, index: int | slice) -> Suspect | list[Suspect]:
        if isinstance(index, slice):
            return list(self._read(index))
        inside = range(len(self))[index]  # raises IndexError
        return next(self._read(slice(inside, inside + 1)))

    def __repr__(self) -> str:
        return f"Suspects({len(self)} of {pluralize(len(self.beginnings), 'document')})"

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_suspects  # on first use: only a notebook needs it

        return show_suspects(self)

    def to_frame(self) -> Any:
        """A data frame of pandas or polars with a row for each suspect; the columns of the documents come last."""
        found = list(self)
        own = {name: [getattr(suspect, name) for suspect in found] for name in Suspect._fields if name != "columns"}
        return make_frame(add_columns(own, [suspect.columns for suspect in found]))

    def _read(self, chosen: slice) -> Iterator[Suspect]:
        positions = self.positions[chosen].tolist()
        known = zip(
            positions,
            self.labels[chosen].tolist(),
            self.better[chosen].tolist(),
            self.probabilities[chosen].tolist(),
            self.beginnings.read(positions),
            strict=True,
        )
        for position, label, better, probability, (beginning, columns) in known:
            place, row = self.beginnings.find(position), self.beginnings.find_row(position)
            yield Suspect(position, label, better, probability, beginning, place, row, columns)
