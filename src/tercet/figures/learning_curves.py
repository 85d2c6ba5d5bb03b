"""Learning curves and smoothing curves."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.figures.style import BLACK, GREY, LabelStyle, make_figure, name_panels, show_names, style_of, write_legend
from tercet.report.svg_pictures import shorten_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def learning_curve(
    sizes: Sequence[int], estimates: Sequence[Estimate] | Mapping[str, Sequence[Estimate]], *, metric: str = "accuracy"
) -> "Figure":
    """A metric against the number of learned documents, with its interval. Several curves are given by name.

    `tercet.measure_learning_curve` computes sizes and estimates.

    >>> from tercet.evaluation.intervals import wilson
    >>> learning_curve([10, 100], [wilson(6, 10), wilson(9, 10)])
    <Figure size 520x390 with 1 Axes>
    """
    figure, (axes,) = make_figure()
    curves = name_panels(estimates)
    for index, (name, curve) in enumerate(zip(show_names(list(curves)), curves.values(), strict=True)):
        if len(curve) != len(sizes):
            raise InvalidOption(f"{len(sizes)} sizes and {len(curve)} estimates: each size needs one estimate.")
        draw_curve(axes, sizes, curve, style_of(index), name)
    axes.set_xscale("log")
    axes.minorticks_off()
    ticks = choose_ticks(sizes)
    axes.set_xticks(ticks, [shorten_count(tick) for tick in ticks])
    axes.set(xlabel="documents learned", ylabel=metric)
    if len(curves) > 1:
        write_legend(figure)
    return figure


def choose_ticks(sizes: Sequence[int]) -> list[int]:
    """The sizes that can be written side by side below a logarithmic axis. The largest is always one of them.

    >>> choose_ticks([10, 11, 100, 1000, 1001])
    [11, 100, 1001]
    """
    ordered = sorted(sizes, reverse=True)
    ratio = max(1.7, (ordered[0] / ordered[-1]) ** 0.125 * 0.999)
    kept = ordered[:1]
    for size in ordered:
        if size * ratio <= kept[-1]:
            kept.append(size)
    return kept[::-1]


def smoothing_curve(values: Sequence[float], log_likelihoods: Sequence[float], accuracies: Sequence[Estimate]) -> "Figure":
    """Leave-one-out results against the smoothing ε: above the mean of log P(own label) and its maximum, below the accuracy.

    `tercet.measure_smoothing_curve` computes all three.

    >>> from tercet.evaluation.intervals import wilson
    >>> smoothing_curve([0.01, 0.1, 1.0], [-0.7, -0.3, -0.5], [wilson(8, 10), wilson(9, 10), wilson(8, 10)])
    <Figure size 520x468 with 2 Axes>
    """
    figure, (above, below) = make_figure(rows=2, height=2.34, sharex=True)
    best = int(np.argmax(log_likelihoods))
    color, marker, line = style_of(0)
    above.plot(values, log_likelihoods, line, marker=marker, markersize=4, color=color)
    above.plot(values[best], log_likelihoods[best], "*", markersize=14, color=BLACK)
    draw_curve(below, values, accuracies, style_of(1))
    for axes in (above, below):
        axes.axvline(values[best], color=GREY, linestyle=":", linewidth=1)
    above.set_xscale("log")
    above.set(ylabel="mean log P(own label)", title=f"best: ε = {values[best]:g}")
    above.title.set_fontsize("medium")
    below.set(xlabel="ε, added to each count", ylabel="accuracy")
    return figure


def draw_curve(axes: "Axes", x: Sequence[float], estimates: Sequence[Estimate], style: LabelStyle, name: str = "") -> None:
    """Values with a band for their intervals. A single value has a bar."""
    color, marker, line = style
    lows, highs = [estimate.low for estimate in estimates], [estimate.high for estimate in estimates]
    if len(x) == 1:
        axes.vlines(x, lows, highs, color=color, alpha=0.5)
    axes.fill_between(x, lows, highs, color=color, alpha=0.15, linewidth=0)
    values = [estimate.value for estimate in estimates]
    axes.plot(x, values, line, marker=marker, markersize=4, color=color, label=name)
