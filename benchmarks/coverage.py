"""Do 95 % intervals cover the truth in 95 of 100 samples, and do tests at 5 % claim a false difference in 5 of 100?

python benchmarks/coverage.py            (200 runs of each setting)
python benchmarks/coverage.py --full     (2,000 runs: the bars of 93–97 % and 4–6 % are for these)

Each line has the share, its standard error, and the bar. A setting whose estimates the report calls unreliable has no bar. The
program ends with exit code 1 if a share misses its bar by more than two standard errors, or, with --full, by anything.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from math import sqrt

import numpy as np
import numpy.typing as npt
from simulated import GROUPED, PLAIN, WEIGHTED, Setting

from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.intervals import MIN_GROUPS, Estimate, wilson
from tercet.evaluation.metrics import METRICS
from tercet.evaluation.resampling import Resampling, SamplingUnits
from tercet.evaluation.sample import Sample
from tercet.evaluation.significance import compare_pair, count_discordant, mcnemar

Floats = npt.NDArray[np.float64]
LINE = "{:<36}{:<34}{:>7}{:>7}  {:<7}{}"
COVERAGE, LEVEL = (93.0, 97.0), (4.0, 6.0)
ACCURACY, MACRO_F1, MACRO_RECALL = METRICS["accuracy"], METRICS["macro_f1"], METRICS["macro_recall"]
PAIRED = [Setting("500 documents"), *(each for each in GROUPED if each.n in (8, 13, 20, 50))]
PAIRED += [each for each in WEIGHTED if each.n == 500]


class Table:
    """Prints shares beside their bars, and counts those that miss."""

    def __init__(self, n_runs: int, *, is_strict: bool) -> None:
        self.n_runs, self.is_strict, self.verdicts = n_runs, is_strict, Counter[str]()

    def head(self, title: str) -> None:
        print("\n" + LINE.format(title, "", "%", "se", "bar", ""), flush=True)

    def row(self, setting: str, what: str, hits: float, bar: tuple[float, float] | None, why: str = "") -> None:
        share = hits / self.n_runs
        error = 100 * sqrt(max(share * (1 - share), 0.25 / self.n_runs) / self.n_runs)
        verdict = why
        if bar:
            missed = max(bar[0] - 100 * share, 100 * share - bar[1])
            verdict = "met" if missed <= 0 else "near" if missed <= 2 * error and not self.is_strict else "MISSED"
            self.verdicts[verdict] += 1
        shown = f"{bar[0]:g}–{bar[1]:g}" if bar else "-"
        print(LINE.format(setting, what, f"{100 * share:.1f}", f"{error:.2f}", shown, verdict), flush=True)


def covers(estimate: Estimate, value: float) -> bool:
    return estimate.low <= value <= estimate.high


def is_flagged(estimate: Estimate) -> bool:
    return "unreliable" in estimate.note


def measure_coverage(table: Table, setting: Setting, plan: Resampling, seed: int) -> None:
    """How often the intervals of accuracy, macro-F1 and log loss have the true value."""
    rng, truth = np.random.default_rng([seed, 2, *setting.name.encode()]), setting.find_truth(seed)
    hits, flags = Counter[str](), Counter[str]()
    for place in range(table.n_runs):
        sample = Sample.of_documents(setting.draw(rng), Resampling(plan.confidence, plan.resamples, place))
        for name, estimate in zip(truth, sample.estimate(truth), strict=True):
            hits[name] += covers(estimate, truth[name])
            flags[name] += is_flagged(estimate)
    for name in truth:
        is_unreliable = flags[name] > table.n_runs / 2
        is_edge = setting.effect > 0 and setting.n == MIN_GROUPS  # the bars are for more
        why = "flagged: unreliable" if is_unreliable else "not flagged, but the fewest"
        table.row(setting.name, name, hits[name], None if is_unreliable or is_edge else COVERAGE, why)


def measure_levels(table: Table, setting: Setting, plan: Resampling, seed: int) -> None:
    """How often tests claim a difference between systems that are equally good, and the interval of the difference has 0."""
    rng = np.random.default_rng([seed, 3, *setting.name.encode()])
    claims, hits, flags = Counter[str](), Counter[str](), 0
    for place in range(table.n_runs):
        gold, answers, groups, weights = setting.draw_pair(rng)
        units = SamplingUnits.of_documents(gold, answers, 3, groups=groups, weights=weights)
        own = Resampling(plan.confidence, plan.resamples, place)
        for metric in (ACCURACY, MACRO_F1):
            for test in ("randomization", "paired_bootstrap"):
                found = compare_pair(units, metric, test, own)
                claims[f"{test}, {metric.name}"] += found.p_value < 0.05
            hits[metric.name] += covers(found.estimate, 0.0)
            flags += is_flagged(found.estimate)
    is_unreliable = flags > table.n_runs
    why = "flagged: unreliable" if is_unreliable else ""
    for name, count in claims.items():
        is_discrete = setting.name == "500 documents" and name == "randomization, accuracy"  # it is the sign test
        bar = None if is_unreliable or is_discrete else LEVEL
        table.row(setting.name, name, count, bar, why or "cautious: p can take few values" * is_discrete)
    for name, count in hits.items():
        table.row(setting.name, f"interval of the difference, {name}", count, None if is_unreliable else COVERAGE, why)


# Confusion matrices with rare labels


def make_truth(priors: list[float], recalls: list[float]) -> Floats:
    """P(gold, predicted): errors go to the other labels by their priors."""
    prior = np.array(priors) / np.sum(priors)
    truth = np.tile(prior, (len(prior), 1))
    np.fill_diagonal(truth, 0)
    truth *= (1 - np.array(recalls))[:, None] / truth.sum(axis=1, keepdims=True)
    np.fill_diagonal(truth, recalls)
    return np.asarray(prior[:, None] * truth)


TRUTHS = {
    "three balanced labels": make_truth([1, 1, 1], [0.9, 0.8, 0.7]),
    "13 % spam": make_truth([0.87, 0.13], [0.98, 0.85]),
    "twenty balanced labels": make_truth([1] * 20, np.linspace(0.6, 0.95, 20).tolist()),
    "a label of 1.3 %, rarely found": make_truth([0.987, 0.013], [0.995, 0.25]),
    "a label of 1.3 %, nearly all found": make_truth([0.987, 0.013], [0.998, 0.9]),
}


def measure_label_mixes(table: Table, name: str, plan: Resampling, seed: int) -> None:
    rng, truth, hits = np.random.default_rng(seed), TRUTHS[name], np.zeros(3)
    true = [float(metric(truth)) for metric in (ACCURACY, MACRO_F1, MACRO_RECALL)]
    for place in range(table.n_runs):
        counts = rng.multinomial(500, truth.ravel()).reshape(truth.shape)
        drawn = Resampling(plan.confidence, plan.resamples, place)
        both = bootstrap_metrics(SamplingUnits.of_counts(counts), _score_both, drawn)
        estimates = [wilson(int(np.trace(counts)), 500), *both]
        hits += [covers(estimate, value) for estimate, value in zip(estimates, true, strict=True)]
    is_rare = "1.3 %" in name
    for what, count in zip(("accuracy", "macro_f1", "macro_recall"), hits.tolist(), strict=True):
        why = "cautious: about two errors" if what == "accuracy" else "flagged: few gold documents of a label"
        table.row(name, what, count, None if is_rare else COVERAGE, why)


def _score_both(matrices: Floats) -> Floats:
    return np.stack([MACRO_F1(matrices), MACRO_RECALL(matrices)], axis=-1)


# Tests on plain documents: the level of each, also for systems that are good at different labels, and the power


Test = Callable[[SamplingUnits, Resampling], float]
TESTS: dict[str, Test] = {
    "sign test, accuracy": lambda units, plan: mcnemar(*count_discordant(units), mid_p=False),
    "mid-p McNemar, accuracy": lambda units, plan: mcnemar(*count_discordant(units)),
    "randomization, accuracy": lambda units, plan: compare_pair(units, ACCURACY, "randomization", plan).p_value,
    "randomization, macro-F1": lambda units, plan: compare_pair(units, MACRO_F1, "randomization", plan).p_value,
    "textbook bootstrap, macro-F1": lambda units, plan: compare_pair(units, MACRO_F1, "textbook_bootstrap", plan).p_value,
}
DISCRETE = ("sign test, accuracy", "randomization, accuracy")


def draw_pair(truth_a: Floats, truth_b: Floats, n: int, rng: np.random.Generator) -> SamplingUnits:
    """Two systems on the same documents: with chance 1/2 they go wrong, or right, on the same ones."""
    gold = rng.choice(len(truth_a), n, p=truth_a.sum(axis=1))
    luck = rng.random((2, n))
    luck[1] = np.where(rng.random(n) < 0.5, luck[0], luck[1])
    answers = []
    for truth, own in zip((truth_a, truth_b), luck, strict=True):
        shares = np.cumsum(truth / truth.sum(axis=1, keepdims=True), axis=1)[gold]
        answers.append(np.minimum((shares < own[:, None]).sum(axis=1), len(truth) - 1))
    return SamplingUnits.of_documents(gold, answers, len(truth_a))


def count_claims(
    table: Table, truth_a: Floats, truth_b: Floats, n: int, plan: Resampling, seed: int, tests: dict[str, Test]
) -> dict[str, int]:
    rng, claims = np.random.default_rng(seed), dict.fromkeys(tests, 0)
    for place in range(table.n_runs):
        units = draw_pair(truth_a, truth_b, n, rng)
        for name, test in tests.items():
            claims[name] += test(units, Resampling(plan.confidence, plan.resamples, place)) < 0.05
    return claims


def report_plain_tests(table: Table, plan: Resampling, seed: int) -> None:
    truth = make_truth([0.5, 0.3, 0.2], [0.85, 0.8, 0.75])
    table.head("false claims at 5 %, n = 500")
    for name, count in count_claims(table, truth, truth, 500, plan, seed, TESTS).items():
        is_discrete = name in DISCRETE
        table.row("", name, count, None if is_discrete else LEVEL, "cautious: p can take few values")
    table.head("the same, good at other labels")  # a randomization asks whether the systems are alike in everything
    other = make_truth([1, 1, 1], [0.95, 0.8, 0.65])
    for name, count in count_claims(table, other, other[::-1, ::-1], 500, plan, seed, TESTS).items():
        table.row("", name, count, None)


def report_power(table: Table, plan: Resampling, seed: int) -> None:
    better, worse = make_truth([1, 1, 1], [0.87, 0.82, 0.77]), make_truth([1, 1, 1], [0.84, 0.79, 0.74])
    tests = {name: TESTS[name] for name in ("randomization, accuracy", "randomization, macro-F1")}
    table.head("true claims, 3 points better")
    for n in (250, 500, 1000, 2000):
        for name, count in count_claims(table, better, worse, n, plan, seed, tests).items():
            table.row(f"{n} documents", name, count, None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="2,000 runs of each setting instead of 200")
    parser.add_argument("--resamples", type=int, default=999)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("coverage", "paired", "plain"), help="one part of the table")
    options = parser.parse_args()
    table = Table(2000 if options.full else 200, is_strict=options.full)
    plan = Resampling(resamples=options.resamples)
    if options.only in (None, "coverage"):
        table.head("coverage of 95 % intervals")
        for setting in [*PLAIN, *WEIGHTED, *GROUPED]:
            measure_coverage(table, setting, plan, options.seed)
        for name in TRUTHS:
            measure_label_mixes(table, name, plan, options.seed)
    if options.only in (None, "paired"):
        table.head("false claims at 5 %, and intervals")
        for setting in PAIRED:
            measure_levels(table, setting, plan, options.seed)
    if options.only in (None, "plain"):
        report_plain_tests(table, plan, options.seed)
        report_power(Table(table.n_runs // 4, is_strict=False), plan, options.seed)
    print("\n" + ", ".join(f"{count} {verdict}" for verdict, count in sorted(table.verdicts.items())))
    sys.exit(1 if table.verdicts["MISSED"] else 0)


if __name__ == "__main__":
    main()
