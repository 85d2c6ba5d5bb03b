"""Folders: a sub-folder for each label, or a file of many documents for each."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from tercet.data.block import Block
from tercet.data.compression import SUFFIXES
from tercet.data.lines import BYTE_ORDER_MARK, Chunk, Lines
from tercet.data.mail import MboxReader, decode_mail
from tercet.data.read_options import ReadOptions
from tercet.data.source import BLOCK, Source, open_source
from tercet.data.text_lines import read_lines
from tercet.errors import BadSource

MOST_FILES = 1000  # of a block

Row = tuple[str, str, str, str | None]  # name, text, label, what is wrong


class Folder:
    """Files below a folder, sorted by name; those with a dot before their name are left out, as are such folders."""

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
        """Of all files that were opened so far."""
        return self._n_before + (self._current.bytes_read if self._current else 0)

    def walk(self) -> Iterator[Path]:
        """All files, those of sub-folders first."""
        for folder in self.folders:
            yield from Folder(folder).walk()
        yield from self.files

    def open(self, path: Path) -> Source:
        self._n_before, self._current = self.bytes_read, None
        self._current = open_source(path)
        return self._current

    def close(self) -> None:
        """Nothing stays open."""


class FolderReader:
    """Every file of a sub-folder is a document, its label the name of the sub-folder; deeper folders count as part of it.

    Without labels, every file below the folder is a document.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self.guess: list[str] = []
        self._folder, self._options, self._are_mails = folder, options, are_mails
        if options.labelled and folder.files:
            n_files = len(folder.files)
            self.guess.append(f"{n_files} file{'s' if n_files > 1 else ''} beside the sub-folders left out")

    def blocks(self) -> Iterator[Block]:
        rows: list[Row] = []
        size = 0
        for label, path in self._list():
            text, reason = self._read(path)
            rows.append((str(path.relative_to(self._folder.path)), text, label, reason))
            size += len(text)
            if size >= BLOCK or len(rows) >= MOST_FILES:
                yield self._make_block(rows)
                rows, size = [], 0
        yield self._make_block(rows)

    def _make_block(self, rows: list[Row]) -> Block:
        bad = {position: reason for position, (*_, reason) in enumerate(rows) if reason is not None}
        labels = [label for _, _, label, _ in rows] if self._options.labelled else None
        return Block([name for name, *_ in rows], [text for _, text, *_ in rows], labels, bad=bad)

    def _list(self) -> Iterator[tuple[str, Path]]:
        if not self._options.labelled:
            yield from (("", path) for path in self._folder.walk())
            return
        for folder in self._folder.folders:
            yield from ((folder.name, path) for path in Folder(folder).walk())

    def _read(self, path: Path) -> tuple[str, str | None]:
        """The document in this file, and what is wrong with it."""
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
    """Every file of the folder holds the documents of one label, which its name is: a document a line, or an mbox.

    Blank lines are no documents.
    """

    def __init__(self, folder: Folder, options: ReadOptions, *, are_mails: bool) -> None:
        self.place = f"{folder.name}{os.sep}"
        self.guess: list[str] = []
        self._folder, self._options, self._are_mails = folder, options, are_mails

    def blocks(self) -> Iterator[Block]:
        for path in self._folder.files:
            with closing(self._folder.open(path)) as source:
                for block in self._read(source):
                    block.lines = [f"{path.name}, line {number}" for number in block.lines]
                    block.labels = [name_label(path)] * len(block.texts) if self._options.labelled else None
                    yield block

    def _read(self, source: Source) -> Iterator[Block]:
        if self._are_mails:
            yield from MboxReader(source, self._options, None).blocks()
            return
        for numbers, texts, bad in read_lines(Lines(source, self._options.encoding)):
            kept = [position for position, text in enumerate(texts) if text.strip()]
            reasons = {kept.index(position): reason for position, reason in bad.items()}
            yield Block([numbers[position] for position in kept], [texts[position] for position in kept], bad=reasons)


def name_label(path: Path) -> str:
    """
    >>> name_label(Path("mails/spam.txt.gz"))
    'spam'
    """
    plain = path.with_suffix("") if path.suffix.lower() in SUFFIXES else path
    return plain.stem
