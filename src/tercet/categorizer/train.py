"""A stream of documents → a categorizer, and an honest word on how good it is, from one pass and in bounded memory."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.categorizer.beginnings import Beginnings
from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.document_batches import open_batches
from tercet.categorizer.fitted import CHANGING
from tercet.categorizer.held_documents import HeldDocuments, Scored
from tercet.categorizer.holding_out import count_folds, describe_folds, score_by_folds, score_one_by_one
from tercet.data.documents import Documents
from tercet.data.places import Places
from tercet.models.classifier import normalize_scores
from tercet.models.likelihood import warn_of_lost
from tercet.options import check_count, check_seed

if TYPE_CHECKING:
    from tercet.categorizer.calibrated import Calibrated
    from tercet.categorizer.calibrating import LeftOutFit
    from tercet.evaluation.confusion import ConfusedPair
    from tercet.report.report import Report

SHOWN = 10
METRICS = ["accuracy", "macro_f1"]


class Suspect(NamedTuple):
    """A document whose own label the categorizer without it finds improbable."""

    position: int  # counted from 0
    label: Any
    better: Any
    probability: float  # of its own label
    beginning: str  # of its text
    place: str = ""  # where it stands, if it was read from somewhere: "reviews.csv, line 17"


@dataclass(frozen=True, eq=False)
class Trained:
    """A categorizer, and what it says of the documents that it learned when they are held out."""

    categorizer: Categorizer
    n_documents: int
    folds: int | None  # none where each was left out in its turn
    estimate: "Report"
    confusions: "list[ConfusedPair]"
    suspects: list[Suspect]
    calibrated: "Calibrated | None" = None  # with the calibration error before and after, if it was asked for


def train(
    categorizer: Categorizer,
    stream: Any,
    *,
    folds: int | None = None,
    seed: int = 0,
    watch: Callable[[int], None] | None = None,
) -> Trained:
    """Fit a categorizer to a stream of Documents, and judge it by leave-one-out, or by so many folds, which `seed` draws.

    Margins are judged by 5 folds, if no other number is given, or by as many as there are documents: they have to be trained
    for each.

    Every copy of a text is left out with it, by folds, too. What is kept of a document is its fingerprint, its label and its
    answer; its terms go to memory, or, where they are too many, to a temporary file. Columns of numbers are held, too, and
    with them the scores of all documents. `watch` is told now and then how many documents were read.

    >>> stream = [Documents(["to be", "or not", "to be so", "not that"], ["x", "y", "x", "y"])]
    >>> trained = train(Categorizer("words"), stream)
    >>> print(trained.n_documents, trained.estimate.accuracy, trained.suspects)
    4 1.000 [0.510, 1.000] []
    """
    if folds is not None:
        check_count("folds", folds)
        check_seed(seed)
    beginnings, places = Beginnings(), Places()
    training, learned, fitted = categorizer._fit(places.follow(_note(open_batches(stream), beginnings, watch)), keep=True)
    with CHANGING:
        held = HeldDocuments.of(categorizer._rules, learned, training)
        if held.model.margin is not None and folds is None:
            folds = count_folds(held)
        whole = None if fitted is None or (folds, seed) != (count_folds(held), 0) else fitted.log_joint
        parts = _hold_out(categorizer, held, folds, seed) if whole is None else iter([Scored(np.arange(len(whole)), whole, 0)])
        judged = _judge(held, parts, fitted)
    report = replace(judged.report(held), **_describe(categorizer, held, folds, seed))
    from tercet.evaluation.confusion import find_worst_confusions  # on first use: import tercet stays quick

    suspects = [one._replace(place=places.find(one.position)) for one in judged.find_suspects(held, beginnings)]
    calibrated = None if fitted is None else fitted.calibrated
    return Trained(categorizer, len(held.codes), folds, report, find_worst_confusions(report.confusion), suspects, calibrated)


def _note(batches: Iterator[Documents], beginnings: Beginnings, watch: Callable[[int], None] | None) -> Iterator[Documents]:
    for batch in batches:
        yield beginnings.note(batch)
        if watch is not None:
            watch(len(beginnings))


def _hold_out(categorizer: Categorizer, held: HeldDocuments, folds: int | None, seed: int) -> Iterator[Scored]:
    if folds is not None:
        return score_by_folds(held, folds, seed, "all", categorizer._smoothing)
    return score_one_by_one(held, "all", categorizer._smoothing or held.model.find_smoothing(held.table, held.kept))


def _describe(categorizer: Categorizer, held: HeldDocuments, folds: int | None, seed: int) -> dict[str, Any]:
    from tercet.report.report import CROSS_VALIDATED, SELECTED

    way = {"left_out": "one+copies=all"} if folds is None else {"folds": describe_folds(folds, seed, "all")}
    selection = "" if not held.model.selects else "fixed" if folds is None else "anew"
    note = "; ".join(filter(None, [CROSS_VALIDATED, SELECTED[selection]]))
    calibrated = categorizer._calibrated
    way |= {} if calibrated is None else {"calibration": calibrated.way}
    return {"recipe": held.describe(categorizer._smoothing) | way, "selection": selection, "note": note}


class Judged(NamedTuple):
    """For each document what was answered, and how probable its own label was."""

    predicted: npt.NDArray[np.int32]
    log_own: npt.NDArray[np.float32]

    def report(self, held: HeldDocuments) -> "Report":
        from tercet.report.report import evaluate_codes

        counted = self._counted(held)
        return evaluate_codes(held.table.labels, held.codes[counted], self.predicted[counted].astype(np.int64), METRICS)

    def find_suspects(self, held: HeldDocuments, beginnings: Beginnings) -> list[Suspect]:
        """The least probable first. A label that only one document has is no sign of a mistake."""
        wrong = np.flatnonzero((self.predicted != held.codes) & np.isfinite(self.log_own) & self._counted(held))
        worst = wrong[np.argsort(self.log_own[wrong], kind="stable")[:SHOWN]].tolist()
        labels, texts = held.table.labels.tolist(), beginnings.read(worst)
        return [
            Suspect(i, labels[held.codes[i]], labels[self.predicted[i]], float(np.exp(np.float64(self.log_own[i]))), texts[i])
            for i in worst
        ]

    def _counted(self, held: HeldDocuments) -> npt.NDArray[np.bool_]:
        """A document without weight is as good as none."""
        weights = held.training.weights
        return np.ones(len(self.predicted), np.bool_) if weights is None else weights > 0


def _judge(held: HeldDocuments, parts: Iterator[Scored], fitted: "LeftOutFit | None") -> Judged:
    """A calibration that was fitted to a document has no say in its answer: another one has, that was not."""
    n, n_lost = len(held.codes), 0
    judged = Judged(np.zeros(n, np.int32), np.zeros(n, np.float32))
    for places, joint, lost in parts:
        log_proba = normalize_scores(joint) if fitted is None else fitted.apply(places, joint)
        judged.predicted[places] = (joint if fitted is None else np.exp(log_proba)).argmax(axis=1)
        judged.log_own[places] = log_proba[np.arange(len(places)), held.codes[places]]
        n_lost += lost
    warn_of_lost(n_lost, n)
    return judged
