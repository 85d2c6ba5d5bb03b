"""Start the server: models and ledgers, users or a link for this computer, the address, and the processes that answer.

Connections can't be held open for nothing: the head of a request must arrive in time, and must not be huge, and the client must
read its answer.
"""

import atexit
import getpass
import os
import signal
import socket
import sys
import threading
from asyncio import TimerHandle, Transport
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

from starlette.applications import Starlette
from uvicorn import Config, Server
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.supervisors import Multiprocess

from tercet.errors import BadSource, CannotWrite, InvalidOption
from tercet.ledger.beginning import begin_beside
from tercet.ledger.ledger import Ledger
from tercet.server.accounts import Accounts
from tercet.server.addresses import Address, describe_trust, is_local, read_network
from tercet.server.app import ServerOptions, make_app
from tercet.server.beginnings import remove_unfinished
from tercet.server.limits import Limits
from tercet.server.memory import keep_little
from tercet.server.served_model import ModelLocation

HEAD_SECONDS = 20.0
MAX_BYTES = 1 << 16  # of the head of a request
UNREAD_SECONDS = 60.0  # that a client may read nothing
ANSWER_SECONDS = 10  # for answers that are under way when the server ends
HEALTH_SECONDS = 60  # that a process may be silent, also while it starts on a busy computer, before it is replaced
END_SECONDS = 25  # after a signal, the process has ended


class Connection(HttpToolsProtocol):
    """uvicorn's connection, with these limits."""

    _timer: TimerHandle | None = None
    _n_bytes = 0
    _unread_timer: TimerHandle | None = None

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_unread()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        super().pause_writing()
        self._expect_reading(0)

    def resume_writing(self) -> None:
        self._stop_unread()
        super().resume_writing()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._timer is not None:
            self._n_bytes += len(data)
            if self._n_bytes > MAX_BYTES:
                self._give_up()

    def on_message_begin(self) -> None:
        self._expect_head()
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        super().on_headers_complete()

    def shutdown(self) -> None:
        """The server ends. It waits for answers, but not for a stream that has no end."""
        state = self.scope["state"] if self.cycle is not None and self.scope else {}
        if state.get("is_endless"):
            self.transport.close()
        else:
            super().shutdown()

    def _expect_reading(self, n_before: int) -> None:
        """Give up a client that has read nothing since the last look: what waits for it would stay in memory."""
        n = self.transport.get_write_buffer_size()
        if n == n_before:
            self.transport.abort()
        else:
            self._unread_timer = self.loop.call_later(UNREAD_SECONDS, self._expect_reading, n)

    def _stop_unread(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _expect_head(self) -> None:
        self._stop_waiting()
        self._n_bytes = 0
        self._timer = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _give_up(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()


LINK_SECONDS = 365 * 86400.0  # the token of a link is deleted with the server
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"format": "tercet: %(message)s"}},
    "handlers": {"talk": {"class": "logging.StreamHandler", "formatter": "plain", "stream": "ext://sys.stderr"}},
    "loggers": {"tercet.server": {"handlers": ["talk"], "level": "INFO"}, "uvicorn": {"level": "CRITICAL"}},
}

Tell = Callable[[str], None]


@dataclass(frozen=True)
class StartOptions:
    """How to serve.

    - `host`, `port`: the address to listen at. Port 0 is any free one.
    - `url`: the address that people use, if other computers may ask.
    - `users`: the file or database of the users (see `accounts`); None is for this computer alone, with a link.
    - `proxies`: the addresses of proxies, whose headers say where a request comes from.
    - `workers`: the number of processes that answer.
    - `folder`: where an admin can make new models; None if nobody can.
    """

    host: str = "127.0.0.1"
    port: int = 8420
    url: str | None = None
    users: str | None = None
    proxies: tuple[str, ...] = ()
    workers: int = 1
    limits: Limits = field(default_factory=Limits)
    folder: Path | None = None

    def check(self) -> None:
        """Raise InvalidOption if others could get in without a password."""
        for proxy in self.proxies:
            read_network(proxy)
        if is_local(self.host) and self.url is None:
            return
        if self.users is None:
            raise InvalidOption(
                f"others can reach {self.url or self.host}, so the server needs to know its users: add one with "
                "`tercet user add team.users NAME --role admin`, and give --users team.users."
            )
        if self.url is None:
            raise InvalidOption("if others can reach the server, give the address that they use: --url https://tercet.example.")


def find_models(location: Path, ledger: str | None, *, read_only: bool) -> tuple[ModelLocation, ...]:
    """The model of a file, or all models of a folder, each with its ledger beside it. An empty folder has none yet."""
    if not location.is_dir():
        own = None if read_only else ledger or os.fspath(location.with_suffix(".ledger"))
        return (ModelLocation(location.stem, location, own),)
    if ledger is not None:
        raise InvalidOption("--ledger names the ledger of one model, and a folder may have several: name the file of a model.")
    endings = (".tercet",) if read_only else (".tercet", ".ledger")  # a model file may be missing: the ledger has everything
    found = {path.with_suffix(".tercet") for path in location.iterdir() if path.suffix in endings}
    if not found and read_only:
        raise BadSource(f"{location} has no model: `tercet train DATA -o {location}/NAME.tercet` makes one.")
    return tuple(each for path in sorted(found) for each in find_models(path, None, read_only=read_only))


def begin_ledger(location: ModelLocation, actor: str, tell: Tell) -> ModelLocation:
    """The same location, with a ledger that has begun. A model that can't learn is served without one."""
    if location.ledger is None or begin_beside(location.path, location.ledger, actor, tell):
        return location
    tell(f"{location.path} can't learn, so it is served for answers only")
    return ModelLocation(location.name, location.path, None)


def serve(models: Sequence[ModelLocation], how: StartOptions, *, announce: Tell, tell: Tell) -> bool:
    """Serve until a signal ends it. `announce` gets the address when it can be opened. Returns whether it could start."""
    how.check()
    if how.folder is not None:
        remove_unfinished(how.folder)
    actor = find_actor()
    locations = tuple(begin_ledger(each, actor, tell) for each in models)
    with ExitStack() as resources:
        for each in locations:
            hold_lock(each.ledger, resources)
        listening = resources.enter_context(listen(how.host, how.port))
        port = listening.getsockname()[1]
        address = Address.local(port) if how.url is None else Address.public(how.url)
        accounts, link = how.users, ""
        if accounts is None:
            accounts, link = make_link(resources.enter_context(TemporaryDirectory(prefix="tercet-")), actor)
        else:
            Accounts(accounts)  # an error if it is none
        options = ServerOptions(
            locations,
            accounts,
            address,
            port,
            how.limits,
            how.proxies,
            is_locked=True,
            models_folder=how.folder,
            is_alone=how.workers == 1,
        )
        for line in describe_trust(how.proxies):
            tell(line)
        url = f"{how.url or f'http://{name_host(how.host)}:{port}'}/{link}"
        return run(make_config(options, how.workers), listening, lambda: announce(url))


def hold_lock(ledger: str | None, resources: ExitStack) -> None:
    """Hold the lock of a ledger for all processes of this server."""
    try:
        if ledger is not None:
            resources.enter_context(Ledger.hold(ledger, wait_seconds=0.0))
    except CannotWrite:
        raise CannotWrite(f"{ledger} is in use: another server or program writes to it. End that one first.") from None


def find_actor() -> str:
    """The name of the user of this computer, for the ledger."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "local"


def make_link(folder: str, user: str) -> tuple[str, str]:
    """Users for this computer alone, and the end of a link that lets its owner in.

    The token stands behind #, so that it is in no request and in no log.
    """
    location = os.path.join(folder, "local.users")
    accounts = Accounts(location, new=True)
    accounts.add_user(user, "admin", None)
    return location, f"#token={accounts.issue(user, 'link', seconds=LINK_SECONDS)}"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens at this address."""
    try:
        found = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=2048)
    except OSError as error:
        raise CannotWrite(
            f"can't listen at {host}, port {port}: {error.strerror}. If the port is in use, --port 0 takes a free one."
        ) from None
    found.set_inheritable(True)
    return found


def name_host(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def make_app_of_process(options: ServerOptions) -> Starlette:
    """The application of a process that ends in time, and keeps little memory that it does not use."""
    keep_little()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, partial(end_in_time, signal.getsignal(number)))
    atexit.register(leave)
    return make_app(options)


def end_in_time(then: Any, number: int, frame: FrameType | None) -> None:
    """End as uvicorn does. If that takes too long, the system ends the process: whatever was promised is on the disk."""
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(END_SECONDS)
    if callable(then):
        then(number, frame)


def leave(code: int = 0) -> None:
    """End at once if threads still work: Python would stop them in the middle of the kernel, which is an error there."""
    if any(thread.daemon for thread in threading.enumerate()):
        os._exit(code)


def fail() -> bool:
    """False, for a server that could not start: the process ends with the exit code of an error, also if threads still work."""
    atexit.unregister(leave)
    atexit.register(leave, 2)
    return False


def make_config(options: ServerOptions, workers: int) -> Config:
    return Config(
        partial(make_app_of_process, options),
        factory=True,
        http=Connection,
        workers=workers,
        log_config=LOGGING,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=ANSWER_SECONDS,
        timeout_worker_healthcheck=HEALTH_SECONDS,
    )


class AnnouncedServer(Server):
    """A server that says when it can be used."""

    def __init__(self, config: Config, announce: Callable[[], None]) -> None:
        super().__init__(config)
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._announce()


def allow_connections() -> None:
    """As many connections as the system allows. Many systems begin with 1024, which one client can open."""
    if sys.platform == "win32":
        return
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def run(config: Config, listening: socket.socket, announce: Callable[[], None]) -> bool:
    """Run until a signal comes. Returns whether it could start."""
    allow_connections()
    signal.signal(signal.SIGTERM, lambda *_: None)  # uvicorn ends the server, and then sends the signal again
    signal.signal(signal.SIGINT, lambda *_: None)
    try:
        if config.workers == 1:
            server = AnnouncedServer(config, announce)
            server.run(sockets=[listening])
            return server.started or fail()
        announce()  # requests wait until a process can answer
        workers = Multiprocess(config, sockets=[listening])
        workers.run()
    except SystemExit:  # how uvicorn ends if the application does not start
        return fail()
    ended = (0, -signal.SIGTERM, -signal.SIGINT)  # uvicorn's processes end by the signal that they got
    return all(each.process.exitcode in ended for each in workers.processes)
