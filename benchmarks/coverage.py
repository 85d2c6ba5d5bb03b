"""Do 95 % intervals cover the truth in 95 of 100 samples, and do tests at 5 % claim a false difference in 5 of 100?

python benchmarks/coverage.py                      (minutes; the figures of the documentation)
python benchmarks/coverage.py --sets 200 --nulls 500 --resamples 500
"""

import argparse
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tercet.evaluation.bootstrap import bootstrap_metrics
from tercet.evaluation.intervals import Estimate, wilson
from tercet.evaluation.metrics import METRICS
from tercet.evaluation.resampling import Resampling, SamplingUnits
from tercet.evaluation.significance import bootstrap_pair, count_discordant, mcnemar, randomize_pair

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
LINE = "{:<38}{:<16}{:>10}  {:<14}{}"
ACCURACY, MACRO_F1, MACRO_RECALL = METRICS["accuracy"], METRICS["macro_f1"], METRICS["macro_recall"]


def make_truth(priors: list[float], recalls: list[float]) -> Floats:
    """P(gold, predicted): errors go to the other labels by their priors."""
    prior = np.array(priors) / np.sum(priors)
    truth = np.tile(prior, (len(prior), 1))
    np.fill_diagonal(truth, 0)
    truth *= (1 - np.array(recalls))[:, None] / truth.sum(axis=1, keepdims=True)
    np.fill_diagonal(truth, recalls)
    return prior[:, None] * truth


TRUTHS = {
    "three balanced labels": make_truth([1, 1, 1], [0.9, 0.8, 0.7]),
    "13 % spam": make_truth([0.87, 0.13], [0.98, 0.85]),
    "twenty balanced labels": make_truth([1] * 20, np.linspace(0.6, 0.95, 20).tolist()),
    "a label of 1.3 %, rarely found": make_truth([0.987, 0.013], [0.995, 0.25]),
    "a label of 1.3 %, nearly all found": make_truth([0.987, 0.013], [0.998, 0.9]),
}
BARS = dict.fromkeys(list(TRUTHS)[:3], (93.0, 97.0))


def measure_coverage(truth: Floats, n: int, n_sets: int, plan: Resampling, seed: int) -> dict[str, float]:
    """The share of samples, in percent, whose interval has the true value."""
    rng, hits = np.random.default_rng(seed), np.zeros(3)
    true = [float(metric(truth)) for metric in (ACCURACY, MACRO_F1, MACRO_RECALL)]
    for place in range(n_sets):
        counts = rng.multinomial(n, truth.ravel()).reshape(truth.shape)
        drawn = Resampling(plan.confidence, plan.resamples, place, plan.method)
        estimates = [wilson(int(np.trace(counts)), n), *bootstrap_metrics(SamplingUnits.of_counts(counts), _both, drawn)]
        hits += [_covers(estimate, value) for estimate, value in zip(estimates, true, strict=True)]
    return dict(zip(("accuracy", "macro_f1", "macro_recall"), 100 * hits / n_sets, strict=True))


def _both(matrices: Floats) -> Floats:
    return np.stack([MACRO_F1(matrices), MACRO_RECALL(matrices)], axis=-1)


def _covers(estimate: Estimate, value: float) -> bool:
    return estimate.low <= value <= estimate.high


def draw_pair(truth_a: Floats, truth_b: Floats, n: int, alike: float, rng: np.random.Generator) -> SamplingUnits:
    """Two systems on the same documents: with chance `alike` they go wrong, or right, on the same ones."""
    gold = rng.choice(len(truth_a), n, p=truth_a.sum(axis=1))
    luck = rng.random((2, n))
    luck[1] = np.where(rng.random(n) < alike, luck[0], luck[1])
    answers = [_answer(truth, gold, own) for truth, own in zip((truth_a, truth_b), luck, strict=True)]
    return SamplingUnits.of_documents(gold, answers, len(truth_a))


def _answer(truth: Floats, gold: Integers, luck: Floats) -> Integers:
    shares = np.cumsum(truth / truth.sum(axis=1, keepdims=True), axis=1)[gold]
    return np.minimum((shares < luck[:, None]).sum(axis=1), len(truth) - 1)


Test = Callable[[SamplingUnits, Resampling], float]
TESTS: dict[str, Test] = {
    "sign test, accuracy": lambda units, plan: mcnemar(*count_discordant(units), mid_p=False),
    "randomization, accuracy": lambda units, plan: randomize_pair(units, ACCURACY, plan),
    "mid-p McNemar, accuracy": lambda units, plan: mcnemar(*count_discordant(units)),
    "randomization, macro-F1": lambda units, plan: randomize_pair(units, MACRO_F1, plan),
    "paired bootstrap, macro-F1": lambda units, plan: bootstrap_pair(units, MACRO_F1, plan),
    "textbook bootstrap, macro-F1": lambda units, plan: bootstrap_pair(units, MACRO_F1, plan, one_sided=True),
}


def measure_claims(
    truth_a: Floats, truth_b: Floats, n: int, n_pairs: int, plan: Resampling, seed: int, tests: dict[str, Test] = TESTS
) -> dict[str, float]:
    """The share of pairs, in percent, that each test calls different at 5 %."""
    rng, claims = np.random.default_rng(seed), dict.fromkeys(tests, 0)
    for place in range(n_pairs):
        units = draw_pair(truth_a, truth_b, n, 0.5, rng)
        for name, test in tests.items():
            claims[name] += test(units, Resampling(plan.confidence, plan.resamples, place)) < 0.05
    return {name: 100 * count / n_pairs for name, count in claims.items()}


def report_coverage(n_sets: int, plan: Resampling, seed: int) -> None:
    print(LINE.format("coverage of 95 % intervals, n = 500", "metric", "%", "bar", ""), flush=True)
    for name, truth in TRUTHS.items():
        for metric, share in measure_coverage(truth, 500, n_sets, plan, seed).items():
            low, high = BARS.get(name, (0.0, 100.0))
            bar = f"{low:g}–{high:g}" if name in BARS else "-"
            verdict = "met" if low <= share <= high else "MISSED"
            if name not in BARS:
                verdict = "" if metric == "accuracy" else "why a note says unreliable"
            print(LINE.format(name, metric, f"{share:.1f}", bar, verdict), flush=True)


def report_levels(n_nulls: int, plan: Resampling, seed: int) -> None:
    truth = make_truth([0.5, 0.3, 0.2], [0.85, 0.8, 0.75])
    found = measure_claims(truth, truth, 500, n_nulls, plan, seed)
    sign = found["sign test, accuracy"]
    print("\n" + LINE.format("false claims at 5 %, n = 500", "", "%", "bar", ""), flush=True)
    for name, share in found.items():
        low, high = (sign - 0.5, sign + 0.5) if name == "randomization, accuracy" else (4.0, 6.0)
        bar, verdict = f"{low:.1f}–{high:.1f}", "met" if low <= share <= high else "MISSED"
        if name.startswith("sign"):
            bar, verdict = "-", "cautious by nature"
        print(LINE.format(name, "", f"{share:.2f}", bar, verdict), flush=True)


def report_unlike(n_nulls: int, plan: Resampling, seed: int) -> None:
    """Equally good, but wrong in other places: a randomisation asks whether the systems are alike in everything."""
    truth = make_truth([1, 1, 1], [0.95, 0.8, 0.65])
    print("\n" + LINE.format("the same, good at other labels", "", "%", "", ""), flush=True)
    for name, share in measure_claims(truth, truth[::-1, ::-1], 500, n_nulls, plan, seed).items():
        print(LINE.format(name, "", f"{share:.2f}", "", ""), flush=True)


def report_power(n_pairs: int, plan: Resampling, seed: int) -> None:
    better, worse = make_truth([1, 1, 1], [0.87, 0.82, 0.77]), make_truth([1, 1, 1], [0.84, 0.79, 0.74])
    tests = {name: TESTS[name] for name in ("randomization, accuracy", "randomization, macro-F1")}
    print("\n" + LINE.format("true claims, 3 points better", "n", "%", "", ""), flush=True)
    for n in (250, 500, 1000, 2000):
        for name, share in measure_claims(better, worse, n, n_pairs, plan, seed, tests).items():
            print(LINE.format(name, n, f"{share:.1f}", "", ""), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", type=int, default=2000, help="simulated sets for each coverage")
    parser.add_argument("--nulls", type=int, default=10_000, help="simulated true null hypotheses")
    parser.add_argument("--resamples", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    plan = Resampling(resamples=options.resamples)
    report_coverage(options.sets, plan, options.seed)
    report_levels(options.nulls, plan, options.seed)
    report_unlike(max(options.nulls // 5, 1), plan, options.seed)
    report_power(max(options.nulls // 20, 1), plan, options.seed)


if __name__ == "__main__":
    main()
