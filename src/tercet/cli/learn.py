"""tercet learn"""

from typing import Any

import click

from tercet.cli.changing import change_model, output_option
from tercet.cli.command import define_command
from tercet.cli.reading import reading_options


@define_command(
    "learn",
    "tercet learn reviews.tercet new.csv",
    "tercet learn reviews.tercet new.csv -o grown.tercet",
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@output_option
@reading_options
def command(model: str, data: str, output: str | None, **reading: Any) -> None:
    """Teach a model more documents.

    They may bring new words and new labels. The model is then what it would be had it learned all documents at once; only
    a smoothing that was chosen by leave-one-out stays as it is, and so does a calibration. Margins (--model nbsvm, svm or
    logistic) decide as before, with a warning, until they are trained again. The file is replaced when all is done, or not
    at all.
    """
    change_model("learn", model, data, output, reading)
