"""Is the estimate of `tercet.tune` honest? Its interval on generated data, and its mean error on halves of a corpus.

python benchmarks/tune_coverage.py generated            (100 runs; --full: 400 runs)
python benchmarks/tune_coverage.py halves               (the corpus cr in TERCET_DATA, 10 halves; --full: 30 halves)

- generated: texts whose true accuracy is known, because a large fresh sample measures the winner. The 95 % interval of the
  estimate should cover it in 92–98 % of the runs. In a quarter of the settings the labels are chance: nothing can be learned.
- halves: tune on a random half of cr, and measure the winner on the other half. The mean of estimate minus measured accuracy
  should be within 0.5 points. The table also has the metric that made the choice, which is too high.

--simplest measures the rule of `tune --simplest`. --jobs N uses N processes. The exit code is 1 if a bar is missed.
"""

import argparse
import gzip
import json
import os
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet import NBSVM, Analyzer, Categorizer, LinearSVM, NaiveBayes, tune
from tercet.errors import NotConverged

N_FRESH = 20_000  # documents that measure the true accuracy
COVERAGE, MEAN_ERROR = (92.0, 98.0), 0.5


class Outcome(NamedTuple):
    """One run: the estimate with its interval, the metric that made the choice, and the true accuracy of the winner."""

    winner: str
    estimate: float
    low: float
    high: float
    held_out: float
    truth: float


# Generated data


class Language(NamedTuple):
    """Documents of some labels: each word is typical of its label with a probability, and otherwise common."""

    name: str
    n_documents: int
    n_labels: int
    share: float  # of words that are typical of the label; 0: labels are chance
    n_words: int = 12

    def draw(self, rng: np.random.Generator, n: int) -> tuple[list[str], npt.NDArray[np.int64]]:
        labels = rng.integers(self.n_labels, size=n)
        ranks = np.minimum(rng.zipf(1.3, (n, self.n_words)), 2000)
        own = rng.random((n, self.n_words)) < self.share
        words = np.where(own, 10_000 * (1 + labels[:, None]) + ranks % 150, ranks)
        return [" ".join(f"w{word}" for word in row) for row in words], labels


LANGUAGES = (
    Language("200 documents, 2 labels", 200, 2, 0.06),
    Language("400 documents, 2 labels", 400, 2, 0.1),
    Language("300 documents, 4 labels", 300, 4, 0.12),
    Language("200 documents, 2 labels, chance", 200, 2, 0.0),
)


def list_generated() -> dict[str, Categorizer]:
    """Candidates that are nearly alike, so that luck decides between them: the hardest case for an estimate."""
    recipes = [Analyzer(), Analyzer(word_ngrams=(1, 2)), Analyzer(word_ngrams=(1, 3)), Analyzer(char_ngrams=(2, 4))]
    models = [
        NaiveBayes("multinomial", 1.0),
        NaiveBayes("binary", 0.1),
        NaiveBayes("bernoulli", 1.0),
        NaiveBayes("complement", 1.0),
    ]
    models += [LinearSVM(C=0.1), LinearSVM(C=1.0), NBSVM(C=0.1), NBSVM(C=1.0)]
    return {
        f"{place} {model!r}": Categorizer(recipe, model, threads=1)
        for place, recipe in enumerate(recipes)
        for model in (models if place < 2 else models[:4])
    }


def run_generated(place: int, *, simplest: bool) -> Outcome:
    language = LANGUAGES[place % len(LANGUAGES)]
    rng = np.random.default_rng([place, 17])
    texts, labels = language.draw(rng, language.n_documents)
    fresh, gold = language.draw(rng, N_FRESH)
    return measure(texts, labels, fresh, gold, list_generated(), place, simplest=simplest)


# Halves of a corpus


def read_all(name: str) -> tuple[npt.NDArray[np.object_], npt.NDArray[np.str_]]:
    """All documents of a corpus."""
    texts, labels = [], []
    for path in sorted(Path(os.environ["TERCET_DATA"], name).glob("*.jsonl*")):
        with path.open("rb") if path.suffix == ".jsonl" else gzip.open(path) as lines:
            for row in map(json.loads, lines):
                texts.append(row["text"])
                labels.append(row["label"])
    return np.array(texts, object), np.array(labels)


def run_half(place: int, *, corpus: str, simplest: bool) -> Outcome:
    from tercet.categorizer.tune import list_candidates

    texts, labels = read_all(corpus)
    order = np.random.default_rng([place, 18]).permutation(len(texts))
    own, other = order[: len(order) // 2], order[len(order) // 2 :]
    known = set(texts[own])
    other = other[[text not in known for text in texts[other]]]  # copies are not fresh
    return measure(
        list(texts[own]), labels[own], list(texts[other]), labels[other], list_candidates(1), place, simplest=simplest
    )


def measure(
    texts: list[str],
    labels: npt.NDArray[np.generic],
    fresh: list[str],
    gold: npt.NDArray[np.generic],
    candidates: dict[str, Categorizer],
    seed: int,
    *,
    simplest: bool,
) -> Outcome:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotConverged)
        tuned = tune(texts, labels, candidates=candidates, seed=seed, simplest=simplest)
    truth = float(np.mean(tuned.categorizer.predict(fresh) == gold))
    held_out = next(result.value.value for result in tuned.candidates if result.name == tuned.winner)
    return Outcome(tuned.winner, tuned.estimate.value, tuned.estimate.low, tuned.estimate.high, held_out, truth)


# Tables


def show(title: str, outcomes: list[Outcome]) -> tuple[float, float]:
    """Print a line: coverage in per cent, and the mean errors in points. Returns the coverage and the mean error."""
    errors = 100 * np.array([each.estimate - each.truth for each in outcomes])
    naive = 100 * np.array([each.held_out - each.truth for each in outcomes])
    coverage = 100 * float(np.mean([each.low <= each.truth <= each.high for each in outcomes]))
    spread = errors.std(ddof=1) / len(errors) ** 0.5
    cells = f"{len(outcomes):>6}{coverage:>10.1f}{errors.mean():>+10.2f} ± {spread:.2f}{naive.mean():>+12.2f}"
    cells += f"{errors.std(ddof=1):>8.2f}"
    print(f"{title:<36}{cells}{100 * np.mean([each.truth for each in outcomes]):>10.2f}", flush=True)
    return coverage, float(errors.mean())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("generated", "halves"))
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--simplest", action="store_true")
    parser.add_argument("--corpus", default="cr")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    is_generated = options.what == "generated"
    n_runs = (400 if options.full else 100) if is_generated else (30 if options.full else 10)
    run = partial(run_generated) if is_generated else partial(run_half, corpus=options.corpus)
    with ProcessPoolExecutor(options.jobs) as pool:
        outcomes = []
        for outcome in pool.map(partial(run, simplest=options.simplest), range(n_runs)):
            outcomes.append(outcome)
            print(f"{len(outcomes)} of {n_runs}: {outcome}", file=sys.stderr, flush=True)
    head = f"{'runs':>6}{'covered %':>10}{'estimate - truth':>17}{'choice - truth':>15}{'sd':>5}{'truth %':>10}"
    print(f"{'points of accuracy':<36}{head}")
    if not is_generated:
        coverage, error = show(f"halves of {options.corpus}", outcomes)
        print(f"bar: |estimate - truth| <= {MEAN_ERROR}: {'met' if abs(error) <= MEAN_ERROR else 'MISSED'}")
        return int(abs(error) > MEAN_ERROR)
    for place, language in enumerate(LANGUAGES):
        show(language.name, outcomes[place :: len(LANGUAGES)])
    coverage, _ = show("all", outcomes)
    is_met = COVERAGE[0] <= coverage <= COVERAGE[1]
    print(f"bar: covered in {COVERAGE[0]:g}–{COVERAGE[1]:g} %: {'met' if is_met else 'MISSED'}")
    return int(not is_met)


if __name__ == "__main__":
    sys.exit(main())
