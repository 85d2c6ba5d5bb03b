"""The parts of a workbook that hold its cells, unpacked safely: anybody may have made the file.

A workbook is a zip archive of XML files. A small archive may unpack to gigabytes, two cells far apart may span billions of
empty ones, and many cells may share one long text. So the parts are unpacked here first, with a limit, and each sheet is
measured. The reader of the cells gets a new archive of these parts only.
"""

import io
import re
import zipfile
import zlib
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import IO, Any
from xml.parsers import expat

from tercet.data.source import BLOCK_BYTES, OLD_OFFICE
from tercet.errors import BadSource

MAX_BYTES = 1 << 29  # of all unpacked parts; also characters of all cells of a sheet
MAX_CELLS = 1 << 25  # of a sheet from its first to its last cell, empty ones included
MAX_PARTS = 10_000
NEEDED = re.compile(r"(?!docProps/|.*/(theme|drawings|charts|media|pivotCache|externalLinks)/).*\.(xml|rels)|mimetype")
BREAK = re.compile(rb"<(/?)text:(?:(tab)|line-break)(?:\s[^<>]*)?/?>")  # elements of an OpenDocument cell
MAX_TAG_BYTES = 1 << 12  # bytes of such an element
REFERENCE = re.compile(r"\s*([A-Za-z]*)(\d*)")  # of a cell or a row: C7 or 7

Range = tuple[tuple[int, int], tuple[int, int]]  # the first and the last cell, each as row and column from 0


@dataclass
class WorkbookParts:
    """An archive of the needed parts, and the merged cells of each sheet of an OpenDocument file, by its name."""

    archive: IO[bytes]
    shared: "array[int]" = field(default_factory=lambda: array("q"))  # lengths of the texts that cells of an .xlsx file share
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
    except BadSource:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, OSError) as error:
        raise BadSource(f"{name} can't be read as a spreadsheet: {error}. Is it a complete .xlsx or .ods file?") from error
    except (expat.ExpatError, LookupError) as error:  # an unknown encoding is a LookupError
        raise BadSource(f"{name} can't be read as a spreadsheet: its XML is damaged ({error}). Save it again.") from error


def refuse_old(name: str, file: IO[bytes]) -> BadSource:
    is_encrypted = "EncryptedPackage".encode("utf-16-le") in file.read(MAX_BYTES)
    if is_encrypted:
        return refuse_encrypted(name)
    return BadSource(f"{name} is in the old .xls format, which can't be read: save it as .xlsx or .csv.")


def refuse_encrypted(name: str) -> BadSource:
    return BadSource(f"{name} is encrypted with a password, so it can't be read: save it without a password.")


def copy_parts(name: str, archive: zipfile.ZipFile) -> WorkbookParts:
    parts = {info.filename: info for info in archive.infolist() if NEEDED.fullmatch(info.filename)}
    if len(parts) > MAX_PARTS:
        raise BadSource(f"{name} has {len(parts)} parts, more than a workbook needs: save the sheet as .csv.")
    made = WorkbookParts(io.BytesIO())
    left = MAX_BYTES
    with zipfile.ZipFile(made.archive, "w", zipfile.ZIP_STORED) as copy:
        # The sheets come last, because they refer to shared texts.
        for part, info in sorted(parts.items(), key=lambda item: "worksheets/" in item[0]):
            if info.flag_bits & 1:
                raise refuse_encrypted(name)
            check = choose_check(name, part, made)
            breaks = BreakWriter()
            with archive.open(info) as source, copy.open(part, "w", force_zip64=True) as target:
                while block := source.read(min(BLOCK_BYTES, left + 1)):
                    left -= len(block)
                    if left < 0:
                        raise BadSource(f"{name} unpacks to more than {MAX_BYTES >> 20} MiB: save the sheet as .csv.")
                    target.write(breaks.replace(block) if part == "content.xml" else block)
                    check.add(block)
                target.write(breaks.rest)
            check.end()
    made.archive.seek(0)
    return made


class BreakWriter:
    """Writes the tabs and line breaks of an OpenDocument cell as characters, in blocks of bytes.

    They are elements there, and the reader of the cells leaves them out, so that two words would become one.

    >>> BreakWriter().replace(b"<text:p>one<text:tab/>two<text:line-break></text:line-break>three</text:p>")
    b'<text:p>one\\ttwo\\nthree</text:p>'
    """

    def __init__(self) -> None:
        self.rest = b""  # the beginning of an element that the next block ends

    def replace(self, block: bytes) -> bytes:
        block = self.rest + block
        start = block.rfind(b"<", -MAX_TAG_BYTES)
        cut = len(block) if start < 0 or b">" in block[start:] else start
        self.rest = block[cut:]
        return BREAK.sub(lambda found: b"" if found[1] else b"\t" if found[2] else b"\n", block[:cut])


def choose_check(name: str, part: str, made: WorkbookParts) -> "PartCheck":
    if part == "content.xml":
        return TableExtents(name, made.merged)
    # The sheets of an .xlsx file may have any name.
    return SheetExtent(name, made.shared) if part.endswith(".xml") else PartCheck(name)


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

    def _check_characters(self, n: int) -> None:
        if n > MAX_BYTES:
            raise BadSource(f"{self._name} has a sheet with more than {MAX_BYTES} characters: save the sheet as .csv.")

    def _check_extent(self, n_rows: int, n_columns: int) -> None:
        if n_rows * n_columns > MAX_CELLS:
            raise BadSource(
                f"{self._name} has a sheet that reaches row {n_rows} and column {n_columns}, too many cells to read: delete "
                "what is far outside the table, or save the sheet as .csv."
            )


class SheetExtent(XmlCheck):
    """The last row and column of a sheet of an .xlsx file, and how long its texts are together; or the shared texts."""

    def __init__(self, name: str, shared: "array[int]") -> None:
        super().__init__(name)
        self._shared, self._n_characters, self._number = shared, 0, ""
        self._row, self._column, self._n_rows, self._n_columns = 0, 0, 0, 0
        self._columns: dict[str, int] = {}  # numbers of columns by their letters
        self._parser.EndElementHandler = None  # most elements need none, and a call takes long

    def _start(self, element: str, attributes: dict[str, Any]) -> None:
        kind = element.rpartition(":")[2]
        if kind == "c":
            self._note_cell(attributes.get("r", ""))
            if attributes.get("t") == "s":
                self._number = ""
                self._follow(self._add_digits)
        elif kind == "row":
            _, row = read_reference(attributes.get("r", ""))
            self._row, self._column = row or self._row + 1, 0
        elif kind == "si":
            self._shared.append(0)
            self._follow(self._add_shared)
        elif kind != "v":
            super()._start(element, attributes)

    def _note_cell(self, reference: str) -> None:
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None or not reference.endswith(f"{letters}{self._row}"):
            column, row = read_reference(reference)
            self._columns[letters[:5]], self._row = column, row or self._row
        self._column = column or self._column + 1
        if self._column > self._n_columns or self._row > self._n_rows:
            self._n_rows, self._n_columns = max(self._n_rows, self._row), max(self._n_columns, self._column)
            self._check_extent(self._n_rows, self._n_columns)

    def _follow(self, add: Callable[[str], None] | None) -> None:
        """Give the text up to the end of this element to a function; None for no longer."""
        self._parser.CharacterDataHandler = add
        self._parser.EndElementHandler = None if add is None else self._end

    def _end(self, element: str) -> None:
        kind = element.rpartition(":")[2]
        if kind == "c":
            index = int(self._number) if self._number.isdecimal() else 0
            self._n_characters += self._shared[index] if index < len(self._shared) else 0
            self._check_characters(self._n_characters)
        if kind in ("c", "si"):
            self._follow(None)

    def _add_digits(self, text: str) -> None:
        self._number = (self._number + text.strip())[:9]

    def _add_shared(self, text: str) -> None:
        self._shared[-1] += len(text)


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
        self._is_filled, self._n_characters, self._n_of_cell = False, 0, 0
        self._parser.CharacterDataHandler = self._add_text

    def _add_text(self, text: str) -> None:
        self._n_of_cell += len(text)

    def _start(self, element: str, attributes: dict[str, Any]) -> None:
        if element == "table:table":
            self._table, self._row, self._n_rows, self._n_columns = attributes.get("table:name", ""), 0, 0, 0
        elif element == "table:table-row":
            self._column = 0
            self._n_same_rows = read_count(attributes, "table:number-rows-repeated")
        elif element in ("table:table-cell", "table:covered-table-cell"):
            self._n_same_cells = read_count(attributes, "table:number-columns-repeated")
            self._is_filled = any(attribute.startswith(("office:", "calcext:")) for attribute in attributes)
            self._n_of_cell = 0
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
                self._n_characters += self._n_of_cell * self._n_same_cells * self._n_same_rows
                self._check_characters(self._n_characters)
                self._check_extent(self._n_rows, self._n_columns)
        elif element == "table:table-row":
            self._row += self._n_same_rows


def read_count(attributes: dict[str, Any], name: str) -> int:
    """A number of rows or columns; 1 if it is missing or damaged."""
    value = str(attributes.get(name, "1")).strip()
    return int(value[:9]) if value.isdecimal() else 1
