"""Naive Bayes takes every term for new evidence; terms repeat each other. So the longer a document, the less each says."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.models.calibration import Calibration, pick_offsets, read_finite, round_digits, shift_scores
from tercet.models.classifier import normalize_scores
from tercet.models.smooth_loss import minimize_loss


@dataclass(frozen=True, eq=False)
class LengthCalibration(Calibration):
    """P(label | document) = (1 - doubt) · softmax(score / (1 + rate · length ** growth) + offset) + doubt / labels.

    The length is how improbable the document is, |the best score|: it grows with the number of terms. A document without
    terms keeps its scores. The doubt is for documents whose label no text could tell: they are wrongly labelled, say.

    >>> half = LengthCalibration(rate=1.0, growth=0.5, offsets=np.zeros(2), doubt=0.0)
    >>> np.exp(half.apply(np.array([[-0.7, -0.7], [-4.0, -7.0], [-10_000.0, -10_003.0]]))).round(2)
    array([[0.5 , 0.5 ],
           [0.73, 0.27],
           [0.51, 0.49]])
    """

    rate: float
    growth: float
    offsets: Floats
    doubt: float
    way: ClassVar[str] = "length"

    def apply(self, log_joint: Floats) -> Floats:
        best = log_joint.max(axis=1, keepdims=True)
        softened = (log_joint - best) / (1 + self.rate * np.abs(best) ** self.growth) + self.offsets
        sure = normalize_scores(softened)
        if not self.doubt:
            return sure
        is_possible = np.isfinite(log_joint)
        even = np.log(self.doubt / is_possible.sum(axis=1, keepdims=True))
        return np.where(is_possible, np.logaddexp(sure + np.log1p(-self.doubt), even), -np.inf)

    def pick(self, places: Integers) -> "LengthCalibration":
        return LengthCalibration(self.rate, self.growth, pick_offsets(self.offsets, places), self.doubt)

    def to_dict(self) -> dict[str, Any]:
        numbers = {"rate": self.rate, "growth": self.growth, "doubt": self.doubt}
        return {"way": self.way, **numbers, "offsets": self.offsets.tolist()}

    @classmethod
    def _read(cls, values: Mapping[str, Any]) -> Self:
        rate, growth, doubt = (float(read_finite(values[name])) for name in ("rate", "growth", "doubt"))
        if rate < 0 or growth < 0 or not 0 <= doubt < 1:
            raise ValueError("a calibration by length has numbers out of bounds")
        return cls(rate, growth, read_finite(values["offsets"]), doubt)

    @classmethod
    def _fit(cls, log_joint: Floats, codes: Integers, weights: Floats, start: Self | None) -> Self:
        """Where the own labels are likeliest, with a slight pull of the offsets to 0, for labels with few documents.

        If the offsets gain less than chance would (by the Bayesian information criterion), there are none, and the order of
        the labels stays.
        """
        loss = _Loss(log_joint, codes, weights)
        first = loss.guess() if start is None else loss.write(start)
        n, n_labels = log_joint.shape
        numbers: list[tuple[float | None, float | None]] = [(-30.0, 30.0), (0.0, 3.0), (-20.0, 0.0)]
        plain = minimize_loss(loss, np.append(first[:3], np.zeros(n_labels)), [*numbers, *[(0.0, 0.0)] * n_labels], 1e-8)
        shifted = minimize_loss(loss, np.append(plain[:3], first[3:]), [*numbers, *[(None, None)] * n_labels], 1e-8)
        gain = n * (loss(plain)[0] - loss(shifted)[0])
        found = shifted if gain > (n_labels - 1) * np.log(n) / 2 else plain
        rate, growth = np.exp(found[0] - found[1] * loss.middle), found[1]
        offsets = found[3:] - found[3:].mean()
        doubt = 1 / (1 + np.exp(-found[2]))
        return cls(round_digits(rate), round_digits(growth), np.array(list(map(round_digits, offsets))), round_digits(doubt))


class _Loss:
    """Of the logarithm of the rate at a middling length, the growth, the log-odds of the doubt, and the offsets."""

    def __init__(self, log_joint: Floats, codes: Integers, weights: Floats) -> None:
        self.shifted, self.codes, self.weights = shift_scores(log_joint), codes, weights / len(codes)
        lengths = np.log(np.maximum(np.abs(log_joint.max(axis=1)), 1e-9))
        self.middle = float(lengths.mean())
        self.lengths = lengths - self.middle
        self.places = np.arange(len(codes))

    def guess(self) -> Floats:
        return np.concatenate([[2.0, 0.8, -5.0], np.zeros(self.shifted.shape[1])])

    def write(self, known: LengthCalibration) -> Floats:
        """The parameters of a calibration that is there already."""
        doubt = max(known.doubt, 1e-8)
        numbers = [np.log(max(known.rate, 1e-12)) + known.growth * self.middle, known.growth, np.log(doubt / (1 - doubt))]
        return np.concatenate([numbers, known.offsets])

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        """And its gradient."""
        doubt, offsets, n_labels = 1 / (1 + np.exp(-parameters[2])), parameters[3:], self.shifted.shape[1]
        hardness = np.exp(parameters[0] + parameters[1] * self.lengths)
        softened = self.shifted / (1 + hardness)[:, None]
        sure = np.exp(normalize_scores(softened + offsets))
        own = sure[self.places, self.codes]
        given = (1 - doubt) * own + doubt / n_labels
        slopes = sure * -((1 - doubt) * own / given * self.weights)[:, None]  # of the log-likelihood, by softened score
        slopes[self.places, self.codes] -= slopes.sum(axis=1)
        by_hardness = -(slopes * softened).sum(axis=1) * hardness / (1 + hardness)
        by_doubt = (self.weights * (1 / n_labels - own) / given).sum() * doubt * (1 - doubt)
        numbers = [by_hardness.sum(), (by_hardness * self.lengths).sum(), by_doubt]
        pull = 1 / len(self.codes)
        gradient = -np.concatenate([numbers, slopes.sum(axis=0) - 2 * pull * offsets])
        return -float((self.weights * np.log(given)).sum() - pull * (offsets**2).sum()), gradient
