"""What neutral words cost and what they do: the Equity Evaluation Corpus on models of film reviews.

TERCET_DATA=folder python benchmarks/neutral.py [model ...]

A cell has the sentences of one template and one emotion word. The words that are in sentences of one gender or race of a cell,
and not in those of another, are made neutral. Then the difference of the mean probabilities must be exactly 0.
"""

import gzip
import json
import math
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path
from typing import Any

from corpora import read_corpus

import tercet
from tercet import NBSVM, Analyzer, Categorizer, LinearSVM, LogisticRegression
from tercet.categorizer.auto import WORDS

MODELS: dict[str, Any] = {
    "bayes": None,
    "nbsvm": NBSVM(),
    "svm": LinearSVM(),
    "logistic": LogisticRegression(),
    "auto": "auto",  # with character n-grams
}
COLUMNS = ("gender", "race")
Cell = tuple[str, str]


def group_cells(rows: list[dict[str, Any]], column: str, values: Iterable[Any]) -> dict[Cell, dict[str, list[Any]]]:
    """For each cell and each value of the column, the values of its sentences. Sentences without the column are left out."""
    cells: dict[Cell, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for row, value in zip(rows, values, strict=True):
        if row[column]:
            cells[row["template"], row["emotion_word"]][row[column]].append(value)
    return cells


def find_differing(rows: list[dict[str, Any]]) -> list[str]:
    """The words that only some of the groups of a cell have."""
    words = [{token.text for token in Analyzer().tokens(row["text"])} for row in rows]
    found = set()
    for column in COLUMNS:
        for groups in group_cells(rows, column, words).values():
            for one, other in permutations(groups.values(), 2):
                found |= set().union(*one) - set().union(*other)
    return sorted(found)


def list_differences(rows: list[dict[str, Any]], column: str, probabilities: list[float]) -> list[float]:
    """The difference of the means in each cell: first value of the column minus second."""
    means = (
        [math.fsum(groups[value]) / len(groups[value]) for value in sorted(groups)]
        for groups in group_cells(rows, column, probabilities).values()
    )
    return [first - second for first, second in means]


def measure(name: str, rows: list[dict[str, Any]], neutral: list[str]) -> None:
    train, test = read_corpus("imdb", "train"), read_corpus("imdb", "test")
    answers = {}
    for kind, listed in {"neutral": neutral, "plain": None}.items():
        begin = time.process_time()
        categorizer = Categorizer(WORDS.replace(neutral=listed), MODELS[name]).fit(train.texts, train.labels)
        seconds = time.process_time() - begin
        answers[kind] = categorizer.predict(test.texts).tolist()
        probabilities = categorizer.predict_proba([row["text"] for row in rows])[:, 1].tolist()
        for column in COLUMNS:
            found = list_differences(rows, column, probabilities)
            largest, mean = max(map(abs, found)), math.fsum(found) / len(found)
            print(
                f"{name:<9}{kind:<8}{column:<7} {len(found)} cells, mean difference {mean:.4g}, largest {largest:.4g}",
                flush=True,
            )
        print(f"{name:<9}{kind:<8}trained in {seconds:.1f} s of CPU", flush=True)
    print(tercet.compare(test.labels, answers).sentence, flush=True)
    for system in answers:
        print(f"  {system}: {sum(map(str.__eq__, answers[system], test.labels)) / len(test.labels):.4f}", flush=True)


if __name__ == "__main__":
    with gzip.open(Path(os.environ["TERCET_DATA"], "eec", "all.jsonl.gz")) as lines:
        sentences = [json.loads(line) for line in lines]
    listed = find_differing(sentences)
    print(f"{len(listed)} neutral words: {', '.join(listed)}")
    for chosen in sys.argv[1:] or MODELS:
        measure(chosen, sentences, listed)
