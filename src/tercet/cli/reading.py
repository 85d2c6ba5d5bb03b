"""Options that tell how to read documents, the same for every command that does."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.command import Option
from tercet.cli.talk import complain, count, is_quiet, say
from tercet.data.read_options import FORMATS

if TYPE_CHECKING:
    from tercet.data.reading import DocumentStream

MOST_LISTED = 10


def _split_names(_: click.Context, __: click.Parameter, value: Any) -> tuple[str, ...]:
    """
    >>> _split_names(None, None, "id, title")
    ('id', 'title')
    """
    names = value.split(",") if isinstance(value, str) else value or ()
    return tuple(name.strip() for name in names if name.strip())


OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (["--text"], {"metavar": "COLUMN", "help": "Where the text is: a name, or a number from 1 on."}),
    (["--label"], {"metavar": "COLUMN", "help": "Where the label is."}),
    (["--weight"], {"metavar": "COLUMN", "help": "Where the weight is; without it each document counts once."}),
    (["--columns"], {"metavar": "NAMES", "callback": _split_names, "help": "Further columns to read, with commas between."}),
    (["--format"], {"type": click.Choice(FORMATS), "help": "What the data is; found out if not given."}),
    (["--encoding"], {"default": "utf-8", "show_default": True, "help": "How letters are written in the data."}),
    (
        ["--on-error"],
        {
            "type": click.Choice(["stop", "skip", "report"]),
            "default": "stop",
            "show_default": True,
            "help": "At a bad row: stop, skip it and list all at the end, or report each at once.",
        },
    ),
    (["--prefix"], {"default": "__label__", "show_default": True, "help": "What a label begins with in fastText's format."}),
]


def reading_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function gets them by name, and hands them on to `open_stream`."""
    for declarations, settings in reversed(OPTIONS):
        function = click.option(*declarations, cls=Option, section="Reading", **settings)(function)
    return function


def open_stream(source: str, *, labelled: bool = True, columns: Iterable[str] = (), **reading: Any) -> "DocumentStream":
    """The documents of a file, a folder or standard input; what had to be guessed is said."""
    from tercet import read

    stream = read(source, labelled=labelled, columns=columns, **reading)
    if reading["on_error"] == "report" and not is_quiet():
        stream.tell = complain  # it is called by the thread that reads, which does not know who is quiet
    if stream.start().guess:
        say(f"{stream.name}: {stream.guess}")
    return stream


def tell_bad_rows(stream: "DocumentStream") -> None:
    """How many rows were skipped, and where the first of them are, unless that was told already."""
    if not stream.n_bad:
        return
    say(f"{stream.n_bad} of {count(stream.n_rows, 'row')} of {stream.name} {'was' if stream.n_bad == 1 else 'were'} skipped")
    if stream.tell is None:
        for error in stream.bad_rows[:MOST_LISTED]:
            say(f"  {error}")
        if stream.n_bad > MOST_LISTED:
            say(f"  … {stream.n_bad - MOST_LISTED} more")
