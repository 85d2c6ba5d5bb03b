"""The sums of a confusion matrix that metrics need. Many matrices at once: all axes but the last are resamples."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.errors import InvalidMatrix


class Margins(NamedTuple):
    """For each label the documents answered right, those of gold, those predicted: each (..., labels)."""

    correct: Floats
    gold: Floats
    predicted: Floats


Cells = npt.NDArray[Any] | Margins  # confusion matrices (..., labels, labels), rows gold; or their sums, where at hand


def sum_margins(cells: Cells) -> Margins:
    """
    >>> sum_margins(np.array([[8, 2], [1, 4]]))
    Margins(correct=array([8., 4.]), gold=array([10., 5.]), predicted=array([9., 6.]))
    """
    if isinstance(cells, Margins):
        return cells
    matrices = np.asarray(cells)
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2]:
        raise InvalidMatrix(f"confusion matrices must be (..., labels, labels), got shape {matrices.shape}.")
    sums = np.diagonal(matrices, axis1=-2, axis2=-1), matrices.sum(axis=-1), matrices.sum(axis=-2)
    return Margins(*(each.astype(np.float64) for each in sums))


def divide(numerator: Any, denominator: Any, zero_division: float = np.nan) -> Floats:
    """The ratio; where the denominator is 0, `zero_division`.

    >>> divide(np.array([1.0, 0.0]), np.array([2.0, 0.0]))
    array([0.5, nan])
    """
    numerator, denominator = np.broadcast_arrays(numerator, denominator)
    result = np.full(numerator.shape, zero_division, np.float64)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result
