"""The corpora in the folder that TERCET_DATA names; without it, an invented one of the same size as imdb."""

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

INVENTED = "a Zipfian corpus"


class Documents(NamedTuple):
    texts: list[str]
    labels: list[str]


def find_corpora(*names: str) -> tuple[str, ...]:
    """The corpora of these names, or what stands in for them."""
    return names if os.environ.get("TERCET_DATA") else (INVENTED,)


@cache
def read_corpus(name: str, part: str) -> Documents:
    """Part "train" or "test" of a corpus."""
    if name == INVENTED:
        return make_corpus(seed=("train", "test").index(part))
    path = Path(os.environ["TERCET_DATA"], name, part + ".jsonl")
    with path.open("rb") if path.exists() else gzip.open(f"{path}.gz") as lines:
        documents = Documents([], [])
        # Row by row: a list of rows would leave free memory behind, and growth into that is not seen by `peak_growth`.
        for row in map(json.loads, lines):
            documents.texts.append(row["text"])
            documents.labels.append(row["label"])
    return documents


class Split(NamedTuple):
    train: Documents
    test: Documents


def read_shipped(name: str) -> Split:
    """A corpus that comes with a test set."""
    return Split(read_corpus(name, "train"), read_corpus(name, "test"))


def join_parts(name: str, *parts: str) -> Documents:
    """Several parts of a corpus, one after the other."""
    read = [read_corpus(name, part) for part in parts]
    return Documents([text for part in read for text in part.texts], [label for part in read for label in part.labels])


def deal_folds(documents: Documents, n_folds: int, seed: int = 0) -> np.ndarray:
    """The fold of each document, at random, but with equal shares of each label."""
    labels, folds = np.array(documents.labels), np.empty(len(documents.labels), int)
    rng = np.random.default_rng(seed)
    for label in np.unique(labels):
        (places,) = np.nonzero(labels == label)
        folds[rng.permutation(places)] = np.arange(len(places)) % n_folds
    return folds


def hold_out(documents: Documents, is_test: np.ndarray) -> Split:
    """These documents as the test set, and the others to train on."""
    sides = [np.flatnonzero(chosen) for chosen in (~is_test, is_test)]
    train, test = (Documents(*([column[i] for i in places] for column in documents)) for places in sides)
    return Split(train, test)


def make_corpus(n_texts: int = 25_000, n_words: int = 230, seed: int = 0) -> Documents:
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = np.array(["".join(rng.choice(letters, rng.integers(1, 11))) for _ in range(100_000)])
    rng = np.random.default_rng(seed)  # the words are the same in all parts
    ranks = (rng.zipf(1.15, (n_texts, n_words)) - 1) % len(words)
    return Documents([" ".join(words[row]) for row in ranks], rng.choice(["neg", "pos"], n_texts).tolist())
