"""Where documents stand in what they were read from, kept in four bytes each."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tercet.data.documents import Documents


class Places:
    """
    >>> from tercet.data.batch import Batch
    >>> places = Places()
    >>> _ = list(places.follow([Batch(["a", "b"], source="mails.csv, line ", lines=[2, 5]), Documents(["c"])]))
    >>> places.find(1), places.find(2)
    ('mails.csv, line 5', '')
    """

    def __init__(self) -> None:
        self._starts = [0]
        self._batches: list[tuple[str, Any]] = []

    def follow(self, batches: Iterable[Documents]) -> Iterator[Documents]:
        """The same batches, whose places are noted on the way."""
        for batch in batches:
            self.note(batch)
            yield batch

    def note(self, batch: Documents) -> None:
        lines = getattr(batch, "lines", ())
        self._starts.append(self._starts[-1] + len(batch.texts))
        self._batches.append((getattr(batch, "source", ""), _pack(lines)))

    def find(self, position: int) -> str:
        """Of the document with this number, from 0 on; nothing where it was not read from anywhere."""
        k = bisect_right(self._starts, position) - 1
        source, lines = self._batches[k]
        return f"{source}{lines[position - self._starts[k]]}" if len(lines) else ""


def _pack(lines: Sequence[int | str]) -> Any:
    """Numbers of lines, which all but folders have, in an array."""
    is_small = isinstance(lines, list) and bool(lines) and isinstance(lines[-1], int) and lines[-1] < 2**32
    return np.array(lines, np.uint32) if is_small else lines
