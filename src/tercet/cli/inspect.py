"""tercet inspect"""

from pathlib import Path
from typing import Any

import click

from tercet.cli.command import define_command, json_option
from tercet.cli.printing import print_json


@define_command(
    "inspect",
    "tercet inspect reviews.tercet",
    "tercet inspect reviews.tercet --terms 10",
    "tercet inspect reviews.tercet --config > recipe.toml",
    "tercet inspect reviews.tercet --json",
)
@click.argument("model", type=click.Path())
@click.option("--terms", type=click.IntRange(min=0), default=5, show_default=True, help="So many terms for each label.")
@click.option("--config", is_flag=True, help="Print the recipe as TOML, with which `train --config` makes the same model.")
@json_option
def command(model: str, terms: int, config: bool, as_json: bool) -> None:
    """Show what is in a model file.

    The recipe, the labels with the number of documents that each has, terms, smoothing, the fingerprint that equal models
    share, and the terms that speak for each label most.
    """
    from tercet import load
    from tercet.cli.facts import list_facts, write_facts

    found = load(model)
    if config:
        click.echo(_write_config(found))
        return
    facts = {"file": model, "bytes": Path(model).stat().st_size} | list_facts(found, terms)
    if as_json:
        print_json(facts)
    else:
        click.echo(write_facts(facts))


def _write_config(model: Any) -> str:
    from tercet.cli.recipe import list_recipe
    from tercet.cli.recipe_file import write_toml

    if not hasattr(model, "table_"):
        raise click.ClickException("a compact model has weights alone, and no recipe to train it again: ask the full one.")
    return write_toml(list_recipe(model))
