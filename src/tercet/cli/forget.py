"""tercet forget"""

from typing import Any

import click

from tercet.cli.commands import define_command
from tercet.cli.model_change import change_arguments, change_model, change_options, later_option, unlabelled_option
from tercet.report.tables import pluralize


@define_command(
    "forget",
    "tercet forget reviews.tercet removed.csv -o without.tercet",
    "tercet forget reviews.tercet removed.csv",
)
@change_arguments
@unlabelled_option
@later_option
@change_options
def command(model: str, data: tuple[str, ...], unlabelled: bool, later: bool, **options: Any) -> None:
    """Remove documents from a model, exactly.

    DATA holds the documents with the labels and weights that they were learned with. The result is the model that you would
    get by training without them. If one of them was never learned, that is an error, and nothing changes.

    A model that keeps its documents (all but naive Bayes, unless --no-documents was given) is trained again without them. Its
    file is then the same, byte for byte, as if it had never learned them. Without its documents, the counts are exact, but
    margins, a chosen smoothing and the calibration still contain what the documents taught, until `tercet refit` works them
    out anew.

    Rows without a text or a label are left out, as in `train`. The file is replaced only when everything has succeeded.
    Commands that change the same file wait for each other.
    """
    with change_model("forgetting", model, data, labelled=not unlabelled, **options) as change:
        if unlabelled and later:
            raise click.UsageError("--later is for documents with labels: leave it out, or --unlabelled.")
        if unlabelled:
            change.forget_unlabelled()
            change.done = f"{pluralize(len(change.places), 'text')} without labels forgotten"
            return
        change.check_later(later)
        change.forget(change.batches, later)
        change.done = f"{pluralize(len(change.places), 'document')} forgotten"
