"""Folders: a sub-folder for each label, or a file of many documents for each label."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tercet.data.lines import BYTE_ORDER_MARK, Chunk, LineReader
from tercet.data.mail import MboxReader, decode_mail
from tercet.data.raw_rows import RawRows
from tercet.data.read_options import ReadOptions
from tercet.data.source import BLOCK_BYTES, SUFFIXES, Source, open_source
from tercet.data.text_lines import read_lines
from tercet.errors import BadSource

MOST_FILES = 1000  # files that are read together

FileRow = tuple[str, str, str, str | None]  # name, text, label, what is wrong


class Folder:
    """The files below a folder, sorted by name. Files and folders whose name begins with a dot are left out."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, str(path)
        self._n_before = 0
        self._current: Source | None = None
        try:
            with os.scandir(path) as entries:
                found = sorted((entry.name, entry.is_dir()) for entry in entries if not entry.name.startswith("."))
        except OSError as error:
            raise BadSource(f"{path} can't be opened: {os.strerror(error.errno or 0)}.") from error
        self.folders = [path / name for name, is_folder in found if is_folder]
        self.files = [path / name for name, is_folder in found if not is_folder]

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, over all files."""
        return self._n_before + (self._current.bytes_read if self._current else 0)

    def walk(self) -> Iterator[Path]:
        """All files; those in sub-folders come first."""
        for folder in self.folders:
            yield from Folder(folder).walk()
        yield from self.files

    def open(self, path: Path) -> Source:
        self._n_before, self._current = self.bytes_read, None
        self._current = open_source(path)
        return self._current

    def close(self) -> None:
        """Do nothing: each file is closed after it was read."""


class FolderReader:
    """Every file is a document, and its label is the name of the sub-folder that it is in, at any depth.

    If labels are not wanted, every file below the folder is a document.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self.guess: list[str] = []
        self._folder, self._options, self._are_mails = folder, options, are_mails
        if options.labelled and folder.files:
            n_files = len(folder.files)
            self.guess.append(f"{n_files} file{'s' if n_files > 1 else ''} outside the sub-folders left out")

    def read_rows(self) -> Iterator[RawRows]:
        rows: list[FileRow] = []
        size = 0
        for label, path in self._list():
            text, reason = self._read(path)
            rows.append((str(path.relative_to(self._folder.path)), text, label, reason))
            size += len(text)
            if size >= BLOCK_BYTES or len(rows) >= MOST_FILES:
                yield self._make_rows(rows)
                rows, size = [], 0
        yield self._make_rows(rows)

    def _make_rows(self, rows: list[FileRow]) -> RawRows:
        bad = {position: reason for position, (*_, reason) in enumerate(rows) if reason is not None}
        labels = [label for _, _, label, _ in rows] if self._options.labelled else None
        return RawRows([name for name, *_ in rows], [text for _, text, *_ in rows], labels, bad=bad)

    def _list(self) -> Iterator[tuple[str, Path]]:
        if not self._options.labelled:
            yield from (("", path) for path in self._folder.walk())
            return
        for folder in self._folder.folders:
            yield from ((folder.name, path) for path in Folder(folder).walk())

    def _read(self, path: Path) -> tuple[str, str | None]:
        """The text in this file, and what is wrong with it, or None."""
        try:
            with closing(self._folder.open(path)) as source:
                content = b"".join(source.blocks()).removeprefix(BYTE_ORDER_MARK)
        except (BadSource, OSError) as error:
            return "", str(error)
        if self._are_mails:
            return decode_mail(content, self._options.encoding), None
        (text,), bad = Chunk(1, 0, [content]).decode(self._options.encoding)
        return text, bad.get(0)


class LabelFilesReader:
    """Every file of the folder holds the documents of one label, which is the name of the file.

    The file has a document on each line, or is an mbox. Blank lines are skipped.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self.guess: list[str] = []
        self._folder, self._options, self._are_mails = folder, options, are_mails

    def read_rows(self) -> Iterator[RawRows]:
        for path in self._folder.files:
            with closing(self._folder.open(path)) as source:
                for rows in self._read(source):
                    rows.lines = [f"{path.name}, line {number}" for number in rows.lines]
                    rows.labels = [name_label(path)] * len(rows.texts) if self._options.labelled else None
                    yield rows

    def _read(self, source: Source) -> Iterator[RawRows]:
        if self._are_mails:
            yield from MboxReader(source, self._options, None).read_rows()
            return
        for numbers, texts, bad in read_lines(LineReader(source, self._options.encoding)):
            kept = [position for position, text in enumerate(texts) if text.strip()]
            reasons = {kept.index(position): reason for position, reason in bad.items()}
            yield RawRows([numbers[position] for position in kept], [texts[position] for position in kept], bad=reasons)


def name_label(path: Path) -> str:
    """The label that a file is named by.

    >>> name_label(Path("mails/spam.txt.gz"))
    'spam'
    """
    plain = path.with_suffix("") if path.suffix.lower() in SUFFIXES else path
    return plain.stem
