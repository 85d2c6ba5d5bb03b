"""How a CSV file is written: what parts its cells, whether quotes mean anything, whether it has a header."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tercet.data.column_guess import LABEL_NAMES, TEXT_NAMES
from tercet.data.read_options import ReadOptions

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
N_SAMPLED = 200  # rows
# A number is no name, nor is a sentence.
NAME = re.compile(r"[^\W\d][\w .\-/]{0,39}")

Row = list[str]


@dataclass(frozen=True)
class Dialect:
    delimiter: str
    is_quoted: bool = True

    def read(self, lines: Any) -> Any:
        """A csv.reader of the lines."""
        quoting: Any = csv.QUOTE_MINIMAL if self.is_quoted else csv.QUOTE_NONE
        return csv.reader(lines, delimiter=self.delimiter, quoting=quoting)

    def sample(self, lines: Sequence[str]) -> list[Row]:
        """The first rows, blank ones left out."""
        try:
            return list(islice(filter(None, self.read(lines)), N_SAMPLED))
        except csv.Error:  # a cell that is too long: the reader will say where
            return []


def guess_dialect(lines: Sequence[str], delimiter: str | None) -> Dialect:
    """The delimiter that gives most rows the same number of cells, where none is given; a comma if all lines are one cell.

    >>> guess_dialect(["label;text", "a;Well, well", "b;So, so, so"], None).delimiter
    ';'
    """
    if delimiter is None:
        found = max(DELIMITERS, key=lambda candidate: judge_widths(Dialect(candidate).sample(lines)))
        delimiter = found if judge_widths(Dialect(found).sample(lines)) > (0, 0) else ","
    # Tab-separated files are often written without quoting: "Hi" is then a word in quotes.
    return Dialect(delimiter, is_quoted=delimiter != "\t" or is_well_quoted(lines))


def judge_widths(rows: list[Row]) -> tuple[float, int]:
    """The share of rows with the most usual number of cells, and that number; nothing where it is one."""
    if not rows:
        return 0, 0
    width, n_rows = Counter(map(len, rows)).most_common(1)[0]
    return (n_rows / len(rows), width) if width > 1 else (0, 0)


def is_well_quoted(lines: Sequence[str]) -> bool:
    """Whether every quote that opens a cell between tabs also closes one."""
    try:
        for _ in islice(csv.reader(lines, delimiter="\t", strict=True), N_SAMPLED):
            pass
    except csv.Error:
        return False
    return True


def has_header(rows: list[Row], options: ReadOptions) -> bool:
    """Whether the first row names the columns: it has a name that was asked for or that is usual, or looks like names only.

    >>> has_header([["stars", "words"], ["5", "Very good."]], ReadOptions())
    True
    >>> has_header([["5", "Very good."], ["1", "Very bad."]], ReadOptions())
    False
    """
    first = [cell.strip() for cell in rows[0]] if rows else []
    wanted = [*options.named.values(), *options.columns]
    if wanted and (set(wanted) & set(first) or all(name.isdecimal() for name in wanted)):
        return bool(set(wanted) & set(first))
    if not all(cell == "" or NAME.fullmatch(cell) for cell in first) or not any(first):
        return False
    if {cell.casefold() for cell in first} & {*TEXT_NAMES, *LABEL_NAMES}:
        return True
    return len(rows) > 1 and not any(comes_again(rows, place) for place in range(len(first)))


def comes_again(rows: list[Row], place: int) -> bool:
    """A label comes again in its column; a name does not."""
    return any(len(row) > place and row[place] == rows[0][place] for row in rows[1:])
