"""Documents as rows of (term, count). Scores are sums over rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, expect_below, read_ranges

MAX_COUNT = 2.0**42


class Row(NamedTuple):
    counts: dict[int, float]  # of each term, in the order of the first occurrences
    n_unknown: float = 0.0  # occurrences of terms that are not in the vocabulary


class Rows:
    def __init__(self, rows: list[Row]) -> None:
        self.rows = rows

    @classmethod
    def from_matrix(cls, ends: Integers, terms: Integers, counts: Floats) -> "Rows":
        """The rows of a CSR matrix. Zeros in it are ignored."""
        expect(len(terms) == len(counts), "no CSR matrix")
        expect(all(0 <= term < MAX_IDS for term in terms.tolist()), "no CSR matrix")
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
        """All term numbers are below this."""
        return 1 + max((term for row in self.rows for term in row.counts), default=-1)

    def n_unknown(self) -> Floats:
        return np.array([row.n_unknown for row in self.rows], np.float64)

    def arrays(self) -> tuple[Integers, npt.NDArray[np.int32], Floats]:
        """(ends, terms, counts): the CSR matrix of the rows, without the unknown terms."""
        ends = np.cumsum([0, *(len(row.counts) for row in self.rows)], dtype=np.int64)
        terms = np.array([term for row in self.rows for term in row.counts], np.int32)
        return ends, terms, np.array([count for row in self.rows for count in row.counts.values()], np.float64)


def pack_rows(rows: list[Row]) -> bytes:
    """Rows as bytes: the number of rows, then for each row the number of its terms, and each term with its count."""
    numbers = [len(rows)]
    for row in rows:
        numbers.append(len(row.counts))
        numbers += [int(number) for entry in row.counts.items() for number in entry]
    return np.array(numbers, "<i8").tobytes()


class KeptTerms:
    """Reads packed rows. In this reference, terms have the numbers of the table from the start."""

    def __init__(self, n_terms: int) -> None:
        self._n_terms = n_terms

    def rows(self, block: bytes, documents: Integers | None = None, threads: int = 1) -> Rows:
        """All rows of a block, or the rows of these documents. Raises ValueError if the block is damaged."""
        expect(len(block) % 8 == 0, "the rows are damaged")
        numbers = iter(np.frombuffer(block, "<i8").tolist())
        n_rows = next(numbers, -1)
        expect(0 <= n_rows <= len(block), "the rows are damaged")
        rows = []
        for _ in range(n_rows):
            n_terms = next(numbers, -1)
            expect(0 <= n_terms <= len(block), "the rows are damaged")
            row = {next(numbers, -1): float(next(numbers, -1)) for _ in range(n_terms)}
            expect(all(0 <= term < self._n_terms and count > 0 for term, count in row.items()), "the rows are damaged")
            rows.append(Row(row))
        expect(next(numbers, None) is None, "the rows are damaged")
        return Rows(rows if documents is None else [rows[i] for i in expect_below(documents, n_rows, "no such document")])
