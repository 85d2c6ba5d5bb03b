"""Streams: lines of JSON or CSV are classified as they arrive, and answered line by line. There may be any number of them.

The readers of `tercet.data` read them, so a row is the one that `tercet predict` reads in the same file. Many clients read
nothing before they have sent everything. So answers wait in memory for such a client, up to a limit, while the request is still
read.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, closing
from functools import partial
from typing import Any

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tercet.data.documents import NUMBERED, DocumentBatch
from tercet.data.fed_source import FedSource
from tercet.data.lines import LineReader
from tercet.errors import BadRow, TercetError
from tercet.report.prediction_lines import JsonLines, PredictionLines, Ranked, SpreadsheetLines
from tercet.report.tables import join_cells
from tercet.server.calls import Call, encoder, parse_content_type
from tercet.server.limits import MAX_SCORED, Limits
from tercet.server.messages import Document, Failure, Fault
from tercet.server.problems import Problem, explain_error
from tercet.server.served_model import ServedModel
from tercet.server.uploads import Body, EncodingWatch, choose_encoding, explain_reading, open_documents, spell_for_clients

MAX_WAITING_BYTES = 1 << 25  # bytes of answers that wait for a client
PAUSE_SECONDS = 0.2  # a client that sends nothing for so long may wait for the first answers
AT_A_TIME = 2000  # documents that are classified together
NAME = "the stream"  # in messages

Line = Document | Problem  # a document, or why there is none


async def classify_lines(call: Call) -> Response:
    """The answers to a stream."""
    kind = parse_content_type(call.request)
    if kind not in FORMS:
        raise Problem(415, "unknown_type", f"send application/json, {' or '.join(FORMS)}; got {kind or 'no Content-Type'}.")
    labels, _ = call.served.answer(lambda model: model.classes_.tolist())  # an error if there is no model yet
    return AnsweredLines(call, FORMS[kind](call.served, read_top(call.request, len(labels)), call.limits), kind)


class AnsweredLines(Response):
    """An answer that is sent piece by piece while its request is still read. Starlette's own would read the request itself.

    What is wrong with the stream as a whole is refused before the first answer.
    """

    def __init__(self, call: Call, stream: "LineStream", kind: str) -> None:
        super().__init__(media_type=f"{kind}; charset=utf-8")
        del self.headers["content-length"]
        self._call, self._stream, self._body = call, stream, Body(call.request, call.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._call.service.line_streams.take(self._call.user), closing(self._body):
            async with self._body.explain_errors():
                await self._open()
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            async with aclosing(send_answers(self._call, self._stream, self._body)) as blocks:
                async for block in blocks:
                    await send({"type": "http.response.body", "body": block, "more_body": True})
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _open(self) -> None:
        beginning, request = await self._stream.receive_beginning(self._body), self._call.request
        encoding, is_certain = choose_encoding(request, beginning)
        options = {"text": request.query_params.get("text"), "is_whole": self._body.is_over}
        await self._call.work(lambda: EncodingWatch(is_certain=is_certain).look(beginning))
        await self._call.work(partial(self._stream.open, beginning, encoding, options))


def read_top(request: Request, n_labels: int) -> int:
    """How many labels are listed, from the query. 0 is all of them."""
    written = request.query_params.get("top", "1")
    if not (written.isdecimal() and len(written) < 10):
        raise Problem(422, "invalid", f"top must be a whole number >= 0, got {written[:20]!r}.")
    return min(int(written) or n_labels, n_labels)


class LineStream(ABC):
    """Turns the bytes of a request into the bytes of its answer, piece by piece. Each call works at what is there."""

    def __init__(self, served: ServedModel, top: int, limits: Limits) -> None:
        self.served, self.top, self.limits = served, top, limits
        self.at_a_time = max(1, min(AT_A_TIME, MAX_SCORED // max(top, 1)))

    @abstractmethod
    async def receive_beginning(self, body: Body) -> bytes:
        """As much of the stream as `open` needs."""

    @abstractmethod
    def open(self, beginning: bytes, encoding: str, options: Mapping[str, Any]) -> None:
        """Look at the beginning of the stream. Raises a TercetError or a Problem if it can't be read."""

    def write_head(self) -> bytes:
        """What comes before all answers."""
        return b""

    @abstractmethod
    def feed(self, piece: bytes) -> list[Any]:
        """The documents that are complete with these bytes, some at a time. Raises TercetError if no more can be read."""

    @abstractmethod
    def finish(self) -> list[Any]:
        """The last documents."""

    @abstractmethod
    def count(self, documents: Any) -> int:
        """How many documents these are."""

    @abstractmethod
    def answer(self, documents: Any) -> bytes:
        """The answers to some documents."""

    @abstractmethod
    def refuse_rest(self, problem: Problem) -> bytes:
        """The last line, if the stream can't be read to its end."""

    def rank(self, documents: Any, pick: Any) -> list[Ranked | Problem]:
        """The best labels of each document, or what is wrong with it: the others are answered all the same.

        `pick` gives a part of the documents, as the model reads them.
        """
        try:
            given = pick(documents)
            ranked: list[Ranked | Problem] = self.served.answer(lambda model: model.rank_labels(given, self.top))[0]
            return ranked
        except TercetError as error:
            if len(documents) == 1:
                return [explain_error(error)]
            return [answer for index in range(len(documents)) for answer in self.rank(documents[index : index + 1], pick)]


class JsonStream(LineStream):
    """A document on each line: a JSON object like those of `documents`, or a string. Empty lines are left out."""

    async def receive_beginning(self, body: Body) -> bytes:
        return await body.read_line()

    def open(self, beginning: bytes, encoding: str, options: Mapping[str, Any]) -> None:
        self._decoder = msgspec.json.Decoder(Document | str)
        self._lines = JsonLines(self.top)
        self._source = FedSource(NAME, max_document_bytes=self.limits.body)
        self._source.feed(beginning)
        if options["is_whole"]:
            self._source.finish()
        self._reader = LineReader(self._source, encoding)
        self._chunks = iter(self._reader)
        self._error: TercetError | None = None

    def feed(self, piece: bytes) -> list[list[bytes]]:
        self._source.feed(piece)
        return self._take()

    def finish(self) -> list[list[bytes]]:
        self._source.finish()
        return self._take()

    def _take(self) -> list[list[bytes]]:
        lines: list[bytes] = []
        if self._error is not None:
            raise self._error
        try:
            for chunk in self._chunks:
                if not chunk.lines:
                    break
                lines += [line for line in chunk.lines if line.strip()]
        except TercetError as error:  # it comes after the lines before it
            if not lines:
                raise
            self._error = error
        return [lines[start : start + self.at_a_time] for start in range(0, len(lines), self.at_a_time)]

    def count(self, documents: Sequence[bytes]) -> int:
        return len(documents)

    def answer(self, documents: Sequence[bytes]) -> bytes:
        read = list(map(self._read, documents))
        good = [document for document in read if isinstance(document, Document)]
        ranked = iter(self.rank(good, self.served.collect) if good else [])
        return b"".join(self._write(each if isinstance(each, Problem) else next(ranked)) for each in read)

    def refuse_rest(self, problem: Problem) -> bytes:
        return self._write(problem)

    def _read(self, line: bytes) -> Line:
        try:
            found = self._decoder.decode(line if self._reader.encoding == "utf-8" else str(line, self._reader.encoding))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            return Problem(422, "invalid", f"the line is not a document: {error}.")
        return Document(text=found) if isinstance(found, str) else found

    def _write(self, answer: Ranked | Problem) -> bytes:
        if isinstance(answer, Problem):
            return encoder.encode(Failure(Fault(answer.code, answer.message))) + b"\n"
        return self._lines.write_one(answer, {}).encode()


class AnsweredRows(SpreadsheetLines):
    r"""CSV with the columns of the input, the answer, and what is wrong with a row that has no answer.

    >>> rows = AnsweredRows(1, kept=["text"])
    >>> rows.head() + rows.write([[("pos", 0.75)]], [{"text": "good"}]) + rows.write_fault("line 3: it has 2 cells.")
    'text,label,probability,error\ngood,pos,0.750000,\n,,,line 3: it has 2 cells.\n'
    """

    def _list_names(self) -> list[str]:
        return [*super()._list_names(), "error"]

    def _list_values(self, ranked: Ranked | None) -> list[Any]:
        return [*super()._list_values(ranked), ""]

    def write_fault(self, fault: str) -> str:
        return join_cells([""] * (len(self.names) - 1) + [self.spell(fault)])


class CsvStream(LineStream):
    """A table. All columns come back, with the answer after them. A row that can't be read says why instead."""

    async def receive_beginning(self, body: Body) -> bytes:
        return await body.read_block(patience_seconds=PAUSE_SECONDS)

    def open(self, beginning: bytes, encoding: str, options: Mapping[str, Any]) -> None:
        read = {"format": "csv", "columns": "all", "encoding": encoding, **options}
        self._fed = open_documents(self.served, NAME, beginning, self.limits, **read)
        fields = self._fed.stream.fields
        self._lines = AnsweredRows(self.top, () if fields is None else fields.columns)

    def write_head(self) -> bytes:
        return self._lines.head().encode("utf-8", "replace") if self._fed.stream.fields else b""

    def feed(self, piece: bytes) -> list[DocumentBatch]:
        return split_batches(self._fed.feed(piece), self.at_a_time)

    def finish(self) -> list[DocumentBatch]:
        return split_batches(self._fed.finish(), self.at_a_time)

    def count(self, documents: DocumentBatch) -> int:
        return len(documents)

    def answer(self, documents: DocumentBatch) -> bytes:
        ranked = self.rank(range(len(documents)), documents.pick) if len(documents) else []
        rows = [self._write(each, documents, index) for index, each in enumerate(ranked)]
        for index, error in reversed(documents.bad):
            rows.insert(index, self._lines.write_fault(spell_fault(error)))
        return "".join(rows).encode("utf-8", "replace")

    def refuse_rest(self, problem: Problem) -> bytes:
        return self._lines.write_fault(f"{problem.message} Nothing after it is read.").encode("utf-8", "replace")

    def _write(self, answer: Ranked | Problem, documents: DocumentBatch, index: int) -> str:
        if isinstance(answer, Problem):
            return self._lines.write_fault(f"line {documents.lines[index]}: {answer.message}")
        kept = {name: cells[index] for name, cells in documents.columns.items()}
        return self._lines.write_one(spell(answer, self._lines), kept)


def split_batches(batches: Sequence[DocumentBatch], at_a_time: int) -> list[DocumentBatch]:
    """The same documents and bad rows in order, some at a time."""
    return [part for batch in batches for part in split_batch(batch, at_a_time)]


def split_batch(batch: DocumentBatch, at_a_time: int) -> list[DocumentBatch]:
    if len(batch) + len(batch.bad) <= at_a_time:
        return [batch]
    parts: list[DocumentBatch] = []
    bad = list(batch.bad)
    for start in range(0, max(len(batch), 1), at_a_time):
        end = start + at_a_time
        part = batch.pick(range(start, min(end, len(batch))))
        is_last = end >= len(batch)
        n_own = len(bad) if is_last else next((n for n, (index, _) in enumerate(bad) if index >= end), len(bad))
        part.bad.extend((index - start, error) for index, error in bad[:n_own])
        bad = bad[n_own:]
        parts.append(part)
    return parts


def spell_fault(error: BadRow) -> str:
    """
    >>> spell_fault(BadRow("the stream, line 7", "it has no text."))
    'line 7: it has no text.'
    """
    found = NUMBERED.search(error.place)
    return spell_for_clients(f"line {found[1]}: {error.reason}" if found else error.reason)


def spell(ranked: Ranked, lines: PredictionLines) -> Ranked:
    return [(lines.spell(str(label)), probability) for label, probability in ranked]


FORMS: dict[str, type[LineStream]] = {"application/x-ndjson": JsonStream, "text/csv": CsvStream}


class WaitingAnswers:
    """Answers that wait until the client reads them, up to a limit."""

    def __init__(self) -> None:
        self._blocks: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._size, self._has_room = 0, asyncio.Event()
        self._has_room.set()

    async def put(self, block: bytes, seconds: float) -> None:
        """Raises a Problem if a client reads nothing for too long."""
        try:
            await asyncio.wait_for(self._has_room.wait(), seconds)
        except TimeoutError:
            raise Problem(408, "too_slow", "read the answers while you send the stream: too many wait.") from None
        self._change(len(block))
        self._blocks.put_nowait(block)

    def end(self) -> None:
        self._blocks.put_nowait(None)

    async def take(self) -> bytes | None:
        """The next answers; None at the end."""
        block = await self._blocks.get()
        self._change(-len(block or b""))
        return block

    def _change(self, n_bytes: int) -> None:
        self._size += n_bytes
        if self._size < MAX_WAITING_BYTES:
            self._has_room.set()
        else:
            self._has_room.clear()


async def send_answers(call: Call, stream: LineStream, body: Body) -> AsyncGenerator[bytes]:
    """The answers, as the lines arrive. If they end too early, the answer is cut off, which tells the client so."""
    waiting = WaitingAnswers()
    reading = asyncio.create_task(read_all(call, stream, body, waiting))
    try:
        if head := stream.write_head():
            yield head
        while (block := await waiting.take()) is not None:
            yield block
        await reading  # raises an error if the stream was not complete
    finally:
        reading.cancel()


async def read_all(call: Call, stream: LineStream, body: Body, waiting: WaitingAnswers) -> None:
    """Read the stream to its end, or to the place where it can't be read any more. The last line says so then."""
    try:
        try:
            async for documents in read_documents(call, stream, body):
                call.service.metrics.count("classified", stream.count(documents))
                await waiting.put(await call.work(partial(stream.answer, documents)), call.limits.seconds)
        except TercetError as error:
            await waiting.put(stream.refuse_rest(explain_reading(error)), call.limits.seconds)
            await body.drop_rest()
        except Problem as problem:
            if problem.status == 408:
                raise
            await waiting.put(stream.refuse_rest(problem), call.limits.seconds)
            await body.drop_rest()
    finally:
        waiting.end()


async def read_documents(call: Call, stream: LineStream, body: Body) -> AsyncIterator[Any]:
    for documents in await call.work(partial(stream.feed, b"")):
        yield documents
    async for piece in body.read_pieces():
        for documents in await call.work(partial(stream.feed, piece)):
            yield documents
    for documents in await call.work(stream.finish):
        yield documents
    await call.work(stream.finish)  # raises an error that came after documents
