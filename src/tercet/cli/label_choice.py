"""The option --labels: a sub-problem, with some of the labels only."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.explain import find_label
from tercet.cli.option_values import ParsedValue, read_labels
from tercet.cli.predictions import list_labels
from tercet.data.column_choice import spell_names
from tercet.errors import suggest

if TYPE_CHECKING:
    from tercet.data.reading import DocumentStream

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
