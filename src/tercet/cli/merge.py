"""tercet merge"""

from functools import reduce
from operator import add
from typing import Any

import click

from tercet.cli.changing import tell_stale
from tercet.cli.command import define_command
from tercet.cli.outputs import OutputFile
from tercet.cli.talk import count, say
from tercet.report.characters import show_line


@define_command("merge", "tercet merge north.tercet south.tercet -o all.tercet")
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=OutputFile(), help="Where to write the sum.")
def command(models: tuple[str, ...], output: str) -> None:
    """Add models up to one that has learned what each has.

    Train the parts alike, on as many machines as you like; their sum is the model that one machine would have trained on
    all documents. The parts must have the same recipe and the same smoothing: give --smoothing to each, because `auto` may
    choose differently for each of them. What calibrates a part does not fit the sum, which is not calibrated. Margins do
    not add up: the sum of such models has all counts, and decides as the first of them.
    """
    from tercet import load

    loaded = {path: load(path) for path in models}
    for path, model in loaded.items():
        if not hasattr(type(model), "__add__"):
            raise click.ClickException(f"{path} is compact and has no counts, which could be added up: merge the full ones.")
        _check_recipes(models[0], loaded[models[0]], path, model)
    total = reduce(add, [loaded[path] for path in models])
    total.save(output)
    say(f"{count(len(models), 'model')} added up; written: {output}")
    tell_stale(total)


def _check_recipes(one_path: str, one: Any, other_path: str, other: Any) -> None:
    """Recipes that differ are named by the first option in which they do."""
    from tercet.cli.recipe import list_recipe

    first, second = list_recipe(one), list_recipe(other)
    for name in dict.fromkeys([*first, *second]):
        if name != "calibrate" and first.get(name) != second.get(name):
            values = " and ".join(show_line(recipe.get(name, "the default")) for recipe in (first, second))
            difference = f"{one_path} and {other_path} count differently ({name}: {values})"
            raise click.ClickException(f"{difference}: their sum would mean nothing. Train both alike.")
