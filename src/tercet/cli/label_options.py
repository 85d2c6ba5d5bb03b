"""The options of `train` that say which spellings are one label, and the list of labels that look alike."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.messages import say
from tercet.errors import InvalidOption

if TYPE_CHECKING:
    from tercet.data.label_rules import LabelRules
    from tercet.data.similar_labels import SimilarLabel

MOST_LISTED = 200  # labels that look alike

OPTIONS: list[tuple[str, dict[str, Any]]] = [
    (
        "--map-labels",
        {
            "type": click.Path(),
            "metavar": "FILE",
            "help": "Replace labels as this CSV file says: its columns `from` and `to` hold a label and its replacement.",
        },
    ),
    (
        "--fold-labels",
        {
            "is_flag": True,
            "help": "Join labels that differ only by case, blanks, hyphens, underscores or Unicode form, under their most "
            "frequent spelling.",
        },
    ),
]


def label_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds these options. The function passes them on to `make_rules`."""
    for name, settings in reversed(OPTIONS):
        function = click.option(name, cls=Option, section="Reading the data", **settings)(function)
    return function


def make_rules(path: str | None, *, fold: bool) -> "LabelRules":
    """The rules for labels that --map-labels and --fold-labels ask for."""
    from tercet.data.label_rules import LabelRules, read_label_map

    mapping = {} if path is None else read_label_map(path)
    try:
        return LabelRules(mapping=tuple(mapping.items()), fold=fold)
    except InvalidOption as error:
        raise click.ClickException(f"{path}: {error}") from None


def report_similar(similar: "Sequence[SimilarLabel]", path: str | None) -> None:
    """List labels that look like spellings of other labels, as lines of a file for --map-labels; it has this path already."""
    from tercet.data.similar_labels import FORM, can_find_typing_errors, write_label_map

    if not similar:
        return
    place, save = (path, "add these lines to") if path else ("labels.csv", "save these lines as")
    say(f"some labels look like other spellings of more frequent ones. Where they are, {save} {place}")
    say(f"and train again with --map-labels {place}:\n")
    say(write_label_map(similar[:MOST_LISTED]) + "\n")
    if len(similar) > MOST_LISTED:
        say(f"… and {len(similar) - MOST_LISTED} more, which --json lists. Is --label the right column?\n")
    if any(found.difference == FORM for found in similar):
        say("--fold-labels joins all whose difference is the form: case, blanks, hyphens, underscores, Unicode form.\n")
    if not can_find_typing_errors():
        say("typing errors were not looked for: pip install 'tercet[tables]'\n")
