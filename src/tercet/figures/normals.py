"""Normal distributions on a line and in the plane, with the decisions between them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import find_labels
from tercet.errors import InvalidMatrix
from tercet.figures.plane import draw_points, draw_regions
from tercet.figures.style import GREY, make_figure, name_panels, show_name, style_of, write_legend
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_PLACES = 401  # where curves are computed


def two_normals(model: GaussianBayes, points: Any, labels: Any) -> "Figure":
    """Two panels: P(label) p(x | label) with the points below it and the errors shaded, and P(label | x).

    The model has one column. The points may be its training data or other points. If the model is true, the shaded area is
    the share of errors that no rule can avoid.

    >>> model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    >>> two_normals(model, [[2.0], [5.0]], ["low", "high"])
    <Figure size 520x468 with 2 Axes>
    """
    if model.n_features_in_ != 1:
        raise InvalidMatrix(f"the model has {model.n_features_in_} columns, but this needs one. Try two_bivariate_normals.")
    values, codes = np.asarray(points, np.float64).ravel(), find_labels(labels, model.classes_)
    x = _choose_range(model, values)
    figure, (above, below) = make_figure(rows=2, height=2.34, sharex=True, height_ratios=(3, 2))
    _draw_densities(above, model, x)
    _draw_rug(above, values, codes)
    _draw_posterior(below, model, x)
    n_wrong = int((model.predict(values[:, None]) != model.classes_[codes]).sum())
    above.set_title(f"errors: {_measure_error(model, x):.1%} of the area, {n_wrong} of {len(values)} points", fontsize="medium")
    return figure


def _choose_range(model: GaussianBayes, values: Floats) -> Floats:
    means, deviations = model.means_.ravel(), np.sqrt(model.covariances_.ravel())
    shown = np.concatenate([means - 4 * deviations, means + 4 * deviations, values])
    return np.linspace(shown.min(), shown.max(), N_PLACES)


def _joint(model: GaussianBayes, x: Floats) -> Floats:
    return np.asarray(np.exp(model.log_joint(x[:, None])), np.float64)


def _measure_error(model: GaussianBayes, x: Floats) -> float:
    joint = _joint(model, x)
    return float((joint.sum(axis=1) - joint.max(axis=1)).sum() * (x[1] - x[0]))


def _draw_densities(axes: "Axes", model: GaussianBayes, x: Floats) -> None:
    joint = _joint(model, x)
    wrong = joint.sum(axis=1) - joint.max(axis=1)
    axes.fill_between(x, wrong, color=GREY, alpha=0.35, linewidth=0, label="wrong")
    for place, label in enumerate(model.classes_.tolist()):
        color, _, line = style_of(place)
        axes.plot(x, joint[:, place], line, color=color, label=show_name(label))
    axes.set_ylabel("P(label) p(x | label)")
    axes.set_ylim(-0.16 * joint.max(), 1.08 * joint.max())
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= joint.max()])
    axes.axhline(0, color="black", linewidth=0.6)
    axes.legend(frameon=False)


def _draw_rug(axes: "Axes", values: Floats, codes: Integers) -> None:
    bottom = axes.get_ylim()[0]
    for place in np.unique(codes).tolist():
        color, marker, _ = style_of(place)
        own = values[codes == place]
        height = bottom * (0.3 + 0.4 * (place % 2))
        axes.scatter(own, np.full(len(own), height), 14, color, marker=marker, alpha=0.6, linewidths=0)


def _draw_posterior(axes: "Axes", model: GaussianBayes, x: Floats) -> None:
    posterior = model.posterior(x[:, None])
    for place in range(posterior.shape[1]):
        color, _, line = style_of(place)
        axes.plot(x, posterior[:, place], line, color=color)
    best = posterior.argmax(axis=1)
    for border in x[np.flatnonzero(np.diff(best))]:
        axes.axvline(border, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(ylabel="P(label | x)", xlabel="x", ylim=(-0.03, 1.03), yticks=(0, 0.5, 1))


def two_bivariate_normals(models: GaussianBayes | Mapping[str, GaussianBayes], points: Any, labels: Any) -> "Figure":
    """Points, the ellipses of each label at one, two and three standard deviations, and the border between the labels.

    The models have two columns. Several models are given by name and have a panel each. With a covariance for each label the
    border is a curve, with a shared covariance it is a line.

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
            color, _, line = style_of(place)
            axes.plot(*ellipse.T, line, color=color, linewidth=1)
    for place, mean in enumerate(model.means_):
        color, marker, _ = style_of(place)
        axes.plot(*mean, marker, color=color, markersize=10, markeredgecolor="black")


def _trace_ellipses(model: GaussianBayes, n_deviations: float) -> list[Floats]:
    """An ellipse for each label."""
    if model.n_features_in_ != 2:
        raise InvalidMatrix(f"the model has {model.n_features_in_} columns, but the plane has two.")
    found = model.covariances_
    covariances = [found] * len(model.classes_) if model.covariance == "shared" else found
    full = [np.diag(c) if c.ndim == 1 else c for c in covariances]
    return [trace_ellipse(mean, c, n_deviations) for mean, c in zip(model.means_, full, strict=True)]


def trace_ellipse(mean: Floats, covariance: Floats, n_deviations: float, n_points: int = 73) -> Floats:
    """Points at k standard deviations from the mean, n × 2: mean + k L (cos t, sin t), where L Lᵀ is the covariance.

    >>> trace_ellipse(np.array([1.0, 0.0]), np.diag([4.0, 1.0]), 1, n_points=5).round(3) + 0.0
    array([[ 3.,  0.], [ 1.,  1.], [-1.,  0.], [ 1., -1.], [ 3.,  0.]])
    """
    turn = np.linspace(0, 2 * np.pi, n_points)
    circle = np.stack([np.cos(turn), np.sin(turn)])
    return np.asarray(mean + n_deviations * (np.linalg.cholesky(covariance) @ circle).T, np.float64)
