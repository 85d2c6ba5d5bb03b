"""If the labels say nothing about the texts, does the interval of the estimated accuracy cover chance?

python benchmarks/shuffled_labels.py                    (100 runs of the default model)
python benchmarks/shuffled_labels.py --model bayes --runs 20 --documents 1000

The texts are those of film sentences (MR), or invented ones if TERCET_DATA is not set. In each run half of the documents get
one label and half the other, at random. So the accuracy of every model on new documents is 0.5. The bar is 90 of 100 intervals
of 95 %: with it, the program ends with exit code 1 if fewer cover 0.5.
"""

import argparse
import sys
import warnings

import numpy as np
from bars import row
from corpora import find_corpora, make_corpus, read_corpus

import tercet
from tercet.cli.options.config import make_categorizer
from tercet.cli.options.model_options import DEFAULT_MODEL, MODELS

CHANCE = 0.5


def find_texts(n: int) -> list[str]:
    """So many texts, none of them twice: a copy with another label would be evidence against the label."""
    found = find_corpora("mr")[0]
    texts = read_corpus("mr", "all").texts if found == "mr" else make_corpus(2 * n, 20).texts
    distinct = list(dict.fromkeys(texts))
    if len(distinct) < n:
        sys.exit(f"there are only {len(distinct)} texts: give a smaller number of --documents.")
    return distinct[:: len(distinct) // n][:n]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", choices=list(MODELS), default=DEFAULT_MODEL)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--documents", type=int, default=600)
    given = parser.parse_args()
    texts = find_texts(given.documents)
    values, n_covered = [], 0
    labels = np.array(["x", "y"])[np.arange(len(texts)) % 2]
    for seed in range(given.runs):
        shuffled = np.random.default_rng(seed).permutation(labels).tolist()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # few members have a weight, and this is right here
            trained = tercet.train(texts, shuffled, categorizer=make_categorizer({"model": given.model}))
        accuracy = trained.estimate.accuracy
        values.append(accuracy.value)
        n_covered += accuracy.low <= CHANCE <= accuracy.high
    name = f"{given.model}, {len(texts)} documents, {given.runs} runs"
    row(f"{name}: mean accuracy", float(np.mean(values)), "", note=f"chance is {CHANCE}")
    sys.exit(not row(f"{name}: covered", 100 * n_covered / given.runs, "%", ">= 90"))


if __name__ == "__main__":
    main()
