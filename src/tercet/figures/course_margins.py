"""The pictures of the course that show borders between two labels; see `course`."""

from typing import TYPE_CHECKING

import numpy as np

import tercet.figures as figures
from tercet.models.margin_svm import MarginSVM
from tercet.models.perceptron import Perceptron

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_perceptron_path() -> "Figure":
    """The perceptron learns from its mistakes: the border after each of them, the earlier the paler, until none is left."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    labels = ["sad"] * 20 + ["glad"] * 20
    return figures.perceptron_path(Perceptron(seed=0).fit(points, labels), points, labels)


def draw_separating_lines() -> "Figure":
    """Infinitely many lines part two labels without a mistake. Which of them will do best with new points?"""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    return figures.separating_lines(points, ["sad"] * 20 + ["glad"] * 20)


def draw_maximum_margin() -> "Figure":
    """Of all lines that part two labels the one that is farthest from both. It hangs on its support vectors alone."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    labels = ["sad"] * 20 + ["glad"] * 20
    return figures.maximum_margin(MarginSVM().fit(points, labels), points, labels)


def draw_convex_hulls() -> "Figure":
    """The same line seen from the points: it stands upright in the middle between the nearest points of the convex hulls."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    return figures.convex_hulls(points, ["sad"] * 20 + ["glad"] * 20)


def draw_soft_margin() -> "Figure":
    """Where no line parts the labels, a slack has its price, C: the higher it is, the narrower the margin becomes."""
    rng = np.random.default_rng(23)
    points = np.concatenate([rng.normal([1, 2.4], 0.8, (15, 2)), rng.normal([2.6, 1.6], 0.8, (15, 2))])
    labels = ["sad"] * 15 + ["glad"] * 15
    models = {f"C = {C}": MarginSVM(C).fit(points, labels) for C in (0.03, 0.1, 1, 100)}
    return figures.maximum_margin(models, points, labels)
