"""A table as a file, CSV or JSON lines by its suffix, written row by row and replaced as a whole."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from tercet.cli.messages import say
from tercet.cli.output import OutputFile
from tercet.cli.prediction_lines import defuse_formula
from tercet.report.json_values import simplify
from tercet.report.tables import pluralize

BLOCK_ROWS = 1000  # written at a time

Rows = Iterable[Mapping[str, Any]]


class TableFile(OutputFile):
    """A file to write whose suffix says which kind of table it is."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if find_kind(value) is None:
            self.fail(f"{value} does not say what to write: let its name end in {' or '.join(KINDS)}.", param, ctx)
        return super().convert(value, param, ctx)


def write_table(path: str, names: Sequence[str], rows: Rows, noun: str) -> None:
    """Write the rows, with a column for each name, and say how many there are."""
    from tercet.store.atomic_file import write_whole

    kind, n = find_kind(path), 0
    if kind is None:
        raise AssertionError("the suffix was checked")

    def write_blocks() -> Iterator[bytes]:
        nonlocal n
        lines: list[str] = []
        for line in kind(names, rows):
            lines.append(line)
            if len(lines) == BLOCK_ROWS:
                yield "".join(lines).encode("utf-8", "replace")
                n, lines = n + len(lines), []
        n += len(lines)
        yield "".join(lines).encode("utf-8", "replace")

    write_whole(path, write_blocks())
    say(f"written: {path} ({pluralize(n - (kind is write_csv), noun)})")


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


KINDS: dict[str, Callable[[Sequence[str], Rows], Iterator[str]]] = {".csv": write_csv, ".jsonl": write_json_lines}


def name_apart(names: Iterable[str], taken: Iterable[str], prefix: str) -> dict[str, str]:
    """Each name as it is written: with the prefix if one of the taken columns has the same name.

    >>> name_apart(["gold", "text"], ["id", "text"], "tested")
    {'gold': 'gold', 'text': 'tested_text'}
    """
    others = set(taken)
    return {name: f"{prefix}_{name}" if name in others else name for name in names}


def find_kind(path: str) -> Callable[[Sequence[str], Rows], Iterator[str]] | None:
    """The writer for this file, by its suffix."""
    return KINDS.get(Path(path).suffix.lower())


def _join_cells(cells: Iterable[Any]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow([defuse_formula(cell) if isinstance(cell, str) else cell for cell in cells])
    return line.getvalue()
