"""Documents → a sparse matrix of counts: how often each term occurs in each document."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from tercet.arrays import Integers
from tercet.kernel.base.documents import Texts
from tercet.kernel.terms.analysis import Occurrence, Recipe

CSR = tuple[Any, Any, Any]


def make_csr(rows: list[Counter[int]], binary: bool) -> CSR:
    """(data, indices, indptr). The columns of each row are sorted."""
    columns = [column for row in rows for column in sorted(row)]
    counts = [1 if binary else row[column] for row in rows for column in sorted(row)]
    ends = np.cumsum([0, *(len(row) for row in rows)])
    return np.array(counts, np.int64), np.array(columns, np.int32), ends.astype(np.int32)


class Vocabulary:
    """Known terms. The position of a term in the list is its column."""

    def __init__(self, recipe: Recipe, terms: list[str]) -> None:
        self._recipe = recipe
        self._columns = {term: column for column, term in enumerate(terms)}

    def __len__(self) -> int:
        return len(self._columns)

    def terms(self) -> list[str]:
        return list(self._columns)

    def count(self, texts: Texts, threads: int = 1, binary: bool = False) -> CSR:
        return make_csr([self._row(text) for text in texts.texts], binary)

    def _row(self, text: str) -> Counter[int]:
        terms = (spelling for spelling, _ in self._recipe.list_terms(text))
        return Counter(self._columns[term] for term in terms if term in self._columns)


def sort_terms(occurrences: Iterable[Occurrence]) -> list[str]:
    keys = {o.spelling: o.key for o in occurrences}
    return sorted(keys, key=keys.__getitem__)


class MatrixCounter:
    """Counts documents when the vocabulary is not known yet."""

    def __init__(self, recipe: Recipe, threads: int = 1) -> None:
        self._recipe = recipe
        self._texts: list[str] = []

    def add(self, texts: Texts) -> None:
        self._texts += texts.texts

    def finish(self) -> int:
        self._terms = sort_terms(o for text in self._texts for o in self._recipe.occurrences(text))
        return len(self._terms)

    def sum_columns(self) -> tuple[Integers, Integers]:
        """The number of documents that have each term, and the number of its occurrences."""
        counts, columns, _ = self.matrix()
        n_terms = len(self._terms)
        documents = np.bincount(columns, minlength=n_terms)
        return documents, np.bincount(columns, weights=counts, minlength=n_terms).astype(np.int64)

    def select(self, terms: Integers) -> None:
        self._terms = [self._terms[i] for i in terms.tolist()]

    def matrix(self, binary: bool = False) -> CSR:
        return self.vocabulary().count(Texts(list(self._texts)), binary=binary)

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self._recipe, self._terms)
