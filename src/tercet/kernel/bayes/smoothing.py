"""P(term | label) as textbooks write it."""

import math
from collections.abc import Callable, Sequence
from math import fsum
from typing import NamedTuple


class Seen(NamedTuple):
    """The counts that matter for a term and a label."""

    n: float  # the term under the label
    N: float  # all terms under the label
    A: float  # Σ ε: the pseudo-counts of all terms of the vocabulary
    n_all: float  # the term under all labels
    N_all: float  # all terms under all labels
    counts: Sequence[float]  # of each term under the label
    w: float  # Σ w² / Σ w of the label's documents: the weight of a document, as an average over all weight

    @property
    def share(self) -> float:
        """P(term)"""
        return divide(self.n_all, self.N_all)


def divide(a: float, b: float) -> float:
    """a / b, but 0 if b is 0."""
    return a / b if b else 0.0


def log(probability: float) -> float:
    return math.log(probability) if probability > 0 else -math.inf


def log_rest(probability: float) -> float:
    """log(1 - p), exact for small p, too."""
    return math.log1p(-probability) if probability < 1 else -math.inf


def add_count(seen: Seen, count: float) -> float:
    return divide(seen.n + count, seen.N + seen.A)


def mix_in_collection(seen: Seen, share: float) -> float:
    return (1 - share) * divide(seen.n, seen.N) + share * seen.share


def add_mass(seen: Seen, mass: float) -> float:
    return (seen.n + mass * seen.share) / (seen.N + mass)


def discount(seen: Seen, discount: float) -> float:
    """Absolute discounting. A label without occurrences has the probabilities of the whole collection.

    The discount is for documents of weight 1. It grows with their weight, so that the scale of the weights does not matter.
    What is subtracted from all counts is spread as in the collection. With integer counts that is the discount for each term.
    """
    d = discount * seen.w
    discounted = fsum(min(n, d) for n in seen.counts)
    return (max(seen.n - d, 0) + discounted * seen.share) / seen.N if seen.N else seen.share


FORMULAS: dict[str, Callable[[Seen, float], float]] = {
    "additive": add_count,
    "jelinek_mercer": mix_in_collection,
    "dirichlet": add_mass,
    "absolute_discount": discount,
}


def weigh_complement(seen: Seen, count: float) -> float:
    """The weight of a term for complement naive Bayes: high if the term is rare under the other labels."""
    return log(seen.N_all - seen.N + seen.A) - log(seen.n_all - seen.n + count)


def has_term(d: float, D: float, count: float) -> float:
    """The probability that a document has a term that occurs in d of D documents."""
    return divide(d + count, D + 2 * count)


def lacks_term(d: float, D: float, count: float) -> float:
    return divide(D - d + count, D + 2 * count)
