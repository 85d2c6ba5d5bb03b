"""The pictures of the course, each of data that are drawn here: what a gallery shows and `tercet figure NAME` writes.

The first sentence of a function is what its picture shows, and its body is how it is made.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

import tercet.figures as figures
from tercet.figures.course_margins import (
    draw_convex_hulls,
    draw_maximum_margin,
    draw_perceptron_path,
    draw_separating_lines,
    draw_soft_margin,
)
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_two_normals() -> "Figure":
    """Two normal distributions on a line: the points drawn from them, how sure Bayes' rule is at each place, and its errors."""
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


# In the order of the course. One line more is one picture more, in the gallery, on the command line and in the tests.
COURSE: dict[str, Callable[[], "Figure"]] = {
    "two-normals": draw_two_normals,
    "two-bivariate-normals": draw_two_bivariate_normals,
    "perceptron-path": draw_perceptron_path,
    "separating-lines": draw_separating_lines,
    "maximum-margin": draw_maximum_margin,
    "convex-hulls": draw_convex_hulls,
    "soft-margin": draw_soft_margin,
}
