"""Two normal distributions on a line: where they overlap, decisions go wrong."""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.labels import find_labels
from tercet.errors import InvalidMatrix
from tercet.figures.style import GREY, make_figure, mark_of, show_name
from tercet.models.gaussian import GaussianBayes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_PLACES = 401  # where curves are worked out


def two_normals(model: GaussianBayes, points: Any, labels: Any) -> "Figure":
    """Above P(label) p(x | label) with the sampled points below it, shaded where the answer is wrong; below P(label | x).

    The model has one column, and the points are those that it learned, or others. The shaded area is the share of errors
    that no rule can avoid if the model is true.

    >>> model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    >>> two_normals(model, [[2.0], [5.0]], ["low", "high"])
    <Figure size 520x468 with 2 Axes>
    """
    if model.n_features_in_ != 1:
        raise InvalidMatrix(f"the model has {model.n_features_in_} columns: a line has one. Try two_bivariate_normals.")
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
        color, _, line = mark_of(place)
        axes.plot(x, joint[:, place], line, color=color, label=show_name(label))
    axes.set_ylabel("P(label) p(x | label)")
    axes.set_ylim(-0.16 * joint.max(), 1.08 * joint.max())
    axes.set_yticks([tick for tick in axes.get_yticks() if 0 <= tick <= joint.max()])
    axes.axhline(0, color="black", linewidth=0.6)
    axes.legend(frameon=False)


def _draw_rug(axes: "Axes", values: Floats, codes: npt.NDArray[np.int64]) -> None:
    bottom = axes.get_ylim()[0]
    for place in np.unique(codes).tolist():
        color, marker, _ = mark_of(place)
        own = values[codes == place]
        height = bottom * (0.3 + 0.4 * (place % 2))
        axes.scatter(own, np.full(len(own), height), 14, color, marker=marker, alpha=0.6, linewidths=0)


def _draw_posterior(axes: "Axes", model: GaussianBayes, x: Floats) -> None:
    posterior = model.posterior(x[:, None])
    for place in range(posterior.shape[1]):
        color, _, line = mark_of(place)
        axes.plot(x, posterior[:, place], line, color=color)
    best = posterior.argmax(axis=1)
    for border in x[np.flatnonzero(np.diff(best))]:
        axes.axvline(border, color=GREY, linewidth=0.8, linestyle=":")
    axes.set(ylabel="P(label | x)", xlabel="x", ylim=(-0.03, 1.03), yticks=(0, 0.5, 1))
