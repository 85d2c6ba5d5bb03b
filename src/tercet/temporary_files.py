"""Temporary files: they have no name, so they disappear with the process, and a full disk is reported as such."""

import tempfile
from collections.abc import Iterable
from typing import IO

from tercet.errors import NoRoom


def open_temporary(purpose: str) -> IO[bytes]:
    """A new temporary file; `purpose` says in the error what it is for."""
    try:
        # Without a buffer there is nothing left to write, and to fail, when the file is closed.
        return tempfile.TemporaryFile(buffering=0)
    except OSError as error:
        raise _no_room(purpose, error) from error


def write_temporary(file: IO[bytes], blocks: Iterable[bytes], purpose: str) -> None:
    """Write the blocks at the file's position."""
    for block in blocks:
        rest = memoryview(block)
        try:
            while rest:  # an almost full disk takes a part of a block
                rest = rest[file.write(rest) :]
        except OSError as error:
            raise _no_room(purpose, error) from error


def _no_room(purpose: str, error: OSError) -> NoRoom:
    where = "" if tempfile.tempdir is None else f" in {tempfile.tempdir}"
    return NoRoom(
        f"{purpose} must be kept in a temporary file{where}, which can't be written: {error.strerror}. Make room there, or set "
        "TMPDIR to another folder."
    )
