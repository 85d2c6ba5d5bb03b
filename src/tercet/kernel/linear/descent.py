"""The outer loop of coordinate descent: pass over the documents until the duality gap is small enough."""

import math
import sys
from dataclasses import dataclass
from typing import Protocol

WORD = (1 << 64) - 1


@dataclass(frozen=True)
class Options:
    bias: float  # the value of the constant column
    tol: float  # the duality gap that is allowed, as a share of the objective
    max_epochs: int
    seed: int


@dataclass
class Progress:
    """Sums over documents: the duality gap and the objective."""

    gap: float = 0.0
    objective: float = 0.0


class Descent(Protocol):
    def pass_over(self, epoch: int) -> Progress:
        """Make the best step for each document. The progress is an estimate: each part is from before the document's step."""

    def measure(self) -> Progress:
        """The exact progress, with the same weights for all documents."""

    def activate_all(self) -> None: ...


def descend(descent: Descent, options: Options) -> tuple[int, float]:
    """The number of passes, and the remaining gap as a share of the objective."""
    true_share = 0.5  # exact gap divided by the estimate of a pass
    gap = 0.0
    for epoch in range(1, options.max_epochs + 1):
        estimate = descent.pass_over(epoch - 1)
        if true_share * estimate.gap > options.tol * estimate.objective and epoch < options.max_epochs:
            continue
        measured = descent.measure()
        gap = max(measured.gap, 0.0) / max(measured.objective, sys.float_info.min)
        if gap <= options.tol:
            break
        true_share = min(1.0, measured.gap / max(estimate.gap, sys.float_info.min))
        descent.activate_all()
    return epoch, gap


def scramble(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & WORD
    return x ^ (x >> 31)


def shuffle(items: list[int], seed: int, problem: int, epoch: int) -> None:
    """Shuffle in place. The result depends only on the three numbers and on the order before."""
    state = scramble(scramble(scramble(seed & WORD) + problem & WORD) + epoch & WORD)
    for n in range(len(items), 1, -1):
        state = state + 0x9E3779B97F4A7C15 & WORD
        other = scramble(state) % n
        items[n - 1], items[other] = items[other], items[n - 1]


def exp(x: float) -> float:
    """exp as in C: infinite if the result is too large."""
    return math.exp(x) if x < 709.78 else math.inf
