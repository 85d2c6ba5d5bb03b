"""A table of suspects or mistakes as a file: CSV, JSON lines or Parquet, by its suffix, replaced as a whole."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from tercet.cli.answer_file import find_kind, make_array, write_columns
from tercet.cli.messages import say
from tercet.cli.prediction_lines import defuse_formula
from tercet.report.json_values import simplify

BLOCK_ROWS = 1000  # written at a time

Rows = Iterable[Mapping[str, Any]]


def write_table(path: str, names: Sequence[str], rows: Rows, counted: str) -> None:
    """Write the rows, with a column for each name, and say what was `counted`."""
    from tercet.store.atomic_file import write_whole

    if find_kind(path) == "parquet":
        write_whole(path, write_parquet(names, rows))
    else:
        lines = (write_csv if find_kind(path) == "csv" else write_json_lines)(names, rows)
        write_whole(path, (block.encode("utf-8", "backslashreplace") for block in join_lines(lines)))
    say(f"written: {path} ({counted})")


def join_lines(lines: Iterable[str]) -> Iterator[str]:
    """Blocks of many lines: the system would take long to write each line alone.

    >>> list(join_lines(["a\\n", "b\\n"]))
    ['a\\nb\\n']
    """
    lines = iter(lines)
    while block := "".join(islice(lines, BLOCK_ROWS)):
        yield block


def write_csv(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """CSV with a header. A spreadsheet does not take any value for a formula.

    >>> list(write_csv(["id", "text"], [{"id": 7, "text": "=1+1"}, {"id": None, "text": "a, b"}]))
    ['id,text\\n', "7,'=1+1\\n", ',"a, b"\\n']
    """
    yield _join_cells(names)
    for row in rows:
        yield _join_cells(["" if row[name] is None else row[name] for name in names])


def write_json_lines(names: Sequence[str], rows: Rows) -> Iterator[str]:
    """An object on each line.

    >>> list(write_json_lines(["id"], [{"id": 7}]))
    ['{"id": 7}\\n']
    """
    for row in rows:
        yield json.dumps({name: simplify(row[name]) for name in names}, ensure_ascii=False, allow_nan=False) + "\n"


def write_parquet(names: Sequence[str], rows: Rows) -> Iterator[memoryview]:
    """The bytes of a Parquet file. Its rows are collected in memory, because only then the types of its columns are known."""
    listed = list(rows)
    yield write_columns({name: [make_array([row[name] for row in listed])] for name in names})


def name_apart(names: Iterable[str], taken: Iterable[str], prefix: str) -> dict[str, str]:
    """Each name as it is written: with the prefix if one of the taken columns has the same name.

    >>> name_apart(["gold", "text"], ["id", "text"], "tested")
    {'gold': 'gold', 'text': 'tested_text'}
    """
    others = set(taken)
    return {name: f"{prefix}_{name}" if name in others else name for name in names}


def _join_cells(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([defuse_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue()
