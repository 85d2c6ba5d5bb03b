"""A server in this process, or in processes of its own, and small models to serve."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the server needs the extra [server]")
pytest.importorskip("msgspec", reason="the server needs the extra [server]")

import httpx
from starlette.testclient import TestClient

import tercet
from tercet.ledger.ledger import Ledger
from tercet.server.accounts import Accounts
from tercet.server.addresses import Address
from tercet.server.app import ServerOptions, make_app
from tercet.server.limits import Limits
from tercet.server.served_model import ModelLocation

TEXTS = ["so good a film", "a lovely warm story", "dull and bad", "an awful plot", "a great cast", "a boring mess"]
LABELS = ["pos", "pos", "neg", "neg", "pos", "neg"]
HOST = "http://127.0.0.1:8420"
ROLES = ("reader", "teacher", "admin")
PASSWORD = "correct horse"


def write_model(folder: Path, name: str = "reviews", model: Any = None) -> ModelLocation:
    """The ledger of a model of six documents. The server writes the model file."""
    path, ledger = folder / f"{name}.tercet", folder / f"{name}.ledger"
    categorizer = model or tercet.Categorizer()
    documents = tercet.Documents(TEXTS, LABELS)
    Ledger.begin(ledger, categorizer, documents, actor="ann", subjects=[f"person {i}" for i in range(6)]).close()
    return ModelLocation(name, path, os.fspath(ledger))


def write_users(folder: Path) -> Accounts:
    """A user for each role, with the name of the role."""
    accounts = Accounts(folder / "team.users", new=True)
    for role in ROLES:
        accounts.add_user(role, role, PASSWORD if role == "teacher" else None)  # hashing a password takes a tenth of a second
    return accounts


class Served:
    """A server in this process: its client, its users, and a token for each role."""

    def __init__(self, client: TestClient, accounts: Accounts) -> None:
        self.client, self.accounts = client, accounts
        self.tokens = {role: accounts.issue(role, "token", seconds=3600) for role in ROLES}

    def __call__(self, method: str, path: str, message: Any = None, *, role: str = "admin", **more: Any) -> httpx.Response:
        """Send a request with the token of a role."""
        headers = {"Authorization": f"Bearer {self.tokens[role]}", **more.pop("headers", {})}
        given = {} if message is None else {"json": message}
        return self.client.request(method, path, headers=headers, **given, **more)

    def post(self, what: str, message: Any = None, **more: Any) -> httpx.Response:
        return self("POST", f"/api/models/reviews/{what}", message, **more)


@contextmanager
def serve_here(folder: Path, places: list[ModelLocation] | None = None, **options: Any) -> Iterator[Served]:
    """Serve models in this process."""
    accounts = write_users(folder)
    chosen = ServerOptions(
        models=tuple(places or [write_model(folder)]),
        accounts=accounts.location,
        address=options.pop("address", Address.local(8420)),
        port=8420,
        limits=options.pop("limits", Limits()),
        **options,
    )
    app, computer = make_app(chosen), ("127.0.0.1", 50000)
    with TestClient(app, base_url=HOST, raise_server_exceptions=False, client=computer) as client:
        yield Served(client, accounts)


class Program:
    """`tercet serve` in a process of its own."""

    def __init__(self, process: "subprocess.Popen[str]", link: str) -> None:
        self.process = process
        self.url, _, token = link.strip().partition("/#token=")
        self.client = httpx.Client(base_url=self.url, timeout=60)
        if token:
            session = self.client.post("/api/session", json={"token": token}).json()
            self.client.headers["X-CSRF-Token"] = session["csrf"]

    def post(self, what: str, message: Any, model: str = "reviews", **more: Any) -> httpx.Response:
        return self.client.post(f"/api/models/{model}/{what}", json=message, **more)

    def make_token(self, role: str = "admin") -> str:
        return str(self.client.post("/api/tokens", json={"role": role}).json()["token"])


@contextmanager
def serve_apart(*words: str, cwd: Path, env: dict[str, str] | None = None) -> Iterator[Program]:
    """Run `tercet serve` with these words, until the block ends."""
    command = [sys.executable, "-m", "tercet", "serve", *words, "--port", "0"]
    settings = os.environ | {"PYTHONUNBUFFERED": "1"} | (env or {})
    with subprocess.Popen(command, cwd=cwd, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            link = process.stdout.readline()
            if not link:
                raise AssertionError(process.stderr.read())
            program = Program(process, link)
            wait_until_ready(program)
            yield program
            program.client.close()
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()


def wait_until_ready(program: Program) -> None:
    for _ in range(600):
        try:
            if program.client.get("/ready").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("the server did not start")
