"""Each pair of commands that lock a model or its ledger runs against a server that trains, and then the server is ended.

Nobody may wait for ever: the server ends within its time, and then each command. Whoever waits says so, and Ctrl-C ends it.
By default each command runs beside `learn --ledger`, which has met the deadlock; with --full all pairs run, five times.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx
from checks import report, wants_all

import tercet
import tercet.cli.main
import tercet.server.start  # before the forks, so that each of them starts at once
from tercet import Categorizer, Documents, Ledger

TEXTS = [f"{'good' if i % 2 else 'bad'} film number {i} {'lovely' if i % 2 else 'dull'}" for i in range(40)]
LABELS = ["pos" if i % 2 else "neg" for i in range(40)]
OF_LEDGER = ["--ledger", "m.ledger"]
COMMANDS = {
    "learn": ["learn", "m.tercet", "new.csv", *OF_LEDGER],
    "forget": ["forget", "m.tercet", "old.csv", *OF_LEDGER],
    "relabel": ["relabel", "m.tercet", "changed.csv", *OF_LEDGER],
    "refit": ["refit", "m.tercet", *OF_LEDGER],
    "undo": ["ledger", "undo", "m.ledger", "4", "--model", "m.tercet"],
    "erase": ["ledger", "erase", "m.ledger", "--event", "3", "--model", "m.tercet", "-o", "certificate.json"],
    "replay": ["ledger", "replay", "m.ledger", "-o", "m.tercet"],
    "verify": ["ledger", "verify", "m.ledger"],
    "begin": ["ledger", "begin", "other.ledger", "m.tercet"],
    "backup": ["backup", "m.ledger", "copy.ledger"],
    "train": ["train", "all.csv", "-o", "m.tercet", "--fast"],
    "learn without a ledger": ["learn", "m.tercet", "new.csv"],
    "merge": ["merge", "m.tercet", "m.tercet", "-o", "m.tercet"],
    "label": ["label", "new.csv", "--model", "m.tercet"],
}
WAITING = {"learn", "forget", "relabel", "refit", "undo", "erase"}  # for the ledger that the server holds
SERVE = ["serve", "m.tercet", "--ledger", "m.ledger", "--port", "0", "--rate", "1e6"]
SERVER_SECONDS, COMMAND_SECONDS = 20.0, 40.0


class Program:
    """tercet in a process of its own, which is forked: so it starts at once."""

    def __init__(self, name: str, words: list[str]) -> None:
        self.out, self.err = Path(f"{name}.out"), Path(f"{name}.err")
        self.code: int | None = None
        for file in (self.out, self.err):  # of an earlier program of this name
            file.unlink(missing_ok=True)
        self.process = os.fork()
        if self.process == 0:
            run(words, self.out, self.err)

    def wait(self, seconds: float) -> bool:
        """Whether it has ended in time."""
        until = time.monotonic() + seconds
        while self.code is None and time.monotonic() < until:
            ended, status = os.waitpid(self.process, os.WNOHANG)
            if ended:
                self.code = os.waitstatus_to_exitcode(status)
            else:
                time.sleep(0.01)
        return self.code is not None

    def signal(self, number: int) -> None:
        if self.code is None:
            os.kill(self.process, number)

    def expect(self, is_there: Callable[[], bool], seconds: float = 20.0) -> bool:
        until = time.monotonic() + seconds
        while not is_there() and time.monotonic() < until and not self.wait(0.01):
            pass
        return is_there()

    def end(self) -> None:
        self.signal(signal.SIGKILL)
        self.wait(5)


def run(words: list[str], out: Path, err: Path) -> None:
    """Be the program, and never return."""
    code: object = 1
    try:
        for number, path, how in ((0, Path(os.devnull), os.O_RDONLY), (1, out, os.O_WRONLY), (2, err, os.O_WRONLY)):
            os.dup2(os.open(path, how | os.O_CREAT, 0o600), number)
        sys.argv = ["tercet", *words]
        signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it for programs in the background
        tercet.cli.main.main()
    except SystemExit as ended:
        code = ended.code
    finally:
        os._exit(code if isinstance(code, int) else 1 if code else 0)


def prepare() -> None:
    """A model that is trained again after changes, with its ledger, and files for the commands."""
    documents = Documents(TEXTS, LABELS)
    model = Categorizer(model=tercet.LinearSVM(), keep_documents=True).fit(TEXTS, LABELS)
    model.save("m.tercet")
    Ledger.begin("m.ledger", model, actor="ann").close()
    write("all.csv", zip(documents.texts, LABELS, strict=True))
    write("new.csv", ((f"{text} new", label) for text, label in zip(TEXTS, LABELS, strict=True)))
    write("old.csv", zip(TEXTS[10:12], LABELS[10:12], strict=True))
    write("changed.csv", [(TEXTS[20], "pos")])


def write(name: str, rows: object) -> None:
    lines = [f'"{text}",{label}\n' for text, label in rows]  # type: ignore[attr-defined]
    Path(name).write_text("text,label\n" + "".join(lines), "utf-8")


def start_server() -> tuple[Program, httpx.Client]:
    server = Program("server", SERVE)
    if not server.expect(lambda: server.out.exists() and "\n" in server.out.read_text()):
        raise RuntimeError(f"the server did not start: {server.err.read_text()}")
    url, _, token = server.out.read_text().strip().partition("/#token=")
    client = httpx.Client(base_url=url, timeout=20)
    csrf = client.post("/api/session", json={"token": token}).json()["csrf"]
    client.headers["X-CSRF-Token"] = csrf
    return server, client


def correct(client: httpx.Client) -> None:
    """Enough corrections for a training."""
    documents = [{"text": f"corrected film {i}", "label": LABELS[i]} for i in range(25)]
    client.post("/api/models/m/learn", json={"documents": documents}).raise_for_status()


def try_pair(template: Path, names: tuple[str, ...]) -> list[str]:
    """What went wrong when these commands ran against a server that trains and is then ended."""
    with TemporaryDirectory() as folder:
        for file in template.iterdir():
            shutil.copy(file, folder)
        os.chdir(folder)
        server, client = start_server()
        with closing(client):
            programs = {f"{i} {name}": Program(f"command{i}", COMMANDS[name]) for i, name in enumerate(names)}
            waiting = [program for name, program in programs.items() if name[2:] in WAITING]
            faults = [
                f"{name} waits and does not say so"
                for name, program in programs.items()
                if program in waiting and not program.expect(lambda: says_so(program))  # noqa: B023
            ]
            correct(client)
            server.signal(signal.SIGTERM)
        faults += [] if server.wait(SERVER_SECONDS) else ["the server waits for ever"]
        for name, program in programs.items():
            faults += [] if program.wait(COMMAND_SECONDS) else [f"{name} waits for ever"]
            faults += [f"{name} has a bug"] if "Traceback" in program.err.read_text() else []
        for program in (server, *programs.values()):
            program.end()
        os.chdir(template)
        return faults


def says_so(program: Program) -> bool:
    return program.code is None and (program.err.exists() and "waiting for another program" in program.err.read_text())


def try_pairs(template: Path, pairs: list[tuple[str, ...]], times: int) -> tuple[str, bool]:
    faults = [f"{' and '.join(pair)}: {fault}" for pair in pairs for _ in range(times) for fault in try_pair(template, pair)]
    return (
        f"{len(pairs)} pairs of commands × {times} beside a server that ends: {len(faults)} faults {faults[:5]}",
        not faults,
    )


def interrupt(template: Path) -> Iterator[tuple[str, bool]]:
    """Ctrl-C ends a command that waits for the ledger, or for the model file."""
    os.chdir(template)
    server, client = start_server()
    client.close()
    for name in sorted(WAITING):
        yield interrupt_one(name)
    server.signal(signal.SIGTERM)
    yield "a server without anything to do ends", server.wait(SERVER_SECONDS)
    with tercet.store.file_lock.lock_file("m.tercet"):
        yield interrupt_one("learn without a ledger")


def interrupt_one(name: str) -> tuple[str, bool]:
    program = Program("interrupted", COMMANDS[name])
    waits = program.expect(lambda: says_so(program))
    program.signal(signal.SIGINT)
    has_ended = program.wait(5)
    program.end()
    return f"{name} waits, says so, and Ctrl-C ends it", waits and has_ended


def attack() -> Iterator[tuple[str, bool]]:
    is_full = wants_all()
    pairs = list(combinations_with_replacement(COMMANDS, 2)) if is_full else [("learn", name) for name in COMMANDS]
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        prepare()
        yield try_pairs(Path(folder), pairs, 5 if is_full else 1)
        yield from interrupt(Path(folder))
        os.chdir("/")


if __name__ == "__main__":
    report(attack())
