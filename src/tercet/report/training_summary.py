"""The summary after training: how good the model is, its confusions, and documents that look mislabelled."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tercet.characters import show_line
from tercet.evaluation.intervals import format_rounded
from tercet.report.forms import write_columns
from tercet.report.tables import Footnotes, Grid, pluralize, show_count, show_estimate, show_improbable

if TYPE_CHECKING:
    from tercet.report.report import Report

METRICS = ("accuracy", "macro_f1")
MAX_WIDTH = 40
N_SUSPECTS = 10  # suspects that are shown
UNCHANGED = "softmax"  # the calibration that changes nothing
NO_ESTIMATE = "No label has two texts, so none can be held out: the accuracy is not known. Give each label two texts or more."


@dataclass(frozen=True, eq=False)
class TrainingSummary:
    """The result of `tercet train`, as text or for JSON. Equal inputs give the same text."""

    model: str  # the file
    n_bytes: int
    seconds: float
    n_documents: int
    n_unlabelled: int
    labels: Sequence[Any]
    n_terms: int
    method: str  # the kind of model in words
    smoothing: Any  # as the command line spells it
    calibration: Mapping[str, Any] | None  # method, error_before and error_after
    held_out: str  # how documents were held out, in words
    estimate: "Report | None"  # None if nothing could check the model
    doubt: str  # why the model may be worthless, or why there is no estimate
    confusions: Sequence[Any]
    suspects: Sequence[Any]  # all; the worst are shown
    suspects_file: str | None = None  # the file that has all of them
    similar_labels: Sequence[Any] = ()
    joined_labels: Any = None  # labels that join other labels
    members: Sequence[Any] = ()  # of a stack: name, weight and estimate of each member and of the whole
    cpu_seconds: Mapping[str, float] = field(default_factory=dict)  # CPU time of each member
    all_cpu_seconds: float = 0.0  # of the whole process since its start, with all its threads and processes
    decisions: Sequence[str] = ()  # what was left out because of the sizes of the data
    hints: Sequence[str] = ()  # what would probably make the model better
    teachers: Any = None  # how good each teacher is, if labels come from teachers
    test: "Report | None" = None
    dev: "Report | None" = None
    n_pruned_terms: int | None = None  # terms that are not written; None if the model is not pruned

    def to_text(self) -> str:
        learned = f"{self.doubt}\n" if self.doubt else ""
        learned += f"{self._count_all()} learned; {self.method}"
        learned += "" if self.calibration is None else f"; {_name_calibration(self.calibration)}"
        if self.n_pruned_terms is not None:
            left = f"{pluralize(self.n_pruned_terms, 'term')} pruned, {self.n_terms - self.n_pruned_terms} left"
            learned += f"\n{left}: the model can't learn or forget, and predicts the same"
        learned += "".join(f"\n{line}" for line in (*self.decisions, *self.hints))
        notes = Footnotes()
        hint = ": --suspects FILE" if self.suspects_file is None else f" in {show_line(self.suspects_file, MAX_WIDTH)}"
        suspects = list_suspects(self.suspects, hint)
        members = list_members(self.members)
        tables = list_tables(self.held_out, self.estimate, self.calibration, self.confusions, suspects, notes, members)
        tests = {"dev": self.dev, "test": self.test}
        tables += [_list_metrics(name, report, notes) for name, report in tests.items() if report is not None]
        shown = [*(write_columns(table) for table in tables if table.rows), "\n".join(notes.list())]
        shown += [] if self.teachers is None else [self.teachers.to_table()]
        return "\n\n".join([learned, *filter(None, shown)])

    def write_times(self) -> str:
        """The CPU time of the process in one line, with that of the members of a stack; empty for other models."""
        members = ", ".join(f"{show_line(name, MAX_WIDTH)} {seconds:.2f} s" for name, seconds in self.cpu_seconds.items())
        return f"CPU time: {self.all_cpu_seconds:.2f} s, of which {members}" if members else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "model": self.model,
            "bytes": self.n_bytes,
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.all_cpu_seconds, 3),
            "documents": self.n_documents,
            "unlabelled": self.n_unlabelled,
            "labels": [str(label) for label in self.labels],
            "terms": self.n_terms,
            "pruned_terms": self.n_pruned_terms,
            "smoothing": self.smoothing,
            "calibration": self.calibration,
            "decisions": list(self.decisions),
            "hints": list(self.hints),
            "members": [self._describe_member(member) for member in self.members],
            "held_out": self.held_out,
            "doubt": self.doubt,
            "estimate": None if self.estimate is None else self.estimate.to_dict(),
            "confusions": [_to_plain(pair._asdict()) for pair in self.confusions],
            "n_suspects": len(self.suspects),
            "suspects": [_to_plain(suspect._asdict()) for suspect in self.suspects[:N_SUSPECTS]],
            "similar_labels": [similar._asdict() for similar in self.similar_labels],
            "joined_labels": None if self.joined_labels is None else self.joined_labels._asdict(),
            "teachers": None if self.teachers is None else self.teachers.to_dict(),
            "dev": None if self.dev is None else self.dev.to_dict(),
            "test": None if self.test is None else self.test.to_dict(),
        }

    def _describe_member(self, member: Any) -> dict[str, Any]:
        seconds = self.cpu_seconds.get(member.name)
        described: dict[str, Any] = member.to_dict()
        return described | {"cpu_seconds": None if seconds is None else round(seconds, 3)}

    def _count_all(self) -> str:
        numbers = {"document": self.n_documents, "label": len(self.labels), "term": self.n_terms}
        counts = [pluralize(n, noun) for noun, n in numbers.items()]
        return ", ".join([*counts, pluralize(self.n_unlabelled, "unlabelled text")] if self.n_unlabelled else counts)


def list_tables(
    held_out: str,
    estimate: "Report | None",
    calibration: Mapping[str, Any] | None,
    confusions: Sequence[Any],
    suspects: Grid,
    notes: Footnotes,
    members: Grid,
) -> list[Grid]:
    """The tables about a trained model. Some may have no rows."""
    metrics = [] if estimate is None else [_list_metrics(held_out, estimate, notes)]
    return [*metrics, members, _list_errors(calibration), _list_confusions(confusions), suspects]


def list_members(members: Sequence[Any]) -> Grid:
    """The members of a stack, and last the stack itself: weight, and accuracy and macro F1 of held-out documents."""
    rows = [
        (show_line(member.name, MAX_WIDTH), weight, *(show_estimate(member.estimate[name]) for name in METRICS))
        for member, weight in zip(members, _show_weights(members), strict=True)
    ]
    return Grid("members", ("member", "weight", *METRICS), tuple(rows))


def _show_weights(members: Sequence[Any]) -> list[str]:
    """The weights of the members; the last is the stack itself, which has none."""
    shown = [format_rounded(member.weight, ".2f") if member.weight else "dropped" for member in members[:-1]]
    return [*shown, ""] if members else []


def _to_plain(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value.item() if hasattr(value, "item") else value for name, value in values.items()}


def _list_metrics(title: str, report: "Report", notes: Footnotes) -> Grid:
    majority = report.baseline.estimates
    rows = [
        (name, show_estimate(report[name], notes), show_estimate(majority[name]) if name in majority else "")
        for name in METRICS
    ]
    return Grid(title, (title, "value", f"majority ({show_line(report.baseline.label, 20)})"), tuple(rows))


def _list_errors(calibration: Mapping[str, Any] | None) -> Grid:
    """Calibration error before and after calibration; the latter on documents that the calibration was not fitted to."""
    if calibration is None:
        return Grid("probabilities", ("probabilities",), ())
    errors = {"before": calibration["error_before"], "calibrated": calibration["error_after"]}
    if calibration["method"] == UNCHANGED:
        del errors["before"]
    row = ("calibration error", *(format_rounded(error) for error in errors.values()))
    return Grid("probabilities", ("probabilities", *errors), (row,))


def _name_calibration(calibration: Mapping[str, Any]) -> str:
    """How the probabilities were calibrated, in words. A stack needs no method: its weights make them right."""
    return "calibrated" if calibration["method"] == UNCHANGED else f"calibration {calibration['method']}"


def _list_confusions(confusions: Sequence[Any]) -> Grid:
    rows = [
        (show_line(m.gold), show_line(m.predicted), show_count(m.documents), format_rounded(m.share, ".1%")) for m in confusions
    ]
    return Grid("confusions", ("label", "mistaken for", "documents", "of label"), tuple(rows))


def list_suspects(suspects: Sequence[Any], hint: str) -> Grid:
    """The worst suspects; the hint says where all of them are.

    The text is the first column, because only that is aligned to the left.
    """
    n_all, suspects = len(suspects), suspects[:N_SUSPECTS]
    has_several_files = len({s.place.rpartition(", ")[0] for s in suspects if s.row is not None}) > 1
    rows = [
        (
            show_line(s.beginning, MAX_WIDTH),
            _show_place(s, has_several_files),
            show_line(s.label),
            show_line(s.better),
            show_improbable(s.probability),
        )
        for s in suspects
    ]
    if n_all > len(suspects):
        rows.append((f"… {n_all - len(suspects)} more{hint}", "", "", "", ""))
    return Grid("suspects", ("looks mislabelled", "where", "label", "looks like", "p(label)"), tuple(rows))


def _show_place(suspect: Any, has_several_files: bool) -> str:
    """The row, as a spreadsheet and `explain --row` count rows; with its file if there are several; or the end of the path."""
    if suspect.row is None:
        return _shorten(suspect.place) if suspect.place else str(suspect.position + 1)
    name = suspect.place.rpartition(", ")[0]
    return _shorten(f"{name} row {suspect.row}") if has_several_files else f"row {suspect.row}"


def _shorten(place: str) -> str:
    """The end of a path.

    >>> _shorten("mails/spam/" + "0" * 40 + ".txt")
    '…00000000000000000000000000000000000.txt'
    """
    return show_line(place if len(place) <= MAX_WIDTH else "…" + place[-MAX_WIDTH + 1 :])
