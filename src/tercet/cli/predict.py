"""tercet predict"""

import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.command import define_command
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, reading_options, tell_bad_rows

if TYPE_CHECKING:
    from tercet.cli.answer_lines import Lines, Ranked
    from tercet.data.documents import Documents


@define_command(
    "predict",
    'tercet predict reviews.tercet "what a film"',
    'tercet predict reviews.tercet "what a film" "a dull plot" --top 2',
    "tercet predict reviews.tercet new.csv --csv --columns id > answers.csv",
    "tercet predict reviews.tercet - --format text --json < texts.txt",
    "tercet predict reviews.tercet test.csv --proba --quiet",
)
@click.argument("model", type=click.Path())
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="TEXT|FILE|-...")
@click.option("--string", "kind", flag_value="string", help="Take every input for a text, even if it names a file.")
@click.option("--file", "kind", flag_value="file", help="Take every input for a file or a folder.")
@click.option("--top", type=click.IntRange(min=1), default=1, metavar="K", help="The K best labels, each with its probability.")
@click.option("--proba", is_flag=True, help="All labels, the best first.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV with a header.")
@click.option("--json", "form", flag_value="json", help="Print a JSON object a line.")
@reading_options
def command(
    model: str, inputs: tuple[str, ...], kind: str | None, top: int, proba: bool, form: str | None, **reading: Any
) -> None:
    """Tell the labels of texts.

    Prints label<TAB>probability, one line for each document in the order of the input. An input that names a file or a
    folder is read, `-` is standard input, and anything else is a text. It reads what `train` reads; no label is needed.
    Columns named by --columns stand before the answer. A row that is skipped by --on-error gets an empty answer, so that
    there are as many answers as rows. In tab-separated lines, tabs and line breaks are written as \\t and \\n.
    """
    from tercet import load
    from tercet.cli.answer_lines import FORMS

    found = load(model)
    n = len(found.classes_) if proba else min(top, len(found.classes_))
    kept = reading["columns"]
    lines = FORMS[form or "tab"](n, kept)
    sys.stdout.write(lines.head())
    reading["columns"] = [*kept, *found.columns_]
    for batch in _read_inputs(inputs, kind, reading):
        _write_answers(found, batch, lines)


def _read_inputs(inputs: tuple[str, ...], kind: str | None, reading: dict[str, Any]) -> Iterator["Documents"]:
    """The documents of all inputs, in their order."""
    from tercet.categorizer.read_ahead import read_ahead
    from tercet.data.documents import Documents

    for source in inputs:
        # os.path: a Path refuses to look for a name that is as long as a text
        if kind == "string" or (kind is None and source != "-" and not os.path.exists(source)):
            yield Documents([source])
            continue
        stream = open_stream(source, labelled=False, **reading)
        with nullcontext() if sys.stdout.isatty() else show_progress(stream, "predicting"):  # answers are progress enough
            yield from read_ahead(stream)
        tell_bad_rows(stream)


def _write_answers(model: Any, batch: "Documents", lines: "Lines") -> None:
    from tercet.cli.answer_lines import rank
    from tercet.cli.answers import answer, list_labels

    labels = [lines.spell(label) for label in list_labels(model)]
    ranked: list[Ranked | None] = [row for _, found in answer(model, batch) for row in rank(labels, found, lines.n)]
    columns = {name: batch.columns.get(name, [None] * len(ranked)) for name in lines.kept}  # a text alone has none
    kept = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)] or [{}] * len(ranked)
    for place, _ in reversed(getattr(batch, "bad", ())):
        ranked.insert(place, None)
        kept.insert(place, {})
    sys.stdout.write(lines.write(ranked, kept))
    sys.stdout.flush()
