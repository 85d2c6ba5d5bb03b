"""How well teachers are judged and combined, and how good a model is that learns from them, with simulated teachers.

    TERCET_DATA=… python benchmarks/teachers.py [--full] [--part coverage|combined|student|fooled …]

A simulated teacher has a known confusion matrix: for each right label the probabilities of what it says. Teachers err
independently, except where a part says otherwise. The right labels are those of real corpora: 2,000 random training documents,
100 of which have a gold label.

- `coverage`: how often the interval of a teacher's accuracy has its true accuracy. It needs no texts.
- `combined`: accuracy of the combined labels on the documents without a gold label, minus that of the best teacher (an empty
  answer is wrong). It needs no texts.
- `student`: accuracy on other texts of the model that learned from teachers, minus that of the same model with all gold labels.
- `fooled`: the combined labels where two teachers make the same errors, with and without gold labels.
"""

import os
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import first_labels
import numpy as np

import tercet
from tercet.categorizer.teachers.combination import combine_rows, judge_teachers
from tercet.categorizer.teachers.votes import TaughtRows, Teacher

CORPORA = ("trec_qc", "subj", "sms_spam", "20newsgroups")
N_DOCUMENTS, N_GOLD, N_JUDGED = 2000, 100, 1000


class Simulated(NamedTuple):
    """The mean accuracy of a teacher, by how much it differs from label to label, and the share of documents it labels."""

    accuracy: float
    spread: float
    coverage: float

    def draw_confusion(self, n_labels: int, rng: np.random.Generator) -> np.ndarray:
        """Right label × label that is said. Wrong answers prefer some labels."""
        right = np.clip(self.accuracy + self.spread * rng.uniform(-1, 1, n_labels), 0.05, 0.99)
        confusion = np.zeros((n_labels, n_labels))
        for label in range(n_labels):
            others = np.arange(n_labels) != label
            confusion[label, others] = (1 - right[label]) * rng.dirichlet(np.full(n_labels - 1, 0.5))
            confusion[label, label] = right[label]
        return confusion


PANELS = {
    "usual": [Simulated(0.88, 0.05, 1.0), Simulated(0.78, 0.15, 1.0), Simulated(0.92, 0.05, 0.4), Simulated(0.65, 0.1, 0.9)],
    "weak": [Simulated(0.7, 0.1, 1.0), Simulated(0.65, 0.1, 0.8), Simulated(0.6, 0.1, 0.9)],
    "one good": [Simulated(0.95, 0.03, 1.0), Simulated(0.6, 0.15, 1.0), Simulated(0.55, 0.1, 0.7)],
    "two": [Simulated(0.85, 0.1, 1.0), Simulated(0.7, 0.2, 1.0)],
    "one": [Simulated(0.8, 0.1, 1.0)],
}


class Drawn(NamedTuple):
    """Teachers of some documents, the right labels, and the accuracy that each teacher has by its confusion."""

    rows: TaughtRows
    right: np.ndarray
    accuracies: list[float]

    def measure(self, answers: np.ndarray) -> float:
        """The accuracy on documents without a gold label."""
        others = ~self.rows.is_gold
        return float((answers == self.right)[others].mean())

    def measure_best(self) -> float:
        return max(self.measure(own.list_answers()) for own in self.rows.teachers)


def vote(confusion: np.ndarray, right: np.ndarray, coverage: float, rng: np.random.Generator) -> np.ndarray:
    """What a teacher says: codes of labels, and -1 where it abstains."""
    drawn = rng.random(len(right))[:, None] > confusion.cumsum(axis=1)[right]
    said = np.minimum(drawn.sum(axis=1), len(confusion) - 1)
    return np.where(rng.random(len(right)) < coverage, said, -1)


def make_teacher(name: str, said: np.ndarray, n_labels: int) -> Teacher:
    from scipy.sparse import csr_matrix

    voted = np.flatnonzero(said >= 0)
    return Teacher(name, csr_matrix((np.ones(len(voted)), (voted, said[voted])), shape=(len(said), n_labels)))


def draw(labels: np.ndarray, panel: list[Simulated], n_gold: int, rng: np.random.Generator) -> Drawn:
    known, right = np.unique(labels, return_inverse=True)
    teachers, accuracies = [], []
    for number, own in enumerate(panel):
        confusion = own.draw_confusion(len(known), rng)
        teachers.append(make_teacher(f"t{number}", vote(confusion, right, own.coverage, rng), len(known)))
        accuracies.append(float((np.bincount(right) / len(right)) @ confusion.diagonal()))
    gold = np.full(len(right), -1)
    chosen = rng.permutation(len(right))[:n_gold]
    gold[chosen] = right[chosen]
    return Drawn(TaughtRows(known, gold, tuple(teachers)), right, accuracies)


def sample(corpus: first_labels.Corpus, rng: np.random.Generator, n: int = N_DOCUMENTS) -> np.ndarray:
    return rng.permutation(len(corpus.texts))[:n]


def measure_coverage(name: str, corpus: first_labels.Corpus, n_runs: int) -> None:
    """All teachers of the usual panel. The true accuracy is that of the confusion, with the shares of the labels."""
    hits: list[list[bool]] = []
    for run in range(n_runs):
        rng = np.random.default_rng([1, run])
        drawn = draw(np.array(corpus.labels)[sample(corpus, rng)], PANELS["usual"], N_GOLD, rng)
        report = judge_teachers(drawn.rows, combine_rows(drawn.rows), [""] * N_DOCUMENTS, threads=1)
        pairs = zip(report.teachers, drawn.accuracies, strict=True)
        hits.append([own.accuracy.low <= true <= own.accuracy.high for own, true in pairs])
    found = np.mean(hits, axis=0)
    print(f"coverage  {name:14} {len(hits)} runs: mean {found.mean():.3f}  teachers {found.round(3)}", flush=True)


def measure_combined(name: str, corpus: first_labels.Corpus, n_runs: int, n_gold: int = N_GOLD) -> None:
    for kind, panel in PANELS.items():
        gains = []
        for run in range(n_runs):
            rng = np.random.default_rng([2, run])
            drawn = draw(np.array(corpus.labels)[sample(corpus, rng)], panel, n_gold, rng)
            combined = combine_rows(drawn.rows).proba.argmax(axis=1)
            gains.append(100 * (drawn.measure(combined) - drawn.measure_best()))
        worse = np.mean(np.array(gains) < -1)
        print(
            f"combined  {name:14} {kind:9} gold {n_gold}: mean {np.mean(gains):+.1f} points, worst {min(gains):+.1f}, "
            f"more than 1 point below in {worse:.1%} of {n_runs} runs",
            flush=True,
        )


def measure_student(name: str, corpus: first_labels.Corpus, n_runs: int) -> None:
    """The default model, without the sentence encoder, on other texts of the training part."""
    rows = []
    for run in range(n_runs):
        rng = np.random.default_rng([3, run])
        order = sample(corpus, rng, N_DOCUMENTS + N_JUDGED)
        learned, judged = order[:N_DOCUMENTS], order[N_DOCUMENTS:]
        texts, labels = np.array(corpus.texts, object), np.array(corpus.labels)
        drawn = draw(labels[learned], PANELS["usual"], N_GOLD, rng)
        known = np.append(drawn.rows.labels.astype(object), None)
        columns = {own.name: known[own.list_answers()].tolist() for own in drawn.rows.teachers}
        documents = tercet.Documents(texts[learned].tolist(), known[drawn.rows.gold].tolist(), columns=columns)
        taught = tercet.train(documents, categorizer=make_model(), teachers=list(columns))
        gold = make_model().fit(texts[learned].tolist(), labels[learned].tolist())
        accuracies = [
            float(np.mean(own.predict(texts[judged].tolist()) == labels[judged])) for own in (taught.categorizer, gold)
        ]
        rows.append([*accuracies, taught.estimate.accuracy.low <= accuracies[0] <= taught.estimate.accuracy.high])
    student, gold_only, covered = np.mean(rows, axis=0)
    losses = [100 * (own[1] - own[0]) for own in rows]
    print(
        f"student   {name:14} {student:.3f}, with gold labels {gold_only:.3f}: {np.mean(losses):.1f} points lower (worst of "
        f"{n_runs}: {max(losses):.1f}); its interval had it in {covered:.0%}",
        flush=True,
    )


def make_model() -> tercet.Categorizer:
    return tercet.Categorizer(model="auto", calibrate="auto")


def measure_fooled(name: str, corpus: first_labels.Corpus, n_runs: int) -> None:
    """A good teacher (88 %), and a poor one (65 %) that is there twice."""
    for n_gold in (0, N_GOLD):
        gains, named = [], 0
        for run in range(n_runs):
            rng = np.random.default_rng([4, run])
            panel = [PANELS["usual"][0], PANELS["usual"][3]]
            drawn = draw(np.array(corpus.labels)[sample(corpus, rng)], panel, n_gold, rng)
            good, poor = drawn.rows.teachers
            rows = TaughtRows(drawn.rows.labels, drawn.rows.gold, (good, poor, poor._replace(name="copy")))
            combined = combine_rows(rows)
            named += min(combined.powers) < 1
            gains.append(100 * (drawn.measure(combined.proba.argmax(axis=1)) - drawn.measure_best()))
        print(
            f"fooled    {name:14} gold {n_gold}: mean {np.mean(gains):+.1f} points against the good teacher, worst "
            f"{min(gains):+.1f}; seen in {named} of {n_runs} runs",
            flush=True,
        )


MEASURES: dict[str, tuple[Callable[..., None], int, int]] = {
    "coverage": (measure_coverage, 40, 400),
    "combined": (measure_combined, 10, 100),
    "student": (measure_student, 1, 3),
    "fooled": (measure_fooled, 10, 100),
}


def main() -> None:
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="as many runs as the documentation reports")
    parser.add_argument("--part", choices=MEASURES, action="append")
    parser.add_argument("corpora", nargs="*", default=CORPORA)
    given = parser.parse_args()
    for part in given.part or MEASURES:
        measure, n_few, n_many = MEASURES[part]
        for name in given.corpora:
            corpus = first_labels.read_corpus(Path(os.environ["TERCET_DATA"], name))
            measure(name, corpus, n_many if given.full else n_few)


if __name__ == "__main__":
    main()
