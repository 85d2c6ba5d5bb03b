"""The terms that say most about the label."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.informativeness import MEASURES, Measure, measure_gain
from tercet.counts.selection import select_most
from tercet.counts.selector import Grounds, Selector
from tercet.counts.table import CountTable
from tercet.counts.term_cells import read_cells
from tercet.errors import InvalidOption, bad_option
from tercet.options import check_choice, check_count

By = Literal["information_gain", "chi2", "ld"]
GRID = 2.0**40  # steps from 0 to 1: what differs by rounding alone is equal


@dataclass(frozen=True)
class MostInformative(Selector):
    """The k terms that say most about the label; of equals the first in canonical order.

    - `"information_gain"`: mutual information of the label and whether a document has the term.
    - `"chi2"`: Pearson's χ² of labels × presence and absence of the term.
    - `"ld"`: the information gain about the label less that about the `domain`, a column of the documents that tells where
      each comes from: terms that tell languages apart and sources not (Lui and Baldwin, 2011, LD over all labels; langid.py
      scores label by label and joins what each needs).

    >>> from tercet import Categorizer
    >>> texts, labels = ["a lovely film", "a lovely day", "a dull film", "a dull day"], ["+", "+", "-", "-"]
    >>> Categorizer("words", select=MostInformative(2)).fit(texts, labels).explain("a dull lovely story").unknown
    ('a', 'story')
    """

    k: int
    by: By = "information_gain"
    domain: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))  # one of NumPy's becomes one that a file can hold
        check_choice("by", self.by, get_args(By))
        if self.domain is not None and not isinstance(self.domain, str):
            raise bad_option("domain", "the name of a column or None", self.domain, "each column has a name.")
        if (self.by == "ld") != (self.domain is not None):
            raise InvalidOption(
                f"by={self.by!r} with domain={self.domain!r}: by='ld' compares labels with the domains of documents, and "
                "nothing else does. Name the column that tells where a document comes from, or choose another measure."
            )

    def pick(self, grounds: Grounds, terms: Integers) -> Integers:
        return terms[select_most(np.rint(self.score(grounds, terms) * GRID).astype(np.int64), self.k)]

    def score(self, grounds: Grounds, terms: Integers) -> Floats:
        """How much each of these terms says: nats, or χ² divided by the number of documents."""
        if self.by != "ld":
            return _score_terms(MEASURES[self.by], grounds.table, terms)
        if grounds.domains is None:
            raise InvalidOption(f"by='ld' needs documents that are counted by {self.domain!r}, and there are none.")
        about_domains = np.zeros(grounds.table.counts.n_terms)
        # The same documents have the same terms, in the same order, whatever their numbers.
        met = _list_met(grounds.domains)
        about_domains[_list_met(grounds.table)] = _score_terms(measure_gain, grounds.domains, met)
        return _score_terms(measure_gain, grounds.table, terms) - about_domains[terms]


def _score_terms(measure: Measure, table: CountTable, terms: Integers) -> Floats:
    n_documents = table.counts.n_documents()
    return np.concatenate([np.zeros(0), *(measure(block, n_documents) for block in read_cells(table.counts, terms))])


def _list_met(table: CountTable) -> Integers:
    """The terms that some document has, in canonical order."""
    order = table.table.order()
    return order[Grounds(table).count_documents(order) > 0]
