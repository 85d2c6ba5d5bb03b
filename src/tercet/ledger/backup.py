"""A consistent, verified copy of a ledger, even while events are appended."""

import os
from contextlib import ExitStack
from pathlib import Path

from tercet.errors import BadLedger, CannotWrite
from tercet.ledger.database import Place, SQLiteDatabase, open_database
from tercet.ledger.events import Link
from tercet.ledger.ledger import Ledger
from tercet.store.atomic_file import flush_folder
from tercet.store.file_lock import name_beside, own_lock, warn


def back_up(ledger: Place, target: str | os.PathLike[str]) -> Link:
    """Copy a ledger to a new file, and check the chain of the copy. Returns the last event of the copy."""
    place = Path(os.path.realpath(target))
    beside = name_beside(place, "part")
    with own_lock(place, wait_seconds=0):
        if place.exists():
            raise CannotWrite(f"{target} exists: a copy is never written over another file. Name another file.")
        try:
            beside.unlink(missing_ok=True)
            copy_ledger(ledger, beside)
            head = Ledger.open(beside).head
            with beside.open("rb") as file:
                os.fsync(file.fileno())
            os.rename(beside, place)
        except BadLedger as error:
            raise BadLedger(f"the copy of {ledger} is not good, so it is not kept: {error}") from None
        finally:
            beside.unlink(missing_ok=True)
    flush_folder(place.parent)
    return head


def copy_ledger(place: Place, target: Path) -> None:
    """Write a file with the events of now. A ledger in PostgreSQL becomes an SQLite file."""
    with ExitStack() as resources:
        source = open_database(place, new=False, write=False, locked=False, wait_seconds=None, tell=warn, resources=resources)
        if isinstance(source, SQLiteDatabase):
            source.copy_to(target)
            return
        copy = SQLiteDatabase(target, new=True)
        resources.callback(copy.close)
        with copy.transaction():
            copy.insert(source.read())
            if (start := source.read_start()) is not None:
                copy.insert_start(start)
