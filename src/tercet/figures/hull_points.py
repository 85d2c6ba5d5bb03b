"""The convex hulls of two labels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.figures.lines import check_plane, draw_line, frame_points
from tercet.figures.plane import draw_points
from tercet.figures.style import BLACK, make_figure, mark_of, write_legend
from tercet.models.classifier import encode_signs
from tercet.models.hulls import HullPoints, nearest_hull_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def convex_hulls(points: Any, labels: Any) -> "Figure":
    """The convex hull of each label, their nearest points, and the border that stands upright in the middle between these.

    >>> convex_hulls([[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"])
    <Figure size 520x390 with 1 Axes>
    """
    points = check_plane(points)
    found, signs = encode_signs(labels, len(points))
    figure, (axes,) = make_figure()
    for place, sign in enumerate((-1, 1)):
        color, _, line = mark_of(place)
        axes.fill(*trace_hull(points[signs == sign]).T, facecolor=color, alpha=0.12)
        axes.fill(*trace_hull(points[signs == sign]).T, facecolor="none", edgecolor=color, linestyle=line, linewidth=1)
    draw_points(axes, points, (signs > 0).astype(np.int64), found.tolist())
    draw_nearest(axes, nearest_hull_points(points[signs > 0], points[signs < 0]))
    frame_points(axes, points)
    write_legend(figure)
    return figure


def draw_nearest(axes: "Axes", nearest: HullPoints) -> None:
    way = np.stack([nearest.a, nearest.b])
    axes.plot(*way.T, "-", color=BLACK, linewidth=1, marker="D", markersize=8, markerfacecolor="none", label="nearest points")
    if nearest.distance:
        weights = nearest.a - nearest.b
        draw_line(axes, weights, -float(weights @ way.mean(axis=0)), label="border")
        axes.set_title(f"distance {nearest.distance:.3g}, twice the margin", fontsize="medium")
    else:
        axes.set_title("the hulls meet: no line parts the labels", fontsize="medium")


def trace_hull(points: Floats) -> Floats:
    """The corners of the convex hull, counter-clockwise; of points on one line, its two ends.

    >>> trace_hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [2.0, 2.0], [1.0, 1.0]])).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0]]
    """
    ordered = np.unique(points, axis=0)  # sorted, from left to right
    if len(ordered) == 1:
        return ordered
    return np.array([*_trace_lower(ordered)[:-1], *_trace_lower(ordered[::-1])[:-1]])


def _trace_lower(ordered: Floats) -> list[Floats]:
    """From the first to the last, turning left at every corner."""
    corners: list[Floats] = []
    for point in ordered:
        while len(corners) > 1 and not _turns_left(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _turns_left(a: Floats, b: Floats, c: Floats) -> bool:
    return bool((b[0] - a[0]) * (c[1] - a[1]) > (b[1] - a[1]) * (c[0] - a[0]))
