"""tercet card"""

import os
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import FormOutput, OutputFile, encode_page, print_json, write_data, write_json
from tercet.cli.talk import say

if TYPE_CHECKING:
    from tercet.auditing.card.card import ModelCard

CARD_FILE = FormOutput("a card", "markdown", "html", "json")


@define_command(
    "card",
    "tercet card --template > notes.toml",
    "tercet card careful.tercet --test test.csv --notes card.toml -o CARD.md --html card.html",
    "tercet card careful.tercet --test test.csv --by source",
    "tercet card margins.tercet --test test.csv --train reviews.csv",
    "tercet card careful.tercet --json",
)
@click.argument("model", required=False, type=click.Path())
@click.option(
    "--test",
    type=click.Path(),
    metavar="FILE",
    help="Labelled documents to measure the model on. Those that it has learned are left out.",
)
@click.option(
    "--train",
    type=click.Path(),
    metavar="FILE",
    help="The documents that the model has learned, if its file does not keep them. They are examined, and compared with those "
    "of --test to measure how much the model reveals what it has learned.",
)
@click.option("--by", multiple=True, metavar="COLUMN", help="Compare the groups of test documents that this column makes.")
@click.option(
    "--audit",
    type=click.Path(),
    metavar="FILE",
    help="Quote the findings of another audit: the file that `tercet audit --json` has written.",
)
@click.option("--notes", type=click.Path(), metavar="FILE", help="A TOML file with what only people know: see --template.")
@click.option("--template", is_flag=True, help="Print a TOML file for --notes, with all questions, and do nothing else.")
@click.option(
    "-o",
    "--output",
    type=CARD_FILE,
    help="Write the card to this file: as HTML if its name ends in .html, as JSON if it ends in .json, else as Markdown. By "
    "default it is printed.",
)
@click.option("--html", type=OutputFile(), help="Also write the card to this file, as one self-contained HTML page.")
@json_option
@partial(reading_options, without=("--columns",))
def command(
    model: str | None,
    test: str | None,
    train: str | None,
    by: tuple[str, ...],
    audit: str | None,
    notes: str | None,
    template: bool,
    output: str | None,
    html: str | None,
    as_json: bool,
    **reading: Any,
) -> None:
    """Write a model card: what a model is for, how good it is, and for whom it is worse.

    The card is Markdown, with a YAML header that model hubs read. Its sections are those of Mitchell et al. (2019). What the
    program knows is filled in: the recipe, the training, the numbers on the documents of --test with intervals, beside those of
    a baseline, for each label and each group; what the doctor finds in the training documents; and whether the file, or the
    model's probabilities, reveal what was learned. What only people know comes from the file of --notes. Questions without an
    answer are shown as missing, and counted.

    Nothing in the card is a time or the name of a machine: the same files give the same card.
    """
    from tercet import load, make_card
    from tercet.auditing.card.notes import CardNotes, write_template

    if template:
        write_data(write_template())
        return
    if model is None:
        raise click.UsageError("give a model, or --template for the questions that its notes should answer.")
    _check_inputs(test, train, by)
    answers, found = CardNotes.of(notes), load(model)
    tested = None if test is None else open_stream(test, like=found, columns=by, **reading)
    learned = None if train is None else open_stream(train, like=found, columns="all", training=True, **reading)
    if learned is not None or getattr(found, "keeps_documents_", False):
        say("examining the training documents, which may take minutes …")
    card = make_card(found, tested, train=learned, by=by, notes=answers, audit=audit, file=model)
    for stream in filter(None, (tested, learned)):
        report_bad_rows(stream)
    _write(card, output, html)
    if as_json:
        print_json(card.to_dict())
    elif output is None:
        write_data(card.to_markdown())
    _report(card)


def _check_inputs(test: str | None, train: str | None, by: tuple[str, ...]) -> None:
    if by and test is None:
        raise click.UsageError("--by names columns of test documents: give these documents with --test.")
    if test == train == "-":
        raise click.UsageError("standard input can be read only once: give a file for --test, or one for --train.")


def _write(card: "ModelCard", output: str | None, html: str | None) -> None:
    """Write the files that are asked for, all or none."""
    from tercet.store.atomic_file import write_all

    files: dict[str | os.PathLike[str], list[bytes]] = {}
    if output is not None:
        files[output] = [encode_card(card, CARD_FILE.find_form(output))]
    if html is not None:
        files[html] = [encode_card(card, "html")]
    write_all(files)
    for path in files:
        say(f"written: {path}")


def encode_card(card: "ModelCard", form: str | None) -> bytes:
    """The file of a card in this form."""
    if form == "html":
        return encode_page(f"Model card: {card.name}", card.to_html())
    return (write_json(card.to_dict()) if form == "json" else card.to_markdown()).encode("utf-8", "replace")


def _report(card: "ModelCard") -> None:
    """Say what somebody should know who does not read the card."""
    from tercet.auditing.card.caveats import describe_copies
    from tercet.auditing.card.sections import count_missing

    if card.evaluation is not None and card.evaluation.n_copies:
        say(describe_copies(card.evaluation))
    if card.missing:
        say(f"{count_missing(card)}: {', '.join(card.missing)}")
