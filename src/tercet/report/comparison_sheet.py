"""A comparison in tables of words, and as JSON knows it."""

from typing import TYPE_CHECKING, Any

from tercet.report.characters import show_line
from tercet.report.claim import show_p
from tercet.report.plain_values import simplify
from tercet.report.sheet import Footnotes, Grid, Sheet, show_estimate

if TYPE_CHECKING:
    from tercet.report.comparison import Comparison


def lay_out_comparison(comparison: "Comparison") -> Sheet:
    """Each system's own number, the differences, and what may be claimed."""
    notes = Footnotes()
    metric, n_systems = show_line(comparison.metric), len(comparison.scores)
    scores = [(show_line(name), show_estimate(score, notes)) for name, score in comparison.scores.items()]
    n_columns = 4 if len(comparison.rows) > 1 else 3  # of one pair both p are the same
    rows = [
        (
            f"{show_line(row.first)} - {show_line(row.second)}",
            show_estimate(row.difference.estimate, notes, sign="+"),
            show_p(row.difference.p_value),
            show_p(row.adjusted_p),
        )[:n_columns]
        for row in comparison.rows
    ]
    header = ("difference", metric, f"p ({comparison.test})", "p (Holm)")[:n_columns]
    grids = Grid("systems", ("system", metric), tuple(scores)), Grid("differences", header, tuple(rows))
    confidence = f"{100 * comparison.plan.confidence:g} % intervals in brackets"
    headline = f"{comparison.n} documents, {n_systems} systems; {confidence}"
    remarks = (*comparison.sentence.split("\n"), *notes.list())
    return Sheet(headline, grids, remarks, show_line(comparison.signature, 2000))


def list_compared(comparison: "Comparison") -> dict[str, Any]:
    """All numbers with their intervals; an undefined one is None."""
    rows = [
        {
            "first": row.first,
            "second": row.second,
            "difference": row.difference.estimate,
            "p_value": row.difference.p_value,
            "adjusted_p": row.adjusted_p,
            "n_needed": row.difference.n_needed,
        }
        for row in comparison.rows
    ]
    values = {name: getattr(comparison, name) for name in ("metric", "test", "n", "scores", "sentence", "signature")}
    simple: dict[str, Any] = simplify(values | {"rows": rows})
    return simple
