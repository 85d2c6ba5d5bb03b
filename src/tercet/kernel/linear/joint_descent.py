"""Linear models for all labels at once, by coordinate descent in the dual: one document after another gets its best β.

The losses have scores s, cost C, and β ≥ 0 with Σ β = C.

primal   min ½ Σ ‖wₖ‖² + Σ loss(sᵢ),         sᵢₖ = wₖ · xᵢ
dual     max −½ Σ ‖wₖ‖² − Σ conjugate(βᵢ),   wₖ = Σ αᵢₖ xᵢ,  αᵢₖ = Cᵢ [k is its label] − βᵢₖ
"""

import math

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.linear.descent import Options, Progress, exp, shuffle


class CrammerSinger:
    """The score of the best other label should be at least 1 below the score of the right label."""

    def loss(self, scores: Floats, label: int, cost: float) -> float:
        return float(cost * (scores - scores[label] + others(scores, label)).max())

    def conjugate(self, betas: Floats, label: int, cost: float) -> float:
        return float(betas[label] - betas.sum())

    def step(self, targets: Floats, label: int, square: float, cost: float) -> Floats:
        """The best β while other documents do not change: the minimum of ½ x² ‖β‖² − Σ β t + conjugate(β)."""
        targets = targets + others(targets, label)
        if square == 0:
            return np.where(np.arange(len(targets)) == targets.argmax(), cost, 0.0)
        falling = -np.sort(-targets)
        lines = (falling.cumsum() - square * cost) / np.arange(1, len(targets) + 1)
        line = lines[np.flatnonzero(falling > lines)[-1]] if (falling > lines).any() else lines[0]
        return np.asarray(np.maximum(0.0, targets - line) / square)


class Softmax(CrammerSinger):
    """−log of the probability of the label. Probabilities are proportional to exp(score)."""

    def loss(self, scores: Floats, label: int, cost: float) -> float:
        return float(cost * (np.logaddexp.reduce(scores) - scores[label]))

    def conjugate(self, betas: Floats, label: int, cost: float) -> float:
        return float(sum(beta * math.log(beta / cost) for beta in betas.tolist() if beta > 0))

    def step(self, targets: Floats, label: int, square: float, cost: float) -> Floats:
        """The λ for which x² β + log β = t − λ gives Σ β = C, by bisection."""
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
    """The root of x² β + log β = height: Newton's method for y + exp(y) with y = log(x² β), from above."""
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


JOINT_LOSSES = {"crammer_singer": CrammerSinger(), "softmax": Softmax()}


class JointDescent:
    """`X` is documents × columns, including the constant column. `costs` has the cost of a document at its label, else 0."""

    def __init__(self, X: Floats, codes: list[int], costs: Floats, loss: CrammerSinger, options: Options) -> None:
        self._X, self._codes, self._costs, self._loss, self._options = X, codes, costs, loss, options
        self.weights = np.zeros((costs.shape[1], X.shape[1]))
        self._squares = (X * X).sum(axis=1).tolist()
        self._betas = costs.copy()
        self._order = np.flatnonzero(costs.sum(axis=1) > 0).tolist()

    def activate_all(self) -> None:
        """Nothing to do: no document is ever dropped."""

    def pass_over(self, epoch: int) -> Progress:
        shuffle(self._order, self._options.seed, 0, epoch)
        progress = Progress()
        for i in self._order:
            scores = self._add(i, progress)
            targets = scores + self._squares[i] * self._betas[i]
            betas = self._loss.step(targets, self._codes[i], self._squares[i], self._cost(i))
            self.weights += np.outer(self._betas[i] - betas, self._X[i])
            self._betas[i] = betas
        return progress

    def measure(self) -> Progress:
        progress = Progress()
        for i in self._order:
            self._add(i, progress)
        return progress

    def _cost(self, i: int) -> float:
        return float(self._costs[i, self._codes[i]])

    def _add(self, i: int, progress: Progress) -> Floats:
        """Add the document's part to the progress, and return its scores. Σ ‖wₖ‖² = Σ α s."""
        scores: Floats = self.weights @ self._X[i]
        product = float((self._costs[i] - self._betas[i]) @ scores)
        loss = self._loss.loss(scores, self._codes[i], self._cost(i))
        progress.gap += loss + self._loss.conjugate(self._betas[i], self._codes[i], self._cost(i)) + product
        progress.objective += loss + product / 2
        return scores
