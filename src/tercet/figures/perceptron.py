"""The path of a perceptron: its border after each mistake."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.counts.labels import find_labels
from tercet.figures.plane import check_plane, draw_line, draw_points, frame_points, ring_points
from tercet.figures.style import BLACK, import_matplotlib, make_figure, write_legend
from tercet.models.perceptron import Perceptron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BORDERS = 60  # more would be one black area


def perceptron_path(model: Perceptron, points: Any, labels: Any) -> "Figure":
    """The border after each mistake, earlier borders paler, and rings around the documents of the mistakes.

    If there are many borders, only some are drawn, evenly spaced, and the title says how many. The model was fitted on these
    points, which have two columns.

    >>> points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> perceptron_path(Perceptron().fit(points, labels), points, labels)
    <Figure size 620x420 with 2 Axes>
    """
    points = check_plane(points)
    figure, (axes,) = make_figure(width=6.2, height=4.2)
    shades = shade_mistakes(len(model.path_))
    drawn = _choose_numbers(len(model.path_), MOST_BORDERS)
    for number in drawn:
        mistake = model.path_[number - 1]
        draw_line(axes, mistake.weights, mistake.bias, shades.to_rgba(number), 1.2, zorder=0.5)
    if len(drawn) < len(model.path_):
        axes.set_title(f"{len(drawn)} of {len(model.path_)} borders", fontsize="medium")
    draw_line(axes, model.weights_, model.bias_, BLACK, 2.2, zorder=0.6, label="last border")
    draw_points(axes, points, find_labels(labels, model.classes_), model.classes_.tolist())
    ring_points(axes, points[sorted({mistake.document for mistake in model.path_})], "mistaken")
    figure.colorbar(shades, ax=axes, label="border after mistake", ticks=_choose_numbers(len(model.path_), 6))
    frame_points(axes, points)
    write_legend(figure)
    return figure


def shade_mistakes(n: int) -> Any:
    """A shade of grey for each number from 1 (pale) to n (black)."""
    colors = [str(shade) for shade in np.linspace(0.85, 0.0, n)]
    steps = import_matplotlib("matplotlib.colors")
    norm = steps.BoundaryNorm(np.arange(n + 1) + 0.5, n)
    return import_matplotlib("matplotlib.cm").ScalarMappable(norm, steps.ListedColormap(colors))


def _choose_numbers(n: int, most: int) -> list[int]:
    """Numbers from 1 to n: the first, the last and some between them, evenly spaced.

    >>> _choose_numbers(3, 6), _choose_numbers(101, 5)
    ([1, 2, 3], [1, 26, 51, 76, 101])
    """
    return sorted({round(number) for number in np.linspace(1, n, min(n, most))})
