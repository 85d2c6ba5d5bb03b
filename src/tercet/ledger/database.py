"""The tables of a ledger in SQLite or PostgreSQL, and all SQL."""

import os
import selectors
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from itertools import count, islice
from pathlib import Path
from threading import Timer, get_ident
from typing import Any, ClassVar
from weakref import finalize

from tercet.errors import BadLedger, CannotWrite, NoLedger
from tercet.extras import import_extra
from tercet.ledger.events import Event
from tercet.ledger.open_processes import Entry, SeenEntry
from tercet.store.atomic_file import flush_folder, make_like, make_private
from tercet.store.file_lock import name_beside, own_lock, take_turn, warn

COLUMNS = "number, time, actor, verb, target, previous, commitment, hash, salt, content, subject"
EVENTS = """CREATE TABLE {name} (
    number {integer} PRIMARY KEY, time TEXT NOT NULL, actor TEXT NOT NULL, verb TEXT NOT NULL, target {integer},
    previous {bytes} NOT NULL, commitment {bytes} NOT NULL, hash {bytes} NOT NULL,
    salt {bytes}, content {bytes}, subject TEXT)"""
SUBJECTS = "CREATE INDEX {name}_subjects ON {name} (subject) WHERE subject IS NOT NULL"
START = "CREATE TABLE start (model {bytes} NOT NULL)"  # the file that the ledger began with, if its documents are not known
PROCESSES = """CREATE TABLE IF NOT EXISTS processes (
    id TEXT PRIMARY KEY, host TEXT NOT NULL, machine TEXT NOT NULL, process {integer} NOT NULL, started {integer} NOT NULL,
    dropped {integer} NOT NULL, seen {number} NOT NULL)"""
ENTRY = ", ".join(Entry._fields)
PUT_ENTRY = f"""INSERT INTO processes ({ENTRY}, seen) VALUES (?, ?, ?, ?, ?, ?, {{clock}})
    ON CONFLICT (id) DO UPDATE SET dropped = excluded.dropped, seen = excluded.seen"""
NEW_ERASURE = "SELECT max(number), max(CASE WHEN verb = 'erase' THEN number END) FROM events WHERE number > ?"
SELECT = f"SELECT {COLUMNS} FROM events WHERE number >= ? AND number <= ? ORDER BY number"
INSERT = f"INSERT INTO events ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
BLANK = "UPDATE events SET salt = NULL, content = NULL, subject = NULL WHERE number = ?"
MAX_NUMBER = (1 << 63) - 1  # the largest number of an event
AT_A_TIME = 500  # events that are asked for by their numbers together
MAX_IDLE = 8  # connections that are kept for the next readers
PATIENCE_SECONDS = 60.0  # for another process that writes, opens or closes the database
TELL_SECONDS = 1.0  # to wait for another process that writes, before somebody is told
ENTRY_SECONDS = 5.0  # for another process that writes its entry
LOCK_SECONDS = 0.1  # to wait for readers of a table that is going to be rewritten
URL = ("postgresql://", "postgres://")

Location = str | os.PathLike[str]
Tell = Callable[[str], None]
Reading = Callable[[], AbstractContextManager[Any]]  # opens a connection to read through


def is_url(location: Location) -> bool:
    """Whether a ledger is in PostgreSQL, and not in a file."""
    return isinstance(location, str) and location.startswith(URL)


def check_free(path: Location) -> None:
    """Raise CannotWrite if there is a file at this path."""
    if os.path.lexists(path):
        raise CannotWrite(f"{os.fspath(path)} exists: a ledger is never overwritten. Name another file.")


def open_database(
    location: Location, *, new: bool, write: bool, locked: bool, wait_seconds: float | None, tell: Tell, resources: ExitStack
) -> "Database":
    """The database at a path or a URL. It is closed, and a lock of it is released, with the resources.

    `locked` says that another process holds the lock of the file for this one.
    """
    if is_url(location):
        database: Database = PostgreSQLDatabase(os.fspath(location), new=new, write=write, tell=tell)
    else:
        if new:
            check_free(location)  # before the wait for the lock: a server may hold it for long
        if write and not locked:
            resources.enter_context(own_lock(location, wait_seconds=wait_seconds, tell=tell))
        database = SQLiteDatabase(location, new=new, write=write, is_shared=locked)
    resources.callback(database.close)
    return database


class Database(ABC):
    """The tables of a ledger.

    One connection writes. A thread that is in a transaction reads through it, and so sees what it has just written. All others
    read through connections of their own, which never wait for the writer, and are kept for the next readers.
    """

    types: ClassVar[dict[str, str]]  # the names of SQL types, and the seconds since 1970
    outside: ClassVar[tuple[str, ...]] = ()  # what an erasure does not reach in such a database
    location: str  # a path or a URL
    name: str  # the same for messages

    def __init__(self, *, new: bool, write: bool, is_shared: bool) -> None:
        self.is_shared = is_shared  # whether several processes may write in turn
        self._writing: int | None = None  # the thread that is in a transaction
        self._process = os.getpid()  # the process that has opened the connections
        self._idle: list[Any] = []  # connections that nobody reads through now
        self._is_closed = False
        # Many open a ledger for reading, and do not close it.
        finalize(self, close_connections, self._idle, self._process).atexit = False
        self._writer: Any = self._connect() if write or new else None
        if self._writer is None:
            return
        try:
            self._prepare(new)
        except BaseException:
            self.close()
            raise

    def _prepare(self, new: bool) -> None:
        """Make the tables, or check that they are there."""
        with self._explain():
            if not new:
                self._writer.execute("SELECT number FROM events LIMIT 1")
                return
            self._writer.execute("BEGIN")
            try:
                for statement in (EVENTS, SUBJECTS, START, "COMMIT"):
                    self._writer.execute(statement.format(name="events", **self.types))
            except BaseException:
                self._roll_back()
                raise

    @abstractmethod
    def _connect(self) -> Any:
        """A connection, which commits each statement unless a transaction is open."""

    @abstractmethod
    def _explain(self) -> AbstractContextManager[None]:
        """Say what an error of the database means."""

    @abstractmethod
    def _stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        """Rows, of which only some are in memory at a time."""

    @abstractmethod
    def rewrite(self) -> bool:
        """Write the whole table anew, so that deleted bytes are nowhere in it. Returns whether this was possible now."""

    @abstractmethod
    def empty_log(self) -> bool:
        """Delete what the database still keeps of the old table. Returns whether no reader holds it any more."""

    @abstractmethod
    def discard(self) -> None:
        """Delete a ledger that could not begin."""

    def _spell(self, statement: str) -> str:
        return statement

    @property
    def is_read_only(self) -> bool:
        return self._writer is None

    # Reading.

    def _reading(self) -> Reading:
        """How this thread reads. Decide it when a method is called: another thread may read the events ahead, and must see what
        the transaction of this thread has written."""
        return partial(nullcontext, self._writer) if self._writing == get_ident() else self._read_alone

    @contextmanager
    def _read_alone(self) -> Iterator[Any]:
        connection = self._take_idle() or self._connect()
        try:
            yield connection
        except BaseException:  # perhaps in the middle of reading
            connection.close()
            raise
        if self._is_closed or len(self._idle) >= MAX_IDLE or self._process != os.getpid():
            connection.close()
        else:
            self._idle.append(connection)

    def _take_idle(self) -> Any:
        """A connection that nobody reads through now, or None. A forked process does not use those of its parent."""
        while self._idle and self._process == os.getpid():
            with suppress(IndexError):  # another thread was faster
                connection = self._idle.pop()
                if self._is_alive(connection):
                    return connection
                connection.close()
        return None

    def _is_alive(self, connection: Any) -> bool:
        return True

    def close_idle(self) -> None:
        """Close the connections that nobody reads through now, with the pages that they have in memory."""
        close_connections(self._idle, self._process)

    def read(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        """The events with these numbers, as they were when the first of them was read."""
        return self._read(self._reading(), first, last)

    def _read(self, reading: Reading, first: int, last: int | None) -> Iterator[Event]:
        with self._explain(), reading() as connection:
            for row in self._stream(connection, self._spell(SELECT), (first, MAX_NUMBER if last is None else last)):
                yield Event._make(row)

    def pick(self, numbers: Iterable[int]) -> Iterator[Event]:
        """The events with these numbers, in their order, some hundred at a time."""
        return self._pick(self._reading(), iter(sorted(numbers)))

    def _pick(self, reading: Reading, numbers: Iterator[int]) -> Iterator[Event]:
        while some := list(islice(numbers, AT_A_TIME)):
            marks = ", ".join("?" * len(some))
            for row in self._fetch(f"SELECT {COLUMNS} FROM events WHERE number IN ({marks}) ORDER BY number", some, reading):
                yield Event._make(row)

    def find_last(self) -> int:
        """The number of the last event; 0 if there is none."""
        return self._fetch("SELECT max(number) FROM events")[0][0] or 0

    def find_subject(self, subject: str, *, looks_at_all: bool = False) -> list[int]:
        """The numbers of the events about this person. An index finds them, or all events are looked at, in case it is damaged.

        A chain of hashes can't show that an index is damaged.
        """
        column = "subject || ''" if looks_at_all else "subject"
        found = self._fetch(f"SELECT number FROM events WHERE {column} = ? ORDER BY number", (subject,))
        return [number for (number,) in found]

    @property
    def may_have_news(self) -> bool:
        """Whether another process may write."""
        return self.is_shared or self.is_read_only

    def find_erasure(self, after: int) -> tuple[int, int]:
        """The last event after this one, and the last erasure; 0 if there is none. Only the events after it are read."""
        last, erasure = self._fetch(NEW_ERASURE, (after,))[0]
        return last or 0, erasure or 0

    def read_start(self) -> bytes | None:
        """The model file that the ledger began with."""
        rows = self._fetch("SELECT model FROM start")
        return bytes(rows[0][0]) if rows else None

    def _fetch(self, statement: str, values: Sequence[Any] = (), reading: Reading | None = None) -> list[Any]:
        """All rows of an answer."""
        with self._explain(), (reading or self._reading())() as connection:
            rows: list[Any] = connection.execute(self._spell(statement), values).fetchall()
            return rows

    # Writing.

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction: everything that is written in the block is on the disk afterwards, or nothing if there is an error."""
        with self._explain(), self._take_turn():
            self._begin()
            self._writing = get_ident()
            try:
                yield
                self._writer.execute("COMMIT")
            except BaseException:
                self._roll_back()
                raise
            finally:
                self._writing = None

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """A part of a transaction: after an error in the block, nothing of the block is written, and the rest may be."""
        with self._explain():
            self._writer.execute("SAVEPOINT change")
            try:
                yield
            except BaseException:
                if self._is_in_transaction():  # some errors have ended it already
                    self._writer.execute("ROLLBACK TO SAVEPOINT change")
                raise
            self._writer.execute("RELEASE SAVEPOINT change")

    def _take_turn(self) -> AbstractContextManager[None]:
        """Wait until no other process writes."""
        return nullcontext()

    @abstractmethod
    def _begin(self) -> None: ...

    @abstractmethod
    def _is_in_transaction(self) -> bool: ...

    def _roll_back(self) -> None:
        if self._is_in_transaction():  # some errors have ended it already
            self._writer.execute("ROLLBACK")

    def insert(self, events: Iterable[Event]) -> None:
        names = COLUMNS.split(", ")
        rows = ([getattr(event, name) for name in names] for event in events)
        self._writer.cursor().executemany(self._spell(INSERT), rows)

    def insert_start(self, model: bytes) -> None:
        self._writer.execute(self._spell("INSERT INTO start (model) VALUES (?)"), (model,))

    def blank(self, numbers: Iterable[int]) -> None:
        """Delete salt, content and subject of these events."""
        self._writer.cursor().executemany(self._spell(BLANK), [(number,) for number in numbers])

    # The entries of the processes that have the ledger open (`open_processes.py`). They never wait for a transaction.

    @abstractmethod
    def _open_entries(self) -> AbstractContextManager[Any]:
        """A connection to the table of entries."""

    def write_entry(self, entry: Entry) -> None:
        """Write an entry that is new, or in place of the old one, with the time of now."""
        statement = self._spell(PUT_ENTRY.format(**self.types))
        with suppress(NoLedger), self._explain(), self._open_entries() as connection:
            connection.execute(statement, tuple(entry))
            return
        self.find_last()  # an error if there is no ledger
        with self._explain(), self._open_entries() as connection:  # the first entry
            connection.execute(PROCESSES.format(**self.types))
            connection.execute(statement, tuple(entry))

    def read_entries(self) -> list[SeenEntry]:
        """All entries, and how old they are."""
        statement = f"SELECT {ENTRY}, {self.types['clock']} - seen FROM processes"
        try:
            with self._explain(), self._open_entries() as connection:
                return [SeenEntry(Entry._make(own), float(age)) for *own, age in connection.execute(statement).fetchall()]
        except NoLedger:  # there is no such table: nobody has written one
            return []

    def delete_entries(self, ids: Sequence[str]) -> None:
        with self._explain(), self._open_entries() as connection:
            for each in ids:
                connection.execute(self._spell("DELETE FROM processes WHERE id = ?"), (each,))

    def close(self) -> None:
        self._is_closed = True
        self.close_idle()
        if self._writer is not None:
            self._writer.close()
            self._writer = None


def close_connections(connections: list[Any], process: int) -> None:
    """Close connections that this process has opened."""
    while connections and process == os.getpid():
        with suppress(IndexError):  # another thread was faster
            connections.pop().close()


class SQLiteDatabase(Database):
    """A ledger in one file, beside which SQLite keeps two files (-wal and -shm) while it is open."""

    types: ClassVar = {
        "bytes": "BLOB",
        "integer": "INTEGER",
        "number": "REAL",
        "clock": "(julianday('now') - 2440587.5) * 86400.0",
    }
    settings = (
        "PRAGMA synchronous = FULL",  # each commit waits until the disk has it
        "PRAGMA fullfsync = ON",  # also on macOS
        "PRAGMA secure_delete = ON",  # deleted bytes are overwritten
        "PRAGMA temp_store = MEMORY",  # no text in temporary files
    )

    def __init__(self, path: Location, *, new: bool = False, write: bool = False, is_shared: bool = False) -> None:
        self.path = Path(path)
        self.location = self.name = os.fspath(path)
        if new:
            check_free(path)
            make_private(path)  # before SQLite does. The files beside it get the same mode.
        if not new and not self.path.is_file():
            raise NoLedger(f"{path} does not exist, or is not a file. Begin a ledger with: tercet ledger begin.")
        super().__init__(new=new, write=write, is_shared=is_shared)

    def _prepare(self, new: bool) -> None:
        try:
            super()._prepare(new)
            with self._explain():
                self._writer.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            if new:  # nobody else has written into the file
                self.discard()
            raise
        if new:
            flush_folder(self.path.resolve().parent)

    def _connect(self) -> sqlite3.Connection:
        with self._explain():
            connection = sqlite3.connect(self.path, timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False)
            for setting in self.settings:
                connection.execute(setting)
            return connection

    def _stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        with closing(connection.execute(statement, values)) as rows:
            yield from rows

    def _take_turn(self) -> AbstractContextManager[None]:
        # SQLite would let each process ask again and again, and some would wait for seconds.
        return take_turn(self.path) if self.is_shared else nullcontext()

    def _begin(self) -> None:
        self._writer.execute("BEGIN IMMEDIATE")

    def _is_in_transaction(self) -> bool:
        return bool(self._writer.in_transaction)

    def rewrite(self) -> bool:
        with self._explain(), self._take_turn():
            self._writer.execute("VACUUM")
        return True

    def empty_log(self) -> bool:
        """The log beside the file is copied into it, and cut to nothing. Readers of old pages prevent this."""
        with self._explain():
            self._writer.execute("PRAGMA busy_timeout = 0")
            try:
                (is_busy, _, _) = self._writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            finally:
                self._writer.execute(f"PRAGMA busy_timeout = {PATIENCE_SECONDS * 1000:.0f}")
        return not is_busy

    def copy_to(self, path: Path) -> None:
        """Write a consistent copy to a new file, even while events are appended."""
        make_private(path)
        with self._explain(), self._read_alone() as connection:
            target = sqlite3.connect(path)
            try:
                connection.backup(target)
                target.execute("PRAGMA journal_mode = DELETE")  # one file, without others beside it
            finally:
                target.close()

    @contextmanager
    def _open_entries(self) -> Iterator[sqlite3.Connection]:
        """A small database beside the file, which no other process uses meanwhile. It is deleted with its last entry."""
        path = self._entries
        with closing(self._lock_entries(path)) as connection:
            own = path.stat()
            yield connection
            connection.execute("COMMIT")
            connection.execute("BEGIN IMMEDIATE")  # without a change, so that SQLite has no journal beside it
            is_empty = not connection.execute("SELECT count(*) FROM processes").fetchone()[0]
            if is_empty and path.exists() and os.path.samestat(own, path.stat()):
                path.unlink()

    @property
    def _entries(self) -> Path:
        return name_beside(Path(os.path.realpath(self.path)), "open")

    def _lock_entries(self, path: Path) -> sqlite3.Connection:
        """A connection in a transaction. If the file was deleted before it began, another process has begun a new one."""
        while True:
            make_like(path, self.path)
            with ExitStack() as opened, suppress(FileNotFoundError):
                before = path.stat()
                connection = sqlite3.connect(path, timeout=ENTRY_SECONDS, isolation_level=None)
                opened.callback(connection.close)
                connection.execute("PRAGMA synchronous = OFF")  # entries are of no use after a power cut
                connection.execute("BEGIN IMMEDIATE")
                if os.path.samestat(before, path.stat()):
                    opened.pop_all()
                    return connection

    def write_entry(self, entry: Entry) -> None:
        try:
            super().write_entry(entry)
        except BadLedger:  # a power cut has damaged it: each process writes its entry again
            self._entries.unlink(missing_ok=True)
            super().write_entry(entry)

    def discard(self) -> None:
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.name}{ending}").unlink(missing_ok=True)
        self._entries.unlink(missing_ok=True)

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._translate(error) from error
        except UnicodeDecodeError as error:  # SQLite's message quotes damaged bytes, and Python can't read it
            raise BadLedger(f"{self.name} is no ledger, or is damaged: its names are not UTF-8.") from error

    def _translate(self, error: sqlite3.Error) -> Exception:
        name: str = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) or type(error) is sqlite3.DatabaseError:
            return BadLedger(f"{self.name} is no ledger, or is damaged: {error}.")
        if name == "SQLITE_ERROR":
            return NoLedger(f"{self.name} is no ledger: {error}. Begin a ledger with: tercet ledger begin.")
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            return CannotWrite(f"{self.name} is in use by another program, which does not end: nothing was written.")
        what = "the disk is full" if name == "SQLITE_FULL" else str(error)
        return CannotWrite(f"{self.name} can't be written or read: {what}. Nothing was written; all earlier events are safe.")


class PostgreSQLDatabase(Database):
    """A ledger in a schema of PostgreSQL, named by a URL. Several processes may write: each transaction locks the table."""

    types: ClassVar = {
        "bytes": "BYTEA",
        "integer": "BIGINT",
        "number": "DOUBLE PRECISION",
        "clock": "EXTRACT(EPOCH FROM clock_timestamp())",
    }
    outside = ("the write-ahead log of PostgreSQL, its archives, replicas and backups: they are the administrator's",)
    settings = (
        "SET synchronous_commit = on",
        f"SET lock_timeout = {PATIENCE_SECONDS * 1000:.0f}",
        "SET client_encoding = 'UTF8'",
    )

    def __init__(self, url: str, *, new: bool = False, write: bool = False, tell: Tell = warn) -> None:
        self._psycopg = import_extra("psycopg", package="psycopg", extra="postgresql", purpose="a ledger in PostgreSQL needs")
        self._numbers = count()  # numbers of cursors
        self._tell = tell
        self.location, self.name = url, self._hide_password(url)
        super().__init__(new=new, write=write, is_shared=True)

    def _hide_password(self, url: str) -> str:
        """The database for messages: its name and its computer."""
        try:
            parts = self._psycopg.conninfo.conninfo_to_dict(url)
        except self._psycopg.ProgrammingError as error:
            raise NoLedger("the URL of the ledger can't be read: write postgresql://user@host/database.") from error
        return f"postgresql://{parts.get('host', 'localhost')}/{parts.get('dbname', '')}"

    def _connect(self) -> Any:
        with self._explain():
            connection = self._psycopg.connect(self.location, autocommit=True)
            for setting in self.settings:
                connection.execute(setting)
            return connection

    def _is_alive(self, connection: Any) -> bool:
        """Whether the server has not closed it: then there would be something to read, though nobody has asked."""
        if connection.closed:
            return False
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            return not selector.select(timeout=0)

    def _spell(self, statement: str) -> str:
        return statement.replace("?", "%s")

    def _stream(self, connection: Any, statement: str, values: Sequence[Any]) -> Iterator[Sequence[Any]]:
        # A cursor needs a transaction, and a name of its own: a transaction may read several times at once.
        transaction = nullcontext() if connection is self._writer else connection.transaction()
        with transaction, connection.cursor(name=f"events{next(self._numbers)}") as cursor:
            cursor.itersize = 1000
            cursor.execute(statement, values)
            yield from cursor

    def _begin(self) -> None:
        if not self._is_alive(self._writer):  # PostgreSQL was started again
            self._writer.close()
            self._writer = self._connect()
        self._writer.execute("BEGIN")
        try:
            with self._say_if_it_waits():
                self._writer.execute("LOCK TABLE events IN EXCLUSIVE MODE")  # readers do not wait for it
        except BaseException:
            self._roll_back()
            raise

    @contextmanager
    def _say_if_it_waits(self) -> Iterator[None]:
        message = f"waiting for another program that is writing to {self.name} …"
        timer = Timer(TELL_SECONDS, self._tell, [message])
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _is_in_transaction(self) -> bool:
        return not self._writer.closed

    def rewrite(self) -> bool:
        """The rows are copied to a new table, and the old one is dropped. Readers of the old table prevent this."""
        with self._explain():
            self._begin()
            try:
                self._writer.execute(f"SET LOCAL lock_timeout = {LOCK_SECONDS * 1000:.0f}")
                self._writer.execute("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
                self._writer.execute(EVENTS.format(name="events_anew", **self.types))
                self._writer.execute(f"INSERT INTO events_anew ({COLUMNS}) SELECT {COLUMNS} FROM events")
                self._writer.execute("DROP TABLE events")
                self._writer.execute("ALTER TABLE events_anew RENAME TO events")
                self._writer.execute(SUBJECTS.format(name="events"))
                self._writer.execute("COMMIT")
            except self._psycopg.errors.LockNotAvailable:
                self._roll_back()
                return False
            except BaseException:
                self._roll_back()
                raise
        return True

    def _open_entries(self) -> AbstractContextManager[Any]:
        return self._read_alone()

    def empty_log(self) -> bool:
        """PostgreSQL deletes the files of dropped tables at a checkpoint: now, if this user may ask for one."""
        with self._explain(), suppress(self._psycopg.errors.InsufficientPrivilege):
            self._writer.execute("CHECKPOINT")
        return True

    def discard(self) -> None:
        with self._read_alone() as connection:
            connection.execute("DROP TABLE IF EXISTS events, start, processes")

    @contextmanager
    def _explain(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.Error as error:
            raise self._translate(error) from error

    def _translate(self, error: Exception) -> Exception:
        errors, what = self._psycopg.errors, " ".join(str(error).split())
        if isinstance(error, errors.UndefinedTable | errors.UndefinedColumn):
            return NoLedger(f"{self.name} has no ledger: its tables are missing. Begin a ledger with: tercet ledger begin.")
        if isinstance(error, errors.DuplicateTable):
            return CannotWrite(f"{self.name} has a ledger: a ledger is never overwritten. Name another database.")
        if isinstance(error, errors.DataCorrupted | errors.IndexCorrupted):
            return BadLedger(f"{self.name} is damaged: {what}.")
        if isinstance(error, errors.LockNotAvailable):
            return CannotWrite(f"{self.name} is in use by another program, which does not end: nothing was written.")
        if isinstance(error, self._psycopg.OperationalError) and not isinstance(error, errors.DiskFull):
            return CannotWrite(
                f"{self.name} can't be reached: {what}. All earlier events are safe. Whether the last change was written is "
                "known when it can be reached again."
            )
        what = "the disk is full" if isinstance(error, errors.DiskFull) else what
        return CannotWrite(f"{self.name} can't be written or read: {what}. Nothing was written; all earlier events are safe.")
