"""Drawing in the plane: points, lines, and the regions of each label."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, find_labels
from tercet.counts.matrices import check_dense
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.figures.style import BLACK, mix_with_white, show_name, show_names, style_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

N_STEPS = 81  # of the grid, in each direction
ROOM = 0.08  # around the points, as a share of their extent
MAX_COORDINATE = 1e50  # matplotlib can't draw an axis whose squares do not fit into a float64


def check_plane(points: Any) -> Floats:
    """Points with two columns."""
    checked = check_dense(points, "points")
    if checked.shape[1] != 2:
        raise InvalidMatrix(f"the points have {checked.shape[1]} columns, but the plane has two.")
    return check_far(checked)


def check_far(points: Floats) -> Floats:
    """The points. Raises InvalidMatrix if one is too far away to be drawn."""
    farthest = points.flat[np.abs(points).argmax()]
    if abs(farthest) > MAX_COORDINATE:
        raise InvalidMatrix(f"a point lies at {farthest:g}, and axes reach only to {MAX_COORDINATE:g}: scale the columns.")
    return points


def find_codes(labels: Any, known: Labels, n_points: int) -> Integers:
    """The position of each point's label among the known labels. Each point needs one label."""
    codes = find_labels(labels, known)
    if len(codes) != n_points:
        raise InvalidLabel(f"there are {n_points} points and {len(codes)} labels: each point needs one label.")
    return codes


def draw_points(axes: "Axes", points: Floats, codes: Integers, labels: Sequence[Any]) -> None:
    """Points, n × 2, each in the style of its label, with the labels for the legend; `codes` are positions in `labels`."""
    for index, name in enumerate(show_names(labels)):
        color, marker, _ = style_of(index)
        own = points[codes == index]
        axes.scatter(own[:, 0], own[:, 1], 22, color, marker=marker, alpha=0.75, linewidths=0, label=name)


def draw_regions(axes: "Axes", score: Callable[[Floats], Floats], points: Floats, n_steps: int = N_STEPS) -> None:
    """The area around the points in the colour of the label with the highest score, and the border between the labels.

    `score` gives points × labels for points × 2. The grid has `n_steps` in each direction; a straight border needs only two.
    """
    x, y = (_span(column, n_steps) for column in points.T)
    grid = np.stack([part.ravel() for part in np.meshgrid(x, y)], axis=1)
    scores = score(grid)
    axes.set_facecolor(mix_with_white(style_of(0).color, 0.1))  # the colour of the first label; the others are painted over it
    for label in range(1, scores.shape[1]):
        ahead = scores[:, label] - np.delete(scores, label, axis=1).max(axis=1)
        lead = ahead.reshape(len(y), len(x))
        if lead.max() > 0:
            axes.contourf(x, y, lead, [0, np.inf], colors=[mix_with_white(style_of(label).color, 0.1)])
        if lead.min() < 0 < lead.max():
            axes.contour(x, y, lead, [0], colors=BLACK, linewidths=1.4)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))


def frame_points(axes: "Axes", points: Floats, share: float = ROOM) -> None:
    """Limits with some room around the points, and one scale for both axes, so that right angles look right."""
    extents = np.ptp(points, axis=0)
    room = share * extents.max() or 1.0
    (left, low), (right, high) = points.min(axis=0) - room, points.max(axis=0) + room
    axes.set(xlim=(left, right), ylim=(low, high), aspect="equal", xlabel="x₁", ylabel="x₂")


def name_axes(figure: "Figure", names: Sequence[str]) -> None:
    """Write the names of the columns beside x, x₁ and x₂. A column that has only a number, or is called x, keeps its x."""
    letters = ("x",) if len(names) == 1 else ("x₁", "x₂")
    named = {letter: name for letter, name in zip(letters, names, strict=True) if not name.isdecimal() and name != letter}
    shown = {letter: f"{letter} = {show_name(name)}" for letter, name in named.items()}
    for axes in figure.axes:
        axes.set_xlabel(shown.get(axes.get_xlabel(), axes.get_xlabel()))
        axes.set_ylabel(shown.get(axes.get_ylabel(), axes.get_ylabel()))


def draw_line(axes: "Axes", weights: Floats, bias: float, color: Any = BLACK, linewidth: float = 1.4, **options: Any) -> None:
    """The line w·x + b = 0; nothing if w = 0."""
    if weights.any():
        (x, y), (right, up) = -bias * weights / (weights @ weights), weights / np.linalg.norm(weights)
        step = max(1.0, abs(x) / 1000, abs(y) / 1000)  # far from 0, x + 1 is x
        axes.axline((x, y), (x - step * up, y + step * right), color=color, linewidth=linewidth, **options)


def ring_points(axes: "Axes", points: Floats, name: str, *, size: float = 110, width: float = 1.1) -> None:
    """Rings around points, with a name in the legend. Without points there is no name."""
    if len(points):
        axes.scatter(points[:, 0], points[:, 1], size, facecolors="none", edgecolors=BLACK, linewidths=width, label=name)


def ring_errors(axes: "Axes", points: Floats, *, size: float = 230) -> None:
    """Wide rings around points that get a wrong label. They fit around the rings of `ring_points`."""
    ring_points(axes, points, "wrong point", size=size, width=1.8)


def _span(values: Floats, n_steps: int) -> Floats:
    low, high = float(values.min()), float(values.max())
    more = 0.05 * ((high - low) or 1.0)
    return np.linspace(low - more, high + more, n_steps)
