"""The path of a perceptron: its border after each mistake, in one picture or as a film."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.course.perceptron import Perceptron
from tercet.figures.plane import check_plane, draw_line, draw_points, find_codes, frame_points, ring_points
from tercet.figures.saving import Film
from tercet.figures.style import BLACK, import_matplotlib, make_figure, write_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BORDERS = 60  # more would be one black area
MAX_FRAMES = 40  # mistakes that a film shows, in half a minute
BEFORE: dict[str, Any] = {"linestyle": ":", "linewidth": 1.2}  # the border before and after the mistake of a frame
AFTER: dict[str, Any] = {"linestyle": "-", "linewidth": 2.0}


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
    drawn = _choose_numbers(len(model.path_), MAX_BORDERS)
    for number in drawn:
        mistake = model.path_[number - 1]
        draw_line(axes, mistake.weights, mistake.bias, shades.to_rgba(number), 1.2, zorder=0.5)
    if len(drawn) < len(model.path_):
        axes.set_title(f"{len(drawn)} of {len(model.path_)} borders", fontsize="medium")
    draw_line(axes, model.weights_, model.bias_, BLACK, 2.2, zorder=0.6, label="last border")
    draw_points(axes, points, find_codes(labels, model.classes_, len(points)), model.classes_.tolist())
    ring_points(axes, points[sorted({mistake.document for mistake in model.path_})], "mistaken")
    figure.colorbar(shades, ax=axes, label="border after mistake", ticks=_choose_numbers(len(model.path_), 6))
    frame_points(axes, points)
    write_legend(figure)
    return figure


def perceptron_film(model: Perceptron, points: Any, labels: Any) -> Film:
    """The path as a film: each frame has one mistake, its point, and the border before and after it. The last has the result.

    If there are many mistakes, only some have a frame, evenly spaced. `save_figure` writes the film as an animated GIF.

    >>> points, labels = [[0, 0], [1, 2], [2, 0], [3, 1]], ["a", "a", "b", "b"]
    >>> perceptron_film(Perceptron().fit(points, labels), points, labels).n_frames
    6
    """
    points = check_plane(points)
    codes = find_codes(labels, model.classes_, len(points))
    figure, (axes,) = make_figure(height=4.6)
    draw_points(axes, points, codes, model.classes_.tolist())
    frame_points(axes, points)
    axes.plot([], [], color=BLACK, label="border before", **BEFORE)
    axes.plot([], [], color=BLACK, label="border after", **AFTER)
    axes.scatter([], [], 110, facecolors="none", edgecolors=BLACK, label="mistaken")
    write_legend(figure)
    numbers = _choose_numbers(len(model.path_), MAX_FRAMES)
    n_wrong = int((model.predict(points) != model.classes_[codes]).sum())
    n_lines, n_collections = len(axes.lines), len(axes.collections)  # what all frames have

    def show(frame: int) -> None:
        for artist in [*axes.lines[n_lines:], *axes.collections[n_collections:]]:
            artist.remove()
        if frame < len(numbers):
            _show_mistake(axes, model, points, numbers[frame])
        else:
            draw_line(axes, model.weights_, model.bias_, **AFTER)
            left = f"{n_wrong} of {len(points)} points are" if n_wrong else "no point is"
            axes.set_title(f"after {len(model.path_)} mistakes {left} on the wrong side", fontsize="medium")

    return Film(figure, len(numbers) + 1, show)


def _show_mistake(axes: "Axes", model: Perceptron, points: Floats, number: int) -> None:
    mistake = model.path_[number - 1]
    if number > 1:
        draw_line(axes, model.path_[number - 2].weights, model.path_[number - 2].bias, **BEFORE)
    draw_line(axes, mistake.weights, mistake.bias, **AFTER)
    ring_points(axes, points[[mistake.document]], "_")
    axes.set_title(f"mistake {number} of {len(model.path_)}", fontsize="medium")


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
