"""`train`: documents → a fitted categorizer, an honest estimate of its accuracy, and suspects, in one pass."""

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
from tercet.counts.table import CountTable
from tercet.data.document_batches import Beginnings, open_batches
from tercet.data.similar_labels import SimilarLabel, find_similar
from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, check_count, check_seed
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.categorizer.model.calibrator import Calibrator
    from tercet.categorizer.model.stack_model import MemberResult
    from tercet.evaluation.confusion import ConfusedPair
    from tercet.report.report import Report

N_SUSPECTS = 10  # suspects in `TrainResult.suspects`
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
    batches = beginnings.follow(open_batches(texts, labels), watch)
    result = fit(categorizer.check_options(), batches, keep=True)
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
