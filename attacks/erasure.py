"""A person is erased while three processes serve the model. After the certificate nobody gets a word of the person, anywhere.

The clients have connections to all processes. When the answer with the certificate is there, all of them ask at once: for the
events, for the words of the model, for an explanation, for texts to label, for the model itself. The erasure comes from another
process of the server, or, with PostgreSQL, from the command line. Then a process is stopped: the certificate must name it.
"""

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from checks import report, wants_all

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.changed_certificates import change_somewhere
from helpers.postgresql import explain_missing, make_schema, start_server
from helpers.servers import Program, serve_apart

from tercet import Categorizer, Documents, Ledger
from tercet.errors import InvalidFile
from tercet.ledger.certificate import Certificate

LABELS = ["yes", "no", "maybe"]
N_DOCUMENTS, N_WORDS, N_CLIENTS, N_QUESTIONS, POOL = 600, 300, 12, 4, "letters"
MAX_REFUSALS, SLOW_EVERY, SECONDS = 400, 10, 600.0
Ask = Callable[[httpx.Client, str, int], str | bytes]


def mark(person: int) -> str:
    """A word that only the texts of this person have."""
    return f"zyxmarker{person:04}x"


def write_ledger(place: str, n_persons: int) -> dict[int, int]:
    """A ledger of some hundred letters, three of each person. Returns the first event of each person."""
    n, draw = max(N_DOCUMENTS, 3 * n_persons), random.Random(0)
    persons = [i % n_persons if i < 3 * n_persons else None for i in range(n)]
    texts = [" ".join(f"w{draw.randrange(30_000)}" for _ in range(N_WORDS)) for _ in persons]
    texts = [text if who is None else f"{text}{f' {mark(who)}' * 9}" for text, who in zip(texts, persons, strict=True)]
    subjects = [None if who is None else f"person {who}" for who in persons]
    labels = [LABELS[i % 3] for i in range(n)]
    with Ledger.begin(place, Categorizer(), Documents(texts, labels), actor="ann", subjects=subjects) as ledger:
        offered = [f"please label {mark(who)} {who}" for who in range(n_persons)]
        ledger.offer(Documents(offered), pool=POOL, actor="ann", subjects=[f"person {who}" for who in range(n_persons)])
    return {who: 2 + who for who in range(n_persons)}


def fetch(client: httpx.Client, what: str, message: Any = None) -> httpx.Response:
    """The answer to a question. All clients are one user, whom the server may ask to come again."""
    for _ in range(MAX_REFUSALS):
        path = f"/api/models/m/{what}"
        answer = client.get(path) if message is None else client.post(path, json=message)
        if answer.status_code == 200:
            return answer
        time.sleep(0.05)
    raise RuntimeError(f"{what}: {answer.status_code} {answer.text}")


def post(client: httpx.Client, what: str, message: Any) -> str:
    return fetch(client, what, message).text


def ask_for_word(client: httpx.Client, word: str, _: int) -> str:
    """The word, if the model knows it: the answer has it in any case, because it was asked for."""
    return word if json.loads(post(client, "word", {"word": word, "counts_only": True}))["known"] else ""


def explain(client: httpx.Client, word: str, _: int) -> str:
    """The word, if it is evidence."""
    return word if json.loads(post(client, "explain", {"text": word}))["highlights"] else ""


QUESTIONS: dict[str, Ask] = {
    "word": ask_for_word,
    "explain": explain,
    "event": lambda client, word, event: fetch(client, f"history/{event}").text,
    "words": lambda client, word, event: fetch(client, "words?limit=500").text,
    "history": lambda client, word, event: post(client, "history", {"limit": 500, "before": event + 200}),
    "pool": lambda client, word, event: post(client, "pools/next", {"pool": POOL, "limit": 50}),
    "labels": lambda client, word, event: post(client, "history", {"label": LABELS[event % 3], "limit": 500}),
    "export": lambda client, word, event: fetch(client, "export").content,
}
SLOW: dict[str, Ask] = {  # they examine all texts
    "quality": lambda client, word, event: fetch(client, "quality").text,
    "findings": lambda client, word, event: fetch(client, "findings").text,
}


class Clients:
    """Clients with connections of their own, which ask all at the same moment."""

    def __init__(self, program: Program, resources: ExitStack) -> None:
        headers = {"Authorization": f"Bearer {program.make_token()}"}
        made = [httpx.Client(base_url=program.url, timeout=SECONDS, headers=headers) for _ in range(N_CLIENTS)]
        self.clients = [resources.enter_context(each) for each in made]
        self.threads = resources.enter_context(ThreadPoolExecutor(N_CLIENTS))
        for client in self.clients:
            client.get("/ready")  # connects

    def ask(self, when: threading.Event, person: int, event: int) -> "list[Future[list[str]]]":
        """Begin to ask when this signal comes. The results are the names of the questions whose answers have the word."""
        quick, slow = list(QUESTIONS), list(SLOW)
        # The first question needs the model, and is answered at once; the others differ for each client.
        chosen = [
            [quick[number % 2], *(quick[(number + step) % len(quick)] for step in range(N_QUESTIONS))]
            for number in range(N_CLIENTS)
        ]
        if person % SLOW_EVERY == 0:
            chosen[: len(slow)] = [[name] for name in slow]
        return [self.threads.submit(self._ask, number, names, when, person, event) for number, names in enumerate(chosen)]

    def _ask(self, number: int, names: list[str], when: threading.Event, person: int, event: int) -> list[str]:
        when.wait()
        every, client = QUESTIONS | SLOW, self.clients[number]
        return [name for name in names if has_word(every[name], client, mark(person), event)]


def has_word(ask: Ask, client: httpx.Client, word: str, event: int) -> bool:
    """Whether the answer has the word. On a slow machine a process may be replaced, and gives no answer then."""
    try:
        answer = ask(client, word, event)
    except httpx.TransportError:
        return False
    return word in (answer if isinstance(answer, str) else answer.decode("latin-1"))


def erase_by_server(program: Program, person: int) -> Certificate | None:
    answer = program.post("erase", {"subject": f"person {person}"}, "m").json()
    return None if answer["certificate"] is None else Certificate.from_dict(answer["certificate"])


def erase_by_command(place: str, person: int) -> Certificate:
    words = ["ledger", "erase", place, "--subject", f"person {person}", "--actor", "eve"]
    done = subprocess.run([sys.executable, "-m", "tercet", *words], capture_output=True, text=True, check=True)
    return Certificate.from_dict(json.loads(done.stdout))


def attack_workers(folder: Path, place: str, n_tries: int) -> Iterator[tuple[str, bool]]:
    """Erase one person after another, and ask all processes for each."""
    kind = "PostgreSQL" if place.startswith("postgresql") else "SQLite"
    first = write_ledger(place, n_tries + 2)
    with ExitStack() as resources:
        words = ["m.tercet", "--ledger", place, "--workers", "3", "--timeout", "40"]
        program = resources.enter_context(serve_apart(*words, cwd=folder))
        program.client.timeout = httpx.Timeout(SECONDS)
        clients = Clients(program, resources)
        before = {name for found in clients.ask(set_signal(), n_tries, first[n_tries]) for name in found.result()}
        yield f"{kind}: the word is in the answers of {len(before)} questions before", len(before) >= 6
        leaks, n_leaks, n_bad = set[str](), 0, 0
        for person in range(n_tries):
            when, is_command = threading.Event(), kind == "PostgreSQL" and person % 4 == 3
            asked = clients.ask(when, person, first[person])
            try:
                certificate = erase_by_command(place, person) if is_command else erase_by_server(program, person)
            finally:
                when.set()
            found = {name for each in asked for name in each.result()}
            leaks, n_leaks = leaks | found, n_leaks + bool(found)
            n_bad += certificate is None or certificate.check(subject=f"person {person}") != () or certificate.notes != ()
        yield f"{kind}: after {n_leaks} of {n_tries} certificates somebody got the word {sorted(leaks)}", n_leaks == 0
        yield f"{kind}: {n_bad} of {n_tries} certificates name a process, or are not true", n_bad == 0
        yield from stop_process(program, place, [n_tries, n_tries + 1], kind)


FOLLOW = """
import sys, threading, time
from tercet import Ledger
from tercet.ledger.live import LiveModel
def follow(live):
    while True:
        live.follow()
        time.sleep(0.05)
with Ledger.open(sys.argv[1]) as ledger:
    live = LiveModel(ledger)
    threading.Thread(target=follow, args=(live,), daemon=True).start()
    for line in sys.stdin:
        print(live.answer(lambda model: model.explain(line.strip()).evidence and "known" or "unknown").result, flush=True)
"""


class Follower:
    """A program of its own that has the ledger open, and follows it."""

    def __init__(self, place: str, resources: ExitStack) -> None:
        pipe = subprocess.PIPE
        self.process = resources.enter_context(
            subprocess.Popen([sys.executable, "-c", FOLLOW, place], stdin=pipe, stdout=pipe, text=True)
        )
        resources.callback(self.process.kill)

    def knows(self, word: str) -> bool:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        return self.process.stdout.readline().strip() == "known"


def stop_process(program: Program, place: str, persons: list[int], kind: str) -> Iterator[tuple[str, bool]]:
    """Another program drops the text, too. One that is stopped is named, until it has gone on."""
    first, second = persons
    with ExitStack() as resources:
        follower = Follower(place, resources)
        is_known = follower.knows(mark(first))
        program.post("erase", {"subject": f"person {first}"}, "m")
        yield f"{kind}: a program that only reads has dropped the text", is_known and not follower.knows(mark(first))
        os.kill(follower.process.pid, signal.SIGSTOP)
        try:
            answer = program.post("erase", {"subject": f"person {second}"}, "m").json()
        finally:
            os.kill(follower.process.pid, signal.SIGCONT)
        named = [name.split()[1] for name in answer["unconfirmed"]]
        yield f"{kind}: if it is stopped, it is named {answer['unconfirmed']}", named == [str(follower.process.pid)]
        yield f"{kind}: it is not named any more when it has gone on", is_confirmed_soon(program, answer["events"][0])


def is_confirmed_soon(program: Program, number: int) -> bool:
    """Whether the next certificates name nobody any more."""
    for _ in range(60):
        again = program.client.get(f"/api/models/m/certificates/{number}").json()
        if again.get("unconfirmed") == []:
            return Certificate.from_dict(again["certificate"]).check() == ()
        time.sleep(0.5)
    return False


def attack_certificates(n_changes: int) -> Iterator[tuple[str, bool]]:
    """Change something in a certificate: no change may pass the check."""
    with TemporaryDirectory() as folder, Ledger.begin(os.path.join(folder, "a.ledger"), Categorizer(), actor="ann") as ledger:
        ledger.learn(Documents(["so good", "so bad", "so so"], LABELS), actor="ann", subjects=["ann", "ben", "cas"])
        issued = ledger.erase("cas", actor="admin").certificate
        assert issued is not None
        written, draw = json.loads(json.dumps(issued.to_dict())), random.Random(4)
        changes = [change_somewhere(written, draw) for _ in range(n_changes)]
        passed = [what for what, changed in changes if is_true(changed)]
        yield f"{len(passed)} of {n_changes} changes of a certificate pass the check {passed[:3]}", not passed
        yield "the certificate itself passes", is_true(written)


def is_true(written: Any) -> bool:
    try:
        return Certificate.from_dict(written).check() == ()
    except InvalidFile:
        return False


def set_signal() -> threading.Event:
    signalled = threading.Event()
    signalled.set()
    return signalled


def attack() -> Iterator[tuple[str, bool]]:
    n_tries = 100 if wants_all() else 5
    yield from attack_certificates(1000)
    with TemporaryDirectory() as folder:
        yield from attack_workers(Path(folder), os.path.join(folder, "m.ledger"), n_tries)
    if reason := explain_missing():
        yield f"PostgreSQL is left out: {reason}", True
        return
    with start_server() as url, TemporaryDirectory() as folder:
        yield from attack_workers(Path(folder), make_schema(url), n_tries)


if __name__ == "__main__":
    report(attack())
