"""A progress bar with rate and remaining time, on a terminal, for work that takes more than a second."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from tercet.cli.talk import can_show_progress

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
