"""Units: weights as whole numbers in units of 2⁻²⁰, so that their sums are exact in any order."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.errors import InvalidMatrix

ONE = 1 << 20
MAX_TOTAL = 2.0**42  # of all weighted counts
MAX_UNITS = 1 << 62  # the same in units


def to_units(weights: Floats) -> Integers:
    """
    >>> to_units(np.array([1.0, 0.5]))
    array([1048576,  524288])
    """
    check_total(weights.sum())
    return np.rint(weights * ONE).astype(np.int64)


def to_numbers(units: Any) -> Floats:
    return np.asarray(units, np.float64) / ONE


def check_total(total: float) -> None:
    if total >= MAX_TOTAL:
        raise InvalidMatrix(f"the weighted counts sum to {total:g}: they must stay below 2⁴² to be exact. Use smaller weights.")


@contextmanager
def explain_overflow() -> Iterator[None]:
    """Turn an overflow of the kernel into an error that says what to do."""
    try:
        yield
    except OverflowError as error:
        raise no_room() from error


def no_room(bits: int = 42) -> InvalidMatrix:
    power = str(bits).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return InvalidMatrix(f"the weighted counts sum to more than 2{power}: they would not be exact. Use smaller weights.")
