"""Files that are there as a whole or not at all."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from tercet.errors import CannotWrite


def write_whole(path: str | os.PathLike[str], parts: Iterable[bytes | memoryview]) -> None:
    """Write a file beside its place, make sure that it is on the disk, and put it there in one step.

    Whatever happens on the way, the place has what it had before, or all of the new.
    """
    place = Path(os.path.realpath(path))
    mode = check_place(place)
    beside = place.with_name(f".{place.name[:200]}.{os.urandom(4).hex()}.part")
    try:
        write_beside(beside, parts, mode)
        os.replace(beside, place)
    except OSError as error:
        raise CannotWrite(f"{place} can't be written: {error.strerror}. What was there before is still there.") from error
    finally:
        beside.unlink(missing_ok=True)
    flush_folder(place.parent)


def check_place(place: Path) -> int | None:
    """The mode of the file that is there now; an error where something else is."""
    try:
        status = place.stat()
    except OSError:
        return None  # nothing there, or what will be told when writing fails
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "no regular file"
        raise CannotWrite(f"{place} is {what}: a model would take its place. Name another file.")
    return stat.S_IMODE(status.st_mode)


def write_beside(beside: Path, parts: Iterable[bytes | memoryview], mode: int | None) -> None:
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    with os.fdopen(handle, "wb", buffering=0) as file:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        for part in parts:
            rest = memoryview(part).cast("B")
            while rest:
                rest = rest[file.write(rest) :]
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """So that the new name is on the disk, too, where the system can promise it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows has no such promise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
