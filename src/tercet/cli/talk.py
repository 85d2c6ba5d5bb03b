"""Messages on standard error: one line each. Results go to standard output instead."""

import sys
from contextlib import suppress

import click

from tercet.characters import show_text

USER_CAN_FIX = 2  # exit code
QUIET = "tercet.quiet"


def say(text: str = "") -> None:
    """Print a line on standard error, unless --quiet is given. Names of files may hold anything, so it is made safe.

    If the terminal is gone, nobody hears it, and the work goes on.
    """
    if not is_quiet():
        with suppress(OSError):
            click.echo(show_text(text), err=True)


def report_error(text: object) -> int:
    """Print what went wrong, on one line, and return the exit code for it."""
    with suppress(OSError):
        sys.stdout.flush()  # on a terminal, earlier results appear before the error
    with suppress(OSError):
        click.echo("tercet: " + show_text(" ".join(str(text).split("\n"))), err=True)
    return USER_CAN_FIX


def is_quiet() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(QUIET))


def can_show_progress() -> bool:
    """Whether standard error is a terminal, and --quiet is not given."""
    return sys.stderr.isatty() and not is_quiet()


def _keep_quiet(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    context.meta[QUIET] = wanted


def make_quiet_option() -> click.Option:
    """The option --quiet, which every command has."""
    words = "Print only results and errors."
    return click.Option(["-q", "--quiet"], is_flag=True, expose_value=False, callback=_keep_quiet, help=words)
