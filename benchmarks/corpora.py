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


def make_corpus(n_texts: int = 25_000, n_words: int = 230, seed: int = 0) -> Documents:
    rng = np.random.default_rng(0)
    letters = np.array(list("etaoinshrdlucmfwypvbgk"))
    words = np.array(["".join(rng.choice(letters, rng.integers(1, 11))) for _ in range(100_000)])
    rng = np.random.default_rng(seed)  # the words are the same in all parts
    ranks = (rng.zipf(1.15, (n_texts, n_words)) - 1) % len(words)
    return Documents([" ".join(words[row]) for row in ranks], rng.choice(["neg", "pos"], n_texts).tolist())
