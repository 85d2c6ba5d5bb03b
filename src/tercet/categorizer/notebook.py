"""What a notebook shows of a categorizer and of held-out predictions: a few facts and small tables."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.categorizer.evidence.explain import list_informative
from tercet.characters import show_line
from tercet.errors import describe_out_of_date
from tercet.evaluation.confusion import Confusion, list_confused_pairs
from tercet.evaluation.intervals import format_rounded, wilson
from tercet.html_fragments import write_facts, write_frame, write_heading, write_note, write_table
from tercet.report.tables import Footnotes, pluralize, show_count, show_improbable
from tercet.report.training_summary import list_members, list_suspects, list_tables

if TYPE_CHECKING:
    from tercet.categorizer.categorizer import Categorizer
    from tercet.categorizer.held_out.held_out import HeldOut
    from tercet.categorizer.held_out.suspects import Suspects
    from tercet.categorizer.predictor import Predictor
    from tercet.categorizer.train import TrainResult

MAX_LABELS = 10
N_TERMS = 5  # of each label
MAX_WEIGHTS = 10_000_000  # terms × labels: with more, the strongest terms would take seconds
N_SUSPECTS = 5


def show_categorizer(categorizer: "Categorizer") -> str:
    """The recipe, the state, and the labels with their documents and strongest terms."""
    name = type(categorizer).__name__
    if not categorizer.__sklearn_is_fitted__():
        return write_frame(write_heading(f"{name}, not fitted yet"), write_facts([("recipe", repr(categorizer))]))
    table = categorizer.table_
    numbers = {"document": int(table.n_documents.sum()), "label": len(categorizer.classes_), "term": len(table)}
    title = f"{name}: {', '.join(pluralize(n, noun) for noun, n in numbers.items())}"
    parts = categorizer.out_of_date_
    documents = dict(zip(table.labels.tolist(), map(show_count, table.n_documents.tolist()), strict=True))
    return write_frame(
        write_heading(title),
        write_facts([("recipe", repr(categorizer)), *_list_facts(categorizer)]),
        write_note(describe_out_of_date(parts, categorizer.keeps_documents_) if parts else ""),
        _write_labels(categorizer, documents),
    )


def show_compact(categorizer: "Predictor") -> str:
    """The same of a categorizer that has only weights."""
    return write_frame(
        write_heading(repr(categorizer)), write_facts(_list_facts(categorizer)), _write_labels(categorizer, documents={})
    )


def _list_facts(categorizer: "Predictor") -> Iterator[tuple[str, object]]:
    """What is known of the training. Nothing here reads a text."""
    facts = categorizer.describe()
    yield from ((name, facts[name]) for name in ("analyzer", "kind", "smoothing", "calibration"))
    record = categorizer.record_
    if record is not None and record.estimate:
        estimate = ", ".join(f"{name} {value}" for name, value in record.estimate.items())
        yield "estimate" if categorizer.is_current_ else "estimate, of the documents before the last change", estimate
    check = categorizer.hand_check_
    if check is not None:
        yield "check", check.describe(is_current=bool(categorizer.is_check_current_))
    if record is not None and record.guess:
        yield "estimate", record.guess if check is not None else f"nothing has been checked: {record.guess}"
    if record is not None and record.teachers:
        yield "teachers", ", ".join(record.teachers)
    if record is not None and record.columns is not None:
        yield "columns", ", ".join(filter(None, [*record.columns.texts, record.columns.label]))


def _write_labels(categorizer: "Predictor", documents: dict[Any, str]) -> str:
    labels = categorizer.classes_.tolist()
    if not labels:
        return ""
    scorer = categorizer.last_scorer()
    is_small = len(scorer.table) * len(labels) <= MAX_WEIGHTS
    strongest = list_informative(scorer, N_TERMS) if is_small else {}
    columns = {"label": list(map(show_line, labels[:MAX_LABELS]))}
    if documents:
        columns["documents"] = [documents.get(label, "0") for label in labels[:MAX_LABELS]]
    if any(strongest.values()):
        shown = [strongest[label] for label in labels[:MAX_LABELS]]
        columns["strongest terms"] = [" · ".join(show_line(term) for term, _ in terms) for terms in shown]
    more = f"… {len(labels) - MAX_LABELS} more labels. " if len(labels) > MAX_LABELS else ""
    hint = "" if is_small else "most_informative() has the strongest terms; with so many terms it takes a few seconds."
    numbers = (1,) if documents else ()
    return write_table(list(columns), zip(*columns.values(), strict=True), numbers=numbers) + write_note(more + hint)


def show_training(trained: "TrainResult") -> str:
    """The same numbers and tables as those of `tercet train`."""
    notes = Footnotes()
    calibration = None if trained.calibrator is None else trained.calibrator.summarize()
    suspects = list_suspects(trained.all_suspects, ": all_suspects.to_frame()")
    members = list_members(trained.members)
    estimate = trained.report if trained.has_estimate else None
    tables = list_tables(trained.method, estimate, calibration, trained.confusions, suspects, notes, members)
    grids = [write_table(grid.header, grid.rows) for grid in tables if grid.rows]
    said = [*filter(None, [trained.doubt]), *trained.categorizer.decisions_, *trained.hints]
    teachers = "" if trained.teachers is None else trained.teachers.to_html()
    shown = [*map(write_note, said), write_heading(repr(trained)), *grids, *map(write_note, notes.list()), teachers]
    return write_frame(*shown)


def show_suspects(suspects: "Suspects") -> str:
    """The worst suspects, as `tercet train` shows them."""
    title = pluralize(len(suspects), "document") + f" may have a wrong label{', the worst first' if suspects else ''}"
    grid = list_suspects(suspects, ": to_frame()")
    return write_frame(write_heading(title), write_table(grid.header, grid.rows) if grid.rows else "")


def show_held_out(held_out: "HeldOut") -> str:
    """The accuracy, the worst confusions, and the worst suspects."""
    n, predicted = len(held_out.gold), held_out.predicted
    accuracy = wilson(int(np.sum(predicted == held_out.gold)), n)
    suspects = held_out.suspects()
    confusions = [
        (show_line(pair.gold), show_line(pair.predicted), show_count(pair.documents), format_rounded(pair.share, ".1%"))
        for pair in list_confused_pairs(Confusion.of(held_out.gold, predicted), n=N_SUSPECTS)
    ]
    worst = [
        (str(s.position), show_line(s.label), show_line(s.better), show_improbable(s.probability))
        for s in suspects[:N_SUSPECTS]
    ]
    parts = [write_heading(f"HeldOut: {pluralize(n, 'document')}, {pluralize(len(held_out.labels), 'label')}")]
    parts.append(write_facts([("accuracy", str(accuracy)), *held_out.recipe.items()]))
    if confusions:
        parts.append(write_table(("label", "mistaken for", "documents", "of label"), confusions))
    if worst:
        parts.append(write_heading(f"{pluralize(len(suspects), 'document')} may have a wrong label; the worst"))
        parts.append(write_table(("position", "label", "looks like", "p(label)"), worst))
    return write_frame(*parts, write_note("report has all metrics with intervals, suspects() all suspects"))
