"""`tercet.train(texts, labels)` with no option, against a scikit-learn user's good first try: accuracy, time and memory.

TERCET_DATA=folder of the corpora python benchmarks/auto.py                    (the eleven corpora)
TERCET_DATA=folder of the corpora python benchmarks/auto.py cr mr_folds imdb_random
TERCET_DATA=folder of the corpora python benchmarks/auto.py --side tercet trec_qc

The peer is TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True, token_pattern=r"\\w+|[^\\w\\s]") + LinearSVC(). A corpus that
ships with a test set is tested on it. The others are tested on a fifth of their documents, with equal shares of each label. The
three parts of uci_sentiment are one corpus. On request: mr_folds (10-fold), imdb_random and 20newsgroups_random (random splits
of all documents, with as many test documents as the shipped split has).

Each side trains in a fresh process, after it has imported everything and trained on a few invented texts. Training of less than
5 seconds is repeated, and the best of three times counts. Predictions are the first after training. The estimate of accuracy
that `tercet.train` makes is part of its time. "memory" is the peak of the process after training, minus the peak of a process
that only reads the texts. So it has the imported packages, which are most of it for small corpora; "growth" is without them.
"""

import argparse
import gc
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from corpora import Documents, Split, deal_folds, hold_out, join_parts, read_shipped
from measures import cpu_seconds, peak_growth, resident
from peers import make_tfidf_svm

LEVEL = 0.05
N_FOLDS = 10
SHORT_SECONDS, REPEATS = 5.0, 3
LOADED = "loaded"  # not a side: a process that only reads the texts
SIDES = ("tercet", "peer")
UNFINISHED = ("NotConverged", "ConvergenceWarning")


# Corpora


def split_shipped(corpus: str, fold: int) -> Split:
    return read_shipped(corpus)


def split_fifth(corpus: str, fold: int, parts: Sequence[str] = ("all",)) -> Split:
    documents = join_parts(corpus, *parts)
    return hold_out(documents, deal_folds(documents, 5) == 0)


def split_random(corpus: str, fold: int) -> Split:
    train, test = read_shipped(corpus)
    documents = Documents(train.texts + test.texts, train.labels + test.labels)
    is_test = np.zeros(len(documents.texts), bool)
    is_test[np.random.default_rng(0).permutation(len(is_test))[: len(test.texts)]] = True
    return hold_out(documents, is_test)


def split_fold(corpus: str, fold: int) -> Split:
    documents = join_parts(corpus, "all")
    return hold_out(documents, deal_folds(documents, N_FOLDS) == fold)


MAIN: dict[str, Callable[[int], Split]] = {
    **{name: partial(split_shipped, name) for name in ("imdb", "20newsgroups", "trec_qc", "dante")},
    **{name: partial(split_fifth, name) for name in ("mr", "subj", "cr", "sms_spam", "evomsa_tweets", "spamassassin")},
    "uci_sentiment": partial(split_fifth, "uci_sentiment", parts=("imdb", "amazon_cells", "yelp")),
}
FURTHER: dict[str, Callable[[int], Split]] = {
    "mr_folds": partial(split_fold, "mr"),
    "imdb_random": partial(split_random, "imdb"),
    "20newsgroups_random": partial(split_random, "20newsgroups"),
}
CORPORA = MAIN | FURTHER


# What one process measures


# tercet and the peer are imported on first use, so that the process that only reads the texts has neither.


def train_tercet(documents: Documents) -> Any:
    from tercet import train

    return train(*documents).categorizer


def train_peer(documents: Documents) -> Any:
    return make_tfidf_svm().fit(*documents)


TRAIN = {"tercet": train_tercet, "peer": train_peer}


class Times(NamedTuple):
    cpu: float
    wall: float


def measure_work(work: Callable[[], Any]) -> tuple[Times, Any]:
    gc.collect()
    cpu, wall = cpu_seconds(), time.perf_counter()
    result = work()
    return Times(cpu_seconds() - cpu, time.perf_counter() - wall), result


def repeat_work(work: Callable[[], Any], first: Times) -> Times:
    """The best times of a few runs, of which one was done before."""
    runs = [first]
    while first.wall < SHORT_SECONDS and len(runs) < REPEATS:
        runs.append(measure_work(work)[0])
    return Times(*(min(values) for values in zip(*runs, strict=True)))


def measure_side(side: str, corpus: str, fold: int, place: Path) -> None:
    """Train and predict, and write everything that was measured."""
    if side != LOADED:
        warm = Documents([f"{i} times a {'hen' if i % 2 else 'fox'}" for i in range(100)], ["fox", "hen"] * 50)
        TRAIN[side](warm).predict(warm.texts)
    learned, test = CORPORA[corpus](fold)
    if side == LOADED:
        place.write_text(json.dumps({"peak": resident("VmHWM")}))
        return
    fit = partial(TRAIN[side], learned)
    before = resident("VmHWM")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        grown, (first, model) = peak_growth(partial(measure_work, fit))
    peak = resident("VmHWM")
    asked, predicted = measure_work(partial(model.predict, test.texts))
    found = {
        "peak": max(before, peak),
        "grown": grown,
        "train": repeat_work(fit, first),
        "predict": asked,
        "predicted": predicted.tolist(),
        "gold": test.labels,
        "ece": find_calibration_error(model, test) if side == "tercet" else None,
        "converged": all(warning.category.__name__ not in UNFINISHED for warning in caught),
    }
    place.write_text(json.dumps(found))


def find_calibration_error(model: Any, test: Documents) -> float:
    from tercet.evaluation.probabilities import ProbabilisticPredictions, calibration_error

    is_known = np.isin(test.labels, model.classes_)
    texts, gold = (np.array(column, object)[is_known].tolist() for column in test)
    return float(calibration_error(ProbabilisticPredictions.of(gold, model.predict_proba(texts), model.classes_)))


# Results


METRICS = {"accuracy": "mcnemar", "macro_f1": "randomization"}  # each with its test


class Result(NamedTuple):
    """One side on one corpus; the folds of a corpus are added up. Memory is in bytes."""

    gold: list[str]
    predicted: list[str]
    scores: dict[str, float]
    train: Times
    predict: Times
    memory: int
    grown: int
    ece: float | None
    converged: bool


def find_scores(gold: list[str], predicted: list[str]) -> dict[str, float]:
    from tercet import evaluate
    from tercet.evaluation.sample import UndefinedMetric

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetric)  # a rare label may never be predicted
        report = evaluate(gold, predicted)
    return {metric: float(report[metric].value) for metric in METRICS}


def run_apart(side: str, corpus: str, fold: int) -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        place = Path(folder, "found.json")
        command = [sys.executable, __file__, "--measure", side, str(place), "--fold", str(fold), corpus]
        subprocess.run(command, check=True)
        found: dict[str, Any] = json.loads(place.read_text())
    return found


def measure_corpus(side: str, corpus: str) -> Result:
    n_folds = N_FOLDS if corpus == "mr_folds" else 1
    runs = [(run_apart(side, corpus, fold), run_apart(LOADED, corpus, fold)) for fold in range(n_folds)]
    found = [own for own, _ in runs]
    times = [Times(*map(sum, zip(*(own[work] for own in found), strict=True))) for work in ("train", "predict")]
    memory = max(own["peak"] - loaded["peak"] for own, loaded in runs)
    grown = max(own["grown"] for own in found)
    gold, predicted = ([label for own in found for label in own[name]] for name in ("gold", "predicted"))
    scores = find_scores(gold, predicted)
    errors = [own["ece"] for own in found if own["ece"] is not None]
    error, converged = float(np.mean(errors)) if errors else None, all(own["converged"] for own in found)
    return Result(gold, predicted, scores, *times, memory, grown, error, converged)


class Pair(NamedTuple):
    """Both sides on one corpus."""

    tercet: Result
    peer: Result
    points: dict[str, float]  # how much better tercet is, by metric
    p_values: dict[str, float]

    @classmethod
    def of(cls, ours: Result, theirs: Result) -> "Pair":
        from tercet import compare

        answers = {"tercet": ours.predicted, "peer": theirs.predicted}
        compared = {metric: compare(ours.gold, answers, metric, test) for metric, test in METRICS.items()}
        points = {metric: 100 * (ours.scores[metric] - theirs.scores[metric]) for metric in METRICS}
        return cls(ours, theirs, points, {metric: found.p_value for metric, found in compared.items()})

    @property
    def is_worse(self) -> bool:
        return self.points["accuracy"] < 0 and self.p_values["accuracy"] < LEVEL

    @property
    def ratios(self) -> dict[str, float]:
        """Tercet's costs as multiples of the peer's."""
        return {
            "CPU": self.tercet.train.cpu / self.peer.train.cpu,
            "wall": self.tercet.train.wall / self.peer.train.wall,
            "predict": self.tercet.predict.cpu / self.peer.predict.cpu,
            "memory": self.tercet.memory / self.peer.memory,
            "growth": self.tercet.grown / self.peer.grown,
        }


# Tables


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [header, ["---", *["--:"] * (len(header) - 1)], *rows]
    print("\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines), flush=True)


def show_side(name: str, results: dict[str, Result]) -> None:
    times = ["train CPU s", "wall s", "predict CPU s", "wall s"]
    rows = [
        [
            corpus,
            *(f"{score:.4f}" for score in found.scores.values()),
            "" if found.ece is None else f"{found.ece:.4f}",
            *(f"{number:.3g}" for number in (*found.train, *found.predict)),
            *(f"{size / 1e6:.0f}" for size in (found.memory, found.grown)),
        ]
        for corpus, found in results.items()
    ]
    print_table([name, "accuracy", "macro-F1", "ECE", *times, "memory MB", "growth MB"], rows)


def show_pairs(pairs: dict[str, Pair]) -> None:
    costs = ["CPU ×", "wall ×", "predict ×", "memory ×", "growth ×"]
    rows = []
    for corpus, pair in pairs.items():
        differences = [text for metric in METRICS for text in (f"{pair.points[metric]:+.2f}", f"{pair.p_values[metric]:.3f}")]
        rows.append([corpus, *differences, *(f"{ratio:.2f}" for ratio in pair.ratios.values())])
    main = [pair for corpus, pair in pairs.items() if corpus in MAIN]
    if main:
        accuracy, macro = (f"{np.mean([pair.points[metric] for pair in main]):+.2f}" for metric in METRICS)
        means = [f"{find_mean_ratio(main, name):.2f}" for name in main[0].ratios]
        rows.append([f"mean of {len(main)} (ratios: geometric)", accuracy, "", macro, "", *means])
    print_table(["tercet - peer, points", "accuracy", "p", "macro-F1", "p", *costs], rows)


def find_mean_ratio(pairs: Sequence[Pair], name: str) -> float:
    return float(np.exp(np.mean([np.log(pair.ratios[name]) for pair in pairs])))


# Bars


class Bar(NamedTuple):
    name: str
    value: str
    limit: str
    is_met: bool

    @classmethod
    def at_least(cls, name: str, value: float, limit: float) -> "Bar":
        return cls(name, f"{value:.4g}", f">= {limit:g}", value >= limit)

    @classmethod
    def at_most(cls, name: str, value: float, limit: float) -> "Bar":
        return cls(name, f"{value:.4g}", f"<= {limit:g}", value <= limit)


ACCURACIES = {"imdb": 0.914, "20newsgroups": 0.872, "trec_qc": 0.895, "mr_folds": 0.8}
CALIBRATED = ("imdb_random", "20newsgroups_random", "sms_spam")
MEANS = {"CPU": 1.5, "wall": 1.0, "predict": 0.8, "memory": 1.5, "growth": 1.5}


def list_own_bars(results: dict[str, Result]) -> Iterator[Bar]:
    """The bars of tercet alone."""
    for corpus, limit in ACCURACIES.items():
        if corpus in results:
            yield Bar.at_least(f"accuracy on {corpus}", results[corpus].scores["accuracy"], limit)
    for corpus in CALIBRATED:
        if corpus in results and (error := results[corpus].ece) is not None:
            yield Bar.at_most(f"ECE on {corpus}", error, 0.03)
    unfinished = [corpus for corpus, found in results.items() if not found.converged]
    if results:
        yield Bar("corpora with a convergence warning", ", ".join(unfinished) or "none", "none", not unfinished)


def list_paired_bars(pairs: dict[str, Pair]) -> Iterator[Bar]:
    """The bars of tercet against the peer, over the main corpora that were measured."""
    main = {corpus: pair for corpus, pair in pairs.items() if corpus in MAIN}
    if not main:
        return
    mean = float(np.mean([pair.points["accuracy"] for pair in main.values()]))
    yield Bar.at_least("mean accuracy above the peer, points", mean, 1.2)
    worse = [corpus for corpus, pair in main.items() if pair.is_worse]
    yield Bar(f"corpora with significantly lower accuracy (p < {LEVEL:g})", ", ".join(worse) or "none", "none", not worse)
    for name, limit in MEANS.items():
        yield Bar.at_most(f"{name}, geometric mean, × peer", find_mean_ratio(list(main.values()), name), limit)
    corpus = max(main, key=lambda corpus: main[corpus].ratios["CPU"])
    yield Bar.at_most(f"CPU on each corpus, × peer; the most on {corpus}", main[corpus].ratios["CPU"], 3.0)


def show_bars(bars: Sequence[Bar]) -> None:
    rows = [[bar.name, bar.value, bar.limit, "met" if bar.is_met else "not met"] for bar in bars]
    if rows:
        print_table(["bar", "value", "limit", ""], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", choices=[*CORPORA, []], help="by default the eleven: " + ", ".join(MAIN))
    parser.add_argument("--side", choices=SIDES, help="measure one side only")
    parser.add_argument("--measure", nargs=2, metavar=("SIDE", "FILE"), help=argparse.SUPPRESS)
    parser.add_argument("--fold", type=int, default=0, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if not os.environ.get("TERCET_DATA"):
        sys.exit("the bars are those of real corpora: set TERCET_DATA to their folder")
    if arguments.measure:
        side, place = arguments.measure
        measure_side(side, arguments.corpora[0], arguments.fold, Path(place))
        return
    results: dict[str, dict[str, Result]] = {side: {} for side in ([arguments.side] if arguments.side else SIDES)}
    for corpus in arguments.corpora or MAIN:
        for side, found in results.items():
            print(f"{corpus}: {side}", file=sys.stderr, flush=True)
            found[corpus] = measure_corpus(side, corpus)
    for side, found in results.items():
        show_side(side, found)
    pairs = {}
    if len(results) == 2:
        pairs = {corpus: Pair.of(found, results["peer"][corpus]) for corpus, found in results["tercet"].items()}
        show_pairs(pairs)
    show_bars([*list_own_bars(results.get("tercet", {})), *list_paired_bars(pairs)])


if __name__ == "__main__":
    main()
