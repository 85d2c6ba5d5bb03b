"""Calibration by length: P(label) = (1 − doubt) · softmax(score / (1 + rate · length ^ growth) + offset) + doubt / labels.

The length of a document is |its best score|, which grows with the number of its terms.
"""

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect
from tercet.kernel.calibration.minimizer import minimize
from tercet.kernel.calibration.softmax import expect_scores, normalize_scores, shift_scores


def calibrate_by_length(scores: Floats, rate: float, growth: float, doubt: float, offsets: Floats) -> Floats:
    """Scores of the labels → their log-probabilities, row by row. A label whose score is −∞ stays impossible."""
    expect(len(offsets) == scores.shape[1], "each label needs an offset")
    expect(scores.shape[1] > 0, "no labels")
    best = scores.max(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        hardness = np.minimum(1 + rate * np.abs(best) ** growth, np.finfo(np.float64).max)
    without_doubt = normalize_scores((scores - best) / hardness + offsets)
    if doubt == 0:
        return without_doubt
    is_possible = np.isfinite(scores)
    even = np.log(doubt / is_possible.sum(axis=1, keepdims=True))
    return np.where(is_possible, np.logaddexp(without_doubt + np.log1p(-doubt), even), -np.inf)


class LengthLoss:
    """The mean of −log P(own label), with a pull of the offsets to 0, and its derivatives.

    The parameters are the logarithm of the rate at the mean length, the growth, the log-odds of the doubt, and the offsets.
    """

    def __init__(self, scores: Floats, codes: Integers, weights: Floats) -> None:
        self._shifted, self._codes, self._shares = shift_scores(scores), codes, weights / weights.sum()
        lengths = np.log(np.maximum(np.abs(scores.max(axis=1)), 1e-9))
        self.middle = float(lengths.mean())
        self._lengths = lengths - self.middle
        self._documents = np.arange(len(codes))

    def guess(self) -> Floats:
        return np.concatenate([[2.0, 0.8, -5.0], np.zeros(self._shifted.shape[1])])

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        doubt, offsets, n_labels = 1 / (1 + np.exp(-parameters[2])), parameters[3:], self._shifted.shape[1]
        hardness = np.exp(parameters[0] + parameters[1] * self._lengths)
        softened = self._shifted / (1 + hardness)[:, None]
        powers = np.exp(softened + offsets - (softened + offsets).max(axis=1, keepdims=True))
        without_doubt = powers / powers.sum(axis=1, keepdims=True)
        own = without_doubt[self._documents, self._codes]
        given = (1 - doubt) * own + doubt / n_labels
        # Derivatives of the loss by the softened scores.
        slopes = without_doubt * ((1 - doubt) * own / given * self._shares)[:, None]
        slopes[self._documents, self._codes] -= slopes.sum(axis=1)
        by_hardness = -(slopes * softened).sum(axis=1) * hardness / (1 + hardness)
        by_doubt = -(self._shares * (1 / n_labels - own) / given).sum() * doubt * (1 - doubt)
        numbers = [by_hardness.sum(), (by_hardness * self._lengths).sum(), by_doubt]
        pull = 1 / len(self._codes)
        gradient = np.concatenate([numbers, slopes.sum(axis=0) + 2 * pull * offsets])
        return float(pull * (offsets**2).sum() - (self._shares * np.log(given)).sum()), gradient


def fit_length(scores: Floats, codes: Integers, weights: Floats) -> tuple[float, float, float, Floats]:
    """Rate, growth, doubt and offsets, which are all 0 if they gain less than chance would (Bayesian information criterion)."""
    expect_scores(scores[None], codes, weights)
    loss, (n, n_labels) = LengthLoss(scores, codes, weights), scores.shape
    lower, upper = np.array([-30.0, 0.0, -20.0]), np.array([30.0, 3.0, 0.0])
    none, no_bound = np.zeros(n_labels), np.full(n_labels, np.inf)
    plain = minimize(loss, np.append(lower, none), np.append(upper, none), loss.guess(), 1e-6, 500)
    shifted = minimize(loss, np.append(lower, -no_bound), np.append(upper, no_bound), plain, 1e-6, 500)
    gain = n * (loss(plain)[0] - loss(shifted)[0])
    best = shifted if gain > (n_labels - 1) * np.log(n) / 2 else plain
    rate, doubt = np.exp(best[0] - best[1] * loss.middle), 1 / (1 + np.exp(-best[2]))
    return float(rate), float(best[1]), float(doubt), best[3:] - best[3:].mean()
