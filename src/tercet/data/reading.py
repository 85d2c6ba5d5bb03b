"""`read`: from the name of a file or folder to a `DocumentStream`, which may be larger than memory."""

import glob
import os
import pickle
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Any, Protocol

from tercet.cached import cached_property
from tercet.counts.document_rows import Spool
from tercet.data.blank_rows import BlankRows
from tercet.data.column_choice import Fields
from tercet.data.document_batches import join_batches
from tercet.data.documents import DocumentBatch, Documents
from tercet.data.fed_source import FedSource
from tercet.data.folders import Folder
from tercet.data.formats import open_content, open_reader
from tercet.data.id_labels import LabelWatch
from tercet.data.label_rules import LabelRules
from tercet.data.raw_rows import NO_LABEL, NO_TEXT, NOTHING_YET, RawRows, Reader
from tercet.data.read_options import ALL, ReadOptions
from tercet.data.source import MAX_DOCUMENT_BYTES
from tercet.errors import BadRow, BadSource, TercetError, bad_option

MAX_EMPTY_SHARE = 0.1  # the share of rows without text or label that a training leaves out without being asked
MAX_KEPT = 1000  # bad rows that are kept in memory; a file may have nothing else
NO_MORE = DocumentBatch([])  # of a source that is fed: no more is complete yet

Column = str | int


class Opened(Protocol):
    """A source that is open: a file, a folder, or several files."""

    @property
    def bytes_read(self) -> int: ...

    def close(self) -> None: ...


def read(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    text: Column | Sequence[Column] | None = None,
    label: Column | None = None,
    weight: Column | None = None,
    columns: Iterable[Column] | str = (),
    numbers: Iterable[Column] = (),
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    sheet: str | None = None,
    encoding: str = "utf-8",
    on_error: str = "stop",
    prefix: str = "__label__",
    labelled: bool = True,
    training: bool = False,
    like: Any = None,
    label_rules: LabelRules | None = None,
    label_optional: bool = False,
    label_separator: str | None = None,
) -> "DocumentStream":
    """The documents of a file, a folder, or standard input ("-"). They are read in batches when they are needed.

    Several files in a list, or named by a pattern such as "data/*.csv", are read one after another. They must have the same
    columns.

    If `format` is not given, the suffix of the file decides, then its content. Files may be compressed: .gz, .bz2, .xz, .zst.

    - `csv`, `tsv`, `parquet`, `arrow` (also Feather), `json` and `jsonl` (an array of objects, or one object on each line);
    - `xlsx`, `ods`: workbooks; if several sheets have cells, name one by `sheet`;
    - `fasttext`: lines such as `__label__x text`, or with another `prefix`;
    - `folders`: a sub-folder for each label, one document in each file; `emails`: the same, with e-mails or Maildirs;
    - `files`: a file for each label, one document on each line;
    - `mbox`: a file of e-mails whose name is the label, or a folder of such files; `email`: one e-mail, without a label;
    - `text`: one document on each line, without labels.

    `text`, `label`, `weight` and the `columns` to keep (or "all") are names of columns, or numbers from 1 if there is no
    header. `text` may be a list of several text columns: a document is then one str with U+001F between its cells, and
    `text_columns` has the names. Columns of `numbers` are kept, too; a row without a number there is bad. If text or label
    are not named, they are guessed, and the stream's `guess` says how. With labelled=False a label is read only if it is
    named, so texts without labels can be read for prediction.

    `like` is a fitted categorizer, whose data had the same columns: its columns and its rules for labels are taken for what is
    not named, and the columns that it needs beside the text are read, too. If the data have no column of weights, all weights
    are 1, and `guess` says so. `like` may also be only columns: `record_.columns` of a model, or `fields` of a stream.

    Labels are strings: 3 becomes "3". Blanks at both ends of a label are removed, and a blank label is missing. `label_rules`
    can do more, or less: see `LabelRules`. With label_optional=True, a row without a label is a document, and its label is "".

    With `label_separator`, such as ";", a document has any number of labels, in a tuple: those that a cell joins ("sport;
    art"), of a list in JSON, or of a line of fastText. A blank cell has none.

    A row is bad if it has no text or no label, has bytes that are not in the `encoding`, or has too many or too few cells.
    on_error="stop" raises BadRow; "skip" counts the row in `n_bad` and adds it to `bad_rows`; "report" also calls the stream's
    `tell` with it.

    training=True is for documents that a model will learn or forget. Then on_error="stop" leaves rows out that have no label,
    or only blanks as text, and counts them in `n_empty`; more than 10 % of them are an error. A missing column of weights is
    an error, and without `like` labels that look like ids are one, too: nearly every document has its own.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = Path(folder.name, "reviews.csv")
    >>> _ = path.write_text("review,stars\\nWhat a film!,5\\nNo.,1\\n")
    >>> documents = read(path)
    >>> documents.texts, documents.labels, documents.guess
    (['What a film!', 'No.'], ['5', '1'], "text: column 'review' ('What a film!', 'No.'), label: column 'stars' ('5', '1')")
    >>> folder.cleanup()
    """
    options = ReadOptions.check(
        text=text, label=label, weight=weight, columns=columns, numbers=numbers, format=format, sheet=sheet,
        encoding=encoding, on_error=on_error, prefix=prefix, labelled=labelled, training=training, like=like,
        label_rules=label_rules, label_optional=label_optional, label_separator=label_separator,
    )  # fmt: skip
    return DocumentStream(expand_paths(source), options)


def read_labels(
    source: str | os.PathLike[str],
    *,
    label: Column | None = None,
    usual: Sequence[str] = (),
    weight: Column | None = None,
    format: str | None = None,  # noqa: A002 (what everybody calls it)
    sheet: str | None = None,
    encoding: str = "utf-8",
    prefix: str = "__label__",
    label_separator: str | None = None,
) -> "DocumentStream":
    """The labels of a file and all its columns, without texts: gold labels, or the answers of any system.

    Without `label`, the label is the first column that has one of the `usual` names, or it is guessed. A file without
    columns has a label on each line.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "answers.csv").write_text("id,label,prediction\\n7,ham,spam\\n8,spam,spam\\n")
    ...     answers = read_labels(Path(folder, "answers.csv"), usual=["prediction"]).collect()
    >>> answers.labels, answers.columns["id"]
    (['spam', 'spam'], ['7', '8'])
    """
    options = ReadOptions.check(
        text=None, label=label, weight=weight, columns=ALL, numbers=(), format=format, sheet=sheet, encoding=encoding,
        on_error="stop", prefix=prefix, labelled=True, training=False, like=None, label_rules=None,
        label_separator=label_separator,
    )  # fmt: skip
    return DocumentStream(expand_paths(source), replace(options, only_labels=True, usual_labels=tuple(usual)))


class FedDocuments:
    """The texts of a file whose bytes are handed over piece by piece, without labels. Bad rows are skipped.

    The options are those of `read`. `beginning` shows how the file is written: it has at least one complete line, or it is the
    whole file. The name is for messages. Nothing here waits: `feed` gives the batches that are complete.

    >>> fed = FedDocuments("new.csv", b"id,text\\n1,so ", format="csv")
    >>> batches = fed.feed(b'good\\n2,"two\\n'), fed.feed(b'lines"\\n'), fed.finish()
    >>> [[batch.texts for batch in some] for some in batches]
    [[['so good']], [['two\\nlines']], []]
    """

    def __init__(
        self,
        name: str,
        beginning: bytes,
        *,
        format: str,  # noqa: A002 (what everybody calls it)
        text: Column | None = None,
        like: Any = None,
        columns: Iterable[Column] | str = (),
        encoding: str = "utf-8",
        max_document_bytes: int = MAX_DOCUMENT_BYTES,
        is_whole: bool = False,
    ) -> None:
        options = ReadOptions.check(
            text=text, label=None, weight=None, columns=columns, numbers=(), format=format, sheet=None, encoding=encoding,
            on_error="skip", prefix="__label__", labelled=False, training=False, like=like, label_rules=None,
        )  # fmt: skip
        self._source = FedSource(name, max_document_bytes=max_document_bytes)
        self._source.feed(beginning)
        if is_whole:
            self._source.finish()
        self.stream = DocumentStream(None, options)
        self.stream.name = name
        self.stream.begin(*open_content(self._source, None, options))
        self._batches = iter(self.stream)
        self._error: TercetError | None = None

    def feed(self, piece: bytes) -> list[DocumentBatch]:
        """The batches that are complete with this piece. An error comes after the batches before it: with the next call."""
        self._source.feed(piece)
        return self._take()

    def finish(self) -> list[DocumentBatch]:
        """The last batches."""
        self._source.finish()
        return self._take()

    def _take(self) -> list[DocumentBatch]:
        if self._error is not None:
            raise self._error
        found: list[DocumentBatch] = []
        try:
            for batch in self._batches:
                if batch is NO_MORE:
                    break
                found.append(batch)
        except TercetError as error:
            if not found:
                raise
            self._error = error
        return found


def expand_paths(source: Any) -> tuple[Path, ...] | None:
    """The paths, of which there is at least one; None for standard input."""
    if not isinstance(source, list | tuple):
        return expand_path(source)
    found: list[Path] = []
    for path in source:
        paths = expand_path(path)
        if paths is None and len(source) > 1:
            raise BadSource("standard input can't be read together with files: read it alone, or save it to a file first.")
        if paths is None:
            return None
        found += paths
    if not found:
        raise bad_option("source", "at least one path", source, "there is nothing to read.")
    if twice := next((path for path in found if found.count(path) > 1), None) if len(set(found)) < len(found) else None:
        raise BadSource(f"{twice} is named twice: its documents would count twice. Name it once.")
    return tuple(found)


def expand_path(source: Any) -> tuple[Path, ...] | None:
    """The path, or the files that match a pattern such as data/*.csv, in sorted order. An existing path is not a pattern."""
    pattern = str(source) if isinstance(source, str | os.PathLike) else ""
    if glob.has_magic(pattern) and not os.path.exists(pattern):
        found = sorted(path for path in glob.glob(pattern, recursive=True) if not os.path.isdir(path))
        if not found:
            raise BadSource(f"no file matches {source}: check the pattern and the folder.")
        return tuple(map(Path, found))
    path = check_path(source)
    return None if path is None else (path,)


def check_path(source: str | os.PathLike[str]) -> Path | None:
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


def name_files(paths: Sequence[Path]) -> str:
    """
    >>> name_files([Path("a.csv")]), name_files([Path("a.csv"), Path("b.csv"), Path("c.csv")])
    ('a.csv', 'a.csv and 2 other files')
    """
    others = "" if len(paths) < 2 else " and 1 other file" if len(paths) == 2 else f" and {len(paths) - 1} other files"
    return f"{paths[0]}{others}"


def open_files(paths: tuple[Path, ...] | None, options: ReadOptions) -> tuple[Opened, Reader]:
    """The opened source of bytes, and the reader of its documents."""
    if paths is None or len(paths) == 1:
        return open_reader(None if paths is None else paths[0], options)
    from tercet.data.several_files import SeveralFiles

    files = SeveralFiles(paths, options)
    return files, files


class DocumentStream:
    """Batches of documents, each from about a megabyte of the source.

    It can be read several times if `is_repeatable`. `texts`, `labels`, `weights` and `columns` read everything into memory.
    After `start`, `guess` says what was guessed about the source, and `fields` has the columns that are read (None for a
    format without columns). `n_bad` counts the rows left out so far, and `bad_rows` has the first 1000 of them;
    `n_empty` counts those that a training leaves out. With on_error="report", `tell` is called with each bad row.
    `label_rules` are applied to labels. If they join spellings, those of new labels are chosen while it is read. If `filters`
    are set, batches go through them, one after another.
    """

    def __init__(self, paths: tuple[Path, ...] | None, options: ReadOptions) -> None:
        self.name = "standard input" if paths is None else name_files(paths)
        self.is_repeatable = paths is not None and all(path.is_file() or path.is_dir() for path in paths)
        self.guess: str | None = None
        self.fields: Fields | None = None
        self.bad_rows: list[BadRow] = []
        self.n_rows, self.n_bad = 0, 0
        self._empty = Counter[str]()  # rows that a training leaves out, by what is wrong with them
        self._watch = LabelWatch()
        self.tell: Callable[[BadRow], object] | None = None
        self.label_rules = options.label_rules
        self.filters: tuple[Callable[[Iterator[DocumentBatch]], Iterator[DocumentBatch]], ...] = ()
        self._paths, self._options = paths, options
        self._opened: tuple[Opened, Reader] | None = None
        self._has_begun = False
        self._source: Opened | None = None

    def __repr__(self) -> str:
        return f"DocumentStream({self.name!r})"

    @cached_property
    def n_bytes(self) -> int | None:
        """Size of the source on disk; None for a pipe."""
        if self._paths is None or not self.is_repeatable:
            return None
        return sum(Folder(path).n_bytes if path.is_dir() else path.stat().st_size for path in self._paths)

    @property
    def n_empty(self) -> int:
        """The number of rows that a training left out, because they have no text or no label."""
        return self._empty.total()

    def describe_empty(self) -> str:
        """How many rows have no text or no label, and in which columns."""
        fields = self.fields
        parts: list[str] = []
        for reason, what, names in (
            (NO_LABEL, "label", () if fields is None or fields.label is None else (fields.label,)),
            (NO_TEXT, "text", () if fields is None else fields.texts),
        ):
            if n := self._empty[reason]:
                has = "" if parts else "has " if n == 1 else "have "
                parts.append(f"{n} {has}no {what}" + (f" ({', '.join(map(repr, names))})" if names else ""))
        return f"of {self.n_rows} rows, {', '.join(parts)}"

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, of the source as it is on disk."""
        return 0 if self._source is None else self._source.bytes_read

    def start(self) -> "DocumentStream":
        """Open the source and look at its first bytes, so that `guess` is known. The next iteration continues from there."""
        if self._opened is None and (self.is_repeatable or not self._has_begun):
            self.begin(*open_files(self._paths, self._options))
        return self

    def begin(self, source: Opened, reader: Reader) -> None:
        """Read from a source that was opened just now."""
        self._opened = self._source, reader = source, reader
        self.guess, self.fields = ", ".join(reader.guess) or None, reader.fields

    def __iter__(self) -> Iterator[DocumentBatch]:
        if self._has_begun and not self.is_repeatable:
            raise BadSource(f"{self.name} can be read only once: save it to a file first, and read that.")
        self.start()
        if self._opened is None:
            raise AssertionError("start opens the source")
        opened, self._opened, self._has_begun = self._opened, None, True
        self.n_rows, self.n_bad, self.bad_rows, self._watch = 0, 0, [], LabelWatch()
        self._empty.clear()
        batches = self._read(*opened)
        batches = batches if self.label_rules.fold is False else self._join_spellings(batches)
        return reduce(lambda chosen, choose: choose(chosen), self.filters, batches)

    def reopen(self) -> "DocumentStream":
        """The same documents from the beginning, in another stream. Nobody is told of bad rows again."""
        again = DocumentStream(self._paths, self._options)
        again.label_rules, again.filters = self.label_rules, self.filters
        return again

    def _read(self, source: Opened, reader: Reader) -> Iterator[DocumentBatch]:
        self._source = source
        blank = BlankRows(self.name)
        try:
            for rows in reader.read_rows():
                self.n_rows += len(rows.texts)
                blank.count(rows.texts.count("") + rows.texts.count(None), len(rows.texts))
                yield from [NO_MORE] if rows is NOTHING_YET else self._deliver(rows, reader.place)
        finally:
            source.close()
        if not self.n_rows and self._options.labelled:
            raise BadSource(f"{self.name} holds no documents: give another file or folder.")
        self._check_training()

    def _check_training(self) -> None:
        """Raise BadSource if many rows are blank, or if the labels look like ids."""
        if self.n_empty > MAX_EMPTY_SHARE * self.n_rows:
            raise BadSource(
                f"{self.name}: {self.describe_empty()}. More than 10 % are left out. If they are not labelled yet, "
                "leave them out with --on-error skip; otherwise name other columns with --text and --label."
            )
        is_known = self._options.like is not None  # then each of a few documents may have another label
        if self.fields and self.fields.label and not is_known and self._watch.finds_ids:
            raise BadSource(f"{self.name}: {self._watch.describe(self.fields.label)}")

    def _join_spellings(self, batches: Iterator[DocumentBatch]) -> Iterator[DocumentBatch]:
        """The batches with the most frequent spelling of each label.

        From the first batch with a new label on, all of them are read before the next one is given.
        """
        spool, counts = Spool(purpose=f"the documents of {self.name}"), Counter[str]()
        for batch in batches:
            if not len(spool) and self.label_rules.has_spellings(filter(None, batch.labels or ())):
                yield batch
                continue
            counts.update(filter(None, batch.labels or ()))
            spool.append(pickle.dumps(batch))
        self.label_rules = self.label_rules.choose_spellings(counts)
        for index in range(len(spool)):
            batch = pickle.loads(spool[index])
            yield replace(batch, labels=batch.labels and self.label_rules.apply_all(batch.labels))

    def _deliver(self, rows: RawRows, place: str) -> Iterator[DocumentBatch]:
        """The documents of these rows. If a bad row stops the reading, the documents before it still come first."""
        if self._options.training:
            rows.refuse_blank_texts()
        optional, separator = self._options.label_optional, self._options.label_separator
        batch = rows.to_documents(
            place, self.label_rules, self._list_numbers(), label_optional=optional, label_separator=separator
        )
        if batch.bad and self._options.on_error == "stop":
            batch = self._leave_out_empty(batch)
        if batch.bad and self._options.on_error == "stop":
            position, error = batch.bad[0]
            if position:
                yield batch.before(position)
            raise error
        if self._options.training:
            labels = batch.labels or ()
            self._watch.add(filter(None, labels) if separator is None else (label for own in labels for label in own))
        self.n_bad += len(batch.bad)
        self.bad_rows += [error for _, error in batch.bad[: MAX_KEPT - len(self.bad_rows)]]
        for _, error in batch.bad:
            if self.tell is not None and self._options.on_error == "report":
                self.tell(error)
        if batch.texts or batch.bad:
            yield batch

    def _list_numbers(self) -> tuple[str, ...]:
        """The columns that must hold numbers."""
        return self._options.numbers if self._options.n_numbers is None or self.fields is None else self.fields.columns

    def _leave_out_empty(self, batch: DocumentBatch) -> DocumentBatch:
        """The batch without bad rows that only lack a text or a label, if it is for training."""
        if not self._options.training:
            return batch
        others = [(position, error) for position, error in batch.bad if error.reason not in (NO_TEXT, NO_LABEL)]
        self._empty.update(error.reason for _, error in batch.bad if error.reason in (NO_TEXT, NO_LABEL))
        return replace(batch, bad=others)

    def collect(self) -> Documents:
        """All documents, in memory."""
        batches = list(self)
        nothing = Documents([], columns={name: [] for name in self._options.columns}, text_columns=self._options.text)
        return join_batches(batches) if batches else nothing

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

    @property
    def text_columns(self) -> tuple[str, ...]:
        return self._collected.text_columns
