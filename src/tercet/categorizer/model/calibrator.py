"""Calibration of a categorizer: scores of held-out documents → probabilities and label sets."""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.held_out.held_out import (
    HeldDocuments,
    HeldOut,
    assign_documents,
    default_folds,
    gather_scores,
    number_rows,
    score_by_folds,
    score_one_by_one,
)
from tercet.categorizer.model.text_model import Scored, TrainedState
from tercet.categorizer.rules import decide_labels, overrule
from tercet.categorizer.scorer import Scorer
from tercet.counts.fingerprints import Fingerprints, HalfPrints
from tercet.counts.labels import Labels, find_labels, index_labels, read_labels, write_labels
from tercet.counts.training_data import TrainingData
from tercet.counts.units import to_numbers
from tercet.errors import InvalidLabel
from tercet.kernel import engine
from tercet.models.bayes_rule import add_prior
from tercet.models.calibration import Calibration, CrossFitted, Softmax, cross_fit, deal_by_label, fit_calibration, round_digits
from tercet.models.classifier import normalize_scores
from tercet.models.conformal import LabelSets
from tercet.options import is_number, n_threads
from tercet.registry import read, write

if TYPE_CHECKING:
    from tercet.categorizer.model.stack_model import StackedDocuments

MAX_DOCUMENTS, MIN_DOCUMENTS = 30_000, 500
MAX_SCORES = 1 << 17  # documents × labels


@dataclass(frozen=True, eq=False)
class Calibrator:
    """A calibration and label sets for the scores of these labels, fitted to held-out documents.

    `error_before` and `error_after` are expected calibration errors. `error_after` is measured on documents that the
    calibration was not fitted to.
    """

    labels: Labels
    calibration: Calibration
    sets: LabelSets
    error_before: float
    error_after: float

    @property
    def method(self) -> str:
        return self.calibration.method

    def summarize(self) -> dict[str, Any]:
        """The method, and the calibration errors before and after."""
        return {"method": self.method, "error_before": self.error_before, "error_after": self.error_after}

    def join(self, scorer: Scorer) -> Scorer:
        """The scorer with this calibration. A scorer with other labels gets no label sets: their coverage is unknown."""
        if scorer.labels.tolist() == self.labels.tolist():
            return replace(scorer, calibration=self.calibration, sets=self.sets)
        return replace(scorer, calibration=self.calibration.pick(index_labels(scorer.labels, self.labels)), sets=None)

    def to_dict(self) -> dict[str, Any]:
        errors = {"error_before": self.error_before, "error_after": self.error_after}
        return {"labels": write_labels(self.labels), **errors, **write_calibration(self.calibration, self.sets)}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "Calibrator":
        labels = read_labels(written["labels"])
        calibration, sets = read_calibration(written, len(labels))
        errors = written["error_before"], written["error_after"]
        if calibration is None or sets is None or not all(is_number(error) and 0 <= error <= 1 for error in errors):
            raise ValueError("a calibration lacks its label sets, or its errors are not from 0 to 1")
        return cls(labels, calibration, sets, *map(float, errors))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Calibrator) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]


def write_calibration(calibration: Calibration | None, sets: LabelSets | None) -> dict[str, Any]:
    """A scorer's calibration and label sets, as values for JSON."""
    return {
        "calibration": None if calibration is None else write(calibration),
        "sets": None if sets is None else sets.to_dict(),
    }


def read_calibration(written: Mapping[str, Any], n_labels: int) -> tuple[Calibration | None, LabelSets | None]:
    calibration = None if written["calibration"] is None else read("calibration", written["calibration"])
    if calibration is not None and not calibration.fits(n_labels):
        raise ValueError("the calibration is for another number of labels")
    return calibration, None if written["sets"] is None else LabelSets.from_dict(written["sets"])


def measure_error(log_proba: Floats, codes: Integers, weights: Floats | None = None) -> float:
    """The expected calibration error, in ten bins."""
    from tercet.evaluation.probabilities import (
        ProbabilisticPredictions,  # on first use: most categorizers are not calibrated
        calibration_error,
    )

    counted = np.ones(len(codes)) if weights is None else weights
    return round_digits(
        float(calibration_error(ProbabilisticPredictions(np.arange(log_proba.shape[1]), codes, np.exp(log_proba), counted)))
    )


def merge_calibrators(ours: Calibrator | None, theirs: Calibrator | None) -> Calibrator | None:
    """The calibrator of a sum of categorizers: None, with a warning, unless both are equal or both are None."""
    if ours == theirs:
        return ours
    warnings.warn(
        "the sum is not calibrated: the calibrations of its parts are not right for the whole. "
        "Call `retune` with all documents, or `calibrate_on` with other documents.",
        RuntimeWarning,
        stacklevel=3,
    )
    return None


class CrossCalibration(NamedTuple):
    """A calibrator, and for each document a calibration that was not fitted to it."""

    calibrator: Calibrator
    fitted: CrossFitted
    folds: Integers  # of each document; -1 for documents that were not used
    scored: Scored | None  # the held-out documents that it was fitted to, or all documents; None for a stack

    def apply(self, indices: Integers, log_joint: Floats) -> Floats:
        """log P(label | document) of the documents at these indices."""
        return self.fitted.apply(log_joint, self.folds[indices])


def calibrate_training(held: HeldDocuments, method: str, trained: TrainedState | None) -> CrossCalibration | None:
    """Calibrate on the training documents. Each is scored without itself and its copies: one by one, or by folds.

    If there are many documents, a sample is used, in the order of fingerprints: neither the order of the documents nor the
    number of threads changes the result. None if "auto" has nothing to calibrate on.
    """
    if trained is not None and trained.held_out is not None:
        return _calibrate_stack(held, method, trained.held_out)
    sample, n_folds = sample_documents(held), default_folds(held)
    if n_folds is None:
        scored = _score_sample(held, trained, sample)
        log_joint = scored.scores
    else:
        fold_of = assign_documents(held, n_folds, 0, "all")
        scored = gather_scores(held, score_by_folds(held, fold_of, trained))._replace(lost=None)  # it has warned of them
        log_joint = scored.scores[sample]
    if method == "auto" and not _has_possible(log_joint, held.codes[sample]):
        return None
    order = np.argsort(held.data.prints[sample], kind="stable")
    log_joint, codes, weights = log_joint[order], held.codes[sample][order], _pick_weights(held, sample[order])
    dealt = deal_texts(held.data.texts[sample[order]], codes)
    folds = np.full(len(held.codes), -1)
    folds[sample[order]] = dealt
    fitted = cross_fit(log_joint, codes, method, weights, dealt)
    decided = None if held.decided is None else held.decided[sample[order]]
    calibrator = _measure(held.table.labels, fitted.calibration, log_joint, fitted.log_proba, codes, weights, decided)
    return CrossCalibration(calibrator, fitted, folds, scored)


def _calibrate_stack(held: HeldDocuments, method: str, stacked: "StackedDocuments") -> CrossCalibration:
    """A stack is fitted to held-out documents, so its scores are calibrated: "auto" leaves them as they are."""
    codes, weights = held.codes[stacked.indices], _pick_weights(held, stacked.indices)
    dealt = deal_texts(held.data.texts[stacked.indices], codes)
    folds = np.full(len(held.codes), -1)
    folds[stacked.indices] = dealt
    unchanged = Softmax()
    fitted = CrossFitted(unchanged, (unchanged,) * (int(dealt.max()) + 1), stacked.log_proba)
    if method != "auto":
        fitted = cross_fit(stacked.log_proba, codes, method, weights, dealt)
    decided = None if held.decided is None else held.decided[stacked.indices]
    calibrator = _measure(held.table.labels, fitted.calibration, stacked.log_proba, fitted.log_proba, codes, weights, decided)
    return CrossCalibration(calibrator, fitted, folds, None)


def _has_possible(log_joint: Floats, codes: Integers) -> bool:
    """Whether the own label of a document is possible: it is not if each held-out document is the only one of its label."""
    return bool(np.isfinite(log_joint[np.arange(len(codes)), codes]).any())


def _score_sample(held: HeldDocuments, trained: TrainedState | None, sample: Integers) -> Scored:
    scores, are_lost = np.empty((len(sample), len(held.table.labels))), np.zeros(len(sample), np.bool_)
    for indices, joint, lost in score_one_by_one(held, "all", trained, sample):
        places = np.searchsorted(sample, indices)
        scores[places] = joint
        are_lost[places] = False if lost is None else lost
    return Scored(sample, scores, are_lost)


def deal_texts(texts: HalfPrints, codes: Integers) -> Integers:
    """The fold of each document. The distinct texts of each label take turns, in the order of their first documents.

    Copies of a text share a fold, even if their labels differ.

    >>> deal_texts(np.array([[8, 8], [9, 9], [8, 8], [7, 7]], np.uint64), np.array([1, 0, 1, 1]))
    array([1, 0, 1, 2])
    """
    distinct, which = number_rows(texts)
    first = np.full(len(distinct), len(texts))
    np.minimum.at(first, which, np.arange(len(texts)))
    folds, order = np.empty(len(distinct), np.int64), np.argsort(first)
    folds[order] = deal_by_label(codes[first[order]])
    return folds[which]


def _measure(
    labels: Labels,
    calibration: Calibration,
    log_joint: Floats,
    log_proba: Floats,
    codes: Integers,
    weights: Floats | None,
    decided: Integers | None,
) -> Calibrator:
    """The calibrator, with label sets and errors from probabilities that were not fitted to these documents.

    Sets and errors are those of rules and model together.
    """
    log_proba = overrule(log_proba, decided)
    before = measure_error(overrule(normalize_scores(log_joint), decided), codes, weights)
    after = measure_error(log_proba, codes, weights)
    sets = LabelSets.of(np.exp(log_proba[np.arange(len(codes)), codes]), weights)
    return Calibrator(labels, calibration, sets, before, after)


def sample_documents(held: HeldDocuments) -> Integers:
    """The documents that a calibration is fitted to."""
    most = MAX_SCORES // len(held.table.labels)
    return held.sample(min(MAX_DOCUMENTS, max(MIN_DOCUMENTS, most)))


def calibrate_held_out(held: HeldDocuments, log_joint: Floats, documents: Integers, method: str) -> Floats:
    """log P(label | document) of these documents from their held-out scores, by calibrations that were fitted to others.

    `log_joint` has a row for each document of `held`; only the rows of these documents are read.
    """
    if method == "auto" and held.settings.model.is_calibrated:
        return normalize_scores(log_joint[documents])
    sample = np.intersect1d(sample_documents(held), documents)
    sample = sample[np.argsort(held.data.prints[sample], kind="stable")]
    folds = np.full(len(held.codes), -1)
    folds[sample] = deal_texts(held.data.texts[sample], held.codes[sample])
    fitted = cross_fit(log_joint[sample], held.codes[sample], method, _pick_weights(held, sample), folds[sample])
    return fitted.apply(log_joint[documents], folds[documents])


def calibrate_folds(held: HeldDocuments, result: HeldOut, method: str, folds: Integers) -> Floats | None:
    """log P(label | document) of cross-validated documents, from calibrations that were fitted to the other folds.

    None if "auto" has nothing to calibrate on.
    """
    if method == "auto" and held.settings.model.is_calibrated:
        return normalize_scores(result.scores)
    sample = sample_documents(held)
    if method == "auto" and not _has_possible(result.scores[sample], held.codes[sample]):
        return None
    fitted = cross_fit(result.scores[sample], held.codes[sample], method, _pick_weights(held, sample), folds[sample])
    return fitted.apply(result.scores, folds)


def calibrate_fresh(scorer: Scorer, data: TrainingData, texts: list[engine.Texts], method: str) -> Calibrator:
    """Calibrate on documents that were never learned: one half for the calibration, the other half for the label sets.

    So the label sets are found on documents that the calibration was not fitted to, and their coverage is guaranteed.
    """
    indices = find_labels(data.labels, scorer.labels)
    order = np.argsort(data.prints, kind="stable")
    if data.weights is not None:
        order = order[data.weights[order] > 0]
    if len(order) < 2:
        raise InvalidLabel(f"there are {len(order)} documents to calibrate on, and at least 2 are needed. Use 1000 or more.")
    weights = None if data.weights is None else to_numbers(data.weights)
    log_joint, codes = score_documents(scorer, data, texts), indices[data.codes]

    def take(some: Integers) -> tuple[Floats, Integers, Floats | None]:
        return log_joint[some], codes[some], None if weights is None else weights[some]

    scores, own, own_weights = take(order[::2])
    calibration = fit_calibration(scores, own, method, own_weights)
    scores, own, own_weights = take(order[1::2])
    decided = None
    if data.matches is not None:
        decided = decide_labels(scorer.rules, data.matches[order[1::2]], scorer.labels)
    return _measure(scorer.labels, calibration, scores, calibration.apply(scores), own, own_weights, decided)


def score_documents(scorer: Scorer, data: TrainingData, texts: list[engine.Texts]) -> Floats:
    """log P(label) + log P(document | label), documents × labels."""
    threads = n_threads(scorer.threads)
    scores = np.concatenate([scorer.weights.score_rows(scorer.table.rows(part, threads), threads) for part in texts])
    joint, _ = add_prior(scores, scorer.weights.prior)
    return joint if scorer.normals is None else joint + scorer.normals.log_densities(data.numbers).sum(axis=2)


def warn_of_learned(prints: Fingerprints | None, data: TrainingData) -> None:
    """Warn about documents that were learned: they are too easy for a calibration."""
    n_known = 0 if prints is None else int(prints.find_known(data.prints).sum())
    if n_known:
        warnings.warn(
            f"{n_known} of {len(data.prints)} documents were learned before: the categorizer knows their answers, so its "
            "probabilities will be too high. Calibrate on documents that it has not learned.",
            RuntimeWarning,
            stacklevel=3,
        )


def _pick_weights(held: HeldDocuments, indices: Integers) -> Floats | None:
    return None if held.data.weights is None else to_numbers(held.weights(indices))
