"""The vector space model: counts are damped, multiplied by a factor per term, and divided by the norm of the document."""

from collections.abc import Callable
from math import fsum, log, sqrt

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, read_ranges

Blocks = npt.NDArray[np.uint8]


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
    blocks: Blocks | None = None,
    threads: int = 1,
) -> Floats:
    """The weights that replace the counts of a CSR matrix. Without `factors` the factor of every column is 1.

    The columns may be in blocks. Then each block of a document has its own norm.
    """
    expect(damping in DAMPINGS and norm in NORMS, f"no {damping} or {norm}")
    expect(len(columns) == len(counts) and bool(np.isfinite(counts).all()), "no CSR matrix")
    limit = min([MAX_IDS, *(len(each) for each in (factors, blocks) if each is not None)])
    if not all(0 <= column < limit for column in columns.tolist()):
        raise IndexError("no such column")
    weights: list[float] = []
    for begin, end in read_ranges(ends, len(columns)):
        row = [
            DAMPINGS[damping](count) * (1.0 if factors is None else float(factors[column])) if count else 0.0
            for column, count in zip(columns[begin:end].tolist(), counts[begin:end].tolist(), strict=True)
        ]
        own = [0 if blocks is None else int(blocks[column]) for column in columns[begin:end].tolist()]
        weights += divide_by_norms(row, own, norm)
    return np.array(weights, np.float64)


def divide_by_norms(weights: list[float], blocks: list[int], norm: str) -> list[float]:
    """The weights of a document, divided by the norm of their block. A block without weights is divided by 1."""
    lengths = {
        block: NORMS[norm]([weight for weight, own in zip(weights, blocks, strict=True) if own == block]) or 1.0
        for block in set(blocks)
    }
    return [weight / lengths[block] for weight, block in zip(weights, blocks, strict=True)]
