"""tercet forget"""

from typing import Any

from tercet.cli.commands import define_command
from tercet.cli.model_change import change_arguments, change_model, change_options
from tercet.report.tables import pluralize


@define_command(
    "forget",
    "tercet forget reviews.tercet removed.csv -o without.tercet",
    "tercet forget reviews.tercet removed.csv",
)
@change_arguments
@change_options
def command(model: str, data: tuple[str, ...], **options: Any) -> None:
    """Remove documents from a model, exactly.

    DATA holds the documents with the labels and weights that they were learned with. The result is the model that you would
    get by training without them. If one of them was never learned, that is an error, and nothing changes. The weights of
    margin models (--model nbsvm, svm or logistic) still contain what these documents taught, except for words that occur
    nowhere else: `tercet refit` trains such models again. Rows without a text or a label are left out, as in `train`. The
    file is replaced only when everything has succeeded. Commands that change the same file wait for each other.
    """
    with change_model("forgetting", model, data, **options) as change:
        change.model.forget(change.batches)
        change.done = f"{pluralize(len(change.places), 'document')} forgotten"
