"""Trained weights in 8 bits: each term has a scale in 16 bits, and rows that terms share are written once.

The largest weight of a term is rounded to 11 bits, and its other weights to steps of 1/127 of the largest. So a weight below
1/254 of the largest weight of its term is dropped.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers, read_floats
from tercet.categorizer.shared_rows import find_rows, hash_bytes, share_rows
from tercet.store.small_numbers import narrow

STEPS = 127
MOST = float(np.finfo(np.float32).max)

Floats32 = npt.NDArray[np.float32]


class RoundedMargins(NamedTuple):
    """Weights and factors of rows, and the row of each term. Without `rows`, term t has row t."""

    values: Floats32  # rows × margins
    factors: Floats32
    rows: npt.NDArray[np.uint32] | None


def round_margins(values: Floats32, factors: Floats32) -> dict[str, Array]:
    """The rounded weights of terms × margins, and the factors of the terms, as arrays for a file.

    >>> arrays = round_margins(np.array([[1.0, -0.5], [0.25, -0.0009]], np.float32), np.ones(2, np.float32))
    >>> np.abs(open_margins(arrays, 2).values)
    array([[1.      , 0.503937],
           [0.25    , 0.      ]], dtype=float32)
    """
    largest = np.abs(values).max(axis=1, initial=0.0).astype(np.float64)
    top = float(largest.max(initial=0.0))
    scales = (largest / (top or 1.0)).astype(np.float16)
    steps = np.rint(values / np.where(scales > 0, largest, np.inf)[:, None] * STEPS).astype(np.int8)
    book, numbers = np.unique(factors, return_inverse=True)
    factor_codes = narrow(numbers.ravel())
    keys = np.hstack([steps.view(np.uint8), as_bytes(scales), as_bytes(factor_codes)])

    def are_equal(terms: Integers, others: Integers) -> npt.NDArray[np.bool_]:
        return np.asarray((keys[terms] == keys[others]).all(axis=1), np.bool_)

    codes, places = share_rows(hash_bytes(keys), are_equal)
    return {
        "codes": codes,
        "values": steps[places],
        "scales": scales[places],
        "largest": np.array([top], np.float32),
        "factor_codes": factor_codes[places],
        "factor_book": book,
    }


def open_margins(arrays: Mapping[str, Array], n_margins: int) -> RoundedMargins:
    """The rounded weights in these arrays. Raises ValueError if they are no weights."""
    steps, factor_codes, book = arrays["values"], arrays["factor_codes"], arrays["factor_book"]
    n = len(steps)
    if steps.dtype != np.int8 or steps.shape != (n, n_margins) or (n and steps.min() < -STEPS):
        raise ValueError(f"the weights must be whole numbers from -{STEPS} to {STEPS} for each margin")
    if factor_codes.dtype.kind != "u" or factor_codes.shape != (n,):
        raise ValueError("each row needs a factor")
    largest, scales = read_floats(arrays, "largest", (1,), MOST), read_floats(arrays, "scales", (n,), 1.0)
    factors = read_floats(arrays, "factor_book", (book.size,), MOST).astype(np.float32)[factor_codes]
    if largest[0] < 0 or (scales < 0).any() or (factors < 0).any():
        raise ValueError("a term has a scale or a factor below 0")
    units = float(largest[0]) * scales.astype(np.float64) / STEPS
    values = (units[:, None] * steps).astype(np.float32)
    rows = find_rows(arrays["codes"], n).astype(np.uint32)
    if n_margins == 1:  # the number of a row takes as much memory as its one weight, and more time
        return RoundedMargins(values[rows], factors[rows], None)
    return RoundedMargins(values, factors, rows)


def as_bytes(numbers: Array) -> Array:
    """The bytes of each number, as a row."""
    return numbers.view(np.uint8).reshape(len(numbers), numbers.itemsize)
