"""A PostgreSQL server of our own for the tests, in a temporary folder, on loopback, owned by an unprivileged user."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

USER = "postgres"  # the user that Debian's package has made
NUMBERS = count()
FOLDERS: dict[str, tuple[Path, list[str]]] = {}  # of each server, by its URL: its folder, and the command that starts it


def find_programs() -> Path | None:
    """The folder of initdb and pg_ctl, or None."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def explain_missing() -> str:
    """Why no server can be started here; empty if it can."""
    try:
        import pwd

        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is not installed: pip install 'tercet[postgresql]'"
    if find_programs() is None:
        return "PostgreSQL is not installed: apt-get install postgresql"
    try:
        pwd.getpwnam(USER)
    except KeyError:
        return f"there is no user {USER}"
    return (
        "" if os.geteuid() == 0 or pwd.getpwuid(os.geteuid()).pw_name == USER else f"only root or {USER} can start PostgreSQL"
    )


@contextmanager
def start_server() -> Iterator[str]:
    """The URL of a running server. It is stopped, and its folder is deleted, at the end."""
    programs = find_programs()
    assert programs is not None
    folder = Path(mkdtemp(prefix="pg"))
    shutil.chown(folder, USER)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"-c listen_addresses=127.0.0.1 -p {port} -k {folder} -c fsync=off"
    run([str(programs / "initdb"), "-D", f"{folder}/data", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"], folder)
    control = [str(programs / "pg_ctl"), "-D", f"{folder}/data", "-w", "-l", f"{folder}/log"]
    url = f"postgresql://{USER}@127.0.0.1:{port}/postgres"
    FOLDERS[url] = folder, [*control, "-o", options, "start"]
    try:
        run(FOLDERS[url][1], folder)
        yield url
    finally:
        run([*control, "-m", "immediate", "stop"], folder)
        shutil.rmtree(folder, ignore_errors=True)


def kill_server(url: str) -> None:
    """Kill a server with kill -9, and start it again. The URL may be that of a schema."""
    folder, start = FOLDERS[url.partition("?")[0]]
    number = int(Path(folder, "data/postmaster.pid").read_text().splitlines()[0])
    os.kill(number, signal.SIGKILL)
    for _ in range(100):  # its processes end when they see that it is gone; until then it can't start
        try:
            run(start, folder)
            return
        except subprocess.CalledProcessError:
            time.sleep(0.1)
    raise RuntimeError("PostgreSQL does not start again")


def make_schema(server: str) -> str:
    """The URL of a new schema of this server."""
    import psycopg

    name = f"ledger{next(NUMBERS)}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {name}")  # type: ignore[arg-type]
    return f"{server}?options=-csearch_path%3D{name}"


def run(command: list[str], folder: Path) -> None:
    user = {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **user)  # type: ignore[call-overload]
