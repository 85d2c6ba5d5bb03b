"""What a model answers to texts, with its rules and without: the numbers that audits of pairs and of swapped terms compare."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.rules import overrule
from tercet.categorizer.scorer import Scorer
from tercet.counts.labels import Labels, find_labels
from tercet.data.documents import Documents
from tercet.errors import InvalidLabel


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers to some documents. A rule changes probabilities and decisions, not the log-odds."""

    documents: Documents
    scores: Floats  # before calibration, documents × labels
    log_proba: Floats  # by the model alone
    proba: Floats  # with rules
    decisions: Integers
    n_ruled: int  # documents that a rule decides

    @classmethod
    def of(cls, scorer: Scorer, documents: Documents) -> "Answers":
        scores = scorer.log_joint(documents)
        log_proba, decided = scorer.to_log_proba(scores), scorer.decide(documents)
        n_ruled = 0 if decided is None else int((decided >= 0).sum())
        proba = np.exp(overrule(log_proba, decided))
        return cls(documents, scores, log_proba, proba, scorer.pick_best(scores, decided), n_ruled)

    def find_log_odds(self, places: Sequence[int]) -> Floats:
        """log P(label) - log P(any other label), by the model alone; NaN if the label is impossible or certain."""
        with np.errstate(divide="ignore", invalid="ignore"):
            rest = [np.logaddexp.reduce(np.delete(self.log_proba, place, axis=1), axis=1) for place in places]
            odds = self.log_proba[:, places] - np.column_stack(rest)
        return np.where(np.isfinite(odds), odds, np.nan)


def find_compared(labels: Labels, positive: Any) -> list[int]:
    """The places of the labels that an audit compares: the positive label if it is named, the last of two, or else all labels.

    >>> find_compared(np.array(["ham", "spam"]), None), find_compared(np.array(["a", "b", "c"]), None)
    ([1], [0, 1, 2])
    """
    if len(labels) < 2:
        raise InvalidLabel("the model has only one label, so all texts get it: an audit needs a model with two labels.")
    if positive is not None:
        places: list[int] = find_labels([positive], labels).tolist()
        return places
    return [1] if len(labels) == 2 else list(range(len(labels)))
