"""The confusion matrix: blue where the answer is right, red where it is wrong."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tercet.evaluation.confusion import Confusion
from tercet.figures.style import BLUE, RED, make_figure, mix_with_white, show_name
from tercet.report.heat_map import MOST_LABELS, choose_labels, shorten_count
from tercet.report.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = npt.NDArray[np.float64]
MOST_COUNTED = 16  # labels, so that the numbers can be read


def confusion_heat_map(found: Report | Confusion) -> "Figure":
    """A row for each gold label, a column for each predicted one; the stronger the colour, the larger the share of its row.

    Of more than 30 labels, those that are mistaken for one another most often; up to 16 have the number in each cell.

    >>> confusion_heat_map(Confusion.of(gold=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"]))
    <Figure size 340x320 with 1 Axes>
    """
    confusion = found.confusion if isinstance(found, Report) else found
    chosen = choose_labels(confusion, MOST_LABELS)
    names = [show_name(confusion.labels.tolist()[place], 20) for place in chosen]
    counts, sums = confusion.counts[np.ix_(chosen, chosen)], confusion.support[chosen]
    shares = np.divide(counts, sums[:, None], out=np.zeros_like(counts), where=sums[:, None] > 0)
    side = len(names) * (0.45 if len(names) <= MOST_COUNTED else 0.24)
    figure, (axes,) = make_figure(width=max(side, 1.5) + 1.9, height=max(side, 1.5) + 1.7)
    colors = [[mix_with_white(BLUE if i == j else RED, share) for j, share in enumerate(row)] for i, row in enumerate(shares)]
    axes.imshow(colors)
    _name_sides(axes, names)
    if len(names) <= MOST_COUNTED:
        _write_counts(axes, counts, shares)
    if len(names) < len(confusion.labels):
        axes.set_title(f"the {len(names)} most mistaken of {len(confusion.labels)} labels", fontsize="medium")
    return figure


def _name_sides(axes: "Axes", names: list[str]) -> None:
    small = "medium" if len(names) <= MOST_COUNTED else "small"
    turned = max(map(len, names)) > 4
    axes.set_xticks(range(len(names)), names, rotation=90 if turned else 0, fontsize=small)
    axes.set_yticks(range(len(names)), names, fontsize=small)
    axes.set(xlabel="predicted", ylabel="gold")
    axes.tick_params(length=0)
    between, ends = np.arange(1, len(names)) - 0.5, (-0.5, len(names) - 0.5)
    for draw_lines in (axes.vlines, axes.hlines):
        draw_lines(between, *ends, color="#DDDDDD", linewidth=0.5)


def _write_counts(axes: "Axes", counts: Floats, shares: Floats) -> None:
    for (i, j), share in np.ndenumerate(shares):
        if counts[i, j]:
            color = "white" if i == j and share > 0.85 else "black"  # as the contrast to blue and red wants it
            axes.text(j, i, shorten_count(float(counts[i, j])), ha="center", va="center", color=color, fontsize="small")
