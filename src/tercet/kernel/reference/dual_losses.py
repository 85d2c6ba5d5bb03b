"""The losses of binary problems: what each asks of a document with margin m and cost C, and its part of the dual problem.

primal   min ½ ‖w‖² + Σ loss(mᵢ, Cᵢ),        mᵢ = ± w · xᵢ
dual     max −½ ‖w‖² − Σ conjugate(sᵢ, Cᵢ),  w = Σ ± αᵢ xᵢ,  αᵢ = dual(sᵢ, Cᵢ)
"""

import math

from tercet.kernel.reference.descent import exp


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
        """The best state of a document while the others stay as they are."""
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
    """The state is z = log(α / (C − α)): near both ends α alone would lose what is left."""

    shrinks = False
    start = -math.inf

    def dual(self, z: float, cost: float) -> float:
        return cost * share(z)

    def loss(self, margin: float, cost: float) -> float:
        return cost * soft_plus(-margin)

    def conjugate(self, z: float, cost: float) -> float:
        if math.isinf(z):
            return 0.0
        return -cost * (share(z) * soft_plus(-z) + share(-z) * soft_plus(z))

    def step(self, z: float, margin: float, square: float, cost: float) -> float:
        """The root of z + m + square · (C share(z) − α), by halves."""
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


LOSSES = {"hinge": Hinge(), "squared_hinge": SquaredHinge(), "logistic": Logistic()}
