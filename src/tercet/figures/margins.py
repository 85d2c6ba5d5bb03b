"""Lines that separate two labels: many of them, the line with the largest margin, and the same line from the convex hulls."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Flags, Floats
from tercet.course.hulls import HullPoints, nearest_hull_points
from tercet.course.margin_svm import MarginSVM
from tercet.errors import NotSeparable
from tercet.figures.plane import (
    N_STEPS,
    check_plane,
    draw_line,
    draw_points,
    draw_regions,
    find_codes,
    frame_points,
    ring_errors,
    ring_points,
)
from tercet.figures.style import BLACK, GREY, HEIGHT, WIDTH, make_figure, name_panels, style_of, write_legend
from tercet.models.classifier import encode_signs
from tercet.options import check_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


N_DIRECTIONS = 3600  # directions that are tried


def separating_lines(points: Any, labels: Any, n_lines: int = 30) -> "Figure":
    """Some of the infinitely many lines that separate two labels. The points do not show which line is best.

    >>> separating_lines([[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"])
    <Figure size 520x390 with 1 Axes>
    """
    points = check_plane(points)
    both_labels, signs = encode_signs(labels, len(points))
    figure, (axes,) = make_figure()
    for index, (normal, offset) in enumerate(choose_lines(points, signs, check_count("n_lines", n_lines))):
        draw_line(axes, normal, offset, GREY, 0.7, zorder=0.5, label="_" if index else "separates them without a mistake")
    draw_points(axes, points, (signs > 0).astype(np.int64), both_labels.tolist())
    frame_points(axes, points)
    write_legend(figure)
    return figure


def choose_lines(points: Floats, signs: Floats, n_lines: int) -> list[tuple[Floats, float]]:
    """Lines (w, b), ‖w‖ = 1, with w·x + b > 0 for positive signs and w·x + b < 0 for negative signs.

    Their directions are spread over all possible directions. Each line lies somewhere in the gap of its direction.

    >>> choose_lines(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([-1.0, 1.0]), 3)[1][0].round(2) + 0.0
    array([0., 1.])
    """
    # A direction with a gap also separates the means, so all of them are within a right angle of this direction.
    towards = points[signs > 0].mean(axis=0) - points[signs < 0].mean(axis=0)
    turns = np.arctan2(towards[1], towards[0]) + np.linspace(-np.pi / 2, np.pi / 2, N_DIRECTIONS + 1)
    normals = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    ends = (points[signs < 0] @ normals.T).max(axis=0), (points[signs > 0] @ normals.T).min(axis=0)
    possible = np.flatnonzero(ends[0] < ends[1])
    if not len(possible):
        raise NotSeparable(
            f"none of {N_DIRECTIONS} directions leaves a gap between the two labels: no line separates these points."
        )
    # The gaps of the outermost directions are too narrow to see.
    chosen = possible[np.linspace(0.1 * len(possible), 0.9 * (len(possible) - 1), n_lines).astype(int)]
    # Steps of the golden ratio are spread evenly, and neighbours differ.
    shares = 0.1 + 0.8 * ((np.arange(1, n_lines + 1) * 0.618034) % 1)
    offsets = -(ends[0][chosen] * (1 - shares) + ends[1][chosen] * shares)
    return [(normal, float(offset)) for normal, offset in zip(normals[chosen], offsets, strict=True)]


def maximum_margin(
    models: MarginSVM | Mapping[str, MarginSVM], points: Any, labels: Any, *, mark_errors: bool = False
) -> "Figure":
    """The border, its margin on both sides (dashed), and rings around the support vectors.

    The models were fitted on these points, which have two columns. If the kernel is not linear, the border is a curve. Several
    models are given by name and have a panel each, for example one for each C. With `mark_errors` there is a wide ring around
    each point on the wrong side.

    >>> points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> maximum_margin(MarginSVM(C=None).fit(points, labels), points, labels)
    <Figure size 520x460 with 1 Axes>
    """
    points, panels = check_plane(points), name_panels(models)
    columns = min(len(panels), 2)
    width, height = (WIDTH, 4.6) if columns == 1 else (4.0, HEIGHT)
    figure, all_axes = make_figure(columns, math.ceil(len(panels) / columns), width=width, height=height)
    for axes, (name, model) in zip(all_axes, panels.items(), strict=False):
        draw_margin(axes, model, points, labels)
        is_wrong = detect_wrong(model, points, labels)
        if mark_errors:
            ring_errors(axes, points[is_wrong])
        axes.set_title(describe_margin(name, model, int(is_wrong.sum())), fontsize="medium")
    for axes in all_axes[len(panels) :]:
        axes.remove()
    write_legend(figure)
    return figure


def draw_margin(axes: "Axes", model: MarginSVM, points: Floats, labels: Any) -> None:
    frame_points(axes, points)
    limits = axes.get_xlim(), axes.get_ylim()
    n_steps = 2 if model.kernel == "linear" else N_STEPS
    draw_regions(axes, lambda grid: np.outer(model.decision_function(grid), [-1, 1]), np.array(limits).T, n_steps)
    frame_points(axes, points)
    draw_contours(axes, model, *(np.linspace(*ends, n_steps) for ends in limits))
    draw_points(axes, points, find_codes(labels, model.classes_, len(points)), model.classes_.tolist())
    ring_points(axes, model.support_vectors_, "support vector")


def draw_contours(axes: "Axes", model: MarginSVM, x: Floats, y: Floats) -> None:
    """The lines where the decision value is -1 or 1."""
    grid = np.stack([part.ravel() for part in np.meshgrid(x, y)], axis=1)
    heights = model.decision_function(grid).reshape(len(y), len(x))
    levels = [level for level in (-1, 1) if heights.min() < level < heights.max()]
    if levels:
        axes.contour(x, y, heights, levels, colors=BLACK, linewidths=1, linestyles="--")
    axes.plot([], [], "-", color=BLACK, linewidth=1.4, label="border")
    axes.plot([], [], "--", color=BLACK, linewidth=1, label="its margin")


def detect_wrong(model: MarginSVM, points: Floats, labels: Any) -> Flags:
    """For each point whether the model gives it another label than its own."""
    wrong: Flags = model.predict(points) != model.classes_[find_codes(labels, model.classes_, len(points))]
    return wrong


def describe_margin(name: str, model: MarginSVM, n_wrong: int) -> str:
    """
    >>> describe_margin("C = 9", MarginSVM(9).fit([[0.0], [2.0]], ["a", "b"]), 0)
    'C = 9: margin 1\\n2 support vectors, 0 on the wrong side'
    """
    wrong = f", {n_wrong} on the wrong side" if model.C is not None else ""
    return f"{name}{': ' if name else ''}margin {model.margin_:.3g}\n{len(model.support_)} support vectors{wrong}"


def convex_hulls(points: Any, labels: Any) -> "Figure":
    """The convex hull of each label, their nearest points, and the border.

    The border crosses the line between the nearest points in the middle, at a right angle.

    >>> convex_hulls([[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"])
    <Figure size 520x390 with 1 Axes>
    """
    points = check_plane(points)
    both_labels, signs = encode_signs(labels, len(points))
    figure, (axes,) = make_figure()
    for index, sign in enumerate((-1, 1)):
        color, _, line = style_of(index)
        axes.fill(*trace_hull(points[signs == sign]).T, facecolor=color, alpha=0.12)
        axes.fill(*trace_hull(points[signs == sign]).T, facecolor="none", edgecolor=color, linestyle=line, linewidth=1)
    draw_points(axes, points, (signs > 0).astype(np.int64), both_labels.tolist())
    draw_nearest(axes, nearest_hull_points(points[signs > 0], points[signs < 0]))
    frame_points(axes, points)
    write_legend(figure)
    return figure


def draw_nearest(axes: "Axes", nearest: HullPoints) -> None:
    ends = np.stack([nearest.a, nearest.b])
    axes.plot(*ends.T, "-", color=BLACK, linewidth=1, marker="D", markersize=8, markerfacecolor="none", label="nearest points")
    if nearest.distance:
        weights = nearest.a - nearest.b
        draw_line(axes, weights, -float(weights @ ends.mean(axis=0)), label="border")
        axes.set_title(f"distance {nearest.distance:.3g}, twice the margin", fontsize="medium")
    else:
        axes.set_title("the hulls meet: no line separates the labels", fontsize="medium")


def trace_hull(points: Floats) -> Floats:
    """The corners of the convex hull, counter-clockwise; for points on one line, the two ends.

    >>> trace_hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 2.0], [1.0, 1.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    ordered = np.unique(points, axis=0)  # sorted, from left to right
    if len(ordered) == 1:
        return ordered
    return np.array([*_trace_lower(ordered)[:-1], *_trace_lower(ordered[::-1])[:-1]])


def _trace_lower(ordered: Floats) -> list[Floats]:
    """The lower corners from the first point to the last, with a left turn at each."""
    corners: list[Floats] = []
    for point in ordered:
        while len(corners) > 1 and not _turns_left(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _turns_left(a: Floats, b: Floats, c: Floats) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]))
