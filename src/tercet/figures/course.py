"""The pictures of the course, made from random data. The gallery shows them, and `tercet figure NAME` writes them.

The first sentence of a function describes its picture, and the gallery shows its body as an example.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import tercet.figures as figures
from tercet.models.gaussian import GaussianBayes
from tercet.models.margin_svm import MarginSVM
from tercet.models.perceptron import Perceptron

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_two_normals() -> "Figure":
    """Two normal distributions on a line: points drawn from them, the probability of each label, and the errors."""
    rng = np.random.default_rng(7)
    points = np.concatenate([rng.normal(4, 1, 90), rng.normal(8, 2, 60)])[:, None]
    labels = ["sad"] * 90 + ["glad"] * 60
    return figures.two_normals(GaussianBayes().fit(points, labels), points, labels)


def draw_two_bivariate_normals() -> "Figure":
    """Two normal distributions in the plane: the border is a curve, or a line if they share their covariance."""
    rng = np.random.default_rng(7)
    sad = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 60)
    glad = rng.multivariate_normal([2.5, 1], [[1.5, -0.9], [-0.9, 1.2]], 60)
    points, labels = np.concatenate([sad, glad]), ["sad"] * 60 + ["glad"] * 60
    full, shared = (GaussianBayes(covariance).fit(points, labels) for covariance in ("full", "shared"))
    models = {"a covariance for each label": full, "a shared covariance": shared}
    return figures.two_bivariate_normals(models, points, labels)


def draw_perceptron_path() -> "Figure":
    """The perceptron learns from its mistakes: the border after each mistake. Earlier borders are paler."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    labels = ["sad"] * 20 + ["glad"] * 20
    return figures.perceptron_path(Perceptron(seed=0).fit(points, labels), points, labels)


def draw_separating_lines() -> "Figure":
    """Infinitely many lines separate two labels without a mistake. Which of them is best for new points?"""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    return figures.separating_lines(points, ["sad"] * 20 + ["glad"] * 20)


def draw_maximum_margin() -> "Figure":
    """The line that separates two labels and is farthest from both. It depends only on its support vectors."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    labels = ["sad"] * 20 + ["glad"] * 20
    return figures.maximum_margin(MarginSVM(C=None).fit(points, labels), points, labels)


def draw_convex_hulls() -> "Figure":
    """The same line from the convex hulls: it crosses the line between their nearest points in the middle, at a right angle."""
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    return figures.convex_hulls(points, ["sad"] * 20 + ["glad"] * 20)


def draw_soft_margin() -> "Figure":
    """If no line separates the labels, points beyond the margin have slack, which costs C. A higher C narrows the margin."""
    rng = np.random.default_rng(23)
    points = np.concatenate([rng.normal([1, 2.4], 0.8, (15, 2)), rng.normal([2.6, 1.6], 0.8, (15, 2))])
    labels = ["sad"] * 15 + ["glad"] * 15
    models = {f"C = {C}": MarginSVM(C).fit(points, labels) for C in (0.03, 0.1, 1, 100)}
    return figures.maximum_margin(models, points, labels)


# In the order of the course. A new line here adds a picture to the gallery, the command line and the tests.
COURSE: dict[str, Callable[[], "Figure"]] = {
    "two-normals": draw_two_normals,
    "two-bivariate-normals": draw_two_bivariate_normals,
    "perceptron-path": draw_perceptron_path,
    "separating-lines": draw_separating_lines,
    "maximum-margin": draw_maximum_margin,
    "convex-hulls": draw_convex_hulls,
    "soft-margin": draw_soft_margin,
}
