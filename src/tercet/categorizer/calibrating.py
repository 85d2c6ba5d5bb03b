"""Documents that are held out → a calibration."""

import warnings
from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.calibrated import Calibrated, measure_error
from tercet.categorizer.copies import number_rows
from tercet.categorizer.held_documents import HeldDocuments
from tercet.categorizer.held_out import HeldOut
from tercet.categorizer.holding_out import count_folds, gather_scores, score_by_folds, score_one_by_one
from tercet.categorizer.scorer import Scorer
from tercet.categorizer.training import Training
from tercet.counts.fingerprints import Fingerprints, HalfPrints
from tercet.counts.labels import Labels, find_labels
from tercet.counts.units import to_numbers
from tercet.errors import InvalidLabel
from tercet.kernel import engine
from tercet.kernel.threads import n_threads
from tercet.models.calibration import Calibration, fit_calibration
from tercet.models.calibration_choice import CrossFitted, cross_fit, deal_folds
from tercet.models.classifier import normalize_scores
from tercet.models.conformal import LabelSets
from tercet.models.likelihood import add_prior
from tercet.models.smoothing import Smoothing

MOST_DOCUMENTS, FEWEST_DOCUMENTS = 30_000, 500
MOST_SCORES = 1 << 17  # documents × labels


class LeftOutFit(NamedTuple):
    """What leaving out has taught, and in which fold each document was; -1 for those that were not asked."""

    calibrated: Calibrated
    fitted: CrossFitted
    folds: Integers
    log_joint: Floats | None  # of all documents, each held out with its fold, if margins had to be trained for that

    def apply(self, places: Integers, log_joint: Floats) -> Floats:
        """log P(label | document) of the documents in these places, by what was not fitted to them."""
        return self.fitted.apply(log_joint, self.folds[places])


def calibrate_left_out(held: HeldDocuments, way: str, smoothing: Smoothing) -> LeftOutFit:
    """By leave-one-out scores: every copy of a text goes out with it, so that none of them can cheat. Margins by folds
    that keep copies together.

    Of many documents some are asked, as a smoothing is chosen, and in the order of their fingerprints: neither the order of
    the documents nor the number of threads changes the result.
    """
    sample, whole = pick_documents(held), None
    if held.model.margin is not None:
        whole = gather_scores(held, score_by_folds(held, count_folds(held), 0, "all", None))
        log_joint = whole[sample]
    else:
        log_joint = np.empty((len(sample), len(held.table.labels)))
        for places, joint, _ in score_one_by_one(held, "all", smoothing, sample):
            log_joint[np.searchsorted(sample, places)] = joint
    order = np.argsort(held.training.prints[sample], kind="stable")
    log_joint, codes, weights = log_joint[order], held.codes[sample][order], _find_weights(held, sample[order])
    folds, dealt = np.full(len(held.codes), -1), deal_texts(held.training.texts[sample[order]])
    folds[sample[order]] = dealt
    return LeftOutFit(*calibrate_scores(held.table.labels, log_joint, codes, way, weights, dealt), folds, whole)


def deal_texts(texts: HalfPrints) -> Integers:
    """The fold of each document, by the fingerprints of the texts: in turn, but copies together, for their scores are equal.

    >>> deal_texts(np.array([[8, 8], [9, 9], [8, 8], [7, 7]], np.uint64))
    array([0, 1, 0, 2])
    """
    distinct, which = number_rows(texts)
    first = np.full(len(distinct), len(texts))
    np.minimum.at(first, which, np.arange(len(texts)))
    folds = np.empty(len(distinct), np.int64)
    folds[np.argsort(first)] = deal_folds(len(distinct))
    return folds[which]


def calibrate_scores(
    labels: Labels, log_joint: Floats, codes: Integers, way: str, weights: Floats | None, folds: Integers
) -> tuple[Calibrated, CrossFitted]:
    """By scores of documents that were held out.

    The label sets and the error are of probabilities by a calibration that was fitted to the other folds.
    """
    fitted = cross_fit(log_joint, codes, way, weights, folds)
    return _judge(labels, fitted.calibration, log_joint, fitted.log_proba, codes, weights), fitted


def _judge(
    labels: Labels,
    calibration: Calibration,
    log_joint: Floats,
    log_proba: Floats,
    codes: Integers,
    weights: Floats | None,
) -> Calibrated:
    """With label sets and errors of documents that the probabilities were not fitted to."""
    sets = LabelSets.of(np.exp(log_proba[np.arange(len(codes)), codes]), weights)
    errors = (measure_error(each, codes, weights) for each in (normalize_scores(log_joint), log_proba))
    return Calibrated(labels, calibration, sets, *errors)


def pick_documents(held: HeldDocuments) -> Integers:
    """As many as a calibration is fitted to."""
    most = MOST_SCORES // len(held.table.labels)
    return held.sample(min(MOST_DOCUMENTS, max(FEWEST_DOCUMENTS, most)))


def calibrate_folds(held: HeldDocuments, told: HeldOut, way: str, folds: Integers) -> Floats:
    """log P(label | document) of cross-validated documents, each by what the scores of the other folds have taught."""
    sample = pick_documents(held)
    fitted = cross_fit(told.log_joint[sample], held.codes[sample], way, _find_weights(held, sample), folds[sample])
    return fitted.apply(told.log_joint, folds)


def calibrate_held_out(scorer: Scorer, training: Training, texts: list[engine.Texts], way: str) -> Calibrated:
    """By documents that were never learned: every second one is for the calibration, and the others for the label sets.

    So neither was fitted to what the other is about, and the promise of the label sets holds as it stands.
    """
    places = find_labels(training.labels, scorer.labels)
    order = np.argsort(training.prints, kind="stable")
    if training.weights is not None:
        order = order[training.weights[order] > 0]
    if len(order) < 2:
        raise InvalidLabel(f"there are {len(order)} documents to calibrate on, and at least 2 are needed: better, 1000.")
    weights = None if training.weights is None else to_numbers(training.weights)
    log_joint, codes = score_documents(scorer, training, texts), places[training.codes]

    def take(some: Integers) -> tuple[Floats, Integers, Floats | None]:
        return log_joint[some], codes[some], None if weights is None else weights[some]

    scores, own, heavy = take(order[::2])
    calibration = fit_calibration(scores, own, way, heavy)
    scores, own, heavy = take(order[1::2])
    return _judge(scorer.labels, calibration, scores, calibration.apply(scores), own, heavy)


def score_documents(scorer: Scorer, training: Training, texts: list[engine.Texts]) -> Floats:
    """log P(label) + log P(document | label), documents × labels."""
    threads = n_threads(scorer.threads)
    rows = [scorer.table.rows(part, threads) for part in texts]
    scores = np.concatenate([scorer.weights.score(part, np.arange(len(part)), threads) for part in rows])
    joint, _ = add_prior(scores[:, scorer.columns], scorer.prior)
    return joint if scorer.normals is None else joint + scorer.normals.log_densities(training.numbers).sum(axis=2)


def warn_of_learned(prints: Fingerprints | None, training: Training) -> None:
    """Documents that were learned are too easy."""
    n_known = 0 if prints is None else prints.count_known(training.prints)
    if n_known:
        warnings.warn(
            f"{n_known} of {len(training.prints)} documents were learned before: the categorizer knows their answers, so it "
            "will sound surer than it should. Calibrate on documents that it has not learned.",
            RuntimeWarning,
            stacklevel=3,
        )


def _find_weights(held: HeldDocuments, places: Integers) -> Floats | None:
    return None if held.training.weights is None else to_numbers(held.weights(places))
