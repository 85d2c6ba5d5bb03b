"""Which calibration? And what it says of documents that it was not fitted to."""

from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.models.calibration import WAYS, Calibration, fit_calibration

FOLDS = 5
FEWEST = 50  # documents, and 10 for each label: with fewer, one number is all they can tell


class CrossFitted(NamedTuple):
    """A calibration, and for each fold the one that the others alone would give."""

    calibration: Calibration
    without: tuple[Calibration, ...]
    log_proba: Floats  # of each document, by the one without it

    def apply(self, log_joint: Floats, folds: Integers) -> Floats:
        """By the calibration without the fold of each document; -1 stands for one that none was fitted to."""
        log_proba = np.empty_like(log_joint)
        for fold in np.flatnonzero(np.bincount(folds + 1, minlength=1)) - 1:
            those = folds == fold
            log_proba[those] = (self.calibration if fold < 0 else self.without[fold]).apply(log_joint[those])
        return log_proba


def deal_folds(n: int) -> Integers:
    """Documents in turn, which depends on their order: give it one that means something."""
    return np.arange(n) % FOLDS


def cross_fit(
    log_joint: Floats, codes: Integers, way: str, weights: Floats | None = None, folds: Integers | None = None
) -> CrossFitted:
    """One of the ways, or with "auto" the one that gives the own labels of the left-out folds the best log-probability."""
    folds = deal_folds(len(codes)) if folds is None else folds
    if way != "auto":
        return _cross_fit(log_joint, codes, way, weights, folds)
    n_labels = log_joint.shape[1]
    is_rich = n_labels > 1 and len(codes) >= max(FEWEST, 10 * n_labels)
    fitted = [_cross_fit(log_joint, codes, each, weights, folds) for each in (WAYS if is_rich else WAYS[:1])]
    losses = [measure_loss(each.log_proba, codes, weights) for each in fitted]
    return fitted[int(np.argmin(losses))]


def _cross_fit(log_joint: Floats, codes: Integers, way: str, weights: Floats | None, folds: Integers) -> CrossFitted:
    whole = fit_calibration(log_joint, codes, way, weights)
    is_usable = np.isfinite(log_joint[np.arange(len(codes)), codes])
    without = []
    for fold in range(int(folds.max()) + 1):
        rest = folds != fold
        heavy = None if weights is None else weights[rest]
        can_fit = (is_usable[rest] if heavy is None else is_usable[rest] & (heavy > 0)).any()
        without.append(fit_calibration(log_joint[rest], codes[rest], way, heavy, start=whole) if can_fit else whole)
    fitted = CrossFitted(whole, tuple(without), log_joint)
    return fitted._replace(log_proba=fitted.apply(log_joint, folds))


def measure_loss(log_proba: Floats, codes: Integers, weights: Floats | None = None) -> float:
    """The mean of -log P(own label); a label that is impossible is nobody's fault here, and passed over."""
    own = log_proba[np.arange(len(codes)), codes]
    usable = np.isfinite(own)
    heavy = None if weights is None else weights[usable]
    return float(-np.average(own[usable], weights=heavy)) if usable.any() and (heavy is None or heavy.any()) else np.inf
