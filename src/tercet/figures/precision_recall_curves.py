"""Precision–recall curves: how many documents of a label are found, and how many answers are right, at each threshold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Integers
from tercet.errors import InvalidOption
from tercet.figures.style import LABEL_STYLES, make_figure, show_name, style_of, write_legend
from tercet.report.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = len(LABEL_STYLES)  # with more, two curves would look the same


def precision_recall(report: Report, labels: Sequence[Any] | None = None) -> "Figure":
    """A curve for each of these labels, at most seven; by default the labels with the most documents.

    The report needs probabilities. On the left the threshold is high: few answers, most of them right.

    >>> from tercet import evaluate
    >>> precision_recall(evaluate(["a", "b", "b"], ["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]))
    <Figure size 520x390 with 1 Axes>
    """
    chosen = _find_frequent(report) if labels is None else list(labels)
    if not 0 < len(chosen) <= MOST_CURVES:
        raise InvalidOption(f"a picture shows 1 to {MOST_CURVES} curves, got {len(chosen)} labels: name fewer of them.")
    curves = [report.curve(label) for label in chosen]
    figure, (axes,) = make_figure()
    for place, curve in enumerate(curves):
        color, _, line = style_of(place)
        # From the highest threshold to the lowest. Between two points the next one holds, so the line has steps.
        recall, precision = curve.recall[::-1], curve.precision[::-1]
        axes.step(
            np.concatenate([[0.0], recall]),
            np.concatenate([precision[:1], precision]),
            line,
            where="pre",
            color=color,
            label=show_name(curve.label),
        )
    axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.04))
    if len(curves) < len(report.labels):
        axes.set_title(f"{len(curves)} of {len(report.labels)} labels", fontsize="medium")
    write_legend(figure)
    return figure


def _find_frequent(report: Report) -> list[Any]:
    """The labels with the most gold documents, in their own order. A label without any has no recall."""
    support = report.confusion.support
    places: Integers = np.argsort(-support, kind="stable")[:MOST_CURVES]
    return [report.labels.tolist()[place] for place in sorted(places.tolist()) if support[place] > 0]
