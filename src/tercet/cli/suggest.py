"""tercet suggest"""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import print_json
from tercet.cli.table_file import SheetFile, write_table
from tercet.cli.talk import say, show_progress

if TYPE_CHECKING:
    from tercet.data.documents import Documents
    from tercet.report.tables import Grid

MAX_WIDTH = 60  # characters of a text that are shown
PROPOSAL = ("proposed", "probability", "margin")


@define_command(
    "suggest",
    "tercet suggest new.csv -n 10 -o to-label.csv",
    "tercet suggest new.csv -n 10 --model reviews.tercet",
    "tercet suggest new.csv -n 5 --labelled reviews.csv --json",
    "tercet suggest new.csv -n 5 --model reviews.tercet --gain",
)
@click.argument("pool", type=click.Path())
@click.option("-n", "n", type=click.IntRange(min=1), default=20, show_default=True, metavar="N", help="How many texts.")
@click.option(
    "-m",
    "--model",
    type=click.Path(),
    metavar="FILE",
    help="The model that has learned the labels so far. Texts that it has learned are left out.",
)
@click.option(
    "--labelled", type=click.Path(), metavar="FILE", help="Leave out the texts of this file: they have labels already."
)
@click.option(
    "--gain",
    is_flag=True,
    help="Also say what the next 50 labels would bring. This trains the model of --model again several times.",
)
@click.option(
    "-o",
    "--output",
    type=SheetFile(),
    help="Write the texts to this file, with an empty column for their labels. Its name ends in .csv, .jsonl or .parquet.",
)
@json_option
@partial(reading_options, without=("--label", "--weight"))
def command(
    pool: str,
    n: int,
    model: str | None,
    labelled: str | None,
    gain: bool,
    output: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Suggest which texts to label next.

    Without a model, or before it has learned 20 documents, these are texts that are spread over the POOL: unlike each other,
    and unlike those of --labelled. Afterwards these are the texts between whose two best labels the model can hardly decide;
    the margin is the difference of the two probabilities. A text that occurs several times is suggested once. The order of the
    POOL does not change which texts are suggested.

    Fill in the column `label` of the file of -o, and train or learn with it. `tercet label` asks for one text after another, in
    the same order. Suggested texts are no random sample: measure with other texts how good a model is.

    With --gain, parts of the documents of the model say how much better it becomes with more of them. The model must keep its
    documents: naive Bayes does so only if it is trained with --documents.
    """
    from tercet import load, suggest

    if gain and model is None:
        raise click.UsageError("--gain looks at the documents of a model: name it with --model.")
    loaded: Any = None if model is None else load(model)
    documents, rows = read_texts(pool, loaded, reading)
    known = None if labelled is None else read_texts(labelled, loaded, {**reading, "columns": ()})[0]
    positions = suggest(documents, n, loaded, known)
    described = [describe(documents, position, rows[position]) for position in positions]
    if loaded is not None:
        propose(described, loaded, documents.pick(positions))
    found = describe_gain(loaded) if gain else None
    if output is not None:
        write_rows(output, described, documents)
    if as_json:
        print_json({"texts": described, **({} if found is None else {"gain": found})})
    elif output is None:
        from tercet.report.forms import write_columns

        click.echo(write_columns(list_texts(described)))
    if found is not None:
        say(found["words"])


def read_texts(path: str, model: Any, reading: dict[str, Any]) -> tuple["Documents", list[int | None]]:
    """The texts of a file, and the row of each."""
    from tercet.data.document_batches import Places, join_batches

    stream, places = open_stream(path, labelled=False, like=model, **reading), Places()
    with show_progress(stream, "reading"):
        batches = list(places.follow(stream))
    report_bad_rows(stream)
    if not batches:
        raise click.UsageError(f"{path} has no texts: give another file.")
    return join_batches(batches), [places.find_row(position) for position in range(len(places))]


def describe(documents: "Documents", position: int, row: int | None) -> dict[str, Any]:
    """A suggested text for JSON."""
    columns = {name: column[position] for name, column in documents.columns.items()}
    return {"text": documents.texts[position], "row": row, "columns": columns}


def propose(described: list[dict[str, Any]], model: Any, documents: "Documents") -> None:
    """Add what the model says of the texts."""
    for facts, ranked in zip(described, model.rank_labels(documents), strict=True):
        (label, best), *others = ranked
        facts |= {"proposed": label, "probability": best, "margin": best - (others[0][1] if others else 0.0)}


def describe_gain(model: Any) -> dict[str, Any]:
    """What the next labels would bring, for JSON."""
    from tercet.categorizer.suggestion.next_labels import estimate_gain_of

    return estimate_gain_of(model).to_dict()


def write_rows(path: str, described: list[dict[str, Any]], documents: "Documents") -> None:
    """Write the texts to a file, with their columns and an empty label."""
    facts = ("label", "row", *PROPOSAL)  # also without a model: files with the same columns can be read together
    texts = documents.text_columns or ("text",)
    names = [*texts, *(name for name in documents.columns if name not in (*texts, *facts)), *facts]
    write_table(path, names, (fill_row(each, texts) for each in described), "text")


def fill_row(facts: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """A row of the file, with the text columns of these names and an empty label."""
    from tercet.kernel.text.columns import SEPARATOR

    texts = facts["text"].split(SEPARATOR) if len(names) > 1 else [facts["text"]]
    return {**dict.fromkeys(PROPOSAL), **facts["columns"], **facts, **dict(zip(names, texts, strict=True)), "label": None}


def list_texts(described: list[dict[str, Any]]) -> "Grid":
    """A row for each text. The text is the first column, because only that is aligned to the left."""
    from tercet.characters import show_line
    from tercet.evaluation.intervals import format_rounded
    from tercet.kernel.text.columns import SEPARATOR
    from tercet.report.tables import Grid

    columns = {
        "text": [show_line(facts["text"].replace(SEPARATOR, " · "), MAX_WIDTH) for facts in described],
        "row": ["" if facts["row"] is None else str(facts["row"]) for facts in described],
    }
    if "margin" in described[0]:
        columns["proposed"] = [show_line(facts["proposed"]) for facts in described]
        columns["margin"] = [format_rounded(facts["margin"], ".3f") for facts in described]
    for name in described[0]["columns"]:
        columns.setdefault(name, [show_line(facts["columns"][name], MAX_WIDTH) for facts in described])
    return Grid("suggested", tuple(columns), tuple(zip(*columns.values(), strict=True)))
