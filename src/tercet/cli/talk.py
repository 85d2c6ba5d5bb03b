"""Messages and progress on standard error: one line each, or a bar with the remaining time. Results go to standard output."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, Timer
from typing import Any

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


PATIENCE_SECONDS = 2.0  # before a line says that a source gives nothing


@contextmanager
def say_if_waiting(name: str) -> Iterator[None]:
    """Say after a while that the program waits for a pipe or a terminal of this name. The block reads its first rows.

    A named pipe may have no writer, and whoever types may not know that the program waits for them.
    """
    if is_quiet():  # another thread does not know
        yield
        return
    timer = Timer(PATIENCE_SECONDS, say, [f"waiting for the first rows of {name}: Ctrl-C ends this"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


DELAY_SECONDS = 1.0  # before the bar appears
UPDATE_SECONDS = 0.1


@contextmanager
def show_progress(stream: Any, doing: str) -> Iterator[None]:
    """Show a bar while the block runs. A thread of its own watches how far the stream has been read."""
    if not can_show_progress():
        yield
        return
    done = Event()
    watcher = Thread(target=_watch, args=(stream, doing, done), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(stream: Any, doing: str, done: Event) -> None:
    if done.wait(DELAY_SECONDS):
        return
    from rich import progress

    with _make_bar(progress.DownloadColumn(), progress.TransferSpeedColumn()) as bar:
        task = bar.add_task(doing, total=stream.n_bytes)
        while not done.wait(UPDATE_SECONDS):
            with suppress(ValueError):  # the file was closed just now
                bar.update(task, completed=stream.bytes_read)


@contextmanager
def show_steps() -> Iterator[Callable[[int, int, str], None]]:
    """A function that shows how many steps of how many are done, and what is known so far."""
    if not can_show_progress():
        yield lambda done, total, known: None
        return
    from rich import progress

    with _make_bar(progress.MofNCompleteColumn()) as bar:
        task = bar.add_task("reading")
        yield lambda done, total, known: bar.update(task, completed=done, total=total, description=known)


def _make_bar(*amounts: Any) -> Any:
    from rich import progress
    from rich.console import Console

    columns = [progress.TextColumn("{task.description}"), progress.BarColumn(), *amounts]
    columns += [progress.TimeRemainingColumn(), progress.TimeElapsedColumn()]
    return progress.Progress(*columns, console=Console(stderr=True), transient=True)
