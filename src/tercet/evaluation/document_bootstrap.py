"""The interval of any function of documents (gold and predicted labels, probabilities) by drawing the documents themselves."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidOption
from tercet.evaluation.intervals import Estimate
from tercet.evaluation.replicates import estimate_accelerations, make_estimates
from tercet.evaluation.resampling import DEFAULT, Resampling

MOST_LEFT_OUT = 1000  # of more documents a sample is left out, one by one


def bootstrap_documents(
    function: Callable[..., Any],
    arrays: Sequence[npt.ArrayLike],
    plan: Resampling = DEFAULT,
    *,
    groups: npt.ArrayLike | None = None,
) -> Estimate:
    """function(*arrays) with its interval; each array has a row for each document, and those of a group are drawn together.

    The function is called once for each resample, so memory holds one of them at a time. A resample for which it gives NaN or
    refuses its values (of one label only, say) is left out, and the note tells how many are.

    >>> def accuracy(gold, predicted):
    ...     return np.mean(gold == predicted)
    >>> print(bootstrap_documents(accuracy, [["a", "b", "a", "b", "a"], ["a", "b", "a", "a", "a"]]))
    0.800 [0.200, 1.000]
    """
    columns = _check_arrays(arrays)
    units = _Units.of(len(columns[0]), groups)
    value = float(function(*columns))

    def evaluate(documents: Integers) -> float:
        try:
            return float(function(*(column[documents] for column in columns)))
        except (ValueError, ZeroDivisionError):
            return np.nan

    rng = np.random.default_rng(plan.seed)
    replicates = np.array([evaluate(units.draw(rng)) for _ in range(plan.resamples)])
    acceleration = np.zeros(1)
    if plan.method == "bca" and units.n > 1:  # without its only unit nothing is left
        left_out = rng.permutation(units.n)[:MOST_LEFT_OUT]
        values = np.array([evaluate(units.leave_out(unit)) for unit in left_out])
        acceleration = estimate_accelerations(values[:, None], np.ones(len(values)), units.n)
    return make_estimates(np.array([value]), replicates[:, None], acceleration, plan)[0]


class _Units:
    """What is drawn whole: documents, or groups of them."""

    def __init__(self, order: Integers, starts: Integers) -> None:
        self.order, self.starts, self.n = order, starts, len(starts) - 1
        self.sizes = np.diff(starts)

    @classmethod
    def of(cls, n: int, groups: npt.ArrayLike | None) -> "_Units":
        if groups is None:
            return cls(np.arange(n), np.arange(n + 1))
        _, codes = encode_labels(groups)
        if len(codes) != n:
            raise InvalidOption(f"there are {n} documents and {len(codes)} groups: each document needs one.")
        return cls(np.argsort(codes, kind="stable"), np.concatenate([[0], np.cumsum(np.bincount(codes))]))

    def draw(self, rng: np.random.Generator) -> Integers:
        """The documents of as many units, drawn with replacement."""
        drawn = rng.integers(self.n, size=self.n)
        sizes = self.sizes[drawn]
        offsets = np.repeat(self.starts[drawn] - np.cumsum(sizes) + sizes, sizes)
        return np.take(self.order, offsets + np.arange(sizes.sum()))

    def leave_out(self, unit: int) -> Integers:
        return np.delete(self.order, slice(self.starts[unit], self.starts[unit + 1]))


def _check_arrays(arrays: Sequence[npt.ArrayLike]) -> list[npt.NDArray[Any]]:
    columns = [np.asarray(array) for array in arrays]
    lengths = sorted({len(column) if column.ndim else 0 for column in columns})
    if len(lengths) != 1 or lengths[0] == 0:
        raise InvalidOption(f"arrays must have a row for each document, one at least; theirs are {lengths} long.")
    return columns
