"""Whether what is said with 80 % confidence is right in 80 % of the cases."""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.evaluation.margins import divide
from tercet.evaluation.probabilities import Forecast
from tercet.options import check_count


@dataclass(frozen=True, eq=False)
class Reliability:
    """Documents by the probability of their most probable label, in bins of equal width; NaN in an empty bin."""

    edges: Floats  # of the bins: (0, 0.1], (0.1, 0.2] …
    counts: Floats  # documents in each, or their weights
    confidence: Floats  # mean probability of the most probable label
    accuracy: Floats  # how often that was right


def reliability_table(forecast: Forecast, n_bins: int = 10) -> Reliability:
    """
    >>> reliability_table(Forecast.of(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), n_bins=2).accuracy.round(2)
    array([ nan, 0.67])
    """
    bins, confidence, is_right = bin_documents(forecast, n_bins)
    counts, confident, right = (
        np.bincount(bins, forecast.weights * values, minlength=n_bins).astype(np.float64)
        for values in (np.ones(len(bins)), confidence, is_right)
    )
    return Reliability(np.linspace(0, 1, n_bins + 1), counts, divide(confident, counts), divide(right, counts))


def calibration_error(forecast: Forecast, weights: Floats | None = None, *, n_bins: int = 10) -> Floats:
    """Expected calibration error: the mean over documents of |accuracy - mean confidence| of their bin.

    It depends on the number of bins, and is above 0 for small samples even if all is well.

    >>> float(calibration_error(Forecast.of(["a", "b", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]), n_bins=2).round(3))
    0.1
    """
    weights = forecast.weights if weights is None else weights
    bins, confidence, is_right = bin_documents(forecast, n_bins)
    # Documents of a bin side by side, so that any number of resamples is summed at once.
    order = np.argsort(bins, kind="stable")
    starts = np.flatnonzero(np.diff(bins[order], prepend=-1))
    gaps = np.add.reduceat((weights * (is_right - confidence))[..., order], starts, axis=-1)
    return divide(np.abs(gaps).sum(axis=-1), weights.sum(axis=-1))


def bin_documents(forecast: Forecast, n_bins: int) -> tuple[Integers, Floats, Floats]:
    """The bin of each document, its confidence, and 1 where the most probable label (the first of several) is right."""
    check_count("n_bins", n_bins)
    predicted = forecast.probabilities.argmax(axis=1)
    confidence = forecast.probabilities[np.arange(len(predicted)), predicted]
    inner = np.linspace(0, 1, n_bins + 1)[1:-1]
    return np.searchsorted(inner, confidence), confidence, (predicted == forecast.gold).astype(np.float64)
