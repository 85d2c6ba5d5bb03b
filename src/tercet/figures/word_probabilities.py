"""Word bars: Bayes' rule for one word, as a bar for each label."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.figures.style import BLUE, GREY, SKY, make_figure, measure_width, show_name, show_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_BARS = 20  # labels


def word_bars(
    word: str, labels: Sequence[Any], prior: Sequence[float], likelihood: Sequence[float], posterior: Sequence[float]
) -> "Figure":
    """Three panels with a bar for each label: P(label), P(word | label) and P(label | word).

    `Categorizer.word_probabilities` computes all of them. With more than 20 labels, those with the highest posterior are shown.

    >>> word_bars("good", ["+", "-"], [0.5, 0.5], [0.2, 0.1], [0.667, 0.333])
    <Figure size ... with 3 Axes>
    """
    values = np.stack([np.asarray(numbers, np.float64) for numbers in (prior, likelihood, posterior)])
    chosen = np.sort(np.argsort(-values[2], kind="stable")[:MAX_BARS])
    shown = show_name(word, 20)
    names = ("prior\nP(label)", f"likelihood\nP({shown} | label)", f"posterior\nP(label | {shown})")
    figure, all_axes = make_figure(3, sharey=True)
    for axes, name, numbers, color in zip(all_axes, names, values[:, chosen], (GREY, SKY, BLUE), strict=True):
        _draw_bars(axes, numbers, color)
        axes.set_title(name, fontsize="medium")
    all_axes[0].set_yticks(range(len(chosen)), show_names([labels[index] for index in chosen.tolist()]))
    all_axes[0].set_ylim(len(chosen) - 0.4, -0.6)
    if len(chosen) < len(labels):
        figure.supxlabel(f"{len(chosen)} of {len(labels)} labels, those with the highest posterior", fontsize="medium")
    figure.set_size_inches(6.6 + measure_width(figure, all_axes[0].get_yticklabels()), 1.4 + 0.3 * len(chosen))
    return figure


def _draw_bars(axes: "Axes", numbers: Floats, color: str) -> None:
    bars = axes.barh(range(len(numbers)), numbers, 0.7, color=color)
    axes.bar_label(bars, [f"{number:.3g}" for number in numbers.tolist()], padding=3, fontsize="small")
    axes.set_xlim(0, 1.35 * numbers.max() or 1.0)  # with room for the numbers
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=3)
