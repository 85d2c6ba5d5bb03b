"""ROC curves: how many documents of a label are found, and how many others are mistaken for them, at each threshold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tercet.errors import InvalidOption
from tercet.figures.precision_recall_curves import choose_labels, finish_curves, make_curve_figure, name_curves
from tercet.figures.style import GREY, style_of
from tercet.report.report import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def roc(report: Report, labels: Sequence[Any] | None = None) -> "Figure":
    """A curve for each of these labels against all others, at most seven; by default the labels with the most documents.

    The report needs probabilities. At the lower left the threshold is high: few answers. Random answers are on the diagonal.
    The legend has the area under the curve (`roc_auc`) with its interval.

    >>> from tercet import evaluate
    >>> roc(evaluate(["a", "b", "b"], ["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]))
    <Figure size 520x446 with 1 Axes>
    """
    curves = [report.roc_curve(label) for label in choose_labels(report, labels)]
    if (report.confusion.support > 0).sum() < 2:
        raise InvalidOption("all documents have the same label, and a ROC curve compares a label with others: add documents.")
    names = name_curves(report, [curve.label for curve in curves], "roc_auc")
    figure, (axes,) = make_curve_figure(len(curves) + 1)
    for index, (curve, name) in enumerate(zip(curves, names, strict=True)):
        color, _, line = style_of(index)
        axes.plot(curve.false_positive_rate, curve.recall, line, color=color, label=name)
    axes.plot([0, 1], [0, 1], ":", color=GREY, linewidth=1, label="random answers")
    axes.set(xlabel="false positive rate", ylabel="recall (true positive rate)", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02))
    axes.set_aspect("equal")
    finish_curves(figure, report, len(curves))
    return figure
