"""The lock of a file that is always replaced as a whole. A program holds it while it reads, changes and replaces the file.

The lock is on another file beside it, because each change replaces the file itself. The system releases the lock when the
process ends, even if it is killed. The holder removes the lock file at the end, so nothing is left beside the model. So a
program that gets the lock checks that the path still names the file that it locked. If not, it tries again.
"""

import errno
import hashlib
import os
import stat
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import local

from tercet.errors import CannotWrite

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def lock(handle: int) -> None:
        while True:
            with suppress(OSError):  # another process has it, and Windows has waited for ten seconds
                msvcrt.locking(handle, msvcrt.LK_LOCK, 1)
                return

    TAKEN = {errno.EACCES, errno.EDEADLK}
else:
    import fcntl

    def try_lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)

    TAKEN = {errno.EWOULDBLOCK, errno.EAGAIN}

STEP_SECONDS = 0.005
LONGEST_NAME = 255  # bytes, on the usual file systems


class Held(local):
    """The lock files that a thread holds."""

    def __init__(self) -> None:
        self.places: set[Path] = set()


HELD = Held()


def warn(message: str) -> None:
    warnings.warn(message, RuntimeWarning, stacklevel=2)


@contextmanager
def lock_file(
    path: str | os.PathLike[str], *, wait_seconds: float | None = None, tell: Callable[[str], None] = warn
) -> Iterator[None]:
    """Hold the lock of the file at this path, which need not exist. A thread that holds it may take it again.

    If another thread or process has it, `tell` gets a message, and this thread waits: for at most `wait_seconds`, or without a
    limit. A process that is forked inside the block does not hold the lock.
    """
    real = Path(os.path.realpath(path))
    find_mode(real)
    place = name_beside(real, "lock")
    if place in HELD.places:
        yield
        return
    with own_lock(path, wait_seconds=wait_seconds, tell=tell):
        HELD.places.add(place)
        try:
            yield
        finally:
            HELD.places.discard(place)


@contextmanager
def own_lock(
    path: str | os.PathLike[str], *, wait_seconds: float | None = None, tell: Callable[[str], None] = warn
) -> Iterator[None]:
    """The same lock for an object that several threads use. Nobody can take it twice, not even the same thread."""
    real = Path(os.path.realpath(path))
    find_mode(real)
    place, process = name_beside(real, "lock"), os.getpid()
    handle = wait_for_lock(path, place, wait_seconds, tell)
    try:
        yield
    finally:
        if process == os.getpid():
            release(handle, place)


@contextmanager
def take_turn(path: str | os.PathLike[str]) -> Iterator[None]:
    """Wait for the turn of this process among those that share the file at this path, and hold it in the block.

    The system wakes them one after another. The processes share the lock of another process, which calls `end_turns`.
    """
    handle = os.open(name_beside(Path(os.path.realpath(path)), "turn"), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        lock(handle)
        yield
    finally:
        os.close(handle)  # with it, the system releases the lock


def end_turns(path: str | os.PathLike[str]) -> None:
    """Remove the file of `take_turn`. Nobody may share the file any more."""
    name_beside(Path(os.path.realpath(path)), "turn").unlink(missing_ok=True)


def find_mode(place: Path) -> int | None:
    """The mode of the file at this place, or None if there is no file. Raises CannotWrite if it can't be replaced."""
    try:
        status = place.stat()
    except OSError:
        return None  # there is no file, or writing will fail with its own message
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise CannotWrite(f"{place} is {what}: a model would take its place. Name another file.")
    return stat.S_IMODE(status.st_mode)


def name_beside(place: Path, ending: str) -> Path:
    """The hidden file beside another one, by an ending. A name that would be too long is replaced by its checksum.

    >>> name_beside(Path("models/reviews.tercet"), "part").as_posix()
    'models/.reviews.tercet.part'
    """
    name = f".{place.name}.{ending}"
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = f".{hashlib.sha256(os.fsencode(place.name)).hexdigest()}.{ending}"
    return place.with_name(name)


def wait_for_lock(path: str | os.PathLike[str], place: Path, wait_seconds: float | None, tell: Callable[[str], None]) -> int:
    """The open lock file, which is locked."""
    started, is_told = time.monotonic(), False
    while (handle := try_place(path, place)) is None:
        if wait_seconds is not None and time.monotonic() - started >= wait_seconds:
            raise CannotWrite(
                f"{path} is still being changed by another program after {wait_seconds:g} seconds: nothing was written. "
                "Try again later, or wait longer (--wait)."
            )
        if not is_told:
            tell(f"waiting for another program that is changing {path} (a server does so until it ends) …")
            is_told = True
        time.sleep(STEP_SECONDS)
    return handle


def try_place(path: str | os.PathLike[str], place: Path) -> int | None:
    """The open lock file if the lock was free, else None."""
    handle = None
    try:
        handle = os.open(place, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try_lock(handle)
        if is_still_there(handle, place):
            return handle
    except OSError as error:
        if handle is None or error.errno not in TAKEN:
            raise explain(path, place, handle, error) from error
    os.close(handle)
    return None


def is_still_there(handle: int, place: Path) -> bool:
    """Whether the path names the file that is open: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(handle), place.stat())
    except FileNotFoundError:
        return False


def explain(path: str | os.PathLike[str], place: Path, handle: int | None, error: OSError) -> CannotWrite:
    """The error about a file whose lock can't be had at all."""
    if handle is None:
        return CannotWrite(f"{path} can't be written: {error.strerror}. ({place} could not be opened.)")
    os.close(handle)
    return CannotWrite(
        f"{path} can't be written: the file system does not lock files ({error.strerror}), so two programs that change the "
        "file at once would lose a change. Write it to a local disk, and copy it from there."
    )


def release(handle: int, place: Path) -> None:
    """Remove the lock file and give the lock to the next. Windows removes no file that is open, other systems may."""
    if sys.platform == "win32":
        os.close(handle)
        with suppress(OSError):  # another program has it already
            place.unlink()
    else:
        with suppress(OSError):
            place.unlink()
        fcntl.flock(handle, fcntl.LOCK_UN)  # a fork may have copied the handle, and closing it would not be enough
        os.close(handle)
