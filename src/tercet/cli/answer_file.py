"""The file that `tercet predict -o` writes: CSV, JSON lines or Parquet, by its suffix, replaced as a whole."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.messages import say
from tercet.cli.output import OutputFile
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.cli.prediction_lines import PredictionLines, Ranked

KINDS = {".csv": "csv", ".jsonl": "json", ".ndjson": "json", ".parquet": "parquet", ".pq": "parquet"}

Block = tuple[Sequence["Ranked | None"], Sequence[Mapping[str, Any]]]  # predictions, and the kept columns beside them


class AnswerFile(OutputFile):
    """A file to write whose suffix is one of those above."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if find_kind(value) is None:
            self.fail(f"{value} does not say what to write: let its name end in .csv, .jsonl or .parquet.", param, ctx)
        return super().convert(value, param, ctx)


def find_kind(path: str) -> str | None:
    """
    >>> find_kind("answers.CSV"), find_kind("answers.xlsx")
    ('csv', None)
    """
    return KINDS.get(Path(path).suffix.lower())


def write_answers(path: str, lines: "PredictionLines", blocks: Iterable[Block]) -> None:
    """Write the predictions. If anything fails, what was there before is still there."""
    from tercet.store.atomic_file import write_whole

    n_rows = 0

    def count_rows() -> Iterator[Block]:
        nonlocal n_rows
        for block in blocks:
            n_rows += len(block[0])
            yield block

    write_whole(path, (write_parquet if find_kind(path) == "parquet" else write_lines)(lines, count_rows()))
    say(f"written: {path} ({pluralize(n_rows, 'row')})")


def write_lines(lines: "PredictionLines", blocks: Iterable[Block]) -> Iterator[bytes]:
    yield lines.head().encode("utf-8", "backslashreplace")
    for ranked, kept in blocks:
        yield lines.write(ranked, kept).encode("utf-8", "backslashreplace")


def write_parquet(lines: "PredictionLines", blocks: Iterable[Block]) -> Iterator[memoryview]:
    """The bytes of a Parquet file. Its columns are collected in memory first, because only then their types are known."""
    import pyarrow as pa

    names = [*lines.kept, *lines.list_names()]
    chunks: dict[str, list[Any]] = {name: [] for name in names}
    for ranked, kept in blocks:
        for name in lines.kept:
            chunks[name].append(make_array([row.get(name) for row in kept]))
        values = list(map(lines.list_values, ranked))
        for place, name in enumerate(lines.list_names()):
            # Labels and probabilities take turns.
            chunks[name].append(pa.array([row[place] for row in values], pa.float64() if place % 2 else pa.string()))
    yield write_columns(chunks)


def write_columns(chunks: Mapping[str, Sequence[Any]]) -> memoryview:
    """Columns as a Parquet file. Each is given by its parts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(pa.table({name: join_chunks(arrays) for name, arrays in chunks.items()}), sink)
    return memoryview(sink.getvalue())


def make_array(values: Sequence[Any]) -> Any:
    """The values as an Arrow array; as text if they are of several types."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        return pa.array(list(map(spell_value, values)), pa.string())


def join_chunks(arrays: Sequence[Any]) -> Any:
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
    from tercet.report.json_values import simplify

    if value is None:
        return None
    text = json.dumps(simplify(value), ensure_ascii=False) if isinstance(value, list | dict) else str(value)
    return text.encode("utf-8", "backslashreplace").decode()
