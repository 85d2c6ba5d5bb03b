"""Points of the plane, and which label each place of it gets."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.figures.style import BLACK, mark_of, mix_with_white, show_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_STEPS = 81  # of the grid, each way


def draw_points(axes: "Axes", points: Floats, codes: npt.NDArray[np.int64], labels: Sequence[Any]) -> None:
    """Points, n × 2, each with the mark of its label, and their names for the legend; `codes` are places among `labels`."""
    for place, label in enumerate(labels):
        color, marker, _ = mark_of(place)
        own = points[codes == place]
        axes.scatter(own[:, 0], own[:, 1], 22, color, marker=marker, alpha=0.75, linewidths=0, label=show_name(label))


def draw_regions(axes: "Axes", score: Callable[[Floats], Floats], points: Floats, n_steps: int = N_STEPS) -> None:
    """The places around the points in the colour of the label with the highest score, and the border between the labels.

    `score` gives places × labels for places × 2. The grid has so many steps each way; straight borders need but two.
    """
    x, y = (_span(column, n_steps) for column in points.T)
    places = np.stack([part.ravel() for part in np.meshgrid(x, y)], axis=1)
    scores = score(places)
    axes.set_facecolor(mix_with_white(mark_of(0).color, 0.1))  # of the first label, where no other is painted over it
    for label in range(1, scores.shape[1]):
        ahead = scores[:, label] - np.delete(scores, label, axis=1).max(axis=1)
        lead = ahead.reshape(len(y), len(x))
        if lead.max() > 0:
            axes.contourf(x, y, lead, [0, np.inf], colors=[mix_with_white(mark_of(label).color, 0.1)])
        if lead.min() < 0 < lead.max():
            axes.contour(x, y, lead, [0], colors=BLACK, linewidths=1.4)
    axes.set(xlim=(x[0], x[-1]), ylim=(y[0], y[-1]))


def _span(values: Floats, n_steps: int) -> Floats:
    low, high = float(values.min()), float(values.max())
    more = 0.05 * ((high - low) or 1.0)
    return np.linspace(low - more, high + more, n_steps)
