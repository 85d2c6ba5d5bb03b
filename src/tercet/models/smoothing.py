"""Smoothing: P(term | label) from counts, above 0 also for terms that a label does not have.

In the formulas n is the number of occurrences of the term under the label, N of all terms under the label, U the number of
distinct terms under the label, V of terms in the vocabulary, and P(term) the term's share of all occurrences under any label.
Each document counts with its weight.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, ClassVar, Self

import numpy as np

from tercet.arrays import Floats
from tercet.errors import InvalidOption, bad_option
from tercet.options import is_number
from tercet.registry import find, names, register

# Beyond these, products with probabilities and sums over terms would be 0 or infinite, and weights would be nan.
MIN_SIZE, MAX_SIZE = 1e-100, 1e100
MIN_OWN, MAX_OWN = 1e-9, 1e9  # pseudo-counts of single terms: their sum stays exact when terms are left out
N_SHOWN = 3  # pseudo-counts of terms that a repr shows


class Smoothing:
    """A smoothing method with one number. It is registered by the name by which the kernel knows its formula.

    `is_scale_free`: multiplying all weights by the same number changes no probability. With the other smoothings, weights below
    1 smooth more, and weights above 1 smooth less.
    """

    registered_name: ClassVar[str]
    is_scale_free: ClassVar[bool] = False
    symbol: ClassVar[str]  # of its number in the formula
    per_term: Any = None  # pseudo-counts of single terms

    def __init__(self, value: float) -> None:
        raise NotImplementedError

    @property
    def value(self) -> float:
        raise NotImplementedError

    @property
    def formula(self) -> str:
        """P(term | label)"""
        raise NotImplementedError

    def explain_symbols(self, n_terms: int) -> str:
        """The meaning of the symbols in `formula`, apart from n and N, for a vocabulary of so many terms."""
        return "P(term): the share of the term in all labels"

    def own_counts(self, terms: Sequence[str] | int) -> Floats | None:
        """The pseudo-count of each term, given the terms of a vocabulary or the number of columns; None if all have `value`."""
        return None

    def to_dict(self) -> dict[str, Any]:
        return {"value": self.value}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(written["value"])


@register("smoothing", "additive")
@dataclass(frozen=True, repr=False)
class Additive(Smoothing):
    """(n + ε) / (N + ε V): Laplace for ε = 1, Lidstone for others. With ε = 0 a probability may be 0, its logarithm -inf.

    ε is in units of weight: 1 is one occurrence in a document of weight 1.

    `per_term` gives terms their own pseudo-counts: (n + ε of the term) / (N + Σ ε). These are the parameters of a Dirichlet
    prior. For a matrix it is a sequence with a number for each column. For texts it is a mapping from terms to numbers, and all
    terms that are not named have `pseudo_count`. Σ ε is over the vocabulary: a named term that no document has adds nothing.

    >>> Additive(0.5, per_term={"good": 5, "bad": 5}), Additive(per_term=[1, 2, 1])
    (Additive(pseudo_count=0.5, per_term={'bad': 5.0, 'good': 5.0}), Additive(pseudo_count=1.0, per_term=(1.0, 2.0, 1.0)))
    """

    pseudo_count: float = 1.0
    per_term: Any = field(default=None, kw_only=True)
    symbol: ClassVar[str] = "ε"

    def __post_init__(self) -> None:
        if not is_number(self.pseudo_count) or not 0 <= self.pseudo_count < np.inf:
            why = "it is added to every count, so that no word has probability 0. Try 0.001."
            raise bad_option("smoothing", "a number >= 0", self.pseudo_count, why)
        check_size("smoothing", self.pseudo_count, 0)
        if self.per_term is not None:
            check_own([self.pseudo_count])
            object.__setattr__(self, "per_term", check_per_term(self.per_term))

    @property
    def value(self) -> float:
        return float(self.pseudo_count)

    @property
    def formula(self) -> str:
        return "(n + ε) / (N + ε V)" if self.per_term is None else "(n + ε) / (N + Σ ε)"

    def explain_symbols(self, n_terms: int) -> str:
        if self.per_term is None:
            return f"V: the number of known terms, {n_terms}"
        return f"ε: the pseudo-count of the term; Σ ε: the sum over all {n_terms} known terms"

    def own_counts(self, terms: Sequence[str] | int) -> Floats | None:
        own = self.per_term
        if own is None:
            return None
        if isinstance(terms, int):
            if isinstance(own, dict):
                why = "the columns of a matrix have no names. Give a number for each column."
                raise bad_option("per_term", "a sequence of numbers", own, why)
            if len(own) != terms:
                raise InvalidOption(f"per_term has {len(own)} numbers, and the matrix has {terms} columns: give one for each.")
            return np.array(own, np.float64)
        if not isinstance(own, dict):
            why = "the terms of texts have no fixed order. Give a pseudo-count for each term that needs its own."
            raise bad_option("per_term", "a mapping from terms to numbers", own, why)
        return np.array([own.get(term, self.value) for term in terms], np.float64)

    def to_dict(self) -> dict[str, Any]:
        own = self.per_term
        return super().to_dict() | ({} if own is None else {"per_term": own if isinstance(own, dict) else list(own)})

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        return cls(written["value"], per_term=written.get("per_term"))

    def __hash__(self) -> int:
        return hash((self.pseudo_count, None if self.per_term is None else tuple(self.per_term)))

    def __repr__(self) -> str:
        own = self.per_term
        if own is None:
            return f"Additive(pseudo_count={self.pseudo_count!r})"
        shown = own if len(own) <= N_SHOWN else f"<{len(own)} numbers, {digest_own(own)}>"
        return f"Additive(pseudo_count={self.pseudo_count!r}, per_term={shown})"


def check_per_term(given: Any) -> dict[str, float] | tuple[float, ...]:
    """The pseudo-counts of terms, checked: a dict in the order of its terms, or a tuple."""
    if isinstance(given, Mapping):
        if not all(isinstance(term, str) for term in given):
            raise bad_option("per_term", "a mapping from terms to numbers", given, "a term is a str.")
        check_own(given.values())
        return {term: float(given[term]) for term in sorted(given)}
    listed = given.tolist() if hasattr(given, "tolist") else given
    if not isinstance(listed, list | tuple):
        why = "it has the pseudo-counts of single terms."
        raise bad_option("per_term", "a mapping from terms to numbers, or a sequence of numbers", given, why)
    check_own(listed)
    return tuple(map(float, listed))


def check_own(numbers: Iterable[Any]) -> None:
    for number in numbers:
        if not is_number(number) or not MIN_OWN <= float(number) <= MAX_OWN:
            why = "it is added to the count of its term, so that no term has probability 0."
            raise bad_option("a pseudo-count with per_term", f"a number from {MIN_OWN:g} to {MAX_OWN:g}", number, why)


def digest_own(own: dict[str, float] | tuple[float, ...]) -> str:
    """Eight hexadecimal digits that tell pseudo-counts from others."""
    return blake2b(repr(own).encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


@register("smoothing", "jelinek_mercer")
@dataclass(frozen=True)
class JelinekMercer(Smoothing):
    """(1 - λ) n / N + λ P(term): a mixture with the collection."""

    share: float
    is_scale_free: ClassVar[bool] = True
    symbol: ClassVar[str] = "λ"

    def __post_init__(self) -> None:
        if not is_number(self.share) or not 0 < self.share <= 1:
            raise bad_option("share", "a number with 0 < share <= 1", self.share, "it is the share of the collection.")
        check_size("share", self.share)

    @property
    def value(self) -> float:
        return float(self.share)

    @property
    def formula(self) -> str:
        return "(1 - λ) n / N + λ P(term)"


@register("smoothing", "dirichlet")
@dataclass(frozen=True)
class Dirichlet(Smoothing):
    """(n + μ P(term)) / (N + μ): μ occurrences spread as in the collection are added to each label.

    μ is in units of weight: 1 is one occurrence in a document of weight 1.
    """

    mass: float
    symbol: ClassVar[str] = "μ"

    def __post_init__(self) -> None:
        if not is_number(self.mass) or not 0 < self.mass < np.inf:
            raise bad_option("mass", "a number > 0", self.mass, "so many occurrences are added to each label.")
        check_size("mass", self.mass)

    @property
    def value(self) -> float:
        return float(self.mass)

    @property
    def formula(self) -> str:
        return "(n + μ P(term)) / (N + μ)"


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
    symbol: ClassVar[str] = "δ"

    def __post_init__(self) -> None:
        if not is_number(self.discount) or not 0 < self.discount <= 1:
            raise bad_option("discount", "a number with 0 < discount <= 1", self.discount, "it is subtracted from each count.")
        check_size("discount", self.discount)

    @property
    def value(self) -> float:
        return float(self.discount)

    @property
    def formula(self) -> str:
        return "(max(n - δ, 0) + D P(term)) / N"

    def explain_symbols(self, n_terms: int) -> str:
        return super().explain_symbols(n_terms) + "; D: what is subtracted from all counts of the label together"


def check_size(name: str, value: float, least: float = MIN_SIZE) -> None:
    if not least <= float(value) <= MAX_SIZE:
        raise bad_option(name, f"a number from {least:g} to {MAX_SIZE:g}", value, "probabilities would not be finite.")


CANDIDATES: tuple[Smoothing, ...] = (
    *(Additive(e) for e in (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.002, 0.001)),
    *(JelinekMercer(share) for share in (0.1, 0.3, 0.5, 0.7, 0.9, 0.98)),
    *(Dirichlet(mass) for mass in (20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0, 10000.0)),
    *(AbsoluteDiscount(discount) for discount in (0.1, 0.3, 0.5, 0.7, 0.9)),
)

DEFAULT_SMOOTHING = AbsoluteDiscount(0.9)  # it does well on corpora of any size


CHOICES = ("auto", "table")  # how `NaiveBayes` can choose a smoothing


def resolve_smoothing(smoothing: Any) -> Smoothing:
    """The Smoothing itself, the smoothing of this name, or Additive for a number.

    >>> resolve_smoothing("jelinek_mercer:0.3"), resolve_smoothing(0.1)
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
    """The smoothing as `read_smoothing` reads it. Pseudo-counts of single terms have no name: only their number is written.

    >>> write_smoothing(AbsoluteDiscount(0.9)), write_smoothing("auto"), write_smoothing(0.1)
    ('absolute_discount:0.9', 'auto', 0.1)
    """
    if not isinstance(smoothing, Smoothing):
        return smoothing
    own = smoothing.per_term
    more = "" if own is None else f" with pseudo-counts for {len(own)} term{'s' * (len(own) != 1)}"
    return f"{smoothing.registered_name}:{smoothing.value!r}{more}"
