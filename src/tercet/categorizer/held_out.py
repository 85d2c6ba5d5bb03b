"""What a categorizer says of documents that it was not allowed to learn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from tercet.counts.fingerprints import Words
from tercet.counts.labels import Labels
from tercet.evaluation.notes import CROSS_VALIDATED, SELECTED
from tercet.models.classifier import normalize_scores
from tercet.models.leave_one_out import Taken

if TYPE_CHECKING:
    from tercet.report.report import Report

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """For each document, in the order of the input, what a categorizer without it says.

    `labels` are the labels in sorted order, `log_joint` their scores, documents × labels, `gold` the documents' own labels.
    `selection` says how the terms were selected, if they were: `"anew"` without each fold, or held `"fixed"`.
    `recipe` names analyzer, model and folds, for the signature of the report.
    """

    labels: Labels
    gold: Labels
    log_joint: Floats
    selection: str = ""
    recipe: Mapping[str, str] = field(default_factory=dict)

    @property
    def probabilities(self) -> Floats:
        """P(label | document), documents × labels."""
        return np.exp(normalize_scores(self.log_joint))

    @property
    def predicted(self) -> Labels:
        """The most probable label; of equals the first in sorted order."""
        predicted: Labels = self.labels[self.log_joint.argmax(axis=1)]
        return predicted

    @property
    def accuracy(self) -> float:
        """The share of documents whose label is predicted right."""
        return float(np.mean(self.predicted == self.gold))

    @cached_property
    def report(self) -> "Report":
        """How good these answers are, with an interval on every number.

        An interval covers the choice of the tested documents only, not that of the documents to learn from.
        """
        from tercet.report.evaluation import evaluate  # on first use: import tercet stays quick

        report = evaluate(self.gold, self.predicted, self.probabilities, labels=self.labels)
        note = "; ".join(filter(None, [CROSS_VALIDATED, SELECTED[self.selection]]))
        return replace(report, note=note, selection=self.selection, recipe=self.recipe)

    def __repr__(self) -> str:
        return f"HeldOut({len(self.gold)} documents, {len(self.labels)} labels, accuracy {self.accuracy:.4f})"


def group_texts(texts: Words) -> Integers:
    """For each text the number of its group: those with the same fingerprint.

    >>> group_texts(np.array([[1, 1], [2, 2], [1, 1]], np.uint64))
    array([0, 1, 0])
    """
    order = np.argsort(texts[:, 0], kind="stable")
    same_first = texts[order[1:], 0] == texts[order[:-1], 0]
    if (same_first & (texts[order[1:], 1] != texts[order[:-1], 1])).any():  # as good as never
        order = np.lexsort((texts[:, 1], texts[:, 0]))
    is_new = (texts[order[1:]] != texts[order[:-1]]).any(axis=1)
    groups = np.empty(len(texts), np.int64)
    groups[order] = np.concatenate([[0], np.cumsum(is_new)])
    return groups


def take_copies(group: Integers, codes: Integers, weights: Integers, n_labels: int) -> Taken:
    """With each document all of its group, whatever their labels.

    >>> take_copies(np.array([0, 1, 0]), np.array([0, 0, 1]), np.array([5, 6, 7]), 2)
    Taken(starts=array([0, 2, 3, 5]), labels=array([0, 1, 0, 0, 1]), weights=array([5, 7, 6, 5, 7]))
    """
    if group.max() + 1 == len(group):
        return Taken.own(codes, weights)
    pairs, which = np.unique(group * n_labels + codes, return_inverse=True)
    totals = np.zeros(len(pairs), np.int64)
    np.add.at(totals, which, weights)
    first = np.searchsorted(pairs, np.arange(group.max() + 2) * n_labels)  # the pairs of each group lie side by side
    sizes = np.diff(first)[group]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(first[group] - starts[:-1], sizes) + np.arange(starts[-1])
    return Taken(starts, pairs[places] % n_labels, totals[places])
