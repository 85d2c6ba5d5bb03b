"""The options of every command that reads documents, and the stream that they open."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.talk import is_quiet, report_error, say, say_if_waiting
from tercet.data.column_choice import NAME_ANOTHER
from tercet.data.read_options import FORMATS
from tercet.errors import MissingColumn
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.reading import DocumentStream

MAX_LISTED = 10  # bad rows
# Options that name columns to keep.
COLUMN_OPTIONS = ("by", "old", "id_column", "subject_column", "categorical", "numeric", "columns", "teacher")


def _split_names(_: click.Context, __: click.Parameter, value: Any) -> tuple[str, ...]:
    """Names separated by commas, each once.

    >>> _split_names(None, None, "id, title,id")
    ('id', 'title')
    """
    names = value.split(",") if isinstance(value, str) else value or ()
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


OPTIONS: list[tuple[list[str], dict[str, Any]]] = [
    (
        ["--text"],
        {
            "metavar": "COLUMN",
            "multiple": True,
            "help": "Column of the text: its name, or its number from 1 if there is no header. Give it again for each further "
            "text column, such as --text subject --text body.",
        },
    ),
    (["--label"], {"metavar": "COLUMN", "help": "Column of the label."}),
    (["--weight"], {"metavar": "COLUMN", "help": "Column of the weight. Without it, every document has weight 1."}),
    (["--columns"], {"metavar": "NAMES", "callback": _split_names, "help": "More columns to read, separated by commas."}),
    (
        ["--format"],
        {"type": click.Choice(FORMATS), "help": "Format of the data. By default the file name or the content decides."},
    ),
    (["--sheet"], {"metavar": "NAME", "help": "Sheet of a workbook. Needed only if several sheets have cells."}),
    (["--encoding"], {"default": "utf-8", "show_default": True, "help": "Character encoding of the data."}),
    (
        ["--on-error"],
        {
            "type": click.Choice(["stop", "skip", "report"]),
            "default": "stop",
            "show_default": True,
            "help": "What to do with a bad row: stop with an error; skip it and list such rows at the end; or skip and report "
            "it at once.",
        },
    ),
    (["--prefix"], {"default": "__label__", "show_default": True, "help": "Prefix of the labels in the fastText format."}),
]


def reading_options(function: Callable[..., Any], *, without: Iterable[str] = ()) -> Callable[..., Any]:
    """A decorator that adds these options. The function passes them on to `open_stream`."""
    for declarations, settings in reversed(OPTIONS):
        if declarations[0] not in without:
            function = click.option(*declarations, cls=Option, section="Reading the data", **settings)(function)
    return function


def open_stream(
    source: str | Sequence[str], *, labelled: bool = True, columns: Iterable[str] = (), **reading: Any
) -> "DocumentStream":
    """The documents of a file, a folder, standard input or several files. What was guessed about them is printed.

    `like` is a model that was trained on such documents, or the columns of other data. `training=True` is for documents that
    it will learn or forget.
    """
    from tercet import read

    stream = start_stream(read(source, labelled=labelled, columns=columns, **reading), reading["on_error"])
    warn_of_one_text(getattr(reading.get("like"), "text_columns_", ()), stream)
    return stream


def start_stream(stream: "DocumentStream", on_error: str) -> "DocumentStream":
    """Look at the first rows, and print what was guessed about them."""
    if on_error == "report" and not is_quiet():
        stream.tell = report_error  # the reading thread calls it, and does not know --quiet
    try:
        with nullcontext() if stream.is_repeatable else say_if_waiting(stream.name):
            stream.start()
    except MissingColumn as error:
        raise name_option(error) from None
    if stream.guess:
        say(f"{stream.name}: {stream.guess}")
    return stream


def name_option(error: MissingColumn) -> MissingColumn:
    """The same error with the option that has named the column, if the reader does not know it."""
    given = click.get_current_context().params
    for name in COLUMN_OPTIONS if error.remedy == NAME_ANOTHER else ():
        value = given.get(name) or ()
        if error.column in ([value] if isinstance(value, str) else value):
            option = name.replace("_", "-")
            return MissingColumn(error.fault, error.column, f"Name one of these with --{option}.")
    return error


def warn_of_one_text(known: tuple[str, ...], stream: "DocumentStream") -> None:
    """Say which of these text columns of a model are empty, if only one text column is read."""
    from tercet.data.column_choice import join_names

    if not known or stream.fields is None or len(stream.fields.texts) > 1:
        return
    (name,) = stream.fields.texts
    read = f"only {name!r} is read" if name in known else f"{name!r} is read as {known[-1]!r}"
    say(f"the model was trained on the text columns {join_names(known)}; {read}, and the others are empty")


def report_bad_rows(stream: "DocumentStream") -> None:
    """Say how many rows were skipped, and list the first of them unless they were reported already."""
    if stream.n_empty:
        say(f"{stream.name}: {stream.describe_empty()}; {'it is' if stream.n_empty == 1 else 'they are'} left out")
    if not stream.n_bad:
        return
    say(
        f"{stream.n_bad} of {pluralize(stream.n_rows, 'row')} of {stream.name} {'was' if stream.n_bad == 1 else 'were'} skipped"
    )
    if stream.tell is None:
        for error in stream.bad_rows[:MAX_LISTED]:
            say(f"  {error}")
        if stream.n_bad > MAX_LISTED:
            say(f"  … {stream.n_bad - MAX_LISTED} more")
