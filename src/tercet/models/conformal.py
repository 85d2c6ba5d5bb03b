"""Sets of labels that hold the right one as often as promised (split conformal prediction)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.errors import bad_option
from tercet.options import is_number

MOST = 1000  # thresholds that are kept


@dataclass(frozen=True, eq=False)
class LabelSets:
    """Thresholds for probabilities, from those that documents which were held out gave to their own labels.

    If new documents come from where these came from, the set of the labels above the threshold for a coverage of 0.9 has the
    right one with a probability of at least 0.9. That is a theorem, with no condition on the model; it needs that nothing was
    fitted to these documents, and is about all documents together, not about each label.

    >>> sets = LabelSets.of(np.arange(1, 100) / 100)
    >>> sets.find_threshold(0.9), sets.find_threshold(0.999)
    (0.1, 0.0)
    """

    n_documents: float
    ranks: Floats  # how many documents have no more than …
    probabilities: Floats  # … this probability of their own label; both rise

    @classmethod
    def of(cls, own: Floats, weights: Floats | None = None) -> "LabelSets":
        """From the probability of each document's own label. Weights count as if there were so many of a document."""
        order = np.argsort(own, kind="stable")
        heavy = np.ones(len(own)) if weights is None else weights[order] * (len(own) / weights.sum())
        ranks, sorted_own = np.cumsum(heavy), own[order]
        if len(own) > MOST:
            kept = np.ceil(np.arange(1, MOST + 1) * len(own) / MOST).astype(np.int64) - 1
            ranks, sorted_own = ranks[kept], sorted_own[kept]
        return cls(float(len(own)), ranks, sorted_own)

    def find_threshold(self, coverage: float) -> float:
        """A label whose probability is at least this belongs to the set; 0 where there are too few documents to tell."""
        allowed = (1 - check_coverage(coverage)) * (self.n_documents + 1) + 1e-9
        place = int(np.searchsorted(self.ranks, allowed, side="right"))
        return float(self.probabilities[place - 1]) if place else 0.0

    def to_dict(self) -> dict[str, Any]:
        names = ("ranks", "probabilities")
        return {"documents": self.n_documents} | {name: getattr(self, name).tolist() for name in names}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "LabelSets":
        ranks, probabilities = (np.array(written[name], np.float64) for name in ("ranks", "probabilities"))
        is_good = len(ranks) == len(probabilities) and (np.diff(ranks) >= 0).all() and (np.diff(probabilities) >= 0).all()
        if not is_good:
            raise ValueError("the thresholds of label sets do not rise")
        return cls(float(written["documents"]), ranks, probabilities)


def check_coverage(coverage: Any) -> float:
    if not is_number(coverage) or not 0 < coverage <= 1:
        raise bad_option(
            "coverage", "a number above 0, and at most 1", coverage, "it is the share of sets with the right label."
        )
    return float(coverage)
