"""Normal distributions in the plane, and the border between the labels."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import find_labels
from tercet.errors import InvalidMatrix
from tercet.figures.plane import draw_points, draw_regions
from tercet.figures.style import make_figure, mark_of, name_panels, write_legend
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def two_bivariate_normals(models: GaussianBayes | Mapping[str, GaussianBayes], points: Any, labels: Any) -> "Figure":
    """Points, the ellipses of each label at one, two and three standard deviations, and the border between the labels.

    The models have two columns. Several, by name, get a panel each: with a covariance for each label the border is a curve,
    with a shared one a line.

    >>> points, labels = [[1, 3], [2, 1], [3, 4], [6, 5], [7, 8], [8, 6]], ["a"] * 3 + ["b"] * 3
    >>> two_bivariate_normals(GaussianBayes("shared").fit(points, labels), points, labels)
    <Figure size 420x390 with 1 Axes>
    """
    panels = name_panels(models)
    points = np.asarray(points, np.float64)
    seen = np.concatenate([points, *(ellipse for model in panels.values() for ellipse in _trace_ellipses(model, 3))])
    figure, all_axes = make_figure(len(panels), width=4.2, sharex=True, sharey=True)
    for axes, (name, model) in zip(all_axes, panels.items(), strict=True):
        draw_regions(axes, model.log_joint, seen)
        draw_points(axes, points, find_labels(labels, model.classes_), model.classes_.tolist())
        _draw_ellipses(axes, model)
        axes.set(xlabel="x₁", title=name)
    all_axes[0].set_ylabel("x₂")
    write_legend(figure)
    return figure


def _draw_ellipses(axes: "Axes", model: GaussianBayes) -> None:
    for n_deviations in (1, 2, 3):
        for place, ellipse in enumerate(_trace_ellipses(model, n_deviations)):
            color, _, line = mark_of(place)
            axes.plot(*ellipse.T, line, color=color, linewidth=1)
    for place, mean in enumerate(model.means_):
        color, marker, _ = mark_of(place)
        axes.plot(*mean, marker, color=color, markersize=10, markeredgecolor="black")


def _trace_ellipses(model: GaussianBayes, n_deviations: float) -> list[Floats]:
    """One for each label."""
    if model.n_features_in_ != 2:
        raise InvalidMatrix(f"the model has {model.n_features_in_} columns: the plane has two.")
    found = model.covariances_
    covariances = [found] * len(model.classes_) if model.covariance == "shared" else found
    full = [np.diag(c) if c.ndim == 1 else c for c in covariances]
    return [trace_ellipse(mean, c, n_deviations) for mean, c in zip(model.means_, full, strict=True)]


def trace_ellipse(mean: Floats, covariance: Floats, n_deviations: float, n_points: int = 73) -> Floats:
    """Points at so many standard deviations from the mean, n × 2: mean + k L (cos t, sin t), where L Lᵀ is the covariance.

    >>> trace_ellipse(np.array([1.0, 0.0]), np.diag([4.0, 1.0]), 1, n_points=5).round(3) + 0.0
    array([[ 3.,  0.], [ 1.,  1.], [-1.,  0.], [ 1., -1.], [ 3.,  0.]])
    """
    turn = np.linspace(0, 2 * np.pi, n_points)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    return np.asarray(mean + n_deviations * (np.linalg.cholesky(covariance) @ circle).T, np.float64)
