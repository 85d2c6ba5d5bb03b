"""The confusion matrix as a heat map: right answers in blue, wrong answers in orange."""

from typing import TYPE_CHECKING

import numpy as np

from tercet.arrays import Floats
from tercet.evaluation.confusion import Confusion, list_most_confused_labels
from tercet.figures.style import BLUE, RED, make_figure, measure_width, mix_with_white, show_names
from tercet.report.report import Report
from tercet.report.svg_pictures import MAX_LABELS, shorten_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_COUNTED = 16  # labels with a number in each cell; with more, the numbers would be too small


def confusion_heat_map(found: Report | Confusion) -> "Figure":
    """A row for each gold label and a column for each predicted label. A stronger colour is a larger share of its row.

    If there are more than 30 labels, only the most confused are shown. With up to 16 labels, each cell has its number.

    >>> confusion_heat_map(Confusion.of(gold=["ham", "ham", "spam"], predicted=["ham", "spam", "spam"]))
    <Figure size ... with 1 Axes>
    """
    confusion = found.confusion if isinstance(found, Report) else found
    chosen = list_most_confused_labels(confusion, MAX_LABELS)
    names = show_names([confusion.labels.tolist()[index] for index in chosen], 20)
    counts, sums = confusion.pick(chosen), confusion.support[chosen]
    shares = np.divide(counts, sums[:, None], out=np.zeros_like(counts), where=sums[:, None] > 0)
    figure, (axes,) = make_figure()
    colors = [[mix_with_white(BLUE if i == j else RED, share) for j, share in enumerate(row)] for i, row in enumerate(shares)]
    axes.imshow(colors)
    _name_sides(figure, axes, names)
    if len(names) <= MAX_COUNTED:
        _write_counts(axes, counts, shares)
    if len(names) < len(confusion.labels):
        axes.set_title(f"the {len(names)} most mistaken of {len(confusion.labels)} labels", fontsize="medium")
    return figure


def _name_sides(figure: "Figure", axes: "Axes", names: list[str]) -> None:
    n, is_counted = len(names), len(names) <= MAX_COUNTED
    cell, font = max(0.45 if is_counted else 0.24, 1.2 / n), "medium" if is_counted else "small"
    axes.set_xticks(range(n), names, fontsize=font)
    axes.set_yticks(range(n), names, fontsize=font)
    axes.set(xlabel="predicted", ylabel="gold")
    axes.tick_params(length=0)
    lines, ends = np.arange(1, n) - 0.5, (-0.5, n - 0.5)
    for draw_lines in (axes.vlines, axes.hlines):
        draw_lines(lines, *ends, color="#DDDDDD", linewidth=0.5)
    longest = measure_width(figure, axes.get_yticklabels())
    is_turned = longest > 0.9 * cell
    axes.tick_params(axis="x", labelrotation=90 if is_turned else 0)
    # The figure grows with the labels, so that all cells have one size.
    figure.set_size_inches(n * cell + longest + 0.6, n * cell + (longest if is_turned else 0.2) + 0.8)


def _write_counts(axes: "Axes", counts: Floats, shares: Floats) -> None:
    for (i, j), share in np.ndenumerate(shares):
        if counts[i, j]:
            color = "white" if i == j and share > 0.85 else "black"  # for contrast with blue and red
            axes.text(j, i, shorten_count(float(counts[i, j])), ha="center", va="center", color=color, fontsize="small")
