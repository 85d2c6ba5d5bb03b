"""ROC curves and precision–recall curves: how many documents of a label are found, and at what price, at each threshold."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Integers
from tercet.errors import InvalidOption
from tercet.figures.style import GREY, HEIGHT, LABEL_STYLES, make_figure, show_names, style_of, write_legend
from tercet.report.report import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MAX_CURVES = len(LABEL_STYLES)  # with more, two curves would look the same
LINE = 0.28  # height of a line of the legend, in inches


def precision_recall(report: Report, labels: Sequence[Any] | None = None) -> "Figure":
    """A curve for each of these labels, at most seven; by default the labels with the most documents.

    The report needs probabilities. On the left the threshold is high: few answers, most of them right. The legend has the
    average precision, the area under the steps, with its interval.

    >>> from tercet import evaluate
    >>> precision_recall(evaluate(["a", "b", "b"], ["a", "a", "b"], [[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]]))
    <Figure size 520x418 with 1 Axes>
    """
    curves = [report.curve(label) for label in choose_labels(report, labels)]
    names = name_curves(report, [curve.label for curve in curves], "average_precision")
    figure, (axes,) = make_curve_figure(len(curves))
    for index, (curve, name) in enumerate(zip(curves, names, strict=True)):
        color, _, line = style_of(index)
        # From the highest threshold to the lowest. Between two points the next one holds, so the line has steps.
        recall, precision = curve.recall[::-1], curve.precision[::-1]
        steps = np.concatenate([[0.0], recall]), np.concatenate([precision[:1], precision])
        axes.step(*steps, line, where="pre", color=color, label=name)
    axes.set(xlabel="recall", ylabel="precision", xlim=(0, 1.02), ylim=(0, 1.04))
    finish_curves(figure, report, len(curves))
    return figure


def choose_labels(report: Report, labels: Sequence[Any] | None) -> list[Any]:
    """These labels, or by default the labels with the most gold documents, in their own order. A label needs documents."""
    if labels is None:
        support = report.confusion.support
        indices: Integers = np.argsort(-support, kind="stable")[:MAX_CURVES]
        labels = [report.labels.tolist()[index] for index in sorted(indices.tolist()) if support[index] > 0]
    if not 0 < len(labels) <= MAX_CURVES:
        raise InvalidOption(f"a picture shows 1 to {MAX_CURVES} curves, got {len(labels)} labels: name fewer of them.")
    return list(labels)


def make_curve_figure(n_curves: int) -> tuple["Figure", list["Axes"]]:
    """A figure with room for a legend with a line for each curve."""
    return make_figure(height=HEIGHT + LINE * (n_curves - 1))


def name_curves(report: Report, labels: Sequence[Any], metric: str) -> list[str]:
    """The labels, each with a metric of it and its interval."""
    title = "AUC" if metric == "roc_auc" else metric.replace("_", " ")
    return [f"{name}: {title} {report[f'{metric}:{label}']}" for name, label in zip(show_names(labels), labels, strict=True)]


def finish_curves(figure: "Figure", report: Report, n_curves: int) -> None:
    """The legend; if labels are left out, the title says so."""
    if n_curves < len(report.labels):
        figure.axes[0].set_title(f"{n_curves} of {len(report.labels)} labels", fontsize="medium")
    write_legend(figure)


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
