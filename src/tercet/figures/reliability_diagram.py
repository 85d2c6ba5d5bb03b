"""The reliability diagram: the probability of the answers against their accuracy. On the diagonal they are equal."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from tercet.errors import InvalidOption
from tercet.evaluation.intervals import wilson
from tercet.evaluation.probabilities import Reliability
from tercet.figures.style import BLUE, GREY, SKY, make_figure, name_panels
from tercet.report.report import Report
from tercet.report.svg_pictures import shorten_count

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ReliabilitySource = Report | Reliability


def reliability(found: ReliabilitySource | Mapping[str, ReliabilitySource]) -> "Figure":
    """For each bin of probability the accuracy with its 95 % interval, and below the number of documents.

    Reports need probabilities. Several reports are given by name and drawn side by side, for example before and after
    calibration.

    >>> from tercet import evaluate
    >>> reliability(evaluate(["a", "b", "b"], ["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]))
    <Figure size 400x500 with 2 Axes>
    """
    panels = {name: _take_table(source) for name, source in name_panels(found).items()}
    figure, axes = make_figure(len(panels), 2, width=4, height=2.5, sharex=True, height_ratios=(3, 1))
    for index, (name, table) in enumerate(panels.items()):
        above, below = axes[index], axes[len(panels) + index]
        _draw_bins(above, table)
        _draw_counts(below, table)
        above.set_title(f"{name}: " * bool(name) + f"calibration error {_measure_error(table):.3f}", fontsize="medium")
    axes[0].set_ylabel("accuracy")
    axes[len(panels)].set_ylabel("documents")
    return figure


def _take_table(found: ReliabilitySource) -> Reliability:
    table = found.reliability if isinstance(found, Report) else found
    if table is None:
        raise InvalidOption("the report has no probabilities: a reliability diagram needs them. Evaluate with probabilities.")
    return table


def _measure_error(table: Reliability) -> float:
    """The expected calibration error, as in the metric `calibration_error`."""
    gaps = np.abs(table.accuracy - table.confidence)[table.counts > 0]
    return float(gaps @ table.counts[table.counts > 0] / table.counts.sum())


def _draw_bins(axes: "Axes", table: Reliability) -> None:
    filled = table.counts > 0
    right, n = np.minimum(table.accuracy[filled], 1), table.counts[filled]
    intervals = [wilson(p * count, count) for p, count in zip(right.tolist(), n.tolist(), strict=True)]
    below, above = right - [interval.low for interval in intervals], [interval.high for interval in intervals] - right
    axes.plot([0, 1], [0, 1], "--", color=GREY, linewidth=1)
    lengths = np.maximum([below, above], 0)  # an interval may end at the value, or just before it because of rounding
    axes.errorbar(table.confidence[filled], right, lengths, fmt="o", color=BLUE, linewidth=1, capsize=3, clip_on=False)
    axes.set(xlim=(0, 1), ylim=(-0.04, 1.04), xticks=np.linspace(0, 1, 6), yticks=np.linspace(0, 1, 6))


def _draw_counts(axes: "Axes", table: Reliability) -> None:
    bars = axes.bar(table.edges[:-1], table.counts, np.diff(table.edges), align="edge", color=SKY, edgecolor="white")
    axes.bar_label(bars, [shorten_count(n) if n else "" for n in table.counts.tolist()], fontsize="x-small", padding=1)
    axes.margins(y=0.25)
    axes.set_xlabel("probability of the answer")
