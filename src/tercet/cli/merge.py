"""tercet merge"""

from functools import reduce
from operator import add
from typing import Any

import click

from tercet.cli.command import define_command
from tercet.cli.outputs import OutputFile
from tercet.cli.talk import count, say


@define_command("merge", "tercet merge north.tercet south.tercet -o all.tercet")
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=OutputFile(), help="Where to write the sum.")
def command(models: tuple[str, ...], output: str) -> None:
    """Add models up to one that has learned what each has.

    Train the parts alike, on as many machines as you like; their sum is the model that one machine would have trained on
    all documents. The parts must have the same recipe and the same smoothing: give --smoothing to each, because `auto` may
    choose differently for each of them.
    """
    from tercet import load

    loaded: list[Any] = [load(path) for path in models]
    reduce(_add_up, loaded).save(output)
    say(f"{count(len(models), 'model')} added up; written: {output}")


def _add_up(one: Any, other: Any) -> Any:
    for model in (one, other):
        if not hasattr(type(model), "__add__"):
            raise click.ClickException("a compact model has no counts, which could be added up: merge the full ones.")
    return add(one, other)
