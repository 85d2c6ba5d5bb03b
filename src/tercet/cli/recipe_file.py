"""A recipe as a TOML file: read for `train --config`, written by `inspect --config`."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

NOT_OF_A_RECIPE = ("config", "data", "output", "quiet", "help")


def use_recipe_file(context: click.Context, parameter: click.Parameter, path: str | None) -> None:
    """What a file says becomes the default of the options it names; the command line wins."""
    if path is None:
        return
    import tomllib  # few have such a file

    try:
        recipe = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise click.BadParameter(f"{path} is not TOML: {error}.", context, parameter) from None
    recipe = {name.replace("-", "_"): value for name, value in recipe.items()}
    known = [str(option.name) for option in context.command.params if option.name not in NOT_OF_A_RECIPE]
    if unknown := [name for name in recipe if name not in known]:
        raise click.BadParameter(f"{path} sets {unknown[0]!r}, and there is no such option.", context, parameter)
    several = {option.name for option in context.command.params if option.multiple}
    context.default_map = {
        name: [value] if name in several and isinstance(value, str) else value for name, value in recipe.items()
    }


def write_toml(recipe: Mapping[str, Any]) -> str:
    """
    >>> print(write_toml({"kind": "binary", "word_ngrams": (1, 2), "lexicon": {"so good": ["a"]}}))
    kind = "binary"
    word_ngrams = [1, 2]
    lexicon = {"so good" = ["a"]}
    """
    return "\n".join(f"{name} = {_write_value(value)}" for name, value in recipe.items())


def _write_value(value: Any) -> str:
    if isinstance(value, Mapping):
        known = {str(name): one for name, one in value.items() if one is not None}  # TOML has no word for None
        return "{" + ", ".join(f"{_write_value(name)} = {_write_value(one)}" for name, one in known.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_write_value, value)) + "]"
    # JSON's strings, numbers and truth values are TOML's, but for DEL, which TOML wants escaped.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
