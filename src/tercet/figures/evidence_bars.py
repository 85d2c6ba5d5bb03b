"""Evidence bars: the evidence of one prediction. Bars to the right are for the label, bars to the left are against it."""

import math
from typing import TYPE_CHECKING

from tercet.figures.style import BLACK, BLUE, GREY, RED, make_figure, measure_width, show_name
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
    _draw_bars(axes, [value for _, value in rows])
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


def _draw_bars(axes: "Axes", values: list[float]) -> None:
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
