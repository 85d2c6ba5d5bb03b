"""Sets of labels that contain the right label with a given probability (split conformal prediction)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.errors import bad_option
from tercet.options import is_number

MAX_THRESHOLDS = 1000  # of more documents, only this number of thresholds is kept


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Thresholds for probabilities, computed from the probabilities of held-out documents' own labels.

    A set has all labels whose probability is at least the threshold. With the threshold for a coverage of 0.9 it contains the
    right label with a probability of at least 0.9. This is guaranteed for every model if new documents come from the same
    distribution and nothing was fitted to the held-out documents. It holds for all documents together, not for each label.

    >>> sets = LabelSets.of(np.arange(1, 100) / 100)
    >>> sets.find_threshold(0.9), sets.find_threshold(0.999)
    (0.1, 0.0)
    """

    n_documents: float
    ranks: Floats  # rising: the number of documents whose own label has at most …
    probabilities: Floats  # … this probability, which rises, too

    @classmethod
    def of(cls, own: Floats, weights: Floats | None = None) -> "LabelSets":
        """The label sets for these probabilities of the documents' own labels. A weight of 2 counts as two documents."""
        order = np.argsort(own, kind="stable")
        relative = np.ones(len(own)) if weights is None else weights[order] * (len(own) / weights.sum())
        ranks, sorted_own = np.cumsum(relative), own[order]
        if len(own) > MAX_THRESHOLDS:
            kept = np.ceil(np.arange(1, MAX_THRESHOLDS + 1) * len(own) / MAX_THRESHOLDS).astype(np.int64) - 1
            ranks, sorted_own = ranks[kept], sorted_own[kept]
        return cls(float(len(own)), ranks, sorted_own)

    def find_threshold(self, coverage: float) -> float:
        """The smallest probability of a label in the set; 0 if there are too few documents for this coverage."""
        allowed = (1 - check_coverage(coverage)) * (self.n_documents + 1) + 1e-9
        n_below = int(np.searchsorted(self.ranks, allowed, side="right"))
        return float(self.probabilities[n_below - 1]) if n_below else 0.0

    def to_dict(self) -> dict[str, Any]:
        names = ("ranks", "probabilities")
        return {"documents": self.n_documents} | {name: getattr(self, name).tolist() for name in names}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "LabelSets":
        """The sets that `to_dict` has written; an error if no documents have such ranks and probabilities."""
        n_documents, *columns = (written[name] for name in ("documents", "ranks", "probabilities"))
        for numbers, most in zip(columns, (1e15, 1), strict=True):
            if not isinstance(numbers, list) or not all(is_number(number) and 0 <= number <= most for number in numbers):
                raise ValueError("the thresholds of label sets are not finite, or no probabilities")
        ranks, probabilities = (np.array(numbers, np.float64) for numbers in columns)
        is_good = len(ranks) == len(probabilities) and (np.diff(ranks) >= 0).all() and (np.diff(probabilities) >= 0).all()
        if not is_good or not is_number(n_documents) or not 0 <= n_documents <= 1e15:
            raise ValueError("the thresholds of label sets do not rise")
        return cls(float(n_documents), ranks, probabilities)


def check_coverage(coverage: Any) -> float:
    if not is_number(coverage) or not 0 < coverage <= 1:
        raise bad_option(
            "coverage", "a number above 0, and at most 1", coverage, "it is the share of sets with the right label."
        )
    return float(coverage)
