"""The summary after training: how good the model is, its confusions, and documents that look mislabelled."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.cli.messages import pluralize
from tercet.cli.model_options import name_method, write_smoothing
from tercet.report.characters import show_line
from tercet.report.sheet import Footnotes, Grid, show_count, show_estimate
from tercet.report.text_table import write_columns

if TYPE_CHECKING:
    from tercet.categorizer.calibrator import Calibrator
    from tercet.categorizer.train import TrainResult
    from tercet.report.report import Report

METRICS = ("accuracy", "macro_f1")
MOST_WIDE = 40
ONE_LABEL = "all documents have one label, so every prediction will be that label: is --label the right column?"


def write_training(trained: "TrainResult", tested: "Report | None", path: str, seconds: float) -> str:
    """The summary as text."""
    categorizer = trained.categorizer
    n_labels, n_terms = len(categorizer.classes_), len(categorizer.table_)
    numbers = pluralize(trained.n_documents, "document"), pluralize(n_labels, "label"), pluralize(n_terms, "term")
    learned = f"{', '.join(numbers)} learned; {name_method(categorizer.describe())}"
    learned += "" if trained.calibrator is None else f"; calibration {trained.calibrator.method}"
    learned += "\n" + ONE_LABEL if n_labels == 1 else ""
    method = f"{trained.folds} folds" if trained.folds else "leave-one-out"
    notes = Footnotes()
    tables = [_list_metrics(method, trained.estimate, notes), _list_errors(trained.calibrator)]
    tables += [_list_confusions(trained.confusions), _list_suspects(trained.suspects)]
    tables += [_list_metrics("test", tested, notes)] if tested is not None else []
    shown = [*(write_columns(table) for table in tables if table.rows), "\n".join(notes.list())]
    written = f"written: {path} ({Path(path).stat().st_size / 1e6:.1f} MB, {seconds:.1f} s)"
    return "\n\n".join([learned, *filter(None, shown), written])


def list_training(trained: "TrainResult", tested: "Report | None", path: str, seconds: float) -> dict[str, Any]:
    """The summary for JSON."""
    categorizer = trained.categorizer
    return {
        "model": path,
        "bytes": Path(path).stat().st_size,
        "seconds": round(seconds, 3),
        "documents": trained.n_documents,
        "labels": [str(label) for label in categorizer.classes_.tolist()],
        "terms": len(categorizer.table_),
        "smoothing": write_smoothing(categorizer.smoothing_),
        "calibration": None if trained.calibrator is None else trained.calibrator.summarize(),
        "estimate": trained.estimate.to_dict(),
        "confusions": [_to_plain(pair._asdict()) for pair in trained.confusions],
        "suspects": [_to_plain(suspect._asdict()) for suspect in trained.suspects],
        "test": None if tested is None else tested.to_dict(),
    }


def _to_plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.item() if hasattr(value, "item") else value for name, value in values.items()}


def _list_metrics(title: str, report: "Report", notes: Footnotes) -> Grid:
    majority = report.baseline.estimates
    rows = [
        (name, show_estimate(report[name], notes), show_estimate(majority[name]) if name in majority else "")
        for name in METRICS
    ]
    return Grid(title, (title, "value", f"majority ({show_line(report.baseline.label, 20)})"), tuple(rows))


def _list_errors(calibrated: "Calibrator | None") -> Grid:
    """Calibration error before and after calibration; the latter on documents that the calibration was not fitted to."""
    errors = () if calibrated is None else (calibrated.error_before, calibrated.error_after)
    rows = (("calibration error", *(f"{error:.3f}" for error in errors)),) if errors else ()
    return Grid("probabilities", ("probabilities", "before", "calibrated"), rows)


def _list_confusions(confusions: Any) -> Grid:
    rows = [(show_line(m.gold), show_line(m.predicted), show_count(m.documents), f"{m.share:.1%}") for m in confusions]
    return Grid("confusions", ("label", "mistaken for", "documents", "of label"), tuple(rows))


def _list_suspects(suspects: Any) -> Grid:
    """The text is the first column, because only that is aligned to the left."""
    rows = [
        (
            show_line(s.beginning, MOST_WIDE),
            _shorten(s.place) if s.place else str(s.position + 1),
            show_line(s.label),
            show_line(s.better),
            f"{s.probability:.1g}" if s.probability else "<1e-300",  # too small for a float
        )
        for s in suspects
    ]
    return Grid("suspects", ("looks mislabelled", "where", "label", "looks like", "p(label)"), tuple(rows))


def _shorten(place: str) -> str:
    """The line, or the end of the path; the source itself is the same for all documents.

    >>> _shorten("data/reviews.csv, line 17"), _shorten("mails/spam/" + "0" * 40 + ".txt")
    ('line 17', '…00000000000000000000000000000000000.txt')
    """
    end = place.rpartition(", ")[2]
    return show_line(end if len(end) <= MOST_WIDE else "…" + end[-MOST_WIDE + 1 :])
