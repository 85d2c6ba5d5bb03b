"""tercet evaluate"""

from typing import TYPE_CHECKING, Any

import click

from tercet.cli.command import define_command
from tercet.cli.printing import printing_options, write_result
from tercet.cli.progress import show_progress
from tercet.cli.reading import open_stream, reading_options, tell_bad_rows
from tercet.cli.talk import say

if TYPE_CHECKING:
    from tercet.report.report import Report


@define_command(
    "evaluate",
    "tercet evaluate reviews.tercet test.csv",
    "tercet evaluate reviews.tercet test.csv --html report.html",
    "tercet evaluate reviews.tercet test.csv --by source --markdown",
    "tercet evaluate reviews.tercet test.csv --json > report.json",
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@click.option("--by", multiple=True, metavar="COLUMN", help="Also for the documents with each value of this column.")
@click.option("--confidence", type=click.FLOAT, default=0.95, show_default=True, help="Of the intervals.")
@click.option("--seed", type=click.INT, default=0, show_default=True, help="Of the resamples.")
@printing_options
@reading_options
def command(
    model: str, data: str, by: tuple[str, ...], confidence: float, seed: int, form: str | None, html: str | None, **reading: Any
) -> None:
    """Tell how good a model is, with an interval on every number.

    DATA are labelled documents that the model has not learned. What always giving the most frequent label would achieve
    stands beside each number.
    """
    from tercet import load

    found = load(model)
    columns = [*reading["columns"], *by]
    stream = open_stream(data, **reading | {"columns": columns, "numbers": found.columns_})
    write_result(evaluate_stream(found, stream, by, confidence=confidence, seed=seed), form, html, f"{model} on {data}")


def evaluate_stream(model: Any, stream: Any, by: tuple[str, ...] = (), **options: Any) -> "Report":
    """The report on a model by the documents of a stream."""
    from tercet import evaluate
    from tercet.cli.answers import judge

    with show_progress(stream, "evaluating"):
        judged = judge(model, stream)
    tell_bad_rows(stream)
    tell_learned(judged.n_learned, len(judged.gold))
    slices = {name: judged.columns[name] for name in by}
    return evaluate(
        judged.gold,
        judged.predicted,
        judged.probabilities,
        judged.weights,
        slices=slices,
        labels=judged.labels,
        **options,
    )


def tell_learned(n_learned: int, n: int, name: str = "the model") -> None:
    """A number that is too good should not pass for a good one."""
    if n_learned:
        say(f"{name} has learned {n_learned} of the {n} documents: it knows their answers, and the numbers are too good.")
