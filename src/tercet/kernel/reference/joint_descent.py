"""Linear models that decide between all labels at once: one document after another gets its best β for all labels."""

import numpy as np

from tercet.arrays import Floats
from tercet.kernel.reference.descent import Options, Progress, shuffle
from tercet.kernel.reference.joint_losses import CrammerSinger


class JointDescent:
    """`X` is documents × columns, the constant column among them; `costs` stand at the label of each document."""

    def __init__(self, X: Floats, codes: list[int], costs: Floats, loss: CrammerSinger, options: Options) -> None:
        self._X, self._codes, self._costs, self._loss, self._options = X, codes, costs, loss, options
        self.weights = np.zeros((costs.shape[1], X.shape[1]))
        self._squares = (X * X).sum(axis=1).tolist()
        self._betas = costs.copy()
        self._order = np.flatnonzero(costs.sum(axis=1) > 0).tolist()

    def activate_all(self) -> None:
        """None is ever dropped."""

    def pass_over(self, epoch: int) -> Progress:
        shuffle(self._order, self._options.seed, 0, epoch)
        seen = Progress()
        for i in self._order:
            scores = self._add(i, seen)
            targets = scores + self._squares[i] * self._betas[i]
            betas = self._loss.step(targets, self._codes[i], self._squares[i], self._cost(i))
            self.weights += np.outer(self._betas[i] - betas, self._X[i])
            self._betas[i] = betas
        return seen

    def measure(self) -> Progress:
        progress = Progress()
        for i in self._order:
            self._add(i, progress)
        return progress

    def _cost(self, i: int) -> float:
        return float(self._costs[i, self._codes[i]])

    def _add(self, i: int, progress: Progress) -> Floats:
        """The scores of a document, when its part is added; Σ ‖wₖ‖² = Σ α s."""
        scores: Floats = self.weights @ self._X[i]
        product = float((self._costs[i] - self._betas[i]) @ scores)
        loss = self._loss.loss(scores, self._codes[i], self._cost(i))
        progress.gap += loss + self._loss.conjugate(self._betas[i], self._codes[i], self._cost(i)) + product
        progress.objective += loss + product / 2
        return scores
