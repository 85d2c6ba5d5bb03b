"""One user asks for far too much. The others must be answered as if nothing were.

A reader sends long explanations and leaves, waits for events that never come, and opens streams; a teacher sends files a byte
at a time; an unknown computer guesses passwords. Meanwhile somebody else logs in, classifies, explains and asks whether the
server is ready. Then the server gets a signal, and must end in time.
"""

import asyncio
import json
import multiprocessing
import os
import random
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from checks import report, wants_all

import tercet
from tercet.server.accounts import Accounts
from tercet.server.start import END_SECONDS

SECONDS = 6.0  # of each attack
MAX_MEDIAN, MAX_WORST = 1.0, 5.0  # seconds of the requests of others
MAX_MEMORY = 1 << 30
PASSWORD = "correct horse battery"
HAN = [chr(0x4E00 + i) for i in range(3000)]


class Server:
    """`tercet serve` with two readers and a teacher."""

    def __init__(self, folder: Path) -> None:
        accounts = Accounts(folder / "team.users", new=True)
        for name, role in (("mallory", "reader"), ("ann", "reader"), ("tom", "teacher")):
            accounts.add_user(name, role, PASSWORD if name == "ann" else None)
        self.tokens = {name: accounts.issue(name, "token", seconds=3600) for name in ("mallory", "ann", "tom")}
        command = [sys.executable, "-m", "tercet", "serve", "m.tercet", "--users", "team.users", "--port", "0"]
        self.process = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        host, self.port = self.process.stdout.readline().strip().removeprefix("http://").rstrip("/").split(":")
        assert host == "127.0.0.1"

    def measure_memory(self) -> int:
        """Bytes of the process."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024 * int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])

    def write(
        self, who: str | None, method: str, path: str, body: bytes = b"", kind: str = "application/json", n: int = -1
    ) -> bytes:
        """The bytes of a request. `n` is the length that it announces."""
        name = "" if who is None else f"Authorization: Bearer {self.tokens[who]}\r\n"
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{name}Content-Type: {kind}\r\nConnection: close\r\n"
        return f"{head}Content-Length: {len(body) if n < 0 else n}\r\n\r\n".encode() + body

    async def open(self, request: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(self.port), limit=1 << 24)
        writer.write(request)
        return reader, writer

    async def ask(self, request: bytes) -> int:
        """The status of the answer."""
        reader, writer = await self.open(request)
        try:
            whole = await reader.read()
            return int(whole.split(b" ", 2)[1])
        finally:
            writer.close()


def post(server: Server, who: str | None, path: str, message: Any) -> bytes:
    return server.write(who, "POST", path, json.dumps(message, ensure_ascii=False).encode())


# Attacks. Each goes on until it is cancelled.


async def leave_explanations(server: Server) -> None:
    """45 long explanations at a time, whose clients leave after a second."""
    texts = ["".join(random.choices(HAN, k=n)) for n in (27_000, 27_500, 131_000)]
    requests = [post(server, "mallory", "/api/models/m/explain", {"text": text}) for text in texts]

    async def ask_and_leave() -> None:
        while True:
            _, writer = await server.open(random.choice(requests))
            await asyncio.sleep(1)
            writer.transport.abort()

    await asyncio.gather(*(ask_and_leave() for _ in range(45)))


async def send_slowly(server: Server) -> None:
    """40 files that arrive a byte at a time."""

    async def send(i: int) -> None:
        path = f"/api/models/m/pools?name=slow{i}"
        _, writer = await server.open(server.write("tom", "POST", path, b"text\n", "text/csv", n=10_000))
        while True:
            await asyncio.sleep(1)
            writer.write(b"a")

    await asyncio.gather(*(send(i) for i in range(40)))


async def wait_for_ever(server: Server) -> None:
    """1,500 requests that wait for an event which never comes, and 1,500 streams of events."""

    async def wait(i: int) -> None:
        message = {"text": "good", "after": 10**9}
        request = (
            post(server, "mallory", "/api/models/m/classify", message)
            if i % 2
            else server.write("mallory", "GET", "/api/models/m/progress")
        )
        while True:
            reader, writer = await server.open(request)
            await reader.read()
            writer.close()
            await asyncio.sleep(10)

    await asyncio.gather(*(wait(i) for i in range(3000)))


async def guess_passwords(server: Server) -> None:
    """Guesses, 20 at a time."""

    async def guess() -> None:
        while True:
            await server.ask(post(server, None, "/api/session", {"name": "tom", "password": f"guess {random.random()}"}))

    await asyncio.gather(*(guess() for _ in range(20)))


async def ask_for_all_labels(server: Server) -> None:
    """The probabilities of all labels of thousands of texts, by a client that does not read them."""

    async def ask() -> None:
        while True:
            texts = ["good"] * random.choice([900, 5000])
            _, writer = await server.open(post(server, "mallory", "/api/models/m/classify", {"texts": texts, "top": 0}))
            await asyncio.sleep(1)
            writer.transport.abort()

    await asyncio.gather(*(ask() for _ in range(40)))


# What others see meanwhile.


async def ask_as_others(server: Server, until: float) -> tuple[list[float], list[int]]:
    """The seconds and the statuses of the requests of others."""
    requests = [
        post(server, "ann", "/api/models/m/classify", {"text": "a good film"}),
        post(server, "ann", "/api/models/m/explain", {"text": "a good film"}),
        post(server, None, "/api/session", {"name": "ann", "password": PASSWORD}),
        server.write(None, "GET", "/ready"),
        server.write("ann", "GET", "/api/models"),
    ]
    seconds, statuses = [], []
    while time.monotonic() < until:
        for request in requests:
            started = time.monotonic()
            statuses.append(await asyncio.wait_for(server.ask(request), 60))
            seconds.append(time.monotonic() - started)
    return seconds, statuses


Attack = Callable[[Server], Awaitable[None]]
ATTACKS: tuple[Attack, ...] = (leave_explanations, send_slowly, wait_for_ever, guess_passwords, ask_for_all_labels)


def attack(server: Server, how: Attack) -> tuple[list[float], list[int]]:
    """What others see while another process attacks the server."""
    logged_in, _ = asyncio.run(ask_as_others(server, time.monotonic() + 0.01))
    assert logged_in
    attacking = multiprocessing.get_context("fork").Process(target=lambda: asyncio.run(how(server)))
    attacking.start()
    try:
        time.sleep(2)
        return asyncio.run(ask_as_others(server, time.monotonic() + SECONDS))
    finally:
        assert attacking.is_alive()
        attacking.kill()
        attacking.join()


@contextmanager
def serve(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            os.killpg(server.process.pid, signal.SIGKILL)


def write_model(folder: Path) -> None:
    """A model of words and characters with 300 labels."""
    texts = ["".join(random.choices(HAN[:500], k=20)) + f" good film number {i % 300}" for i in range(1200)]
    labels = [f"label {i % 300}" for i in range(1200)]
    tercet.Categorizer(analyzer=tercet.Analyzer(char_ngrams=(1, 5))).fit(texts, labels).save(folder / "m.tercet")


def check_attack(folder: Path, how: Attack) -> Iterator[tuple[str, bool]]:
    name = how.__name__.replace("_", " ")
    with serve(folder) as server:
        seconds, statuses = attack(server, how)
        memory = server.measure_memory()
        median, worst = statistics.median(seconds), max(seconds)
        others = f"{len(seconds)} requests of others, median {median:.3f} s, worst {worst:.2f} s"
        yield f"{name}: {others}", median <= MAX_MEDIAN and worst <= MAX_WORST and set(statuses) <= {200}
        yield f"{name}: the server takes {memory / 1e6:.0f} MB at most", memory <= MAX_MEMORY
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        try:
            code: int | None = server.process.wait(END_SECONDS + 5)
        except subprocess.TimeoutExpired:
            code = None
        yield f"{name}: ended {time.monotonic() - started:.1f} s after the signal, with {code}", code == 0


def main(n: int) -> Iterator[tuple[str, bool]]:
    for _ in range(n):
        for how in ATTACKS:
            with TemporaryDirectory() as folder:
                write_model(Path(folder))
                yield from check_attack(Path(folder), how)


if __name__ == "__main__":
    random.seed(0)
    report(main(20 if wants_all() else 1))
