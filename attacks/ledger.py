"""Writers are killed at random moments, the disk is full, files are damaged, and a person is erased. The ledger must keep its
promises.

Many threads learn, unlearn, relabel and undo, and a reader opens the ledger again and again. Each event that the ledger has
acknowledged is printed, and then all processes are killed. Every printed event must be there, the chain must verify, and replay
must give the model that was served: a `LiveModel`, which has followed event by event. On SQLite one process writes, or three
that share a lock; on PostgreSQL two processes write. Then the PostgreSQL server itself is killed, and the writers go on.
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
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

from checks import report, wants_all

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers.folder_contents import read_files
from helpers.postgresql import explain_missing, kill_server, make_schema, start_server

from tercet import Categorizer, Documents, Ledger
from tercet.errors import CannotWrite, NeverLearned, TercetError
from tercet.ledger.certificate import Certificate
from tercet.ledger.erasure import confirm
from tercet.ledger.live import LiveModel
from tercet.ledger.replay import Replay
from tercet.ledger.verification import verify

LEDGER, LABELS = "attacked.ledger", ["yes", "no", "maybe"]
KILLS_PER_LEDGER, N_WRITERS = 10, 20
MARKER, PERSON = "zyxmarker", "zyxperson"


def tell(kind: str, *values: Any) -> None:
    """One line, in one piece: the process may be killed at any moment."""
    os.write(1, (json.dumps([kind, *values]) + "\n").encode())


def write(ledger: Ledger, name: str, patience: bool) -> None:
    """Change the ledger at random, and print what was acknowledged. With patience, go on when the database is there again."""
    rng, own = random.Random(name), []
    while True:
        try:
            verb = rng.choice(["learn", "learn", "learn", "unlearn", "relabel", "undo"]) if own else "learn"
            if verb == "learn":
                text = f"document {rng.random()} of {name} w{rng.randrange(50)}"
                (event,) = ledger.learn(Documents([text], [rng.choice(LABELS)]), actor=name)
            elif verb == "unlearn":
                (event,) = ledger.unlearn(events=[rng.choice(own)], actor=name)
            elif verb == "relabel":
                (event,) = ledger.relabel_event(rng.choice(own), rng.choice(LABELS), actor=name)
            else:
                (event,) = ledger.undo(rng.choice(own), actor=name)
            own.append(event.number)
            tell("written", event.number, event.hash.hex())
        except NeverLearned:
            continue
        except Exception as error:
            if not has_patience(error, patience):
                return


def has_patience(error: Exception, patience: bool) -> bool:
    """Whether to go on: the database could not be reached. Another error, or this one without patience, is printed."""
    if patience and isinstance(error, CannotWrite) and "can't be reached" in str(error):
        tell("waiting")
        time.sleep(0.05)
        return True
    tell("error", repr(error))
    return False


def publish(ledger: Ledger, patience: bool) -> None:
    """Follow the events, and write down the checksum of the model from time to time. After the first time, say so."""
    live: LiveModel | None = None
    is_ready = False
    while True:
        time.sleep(0.05)
        try:
            live = live or LiveModel(ledger)
            live.follow()
            if live.model is not None:
                live.publish(actor="server")
                is_ready = is_ready or tell("ready") is None
        except Exception as error:
            if not has_patience(error, patience):
                return


def read(place: str, patience: bool) -> None:
    """Open the ledger again and again, as another process would."""
    while True:
        time.sleep(0.05)
        try:
            Ledger.open(place)
        except Exception as error:
            if not has_patience(error, patience):
                return


def serve(place: str, n_writers: int, seed: str, how: str) -> None:
    """Write until somebody kills this process."""
    patience = how == "patient"
    ledger = Ledger.open(place, write=True, locked=how == "locked")
    acts = [partial(write, ledger, f"writer {seed} {number}", patience) for number in range(n_writers)]
    for act in [*acts, partial(publish, ledger, patience), partial(read, place, patience)]:
        threading.Thread(target=act).start()


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


def kill_later(arguments: list[str], seconds: float, tell_ready: Callable[[], object] = int) -> list[list[Any]]:
    """Start this script, kill it so long after it is ready, and return what it has printed."""
    command = [sys.executable, str(Path(__file__).resolve()), *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        lines = list(read_until_ready(process.stdout))
        tell_ready()
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        lines += process.stdout.read().splitlines()
        timer.cancel()
    return [json.loads(line) for line in lines if line.endswith((b"]", b"]\n"))]


def read_until_ready(output: IO[bytes]) -> Iterator[bytes]:
    """The lines up to the one that says that the process is ready, or to the end."""
    for line in output:
        yield line
        if json.loads(line)[0] == "ready":
            return


def make_file() -> str:
    remove_ledger()
    return LEDGER


def kill_writers(
    place: str, how: str, n_processes: int, seed: int, seconds: float, tell_ready: Callable[[], object] = int
) -> list[list[Any]]:
    """Start some processes with so many writers together, kill all, and return what they have printed."""
    n_writers = str(max(1, N_WRITERS // n_processes))
    words = [["serve", place, n_writers, f"{seed} {number}", how] for number in range(n_processes)]
    with ThreadPoolExecutor(n_processes) as processes:
        said = [processes.submit(kill_later, arguments, seconds, tell_ready) for arguments in words]
        return [line for lines in said for line in lines.result()]


class Outcome:
    """What became of the events that were acknowledged, over several kills."""

    def __init__(self) -> None:
        self.n_written, self.n_lost, self.n_replayed = 0, 0, 0
        self.errors: list[str] = []
        self.faults: list[Any] = []

    def add(self, place: str, said: list[list[Any]]) -> None:
        """Compare what was printed with what is there."""
        written = [(line[1], line[2]) for line in said if line[0] == "written"]
        self.errors += [line[1] for line in said if line[0] == "error"]
        try:
            there = {event.number: event.hash.hex() for event in Ledger.open(place).events()}
            result = verify(place)
        except TercetError as error:
            self.faults.append(str(error))
            return
        self.faults += [] if result.is_good else [result.findings]
        self.n_replayed += "byte for byte" in result.findings[-1]
        self.n_written += len(written)
        self.n_lost += sum(there.get(number) != digits for number, digits in written)

    def report(self, what: str, n_kills: int) -> Iterator[tuple[str, bool]]:
        yield f"{what}: {self.n_written} acknowledged events, {self.n_lost} lost", self.n_written > 0 and not self.n_lost
        yield (
            f"the chain verifies, and replay equals the served model after {self.n_replayed} kills {self.faults[:1]}",
            self.n_replayed > n_kills // 2 and not self.faults,
        )
        yield f"no writer and no reader saw an error {self.errors[:1]}", not self.errors


def attack_writers(
    n_kills: int, n_processes: int, make_place: Callable[[], str], how: str = "alone"
) -> Iterator[tuple[str, bool]]:
    rng, outcome = random.Random(0), Outcome()
    for kill in range(n_kills):
        if kill % KILLS_PER_LEDGER == 0:
            place = make_place()
            Ledger.begin(place, Categorizer(), actor="attack").close()
        with Ledger.hold(place) if how == "locked" else nullcontext():
            said = kill_writers(place, how, n_processes, kill, rng.uniform(0.05, 1.2))
        outcome.add(place, said)
    kind = "PostgreSQL" if place.startswith("postgresql") else "SQLite"
    processes = "one process" if n_processes == 1 else f"{n_processes} processes"
    yield from outcome.report(f"{kind}, {n_kills} kills of {N_WRITERS} writers in {processes}", n_kills)


def attack_server(n_kills: int) -> Iterator[tuple[str, bool]]:
    """Kill the PostgreSQL server under its writers, and start it again."""
    rng, outcome, n_waits = random.Random(2), Outcome(), 0
    with start_server() as url:
        place = make_schema(url)
        Ledger.begin(place, Categorizer(), actor="attack").close()
        for kill in range(n_kills):
            with ThreadPoolExecutor(1) as threads:
                are_ready = threading.Barrier(3)
                writing = threads.submit(kill_writers, place, "patient", 2, kill, 3.0, are_ready.wait)
                are_ready.wait(60)
                time.sleep(rng.uniform(0.3, 1.0))
                kill_server(url)
                said = writing.result()
            n_waits += any(line[0] == "waiting" for line in said)
            outcome.add(place, said)
    yield from outcome.report(f"PostgreSQL, {n_kills} kills of the server itself under {N_WRITERS} writers", n_kills)
    yield f"the writers have waited for the server {n_waits} times", n_waits > n_kills // 2


def attack_damage(n_files: int) -> Iterator[tuple[str, bool]]:
    """Change random bytes of a file, or cut it: it is refused, or has the same events."""
    rng = random.Random(3)
    Ledger.begin(make_file(), Categorizer(), actor="attack").close()
    with Ledger.open(LEDGER, write=True) as ledger:
        for number in range(20):
            texts = [f"text {number} {part} " + "word " * part for part in range(10)]
            ledger.learn(
                Documents(texts, LABELS * 3 + ["no"]), actor="writer", subjects=[f"person {part}" for part in range(10)]
            )
    whole, events = Path(LEDGER).read_bytes(), list(Ledger.open(LEDGER).events())
    n_refused, n_same, wrong = 0, 0, []
    for _ in range(n_files):
        remove_ledger()
        Path(LEDGER).write_bytes(damage(whole, rng))
        try:
            there = list(Ledger.open(LEDGER).events())
            n_same += there == events
            wrong += [] if there == events else ["other events"]
        except TercetError as error:
            n_refused += 1
            wrong += [] if "event" in str(error) or "ledger" in str(error) else [str(error)]
        except Exception as error:
            wrong.append(repr(error))
    yield (
        f"{n_files} damaged files: {n_refused} refused, {n_same} with the same events {wrong[:1]}",
        n_refused > 0 and not wrong,
    )


def damage(content: bytes, rng: random.Random) -> bytes:
    changed = bytearray(content)
    if rng.random() < 0.2:
        return bytes(changed[: rng.randrange(len(changed))])
    for _ in range(rng.choice([1, 3, 30])):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


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
    content = b"".join(read_files(Path()).values())
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
    n_kills = 100 if is_full else 4
    yield from attack_writers(n_kills, 1, make_file)
    yield from attack_writers(n_kills, 3, make_file, "locked")
    if reason := explain_missing():
        yield f"PostgreSQL is left out: {reason}", True
    else:
        with start_server() as url:
            yield from attack_writers(n_kills, 2, lambda: make_schema(url))
        yield from attack_server(30 if is_full else 2)
    yield from attack_full_disk()
    yield from attack_damage(3000 if is_full else 300)
    yield from attack_erasure(10_000)
    yield from attack_erasure_by_kills(40 if is_full else 6, 2000)


def main() -> None:
    acts: dict[str, Callable[[], None]] = {
        "serve": lambda: serve(sys.argv[2], int(sys.argv[3]), sys.argv[4], sys.argv[5]),
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
