"""The server is killed at random moments under 20 writers, and a person is erased. It must keep its promises.

Clients learn, unlearn, relabel and undo over HTTP, write down what the server has acknowledged, and ask it for answers. Then
all its processes are killed. Every acknowledged event must be there, the chain must verify, and the model that the ledger gives
must answer as the server has answered.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from checks import report, wants_all

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.postgresql import explain_missing, make_schema, start_server

from tercet import Categorizer, Documents, Ledger
from tercet.ledger.verification import verify
from tercet.store.model_file import read_checksum

WRITERS, LABELS = 20, ["yes", "no", "maybe"]
KILLS_PER_LEDGER = 10
MARKER, PERSON = "zyxmarker", "zyxperson"
FIRST = Documents(["a first yes", "a first no", "maybe a first"], LABELS)


@dataclass
class Said:
    """What a server has acknowledged and answered."""

    events: dict[int, tuple[str, Any]] = field(default_factory=dict)  # number → verb, and target or text
    answers: list[tuple[int, str, list[Any]]] = field(default_factory=list)  # event, text, labels with probabilities
    odd: list[str] = field(default_factory=list)  # answers that nobody should get


class Server:
    """`tercet serve` with processes of its own."""

    def __init__(self, ledger: str, *words: str) -> None:
        command = [
            sys.executable,
            "-m",
            "tercet",
            "serve",
            "m.tercet",
            "--ledger",
            ledger,
            "--port",
            "0",
            "--rate",
            "1e6",
            *words,
        ]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert self.process.stdout is not None
        link = self.process.stdout.readline().strip()
        self.url, _, token = link.partition("/#token=")
        with httpx.Client(base_url=self.url, timeout=60) as client:
            csrf = client.post("/api/session", json={"token": token}).json()["csrf"]
            self.token = client.post("/api/tokens", json={}, headers={"X-CSRF-Token": csrf}).json()["token"]

    def connect(self) -> httpx.Client:
        headers = {"Authorization": f"Bearer {self.token}"}
        return httpx.Client(base_url=f"{self.url}/api/models/m/", headers=headers, timeout=60)

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)  # the processes that it has started, too
        self.process.wait()

    def end(self) -> str:
        """End it as a user does. Returns what it has said."""
        self.process.terminate()
        return self.process.communicate(timeout=60)[1]


def write(server: Server, said: Said, stop: threading.Event, seed: int) -> None:
    """One client, until the server is gone."""
    draw, own = random.Random(seed), list[int]()
    with server.connect() as client, ExitStack() as ended:
        ended.callback(stop.set)
        while not stop.is_set():
            verb, message, about = choose(draw, own, seed)
            try:
                answer = client.post(verb, json=message)
            except httpx.TransportError:
                return
            if answer.status_code == 409 and verb != "learn":
                continue  # it is undone or unlearned already
            if answer.status_code != 200:
                said.odd.append(f"{verb}: {answer.status_code} {answer.text}")
                continue
            found = answer.json()
            if verb == "classify":
                said.answers.append((found["event"], about, found["answers"][0]["labels"]))
                continue
            said.events |= dict.fromkeys(found["events"], (verb, about))
            own += found["events"]


def choose(draw: random.Random, own: list[int], seed: int) -> tuple[str, dict[str, Any], Any]:
    """What a client asks for next."""
    text = " ".join(f"w{draw.randrange(300)}" for _ in range(6)) + f" of {seed}"
    verb = draw.choice(["learn"] * 3 + (["unlearn", "relabel", "undo"] if own else []) + ["classify"])
    if verb == "learn":
        return verb, {"documents": [{"text": text, "label": draw.choice(LABELS)}]}, text
    if verb == "classify":
        return verb, {"text": text, "top": 0}, text
    number = draw.choice(own)
    if verb == "unlearn":
        return verb, {"events": [number]}, number
    return verb, {"event": number} | ({"label": draw.choice(LABELS)} if verb == "relabel" else {}), number


def kill_once(ledger: str, seed: int, *words: str) -> Said:
    """Start a server, let 20 clients write, and kill it."""
    said, stop, server = Said(), threading.Event(), Server(ledger, *words)
    with ThreadPoolExecutor(WRITERS) as pool:
        for i in range(WRITERS):
            pool.submit(write, server, said, stop, seed * 1000 + i)
        time.sleep(random.Random(seed).uniform(0.3, 1.5))
        server.kill()
        stop.set()
    return said


def check_said(place: str, said: Said) -> str:
    """What is wrong after a kill; empty if nothing is."""
    if said.odd:
        return said.odd[0]
    ledger = Ledger.open(place)
    for number, (verb, about) in said.events.items():
        event = next(ledger.events(number, number), None)
        if event is None or event.verb != verb or (event.details["text"] if verb == "learn" else event.target) != about:
            return f"event {number} ({verb}) is not there"
    if said.answers:
        number, text, labels = said.answers[-1]
        model = ledger.replay(number).model
        expected = dict(zip(model.classes_.tolist(), model.predict_proba([text])[0].tolist(), strict=True))
        if {each["label"]: each["probability"] for each in labels} != expected:
            return f"the answer at event {number} is not that of the ledger"
    found = verify(place)
    return "" if found.is_good else "; ".join(found.findings)


def kill_servers(kind: str, places: Iterator[str], n: int, *words: str) -> Iterator[tuple[str, bool]]:
    n_events, faults = 0, list[str]()
    place = ""
    for i in range(n):
        if i % KILLS_PER_LEDGER == 0:
            place = next(places)
            Path("m.tercet").unlink(missing_ok=True)
            Ledger.begin(place, Categorizer(), FIRST, actor="attack").close()
        said = kill_once(place, i, *words)
        n_events += len(said.events)
        faults += [fault] if (fault := check_said(place, said)) else []
    served = Server(place, *words)
    with served.connect() as client:
        last = client.post("classify", json={"text": "w1 w2", "top": 0}).json()
    talk = served.end()
    is_same = verify(place).is_good and read_checksum(Path("m.tercet")) == Ledger.open(place).replay().checksum
    yield f"{kind}: {n} kills under {WRITERS} writers, {n_events} acknowledged events: {faults[:3] or 'none lost'}", not faults
    yield f"{kind}: the file that the next server writes is that of the ledger after event {last['event']}", is_same
    yield f"{kind}: no traceback, no locked database", "Traceback" not in talk and "locked" not in talk


def list_files() -> Iterator[str]:
    return (f"attacked{i}.ledger" for i in range(1000))


@contextmanager
def list_schemas() -> Iterator[Iterator[str]]:
    with start_server() as url:
        yield (make_schema(url) for _ in range(1000))


def erase_person(n: int) -> Iterator[tuple[str, bool]]:
    """A person among n events: nothing is left in any file, and the model never knew."""
    place = "erased.ledger"
    Path("m.tercet").unlink(missing_ok=True)
    Ledger.begin(place, Categorizer(), FIRST, actor="attack").close()
    server = Server(place)
    kept = [{"text": f"w{i % 500} w{i % 77} document {i}", "label": LABELS[i % 3]} for i in range(n)]
    marked = [{"text": f"{MARKER}{i} w{i}", "label": "no", "subject": PERSON} for i in range(20)]
    with server.connect() as client:
        for start in range(0, n, 500):
            client.post("learn", json={"documents": kept[start : start + 500]}).raise_for_status()
            client.post(
                "learn", json={"documents": marked[start // 500 : start // 500 + 1]} if start < 10_000 else {}
            ).raise_for_status()
        client.post("classify", json={"text": f"{MARKER}1"}).raise_for_status()
        reader = Ledger.open(place).events()
        next(reader)
        waiting = client.post("erase", json={"subject": PERSON}).json()
        del reader
        erased = waiting["events"][0]
        for _ in range(100):
            certificate = client.get(f"certificates/{erased}").json()
            if "certificate" in certificate:
                break
            time.sleep(0.1)
        answer = client.post("classify", json={"text": f"{MARKER}1 w1", "top": 0}).json()["answers"][0]["labels"]
    talk = server.end()
    fresh = Categorizer().fit([*FIRST.texts, *(each["text"] for each in kept)], [*LABELS, *(each["label"] for each in kept)])
    expected = dict(zip(fresh.classes_.tolist(), fresh.predict_proba([f"{MARKER}1 w1"])[0].tolist(), strict=True))
    is_same = {each["label"]: each["probability"] for each in answer} == expected
    left = [path.name for path in Path().rglob("*") if path.is_file() and holds(path.read_bytes())]
    yield f"erase among {n} events: the certificate waits for a reader", waiting["certificate"] is None
    yield "it is issued when the reader has ended", certificate.get("certificate") is not None
    yield "the model equals one that never learned them", is_same
    yield f"no marker word in any file or in the log; left in: {left}", not left and not holds(talk.encode())


def holds(content: bytes) -> bool:
    return MARKER.encode() in content or PERSON.encode() in content


def fill_disk() -> Iterator[tuple[str, bool]]:
    """The database may not grow for a while: changes are refused, nothing is lost, and then it goes on."""
    place = "full.ledger"
    Path("m.tercet").unlink(missing_ok=True)
    Ledger.begin(place, Categorizer(), FIRST, actor="attack").close()
    server = Server(place)
    acknowledged, codes = 0, set[int]()
    with server.connect() as client:
        limit = os.path.getsize(place) + (1 << 21)
        subprocess.run(["prlimit", "--pid", str(server.process.pid), f"--fsize={limit}:unlimited"], check=True)
        for i in range(200):
            answer = client.post("learn", json={"documents": [{"text": f"{i} " + "word " * 10_000, "label": "no"}]})
            codes.add(answer.status_code)
            acknowledged += answer.status_code == 200
        still = client.post("classify", json={"text": "a first yes"}).status_code
        subprocess.run(["prlimit", "--pid", str(server.process.pid), "--fsize=unlimited:unlimited"], check=True)
        after = client.post("learn", json={"documents": [{"text": "there is space again", "label": "yes"}]}).status_code
    server.end()
    n_learned = sum(event.verb == "learn" for event in Ledger.open(place).events())
    yield f"a full disk refuses with {codes - {200}}, and answers go on", codes == {200, 503} and still == 200
    yield (
        f"{acknowledged} acknowledged events, {n_learned - 1} in the ledger; goes on with {after}",
        (n_learned - 1 == acknowledged and after == 200 and verify(place).is_good),
    )


def attack(is_full: bool) -> Iterator[tuple[str, bool]]:
    n = 100 if is_full else 6
    yield from kill_servers("SQLite", list_files(), n)
    yield from kill_servers("SQLite, 3 processes", (f"several{i}.ledger" for i in range(1000)), n // 2, "--workers", "3")
    if missing := explain_missing():
        print(f"skipped  PostgreSQL: {missing}")
    else:
        with list_schemas() as places:
            yield from kill_servers("PostgreSQL", places, n)
    yield from erase_person(10_000 if is_full else 2_000)
    yield from fill_disk()


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        is_full = wants_all()
        os.chdir(folder)
        report(attack(is_full))
