"""tercet explain"""

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.inputs import DocumentChoice, input_options, read_one_document
from tercet.cli.options.reading_options import reading_options
from tercet.cli.output import OutputFile, print_json, write_data, write_page

if TYPE_CHECKING:
    from tercet.report.explanation.explanation import Explanation


@define_command(
    "explain",
    'tercet explain reviews.tercet "not a bad film"',
    'tercet explain reviews.tercet "not a bad film" --label bad --terms 5',
    'tercet explain reviews.tercet "not a bad film" --html why.html',
    'tercet explain a.tercet "not a bad film" --arithmetic',
    'tercet explain a.tercet "not a bad film" --arithmetic --latex > why.tex',
    "tercet explain reviews.tercet - --json < texts.txt",
    "tercet explain reviews.tercet test.csv --row 7",
    "tercet explain reviews.tercet test.csv --id 12 --id-column id",
    "tercet explain reviews.tercet message.eml",
)
@click.argument("model", type=click.Path())
@click.argument("source", metavar="TEXT|FILE|-", type=click.Path())
@input_options
@click.option(
    "--row",
    type=click.IntRange(min=1),
    metavar="N",
    help="Explain the document in this row of the file, as a spreadsheet counts rows: the header is row 1.",
)
@click.option(
    "--id", "wanted_id", metavar="VALUE", help="Explain the document that has this value in the column of --id-column."
)
@click.option("--id-column", metavar="COLUMN", help="Column that --id is searched in.")
@click.option("--label", help="Label to explain; by default the predicted one.")
@click.option("--against", metavar="LABEL", help="Label to compare it with; by default the second best.")
@click.option("--terms", type=click.IntRange(min=1), default=20, show_default=True, help="How many terms to list.")
@click.option("--detail", is_flag=True, help="Also list the parts of each word: the word itself and its character n-grams.")
@click.option(
    "--arithmetic", is_flag=True, help="Also show how each value is computed: the formula with its counts or weights."
)
@click.option("--html", type=OutputFile(), help="Also write the explanation to this file, as one self-contained HTML page.")
@click.option("--latex", "form", flag_value="latex", help="Print the explanation as a complete LaTeX document.")
@click.option("--json", "form", flag_value="json", help="Print the explanation as JSON.")
@partial(reading_options, without=("--label", "--weight", "--columns"))
def command(
    model: str,
    source: str,
    kind: str | None,
    row: int | None,
    wanted_id: str | None,
    id_column: str | None,
    label: str | None,
    against: str | None,
    terms: int,
    detail: bool,
    arithmetic: bool,
    html: str | None,
    form: str | None,
    **reading: Any,
) -> None:
    """Show why a text gets its label, word by word.

    Each term has a value: what it adds to the log-odds of the label against the second best label. The prior and all values
    add up to the score, and the score alone decides. If the model has more than two labels, two probabilities are shown: that
    of the label among all labels, as `tercet predict --proba` prints it, and that between these two labels. Both are calibrated
    if the model is. On a terminal the words are coloured: blue for the label, orange and underlined against it. If the model
    also counts character n-grams, their values are folded into the words that they stand in. --detail lists them.

    With --arithmetic, each value is also shown as a formula. For naive Bayes it has the counts that the value comes from, so
    that you can compute it yourself. For other models it has the value of the term in the text, and its trained weight.

    The text is given as it is, or it is the document of a file: of one e-mail, of a file with one document, or the one that
    --row or --id chooses. In a file without a header, the first document is in row 1. With `-`, all of standard input is the
    text; with --format, it is read like a file.
    """
    from tercet import load

    found = load(model)
    document = read_one_document(found, source, kind, DocumentChoice(row, wanted_id, id_column), reading)
    labels = find_label(found, label), find_label(found, against)
    explanation: Explanation = found.explain(document, *labels, arithmetic=arithmetic)
    if html:
        write_page(html, f"{model}: why?", explanation.to_html(terms, detail=detail))
    if form == "json":
        print_json(explanation.to_dict())
    elif form == "latex":
        write_data(explanation.to_latex(terms, detail=detail, page=True))
    else:
        click.echo(explanation.to_terminal() + "\n")
        click.echo(explanation.to_table(terms, detail=detail))


def find_label(model: Any, written: str | None) -> object:
    """The label of the model with this spelling; a model that was made in Python may have numbers."""
    labels = {str(label): label for label in model.classes_.tolist()}
    return written if written is None else labels.get(written, written)
