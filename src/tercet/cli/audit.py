"""tercet audit"""

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.explain import find_label
from tercet.cli.options.reading_options import open_stream, reading_options, report_bad_rows
from tercet.cli.output import printing_options, write_result
from tercet.cli.talk import show_progress


@define_command(
    "audit",
    "tercet audit reviews.tercet test.csv --by source",
    "tercet audit reviews.tercet test.csv --by source --html audit.html",
    "tercet audit reviews.tercet test.csv --by source --json > audit.json",
    "tercet audit reviews.tercet test.csv --swap film/story --swap plot/cast --positive good",
    "tercet audit reviews.tercet pairs.csv --pair template --by gender",
    "tercet audit reviews.tercet --templates templates.txt --words people.csv --words moods.csv --by gender",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, type=click.Path())
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN",
    help="Column of groups, such as gender. Give it again for each further column.",
)
@click.option(
    "--pair",
    multiple=True,
    metavar="COLUMN",
    help="Column that pairs the sentences of DATA: sentences with the same value, such as the same template, are compared by "
    "the groups of --by. They need no labels.",
)
@click.option(
    "--templates",
    type=click.Path(),
    metavar="FILE",
    help='File of templates, one a line, such as "{person} feels {emotion}.". The words of --words fill its slots, here person '
    "and emotion.",
)
@click.option(
    "--words",
    type=click.Path(),
    multiple=True,
    metavar="FILE",
    help="Table of the words for a slot of the templates: a column with the name of the slot, such as person, and maybe "
    "columns of groups, such as gender. Give it again for each further slot.",
)
@click.option(
    "--swap",
    "swaps",
    multiple=True,
    metavar="TERM/TERM",
    help="Terms that replace each other in the texts of DATA, such as he/she. The place of a term stands for a group. Give it "
    "again for each further set, such as --swap him/her.",
)
@click.option(
    "--swaps",
    "swaps_file",
    type=click.Path(),
    metavar="FILE",
    help="File with such sets of terms, one a line.",
)
@click.option(
    "--positive",
    metavar="LABEL",
    help="Label whose error rates and probabilities are compared. By default, the last of two labels in alphabetical order.",
)
@printing_options
@partial(reading_options, without=("--weight", "--columns"))
def command(
    model: str,
    data: tuple[str, ...],
    by: tuple[str, ...],
    pair: tuple[str, ...],
    templates: str | None,
    words: tuple[str, ...],
    swaps: tuple[str, ...],
    swaps_file: str | None,
    positive: str | None,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Measure whom a model treats differently, and which words cause it.

    --by alone: DATA holds labelled documents that the model has not learned. Accuracy, false positives, false negatives and
    areas under ROC curves of each group are compared with those of all other documents.

    --pair and --by: DATA holds sentences that differ only in a group, such as "He is sad." and "She is sad.". The mean
    difference in probability and in log-odds comes with the number of decisions that differ, and with the terms that are
    responsible. With --templates and --words such sentences are made.

    --swap: listed terms of the texts of DATA are replaced by each other, and the changes of decisions are counted.

    Every difference has an interval and a p-value, corrected for the number of tests, and the smallest difference that so many
    documents would have shown. An audit never shows that a model treats all groups alike.
    """
    from tercet import audit, load
    from tercet.auditing.audit.audit import check_options
    from tercet.auditing.audit.templates import read_templates, read_words
    from tercet.auditing.audit.term_swaps import read_swaps, split_set
    from tercet.cli.evaluate import warn_of_learned

    listed = [*map(split_set, swaps), *([] if swaps_file is None else read_swaps(Path(swaps_file)))]
    # A file without sets is an error: no swaps would be shown, as if no term made a difference.
    asked: dict[str, Any] = {"by": by, "pair": pair or None, "swaps": listed if swaps or swaps_file is not None else None}
    check_options(documents=data or None, templates=templates, words=words or None, **asked)
    if templates is not None:
        asked["templates"] = read_templates(templates)
        asked["words"] = read_words(words, asked["templates"])
    found = load(model)
    needs_labels = bool(by) and not pair and templates is None
    stream = open_stream(list(data), like=found, labelled=needs_labels, **reading, columns="all") if data else None
    with nullcontext() if stream is None else show_progress(stream, "auditing"):
        result = audit(found, stream, **asked, positive=find_label(found, positive))
    if stream is not None:
        report_bad_rows(stream)
    if result.groups is not None:
        warn_of_learned(result.groups.n_learned, result.groups.n)
    write_result(result, form, html, f"Audit of {model}" + (f" on {stream.name}" if stream is not None else ""))
