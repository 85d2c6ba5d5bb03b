"""tercet forget"""

from typing import Any

import click

from tercet.cli.changing import change_model, output_option
from tercet.cli.command import define_command
from tercet.cli.reading import reading_options


@define_command(
    "forget",
    "tercet forget reviews.tercet removed.csv -o without.tercet",
    "tercet forget reviews.tercet removed.csv",
)
@click.argument("model", type=click.Path())
@click.argument("data", type=click.Path())
@output_option
@reading_options
def command(model: str, data: str, output: str | None, **reading: Any) -> None:
    """Take documents out of a model, exactly.

    DATA has them with the labels and weights that they were learned with. The model is then what it would be had it never
    seen them. If one of them was never learned, that is an error, and nothing changes. Margins (--model nbsvm, svm or
    logistic) still have in them what these documents taught, but for words that nobody else has: train them again. The file
    is replaced when all is done, or not at all.
    """
    change_model("forget", model, data, output, reading)
