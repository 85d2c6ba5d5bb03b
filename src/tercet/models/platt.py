"""Platt's sigmoid, and its softmax for more than two labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.models.calibration import Calibration, pick_offsets, read_finite, round_digits, shift_scores
from tercet.models.classifier import normalize_scores
from tercet.models.smooth_loss import minimize_loss


@dataclass(frozen=True, eq=False)
class Platt(Calibration):
    """P(label | document) ∝ exp(factor · score + the label's offset)."""

    factor: float
    offsets: Floats
    way: ClassVar[str] = "platt"

    def apply(self, log_joint: Floats) -> Floats:
        return normalize_scores(log_joint * self.factor + self.offsets)

    def pick(self, places: Integers) -> "Platt":
        return Platt(self.factor, pick_offsets(self.offsets, places))

    def to_dict(self) -> dict[str, Any]:
        return {"way": self.way, "factor": self.factor, "offsets": self.offsets.tolist()}

    @classmethod
    def _read(cls, values: Mapping[str, Any]) -> Self:
        factor = float(read_finite(values["factor"]))
        if factor <= 0:
            raise ValueError("the factor of a calibration must be above 0")
        return cls(factor, read_finite(values["offsets"]))

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats, start: Self | None) -> Self:
        """Where Platt's targets are likeliest. The loss is convex; the factor stays above 0, so that more score is more."""
        shifted, n_labels = shift_scores(log_joint), log_joint.shape[1]
        spread = float(-shifted.mean())
        scale = spread if spread > 1e-9 else 1.0  # so that factor and offsets are of one size
        scaled, targets = shifted / scale, make_targets(codes, weights, n_labels)

        def lose(parameters: Floats) -> tuple[float, Floats]:
            log_proba = normalize_scores(scaled * parameters[0] + parameters[1:])
            wrong = (np.exp(log_proba) - targets) * weights[:, None]
            slope = np.append((wrong * scaled).sum(), wrong.sum(axis=0))
            return -float((weights[:, None] * targets * log_proba).sum()) / len(codes), slope / len(codes)

        first = np.append(1.0, np.zeros(n_labels)) if start is None else np.append(start.factor * scale, start.offsets)
        found = minimize_loss(lose, first, [(1e-6, None), *[(None, None)] * n_labels], 1e-11)
        offsets = found[1:] - found[1:].mean()
        return cls(round_digits(found[0] / scale), np.array([round_digits(each) for each in offsets]))


def make_targets(codes: Integers, weights: Floats, n_labels: int) -> Floats:
    """Not 1 for the own label, but (n + 1) / (n + 2) if n documents have it; the others share the rest.

    >>> make_targets(np.array([0, 0, 1]), np.ones(3), 2).round(2)
    array([[0.75, 0.25],
           [0.75, 0.25],
           [0.33, 0.67]])
    """
    own = np.bincount(codes, weights, n_labels)[codes]
    targets = np.repeat(1 / (own + 2) / max(1, n_labels - 1), n_labels).reshape(-1, n_labels)
    targets[np.arange(len(codes)), codes] = (own + 1) / (own + 2)
    return targets
