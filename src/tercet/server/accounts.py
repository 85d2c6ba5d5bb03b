"""Who may use a server: users with a role and a password, and their tokens, in an SQLite file or in PostgreSQL.

Passwords are kept as scrypt hashes, tokens as SHA-256 hashes. A session of a browser is a token, too. All processes of a server
share the database, so a token that is revoked is refused everywhere.
"""

import hashlib
import hmac
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_bytes, token_urlsafe
from typing import Any

from tercet.errors import BadAccounts, CannotWrite, InvalidOption, bad_option, suggest
from tercet.extras import import_extra
from tercet.ledger.database import URL
from tercet.ledger.events import check_name

ROLES = ("reader", "teacher", "admin")  # each may do what the ones before it may
SESSION_SECONDS = 12 * 3600.0
MAX_TOKENS = 100  # of a user, and as many sessions
MIN_CHARACTERS = 10  # of a password
MAX_CHARACTERS = 1000
SCRYPT = {"n": 1 << 15, "r": 8, "p": 1, "maxmem": 1 << 26}  # 32 MiB and a tenth of a second
N_SALT = 16
WINDOW_SECONDS = 600.0  # in which failed log-ins are counted
MAX_ADDRESSES = 100  # from which a user has logged in: the last ones are known
PATIENCE_SECONDS = 30.0
TABLES = (
    "CREATE TABLE IF NOT EXISTS tercet_users (name TEXT PRIMARY KEY, role TEXT NOT NULL, password {bytes})",
    """CREATE TABLE IF NOT EXISTS tercet_tokens (digest TEXT PRIMARY KEY, owner TEXT NOT NULL, kind TEXT NOT NULL,
    role TEXT NOT NULL, note TEXT NOT NULL, expires {number} NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS tercet_failures (who TEXT NOT NULL, time {number} NOT NULL)",
    "CREATE INDEX IF NOT EXISTS tercet_failures_who ON tercet_failures (who)",
    "CREATE TABLE IF NOT EXISTS tercet_addresses (who TEXT PRIMARY KEY, owner TEXT NOT NULL, time {number} NOT NULL)",
)
DROP_OLD = """DELETE FROM tercet_addresses WHERE owner = ? AND who NOT IN
    (SELECT who FROM tercet_addresses WHERE owner = ? ORDER BY time DESC LIMIT ?)"""
TYPES = {True: {"bytes": "BYTEA", "number": "DOUBLE PRECISION"}, False: {"bytes": "BLOB", "number": "REAL"}}


@dataclass(frozen=True)
class User:
    """A user without the password."""

    name: str
    role: str
    has_password: bool


@dataclass(frozen=True)
class AccessToken:
    """What a token gives: whose it is, of which kind, what it allows, and when it expires, in seconds since 1970.

    `id` is the beginning of its hash, which names it in lists.
    """

    digest: str
    owner: str
    kind: str
    role: str
    note: str
    expires: float

    @property
    def id(self) -> str:
        return self.digest[:16]

    @property
    def expires_at(self) -> str:
        """The time as text, in UTC."""
        return datetime.fromtimestamp(self.expires, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True)
class Failures:
    """The failed log-ins of the last ten minutes that concern a name at an address.

    - `is_known`: whether this name has logged in from this address before.
    - `own`, `of_address`, `of_name`: failures of the name at the address, at the address, and of the name.
    """

    is_known: bool
    own: int
    of_address: int
    of_name: int


@dataclass(frozen=True)
class Attempt:
    """A log-in that has begun."""

    name: str
    client: str
    time: float


class Accounts:
    """The users and tokens of a server.

    >>> from tempfile import TemporaryDirectory
    >>> folder = TemporaryDirectory()
    >>> accounts = Accounts(folder.name + "/team.users", new=True)
    >>> accounts.add_user("ann", "teacher", "a long password")
    >>> accounts.check_password("ann", "a long password"), accounts.check_password("ann", "another one")
    (User(name='ann', role='teacher', has_password=True), None)
    >>> token = accounts.issue("ann", "token", seconds=60, role="reader")
    >>> accounts.find(token).role, accounts.find("guess")
    ('reader', None)
    >>> folder.cleanup()
    """

    def __init__(self, location: str | os.PathLike[str], *, new: bool = False) -> None:
        self.location = os.fspath(location)
        self._is_postgresql = self.location.startswith(URL)
        if self._is_postgresql:
            self._psycopg = import_extra("psycopg", package="psycopg", extra="server", purpose="users in PostgreSQL need")
        elif not new:
            self._check_users()
        self._make_tables()

    def _check_users(self) -> None:
        """Raise BadAccounts if there is no file of users: nothing is written into another one."""
        if not Path(self.location).is_file():
            raise BadAccounts(f"{self.location} does not exist, or is not a file. Add the first user with: tercet user add.")
        with self._connect() as connection:
            self._execute(connection, "SELECT count(*) FROM tercet_users")

    def _make_tables(self) -> None:
        """Make the tables that are missing, also in a file of an older version."""
        if not self._is_postgresql and not Path(self.location).exists():
            os.close(os.open(self.location, os.O_CREAT | os.O_WRONLY, 0o600))  # nobody else reads the hashes
        with self._connect() as connection:
            for table in TABLES:
                connection.execute(table.format(**TYPES[self._is_postgresql]))

    # Users.

    def add_user(self, name: str, role: str, password: str | None) -> None:
        """Add a user. Without a password, only tokens let this user in."""
        check_name("a user", name)
        check_role(role)
        digest = None if password is None else hash_password(check_password(password))
        with self._connect() as connection:
            if self._find_row(connection, name) is not None:
                raise InvalidOption(f"there is a user {name!r} already: choose another name, or change the role or password.")
            self._execute(connection, "INSERT INTO tercet_users (name, role, password) VALUES (?, ?, ?)", (name, role, digest))

    def change_user(self, name: str, *, role: str | None = None, password: str | None = None) -> None:
        """Give a user another role or password. All sessions and tokens of the user end."""
        digest = None if password is None else hash_password(check_password(password))
        with self._connect() as connection:
            self._check_known(connection, name)
            if role is not None:
                self._execute(connection, "UPDATE tercet_users SET role = ? WHERE name = ?", (check_role(role), name))
            if digest is not None:
                self._execute(connection, "UPDATE tercet_users SET password = ? WHERE name = ?", (digest, name))
                self._execute(connection, "DELETE FROM tercet_addresses WHERE owner = ?", (name,))
            self._execute(connection, "DELETE FROM tercet_tokens WHERE owner = ?", (name,))

    def remove_user(self, name: str) -> None:
        """Remove a user, with all sessions and tokens. What the user has done stays in the ledgers."""
        with self._connect() as connection:
            self._check_known(connection, name)
            for table, column in (("tercet_tokens", "owner"), ("tercet_addresses", "owner"), ("tercet_users", "name")):
                self._execute(connection, f"DELETE FROM {table} WHERE {column} = ?", (name,))

    def list_users(self) -> list[User]:
        """All users, by name."""
        with self._connect() as connection:
            rows = self._execute(connection, "SELECT name, role, password FROM tercet_users ORDER BY name").fetchall()
        return [User(name, role, password is not None) for name, role, password in rows]

    def check_password(self, name: str, password: str) -> User | None:
        """The user, if the password is right. An unknown name takes as long as a wrong password."""
        with self._connect() as connection:
            row = self._find_row(connection, name)
        known = None if row is None else row[2]
        is_right = is_password(password, NO_PASSWORD if known is None else bytes(known)) and known is not None
        return User(row[0], row[1], True) if row is not None and is_right else None

    def _find_row(self, connection: Any, name: str) -> tuple[Any, ...] | None:
        statement = "SELECT name, role, password FROM tercet_users WHERE name = ?"
        row: tuple[Any, ...] | None = self._execute(connection, statement, (name,)).fetchone()
        return row

    def _check_known(self, connection: Any, name: str) -> str:
        """The role of a user."""
        row = self._find_row(connection, name)
        if row is None:
            names = [known for (known,) in self._execute(connection, "SELECT name FROM tercet_users").fetchall()]
            raise InvalidOption(f"there is no user {name!r}.{suggest(name, names)} `tercet user list` shows all.")
        return str(row[1])

    # Tokens.

    def issue(self, owner: str, kind: str, *, seconds: float, role: str | None = None, note: str = "") -> str:
        """A new token. Its role is at most that of its owner, and by default the same."""
        token = token_urlsafe(32)
        with self._connect() as connection:
            own = self._check_known(connection, owner)
            if role is not None and ROLES.index(check_role(role)) > ROLES.index(own):
                raise InvalidOption(f"{owner!r} has the role {own}, so a token of this user can't have the role {role}.")
            now = time.time()
            self._execute(connection, "DELETE FROM tercet_tokens WHERE expires < ?", (now,))
            self._make_room(connection, owner, kind)
            row = (digest_token(token), owner, kind, role or own, note, now + seconds)
            columns = "digest, owner, kind, role, note, expires"
            self._execute(connection, f"INSERT INTO tercet_tokens ({columns}) VALUES (?, ?, ?, ?, ?, ?)", row)
        return token

    def _make_room(self, connection: Any, owner: str, kind: str) -> None:
        """Raise an error if a user has too many tokens. Of too many sessions, the oldest ends."""
        statement = "SELECT digest FROM tercet_tokens WHERE owner = ? AND kind = ? ORDER BY expires"
        digests = self._execute(connection, statement, (owner, kind)).fetchall()
        if len(digests) < MAX_TOKENS:
            return
        if kind == "token":
            raise InvalidOption(f"{owner!r} has {len(digests)} tokens: revoke one that is not used before making another.")
        for (digest,) in digests[: len(digests) - MAX_TOKENS + 1]:
            self._execute(connection, "DELETE FROM tercet_tokens WHERE digest = ?", (digest,))

    def find(self, token: str) -> AccessToken | None:
        """What a token gives; None if it is unknown, revoked or expired. Its role is never more than its owner has now."""
        statement = """SELECT digest, owner, kind, tercet_tokens.role, note, expires, tercet_users.role
            FROM tercet_tokens JOIN tercet_users ON name = owner WHERE digest = ? AND expires > ?"""
        with self._connect() as connection:
            row = self._execute(connection, statement, (digest_token(token), time.time())).fetchone()
        if row is None:
            return None
        digest, owner, kind, role, note, expires, own = row
        return AccessToken(digest, owner, kind, min(role, own, key=ROLES.index), note, expires)

    def has_token(self, owner: str, digest: str) -> bool:
        """Whether a token of a user, named by its hash, is good."""
        statement = """SELECT 1 FROM tercet_tokens JOIN tercet_users ON name = owner
            WHERE owner = ? AND digest = ? AND expires > ?"""
        with self._connect() as connection:
            return self._execute(connection, statement, (owner, digest, time.time())).fetchone() is not None

    def list_tokens(self, owner: str) -> list[AccessToken]:
        """The sessions and tokens of a user that are not expired, those that end first at the top."""
        statement = """SELECT digest, owner, kind, role, note, expires FROM tercet_tokens
            WHERE owner = ? AND expires > ? ORDER BY expires"""
        with self._connect() as connection:
            self._check_known(connection, owner)
            return [AccessToken(*row) for row in self._execute(connection, statement, (owner, time.time())).fetchall()]

    def revoke(self, owner: str, identifier: str | None) -> None:
        """End one session or token of a user, by its id, or all of them."""
        found = [token.digest for token in self.list_tokens(owner) if identifier in (None, token.id)]
        if not found and identifier is not None:
            raise InvalidOption(f"{owner!r} has no token {identifier!r}: `tercet user tokens` lists them.")
        with self._connect() as connection:
            for digest in found:
                self._execute(connection, "DELETE FROM tercet_tokens WHERE digest = ?", (digest,))

    # Log-ins with a password.

    def count_failures(self, name: str, client: str) -> Failures:
        """The failed log-ins that concern this name at this address."""
        with self._connect() as connection:
            return self._count_failures(connection, name, client)

    def _count_failures(self, connection: Any, name: str, client: str) -> Failures:
        known = "SELECT count(*) FROM tercet_addresses WHERE who = ?"
        failed = "SELECT count(*) FROM tercet_failures WHERE who = ? AND time >= ?"
        is_known = self._execute(connection, known, (hash_who(name, client),)).fetchone()[0]
        oldest, keys = time.time() - WINDOW_SECONDS, list_keys(name, client)
        return Failures(bool(is_known), *(int(self._execute(connection, failed, (key, oldest)).fetchone()[0]) for key in keys))

    def begin_attempt(self, name: str, client: str, is_refused: Callable[[Failures], bool]) -> Attempt | None:
        """A log-in that begins, which counts as a failed one until it is accepted; None if it is refused."""
        attempt = Attempt(name, client, time.time())
        with self._connect() as connection:
            # One at a time: nobody else counts the same failures, and then tries, too.
            connection.execute("LOCK TABLE tercet_failures IN EXCLUSIVE MODE" if self._is_postgresql else "BEGIN IMMEDIATE")
            if is_refused(self._count_failures(connection, name, client)):
                return None
            self._execute(connection, "DELETE FROM tercet_failures WHERE time < ?", (attempt.time - WINDOW_SECONDS,))
            for key in list_keys(name, client):
                self._execute(connection, "INSERT INTO tercet_failures (who, time) VALUES (?, ?)", (key, attempt.time))
        return attempt

    def accept_attempt(self, attempt: Attempt) -> None:
        """The password was right: the log-in is not counted as failed, and its address is known from now on."""
        with self._connect() as connection:
            for key in list_keys(attempt.name, attempt.client):
                self._execute(connection, "DELETE FROM tercet_failures WHERE who = ? AND time = ?", (key, attempt.time))
            who = hash_who(attempt.name, attempt.client)
            self._execute(connection, "DELETE FROM tercet_addresses WHERE who = ?", (who,))
            insert = "INSERT INTO tercet_addresses (who, owner, time) VALUES (?, ?, ?) ON CONFLICT (who) DO NOTHING"
            self._execute(connection, insert, (who, attempt.name, attempt.time))
            self._execute(connection, DROP_OLD, (attempt.name, attempt.name, MAX_ADDRESSES))

    # The database.

    def _execute(self, connection: Any, statement: str, values: Sequence[Any] = ()) -> Any:
        return connection.execute(statement.replace("?", "%s") if self._is_postgresql else statement, values)

    @contextmanager
    def _connect(self) -> Iterator[Any]:
        """A connection; what is written in the block is committed at its end, or not at all after an error."""
        try:
            connection = self._psycopg.connect(self.location) if self._is_postgresql else self._connect_file()
            try:
                yield connection
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            finally:
                connection.close()
        except sqlite3.DatabaseError as error:
            raise self._translate(error) from error
        except Exception as error:
            if self._is_postgresql and isinstance(error, self._psycopg.Error):
                raise CannotWrite("the database of the users does not answer, or refuses. Nothing was changed.") from error
            raise

    def _connect_file(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.location, timeout=PATIENCE_SECONDS)
        connection.execute("PRAGMA secure_delete = ON")
        return connection

    def _translate(self, error: sqlite3.DatabaseError) -> Exception:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR")):
            return BadAccounts(f"{self.location} has no users, or is damaged: {error}. Add users with: tercet user add.")
        return CannotWrite(f"{self.location} can't be written or read: {error}. Nothing was changed.")


def check_role(role: str) -> str:
    if role not in ROLES:
        raise bad_option("role", f"one of {', '.join(ROLES)}", role, "it says what a user may do.")
    return role


def check_password(password: str) -> str:
    """The password, if it is long enough. Nothing else is asked of it."""
    if not MIN_CHARACTERS <= len(password) <= MAX_CHARACTERS:
        raise InvalidOption(
            f"a password needs at least {MIN_CHARACTERS} characters and at most {MAX_CHARACTERS}, got {len(password)}: "
            "short ones can be guessed. Several words are easy to remember."
        )
    return password


def hash_password(password: str) -> bytes:
    """A random salt, and the scrypt hash of the password with it."""
    salt = token_bytes(N_SALT)
    return salt + derive_password_hash(password, salt)


def is_password(password: str, known: bytes) -> bool:
    return hmac.compare_digest(derive_password_hash(password, known[:N_SALT]), known[N_SALT:])


def derive_password_hash(password: str, salt: bytes) -> bytes:
    written = password[: MAX_CHARACTERS + 1].encode("utf-8", "surrogatepass")
    return hashlib.scrypt(written, salt=salt, dklen=32, **SCRYPT)


NO_PASSWORD = bytes(N_SALT + 32)  # the hash of unknown users: no password has it


def list_keys(name: str, client: str) -> tuple[str, str, str]:
    """Under what a failed log-in is counted: the name at its address, the address, and the name."""
    return hash_who(name, client), hash_who("", client), hash_who(name, "")


def hash_who(name: str, client: str) -> str:
    return hashlib.sha256(f"{client} {name}".encode("utf-8", "surrogatepass")).hexdigest()


def digest_token(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
