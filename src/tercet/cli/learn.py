"""tercet learn, and what it shares with tercet forget: both change a model file by documents."""

from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import define_command
from tercet.cli.messages import say
from tercet.cli.output import OutputFile, lock_output, wait_option
from tercet.cli.progress import show_progress
from tercet.cli.reading_options import open_stream_to_learn, reading_options, report_bad_rows
from tercet.errors import NeverLearned
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.document_batches import Places

output_option = click.option(
    "-o", "--output", type=OutputFile(), help="Write the changed model to this file, and leave the old file as it is."
)


@define_command(
    "learn",
    "tercet learn reviews.tercet new.csv",
    "tercet learn reviews.tercet new.csv -o grown.tercet",
)
@click.argument("model", type=click.Path())
@click.argument("data", nargs=-1, required=True, type=click.Path())
@output_option
@wait_option
@reading_options
def command(model: str, data: tuple[str, ...], output: str | None, wait_seconds: float | None, **reading: Any) -> None:
    """Add more documents to a model.

    DATA holds labelled documents, which may have new words and new labels. The result is the model that you would get by
    training on all documents at once. Two things stay as they are: a smoothing that was chosen by leave-one-out, and a
    calibration. Margin models (--model nbsvm, svm or logistic) keep predicting as before, with a warning, until they are
    trained again. The file is replaced only when everything has succeeded. Commands that change the same file wait for each
    other.
    """
    with lock_output(output or model, wait_seconds):
        change_model("learn", model, data, output, reading)


def change_model(verb: str, path: str, data: tuple[str, ...], output: str | None, reading: dict[str, Any]) -> None:
    """Let the model learn or forget the documents, and write it when that is done. The file to write is locked."""
    from tercet import load
    from tercet.data.document_batches import Places

    model = load(path)
    stream = open_stream_to_learn(data, model, reading)
    places = Places()
    try:
        with show_progress(stream, f"{verb}ing"):
            getattr(model, verb)(places.follow(stream))
    except NeverLearned as error:
        raise name_place(error, places) from None
    report_bad_rows(stream)
    model.save(output or path)
    n = stream.n_rows - stream.n_bad
    say(f"{pluralize(n, 'document')} {'learned' if verb == 'learn' else 'forgotten'}; written: {output or path}")
    warn_if_stale(model)


def warn_if_stale(model: Any) -> None:
    """Say so if trained weights no longer fit the documents of the model."""
    if model.is_stale_:
        say("its margins were trained on other documents, so it predicts as before: train a new model on all its documents.")


def name_place(error: NeverLearned, places: "Places") -> NeverLearned:
    """The same error with the file and line of the document."""
    if error.position is None:
        return error
    reason = "this document was never learned with this label and weight, or is already forgotten: nothing is changed."
    return NeverLearned(f"{places.find(error.position)}: {reason}")
