"""The losses of problems that decide between all labels at once, with scores s, cost C, and β ≥ 0 with Σ β = C.

primal   min ½ Σ ‖wₖ‖² + Σ loss(sᵢ),         sᵢₖ = wₖ · xᵢ
dual     max −½ Σ ‖wₖ‖² − Σ conjugate(βᵢ),   wₖ = Σ αᵢₖ xᵢ,  αᵢₖ = Cᵢ [k is its label] − βᵢₖ
"""

import math

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.reference.descent import exp


class CrammerSinger:
    """The best other label must stay 1 below."""

    def loss(self, scores: Floats, label: int, cost: float) -> float:
        return float(cost * (scores - scores[label] + others(scores, label)).max())

    def conjugate(self, betas: Floats, label: int, cost: float) -> float:
        return float(betas[label] - betas.sum())

    def step(self, targets: Floats, label: int, square: float, cost: float) -> Floats:
        """The best β while other documents stay: of ½ x² ‖β‖² − Σ β t + conjugate(β)."""
        targets = targets + others(targets, label)
        if square == 0:
            return np.where(np.arange(len(targets)) == targets.argmax(), cost, 0.0)
        falling = -np.sort(-targets)
        lines = (falling.cumsum() - square * cost) / np.arange(1, len(targets) + 1)
        line = lines[np.flatnonzero(falling > lines)[-1]] if (falling > lines).any() else lines[0]
        return np.asarray(np.maximum(0.0, targets - line) / square)


class Softmax(CrammerSinger):
    """−log of the probability of the label, where probabilities are as exp(score)."""

    def loss(self, scores: Floats, label: int, cost: float) -> float:
        return float(cost * (np.logaddexp.reduce(scores) - scores[label]))

    def conjugate(self, betas: Floats, label: int, cost: float) -> float:
        return float(sum(beta * math.log(beta / cost) for beta in betas.tolist() if beta > 0))

    def step(self, targets: Floats, label: int, square: float, cost: float) -> Floats:
        """The line λ at which x² β + log β = t − λ gives Σ β = C, by halves."""
        low = float(targets.max()) - square * cost - math.log(cost)
        high = float(np.logaddexp.reduce(targets)) - math.log(cost)
        line = (low + high) / 2
        while low < line < high:
            too_much = sum(find_beta(target - line, square) for target in targets.tolist()) > cost
            low, high = (line, high) if too_much else (low, line)
            line = (low + high) / 2
        betas = np.array([find_beta(target - line, square) for target in targets.tolist()])
        return np.asarray(betas * (cost / betas.sum()))


def find_beta(height: float, square: float) -> float:
    """The root of x² β + log β = height, by Newton's steps on y + exp(y) with y = log(x² β), from above."""
    if square == 0:
        return exp(height)
    wanted = height + math.log(square)
    y, by = (wanted if wanted <= 1 else math.log(wanted)), 1.0
    while by > 1e-8:
        by = (y + exp(y) - wanted) / (1 + exp(y))
        y -= by
    return exp(y) / square


def others(scores: Floats, label: int) -> Floats:
    return np.where(np.arange(len(scores)) == label, 0.0, 1.0)


LOSSES = {"crammer_singer": CrammerSinger(), "softmax": Softmax()}
