"""Twelve computers guess the password of a user at the same time, at a server with three processes.

No name at an address may have more than ten guesses, however many come at once. The user must get in from an address where the
user was before, at once, and from a new one after a wait.
"""

import os
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory

import httpx
from checks import report, wants_all

from tercet import Categorizer, Documents, Ledger
from tercet.server.accounts import Accounts
from tercet.server.log_ins import MAX_FAILURES, MAX_SECONDS

N_ADDRESSES, AT_ONCE, PASSWORD, URL = 12, 5, "a long password", "http://tercet.example"


def find_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as found:
        return int(found.getsockname()[1])


def start_server() -> tuple["subprocess.Popen[str]", int]:
    Ledger.begin("m.ledger", Categorizer(), Documents(["so good", "so bad"], ["+", "-"]), actor="attack").close()
    Accounts("team.users", new=True).add_user("ann", "teacher", PASSWORD)
    port = find_port()
    options = ["--port", str(port), "--users", "team.users", "--url", URL, "--proxy", "127.0.0.1", "--workers", "3"]
    command = [sys.executable, "-m", "tercet", "serve", "m.tercet", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    return process, port


def wait_until_ready(port: int) -> None:
    url, headers = f"http://127.0.0.1:{port}/ready", {"Host": "tercet.example"}
    while httpx.get(url, headers=headers, timeout=120).status_code != 200:
        time.sleep(0.1)


def log_in(port: int, address: str, password: str) -> tuple[int, float]:
    """The status of a log-in from this address, and the seconds that it took."""
    headers = {"Host": "tercet.example", "X-Forwarded-For": address}
    started = time.monotonic()
    message = {"name": "ann", "password": password}
    answer = httpx.post(f"http://127.0.0.1:{port}/api/session", json=message, headers=headers, timeout=120)
    return answer.status_code, time.monotonic() - started


def attack(is_full: bool) -> Iterator[tuple[str, bool]]:
    process, port = start_server()
    try:
        wait_until_ready(port)
        first = log_in(port, "10.0.9.9", PASSWORD)
        yield f"the user logs in: {first[0]}", first[0] == 200
        for i in range(5 if is_full else 1):
            yield from guess(port, i)
    finally:
        process.terminate()
        process.communicate(timeout=60)


def guess(port: int, i: int) -> Iterator[tuple[str, bool]]:
    addresses = [f"10.{i}.0.{n}" for n in range(N_ADDRESSES)] * (MAX_FAILURES + AT_ONCE)
    with ThreadPoolExecutor(N_ADDRESSES * AT_ONCE) as pool:
        found = list(pool.map(lambda address: log_in(port, address, "a wrong guess")[0], addresses))
    tried = Counter(address for address, status in zip(addresses, found, strict=True) if status == 401)
    counts = dict(Counter(found))
    yield f"{len(found)} guesses from {N_ADDRESSES} addresses: {counts}", set(found) == {401, 429}
    yield f"the most guesses of an address: {max(tried.values())}", max(tried.values()) <= MAX_FAILURES
    status, seconds = log_in(port, "10.0.9.9", PASSWORD)
    yield f"the right password from a known address: {status} after {seconds:.1f} s", status == 200 and seconds < 5
    status, seconds = log_in(port, f"10.{i}.1.1", PASSWORD)
    is_slow = MAX_SECONDS - 1 < seconds < MAX_SECONDS + 5
    yield f"the right password from a new address: {status} after {seconds:.1f} s", status == 200 and is_slow
    status, seconds = log_in(port, f"10.{i}.1.1", PASSWORD)
    yield f"again from there: {status} after {seconds:.1f} s", status == 200 and seconds < 5


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        is_full = wants_all()
        os.chdir(folder)
        report(attack(is_full))
