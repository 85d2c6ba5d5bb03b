"""How accurate, fast and small margins on texts are, against scikit-learn's LinearSVC and fastText in the same run.

TERCET_DATA=folder of the corpora python benchmarks/margins.py            (all rows)
TERCET_DATA=folder of the corpora python benchmarks/margins.py accuracy folds time memory fasttext agreement
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from bars import row, skip
from corpora import find_corpora, read_corpus
from measures import peak_growth, seconds
from peers import PeerMissing, fit_fasttext, join_lines, load_peer

from tercet import NBSVM, Analyzer, Categorizer, LinearSVM, LogisticRegression, TermCounter, TermWeighting
from tercet.errors import NotConverged

# The corpora of the paper, what reads them, and its figures: opinions by the preset for them, subj as it was tokenised.
FOLDED = {
    "mr": (Analyzer.preset("sentiment"), 79.4),
    "cr": (Analyzer.preset("sentiment"), 81.8),
    "subj": (Analyzer(tokens="treebank", word_ngrams=(1, 2)), 93.2),
}
SMALL = ["sms_spam", "trec_qc", "cr", "mr", "subj", "dante"]


def make_nbsvm() -> Categorizer:
    return Categorizer(Analyzer(word_ngrams=(1, 3)), NBSVM())


def make_svm() -> Categorizer:
    return Categorizer(Analyzer(word_ngrams=(1, 2)), LinearSVM())


def find_accuracy(categorizer: Categorizer, corpus: str) -> float:
    return categorizer.fit(*read_corpus(corpus, "train")).score(*read_corpus(corpus, "test"))


def show_accuracy() -> None:
    row("imdb, NBSVM, 1-3-grams", find_accuracy(make_nbsvm(), "imdb"), "accuracy", ">= 0.916")
    row("imdb, LinearSVM, tf-idf 1-2-grams", find_accuracy(make_svm(), "imdb"), "accuracy", ">= 0.909")
    row("20newsgroups, LinearSVM, tf-idf 1-2-grams", find_accuracy(make_svm(), "20newsgroups"), "accuracy", ">= 0.867")
    tokenised = Categorizer(Analyzer.preset("whitespace", word_ngrams=(1, 2)), LinearSVM())
    row("trec_qc, LinearSVM, tf-idf 1-2-grams", find_accuracy(tokenised, "trec_qc"), "accuracy", ">= 0.91", "as tokenised")


def show_folds() -> None:
    for corpus, (analyzer, bar) in FOLDED.items():
        texts, labels = read_all(corpus)
        c = Categorizer(analyzer, NBSVM())
        found = [100 * c.cross_validate(texts, labels, folds=10, seed=seed).accuracy for seed in range(3)]
        note = f"three deals of 10 folds: {', '.join(f'{one:.2f}' for one in found)}"
        row(f"{corpus}, NBSVM, 1-2-grams", float(np.mean(found)), "%", f">= {bar}", note)


def fit_their_nbsvm() -> Any:
    """The same thing built on CountVectorizer and LinearSVC, as its users would."""
    texts, labels = read_corpus("imdb", "train")
    X = load_peer("sklearn.feature_extraction.text").CountVectorizer(ngram_range=(1, 3), binary=True).fit_transform(texts)
    is_pos = np.array(labels) == "pos"
    p, q = (0.5 + np.asarray(X[side].sum(axis=0)).ravel() for side in (is_pos, ~is_pos))
    r = np.log((p / p.sum()) / (q / q.sum()))
    return load_peer("sklearn.svm").LinearSVC().fit(X.multiply(r).tocsr(), is_pos)


def fit_their_svm() -> Any:
    vectorizer = load_peer("sklearn.feature_extraction.text").TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    svm = load_peer("sklearn.svm").LinearSVC()
    return load_peer("sklearn.pipeline").make_pipeline(vectorizer, svm).fit(*read_corpus("imdb", "train"))


def fit_steps() -> Any:
    """The same by our own steps, as in a pipeline."""
    texts, labels = read_corpus("imdb", "train")
    X = TermWeighting("log").fit_transform(TermCounter(Analyzer(word_ngrams=(1, 2))).fit_transform(texts))
    return LinearSVM().fit(X, labels)


def show_time() -> None:
    train = read_corpus("imdb", "train")
    ours = {
        "NBSVM, 1-3-grams": seconds(lambda: make_nbsvm().fit(*train)),
        "LinearSVM, tf-idf 1-2-grams": seconds(lambda: make_svm().fit(*train)),
        "the same as a pipeline": seconds(fit_steps),
    }
    theirs = seconds(fit_their_nbsvm, 1), seconds(fit_their_svm, 1)
    for (name, taken), other in zip(ours.items(), (theirs[0], theirs[1], theirs[1]), strict=True):
        row(f"imdb, text to fitted {name}", other / taken, "× faster", ">= 12", f"{taken:.2f} s, scikit-learn {other:.1f} s")


def show_memory() -> None:
    """Each in a process of its own: what was freed before can't be seen."""
    for name, ours, theirs in [("NBSVM, 1-3-grams", "nbsvm", "their_nbsvm"), ("LinearSVM, 1-2-grams", "svm", "their_svm")]:
        grown = [float(subprocess.check_output([sys.executable, __file__, "--grow", who])) for who in (ours, theirs)]
        note = f"{grown[0] / 1e6:.0f} MB, scikit-learn {grown[1] / 1e6:.0f} MB"
        row(f"imdb, memory while fitting {name}", grown[0] / grown[1], "of theirs", "< 1", note)


def grow(who: str) -> int:
    train = read_corpus("imdb", "train")
    works: dict[str, Callable[[], Any]] = {
        "nbsvm": lambda: make_nbsvm().fit(*train),
        "svm": lambda: make_svm().fit(*train),
        "their_nbsvm": fit_their_nbsvm,
        "their_svm": fit_their_svm,
    }
    return peak_growth(works[who])[0]


def show_fasttext() -> None:
    try:
        peer = fit_fasttext("imdb", 25)
    except PeerMissing as error:
        skip("imdb, against fastText", str(error))
        return
    train, (texts, labels) = read_corpus("imdb", "train"), read_corpus("imdb", "test")
    predicted, _ = peer.model.predict(join_lines(texts))
    theirs = float(np.mean([found[0].removeprefix("__label__") == gold for found, gold in zip(predicted, labels, strict=True)]))
    taken, c = seconds(lambda: make_nbsvm().fit(*train)), make_nbsvm().fit(*train)
    note = f"{taken:.2f} s, fastText {peer.seconds:.1f} s {peer.note}"
    row("imdb, NBSVM 1-3 against fastText, 25 epochs", peer.seconds / taken, "× faster", "> 1", note)
    accuracy = c.score(texts, labels)
    row("imdb, its accuracy above fastText's", accuracy - theirs, "", "> 0", f"{accuracy:.4f}, fastText {theirs:.4f}")


def show_agreement() -> None:
    """The largest difference of decision values from liblinear's, both solved far beyond their default."""
    svm, model = load_peer("sklearn.svm"), load_peer("sklearn.linear_model")
    many = load_peer("sklearn.multiclass").OneVsRestClassifier
    options = {"tol": 1e-8, "max_iter": 10**6, "random_state": 0}
    pairs: dict[str, tuple[Any, Any]] = {
        "LinearSVM": (LinearSVM(tol=1e-9), svm.LinearSVC(**options)),
        "LogisticRegression": (
            LogisticRegression(C=1.0, tol=1e-9, multi="one_vs_rest"),
            many(model.LogisticRegression(solver="liblinear", **options)),
        ),
    }
    for corpus in SMALL:
        texts, labels = read_all(corpus)
        X = TermWeighting("log").fit_transform(TermCounter(Analyzer(word_ngrams=(1, 2))).fit_transform(texts))
        for name, (ours, theirs) in pairs.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", NotConverged)
                found = ours.fit(X, labels).decision_function(X)
            worst = float(np.abs(found - theirs.fit(X, labels).decision_function(X)).max())
            row(f"{corpus}, {name}: largest difference", worst, "", "<= 0.001", f"{len(texts)} documents")


def read_all(corpus: str) -> tuple[list[str], list[str]]:
    """All documents of a corpus that has one part, or those of its first."""
    folder = Path(os.environ["TERCET_DATA"], corpus)
    path = next(path for name in ("all", "train") for path in folder.glob(f"{name}.jsonl*"))
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        rows = [json.loads(line) for line in lines]
    return [one["text"] for one in rows], [one["label"] for one in rows]


SECTIONS: dict[str, Callable[[], None]] = {
    "accuracy": show_accuracy,
    "folds": show_folds,
    "time": show_time,
    "memory": show_memory,
    "fasttext": show_fasttext,
    "agreement": show_agreement,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[*SECTIONS, []], help="all by default")
    parser.add_argument("--grow", choices=["nbsvm", "svm", "their_nbsvm", "their_svm"], help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.grow:
        print(grow(arguments.grow))
        return
    if find_corpora("imdb") != ("imdb",):
        sys.exit("the bars are those of real corpora: set TERCET_DATA to their folder")
    for name in arguments.sections or SECTIONS:
        SECTIONS[name]()


if __name__ == "__main__":
    main()
