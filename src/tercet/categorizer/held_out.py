"""What a categorizer says of documents that it was not allowed to learn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tercet.arrays import Floats
from tercet.counts.labels import Labels
from tercet.models.classifier import normalize_scores

if TYPE_CHECKING:
    from tercet.report.report import Report


@dataclass(frozen=True, eq=False)
class HeldOut:
    """For each document, in the order of the input, what a categorizer without it says.

    `labels` are the labels in sorted order, `log_joint` their scores, documents × labels, `gold` the documents' own labels.
    `selection` says how the terms were selected, if they were: `"anew"` without each fold, or held `"fixed"`.
    `recipe` names analyzer, model and folds, for the signature of the report. `calibrated` are log-probabilities of the
    labels; without them they are those of the scores.
    """

    labels: Labels
    gold: Labels
    log_joint: Floats
    selection: str = ""
    recipe: Mapping[str, str] = field(default_factory=dict)
    calibrated: Floats | None = None

    @property
    def probabilities(self) -> Floats:
        """P(label | document), documents × labels."""
        return np.exp(normalize_scores(self.log_joint) if self.calibrated is None else self.calibrated)

    @property
    def predicted(self) -> Labels:
        """The most probable label; of equals the first in sorted order."""
        scores = self.log_joint if self.calibrated is None else self.probabilities
        predicted: Labels = self.labels[scores.argmax(axis=1)]
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
        from tercet.report.report import CROSS_VALIDATED, SELECTED, evaluate  # on first use: import tercet stays quick

        report = evaluate(self.gold, self.predicted, self.probabilities, labels=self.labels)
        note = "; ".join(filter(None, [CROSS_VALIDATED, SELECTED[self.selection]]))
        return replace(report, note=note, selection=self.selection, recipe=self.recipe)

    def __repr__(self) -> str:
        return f"HeldOut({len(self.gold)} documents, {len(self.labels)} labels, accuracy {self.accuracy:.4f})"
