"""The next batch is read while the one before is counted."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import TypeVar

T = TypeVar("T")
AHEAD = 2  # batches that wait
DONE = object()


def read_ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items in the same order, gone through by a thread of its own; its error comes where it would have come.

    >>> list(read_ahead("abc"))
    ['a', 'b', 'c']
    """
    waiting: Queue[object] = Queue(AHEAD)
    stopped = Event()
    failed: list[BaseException] = []

    def put(item: object) -> None:
        while not stopped.is_set():
            with suppress(Full):
                waiting.put(item, timeout=0.1)
                return

    def run() -> None:
        try:
            for item in items:
                put(item)
                if stopped.is_set():
                    return
        except BaseException as error:
            failed.append(error)
        put(DONE)

    thread = Thread(target=run, name="tercet reader", daemon=True)
    thread.start()
    try:
        while (item := _take(waiting)) is not DONE:
            yield item  # type: ignore[misc]
    finally:
        stopped.set()
        thread.join(timeout=1.0)  # it may wait for input that never comes
    if failed:
        raise failed[0]


def _take(waiting: "Queue[object]") -> object:
    while True:  # in steps, so that Ctrl-C is heard on every system
        with suppress(Empty):
            return waiting.get(timeout=0.5)
