"""What training on Spark costs: seconds, bytes that are shuffled, and memory, for data of any size.

    python benchmarks/spark_scale.py make FOLDER --gb 2            # invented texts whose words follow Zipf's law
    python benchmarks/spark_scale.py run FOLDER --master 'local[2]' --recipe words
    python benchmarks/spark_scale.py run FOLDER --master 'local-cluster[2,1,1536]' --recipe pairs --to MODEL
    python benchmarks/spark_scale.py alone FOLDER --recipe words   # one process, for comparison

Each run prints one line of JSON. `--check FILE` compares the model with a file that `alone --save FILE` has written.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import tercet
from tercet import Analyzer, Categorizer, Documents

RECIPES = {"words": Analyzer(), "pairs": Analyzer(word_ngrams=(1, 2))}
VOCABULARY = 2_000_000
FILE_BYTES = 1 << 26
LABELS = np.array(["billing", "delivery", "other", "refund"])


def make_words() -> Any:
    """Words of two to five letters or so: the more frequent, the shorter."""
    letters = np.array(list("etaoinsrhldcumfpgwybvkxjqz"))

    def spell(rank: int) -> str:
        spelled = []
        rank += 26
        while rank:
            rank, letter = divmod(rank, 26)
            spelled.append(letters[letter])
        return "".join(spelled)

    return np.array([spell(rank) for rank in range(VOCABULARY)], object)


def make(folder: Path, gigabytes: float, seed: int) -> None:
    """Write files of Parquet with so many bytes of text."""
    rng = np.random.default_rng(seed)
    words = pa.array(make_words().tolist())
    shares = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7) ** 1.3)
    shares /= shares[-1]
    folder.mkdir(parents=True)
    left, number = int(gigabytes * 1e9), 0
    while left > 0:
        lengths = rng.integers(20, 380, max(1, min(left, FILE_BYTES) // 750))
        starts = np.concatenate([[0], np.cumsum(lengths)])
        ranks = np.searchsorted(shares, rng.random(starts[-1]))
        labels = rng.integers(len(LABELS), size=len(lengths))
        of_word = np.repeat(labels, lengths)
        is_own = rng.random(len(ranks)) < 0.1  # one word of ten depends on the label
        ranks[is_own] = (ranks[is_own] * 7 + of_word[is_own]) % VOCABULARY
        texts = pc.binary_join(pa.ListArray.from_arrays(pa.array(starts, pa.int32()), words.take(pa.array(ranks))), " ")
        table = pa.table({"text": texts, "label": LABELS[labels].tolist()})
        pq.write_table(table, folder / f"part-{number:05}.parquet", row_group_size=20_000, compression="zstd")
        left, number = left - int(pc.sum(pc.binary_length(texts)).as_py()), number + 1


def measure_texts(folder: Path) -> int:
    """The bytes of all texts."""
    total = 0
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(20_000, columns=["text"]):
            total += pc.sum(pc.binary_length(batch.column(0))).as_py()
    return total


def read_documents(folder: Path) -> Iterator[Documents]:
    for path in sorted(folder.glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(20_000):
            yield Documents(batch.column("text"), batch.column("label"))


def run_alone(arguments: argparse.Namespace) -> dict[str, Any]:
    start = time.time()
    categorizer = Categorizer(RECIPES[arguments.recipe], threads=arguments.threads).fit(read_documents(arguments.folder))
    seconds, usage = time.time() - start, resource.getrusage(resource.RUSAGE_SELF)
    path = arguments.save or Path(tempfile.mkdtemp(), "model.tercet")
    categorizer.save(path)
    return {
        "master": f"one process, {arguments.threads} threads",
        "seconds": round(seconds, 1),
        "cpu": round(usage.ru_utime + usage.ru_stime, 1),
        "saving_seconds": round(time.time() - start - seconds, 1),
        "terms": len(categorizer.table_),
        "file_mb": round(path.stat().st_size / 1e6),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


class Watch:
    """The memory and the CPU time of all processes that this one has started. It looks twice a second."""

    def __init__(self) -> None:
        self.peaks = {"worker_mb": 0, "workers_mb": 0, "java_mb": 0}
        self._cpu: dict[tuple[int, str], float] = {}
        self._stopped = Event()
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Watch":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    @property
    def cpu(self) -> dict[str, float]:
        """Seconds of the Python workers and of Java."""
        kinds = ("workers", "java")
        return {f"{kind}_cpu": round(sum(s for (_, own), s in self._cpu.items() if own == kind)) for kind in kinds}

    def _watch(self) -> None:
        while not self._stopped.wait(0.5):
            sizes: dict[str, list[int]] = {"workers": [0], "java": [0]}
            for pid, kind, megabytes, seconds in list_descendants():
                sizes[kind].append(megabytes)
                self._cpu[pid, kind] = seconds
            found = {"worker_mb": max(sizes["workers"]), "workers_mb": sum(sizes["workers"]), "java_mb": sum(sizes["java"])}
            self.peaks = {name: max(peak, found[name]) for name, peak in self.peaks.items()}


def list_descendants() -> Iterator[tuple[int, str, int, float]]:
    """(pid, kind, MB, CPU seconds) of the Python workers and Java processes below this process."""
    parents, facts = {}, {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = (process / "stat").read_text().rpartition(")")[2].split()
            command = (process / "cmdline").read_bytes()
        except OSError:
            continue
        pid = int(process.name)
        parents[pid] = int(stat[1])
        kind = "workers" if b"pyspark" in command and b"daemon" in command else "java" if b"java" in command else None
        if kind is not None:
            ticks = os.sysconf("SC_CLK_TCK")
            facts[pid] = (kind, int(stat[21]) * 4096 >> 20, (int(stat[11]) + int(stat[12])) / ticks)
    for pid, fact in facts.items():
        above = pid
        while above in parents and above != os.getpid():
            above = parents[above]
        if above == os.getpid():
            yield (pid, *fact)


def start_session(arguments: argparse.Namespace, events: str) -> Any:
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(arguments.master).appName("spark_scale")
    for name, value in {
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.dir": f"file:{events}",
        "spark.executor.memory": "1g",
        "spark.executor.pyspark.memory": arguments.worker_memory,
        "spark.sql.shuffle.partitions": str(arguments.shards),
        "spark.sql.files.maxPartitionBytes": "32m",
        "spark.local.dir": arguments.scratch,
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def read_events(folder: str) -> dict[str, Any]:
    """The bytes that were shuffled, and the seconds that tasks have taken."""
    shuffled, run, tasks, failed = 0, 0, 0, 0
    for path in Path(folder).rglob("*"):
        for line in path.open() if path.is_file() and not path.name.startswith(".") else ():
            event = json.loads(line)
            if event["Event"] != "SparkListenerTaskEnd":
                continue
            metrics = event.get("Task Metrics") or {}
            shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
            run += metrics.get("Executor Run Time", 0)
            tasks += 1
            failed += event["Task End Reason"]["Reason"] != "Success"
    return {"shuffled_mb": round(shuffled / 1e6), "task_seconds": round(run / 1000), "tasks": tasks, "failed_tasks": failed}


def run_spark(arguments: argparse.Namespace) -> dict[str, Any]:
    events = tempfile.mkdtemp()
    session = start_session(arguments, events)
    frame = session.read.parquet(str(arguments.folder))
    found: dict[str, Any] = {"master": arguments.master}
    with Watch() as watch:
        start = time.time()
        categorizer = Categorizer(RECIPES[arguments.recipe], min_documents=arguments.min_documents)
        model = tercet.spark.train(frame, categorizer, to=arguments.to, prune=arguments.min_documents > 1)
        found["seconds"] = round(time.time() - start, 1)
    session.stop()
    if isinstance(model, Categorizer):
        path = Path(tempfile.mkdtemp(), "model.tercet")
        model.save(path)
        found |= {"terms": len(model.table_), "file_mb": round(path.stat().st_size / 1e6)}
        if arguments.check:
            found["same_bytes"] = path.read_bytes() == arguments.check.read_bytes()
    else:
        found |= {"terms": model.n_terms, "file_mb": round(model.n_bytes / 1e6), "shards": model.n_shards}
    found |= watch.peaks | watch.cpu
    usage = resource.getrusage(resource.RUSAGE_SELF)
    found["driver_cpu"] = round(usage.ru_utime + usage.ru_stime)
    found["driver_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return found | read_events(events)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["make", "run", "alone"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--gb", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--master", default="local[2]")
    parser.add_argument("--recipe", choices=list(RECIPES), default="words")
    parser.add_argument("--to", type=Path)
    parser.add_argument("--shards", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--min-documents", type=int, default=1)
    parser.add_argument("--worker-memory", default="1200m")
    parser.add_argument("--scratch", default=tempfile.gettempdir())
    parser.add_argument("--save", type=Path)
    parser.add_argument("--check", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "make":
        make(arguments.folder, arguments.gb, arguments.seed)
        return
    found = run_alone(arguments) if arguments.what == "alone" else run_spark(arguments)
    text_mb = round(measure_texts(arguments.folder) / 1e6)
    print(json.dumps({"recipe": arguments.recipe, "text_mb": text_mb, **found}))


if __name__ == "__main__":
    main()
