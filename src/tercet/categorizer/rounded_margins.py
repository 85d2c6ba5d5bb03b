"""Trained weights in 8 bits: each term has a scale in 16 bits, and rows that terms share are written once.

The largest weight of a term is rounded to 11 bits, and its other weights to steps of 1/127 of the largest. So a weight below
1/254 of the largest weight of its term is dropped.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers, read_floats
from tercet.categorizer.shared_rows import find_rows, hash_bytes, share_rows
from tercet.store.small_numbers import narrow

STEPS = 127
MOST = float(np.finfo(np.float32).max)

Floats32 = npt.NDArray[np.float32]


class RoundedLayer(NamedTuple):
    """Weights and factors of the rows of one layer."""

    values: Floats32  # rows × margins
    factors: Floats32


def round_layers(layers: Sequence[tuple[Floats32, Floats32]]) -> dict[str, Array]:
    """The rounded weights (terms × margins) and the factors of the terms, for each layer, as arrays for a file.

    >>> arrays = round_layers([(np.array([[1.0, -0.5], [0.25, -0.0009]], np.float32), np.ones(2, np.float32))])
    >>> np.abs(open_layers(arrays, 1, 2)[0][0].values)
    array([[1.      , 0.503937],
           [0.25    , 0.      ]], dtype=float32)
    """
    written: dict[str, Array] = {}
    of_terms: dict[str, Array] = {}  # one row for each term
    for number, (values, factors) in enumerate(layers):
        largest = np.abs(values).max(axis=1, initial=0.0).astype(np.float64)
        top = float(largest.max(initial=0.0))
        scales = (largest / (top or 1.0)).astype(np.float16)
        steps = np.rint(values / np.where(scales > 0, largest, np.inf)[:, None] * STEPS).astype(np.int8)
        book, numbers = np.unique(factors, return_inverse=True)
        own = {"values": steps, "scales": scales, "factor_codes": narrow(numbers.ravel())}
        of_terms |= {f"{number}.{name}": array for name, array in own.items()}
        written |= {f"{number}.largest": np.array([top], np.float32), f"{number}.factor_book": book}
    keys = np.hstack([as_bytes(array) for array in of_terms.values()])

    def are_equal(terms: Integers, others: Integers) -> npt.NDArray[np.bool_]:
        return np.asarray((keys[terms] == keys[others]).all(axis=1), np.bool_)

    codes, places = share_rows(hash_bytes(keys), are_equal)
    return written | {"codes": codes} | {name: array[places] for name, array in of_terms.items()}


def open_layers(
    arrays: Mapping[str, Array], n_layers: int, n_margins: int
) -> tuple[list[RoundedLayer], npt.NDArray[np.uint32] | None]:
    """The rounded weights in these arrays, and the row of each term. Without rows, term t has row t.

    Raises ValueError if they are no weights.
    """
    n = len(arrays["0.values"])
    layers = [_open_layer(pick_layer(arrays, number), n, n_margins) for number in range(n_layers)]
    rows = find_rows(arrays["codes"], n).astype(np.uint32)
    if n_margins == 1:  # the number of a row takes as much memory as its one weight, and more time
        return [RoundedLayer(layer.values[rows], layer.factors[rows]) for layer in layers], None
    return layers, rows


def pick_layer(arrays: Mapping[str, Array], number: int) -> dict[str, Array]:
    """The arrays of one layer, without its number."""
    prefix = f"{number}."
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def _open_layer(arrays: Mapping[str, Array], n: int, n_margins: int) -> RoundedLayer:
    steps, factor_codes, book = arrays["values"], arrays["factor_codes"], arrays["factor_book"]
    if steps.dtype != np.int8 or steps.shape != (n, n_margins) or (n and steps.min() < -STEPS):
        raise ValueError(f"the weights must be whole numbers from -{STEPS} to {STEPS} for each margin")
    if factor_codes.dtype.kind != "u" or factor_codes.shape != (n,):
        raise ValueError("each row needs a factor")
    largest, scales = read_floats(arrays, "largest", (1,), MOST), read_floats(arrays, "scales", (n,), 1.0)
    factors = read_floats(arrays, "factor_book", (book.size,), MOST).astype(np.float32)[factor_codes]
    if largest[0] < 0 or (scales < 0).any() or (factors < 0).any():
        raise ValueError("a term has a scale or a factor below 0")
    units = float(largest[0]) * scales.astype(np.float64) / STEPS
    return RoundedLayer((units[:, None] * steps).astype(np.float32), factors)


def as_bytes(numbers: Array) -> Array:
    """The bytes of each number, as a row."""
    return np.ascontiguousarray(numbers).view(np.uint8).reshape(len(numbers), numbers.itemsize * math.prod(numbers.shape[1:]))
