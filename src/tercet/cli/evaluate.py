"""tercet evaluate"""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.messages import say
from tercet.cli.option_values import ParsedValue, read_assignment
from tercet.cli.output import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream, reading_options, report_bad_rows

if TYPE_CHECKING:
    from tercet.report.report import Report


@define_command(
    "evaluate",
    "tercet evaluate reviews.tercet test.csv",
    "tercet evaluate reviews.tercet test.csv --html report.html",
    "tercet evaluate reviews.tercet test.csv --by source --markdown",
    "tercet evaluate reviews.tercet test.csv --json > report.json",
    "tercet evaluate careful.tercet test.csv --precision good=0.95 --precision bad=0.9",
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option(
    "--by", multiple=True, metavar="COLUMN", help="Also measure each group of documents that has the same value in this column."
)
@click.option("--confidence", type=click.FLOAT, default=0.95, show_default=True, help="Confidence level of the intervals.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Random seed for the resamples.")
@click.option(
    "--precision",
    type=ParsedValue("LABEL=P", read_assignment),
    multiple=True,
    help="Also find the threshold on the probability of this label that gives its answers at least this precision, with the "
    "recall and the share of documents that are answered. It is chosen on these documents, so measure it on others with "
    "--threshold.",
)
@click.option(
    "--threshold",
    type=ParsedValue("LABEL=P", read_assignment),
    multiple=True,
    help="Also measure the answers with this label whose probability is at least P.",
)
@printing_options
@reading_options
def command(
    model: str,
    data: str,
    by: tuple[str, ...],
    confidence: float,
    seed: int,
    precision: tuple[tuple[str, float], ...],
    threshold: tuple[tuple[str, float], ...],
    form: str | None,
    html: str | None,
    **reading: Any,
) -> None:
    """Measure how good a model is, with an interval for every number.

    DATA holds labelled documents that the model has not learned. Beside each number is the number of a baseline that always
    predicts the most frequent label.
    """
    from tercet import load

    found = load(model)
    columns = [*reading["columns"], *by]
    stream = open_stream(data, **reading | {"columns": columns, "numbers": found.columns_})
    report = evaluate_stream(found, stream, by, confidence=confidence, seed=seed)
    thresholds = [report.threshold(label, precision=wanted) for label, wanted in precision]
    thresholds += [report.at_threshold(label, lowest) for label, lowest in threshold]
    write_result(replace(report, thresholds=tuple(thresholds)), form, html, f"{model} on {data}")


def evaluate_stream(model: Any, stream: Any, by: tuple[str, ...] = (), **options: Any) -> "Report":
    """The report on a model, measured on the documents of a stream."""
    from tercet import evaluate
    from tercet.cli.predictions import predict_labelled

    with show_progress(stream, "evaluating"):
        found = predict_labelled(model, stream)
    report_bad_rows(stream)
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


def warn_of_learned(n_learned: int, n: int, name: str = "the model") -> None:
    """Warn if the model was trained on documents that it is tested on."""
    if n_learned:
        say(f"{name} has learned {n_learned} of the {n} documents, so the numbers are too good: test with other documents.")
