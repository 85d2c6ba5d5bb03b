"""Sheets of Excel (.xlsx) and OpenDocument (.ods) workbooks."""

from collections.abc import Iterator
from datetime import date, datetime, time
from itertools import islice
from typing import Any

from tercet.data.column_choice import MAX_SAMPLED_ROWS, check_unique, choose_fields, spell_names
from tercet.data.csv_tables import check_numbers, has_header
from tercet.data.raw_rows import RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import BLOCK_BYTES, Source
from tercet.data.workbook_parts import Range, WorkbookParts, refuse_encrypted, unpack_workbook
from tercet.errors import BadSource
from tercet.extras import import_extra

N_SAMPLED = 200  # rows that the header is guessed from
MAX_ROWS = 10_000  # rows that are given out together
MAX_MERGED = 1_000_000  # rows of merged cells

Row = tuple[int, list[str]]  # its number in the sheet, from 1, and its cells


class SpreadsheetReader(Reader):
    """Rows of one sheet. Every cell is text, as in a CSV file. Blank rows are skipped.

    A cell that is merged over several rows has its value in each of them. A row with cells that are merged over several
    columns is bad, because it is not clear which column the value is of.
    """

    def __init__(self, source: Source, options: ReadOptions) -> None:
        self.place = f"{source.name}, row "
        self.guess: list[str] = []
        if not source.peek():
            return
        calamine = import_extra(
            "python_calamine", package="python-calamine", extra="tables", purpose="to read spreadsheets, tercet needs"
        )
        self._sheet = open_sheet(calamine, source.name, unpack_workbook(source.name, source.to_seekable()), options)
        self.guess += self._sheet.guess
        self._rows = self._sheet.read_rows()
        self._first = list(islice(self._rows, N_SAMPLED))
        if self._first:
            self._choose_fields(source.name, options)

    def _choose_fields(self, name: str, options: ReadOptions) -> None:
        """Choose the columns. In a sheet without a header their names are their numbers, from 1."""
        (number, first), sample = self._first[0], [cells for _, cells in self._first]
        is_header = has_header(sample, options)
        check_numbers(name, sample, options)
        self.guess += [] if is_header else ["no header"]
        names = [cell.strip() if is_header else str(column) for column, cell in enumerate(first, 1)]
        if is_header and (merged := self._sheet.find_merged(number)):
            raise BadSource(
                f"{self.place}{number}: {merged} are merged, but the header needs a name for each column: split them."
            )
        check_unique(name, names)
        self.header = tuple(names)
        self._column_indices = {name: index for index, name in enumerate(names)}
        self._first = self._first[is_header:]
        rows = self._sheet.sample_rows()[is_header:] if options.has_guess else []
        cells = {name: [row[index] for row in rows] for name, index in self._column_indices.items()}
        self.fields, guesses = choose_fields(name, cells, options, has_header=is_header)
        self.guess += guesses

    def read_rows(self) -> Iterator[RawRows]:
        rows: list[Row] = []
        size = 0
        for row in self._list_rows():
            rows.append(row)
            size += sum(map(len, row[1]))
            if len(rows) >= MAX_ROWS or size >= BLOCK_BYTES:
                yield from self._make_rows(rows)
                rows, size = [], 0
        yield from self._make_rows(rows)

    def _list_rows(self) -> Iterator[Row]:
        if self.fields is not None:
            yield from self._first
            yield from self._rows

    def _make_rows(self, rows: list[Row]) -> Iterator[RawRows]:
        if self.fields is None or not rows:
            return
        indices = {self._column_indices[name] for name in self.fields.names}
        bad = {}
        for position, (number, _) in enumerate(rows):
            if merged := self._sheet.find_merged_columns(number, indices):
                bad[position] = (
                    f"{merged} are merged over several columns, so it is not clear which one has the value: split them."
                )
        yield self.fields.make_rows(
            [number for number, _ in rows], lambda name: [cells[self._column_indices[name]] for _, cells in rows], bad
        )


class WorkbookSheet:
    """The rows of a sheet, with merged cells filled."""

    def __init__(self, name: str, sheet: Any, merged: list[Range]) -> None:
        self._sheet = sheet
        start: tuple[int, int] = sheet.start or (0, 0)
        self._left = start[1]  # rows are given out from this column on
        self.guess: list[str] = []
        self._below: dict[tuple[int, int], tuple[int, int]] = {}  # a cell that is merged with the one above it → the upper one
        self._across: dict[int, list[Range]] = {}  # by row: the merged cells over several columns
        n_filled = 0
        last = start[0] + sheet.height
        if sum(min(bottom + 1, last) - top for (top, _), (bottom, _) in merged) > MAX_MERGED:
            raise BadSource(f"{name} has more than {MAX_MERGED} rows with merged cells: split them, or save the sheet as .csv.")
        for (top, left), (bottom, right) in merged:
            if right > left:
                for row in range(top, min(bottom + 1, last)):
                    self._across.setdefault(row, []).append(((top, left), (bottom, right)))
            elif top < last:
                n_filled += 1
                self._below |= {(row, left): (top, left) for row in range(top + 1, min(bottom + 1, last))}
        if n_filled:
            cells = "1 cell" if n_filled == 1 else f"{n_filled} cells"
            self.guess.append(f"{cells} merged over several rows: the value is used in each of them")

    def sample_rows(self) -> list[list[str]]:
        """The cells of rows from all parts of the sheet, the first one among them."""
        step = max(1, self._sheet.height // MAX_SAMPLED_ROWS)
        return [cells for _, cells in islice(self.read_rows(), 0, None, step)]

    def read_rows(self) -> Iterator[Row]:
        """The rows that are not blank. A title above the table, merged over several columns, is left out."""
        upper: dict[tuple[int, int], str] = {}
        sources = set(self._below.values())
        is_above = True
        for row, values in enumerate(self._sheet.iter_rows()):  # from the first row of the sheet, even if it is blank
            cells = [spell_cell(value) for value in values]
            n_filled = sum(cell.strip() != "" for cell in cells)
            if not n_filled or (is_above and n_filled == 1 and row in self._across):
                continue
            is_above = False
            for index in range(len(cells)) if self._below else ():
                cell = row, index + self._left
                if cell in sources:
                    upper[cell] = cells[index]
                elif cell in self._below:
                    cells[index] = upper.get(self._below[cell], "")
            yield row + 1, cells

    def find_merged(self, number: int) -> str | None:
        """The first merged cells of a row, for a message."""
        row = number - 1
        below = [(upper, lower) for lower, upper in self._below.items() if upper[0] == row]
        found = [*self._across.get(row, []), *below]
        return spell_range(found[0]) if found else None

    def find_merged_columns(self, number: int, indices: set[int]) -> str | None:
        """The first cells of a row that are merged over several columns, of which one is at these indices."""
        for first, last in self._across.get(number - 1, ()):
            if any(first[1] <= index + self._left <= last[1] for index in indices):
                return spell_range((first, last))
        return None


def open_sheet(calamine: Any, name: str, parts: WorkbookParts, options: ReadOptions) -> WorkbookSheet:
    """The sheet that was asked for, or the only one that has cells. A sheet that is a chart does not count."""
    try:
        book = calamine.CalamineWorkbook.from_filelike(parts.archive)
        tables = [sheet for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet]
        shown = [sheet.name for sheet in tables if sheet.visible == calamine.SheetVisibleEnum.Visible]
        chosen = choose_sheets(name, [sheet.name for sheet in tables], shown, options)
        sheets = {sheet: book.get_sheet_by_name(sheet) for sheet in chosen}
    except BadSource:
        raise
    except calamine.PasswordError as error:
        raise refuse_encrypted(name) from error
    except (calamine.CalamineError, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadSource(f"{name} can't be read as a spreadsheet: {reason}. Save it again.") from error
    filled = {sheet: found for sheet, found in sheets.items() if found.height}
    if len(filled) > 1:
        raise BadSource(f"{name} has {len(filled)} sheets: {spell_names(list(filled))}. Name one of them with --sheet.")
    only, found = next(iter((filled or sheets).items()))
    sheet = WorkbookSheet(name, found, found.merged_cell_ranges or parts.merged.get(only, []))
    if options.sheet is None and len(book.sheet_names) > 1:
        sheet.guess.insert(0, f"sheet: {only!r}")
    return sheet


def choose_sheets(name: str, sheets: list[str], shown: list[str], options: ReadOptions) -> list[str]:
    """The sheet that was asked for, or all that are not hidden."""
    if options.sheet is None and not shown:
        raise BadSource(f"{name} has only hidden sheets: name one of {spell_names(sheets)} with --sheet.")
    if options.sheet is not None and options.sheet not in sheets:
        raise BadSource(f"{name} has no sheet {options.sheet!r}: it has {spell_names(sheets)}. Name one of these with --sheet.")
    return shown if options.sheet is None else [options.sheet]


def spell_cell(value: Any) -> str:
    """The value of a cell as text: a number as short as possible, a date as ISO 8601 has it.

    >>> spell_cell(3.0), spell_cell(2.5), spell_cell(True), spell_cell(date(2024, 1, 5)), spell_cell(" a ")
    ('3', '2.5', 'true', '2024-01-05', ' a ')
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    return value.isoformat() if isinstance(value, date | datetime | time) else str(value)


def spell_range(cells: Range) -> str:
    """The name that spreadsheets give to a range of cells.

    >>> spell_range(((0, 0), (0, 27)))
    'the cells A1:AB1'
    """
    return "the cells " + ":".join(f"{spell_column(column)}{row + 1}" for row, column in cells)


def spell_column(index: int) -> str:
    """The letters of a column, counted from 0.

    >>> spell_column(0), spell_column(16383)
    ('A', 'XFD')
    """
    letters = ""
    while index >= 0:
        index, letter = divmod(index, 26)
        letters, index = chr(ord("A") + letter) + letters, index - 1
    return letters
