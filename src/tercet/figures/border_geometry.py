"""The geometry of a border: the weights are at a right angle to it, and every point has a distance from it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.course.margin_svm import MarginSVM
from tercet.course.perceptron import Perceptron
from tercet.errors import InvalidMatrix
from tercet.figures.plane import check_plane, draw_line, draw_points, find_codes, frame_points
from tercet.figures.style import BLACK, GREEN, PURPLE, make_figure, write_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROOM = 0.16  # around the points, for the texts, as a share of their extent
MIN_LENGTH, MAX_LENGTH = 0.15, 0.5  # length of the arrow, as a share of the extent of the points
SQUARE = 0.035  # side of the mark of a right angle, as a share of the extent
BESIDE = 0.3  # how far the arrow is from the foot, as a share of the extent


def margin_geometry(model: MarginSVM | Perceptron, points: Any, labels: Any, *, x: Any = None) -> "Figure":
    """The border w·x + b = 0, the arrow w, a point x, its foot on the border, and its distance r = |w·x + b| / ‖w‖.

    The model has two columns and weights, so its kernel is linear. `x` is a point, two numbers; by default it is the point
    farthest from the border. The title has all numbers, so that r can be computed again.

    >>> points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> margin_geometry(MarginSVM(C=None).fit(points, labels), points, labels, x=[3, 1])
    <Figure size 520x500 with 1 Axes>
    """
    points = check_plane(points)
    codes = find_codes(labels, model.classes_, len(points))
    distances = np.abs(model.decision_function(points))
    weights, bias = model.weights_, model.bias_
    if not weights.any():
        raise InvalidMatrix("all weights of the model are 0, so it has no border, and no point has a distance from it.")
    point = points[int(distances.argmax())] if x is None else _check_point(x)
    shown = np.concatenate([points, point[None]])
    figure, (axes,) = make_figure(height=5.0)
    draw_line(axes, weights, bias, label="w·x + b = 0")
    draw_points(axes, points, codes, model.classes_.tolist())
    tip = _draw_right_angles(axes, shown, weights, compute_foot(weights, bias, point))
    frame_points(axes, np.concatenate([shown, tip[None]]), ROOM)
    axes.set_title(describe_distance(weights, bias, point), fontsize="medium")
    write_legend(figure)
    return figure


def compute_foot(weights: Floats, bias: float, point: Floats) -> Floats:
    """The point of the border that is nearest to this point: x - (w·x + b) w / ‖w‖².

    >>> compute_foot(np.array([0.0, 2.0]), -2.0, np.array([5.0, 4.0]))
    array([5., 1.])
    """
    return np.asarray(point - (weights @ point + bias) / (weights @ weights) * weights, np.float64)


def describe_distance(weights: Floats, bias: float, point: Floats) -> str:
    """
    >>> print(describe_distance(np.array([0.0, 2.0]), -2.0, np.array([5.0, 4.0])))
    w = (0, 2), b = -2, x = (5, 4)
    r = |w·x + b| / ‖w‖ = 6 / 2 = 3
    """
    height, norm = abs(float(weights @ point + bias)), float(np.linalg.norm(weights))
    (w1, w2), (x1, x2) = weights, point
    given = f"w = ({w1:.4g}, {w2:.4g}), b = {bias:.4g}, x = ({x1:.4g}, {x2:.4g})"
    return f"{given}\nr = |w·x + b| / ‖w‖ = {height:.4g} / {norm:.4g} = {height / norm:.4g}"


def _check_point(x: Any) -> Floats:
    point = np.asarray(x)
    if point.shape != (2,):
        raise InvalidMatrix(f"x must be one point of the plane, two numbers, got shape {point.shape}.")
    checked: Floats = check_plane(point[None])[0]
    return checked


def _draw_right_angles(axes: "Axes", points: Floats, weights: Floats, foot: Floats) -> Floats:
    """The distance of the last of the points from its foot, and beside it the arrow w. Returns the tip of the arrow."""
    extent, normal = float(np.ptp(points, axis=0).max()) or 1.0, weights / np.linalg.norm(weights)
    along = np.array([-normal[1], normal[0]])
    along = along if along @ (points.mean(axis=0) - foot) > 0 else -along  # the arrow stands where more points are
    _draw_distance(axes, points[-1], foot, normal, -along, SQUARE * extent)
    return _draw_arrow(axes, weights, foot + BESIDE * extent * along, extent)


def _draw_distance(axes: "Axes", point: Floats, foot: Floats, normal: Floats, along: Floats, square: float) -> None:
    side = -normal if (point - foot) @ normal < 0 else normal  # from the border to the point
    axes.plot(*np.stack([foot, point]).T, "--", color=PURPLE, linewidth=1.6, label="distance r")
    axes.plot(*foot, "s", color=PURPLE, markersize=5, label="foot of x")
    axes.plot(*point, "o", markersize=12, markerfacecolor="none", markeredgecolor=PURPLE, markeredgewidth=1.6)
    axes.plot(*(foot + square * np.stack([side, side + along, along])).T, "-", color=BLACK, linewidth=1)
    _write_beside(axes, "x", point, 14 * side)
    _write_beside(axes, f"r = {np.linalg.norm(point - foot):.4g}", (foot + point) / 2, 8 * along)


def _draw_arrow(axes: "Axes", weights: Floats, start: Floats, extent: float) -> Floats:
    """The arrow w, of its own length if that fits. Returns its tip."""
    norm = float(np.linalg.norm(weights))
    length = float(np.clip(norm, MIN_LENGTH * extent, MAX_LENGTH * extent))
    tip = np.asarray(start + weights * (length / norm), np.float64)
    look: dict[str, Any] = {"color": GREEN, "linewidth": 2.2}
    axes.annotate("", tip.tolist(), start.tolist(), arrowprops=look | {"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0})
    axes.plot([], [], "-", label="w" if length == norm else "direction of w", **look)
    _write_beside(axes, "w", tip, 9 * weights / norm)
    return tip


def _write_beside(axes: "Axes", text: str, point: Floats, away: Floats) -> None:
    """A text near a point of the plane; `away` is in points of type."""
    across, up = away
    box: dict[str, Any] = {"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}
    sides: dict[str, Any] = {"ha": "left" if across > 4 else "right" if across < -4 else "center"}
    sides |= {"va": "bottom" if up > 4 else "top" if up < -4 else "center"}
    axes.annotate(text, point.tolist(), away.tolist(), textcoords="offset points", bbox=box, **sides)
