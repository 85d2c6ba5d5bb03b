"""A consistent, verified copy of a ledger, even while events are appended."""

import os
from contextlib import ExitStack
from pathlib import Path

from tercet.errors import BadLedger, CannotWrite
from tercet.ledger.database import Location, SQLiteDatabase, open_database
from tercet.ledger.events import Link
from tercet.ledger.ledger import Ledger
from tercet.store.atomic_file import flush_folder
from tercet.store.file_lock import name_beside, own_lock, warn


def back_up(ledger: Location, target: str | os.PathLike[str]) -> Link:
    """Copy a ledger to a new file, and check the chain of the copy. Returns the last event of the copy."""
    location = Path(os.path.realpath(target))
    beside = name_beside(location, "part")
    with own_lock(location, wait_seconds=0):
        if location.exists():
            raise CannotWrite(f"{target} exists: a copy is never written over another file. Name another file.")
        try:
            beside.unlink(missing_ok=True)
            copy_ledger(ledger, beside)
            with Ledger.open(beside) as copy:
                head = copy.head
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            os.rename(beside, location)
        except BadLedger as error:
            raise BadLedger(f"the copy of {ledger} is not good, so it is not kept: {error}") from None
        finally:
            beside.unlink(missing_ok=True)
    flush_folder(location.parent)
    return head


def copy_ledger(location: Location, target: Path) -> None:
    """Write a file with the events of now. A ledger in PostgreSQL becomes an SQLite file."""
    with ExitStack() as resources:
        source = open_database(
            location, new=False, write=False, locked=False, wait_seconds=None, tell=warn, resources=resources
        )
        if isinstance(source, SQLiteDatabase):
            source.copy_to(target)
            return
        copy = SQLiteDatabase(target, new=True)
        resources.callback(copy.close)
        with copy.transaction():
            copy.insert(source.read())
            if (start := source.read_start()) is not None:
                copy.insert_start(start)
