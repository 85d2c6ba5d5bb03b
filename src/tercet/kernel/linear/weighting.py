"""The vector space model: counts are damped, multiplied by a factor per term, and divided by the norm of the document."""

from collections.abc import Callable
from math import fsum, log, sqrt

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, read_ranges


def _sum_squares(values: list[float]) -> float:
    return sqrt(fsum(value * value for value in values))


DAMPINGS: dict[str, Callable[[float], float]] = {"raw": float, "log": lambda count: 1 + log(count), "binary": lambda _: 1.0}
NORMS: dict[str, Callable[[list[float]], float]] = {
    "none": lambda _: 1.0,
    "l1": lambda values: fsum(map(abs, values)),
    "l2": _sum_squares,
}


def weigh_counts(
    ends: Integers,
    columns: npt.NDArray[np.int32],
    counts: Floats,
    factors: Floats | None,
    damping: str,
    norm: str,
    threads: int = 1,
) -> Floats:
    """The weights that replace the counts of a CSR matrix. Without `factors` the factor of every column is 1."""
    expect(damping in DAMPINGS and norm in NORMS, f"no {damping} or {norm}")
    expect(len(columns) == len(counts) and bool(np.isfinite(counts).all()), "no CSR matrix")
    limit = MAX_IDS if factors is None else len(factors)
    if not all(0 <= column < limit for column in columns.tolist()):
        raise IndexError("no such column")
    weights: list[float] = []
    for begin, end in read_ranges(ends, len(columns)):
        row = [
            DAMPINGS[damping](count) * (1.0 if factors is None else float(factors[column])) if count else 0.0
            for column, count in zip(columns[begin:end].tolist(), counts[begin:end].tolist(), strict=True)
        ]
        length = NORMS[norm](row) or 1.0
        weights += [weight / length for weight in row]
    return np.array(weights, np.float64)
