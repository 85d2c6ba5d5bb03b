"""A report as JSON knows it."""

from typing import TYPE_CHECKING, Any

from tercet.report.plain_values import simplify

if TYPE_CHECKING:
    from tercet.report.report import Report


def list_values(report: "Report") -> dict[str, Any]:
    """All numbers with their intervals; an undefined one is None."""
    baseline = report.baseline
    values = {
        "n": report.n,
        "labels": report.labels,
        "metrics": report.estimates,
        "per_label": [row._asdict() for row in report.rows],
        "confusion": report.confusion.counts,
        "baseline": {"label": baseline.label, "metrics": baseline.estimates, "differences": baseline.differences},
        "reliability": None if report.reliability is None else vars(report.reliability),
        "slices": {
            name: [{"value": value, "report": list_values(part)} for value, part in parts.items()]
            for name, parts in report.slices.items()
        },
        "note": report.note,
        "signature": report.signature,
    }
    simple: dict[str, Any] = simplify(values)
    return simple
