"""The pictures of the course, made from points with two labels. The gallery shows them, and `tercet figure NAME` writes them.

Each picture has example points, and is drawn from any others, too. The first sentence of a function that draws describes its
picture. The gallery shows the bodies of both functions as an example.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import tercet.figures as figures
from tercet.arrays import Floats
from tercet.course.margin_svm import MarginSVM
from tercet.course.perceptron import Perceptron
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tercet.figures.saving import Film

Sample = tuple[Floats, list[str]]  # points and their labels


# Example points


def sample_normals() -> Sample:
    rng = np.random.default_rng(7)
    points = np.concatenate([rng.normal(4, 1, 90), rng.normal(8, 2, 60)])[:, None]
    labels = ["sad"] * 90 + ["glad"] * 60
    return points, labels


def sample_bivariate_normals() -> Sample:
    rng = np.random.default_rng(7)
    sad = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], 60)
    glad = rng.multivariate_normal([2.5, 1], [[1.5, -0.9], [-0.9, 1.2]], 60)
    points, labels = np.concatenate([sad, glad]), ["sad"] * 60 + ["glad"] * 60
    return points, labels


def sample_separable() -> Sample:
    rng = np.random.default_rng(15)
    points = np.concatenate([rng.normal([1, 2.5], 0.5, (20, 2)), rng.normal([3, 1.5], 0.5, (20, 2))])
    labels = ["sad"] * 20 + ["glad"] * 20
    return points, labels


def sample_mixed() -> Sample:
    rng = np.random.default_rng(23)
    points = np.concatenate([rng.normal([1, 2.4], 0.8, (15, 2)), rng.normal([2.6, 1.6], 0.8, (15, 2))])
    labels = ["sad"] * 15 + ["glad"] * 15
    return points, labels


# Pictures of any points


def draw_two_normals(points: Any, labels: Any) -> "Figure":
    """Two normal distributions on a line: points drawn from them, the probability of each label, and the errors."""
    return figures.two_normals(GaussianBayes().fit(points, labels), points, labels, mark_errors=True)


def draw_two_bivariate_normals(points: Any, labels: Any) -> "Figure":
    """Two normal distributions in the plane: the border is a curve, or a line if they share their covariance."""
    full, shared = (GaussianBayes(covariance).fit(points, labels) for covariance in ("full", "shared"))
    models = {"own covariances": full, "a shared covariance": shared}
    return figures.two_bivariate_normals(models, points, labels, mark_errors=True)


def draw_perceptron_path(points: Any, labels: Any) -> "Figure":
    """The perceptron learns from its mistakes: the border after each mistake. Earlier borders are paler."""
    return figures.perceptron_path(Perceptron(seed=0).fit(points, labels), points, labels)


def draw_perceptron_film(points: Any, labels: Any) -> "Film":
    """The same path as a film: one mistake after another, with the border before and after it."""
    return figures.perceptron_film(Perceptron(seed=0).fit(points, labels), points, labels)


def draw_separating_lines(points: Any, labels: Any) -> "Figure":
    """Infinitely many lines separate two labels without a mistake. Which of them is best for new points?"""
    return figures.separating_lines(points, labels)


def draw_margin_geometry(points: Any, labels: Any) -> "Figure":
    """The weights w are at a right angle to the border. The distance of a point x from it is r = |w·x + b| / ‖w‖."""
    return figures.margin_geometry(MarginSVM(C=1.0).fit(points, labels), points, labels)


def draw_maximum_margin(points: Any, labels: Any) -> "Figure":
    """The line that separates two labels and is farthest from both. It depends only on its support vectors."""
    return figures.maximum_margin(MarginSVM(C=None).fit(points, labels), points, labels)


def draw_convex_hulls(points: Any, labels: Any) -> "Figure":
    """The same line from the convex hulls: it crosses the line between their nearest points in the middle, at a right angle."""
    return figures.convex_hulls(points, labels)


def draw_soft_margin(points: Any, labels: Any) -> "Figure":
    """If no line separates the labels, points beyond the margin have slack, which costs C. A higher C narrows the margin."""
    models = {f"C = {C}": MarginSVM(C).fit(points, labels) for C in (0.03, 0.1, 1, 100)}
    return figures.maximum_margin(models, points, labels, mark_errors=True)


@dataclass(frozen=True)
class CourseFigure:
    """How to draw a picture from points, and example points. `film` draws it as a film, if there is one."""

    draw: Callable[[Any, Any], "Figure"]
    sample: Callable[[], Sample]
    film: Callable[[Any, Any], "Film"] | None = None

    @property
    def n_columns(self) -> int:
        """The number of columns of the points: 1 on a line, 2 in the plane."""
        return int(self.sample()[0].shape[1])


# In the order of the course. A new line here adds a picture to the gallery, the command line and the tests.
COURSE = {
    "two-normals": CourseFigure(draw_two_normals, sample_normals),
    "two-bivariate-normals": CourseFigure(draw_two_bivariate_normals, sample_bivariate_normals),
    "perceptron-path": CourseFigure(draw_perceptron_path, sample_separable, draw_perceptron_film),
    "separating-lines": CourseFigure(draw_separating_lines, sample_separable),
    "margin-geometry": CourseFigure(draw_margin_geometry, sample_separable),
    "maximum-margin": CourseFigure(draw_maximum_margin, sample_separable),
    "convex-hulls": CourseFigure(draw_convex_hulls, sample_separable),
    "soft-margin": CourseFigure(draw_soft_margin, sample_mixed),
}
