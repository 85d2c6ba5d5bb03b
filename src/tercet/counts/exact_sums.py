"""Exact sums of floats: sums without rounding, the same in any order.

A float64 is split into digits of base 2¹⁶. Each digit is a whole number in its own float64. In a block of rows, products and
sums of such digits stay below 2⁵³, so NumPy computes them exactly, in any order.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats

PythonIntegers = npt.NDArray[np.object_]  # of Python's int, which has no limit
Digits = dict[int, Floats]  # power of the base → the digits of all values

BITS = 16
MAX_ROWS = 1 << 16  # in a block: 2¹⁹ · 2¹⁶ · 2¹⁶ rows < 2⁵³
# The smallest float64, 2⁻¹⁰⁷⁴, has its digit at -68. The product of two such numbers and a weight, whose last digit is at -2,
# has its digit at -138.
SCALE = 1 << 138 * BITS
MAX_DIGITS = 1200  # of a sum in a file: the sum of 2⁴² squares of the largest float has fewer


@dataclass(frozen=True, eq=False)
class ExactSums:
    """An array of exact sums, as whole numbers in units of 1 / SCALE.

    >>> tiny = ExactSums.zeros((1,)).add(np.array([[1e300], [1.0], [-1e300], [2**-60]]))
    >>> tiny.round() == 1 + 2**-60, (tiny - ExactSums.zeros((1,)).add(np.ones((1, 1)))).round() == 2**-60
    (array([ True]), array([ True]))
    """

    units: PythonIntegers

    @classmethod
    def zeros(cls, shape: tuple[int, ...]) -> Self:
        return cls(np.full(shape, 0, object))

    def add(self, values: Floats) -> "ExactSums":
        """These sums plus the sums over the rows of finite numbers, documents × shape."""
        units = self.units
        for begin in range(0, len(values), MAX_ROWS):
            digits = split_digits(values[begin : begin + MAX_ROWS])
            units = units + join_digits({k: plane.sum(axis=0) for k, plane in digits.items()}, units.shape)
        return ExactSums(np.asarray(units, object))

    def __add__(self, other: "ExactSums") -> "ExactSums":
        return ExactSums(np.asarray(self.units + other.units, object))

    def __sub__(self, other: "ExactSums") -> "ExactSums":
        return ExactSums(np.asarray(self.units - other.units, object))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExactSums) and np.array_equal(self.units, other.units)

    __hash__ = None  # type: ignore[assignment]  # arrays have no hash

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON. Exact sums have no limit, so they are written as text."""
        return {"shape": list(self.units.shape), "units": [f"{units:x}" for units in self.units.ravel().tolist()]}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any], shape: Sequence[int]) -> Self:
        """The sums that `to_dict` wrote. Raises ValueError if they have another shape, or are too long."""
        units = written["units"]
        is_good = isinstance(units, list) and len(units) == math.prod(shape) and written["shape"] == list(shape)
        if not is_good or any(len(digits) > MAX_DIGITS for digits in units):
            raise ValueError(f"moments of shape {list(shape)} must be as many numbers of at most {MAX_DIGITS} digits")
        return cls(np.array([int(digits, 16) for digits in units], object).reshape(shape))

    def round(self) -> Floats:
        """The float64 nearest to each sum."""
        return divide(self.units, np.full(self.units.shape, SCALE, object))


def split_digits(values: Floats) -> Digits:
    """The digits of each value by power k, whole numbers below 2¹⁶ with the sign of the value: value = Σ digit · 2 ** (16 · k).

    >>> split_digits(np.array([-65537.5, 0.0]))
    {1: array([-1.,  0.]), 0: array([-1.,  0.]), -1: array([-32768.,      0.])}
    """
    digits: Digits = {}
    rest = np.array(values, np.float64)
    while top := max(rest.max(initial=0.0), -rest.min(initial=0.0)):
        k = (int(np.frexp(top)[1]) - 1) // BITS
        digits[k] = np.trunc(np.ldexp(rest, -BITS * k))
        rest -= np.ldexp(digits[k], BITS * k)  # without rounding: these are the leading bits
    return digits


def join_digits(sums: Mapping[int, npt.NDArray[Any]], shape: tuple[int, ...]) -> PythonIntegers:
    """Σ sum · 2 ** (16 · k), in units of 1 / SCALE."""
    units, above = np.full(shape, 0, object), max(sums, default=0)
    for k in sorted(sums, reverse=True):  # Horner's method keeps the numbers small for most steps
        units = units * (1 << BITS * (above - k)) + np.asarray(sums[k], np.int64).astype(object)
        above = k
    return np.asarray(units * (SCALE << BITS * above if above >= 0 else SCALE >> -BITS * above), object)


def divide(a: PythonIntegers, b: PythonIntegers) -> Floats:
    """The float64 nearest to each a / b; infinite if it is too large, nan if b is 0."""
    return np.asarray(np.frompyfunc(_divide_one, 2, 1)(a, b), np.float64)


def divide_root(a: PythonIntegers, b: PythonIntegers) -> Floats:
    """The square root of each a / b, also if a / b itself is too large or too small for a float64; nan if b is 0.

    >>> divide_root(np.array([9 << 4000], object), np.array([1 << 2000], object)) == 3 * 2.0**1000
    array([ True])
    """
    return np.asarray(np.frompyfunc(_divide_root_one, 2, 1)(a, b), np.float64)


def _divide_root_one(a: int, b: int) -> float:
    if a == 0 or b == 0:
        return 0.0 if b else float("nan")
    half = (a.bit_length() - b.bit_length()) // 2
    ratio = a / (b << 2 * half) if half >= 0 else (a << -2 * half) / b
    return math.ldexp(math.sqrt(ratio), half)


def _divide_one(a: int, b: int) -> float:
    if b == 0:
        return float("nan")
    try:
        return a / b  # Python rounds the quotient of whole numbers once
    except OverflowError:
        return float("inf") if (a > 0) == (b > 0) else float("-inf")
