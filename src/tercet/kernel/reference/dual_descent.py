"""Linear models of two sides, by coordinate descent in the dual: one document after another gets its best α."""

import math

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.reference.descent import Options, Progress, shuffle
from tercet.kernel.reference.dual_losses import Hinge

NOWHERE = (math.inf, -math.inf)


class DualDescent:
    """`X` is documents × columns, the constant column among them; `sides` are 1 and −1."""

    def __init__(self, X: Floats, sides: list[float], costs: list[float], loss: Hinge, number: int, options: Options) -> None:
        self._X, self._sides, self._costs, self._loss = X, sides, costs, loss
        self._number, self._options = number, options
        self.weights = np.zeros(X.shape[1])
        self._squares = (X * X).sum(axis=1).tolist()
        self._states = [loss.start] * len(sides)
        self.activate_all()

    def activate_all(self) -> None:
        self._active = [i for i, cost in enumerate(self._costs) if cost > 0]
        self._beyond = NOWHERE
        self._dropped = 0.0  # the part of the objective that settled documents had when they were dropped

    def pass_over(self, epoch: int) -> Progress:
        shuffle(self._active, self._options.seed, self._number, epoch)
        seen = Progress(0.0, self._dropped)
        slopes = [0.0]
        k = 0
        while k < len(self._active):
            i = self._active[k]
            margin = self._find_margin(i)
            objective = self._add(i, margin, seen)
            if self._loss.shrinks and self._is_settled(i, margin, slopes):
                self._dropped += objective
                last = self._active.pop()
                self._active[k : k + 1] = [last] if k < len(self._active) else []
                continue
            self._step(i, margin)
            k += 1
        self._beyond = max(slopes) or math.inf, min(slopes) or -math.inf
        return seen

    def measure(self) -> Progress:
        progress = Progress()
        for i, cost in enumerate(self._costs):
            if cost > 0:
                self._add(i, self._find_margin(i), progress)
        return progress

    def _find_margin(self, i: int) -> float:
        return float(self._sides[i] * (self._X[i] @ self.weights))

    def _add(self, i: int, margin: float, progress: Progress) -> float:
        """Its part of the objective; ‖w‖² = Σ α m."""
        state, cost = self._states[i], self._costs[i]
        product = self._loss.dual(state, cost) * margin
        loss = self._loss.loss(margin, cost)
        progress.gap += loss + self._loss.conjugate(state, cost) + product
        progress.objective += loss + product / 2
        return loss + product / 2

    def _is_settled(self, i: int, margin: float, slopes: list[float]) -> bool:
        """At its bound, and pulled there by more than any document was pulled elsewhere in the pass before."""
        slope = self._loss.slope(self._states[i], margin, self._costs[i])
        at_low, at_high = self._states[i] == 0, self._states[i] == self._loss.highest(self._costs[i])
        if (at_low and slope > self._beyond[0]) or (at_high and slope < self._beyond[1]):
            return True
        slopes.append(min(slope, 0.0) if at_low else max(slope, 0.0) if at_high else slope)
        return False

    def _step(self, i: int, margin: float) -> None:
        before = self._loss.dual(self._states[i], self._costs[i])
        self._states[i] = self._loss.step(self._states[i], margin, self._squares[i], self._costs[i])
        by = self._loss.dual(self._states[i], self._costs[i]) - before
        self.weights += by * self._sides[i] * self._X[i]
