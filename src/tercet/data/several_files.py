"""Several files as one source: their documents one after another, from the same columns."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from tercet.data.column_choice import Fields
from tercet.data.folders import Folder
from tercet.data.formats import open_reader
from tercet.data.raw_rows import RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadSource, MissingColumn


class SeveralFiles(Reader):
    """The columns are those of the first file. All files are opened once at the beginning, to compare their columns."""

    def __init__(self, paths: Sequence[Path], options: ReadOptions) -> None:
        self._paths, self._n_before = paths, 0
        self._source, self._first = open_reader(paths[0], replace(options, is_part=True))
        self.place, self.guess = self._first.place, self._first.guess
        self.fields, self.header = self._first.fields, self._first.header
        try:
            self._options = options if self.fields is None else name_fields(options, self.fields)
            for path in paths[1:]:
                source, _ = self._open(path)
                source.close()
        except BaseException:
            self._source.close()
            raise

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, over all files."""
        return self._n_before + self._source.bytes_read

    def read_rows(self) -> Iterator[RawRows]:
        yield from self._first.read_rows()
        for path in self._paths[1:]:
            self._source.close()
            self._n_before = self.bytes_read
            self._source, reader = self._open(path)
            self.place = reader.place
            yield from reader.read_rows()

    def close(self) -> None:
        self._source.close()

    def _open(self, path: Path) -> tuple[Source | Folder, Reader]:
        """A later file, if it has the columns of the first one."""
        first = self._paths[0]
        try:
            source, reader = open_reader(path, self._options)
        except MissingColumn as error:
            raise refuse_difference(f"{path} has no column {error.column!r}, but {first} has one") from error
        fault = ""
        if lacking := find_first_missing(self.header, reader.header):
            fault = f"{path} has no column {lacking!r}, but {first} has one"
        elif added := find_first_missing(reader.header, self.header):
            fault = f"{path} has a column {added!r}, but {first} has none"
        elif reader.fields is not None and self.fields is None:
            fault = f"{path} is a table, but {first} is not"
        if fault and (reader.header or reader.fields):
            source.close()
            raise refuse_difference(fault)
        return source, reader


def name_fields(options: ReadOptions, fields: Fields) -> ReadOptions:
    """The options with the columns of the first file, so that nothing is guessed about the next one."""
    return replace(options, text=fields.texts, label=fields.label, weight=fields.weight, like=None)


def find_first_missing(names: Sequence[str], others: Sequence[str]) -> str | None:
    """The first of the names that is not among the others; None if either table is unknown.

    >>> find_first_missing(["text", "label"], ["text"]), find_first_missing(["text"], [])
    ('label', None)
    """
    known = set(others)
    return next((name for name in names if name not in known), None) if known else None


def refuse_difference(fault: str) -> BadSource:
    return BadSource(f"{fault}: files that are read together must have the same columns. Read them one by one, or rename it.")
