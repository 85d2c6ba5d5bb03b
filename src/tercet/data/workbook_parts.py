"""The parts of a workbook that hold its cells, unpacked safely: anybody may have made the file.

A workbook is a zip archive of XML files. A small archive may unpack to gigabytes, and two cells far apart may span billions of
empty ones. So the parts are unpacked here first, with a limit, and the extent of each sheet is measured. The reader of the
cells gets a new archive of these parts only.
"""

import io
import re
import zipfile
import zlib
from dataclasses import dataclass, field
from typing import IO, Any
from xml.parsers import expat

from tercet.data.source import BLOCK_BYTES, OLD_OFFICE
from tercet.errors import BadSource

MOST_BYTES = 1 << 29  # of all unpacked parts
MOST_CELLS = 1 << 25  # of a sheet from its first to its last cell, empty ones included
MOST_PARTS = 10_000
NEEDED = re.compile(r"(?!docProps/|.*/(theme|drawings|charts|media|pivotCache|externalLinks)/).*\.(xml|rels)|mimetype")
REFERENCE = re.compile(r"\s*([A-Za-z]*)(\d*)")  # of a cell or a row: C7 or 7

Range = tuple[tuple[int, int], tuple[int, int]]  # the first and the last cell, each as row and column from 0


@dataclass
class WorkbookParts:
    """An archive of the needed parts, and the merged cells of each sheet of an OpenDocument file, by its name."""

    archive: IO[bytes]
    merged: dict[str, list[Range]] = field(default_factory=dict)


def unpack_workbook(name: str, file: IO[bytes]) -> WorkbookParts:
    """The parts of an .xlsx or .ods file. Raises BadSource for an archive that is damaged, encrypted or too large."""
    beginning = file.read(BLOCK_BYTES)
    file.seek(0)
    if beginning.startswith(OLD_OFFICE):
        raise refuse_old(name, file)
    try:
        with zipfile.ZipFile(file) as archive:
            return copy_parts(name, archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        if isinstance(error, BadSource):
            raise
        raise BadSource(f"{name} can't be read as a spreadsheet: {error}. Is it a complete .xlsx or .ods file?") from error
    except expat.ExpatError as error:
        raise BadSource(f"{name} can't be read as a spreadsheet: its XML is damaged ({error}). Save it again.") from error


def refuse_old(name: str, file: IO[bytes]) -> BadSource:
    is_encrypted = "EncryptedPackage".encode("utf-16-le") in file.read(MOST_BYTES)
    if is_encrypted:
        return refuse_encrypted(name)
    return BadSource(f"{name} is in the old .xls format, which can't be read: save it as .xlsx or .csv.")


def refuse_encrypted(name: str) -> BadSource:
    return BadSource(f"{name} is encrypted with a password, so it can't be read: save it without a password.")


def copy_parts(name: str, archive: zipfile.ZipFile) -> WorkbookParts:
    parts = {info.filename: info for info in archive.infolist() if NEEDED.fullmatch(info.filename)}
    if len(parts) > MOST_PARTS:
        raise BadSource(f"{name} has {len(parts)} parts, more than a workbook needs: save the sheet as .csv.")
    made = WorkbookParts(io.BytesIO())
    left = MOST_BYTES
    with zipfile.ZipFile(made.archive, "w", zipfile.ZIP_STORED) as copy:
        for part, info in parts.items():
            if info.flag_bits & 1:
                raise refuse_encrypted(name)
            check = choose_check(name, part, made)
            with archive.open(info) as source, copy.open(part, "w", force_zip64=True) as target:
                while block := source.read(min(BLOCK_BYTES, left + 1)):
                    left -= len(block)
                    if left < 0:
                        raise BadSource(f"{name} unpacks to more than {MOST_BYTES >> 20} MiB: save the sheet as .csv.")
                    target.write(block)
                    check.add(block)
            check.end()
    made.archive.seek(0)
    return made


def choose_check(name: str, part: str, made: WorkbookParts) -> "PartCheck":
    if part == "content.xml":
        return TableExtents(name, made.merged)
    # The sheets of an .xlsx file may have any name.
    return SheetExtent(name) if part.endswith(".xml") else PartCheck(name)


class PartCheck:
    """Looks at a part while it is unpacked, and raises BadSource if it must not be read."""

    def __init__(self, name: str) -> None:
        self._name = name

    def add(self, block: bytes) -> None:
        """Take the next bytes of the part."""

    def end(self) -> None:
        """The part is complete."""


class XmlCheck(PartCheck):
    """Follows the elements of an XML part."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end

    def add(self, block: bytes) -> None:
        self._parser.Parse(block, False)

    def end(self) -> None:
        self._parser.Parse(b"", True)

    def _start(self, element: str, attributes: dict[str, Any]) -> None:
        if element.endswith("encryption-data"):
            raise refuse_encrypted(self._name)

    def _end(self, element: str) -> None:
        pass

    def _check_extent(self, n_rows: int, n_columns: int) -> None:
        if n_rows * n_columns > MOST_CELLS:
            raise BadSource(
                f"{self._name} has a sheet that reaches row {n_rows} and column {n_columns}, too many cells to read: delete "
                "what is far outside the table, or save the sheet as .csv."
            )


class SheetExtent(XmlCheck):
    """The last row and column of a sheet of an .xlsx file."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._row, self._column, self._n_rows, self._n_columns = 0, 0, 0, 0

    def _start(self, element: str, attributes: dict[str, Any]) -> None:
        kind = element.rpartition(":")[2]
        if kind == "row":
            _, row = read_reference(attributes.get("r", ""))
            self._row, self._column = row or self._row + 1, 0
        elif kind == "c":
            column, row = read_reference(attributes.get("r", ""))
            self._row, self._column = row or self._row, column or self._column + 1
            if self._row > self._n_rows or self._column > self._n_columns:
                self._n_rows, self._n_columns = max(self._n_rows, self._row), max(self._n_columns, self._column)
                self._check_extent(self._n_rows, self._n_columns)
        else:
            super()._start(element, attributes)


def read_reference(written: str) -> tuple[int, int]:
    """The numbers of a column and a row, from 1; 0 if one is missing.

    >>> read_reference("XFD7"), read_reference("12")
    ((16384, 7), (0, 12))
    """
    found = REFERENCE.match(written)
    letters, digits = found.groups() if found else ("", "")
    column = 0
    for letter in letters[:5].upper():
        column = 26 * column + ord(letter) - ord("A") + 1
    return column, int(digits[:9] or 0)


class TableExtents(XmlCheck):
    """The last row and column of each table of an OpenDocument file, and its merged cells."""

    def __init__(self, name: str, merged: dict[str, list[Range]]) -> None:
        super().__init__(name)
        self._merged = merged
        self._table, self._row, self._column, self._n_rows, self._n_columns = "", 0, 0, 0, 0
        self._n_same_rows, self._n_same_cells = 1, 1
        self._is_filled = False

    def _start(self, element: str, attributes: dict[str, Any]) -> None:
        if element == "table:table":
            self._table, self._row, self._n_rows, self._n_columns = attributes.get("table:name", ""), 0, 0, 0
        elif element == "table:table-row":
            self._column = 0
            self._n_same_rows = read_count(attributes, "table:number-rows-repeated")
        elif element in ("table:table-cell", "table:covered-table-cell"):
            self._n_same_cells = read_count(attributes, "table:number-columns-repeated")
            self._is_filled = any(attribute.startswith(("office:", "calcext:")) for attribute in attributes)
            self._note_merged(attributes)
        else:
            self._is_filled = True

    def _note_merged(self, attributes: dict[str, Any]) -> None:
        n_rows, n_columns = (read_count(attributes, f"table:number-{kind}-spanned") for kind in ("rows", "columns"))
        if n_rows > 1 or n_columns > 1:
            last = self._row + n_rows - 1, self._column + n_columns - 1
            self._merged.setdefault(self._table, []).append(((self._row, self._column), last))

    def _end(self, element: str) -> None:
        if element in ("table:table-cell", "table:covered-table-cell"):
            self._column += self._n_same_cells
            if self._is_filled:
                self._n_columns = max(self._n_columns, self._column)
                self._n_rows = self._row + self._n_same_rows
                self._check_extent(self._n_rows, self._n_columns)
        elif element == "table:table-row":
            self._row += self._n_same_rows


def read_count(attributes: dict[str, Any], name: str) -> int:
    """A number of rows or columns; 1 if it is missing or damaged."""
    value = str(attributes.get(name, "1")).strip()
    return int(value[:9]) if value.isdecimal() else 1
