"""Scores that are too sure, with labels drawn by the true probabilities."""

from typing import Any

import numpy as np
import numpy.typing as npt


def draw_scores(n: int, n_labels: int, seed: int = 0, factor: float = 0.1) -> tuple[npt.NDArray[np.float64], Any]:
    """Scores that are 1 / factor times too sure, and labels drawn by the true probabilities."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=(n, n_labels)) * 1.5
    shares = np.exp(true) / np.exp(true).sum(axis=1, keepdims=True)
    codes = (rng.random(n)[:, None] > shares.cumsum(axis=1)).sum(axis=1)
    return true / factor - 300.0, codes


def draw_long_texts(n: int, seed: int = 0) -> tuple[npt.NDArray[np.float64], Any]:
    """Scores of documents whose terms all come `hardness` times over, which grows with their number."""
    rng = np.random.default_rng(seed)
    lengths = rng.lognormal(5, 1, n)
    true, codes = draw_scores(n, 3, seed, factor=1.0)
    hardness = 1 + 0.1 * lengths**0.8
    shifted = (true - true.max(axis=1, keepdims=True)) * hardness[:, None]
    return shifted - lengths[:, None], codes
