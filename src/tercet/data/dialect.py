"""How a CSV file is written: what parts its cells, whether quotes mean anything, whether it has a header."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tercet.data.column_guess import LABEL_NAMES, TEXT_NAMES, is_numeral, mean_length
from tercet.data.read_options import ReadOptions

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
N_SAMPLED = 200  # rows
# A number is no name, nor is a sentence.
NAME = re.compile(r"[^\W\d][\w .\-/]{0,39}")

USUAL_NAMES = {*TEXT_NAMES, *LABEL_NAMES}

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


def guess_dialect(lines: Sequence[str], delimiter: str | None, wanted: Sequence[str] = ()) -> Dialect:
    """The delimiter, where none is given, that finds names of columns in the first row, `wanted` or usual ones.

    Else that which gives most rows the same number of cells; a comma if all lines are one cell.

    >>> guess_dialect(["label;text", "a;Well, well", "b;So, so, so"], None).delimiter
    ';'
    """
    if delimiter is None:
        samples = {candidate: Dialect(candidate).sample(lines) for candidate in DELIMITERS}
        delimiter = max(
            samples, key=lambda candidate: (count_names(samples[candidate], wanted), *judge_widths(samples[candidate]))
        )
    # Tab-separated files are often written without quoting: "Hi" is then a word in quotes.
    return Dialect(delimiter, is_quoted=delimiter != "\t" or is_well_quoted(lines))


def count_names(rows: list[Row], wanted: Sequence[str]) -> int:
    """Of columns, in the first row."""
    first = [cell.strip() for cell in rows[0]] if rows else []
    return sum(cell in wanted or cell.casefold() in USUAL_NAMES for cell in first)


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
    """Whether the first row names the columns: it has a name that was asked for or that is usual, or differs from all others.

    A file whose columns are asked for by numbers has none.

    >>> has_header([["stars", "words"], ["5", "Very good."]], ReadOptions())
    True
    >>> has_header([["5", "Very good."], ["1", "Very bad."]], ReadOptions())
    False
    """
    first = [cell.strip() for cell in rows[0]] if rows else []
    wanted = [*options.named.values(), *options.columns]
    names = {name for name in wanted if not name.isdecimal()}
    if wanted and (names & set(first) or not names):
        return bool(names)
    if not all(cell == "" or NAME.fullmatch(cell) for cell in first) or not any(first):
        return False
    if count_names(rows, ()):
        return True
    columns = [[row[place] for row in rows[1:] if len(row) > place] for place in range(len(first))]
    # A label comes again in its column; a name does not.
    is_new = not any(cell in column for cell, column in zip(first, columns, strict=True))
    return is_new and len(first) > 1 and any(stands_apart(cell, column) for cell, column in zip(first, columns, strict=True))


def stands_apart(cell: str, others: Row) -> bool:
    """Whether it is a word above numbers, or above long texts.

    >>> stands_apart("price", ["1.5", "20"]), stands_apart("a", ["b", "c"])
    (True, False)
    """
    if not others or not cell:
        return False
    return all(map(is_numeral, others)) or mean_length(others) > max(20, 4 * len(cell))
