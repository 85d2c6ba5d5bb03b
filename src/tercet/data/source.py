"""Bytes of a file or of standard input, block by block, decompressed."""

import io
import os
import select
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO

from tercet.compression import SUFFIXES, decompress, list_damage_errors
from tercet.errors import BadSource

BLOCK_BYTES = 1 << 20  # larger blocks do not fit in the cache and are read more slowly
MAX_DOCUMENT_BYTES = 1 << 29  # bytes in one document
# A compressed source may unpack to so many bytes, or to so many times its own size if that is more. Texts shrink to a tenth.
MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO = 1 << 28, 500
PIPE_WAIT_SECONDS = 0.001
ZIP = b"PK\x03\x04"  # the first bytes of workbooks
OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the first bytes of .xls, and of an encrypted .xlsx
FIRST_BYTES = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x28\xb5\x2f\xfd": "zstd"}


class Source:
    """The content of one file or of standard input, decompressed.

    The suffix of a file says how it is compressed; for a pipe, its first bytes do. A pipe gives what it has at once and does
    not wait until a block is full.
    """

    def __init__(self, name: str, file: Any, compression: str | None, *, is_pipe: bool) -> None:
        self.name, self.is_pipe, self._file = name, is_pipe, file
        self._n_given, self._n_taken, self._waiting = 0, 0, b""
        self._is_short, self._is_over = False, False
        self._spool: IO[bytes] | None = None
        self._is_ours = file is not getattr(sys.stdin, "buffer", None)
        if self._is_ours:  # close it even if it is never read to the end
            weakref.finalize(self, file.close)
        if is_pipe:
            self._waiting = self._read_pipe()
            compression = detect_compression(self._waiting)
        self._content, self._n_unpacked = file, 0
        self._rejoined: _Rejoined | None = None
        if compression:
            held, self._waiting = self._waiting, b""
            self._rejoined = _Rejoined(held, file) if is_pipe else None
            self._content = decompress(file if self._rejoined is None else io.BufferedReader(self._rejoined), compression)
        self._compression = compression

    @property
    def max_document_bytes(self) -> int:
        return MAX_DOCUMENT_BYTES

    @property
    def bytes_read(self) -> int:
        """Bytes read so far: of the file as it is on disk, or of what came through the pipe."""
        return self._n_given if self.is_pipe else self._n_taken if self._file.closed else self._file.tell()

    def read_block(self) -> bytes:
        """The next bytes; empty at the end."""
        block, self._waiting = self._waiting, b""
        if not block:
            block = self._read_pipe() if self.is_pipe and not self._compression else self._read_file()
        self._n_given += len(block)
        return block

    @property
    def is_at_end(self) -> bool:
        """Whether the end was reached, as far as that is known without waiting."""
        return not self._waiting and (self._is_short or (self._is_over and not self._compression))

    is_fed = False  # whether somebody hands its bytes over

    @property
    def is_waiting(self) -> bool:
        """Whether an empty block means that nothing has arrived yet. Files and pipes wait themselves."""
        return False

    def peek(self) -> bytes:
        """The next block, without consuming it."""
        self._waiting = self.read_block()
        self._n_given -= len(self._waiting)
        return self._waiting

    def peek_ahead(self, n_blocks: int, n_bytes: int) -> list[bytes]:
        """Blocks of so many bytes from all parts of the file that was not read yet. None from a pipe or a compressed file."""
        if self.is_pipe or self._compression:
            return []
        position = self._file.tell()
        last = max(position, self._file.seek(0, os.SEEK_END) - n_bytes)
        blocks: list[bytes] = []
        for start in sorted({position + (last - position) * number // (n_blocks - 1) for number in range(n_blocks)}):
            self._file.seek(start)
            blocks.append(self._file.read(n_bytes))
        self._file.seek(position)
        return blocks

    def blocks(self) -> Iterator[bytes]:
        while (block := self.read_block()) or self.is_waiting:
            yield block

    def read_whole(self) -> bytes:
        """The rest of the content, which is one document."""
        blocks: list[bytes] = []
        size = 0
        for block in self.blocks():
            blocks.append(block)
            size += len(block)
            check_length(size, self.name)
        return b"".join(blocks)

    def to_seekable(self) -> IO[bytes]:
        """The content as a seekable file: the file itself, or a temporary copy of a pipe or of a compressed file."""
        if not self.is_pipe and not self._compression:
            self._file.seek(0)
            opened: IO[bytes] = self._file
            return opened
        from tercet.temporary_files import open_temporary, write_temporary

        purpose = f"the decompressed content of {self.name}" if self._compression else f"what {self.name} holds"
        self._spool = open_temporary(purpose)
        weakref.finalize(self, self._spool.close)
        write_temporary(self._spool, self.blocks(), purpose)
        self._spool.seek(0)
        return self._spool

    def close(self) -> None:
        if self._spool is not None:
            self._spool.close()
        if self._is_ours and not self._file.closed:
            self._n_taken = self.bytes_read
            self._file.close()

    def _read_pipe(self) -> bytes:
        """The bytes that are there, and those that follow within a moment; a pipe alone holds at most 64 KB."""
        # read1 returns the bytes that are there; FileIO has only read, which does the same.
        read = getattr(self._file, "read1", self._file.read)
        parts: list[bytes] = []
        size = 0
        while not self._is_over and size < BLOCK_BYTES and (not parts or has_more(self._file)):
            try:
                parts.append(read(BLOCK_BYTES - size))
            except OSError as error:  # a folder, for example
                raise BadSource(f"{self.name} can't be read: {error.strerror}.") from error
            size += len(parts[-1])
            # A terminal signals its end only once: a second read would wait for more input.
            self._is_over = not parts[-1]
        return b"".join(parts)

    def _read_file(self) -> bytes:
        try:
            block: bytes = self._content.read(BLOCK_BYTES)
        except list_damage_errors() as error:
            kind = f"as {self._compression} " if self._compression else ""
            raise BadSource(f"{self.name} can't be read {kind}any further: {error}. Is it complete?") from error
        self._is_short = len(block) < BLOCK_BYTES
        if self._compression:
            self._check_unpacked(len(block))
        return block

    def _check_unpacked(self, n_bytes: int) -> None:
        """Raise BadSource if a compressed source unpacks to far more than texts do."""
        self._n_unpacked += n_bytes
        n_packed = self._file.tell() if self._rejoined is None else self._rejoined.n_given
        if self._n_unpacked > max(MAX_UNPACKED_BYTES, MAX_UNPACKED_RATIO * n_packed):
            raise BadSource(
                f"{self.name} unpacks to more than {MAX_UNPACKED_RATIO} times its size ({self._n_unpacked >> 20} MiB from "
                f"{n_packed >> 10} KiB), so it is not read any further: texts do not. If it is right, unpack it first."
            )


def has_more(file: Any) -> bool:
    """Whether a pipe can be read without waiting; False if the system can't tell."""
    try:
        return bool(select.select([file], [], [], PIPE_WAIT_SECONDS)[0])
    except (OSError, ValueError):
        return False


class _Rejoined(io.RawIOBase):
    """A pipe with the bytes that were already taken from it put back in front."""

    def __init__(self, head: bytes, file: BinaryIO) -> None:
        self._head, self._rest, self.n_given = head, file, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        block = self._head[: len(buffer)] or self._rest.read(len(buffer))
        self._head = self._head[len(buffer) :]
        buffer[: len(block)] = block
        self.n_given += len(block)
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


def check_length(n_bytes: int, place: str, most: int | None = None) -> None:
    """Raise BadSource if a document has too many bytes.

    >>> check_length(1 << 30, "mails.txt, line 7")
    Traceback (most recent call last):
    tercet.errors.BadSource: mails.txt, line 7 is longer than 512 MiB: is it a text file?
    """
    most = MAX_DOCUMENT_BYTES if most is None else most
    if n_bytes > most:
        raise BadSource(f"{place} is longer than {spell_size(most)}: is it a text file?")


def spell_size(n_bytes: int) -> str:
    """
    >>> spell_size(1 << 24), spell_size(4000)
    ('16 MiB', '4000 bytes')
    """
    return f"{n_bytes / (1 << 20):g} MiB" if n_bytes >= 1 << 20 else f"{n_bytes} bytes"


def detect_compression(beginning: bytes) -> str | None:
    """How these bytes are compressed, by the first of them; None if they are not.

    >>> detect_compression(b"BZh91AY&SY")
    'bzip2'
    """
    return next((kind for mark, kind in FIRST_BYTES.items() if beginning.startswith(mark)), None)
