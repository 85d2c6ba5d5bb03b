"""`train`: documents → a fitted categorizer, an honest estimate of its accuracy, and suspects, in one pass and bounded memory.

The summary after training says how good the model is, its confusions, and which documents look mislabelled.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.cached import cached_property
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.record import METRICS, TrainingRecord
from tercet.categorizer.fitting import FitResult, fit
from tercet.categorizer.held_out.estimate import (
    Folds,
    HeldOutAnswers,
    estimate_held_out,
    find_stacked,
    predict_held_out,
    renew_record,
    write_record,
)
from tercet.categorizer.held_out.held_out import (
    FOLDS_BY,
    HeldDocuments,
    score_one_by_one,
)
from tercet.categorizer.held_out.suspects import Suspect, Suspects
from tercet.categorizer.model.text_model import Scored
from tercet.characters import show_line
from tercet.counts.table import CountTable
from tercet.data.document_batches import Beginnings, open_batches
from tercet.data.similar_labels import SimilarLabel, find_similar
from tercet.errors import InvalidOption, bad_option
from tercet.evaluation.intervals import format_rounded
from tercet.options import check_choice, check_count, check_seed
from tercet.report.forms import write_columns
from tercet.report.tables import Footnotes, Grid, pluralize, show_count, show_estimate

if TYPE_CHECKING:
    from tercet.categorizer.model.calibrator import Calibrator
    from tercet.categorizer.model.stack_model import MemberResult
    from tercet.evaluation.confusion import ConfusedPair
    from tercet.report.report import Report

MAX_WIDTH = 40
N_SUSPECTS = 10  # suspects that are shown
UNCHANGED = "softmax"  # the calibration that changes nothing


@dataclass(frozen=True, eq=False)
class TrainingSummary:
    """The result of `tercet train`, as text or for JSON. Equal inputs give the same text."""

    model: str  # the file
    n_bytes: int
    seconds: float
    n_documents: int
    labels: Sequence[Any]
    n_terms: int
    method: str  # the kind of model in words
    smoothing: Any  # as the command line spells it
    calibration: Mapping[str, Any] | None  # method, error_before and error_after
    held_out: str  # how documents were held out, in words
    estimate: "Report"
    confusions: Sequence[Any]
    suspects: Sequence[Any]  # all; the worst are shown
    suspects_file: str | None = None  # the file that has all of them
    similar_labels: Sequence[Any] = ()
    members: Sequence[Any] = ()  # of a stack: name, weight and estimate of each member and of the whole
    cpu_seconds: Mapping[str, float] = field(default_factory=dict)  # CPU time of each member
    decisions: Sequence[str] = ()  # what was left out because of the sizes of the data
    test: "Report | None" = None
    dev: "Report | None" = None
    n_pruned_terms: int | None = None  # terms that are not written; None if the model is not pruned

    def to_text(self) -> str:
        learned = f"{self._count_all()} learned; {self.method}"
        learned += "" if self.calibration is None else f"; {_name_calibration(self.calibration)}"
        if self.n_pruned_terms is not None:
            left = f"{pluralize(self.n_pruned_terms, 'term')} pruned, {self.n_terms - self.n_pruned_terms} left"
            learned += f"\n{left}: the model can't learn or forget, and predicts the same"
        learned += "".join(f"\n{decision}" for decision in self.decisions)
        notes = Footnotes()
        hint = ": --suspects FILE" if self.suspects_file is None else f" in {show_line(self.suspects_file, MAX_WIDTH)}"
        suspects = list_suspects(self.suspects, hint)
        members = list_members(self.members)
        tables = list_tables(self.held_out, self.estimate, self.calibration, self.confusions, suspects, notes, members)
        tests = {"dev": self.dev, "test": self.test}
        tables += [_list_metrics(name, report, notes) for name, report in tests.items() if report is not None]
        shown = [*(write_columns(table) for table in tables if table.rows), "\n".join(notes.list())]
        return "\n\n".join([learned, *filter(None, shown)])

    def write_times(self) -> str:
        """The CPU time of the members of a stack in one line; empty for other models."""
        members = ", ".join(f"{show_line(name, MAX_WIDTH)} {seconds:.2f} s" for name, seconds in self.cpu_seconds.items())
        return f"CPU time: {sum(self.cpu_seconds.values()):.2f} s ({members})" if members else ""

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "model": self.model,
            "bytes": self.n_bytes,
            "seconds": round(self.seconds, 3),
            "documents": self.n_documents,
            "labels": [str(label) for label in self.labels],
            "terms": self.n_terms,
            "pruned_terms": self.n_pruned_terms,
            "smoothing": self.smoothing,
            "calibration": self.calibration,
            "decisions": list(self.decisions),
            "members": [self._describe_member(member) for member in self.members],
            "held_out": self.held_out,
            "estimate": self.estimate.to_dict(),
            "confusions": [_to_plain(pair._asdict()) for pair in self.confusions],
            "n_suspects": len(self.suspects),
            "suspects": [_to_plain(suspect._asdict()) for suspect in self.suspects[:N_SUSPECTS]],
            "similar_labels": [similar._asdict() for similar in self.similar_labels],
            "dev": None if self.dev is None else self.dev.to_dict(),
            "test": None if self.test is None else self.test.to_dict(),
        }

    def _describe_member(self, member: Any) -> dict[str, Any]:
        seconds = self.cpu_seconds.get(member.name)
        described: dict[str, Any] = member.to_dict()
        return described | {"cpu_seconds": None if seconds is None else round(seconds, 3)}

    def _count_all(self) -> str:
        numbers = {"document": self.n_documents, "label": len(self.labels), "term": self.n_terms}
        return ", ".join(pluralize(n, noun) for noun, n in numbers.items())


def list_tables(
    held_out: str,
    estimate: "Report",
    calibration: Mapping[str, Any] | None,
    confusions: Sequence[Any],
    suspects: Grid,
    notes: Footnotes,
    members: Grid,
) -> list[Grid]:
    """The tables about a trained model. Some may have no rows."""
    metrics = _list_metrics(held_out, estimate, notes)
    return [metrics, members, _list_errors(calibration), _list_confusions(confusions), suspects]


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
            f"{s.probability:.1g}" if s.probability else "<1e-300",  # too small for a float
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


MAX_SCALED = 2000  # documents that the scores of suspects are scaled by


@dataclass(frozen=True, eq=False)
class TrainResult:
    """A fitted categorizer, and an estimate of its accuracy from held-out training documents.

    `all_suspects` are the documents whose label looks wrong, the worst first. It reads their texts when it is asked for them.
    """

    categorizer: Categorizer
    n_documents: int
    folds: int | None  # None for leave-one-out
    estimate: "Report"
    confusions: "list[ConfusedPair]"
    all_suspects: Suspects
    calibrator: "Calibrator | None" = None  # has the calibration error before and after; None if not calibrated
    members: "Sequence[MemberResult]" = ()  # of a stack: each member and the whole, on the documents of the estimate
    seconds: Mapping[str, float] = field(default_factory=dict)  # CPU time of each member
    n_held_out: int = 0  # how many documents the estimate is made of
    similar_labels: Sequence[SimilarLabel] = ()  # labels that are probably other spellings of more frequent labels

    @property
    def method(self) -> str:
        """How documents were held out, in words."""
        if self.members and self.folds is None:
            return f"{self.n_held_out} held-out documents"
        return f"{self.folds} folds" if self.folds else "leave-one-out"

    @cached_property
    def suspects(self) -> list[Suspect]:
        """The ten worst suspects."""
        return self.all_suspects[:N_SUSPECTS]

    def __repr__(self) -> str:
        numbers = {"document": self.n_documents, "label": len(self.categorizer.classes_), "suspect": len(self.all_suspects)}
        counts = [pluralize(n, noun) for noun, n in numbers.items()]
        return f"TrainResult({', '.join(counts)}; accuracy {self.estimate.accuracy})"

    def _repr_html_(self) -> str:
        from tercet.categorizer.notebook import show_training  # on first use: only a notebook needs it

        return show_training(self)


def train(
    texts: Any,
    labels: Any = None,
    *,
    categorizer: Categorizer | None = None,
    folds: int | None = None,
    seed: int = 0,
    folds_by: str = "random",
    watch: Callable[[int], None] | None = None,
) -> TrainResult:
    """Fit a categorizer, by default the best one, and estimate its accuracy on documents that it did not learn.

    Texts and labels are given as for `Categorizer.fit`: in lists, as Documents, or as a stream of Documents. The default
    categorizer is `Categorizer(model="auto", calibrate="auto")`. Its weights are fitted to held-out documents, and the same
    documents estimate its accuracy: each is judged by weights that it had no say in. Naive Bayes is estimated by leave-one-out,
    and margins by 5 folds, or fewer if there are fewer documents. `folds` asks for so many random folds, and `seed` is their
    random seed. With `folds_by="fingerprint"` the fingerprint of a text decides in which fold it is, as on a cluster.
    Suspects of a stack are found by a naive Bayes on its counts, by leave-one-out. `tercet.find_label_errors` looks harder for
    wrong labels.

    All copies of a text are held out together. Memory holds the fingerprint, the label and the prediction of each document;
    its terms are in memory, too, or in a temporary file if they are too many. `watch` is called from time to time with the
    number of documents that were read.

    >>> texts, labels = ["to be", "or not", "to be so", "not that"] * 20, ["x", "y", "x", "y"] * 20
    >>> train(texts, labels).categorizer.predict(["so be it"])
    array(['x'], dtype='<U1')
    >>> train(texts[:4], labels[:4], categorizer=Categorizer("words"))
    TrainResult(4 documents, 2 labels, 0 suspects; accuracy 1.000 [0.510, 1.000])
    """
    check_choice("folds_by", folds_by, FOLDS_BY)
    if folds is not None:
        check_count("folds", folds)
        check_seed(seed)
    elif folds_by != "random":
        raise InvalidOption(f"folds_by={folds_by!r} deals folds: say how many, folds=5.")
    categorizer = Categorizer(model="auto", calibrate="auto") if categorizer is None else categorizer
    if not isinstance(categorizer, Categorizer):
        raise bad_option("categorizer", "a Categorizer or None", categorizer, "it learns. Try Categorizer(model='auto').")
    _refuse_answers(categorizer, texts)
    beginnings = Beginnings()
    result = fit(categorizer.check_options(), beginnings.follow(open_batches(texts, labels), watch), keep=True)
    held, folds_used, answers, report = estimate_held_out(result, Folds(folds, seed, folds_by))
    from tercet.evaluation.confusion import list_confused_pairs  # on first use: import tercet stays quick

    confusions = list_confused_pairs(report.sample.confusion)
    doubted = _judge_by_counts(held) if held.settings.has_blocks else answers
    suspects = Suspects.of(held.table.labels, held.codes, doubted.predicted, doubted.log_own, beginnings, doubted.counted(held))
    calibrator = None if result.calibration is None else result.calibration.calibrator
    record = write_record(TrainingRecord.start(texts, folds, seed, folds_by), result, report)
    categorizer.publish(replace(result.fitted, record=record))
    similar = _find_similar(result.fitted.state.table)
    stacked = find_stacked(result) if folds is None else None
    return TrainResult(
        categorizer,
        len(held.codes),
        folds_used,
        report,
        confusions,
        suspects,
        calibrator,
        members=() if stacked is None else _list_members(result, report),
        seconds={} if stacked is None else stacked.seconds,
        n_held_out=int(answers.counted(held).sum()),
        similar_labels=similar,
    )


def _list_members(result: FitResult, report: "Report") -> "list[MemberResult]":
    """The members of a stack, and the whole."""
    from tercet.categorizer.model.stack_model import MemberResult, TrainedStack  # on first use: naive Bayes does not need it

    assert isinstance(result.fitted.state.trained, TrainedStack)
    return [*result.fitted.state.trained.results, MemberResult("stack", 1.0, {name: report[name] for name in METRICS})]


def train_like(categorizer: Categorizer, record: TrainingRecord | None, documents: Any) -> Categorizer:
    """The categorizer, fitted to these documents. With the record of an earlier training, it gets a record as `train` writes.

    >>> first = train(["to be", "or not"] * 4, ["x", "y"] * 4, categorizer=Categorizer()).categorizer
    >>> from tercet import Documents
    >>> again = train_like(Categorizer(), first.record_, Documents(["to be", "or not"] * 4, ["x", "y"] * 4))
    >>> again.record_ == first.record_
    True
    """
    result = fit(categorizer.check_options(), open_batches(documents), keep=record is not None)
    record = None if record is None else renew_record(record, result)
    categorizer.publish(replace(result.fitted, record=record))
    return categorizer


def _refuse_answers(categorizer: Categorizer, source: Any) -> None:
    """Raise InvalidOption if the categorizer shall learn from the column of the labels, which new documents do not have."""
    from tercet.data.reading import DocumentStream  # on first use: import tercet stays quick

    fields = source.start().fields if isinstance(source, DocumentStream) else None
    for option in ("categorical", "numeric"):
        names = getattr(categorizer, option)
        if fields is not None and isinstance(names, list | tuple) and fields.label in names:
            raise InvalidOption(
                f"the column {fields.label!r} is the label, and {option} names it, too: the model would only repeat it. Leave "
                f"it out of {option}, or name another label column."
            )


def _find_similar(table: CountTable) -> list[SimilarLabel]:
    """The labels that are probably spellings of others. Only text is spelled."""
    labels = table.labels.tolist()
    is_text = all(isinstance(label, str) for label in labels)
    return find_similar(dict(zip(labels, table.n_documents.tolist(), strict=True))) if is_text else []


def _judge_by_counts(held: HeldDocuments) -> HeldOutAnswers:
    """The predictions of a naive Bayes on the counts for each document, when it is left out.

    Naive Bayes is far too sure of itself, because terms repeat each other. A temperature mends that, and keeps the order of
    the labels.
    """
    counted = replace(held, settings=held.settings.for_counts())
    factor = _fit_factor(counted)
    scored = score_one_by_one(counted, "all", None)
    return predict_held_out(counted, (Scored(indices, joint * factor, lost) for indices, joint, lost in scored), None)


def _fit_factor(held: HeldDocuments) -> float:
    """The factor of the scores that makes probabilities reliable, from a sample of documents, each left out."""
    from tercet.models.calibration import Temperature, fit_calibration  # on first use: most categorizers have no blocks

    sample = held.sample(MAX_SCALED)
    sample = sample[np.argsort(held.data.prints[sample], kind="stable")]
    ordered = np.sort(sample)
    joint = np.concatenate([scored.log_joint for scored in score_one_by_one(held, "all", None, ordered)])
    try:
        temperature = fit_calibration(joint[np.searchsorted(ordered, sample)], held.codes[sample], "temperature")
    except InvalidOption:  # without its copies, no document has a label that another document has
        return 1.0
    assert isinstance(temperature, Temperature)
    return temperature.factor
