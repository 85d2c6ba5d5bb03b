"""How fast, small and good Naive Bayes on texts is: ratios against scikit-learn and fastText, all in one run.

make benchmark        (TERCET_DATA=folder of the corpora; without it a Zipfian corpus of the same size is made)
python benchmarks/naive_bayes.py fit predict        (these rows only)
"""

import argparse
import operator
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from corpora import find_corpora, read_corpus
from measures import peak_growth, seconds
from peers import PeerMissing, fit_fasttext, fit_sklearn, join_lines, make_sklearn

from tercet import Analyzer, Categorizer, NaiveBayes

SIGNS = {">=": operator.ge, "<=": operator.le, "<": operator.lt}
ACCURACIES = {"20newsgroups": 0.825, "imdb": 0.86, "trec_qc": 0.815}
LINE = "{:<18}{:<18}{:>12}  {:<24}{:>8}  {:<9}{}"


def row(
    name: str, corpus: str, ours: float, unit: str, bar: str, peer: tuple[str, float] | None = None, note: str = ""
) -> None:
    """The bar is on the ratio: theirs / ours if it says ">=", else ours / theirs. Without a peer it is on our figure."""
    sign, limit = bar.split()
    theirs, shown, value = "-", "-", ours
    if peer:
        value = peer[1] / ours if sign == ">=" else ours / peer[1]
        theirs, shown = f"{peer[1]:.4g} {unit} {peer[0]}", f"{value:.2f}"
    verdict = "met" if SIGNS[sign](value, float(limit)) else "MISSED"
    print(LINE.format(name, corpus, f"{ours:.4g} {unit}", theirs, shown, bar, f"{verdict:<8}{note}").rstrip(), flush=True)


def make_unigrams() -> Any:
    return Categorizer(analyzer=Analyzer(), model=NaiveBayes("multinomial"))


def make_bigrams() -> Any:
    return Categorizer(analyzer=Analyzer(word_ngrams=(1, 2)), model=NaiveBayes("multinomial"))


@cache
def fit_unigrams(corpus: str) -> Any:
    return make_unigrams().fit(*read_corpus(corpus, "train"))


def compare_fit(corpus: str) -> None:
    train, theirs = read_corpus(corpus, "train"), make_sklearn()
    ours = seconds(lambda: make_unigrams().fit(*train))
    row("fit", corpus, ours, "s", ">= 18", ("scikit-learn", seconds(lambda: theirs.fit(*train))))


def compare_predict(corpus: str) -> None:
    texts, model, theirs = read_corpus(corpus, "test").texts, fit_unigrams(corpus), fit_sklearn(corpus)
    ours = seconds(lambda: model.predict(texts))
    row("predict", corpus, ours, "s", ">= 18", ("scikit-learn", seconds(lambda: theirs.predict(texts))))


def time_one_text(corpus: str) -> None:
    model, n = fit_unigrams(corpus), 20_000
    one = [read_corpus(corpus, "test").texts[0][:100]]

    def predict_often() -> None:
        for _ in range(n):
            model.predict(one)

    row("one-text", corpus, seconds(predict_often) / n * 1e6, "us", "<= 10")


def compare_fit_bigrams(corpus: str) -> None:
    train, theirs = read_corpus(corpus, "train"), fit_fasttext(corpus)
    ours = seconds(lambda: make_bigrams().fit(*train))
    row("fit-bigrams", corpus, ours, "s", ">= 15", ("fastText", theirs.seconds), theirs.note)


def compare_predict_bigrams(corpus: str) -> None:
    texts, theirs = read_corpus(corpus, "test").texts, fit_fasttext(corpus)
    model, lines = make_bigrams().fit(*read_corpus(corpus, "train")), join_lines(texts)
    ours = seconds(lambda: model.predict(texts))
    row("predict-bigrams", corpus, ours, "s", ">= 5", ("fastText", seconds(lambda: theirs.model.predict(lines))), theirs.note)


def time_cross_validation(corpus: str) -> None:
    train = read_corpus(corpus, "train")
    one_fit = seconds(lambda: make_unigrams().fit(*train))
    ours = seconds(lambda: make_unigrams().cross_validate(*train, folds=10, seed=0))
    row("cross-validation", corpus, ours, "s", "<= 4", ("one fit", one_fit))


def time_leave_one_out(corpus: str) -> None:
    train, model = read_corpus(corpus, "train"), fit_unigrams(corpus)
    one_pass = seconds(lambda: model.predict(train.texts))
    row("leave-one-out", corpus, seconds(lambda: model.leave_one_out(*train)), "s", "<= 3", ("one prediction", one_pass))


def compare_memory(corpus: str) -> None:
    make_sklearn()  # is missed here, not in the other process
    ours, theirs = (measure_memory(who, corpus) for who in ("tercet", "scikit-learn"))
    row("memory", corpus, ours, "MB", "< 1", ("scikit-learn", theirs))


def measure_memory(who: str, corpus: str) -> float:
    """In a process of its own: how many megabytes it grows beyond the texts."""
    command = [sys.executable, __file__, "--grow", who, corpus]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def grow(who: str, corpus: str) -> float:
    make = {"tercet": make_unigrams, "scikit-learn": make_sklearn}[who]
    texts, labels = read_corpus(corpus, "train")
    make().fit(texts[::1000], labels[::1000])  # load what is loaded on first use
    return peak_growth(lambda: make().fit(texts, labels))[0] / 1e6


def weigh_compact(corpus: str) -> None:
    row("compact", corpus, fit_unigrams(corpus).compact().nbytes / 1e6, "MB", "<= 3")


def measure_accuracy(corpus: str) -> None:
    if corpus not in ACCURACIES:
        skip("accuracy", corpus, "invented texts have nothing to learn, set TERCET_DATA")
        return
    train, test = read_corpus(corpus, "train"), read_corpus(corpus, "test")
    model = Categorizer().set_params(model__smoothing="auto")
    fit_seconds = seconds(lambda: model.fit(*train), 1)
    accuracy = float(np.mean(np.asarray(model.predict(test.texts)) == np.asarray(test.labels)))
    note = f"smoothing {model.smoothing_}, fit in {fit_seconds:.2f} s"
    row("accuracy", corpus, accuracy, "", f">= {ACCURACIES[corpus]}", note=note)


def skip(name: str, corpus: str, reason: str) -> None:
    print(f"{name:<18}{corpus:<18}skipped: {reason}", flush=True)


BOTH = ("imdb", "20newsgroups")
ROWS: dict[str, tuple[Callable[[str], None], tuple[str, ...]]] = {
    "fit": (compare_fit, BOTH),
    "predict": (compare_predict, BOTH),
    "one-text": (time_one_text, BOTH),
    "fit-bigrams": (compare_fit_bigrams, BOTH),
    "predict-bigrams": (compare_predict_bigrams, BOTH),
    "cross-validation": (time_cross_validation, BOTH),
    "leave-one-out": (time_leave_one_out, BOTH),
    "memory": (compare_memory, BOTH),
    "compact": (weigh_compact, ("imdb",)),
    "accuracy": (measure_accuracy, tuple(ACCURACIES)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description="Naive Bayes on texts, against its peers and its bars.")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"of {', '.join(ROWS)}; all, if none is named")
    parser.add_argument("--grow", nargs=2, help=argparse.SUPPRESS)  # what the process of its own does
    arguments = parser.parse_args()
    if arguments.grow:
        print(grow(*arguments.grow))
        return
    if unknown := set(arguments.rows) - set(ROWS):
        parser.error(f"no row is named {', '.join(sorted(unknown))}: there are {', '.join(ROWS)}")
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}: at rest it should be near 0")
    print(LINE.format("row", "corpus", "tercet", "peer", "ratio", "bar", ""))
    for name in arguments.rows or ROWS:
        work, corpora = ROWS[name]
        for corpus in find_corpora(*corpora):
            try:
                work(corpus)
            except PeerMissing as missing:
                skip(name, corpus, str(missing))


if __name__ == "__main__":
    main()
