"""Whatever `fit` and the like are given → batches of documents. The next batch is read while the last one is counted.

`Places` and `Beginnings` follow the batches, and note what is needed later to show single documents.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby, islice
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

import numpy as np

from tercet.arrow_columns import check_column, list_cells
from tercet.counts.document_rows import Spool
from tercet.data.documents import NUMBERED, Documents, name_row
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, InvalidText
from tercet.kernel.batches import batches as read_texts
from tercet.kernel.text.columns import SEPARATOR

T = TypeVar("T")
AHEAD = 2  # batches that wait
DONE = object()
MAX_LENGTH = 80  # characters of a text that are kept to show it
MAX_BYTES_IN_MEMORY = 1 << 23  # bytes of such beginnings
END = "\0"
READ_TOGETHER = 10_000  # beginnings that are in memory at a time


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
        return iter(texts) if isinstance(texts, list | tuple) else read_ahead(texts)  # a list is in memory already
    if not isinstance(texts, Documents):
        return iter([PlainTexts(texts, labels, sample_weight)])
    weights = texts.weights if sample_weight is None else sample_weight
    return iter([Documents(texts.texts, texts.labels, weights, texts.columns, text_columns=texts.text_columns)])


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


def collect_documents(texts: Any) -> Any:
    """The documents of a stream as one Documents, in memory; anything else as it is.

    >>> collect_documents([Documents(["a"], ["x"]), Documents(["b"], ["y"])]).labels
    ['x', 'y']
    """
    is_stream, texts = _look_at(texts)
    return join_batches(list(texts)) if is_stream else texts


def join_batches(batches: Sequence[Documents]) -> Documents:
    """The documents of all batches, of which there is at least one."""
    first = batches[0]
    if other := next((batch.text_columns for batch in batches if batch.text_columns != first.text_columns), None):
        raise InvalidOption(
            f"some documents have the text columns {first.text_columns}, and others {other}: give all of them the same."
        )
    texts = chain.from_iterable(batch.texts if isinstance(batch.texts, list) else list_texts(batch.texts) for batch in batches)
    parts = ([getattr(batch, field) for batch in batches] for field in ("labels", "weights"))
    labels, weights = (None if any(part is None for part in lists) else _join(lists) for lists in parts)
    names = [name for name in first.columns if all(name in batch.columns for batch in batches)]
    columns = {name: _join(batch.columns[name] for batch in batches) for name in names}
    return Documents(list(texts), labels, weights, columns, text_columns=first.text_columns)


def _join(columns: Iterable[Any]) -> list[Any]:
    return list(chain.from_iterable(list_cells(column, "the cells", InvalidMatrix) for column in columns))


def list_texts(texts: Any) -> list[str]:
    """The texts in a list, to be read more than once. A value that is not a text is an error; bytes are UTF-8."""
    if isinstance(texts, str | bytes) or not isinstance(texts, Iterable) or getattr(texts, "ndim", 1) != 1:
        list(read_texts(texts))  # raises an error that says what is wrong
    held = list_cells(check_column(texts, "the texts", InvalidText), "the texts", InvalidText)
    list(read_texts(held))
    return [text.decode() if isinstance(text, bytes) else text for text in held]


class Places:
    """Where each document was read, in four bytes a document, or eight if some rows have several lines.

    >>> from tercet.data.documents import DocumentBatch
    >>> places = Places()
    >>> _ = list(places.follow([DocumentBatch(["a", "b"], source="mails.csv, line ", lines=[2, 5]), Documents(["c"])]))
    >>> places.find(1), places.find(2)
    ('mails.csv, line 5', '')
    """

    def __init__(self) -> None:
        self._starts = [0]
        self._batches: list[tuple[str, Any, Any]] = []  # source, lines, rows

    def follow(self, batches: Iterable[Documents]) -> Iterator[Documents]:
        """The same batches; the places of their documents are recorded on the way."""
        for batch in batches:
            self._add(batch)
            yield batch

    def _add(self, batch: Documents) -> None:
        lines, rows = getattr(batch, "lines", ()), getattr(batch, "rows", ())
        self._starts.append(self._starts[-1] + len(batch.texts))
        self._batches.append((getattr(batch, "source", ""), _pack(lines), _pack(rows)))

    def __len__(self) -> int:
        """The number of documents so far."""
        return self._starts[-1]

    def find(self, position: int) -> str:
        """The place of the document at this position, from 0; an empty string if it was not read from a file."""
        k = self._find_batch(position)
        source, lines, _ = self._batches[k]
        return f"{source}{lines[position - self._starts[k]]}" if len(lines) else ""

    def find_row(self, position: int) -> int | None:
        """The number of its row as a spreadsheet counts rows (see `DocumentBatch`); None if it was not read from a table."""
        k = self._find_batch(position)
        _, lines, rows = self._batches[k]
        numbers = rows if len(rows) else lines
        number = numbers[position - self._starts[k]] if len(numbers) else ""
        if not isinstance(number, str):
            return int(number)
        named = NUMBERED.search(number)  # the name of a file, and maybe a line in it
        return int(named[1]) if named else None

    def name(self, position: int) -> str:
        """The document in a message: its row, as a spreadsheet counts rows, or its position."""
        place = self.find(position)
        return name_row(place, self.find_row(position)) if place else f"document {position} (counted from 0)"

    @property
    def has_several_files(self) -> bool:
        """Whether the documents were read from more than one file."""
        sources = {source for source, lines, _ in self._batches if len(lines)}
        return len(sources) > 1 or any(isinstance(lines[0], str) for _, lines, _ in self._batches if len(lines))

    def _find_batch(self, position: int) -> int:
        return bisect_right(self._starts, position) - 1


def _pack(lines: Sequence[int | str]) -> Any:
    """Line numbers as an array of integers; names of files as they are."""
    is_small = isinstance(lines, list) and bool(lines) and isinstance(lines[-1], int) and lines[-1] < 2**32
    return np.array(lines, np.uint32) if is_small else lines


class Beginnings(Places):
    """Where each document was read, the first characters of its text, and its columns, to show suspects.

    >>> beginnings = Beginnings()
    >>> _ = list(beginnings.follow([Documents(["to be", "or not"]), Documents(["to be"], columns={"id": [7]})]))
    >>> list(beginnings.read([2, 1]))
    [('to be', {'id': 7}), ('or not', {})]
    """

    def __init__(self) -> None:
        super().__init__()
        self._spool = Spool(MAX_BYTES_IN_MEMORY, "the beginnings of the texts")
        self._columns = Spool(MAX_BYTES_IN_MEMORY, "the columns of the documents")

    def follow(self, batches: Iterable[Documents], watch: Callable[[int], None] | None = None) -> Iterator[Documents]:
        """The same batches, with their texts in lists, because some containers can be read only once.

        After each batch `watch` is called with the number of documents so far.
        """
        for batch in batches:
            listed = batch if isinstance(batch.texts, list) else replace(batch, texts=list_texts(batch.texts))
            self._add(listed)
            yield listed
            if watch is not None:
                watch(self._starts[-1])

    def _add(self, batch: Documents) -> None:
        super()._add(batch)
        parts = [_cut_text(text) for text in batch.texts]
        if len(batch.text_columns) > 1:
            parts = [part.replace(SEPARATOR, " · ") for part in parts]
        joined = END.join(parts)
        if joined.count(END) != len(parts) - 1:
            joined = END.join(part.replace(END, " ") for part in parts)
        self._spool.append(joined.encode("utf-8", "surrogatepass"))
        columns = {name: list(map(_to_plain, column)) for name, column in batch.columns.items()}
        self._columns.append(json.dumps(columns).encode() if columns else b"")

    def read(self, positions: Sequence[int]) -> Iterator[tuple[str, dict[str, Any]]]:
        """The beginning and the columns of the documents at these positions, in any order.

        Each block of positions is read batch by batch, so memory stays bounded and no batch is decoded for each document.
        """
        for begin in range(0, len(positions), READ_TOGETHER):
            block = positions[begin : begin + READ_TOGETHER]
            found = dict(self._read_block(sorted(block)))
            yield from (found[position] for position in block)

    def _read_block(self, ascending: Sequence[int]) -> Iterator[tuple[int, tuple[str, dict[str, Any]]]]:
        for k, positions in groupby(ascending, self._find_batch):
            texts = self._spool[k].decode("utf-8", "surrogatepass").split(END)
            columns = json.loads(self._columns[k] or b"{}")
            for position in positions:
                index = position - self._starts[k]
                yield position, (texts[index], {name: column[index] for name, column in columns.items()})


def _to_plain(value: Any) -> Any:
    """The value as JSON has it; anything else as text."""
    value = value.item() if hasattr(value, "item") else value  # a NumPy number
    return value if value is None or isinstance(value, str | int | float) else str(value)


def _cut_text(text: Any) -> str:
    if isinstance(text, str):
        return text[:MAX_LENGTH]
    # A value that is not text raises an error elsewhere.
    return text[: 4 * MAX_LENGTH].decode(errors="ignore")[:MAX_LENGTH] if isinstance(text, bytes) else ""
