"""Label noise: how many labels look as if they were drawn at random, from probabilities of held-out documents.

P(given label) = (1 - doubt) · softmax(Σ factor · log-probability of a judge + offset of the label) + doubt / labels.

A document between two labels is explained by the softmax: its probabilities are even. A label that is improbable although the
judges are sure needs the doubt. Random labels raise the doubt by about their share: exactly, if the softmax is the true model.
"""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.intervals import Estimate, check_confidence

LOWEST = -50.0  # log-probabilities below the best label's are cut here: an impossible label stays finite
STARTS = (-5.0, -2.0)  # log-odds of the doubt: the likelihood may have two maxima
NO_DOUBT, ALL_DOUBT = -16.0, 7.0  # log-odds
METHOD = "profile_likelihood"


@dataclass(frozen=True, eq=False)
class LabelNoise:
    """The number of wrong labels, and for each document the probability that its label is not random."""

    n_errors: Estimate
    p_sound: Floats


def estimate_noise(log_proba: Floats, codes: Integers, confidence: float = 0.95) -> LabelNoise:
    """The noise among documents with these labels. Each document counts once.

    `log_proba` has the log-probabilities of held-out documents by one or more judges, judges × documents × labels, and `codes`
    the position of each document's label. A random label is wrong in (labels - 1) / labels of all cases. The interval has all
    numbers that a likelihood ratio test would not reject, rounded outwards. Sums go by the order of the documents.

    >>> leads = np.linspace(-9, 9, 1000)
    >>> log_proba = -np.logaddexp(0, np.column_stack([leads, -leads]))
    >>> codes = (leads > 0).astype(int)
    >>> print(f"{estimate_noise(log_proba[None], codes).n_errors:.0f}")
    0 [0, 2]
    >>> codes[::10] = 1 - codes[::10]  # 100 wrong labels
    >>> print(f"{estimate_noise(log_proba[None], codes).n_errors:.0f}")
    99 [81, 119]
    """
    check_confidence(confidence)
    loss = NoiseLoss(log_proba, codes)
    best = min((_minimize(loss, loss.guess(start)) for start in STARTS), key=lambda found: loss(found)[0])
    share = (log_proba.shape[2] - 1) / log_proba.shape[2]
    low, value, high = (len(codes) * share * _to_share(odds) for odds in _find_bounds(loss, best, confidence))
    n_errors = Estimate(float(round(value)), float(np.floor(low)), float(np.ceil(high)), confidence, METHOD)
    return LabelNoise(n_errors, loss.find_sound(best))


class NoiseLoss:
    """The mean of -log P(given label), with a weak pull of the offsets to 0, and its derivatives.

    The parameters are the factors of the judges, the log-odds of the doubt, and the offsets of the labels.
    """

    def __init__(self, log_proba: Floats, codes: Integers) -> None:
        shifted = log_proba - log_proba.max(axis=2, keepdims=True)
        self._judges, self._codes, self._documents = np.maximum(shifted, LOWEST), codes, np.arange(len(codes))
        self.n_judges, self.n_documents, self._n_labels = log_proba.shape

    def guess(self, odds: float) -> Floats:
        """Parameters to start from: the mean of the judges, and this log-odds of the doubt."""
        factors = np.full(self.n_judges, 1 / self.n_judges)
        return np.concatenate([factors, [odds], np.zeros(self._n_labels)])

    def bound(self, odds: float | None = None) -> list[tuple[float | None, float | None]]:
        """The bounds of the parameters; with `odds` the doubt is fixed."""
        doubt = (NO_DOUBT, ALL_DOUBT) if odds is None else (odds, odds)
        return [(0.0, None)] * self.n_judges + [doubt] + [(None, None)] * self._n_labels

    def __call__(self, parameters: Floats) -> tuple[float, Floats]:
        doubt, offsets = self._find_doubt(parameters), parameters[self.n_judges + 1 :]
        by_text = self._judge(parameters)
        own = by_text[self._documents, self._codes]
        given = self._add_doubt(own, doubt)
        # Derivatives of the loss by the scores in the softmax.
        slopes = by_text * ((1 - doubt) * own / given / self.n_documents)[:, None]
        slopes[self._documents, self._codes] -= slopes.sum(axis=1)
        by_factors = np.einsum("jdl,dl->j", self._judges, slopes)
        by_doubt = ((own - 1 / self._n_labels) / given).mean() * doubt * (1 - doubt)
        by_offsets = slopes.sum(axis=0) + 2 * offsets / self.n_documents
        value = (offsets**2).sum() / self.n_documents - np.log(given).mean()
        return float(value), np.concatenate([by_factors, [by_doubt], by_offsets])

    def find_sound(self, parameters: Floats) -> Floats:
        """The probability that the label of each document is not random."""
        doubt = self._find_doubt(parameters)
        own = self._judge(parameters)[self._documents, self._codes]
        return np.asarray((1 - doubt) * own / self._add_doubt(own, doubt), np.float64)

    def _find_doubt(self, parameters: Floats) -> float:
        return _to_share(float(parameters[self.n_judges]))

    def _judge(self, parameters: Floats) -> Floats:
        """P(label | text), documents × labels."""
        factors, offsets = parameters[: self.n_judges], parameters[self.n_judges + 1 :]
        scores = np.einsum("j,jdl->dl", factors, self._judges) + offsets
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float64)

    def _add_doubt(self, own: Floats, doubt: float) -> Floats:
        return np.asarray((1 - doubt) * own + doubt / self._n_labels, np.float64)


def _find_bounds(loss: NoiseLoss, best: Floats, confidence: float) -> tuple[float, float, float]:
    """The log-odds of the doubt: the lowest that is not rejected, the best, and the highest that is not rejected."""
    from scipy.optimize import brentq  # on first use: import tercet stays quick
    from scipy.special import chdtri

    odds, most = float(best[loss.n_judges]), loss(best)[0] + chdtri(1, 1 - confidence) / 2 / loss.n_documents

    def exceed(fixed: float) -> float:
        return float(loss(_minimize(loss, best, fixed))[0] - most)

    def search(end: float, beyond: float) -> float:
        return float(brentq(exceed, odds, end, xtol=0.01)) if exceed(end) > 0 else beyond

    return search(NO_DOUBT, -np.inf), odds if odds > NO_DOUBT else -np.inf, search(ALL_DOUBT, np.inf)


def _minimize(loss: NoiseLoss, start: Floats, odds: float | None = None) -> Floats:
    from scipy.optimize import minimize

    begin = start.copy()
    if odds is not None:
        begin[loss.n_judges] = odds
    return np.asarray(minimize(loss, begin, jac=True, method="L-BFGS-B", bounds=loss.bound(odds)).x, np.float64)


def _to_share(odds: float) -> float:
    """
    >>> _to_share(0.0)
    0.5
    """
    return float(1 / (1 + np.exp(-odds)))
