"""tercet predict"""

import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.inputs import input_options, read_inputs
from tercet.cli.options.label_options import labels_option, restrict
from tercet.cli.options.reading_options import reading_options
from tercet.cli.output import write_data
from tercet.cli.table_file import TableFile, find_form, write_table

OTHER_LABEL = 3  # exit code

if TYPE_CHECKING:
    from tercet.data.documents import Documents
    from tercet.report.prediction_lines import PredictionLines, Ranked

Block = tuple[list["Ranked | None"], list[dict[str, Any]]]  # predictions, and the kept columns beside them


@define_command(
    "predict",
    'tercet predict reviews.tercet "what a film"',
    'tercet predict reviews.tercet "what a film" "a dull plot" --top 2',
    "tercet predict reviews.tercet new.csv --csv --columns id > answers.csv",
    "tercet predict reviews.tercet - --format text --json < texts.txt",
    "tercet predict reviews.tercet test.csv --proba --quiet",
    "tercet predict careful.tercet new.csv --abstain-below 0.9",
    "tercet predict careful.tercet new.csv --coverage 0.9",
    "tercet predict reviews.tercet new.csv test.csv -o answers.parquet",
    'tercet predict reviews.tercet "what a film" --labels good,bad',
    "tercet predict reviews.tercet --exit-code good - --format email < message.eml",
)
@click.argument("model", type=click.Path())
@click.argument("inputs", nargs=-1, required=True, type=click.Path(), metavar="TEXT|FILE|-...")
@input_options
@click.option(
    "-o",
    "--output",
    type=TableFile(),
    help="Write the predictions to this file, beside all columns of the input, or those of --columns. Its name ends in .csv, "
    ".jsonl or .parquet.",
)
@click.option(
    "--exit-code",
    metavar="LABEL",
    help="For one document: exit with code 0 if its label is LABEL, and with 3 if it is another one.",
)
@click.option(
    "--top", type=click.IntRange(min=1), default=1, metavar="K", help="Print the K best labels, each with its probability."
)
@labels_option("Decide only between these labels of the model.")
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
    help="Print a set of labels that contains the right one with probability P. The model must be calibrated (the default).",
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
    output: str | None,
    exit_code: str | None,
    top: int,
    labels: tuple[str, ...],
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
    folder, or a pattern such as 'data/*.csv', the documents are read; `-` is standard input; a text has at least one blank.
    With --string, every input is a text. Put -- before a text that begins with -. All formats of `train` can be read, and
    labels are not needed. A file that ends in .eml is one e-mail; for an e-mail on standard input give --format email.

    The columns named by --columns, or all with --keep, are printed before the prediction. Of e-mails, the fields of the header
    are columns: --columns subject,from,message-id. A row that is skipped because of
    --on-error gets an empty prediction, so there are as many predictions as rows. In tab-separated lines, tabs and line
    breaks inside a value are written as \\t and \\n.

    A spreadsheet runs a cell that begins with =, +, - or @, also after blanks, and texts may come from strangers. With --csv
    such a value gets an apostrophe in front. Numbers such as -1.5 do not. To read the CSV with another program, give
    --keep-formulas.

    With --abstain-below, a prediction that is not certain enough has an empty label and its probability. With --coverage, the
    number of labels differs from document to document and may be 0. Both rely on calibrated probabilities, which
    `tercet train` makes unless it is told --calibrate none.
    """
    from tercet import load
    from tercet.report.prediction_lines import FORMS

    if inputs.count("-") > 1 and kind != "string":
        raise click.UsageError("standard input can be read only once: give - once.")
    if sum([top > 1 or proba, abstain_below is not None, coverage is not None]) > 1:
        raise click.UsageError("--top or --proba, --abstain-below and --coverage exclude each other: ask for one of them.")
    found = restrict(load(model), labels)
    _check_options(found, output, form, exit_code, coverage)
    n = len(found.classes_) if proba or coverage is not None else min(top, len(found.classes_))
    choose = _choose_filter(found, abstain_below, coverage)
    keep = keep or (output is not None and not reading["columns"])
    reading |= {"columns": "all"} if keep else {}
    first, batches = _look_ahead(read_inputs(found, inputs, kind, reading))
    kept = reading["columns"] if not keep else () if first is None else tuple(first.columns) or ("text",)
    form = form or find_form(output or "") or "tab"
    lines = FORMS["csv with formulas" if form == "csv" and not defuse else form](n, kept)
    blocks = _predict_blocks(found, batches, lines, choose)
    only = None if exit_code is None else _take_only(blocks)
    blocks = iter([only]) if only else blocks
    if output:
        rows = chain.from_iterable(map(lines.make_row, *block) for block in blocks)
        write_table(output, lines.names, rows, "row", defuse=defuse, remedy="--keep-formulas leaves them as they are")
    else:
        write_data(lines.head())
        for block in blocks:
            write_data(lines.write(*block))
            sys.stdout.flush()
    if only and only[0][0]:
        click.get_current_context().exit(0 if only[0][0][0][0] == lines.spell(str(exit_code)) else OTHER_LABEL)


def _check_options(model: Any, output: str | None, form: str | None, exit_code: str | None, coverage: float | None) -> None:
    from tercet.cli.predictions import list_labels
    from tercet.data.column_choice import spell_names
    from tercet.errors import suggest

    if output and form:
        raise click.UsageError(f"--{form} is for standard output, and the name of the file of -o says its form: give only one.")
    if exit_code is not None and coverage is not None:
        raise click.UsageError("--exit-code and --coverage exclude each other: a set of labels is not one answer.")
    labels = list_labels(model)
    if exit_code is not None and exit_code not in labels:
        known = spell_names(labels)
        raise click.UsageError(
            f"the model has no label {exit_code!r}: it has {known}.{suggest(exit_code, labels)} Give one of these to "
            "--exit-code."
        )


def _take_only(blocks: Iterable[Block]) -> Block:
    """The one prediction. Several documents, none, or one that could not be read are errors."""
    ranked: list[Ranked | None] = []
    kept: list[Any] = []
    for block in blocks:
        ranked += block[0]
        kept += block[1]
        if len(ranked) > 1:
            break
    if len(ranked) != 1 or ranked[0] is None:
        found = "are several" if len(ranked) > 1 else "is none that can be read"
        raise click.UsageError(f"--exit-code takes one document, but there {found}: give one text or one e-mail.")
    return ranked, kept


def _look_ahead(batches: Iterator["Documents"]) -> tuple["Documents | None", Iterator["Documents"]]:
    """The first batch, which shows the columns, and all batches."""
    first = next(batches, None)
    return first, batches if first is None else chain([first], batches)


def _choose_filter(model: Any, abstain_below: float | None, coverage: float | None) -> "Callable[[Ranked], Ranked] | None":
    """The function that reduces the ranked labels of a document, or None to keep them all."""
    from tercet.report.prediction_lines import abstain, keep_probable

    if coverage is not None:
        return partial(keep_probable, threshold=model.find_threshold(coverage))
    return None if abstain_below is None else partial(abstain, threshold=abstain_below)


def _predict_blocks(
    model: Any, batches: Iterable["Documents"], lines: "PredictionLines", choose: "Callable[[Ranked], Ranked] | None"
) -> Iterator[Block]:
    """The predictions for each batch, with the columns that are kept. A row that could not be read has none."""
    from tercet.cli.predictions import list_labels, predict_in_parts
    from tercet.report.prediction_lines import rank_labels

    labels = [lines.spell(label) for label in list_labels(model)]
    for batch in batches:
        predicted = [row for _, found in predict_in_parts(model, batch) for row in rank_labels(labels, found, lines.n)]
        ranked: list[Ranked | None] = list(predicted if choose is None else map(choose, predicted))
        given = batch.columns or {"text": batch.texts}  # a text from the command line has no columns
        columns = {name: given.get(name, [None] * len(ranked)) for name in lines.kept}
        kept = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
        kept = kept or [{}] * len(ranked)
        for index, _ in reversed(getattr(batch, "bad", ())):
            ranked.insert(index, None)
            kept.insert(index, {})
        yield ranked, kept
