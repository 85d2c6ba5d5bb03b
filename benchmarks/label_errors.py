"""Planted label errors: does `tercet.find_label_errors` rank them above cleanlab, and does it know how many there are?

TERCET_DATA=folder of the corpora python benchmarks/label_errors.py                     (3 plantings, at most 3000 documents)
TERCET_DATA=folder of the corpora python benchmarks/label_errors.py --full              (20 plantings, all documents)
TERCET_DATA=folder of the corpora python benchmarks/label_errors.py sms_spam --plantings 20 --documents 6000 --shares 0.05

A share of the labels is replaced by another label, uniformly at random. The peer is cleanlab's default score, the
self-confidence (`cleanlab.rank.get_label_quality_scores`), on probabilities of scikit-learn: TfidfVectorizer() on all texts,
once for all plantings, and LogisticRegression(), cross-validated in 5 folds.

- average precision of the ranking, where the planted errors are the positives, paired: the same planting for both.
- the increase of the estimated number of errors over the corpus without planted errors, and how often its 95 % interval covers
  the planted number. The bar is an exact binomial test at 1 %.

All of it takes hours. `--results FILE` keeps each measurement as it comes, as a line of JSON, and measures nothing again that
is in the file. `--who` measures tercet or the peer alone, and `--who none` only shows what is in the file.
The exit code is 1 if a bar is missed.
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from cleanlab.rank import get_label_quality_scores
from corpora import Documents, read_corpus
from scipy.stats import binomtest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict

import tercet

PARTS = {
    "sms_spam": "all",
    "imdb": "train",
    "20newsgroups": "train",
    "mr": "all",
    "cr": "all",
    "subj": "all",
    "trec_qc": "train",
}
CORPORA = ("sms_spam", "imdb", "20newsgroups")
SHARES = (0.01, 0.05, 0.2)
LEVEL = 0.01


class Planted(NamedTuple):
    labels: list[str]
    is_wrong: npt.NDArray[np.bool_]


class Results:
    """Measurements by what was measured, in memory or in a file."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path is not None and path.exists() else []
        self._known = {tuple(key): found for key, found in map(json.loads, lines)}

    def find(self, *key: Any, measure: Callable[[], dict[str, float]] | None) -> dict[str, float] | None:
        """What is known, or else what `measure` finds; None without it."""
        if key not in self._known and measure is not None:
            began = time.process_time()
            found = measure()
            self._known[key] = found | {"seconds": time.process_time() - began}
            if self._path is not None:
                with self._path.open("a") as file:
                    file.write(json.dumps([key, self._known[key]]) + "\n")
        return self._known.get(key)


@cache
def pick_documents(name: str, most: int) -> Documents:
    """At most so many documents of a corpus, at random."""
    texts, labels = read_corpus(name, PARTS[name])
    chosen = np.random.default_rng(1).permutation(len(texts))[:most].tolist()
    return Documents([texts[i] for i in chosen], [labels[i] for i in chosen])


def plant(labels: list[str], share: float, seed: int) -> Planted:
    """The labels with so many errors: each is another label, at random."""
    rng, (names, codes) = np.random.default_rng(seed), np.unique(labels, return_inverse=True)
    n = round(share * len(labels))
    wrong = rng.choice(len(labels), n, replace=False)
    codes[wrong] = (codes[wrong] + rng.integers(1, len(names), n)) % len(names)
    is_wrong = np.zeros(len(labels), np.bool_)
    is_wrong[wrong] = True
    return Planted(names[codes].tolist(), is_wrong)


@cache
def weigh_terms(name: str, most: int) -> Any:
    """tf-idf of the documents of a corpus: it does not depend on labels."""
    return TfidfVectorizer().fit_transform(pick_documents(name, most).texts)


def measure_peer(name: str, most: int, share: float, seed: int) -> dict[str, float]:
    labels, is_wrong = plant(pick_documents(name, most).labels, share, seed)
    proba = cross_val_predict(LogisticRegression(max_iter=1000), weigh_terms(name, most), labels, cv=5, method="predict_proba")
    scores = get_label_quality_scores(np.unique(labels, return_inverse=True)[1], proba)
    return {"precision": rank_planted(scores, is_wrong)}


def measure_ours(name: str, most: int, share: float, seed: int) -> dict[str, float]:
    documents = pick_documents(name, most)
    labels, is_wrong = plant(documents.labels, share, seed)
    found = tercet.find_label_errors(documents.texts, labels)
    numbers = {"value": found.n_errors.value, "low": found.n_errors.low, "high": found.n_errors.high}
    return numbers | ({"precision": rank_planted(found.scores, is_wrong)} if share else {})


def rank_planted(scores: npt.NDArray[np.float64], is_wrong: npt.NDArray[np.bool_]) -> float:
    return float(average_precision_score(is_wrong, -np.nan_to_num(scores, nan=1.0)))


MEASURES = {"tercet": measure_ours, "cleanlab": measure_peer}


def show(name: str, n: int, before: float, ours: list[dict[str, float]], peers: list[dict[str, float]]) -> bool:
    """One row; whether both bars are reached."""
    own, peer = (np.array([each["precision"] for each in all_of]) for all_of in (ours, peers))
    increase = np.array([each["value"] for each in ours]) - before
    n_covered = sum(each["low"] - before <= n <= each["high"] - before for each in ours)
    is_covered = binomtest(n_covered, len(ours), 0.95).pvalue >= LEVEL
    is_better = own.mean() > peer.mean()
    ranking = f"{own.mean():.3f} vs {peer.mean():.3f}, better in {(own > peer).sum()} of {len(own)}"
    numbers = f"{n} planted, increase {increase.mean():.0f} ± {increase.std():.0f}, covered {n_covered} of {len(ours)}"
    print(f"{name:26} AP {ranking}{'' if is_better else ' MISSED'}; {numbers}{'' if is_covered else ' MISSED'}", flush=True)
    return bool(is_better and is_covered)


def run(name: str, most: int, shares: list[float], plantings: int, results: Results, who: tuple[str, ...]) -> bool:
    """Measure and show one corpus; whether all bars are reached."""
    n_documents = len(pick_documents(name, most).texts)

    def find(by: str, share: float, seed: int) -> dict[str, float] | None:
        measure = (lambda: MEASURES[by](name, most, share, seed)) if by in who else None
        return results.find(name, n_documents, by, share, seed, measure=measure)

    clean, is_good = find("tercet", 0.0, 0), True
    if clean is not None:
        without = f"{clean['value']:.0f} [{clean['low']:.0f}, {clean['high']:.0f}] errors without planting"
        print(f"{name}: {n_documents} documents, {without}, {clean['seconds']:.0f} s of CPU", flush=True)
    for share in shares:
        ours, peers = ([find(by, share, seed) for seed in range(plantings)] for by in MEASURES)
        if clean and all(ours) and all(peers):
            n_planted, found = round(share * n_documents), (list(filter(None, ours)), list(filter(None, peers)))
            is_good &= show(f"{name} {share:.0%}", n_planted, clean["value"], *found)
    return is_good


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--plantings", type=int, default=3)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--results", type=Path)
    parser.add_argument("--who", choices=["both", "none", *MEASURES], default="both")
    given = parser.parse_args()
    plantings, most = (20, sys.maxsize) if given.full else (given.plantings, given.documents)
    who = {"both": tuple(MEASURES), "none": ()}.get(given.who, (given.who,))
    warnings.simplefilter("ignore")
    results = Results(given.results)
    reached = [run(name, most, given.shares, plantings, results, who) for name in given.corpora]
    sys.exit(not all(reached))


if __name__ == "__main__":
    main()
