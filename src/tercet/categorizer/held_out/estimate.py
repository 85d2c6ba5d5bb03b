"""How good a fitted model is on documents that it did not learn, and the record that says so in its file."""

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Flags
from tercet.categorizer.files.record import METRICS, TrainingRecord
from tercet.categorizer.fitting import FitResult
from tercet.categorizer.held_out.held_out import (
    HeldDocuments,
    assign_documents,
    default_folds,
    describe_folds,
    describe_selection,
    score_by_folds,
    score_one_by_one,
)
from tercet.categorizer.model.text_model import Scored, TrainedState
from tercet.categorizer.rules import overrule
from tercet.categorizer.state import DocumentsDigest, digest_counts
from tercet.counts.fingerprints import digest_prints
from tercet.counts.training_data import TrainingData
from tercet.models.bayes_rule import warn_of_lost
from tercet.models.classifier import normalize_scores

if TYPE_CHECKING:
    from tercet.categorizer.model.calibrator import CrossCalibration
    from tercet.categorizer.model.stack_model import StackedDocuments
    from tercet.report.report import Report


class Folds(NamedTuple):
    """How documents are held out for the estimate."""

    n: int | None  # None for leave-one-out, or for the documents that a stack has held out
    seed: int
    by: str


def estimate_held_out(result: FitResult, asked: Folds) -> "tuple[HeldDocuments, int | None, HeldOutAnswers, Report]":
    """The documents, the number of folds in use, and how good the categorizer is on held-out documents."""
    held = HeldDocuments.of(result.fitted.settings, result.fitted.state, result.data)
    folds = asked._replace(n=default_folds(held)) if asked.n is None and find_stacked(result) is None else asked
    answers = predict_held_out(held, _hold_out(held, result, folds), result.calibration)
    return held, folds.n, answers, replace(answers.report(held), **_describe(held, result, folds))


def find_stacked(result: FitResult) -> "StackedDocuments | None":
    """The documents that a stack has held out; None for other models."""
    return None if result.fitted.state.trained is None else result.fitted.state.trained.held_out


def renew_record(record: TrainingRecord, result: FitResult) -> TrainingRecord:
    """The record that `train` would write for this result, with the columns, the rules and the folds of an older record.

    If labels were guessed, held-out documents would only repeat the guess: the record has no estimate. If they come from
    teachers, the estimate is of gold documents, and the model does not know which these are: the record stays as it is.
    """
    if not record.is_checked:
        return write_unchecked(record.renew(result.data.labels), result)
    if record.teachers:
        return record
    report = estimate_held_out(result, Folds(record.folds, record.seed, record.folds_by))[-1]
    return write_record(record.renew(result.data.labels), result, report)


def write_unchecked(record: TrainingRecord, result: FitResult) -> TrainingRecord:
    """The record of a training on documents whose labels nobody has checked."""
    return record.finish({}, "", len(result.data.codes), _digest_documents(result))


def _digest_documents(result: FitResult) -> DocumentsDigest:
    return DocumentsDigest(digest_prints(np.sort(result.data.prints)), digest_counts(result.fitted.state))


def write_record(record: TrainingRecord, result: FitResult, report: "Report") -> TrainingRecord:
    estimate = {name: report[name] for name in METRICS} if can_estimate(result.data) else {}
    signature = report.signature if estimate else ""
    return record.finish(estimate, signature, len(result.data.codes), _digest_documents(result))


def can_estimate(data: TrainingData) -> bool:
    """Whether a label has two different documents: if one of them is held out, the label is still known."""
    for n in (1000, len(data.codes)):  # the first documents nearly always tell
        _, first = np.unique(data.prints[:n], return_index=True)
        if np.bincount(data.codes[first]).max(initial=0) > 1:
            return True
    return False


def _hold_out(held: HeldDocuments, result: FitResult, folds: Folds) -> Iterator[Scored]:
    """The scores of all documents, or of those that a stack held out. Scores that the calibration has used are used again."""
    stacked = find_stacked(result)
    if folds.n is None and stacked is not None:
        return iter([Scored(stacked.indices, stacked.log_proba)])
    scored = None if result.calibration is None else result.calibration.scored
    if folds.n is None:
        return _score_others(held, result.fitted.state.trained, scored)
    if scored is not None and folds == (default_folds(held), 0, "random"):
        return iter([scored])
    return score_by_folds(held, assign_documents(held, folds.n, folds.seed, "all", by=folds.by), result.fitted.state.trained)


def _score_others(held: HeldDocuments, trained: TrainedState | None, scored: Scored | None) -> Iterator[Scored]:
    """The documents that are scored already, and then all others, one by one."""
    if scored is None:
        yield from score_one_by_one(held, "all", trained)
        return
    yield scored
    others = np.ones(len(held.codes), np.bool_)
    others[scored.indices] = False
    if others.any():
        yield from score_one_by_one(held, "all", trained, np.flatnonzero(others))


def _describe(held: HeldDocuments, result: FitResult, folds: Folds) -> dict[str, Any]:
    """How the estimate was made, for its signature."""
    selection = "" if not held.settings.selects else "fixed" if folds.n is None else "anew"
    note, recipe, stacked = describe_selection(selection), held.describe(result.fitted.state.trained), find_stacked(result)
    if folds.n is not None:
        recipe["folds"] = describe_folds(folds.n, folds.seed, "all", by=folds.by)
    elif stacked is not None:
        recipe["held_out"] = f"{stacked.n_folds}of{describe_folds(stacked.of_folds, stacked.seed, 'all')}"
    else:
        recipe["left_out"] = "one+copies=all"
    if result.calibration is not None:
        recipe["calibration"] = result.calibration.calibrator.method
    return {"recipe": recipe, "selection": selection, "note": note}


class HeldOutAnswers(NamedTuple):
    """For each held-out document the prediction, and the log-probability of its own label."""

    predicted: npt.NDArray[np.int32]
    log_own: npt.NDArray[np.float32]
    is_held_out: Flags

    def report(self, held: HeldDocuments) -> "Report":
        from tercet.report.report import evaluate_codes

        counted = self.counted(held)
        return evaluate_codes(held.table.labels, held.codes[counted], self.predicted[counted].astype(np.int64), list(METRICS))

    def counted(self, held: HeldDocuments) -> Flags:
        """Which documents count: those that were held out and have a weight above 0."""
        weights = held.data.weights
        return self.is_held_out if weights is None else self.is_held_out & (weights > 0)


def predict_held_out(held: HeldDocuments, parts: Iterator[Scored], calibration: "CrossCalibration | None") -> HeldOutAnswers:
    """The predictions for held-out documents. Each comes from a calibration that was not fitted to that document."""
    n, n_lost = len(held.codes), 0
    answers = HeldOutAnswers(np.zeros(n, np.int32), np.zeros(n, np.float32), np.zeros(n, np.bool_))
    for part in parts:
        indices, joint = part.indices, part.scores
        decided = None if held.decided is None else held.decided[indices]
        log_proba = overrule(normalize_scores(joint) if calibration is None else calibration.apply(indices, joint), decided)
        answers.predicted[indices] = (overrule(joint, decided) if calibration is None else np.exp(log_proba)).argmax(axis=1)
        answers.log_own[indices] = log_proba[np.arange(len(indices)), held.codes[indices]]
        answers.is_held_out[indices] = True
        n_lost += part.n_lost
    if n_lost:
        warn_of_lost(n_lost, n)
    return answers
