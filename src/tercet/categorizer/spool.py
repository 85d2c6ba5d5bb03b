"""Blocks of bytes to be read again: in memory, and what is too much for it in a temporary file."""

import tempfile
from typing import IO
from weakref import finalize

from tercet.errors import NoRoom

IN_MEMORY = 1 << 26  # bytes


class Spool:
    """
    >>> spool = Spool(in_memory=4)
    >>> spool.append(b"Arma"), spool.append(b"virumque"), [spool[0], spool[1]]
    (None, None, [b'Arma', b'virumque'])
    """

    def __init__(self, in_memory: int = IN_MEMORY) -> None:
        self._left = in_memory
        self._blocks: list[bytes | tuple[int, int]] = []  # itself, or where it begins in the file and how long it is
        self._file: IO[bytes] | None = None  # without a name: gone with the process, whatever becomes of it

    def __len__(self) -> int:
        return len(self._blocks)

    def append(self, block: bytes) -> None:
        if len(block) <= self._left:
            self._left -= len(block)
            self._blocks.append(block)
        else:
            self._blocks.append((self._write(block), len(block)))

    def __getitem__(self, place: int) -> bytes:
        block = self._blocks[place]
        if isinstance(block, bytes) or self._file is None:
            return bytes(block)
        begin, size = block
        self._file.seek(begin)
        return self._file.read(size)

    def _write(self, block: bytes) -> int:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile()  # noqa: SIM115 closed when nobody needs the spool any more
                finalize(self, self._file.close)
            begin = self._file.seek(0, 2)
            self._file.write(block)
            self._file.flush()
        except OSError as error:
            raise NoRoom(
                f"the terms of the documents are kept in a temporary file in {tempfile.gettempdir()}, which can't be written "
                f"({error}): without them there is no estimate. Make room there, or set TMPDIR to another folder."
            ) from error
        return begin
