"""How long honest numbers take: an interval of macro-F1 against scipy's bootstrap of scikit-learn's, and a whole report.

python benchmarks/evaluation.py
"""

import numpy as np
from measures import seconds
from scipy.stats import bootstrap
from sklearn.metrics import f1_score

from tercet import compare, evaluate

N_LABELS = 20


def invent_answers(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Gold labels, and answers that are right in four cases of five."""
    rng = np.random.default_rng(0)
    gold = rng.integers(0, N_LABELS, n)
    return gold, np.where(rng.random(n) < 0.8, gold, rng.integers(0, N_LABELS, n))


def compare_interval() -> None:
    gold, predicted = invent_answers(100_000)
    ours = seconds(lambda: evaluate(gold, predicted, metrics=["macro_f1"])["macro_f1"])
    resamples = 100

    def macro_f1(gold: np.ndarray, predicted: np.ndarray) -> float:
        return float(f1_score(gold, predicted, average="macro"))

    def resample() -> None:
        bootstrap((gold, predicted), macro_f1, paired=True, vectorized=False, n_resamples=resamples, method="percentile")

    theirs = seconds(resample, 1) / resamples * 10_000
    print(f"macro-F1 of 100,000 documents, 20 labels, 10,000 resamples: {ours:.3f} s")
    print(f"scipy's bootstrap of f1_score, 100 resamples taken times 100: {theirs:.0f} s")
    print(f"{theirs / ours:.0f} x  (>= 200)")


def time_report() -> None:
    gold, predicted = invent_answers(1_000_000)
    names = np.array([f"label {i}" for i in range(N_LABELS)], object)
    answers = {"numbers": (gold, predicted), "lists of names": (names[gold].tolist(), names[predicted].tolist())}
    for what, pair in answers.items():
        time = seconds(lambda pair=pair: evaluate(*pair))
        print(f"the whole report on a million predictions, {what}: {time:.2f} s  (<= 1)")


def time_many_labels() -> None:
    rng = np.random.default_rng(0)
    for n_labels, bar in ((1000, 1), (3000, 3)):
        gold = rng.integers(0, n_labels, 20 * n_labels)
        predicted = np.where(rng.random(len(gold)) < 0.8, gold, rng.integers(0, n_labels, len(gold)))
        other = np.where(rng.random(len(gold)) < 0.8, gold, rng.integers(0, n_labels, len(gold)))
        time = seconds(lambda gold=gold, predicted=predicted: evaluate(gold, predicted))
        print(f"the whole report, {n_labels} labels: {time:.2f} s  (<= {bar})")
        time = seconds(lambda gold=gold, predicted=predicted: str(evaluate(gold, predicted).to_dict()), 1)
        print(f"the same with everything in it as a dict, {n_labels} labels: {time:.2f} s")
        time = seconds(lambda g=gold, a=predicted, b=other: compare(g, {"a": a, "b": b}, "macro_f1"), 1)
        print(f"a comparison of two systems, {n_labels} labels: {time:.2f} s")


if __name__ == "__main__":
    compare_interval()
    time_report()
    time_many_labels()
