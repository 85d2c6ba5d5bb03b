"""Bytes of a file or of standard input, block by block."""

import io
import os
import select
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

from tercet.data.compression import SUFFIXES, damages, decompress, find_compression
from tercet.errors import BadSource

MOMENT = 0.001  # seconds
BLOCK = 1 << 20  # bytes: larger ones leave the cache and are read more slowly


class Source:
    """One file, or standard input for "-", uncompressed.

    A file is compressed as its suffix says; what comes through a pipe, as its first bytes say. A pipe gives what it has at
    once and does not wait for a block to be full.
    """

    def __init__(self, name: str, file: Any, compression: str | None, *, is_pipe: bool) -> None:
        self.name, self.is_pipe, self._file = name, is_pipe, file
        self._n_given, self._n_taken, self._waiting = 0, 0, b""
        self._is_short, self._is_over = False, False
        self._spool: IO[bytes] | None = None
        self._is_ours = file is not getattr(sys.stdin, "buffer", None)
        if self._is_ours:  # nobody need read it to the end
            weakref.finalize(self, file.close)
        if is_pipe:
            self._waiting = self._read_pipe()
            compression = find_compression(self._waiting)
        self._content = file
        if compression:
            held, self._waiting = self._waiting, b""
            self._content = decompress(io.BufferedReader(_Rejoined(held, file)) if is_pipe else file, compression)
        self._compression = compression

    @property
    def bytes_read(self) -> int:
        """Of the file as it lies on disk; of a pipe, what came out of it."""
        return self._n_given if self.is_pipe else self._n_taken if self._file.closed else self._file.tell()

    def read_block(self) -> bytes:
        """The next bytes; none at the end."""
        block, self._waiting = self._waiting, b""
        if not block:
            block = self._read_pipe() if self.is_pipe and not self._compression else self._read_file()
        self._n_given += len(block)
        return block

    @property
    def is_at_end(self) -> bool:
        """Whether nothing follows, as far as that is known without waiting."""
        return not self._waiting and self._is_short

    def peek(self) -> bytes:
        """The first block, or the next one; it is read again."""
        self._waiting = self.read_block()
        self._n_given -= len(self._waiting)
        return self._waiting

    def blocks(self) -> Iterator[bytes]:
        while block := self.read_block():
            yield block

    def to_seekable(self) -> IO[bytes]:
        """The content as a file in which one can go to and fro: the file itself where it is one, a temporary one else."""
        if not self.is_pipe and not self._compression:
            self._file.seek(0)
            opened: IO[bytes] = self._file
            return opened
        import tempfile

        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the source)
        weakref.finalize(self, self._spool.close)
        for block in self.blocks():
            self._spool.write(block)
        self._spool.seek(0)
        return self._spool

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()
        if self._is_ours and not self._file.closed:
            self._n_taken = self.bytes_read
            self._file.close()

    def _read_pipe(self) -> bytes:
        """What is there, and what comes within a moment: a quick writer is not read by the 64 KB that a pipe holds."""
        # read1 gives what is there; FileIO has only read, which does the same.
        read = getattr(self._file, "read1", self._file.read)
        parts: list[bytes] = []
        size = 0
        while not self._is_over and size < BLOCK and (not parts or has_more(self._file)):
            try:
                parts.append(read(BLOCK - size))
            except OSError as error:  # a folder, for example
                raise BadSource(f"{self.name} can't be read: {error.strerror}.") from error
            size += len(parts[-1])
            # A terminal gives no bytes once for the end, and would wait for another one.
            self._is_over = not parts[-1]
        return b"".join(parts)

    def _read_file(self) -> bytes:
        try:
            block: bytes = self._content.read(BLOCK)
        except damages() as error:
            kind = f"as {self._compression} " if self._compression else ""
            raise BadSource(f"{self.name} can't be read {kind}any further: {error}. Is it whole?") from error
        self._is_short = len(block) < BLOCK
        return block


def has_more(file: Any) -> bool:
    """Whether a pipe can be read at once; no, where the system can't tell."""
    try:
        return bool(select.select([file], [], [], MOMENT)[0])
    except (OSError, ValueError):
        return False


class _Rejoined(io.RawIOBase):
    """A pipe with the bytes that were taken from it to look at."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._rest = head, file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(block)] = block
        return len(block)


def open_source(path: Path | None) -> Source:
    """The file, or standard input for None."""
    if path is None:
        file: Any = getattr(sys.stdin, "buffer", None)
        if file is None or file.closed:
            raise BadSource("there is no standard input: give a file.")
        return Source("standard input", file, None, is_pipe=True)
    try:
        file = path.open("rb", buffering=0)
    except OSError as error:
        raise BadSource(f"{path} can't be opened: {os.strerror(error.errno or 0)}.") from error
    return Source(str(path), file, SUFFIXES.get(path.suffix.lower()), is_pipe=not path.is_file())
