"""How often the intervals of the audit of pairs cover the true mean difference, and how often its test is wrong.

    python benchmarks/audit_coverage_pairs.py [simulations] [seed]

The true mean is 0. For each number of cells and each distribution of their differences it prints the coverage of the 95 %
interval and the level of the test at 5 %, both in audits without the note "unreliable", the share of audits with the note, and
the level of Student's t and of sign flipping in all audits. A row is off if the exact binomial test rejects 95 % or 5 % at 1 %.
"""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import binomtest, t

from tercet.auditing.audit.differences import estimate_means
from tercet.evaluation.resampling import Resampling

N_CELLS = (5, 10, 20, 30, 50, 100, 144, 400, 3000)
AT_A_TIME = 250  # audits that share their resamples
FLIPS = 999
Draw = Callable[[np.random.Generator, Any], Any]


def some(share: float, draw: Draw) -> Draw:
    """Differences of which all others are 0."""
    return lambda rng, shape: np.where(rng.random(shape) < share, draw(rng, shape), 0.0)


DIFFERENCES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.uniform(-1, 1, size=shape),
    "laplace": lambda rng, shape: rng.laplace(size=shape),
    "student, 3 degrees": lambda rng, shape: rng.standard_t(3, size=shape),
    "gamma, shape 4": lambda rng, shape: rng.gamma(4, size=shape) - 4,
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
    "lognormal": lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5),
    "half 0, normal": some(0.5, lambda rng, shape: rng.normal(size=shape)),
    "80 % 0, normal": some(0.2, lambda rng, shape: rng.normal(size=shape)),
    "95 % 0, normal": some(0.05, lambda rng, shape: rng.normal(size=shape)),
    "half alike, exponential": lambda rng, shape: some(0.5, lambda *_: rng.exponential(size=shape))(rng, shape) - 0.5,
    "30 % flips": lambda rng, shape: (rng.random(shape) < 0.3) - 0.3,
    "10 % flips": lambda rng, shape: (rng.random(shape) < 0.1) - 0.1,
}


def simulate(draw: Draw, n: int, simulations: int, seed: int) -> tuple[int, int, int]:
    """How many audits have no note, how many of their intervals cover 0, and how many of their tests reject it."""
    rng, trusted, covered, rejected = np.random.default_rng(seed), 0, 0, 0
    for first in range(0, simulations, AT_A_TIME):
        found = estimate_means(
            draw(rng, (n, min(AT_A_TIME, simulations - first))), Resampling(resamples=2000, seed=seed + first)
        )
        own = [each for each in found if not each.estimate.note]
        trusted += len(own)
        covered += sum(each.estimate.low <= 0 <= each.estimate.high for each in own)
        rejected += sum(each.p_value <= 0.05 for each in own)
    return trusted, covered, rejected


def simulate_others(draw: Draw, n: int, simulations: int, seed: int) -> tuple[float, float]:
    """The levels of Student's t and of sign flipping."""
    rng = np.random.default_rng(seed)
    differences = draw(rng, (n, simulations))
    means, deviations = differences.mean(axis=0), differences.std(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        student = 2 * t.sf(np.abs(means / deviations) * np.sqrt(n), n - 1)
    flipped = np.abs(rng.choice([-1.0, 1.0], size=(FLIPS, n)) @ differences) >= np.abs(differences.sum(axis=0)) - 1e-12
    p_values = (flipped.sum(axis=0) + 1) / (FLIPS + 1)
    return float((student <= 0.05).mean()), float((p_values <= 0.05).mean())


def main(simulations: int, seed: int) -> None:
    print(f"{simulations} audits a row; true difference 0")
    print("cells  differences              coverage   level   noted  |  level of Student's t, of sign flipping")
    n_off = 0
    for n in N_CELLS:
        for place, (name, draw) in enumerate(DIFFERENCES.items()):
            trusted, covered, rejected = simulate(draw, n, simulations, 100 * seed + place)
            student, flipping = simulate_others(draw, n, simulations, 100 * seed + place)
            is_off = trusted > 0 and is_significant(covered, rejected, trusted)
            n_off += is_off
            rates = f"{covered / trusted:8.3f}  {rejected / trusted:6.3f}" if trusted else "       –       –"
            noted = f"{1 - trusted / simulations:6.2f}"
            print(f"{n:5}  {name:<24} {rates}  {noted}  |  {student:.3f}  {flipping:.3f}  {'OFF' * is_off}", flush=True)
    print(f"{len(N_CELLS) * len(DIFFERENCES)} rows, {n_off} off nominal without a note")


def is_significant(covered: int, rejected: int, n: int) -> bool:
    return bool(binomtest(covered, n, 0.95).pvalue < 0.01 or binomtest(rejected, n, 0.05).pvalue < 0.01)


if __name__ == "__main__":
    main(*map(int, [*sys.argv[1:], "2000", "0"][:2]))
