"""Whatever `fit` and the like are given → batches of documents. The next batch is read while the last one is counted."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import chain, islice
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

from tercet.data.documents import Documents
from tercet.errors import InvalidLabel, InvalidOption

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


class PlainTexts(Documents):
    """Texts and labels that somebody gave without columns, and may have forgotten them."""


def open_batches(texts: Any, labels: Any = None, sample_weight: Any = None) -> Iterator[Documents]:
    """One batch for texts with labels, and for Documents; as many as there are for a stream of Documents.

    >>> [batch.labels for batch in open_batches([Documents(["a"], ["x"]), Documents(["b"], ["y"])])]
    [['x'], ['y']]
    """
    is_stream, texts = _look_at(texts)
    if labels is not None and (is_stream or isinstance(texts, Documents)):
        raise InvalidLabel("the Documents have labels of their own, and others are given beside them: which? Give one.")
    if is_stream:
        if sample_weight is not None:
            raise InvalidOption("a stream of Documents has weights of its own: put sample_weight into their weights.")
        return read_ahead(texts)
    if not isinstance(texts, Documents):
        return iter([PlainTexts(texts, labels, sample_weight)])
    weights = texts.weights if sample_weight is None else sample_weight
    return iter([Documents(texts.texts, texts.labels, weights, texts.columns)])


def look_ahead(batches: Iterator[Documents]) -> tuple[Documents, Iterator[Documents]]:
    """The first batch, and all of them."""
    first = next(batches, None)
    if first is None:
        raise InvalidLabel("there are no documents, so there is nothing to learn: give at least one.")
    return first, chain([first], batches)


def _look_at(texts: Any) -> tuple[bool, Any]:
    """Whether these are Documents in batches, and the same again: what can be read once only must be looked into."""
    if isinstance(texts, list | tuple):
        return bool(texts) and isinstance(texts[0], Documents), texts
    is_array = any(hasattr(texts, name) for name in ("ndim", "dtype", "__arrow_c_stream__", "__arrow_c_array__"))
    if is_array or isinstance(texts, Documents | str | bytes) or not isinstance(texts, Iterable):
        return False, texts
    iterator = iter(texts)
    first = list(islice(iterator, 1))
    return bool(first) and isinstance(first[0], Documents), chain(first, iterator)
