"""tercet evaluate"""

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.messages import say
from tercet.cli.output import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream_for, reading_options, report_bad_rows
from tercet.data.column_choice import spell_names
from tercet.errors import InvalidLabel
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.cli.predictions import LabelledPredictions
    from tercet.report.report import Report

MOST_LISTED = 10  # labels


@define_command(
    "evaluate",
    "tercet evaluate reviews.tercet test.csv",
    "tercet evaluate reviews.tercet test.csv --html report.html",
    "tercet evaluate reviews.tercet test.csv --by source --markdown",
    "tercet evaluate reviews.tercet test.csv --json > report.json",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Also measure each group of documents that has the same value in this column."
)
@click.option("--confidence", type=click.FLOAT, default=0.95, show_default=True, help="Confidence level of the intervals.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Random seed for the resamples.")
@printing_options
@reading_options
def command(
    model: str,
    data: tuple[str, ...],
    by: tuple[str, ...],
    confidence: float,
    seed: int,
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Measure how good a model is, with an interval for every number.

    DATA holds labelled documents that the model has not learned. Beside each number is the number of a baseline that always
    predicts the most frequent label. Gold labels that the model does not know are listed first and count as errors; if it
    knows none of them, that is an error.
    """
    from tercet import load

    found = load(model)
    columns = [*reading["columns"], *by]
    stream = open_stream_for(found, data, **reading | {"columns": columns})
    write_result(evaluate_stream(found, stream, by, confidence=confidence, seed=seed), form, html, f"{model} on {stream.name}")


def evaluate_stream(model: Any, stream: Any, by: tuple[str, ...] = (), **options: Any) -> "Report":
    """The report on a model, measured on the documents of a stream."""
    from tercet import evaluate
    from tercet.cli.predictions import predict_labelled

    with show_progress(stream, "evaluating"):
        found = predict_labelled(model, stream)
    report_bad_rows(stream)
    warn_of_unknown(found, stream.name)
    warn_of_learned(found.n_learned, len(found.gold))
    slices = {name: found.columns[name] for name in by}
    return evaluate(
        found.gold,
        found.predicted,
        found.probabilities,
        found.weights,
        slices=slices,
        labels=found.labels,
        **options,
    )


def warn_of_unknown(found: "LabelledPredictions", source: str, name: str = "the model") -> None:
    """Say which gold labels the model does not know. It is an error if it knows none of them."""
    unknown = Counter(label for label in found.gold if label not in set(found.known))
    if not unknown:
        return
    listed = ", ".join(f"{label!r} ({n})" for label, n in unknown.most_common(MOST_LISTED))
    listed += f" and {len(unknown) - MOST_LISTED} more" if len(unknown) > MOST_LISTED else ""
    if unknown.total() == len(found.gold):
        raise InvalidLabel(
            f"{name} knows none of the labels of {source}: {listed}. It knows {spell_names(found.known)}. "
            "Name the label column with --label."
        )
    say(
        f"{name} does not know {pluralize(len(unknown), 'label')} of {unknown.total()} of the {len(found.gold)} documents, "
        f"which count as errors: {listed}"
    )


def warn_of_learned(n_learned: int, n: int, name: str = "the model") -> None:
    """Warn if the model was trained on documents that it is tested on."""
    if n_learned:
        say(f"{name} has learned {n_learned} of the {n} documents, so the numbers are too good: test with other documents.")
