"""Weights and labels of many kinds: the scale law, leave-one-out against training again, and the bytes after forgetting.

With TERCET_DATA, the folder of the corpora, also the accuracy of the default model on 20newsgroups at several weights.
"""

import argparse
import gzip
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import tercet
from tercet import Categorizer, NaiveBayes
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer, Smoothing

SMOOTHINGS: list[Smoothing] = [Additive(0.5), JelinekMercer(0.1), JelinekMercer(0.9), Dirichlet(20.0)]
SMOOTHINGS += [AbsoluteDiscount(0.1), AbsoluteDiscount(0.9), AbsoluteDiscount(1.0)]
CONSTANTS = [0.001, 0.003, 0.01, 0.1, 1 / 3, 3.0, 10.0, 1000.0]
WEIGHTS = [0.001, 0.05, 1 / 3, 1.0, 1.0, 2.5, 1000.0]
DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
CLOSE = 1e-9

Corpus = tuple[list[str], Any]


def make_corpus(rng: np.random.Generator, n: int) -> Corpus:
    y = rng.integers(0, 4, n)
    return [" ".join(f"w{i}" for i in (rng.zipf(1.4, 9) + 5 * label) % 200) for label in y], y


def list_models() -> Iterator[NaiveBayes]:
    for kind in ("multinomial", "binary"):
        for smoothing in SMOOTHINGS:
            yield NaiveBayes(kind, smoothing)  # type: ignore[arg-type]


def check_scale(rng: np.random.Generator, runs: int) -> tuple[int, int]:
    """Decisions that a constant for all weights changes, for the smoothings that promise that it changes none."""
    n_decisions = n_changed = 0
    for _ in range(runs):
        texts, y = make_corpus(rng, 80)
        asked, _ = make_corpus(rng, 80)
        for model in list_models():
            if not model.used_smoothing.is_scale_free:
                continue
            expected = Categorizer("words", model).fit(texts, y).predict(asked)
            constant = float(rng.choice(CONSTANTS))
            found = Categorizer("words", model).fit(texts, y, np.full(80, constant)).predict(asked)
            n_decisions, n_changed = n_decisions + 80, n_changed + int((found != expected).sum())
    return n_decisions, n_changed


def check_left_out(rng: np.random.Generator, runs: int) -> tuple[int, int]:
    """Documents whose leave-one-out scores differ from those of a model that was trained without them."""
    n_documents = n_wrong = 0
    for _ in range(runs):
        texts, y = make_corpus(rng, 25)
        texts[:3] = texts[3:6]  # copies
        weights = rng.choice(WEIGHTS, 25)
        for model in list_models():
            copies = str(rng.choice(["own", "all"]))
            held = Categorizer("words", model).fit(texts, y, weights).leave_one_out(texts, y, weights, copies=copies)
            for i in rng.choice(25, 5, replace=False).tolist():
                left = [k for k in range(25) if k != i and (copies == "own" or texts[k] != texts[i])]
                fresh = Categorizer("words", model).fit([texts[k] for k in left], y[left], weights[left])
                expected = np.full(len(held.labels), -np.inf)
                expected[np.isin(held.labels, fresh.classes_)] = fresh.log_joint([texts[i]])[0]
                n_documents += 1
                n_wrong += not np.allclose(held.log_joint[i], expected, rtol=CLOSE, atol=CLOSE)
    return n_documents, n_wrong


def check_bytes(rng: np.random.Generator, runs: int) -> tuple[int, int]:
    """Files that are not as before after documents with other types of labels and any weights were learned and forgotten."""
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model")

        def write(model: Any) -> bytes:
            model.save(path)
            return path.read_bytes()

        for _ in range(runs):
            texts, y = make_corpus(rng, 12)
            first, then = (np.dtype(DTYPES[i]) for i in rng.integers(0, len(DTYPES), 2))
            weights = rng.choice(WEIGHTS, 12)
            model = Categorizer("words").fit(texts[:6], y[:6].astype(first), weights[:6])
            before = write(model)
            model.learn(texts[6:], (y[6:] + 1).astype(then), weights[6:])
            order = 6 + rng.permutation(6)
            model.forget([texts[i] for i in order], (y[order] + 1).astype(first), weights[order])
            n_wrong += write(model) != before or write(tercet.load(path)) != before
    return runs, n_wrong


def read_newsgroups(part: str) -> Corpus:
    with gzip.open(Path(os.environ["TERCET_DATA"], "20newsgroups", f"{part}.jsonl.gz")) as lines:
        rows = [json.loads(line) for line in lines]
    return [row["text"] for row in rows], np.array([row["label"] for row in rows])


def check_newsgroups() -> Iterator[tuple[str, bool]]:
    (texts, y), test = read_newsgroups("train"), read_newsgroups("test")
    plain = Categorizer().fit(texts, y).score(*test)
    for weight in (0.01, 0.1, 10.0):
        accuracy = Categorizer().fit(texts, y, np.full(len(y), weight)).score(*test)
        yield (
            f"20newsgroups, all weights {weight:g}: accuracy {accuracy:.4f} (without: {plain:.4f})",
            abs(accuracy - plain) < 0.002,
        )
    some = np.random.default_rng(0).permutation(len(y))[:3000]
    few = [texts[i] for i in some], y[some]
    base = Categorizer().fit(*few).score(*test)
    for model in (NaiveBayes(), NaiveBayes(prior="uniform")):
        accuracy = Categorizer(model=model).fit(*few).score(*test)
        yield (
            f"20newsgroups, 3,000 posts, {model!r}: accuracy {accuracy:.4f} (default: {base:.4f})",
            abs(accuracy - base) < 0.02,
        )


def list_results(full: bool) -> Iterator[tuple[str, bool]]:
    rng, factor = np.random.default_rng(15), 10 if full else 1
    n, n_wrong = check_scale(rng, 40 * factor)
    yield f"scale of the weights: {n_wrong} of {n} decisions changed", not n_wrong
    n, n_wrong = check_left_out(rng, 10 * factor)
    yield f"leave-one-out with weights: {n_wrong} of {n} documents differ from training again", not n_wrong
    n, n_wrong = check_bytes(rng, 300 * factor)
    yield f"learn and forget: {n_wrong} of {n} files changed", not n_wrong
    if os.environ.get("TERCET_DATA"):
        yield from check_newsgroups()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="ten times as many checks")
    passed = []
    for line, is_good in list_results(parser.parse_args().full):
        print("passed" if is_good else "FAILED", line, flush=True)
        passed.append(is_good)
    print(f"{sum(passed)} passed, {len(passed) - sum(passed)} failed")
    sys.exit(0 if all(passed) else 1)


if __name__ == "__main__":
    main()
