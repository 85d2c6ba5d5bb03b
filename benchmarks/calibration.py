"""How far probabilities are off before and after they are calibrated, and how often label sets hold the right label.

TERCET_DATA=folder of the corpora python benchmarks/calibration.py [--splits 5] [--method auto]

Random splits of all documents have the sizes of the shipped split. The bars are for them: half the error and below 0.03, no
accuracy lost, and sets at 90 % that cover 89 to 91 %. The shipped splits differ from what is learned (by date, or by film):
there the error should be at most 0.05, and no coverage can be promised.
"""

import argparse
from typing import Any, NamedTuple

import numpy as np
from corpora import find_corpora, read_corpus
from measures import seconds

from tercet import Categorizer, NaiveBayes
from tercet.evaluation.probabilities import ProbabilisticPredictions, calibration_error
from tercet.models.classifier import normalize_scores

MODELS = {"default": None, "multinomial": NaiveBayes("multinomial")}
LINE = "{:<14}{:<9}{:<13}{:<12}{:>8}{:>8}{:>10}{:>8}{:>9}{:>7}{:>7}  {}"
HEADER = ("corpus", "split", "model", "method", "ece", "after", "accuracy", "after", "covered", "size", "fit s", "")


class Found(NamedTuple):
    """Of documents that were not learned."""

    error: float
    accuracy: float


def measure(labels: Any, gold: Any, probabilities: Any) -> Found:
    error = calibration_error(ProbabilisticPredictions.of(gold, probabilities, labels))
    return Found(float(error), float((labels[probabilities.argmax(axis=1)] == gold).mean()))


def judge(before: Found, after: Found, covered: float, *, is_random: bool) -> str:
    if not is_random:
        return "met" if after.error <= 0.05 else "MISSED"
    is_met = after.error <= min(before.error / 2, 0.03) and after.accuracy >= before.accuracy and 0.89 <= covered <= 0.91
    return "met" if is_met else "MISSED"


def report(corpus: str, split: str, texts: Any, labels: Any, n: int, method: str) -> None:
    for name, model in MODELS.items():
        c = Categorizer(model=model, calibrate=method)
        taken = seconds(lambda c=c: c.fit(texts[:n], labels[:n]), 1)
        gold, asked = labels[n:], texts[n:]
        before = measure(c.classes_, gold, np.exp(normalize_scores(c.log_joint(asked))))
        after = measure(c.classes_, gold, c.predict_proba(asked))
        sets = c.predict_sets(asked, coverage=0.9)
        covered = float(np.mean([label in found for label, found in zip(gold, sets, strict=True)]))
        errors = f"{before.error:.4f}", f"{after.error:.4f}"
        accuracies = f"{before.accuracy:.4f}", f"{after.accuracy:.4f}"
        size, verdict = np.mean([len(found) for found in sets]), judge(before, after, covered, is_random=split != "shipped")
        chosen = c.describe()["calibration"]
        figures = (*errors, *accuracies, f"{covered:.4f}", f"{size:.2f}", f"{taken:.1f}")
        print(LINE.format(corpus, split, name, chosen, *figures, verdict), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Calibration of naive Bayes, against its bars.")
    parser.add_argument("--splits", type=int, default=5, help="random ones, of each corpus")
    parser.add_argument("--method", default="auto")
    arguments = parser.parse_args()
    print(LINE.format(*HEADER))
    for corpus in find_corpora("imdb", "20newsgroups"):
        train, test = read_corpus(corpus, "train"), read_corpus(corpus, "test")
        texts, labels = np.array(train.texts + test.texts, object), np.array(train.labels + test.labels)
        n = len(train.texts)
        report(corpus, "shipped", texts, labels, n, arguments.method)
        for seed in range(arguments.splits):
            order = np.random.default_rng(seed).permutation(len(texts))
            report(corpus, f"random {seed}", texts[order], labels[order], n, arguments.method)


if __name__ == "__main__":
    main()
