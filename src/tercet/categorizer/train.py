"""`train`: documents → a fitted categorizer, an honest estimate of its accuracy, and suspects, in one pass."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.categorizer.categorizer import Categorizer, open_unlabelled
from tercet.categorizer.files.record import METRICS, TrainingRecord
from tercet.categorizer.fitting import FitResult, fit
from tercet.categorizer.held_out.estimate import (
    Folds,
    HeldOutAnswers,
    can_estimate,
    estimate_held_out,
    find_stacked,
    predict_held_out,
    renew_record,
    write_record,
    write_unchecked,
)
from tercet.categorizer.held_out.held_out import (
    FOLDS_BY,
    HeldDocuments,
    score_one_by_one,
)
from tercet.categorizer.held_out.label_noise import LabelNoise, ListedLabels
from tercet.categorizer.held_out.suspects import Suspect, Suspects
from tercet.categorizer.model.text_model import Scored
from tercet.counts.table import CountTable
from tercet.data.document_batches import Beginnings, join_batches, look_ahead, open_batches
from tercet.data.id_labels import refuse_ids
from tercet.data.joined_labels import JoinedLabels, find_joined
from tercet.data.similar_labels import SimilarLabel, find_similar
from tercet.errors import InvalidOption, NoEstimate, bad_option
from tercet.options import check_choice, check_count, check_seed
from tercet.report.tables import pluralize
from tercet.report.training_summary import NO_ESTIMATE

if TYPE_CHECKING:
    from tercet.categorizer.model.calibrator import Calibrator
    from tercet.categorizer.model.stack_model import MemberResult
    from tercet.categorizer.teachers.combination import TeachersReport
    from tercet.evaluation.confusion import ConfusedPair
    from tercet.models.calibration import Calibration
    from tercet.report.report import Report

N_SUSPECTS = 10  # suspects in `TrainResult.suspects`
MAX_SAMPLED, MIN_SAMPLED = 2000, 200  # documents that say how many labels are wrong
MAX_SCORES = 1 << 21  # documents × labels of them
MAX_COMPARED = 300  # labels: if there are more, the best of each document are compared
FEW = 50  # documents a label: below, word vectors help most
MAX_HINTED = 250  # labels: with more, word vectors are left out
CHECK_HINT = (
    "few documents for each label, and those that were suggested are no random sample: `tercet check` says how good the model "
    "is on all texts"
)
VECTORS_HINT = (
    "few documents for each label: pip install 'tercet[vectors]' lets new words count by their meaning, "
    "usually 3 to 6 points of accuracy"
)
MIN_JUDGED = 20  # documents: fewer can't tell a wrong label from a rare one


@dataclass(frozen=True, eq=False)
class TrainResult:
    """A fitted categorizer, and an estimate of its accuracy from held-out training documents.

    `all_suspects` are the documents whose label is probably wrong, the worst first: at most as many as labels may be random.
    It reads their texts when it is asked for them.
    """

    categorizer: Categorizer
    n_documents: int
    folds: int | None  # None for leave-one-out
    report: "Report | None"  # None if labels come from teachers, and too few gold documents can judge the model
    confusions: "list[ConfusedPair]"
    all_suspects: Suspects
    calibrator: "Calibrator | None" = None  # has the calibration error before and after; None if not calibrated
    members: "Sequence[MemberResult]" = ()  # of a stack: each member and the whole, on the documents of the estimate
    seconds: Mapping[str, float] = field(default_factory=dict)  # CPU time of each member
    n_held_out: int = 0  # how many documents the estimate is made of
    similar_labels: Sequence[SimilarLabel] = ()  # labels that are probably other spellings of more frequent labels
    joined_labels: JoinedLabels | None = None  # labels that join other labels, such as "sport; art"
    has_estimate: bool = True  # False if each label has one text: without it, nothing is known of the label
    hints: Sequence[str] = ()  # what would probably make the model better
    teachers: "TeachersReport | None" = None  # how good each teacher is, if labels come from teachers

    @property
    def estimate(self) -> "Report":
        """How good the model is on held-out documents. Raises NoEstimate if nothing could check it."""
        if self.report is None:
            raise NoEstimate(self.doubt)
        return self.report

    @property
    def doubt(self) -> str:
        """Why the model may be worthless, or why nobody knows how good it is; empty if there is no such reason."""
        if self.report is None:
            from tercet.categorizer.teachers.teaching import FEW_GOLD  # on first use: few trainings have teachers

            return FEW_GOLD
        return self.report.baseline.doubt if self.has_estimate else NO_ESTIMATE

    @property
    def method(self) -> str:
        """How documents were held out, in words."""
        if self.teachers is not None:
            return f"{self.folds} folds of {self.n_held_out} gold documents"
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
        estimate = f"accuracy {self.estimate.accuracy}" if self.has_estimate else "no estimate"
        return f"TrainResult({', '.join(counts)}; {estimate})"

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
    unlabelled: Any = None,
    teachers: Any = None,
) -> TrainResult:
    """Fit a categorizer, by default the best one, and estimate its accuracy on documents that it did not learn.

    Texts and labels are given as for `Categorizer.fit`: in lists, as Documents, or as a stream of Documents. The default
    categorizer is `Categorizer(model="auto", vectors="auto", calibrate="auto")`. Its weights are fitted to held-out documents,
    and the same documents estimate its accuracy: each is judged by weights that it had no say in. Naive Bayes is estimated by
    leave-one-out, and margins by 5 folds, or fewer if there are fewer documents. `folds` asks for so many random folds, and
    `seed` is their random seed. With `folds_by="fingerprint"` the fingerprint of a text decides in which fold it is, as on a
    cluster. Suspects of a stack are found by a naive Bayes on its counts, by leave-one-out; with word vectors and few
    documents, by the stack itself. A sample of 2000 documents says how many labels are wrong at most, and no more suspects are
    listed. `tercet.find_label_errors` looks harder for wrong labels.

    All copies of a text are held out together. Memory holds the fingerprint, the label and the prediction of each document;
    its terms are in memory, too, or in a temporary file if they are too many. `watch` is called from time to time with the
    number of documents that were read. `unlabelled` are texts without labels, which teach the model, too: see
    `Categorizer.fit`.

    `teachers` have also labelled the documents: an LLM, an old system, crowd workers, rules by hand. Give the names of their
    columns in the Documents; or a mapping from the name of a teacher to its column, a list of its answers, or its rules (a
    mapping from regex to label, or a list of `Rule`). An answer is a label, None where the teacher says nothing, probabilities
    `{"spam": 0.9, "ham": 0.1}`, or a list of votes; the last two may be written as JSON. The labels of the documents are then
    gold labels, and may be missing (None). The model learns the combined labels, `teachers` of the result says how good each
    teacher is, and only gold documents judge the model: see docs/teachers.md.

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
    categorizer = Categorizer(model="auto", vectors="auto", calibrate="auto") if categorizer is None else categorizer
    if not isinstance(categorizer, Categorizer):
        raise bad_option("categorizer", "a Categorizer or None", categorizer, "it learns. Try Categorizer(model='auto').")
    _refuse_answers(categorizer, texts)
    if teachers is not None:
        return _train_taught(texts, labels, categorizer, teachers, unlabelled, folds)
    beginnings = Beginnings()
    batches = refuse_ids(beginnings.follow(open_batches(texts, labels), watch))
    options = categorizer.check_options()
    result = fit(options, batches, keep=True, unlabelled=open_unlabelled(unlabelled))
    held, folds_used, answers, report = estimate_held_out(result, Folds(folds, seed, folds_by))
    from tercet.evaluation.confusion import list_confused_pairs  # on first use: import tercet stays quick

    has_estimate = can_estimate(result.data)
    confusions = list_confused_pairs(report.sample.confusion) if has_estimate else []
    judge = CountsJudge.of(held, None if result.calibration is None else result.calibration.scored)
    # Counts alone know little of few documents. If vectors help, and each document was held out, the stack judges itself.
    is_judged = held.settings.uses_vectors and bool(answers.is_held_out.all())
    doubted = judge.answer() if held.settings.has_blocks and not is_judged else answers
    suspects = Suspects.of(held.table.labels, held.codes, doubted.predicted, doubted.log_own, beginnings, doubted.counted(held))
    # A stack that is not shown to be better than the most frequent label can't say which labels are wrong.
    is_doubtful = is_judged and bool(report.baseline.doubt)
    suspects = suspects.take(0 if is_doubtful else judge.limit_errors(int(doubted.counted(held).sum())))
    calibrator = None if result.calibration is None else result.calibration.calibrator
    record = write_record(TrainingRecord.start(texts, folds, seed, folds_by), result, report)
    categorizer.publish(replace(result.finish(options), record=record))
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
        members=() if stacked is None or not has_estimate else _list_members(result, report),
        seconds={} if stacked is None else stacked.seconds,
        n_held_out=int(answers.counted(held).sum()),
        similar_labels=similar,
        joined_labels=_find_joined(result.fitted.state.table),
        has_estimate=has_estimate,
        hints=_list_hints(categorizer, result),
    )


def _train_taught(
    texts: Any, labels: Any, categorizer: Categorizer, teachers: Any, unlabelled: Any, folds: int | None
) -> TrainResult:
    """The same with teachers."""
    from tercet.categorizer.teachers.teaching import N_FOLDS, teach  # on first use: few trainings have teachers
    from tercet.evaluation.confusion import list_confused_pairs

    if folds is not None:
        raise InvalidOption(f"folds={folds!r} can't be chosen with teachers: {N_FOLDS} folds of the gold documents judge.")
    places = Beginnings()
    documents = join_batches(list(look_ahead(places.follow(open_batches(texts, labels)))[1]))
    rules = getattr(texts, "label_rules", None)
    taught = teach(documents, teachers, categorizer, unlabelled, rules=rules, name_place=places.name)
    result, report = taught.result, taught.estimate
    names = tuple(own.name for own in taught.teachers.teachers)
    record = TrainingRecord.start(texts, None, 0, is_checked=report is not None, teachers=names)
    record = write_unchecked(record, result) if report is None else write_record(record, result, report)
    categorizer.publish(replace(result.finish(categorizer.check_options()), record=record))
    nothing = np.zeros(0, np.int64)
    return TrainResult(
        categorizer,
        taught.n_documents,
        N_FOLDS,
        report,
        [] if report is None else list_confused_pairs(report.sample.confusion),
        Suspects.of(categorizer.classes_, nothing, nothing, nothing, places),
        n_held_out=0 if report is None else report.n,
        has_estimate=report is not None,
        hints=_list_hints(categorizer, result),
        teachers=taught.teachers,
    )


def _list_hints(categorizer: Categorizer, result: FitResult) -> tuple[str, ...]:
    """What to do with few documents: install word vectors that were asked for; check the model, if there is a pool."""
    from tercet.categorizer.model.word_terms import find_word_recipe  # on first use: most trainings do not need it

    table, settings = result.fitted.state.table, result.fitted.settings
    n_labels = int(np.count_nonzero(table.n_documents))
    is_missing = isinstance(categorizer.vectors, str) and settings.vectors is None
    would_fit = 1 < n_labels <= MAX_HINTED and find_word_recipe(table.analyzer) is not None
    is_few = len(result.data.codes) < FEW * n_labels
    vectors = (VECTORS_HINT,) if is_missing and would_fit and is_few else ()
    return (*vectors, CHECK_HINT) if is_few and result.fitted.state.unlabelled is not None else vectors


def _list_members(result: FitResult, report: "Report") -> "list[MemberResult]":
    """The members of a stack, and the whole."""
    from tercet.categorizer.model.stack_model import MemberResult, TrainedStack  # on first use: naive Bayes does not need it

    assert isinstance(result.fitted.state.trained, TrainedStack)
    return [*result.fitted.state.trained.results, MemberResult("stack", 1.0, {name: report[name] for name in METRICS})]


def train_like(categorizer: Categorizer, record: TrainingRecord | None, documents: Any, unlabelled: Any = None) -> Categorizer:
    """The categorizer, fitted to these documents. With the record of an earlier training, it gets a record as `train` writes.

    >>> first = train(["to be", "or not"] * 4, ["x", "y"] * 4, categorizer=Categorizer()).categorizer
    >>> from tercet import Documents
    >>> again = train_like(Categorizer(), first.record_, Documents(["to be", "or not"] * 4, ["x", "y"] * 4))
    >>> again.record_ == first.record_
    True
    """
    options, others = categorizer.check_options(), open_unlabelled(unlabelled)
    result = fit(options, open_batches(documents), keep=record is not None, unlabelled=others)
    record = None if record is None else renew_record(record, result)
    categorizer.publish(replace(result.finish(options), record=record))
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


def _find_joined(table: CountTable) -> JoinedLabels | None:
    return find_joined(dict(zip(table.labels.tolist(), table.n_documents.tolist(), strict=True)))


@dataclass(frozen=True, eq=False)
class CountsJudge:
    """A naive Bayes on the counts, and its scores of a sample of documents, each left out, in the order of fingerprints."""

    held: HeldDocuments
    sample: Integers
    joint: Floats  # of the sample

    @classmethod
    def of(cls, held: HeldDocuments, scored: Scored | None) -> "CountsJudge":
        """Scores that the calibration of a naive Bayes has used are used again. Both samples have the smallest fingerprints."""
        n_sampled = max(MIN_SAMPLED, min(MAX_SAMPLED, MAX_SCORES // len(held.table.labels)))
        if not held.settings.model.leaves_one_out:
            held, scored = replace(held, settings=held.settings.for_counts()), None
        sample = held.sample(n_sampled if scored is None else min(n_sampled, len(scored.indices)))
        if scored is None:
            trained = held.settings.model.choose(held)
            parts = [part.scores for part in score_one_by_one(held, "all", trained, sample)]
            joint = np.concatenate([np.zeros((0, len(held.table.labels))), *parts])
        else:
            joint = scored.scores[np.searchsorted(scored.indices, sample)]
        order = np.argsort(held.data.prints[sample], kind="stable")
        return cls(held, sample[order], joint[order])

    def limit_errors(self, n_documents: int) -> int:
        """How many of so many documents have a wrong label at most: the end of the interval of the label noise of the sample.

        A quarter of the documents if they are too few to tell.
        """
        codes, n_labels = self.held.codes[self.sample], len(self.held.table.labels)
        usable = np.flatnonzero(np.isfinite(self.joint[np.arange(len(codes)), codes]))
        if len(usable) < MIN_JUDGED or n_labels < 2:
            return n_documents // 4
        scores, codes, sizes = self.joint[usable], codes[usable], self._count_terms()[usable]
        if n_labels <= MAX_COMPARED:
            noise = LabelNoise.fit(scores, codes, sizes)
        else:
            listed = ListedLabels.of(scores, codes)
            noise = LabelNoise.fit(listed.scores, listed.own, sizes, n_labels)
        return int(np.ceil(noise.limit_errors() * n_documents))

    def _count_terms(self) -> Integers:
        """The number of different terms of each document of the sample."""
        ordered = np.sort(self.sample)
        n_terms = np.concatenate([np.zeros(0, np.int64), *(np.diff(rows.arrays()[0]) for _, rows in self.held.parts(ordered))])
        return np.asarray(n_terms[np.searchsorted(ordered, self.sample)], np.int64)

    def answer(self) -> HeldOutAnswers:
        """The predictions for each document, when it is left out.

        Naive Bayes is far too sure of itself, because terms repeat each other, and the more so the longer a text is. A
        calibration by length mends that.
        """
        calibration, scored = self._calibrate(), score_one_by_one(self.held, "all", None)
        if calibration is not None:
            scored = (each._replace(scores=calibration.apply(each.scores)) for each in scored)
        return predict_held_out(self.held, scored, None)

    def _calibrate(self) -> "Calibration | None":
        """The calibration of the scores; None if no label has two documents."""
        from tercet.models.calibration import fit_calibration  # on first use: most categorizers have no blocks

        try:
            return fit_calibration(self.joint, self.held.codes[self.sample], "length")
        except InvalidOption:  # without its copies, no document has a label that another document has
            return None
