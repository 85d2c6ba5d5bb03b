"""How fast terms are counted: ratios against `wc -w` and scikit-learn, all in one run.

make benchmark        (TERCET_DATA=folder of the corpora; without it a Zipfian corpus of the same size is made)
"""

import os
import subprocess
import sys
import tempfile
from typing import Any

import numpy as np
from corpora import find_corpora, read_corpus
from measures import peak_growth, seconds
from sklearn.feature_extraction.text import CountVectorizer

from tercet import Analyzer, TermCounter
from tercet.kernel import engine
from tercet.kernel.batches import batches
from tercet.text.recipe import make_recipe

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


def row(name: str, value: float, unit: str, bar: float, at_least: bool = False) -> None:
    reached = value >= bar if at_least else value <= bar
    print(
        f"{name:<52}{value:>9.2f} {unit:<22}{'>=' if at_least else '<='} {bar:<6g}{'' if reached else '  MISSED'}", flush=True
    )


def count_labels(texts: list[str], labels: np.ndarray, threads: int) -> None:
    counter = engine.TableCounter(make_recipe(WORDS), 2, threads)
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
    (corpus,) = find_corpora("imdb")
    texts = read_corpus(corpus, "train").texts
    analyzer = RECIPES[name][0]
    TermCounter(analyzer).fit_transform(texts[:10])  # load what is loaded on first use
    counter = TermCounter(analyzer)
    peak, matrix = peak_growth(lambda: counter.fit_transform(texts))
    arrays = (matrix.data, matrix.indices, matrix.indptr)
    vocabulary = counter.vocabulary_
    result = sum(a.nbytes for a in arrays) + sys.getsizeof(vocabulary) + sum(map(sys.getsizeof, vocabulary))
    return peak / result


def time_import() -> None:
    def load(code: str) -> float:
        return seconds(lambda: subprocess.run([sys.executable, "-c", code], check=True), 5)

    row("import tercet", load("import tercet") - load("pass"), "s", 0.15)


def main() -> None:
    if sys.argv[1:2] == ["memory"]:
        print(grow(sys.argv[2]))
        return
    (name,) = find_corpora("imdb")
    texts, names = read_corpus(name, "train")
    labels = np.unique(names, return_inverse=True)[1]
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    print(f"{name}: {len(texts)} texts, {megabytes:.1f} MB, {os.cpu_count()} cores")
    compare_with_wc(texts, labels)
    compare_with_sklearn(texts)
    time_one_text(texts)
    measure_memory()
    time_import()


if __name__ == "__main__":
    main()
