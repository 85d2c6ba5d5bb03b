"""Programs that end, fork or are killed at a bad moment: they exit with 0, never hang, and leave a whole file."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from checks import report, wants_all

import tercet
from tercet.cli.main import run

HELPERS = Path(__file__).resolve().parent.parent / "tests" / "helpers"
ACTS = ["fit", "predict", "learn", "leave_one_out", "stems", "patterns"]

# The program on a slow disk, which writes the file again and again until it is killed.
WRITER = """
import os, time
import tercet.cli.main as program
fsync = os.fsync
def wait(handle):
    fsync(handle)
    time.sleep(0.02)
os.fsync = wait
once = program.run
def repeat(_):
    while True:
        once(["learn", "m.tercet", "new.csv", "-q"])
        print("ready", flush=True)
        once(["forget", "m.tercet", "new.csv", "-q"])
program.run = repeat
program.main()
"""


def exit_while_busy(n: int) -> Iterator[tuple[str, bool]]:
    """Exits while 1, 2 and 4 daemon threads are in the kernel, n of each kind."""
    rng = random.Random(0)
    for n_threads in (1, 2, 4):
        codes: Counter[object] = Counter()
        for act in ACTS * n:
            command = [sys.executable, str(HELPERS / "exit_while_busy.py"), act, str(n_threads), str(rng.uniform(0.02, 0.2))]
            try:
                codes[subprocess.run(command, stderr=subprocess.DEVNULL, timeout=60, check=False).returncode] += 1
            except subprocess.TimeoutExpired:
                codes["hangs"] += 1
        yield f"exits with {n_threads} busy daemon threads, by exit code: {dict(codes)}", set(codes) == {0}


def fork_while_learning(n: int) -> tuple[str, bool]:
    command = [sys.executable, str(HELPERS / "fork_while_learning.py"), "forked.tercet", str(n)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return f"{n} forks while threads learn, children that hung or failed: {ended.stdout.strip()}", ended.stdout.strip() == "[]"


def kill_writers(how: signal.Signals, n: int) -> Iterator[tuple[str, bool]]:
    rng, good, codes, left = random.Random(0), list_versions(), Counter[object](), Counter[str]()
    n_whole = 0
    for _ in range(n):
        Path("m.tercet").write_bytes(good[0])  # a writer that is killed after `learn` leaves one document more
        writer = subprocess.Popen([sys.executable, "-c", WRITER], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(rng.uniform(0.05, 0.3))
        writer.send_signal(how)
        codes[wait_for(writer)] += 1
        writer.stdout.close()
        n_whole += Path("m.tercet").read_bytes() in good
        left.update(name for name in os.listdir() if name.startswith("."))
    yield f"{n} writers stopped by {how.name}, exit codes {dict(codes)}: whole files {n_whole}", n_whole == n
    if how == signal.SIGTERM:
        expected = set(codes) == {143} and not left[".m.tercet.part"]
        yield f"SIGTERM is an end with 143 that leaves no .part; left: {dict(left)}", expected
    else:
        yield f"kill -9 left {dict(left)}", set(codes) == {-9}
    tercet.load("m.tercet").save("m.tercet")
    hidden = [name for name in os.listdir() if name.startswith(".")]
    yield f"the next writer leaves {hidden}", not hidden


def wait_for(writer: subprocess.Popen[bytes]) -> object:
    """The exit code of a program, or that it hangs."""
    try:
        return writer.wait(60)
    except subprocess.TimeoutExpired:
        writer.kill()
        writer.wait()
        return "hangs"


def list_versions() -> list[bytes]:
    """The file before and after the changes that a writer makes."""
    texts = [f"w{i} w{i % 77} w{i % 13} of document {i}" for i in range(20_000)]
    tercet.Categorizer().fit(texts, [f"l{i % 5}" for i in range(20_000)]).save("m.tercet")
    Path("new.csv").write_text("text,label\na new document,l1\n")
    versions = [Path("m.tercet").read_bytes()]
    for verb in ("learn", "forget"):
        run([verb, "m.tercet", "new.csv", "-q"])
        versions.append(Path("m.tercet").read_bytes())
    return versions


def attack(is_full: bool) -> Iterator[tuple[str, bool]]:
    yield from exit_while_busy(9 if is_full else 1)
    yield fork_while_learning(100)
    yield from kill_writers(signal.SIGTERM, 50 if is_full else 10)
    yield from kill_writers(signal.SIGKILL, 50 if is_full else 10)


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        is_full = wants_all()
        os.chdir(folder)
        report(attack(is_full))
