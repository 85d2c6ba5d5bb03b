"""How good models are with few labels: accuracy, log-loss and calibration by labels a class, on real corpora.

    TERCET_DATA=… python benchmarks/first_labels.py [--draws 5] [--labels 2,5,10,20,50,200,all] [--models …] [CORPUS …]

Each draw takes so many training documents of each label at random, and judges 1,000 documents of the test part. The models are
the default without word vectors, the default, the default with 2,000 unlabelled texts of the training part, naive Bayes, and
scikit-learn's tf-idf with logistic regression. CPU seconds are those of a training, after the words of the encoder are cached.
"""

import gzip
import json
import os
import sys
import time
import warnings
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tercet
from tercet import Categorizer

CORPORA = (
    "trec_qc",
    "cr",
    "mr",
    "subj",
    "sms_spam",
    "clinc150",
    "goemotions",
    "20newsgroups",
    "imdb",
    "evomsa_tweets",
    "dante",
)
MAX_JUDGED = 1000
N_UNLABELLED = 2000
BINS = 15
Fit = Callable[[list[str], list[str], list[str]], Any]


class Corpus(NamedTuple):
    texts: list[str]
    labels: list[str]
    new_texts: list[str]
    new_labels: list[str]


def read_rows(path: Path) -> list[dict[str, Any]] | None:
    for ending in (".jsonl", ".jsonl.gz"):
        file = path.with_name(path.name + ending)
        if file.exists():
            with gzip.open(file, "rt") if ending.endswith("gz") else open(file) as lines:
                return [json.loads(line) for line in lines]
    return None


def read_corpus(folder: Path) -> Corpus:
    """Training and test documents; every fifth document is for testing if there is no test file. One label each."""
    draw = np.random.default_rng(0)
    train, test = read_rows(folder / "train"), read_rows(folder / "test")
    if train is None or test is None:
        whole = read_rows(folder / "all") or []
        order = draw.permutation(len(whole)).tolist()
        train, test = [whole[i] for i in order if i % 5], [whole[i] for i in order if not i % 5]
    train, test = ([row for row in rows if len(row.get("labels", [0])) == 1] for rows in (train, test))
    chosen = [test[i] for i in draw.permutation(len(test))[:MAX_JUDGED].tolist()]
    pick = [[row["text"] for row in rows] for rows in (train, chosen)]
    gold = [[str(row["labels"][0] if "labels" in row else row["label"]) for row in rows] for rows in (train, chosen)]
    return Corpus(pick[0], gold[0], pick[1], gold[1])


def draw_few(labels: Sequence[str], n: int | None, seed: int) -> list[int]:
    """So many documents of each label; all documents if n is None."""
    order = np.random.default_rng(seed).permutation(len(labels)).tolist()
    taken: Counter[str] = Counter()
    chosen = []
    for i in order:
        if n is None or taken[labels[i]] < n:
            taken[labels[i]] += 1
            chosen.append(i)
    return chosen


def draw_unlabelled(corpus: Corpus, chosen: Sequence[int], seed: int) -> list[str]:
    """Texts of the training part that were not chosen."""
    order, known = np.random.default_rng(seed + 100).permutation(len(corpus.texts)).tolist(), set(chosen)
    return [corpus.texts[i] for i in order if i not in known][:N_UNLABELLED]


def fit_ours(*, takes_pool: bool = False, **options: Any) -> Fit:
    def fit(texts: list[str], labels: list[str], pool: list[str]) -> Any:
        categorizer = Categorizer(calibrate="auto", **options)
        return tercet.train(
            texts, labels, categorizer=categorizer, unlabelled=(pool or None) if takes_pool else None
        ).categorizer

    return fit


def fit_peer(texts: list[str], labels: list[str], _: list[str]) -> Any:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    return make_pipeline(vectorizer, LogisticRegression(C=10, max_iter=300)).fit(texts, labels)


MODELS: dict[str, Fit] = {
    "without vectors": fit_ours(model="auto"),
    "default": fit_ours(model="auto", vectors="auto"),
    "unlabelled": fit_ours(model="auto", vectors="auto", takes_pool=True),
    "naive Bayes": fit_ours(),
    "tf-idf + logistic": fit_peer,
}


def judge(model: Any, corpus: Corpus) -> tuple[float, float, float]:
    """Accuracy, log-loss and expected calibration error."""
    proba, classes = model.predict_proba(corpus.new_texts), [str(label) for label in model.classes_]
    gold = np.array([classes.index(label) if label in classes else -1 for label in corpus.new_labels])
    best, sure = proba.argmax(axis=1), proba.max(axis=1)
    own = np.where(gold >= 0, proba[np.arange(len(gold)), gold], 0.0)
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [abs(((best == gold) - sure)[bins == i].sum()) for i in range(BINS)]
    return float((best == gold).mean()), float(-np.log(np.maximum(own, 1e-9)).mean()), float(sum(gaps) / len(gold))


def measure(name: str, corpus: Corpus, n: int | None, draws: int, models: Sequence[str]) -> dict[str, list[float]]:
    found: defaultdict[str, list[tuple[float, ...]]] = defaultdict(list)
    for seed in range(1 if n is None else draws):
        chosen = draw_few(corpus.labels, n, seed)
        texts, labels = [corpus.texts[i] for i in chosen], [corpus.labels[i] for i in chosen]
        pool = draw_unlabelled(corpus, chosen, seed)
        for title in models:
            began = time.process_time()
            model = MODELS[title](texts, labels, pool)
            seconds = time.process_time() - began
            found[title].append((*judge(model, corpus), seconds))
    means = {title: np.mean(rows, axis=0).tolist() for title, rows in found.items()}
    shown = "  ".join(f"{title} {m[0]:.3f} ({m[1]:.2f}, {m[2]:.3f}, {m[3]:.1f} s)" for title, m in means.items())
    print(f"{name:14} {n or 'all':>4}  {shown}", flush=True)
    return means


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    parser.add_argument("--draws", type=int, default=5)
    parser.add_argument("--labels", default="2,5,10,20,50,200,all")
    parser.add_argument("--models", default=",".join(MODELS))
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    folder = os.environ.get("TERCET_DATA")
    if folder is None:
        sys.exit("set TERCET_DATA to the folder of the corpora")
    sizes = [None if each == "all" else int(each) for each in given.labels.split(",")]
    corpora = {name: read_corpus(Path(folder, name)) for name in given.corpora}
    models = given.models.split(",")
    print("accuracy (log-loss, calibration error, CPU seconds of a training)")
    for n in sizes:
        rows = [measure(name, corpus, n, given.draws, models) for name, corpus in corpora.items()]
        for title in models:
            mean = np.mean([row[title] for row in rows], axis=0)
            print(f"{'mean':14} {n or 'all':>4}  {title}: accuracy {mean[0]:.3f}, log-loss {mean[1]:.3f}, error {mean[2]:.3f}")


if __name__ == "__main__":
    main()
