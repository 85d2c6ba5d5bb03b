"""Folders: a sub-folder for each label, or a file of many documents for each label."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from tercet.compression import SUFFIXES
from tercet.data.lines import BYTE_ORDER_MARK, Chunk, LineReader, describe_wrong_encoding
from tercet.data.mail import MailText, MboxReader, list_header_fields
from tercet.data.raw_rows import RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import BLOCK_BYTES, Source, open_source
from tercet.data.text_lines import BLANKS, read_lines
from tercet.errors import BadSource

MAX_FILES = 1000  # files that are read together
MAILDIR = ("cur", "new", "tmp")  # sub-folders of a Maildir: read e-mails, new ones, and unfinished ones


class FileRow(NamedTuple):
    """The document that a file holds, or what is wrong with the file."""

    text: str
    reason: str | None = None
    columns: Mapping[str, list[str | None]] = MappingProxyType({})  # header fields of an e-mail, each in a list of one


class Folder:
    """The files below a folder, sorted by name. Files and folders whose name begins with a dot are left out."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self._n_before = 0
        self._current: Source | None = None
        try:
            self._status = path.stat()
            with os.scandir(path) as entries:
                found = sorted((entry.name, is_folder(entry)) for entry in entries if not entry.name.startswith("."))
        except OSError as error:
            raise BadSource(f"{path} can't be opened: {os.strerror(error.errno or 0)}.") from error
        self.folders = [path / name for name, is_below in found if is_below]
        self.files = [path / name for name, is_below in found if not is_below]

    @property
    def is_maildir(self) -> bool:
        """Whether it is a Maildir."""
        return set(MAILDIR) <= {path.name for path in self.folders}

    @property
    def n_bytes(self) -> int:
        """Size of all files on disk."""
        return sum(measure_file(path) for path, _ in self.walk())

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, over all files."""
        return self._n_before + (self._current.bytes_read if self._current else 0)

    def walk(self) -> Iterator[tuple[Path, str | None]]:
        """All files; those in sub-folders come first. A sub-folder that can't be read comes with what is wrong with it."""
        entered = [(self, iter(self.folders))]
        while entered:
            folder, waiting = entered[-1]
            path = next(waiting, None)
            if path is None:
                yield from ((file, None) for file in folder.files)
                entered.pop()
                continue
            try:
                below = Folder(path)
            except BadSource as error:
                yield path, shorten(error, path)
                continue
            if any(os.path.samestat(below._status, above._status) for above, _ in entered):
                yield path, "it is a link to a folder that it is in, so its files are read already. Remove the link."
                continue
            entered.append((below, iter(below.folders)))

    def open(self, path: Path) -> Source:
        self._n_before, self._current = self.bytes_read, None
        self._current = open_regular(path)
        return self._current

    def close(self) -> None:
        """Do nothing: each file is closed after it was read."""


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder or a link to one; False for a link that leads nowhere."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def measure_file(path: Path) -> int:
    """The size of a regular file; 0 for anything else."""
    try:
        status = path.stat()
    except OSError:
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def open_regular(path: Path) -> Source:
    """The file, if it is a regular one: to open a pipe or a device may take forever."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise BadSource(f"{path} can't be opened: {os.strerror(error.errno or 0)}.") from error
    if not stat.S_ISREG(mode):
        kind = "a named pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise BadSource(f"{path} is {kind}, not a regular file: reading it may never end. Move it out of the folder.")
    return open_source(path)


def shorten(error: BadSource, path: Path) -> str:
    """The message without the name of the file at its beginning, because the place of a bad row has it already.

    >>> shorten(BadSource("mails/3.txt is a socket."), Path("mails/3.txt"))
    'it is a socket.'
    """
    message, name = str(error), f"{path} "
    return f"it {message.removeprefix(name)}" if message.startswith(name) else message


class FolderReader(Reader):
    """Every file is a document, and its label is the name of the sub-folder that it is in, at any depth.

    If labels are not wanted, every file below the folder is a document. Of a Maildir, the files in `tmp` are left out.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self._mail = MailText(options) if are_mails else None
        self.guess: list[str] = [] if self._mail is None else self._mail.describe()
        self._folder, self._options = folder, options
        if options.labelled and folder.files:
            n_files = len(folder.files)
            self.guess.append(f"{n_files} file{'s' if n_files > 1 else ''} outside the sub-folders left out")

    def read_rows(self) -> Iterator[RawRows]:
        names: list[str] = []
        rows: list[FileRow] = []
        size = 0
        for name, path, fault in self._list():
            names.append(name)
            rows.append(FileRow("", fault) if fault else self._read(path))
            size += len(rows[-1].text)
            if size >= BLOCK_BYTES or len(rows) >= MAX_FILES:
                yield self._make_rows(names, rows)
                names, rows, size = [], [], 0
        yield self._make_rows(names, rows)

    def _make_rows(self, names: list[str], rows: list[FileRow]) -> RawRows:
        bad = {position: row.reason for position, row in enumerate(rows) if row.reason is not None}
        labels = [name.partition(os.sep)[0] for name in names] if self._options.labelled else None
        columns = {name: [row.columns.get(name, [None])[0] for row in rows] for name in self._options.columns}
        text_columns = () if self._mail is None else self._mail.columns
        return RawRows(names, [row.text for row in rows], labels, columns=columns, bad=bad, text_columns=text_columns)

    def _list(self) -> Iterator[tuple[str, Path, str | None]]:
        """Name, path and fault of each file; with labels, of those in a sub-folder."""
        left_out = set(self._folder.files if self._options.labelled else ())
        for path, fault in self._folder.walk():
            if path not in left_out and not (self._mail is not None and is_unfinished(path)):
                yield str(path.relative_to(self._folder.path)), path, fault

    def _read(self, path: Path) -> FileRow:
        try:
            with closing(self._folder.open(path)) as source:
                content = source.read_whole()
        except BadSource as error:
            return FileRow("", shorten(error, path))
        encoding = self._options.encoding
        if fault := describe_wrong_encoding(content, encoding):
            return FileRow("", f"it {fault}")
        content = content.removeprefix(BYTE_ORDER_MARK)
        if self._mail is not None:
            return FileRow(self._mail.make(content), columns=list_header_fields([content], self._options))
        (text,), bad = Chunk(1, 0, [content]).decode(encoding)
        return FileRow(text, bad.get(0))


def is_in_maildir(path: Path) -> bool:
    """Whether the folder of the file is one of the three of a Maildir."""
    return path.parent.name in MAILDIR and all((path.parent.parent / name).is_dir() for name in MAILDIR)


def is_unfinished(path: Path) -> bool:
    """Whether another program is still writing the file into a Maildir."""
    return path.parent.name == "tmp" and is_in_maildir(path)


class LabelFilesReader(Reader):
    """Every file of the folder holds the documents of one label, which is the name of the file.

    The file has a document on each line, or is an mbox. Blank lines are skipped.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self._mail = MailText(options) if are_mails else None
        self.guess: list[str] = [] if self._mail is None else self._mail.describe()
        self._folder, self._options = folder, options

    def read_rows(self) -> Iterator[RawRows]:
        for path in self._folder.files:
            try:
                with closing(self._folder.open(path)) as source:
                    for rows in self._read(source):
                        rows.lines = [f"{path.name}, line {number}" for number in rows.lines]
                        yield self._add_labels(rows, path)
            except BadSource as error:
                columns = {name: [None] for name in self._options.columns}
                row = RawRows([path.name], [""], columns={**columns}, bad={0: shorten(error, path)})
                yield self._add_labels(row, path)

    def _add_labels(self, rows: RawRows, path: Path) -> RawRows:
        return replace(rows, labels=[name_label(path)] * len(rows.texts) if self._options.labelled else None)

    def _read(self, source: Source) -> Iterator[RawRows]:
        if self._mail is not None:
            yield from MboxReader(source, self._options, None).read_rows()
            return
        for numbers, texts, bad in read_lines(LineReader(source, self._options.encoding)):
            kept = [position for position, text in enumerate(texts) if text.strip(BLANKS)]
            reasons = {row: bad[position] for row, position in enumerate(kept) if position in bad}
            yield RawRows([numbers[position] for position in kept], [texts[position] for position in kept], bad=reasons)


def name_label(path: Path) -> str:
    """The label that a file is named by.

    >>> name_label(Path("mails/spam.txt.gz"))
    'spam'
    """
    plain = path.with_suffix("") if path.suffix.lower() in SUFFIXES else path
    return plain.stem
