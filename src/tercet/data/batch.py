"""Documents as a reader gives them: some at a time, each with its place in the source."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tercet.data.documents import Documents
from tercet.errors import BadRow


@dataclass(frozen=True)
class Batch(Documents):
    """Documents that were read together; bad rows stand between them, each before the document at its position.

    >>> batch = Batch(["Cheap watches", "See you"], source="mails.csv, line ", lines=[2, 5])
    >>> batch.place(1), len(batch)
    ('mails.csv, line 5', 2)
    """

    source: str = ""
    lines: Sequence[int | str] = ()
    bad: list[tuple[int, BadRow]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)

    def place(self, position: int) -> str:
        """Where the document stands, for people."""
        return f"{self.source}{self.lines[position]}"

    def before(self, position: int) -> "Batch":
        """The documents before this one, without bad rows."""
        labels, weights = (column and column[:position] for column in (self.labels, self.weights))
        columns: dict[str, Any] = {name: column[:position] for name, column in self.columns.items()}
        return Batch(self.texts[:position], labels, weights, columns, self.source, self.lines[:position])
