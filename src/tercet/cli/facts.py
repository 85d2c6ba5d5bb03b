"""What can be told of a model."""

from typing import Any

from tercet.cli.model_options import write_smoothing
from tercet.report.characters import show_line
from tercet.report.sheet import Grid, show_count
from tercet.report.text_table import write_columns

MOST_LABELS = 50


def list_facts(model: Any, n_terms: int) -> dict[str, Any]:
    """By name, for JSON; a compact model has fewer of them."""
    labels = [str(label) for label in model.classes_.tolist()]
    facts: dict[str, Any] = model.describe()
    facts["smoothing"] = write_smoothing(facts["smoothing"])
    if hasattr(model, "table_"):
        documents = dict(zip(map(str, model.table_.labels.tolist()), model.table_.n_documents.tolist(), strict=True))
        facts |= {"compact": False, "terms": len(model.table_), "fingerprint": model.table_.fingerprint()}
        facts["labels"] = [{"label": label, "documents": documents[label]} for label in labels]
    else:
        facts |= {"compact": True, "labels": [{"label": label} for label in labels]}
    if n_terms and labels:
        informative = model.most_informative(n_terms)
        for row, terms in zip(facts["labels"], informative.values(), strict=True):
            row["terms"] = [term for term, _ in terms]
    return facts


def write_facts(facts: dict[str, Any]) -> str:
    """Lines of names and values, and a table of the labels."""
    plain = {name: value for name, value in facts.items() if name != "labels" and (name, value) != ("smoothing", None)}
    width = max(map(len, plain))
    lines = [f"{name:<{width}}  {_show(value)}" for name, value in plain.items()]
    return "\n".join(lines) + "\n\n" + write_columns(_list_labels(facts["labels"]))


def _list_labels(rows: list[dict[str, Any]]) -> Grid:
    """Terms are shown where there are any."""
    cells = [
        (show_line(row["label"]), show_count(row["documents"]) if "documents" in row else "–", " · ".join(row.get("terms", ())))
        for row in rows[:MOST_LABELS]
    ]
    if len(rows) > MOST_LABELS:
        cells.append((f"… {len(rows) - MOST_LABELS} more", "", ""))
    header = (f"{len(rows)} labels", "documents", "speaking for it most")
    n_columns = 3 if rows and "terms" in rows[0] else 2
    return Grid("labels", header[:n_columns], tuple(row[:n_columns] for row in cells))


def _show(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    return show_line(value, 200)
