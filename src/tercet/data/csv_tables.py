"""CSV and TSV: how such a file is written (delimiter, quotes, header), and its rows."""

import csv
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, islice
from operator import itemgetter
from shlex import quote
from typing import Any

from tercet.data.column_choice import MAX_SAMPLED_ROWS, blank_beginning, check_unique, choose_fields, thin_rows
from tercet.data.column_signs import FORMS, LETTERS, is_numeral, is_usual, mean_length
from tercet.data.lines import LineReader
from tercet.data.raw_rows import NOTHING_YET, RawRows, Reader
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source, spell_size
from tercet.errors import BadRow, BadSource

MAX_CELL_LENGTH = 1 << 27  # characters
DELIMITERS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
N_SAMPLED = 200  # rows that delimiter and header are guessed from
MAX_NAMES = 200  # cells of the first row
# The name of a column: neither a number nor a sentence.
NAME = re.compile(r"[^\W\d][\w .\-/]{0,39}")
MAX_NAME_LENGTH = 120  # characters; a survey has its questions as names
MAX_NAME_WORDS = 6  # in a name that is no question

SEPARATOR_LINE = re.compile(r'"?sep=([ -~\t])"?[\r\n]*', re.IGNORECASE)

Row = list[str]


class DelimitedReader(Reader):
    """Rows of a CSV or TSV file. Blank lines are skipped.

    A row may span several lines if a cell is quoted. A row is bad if it has more or fewer cells than the first row, has
    bytes that can't be decoded, or opens a quote that is never closed.
    """

    def __init__(self, source: Source, options: ReadOptions, *, delimiter: str | None = None) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL_LENGTH))
        self.place = f"{source.name}, line "
        self._lines = LineReader(source, options.encoding, any_end=True)
        self._max_bytes = source.max_document_bytes
        self._reasons: dict[int, str] = {}  # what is wrong with a line, by line number
        first, usual = self._lines.peek(), delimiter or ","
        self._separator = read_separator_line(str(first.lines[0], "latin-1")) if first.lines else None
        if self._separator is not None:
            first.blank_first()
        beginning, bad = first.decode(self._lines.encoding)
        self._dialect = guess_dialect(beginning, self._separator or delimiter, list_wanted(options))
        sample = self._dialect.sample(beginning)
        self._has_header = has_header(sample, options)
        check_numbers(source.name, sample, options)
        if 0 in bad and (self._has_header or options.on_error == "stop"):
            raise BadRow(f"{self.place}1", bad[0])
        self.guess: list[str] = []
        if sample:
            self.guess += self._describe_dialect(usual)
            self._choose_fields(source.name, sample[0], beginning, options)

    def _describe_dialect(self, usual: str) -> list[str]:
        found = self._dialect
        words = (
            [] if found.delimiter == usual else [f"cells separated by {DELIMITERS.get(found.delimiter, repr(found.delimiter))}"]
        )
        words += [] if found.is_quoted else ["quotes are part of the text"]
        return words + ([] if self._has_header else ["no header"])

    def _choose_fields(self, name: str, first: Row, beginning: list[str], options: ReadOptions) -> None:
        """Choose the columns. In a file without a header their names are their numbers, from 1."""
        header = [cell.strip() if self._has_header else str(column) for column, cell in enumerate(first, 1)]
        check_unique(name, header)
        self.header = tuple(header)
        self._width, self._column_indices = len(header), {cell: index for index, cell in enumerate(header)}
        rows = self._sample_rows(beginning) if options.has_guess else []
        cells: dict[str, Any] = {cell: [row[index] for row in rows] for cell, index in self._column_indices.items()}
        is_partial = not self._lines.is_at_end and not self._lines.peek_ahead()
        self.fields, guesses = choose_fields(name, cells, options, has_header=self._has_header, is_partial=is_partial)
        self.guess += guesses

    def _sample_rows(self, beginning: list[str]) -> list[Row]:
        """Rows from all parts of the file, as far as it can be read out of order."""
        blocks = [[str(line, self._lines.encoding, "replace") for line in lines] for lines in self._lines.peek_ahead()]
        # A block may begin inside a cell with line breaks. Read it as if it did, too, and keep what has more whole rows.
        pairs = [[self._list_whole_rows(lines)[1:] for lines in (block, ['"', *block])] for block in blocks]
        samples = [self._list_whole_rows(beginning)[self._has_header :], *(max(pair, key=len) for pair in pairs)]
        return [row for rows in samples for row in thin_rows(rows, MAX_SAMPLED_ROWS // len(samples))]

    def _list_whole_rows(self, lines: list[str]) -> list[Row]:
        """The rows that have as many cells as the first one, up to a cell that is too long."""
        rows: list[Row] = []
        with suppress(csv.Error):
            rows.extend(row for row in self._dialect.read(lines) if len(row) == self._width)
        return rows

    def read_rows(self) -> Iterator[RawRows]:
        n_read, n_rows, heads = 0, -int(self._separator is not None), int(self._has_header)  # a spreadsheet does not show sep=;
        for rows, ends in self._rows():
            if not rows:
                if self._lines.is_waiting:
                    yield NOTHING_YET
                continue
            begins = [n_read + 1] + [end + 1 for end in ends[:-1]]
            n_read = ends[-1]
            numbers = list(range(n_rows + 1, n_rows + 1 + len(rows)))  # a spreadsheet counts blank rows, too
            n_rows += len(rows)
            if not all(rows):
                kept = [position for position, row in enumerate(rows) if row]
                begins, ends, numbers = ([column[position] for position in kept] for column in (begins, ends, numbers))
                rows = [row for row in rows if row]
            if rows[heads:]:
                made = self._make_rows(rows[heads:], begins[heads:], ends[heads:])
                has_long_rows = numbers[-1] < begins[-1]  # so far, a row had more than one line
                yield replace(made, rows=numbers[heads:]) if has_long_rows else made
            heads = 0 if rows else heads

    def _rows(self) -> Iterator[tuple[list[Row], list[int]]]:
        """Rows, and the number of the line on which each ends.

        The rows that are complete are given out after each chunk of lines, so rows that came through a pipe never wait for the
        rest of it.
        """
        parser = RowParser(self._dialect)
        for chunk in self._lines:
            lines, bad = chunk.decode(self._lines.encoding)
            self._reasons |= {chunk.first + position: reason for position, reason in bad.items()}
            yield parser.parse(lines, self._reasons)
            if parser.n_open > self._max_bytes:
                most = spell_size(self._max_bytes)
                raise BadSource(f"{self.place}{parser.begin}: the row is longer than {most}: is a quote missing?")
        yield parser.finish(self._reasons)

    def _make_rows(self, rows: list[Any], begins: list[int], ends: list[int]) -> RawRows:
        if self.fields is None:
            raise blank_beginning(f"{self.place}{begins[0]}")
        bad = {bisect_left(ends, line): why for line, why in self._reasons.items() if begins[0] <= line <= ends[-1]}
        self._reasons = {line: why for line, why in self._reasons.items() if line > ends[-1]}
        if set(map(len, rows)) != {self._width}:
            for position, row in enumerate(rows):
                if len(row) != self._width:
                    bad.setdefault(position, f"it has {count_cells(len(row))}, but the first row has {self._width}.")
                    rows[position] = [None] * self._width
        return self.fields.make_rows(begins, lambda name: list(map(itemgetter(self._column_indices[name]), rows)), bad)


class RowParser:
    """Rows of lines that come in chunks. A row may begin in one chunk and end in another.

    Between two lines there are only two states: a quote is open, or none is. So a chunk can be read without the lines before
    it, and each line is read at most twice.

    >>> parser = RowParser(Dialect(","))
    >>> parser.parse(["a,b\\n", '1,"two\\n'], {}), parser.begin
    (([['a', 'b']], [1]), 2)
    >>> parser.parse(['lines"\\n'], {})
    ([['1', 'two\\nlines']], [3])
    """

    def __init__(self, dialect: "Dialect") -> None:
        self._dialect = dialect
        self.begin = 1  # the line on which the next row begins
        self.n_open = 0  # characters of that row that are there
        self._open: list[str] = []  # they themselves, those of a chunk in one str
        self._n_lines = 0

    def parse(self, lines: list[str], reasons: dict[int, str]) -> tuple[list[Row], list[int]]:
        """The rows that are complete with these lines, and the line on which each ends. `reasons` gets what is wrong."""
        rows, ends, n_done = list[Row](), list[int](), 0
        given = ['"' + lines[0], *lines[1:]] if self._open and lines else lines
        # Add one line. It becomes a row of its own unless a quote is still open.
        reader = self._dialect.read(chain(given, ["end"]))
        while n_done < len(lines):
            try:
                row = next(reader)
            except csv.Error as error:  # the cell is too long; the csv module continues with the next line
                row = self._refuse(self._n_lines + reader.line_num, f"{error}: is a quote missing?", reasons)
            if reader.line_num > len(lines):
                break
            if self._open:
                row = self._close(lines[: reader.line_num], self._n_lines + reader.line_num, reasons)
            rows.append(row)
            n_done = reader.line_num
            ends.append(self._n_lines + n_done)
        self._n_lines += len(lines)
        self._keep_open(lines[n_done:], ends)
        return self._stop_endless(rows, ends, reasons)

    def finish(self, reasons: dict[int, str]) -> tuple[list[Row], list[int]]:
        """The last row, if a quote is still open."""
        if not self._open:
            return [], []
        return [self._refuse(self._n_lines, "a quote opens in this row and is never closed.", reasons)], [self._n_lines]

    def _keep_open(self, lines: list[str], ends: list[int]) -> None:
        self.begin = ends[-1] + 1 if ends else self.begin
        if lines:
            self._open.append("".join(lines))
            self.n_open += len(self._open[-1])

    def _close(self, lines: list[str], end: int, reasons: dict[int, str]) -> Row:
        """The row that was open, with its last lines. All its line ends are inside quotes, so it may be read as one line."""
        whole = "".join([*self._open, *lines])
        self._open, self.n_open = [], 0
        try:
            row: Row = next(self._dialect.read([whole]))
        except csv.Error as error:
            return self._refuse(end, f"{error}: is a quote missing?", reasons)
        return row

    def _stop_endless(self, rows: list[Row], ends: list[int], reasons: dict[int, str]) -> tuple[list[Row], list[int]]:
        """Give up an open row that is longer than a cell may be. The next line begins a row."""
        if self.n_open > csv.field_size_limit():
            self._open, self.n_open, self.begin = [], 0, self._n_lines + 1
            why = f"it has more than {MAX_CELL_LENGTH} characters: is a quote missing?"
            rows.append(self._refuse(self._n_lines, why, reasons))
            ends.append(self._n_lines)
        return rows, ends

    def _refuse(self, line: int, reason: str, reasons: dict[int, str]) -> Row:
        reasons[line] = reason
        return ["?"]


def count_cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"


@dataclass(frozen=True)
class Dialect:
    """How a file is written: what separates its cells, and whether quotes have a meaning."""

    delimiter: str
    is_quoted: bool = True

    def read(self, lines: Any) -> Any:
        """A csv.reader for the lines."""
        quoting: Any = csv.QUOTE_MINIMAL if self.is_quoted else csv.QUOTE_NONE
        return csv.reader(lines, delimiter=self.delimiter, quoting=quoting)

    def sample(self, lines: Sequence[str]) -> list[Row]:
        """The first rows, without blank ones."""
        try:
            return list(islice(filter(None, self.read(lines)), N_SAMPLED))
        except csv.Error:  # a cell is too long: the reader will report where
            return []


def guess_dialect(lines: Sequence[str], delimiter: str | None, wanted: Collection[str] = ()) -> Dialect:
    """The dialect of these lines.

    If no delimiter is given, it is the one that gives the first row most column names that are `wanted` or usual. If several
    do, it is the one that gives most rows as many cells as the first row. It is a comma if every line is one cell.

    >>> guess_dialect(["label;text", "a;Well, well", "b;So, so, so"], None).delimiter
    ';'
    """
    if delimiter is None:
        samples = {candidate: Dialect(candidate).sample(lines) for candidate in DELIMITERS}
        delimiter = max(
            samples, key=lambda candidate: (count_names(samples[candidate], wanted), *judge_fit(samples[candidate]))
        )
    # Tab-separated files are often written without quoting. Then the quotes in "Hi" belong to the text.
    return Dialect(delimiter, is_quoted=delimiter != "\t" or is_well_quoted(lines))


def count_names(rows: list[Row], wanted: Collection[str]) -> int:
    """How many cells of the first row are names of columns, `wanted` or usual ones."""
    first = [cell.strip() for cell in rows[0][:MAX_NAMES]] if rows else []
    return sum(cell in wanted or is_usual(cell) for cell in first)


def judge_widths(rows: list[Row]) -> tuple[float, int]:
    """The share of rows with the most frequent number of cells, and that number; (0, 0) if that number is one."""
    if not rows:
        return 0, 0
    width, n_rows = Counter(map(len, rows)).most_common(1)[0]
    return (n_rows / len(rows), width) if width > 1 else (0, 0)


def judge_fit(rows: list[Row]) -> tuple[float, int]:
    """The same, but (0, 0) if the first row has another number of cells: then all rows with the most frequent one are bad.

    >>> judge_fit([["text"], ["Well", " well"], ["So", " so"]])
    (0, 0)
    """
    found = judge_widths(rows)
    return found if rows and len(rows[0]) == found[1] else (0, 0)


def is_well_quoted(lines: Sequence[str]) -> bool:
    """Whether every quote that opens a cell also closes it, in lines whose cells are separated by tabs."""
    try:
        for _ in islice(csv.reader(lines, delimiter="\t", strict=True), N_SAMPLED):
            pass
    except csv.Error:
        return False
    return True


def read_separator_line(line: str) -> str | None:
    """The delimiter in a first line such as sep=; which is for Excel; None if the line is a row.

    >>> read_separator_line("sep=;\\r\\n"), read_separator_line("sep=;x")
    (';', None)
    """
    found = SEPARATOR_LINE.fullmatch(line)
    return None if found is None else found[1]


def list_wanted(options: ReadOptions) -> set[str]:
    """The names of columns that are asked for, or that other data had."""
    return {*(name for _, name in [*options.named, *options.remembered]), *options.columns, *options.usual_labels}


def has_header(rows: list[Row], options: ReadOptions) -> bool:
    """Whether the first row names the columns: it has a name that is asked for or usual, or looks different from the others.

    There is no header if the columns are asked for by number.

    >>> has_header([["stars", "words"], ["5", "Very good."]], ReadOptions())
    True
    >>> has_header([["5", "Very good."], ["1", "Very bad."]], ReadOptions())
    False
    """
    first = {cell.strip() for cell in rows[0]} if rows else set()
    names = {name for name in list_wanted(options) if not name.isdecimal()}
    return bool(names & first) or (not list_numbers(options) and looks_like_header(rows))


def list_numbers(options: ReadOptions) -> list[tuple[str, int]]:
    """The columns that are asked for by number, [("text", 2)]; empty if one is asked for by name."""
    wanted = [*options.named, *(("columns", name) for name in options.columns)]
    return [(option, int(name)) for option, name in wanted] if all(name.isdecimal() for _, name in wanted) else []


def check_numbers(source: str, rows: list[Row], options: ReadOptions) -> None:
    """Raise BadSource if columns are asked for by number, and the first row looks like a header: it would be a document."""
    first, numbers = rows[0] if rows else [], list_numbers(options)
    if not all(0 < number <= len(first) for _, number in numbers) or not numbers or not looks_like_header(rows):
        return
    named = " ".join(f"--{option} {quote(first[number - 1].strip())}" for option, number in numbers)
    raise BadSource(
        f"row 1 of {source} looks like a header, and would be read as a document: name the columns, {named}. "
        "If it is a document, put a row of names before it."
    )


def looks_like_header(rows: list[Row]) -> bool:
    """Whether the first row has usual names of columns, or looks different from the others."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    n_usual = count_names(rows, ())
    if n_usual > 1 and 3 * n_usual > len(first[:MAX_NAMES]):
        return True
    if not all(map(could_be_name, filter(None, first))) or not any(first):
        return False
    columns = [[row[index] for row in rows[1:] if len(row) > index] for index in range(len(first))]
    # A label is repeated in its column; the name of a column is not.
    is_new = not any(cell and cell in column for cell, column in zip(first, columns, strict=True))
    if n_usual and is_new:
        return True
    return is_new and len(first) > 1 and any(stands_apart(cell, column) for cell, column in zip(first, columns, strict=True))


def could_be_name(cell: str) -> bool:
    """Whether a cell could be the name of a column: short words, with a unit or a remark perhaps, or a question.

    >>> [could_be_name(cell) for cell in ("Temp (°C)", "Unnamed: 0", "How old are you?", "3.5", "2024-05-01", "So it goes!")]
    [True, True, True, False, False, False]
    """
    if NAME.fullmatch(cell):
        return True
    is_short = len(cell.split()) <= MAX_NAME_WORDS and not cell.endswith(("!", "."))
    is_value = any(FORMS[form].fullmatch(cell) for form in ("date", "number", "address"))
    return len(cell) <= MAX_NAME_LENGTH and (is_short or cell.endswith("?")) and bool(LETTERS.search(cell)) and not is_value


def stands_apart(cell: str, others: Row) -> bool:
    """Whether the cell is a word above numbers, or a short word above long texts.

    >>> stands_apart("price", ["1.5", "20"]), stands_apart("a", ["b", "c"])
    (True, False)
    """
    if not others or not cell:
        return False
    return all(map(is_numeral, others)) or mean_length(others) > max(20, 4 * len(cell))
