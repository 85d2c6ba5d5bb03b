"""Smoothing: P(term | label) from counts, above 0 also for terms that a label does not have.

In the formulas n is the number of occurrences of the term under the label, N of all terms under the label, U the number of
distinct terms under the label, V of terms in the vocabulary, and P(term) the term's share of all occurrences under any label.
Each document counts with its weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tercet.errors import InvalidOption, bad_option
from tercet.options import is_number
from tercet.registry import find, names, register

# Beyond these, products with probabilities and sums over terms would be 0 or infinite, and weights would be nan.
LEAST, MOST = 1e-100, 1e100


class Smoothing:
    """A smoothing method with one number. It is registered by the name by which the kernel knows its formula.

    `is_scale_free`: multiplying all weights by the same number changes no probability. With the other smoothings, weights below
    1 smooth more, and weights above 1 smooth less.
    """

    registered_name: ClassVar[str]
    is_scale_free: ClassVar[bool] = False

    def __init__(self, value: float) -> None:
        raise NotImplementedError

    @property
    def value(self) -> float:
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(written["value"])


@register("smoothing", "additive")
@dataclass(frozen=True)
class Additive(Smoothing):
    """(n + ε) / (N + ε V): Laplace for ε = 1, Lidstone for others. With ε = 0 a probability may be 0, its logarithm -inf.

    ε is in units of weight: 1 is one occurrence in a document of weight 1.
    """

    pseudo_count: float

    def __post_init__(self) -> None:
        if not is_number(self.pseudo_count) or not 0 <= self.pseudo_count < np.inf:
            why = "it is added to every count, so that no word has probability 0. Try 0.001."
            raise bad_option("smoothing", "a number >= 0", self.pseudo_count, why)
        check_size("smoothing", self.pseudo_count, 0)

    @property
    def value(self) -> float:
        return float(self.pseudo_count)


@register("smoothing", "jelinek_mercer")
@dataclass(frozen=True)
class JelinekMercer(Smoothing):
    """(1 - λ) n / N + λ P(term): a mixture with the collection."""

    share: float
    is_scale_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_number(self.share) or not 0 < self.share <= 1:
            raise bad_option("share", "a number with 0 < share <= 1", self.share, "it is the share of the collection.")
        check_size("share", self.share)

    @property
    def value(self) -> float:
        return float(self.share)


@register("smoothing", "dirichlet")
@dataclass(frozen=True)
class Dirichlet(Smoothing):
    """(n + μ P(term)) / (N + μ): μ occurrences spread as in the collection are added to each label.

    μ is in units of weight: 1 is one occurrence in a document of weight 1.
    """

    mass: float

    def __post_init__(self) -> None:
        if not is_number(self.mass) or not 0 < self.mass < np.inf:
            raise bad_option("mass", "a number > 0", self.mass, "so many occurrences are added to each label.")
        check_size("mass", self.mass)

    @property
    def value(self) -> float:
        return float(self.mass)


@register("smoothing", "absolute_discount")
@dataclass(frozen=True)
class AbsoluteDiscount(Smoothing):
    """(max(n - δ, 0) + D P(term)) / N: δ is subtracted from each count, and their sum D is spread as in the collection.

    A count below δ becomes 0, so D is Σ min(n, δ). It is δ U for integer counts, for which this smoothing is meant. A label
    without occurrences has the probabilities of the collection.

    If the documents of a label have the weights w, δ is `discount` · Σ w² / Σ w. With weights of 1 it is `discount`. One
    document of weight 2 is not the same as two documents: a word in it still has been seen in one document only.
    """

    discount: float
    is_scale_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not is_number(self.discount) or not 0 < self.discount <= 1:
            raise bad_option("discount", "a number with 0 < discount <= 1", self.discount, "it is subtracted from each count.")
        check_size("discount", self.discount)

    @property
    def value(self) -> float:
        return float(self.discount)


def check_size(name: str, value: float, least: float = LEAST) -> None:
    if not least <= float(value) <= MOST:
        raise bad_option(name, f"a number from {least:g} to {MOST:g}", value, "probabilities would not be finite.")


CANDIDATES: tuple[Smoothing, ...] = (
    *(Additive(e) for e in (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    *(JelinekMercer(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.98)),
    *(Dirichlet(mass) for mass in (20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0)),
    *(AbsoluteDiscount(discount) for discount in (0.1, 0.3, 0.5, 0.7, 0.9)),
)

DEFAULT_SMOOTHING = AbsoluteDiscount(0.9)  # it does well on corpora of any size


CHOICES = ("auto", "table")  # how `NaiveBayes` can choose a smoothing


def find_smoothing(smoothing: Any) -> Smoothing:
    """The Smoothing itself, the smoothing of this name, or Additive for a number.

    >>> find_smoothing("jelinek_mercer:0.3"), find_smoothing(0.1)
    (JelinekMercer(share=0.3), Additive(pseudo_count=0.1))
    """
    given = read_smoothing(smoothing) if isinstance(smoothing, str) else smoothing
    return given if isinstance(given, Smoothing) else Additive(given)


def read_smoothing(written: str) -> Any:
    """The smoothing with this name, a number, or one of `CHOICES`.

    >>> read_smoothing("auto"), read_smoothing("0.1"), read_smoothing("dirichlet:200")
    ('auto', 0.1, Dirichlet(mass=200.0))
    """
    if written in CHOICES:
        return written
    name, colon, value = written.partition(":")
    if colon and name not in names("smoothing"):
        raise InvalidOption(f"{name!r} is not a smoothing: there are {', '.join(names('smoothing'))}.")
    try:
        number = float(value if colon else written)
    except ValueError:
        form = "auto, table, a number or NAME:NUMBER such as dirichlet:100"
        raise bad_option("smoothing", form, written, f"NAME is one of {', '.join(names('smoothing'))}.") from None
    return find("smoothing", name)(number) if colon else number


def write_smoothing(smoothing: Any) -> Any:
    """The smoothing as `read_smoothing` reads it.

    >>> write_smoothing(AbsoluteDiscount(0.9)), write_smoothing("auto"), write_smoothing(0.1)
    ('absolute_discount:0.9', 'auto', 0.1)
    """
    return f"{smoothing.registered_name}:{smoothing.value!r}" if isinstance(smoothing, Smoothing) else smoothing
