"""Invented answers of a system to evaluate: gold and predicted labels, weights, probabilities."""

from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st


class Answers(NamedTuple):
    gold: Any
    predicted: Any
    weights: Any  # None, or one number for each document

    def pick(self, rows: Any) -> "Answers":
        return Answers(self.gold[rows], self.predicted[rows], None if self.weights is None else self.weights[rows])

    def rename(self, names: dict[Any, Any]) -> "Answers":
        gold, predicted = (np.array([names[label] for label in side.tolist()]) for side in self[:2])
        return Answers(gold, predicted, self.weights)


@st.composite
def any_answers(
    draw: st.DrawFn, most_labels: int = 50, weights: tuple[str, ...] = ("none", "whole", "quarters", "any")
) -> Answers:
    """Two to many labels, text or numbers; some that one side never has, and some answers right."""
    n_labels, n = draw(st.integers(2, most_labels)), draw(st.integers(1, 80))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    sides = [rng.integers(0, draw(st.integers(1, n_labels)), n), rng.integers(0, draw(st.integers(1, n_labels)), n)]
    gold, guesses = [sides[k] for k in rng.permutation(2)]
    predicted = np.where(rng.random(n) < draw(st.sampled_from([0.0, 0.3, 0.9, 1.0])), gold, guesses)
    labels = draw(st.sampled_from([spell_labels, number_labels]))(rng.permutation(n_labels))
    return Answers(labels[gold], labels[predicted], draw_weights(rng, n, draw(st.sampled_from(weights))))


def draw_weights(rng: np.random.Generator, n: int, kind: str) -> Any:
    whole = rng.integers(0, 4, n).astype(np.float64)
    whole[rng.integers(n)] = 1.0  # not all zero
    return {"none": None, "whole": whole, "quarters": whole / 4, "any": rng.uniform(0.1, 3, n)}[kind]


def spell_labels(order: Any) -> Any:
    return np.array([f"λ {number}" for number in order])


def number_labels(order: Any) -> Any:
    return order - 3


@st.composite
def forecasts(draw: st.DrawFn, most_labels: int = 12) -> tuple[Any, Any, Any]:
    """Gold places, probabilities (some equal, some 0) and weights."""
    n_labels, n = draw(st.integers(2, most_labels)), draw(st.integers(1, 60))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    gold = rng.integers(0, draw(st.integers(1, n_labels)), n)
    digits = draw(st.sampled_from([0, 1, 17]))
    shares = rng.dirichlet(np.full(n_labels, 0.5), n).round(digits) + (np.arange(n_labels) == 0) * 10.0**-digits
    probabilities = shares / shares.sum(axis=1, keepdims=True)
    return gold, probabilities, draw_weights(rng, n, draw(st.sampled_from(["none", "whole", "any"])))


def invent_probabilities(n: int = 300, seed: int = 0) -> tuple[Any, Any, Any]:
    """Gold places, the most probable ones and probabilities, which are true."""
    rng = np.random.default_rng(seed)
    probabilities = rng.dirichlet([1.0, 1.0, 1.0], n)
    gold = (rng.random((n, 1)) > probabilities.cumsum(axis=1)[:, :2]).sum(axis=1)
    return gold, probabilities.argmax(axis=1), probabilities
