"""What the program says beside its results: on standard error, one line for each thing."""

import sys
from contextlib import suppress

import click

USER_CAN_FIX = 2
QUIET = "tercet.quiet"


def say(text: str = "") -> None:
    """A line on standard error, unless --quiet."""
    if not is_quiet():
        click.echo(text, err=True)


def count(n: int, noun: str) -> str:
    """
    >>> count(1, "document"), count(20, "label")
    ('1 document', '20 labels')
    """
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def complain(text: object) -> int:
    """What went wrong, in one line, and the exit code for it."""
    with suppress(OSError):
        sys.stdout.flush()  # what was found before comes first where both go to one terminal
    click.echo("tercet: " + " ".join(str(text).split("\n")), err=True)
    return USER_CAN_FIX


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def is_watched() -> bool:
    """Whether somebody sees standard error, and wants to."""
    return sys.stderr.isatty() and not is_quiet()


def _keep_quiet(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    context.meta[QUIET] = wanted


def make_quiet_option() -> click.Option:
    """The same for every command."""
    words = "Say nothing but results and errors."
    return click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_keep_quiet, help=words)
