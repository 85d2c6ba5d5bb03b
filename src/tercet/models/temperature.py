"""One factor for all scores: the order of the labels stays, only how sure it sounds changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.models.calibration import Calibration, read_finite, round_digits, shift_scores
from tercet.models.classifier import normalize_scores


@dataclass(frozen=True)
class Temperature(Calibration):
    """P(label | document) ∝ exp(factor · score); the factor is one over what others call the temperature.

    >>> np.exp(Temperature(0.1).apply(np.array([[0.0, -10.0]]))).round(2)
    array([[0.73, 0.27]])
    """

    factor: float
    way: ClassVar[str] = "temperature"

    def apply(self, log_joint: Floats) -> Floats:
        return normalize_scores(log_joint * self.factor)

    def pick(self, places: Integers) -> "Temperature":
        return self

    def to_dict(self) -> dict[str, Any]:
        return {"way": self.way, "factor": self.factor}

    @classmethod
    def _read(cls, values: Mapping[str, Any]) -> Self:
        factor = float(read_finite(values["factor"]))
        if factor <= 0:
            raise ValueError("the factor of a calibration must be above 0")
        return cls(factor)

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats, start: Self | None) -> Self:
        """Where the own labels are likeliest. A slight pull to 1 keeps a handful of documents from being certain."""
        from scipy.optimize import minimize_scalar

        shifted, places = shift_scores(log_joint), np.arange(len(codes))

        def lose(log_factor: float) -> float:
            log_proba = normalize_scores(shifted * np.exp(log_factor))[places, codes]
            return log_factor**2 / 2 - float((weights * log_proba).sum())

        found = minimize_scalar(lose, bounds=(np.log(1e-6), np.log(100)), method="bounded", options={"xatol": 1e-4})
        return cls(round_digits(float(np.exp(found.x))))
