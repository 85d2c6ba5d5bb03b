"""`tercet check` on real corpora: how often its intervals cover, and how wide they are beside those of a simple random sample.

    TERCET_DATA=… python benchmarks/checking.py [--runs 1000] [--n 50,100,200] [--models bayes,default] [CORPUS …]
    python benchmarks/checking.py --simulated

A model learns part of a corpus. Its predictions for other documents are the pool, of which n documents are drawn in each run.
Both intervals know that the pool is finite: that of n random documents is Wilson's of n (N - 1) / (N - n) documents. `shares`
is how often the intervals of the shares of labels cover, on average over the labels, and `lowest` that of the worst label.
With --simulated the pools are drawn from models that are calibrated, overconfident, or wrong about themselves.
"""

import gzip
import json
import os
import warnings
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tercet import Categorizer
from tercet.evaluation.checked_sample import CheckDesign, measure_checked
from tercet.evaluation.intervals import estimate_proportion

CORPORA = ("imdb", "20newsgroups", "mr", "subj", "cr", "trec_qc", "sms_spam", "uci_sentiment", "clinc150", "goemotions")
MAX_POOL = 2000
N_SHARE_RUNS = 200


class Pool(NamedTuple):
    """The predictions for documents whose labels are known."""

    labels: list[str]
    predicted: np.ndarray
    probabilities: np.ndarray
    gold: np.ndarray


def read_rows(folder: Path, *parts: str) -> list[tuple[str, str]]:
    """Texts and labels of those of these files that exist. Documents with several labels are left out."""
    found = []
    for path in (path for part in parts for path in sorted(folder.glob(f"{part}.jsonl*"))):
        with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
            rows = [json.loads(line) for line in lines]
        found += [
            (row["text"], str(row["labels"][0] if "labels" in row else row["label"]))
            for row in rows
            if len(row.get("labels", [0])) == 1
        ]
    return found


def split_corpus(name: str, n_trained: int) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Documents to train on, and documents of the pool."""
    folder, draw = Path(os.environ["TERCET_DATA"], name), np.random.default_rng(0)
    train, test = read_rows(folder, "train"), read_rows(folder, "test")
    if not train or len(test) < MAX_POOL // 2:
        rows = [*train, *test] or read_rows(folder, "all", "amazon_cells", "imdb", "yelp")
        shuffled = [rows[i] for i in draw.permutation(len(rows))]
        n_pool = min(MAX_POOL, len(rows) // 2)
        test, train = shuffled[:n_pool], shuffled[n_pool:]
    return _pick(train, n_trained, draw), _pick(test, MAX_POOL, draw)


def _pick(rows: list[Any], n: int, draw: np.random.Generator) -> list[Any]:
    return [rows[i] for i in draw.permutation(len(rows))[:n].tolist()]


def predict_pool(name: str, model: str, n_trained: int) -> Pool:
    train, test = split_corpus(name, n_trained)
    categorizer = Categorizer(model=None if model == "bayes" else "auto", calibrate="auto")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        categorizer.fit(*map(list, zip(*train, strict=True)))
        found = categorizer.predict_proba([text for text, _ in test])
    labels = categorizer.classes_.tolist()
    labels += sorted({label for _, label in test} - set(labels))
    codes = {label: code for code, label in enumerate(labels)}
    return Pool(labels, found.argmax(axis=1), found.max(axis=1).clip(0, 1), np.array([codes[label] for _, label in test]))


def read_pools(names: Sequence[str], model: str, n_trained: int) -> Iterator[tuple[str, Pool]]:
    for name in names:
        yield name, predict_pool(name, model, n_trained)


def simulate_pools() -> Iterator[tuple[str, Pool]]:
    """Pools of 2,000 documents. The true log-odds of an answer are a + b · those that the model says."""
    cases = {
        "accurate": (2.0, 1.5, 2, 0.0, 1.0),
        "very accurate": (4.0, 2.0, 2, 0.0, 1.0),
        "nearly perfect": (6.0, 2.0, 2, 0.0, 1.0),
        "weak": (1.0, 1.0, 2, 0.0, 1.0),
        "twenty labels": (2.0, 2.0, 20, 0.0, 1.0),
        "overconfident": (2.5, 1.5, 2, 0.0, 0.5),
        "underconfident": (1.0, 1.0, 2, 0.5, 1.5),
        "knows nothing of itself": (2.0, 2.0, 2, 1.5, 0.0),
        "wrong about itself": (2.0, 1.5, 2, 3.0, -0.5),
    }
    for name, (level, spread, n_labels, a, b) in cases.items():
        draw = np.random.default_rng(0)
        odds = np.abs(draw.normal(level, spread, MAX_POOL))
        is_right = draw.random(MAX_POOL) < 1 / (1 + np.exp(-(a + b * odds)))
        predicted = draw.choice(n_labels, MAX_POOL, p=draw.dirichlet(np.full(n_labels, 2.0)))
        gold = np.where(is_right, predicted, (predicted + draw.integers(1, n_labels, MAX_POOL)) % n_labels)
        yield name, Pool([str(label) for label in range(n_labels)], predicted, 1 / (1 + np.exp(-odds)), gold)


def compare(pool: Pool, n: int, n_runs: int) -> tuple[float, float, float]:
    """The coverage of the interval of the accuracy, that of a random sample, and the ratio of the mean widths."""
    is_right, size = pool.gold == pool.predicted, len(pool.gold)
    truth, n_right, same = is_right.mean(), int(is_right.sum()), n * (size - 1) / (size - n)
    design, draw = CheckDesign.of(pool.predicted, pool.probabilities, n), np.random.default_rng(0)
    widths, covers = np.zeros((n_runs, 2)), np.zeros((n_runs, 2))
    for run in range(n_runs):
        positions = design.draw(seed=run)
        checked = measure_checked(design, positions, [pool.labels[code] for code in pool.gold[positions]], pool.labels).accuracy
        random = estimate_proportion(draw.hypergeometric(n_right, size - n_right, n) / n * same, same)
        for column, found in enumerate((checked, random)):
            widths[run, column] = found.high - found.low
            covers[run, column] = found.low - 1e-9 <= truth <= found.high + 1e-9
    (checked_cover, random_cover), (width, other) = covers.mean(axis=0), widths.mean(axis=0)
    return float(checked_cover), float(random_cover), float(width / other)


def cover_shares(pool: Pool, n: int, n_runs: int) -> tuple[float, float]:
    """The mean coverage of the intervals of the shares of labels, and that of the label with the lowest one."""
    truth = np.bincount(pool.gold, minlength=len(pool.labels)) / len(pool.gold)
    design, covers = CheckDesign.of(pool.predicted, pool.probabilities, n), np.zeros(len(pool.labels))
    for run in range(n_runs):
        positions = design.draw(seed=run)
        found = measure_checked(design, positions, [pool.labels[code] for code in pool.gold[positions]], pool.labels)
        covers += [
            row.share.low - 1e-9 <= share <= row.share.high + 1e-9 for row, share in zip(found.shares, truth, strict=True)
        ]
    rates = covers[truth > 0] / n_runs
    return float(rates.mean()), float(rates.min())


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--n", default="50,100,200")
    parser.add_argument("--models", default="bayes,default")
    parser.add_argument("--trained", type=int, default=2000)
    parser.add_argument("--simulated", action="store_true")
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    options = parser.parse_args()
    numbers = [int(n) for n in options.n.split(",")]
    models = ["simulated"] if options.simulated else options.models.split(",")
    columns = {"accuracy": 9, "n": 5, "coverage": 9, "random": 7, "width": 6, "shares": 7, "lowest": 7}
    print(f"{'pool':25} {'model':9}" + "".join(f"{name:>{width}}" for name, width in columns.items()))
    ratios: dict[int, list[float]] = {n: [] for n in numbers}
    rates: dict[int, list[float]] = {n: [] for n in numbers}
    for model in models:
        pools = simulate_pools() if options.simulated else read_pools(options.corpora, model, options.trained)
        for name, pool in pools:
            accuracy = (pool.gold == pool.predicted).mean()
            for n in numbers:
                covered, random, ratio = compare(pool, n, options.runs)
                ratios[n].append(ratio)
                rates[n].append(covered)
                shares = cover_shares(pool, n, min(N_SHARE_RUNS, options.runs))
                cells = f"{accuracy:9.3f}{n:5}{covered:9.3f}{random:7.3f}{ratio:6.3f}{shares[0]:7.3f}{shares[1]:7.3f}"
                print(f"{name:25} {model:9}{cells}", flush=True)
    for n in numbers:
        print(
            f"n={n}: coverage {np.mean(rates[n]):.3f} ({min(rates[n]):.3f} to {max(rates[n]):.3f}), "
            f"width {np.mean(ratios[n]):.3f} of a random sample (at most {max(ratios[n]):.3f})"
        )


if __name__ == "__main__":
    main()
