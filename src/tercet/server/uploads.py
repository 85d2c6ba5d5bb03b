"""Files and streams that a client sends: their bytes as they arrive, how they are written, and their documents.

No thread waits for a client: the event loop only collects bytes, and threads read what is there.
"""

import asyncio
import codecs
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from email.message import Message
from typing import Any

from starlette.requests import ClientDisconnect, Request

from tercet.data.lines import BYTE_ORDER_MARKS, guess_utf16, suggest_encoding
from tercet.data.read_options import check_encoding
from tercet.data.reading import FedDocuments
from tercet.data.source import BLOCK_BYTES, detect_compression
from tercet.errors import MissingColumn, TercetError
from tercet.server.limits import Limits, too_large
from tercet.server.problems import Problem, explain_error
from tercet.server.served_model import ServedModel

PIECE_BYTES = 1 << 16  # bytes that are read together
MAX_DROPPED_BYTES = 1 << 28  # bytes of a refused request that are received before the answer
ENDS = (b"\n", b"\r")
UTF_8 = "utf-8"


class HeldParts:
    """Bytes that wait until there are enough of them."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self.size, self.n_ends, self._n_quotes = 0, 0, 0

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self.size += len(part)
        self.n_ends += max(map(part.count, ENDS))
        self._n_quotes += part.count(b'"')

    def take(self) -> bytes:
        return b"".join(self._parts)

    @property
    def shows_rows(self) -> bool:
        """Whether these are probably a header and whole rows of a table."""
        return self.n_ends > 1 and self._n_quotes % 2 == 0 and self._parts[-1].rstrip(b"\0").endswith(ENDS)


class Body:
    """The body of a request, as its bytes arrive."""

    def __init__(self, request: Request, limits: Limits) -> None:
        self._parts, self._limits = request.stream(), limits
        self._next: asyncio.Task[bytes] | None = None
        self.is_over = False

    async def read_line(self) -> bytes:
        """The beginning, up to the end of a line at least."""
        return await self._collect(lambda held: held.n_ends > 0)

    async def read_block(self, *, patience_seconds: float | None = None) -> bytes:
        """The first block, which shows how a file is written. It has a complete line, or it is all.

        A client that expects answers while it sends has a patience. Then whole rows before a pause are enough.
        """
        return await self._collect(lambda held: held.size >= BLOCK_BYTES and held.n_ends > 0, patience_seconds)

    async def _collect(self, is_enough: "Callable[[HeldParts], bool]", patience_seconds: float | None = None) -> bytes:
        held = HeldParts()
        while not is_enough(held):
            part = await self.receive(patience_seconds if held.shows_rows else None)
            if not part:
                break
            held.add(part)
            if held.size > self._limits.body and not held.n_ends:
                raise too_large(self._limits)
        return held.take()

    async def read_pieces(self, size: int = 0) -> AsyncIterator[bytes]:
        """The rest, in pieces of this size. If it is 0, a piece also ends with a line, so that it can be answered at once.

        If the client is cut off, the last piece comes before the error.
        """
        held = HeldParts()
        try:
            while part := await self.receive():
                held.add(part)
                if held.size >= (size or PIECE_BYTES) or (held.n_ends and not size):
                    yield held.take()
                    held = HeldParts()
        except Problem:
            yield held.take()
            raise
        yield held.take()

    async def receive(self, patience_seconds: float | None = None) -> bytes | None:
        """The next bytes; empty at the end. None if nothing came so far, and the patience is over.

        Raises a Problem if a client is gone, or sends nothing for too long.
        """
        while not self.is_over:
            self._next = self._next or asyncio.ensure_future(self._receive_part())
            await asyncio.wait([self._next], timeout=patience_seconds or self._limits.seconds)
            if not self._next.done():
                if patience_seconds is not None:
                    return None
                raise Problem(408, "too_slow", "the file ended before it was complete: nothing came for too long.")
            done, self._next = self._next, None
            if part := done.result():
                return part
        return b""

    async def _receive_part(self) -> bytes:
        try:
            return await anext(self._parts)
        except StopAsyncIteration:
            self.is_over = True
            return b""
        except ClientDisconnect:
            raise Problem(408, "too_slow", "the file ended before it was complete: the connection is gone.") from None

    @asynccontextmanager
    async def explain_errors(self) -> AsyncIterator[None]:
        """Make a Problem of what a reader says. It is sent when the client has sent everything, and can read it."""
        try:
            yield
        except TercetError as error:
            await self.drop_rest()
            raise explain_reading(error) from error
        except Problem as problem:
            if problem.status != 408:
                await self.drop_rest()
            raise

    async def drop_rest(self) -> None:
        """Receive what is left, and forget it: many clients read no answer before they have sent everything."""
        n_dropped = 0
        with suppress(Problem):
            while n_dropped < MAX_DROPPED_BYTES and (part := await self.receive()):
                n_dropped += len(part)

    def close(self) -> None:
        if self._next is not None:
            self._next.cancel()


def choose_encoding(request: Request, beginning: bytes) -> tuple[str, bool]:
    """The encoding that the client declares, or that a byte order mark shows; otherwise UTF-8. And whether that is certain.

    Raises a Problem if the file is compressed.
    """
    if detect_compression(beginning) is not None:
        raise Problem(415, "compressed", "the file is compressed: send it as plain text, CSV or lines of JSON.")
    content_type = Message()
    content_type["Content-Type"] = request.headers.get("content-type", "")
    declared = content_type.get_param("charset")
    if isinstance(declared, str) and declared:
        return check_encoding(declared), True
    marked = next((name for name in ("utf-32", "utf-16") if beginning.startswith(BYTE_ORDER_MARKS[name])), None)
    return marked or UTF_8, marked is not None


class EncodingWatch:
    """Looks at the bytes of a file that should be UTF-8, until its first letters beyond ASCII show whether it is.

    >>> watch = EncodingWatch(is_certain=False)
    >>> watch.look(b"text\\nso good\\n")
    >>> watch.look("Grüße\\n".encode("cp1252"))
    Traceback (most recent call last):
    tercet.server.problems.Problem: the file is not UTF-8. It looks like cp1252: send it with this charset, or save it as UTF-8.
    """

    def __init__(self, *, is_certain: bool) -> None:
        self._is_certain = is_certain
        self._decoder = codecs.getincrementaldecoder(UTF_8)("replace")

    def look(self, piece: bytes) -> None:
        """Raise a Problem if the file has another encoding. Single bytes that are wrong are left to the reader."""
        if self._is_certain or (piece.isascii() and not self._decoder.getstate()[0]):
            return
        text = self._decoder.decode(piece)
        n_letters, n_wrong = len(text) - len(text.encode("ascii", "ignore")), text.count("\ufffd")
        if 2 * n_wrong > n_letters:
            wrong = b"\n".join(line for line in piece.splitlines() if not line.isascii())
            likely = guess_utf16(piece) or suggest_encoding(wrong)
            message = f"the file is not UTF-8. It looks like {likely}: send it with this charset, or save it as UTF-8."
            raise Problem(422, "encoding", message, charset=likely)
        self._is_certain = n_letters > 0


def open_documents(served: ServedModel, name: str, beginning: bytes, limits: Limits, **options: Any) -> FedDocuments:
    """The documents of a file. If it does not have the text column that the model was trained on, the column is guessed."""
    options["max_document_bytes"] = limits.body
    try:
        return FedDocuments(name, beginning, like=served.model, **options)
    except MissingColumn as error:
        if options.get("text") or error.column in options["columns"] or not served.columns.are_plain:
            raise
        return FedDocuments(name, beginning, **options)


# The readers speak of the options of the command line.
CLIENT_WORDS = (
    ("another --encoding", "another encoding"),
    ("--encoding ", "the encoding "),
    ("Read it with --format xlsx.", "Save it as CSV."),
    ("Is the --format right?", "Is it a table?"),
    ("with --text", "as the column of the texts"),
)


def explain_reading(error: TercetError) -> Problem:
    """The problem that a reader has with what a client sent, without options of the command line."""
    problem = explain_error(error)
    problem.message = spell_for_clients(problem.message)
    return problem


def spell_for_clients(message: str) -> str:
    """
    >>> spell_for_clients("byte 0xe9 is not utf-8. Is it --encoding latin-1?")
    'byte 0xe9 is not utf-8. Is it the encoding latin-1?'
    """
    for option, words in CLIENT_WORDS:
        message = message.replace(option, words)
    return message
