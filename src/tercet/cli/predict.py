"""tercet predict"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import chain
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
    "tercet predict careful.tercet new.csv --abstain-below 0.9",
    "tercet predict careful.tercet new.csv --coverage 0.9",
)
@click.argument("model", type=click.Path())
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="TEXT|FILE|-...")
@click.option("--string", "kind", flag_value="string", help="Take every input for a text, even if it names a file.")
@click.option("--file", "kind", flag_value="file", help="Take every input for a file or a folder.")
@click.option("--top", type=click.IntRange(min=1), default=1, metavar="K", help="The K best labels, each with its probability.")
@click.option("--proba", is_flag=True, help="All labels, the best first.")
@click.option(
    "--abstain-below", type=click.FloatRange(0, 1), metavar="P", help="No label where the best is less probable than P."
)
@click.option(
    "--coverage",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="P",
    help="All labels that may be right: the right one is among them with probability P. Train with --calibrate.",
)
@click.option("--keep", is_flag=True, help="Print all columns of the input before the answer.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV with a header.")
@click.option("--json", "form", flag_value="json", help="Print a JSON object a line.")
@reading_options
def command(
    model: str,
    inputs: tuple[str, ...],
    kind: str | None,
    top: int,
    proba: bool,
    abstain_below: float | None,
    coverage: float | None,
    keep: bool,
    form: str | None,
    **reading: Any,
) -> None:
    """Tell the labels of texts.

    Prints label<TAB>probability, one line for each document in the order of the input. An input that names a file or a
    folder is read, `-` is standard input, and anything else is a text; put -- before one that begins with -. It reads what
    `train` reads; no label is needed. Columns named by --columns, or all of them with --keep, stand before the answer. A row
    that is skipped by --on-error gets an empty answer, so that there are as many answers as rows. In tab-separated lines,
    tabs and line breaks are written as \\t and \\n.

    With --abstain-below an answer that is not sure enough has its probability and an empty label. With --coverage the number
    of labels is as large as each document needs, and may be 0. Both rely on probabilities: calibrate the model.
    """
    from tercet import load
    from tercet.cli.answer_lines import FORMS

    if inputs.count("-") > 1 and kind != "string":
        raise click.UsageError("standard input can be read only once: give - once.")
    if sum([top > 1 or proba, abstain_below is not None, coverage is not None]) > 1:
        raise click.UsageError("--top or --proba, --abstain-below and --coverage are different answers: ask for one of them.")
    found = load(model)
    n = len(found.classes_) if proba or coverage is not None else min(top, len(found.classes_))
    mend = _make_mender(found, abstain_below, coverage)
    reading |= {"numbers": found.columns_} | ({"columns": "all"} if keep else {})
    first, batches = _look_ahead(_read_inputs(inputs, kind, reading))
    kept = reading["columns"] if not keep else () if first is None else tuple(first.columns) or ("text",)
    lines = FORMS[form or "tab"](n, kept)
    sys.stdout.write(lines.head())
    for batch in batches:
        _write_answers(found, batch, lines, mend)


def _look_ahead(batches: Iterator["Documents"]) -> tuple["Documents | None", Iterator["Documents"]]:
    """The first batch, which knows the columns, and all."""
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)


def _read_inputs(inputs: tuple[str, ...], kind: str | None, reading: dict[str, Any]) -> Iterator["Documents"]:
    """The documents of all inputs, in their order."""
    from tercet.categorizer.read_ahead import read_ahead
    from tercet.data.documents import Documents

    for source in inputs:
        # os.path: a Path refuses to look for a name that is as long as a text
        if kind == "string" or (kind is None and source != "-" and not os.path.exists(source)):
            if numbers := reading["numbers"]:
                raise click.UsageError(f"the model wants the column {numbers[0]!r} beside the text: give a file that has it.")
            yield Documents([source])
            continue
        stream = open_stream(source, labelled=False, **reading)
        with nullcontext() if sys.stdout.isatty() else show_progress(stream, "predicting"):  # answers are progress enough
            yield from read_ahead(stream)
        tell_bad_rows(stream)


def _make_mender(model: Any, abstain_below: float | None, coverage: float | None) -> "Callable[[Ranked], Ranked] | None":
    """What becomes of the ranked labels of a document, if anything does."""
    from tercet.cli.answer_lines import abstain, cut

    if coverage is not None:
        return partial(cut, threshold=model.find_threshold(coverage))
    return None if abstain_below is None else partial(abstain, threshold=abstain_below)


def _write_answers(model: Any, batch: "Documents", lines: "Lines", mend: "Callable[[Ranked], Ranked] | None") -> None:
    from tercet.cli.answer_lines import rank
    from tercet.cli.answers import answer, list_labels

    labels = [lines.spell(label) for label in list_labels(model)]
    answers = [row for _, found in answer(model, batch) for row in rank(labels, found, lines.n)]
    ranked: list[Ranked | None] = list(answers if mend is None else map(mend, answers))
    given = batch.columns or {"text": batch.texts}  # a text alone has none
    columns = {name: given.get(name, [None] * len(ranked)) for name in lines.kept}
    kept = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)] or [{}] * len(ranked)
    for place, _ in reversed(getattr(batch, "bad", ())):
        ranked.insert(place, None)
        kept.insert(place, {})
    sys.stdout.write(lines.write(ranked, kept))
    sys.stdout.flush()
