"""Label noise: how many labels look as if they were drawn at random, from the scores of held-out documents.

P(given label) = (1 - doubt) · softmax(factor · size ^ power · score + offset of the label) + doubt / labels.

A document between two labels is explained by the softmax: its probabilities are even. A label that is improbable although the
scores are far apart needs the doubt. Random labels raise the doubt by about their share: exactly, if the softmax is the true
model. The size makes it truer: scores that are sums over terms are too sure for long documents, and a judge that is sure and
wrong looks like a wrong label.
"""

from dataclasses import dataclass, replace

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.intervals import Estimate, check_confidence
from tercet.kernel.calibration.minimizer import minimize

LOWEST = -50.0  # scores below the best label's are cut here, in units of their mean: an impossible label stays finite
STARTS = (-5.0, -2.0)  # log-odds of the doubt: the likelihood may have two maxima
NO_DOUBT, ALL_DOUBT = -16.0, 7.0  # log-odds
FACTOR, POWER, DOUBT, OFFSETS = 0, 1, 2, 3  # the places of the parameters: log factor, power, log-odds of the doubt
TOLERANCE, MOST_STEPS = 1e-6, 500
METHOD = "profile_likelihood"


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """The noise that explains the labels of documents best."""

    loss: "NoiseLoss"
    parameters: Floats

    @classmethod
    def fit(cls, scores: Floats, codes: Integers, sizes: Integers | None = None) -> "LabelNoise":
        """The noise among documents with these labels. Each document counts once.

        `scores` are log-probabilities up to a factor, documents × labels, by a judge that has not learned the document. `codes`
        has the position of each document's label, and `sizes` the number of its terms; without sizes all are equal. Sums go by
        the order of the documents.

        >>> leads = np.linspace(-9, 9, 1000)
        >>> scores, codes = np.column_stack([-leads, leads]), (leads > 0).astype(int)
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        0 [0, 2]
        >>> codes[::10] = 1 - codes[::10]  # 100 wrong labels
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        99 [81, 119]
        """
        loss = NoiseLoss(scores, codes, np.ones(len(codes)) if sizes is None else sizes)
        return cls(loss, min((_minimize(loss, loss.guess(start)) for start in STARTS), key=lambda found: loss(found)[0]))

    @property
    def p_sound(self) -> Floats:
        """The probability that the label of each document is not random."""
        return self.loss.find_sound(self.parameters)

    @property
    def log_proba(self) -> Floats:
        """log P(label | text) without the doubt, documents × labels."""
        return self.loss.judge(self.parameters)

    def count_errors(self, confidence: float = 0.95) -> Estimate:
        """The number of wrong labels. A random label is wrong in (labels - 1) / labels of all cases.

        The interval has all numbers that a likelihood ratio test would not reject, rounded outwards.
        """
        odds = _find_bounds(self.loss, self.parameters, check_confidence(confidence))
        most = self.loss.n_documents * (1 - 1 / self.loss.n_labels)
        low, value, high = (most * _to_share(each) for each in odds)
        return Estimate(float(round(value)), float(np.floor(low)), float(np.ceil(high)), confidence, METHOD)


def enclose(first: Estimate, second: Estimate) -> Estimate:
    """The mean of two estimates of a number, with the smallest interval that has both intervals inside. Halves are rounded up.

    >>> print(f"{enclose(Estimate(4.0, 1.0, 8.0, 0.95, METHOD), Estimate(5.0, 3.0, 9.0, 0.95, METHOD)):.0f}")
    5 [1, 9]
    """
    value = float(np.floor((first.value + second.value + 1) / 2))
    return replace(first, value=value, low=min(first.low, second.low), high=max(first.high, second.high))


class NoiseLoss:
    """The mean of -log P(given label), with a weak pull of the power and of the offsets to 0, and its derivatives."""

    def __init__(self, scores: Floats, codes: Integers, sizes: Floats | Integers) -> None:
        shifted = scores - scores.max(axis=1, keepdims=True)
        is_possible = np.isfinite(shifted)
        unit = -shifted.mean(where=is_possible) or 1.0
        self._scores = np.maximum(np.where(is_possible, shifted / unit, LOWEST), LOWEST)
        log_sizes = np.log(np.maximum(sizes, 1.0))
        self._sizes = log_sizes - log_sizes.mean()
        self._codes, self._documents = codes, np.arange(len(codes))
        self.n_documents, self.n_labels = scores.shape
        self._pull = np.ones(OFFSETS + self.n_labels) / self.n_documents
        self._pull[[FACTOR, DOUBT]] = 0

    def guess(self, odds: float) -> Floats:
        """Parameters to start from, with this log-odds of the doubt."""
        return np.concatenate([[0.0, 0.0, odds], np.zeros(self.n_labels)])

    def bound(self, odds: float | None = None) -> tuple[Floats, Floats]:
        """The lowest and the highest parameters; with `odds` the doubt is fixed."""
        low, high = (NO_DOUBT, ALL_DOUBT) if odds is None else (odds, odds)
        free = np.full(self.n_labels, np.inf)
        return np.concatenate([[-9.0, -1.0, low], -free]), np.concatenate([[9.0, 1.0, high], free])

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        doubt, scaled = _to_share(parameters[DOUBT]), self._scale(parameters)
        by_text = np.exp(_normalize(scaled + parameters[OFFSETS:]))
        own = by_text[self._documents, self._codes]
        given = self._add_doubt(own, doubt)
        # Derivatives of the loss by the scores in the softmax, first for the other labels, then for the given one.
        slopes = by_text * ((1 - doubt) * own / given / self.n_documents)[:, None]
        slopes[self._documents, self._codes] -= slopes.sum(axis=1)
        by_factor = np.einsum("dl,dl->d", scaled, slopes)
        by_doubt = ((own - 1 / self.n_labels) / given).mean() * doubt * (1 - doubt)
        gradient = np.concatenate([[by_factor.sum(), (by_factor * self._sizes).sum(), by_doubt], slopes.sum(axis=0)])
        value = (self._pull * parameters**2).sum() - np.log(given).mean()
        return float(value), gradient + 2 * self._pull * parameters

    def judge(self, parameters: Floats) -> Floats:
        """log P(label | text), documents × labels."""
        return _normalize(self._scale(parameters) + parameters[OFFSETS:])

    def find_sound(self, parameters: Floats) -> Floats:
        """The probability that the label of each document is not random."""
        doubt = _to_share(parameters[DOUBT])
        own = np.exp(self.judge(parameters)[self._documents, self._codes])
        return np.asarray((1 - doubt) * own / self._add_doubt(own, doubt), np.float64)

    def _scale(self, parameters: Floats) -> Floats:
        factors = np.exp(parameters[FACTOR] + parameters[POWER] * self._sizes)
        return np.asarray(factors[:, None] * self._scores, np.float64)

    def _add_doubt(self, own: Floats, doubt: float) -> Floats:
        return np.asarray((1 - doubt) * own + doubt / self.n_labels, np.float64)


def _normalize(scores: Floats) -> Floats:
    """
    >>> np.exp(_normalize(np.array([[800.0, 800.0]])))
    array([[0.5, 0.5]])
    """
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float64)


def _find_bounds(loss: NoiseLoss, best: Floats, confidence: float) -> tuple[float, float, float]:
    """The log-odds of the doubt: the lowest that is not rejected, the best, and the highest that is not rejected."""
    from scipy.optimize import brentq  # on first use: import tercet stays quick
    from scipy.special import chdtri

    odds, least = float(best[DOUBT]), loss(best)[0]
    allowed = np.sqrt(chdtri(1, 1 - confidence) / 2 / loss.n_documents)

    def exceed(fixed: float) -> float:
        # The root is nearly linear in the log-odds, so that few steps find where it is 0.
        return float(np.sqrt(max(loss(_minimize(loss, best, fixed))[0] - least, 0.0)) - allowed)

    def search(step: float, end: float, beyond: float) -> float:
        inside, outside = odds, odds
        while exceed(outside := float(np.clip(outside + step, NO_DOUBT, ALL_DOUBT))) <= 0:
            if outside == end:
                return beyond
            inside, step = outside, 2 * step
        return float(brentq(exceed, inside, outside, xtol=0.01))

    return search(-0.5, NO_DOUBT, -np.inf), odds if odds > NO_DOUBT else -np.inf, search(0.5, ALL_DOUBT, np.inf)


def _minimize(loss: NoiseLoss, start: Floats, odds: float | None = None) -> Floats:
    # That of scipy spends most of its time in threads that wait for each other.
    return minimize(loss, *loss.bound(odds), start, TOLERANCE, MOST_STEPS)


def _to_share(odds: float) -> float:
    """
    >>> _to_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-odds)))
