"""Rows of documents in bytes, to be read back when every term has its number."""

import numpy as np

from tercet.arrays import Integers
from tercet.kernel.reference.arrays import expect, expect_below
from tercet.kernel.reference.rows import Row, Rows


def pack_rows(rows: list[Row]) -> bytes:
    """How many rows, and for each how many terms and these, each with its count."""
    numbers = [len(rows)]
    for row in rows:
        numbers.append(len(row.counts))
        numbers += [int(number) for entry in row.counts.items() for number in entry]
    return np.array(numbers, "<i8").tobytes()


class KeptTerms:
    """Here terms have the numbers of the table from the beginning."""

    def __init__(self, n_terms: int) -> None:
        self._n_terms = n_terms

    def rows(self, block: bytes, documents: Integers | None = None, threads: int = 1) -> Rows:
        """All rows of a block, or those of these documents. Bytes that are no block are an error."""
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
