"""Normal distributions on a line and in the plane, with the decisions between them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.matrices import check_columns, check_dense
from tercet.errors import InvalidMatrix
from tercet.figures.plane import check_far, check_plane, draw_points, draw_regions, find_codes, ring_errors
from tercet.figures.style import GREY, make_figure, name_panels, show_names, style_of, write_legend
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_POINTS = 401  # points at which curves are computed


def two_normals(model: GaussianBayes, points: Any, labels: Any, *, mark_errors: bool = False) -> "Figure":
    """Two panels: P(label) p(x | label) with the points below it and the errors shaded, and P(label | x).

    The model has one column. The points may be its training data or other points. If the model is true, the shaded area is
    the share of errors that no rule can avoid. With `mark_errors` there is a ring around each point that gets a wrong label.

    >>> model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    >>> two_normals(model, [[2.0], [5.0]], ["low", "high"])
    <Figure size 520x468 with 2 Axes>
    """
    if model.n_features_in_ != 1:
        raise InvalidMatrix(f"the model has {model.n_features_in_} columns, but this needs one. Try two_bivariate_normals.")
    values = _check_line(model, points)
    codes = find_codes(labels, model.classes_, len(values))
    x = _choose_range(model, values)
    figure, (above, below) = make_figure(rows=2, height=2.34, sharex=True, height_ratios=(3, 2))
    _draw_densities(above, model, x)
    rug = _draw_rug(above, values, codes)
    is_wrong = model.predict(values[:, None]) != model.classes_[codes]
    if mark_errors:
        ring_errors(above, rug[is_wrong], size=60)
    above.legend(frameon=False)
    _draw_posterior(below, model, x)
    area = f"{_measure_error(model, x):.1%} of the area"
    above.set_title(f"errors: {area}, {int(is_wrong.sum())} of {len(values)} points", fontsize="medium")
    return figure


def _check_line(model: GaussianBayes, points: Any) -> Floats:
    """The numbers of points with one column. A plain list of numbers is such a column, too."""
    column = np.asarray(points)
    checked = check_dense(column[:, None] if column.ndim == 1 else column, "points")
    check_columns(checked, 1, model)
    return check_far(checked)[:, 0]


def _choose_range(model: GaussianBayes, values: Floats) -> Floats:
    means, deviations = model.means_.ravel(), np.sqrt(model.covariances_.ravel())
    shown = np.concatenate([means - 4 * deviations, means + 4 * deviations, values])
    return np.linspace(shown.min(), shown.max(), N_POINTS)


def _joint(model: GaussianBayes, x: Floats) -> Floats:
    return np.asarray(np.exp(model.log_joint(x[:, None])), np.float64)


def _measure_error(model: GaussianBayes, x: Floats) -> float:
    joint = _joint(model, x)
    return float((joint.sum(axis=1) - joint.max(axis=1)).sum() * (x[1] - x[0]))


def _draw_densities(axes: "Axes", model: GaussianBayes, x: Floats) -> None:
    joint = _joint(model, x)
    wrong = joint.sum(axis=1) - joint.max(axis=1)
    axes.fill_between(x, wrong, color=GREY, alpha=0.35, linewidth=0, label="wrong")
    for index, name in enumerate(show_names(model.classes_.tolist())):
        color, _, line = style_of(index)
        axes.plot(x, joint[:, index], line, color=color, label=name)
    axes.set_ylabel("P(label) p(x | label)")
    axes.set_ylim(-0.16 * joint.max(), 1.08 * joint.max())
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= joint.max()])
    axes.axhline(0, color="black", linewidth=0.6)


def _draw_rug(axes: "Axes", values: Floats, codes: Integers) -> Floats:
    """The points below the axis, each in the row of its label. Returns where they are drawn."""
    rug = np.stack([values, axes.get_ylim()[0] * (0.3 + 0.4 * (codes % 2))], axis=1)
    for index in np.unique(codes).tolist():
        color, marker, _ = style_of(index)
        own = rug[codes == index]
        axes.scatter(own[:, 0], own[:, 1], 14, color, marker=marker, alpha=0.6, linewidths=0)
    return rug


def _draw_posterior(axes: "Axes", model: GaussianBayes, x: Floats) -> None:
    posterior = model.posterior(x[:, None])
    for index in range(posterior.shape[1]):
        color, _, line = style_of(index)
        axes.plot(x, posterior[:, index], line, color=color)
    best = posterior.argmax(axis=1)
    for border in x[np.flatnonzero(np.diff(best))]:
        axes.axvline(border, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(ylabel="P(label | x)", xlabel="x", ylim=(-0.03, 1.03), yticks=(0, 0.5, 1))


def two_bivariate_normals(
    models: GaussianBayes | Mapping[str, GaussianBayes], points: Any, labels: Any, *, mark_errors: bool = False
) -> "Figure":
    """Points, the ellipses of each label at one, two and three standard deviations, and the border between the labels.

    The models have two columns. Several models are given by name and have a panel each. With a covariance for each label the
    border is a curve, with a shared covariance it is a line. With `mark_errors` there is a ring around each point that gets a
    wrong label, and the title says how many there are.

    >>> points, labels = [[1, 3], [2, 1], [3, 4], [6, 5], [7, 8], [8, 6]], ["a"] * 3 + ["b"] * 3
    >>> two_bivariate_normals(GaussianBayes("shared").fit(points, labels), points, labels)
    <Figure size 420x390 with 1 Axes>
    """
    panels = name_panels(models)
    ellipses = [ellipse for model in panels.values() for ellipse in _trace_ellipses(model, 3)]
    points = check_plane(points)
    seen = np.concatenate([points, *ellipses])
    figure, all_axes = make_figure(len(panels), width=4.2, sharex=True, sharey=True)
    for axes, (name, model) in zip(all_axes, panels.items(), strict=True):
        draw_regions(axes, model.log_joint, seen)
        codes = find_codes(labels, model.classes_, len(points))
        draw_points(axes, points, codes, model.classes_.tolist())
        _draw_ellipses(axes, model)
        title = name
        if mark_errors:
            is_wrong = model.predict(points) != model.classes_[codes]
            ring_errors(axes, points[is_wrong])
            title = f"{name}{': ' if name else ''}{int(is_wrong.sum())} of {len(points)} wrong"
        axes.set(xlabel="x₁", title=title)
        axes.title.set_fontsize("medium")
    all_axes[0].set_ylabel("x₂")
    write_legend(figure)
    return figure


def _draw_ellipses(axes: "Axes", model: GaussianBayes) -> None:
    for n_deviations in (1, 2, 3):
        for index, ellipse in enumerate(_trace_ellipses(model, n_deviations)):
            color, _, line = style_of(index)
            axes.plot(*ellipse.T, line, color=color, linewidth=1)
    for index, mean in enumerate(model.means_):
        color, marker, _ = style_of(index)
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
