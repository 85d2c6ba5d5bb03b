"""A file that a client sends, as a thread reads it: piece by piece, while it arrives, without a copy on the disk."""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Any

from anyio import from_thread
from starlette.requests import ClientDisconnect

from tercet.data.source import BLOCK_BYTES, find_compression
from tercet.server.limits import Limits, too_large
from tercet.server.problems import Problem


class Upload(io.RawIOBase):
    """The body of a request, for a thread of the server. A line may be as long as a request may be large."""

    def __init__(self, body: AsyncIterator[bytes], limits: Limits, beginning: bytes = b"") -> None:
        self._body, self._limits, self._beginning = body, limits, beginning
        self._rest, self._n_line, self._is_first = beginning, 0, True

    def begin_again(self) -> "Upload":
        """The same file from its beginning. It must not have been read further than its first part."""
        return Upload(self._body, self._limits, self._beginning)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = from_thread.run(self._receive)
            self._check(self._rest)
            self._beginning += self._rest if len(self._beginning) < BLOCK_BYTES else b""
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    async def _receive(self) -> bytes:
        """The next bytes; empty at the end."""
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for part in self._body:
                    if part:
                        return part
        except (TimeoutError, ClientDisconnect):
            raise Problem(408, "too_slow", "the file ended before it was complete. What had arrived is kept.") from None
        return b""

    def _check(self, part: bytes) -> None:
        if self._is_first and find_compression(part) is not None:
            raise Problem(415, "compressed", "the file is compressed: send it as plain text, CSV or lines of JSON.")
        self._is_first = False
        end = part.rfind(b"\n")
        self._n_line = len(part) - end - 1 + (self._n_line if end < 0 else 0)
        if self._n_line > self._limits.body:
            raise too_large(self._limits)
