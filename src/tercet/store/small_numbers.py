"""Whole numbers ↔ bytes. A small number takes one byte, a larger number takes more bytes."""

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Integers

Bytes = npt.NDArray[np.uint8]

BITS = 7  # of a number in each byte; the highest bit says that another byte follows
MAX_BYTES = 5  # of a number below 2³⁵


def write_numbers(numbers: Integers) -> Bytes:
    """The numbers as bytes, the lowest seven bits first. Each number must be from 0 to 2³⁵ - 1.

    >>> write_numbers(np.array([3, 127, 128])).tolist()
    [3, 127, 128, 1]
    """
    sizes = np.ones(len(numbers), np.int64)
    for k in range(1, MAX_BYTES):
        sizes += numbers >= 1 << BITS * k
    ends = np.cumsum(sizes)
    written = np.zeros(ends[-1] if len(ends) else 0, np.uint8)
    for k in range(int(sizes.max(initial=0))):
        longer = sizes > k
        follows = (sizes[longer] > k + 1).astype(np.int64) << BITS
        written[ends[longer] - sizes[longer] + k] = numbers[longer] >> BITS * k & (1 << BITS) - 1 | follows
    return written


def read_numbers(written: Array) -> Integers:
    """The numbers that `write_numbers` wrote. Raises ValueError if the bytes are not such numbers.

    >>> read_numbers(np.array([3, 127, 128, 1], np.uint8))
    array([  3, 127, 128])
    """
    if written.dtype != np.uint8 or written.ndim != 1:
        raise ValueError("small numbers must be bytes")
    is_last = written < 1 << BITS
    ends = np.flatnonzero(is_last) + 1
    sizes = np.diff(ends, prepend=0)
    if (len(written) and not is_last[-1]) or sizes.max(initial=0) > MAX_BYTES:
        raise ValueError("a small number has no end")
    numbers = np.zeros(len(ends), np.int64)
    for k in range(int(sizes.max(initial=0))):
        longer = sizes > k
        numbers[longer] |= (written[ends[longer] - sizes[longer] + k].astype(np.int64) & (1 << BITS) - 1) << BITS * k
    return numbers


def narrow(numbers: Array) -> Array:
    """The same numbers in as few bytes as the largest number needs. No number may be negative.

    >>> narrow(np.array([3, 300])).dtype
    dtype('uint16')
    """
    return numbers.astype(np.min_scalar_type(int(numbers.max(initial=0))))
