"""How fast terms are counted: ratios against `wc -w` and scikit-learn, all in one run.

make benchmark        (TERCET_DATA=folder of the corpora; without it a Zipfian corpus of the same size is made)
"""

import gc
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from tercet import Analyzer, TermCounter
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.text.analyzer import make_recipe

WORDS = Analyzer.preset("sklearn")
RECIPES: dict[str, tuple[Analyzer, dict[str, Any], float]] = {
    "words": (WORDS, {}, 15),
    "words 1-2": (WORDS.replace(word_ngrams=(1, 2)), {"ngram_range": (1, 2)}, 15),
    "char_wb 2-4": (
        WORDS.replace(word_ngrams=None, char_ngrams=(2, 4), char_ngrams_over="words"),
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        12,
    ),
}


def read_corpus() -> tuple[str, list[str], np.ndarray]:
    folder = os.environ.get("TERCET_DATA")
    if not folder:
        return "a Zipfian corpus", *make_corpus()
    with gzip.open(Path(folder, "imdb", "train.jsonl.gz")) as lines:
        rows = [json.loads(line) for line in lines]
    return "imdb", [row["text"] for row in rows], np.array([row["label"] == "pos" for row in rows], np.int64)


def make_corpus(n_texts: int = 25_000, n_words: int = 230) -> tuple[list[str], np.ndarray]:
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = np.array(["".join(rng.choice(letters, rng.integers(1, 11))) for _ in range(100_000)])
    ranks = (rng.zipf(1.15, (n_texts, n_words)) - 1) % len(words)
    return [" ".join(words[row]) for row in ranks], rng.integers(0, 2, n_texts)


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The best of a few runs."""
    best = float("inf")
    for _ in range(repeats):
        gc.collect()
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def row(name: str, value: float, unit: str, bar: float, at_least: bool = False) -> None:
    reached = value >= bar if at_least else value <= bar
    print(
        f"{name:<52}{value:>9.2f} {unit:<22}{'>=' if at_least else '<='} {bar:<6g}{'' if reached else '  MISSED'}", flush=True
    )


def count_labels(texts: list[str], labels: np.ndarray, threads: int) -> None:
    counter = engine.LabelCounter(make_recipe(WORDS), 2, threads)
    for batch in batches(texts, whole=True):
        counter.add(batch, labels)
    counter.take()


def compare_with_wc(texts: list[str], labels: np.ndarray) -> None:
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.writelines(text.replace("\n", " ") + "\n" for text in texts)
        file.flush()
        command = ["wc", "-w", file.name]
        floor = seconds(lambda: subprocess.run(command, env={"LC_ALL": "C.UTF-8"}, stdout=subprocess.DEVNULL, check=True), 5)
    print(f"wc -w takes {floor:.3f} s")
    for threads, bar in ((2, 1.0), (1, 1.6)):
        time_ours = seconds(lambda threads=threads: count_labels(texts, labels, threads), 5)
        row(f"words into tables by label, {threads} thread(s)", time_ours / floor, "x wc -w", bar)


def compare_with_sklearn(texts: list[str]) -> None:
    for name, (analyzer, options, bar) in RECIPES.items():
        theirs = seconds(lambda options=options: CountVectorizer(**options).fit_transform(texts), 1)
        ours = seconds(lambda analyzer=analyzer: TermCounter(analyzer).fit_transform(texts))
        row(f"{name}: fit_transform", theirs / ours, "x CountVectorizer", bar, at_least=True)


def time_one_text(texts: list[str]) -> None:
    counter = TermCounter(WORDS).fit(texts)
    one, n = [texts[0][:100]], 20_000

    def transform_often() -> None:
        for _ in range(n):
            counter.transform(one)

    row("transform of one text of 100 characters", seconds(transform_often) / n * 1e6, "us", 18)


def measure_memory() -> None:
    """In a process of its own: how far it grows beyond the texts, against the result and the vocabulary."""
    for name in RECIPES:
        out = subprocess.run([sys.executable, __file__, "memory", name], check=True, capture_output=True, text=True).stdout
        row(f"{name}: peak memory of fit_transform", float(out), "x result + vocabulary", 1.5)


def grow(name: str) -> float:
    _, texts, _ = read_corpus()
    analyzer = RECIPES[name][0]
    TermCounter(analyzer).fit_transform(texts[:10])  # load what is loaded on first use
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = resident("VmRSS")
    counter = TermCounter(analyzer)
    matrix = counter.fit_transform(texts)
    peak = resident("VmHWM") - before
    arrays = (matrix.data, matrix.indices, matrix.indptr)
    vocabulary = counter.vocabulary_
    result = sum(a.nbytes for a in arrays) + sys.getsizeof(vocabulary) + sum(map(sys.getsizeof, vocabulary))
    return peak / result


def resident(key: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key))


def time_import() -> None:
    def load(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    row("import tercet", load("import tercet") - load("pass"), "s", 0.15)


def main() -> None:
    if sys.argv[1:2] == ["memory"]:
        print(grow(sys.argv[2]))
        return
    name, texts, labels = read_corpus()
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{name}: {len(texts)} texts, {megabytes:.1f} MB, {os.cpu_count()} cores")
    compare_with_wc(texts, labels)
    compare_with_sklearn(texts)
    time_one_text(texts)
    measure_memory()
    time_import()


if __name__ == "__main__":
    main()
