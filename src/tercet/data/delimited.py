"""CSV and TSV, as Python's csv module reads them."""

import csv
from bisect import bisect_left
from collections.abc import Iterator
from itertools import chain
from operator import itemgetter
from typing import Any

from tercet.data.block import Block
from tercet.data.dialect import DELIMITERS, Row, guess_dialect, has_header
from tercet.data.fields import Fields, blank_beginning, check_unique, choose_fields
from tercet.data.lines import Lines
from tercet.data.read_options import ReadOptions
from tercet.data.source import Source
from tercet.errors import BadRow

LONGEST_CELL = 1 << 27  # characters


class DelimitedReader:
    """Rows of a CSV file; blank lines are none.

    A row may span lines, if a cell is quoted. A row with more or fewer cells than the first one is bad, and so is one with
    bytes that can't be decoded or with a quote that is never closed.
    """

    def __init__(self, source: Source, options: ReadOptions, *, delimiter: str | None = None) -> None:
        csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
        self.place = f"{source.name}, line "
        self._lines = Lines(source, options.encoding, any_end=True)
        self._reasons: dict[int, str] = {}  # what is wrong with a line, by its number
        self._n_given = 0  # lines that the csv module has got so far
        beginning, bad = self._lines.peek().decode(self._lines.encoding)
        self._dialect = guess_dialect(beginning, delimiter, [*options.named.values(), *options.columns])
        sample = self._dialect.sample(beginning)
        self._has_header = has_header(sample, options)
        if 0 in bad and (self._has_header or options.on_error == "stop"):
            raise BadRow(f"{self.place}1", bad[0])
        self.guess: list[str] = []
        self._fields: Fields | None = None
        if sample:
            self.guess += self._describe_dialect(delimiter or ",")
            self._choose_fields(source.name, sample, options)

    def _describe_dialect(self, usual: str) -> list[str]:
        found = self._dialect
        words = [] if found.delimiter == usual else [f"cells parted by {DELIMITERS[found.delimiter]}s"]
        words += [] if found.is_quoted else ["quotes are letters"]
        return words + ([] if self._has_header else ["no header"])

    def _choose_fields(self, name: str, sample: list[Row], options: ReadOptions) -> None:
        """A file without a header has numbers for names, from 1 on."""
        header = [cell.strip() if self._has_header else str(place) for place, cell in enumerate(sample[0], 1)]
        check_unique(name, header)
        rows = [row for row in sample[self._has_header :] if len(row) == len(header)]
        self._width, self._places = len(header), {cell: place for place, cell in enumerate(header)}
        cells: dict[str, Any] = {cell: [row[place] for row in rows] for cell, place in self._places.items()}
        self._fields, guesses = choose_fields(name, cells, options, has_header=self._has_header)
        self.guess += guesses

    def blocks(self) -> Iterator[Block]:
        n_read, heads = 0, int(self._has_header)
        for rows, ends in self._rows():
            begins = [n_read + 1] + [end + 1 for end in ends[:-1]]
            n_read = ends[-1]
            if n_read > self._n_given:
                self._check_end(rows, begins, ends)
            if not all(rows):
                kept = [position for position, row in enumerate(rows) if row]
                begins, ends = [begins[position] for position in kept], [ends[position] for position in kept]
                rows = [row for row in rows if row]
            if rows[heads:]:
                yield self._make_block(rows[heads:], begins[heads:], ends[heads:])
            heads = 0 if rows else heads

    def _rows(self) -> Iterator[tuple[list[Row], list[int]]]:
        """Rows with the numbers of the lines on which they end, whenever a row ends where a chunk of lines does.

        So nobody waits for the rest of a pipe to get what has come.
        """
        # One more line behind the last one: it is a row of its own unless a quote is still open.
        reader = self._dialect.read(chain(self._decoded_lines(), ["end"]))
        rows: list[Row] = []
        ends: list[int] = []
        while True:
            try:
                for row in reader:
                    rows.append(row)
                    end = reader.line_num
                    ends.append(end)
                    if end >= self._n_given:
                        yield rows, ends
                        rows, ends = [], []
                return
            except csv.Error as error:  # a cell is too long; the csv module goes on with the next line
                self._reasons[reader.line_num] = f"{error}: is a quote missing?"
                rows.append(["?"])
                ends.append(reader.line_num)

    def _decoded_lines(self) -> Iterator[str]:
        encoding = self._lines.encoding
        for chunk in self._lines:
            self._n_given += len(chunk.lines)
            for position, line in enumerate(chunk.lines):
                try:
                    yield str(line, encoding)
                except UnicodeDecodeError:
                    self._reasons[chunk.first + position] = chunk.find_fault(position, encoding) or ""
                    yield str(line, encoding, "replace")

    def _check_end(self, rows: list[Row], begins: list[int], ends: list[int]) -> None:
        """Take the line behind the last one out, or note that a quote has swallowed it."""
        if begins[-1] == ends[-1]:
            for column in (rows, begins, ends):
                column.pop()
        else:
            self._reasons[ends[-1]] = "a quote opens in this row and is never closed."

    def _make_block(self, rows: list[Any], begins: list[int], ends: list[int]) -> Block:
        if self._fields is None:
            raise blank_beginning(f"{self.place}{begins[0]}")
        bad = {bisect_left(ends, line): why for line, why in self._reasons.items() if begins[0] <= line <= ends[-1]}
        self._reasons = {line: why for line, why in self._reasons.items() if line > ends[-1]}
        if set(map(len, rows)) != {self._width}:
            for position, row in enumerate(rows):
                if len(row) != self._width:
                    bad.setdefault(position, f"it has {count_cells(len(row))}, the first row {self._width}.")
                    rows[position] = [None] * self._width
        return self._fields.make_block(begins, lambda name: list(map(itemgetter(self._places[name]), rows)), bad)


def count_cells(n: int) -> str:
    return "1 cell" if n == 1 else f"{n} cells"
