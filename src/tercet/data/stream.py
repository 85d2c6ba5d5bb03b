"""Documents of a source that may be larger than memory, in batches."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from tercet.data.batch import Batch
from tercet.data.block import Block
from tercet.data.documents import Documents
from tercet.data.folders import Folder
from tercet.data.opening import Reader, open_reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadRow, BadSource

MOST_KEPT = 1000  # bad rows: a file of nothing else would fill the memory with its complaints


class DocumentStream:
    """Batches of documents, about a megabyte of the source each, again and again if `is_repeatable`.

    It is `Documents`, too: `texts`, `labels`, `weights` and `columns` hold everything in memory. `guess` says, once it has
    started, what nobody told it; `n_bad` rows were left out so far, and `bad_rows` are the first 1000 of them; `tell` is called
    with each on "report".
    """

    def __init__(self, path: Path | None, options: ReadOptions) -> None:
        self.name = "standard input" if path is None else str(path)
        self.is_repeatable = path is not None and (path.is_file() or path.is_dir())
        self.guess: str | None = None
        self.bad_rows: list[BadRow] = []
        self.n_rows, self.n_bad = 0, 0
        self.tell: Callable[[BadRow], object] | None = None
        self._path, self._options = path, options
        self._opened: tuple[Source | Folder, Reader] | None = None
        self._has_begun = False
        self._source: Source | Folder | None = None

    def __repr__(self) -> str:
        return f"DocumentStream({self.name!r})"

    @cached_property
    def n_bytes(self) -> int | None:
        """Size of the source on disk; None of a pipe."""
        if self._path is None or not self.is_repeatable:
            return None
        files = Folder(self._path).walk() if self._path.is_dir() else [self._path]
        return sum(path.stat().st_size for path in files)

    @property
    def bytes_read(self) -> int:
        """So far, of the source as it lies on disk."""
        return 0 if self._source is None else self._source.bytes_read

    def start(self) -> "DocumentStream":
        """Open the source and look at its beginning, so that `guess` is known; an iteration goes on from there."""
        if self._opened is None and (self.is_repeatable or not self._has_begun):
            self._source, reader = self._opened = open_reader(self._path, self._options)
            self.guess = ", ".join(reader.guess) or None
        return self

    def __iter__(self) -> Iterator[Batch]:
        if self._has_begun and not self.is_repeatable:
            raise BadSource(f"{self.name} can be read only once: save it to a file first, and read that.")
        self.start()
        if self._opened is None:
            raise AssertionError("start opens the source")
        opened, self._opened, self._has_begun = self._opened, None, True
        self.n_rows, self.n_bad, self.bad_rows = 0, 0, []
        return self._read(*opened)

    def _read(self, source: Source | Folder, reader: Reader) -> Iterator[Batch]:
        self._source = source
        try:
            for block in reader.blocks():
                self.n_rows += len(block.texts)
                yield from self._deliver(block, reader.place)
        finally:
            source.close()
        if not self.n_rows and self._options.labelled:
            raise BadSource(f"{self.name} holds no documents: there is nothing to learn from it.")

    def _deliver(self, block: Block, place: str) -> Iterator[Batch]:
        """The batch; where a bad row stops everything, what stands before it comes first."""
        batch = block.to_batch(place, self._options.numbers)
        if batch.bad and self._options.on_error == "stop":
            position, error = batch.bad[0]
            if position:
                yield batch.before(position)
            raise error
        self.n_bad += len(batch.bad)
        self.bad_rows += [error for _, error in batch.bad[: MOST_KEPT - len(self.bad_rows)]]
        for _, error in batch.bad:
            if self.tell is not None and self._options.on_error == "report":
                self.tell(error)
        if batch.texts or batch.bad:
            yield batch

    def collect(self) -> Documents:
        """All documents, in memory."""
        batches = list(self)
        parts = {field: [getattr(batch, field) for batch in batches] for field in ("texts", "labels", "weights")}
        texts, labels, weights = (None if None in lists else list(chain(*lists)) for lists in parts.values())
        if not batches:
            labels = weights = None
        names = batches[0].columns if batches else self._options.columns
        columns = {name: list(chain(*(batch.columns[name] for batch in batches))) for name in names}
        return Documents(texts, labels, weights, columns)

    @cached_property
    def _collected(self) -> Documents:
        return self.collect()

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self._collected.texts
        return texts

    @property
    def labels(self) -> list[str] | None:
        labels: list[str] | None = self._collected.labels
        return labels

    @property
    def weights(self) -> list[float] | None:
        weights: list[float] | None = self._collected.weights
        return weights

    @property
    def columns(self) -> Mapping[str, Any]:
        return self._collected.columns
