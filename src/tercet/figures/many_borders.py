"""How many lines part two labels."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.errors import NotSeparable
from tercet.figures.lines import check_plane, draw_line, frame_points
from tercet.figures.plane import draw_points
from tercet.figures.style import GREY, make_figure, write_legend
from tercet.models.classifier import encode_signs
from tercet.options import check_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure

N_DIRECTIONS = 3600  # that are tried


def separating_lines(points: Any, labels: Any, n_lines: int = 30) -> "Figure":
    """Some of the infinitely many lines that part two labels: which one is best, the points alone do not say.

    >>> separating_lines([[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"])
    <Figure size 520x390 with 1 Axes>
    """
    points = check_plane(points)
    found, signs = encode_signs(labels, len(points))
    figure, (axes,) = make_figure()
    for place, (normal, offset) in enumerate(find_lines(points, signs, check_count("n_lines", n_lines))):
        draw_line(axes, normal, offset, GREY, 0.7, zorder=0.5, label="_" if place else "parts them without a mistake")
    draw_points(axes, points, (signs > 0).astype(np.int64), found.tolist())
    frame_points(axes, points)
    write_legend(figure)
    return figure


def find_lines(points: Floats, signs: Floats, n_lines: int) -> list[tuple[Floats, float]]:
    """Lines (w, b), ‖w‖ = 1, with w·x + b above 0 for the signs above 0 and below 0 for the others.

    Their directions are spread over all that are possible; each lies somewhere in the gap that its direction leaves.

    >>> find_lines(np.array([[0.0, 0.0], [0.0, 2.0]]), np.array([-1.0, 1.0]), 3)[1][0].round(2) + 0.0
    array([0., 1.])
    """
    # A direction that leaves a gap also parts the means, so all are within a right angle of this one.
    towards = points[signs > 0].mean(axis=0) - points[signs < 0].mean(axis=0)
    turns = np.arctan2(towards[1], towards[0]) + np.linspace(-np.pi / 2, np.pi / 2, N_DIRECTIONS + 1)
    normals = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    ends = (points[signs < 0] @ normals.T).max(axis=0), (points[signs > 0] @ normals.T).min(axis=0)
    possible = np.flatnonzero(ends[0] < ends[1])
    if not len(possible):
        raise NotSeparable(
            f"none of {N_DIRECTIONS} directions leaves a gap between the two labels: no line parts these points."
        )
    # The gaps of the outermost are too narrow to see.
    chosen = possible[np.linspace(0.1 * len(possible), 0.9 * (len(possible) - 1), n_lines).astype(int)]
    # Steps of the golden ratio fall evenly anywhere, and no two neighbours are alike.
    shares = 0.1 + 0.8 * ((np.arange(1, n_lines + 1) * 0.618034) % 1)
    offsets = -(ends[0][chosen] * (1 - shares) + ends[1][chosen] * shares)
    return [(normal, float(offset)) for normal, offset in zip(normals[chosen], offsets, strict=True)]
