"""Writers are killed at random moments, and a person is erased among 10,000 events. The ledger must keep its promises.

Many threads of one process learn, unlearn, relabel and undo, and a reader opens the ledger again and again. Each event that
the ledger has acknowledged is printed, and then the process is killed. Every printed event must be there, the chain must
verify, and replay must give the model that the process has served: one that learned event by event. On SQLite one process
writes; on PostgreSQL two processes write to one ledger.
"""

import json
import os
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from checks import report, wants_all

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from postgresql import explain_missing, make_schema, start_server

from tercet import Categorizer, Documents, Ledger
from tercet.errors import CannotWrite, NeverLearned, TercetError
from tercet.ledger.certificate import Certificate
from tercet.ledger.erasure import confirm
from tercet.ledger.events import Event
from tercet.ledger.replay import Replay
from tercet.ledger.verification import verify

LEDGER, LABELS = "attacked.ledger", ["yes", "no", "maybe"]
KILLS_PER_LEDGER = 10
MARKER, PERSON = "zyxmarker", "zyxperson"


def tell(kind: str, *values: Any) -> None:
    """One line, in one piece: the process may be killed at any moment."""
    os.write(1, (json.dumps([kind, *values]) + "\n").encode())


class ServedModel:
    """A model that learns event by event, without replay."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.model, self.last = ledger, Categorizer(), 1
        self.documents: dict[int, str] = {}
        self.labels: dict[int, Any] = {}  # of the learned documents

    def follow(self) -> None:
        """Learn what the events since the last call have changed."""
        for event in self.ledger.events(self.last + 1):
            self.last = event.number
            if "text" in event.details:
                self.documents[event.number] = event.details["text"]
            number = self.find_document(event)
            if number is not None:
                self.change(number, self.ledger.history)

    def find_document(self, event: Event) -> int | None:
        """The document that an event is about."""
        while event.verb == "undo":
            assert event.target is not None
            event = next(self.ledger.events(event.target, event.target))
        return event.number if event.verb == "learn" else event.target if event.verb in ("unlearn", "relabel") else None

    def change(self, number: int, history: Any) -> None:
        """Give a document the label that it has now."""
        text, old = [self.documents[number]], self.labels.pop(number, None)
        new = history.find_label(number) if history.is_learned(number) else None
        if new is not None:
            self.model.learn(text, [new])
            self.labels[number] = new
        if old is not None:
            self.model.forget(text, [old])


def write(ledger: Ledger, name: int, seed: int) -> None:
    """Change the ledger at random, and print what was acknowledged."""
    rng, own = random.Random(f"{seed} {name}"), []
    while True:
        try:
            verb = rng.choice(["learn", "learn", "learn", "unlearn", "relabel", "undo"]) if own else "learn"
            if verb == "learn":
                text = f"document {rng.random()} of writer {name} w{rng.randrange(50)}"
                (event,) = ledger.learn(Documents([text], [rng.choice(LABELS)]), actor=f"writer {name}")
            elif verb == "unlearn":
                (event,) = ledger.unlearn(events=[rng.choice(own)], actor=f"writer {name}")
            elif verb == "relabel":
                (event,) = ledger.relabel_event(rng.choice(own), rng.choice(LABELS), actor=f"writer {name}")
            else:
                (event,) = ledger.undo(rng.choice(own), actor=f"writer {name}")
            own.append(event.number)
            tell("written", event.number, event.hash.hex())
        except NeverLearned:
            continue
        except Exception as error:
            tell("error", repr(error))
            return


def publish(ledger: Ledger) -> None:
    """Write down the checksum of the model that has learned event by event, from time to time."""
    served = ServedModel(ledger)
    while True:
        time.sleep(0.05)
        try:
            with ledger.transaction():  # nobody else writes meanwhile
                served.follow()
                if served.labels:
                    ledger.publish(Replay(ledger.head.number, served.model, None, 0, True), actor="server")
        except Exception as error:
            tell("error", repr(error))
            return


def read(place: str) -> None:
    """Open the ledger again and again, as another process would."""
    while True:
        time.sleep(0.05)
        try:
            Ledger.open(place)
        except Exception as error:
            tell("error", repr(error))
            return


def serve(place: str, n_writers: int, seed: int) -> None:
    """Write until somebody kills this process."""
    ledger = Ledger.open(place, write=True)
    tell("ready")
    threads = [threading.Thread(target=write, args=(ledger, name, seed)) for name in range(n_writers)]
    for thread in [*threads, threading.Thread(target=publish, args=(ledger,)), threading.Thread(target=read, args=(place,))]:
        thread.start()


def erase() -> None:
    """Erase the person."""
    with Ledger.open(LEDGER, write=True) as ledger:
        tell("ready")
        ledger.erase(PERSON, actor="admin")
        tell("certified")


def fill() -> None:
    """Learn until a file may not grow any more, then go on with more space."""
    with Ledger.open(LEDGER, write=True) as ledger:
        tell("ready")
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        for kilobytes in (300, 600, 900):
            resource.setrlimit(resource.RLIMIT_FSIZE, (kilobytes * 1024, hard))
            try:
                while True:
                    (event,) = ledger.learn(Documents(["long " * 400], ["yes"]), actor="writer")
                    tell("written", event.number, event.hash.hex())
            except CannotWrite:
                tell("full", kilobytes)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        (event,) = ledger.learn(Documents(["the last"], ["no"]), actor="writer")
        tell("written", event.number, event.hash.hex())


def kill_later(arguments: list[str], seconds: float) -> list[list[Any]]:
    """Start this script, kill it so long after it is ready, and return what it has printed."""
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        ready = process.stdout.readline()
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        lines = process.stdout.read().splitlines()
        timer.cancel()
    return [json.loads(line) for line in [ready, *lines] if line.endswith((b"]", b"]\n"))]


def make_file() -> str:
    remove_ledger()
    return LEDGER


def kill_writers(place: str, n_writers: int, n_processes: int, seed: int, seconds: float) -> list[list[Any]]:
    """Start some processes with so many writers together, kill all, and return what they have printed."""
    words = [["serve", place, str(n_writers // n_processes), f"{seed}{number}"] for number in range(n_processes)]
    with ThreadPoolExecutor(n_processes) as processes:
        return [line for lines in processes.map(kill_later, words, [seconds] * n_processes) for line in lines]


def attack_writers(n_kills: int, n_processes: int, make_place: Callable[[], str]) -> Iterator[tuple[str, bool]]:
    rng, n_writers = random.Random(0), 20
    n_written, n_lost, n_replayed, errors, faults = 0, 0, 0, [], []
    for kill in range(n_kills):
        if kill % KILLS_PER_LEDGER == 0:
            place = make_place()
            Ledger.begin(place, Categorizer(), actor="attack").close()
        said = kill_writers(place, n_writers, n_processes, kill, rng.uniform(0.05, 1.5))
        written = [(number, digits) for kind, number, digits in (line for line in said if line[0] == "written")]
        errors += [line[1] for line in said if line[0] == "error"]
        try:
            there = {event.number: event.hash.hex() for event in Ledger.open(place).events()}
            result = verify(place)
            faults += [] if result.is_good else [result.findings]
            n_replayed += "byte for byte" in result.findings[-1]
        except TercetError as error:
            faults.append((str(error),))
            break
        n_written += len(written)
        n_lost += sum(there.get(number) != digits for number, digits in written)
    yield (
        f"{place.partition(':')[0]}, {n_kills} kills of {n_writers} writers: {n_written} acknowledged events, {n_lost} lost",
        n_written > 0 and not n_lost,
    )
    yield (
        f"the chain verifies, and replay equals the served model after {n_replayed} kills {faults[:1]}",
        (n_replayed > n_kills // 2 and not faults),
    )
    yield f"no writer and no reader saw an error {errors[:1]}", not errors


def attack_full_disk() -> Iterator[tuple[str, bool]]:
    Ledger.begin(make_file(), Categorizer(), actor="attack").close()
    said = kill_later(["fill"], 60)
    there = {event.number: event.hash.hex() for event in Ledger.open(LEDGER).events()}
    written = {line[1]: line[2] for line in said if line[0] == "written"}
    n_full = sum(line[0] == "full" for line in said)
    is_whole = written == {number: there[number] for number in there if number > 1}
    yield f"no space {n_full} times: {len(written)} acknowledged events, and no others, are there", n_full == 3 and is_whole
    yield "the ledger verifies", verify(LEDGER).is_good


def remove_ledger() -> None:
    for path in Path().glob(f"*{LEDGER}*"):
        path.unlink()


def has_markers() -> bool:
    """Whether a word of the person is in any file. Shorter words could be found in random bytes."""
    content = b"".join(path.read_bytes() for path in Path().iterdir())
    return MARKER.encode() in content or PERSON.encode() in content


def begin_with_person(n_events: int) -> Categorizer:
    """A ledger of so many documents, some about one person. Returns the model that never learned these."""
    remove_ledger()
    texts = [f"some words w{i % 97} of document {i}" for i in range(n_events)]
    subjects: list[str | None] = [f"person {i % 500}" for i in range(n_events)]
    for place in range(13, n_events, n_events // 20):
        texts[place], subjects[place] = f"{MARKER}{place} " * (1 + place % 400), PERSON
    labels = [LABELS[i % 3] for i in range(n_events)]
    Ledger.begin(LEDGER, Categorizer(), Documents(texts, labels), actor="attack", subjects=subjects).close()
    kept = [place for place in range(n_events) if subjects[place] != PERSON]
    return Categorizer().fit([texts[place] for place in kept], [labels[place] for place in kept])


def attack_erasure(n_events: int) -> Iterator[tuple[str, bool]]:
    never = Replay(0, begin_with_person(n_events), None, 0, True)
    yield "the marker words are there before", has_markers()
    with Ledger.open(LEDGER, write=True) as ledger:
        reader = Ledger.open(LEDGER).events()
        next(reader)
        started = time.process_time()
        erasure = ledger.erase(PERSON, actor="admin", wait_seconds=0.2)
        seconds = time.process_time() - started
        yield f"{erasure.n_documents} of {n_events} documents erased in {seconds:.1f} s of CPU", erasure.n_documents > 10
        yield "the certificate waits for a reader", erasure.certificate is None
        del reader
        certificate = erasure.confirm(wait_seconds=10)
        yield "no marker word in the database and its log", not has_markers()
        yield "the model equals one that never learned them", ledger.replay().checksum == never.checksum == certificate.model
        yield "the certificate is true", certificate.check(ledger=ledger, subject=PERSON, model=never.checksum) == ()
    yield "the ledger verifies", verify(LEDGER).is_good and not has_markers()


def attack_erasure_by_kills(n_kills: int, n_events: int) -> Iterator[tuple[str, bool]]:
    rng = random.Random(1)
    outcomes = {"before": 0, "after": 0}
    are_good = []
    never = Replay(0, begin_with_person(n_events), None, 0, True).checksum
    whole = Path(LEDGER).read_bytes()
    for _ in range(n_kills):
        remove_ledger()
        Path(LEDGER).write_bytes(whole)
        kill_later(["erase"], rng.uniform(0.0, 0.4))
        with Ledger.open(LEDGER, write=True) as ledger:
            number = next((number for number, _ in ledger.history.erasures), None)
            outcomes["before" if number is None else "after"] += 1
            certificate: Certificate | None = ledger.erase(PERSON, actor="admin").certificate if number is None else None
            certificate = certificate or confirm(ledger, number or 0, None, 10)
            are_good.append(certificate.check(ledger=ledger) == () and ledger.replay().checksum == never)
        are_good.append(not has_markers())
    yield f"{n_kills} kills during an erasure: {outcomes}, each could be finished", all(are_good)


def attack() -> Iterator[tuple[str, bool]]:
    is_full = wants_all()
    n_kills = 100 if is_full else 8
    yield from attack_writers(n_kills, 1, make_file)
    if reason := explain_missing():
        yield f"PostgreSQL is left out: {reason}", True
    else:
        with start_server() as url:
            yield from attack_writers(n_kills, 2, lambda: make_schema(url))
    yield from attack_full_disk()
    yield from attack_erasure(10_000)
    yield from attack_erasure_by_kills(40 if is_full else 6, 2000)


def main() -> None:
    acts: dict[str, Callable[[], None]] = {
        "serve": lambda: serve(sys.argv[2], int(sys.argv[3]), int(sys.argv[4])),
        "erase": erase,
        "fill": fill,
    }
    if sys.argv[1:2] and sys.argv[1] in acts:
        acts[sys.argv[1]]()
        return
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        report(attack())


if __name__ == "__main__":
    main()
