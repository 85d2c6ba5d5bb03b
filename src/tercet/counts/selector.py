"""Which terms of a table are used: selections in a row, each a pure function of the counts."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.counts.selection import select_most
from tercet.counts.table import CountTable
from tercet.counts.term_cells import read_cells
from tercet.counts.units import ONE
from tercet.errors import bad_option
from tercet.estimator import Options

Mask = npt.NDArray[np.uint8]  # a 1 for each term that is kept


@dataclass(frozen=True)
class Grounds:
    """What a selection may look at."""

    table: CountTable
    clips: bool = False  # whether repeated terms of a document count once
    domains: CountTable | None = None  # the same documents, counted by where they come from

    def count_terms(self, terms: Integers) -> Integers:
        """How often each of the terms is counted, in units."""
        blocks = read_cells(self.table.counts, terms)
        sums = [block.sum_documents() if self.clips else block.sum_occurrences() for block in blocks]
        return np.concatenate([np.zeros(0, np.int64), *sums])

    def count_documents(self, terms: Integers) -> Integers:
        """How many documents have each of the terms, in units."""
        sums = [block.sum_documents() for block in read_cells(self.table.counts, terms)]
        return np.concatenate([np.zeros(0, np.int64), *sums])


class Selector(Options):
    """A way to select: a frozen value with a method `pick`."""

    domain: str | None = None  # the column that tells where a document comes from, if the way needs one

    def pick(self, grounds: Grounds, terms: Integers) -> Integers:
        """Some of these terms, which are in canonical order, in the same order."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The options by name."""
        return asdict(self)  # type: ignore[call-overload, no-any-return]

    def replace(self, **changes: Any) -> Self:
        """The same with some options changed."""
        return replace(self, **changes)  # type: ignore[type-var]


def check_selectors(select: Any) -> tuple[Selector, ...]:
    """The selections of an option `select`: none, one, or several in a row; anything else is an error."""
    given = () if select is None else tuple(select) if isinstance(select, list | tuple) else (select,)
    if not all(isinstance(one, Selector) for one in given):
        known = "MostInformative, WithoutMostFrequent, a list of these or None"
        raise bad_option("select", known, select, "it tells which terms to use. Try tercet.MostInformative(10_000).")
    domains = dict.fromkeys(one.domain for one in given if one.domain is not None)
    if len(domains) > 1:
        raise bad_option("select", "of one domain", select, "documents are counted by one column beside their labels.")
    return given


def keep_terms(grounds: Grounds, min_documents: int, selectors: Sequence[Selector], max_terms: int | None) -> Mask:
    """A 1 for each term of the table that is left by `min_documents`, then by the selections in order, then by `max_terms`.

    Ties are settled by canonical order, so that equal tables have equal vocabularies.

    >>> table = CountTable.of(["to be", "or not to be", "or not"], ["x", "y", "y"])
    >>> keep_terms(Grounds(table), 1, [], 2)  # to, be, or, not: all as often, and "be" and "not" are the first in order
    array([0, 1, 0, 1], dtype=uint8)
    """
    terms = grounds.table.table.order()
    # One document means any: with weights it may count for less than one.
    fewest = min_documents * ONE if min_documents > 1 else 1
    terms = terms[grounds.count_documents(terms) >= fewest]
    for selector in selectors:
        terms = selector.pick(grounds, terms)
    if max_terms is not None:
        terms = terms[select_most(grounds.count_terms(terms), max_terms)]
    kept = np.zeros(grounds.table.counts.n_terms, np.uint8)
    kept[terms] = 1
    return kept
