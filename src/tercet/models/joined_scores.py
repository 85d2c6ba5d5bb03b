"""Two models in one: score = a · scores of the first + b · scores of the second, with a, b ≥ 0 fitted to held-out documents.

    minimise  Σ -log P(label | document) + strength · ((a - a₀)² + (b - b₀)²),    P ∝ exp(score)

The scores of each document count from their mean. The pull to (a₀, b₀) weighs as much as so many documents: with few documents
it decides, and with many it hardly matters. The free size of a and b makes the probabilities calibrated.
"""

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.models.calibration import round_all
from tercet.models.classifier import normalize_scores
from tercet.models.stack import centre_scores

STRENGTH = 3.0
MAX_STEPS = 50
TOLERANCE = 1e-10


def join_scores(first: Floats, second: Floats, weights: Floats) -> Floats:
    """log P(label | document), documents × labels.

    >>> join_scores(np.array([[0.0, 1.0]]), np.array([[0.0, 3.0]]), np.array([1.0, 0.0])).round(3)
    array([[-1.313, -0.313]])
    """
    return normalize_scores(weights[0] * centre_scores(first) + weights[1] * centre_scores(second))


def fit_joint_weights(
    first: Floats, second: Floats, codes: Integers, sizes: Floats, usual: Floats, strength: float = STRENGTH
) -> Floats:
    """(a, b) for held-out scores, documents × labels. `sizes` are the weights of the documents, and `usual` is (a₀, b₀).

    `strength` is the number of documents that weigh as much as the pull.

    >>> codes = np.arange(40) % 2
    >>> right = np.where(codes[:, None] == np.arange(2), 1.0, 0.0)
    >>> fit_joint_weights(right, 1 - right, codes, np.ones(40), np.array([0.3, 1.0])).round(1)
    array([1.5, 0. ])
    """
    scores = np.stack([centre_scores(first), centre_scores(second)])
    at = usual.copy()
    value, slope, curve = _measure(scores, codes, sizes, usual, strength, at)
    for _ in range(MAX_STEPS):
        step = _find_step(at, slope, curve)
        size = 1.0
        while (found := _measure(scores, codes, sizes, usual, strength, at + size * step))[0] > value and size > TOLERANCE:
            size /= 2
        is_over = value - found[0] <= TOLERANCE * (1 + abs(value))
        if found[0] <= value:
            at, (value, slope, curve) = at + size * step, found
        if is_over:
            break
    return round_all(at)


def _find_step(at: Floats, slope: Floats, curve: Floats) -> Floats:
    """Newton's step, which ends at 0: a weight that is 0 and would become negative stays 0."""
    is_free = (at > 0) | (slope < 0)
    step = np.zeros(2)
    if is_free.all():
        determinant = curve[0, 0] * curve[1, 1] - curve[0, 1] ** 2
        step[0] = -(curve[1, 1] * slope[0] - curve[0, 1] * slope[1]) / determinant
        step[1] = -(curve[0, 0] * slope[1] - curve[0, 1] * slope[0]) / determinant
    else:
        step[is_free] = -slope[is_free] / np.diag(curve)[is_free]
    return np.maximum(at + step, 0.0) - at


def _measure(
    scores: Floats, codes: Integers, sizes: Floats, usual: Floats, strength: float, at: Floats
) -> tuple[float, Floats, Floats]:
    """The sum that is minimised, its slope and its curvature."""
    log_proba = normalize_scores(at[0] * scores[0] + at[1] * scores[1])
    proba, rows = np.exp(log_proba), np.arange(len(codes))
    value = float(-(sizes * log_proba[rows, codes]).sum() + strength * ((at - usual) ** 2).sum())
    means = (proba * scores).sum(axis=2)
    slope = (sizes * (means - scores[:, rows, codes])).sum(axis=1) + 2 * strength * (at - usual)
    beside = scores - means[:, :, None]
    curve = np.array([[(sizes[:, None] * proba * beside[i] * beside[j]).sum() for j in (0, 1)] for i in (0, 1)])
    return value, slope, curve + 2 * strength * np.eye(2)
