"""Planted label errors: does `tercet.find_label_errors` rank them above cleanlab, and does it know how many there are?

TERCET_DATA=folder of the corpora python benchmarks/label_errors.py                     (3 plantings, at most 3000 documents)
TERCET_DATA=folder of the corpora python benchmarks/label_errors.py --full              (20 plantings, all documents)
TERCET_DATA=folder of the corpora python benchmarks/label_errors.py sms_spam --plantings 20 --documents 6000 --shares 0.05

A share of the labels is replaced by another label, uniformly at random. The peer is cleanlab's default score, the
self-confidence (`cleanlab.rank.get_label_quality_scores`), on probabilities of scikit-learn: TfidfVectorizer() and
LogisticRegression(), cross-validated in 5 folds.

- average precision of the ranking, where the planted errors are the positives, paired: the same planting for both.
- the increase of the estimated number of errors over the corpus without planted errors, and how often its 95 % interval covers
  the planted number. The bar is an exact binomial test at 1 %.

The exit code is 1 if a bar is missed.
"""

import argparse
import sys
import time
import warnings
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from cleanlab.rank import get_label_quality_scores
from corpora import Documents, read_corpus
from scipy.stats import binomtest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline

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


class Outcome(NamedTuple):
    """One planting: average precision of both rankings, and the estimated increase."""

    ours: float
    peer: float
    increase: float
    is_covered: bool


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


def score_by_peer(texts: list[str], labels: list[str]) -> npt.NDArray[np.float64]:
    """cleanlab's score of each document: low if the label looks wrong."""
    model = make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000))
    proba = cross_val_predict(model, texts, labels, cv=5, method="predict_proba")
    return get_label_quality_scores(np.unique(labels, return_inverse=True)[1], proba)


def rank_planted(scores: npt.NDArray[np.float64], is_wrong: npt.NDArray[np.bool_]) -> float:
    return float(average_precision_score(is_wrong, -np.nan_to_num(scores, nan=1.0)))


def run(documents: Documents, share: float, seed: int, before: float) -> Outcome:
    labels, is_wrong = plant(documents.labels, share, seed)
    found = tercet.find_label_errors(documents.texts, labels)
    n, estimate = int(is_wrong.sum()), found.n_errors
    is_covered = estimate.low - before <= n <= estimate.high - before
    ours, peer = rank_planted(found.scores, is_wrong), rank_planted(score_by_peer(documents.texts, labels), is_wrong)
    return Outcome(ours, peer, estimate.value - before, is_covered)


def show(name: str, n: int, outcomes: list[Outcome]) -> bool:
    """One row; whether both bars are reached."""
    ours, peer, increase, covered = np.array(outcomes, np.float64).T
    n_wins, n_covered = int((ours > peer).sum()), int(covered.sum())
    is_covered = binomtest(n_covered, len(outcomes), 0.95).pvalue >= LEVEL
    is_better = ours.mean() > peer.mean()
    ranking = f"{ours.mean():.3f} vs {peer.mean():.3f}, better in {n_wins} of {len(outcomes)}"
    numbers = f"{n} planted, increase {increase.mean():.0f} ± {increase.std():.0f}, covered {n_covered} of {len(outcomes)}"
    print(f"{name:26} AP {ranking}{'' if is_better else ' MISSED'}; {numbers}{'' if is_covered else ' MISSED'}", flush=True)
    return bool(is_better and is_covered)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--plantings", type=int, default=3)
    parser.add_argument("--documents", type=int, default=3000)
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--full", action="store_true")
    given = parser.parse_args()
    plantings, most = (20, sys.maxsize) if given.full else (given.plantings, given.documents)
    warnings.simplefilter("ignore")
    is_good = True
    for name in given.corpora:
        documents, began = pick_documents(name, most), time.process_time()
        clean = tercet.find_label_errors(*documents).n_errors
        seconds = time.process_time() - began
        print(
            f"{name}: {len(documents.texts)} documents, {clean:.0f} errors without planting, {seconds:.0f} s of CPU", flush=True
        )
        for share in given.shares:
            outcomes = [run(documents, share, seed, clean.value) for seed in range(plantings)]
            is_good &= show(f"{name} {share:.0%}", round(share * len(documents.texts)), outcomes)
    sys.exit(not is_good)


if __name__ == "__main__":
    main()
