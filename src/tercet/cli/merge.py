"""tercet merge"""

from typing import Any

import click

from tercet.characters import show_line
from tercet.cli.commands import define_command
from tercet.cli.model_change import warn_if_stale
from tercet.cli.output import ModelOutput, lock_output, wait_option
from tercet.cli.talk import say
from tercet.report.tables import pluralize


@define_command("merge", "tercet merge north.tercet south.tercet -o all.tercet")
@click.argument("models", nargs=-1, required=True, type=click.Path())
@click.option("-o", "--output", required=True, type=ModelOutput(), help="File to write the sum to.")
@wait_option
def command(models: tuple[str, ...], output: str, wait_seconds: float | None) -> None:
    """Add several models up to one.

    Train the parts with the same options, on as many machines as you like. Their sum is the model that one machine would have
    trained on all documents. If all parts keep their documents (all but naive Bayes, unless --no-documents was given), the sum
    is trained on all of them.

    Parts without their documents must have the same smoothing: give --smoothing to each, because `auto` may choose
    differently. Their sum is not calibrated, even if the parts are. The weights of margin models can't be added: the sum of
    such models has all counts, but predicts like the first model.
    """
    with lock_output(output, wait_seconds):  # it may be one of the models
        _merge_models(models, output)


def _merge_models(models: tuple[str, ...], output: str) -> None:
    from tercet import load
    from tercet.categorizer.categorizer import sum_categorizers

    loaded: dict[str, Any] = {path: load(path) for path in models}
    for path, model in loaded.items():
        if not hasattr(type(model), "__add__"):
            raise click.ClickException(f"{path} is compact and has no counts to add up: merge the full models.")
        if getattr(model, "is_pruned_", False):
            raise click.ClickException(f"{path} is pruned and lacks counts to add up: merge the models from before --prune.")
        _check_recipes(models[0], loaded[models[0]], path, model)
    total = sum_categorizers([loaded[path] for path in models])
    total.save(output)
    say(f"{pluralize(len(models), 'model')} added up; written: {output}")
    warn_if_stale(total)


def _check_recipes(one_path: str, one: Any, other_path: str, other: Any) -> None:
    """Raise an error that names the first option in which the recipes differ."""
    from tercet.cli.options.config import list_recipe

    first, second = list_recipe(one), list_recipe(other)
    for name in dict.fromkeys([*first, *second]):
        if name not in ("calibrate", "documents") and first.get(name) != second.get(name):
            values = " and ".join(show_line(recipe.get(name, "the default")) for recipe in (first, second))
            difference = f"{one_path} and {other_path} count differently ({name}: {values})"
            raise click.ClickException(f"{difference}: their sum would mean nothing. Train both with the same options.")
