"""Rows of weights that many terms share are written once. Each term has a code: the number of a shared row, or 0.

0 is a row that only this term has. Terms that occur in one document, once, have the same weights, and most terms of a corpus
are such terms.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Flags, Integers
from tercet.store.small_numbers import narrow

Hashes = npt.NDArray[np.uint64]

MAX_SHARED = (1 << 16) - 1  # a code then has two bytes; the other rows are written again for each term


def share_rows(hashes: Hashes, are_equal: Callable[[Integers, Integers], Flags]) -> tuple[Array, Integers]:
    """The code of each term, and for each row to write a term that has it.

    The shared rows come first, the row of the most terms at the beginning; then the other rows, in the order of their terms.
    Terms with equal rows have equal hashes; `are_equal` compares the rows of terms, because other hashes may be equal, too.

    >>> rows = np.array([7, 5, 7, 8], np.uint64)
    >>> share_rows(rows, lambda a, b: rows[a] == rows[b])
    (array([1, 0, 1, 0], dtype=uint8), array([0, 1, 3]))
    """
    _, firsts, groups = np.unique(hashes, return_index=True, return_inverse=True)
    groups = groups.ravel()
    is_equal = are_equal(np.arange(len(hashes)), firsts[groups])
    sizes = np.bincount(groups[is_equal], minlength=len(firsts))
    shared = np.lexsort((firsts, -sizes))[:MAX_SHARED]
    shared = shared[sizes[shared] > 1]
    of_group = np.zeros(len(firsts), np.int64)
    of_group[shared] = 1 + np.arange(len(shared))
    codes = np.where(is_equal, of_group[groups], 0)
    return narrow(codes), np.concatenate([firsts[shared], np.flatnonzero(codes == 0)])


def decode_rows(codes: Array, n_rows: int) -> Integers:
    """The row of each term. Raises ValueError unless there are so many rows, and each code is one of them.

    >>> decode_rows(np.array([1, 0, 1, 0], np.uint8), 3)
    array([0, 1, 0, 2])
    """
    if codes.dtype.kind != "u" or codes.ndim != 1:
        raise ValueError("the codes of the rows are no whole numbers")
    is_own = codes == 0
    n_shared = n_rows - int(is_own.sum())
    if n_shared < 0 or int(codes.max(initial=0)) > n_shared or (n_rows and not len(codes)):
        raise ValueError("a term has no row of weights")
    rows = codes.astype(np.int64) - 1
    rows[is_own] = n_shared + np.arange(n_rows - n_shared)
    return rows


def mix(numbers: Hashes) -> Hashes:
    """A hash of each number: a function with an inverse, whose bits depend on all bits of the number.

    >>> len(np.unique(mix(np.arange(1000, dtype=np.uint64)) >> np.uint64(40)))
    1000
    """
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        numbers = (numbers ^ numbers >> np.uint64(shift)) * np.uint64(factor)
    return numbers ^ numbers >> np.uint64(31)


def hash_bytes(rows: Array) -> Hashes:
    """A hash of each row of bytes."""
    n_bytes = -(-rows.shape[1] // 8) * 8
    padded = np.zeros((len(rows), n_bytes), np.uint8)
    padded[:, : rows.shape[1]] = rows
    hashes = np.zeros(len(rows), np.uint64)
    for column in padded.view(np.uint64).T:
        hashes = mix(hashes * np.uint64(3) + column + np.uint64(1))
    return hashes
