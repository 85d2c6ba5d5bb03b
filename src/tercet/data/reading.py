"""`read`: from the name of a file or folder to a `DocumentStream`, which may be larger than memory."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from tercet.cached import cached_property
from tercet.data.column_choice import Fields
from tercet.data.documents import DocumentBatch, Documents
from tercet.data.folders import Folder
from tercet.data.formats import Reader, open_reader
from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadRow, BadSource, bad_option

MOST_KEPT = 1000  # bad rows that are kept in memory; a file may have nothing else

Column = str | int


def read(
    source: str | os.PathLike[str],
    *,
    text: Column | None = None,
    label: Column | None = None,
    weight: Column | None = None,
    columns: Iterable[Column] | str = (),
    numbers: Iterable[Column] = (),
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    encoding: str = "utf-8",
    on_error: str = "stop",
    prefix: str = "__label__",
    labelled: bool = True,
) -> "DocumentStream":
    """The documents of a file, a folder, or standard input ("-"). They are read in batches when they are needed.

    If `format` is not given, the suffix of the file decides, then its content. Files may be compressed: .gz, .bz2, .xz, .zst.

    - `csv`, `tsv`, `parquet`, `arrow` (also Feather), `jsonl` (one object on each line);
    - `fasttext`: lines such as `__label__x text`, or with another `prefix`;
    - `folders`: a sub-folder for each label, one document in each file; `emails`: the same, with e-mails;
    - `files`: a file for each label, one document on each line;
    - `mbox`: a file of e-mails whose name is the label, or a folder of such files;
    - `text`: one document on each line, without labels.

    `text`, `label`, `weight` and the `columns` to keep (or "all") are names of columns, or numbers from 1 if there is no
    header. Columns of `numbers` are kept, too; a row without a number there is bad. If text or label are not named, they are
    guessed, and the stream's `guess` says how. With labelled=False a label is read only if it is named, so texts without
    labels can be read for prediction.

    Labels are strings: 3 becomes "3". A row is bad if it has no text or no label, has bytes that are not in the `encoding`,
    or has too many or too few cells. on_error="stop" raises BadRow; "skip" counts the row in `n_bad` and adds it to
    `bad_rows`; "report" also calls the stream's `tell` with it.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "reviews.csv")
    >>> _ = path.write_text("review,stars\\nWhat a film!,5\\nNo.,1\\n")
    >>> documents = read(path)
    >>> documents.texts, documents.labels, documents.guess
    (['What a film!', 'No.'], ['5', '1'], "text: column 'review', label: column 'stars'")
    >>> folder.cleanup()
    """
    options = ReadOptions.check(
        text=text, label=label, weight=weight, columns=columns, numbers=numbers, format=format, encoding=encoding,
        on_error=on_error, prefix=prefix, labelled=labelled,
    )  # fmt: skip
    return DocumentStream(find_path(source), options)


def find_path(source: str | os.PathLike[str]) -> Path | None:
    """The path; None for standard input."""
    if isinstance(source, bytes) or not isinstance(source, str | os.PathLike) or str(source) == "":
        raise bad_option("source", 'the path of a file or folder, or "-" for standard input', source, "it is opened.")
    if source == "-":
        return None
    path = Path(source)
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise BadSource(f"{path} can't be opened: {getattr(error, 'strerror', error)}.") from error
    if not exists:
        raise BadSource(f"{path} does not exist: check the name and the folder.")
    return path


class DocumentStream:
    """Batches of documents, each from about a megabyte of the source.

    It can be read several times if `is_repeatable`. `texts`, `labels`, `weights` and `columns` read everything into memory.
    After `start`, `guess` says what was guessed about the source, and `fields` has the columns that are read (None for a
    format without columns). `n_bad` counts the rows left out so far, and `bad_rows` has the first 1000 of them. With
    on_error="report", `tell` is called with each bad row.
    """

    def __init__(self, path: Path | None, options: ReadOptions) -> None:
        self.name = "standard input" if path is None else str(path)
        self.is_repeatable = path is not None and (path.is_file() or path.is_dir())
        self.guess: str | None = None
        self.fields: Fields | None = None
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
        """Size of the source on disk; None for a pipe."""
        if self._path is None or not self.is_repeatable:
            return None
        return Folder(self._path).n_bytes if self._path.is_dir() else self._path.stat().st_size

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, of the source as it is on disk."""
        return 0 if self._source is None else self._source.bytes_read

    def start(self) -> "DocumentStream":
        """Open the source and look at its first bytes, so that `guess` is known. The next iteration continues from there."""
        if self._opened is None and (self.is_repeatable or not self._has_begun):
            self._source, reader = self._opened = open_reader(self._path, self._options)
            self.guess, self.fields = ", ".join(reader.guess) or None, reader.fields
        return self

    def __iter__(self) -> Iterator[DocumentBatch]:
        if self._has_begun and not self.is_repeatable:
            raise BadSource(f"{self.name} can be read only once: save it to a file first, and read that.")
        self.start()
        if self._opened is None:
            raise AssertionError("start opens the source")
        opened, self._opened, self._has_begun = self._opened, None, True
        self.n_rows, self.n_bad, self.bad_rows = 0, 0, []
        return self._read(*opened)

    def _read(self, source: Source | Folder, reader: Reader) -> Iterator[DocumentBatch]:
        self._source = source
        try:
            for rows in reader.read_rows():
                self.n_rows += len(rows.texts)
                yield from self._deliver(rows, reader.place)
        finally:
            source.close()
        if not self.n_rows and self._options.labelled:
            raise BadSource(f"{self.name} holds no documents: there is nothing to learn from it.")

    def _deliver(self, rows: RawRows, place: str) -> Iterator[DocumentBatch]:
        """The documents of these rows. If a bad row stops the reading, the documents before it still come first."""
        batch = rows.to_documents(place, self._options.numbers)
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
