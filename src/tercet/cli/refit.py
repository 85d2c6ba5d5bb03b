"""tercet refit"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import change_arguments, change_model, change_options
from tercet.report.tables import pluralize


@define_command("refit", "tercet refit margins.tercet reviews.csv")
@change_arguments
@change_options
def command(model: str, data: tuple[str, ...], **options: Any) -> None:
    """Train the margins of a model again.

    Margin models (--model nbsvm, svm or logistic) keep their weights when documents are learned, forgotten or relabelled.
    DATA holds all documents that the model has learned by now, and no others. The result is the model that you would get by
    training on them. A naive Bayes needs no such step: it follows from its counts at once. Rows without a text or a label
    are left out, as in `train`. The file is replaced only when everything has succeeded. Commands that change the same file
    wait for each other.
    """
    with change_model("training", model, data, **options) as change:
        if change.model.describe()["smoothing"] is not None:
            raise click.ClickException(
                f"{model} is a naive Bayes: it follows from its counts at once, so nothing has to be trained again."
            )
        change.model.refit(change.batches)
        change.done = f"margins trained on {pluralize(len(change.places), 'document')}"
