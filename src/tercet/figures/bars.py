"""Bars: the evidence of one prediction, for the label and against it; and Bayes' rule for one word, as a bar for each label."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats
from tercet.figures.style import BLACK, BLUE, GREY, RED, SKY, make_figure, measure_width, show_name, show_names
from tercet.report.explanation.as_text import list_rows, show_value
from tercet.report.explanation.explanation import Explanation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def evidence_bars(explanation: Explanation, n: int = 12) -> "Figure":
    """The prior, the n strongest terms, all others together, and their sum, which is the log-odds of the decision.

    An infinite value is drawn to the edge and written as infinite.

    >>> from tercet import Categorizer
    >>> evidence_bars(Categorizer().fit(["so good", "so bad"], ["+", "-"]).explain("good"))
    <Figure size ... with 1 Axes>
    """
    rows = [(row.term, row.value) for row in list_rows(explanation.prior, explanation.evidence, n)]
    rows.append(("sum", explanation.score))
    figure, (axes,) = make_figure()
    _draw_evidence(axes, [value for _, value in rows])
    axes.set_yticks(range(len(rows)), [show_name(term, 30) for term, _ in rows])
    axes.axhline(len(rows) - 1.5, color=GREY, linewidth=0.8)
    axes.axvline(0, color=BLACK, linewidth=0.8)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set(ylim=(len(rows) - 0.4, -0.6), xlabel="log-odds")
    axes.set_title(f"← {show_name(explanation.against, 16)}", loc="left", fontsize="medium")
    axes.set_title(f"{show_name(explanation.label, 16)} →", loc="right", fontsize="medium")
    figure.set_size_inches(5.2 + measure_width(figure, axes.get_yticklabels()), 1 + 0.28 * len(rows))
    return figure


def _draw_evidence(axes: "Axes", values: list[float]) -> None:
    finite = [abs(value) for value in values if math.isfinite(value)]
    edge = 1.2 * max(finite, default=0.0) or 1.0
    lengths = [0.0 if math.isnan(value) else min(max(value, -edge), edge) for value in values]
    colors = [GREY if index == 0 else BLUE if value >= 0 else RED for index, value in enumerate(values)]
    bars = axes.barh(range(len(values)), lengths, 0.7, color=colors)
    axes.bar_label(bars, [show_value(value) for value in values], padding=3, fontsize="small")
    for bar in bars:
        bar.set_hatch("///" if bar.get_width() < 0 else "")
        bar.set_edgecolor("white")
    axes.margins(x=0.2)


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
        _draw_probabilities(axes, numbers, color)
        axes.set_title(name, fontsize="medium")
    all_axes[0].set_yticks(range(len(chosen)), show_names([labels[index] for index in chosen.tolist()]))
    all_axes[0].set_ylim(len(chosen) - 0.4, -0.6)
    if len(chosen) < len(labels):
        figure.supxlabel(f"{len(chosen)} of {len(labels)} labels, those with the highest posterior", fontsize="medium")
    figure.set_size_inches(6.6 + measure_width(figure, all_axes[0].get_yticklabels()), 1.4 + 0.3 * len(chosen))
    return figure


def _draw_probabilities(axes: "Axes", numbers: Floats, color: str) -> None:
    bars = axes.barh(range(len(numbers)), numbers, 0.7, color=color)
    axes.bar_label(bars, [f"{number:.3g}" for number in numbers.tolist()], padding=3, fontsize="small")
    axes.set_xlim(0, 1.35 * numbers.max() or 1.0)  # with room for the numbers
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=3)
