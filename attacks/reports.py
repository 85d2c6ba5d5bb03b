"""Random samples through evaluate and compare: numbers are finite, sentences agree with them, and JSON is valid.

python attacks/reports.py            (1,500 samples of each kind, half a minute)
python attacks/reports.py --full     (10,000 samples of each kind)
"""

import json
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from checks import report, wants_all

import tercet
from tercet.evaluation.sample import UndefinedMetric
from tercet.evaluation.significance import ONE_SIDED, TESTS

warnings.simplefilter("error")
warnings.simplefilter("ignore", UndefinedMetric)


def draw_sample(rng: np.random.Generator) -> tuple[Any, Any, dict[str, Any]]:
    """Gold and answers of two systems; with weights of any size, few groups, rare labels, or none of these."""
    n, n_labels = int(rng.integers(2, 60)), int(rng.integers(2, 5))
    gold = rng.choice(n_labels, n, p=rng.dirichlet(np.full(n_labels, 0.7)))
    answers = [np.where(rng.random(n) < rng.random(), gold, rng.integers(n_labels, size=n)) for _ in range(2)]
    options: dict[str, Any] = {"confidence": rng.choice([0.8, 0.95, 0.999]), "resamples": 100}
    if rng.random() < 0.4:
        options["weights"] = 10.0 ** rng.uniform(-1, 1, n) ** rng.choice([1, 3, 9]) * 10.0 ** rng.uniform(-40, 40)
    if rng.random() < 0.4:
        options["groups"] = rng.integers(rng.integers(1, 15), size=n)
    return gold, answers, options


def check_report(rng: np.random.Generator) -> str:
    gold, (predicted, _), options = draw_sample(rng)
    evaluated = tercet.evaluate(gold, predicted, **options)
    json.dumps(evaluated.to_dict(), allow_nan=False)
    n_units = len(set(options["groups"].tolist())) if "groups" in options else 0
    for name, estimate in [*evaluated.estimates.items(), *((row.label, each) for row in evaluated.rows for each in row[1:4])]:
        if np.isnan(estimate.value):
            if not estimate.note.startswith("undefined"):
                return f"{name} is NaN without a reason: {estimate}"
        elif not np.all(np.diff([-1, estimate.low, estimate.value, estimate.high, 1]) > -1e-12):
            return f"{name} is not in its interval: {estimate}"
        if 0 < n_units < 12 and "unreliable: only" not in estimate.note:
            return f"{name} of {n_units} groups is not called unreliable"
    return "nan" * ("nan" in str(evaluated) + evaluated.to_html())


def check_claim(rng: np.random.Generator) -> str:
    gold, (a, b), options = draw_sample(rng)
    tests = TESTS if not {"weights", "groups"} & set(options) else TESTS[:3]
    test = str(rng.choice(tests))
    found = tercet.compare(gold, {"a": a, "b": b}, test=test, **options)
    json.dumps(found.to_dict(), allow_nan=False)
    excludes, sentence = not found.low <= 0 <= found.high, found.sentence
    is_claimed = " is better than " in sentence and not sentence.startswith("not shown")
    is_possible = found.difference > 0 or test not in ONE_SIDED
    is_shown = found.p_value < round(1 - options["confidence"], 12) and excludes and is_possible
    n = len(set(options["groups"].tolist())) if "groups" in options else len(gold)
    needed = re.search(r"need about (\d+) ", sentence)
    is_known = excludes and "interval unknown" not in sentence
    wrong = {
        "claims what is not shown": is_claimed != is_shown,
        "shows none, but its interval excludes 0": sentence.startswith("no difference") and is_known,
        "needs no more documents than there are": needed is not None and int(needed[1]) <= n,
        "does not say that it is one-sided": (test in ONE_SIDED) != ("one-sided" in sentence),
    }
    return "; ".join(f"{what}: {sentence}" for what, is_wrong in wrong.items() if is_wrong)


def check_threshold(rng: np.random.Generator) -> str:
    gold, (predicted, _), options = draw_sample(rng)
    n_labels = int(max(gold.max(), predicted.max())) + 1
    shares = rng.dirichlet(np.full(n_labels, 0.3), len(gold)).round(int(rng.choice([1, 2, 12]))) + 1e-3  # many are equal
    probabilities = shares / shares.sum(axis=1, keepdims=True)
    evaluated = tercet.evaluate(gold, predicted, probabilities, labels=range(n_labels), **options)
    wanted = float(rng.choice([0.2, 0.5, 0.9, 1.0]))
    found = evaluated.threshold(int(rng.integers(n_labels)), precision=wanted)
    shown = replace(evaluated, thresholds=(found,))
    json.dumps(shown.to_dict(), allow_nan=False)
    if found.is_reached and not found.precision.value >= wanted - 1e-9:
        return f"the precision {found.precision} is below {wanted}"
    if not found.is_reached and found.best >= wanted:
        return f"not reached, but the highest precision {found.best} is at least {wanted}"
    again = evaluated.at_threshold(found.label, min(found.threshold, 1.0))
    if found.is_reached and (again.recall, again.answered) != (found.recall, found.answered):
        return f"{found} is not what it is when it is measured: {again}"
    for estimate in (found.precision, found.recall, found.answered):
        if not np.isnan(estimate.value) and not estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12:
            return f"{estimate} is not in its interval"
    return "nan" * ("nan" in shown.to_table() + shown.to_html())


def attack(name: str, check: Callable[[np.random.Generator], str], n: int) -> tuple[str, bool]:
    wrong = []
    for seed in range(n):
        try:
            problem = check(np.random.default_rng([seed, len(name)]))
        except Exception as error:  # any error or warning is a finding
            problem = f"{type(error).__name__}: {error}"
        if problem:
            wrong.append(f"seed {seed}: {problem}")
    return "\n  ".join([f"{name}: {n} samples, {len(wrong)} wrong", *wrong[:3]]), not wrong


if __name__ == "__main__":
    n_samples = 10_000 if wants_all() else 1500
    checks = {"reports": check_report, "thresholds": check_threshold, "claims of comparisons": check_claim}
    report(attack(name, check, n_samples) for name, check in checks.items())
