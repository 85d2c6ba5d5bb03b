"""Which processes have a ledger open, and which erasures each of them has carried out in its own memory.

Each process that opens a ledger has an entry, which it writes before it reads the first event. The entry says when the process
was last heard of, and up to which event it has dropped what was erased: then its models were made anew, and none of its
answers has an erased text. A program that has a `LiveModel` and does not call `follow` has not dropped it. An erasure is
certified when all others have dropped it; those that do not in time are named.

An entry expires. On the same machine the system tells at once whether a process is still running. A process elsewhere counts
as gone when it was not heard of for a minute, and is not heard of while somebody waits for it. That somebody waits matters: if
the database could not be reached for a while, all entries are old, and all processes are there.

The entries of a file are in a small database beside it, and not in the ledger: a transaction of the ledger may take as long as
a training, and processes are heard of meanwhile.
"""

import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from threading import Event as Signal
from threading import Lock, Thread, current_thread
from typing import TYPE_CHECKING, NamedTuple
from weakref import ReferenceType, finalize, ref

from tercet.errors import TercetError

if TYPE_CHECKING:
    from tercet.ledger.database import Database
    from tercet.ledger.ledger import Ledger

BEAT_SECONDS = 2.0  # between two signs of life
EXPIRY_SECONDS = 60.0  # after which a process on another machine may be gone
SILENCE_SECONDS = 5.0  # for which it must also be silent while somebody waits for it
WATCH_SECONDS = 0.25  # between two looks for erasures of others
STEP_SECONDS = 0.01
CLOSING_SECONDS = 2.0  # for a look at a database that does not answer


class Entry(NamedTuple):
    """A process that has the ledger open.

    - `id`: one for each time that a process opens the ledger.
    - `host`, `process`: the names of the machine and of the process, for people.
    - `machine`: the same only for processes that see each other's numbers; empty if the system does not tell.
    - `started`: when the process was started, in a unit of the system: a later process may have the same number.
    - `dropped`: the last event whose erasures this process has carried out in its memory.
    """

    id: str
    host: str
    machine: str
    process: int
    started: int
    dropped: int

    @classmethod
    def of_this_process(cls) -> "Entry":
        process = os.getpid()
        return cls(token_hex(16), socket.gethostname(), find_machine(), process, find_start(process), 0)

    @property
    def name(self) -> str:
        return f"process {self.process} on {self.host}"

    def is_same_process(self, other: "Entry") -> bool:
        return self[1:5] == other[1:5]

    def is_ended(self) -> bool:
        """Whether this process is known to run no more."""
        return bool(self.machine) and self.machine == find_machine() and find_start(self.process) != self.started


class SeenEntry(NamedTuple):
    """An entry, and how many seconds ago its process was heard of."""

    entry: Entry
    age: float


def find_machine() -> str:
    """What processes share that see each other's numbers: the system since it was started, and the space of numbers."""
    try:
        return f"{Path('/proc/sys/kernel/random/boot_id').read_text().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return "" if sys.platform == "win32" else socket.gethostname()


def find_start(process: int) -> int:
    """When a process was started, in ticks of the system, or 0 if that is not known; -1 if there is no such process.

    >>> find_start(os.getpid()) == find_start(os.getpid()) >= 0, find_start(1 << 30)
    (True, -1)
    """
    if sys.platform == "win32":
        return 0
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return -1
    except PermissionError:  # it belongs to another user
        pass
    try:
        state, *_, started = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[:20]
        return -1 if state == "Z" else int(started)
    except (OSError, ValueError):
        return 0


class OpenProcess:
    """The entry of this process, for one ledger. A thread keeps it alive, and says which erasures are carried out.

    A ledger itself has no texts in memory. What is made of its texts has them: a model that follows the ledger
    (`Ledger.followers`), and the work inside `keep_texts`.
    """

    def __init__(self, database: "Database") -> None:
        self.entry = Entry.of_this_process()
        self._database = database
        self._lock = Lock()  # held while the entry is written
        self._is_closed = False
        self._wake = Signal()
        self._heard = 0.0  # when the entry was last written
        self._read, self._erased = 0, 0  # the last event that was looked at, and the last erasure among them
        self._n_works = 0  # works that keep texts
        self._watcher: Thread | None = None
        self._write()

    def watch(self, ledger: "Ledger") -> None:
        """Look for erasures from now on, until the ledger is closed or nobody has it any more."""
        finalize(ledger, self.close)
        self._read = ledger.head.number
        self._write(self._read)
        self._watcher = Thread(target=self._watch, args=(ref(ledger),), name=f"entry of {ledger.name}", daemon=True)
        self._watcher.start()

    def hurry(self) -> None:
        """An erasure was read: see at once whether it is carried out."""
        self._wake.set()

    @contextmanager
    def keep_texts(self) -> Iterator[None]:
        """Do something with texts of the ledger. No erasure is confirmed meanwhile, unless this process is named."""
        with self._lock:
            self._n_works += 1
        try:
            yield
        finally:
            with self._lock:
                self._n_works -= 1

    def close(self) -> None:
        """Delete the entry. Afterwards this object no longer reads the database."""
        with self._lock:
            if self._is_closed or self.entry.process != os.getpid():  # a forked process has no entry
                return
            self._is_closed = True
            self._wake.set()
            with suppress(TercetError, OSError):
                ended = [seen.entry.id for seen in self._database.read_entries() if seen.entry.is_ended()]
                self._database.delete_entries([self.entry.id, *ended])
        if self._watcher is not None and self._watcher is not current_thread():  # it may be the last one that has the ledger
            self._watcher.join(CLOSING_SECONDS)

    def _write(self, dropped: int = 0) -> None:
        """Write the entry. If this is not possible now, or not allowed, the next time it may be."""
        with self._lock, suppress(TercetError, OSError):
            if not self._is_closed:
                self._heard = time.monotonic()
                entry = self.entry._replace(dropped=max(dropped, self.entry.dropped))
                self._database.write_entry(entry)
                self.entry = entry

    def _watch(self, ledger: "ReferenceType[Ledger]") -> None:
        is_due = False
        while not self._is_closed and ledger() is not None:
            if time.monotonic() >= self._heard + BEAT_SECONDS:
                self._write()
            with suppress(TercetError, OSError):  # the database can't be reached now
                is_due = self._is_due()
                if is_due and (dropped := self._find_dropped(ledger)) > self.entry.dropped:
                    self._write(dropped)
                    is_due = dropped < self._erased
            self._wake.wait(STEP_SECONDS if is_due else WATCH_SECONDS)
            self._wake.clear()

    def _is_due(self) -> bool:
        """Whether there is an erasure that this process has not carried out. Only new events are looked at."""
        if self._database.may_have_news:
            last, erasure = self._database.find_erasure(self._read)
            self._read, self._erased = max(self._read, last), max(self._erased, erasure)
        return self._erased > self.entry.dropped

    def _find_dropped(self, ledger: "ReferenceType[Ledger]") -> int:
        """The last event up to which nothing that was erased is in the memory of this process."""
        opened = ledger()
        if opened is None or self._n_works:
            return 0
        opened.database.close_idle()  # with the old pages that they have in memory
        return min([self._read, *(follower.number for follower in opened.list_followers())])


class DropWait:
    """Waits for the processes that have not carried out an erasure yet. `number` is its event."""

    def __init__(self, ledger: "Ledger", number: int) -> None:
        self.ledger, self.number = ledger, number
        self._silent: dict[str, tuple[float, float]] = {}  # by id: when a silent process was first looked at, and its age then

    def wait(self, seconds: float) -> tuple[str, ...]:
        """The names of those that have not answered when the time is over."""
        until = time.monotonic() + seconds
        while (left := self._list_left()) and time.monotonic() < until:
            time.sleep(STEP_SECONDS)
        return tuple(sorted({entry.name for entry in left}))

    def _list_left(self) -> list[Entry]:
        own, database = self.ledger.process.entry, self.ledger.database
        late = [
            seen for seen in database.read_entries() if seen.entry.dropped < self.number and not seen.entry.is_same_process(own)
        ]
        gone = [seen.entry.id for seen in late if self._is_gone(seen)]
        if gone:
            database.delete_entries(gone)
        return [seen.entry for seen in late if seen.entry.id not in gone]

    def _is_gone(self, seen: SeenEntry) -> bool:
        """Whether the process has ended, as far as anybody can tell."""
        if seen.entry.is_ended():
            return True
        if seen.entry.machine and seen.entry.machine == find_machine():
            return False
        now = time.monotonic()
        since, age = self._silent.setdefault(seen.entry.id, (now, seen.age))
        if seen.age < age or seen.age < EXPIRY_SECONDS:
            self._silent.pop(seen.entry.id)
            return False
        return now - since >= SILENCE_SECONDS
