"""How much to smooth: too little trusts rare words too much, too much drowns them all."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tercet.evaluation.intervals import Estimate
from tercet.figures.style import BLACK, GREY, draw_curve, make_figure, mark_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def smoothing_curve(values: Sequence[float], log_likelihoods: Sequence[float], accuracies: Sequence[Estimate]) -> "Figure":
    """Against ε, for documents that are left out: above the mean of log P(own label), and where it is best; below the accuracy.

    `tercet.measure_smoothing_curve` finds all three.

    >>> from tercet.evaluation.intervals import wilson
    >>> smoothing_curve([0.01, 0.1, 1.0], [-0.7, -0.3, -0.5], [wilson(8, 10), wilson(9, 10), wilson(8, 10)])
    <Figure size 520x468 with 2 Axes>
    """
    figure, (above, below) = make_figure(rows=2, height=2.34, sharex=True)
    best = int(np.argmax(log_likelihoods))
    color, marker, line = mark_of(0)
    above.plot(values, log_likelihoods, line, marker=marker, markersize=4, color=color)
    above.plot(values[best], log_likelihoods[best], "*", markersize=14, color=BLACK)
    draw_curve(below, values, accuracies, mark_of(1))
    for axes in (above, below):
        axes.axvline(values[best], color=GREY, linestyle=":", linewidth=1)
    above.set_xscale("log")
    above.set(ylabel="mean log P(own label)", title=f"likeliest: ε = {values[best]:g}")
    above.title.set_fontsize("medium")
    below.set(xlabel="ε, added to each count", ylabel="accuracy")
    return figure
