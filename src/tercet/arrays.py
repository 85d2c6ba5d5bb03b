"""The types of arrays that all packages use, and the check of arrays that come from files."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
SmallIntegers = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]

MAX_NUMBER = 1e15  # the largest number that a file may hold: sums and products of such numbers are still finite


def read_floats(arrays: Mapping[str, Any], name: str, shape: tuple[int, ...], most: float = MAX_NUMBER) -> Array:
    """An array of floats from a file; an error if it has another type or shape, or a number that is not from -most to most.

    >>> read_floats({"bias": np.array([0.5, np.nan])}, "bias", (2,))
    Traceback (most recent call last):
    ValueError: bias has a number that is not finite or too large
    """
    array: Array = np.asarray(arrays[name])
    if array.dtype.kind != "f" or array.shape != shape:
        raise ValueError(f"{name} must be floats of shape {shape}, and is {array.dtype} of shape {array.shape}")
    if not (np.abs(array) <= most).all():  # also false for nan
        raise ValueError(f"{name} has a number that is not finite or too large")
    return array
