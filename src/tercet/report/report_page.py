"""The pictures of a report."""

from typing import TYPE_CHECKING

from tercet.report.heat_map import draw_heat_map
from tercet.report.label_bars import draw_label_bars
from tercet.report.reliability_diagram import draw_reliability

if TYPE_CHECKING:
    from tercet.report.report import Report


def draw_pictures(report: "Report") -> list[str]:
    """The confusion, the labels, and the reliability of probabilities if there are any."""
    drawn = [draw_heat_map(report.confusion), draw_label_bars(report.rows)]
    if report.reliability is not None:
        drawn.append(draw_reliability(report.reliability, report.sample.plan.confidence))
    return drawn
