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
MAX_NAME_LENGTH = 255  # bytes, on the usual file systems


class HeldLocks(local):
    """The lock files that a thread holds."""

    def __init__(self) -> None:
        self.locations: set[Path] = set()


HELD_LOCKS = HeldLocks()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=lambda: HELD_LOCKS.locations.clear())  # its parent holds them


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
    read_mode(real)
    location = name_beside(real, "lock")
    if location in HELD_LOCKS.locations:
        yield
        return
    with own_lock(path, wait_seconds=wait_seconds, tell=tell):
        HELD_LOCKS.locations.add(location)
        try:
            yield
        finally:
            HELD_LOCKS.locations.discard(location)


@contextmanager
def own_lock(
    path: str | os.PathLike[str], *, wait_seconds: float | None = None, tell: Callable[[str], None] = warn
) -> Iterator[None]:
    """The same lock for an object that several threads use. Nobody can take it twice, not even the same thread."""
    real = Path(os.path.realpath(path))
    read_mode(real)
    location, process = name_beside(real, "lock"), os.getpid()
    handle = wait_for_lock(path, location, wait_seconds, tell)
    try:
        yield
    finally:
        if process == os.getpid():
            release_lock(handle, location)


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


def read_mode(location: Path) -> int | None:
    """The mode of the file at this location, or None if there is no file. Raises CannotWrite if it can't be replaced."""
    try:
        status = location.stat()
    except OSError:
        return None  # there is no file, or writing will fail with its own message
    if not stat.S_ISREG(status.st_mode):
        what = "a folder" if stat.S_ISDIR(status.st_mode) else "not a regular file"
        raise CannotWrite(f"{location} is {what}: a model would take its place. Name another file.")
    return stat.S_IMODE(status.st_mode)


def name_beside(location: Path, ending: str) -> Path:
    """The hidden file beside another one, by an ending. A name that would be too long is replaced by its checksum.

    >>> name_beside(Path("models/reviews.tercet"), "part").as_posix()
    'models/.reviews.tercet.part'
    """
    name = f".{location.name}.{ending}"
    if len(os.fsencode(name)) > MAX_NAME_LENGTH:
        name = f".{hashlib.sha256(os.fsencode(location.name)).hexdigest()}.{ending}"
    return location.with_name(name)


def wait_for_lock(path: str | os.PathLike[str], location: Path, wait_seconds: float | None, tell: Callable[[str], None]) -> int:
    """The open lock file, which is locked."""
    started, is_told = time.monotonic(), False
    while (handle := open_lock(path, location)) is None:
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


def open_lock(path: str | os.PathLike[str], location: Path) -> int | None:
    """The open lock file if the lock was free, else None."""
    handle = None
    try:
        handle = os.open(location, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        try_lock(handle)
        if is_still_there(handle, location):
            return handle
    except OSError as error:
        if handle is None or error.errno not in TAKEN:
            raise refuse_lock(path, location, handle, error) from error
    os.close(handle)
    return None


def is_still_there(handle: int, location: Path) -> bool:
    """Whether the path names the file that is open: its last holder may have removed it."""
    try:
        return os.path.samestat(os.fstat(handle), location.stat())
    except FileNotFoundError:
        return False


def refuse_lock(path: str | os.PathLike[str], location: Path, handle: int | None, error: OSError) -> CannotWrite:
    """The error about a file whose lock can't be had at all."""
    if handle is None:
        return CannotWrite(f"{path} can't be written: {error.strerror}. ({location} could not be opened.)")
    os.close(handle)
    return CannotWrite(
        f"{path} can't be written: the file system does not lock files ({error.strerror}), so two programs that change the "
        "file at once would lose a change. Write it to a local disk, and copy it from there."
    )


def release_lock(handle: int, location: Path) -> None:
    """Remove the lock file and give the lock to the next. Windows removes no file that is open, other systems may."""
    if sys.platform == "win32":
        os.close(handle)
        with suppress(OSError):  # another program has it already
            location.unlink()
    else:
        with suppress(OSError):
            location.unlink()
        fcntl.flock(handle, fcntl.LOCK_UN)  # a fork may have copied the handle, and closing it would not be enough
        os.close(handle)
