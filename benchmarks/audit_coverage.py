"""Do the intervals of an audit of groups cover the truth in 95 of 100 samples, and do its tests keep their level and power?

python benchmarks/audit_coverage.py               (2,000 samples of each setting, about ten minutes)
python benchmarks/audit_coverage.py --only rates  (a few seconds; also: areas, family, power)

- rates: accuracy and rates of errors in a group and in the others, of very different sizes, with Miettinen and Nurminen's score
  interval corrected for skewness. A test at 5 % rejects if and only if the 95 % interval excludes 0, so that coverage where
  there is no difference is also the level of the test. Sizes vary from sample to sample, as they do if documents are drawn.
- areas: the three areas under ROC curves of Borkan et al., and their differences to the area of the others.
- family: how often an audit of four groups that are alike claims nothing, after Holm's correction: at least 95 of 100 times.
- power: how often a true difference of the size that the audit calls detectable is found, at the corrected level.

A sample whose estimate is flagged as unreliable is not counted. A setting of which less than a tenth is counted has no bar: it
is flagged. The bar for the others is the exact binomial test at 1 %. A setting that misses it is drawn once more, with another
seed and four times as many samples, because one of a hundred misses by chance. The exit code is 1 if it misses again.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, ndtri
from scipy.stats import binomtest

from tercet.auditing.audit.differences import ProportionPairs, are_few, compute_bounds, compute_detectable, compute_p_values
from tercet.auditing.audit.group_differences import AreaPair, GroupColumn, JudgedAnswers, compare_groups
from tercet.evaluation.intervals import Estimate, wilson

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
LINE = "{:<62}{:>8}{:>9}  {}"
COVERAGE, LEVEL = 0.95, 0.05
POWER_BAR = (0.75, 0.85)
N_TESTS = 12  # of the audit whose corrected level is that of the power


class Counted(NamedTuple):
    """How many samples were drawn, how many of them are not flagged, and how many of those cover the truth."""

    drawn: int
    counted: int
    hits: int


Draw = Callable[[int, np.random.Generator], Mapping[str, Counted]]


def judge(name: str, draw: Draw, runs: int, seed: int) -> bool:
    """Print a line for each kind of estimate, and say whether all bars are met."""
    found = draw(runs, np.random.default_rng([seed, *name.encode()]))
    verdicts = {kind: judge_once(each) for kind, each in found.items()}
    if "MISSED" in verdicts.values():
        again = draw(4 * runs, np.random.default_rng([seed, 1, *name.encode()]))
        for kind in [kind for kind, verdict in verdicts.items() if verdict == "MISSED"]:
            found, verdicts = {**found, kind: again[kind]}, {**verdicts, kind: f"{judge_once(again[kind])} (drawn again)"}
    for kind, (drawn, counted, hits) in found.items():
        share, flagged = f"{100 * hits / counted:.1f} %" if counted else "–", f"{100 * (1 - counted / drawn):.0f} %"
        print(LINE.format(f"{name}: {kind}", share, flagged, verdicts[kind]), flush=True)
    return not any(verdict.startswith("MISSED") for verdict in verdicts.values())


def judge_once(found: Counted) -> str:
    if found.counted < found.drawn / 10:
        return "flagged: unreliable"
    return "met" if binomtest(found.hits, found.counted, COVERAGE).pvalue >= 0.01 else "MISSED"


# Rates


@dataclass(frozen=True)
class Rates:
    """Expected sizes of the group and of the others, and the true rates."""

    n: int
    n_others: int
    rate: float
    rate_of_others: float

    @property
    def name(self) -> str:
        return f"{self.n} and {self.n_others} documents, rates {self.rate:g} and {self.rate_of_others:g}"

    def draw(self, runs: int, rng: np.random.Generator) -> ProportionPairs:
        n, n_others = (np.maximum(rng.poisson(size, runs), 1) for size in (self.n, self.n_others))
        counts = rng.binomial(n, self.rate), n, rng.binomial(n_others, self.rate_of_others), n_others
        return ProportionPairs(*(np.asarray(each, np.float64) for each in counts))

    def count(self, runs: int, rng: np.random.Generator) -> dict[str, Counted]:
        pairs = self.draw(runs, rng)
        low, high = compute_bounds(pairs, COVERAGE)
        true = self.rate - self.rate_of_others
        # The test decides as the interval does, so its level follows from the coverage.
        assert np.array_equal(compute_p_values(pairs) < 1 - COVERAGE, (low > 0) | (high < 0))
        is_few, are_others_few = are_few(pairs)
        own = [wilson(float(k), float(n), COVERAGE) for k, n in zip(pairs.successes, pairs.n, strict=True)]
        return {
            "difference": count(is_few | are_others_few, (low <= true) & (true <= high)),
            "group": count(is_few, np.array([covers(each, self.rate) for each in own])),
        }


def count(is_flagged: Flags, is_covered: Flags) -> Counted:
    return Counted(len(is_flagged), int((~is_flagged).sum()), int((is_covered & ~is_flagged).sum()))


def covers(estimate: Estimate, true: float) -> bool:
    return estimate.low <= true <= estimate.high


SIZES = ((20, 20), (20, 20_000), (60, 20_000), (200, 20_000), (2_000, 20_000), (20_000, 60), (300, 300), (100, 1_000))
RATES = [Rates(*sizes, rate, rate) for sizes in SIZES for rate in (0.01, 0.07, 0.25, 0.45)]
RATES += [
    Rates(*sizes, rate, other) for sizes in SIZES for rate, other in ((0.18, 0.11), (0.02, 0.09), (0.5, 0.2), (0.95, 0.8))
]


# Areas under ROC curves


@dataclass(frozen=True)
class Areas:
    """Expected sizes, the share of positive documents, how far their scores lie above those of negative documents, and bias.

    Scores are normal. `bias` is added to the scores of the group's negative documents, and taken from its positive documents.
    With a `step`, scores are rounded to it, so that many of them are equal.
    """

    n: int
    n_others: int
    share: float
    distance: float
    bias: float = 0.0
    step: float = 0.0

    @property
    def name(self) -> str:
        more = f", bias {self.bias:g}" * (self.bias != 0) + f", ties of {self.step:g}" * (self.step > 0)
        return f"{self.n} and {self.n_others}, {self.share:.0%} positive, d {self.distance:g}{more}"

    def draw(self, rng: np.random.Generator) -> tuple[npt.NDArray[np.int64], Flags, Flags]:
        """The ranks of documents, whether each is positive, and whether each is in the group."""
        n, n_others = max(rng.poisson(self.n), 1), max(rng.poisson(self.n_others), 1)
        is_inside, is_own = np.arange(n + n_others) < n, rng.random(n + n_others) < self.share
        scores = rng.normal(size=n + n_others) + np.where(is_own, self.distance, 0)
        scores += np.where(is_inside, np.where(is_own, -self.bias, self.bias), 0)
        scores = np.round(scores / self.step) if self.step else scores
        return np.unique(scores, return_inverse=True)[1], is_own, is_inside

    def draw_pair(self, metric: str, rng: np.random.Generator) -> AreaPair:
        rank, is_own, is_inside = self.draw(rng)
        swapped = is_inside if metric == "BNSP" else ~is_inside
        first = is_inside if metric == "subgroup" else np.where(is_own, swapped, ~swapped)
        return AreaPair.of(rank, is_own, first, ~is_inside)

    def find_truth(self, metric: str) -> tuple[float, float]:
        """The area that the metric takes, and that of the others."""
        low, high = self.bias * (metric != "BNSP"), self.distance - self.bias * (metric != "BPSN")
        return find_area(low, high, self.step), find_area(0.0, self.distance, self.step)

    def count(self, metric: str, runs: int, rng: np.random.Generator) -> dict[str, Counted]:
        true, others = self.find_truth(metric)
        pairs = [self.draw_pair(metric, rng) for _ in range(runs)]
        differences, own = ([pair.compare(COVERAGE)[0] for pair in pairs], [pair.estimate(COVERAGE)[0] for pair in pairs])
        return {
            kind: count(np.array([bool(each.note) for each in found]), np.array([covers(each, truth) for each in found]))
            for kind, found, truth in (("difference", differences, true - others), ("group", own, true))
        }


def find_area(low: float, high: float, step: float) -> float:
    """The area of normal scores around `low` and `high`, which are rounded to a step if there is one."""
    if not step:
        return float(ndtr((high - low) / 2**0.5))
    edges = (np.arange(-200, 201) - 0.5) * step
    lower, higher = (np.diff(ndtr(edges - mean)) for mean in (low, high))
    return float(higher @ (np.cumsum(lower) - lower / 2))


AREAS = [
    Areas(50, 3000, 0.3, 1.2),
    Areas(300, 3000, 0.3, 1.2),
    Areas(300, 20_000, 0.3, 1.2),
    Areas(2000, 20_000, 0.02, 1.0),
    Areas(400, 400, 0.4, 1.5),
    Areas(3000, 300, 0.3, 1.2),
    Areas(1000, 3000, 0.3, 2.0),
    Areas(300, 3000, 0.3, 3.0),
    Areas(300, 3000, 0.3, 1.5, bias=0.4),
    Areas(400, 400, 0.4, 1.8, bias=0.5),
    Areas(3000, 300, 0.3, 1.5, bias=0.3),
    Areas(3000, 300, 0.3, 2.0, bias=0.6),
    Areas(300, 3000, 0.3, 1.2, bias=-0.4),
    Areas(300, 3000, 0.3, 1.2, step=1.0),
]


# A whole audit


def count_quiet(runs: int, rng: np.random.Generator) -> int:
    """How many audits of four groups that are alike claim nothing. Claims that are flagged do not count."""
    sizes, n_quiet = (20, 150, 600, 2000), 0
    for _ in range(runs):
        codes = np.repeat(np.arange(4), rng.poisson(sizes))
        gold = (rng.random(len(codes)) < 0.3).astype(np.int64)
        scores = rng.normal(size=len(codes)) + 1.2 * gold - 0.8
        answers = JudgedAnswers(np.array([0, 1]), gold, (scores > 0).astype(np.int64), np.column_stack([-scores, scores]))
        found = compare_groups(answers, [GroupColumn("group", list("abcd"), codes)], [1], COVERAGE)
        n_quiet += not any(each.is_shown and not each.difference.note for each in found)
    return n_quiet


def report_family(name: str, runs: int, seed: int) -> bool:
    """The tests of an audit depend on each other, so that Holm's method may be cautious: only too few quiet audits miss."""
    n_quiet = count_quiet(runs, np.random.default_rng([seed, 2]))
    is_met = binomtest(n_quiet, runs, COVERAGE, alternative="less").pvalue >= 0.01
    print(LINE.format(name, f"{100 * n_quiet / runs:.1f} %", "", "met" if is_met else "MISSED"), flush=True)
    return is_met


# Power


def measure_rate_power(n: int, n_others: int, rate: float, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """The detectable increase, and how often it is found."""
    level = LEVEL / N_TESTS
    sizes = np.full(runs, float(n)), np.full(runs, float(n_others))
    planned = ProportionPairs(sizes[0][:1] * rate, sizes[0][:1], sizes[1][:1] * rate, sizes[1][:1])
    increase = float(compute_detectable(planned, level)[0])
    counts = (rng.binomial(size.astype(np.int64), p) for size, p in zip(sizes, (rate + increase, rate), strict=True))
    inside, outside = (each.astype(np.float64) for each in counts)
    return increase, float((compute_p_values(ProportionPairs(inside, sizes[0], outside, sizes[1])) < level).mean())


def measure_area_power(setting: Areas, metric: str, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """The detectable decrease, by the median of 20 samples without a difference, and how often it is found."""
    level = LEVEL / N_TESTS
    decrease = float(np.median([setting.draw_pair(metric, rng).compute_detectable(level) for _ in range(20)]))
    _, area = setting.find_truth(metric)
    lost = float(ndtri(area) - ndtri(area - decrease)) * 2**0.5
    biased = replace(setting, bias=lost / 2 if metric == "subgroup" else lost)
    found = [biased.draw_pair(metric, rng).compare(COVERAGE)[1] < level for _ in range(runs)]
    return decrease, float(np.mean(found))


RATE_POWERS = ((300, 20_000, 0.1), (1000, 1000, 0.02), (2000, 20_000, 0.002), (60, 20_000, 0.3), (20_000, 200, 0.1))
AREA_POWERS = ((AREAS[1], "subgroup"), (AREAS[1], "BPSN"), (AREAS[4], "subgroup"), (AREAS[4], "BNSP"), (AREAS[5], "BPSN"))


def report_power(name: str, size: float, power: float) -> bool:
    is_met = POWER_BAR[0] <= power <= POWER_BAR[1]
    print(LINE.format(f"{name}: {size:.3f}", f"{100 * power:.1f} %", "", "met" if is_met else "MISSED"), flush=True)
    return is_met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=2000, help="samples of each setting")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=("rates", "areas", "family", "power"), help="one part of the table")
    options = parser.parse_args()
    runs, seed, met = options.runs, options.seed, []
    if options.only in (None, "rates"):
        print("\n" + LINE.format("coverage of 95 % intervals: rates", "covered", "flagged", ""))
        met += [judge(rates.name, rates.count, runs, seed) for rates in RATES]
    if options.only in (None, "areas"):
        print("\n" + LINE.format("coverage of 95 % intervals: areas", "covered", "flagged", ""))
        for areas, metric in product(AREAS, ("subgroup", "BPSN", "BNSP")):
            met.append(judge(f"{metric}, {areas.name}", partial(areas.count, metric), runs, seed))
    if options.only in (None, "family"):
        print("\n" + LINE.format("audits where there is no difference", "quiet", "", ""))
        met.append(report_family("20, 150, 600 and 2000 documents, 24 tests", runs, seed))
    if options.only in (None, "power"):
        print("\n" + LINE.format(f"power for the detectable difference, {N_TESTS} tests", "found", "", ""))
        rng = np.random.default_rng([seed, 3])
        for n, n_others, rate in RATE_POWERS:
            found = measure_rate_power(n, n_others, rate, runs, rng)
            met.append(report_power(f"rate {rate:g}, {n} and {n_others} documents", *found))
        for areas, metric in AREA_POWERS:
            met.append(report_power(f"{metric}, {areas.name}", *measure_area_power(areas, metric, runs, rng)))
    print(f"\n{sum(met)} met or flagged, {len(met) - sum(met)} missed")
    sys.exit(0 if all(met) else 1)


if __name__ == "__main__":
    main()
