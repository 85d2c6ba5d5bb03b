"""Rows of tables as lines of CSV or JSON, which a spreadsheet opens without running what is in them."""

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

# What a spreadsheet may take for a formula: one of these signs, also after blanks, and something after it; or a tab or a
# carriage return at the beginning. The wide signs of East Asian keyboards count, too. A sign alone is a common label.
FORMULA = re.compile(r"[\s\0\ufeff]*[=+\-@＝＋－＠](?!\Z)|[\t\r]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def name_apart(names: Iterable[str], taken: Iterable[str], prefix: str) -> dict[str, str]:
    """Each name as it is written: with the prefix if one of the taken columns has the same name.

    >>> name_apart(["gold", "text"], ["id", "text"], "tested")
    {'gold': 'gold', 'text': 'tested_text'}
    >>> name_apart(["label"], ["label", "predicted_label"], "predicted")
    {'label': 'predicted_predicted_label'}
    """
    others, written = set(taken), {}
    for name in names:
        free = name
        while free in others:
            free = f"{prefix}_{free}"
        written[name] = free
    return written


def join_cells(cells: Iterable[Any], delimiter: str = ",") -> str:
    r"""A line of CSV. None is an empty cell.

    >>> join_cells(["a\rb", None, "c"])
    '"a\rb",,c\n'
    """
    line = io.StringIO()
    csv.writer(line, delimiter=delimiter).writerow(
        cells
    )  # a cell with a character of the line's end is quoted, so let it be \r\n
    return line.getvalue().removesuffix("\r\n") + "\n"


def defuse_formula(value: str) -> str:
    """The value with an apostrophe before it if a spreadsheet would take it for a formula. Numbers stay as they are.

    >>> [defuse_formula(value) for value in ("=cmd()", " @SUM(A1)", "-1.5", "+", "a - b")]
    ["'=cmd()", "' @SUM(A1)", '-1.5', '+', 'a - b']
    """
    return f"'{value}" if FORMULA.match(value) and not NUMBER.fullmatch(value) else value


def restore_formula(value: str) -> str:
    """The value without the apostrophe that `defuse_formula` has put before it.

    >>> [restore_formula(value) for value in ("'=cmd()", "'tis so", "-1.5")]
    ['=cmd()', "'tis so", '-1.5']
    """
    return value[1:] if value.startswith("'") and defuse_formula(value[1:]) == value else value


def write_object(row: Mapping[str, Any]) -> str:
    """A line of JSON; JSON knows its values."""
    return json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n"
