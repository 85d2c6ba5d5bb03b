"""Files that are replaced as a whole or not at all. A file that is replaced keeps its mode."""

import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tercet.errors import CannotWrite
from tercet.store.file_lock import lock_file, name_beside, read_mode

PRIVATE = 0o600  # the mode of a new file that holds texts: only its owner reads it


def write_whole(
    path: str | os.PathLike[str],
    parts: Iterable[bytes | memoryview],
    *,
    check: Callable[[], None] | None = None,
    mode: int | None = None,
    wait_seconds: float | None = None,
) -> None:
    """Write a file as `write_all` writes several. `check` is called just before the last step, and may raise an error."""
    write_all({path: parts}, check=check, mode=mode, wait_seconds=wait_seconds)


def write_all(
    files: Mapping[str | os.PathLike[str], Iterable[bytes | memoryview]],
    *,
    check: Callable[[], None] | None = None,
    mode: int | None = None,
    wait_seconds: float | None = None,
) -> None:
    """Write a temporary file beside each path, make sure that it is on the disk, and only then rename all of them to the paths.

    If anything fails before the last step, the old files are still there. Only the holder of a file's lock writes a temporary
    file, so one that a killed program left is removed. `check` is called just before the last step, and may raise an error.
    `mode` is for files that are new; None follows the umask. `wait_seconds` is that of `lock_file`.
    """
    beside = {Path(os.path.realpath(path)): parts for path, parts in files.items()}
    with ExitStack() as locks:
        for path in sorted(files, key=os.path.realpath):  # always in this order: two programs never wait for each other
            locks.enter_context(lock_file(path, wait_seconds=wait_seconds))
        try:
            for location, parts in beside.items():
                with explain_failure(location):
                    temporary = name_beside(location, "part")
                    temporary.unlink(missing_ok=True)
                    known = read_mode(location)
                    write_beside(temporary, parts, mode if known is None else known)
            if check is not None:
                check()
            for location in beside:
                with explain_failure(location):
                    os.replace(name_beside(location, "part"), location)
        finally:
            for location in beside:
                name_beside(location, "part").unlink(missing_ok=True)
        for folder in {location.parent for location in beside}:
            flush_folder(folder)


@contextmanager
def explain_failure(location: Path) -> Iterator[None]:
    """Say which file can't be written."""
    try:
        yield
    except CannotWrite:
        raise
    except OSError as error:
        message = f"{location} can't be written: {error.strerror}. What was there before is still there."
        raise CannotWrite(message) from error


def write_together(folder: Path, files: Mapping[str, Iterable[bytes | memoryview]]) -> None:
    """Write several new files, by their names, into a folder, which may be new: all of them, or none if anything fails."""
    beside = {folder / name: name_beside(folder / name, "part") for name in files}
    written: list[Path] = []
    is_new = not folder.exists()
    try:
        folder.mkdir(exist_ok=True)
        for path, temporary in beside.items():
            temporary.unlink(missing_ok=True)
            write_beside(temporary, files[path.name], read_mode(path))
        for path, temporary in beside.items():
            os.rename(temporary, path)
            written.append(path)
    except BaseException as error:
        for path in [*beside.values(), *written]:
            path.unlink(missing_ok=True)
        if is_new and folder.is_dir():
            folder.rmdir()
        if not isinstance(error, OSError):
            raise
        raise CannotWrite(f"{folder} can't be written to: {error.strerror}. Nothing is written.") from error
    flush_folder(folder)


def write_beside(beside: Path, parts: Iterable[bytes | memoryview], mode: int | None) -> None:
    """Write a new file with this mode; None follows the umask. Nobody who may not read it can open it before it is complete."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(beside, flags, 0o666 if mode is None else PRIVATE)
    with os.fdopen(handle, "wb", buffering=0) as file:
        if mode is not None and hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), mode)
        for part in parts:
            rest = memoryview(part).cast("B")
            while rest:
                rest = rest[file.write(rest) :]
        os.fsync(file.fileno())


def make_private(path: str | os.PathLike[str]) -> None:
    """Make a new, empty file that only its owner reads. Raises CannotWrite if there is one."""
    with explain_failure(Path(path)):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))


def make_like(path: str | os.PathLike[str], other: str | os.PathLike[str]) -> None:
    """Make an empty file with the mode of another one, unless there is a file."""
    with explain_failure(Path(path)), suppress(FileExistsError):
        mode = stat.S_IMODE(os.stat(other).st_mode)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
        try:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, mode)
        finally:
            os.close(handle)


def flush_folder(folder: Path) -> None:
    """Make sure that the new name is on the disk, too, if the system can promise it."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows has no such promise
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
