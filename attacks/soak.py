"""A server imports, labels, learns, corrects, trains and erases, again and again. Its memory must not grow.

After the first cycle, the memory of the process when it has nothing to do stays within 10 %. With --full, the model is larger,
and there are more cycles.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from checks import report, wants_all

from tercet import Categorizer, Documents, Ledger

N_WORDS, N_LABELS, MOST = 60_000, 8, 1.10
SETTLED_SECONDS = 5.0  # memory is given back after this time
IDLE_SHARE = 0.05  # of the time: looking for events of others


class Writer:
    """Invented texts: the words of a label are more likely in its texts."""

    def __init__(self) -> None:
        self._draw = random.Random(0)

    def write(self, label: int) -> str:
        draw = self._draw
        common = (int(N_WORDS ** draw.random()) for _ in range(120))
        own = (label * 1000 + int(1000 ** draw.random()) for _ in range(20))
        return " ".join([f"w{word}" for word in common] + [f"l{word}" for word in own])

    def write_many(self, n: int) -> tuple[list[str], list[str]]:
        labels = [self._draw.randrange(N_LABELS) for _ in range(n)]
        return [self.write(label) for label in labels], [f"label {label}" for label in labels]


class Server:
    """`tercet serve` in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tercet", "serve", "m.tercet", "--port", "0", "--timeout", "600"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self.process.stdout is not None
        url, _, token = self.process.stdout.readline().strip().partition("/#token=")
        self.client = httpx.Client(base_url=f"{url}/api/models/m/", timeout=600)
        session = self.client.post(f"{url}/api/session", json={"token": token}).json()
        self.client.headers["X-CSRF-Token"] = session["csrf"]

    def ask(self, method: str, what: str, message: Any = None, **more: Any) -> Any:
        answer = self.client.request(method, what, **({} if message is None else {"json": message}), **more)
        answer.raise_for_status()
        return answer.json()

    def wait_for_training(self) -> None:
        while self.ask("GET", "train")["training"] == "running":
            time.sleep(0.1)

    def read_status(self, name: str) -> float:
        """A line of the status of the process, in MB."""
        lines = Path(f"/proc/{self.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:"))

    def read_work(self) -> float:
        """The processor time of the process, in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def measure(self) -> float:
        """The memory of the process when it has done nothing for some seconds, in MB."""
        self.wait_for_training()
        work = -1.0
        while self.read_work() - work > IDLE_SHARE * SETTLED_SECONDS:
            work = self.read_work()
            time.sleep(SETTLED_SECONDS)
        return self.read_status("VmRSS")

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)


def run_cycle(server: Server, writer: Writer, i: int, n: int) -> None:
    """Import a pool, label, learn, correct, train and erase."""
    texts, labels = writer.write_many(n)
    rows = "".join(json.dumps({"text": text, "who": f"p{i}-{j % 2}"}) + "\n" for j, text in enumerate(texts))
    kind = {"Content-Type": "application/x-ndjson"}
    server.ask("POST", "pools", content=rows, headers=kind, params={"name": f"pool {i}", "subject": "who"})
    for offer in server.ask("POST", "pools/next", {"pool": f"pool {i}", "limit": 10})["offers"]:
        server.ask("POST", "judge", {"offer": offer["offer"], "label": offer["proposal"]["label"]})
    texts, labels = writer.write_many(n)
    learned = [{"text": text, "label": label, "subject": f"q{i}"} for text, label in zip(texts, labels, strict=True)]
    server.ask("POST", "learn", {"documents": learned})
    for text in texts[:3]:
        server.ask("POST", "correct", {"text": f"{text} {i}", "label": labels[0], "subject": f"r{i}"})
    for what in ("quality", "words", "findings"):
        server.ask("GET", what)
    server.ask("POST", "train")
    server.ask("POST", "erase", {"subject": f"p{i}-0"})  # while it trains
    server.wait_for_training()
    for subject in (f"p{i}-1", f"q{i}", f"r{i}"):
        server.ask("POST", "erase", {"subject": subject})
    server.ask("POST", "classify", {"texts": texts})


def attack(is_full: bool) -> Iterator[tuple[str, bool]]:
    writer, n_cycles, n = Writer(), *((20, 500) if is_full else (3, 100))
    texts, labels = writer.write_many(12_000 if is_full else 1_500)
    Ledger.begin("m.ledger", Categorizer(calibrate="auto"), Documents(texts, labels), actor="attack").close()
    server = Server()
    try:
        started, memory = server.read_status("VmRSS"), list[float]()
        for i in range(n_cycles):
            run_cycle(server, writer, i, n)
            memory.append(server.measure())
            print(f"        cycle {i + 1}: {memory[-1]:.0f} MB, {server.read_status('VmHWM'):.0f} at most", flush=True)
        peak, size = server.read_status("VmHWM"), os.path.getsize("m.tercet") / 1e6
    finally:
        server.end()
    shown = ", ".join(f"{each:.0f}" for each in memory)
    yield (
        f"a model of {size:.0f} MB: {started:.0f} MB at the start, after each cycle {shown}; {peak:.0f} at most",
        max(memory) <= MOST * memory[0],
    )


if __name__ == "__main__":
    if not sys.platform.startswith("linux"):
        sys.exit("this needs /proc, which only Linux has")
    with TemporaryDirectory() as folder:
        is_full = wants_all()
        os.chdir(folder)
        report(attack(is_full))
