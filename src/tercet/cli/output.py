"""Where results go: text, Markdown, LaTeX or JSON on standard output, a page of HTML or another file."""

import glob
import json
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import click

from tercet.characters import show_text
from tercet.cli.talk import say

RECIPE_FILES = "tercet.recipe_files"  # the files of --config, in the meta data of the context
PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title></head>
<body style="font-family:system-ui,sans-serif;margin:1em auto;max-width:66em">
{body}
</body>
</html>
"""
ENDINGS = {  # of the names of files, by form
    "markdown": ("md", "markdown"),
    "html": ("html", "htm", "xhtml"),
    "json": ("json",),
    "json lines": ("jsonl", "ndjson"),
    "model": ("tercet",),
    "document": ("pdf", "docx", "odt", "tex", "rtf"),
    "picture": ("png", "svg", "jpg", "jpeg", "gif"),
    "table": ("csv", "tsv", "parquet", "pq", "xlsx", "ods"),
}
HEADING = '<h1 style="font-size:1.4em;margin:0 16px">{title}</h1>'


class OutputFile(click.Path):
    """A file to write. What is known to fail is an error before the work, not after it."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.is_dir():
            self.fail(f"{value} is a folder: name a file in it.", param, ctx)
        if path.exists() and not path.is_file():
            self.fail(f"{value} is not a regular file: name another one.", param, ctx)
        if not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: create it first.", param, ctx)
        if not os.access(path.parent, os.W_OK):
            self.fail(f"the folder {path.parent} is not writable: permission denied.", param, ctx)
        return value


class FormOutput(OutputFile):
    """A file to write in the form that its ending says. The first form is that of all endings that say nothing.

    An ending of another known form is refused: nobody expects JSON in a file that ends in .html.
    """

    def __init__(self, what: str, *forms: str) -> None:
        super().__init__()
        self.what, self.forms = what, forms

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if self.find_form(value) is None:
            endings = [f".{ENDINGS[form][0]}" for form in self.forms]
            given, known = Path(value).suffix, " or ".join(filter(None, [", ".join(endings[:-1]), endings[-1]]))
            self.fail(f"{self.what} can't be written as {given}: let the name of the file end in {known}.", param, ctx)
        return super().convert(value, param, ctx)

    def find_form(self, path: str) -> str | None:
        """The form of this file; None if its ending is that of a form that is not written here.

        >>> card = FormOutput("a card", "markdown", "html", "json")
        >>> [card.find_form(path) for path in ("CARD.html", "CARD.MD", "CARD", "card.final", "card.pdf")]
        ['html', 'markdown', 'markdown', 'markdown', None]
        """
        ending = Path(path).suffix.lower().removeprefix(".")
        found = next((form for form, endings in ENDINGS.items() if ending in endings), self.forms[0])
        return found if found in self.forms else None


class OutputFolder(click.Path):
    """A folder to write files into. If it does not exist, it is created when the files are written."""

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "FOLDER"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = Path(value)
        if path.exists() and not path.is_dir():
            self.fail(f"{value} is a file: name a folder.", param, ctx)
        if not path.exists() and not path.parent.is_dir():
            self.fail(f"there is no folder {path.parent}: create it first.", param, ctx)
        location = path if path.exists() else path.parent
        if not os.access(location, os.W_OK):
            self.fail(f"the folder {location} is not writable: permission denied.", param, ctx)
        return value


class ModelOutput(OutputFile):
    """A model file to write. A name that ends like that of data is refused."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        from tercet.cli.inputs import has_known_suffix

        if has_known_suffix(value):
            self.fail(f"{value} is named like a file of data: a model file ends in .tercet.", param, ctx)
        if FormOutput("a model", "model").find_form(value) is None:
            self.fail(f"{value} is named like a file of another form: a model file ends in .tercet.", param, ctx)
        return super().convert(value, param, ctx)


class NewModelOutput(ModelOutput):
    """A file for a new model. The model of a ledger is not replaced: it would not be a model of that ledger any more."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        ledger = Path(path).parent / f"{Path(path).stem}.ledger"
        if Path(path).exists() and ledger.exists():
            self.fail(
                f"{path} is the model of {ledger.name}, which has what people have taught it, and is never overwritten. Name "
                "another file, or change the model with `tercet learn` and --ledger.",
                param,
                ctx,
            )
        return path


def check_outputs(context: click.Context) -> None:
    """Raise UsageError if a file to write is also a file to read, or is written twice.

    Only a model may be replaced by a model that is made from it.
    """
    types = {str(option.name): option.type for option in context.command.params}
    inputs = [
        (name, path) for name in context.params if type(types.get(name)) is click.Path for path in _list_paths(context, name)
    ]
    inputs += [("config", path) for path in context.meta.get(RECIPE_FILES, ())]
    written: dict[str, str] = {}  # the option by the path
    for output in (name for name in context.params if isinstance(types.get(name), OutputFile)):
        for path in _list_paths(context, output):
            location = os.path.realpath(path)
            if location in written:
                raise click.UsageError(f"{path} is named for --{written[location]} and --{output}: name two files.", context)
            written[location] = output
        for name, path in inputs:
            may_replace = isinstance(types[output], ModelOutput) and name in ("model", "models")
            if not may_replace and any(_is_same(path, location) for location in _list_paths(context, output)):
                raise click.UsageError(f"{path} is read and would be overwritten: name another file for --{output}.", context)


def check_order(context: click.Context) -> None:
    """Raise UsageError if the data are given where the model should be, and the model where the data should be."""
    from tercet.store.model_file import is_model

    arguments = [parameter for parameter in context.command.params if isinstance(parameter, click.Argument)]
    names = [str(argument.name) for argument in arguments if argument.type.name in ("path", "text")]
    if len(names) < 2 or names[0] not in ("model", "models"):
        return
    paths = [path for name in names for path in _list_paths(context, name)]
    if paths and os.path.isfile(paths[0]) and not is_model(paths[0]) and (model := next(filter(is_model, paths), None)):
        raise click.UsageError(f"the model comes first: give {model} before {paths[0]}.", context)


def _list_paths(context: click.Context, name: str) -> list[str]:
    """The paths that a parameter names, also as NAME=FILE. A pattern such as data/*.csv names the files that match it."""
    value = context.params[name]
    paths = [] if value is None else [value] if isinstance(value, str) else list(value)
    return [path for given in paths for path in ([given] if os.path.exists(given) else _list_named(given))]


def _list_named(written: str) -> list[str]:
    """The paths that an argument names if it is no path itself: of a pattern, or after the name of a system."""
    return glob.glob(written) or [written.partition("=")[2] or written]


def _is_same(path: str, other: str) -> bool:
    """Whether both paths name the same file. Links are followed."""
    try:
        return os.path.samefile(path, other)
    except OSError:  # one of them does not exist
        return False


def check_seconds(context: click.Context, parameter: click.Parameter, seconds: float | None) -> float | None:
    if seconds is not None and not seconds >= 0:  # nan is not below 0
        raise click.BadParameter(f"{seconds} is not a number of seconds.", context, parameter)
    return seconds


wait_option = click.option(
    "--wait",
    "wait_seconds",
    type=float,
    callback=check_seconds,
    metavar="SECONDS",
    help="Wait at most this long while another tercet is changing the file. By default, wait until it is done.",
)


def lock_output(path: str, wait_seconds: float | None) -> AbstractContextManager[None]:
    """Let no other tercet change this file meanwhile. If one is changing it now, say so and wait."""
    from tercet.store.file_lock import lock_file

    return lock_file(path, wait_seconds=wait_seconds, tell=say)


def printing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator that adds options. The function gets `form` and `html` and passes them on to `write_result`."""
    options = [
        click.option("--html", type=OutputFile(), help="Also write the result to this file, as one self-contained HTML page."),
        click.option("--markdown", "form", flag_value="markdown", help="Print the result as Markdown."),
        click.option("--latex", "form", flag_value="latex", help="Print the result as LaTeX."),
        click.option("--json", "form", flag_value="json", help="Print the result as JSON."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def write_result(result: Any, form: str | None, html: str | None, title: str) -> None:
    """Print the result, a `Rendering`, in this form; on a terminal, tables have lines and colours."""
    if html:
        write_page(html, title, result.to_html())
    if form == "json":
        print_json(result.to_dict())
    elif form:
        write_data(getattr(result, f"to_{form}")() + "\n")
    else:
        click.echo(result.to_terminal())


def write_page(path: str | Path, title: str, *parts: str) -> None:
    """Write a complete HTML page to a file, and say where it is."""
    from tercet.html_fragments import escape_text
    from tercet.store.atomic_file import write_whole

    write_whole(path, [encode_page(title, HEADING.format(title=escape_text(title)), *parts)])
    say(f"written: {path}")


def encode_page(title: str, *parts: str) -> bytes:
    """A complete HTML page. Its parts are a heading and what follows."""
    from tercet.html_fragments import escape_text

    return PAGE.format(title=escape_text(title), body="\n".join(parts)).encode("utf-8", "replace")


def print_json(value: Any) -> None:
    """Print JSON that every reader takes: a number that is not finite becomes null."""
    write_data(write_json(value))


def write_json(value: Any) -> str:
    """JSON with one line for each value."""
    from tercet.report.forms import simplify

    return json.dumps(simplify(value), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def write_data(text: str) -> None:
    """Write to standard output: exactly into a pipe or a file, made safe on a terminal."""
    sys.stdout.write(show_text(text) if sys.stdout.isatty() else text)
