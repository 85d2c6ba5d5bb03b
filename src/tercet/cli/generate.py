"""tercet generate"""

import click

from tercet.cli.commands import define_command, json_option
from tercet.cli.explain import find_label
from tercet.cli.output import print_json, write_data
from tercet.cli.talk import say


@define_command(
    "generate",
    "tercet generate reviews.tercet good",
    "tercet generate reviews.tercet bad --words 12 --seed 1",
    "tercet generate reviews.tercet --words 12 --json",
)
@click.argument("model", type=click.Path())
@click.argument("label", required=False)
@click.option(
    "--words",
    type=click.IntRange(min=1),
    help="Number of words; by default that of a random document of the label.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Random seed; another seed gives another text."
)
@json_option
def command(model: str, label: str | None, words: int | None, seed: int, as_json: bool) -> None:
    """Generate a text from the words of a label.

    Draws words at random with the probabilities that they have under the label. The text shows what the model has learned
    about the label. Without LABEL, the label is drawn from the prior, and shown on standard error.
    """
    from tercet import load

    found = load(model)
    is_drawn = label is None
    if is_drawn:
        drawn = found.sample(1, seed, n_words=words)
        (text,), (label,) = drawn.texts, drawn.labels.tolist()
    else:
        text = found.generate(find_label(found, label), words, seed)
    if as_json:
        print_json({"label": label, "seed": seed, "text": text})
        return
    if is_drawn:
        say(f"label: {label}")
    write_data(text + "\n")
