"""Checks of the arrays that callers pass in."""

from collections.abc import Iterable
from itertools import pairwise

import numpy as np

from tercet.arrays import Integers

MAX_IDS = 0x7FFFFFF0  # terms, labels and columns have numbers below this


def expect(fits: bool, what: str) -> None:
    if not fits:
        raise ValueError(what)


def expect_below(numbers: Integers, limit: int, what: str) -> list[int]:
    if not all(0 <= number < limit for number in numbers.tolist()):
        raise IndexError(what)
    return list(numbers.tolist())


def read_ranges(starts: Integers, size: int) -> list[tuple[int, int]]:
    """The (begin, end) of each range. The ranges are neighbours and cover everything from 0 to `size`."""
    fits = len(starts) > 0 and starts[0] == 0 and starts[-1] == size and bool((np.diff(starts) >= 0).all())
    expect(fits, "the starts must go from 0 to the end, in order")
    return list(pairwise(starts.tolist()))


def make_array(numbers: Iterable[int]) -> Integers:
    return np.array(list(numbers), np.int64)
