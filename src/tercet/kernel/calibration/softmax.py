"""The softmax of weighted scores: P(label k) ∝ exp(Σ aₘ Sₘₖ + Σ Sₘⱼ Dₘⱼₖ + bₖ), where member m gives a document the scores Sₘ.

With one member it is Platt scaling, and without b it is one temperature. With several members it is a stack.
"""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import expect, expect_below
from tercet.kernel.calibration.minimizer import minimize


def normalize_scores(scores: Floats) -> Floats:
    """Scores of the labels → their log-probabilities, row by row. They are shifted first: exp(−1200) alone would be 0."""
    expect(scores.shape[1] > 0, "no labels")
    shifted = scores - scores.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)), np.float64)


@dataclass(frozen=True)
class Pulls:
    """Penalties, in parts of the mean loss. They keep every number finite, and make the minimum unique."""

    spread: float = 0.0  # · Σ (aₘ − mean a)²
    total: float = 0.0  # · (Σ a)²
    factor: float = 0.0  # · log(a / even)², for one member
    even: float = 1.0
    offsets: float = 0.0  # · ‖b‖²
    mix: float = 0.0  # · ‖D‖²


class SoftmaxLoss:
    """The mean of −Σ target · log P over documents, and its derivatives by a, b and D.

    `rows` are documents × members × labels. `targets` has the probability that a document of each label should get for it; the
    other labels share the rest.
    """

    def __init__(self, rows: Floats, codes: Integers, weights: Floats, targets: Floats, pulls: Pulls, has_mix: bool) -> None:
        self._rows, self._shares, self._pulls = rows, weights / weights.sum(), pulls
        n_documents, self.n_members, self.n_labels = rows.shape
        rest = (1 - targets[codes]) / max(1, self.n_labels - 1)
        self._targets = np.repeat(rest[:, None], self.n_labels, axis=1)
        self._targets[np.arange(n_documents), codes] = targets[codes]
        self.n_parameters = self.n_members + self.n_labels + has_mix * self.n_members * self.n_labels**2

    def split(self, at: Floats) -> tuple[Floats, Floats, Floats]:
        """Factors, offsets and the mix, which is empty if it is not asked for."""
        factors, offsets, mix = np.split(at, [self.n_members, self.n_members + self.n_labels])
        return factors, offsets, mix.reshape(-1, self.n_labels, self.n_labels)

    def __call__(self, at: Floats) -> tuple[float, Floats]:
        factors, offsets, mix = self.split(at)
        sums = (self._rows * factors[:, None]).sum(axis=1) + offsets
        if mix.size:
            sums += np.einsum("imj,mjk->ik", self._rows, mix)
        most = sums.max(axis=1, keepdims=True)
        log_proba = sums - most - np.log(np.exp(sums - most).sum(axis=1, keepdims=True))
        slopes = (np.exp(log_proba) - self._targets) * self._shares[:, None]
        gradient = np.concatenate([(self._rows * slopes[:, None]).sum(axis=(0, 2)), slopes.sum(axis=0)])
        if mix.size:
            gradient = np.append(gradient, np.einsum("imj,ik->mjk", self._rows, slopes))
        loss = -float((self._shares[:, None] * np.where(self._targets > 0, self._targets * log_proba, 0.0)).sum())
        penalty, by_penalty = self._pull(at)
        return loss + penalty, gradient + by_penalty

    def _pull(self, at: Floats) -> tuple[float, Floats]:
        factors, offsets, mix = self.split(at)
        pulls, beside, total = self._pulls, factors - factors.mean(), factors.sum()
        value = pulls.spread * (beside**2).sum() + pulls.total * total**2
        by_factors = 2 * pulls.spread * beside + 2 * pulls.total * total
        if pulls.factor:
            size = np.log(factors / pulls.even)
            value += pulls.factor * (size**2).sum()
            by_factors = by_factors + 2 * pulls.factor * size / factors
        value += pulls.offsets * (offsets**2).sum() + pulls.mix * (mix**2).sum()
        return float(value), np.concatenate([by_factors, 2 * pulls.offsets * offsets, 2 * pulls.mix * mix.ravel()])


def shift_scores(scores: Floats) -> Floats:
    """Scores of one member: the best score of each document is 0, and no score is below −10⁶."""
    return np.asarray(np.maximum(scores - scores.max(axis=1, keepdims=True), -1e6), np.float64)


def find_spread(shifted: Floats) -> float:
    """The mean distance of the scores from the best score. In units of it, factor and offsets have similar sizes."""
    spread = float(-shifted.mean())
    return spread if spread > 1e-9 else 1.0


def fit_temperature(scores: Floats, codes: Integers, weights: Floats) -> float:
    """The factor of all scores with the best likelihood. A weak pull to 1 prevents extreme factors if documents are few."""
    expect_scores(scores[None], codes, weights)
    shifted, n_labels = shift_scores(scores), scores.shape[1]
    scale = find_spread(shifted)
    pulls = Pulls(factor=0.5 / np.count_nonzero(weights), even=scale)
    loss = SoftmaxLoss(shifted[:, None] / scale, codes, weights, np.ones(n_labels), pulls, False)
    none = np.zeros(n_labels)
    lower, upper = np.append(1e-6 * scale, none), np.append(100 * scale, none)
    return float(minimize(loss, lower, upper, np.append(1.0, none), 1e-9, 500)[0] / scale)


def fit_platt(scores: Floats, codes: Integers, weights: Floats) -> tuple[float, Floats]:
    """Platt scaling: a factor above 0, and offsets with mean 0. The target of a label with n documents is (n + 1) / (n + 2)."""
    expect_scores(scores[None], codes, weights)
    shifted, n_labels = shift_scores(scores), scores.shape[1]
    scale, own = find_spread(shifted), np.bincount(codes, weights, n_labels)
    targets = (own + 1) / (own + 2) if n_labels > 1 else np.ones(1)
    loss = SoftmaxLoss(shifted[:, None] / scale, codes, weights, targets, Pulls(), False)
    no_bound = np.full(n_labels, np.inf)
    lower, upper = np.append(1e-6, -no_bound), np.append(np.inf, no_bound)
    found = minimize(loss, lower, upper, np.append(1.0, np.zeros(n_labels)), 1e-9, 500)
    return float(found[0] / scale), found[1:] - found[1:].mean()


def standardize_scores(scores: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Scores of a stack, documents × members × labels, and the standard deviation of each member, by which they are divided.

    The scores of a document have the mean 0. −inf counts as the lowest finite score of the document by this member, minus 1.
    """
    lowest = np.where(np.isneginf(scores), np.inf, scores).min(axis=2, keepdims=True)
    lowest[np.isposinf(lowest)] = 1.0  # no label is possible: all scores are equal
    floored = np.where(np.isneginf(scores), lowest - 1, scores)
    centred = floored - floored.mean(axis=2, keepdims=True)
    squares = ((centred**2).mean(axis=2) * weights).sum(axis=1) / weights.sum()
    deviations = np.maximum(np.sqrt(squares), 1e-9)
    return np.ascontiguousarray((centred / deviations[:, None, None]).transpose(1, 0, 2)), deviations


def fit_stack(scores: Floats, codes: Integers, weights: Floats, has_mix: bool) -> tuple[Floats, Floats, Floats]:
    """The weights a ≥ 0 of the members, the offsets b of the labels and, with a mix, D, at the minimum of the mean log-loss.

    Fewer than a hundred documents tell little about single members and labels, so these are pulled together more strongly.
    """
    expect_scores(scores, codes, weights)
    rows, deviations = standardize_scores(scores, weights)
    n, n_members = np.count_nonzero(weights), len(scores)
    ridge = 1e-3 + 100 / n**2
    pulls = Pulls(spread=ridge, total=0.05 / n, offsets=ridge, mix=30 / n)
    loss = SoftmaxLoss(rows, codes, weights, np.ones(scores.shape[2]), pulls, has_mix)
    first, lower = np.zeros(loss.n_parameters), np.full(loss.n_parameters, -np.inf)
    first[:n_members], lower[:n_members] = 2 / n_members, 0.0
    tol, max_steps = (1e-5, 200) if has_mix else (1e-7, 500)
    factors, offsets, mix = loss.split(minimize(loss, lower, np.full_like(first, np.inf), first, tol, max_steps))
    return factors / deviations, offsets, (mix / deviations[:, None, None] if has_mix else mix).ravel()


def expect_scores(scores: Floats, codes: Integers, weights: Floats) -> None:
    """`scores` are members × documents × labels."""
    _, n_documents, n_labels = scores.shape
    expect(scores.size > 0, "no scores")
    expect(len(codes) == len(weights) == n_documents, "each document needs a label and a weight")
    expect_below(codes, n_labels, "no such label")
    expect(bool((np.isfinite(weights) & (weights >= 0)).all()), "weights must be finite and >= 0")
    expect(0 < float(weights.sum()) < np.inf, "no document has a weight")
    expect(bool((scores < np.inf).all()), "scores must be numbers below infinity")
