"""Options about labels: which spellings are one label, the list of labels that look alike, and --labels for a sub-problem."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.explain import find_label
from tercet.cli.options.option_values import ParsedValue, read_labels
from tercet.cli.predictions import list_labels
from tercet.cli.talk import say
from tercet.data.column_choice import spell_names
from tercet.errors import InvalidOption, suggest

if TYPE_CHECKING:
    from tercet.data.label_rules import LabelRules
    from tercet.data.reading import DocumentStream
    from tercet.data.similar_labels import SimilarLabel

MAX_LISTED = 200  # labels that look alike

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


separator_option = click.option(
    "--label-separator",
    cls=Option,
    section="Reading the data",
    metavar="TEXT",
    help="A document has any number of labels: those that a cell joins with this separator, such as ';' for \"sport; art\", of "
    "a list in JSON, or of a line of fastText. A blank cell has none. Without this option a document has one label.",
)


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
    location, save = (path, "add these lines to") if path else ("labels.csv", "save these lines as")
    say(f"some labels look like other spellings of more frequent ones. Where they are, {save} {location}")
    say(f"and train again with --map-labels {location}:\n")
    say(write_label_map(similar[:MAX_LISTED]) + "\n")
    if len(similar) > MAX_LISTED:
        say(f"… and {len(similar) - MAX_LISTED} more, which --json lists. Is --label the right column?\n")
    if any(found.difference == FORM for found in similar):
        say("--fold-labels joins all whose difference is the form: case, blanks, hyphens, underscores, Unicode form.\n")
    if not can_find_typing_errors():
        say("typing errors were not looked for: pip install 'tercet[tables]'\n")


REPEATED = " Separate labels by commas, or give the option again; a label that contains a comma is written in double quotes."


def labels_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that adds --labels; the text says what the command does with these labels."""
    kind = ParsedValue("LABEL,…", read_labels)
    return click.option("--labels", type=kind, multiple=True, callback=_join_labels, help=what + REPEATED)


def _join_labels(_: click.Context, __: click.Parameter, given: Sequence[Sequence[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for labels in given for label in labels))


def restrict(model: Any, labels: Sequence[str], name: str = "the model") -> Any:
    """The model, deciding only between these labels if there are any. Raises UsageError if it does not know one of them."""
    if not labels:
        return model
    known = list_labels(model)
    if unknown := [label for label in labels if label not in known]:
        raise click.UsageError(
            f"{name} has no label {unknown[0]!r}: it has {spell_names(known)}.{suggest(unknown[0], known)} Give some of "
            "these to --labels."
        )
    if not hasattr(model, "restrict"):
        raise click.UsageError(f"{name} is compact and decides between all its labels: give --labels with the full model.")
    _check_two(labels)
    return model.restrict([find_label(model, label) for label in labels])


def _check_two(labels: Sequence[str]) -> None:
    if len(labels) == 1:
        raise click.UsageError(
            f"--labels names only {labels[0]!r}: with one label there is nothing to decide, and every answer is "
            "right. Name at least two."
        )


def keep_labels(stream: "DocumentStream", labels: tuple[str, ...], *, needs_all: bool = False) -> "DocumentStream":
    """The stream, which gives only the documents with these labels from now on, if there are any."""
    from tercet.data.document_choice import OfLabels

    if labels:
        _check_two(labels)
        stream.filters = (*stream.filters, OfLabels(labels, stream.name, needs_all))
    return stream
