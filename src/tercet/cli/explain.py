"""tercet explain"""

import sys
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.output import OutputFile, print_json, write_page

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
@click.option("--label", help="Label to explain; by default the predicted one.")
@click.option("--against", metavar="LABEL", help="Label to compare it with; by default the second best.")
@click.option("--terms", type=click.IntRange(min=1), default=20, show_default=True, help="How many terms to list.")
@click.option("--html", type=OutputFile(), help="Also write the explanation to this file, as one self-contained HTML page.")
@json_option
def command(model: str, text: str, label: str | None, against: str | None, terms: int, html: str | None, as_json: bool) -> None:
    """Show why a text gets its label, word by word.

    Each term has a value: what it adds to the log-odds of the label against the second best label. The prior and all values
    add up to the score, and the score alone decides. The probability compares these two labels only, and is calibrated if
    the model is. On a terminal the words are coloured: blue for the label, orange and underlined against it. With `-`, all
    of standard input is the text.
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
    for_label, against_label = find_label(model, label), find_label(model, against)
    if columns := model.columns_:
        raise click.UsageError(f"the model needs the column {columns[0]!r} beside the text, which can't be given here.")
    explanation: Explanation = model.explain(text, for_label, against_label)
    return explanation


def find_label(model: Any, written: str | None) -> object:
    """The label of the model with this spelling; a model that was made in Python may have numbers."""
    labels = {str(label): label for label in model.classes_.tolist()}
    return written if written is None else labels.get(written, written)
