"""Results with tables: as text, Markdown, LaTeX or JSON on standard output, and as a page of HTML in a file."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from tercet.cli.outputs import OutputFile
from tercet.cli.talk import say

PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title></head>
<body style="font-family:system-ui,sans-serif;margin:1em auto;max-width:64em">
<h1 style="font-size:1.4em;margin:0 16px">{title}</h1>
{body}
</body>
</html>
"""


def printing_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: the function gets `form` and `html`, and hands them on to `write_result`."""
    options = [
        click.option("--html", type=OutputFile(), help="Write a page that needs nothing else."),
        click.option("--markdown", "form", flag_value="markdown", help="Print Markdown."),
        click.option("--latex", "form", flag_value="latex", help="Print LaTeX."),
        click.option("--json", "form", flag_value="json", help="Print the result as JSON, for machines."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def write_result(result: Any, form: str | None, html: str | None, title: str) -> None:
    """The result, a `Rendering`, in its form; tables with lines and colours on a terminal."""
    if html:
        write_page(html, title, result.to_html())
    if form == "json":
        print_json(result.to_dict())
    elif form:
        click.echo(getattr(result, f"to_{form}")())
    else:
        click.echo(result.to_terminal())


def write_page(path: str | Path, title: str, *parts: str) -> None:
    """A whole page of HTML in a file, and where it is is said."""
    from html import escape

    from tercet.store.atomic_file import write_whole

    write_whole(path, [PAGE.format(title=escape(title), body="\n".join(parts)).encode("utf-8", "replace")])
    say(f"written: {path}")


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))
