"""Documents as the terms that each has and how often: what scores are summed over."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.reference.arrays import expect, expect_below, read_ranges

MAX_TERMS = 0x7FFFFFF0
MAX_COUNT = 2.0**42


class Row(NamedTuple):
    counts: dict[int, float]  # of each term, in the order of their first occurrences
    n_unknown: float = 0.0  # occurrences of terms that are not in the vocabulary


class Rows:
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    @classmethod
    def from_matrix(cls, ends: Integers, terms: Integers, counts: Floats) -> "Rows":
        """The rows of a CSR matrix. Its zeros are no occurrences."""
        expect(len(terms) == len(counts), "no CSR matrix")
        expect(all(0 <= term < MAX_TERMS for term in terms.tolist()), "no CSR matrix")
        expect(all(0 <= count < MAX_COUNT for count in counts.tolist()), "no CSR matrix")
        rows = []
        for begin, end in read_ranges(ends, len(terms)):
            row = dict(zip(terms[begin:end].tolist(), counts[begin:end].tolist(), strict=True))
            expect(len(row) == end - begin, "a document has a term twice")
            rows.append(Row({term: count for term, count in row.items() if count}))
        return cls(rows)

    @classmethod
    def join(cls, parts: Sequence["Rows"]) -> "Rows":
        return cls([row for part in parts for row in part.rows])

    def pick(self, documents: Integers) -> "Rows":
        return Rows([self.rows[i] for i in expect_below(documents, len(self), "no such document")])

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_columns(self) -> int:
        """All terms are below."""
        return 1 + max((term for row in self.rows for term in row.counts), default=-1)

    def n_unknown(self) -> Floats:
        return np.array([row.n_unknown for row in self.rows], np.float64)

    def arrays(self) -> tuple[Integers, npt.NDArray[np.int32], Floats]:
        """(ends, terms, counts): the CSR matrix of the rows. What is not known has no column."""
        ends = np.cumsum([0, *(len(row.counts) for row in self.rows)], dtype=np.int64)
        terms = np.array([term for row in self.rows for term in row.counts], np.int32)
        return ends, terms, np.array([count for row in self.rows for count in row.counts.values()], np.float64)
