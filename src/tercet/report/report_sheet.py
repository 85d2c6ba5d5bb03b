"""A report in tables of words."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tercet.evaluation.intervals import Estimate
from tercet.report.characters import show_line
from tercet.report.sheet import Footnotes, Grid, Sheet, show_count, show_estimate, show_number
from tercet.report.worst import find_worst

if TYPE_CHECKING:
    from tercet.report.report import Report

MOST_ROWS = 50


def lay_out_report(report: "Report") -> Sheet:
    """The metrics beside the majority baseline, the labels, the slices, the worst confusions; remarks below."""
    notes = Footnotes()
    grids = [_list_metrics(report, notes), _list_labels(report, notes)]
    grids += [_list_slices(name, parts, notes) for name, parts in report.slices.items()]
    grids += [_list_worst(report)]
    confidence = f"{100 * report.sample.plan.confidence:g} % intervals in brackets"
    headline = f"{report.n} documents, {len(report.labels)} labels; {confidence}"
    remarks = notes.list() + ([report.note] if report.note else [])
    return Sheet(headline, tuple(grid for grid in grids if grid.rows), tuple(remarks), show_line(report.signature, 2000))


def _list_metrics(report: "Report", notes: Footnotes) -> Grid:
    baseline = report.baseline
    rows = []
    for name, estimate in report.estimates.items():
        majority, better = baseline.estimates.get(name), baseline.differences.get(name)
        cells = show_estimate(estimate, notes), _show_majority(majority), "" if better is None else _show_better(better)
        rows.append((show_line(name), *cells))
    header = ("metric", "value", f"majority ({show_line(baseline.label, 20)})", "better by")
    return Grid("metrics", header, tuple(rows))


def _show_majority(majority: Estimate | None) -> str:
    """A number that no draw can change (1 / labels, 0) is known, and has no interval."""
    if majority is None:
        return ""
    return show_number(majority.value) if majority.low == majority.high else show_estimate(majority)


def _show_better(difference: Estimate) -> str:
    return show_estimate(difference, sign="+")


def _list_labels(report: "Report", notes: Footnotes) -> Grid:
    header = ("label", "precision", "recall", "f1", "gold", "predicted")
    rows = [
        (
            show_line(row.label),
            *(show_estimate(each, notes) for each in row[1:4]),
            show_count(row.support),
            show_count(row.predicted),
        )
        for row in report.rows[:MOST_ROWS]
    ]
    if len(report.rows) > MOST_ROWS:
        rows.append((f"… {len(report.rows) - MOST_ROWS} more", *[""] * 5))
    return Grid("labels", header, tuple(rows))


def _list_slices(name: str, parts: Mapping[Any, "Report"], notes: Footnotes) -> Grid:
    names = list(next(iter(parts.values())).estimates)[:4]
    rows = [
        (show_line(value), show_count(part.n), *(show_estimate(part.estimates[each], notes) for each in names))
        for value, part in list(parts.items())[:MOST_ROWS]
    ]
    if len(parts) > MOST_ROWS:
        rows.append((f"… {len(parts) - MOST_ROWS} more", *[""] * (len(names) + 1)))
    return Grid(f"slice {show_line(name)}", (show_line(name), "documents", *map(show_line, names)), tuple(rows))


def _list_worst(report: "Report") -> Grid:
    rows = [
        (show_line(each.gold), show_line(each.predicted), show_count(each.documents), f"{each.share:.1%}")
        for each in find_worst(report.confusion, n=5)
    ]
    return Grid("worst confusions", ("gold", "mistaken for", "documents", "of gold"), tuple(rows))
