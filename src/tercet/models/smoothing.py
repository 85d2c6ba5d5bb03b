"""P(term | label) from counts, with something left for terms that a label has never shown.

Each way is one small class with one formula, elementwise over counts that broadcast together, so that the same line of
code serves a whole table and a table from which one document was taken.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from tercet.errors import bad_option
from tercet.options import is_number

Floats = npt.NDArray[np.float64]


class TermCounts(NamedTuple):
    """The counts that a probability is made of; arrays that broadcast together."""

    in_label: Floats  # how often the term occurs under the label
    of_label: Floats  # all occurrences under the label
    in_all: Floats  # how often the term occurs under any label
    of_all: Floats  # all occurrences
    n_distinct: Floats  # distinct terms under the label
    n_terms: Floats  # terms in the vocabulary


class Smoothing(Protocol):
    def log_probability(self, n: TermCounts) -> Floats: ...


@dataclass(frozen=True)
class Additive:
    """(n + ε) / (N + ε V): Laplace for ε = 1, Lidstone for others; ε = 0 is the plain share, and log 0 is -inf.

    >>> n = TermCounts(*map(np.float64, (1, 14, 1, 23, 14, 20)))
    >>> float(np.exp(Additive(1.0).log_probability(n)))  # 2 / 34
    0.0588...
    """

    pseudo_count: float

    def __post_init__(self) -> None:
        if not is_number(self.pseudo_count) or not 0 <= self.pseudo_count < np.inf:
            why = "it is added to every count, so that no word has probability 0. Try 0.001."
            raise bad_option("smoothing", "a number >= 0", self.pseudo_count, why)

    def log_probability(self, n: TermCounts) -> Floats:
        return _log(n.in_label + self.pseudo_count) - _log(n.of_label + self.pseudo_count * n.n_terms)


@dataclass(frozen=True)
class JelinekMercer:
    """(1 - λ) n / N + λ P(term): a mixture with the collection, P(term) being the term's share of all occurrences."""

    share: float

    def __post_init__(self) -> None:
        if not is_number(self.share) or not 0 < self.share <= 1:
            raise bad_option("share", "a number with 0 < share <= 1", self.share, "it is the part of the collection.")

    def log_probability(self, n: TermCounts) -> Floats:
        return _log((1 - self.share) * _ratio(n.in_label, n.of_label) + self.share * _ratio(n.in_all, n.of_all))


@dataclass(frozen=True)
class Dirichlet:
    """(n + μ P(term)) / (N + μ): μ occurrences spread as in the collection are added to each label."""

    mass: float

    def __post_init__(self) -> None:
        if not is_number(self.mass) or not 0 < self.mass < np.inf:
            raise bad_option("mass", "a number > 0", self.mass, "so many occurrences are added to each label.")

    def log_probability(self, n: TermCounts) -> Floats:
        return _log(n.in_label + self.mass * _ratio(n.in_all, n.of_all)) - _log(n.of_label + self.mass)


@dataclass(frozen=True)
class AbsoluteDiscount:
    """(max(n - δ, 0) + δ U P(term)) / N, U being the distinct terms of the label: what is taken from each is spread.

    Made for whole counts. A label without occurrences has the probabilities of the collection.
    """

    discount: float

    def __post_init__(self) -> None:
        if not is_number(self.discount) or not 0 < self.discount <= 1:
            raise bad_option("discount", "a number with 0 < discount <= 1", self.discount, "so much is taken from each count.")

    def log_probability(self, n: TermCounts) -> Floats:
        shared = _ratio(n.in_all, n.of_all)
        kept = np.maximum(n.in_label - self.discount, 0) + self.discount * n.n_distinct * shared
        return _log(np.where(n.of_label > 0, _ratio(kept, n.of_label), shared))


CANDIDATES: tuple[Smoothing, ...] = (
    *(Additive(e) for e in (1.0, 0.3, 0.1, 0.03, 0.01, 0.003, 0.001)),
    *(JelinekMercer(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 0.98)),
    *(Dirichlet(mass) for mass in (30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0)),
    *(AbsoluteDiscount(discount) for discount in (0.3, 0.5, 0.7, 0.9)),
)


def find_smoothing(smoothing: Any) -> Smoothing:
    """A number is a pseudo-count; one of the classes is itself."""
    own: Smoothing = smoothing if hasattr(smoothing, "log_probability") else Additive(smoothing)
    return own


def _log(values: Any) -> Floats:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(values), np.float64)


def _ratio(part: Any, whole: Any) -> Floats:
    """part / whole, and 0 of nothing."""
    part, whole = np.broadcast_arrays(np.asarray(part, np.float64), np.asarray(whole, np.float64))
    return np.asarray(np.divide(part, whole, out=np.zeros(part.shape), where=whole > 0), np.float64)
