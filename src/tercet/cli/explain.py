"""tercet explain"""

import sys
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.command import define_command, json_option
from tercet.cli.outputs import OutputFile
from tercet.cli.printing import print_json, write_page

if TYPE_CHECKING:
    from tercet.report.explanation import Explanation


@define_command(
    "explain",
    'tercet explain reviews.tercet "not a bad film"',
    'tercet explain reviews.tercet "not a bad film" --label bad --terms 5',
    'tercet explain reviews.tercet "not a bad film" --html why.html',
    "tercet explain reviews.tercet - --json < texts.txt",
)
@click.argument("model", type=click.Path())
@click.argument("text", metavar="TEXT|-")
@click.option("--label", help="The label to explain; by default the one that the text gets.")
@click.option("--against", metavar="LABEL", help="The label to compare it with; by default the runner-up.")
@click.option("--terms", type=click.IntRange(min=1), default=20, show_default=True, help="How many terms to list.")
@click.option("--html", type=OutputFile(), help="Write a page that needs nothing else.")
@json_option
def command(model: str, text: str, label: str | None, against: str | None, terms: int, html: str | None, as_json: bool) -> None:
    """Tell why a text gets its label, word by word.

    What each word adds to the log-odds of the label against the runner-up; prior and evidence add up to the score, and
    that is the whole of the decision. The probability is the label's share of both, calibrated if the model is. On a terminal
    the words are coloured: blue for the label, orange and underlined against it. `-` takes the whole of standard input for
    the text.
    """
    from tercet import load

    explanation = explain_text(load(model), text, label, against)
    if html:
        write_page(html, f"{model}: why?", explanation.to_html(terms))
    if as_json:
        print_json(explanation.to_dict())
        return
    click.echo(explanation.to_terminal() + "\n")
    click.echo(explanation.to_table(terms))


def explain_text(model: Any, text: str, label: str | None = None, against: str | None = None) -> "Explanation":
    """Why the text, or all of standard input for `-`, gets its label."""
    text = sys.stdin.read() if text == "-" else text
    if columns := model.columns_:
        raise click.UsageError(
            f"the model wants the column {columns[0]!r} beside the text, and here is none: nothing to explain."
        )
    explanation: Explanation = model.explain(text, find_label(model, label), find_label(model, against))
    return explanation


def find_label(model: Any, written: str | None) -> object:
    """The model's label that is written so; a model made in Python may have numbers."""
    labels = {str(label): label for label in model.classes_.tolist()}
    return written if written is None else labels.get(written, written)
