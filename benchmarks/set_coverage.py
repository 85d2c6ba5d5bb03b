"""Sets of labels: do 95 % intervals cover the truth in 95 of 100 samples, and do tests at 5 % claim a false difference in 5?

python benchmarks/set_coverage.py            (400 runs of each setting, about five minutes of CPU)
python benchmarks/set_coverage.py --runs 2000

A document has labels that depend on each other: all its logits share a number. A system finds and invents labels with chances
that depend on the label and on how difficult the document is. The true values are those of half a million documents. The two
systems of a pair are equally good, and share half of their luck. Each line has the share, its standard error, and the bar. The
program ends with exit code 1 if a share misses its bar by more than two standard errors.
"""

import argparse
import sys
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from coverage import COVERAGE, Table, covers, is_flagged

from tercet.counts.label_sets import encode_label_sets
from tercet.evaluation.resampling import Resampling
from tercet.evaluation.sets.rankings import rank_documents
from tercet.evaluation.sets.set_answers import SetAnswers
from tercet.evaluation.sets.set_differences import compare_pair_of_sets, find_compared_metric
from tercet.evaluation.sets.set_sample import SetSample

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
LEVEL = (3.0, 7.0)
METRICS = ["micro_f1", "macro_f1", "example_f1", "subset_accuracy", "hamming_loss", "lrap", "ndcg@3", "coverage_error"]
COMPARED = ["micro_f1", "macro_f1", "subset_accuracy", "example_f1"]
N_TRUTH, N_BLOCK = 500_000, 50_000  # documents
MIN_CASES = 10  # gold documents of a label: with fewer macro averages are called unreliable


@dataclass(frozen=True)
class Setting:
    """Labels with a share from the most frequent to the rarest, on a logarithmic scale, in a sample of n documents."""

    name: str
    n: int
    n_labels: int
    most: float
    least: float

    @property
    def shares(self) -> Floats:
        return np.geomspace(self.most, self.least, self.n_labels)

    def draw(self, rng: np.random.Generator, n: int, n_systems: int = 1) -> tuple[Flags, list[Flags], Floats]:
        """Gold, the answers of each system, and scores of the first one."""
        topic = rng.normal(size=(n, 1))
        logits = np.log(self.shares / (1 - self.shares)) - 0.25
        gold = rng.random((n, self.n_labels)) < 1 / (1 + np.exp(-(logits + 0.7 * topic)))
        difficulty, shared = rng.normal(size=(n, 1)), rng.normal(size=gold.shape)
        answers, scores = [], np.empty(0)
        for system in range(n_systems):
            luck = np.where(rng.random(gold.shape) < 0.5, shared, rng.normal(size=gold.shape))
            score = np.where(gold, 1.2, -1.2 - 0.25 * np.abs(logits)) - 0.4 * difficulty + luck
            answers.append(score > 0)
            scores = score if system == 0 else scores
        return gold, answers, scores


SETTINGS = [
    Setting("500 documents, 5 labels", 500, 5, 0.4, 0.1),
    Setting("500 documents, 20 labels", 500, 20, 0.3, 0.05),
    Setting("2000 documents, 100 labels", 2000, 100, 0.2, 0.01),
    Setting("500 documents, 50 labels, rare ones", 500, 50, 0.3, 0.002),
    Setting("100 documents, 5 labels", 100, 5, 0.4, 0.15),
]


def make_sample(gold: Flags, predicted: Flags, scores: Floats | None, plan: Resampling) -> SetSample:
    sets = encode_label_sets({"gold": gold, "predicted": predicted})
    ranked = {} if scores is None else rank_documents(sets["gold"], scores, [3])
    return SetSample(SetAnswers(sets["gold"], sets["predicted"]), plan, ranked)


def find_truth(setting: Setting, seed: int) -> dict[str, float]:
    """The values of many documents: the sums of their blocks, and the mean of means."""
    rng, blocks = np.random.default_rng([seed, 1]), []
    sums = np.zeros((3, setting.n_labels))
    for _ in range(N_TRUTH // N_BLOCK):
        gold, (predicted,), scores = setting.draw(rng, N_BLOCK)
        sample = make_sample(gold, predicted, scores, Resampling(resamples=2))
        blocks.append({name: values.mean() for name, values in sample.columns.items()})
        sums += np.stack(sample.answers.sums)
    means = {name: float(np.mean([block[name] for block in blocks])) for name in blocks[0]}
    correct, gold_sums, predicted_sums = sums
    macro = float(np.mean(2 * correct / (gold_sums + predicted_sums)))
    return means | {"micro_f1": 2 * means["correct"] / (means["gold"] + means["predicted"]), "macro_f1": macro}


def measure_coverage(table: Table, setting: Setting, resamples: int, seed: int) -> None:
    rng, truth = np.random.default_rng([seed, 2, *setting.name.encode()]), find_truth(setting, seed)
    hits, flags = Counter[str](), Counter[str]()
    for run in range(table.n_runs):
        gold, (predicted,), scores = setting.draw(rng, setting.n)
        sample = make_sample(gold, predicted, scores, Resampling(resamples=resamples, seed=run))
        for name, estimate in zip(METRICS, sample.estimate(METRICS), strict=True):
            hits[name] += covers(estimate, truth[name])
            flags[name] += is_flagged(estimate)
    for name in METRICS:
        is_unreliable = flags[name] > table.n_runs / 2
        table.row(setting.name, name, hits[name], None if is_unreliable else COVERAGE, "flagged: unreliable")


def measure_levels(table: Table, setting: Setting, resamples: int, seed: int) -> None:
    rng = np.random.default_rng([seed, 3, *setting.name.encode()])
    claims, hits, flags = Counter[str](), Counter[str](), Counter[str]()
    for run in range(table.n_runs):
        gold, answers, _ = setting.draw(rng, setting.n, n_systems=2)
        plan = Resampling(resamples=resamples, seed=run)
        systems = [make_sample(gold, own, None, plan) for own in answers]
        for name in COMPARED:
            metric = find_compared_metric(name, systems[0], are_labels_named=True)
            for test in ("randomization", "paired_bootstrap"):
                found = compare_pair_of_sets(*systems, metric, test, plan)
                claims[f"{test}, {name}"] += found.p_value < 0.05
            hits[name] += covers(found.estimate, 0.0)
            flags[name] += is_flagged(systems[0].estimate([name])[0]) if name == "macro_f1" else 0
    for what, count in claims.items():
        is_unreliable = flags[what.split(", ")[1]] > table.n_runs / 2
        table.row(setting.name, what, count, None if is_unreliable else LEVEL, "rare labels")
    for name, count in hits.items():
        is_unreliable = flags[name] > table.n_runs / 2
        table.row(
            setting.name, f"interval of the difference, {name}", count, None if is_unreliable else COVERAGE, "rare labels"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("coverage", "paired"), help="one part of the table")
    options = parser.parse_args()
    table = Table(options.runs, is_strict=False)
    if options.only in (None, "coverage"):
        table.head("coverage of 95 % intervals")
        for setting in SETTINGS:
            measure_coverage(table, setting, options.resamples, options.seed)
    if options.only in (None, "paired"):
        table.head("false claims at 5 %, and intervals")
        for setting in SETTINGS:
            measure_levels(table, setting, options.resamples, options.seed)
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in sorted(table.verdicts.items())))
    sys.exit(1 if table.verdicts["MISSED"] else 0)


if __name__ == "__main__":
    main()
