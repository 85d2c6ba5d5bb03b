"""tercet refit"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import change_model, output_option
from tercet.cli.output import lock_output, wait_option
from tercet.cli.reading_options import reading_options
from tercet.report.tables import pluralize


@define_command("refit", "tercet refit margins.tercet reviews.csv")
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@output_option
@wait_option
@reading_options
def command(model: str, data: tuple[str, ...], output: str | None, wait_seconds: float | None, **reading: Any) -> None:
    """Train the margins of a model again.

    Margin models (--model nbsvm, svm or logistic) keep their weights when documents are learned, forgotten or relabelled. DATA
    holds all documents that the model has learned by now, and no others. The result is the model that you would get by training
    on them. A naive Bayes needs no such step: it follows from its counts at once. The file is replaced only when everything
    has succeeded. Commands that change the same file wait for each other.
    """
    with lock_output(output or model, wait_seconds), change_model("training", model, data, output, reading) as change:
        if change.model.describe()["smoothing"] is not None:
            raise click.ClickException(
                f"{model} is a naive Bayes: it follows from its counts at once, so nothing has to be trained again."
            )
        change.model.refit(change.batches)
        change.done = f"margins trained on {pluralize(len(change.places), 'document')}"
