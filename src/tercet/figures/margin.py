"""The border with the largest margin, and the documents that hold it."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import find_labels
from tercet.figures.lines import check_plane, frame_points, ring_points
from tercet.figures.plane import N_STEPS, draw_points, draw_regions
from tercet.figures.style import BLACK, HEIGHT, WIDTH, make_figure, name_panels, write_legend
from tercet.models.margin_svm import MarginSVM

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def maximum_margin(models: MarginSVM | Mapping[str, MarginSVM], points: Any, labels: Any) -> "Figure":
    """The border, its margin on both sides (dashed), and rings around the support vectors.

    The models were fitted with these points, which have two columns; of a kernel that is not linear the border is a curve.
    Several models, by name, get a panel each: one for each C, for example.

    >>> points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> maximum_margin(MarginSVM().fit(points, labels), points, labels)
    <Figure size 520x460 with 1 Axes>
    """
    points, panels = check_plane(points), name_panels(models)
    columns = min(len(panels), 2)
    width, height = (WIDTH, 4.6) if columns == 1 else (4.0, HEIGHT)
    figure, all_axes = make_figure(columns, math.ceil(len(panels) / columns), width=width, height=height)
    for axes, (name, model) in zip(all_axes, panels.items(), strict=False):
        draw_margin(axes, model, points, labels)
        axes.set_title(describe_margin(name, model, points, labels), fontsize="medium")
    for axes in all_axes[len(panels) :]:
        axes.remove()
    write_legend(figure)
    return figure


def draw_margin(axes: "Axes", model: MarginSVM, points: Floats, labels: Any) -> None:
    frame_points(axes, points)
    limits = axes.get_xlim(), axes.get_ylim()
    n_steps = 2 if model.kernel == "linear" else N_STEPS
    draw_regions(axes, lambda places: np.outer(model.decision_function(places), [-1, 1]), np.array(limits).T, n_steps)
    frame_points(axes, points)
    draw_contours(axes, model, *(np.linspace(*ends, n_steps) for ends in limits))
    draw_points(axes, points, find_labels(labels, model.classes_), model.classes_.tolist())
    ring_points(axes, model.support_vectors_, "support vector")


def draw_contours(axes: "Axes", model: MarginSVM, x: Floats, y: Floats) -> None:
    """The places where the decision is -1 or 1."""
    places = np.stack([part.ravel() for part in np.meshgrid(x, y)], axis=1)
    heights = model.decision_function(places).reshape(len(y), len(x))
    levels = [level for level in (-1, 1) if heights.min() < level < heights.max()]
    if levels:
        axes.contour(x, y, heights, levels, colors=BLACK, linewidths=1, linestyles="--")
    axes.plot([], [], "-", color=BLACK, linewidth=1.4, label="border")
    axes.plot([], [], "--", color=BLACK, linewidth=1, label="its margin")


def describe_margin(name: str, model: MarginSVM, points: Floats, labels: Any) -> str:
    """
    >>> describe_margin("C = 9", MarginSVM(9).fit([[0.0], [2.0]], ["a", "b"]), [[0.0], [2.0]], ["a", "b"])
    'C = 9: margin 1\\n2 support vectors, 0 on the wrong side'
    """
    n_wrong = int((model.predict(points) != model.classes_[find_labels(labels, model.classes_)]).sum())
    wrong = f", {n_wrong} on the wrong side" if model.C is not None else ""
    return f"{name}{': ' if name else ''}margin {model.margin_:.3g}\n{len(model.support_)} support vectors{wrong}"
