"""tercet predict"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.output import write_data
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import add_columns, open_stream, reading_options, report_bad_rows

if TYPE_CHECKING:
    from tercet.cli.prediction_lines import PredictionLines, Ranked
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
@click.option("--string", "kind", flag_value="string", help="Treat every input as a text, even if a file has that name.")
@click.option("--file", "kind", flag_value="file", help="Treat every input as the name of a file or folder.")
@click.option(
    "--top", type=click.IntRange(min=1), default=1, metavar="K", help="Print the K best labels, each with its probability."
)
@click.option("--proba", is_flag=True, help="Print all labels with their probabilities, the best first.")
@click.option(
    "--abstain-below",
    type=click.FloatRange(0, 1),
    metavar="P",
    help="Give no label if the probability of the best one is less than P.",
)
@click.option(
    "--coverage",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="P",
    help="Print a set of labels that contains the right one with probability P. The model must be trained with --calibrate.",
)
@click.option("--keep", is_flag=True, help="Print all columns of the input before the prediction.")
@click.option("--csv", "form", flag_value="csv", help="Print CSV with a header.")
@click.option(
    "--defuse-formulas/--keep-formulas",
    "defuse",
    default=True,
    show_default=True,
    help="In CSV, put an apostrophe before a value that a spreadsheet would run as a formula, or print all values as they are.",
)
@click.option("--json", "form", flag_value="json", help="Print a JSON object on each line.")
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
    defuse: bool,
    **reading: Any,
) -> None:
    """Predict the labels of texts.

    Prints label<TAB>probability, one line for each document, in the order of the input. If an input is the name of a file or
    folder, its documents are read; `-` is standard input; anything else is a text. Put -- before a text that begins with -.
    All formats of `train` can be read, and labels are not needed.

    The columns named by --columns, or all with --keep, are printed before the prediction. A row that is skipped because of
    --on-error gets an empty prediction, so there are as many predictions as rows. In tab-separated lines, tabs and line
    breaks inside a value are written as \\t and \\n.

    A spreadsheet runs a cell that begins with =, +, - or @, also after blanks, and texts may come from strangers. With --csv
    such a value gets an apostrophe in front. Numbers such as -1.5 do not. To read the CSV with another program, give
    --keep-formulas.

    With --abstain-below, a prediction that is not certain enough has an empty label and its probability. With --coverage, the
    number of labels differs from document to document and may be 0. Both rely on probabilities, so calibrate the model.
    """
    from tercet import load
    from tercet.cli.prediction_lines import FORMS

    if inputs.count("-") > 1 and kind != "string":
        raise click.UsageError("standard input can be read only once: give - once.")
    if sum([top > 1 or proba, abstain_below is not None, coverage is not None]) > 1:
        raise click.UsageError("--top or --proba, --abstain-below and --coverage exclude each other: ask for one of them.")
    found = load(model)
    n = len(found.classes_) if proba or coverage is not None else min(top, len(found.classes_))
    choose = _choose_filter(found, abstain_below, coverage)
    needed = add_columns([found], reading | ({"columns": "all"} if keep else {}))
    first, batches = _look_ahead(_read_inputs(inputs, kind, needed, found.columns_))
    kept = reading["columns"] if not keep else () if first is None else tuple(first.columns) or ("text",)
    lines = FORMS["csv with formulas" if form == "csv" and not defuse else form or "tab"](n, kept)
    write_data(lines.head())
    for batch in batches:
        _write_predictions(found, batch, lines, choose)


def _look_ahead(batches: Iterator["Documents"]) -> tuple["Documents | None", Iterator["Documents"]]:
    """The first batch, which shows the columns, and all batches."""
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)


def _read_inputs(
    inputs: tuple[str, ...], kind: str | None, reading: dict[str, Any], needed: list[str]
) -> Iterator["Documents"]:
    """The documents of all inputs, in their order. `needed` are the columns that a text alone does not have."""
    from tercet.data.document_batches import read_ahead
    from tercet.data.documents import Documents

    for source in inputs:
        # os.path, because Path.exists fails for a name as long as a text
        if kind == "string" or (kind is None and source != "-" and not os.path.exists(source)):
            if needed:
                raise click.UsageError(f"the model needs the column {needed[0]!r} beside the text: give a file that has it.")
            yield Documents([source])
            continue
        stream = open_stream(source, labelled=False, **reading)
        # On a terminal the predictions themselves show the progress.
        with nullcontext() if sys.stdout.isatty() else show_progress(stream, "predicting"):
            yield from read_ahead(stream)
        report_bad_rows(stream)


def _choose_filter(model: Any, abstain_below: float | None, coverage: float | None) -> "Callable[[Ranked], Ranked] | None":
    """The function that reduces the ranked labels of a document, or None to keep them all."""
    from tercet.cli.prediction_lines import abstain, keep_probable

    if coverage is not None:
        return partial(keep_probable, threshold=model.find_threshold(coverage))
    return None if abstain_below is None else partial(abstain, threshold=abstain_below)


def _write_predictions(
    model: Any, batch: "Documents", lines: "PredictionLines", choose: "Callable[[Ranked], Ranked] | None"
) -> None:
    from tercet.cli.prediction_lines import rank_labels
    from tercet.cli.predictions import list_labels, predict_in_parts

    labels = [lines.spell(label) for label in list_labels(model)]
    predicted = [row for _, found in predict_in_parts(model, batch) for row in rank_labels(labels, found, lines.n)]
    ranked: list[Ranked | None] = list(predicted if choose is None else map(choose, predicted))
    given = batch.columns or {"text": batch.texts}  # a text from the command line has no columns
    columns = {name: given.get(name, [None] * len(ranked)) for name in lines.kept}
    kept = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)] or [{}] * len(ranked)
    for place, _ in reversed(getattr(batch, "bad", ())):
        ranked.insert(place, None)
        kept.insert(place, {})
    write_data(lines.write(ranked, kept))
    sys.stdout.flush()
