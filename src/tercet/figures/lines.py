"""Straight lines through points of the plane."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import check_dense
from tercet.errors import InvalidMatrix
from tercet.figures.style import BLACK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROOM = 0.08  # around the points, as a share of their extent


def check_plane(points: Any) -> Floats:
    """Points with two columns."""
    found = check_dense(points, "points")
    if found.shape[1] != 2:
        raise InvalidMatrix(f"the points have {found.shape[1]} columns: the plane has two.")
    return found


def frame_points(axes: "Axes", points: Floats) -> None:
    """Limits with some room around the points, and one scale for both axes: what is upright must look so."""
    extents = np.ptp(points, axis=0)
    room = ROOM * extents.max() or 1.0
    (left, low), (right, high) = points.min(axis=0) - room, points.max(axis=0) + room
    axes.set(xlim=(left, right), ylim=(low, high), aspect="equal", xlabel="x₁", ylabel="x₂")


def draw_line(axes: "Axes", weights: Floats, bias: float, color: Any = BLACK, width: float = 1.4, **options: Any) -> None:
    """The places with w·x + b = 0; nothing where w = 0, which parts nothing."""
    if weights.any():
        (x, y), (right, up) = -bias * weights / (weights @ weights), weights / np.linalg.norm(weights)
        axes.axline((x, y), (x - up, y + right), color=color, linewidth=width, **options)


def ring_points(axes: "Axes", points: Floats, name: str) -> None:
    """Rings around points, named in the legend."""
    axes.scatter(points[:, 0], points[:, 1], 110, facecolors="none", edgecolors=BLACK, linewidths=1.1, label=name)
