"""The options of every command that reads documents, and the stream that they open."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from tercet.cli.commands import Option
from tercet.cli.messages import is_quiet, report_error, say
from tercet.data.read_options import FORMATS
from tercet.errors import MissingColumn
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.data.label_rules import LabelRules
    from tercet.data.reading import DocumentStream

MOST_LISTED = 10  # bad rows


def _split_names(_: click.Context, __: click.Parameter, value: Any) -> tuple[str, ...]:
    """Names separated by commas.

    >>> _split_names(None, None, "id, title")
    ('id', 'title')
    """
    names = value.split(",") if isinstance(value, str) else value or ()
    return tuple(name.strip() for name in names if name.strip())


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
    """The documents of a file, a folder, standard input or several files. What was guessed about them is printed."""
    from tercet import read

    stream = read(source, labelled=labelled, columns=columns, **reading)
    if reading["on_error"] == "report" and not is_quiet():
        stream.tell = report_error  # the reading thread calls it, and does not know --quiet
    if stream.start().guess:
        say(f"{stream.name}: {stream.guess}")
    return stream


def open_stream_for(model: Any, source: str | Sequence[str], *, labelled: bool = True, **reading: Any) -> "DocumentStream":
    """The same, with the columns that the model was trained on, those that it needs beside them, and its rules for labels."""
    columns = reading["columns"] if isinstance(reading["columns"], str) else [*reading["columns"], *model.categorical_columns_]
    needed = {"columns": columns, "numbers": model.number_columns_, "like": recall_columns(model)}
    try:
        return open_stream(source, labelled=labelled, **reading | needed, label_rules=find_rules(model))
    except MissingColumn as error:
        if error.column not in model.columns_:
            raise
        remedy = f". The model needs {error.column!r} beside the text: add it to the file."
        raise MissingColumn(error.fault, error.column, remedy) from error


def recall_columns(model: Any) -> Any:
    """The columns that the model was trained on; None if that is not known.

    A model that `fit` made has no record, but it knows its text columns if there are several.
    """
    from tercet.categorizer.record import ColumnNames

    if model.record_ is not None and model.record_.columns is not None:
        return model.record_.columns
    return ColumnNames(model.text_columns_) if model.text_columns_ else None


def open_stream_to_learn(source: str | Sequence[str], model: Any, reading: Mapping[str, Any]) -> "DocumentStream":
    """The same, with the columns that the model needs to learn or forget documents."""
    columns = [*reading["columns"], *([model.domain_] if model.domain_ else [])]
    return open_stream_for(model, source, **dict(reading) | {"columns": columns})


def find_rules(model: Any) -> "LabelRules":
    """The rules by which the labels of its training data were read. Without such rules, labels are taken as they are."""
    from tercet.data.label_rules import LabelRules

    rules: LabelRules | None = None if model.record_ is None else model.record_.label_rules
    return LabelRules(strip=False) if rules is None else rules


def report_bad_rows(stream: "DocumentStream") -> None:
    """Say how many rows were skipped, and list the first of them unless they were reported already."""
    if stream.n_empty:
        has, is_ = ("has", "is") if stream.n_empty == 1 else ("have", "are")
        rows = pluralize(stream.n_rows, "row")
        say(f"{stream.n_empty} of {rows} of {stream.name} {has} no text or no label, and {is_} left out")
    if not stream.n_bad:
        return
    say(
        f"{stream.n_bad} of {pluralize(stream.n_rows, 'row')} of {stream.name} {'was' if stream.n_bad == 1 else 'were'} skipped"
    )
    if stream.tell is None:
        for error in stream.bad_rows[:MOST_LISTED]:
            say(f"  {error}")
        if stream.n_bad > MOST_LISTED:
            say(f"  … {stream.n_bad - MOST_LISTED} more")
