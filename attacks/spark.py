"""Training on a cluster whose Python workers and executors are killed in the middle: it recovers, and the bytes are the same.

Needs pyspark and Java; without them it says so and passes.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

from checks import report, wants_all

import tercet
from tercet import Categorizer

WORDS = [f"w{i}" for i in range(3000)]
CLUSTER = "local-cluster[2,1,1024]"


def make_texts(n: int) -> tuple[list[str], list[str]]:
    rng = random.Random(5)
    texts = [" ".join(rng.choices(WORDS, k=120)) for _ in range(n)]
    return texts, [rng.choice(["a", "b", "c"]) for _ in texts]


def start_session(folder: Path) -> Any:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(CLUSTER).appName("attack")
    for name, value in {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "600m",
        "spark.sql.shuffle.partitions": "6",
        "spark.speculation": "true",  # slow tasks run twice
        "spark.speculation.multiplier": "1.1",
        "spark.speculation.quantile": "0.3",
        "spark.task.maxFailures": "8",
        "spark.stage.maxConsecutiveAttempts": "8",
        "spark.local.dir": str(folder),
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def list_children(pid: int) -> Iterator[int]:
    """All processes that this process has started, and those that they have started."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    for child in map(int, listed.stdout.split()):
        yield child
        yield from list_children(child)


def find_processes(word: str) -> list[int]:
    """The processes started by this program that have this word in their command line."""
    found = []
    for pid in list_children(os.getpid()):
        try:
            command = Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if word in command:
            found.append(pid)
    return found


class Killer:
    """Kills one of these processes each time after some seconds, at most so many times."""

    def __init__(self, word: str, seconds: float, most: int) -> None:
        self.n_killed = 0
        self._word, self._seconds, self._most = word, seconds, most
        self._stopped = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Killer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        rng = random.Random(1)
        while self.n_killed < self._most and not self._stopped.wait(self._seconds):
            found = find_processes(self._word)
            if found:
                try:
                    os.kill(rng.choice(found), signal.SIGKILL)
                    self.n_killed += 1
                except ProcessLookupError:
                    continue


def read_bytes(model: Any, folder: Path) -> bytes:
    path = folder / "model.tercet"
    path.unlink(missing_ok=True)
    model.save(path)
    return path.read_bytes()


def count_failed(session: Any) -> int:
    """How many tasks have failed so far."""
    tracker = session.sparkContext.statusTracker()
    return sum(stage.numFailedTasks for stage in map(tracker.getStageInfo, range(1000)) if stage is not None)


def run(full: bool) -> Iterator[tuple[str, bool]]:
    texts, labels = make_texts(60_000 if full else 12_000)
    with TemporaryDirectory() as name:
        folder = Path(name)
        expected = read_bytes(Categorizer().fit(texts, labels), folder)
        session = start_session(folder)
        session.createDataFrame(list(zip(texts, labels, strict=True)), "text string, label string").repartition(
            8
        ).write.parquet(str(folder / "data"))
        frame = session.read.parquet(str(folder / "data"))
        yield "nobody is killed: same bytes", read_bytes(tercet.spark.train(frame, Categorizer()), folder) == expected
        start = time.time()
        tercet.spark.train(frame, Categorizer())
        usual = time.time() - start  # when all programs are warm
        for what, word, most in [
            ("Python workers", "pyspark.daemon", 3),
            ("an executor", "CoarseGrainedExecutorBackend", 1),
        ]:
            for to in (None, folder / f"model of {what}"):
                before = count_failed(session)
                with Killer(word, usual / 5, most) as killer:
                    model = tercet.spark.train(frame, Categorizer(), to=to)
                loaded = model if to is None else tercet.load(to)
                is_same = read_bytes(loaded, folder) == expected
                where, n_failed = "one file" if to is None else "a folder", count_failed(session) - before
                yield (
                    f"{killer.n_killed} killed: {what}, {n_failed} tasks failed; {where}: same bytes",
                    is_same and killer.n_killed > 0,
                )
        session.stop()


def find_reason() -> str | None:
    """Why this can't run here."""
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "pyspark is not installed: pip install 'tercet[spark]'"
    return None if shutil.which("java") else "Java is not installed"


if __name__ == "__main__":
    full, reason = wants_all(), find_reason()
    report(run(full) if reason is None else [(f"nothing was run: {reason}", True)])
