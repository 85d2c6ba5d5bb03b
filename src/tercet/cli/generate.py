"""tercet generate"""

import click

from tercet.cli.command import define_command, json_option
from tercet.cli.explain import find_label
from tercet.cli.printing import print_json


@define_command(
    "generate",
    "tercet generate reviews.tercet good",
    "tercet generate reviews.tercet bad --words 12 --seed 1",
)
@click.argument("model", type=click.Path())
@click.argument("label")
@click.option("--words", type=click.IntRange(min=1), help="How many; by default as many as a document of the label has.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Another seed, another text.")
@json_option
def command(model: str, label: str, words: int | None, seed: int, as_json: bool) -> None:
    """Write a text as a label would put it.

    Draws words with the probabilities that the label gives them, which shows what the model has made of the label.
    """
    from tercet import load

    found = load(model)
    if not hasattr(found, "generate"):
        raise click.ClickException("a compact model has no counts to draw from: ask the full one.")
    text = found.generate(find_label(found, label), words, seed)
    if as_json:
        print_json({"label": label, "seed": seed, "text": text})
    else:
        click.echo(text)
