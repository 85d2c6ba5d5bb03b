"""Streams: lines of JSON or CSV are classified as they arrive, and answered line by line. There may be any number of them.

Many clients read nothing before they have sent everything. So answers wait in memory for such a client, up to a limit, while
the request is still read.
"""

import asyncio
import csv
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import partial
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tercet.errors import TercetError
from tercet.report.prediction_lines import JsonLines, PredictionLines, Ranked, SpreadsheetLines
from tercet.server.calls import Call, encoder, parse_content_type
from tercet.server.limits import Limits, too_large
from tercet.server.messages import Document, Failure, Fault
from tercet.server.problems import Problem, explain_error
from tercet.server.served_model import ServedModel

MAX_WAITING = 1024  # blocks of answers that wait for a client
AT_A_TIME = 2000  # lines

Line = Document | Problem  # a document, or why there is none


async def classify_lines(call: Call) -> Response:
    """The answers to a stream."""
    kind = parse_content_type(call.request)
    if kind not in FORMS:
        raise Problem(415, "unknown_type", f"send application/json, {' or '.join(FORMS)}; got {kind or 'no Content-Type'}.")
    labels, _ = call.served.answer(lambda model: model.classes_.tolist())  # an error if there is no model yet
    stream = FORMS[kind](call.served, read_top(call.request, len(labels)))
    return Lines(send_answers(call, stream), f"{kind}; charset=utf-8")


class Lines(Response):
    """An answer that is sent piece by piece while its request is still read. Starlette's own would read the request itself."""

    def __init__(self, blocks: AsyncIterator[bytes], kind: str) -> None:
        self.blocks = blocks
        super().__init__(media_type=kind)
        del self.headers["content-length"]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        async for block in self.blocks:
            await send({"type": "http.response.body", "body": block, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


def read_top(request: Request, n_labels: int) -> int:
    """How many labels are listed, from the query. 0 is all of them."""
    written = request.query_params.get("top", "1")
    if not (written.isdecimal() and len(written) < 10):
        raise Problem(422, "invalid", f"top must be a whole number >= 0, got {written[:20]!r}.")
    return min(int(written) or n_labels, n_labels)


class LineStream(ABC):
    """Turns the bytes of a request into the bytes of its answer, piece by piece."""

    def __init__(self, served: ServedModel, top: int) -> None:
        self.served, self.top = served, top

    @abstractmethod
    def answer(self, lines: Sequence[bytes]) -> bytes:
        """The answers to complete lines."""

    def is_complete(self, line: bytes) -> bool:
        """Whether a line of the file ends a document."""
        return True

    def rank(self, documents: Sequence[Line]) -> list[Ranked | Problem]:
        """The best labels of each document."""
        good = [document for document in documents if isinstance(document, Document)]
        ranked = iter(self._rank_good(good))
        return [document if isinstance(document, Problem) else next(ranked) for document in documents]

    def _rank_good(self, documents: Sequence[Document]) -> list[Any]:
        """One by one if something is wrong with one of them: the others are answered all the same."""
        try:
            collected = self.served.collect(documents)
            ranked: list[Ranked] = self.served.answer(lambda model: model.rank_labels(collected, self.top))[0]
            return ranked
        except TercetError as error:
            if len(documents) == 1:
                return [explain_error(error)]
            return [answer for document in documents for answer in self._rank_good([document])]


class JsonStream(LineStream):
    """A document on each line: a JSON object like those of `documents`, or a string. Empty lines are left out."""

    def __init__(self, served: ServedModel, top: int) -> None:
        super().__init__(served, top)
        self._decoder = msgspec.json.Decoder(Document | str)
        self._lines = JsonLines(top)

    def answer(self, lines: Sequence[bytes]) -> bytes:
        documents = [self._read(line) for line in lines if line.strip()]
        return b"".join(map(self._write, self.rank(documents)))

    def _read(self, line: bytes) -> Line:
        try:
            found = self._decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Problem(422, "invalid", f"the line is not a document: {error}.")
        return Document(text=found) if isinstance(found, str) else found

    def _write(self, answer: Ranked | Problem) -> bytes:
        if isinstance(answer, Problem):
            return encoder.encode(Failure(Fault(answer.code, answer.message))) + b"\n"
        return self._lines.write_one(answer, {}).encode()


class CsvStream(LineStream):
    """A table with a header. All columns come back, with the answer after them; a row that can't be read has none."""

    def __init__(self, served: ServedModel, top: int) -> None:
        super().__init__(served, top)
        self._names: list[str] = []
        self._columns: list[str] = []
        self._lines: PredictionLines = SpreadsheetLines(top)
        self._is_open = False

    def is_complete(self, line: bytes) -> bool:
        self._is_open ^= bool(line.count(b'"') % 2)  # a cell in quotes may have line breaks
        return not self._is_open

    def answer(self, lines: Sequence[bytes]) -> bytes:
        text = b"".join(lines).decode("utf-8-sig" if not self._names else "utf-8", "replace")
        rows = [row for row in csv.reader(text.splitlines(keepends=True)) if row]
        head = ""
        if not self._names and rows:
            head = self._open(rows.pop(0))
        documents = [self._read(row) for row in rows]
        ranked = [None if isinstance(answer, Problem) else answer for answer in self.rank(documents)]
        kept = [dict(zip(self._names, row, strict=False)) for row in rows]
        return (head + self._lines.write([spell(each, self._lines) for each in ranked], kept)).encode("utf-8", "replace")

    def _open(self, names: list[str]) -> str:
        """Read the header, and return that of the answer."""
        self._names, wanted = names, self.served.columns
        self._columns = [*wanted.texts, *wanted.others]
        if len(names) == 1 and len(self._columns) == 1:
            self._columns = names
        self._lines = SpreadsheetLines(self.top, names)
        return self._lines.head()

    def _read(self, row: list[str]) -> Line:
        if len(row) != len(self._names):
            return Problem(422, "invalid", "the row has another number of cells than the header.")
        cells = dict(zip(self._names, row, strict=True))
        if self._columns == self._names and len(row) == 1:
            return Document(text=row[0])
        return Document(columns={name: cells[name] for name in self._columns if name in cells})


def spell(ranked: Ranked | None, lines: PredictionLines) -> Ranked | None:
    return None if ranked is None else [(lines.spell(str(label)), probability) for label, probability in ranked]


FORMS: dict[str, type[LineStream]] = {"application/x-ndjson": JsonStream, "text/csv": CsvStream}


async def send_answers(call: Call, stream: LineStream) -> AsyncIterator[bytes]:
    """The answers, as the lines arrive."""
    waiting: asyncio.Queue[bytes | None] = asyncio.Queue(MAX_WAITING)

    async def read_all() -> None:
        async for lines in read_lines(call.request, stream, call.limits):
            call.service.metrics.count("classified", len(lines))
            await waiting.put(await call.in_thread(partial(stream.answer, lines)))
        await waiting.put(None)

    reading = asyncio.create_task(read_all())
    taking: asyncio.Task[bytes | None] | None = None
    try:
        while True:
            taking = asyncio.create_task(waiting.get())
            await asyncio.wait([reading, taking], return_when=asyncio.FIRST_COMPLETED)
            if reading.done() and reading.exception() is not None and waiting.empty() and not taking.done():
                reading.result()  # raises: the answer is cut off, which tells the client that it is not complete
            block = await taking
            if block is None:
                return
            yield block
    finally:
        reading.cancel()
        if taking is not None:
            taking.cancel()


async def read_lines(request: Request, stream: LineStream, limits: Limits) -> AsyncIterator[Sequence[bytes]]:
    """Complete lines, some at a time. A client that sends nothing for too long is cut off."""
    rest, lines = b"", list[bytes]()
    body = request.stream()
    while True:
        try:
            async with asyncio.timeout(limits.seconds):
                part = await anext(body)
        except StopAsyncIteration:
            break
        except (TimeoutError, ClientDisconnect):
            raise Problem(408, "too_slow", "the stream ended before it was complete.") from None
        *whole, rest = (rest + part).split(b"\n")
        open_lines = len(lines)
        lines += [line + b"\n" for line in whole]
        end = max((i + 1 for i in range(open_lines, len(lines)) if stream.is_complete(lines[i])), default=0)
        for some in split(lines[:end]):
            yield some
        lines = lines[end:]
        if len(rest) + sum(map(len, lines)) > limits.body:
            raise too_large(limits)
    for some in split([*lines, rest] if rest else lines):
        yield some


def split(lines: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (lines[start : start + AT_A_TIME] for start in range(0, len(lines), AT_A_TIME))
