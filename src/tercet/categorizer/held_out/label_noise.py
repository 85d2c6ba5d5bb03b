"""The label noise: how many labels look as if they were drawn at random, from the scores of held-out documents.

    P(given label) = (1 - doubt) · softmax(factor · size ^ power · score + offset of the label) + doubt / labels

A document between two labels is explained by the softmax: its probabilities are even. A label that is improbable although the
scores are far apart needs the doubt. Random labels raise the doubt by about their share: exactly, if the softmax is the true
model. The size makes it truer: scores that are sums over terms are too sure for long documents, and a judge that is sure and
wrong looks like a wrong label.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.intervals import Estimate
from tercet.kernel.calibration.minimizer import minimize

CONFIDENCE = 0.95
QUANTILE = 3.8414588206941236  # of chi-squared with one degree of freedom, at this confidence
MIN_SCORE = -50.0  # scores below the best label's are cut here, in units of their mean: an impossible label stays finite
STARTS = (-5.0, -2.0)  # log-odds of the doubt: the likelihood may have two maxima
NO_DOUBT, ALL_DOUBT = -16.0, 7.0  # log-odds
FACTOR, POWER, DOUBT, OFFSETS = 0, 1, 2, 3  # the indices of the parameters: log factor, power, log-odds of the doubt
TOLERANCE, MAX_STEPS = 1e-6, 500
METHOD = "profile_likelihood"
N_LISTED = 16  # labels of each document that are compared if there are very many


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """The noise that explains the labels of documents best."""

    loss: "NoiseLoss"
    parameters: Floats

    @classmethod
    def fit(cls, scores: Floats, codes: Integers, sizes: Integers | None = None, n_labels: int | None = None) -> "LabelNoise":
        """The noise among documents with these labels. Each document counts once.

        `scores` are log-probabilities up to a factor, documents × labels, by a judge that has not learned the document. `codes`
        has the position of each document's label, and `sizes` the number of its terms; without sizes all are equal. Sums go by
        the order of the documents. With `n_labels`, the columns are the best of so many labels, others in each row.

        >>> leads = np.linspace(-9, 9, 1000)
        >>> scores, codes = np.column_stack([-leads, leads]), (leads > 0).astype(int)
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        0 [0, 2]
        >>> codes[::10] = 1 - codes[::10]  # 100 wrong labels
        >>> print(f"{LabelNoise.fit(scores, codes).count_errors():.0f}")
        99 [81, 119]
        """
        loss = NoiseLoss(scores, codes, np.ones(len(codes)) if sizes is None else sizes, n_labels)
        return cls(loss, min((_minimize(loss, loss.guess(start)) for start in STARTS), key=lambda found: loss(found)[0]))

    @property
    def p_sound(self) -> Floats:
        """The probability that the label of each document is not random."""
        return self.loss.compute_soundness(self.parameters)

    @property
    def log_proba(self) -> Floats:
        """log P(label | text) without the doubt, documents × labels."""
        return self.loss.judge(self.parameters)

    def limit_errors(self) -> float:
        """The share of wrong labels that is not exceeded, with a confidence of 95 %; about the end of `count_errors`."""
        return _to_share(_find_highest(self.loss, self.parameters)) * (1 - 1 / self.loss.n_labels)

    def count_errors(self) -> Estimate:
        """The number of wrong labels, with an interval of 95 %. A random label is wrong in (labels - 1) / labels of all cases.

        The interval has all numbers that a likelihood ratio test would not reject, rounded outwards.
        """
        odds = _compute_bounds(self.loss, self.parameters, CONFIDENCE)
        most = self.loss.n_documents * (1 - 1 / self.loss.n_labels)
        low, value, high = (most * _to_share(each) for each in odds)
        return Estimate(float(round(value)), float(np.floor(low)), float(np.ceil(high)), CONFIDENCE, METHOD)


class NoiseLoss:
    """The mean of -log P(given label), with a weak pull of the power and of the offsets to 0, and its derivatives."""

    def __init__(self, scores: Floats, codes: Integers, sizes: Floats | Integers, n_labels: int | None = None) -> None:
        shifted = scores - scores.max(axis=1, keepdims=True)
        is_possible = np.isfinite(shifted)
        unit = -shifted.mean(where=is_possible) or 1.0
        self._scores = np.maximum(np.where(is_possible, shifted / unit, MIN_SCORE), MIN_SCORE)
        log_sizes = np.log(np.maximum(sizes, 1.0))
        self._sizes = log_sizes - log_sizes.mean()
        self._codes, self._documents = codes, np.arange(len(codes))
        self.n_documents, self._n_columns = scores.shape
        self.n_labels = self._n_columns if n_labels is None else n_labels
        self._has_offsets = n_labels is None  # a column is then one label
        self._pull = np.ones(OFFSETS + self._n_columns) / self.n_documents
        self._pull[[FACTOR, DOUBT]] = 0

    def guess(self, odds: float) -> Floats:
        """Parameters to start from, with this log-odds of the doubt."""
        return np.concatenate([[0.0, 0.0, odds], np.zeros(self._n_columns)])

    def bound(self, odds: float | None = None) -> tuple[Floats, Floats]:
        """The lowest and the highest parameters; with `odds` the doubt is fixed."""
        low, high = (NO_DOUBT, ALL_DOUBT) if odds is None else (odds, odds)
        free = np.full(self._n_columns, np.inf if self._has_offsets else 0.0)
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

    def compute_soundness(self, parameters: Floats) -> Floats:
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


def _find_highest(loss: NoiseLoss, best: Floats) -> float:
    """The highest log-odds of the doubt that is not rejected, a little too high. Without scipy, whose import takes long."""
    odds, least, allowed = float(best[DOUBT]), loss(best)[0], QUANTILE / 2 / loss.n_documents
    inside, outside, step = odds, min(odds + 0.5, ALL_DOUBT), 0.5

    def is_rejected(fixed: float) -> bool:
        return bool(loss(_minimize(loss, best, fixed))[0] - least > allowed)

    while not is_rejected(outside):
        if outside == ALL_DOUBT:
            return np.inf
        inside, step = outside, 2 * step
        outside = min(outside + step, ALL_DOUBT)
    while outside - inside > 0.1:
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_rejected(middle) else (middle, outside)
    return outside


def _compute_bounds(loss: NoiseLoss, best: Floats, confidence: float) -> tuple[float, float, float]:
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
    return minimize(loss, *loss.bound(odds), start, TOLERANCE, MAX_STEPS)


def _to_share(odds: float) -> float:
    """
    >>> _to_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-odds)))


class ListedLabels(NamedTuple):
    """The most probable labels of each document, its own among them: documents × N_LISTED."""

    labels: Integers
    scores: Floats
    own: Integers  # the column of the document's own label

    @classmethod
    def of(cls, scores: Floats, codes: Integers) -> "ListedLabels":
        """From scores, documents × labels, and the documents' own labels.

        >>> listed = ListedLabels.of(np.log([[0.2] + [0.04] * 20]), codes=np.array([20]))
        >>> listed.labels.shape, int(listed.labels[0, listed.own[0]])
        ((1, 16), 20)
        """
        best = np.sort(np.argpartition(-scores, N_LISTED - 1, axis=1)[:, :N_LISTED], axis=1)
        is_own = best == codes[:, None]
        worst = np.take_along_axis(scores, best, axis=1).argmin(axis=1)
        own = np.where(is_own.any(axis=1), is_own.argmax(axis=1), worst)
        best[np.arange(len(codes)), own] = codes
        return cls(best, np.take_along_axis(scores, best, axis=1), own)
