"""The server against a trivial route of its own, and against the model in this process.

TERCET_DATA=folder python benchmarks/server.py [--million]

The server runs in a process of its own, on loopback. Rates are per second of its CPU time, so that other programs matter
little. The trivial route, GET /api/session, goes through the same checks. Without the corpora, generated texts are used.
With --million, a million requests come over 50 connections: none may be lost, and the memory must stay flat.
"""

import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from corpora import INVENTED, read_corpus

import tercet

SECONDS, CONNECTIONS = 4.0, 8
TICKS = os.sysconf("SC_CLK_TCK")
MAX_LENGTH = 200  # characters of a short text


def read_cpu(process: int) -> float:
    """The CPU seconds of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def read_memory(process: int) -> float:
    """The memory of a process, in MB."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1024


class Server:
    """`tercet serve` in a process of its own."""

    def __init__(self, model: Path) -> None:
        command = [sys.executable, "-m", "tercet", "serve", str(model), "--port", "0", "--rate", "1e9"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        url, _, token = self.process.stdout.readline().strip().partition("/#token=")
        self.host, _, port = url.removeprefix("http://").partition(":")
        self.port = int(port)
        with httpx.Client(base_url=url, timeout=60) as client:
            csrf = client.post("/api/session", json={"token": token}).json()["csrf"]
            self.token = client.post("/api/tokens", json={}, headers={"X-CSRF-Token": csrf}).json()["token"]

    def write_request(self, method: str, path: str, message: Any = None) -> bytes:
        body = b"" if message is None else json.dumps(message).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\nAuthorization: Bearer {self.token}\r\n"
        return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body

    def measure(self, requests: list[bytes], *, connections: int = CONNECTIONS, n: int | None = None) -> tuple[int, float]:
        """How many requests were answered with 200, and the CPU seconds that the server took for them."""
        before = read_cpu(self.process.pid)
        answered = asyncio.run(self._send(requests, connections, n))
        return answered, read_cpu(self.process.pid) - before

    async def _send(self, requests: list[bytes], connections: int, n: int | None) -> int:
        until, left = time.monotonic() + SECONDS, [n or sys.maxsize]

        async def send_some(first: int) -> int:
            reader, writer = await asyncio.open_connection(self.host, self.port)
            answered, place = 0, first
            while left[0] > 0 and (n is not None or time.monotonic() < until):
                left[0] -= 1
                writer.write(requests[place % len(requests)])
                place += connections
                head = await reader.readuntil(b"\r\n\r\n")
                size = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
                await reader.readexactly(size)
                answered += head.startswith(b"HTTP/1.1 200")
            writer.close()
            return answered

        return sum(await asyncio.gather(*map(send_some, range(connections))))

    def end(self) -> None:
        self.process.terminate()
        self.process.wait()


def measure_here(model: Any, batches: list[list[str]]) -> float:
    """Texts per CPU second of `predict` in this process."""
    model.predict(batches[0])
    started, n = time.process_time(), 0
    while time.process_time() - started < 1:
        for batch in batches:
            model.predict(batch)
            n += len(batch)
    return n / (time.process_time() - started)


def compare(name: str, model: Path, texts: list[str]) -> None:
    """Requests of one text, and of a thousand texts."""
    server, path = Server(model), f"/api/models/{model.stem}/classify"
    trivial = [server.write_request("GET", "/api/session")]
    alone = [server.write_request("POST", path, {"text": text}) for text in texts[:500]]
    batches = [(texts * 1000)[start : start + 1000] for start in range(0, 4000, 1000)]
    many = [server.write_request("POST", path, {"texts": batch}) for batch in batches]
    rates: dict[str, list[float]] = {"trivial": [], "classify": [], "batches": []}
    for _ in range(3):
        for what, requests in (("trivial", trivial), ("classify", alone), ("batches", many)):
            n, seconds = server.measure(requests, connections=2 if what == "batches" else CONNECTIONS)
            rates[what].append(n / seconds)
    best = {what: max(found) for what, found in rates.items()}
    here = measure_here(tercet.load(model), batches)
    print(f"{name}, requests per CPU second: trivial {best['trivial']:.0f}, one text {best['classify']:.0f}", end="")
    print(f" ({best['classify'] / best['trivial']:.0%} of trivial; the bar is 40 %)")
    print(f"{name}, texts per CPU second: batches of 1,000 {1000 * best['batches']:.0f}, in process {here:.0f}", end="")
    print(f" ({1000 * best['batches'] / here:.0%}; the bar is 60 %)", flush=True)
    server.end()


def send_million(model: Path, texts: list[str], n: int) -> None:
    """Requests over 50 connections, in ten parts."""
    server, path = Server(model), f"/api/models/{model.stem}/classify"
    requests = [server.write_request("POST", path, {"text": text}) for text in texts[:500]]
    server.measure(requests, connections=50, n=n // 20)  # warm
    sizes, answered = [read_memory(server.process.pid)], 0
    for _ in range(10):
        answered += server.measure(requests, connections=50, n=n // 10)[0]
        sizes.append(read_memory(server.process.pid))
    print(
        f"{n} requests over 50 connections: {n - answered} lost; memory {', '.join(f'{size:.0f}' for size in sizes)} MB", end=""
    )
    print(f" ({max(sizes) / min(sizes) - 1:+.1%}; the bar is 5 %)")
    server.end()


def main() -> None:
    corpus = "imdb" if os.environ.get("TERCET_DATA") else INVENTED
    documents = read_corpus(corpus, "train")
    texts = [text[:MAX_LENGTH] for text in read_corpus(corpus, "test").texts[:4000]]
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        tercet.Categorizer(calibrate="auto").fit(documents.texts, documents.labels).save("bayes.tercet")
        if "--million" in sys.argv:
            send_million(Path("bayes.tercet"), texts, 1_000_000)
            return
        compare("naive Bayes", Path("bayes.tercet"), texts)
        some = slice(0, None, 5)
        tercet.train(tercet.Documents(documents.texts[some], documents.labels[some])).categorizer.save("auto.tercet")
        compare("auto", Path("auto.tercet"), texts)


if __name__ == "__main__":
    main()
