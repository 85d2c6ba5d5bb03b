"""Binary linear models by coordinate descent in the dual: one document after another gets its best α.

The losses: the loss of a document with margin m and cost C, and its part of the dual problem.

primal   min ½ ‖w‖² + Σ loss(mᵢ, Cᵢ),        mᵢ = ± w · xᵢ
dual     max −½ ‖w‖² − Σ conjugate(sᵢ, Cᵢ),  w = Σ ± αᵢ xᵢ,  αᵢ = dual(sᵢ, Cᵢ)
"""

import math

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.linear.descent import Options, Progress, exp, shuffle


class Hinge:
    shrinks = True
    start = 0.0

    def dual(self, alpha: float, cost: float) -> float:
        return alpha

    def loss(self, margin: float, cost: float) -> float:
        return cost * max(0.0, 1 - margin)

    def conjugate(self, alpha: float, cost: float) -> float:
        return -alpha

    def slope(self, alpha: float, margin: float, cost: float) -> float:
        return margin - 1

    def highest(self, cost: float) -> float:
        return cost

    def step(self, alpha: float, margin: float, square: float, cost: float) -> float:
        """The best state of a document while the others do not change."""
        if square == 0:
            return cost if margin < 1 else 0.0
        return min(max(alpha - (margin - 1) / square, 0.0), cost)


class SquaredHinge(Hinge):
    def loss(self, margin: float, cost: float) -> float:
        return cost * max(0.0, 1 - margin) ** 2

    def conjugate(self, alpha: float, cost: float) -> float:
        return alpha * (alpha / (4 * cost) - 1)

    def slope(self, alpha: float, margin: float, cost: float) -> float:
        return margin - 1 + alpha / (2 * cost)

    def highest(self, cost: float) -> float:
        return math.inf

    def step(self, alpha: float, margin: float, square: float, cost: float) -> float:
        return max(0.0, alpha - self.slope(alpha, margin, cost) / (square + 1 / (2 * cost)))


class Logistic(Hinge):
    """The state is z = log(α / (C − α)), because α alone loses precision near 0 and near C."""

    shrinks = False
    start = -math.inf

    def highest(self, cost: float) -> float:
        return math.inf

    def dual(self, z: float, cost: float) -> float:
        return cost * share(z)

    def loss(self, margin: float, cost: float) -> float:
        return cost * soft_plus(-margin)

    def conjugate(self, z: float, cost: float) -> float:
        if math.isinf(z):
            return 0.0
        return -cost * (share(z) * soft_plus(-z) + share(-z) * soft_plus(z))

    def step(self, z: float, margin: float, square: float, cost: float) -> float:
        """The root of z + m + square · (C share(z) − α), by bisection."""
        alpha = self.dual(z, cost)
        low, high = -margin - square * (cost - alpha), -margin + square * alpha
        middle = (low + high) / 2
        while low < middle < high:
            if middle + margin + square * (cost * share(middle) - alpha) > 0:
                high = middle
            else:
                low = middle
            middle = (low + high) / 2
        return middle


def share(z: float) -> float:
    return exp(z) / (1 + exp(z)) if z < 0 else 1 / (1 + exp(-z))


def soft_plus(z: float) -> float:
    return max(z, 0.0) + math.log1p(exp(-abs(z)))


BINARY_LOSSES = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "logistic": Logistic()}


NOWHERE = (math.inf, -math.inf)


class DualDescent:
    """`X` is documents × columns, including the constant column. `sides` are 1 and −1."""

    def __init__(
        self,
        X: Floats,
        sides: list[float],
        costs: list[float],
        loss: Hinge,
        number: int,
        options: Options,
        start: list[float] | None = None,
    ) -> None:
        """`start` has the state of each document; nan stands for the usual one."""
        self._X, self._sides, self._costs, self._loss = X, sides, costs, loss
        self._number, self._options = number, options
        self.weights = np.zeros(X.shape[1])
        self._squares = (X * X).sum(axis=1).tolist()
        self.states = [loss.start] * len(sides)
        for i, state in enumerate(start or []):
            if costs[i] > 0 and not math.isnan(state):
                self.states[i] = min(state, loss.highest(costs[i]))
                self.weights += loss.dual(self.states[i], costs[i]) * sides[i] * X[i]
        self.activate_all()

    def activate_all(self) -> None:
        self._active = [i for i, cost in enumerate(self._costs) if cost > 0]
        self._beyond = NOWHERE
        self._dropped = 0.0  # the part of the objective from settled documents, at the time they were dropped

    def pass_over(self, epoch: int) -> Progress:
        shuffle(self._active, self._options.seed, self._number, epoch)
        progress = Progress(0.0, self._dropped)
        slopes = [0.0]
        k = 0
        while k < len(self._active):
            i = self._active[k]
            margin = self._find_margin(i)
            objective = self._add(i, margin, progress)
            if self._loss.shrinks and self._is_settled(i, margin, slopes):
                self._dropped += objective
                last = self._active.pop()
                self._active[k : k + 1] = [last] if k < len(self._active) else []
                continue
            self._step(i, margin)
            k += 1
        self._beyond = max(slopes) or math.inf, min(slopes) or -math.inf
        return progress

    def measure(self) -> Progress:
        progress = Progress()
        for i, cost in enumerate(self._costs):
            if cost > 0:
                self._add(i, self._find_margin(i), progress)
        return progress

    def _find_margin(self, i: int) -> float:
        return float(self._sides[i] * (self._X[i] @ self.weights))

    def _add(self, i: int, margin: float, progress: Progress) -> float:
        """The document's part of the objective. ‖w‖² = Σ α m."""
        state, cost = self.states[i], self._costs[i]
        product = self._loss.dual(state, cost) * margin
        loss = self._loss.loss(margin, cost)
        progress.gap += loss + self._loss.conjugate(state, cost) + product
        progress.objective += loss + product / 2
        return loss + product / 2

    def _is_settled(self, i: int, margin: float, slopes: list[float]) -> bool:
        """Whether the document is at its bound and its slope is steeper than every slope of the pass before."""
        slope = self._loss.slope(self.states[i], margin, self._costs[i])
        at_low, at_high = self.states[i] == 0, self.states[i] == self._loss.highest(self._costs[i])
        if (at_low and slope > self._beyond[0]) or (at_high and slope < self._beyond[1]):
            return True
        slopes.append(min(slope, 0.0) if at_low else max(slope, 0.0) if at_high else slope)
        return False

    def _step(self, i: int, margin: float) -> None:
        before = self._loss.dual(self.states[i], self._costs[i])
        self.states[i] = self._loss.step(self.states[i], margin, self._squares[i], self._costs[i])
        by = self._loss.dual(self.states[i], self._costs[i]) - before
        self.weights += by * self._sides[i] * self._X[i]
