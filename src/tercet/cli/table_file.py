"""The tables that commands write to a file: CSV, JSON lines or Parquet, by its suffix. A file is replaced as a whole."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path
from typing import Any

import click

from tercet.cli.output import OutputFile
from tercet.cli.talk import say
from tercet.report.forms import simplify
from tercet.report.tables import defuse_formula, join_cells, name_apart, pluralize, write_object

FORMS = {".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet", ".pq": "parquet"}
BLOCK_ROWS = 1000  # written at a time
Row = Mapping[str, Any]


class TableFile(OutputFile):
    """A file to write whose suffix is in FORMS."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if find_form(value) is None:
            self.fail(f"{value} does not say what to write: let its name end in .csv, .jsonl or .parquet.", param, ctx)
        return super().convert(value, param, ctx)


class SheetFile(TableFile):
    """A sheet that a person fills in. A file that is there already is refused: somebody may have filled it in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        if Path(path).exists():
            self.fail(f"{path} exists, and may have labels that somebody has filled in: name another file.", param, ctx)
        return path


def find_form(path: str) -> str | None:
    """
    >>> find_form("answers.CSV"), find_form("answers.xlsx")
    ('csv', None)
    """
    return FORMS.get(Path(path).suffix.lower())


def write_table(
    path: str,
    names: Sequence[str],
    rows: Iterable[Row],
    noun: str,
    *,
    defuse: bool = True,
    remedy: str = "a .jsonl or .parquet file has them as they are",
) -> None:
    """Write the rows, with a column for each name, and say how many there are; the noun says what they are.

    If anything fails, what was there before is still there. With `defuse`, a spreadsheet runs no value of a CSV file. The
    remedy says how to get the values as they are.
    """
    from tercet.store.atomic_file import write_whole

    numbers = count(0)
    counted = (row for row, _ in zip(rows, numbers, strict=False))
    defused = DefusedCells(is_wanted=defuse)
    write_whole(path, encode_table(find_form(path) or "json", names, counted, defused))
    say(f"written: {path} ({pluralize(next(numbers), noun)})")
    if defused.n:
        begin = "begins" if defused.n == 1 else "begin"
        say(f"{pluralize(defused.n, 'cell')} {begin} like a formula and got an apostrophe: {remedy}")


def encode_table(
    form: str, names: Sequence[str], rows: Iterable[Row], defused: "DefusedCells", *, has_header: bool = True
) -> Iterator[bytes] | Iterator[memoryview]:
    """The bytes of a table in this form: csv, tsv, json (an object on each line) or parquet."""
    if form == "parquet":
        return write_parquet(names, rows)
    delimiter = {"csv": ",", "tsv": "\t"}.get(form)
    lines = write_csv(names, rows, defused, delimiter) if delimiter else write_json_lines(names, rows)
    lines = lines if has_header or not delimiter else islice(lines, 1, None)
    return ("".join(block).encode("utf-8", "backslashreplace") for block in split_blocks(lines))


def write_documents(
    path: str, columns: Sequence[str], facts: Sequence[str], rows: Iterable[tuple[Row, Row]], noun: str, *, prefix: str
) -> None:
    """Write what was found out about documents: file and row of each, these columns of it, and the other facts.

    A row is all columns of a document, and all facts about it. A fact with the name of a column gets the prefix.
    """
    written = name_apart(facts, columns, prefix)
    places = [written[name] for name in facts if name in ("file", "row")]
    names = [*places, *columns, *(name for name in written.values() if name not in places)]
    found = (
        {name: kept.get(name) for name in columns} | {written[name]: known[name] for name in facts} for kept, known in rows
    )
    write_table(path, names, found, noun)


def split_blocks(items: Iterable[Any]) -> Iterator[list[Any]]:
    """Lists of many items: the system would take long to write each line alone.

    >>> list(split_blocks("ab"))
    [['a', 'b']]
    """
    items = iter(items)
    while block := list(islice(items, BLOCK_ROWS)):
        yield block


class DefusedCells:
    """Cells that a spreadsheet does not run, if that is wanted, and how many of them were changed."""

    def __init__(self, *, is_wanted: bool = True) -> None:
        self.n, self._is_wanted = 0, is_wanted

    def defuse(self, cells: Sequence[Any]) -> Sequence[Any]:
        """
        >>> defused = DefusedCells()
        >>> defused.defuse([7, "=1+1", "so"]), defused.n
        ([7, "'=1+1", 'so'], 1)
        """
        if not self._is_wanted:
            return cells
        changed = [defuse_formula(cell) if isinstance(cell, str) else cell for cell in cells]
        self.n += sum(new is not old for new, old in zip(changed, cells, strict=True))
        return changed


def write_csv(names: Sequence[str], rows: Iterable[Row], defused: DefusedCells, delimiter: str = ",") -> Iterator[str]:
    """CSV with a header.

    >>> list(write_csv(["id", "text"], [{"id": 7, "text": "=1+1"}, {"id": None, "text": "a, b"}], DefusedCells()))
    ['id,text\\n', "7,'=1+1\\n", ',"a, b"\\n']
    """
    for cells in chain([names], ([row[name] for name in names] for row in rows)):
        yield join_cells(defused.defuse(cells), delimiter)


def write_json_lines(names: Sequence[str], rows: Iterable[Row]) -> Iterator[str]:
    """An object on each line.

    >>> list(write_json_lines(["id"], [{"id": 7}]))
    ['{"id": 7}\\n']
    """
    for row in rows:
        yield write_object({name: simplify(row[name]) for name in names})


def write_parquet(names: Sequence[str], rows: Iterable[Row]) -> Iterator[memoryview]:
    """The bytes of a Parquet file. Its columns are collected in memory first, because only then their types are known."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    parts: dict[str, list[Any]] = {name: [] for name in names}
    for block in split_blocks(rows):
        for name, arrays in parts.items():
            arrays.append(make_array([row[name] for row in block]))
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({name: join_arrays(arrays) for name, arrays in parts.items()}), sink)
    yield memoryview(sink.getvalue())


def make_array(values: Sequence[Any]) -> Any:
    """The values as an Arrow array; as text if they are of several types."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return pa.array(list(map(spell_value, values)), pa.string())


def join_arrays(arrays: Sequence[Any]) -> Any:
    """The parts of a column as one. If their types differ, whole numbers become numbers, and anything else becomes text."""
    import pyarrow as pa

    types = {str(array.type): array.type for array in arrays if not pa.types.is_null(array.type)}
    if len(types) < 2 or types.keys() == {"int64", "double"}:
        found = types.get("double") or next(iter(types.values()), pa.string())
        return pa.chunked_array([array.cast(found) for array in arrays], found)
    return pa.chunked_array([pa.array(list(map(spell_value, array.to_pylist())), pa.string()) for array in arrays], pa.string())


def spell_value(value: Any) -> str | None:
    """The value as text: JSON if it is a list or an object.

    >>> spell_value(3), spell_value([1, None]), spell_value(None)
    ('3', '[1, null]', None)
    """
    if value is None:
        return None
    text = json.dumps(simplify(value), ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    return text.encode("utf-8", "backslashreplace").decode()
