"""tercet forget"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import change_model, output_option
from tercet.cli.output import lock_output, wait_option
from tercet.cli.reading_options import reading_options
from tercet.report.tables import pluralize


@define_command(
    "forget",
    "tercet forget reviews.tercet removed.csv -o without.tercet",
    "tercet forget reviews.tercet removed.csv",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@output_option
@wait_option
@reading_options
def command(model: str, data: tuple[str, ...], output: str | None, wait_seconds: float | None, **reading: Any) -> None:
    """Remove documents from a model, exactly.

    DATA holds the documents with the labels and weights that they were learned with. The result is the model that you would
    get by training without them. If one of them was never learned, that is an error, and nothing changes. The weights of
    margin models (--model nbsvm, svm or logistic) still contain what these documents taught, except for words that occur
    nowhere else: `tercet refit` trains such models again. The file is replaced only when everything has succeeded. Commands
    that change the same file wait for each other.
    """
    with lock_output(output or model, wait_seconds), change_model("forgetting", model, data, output, reading) as change:
        change.model.forget(change.batches)
        change.done = f"{pluralize(len(change.places), 'document')} forgotten"
