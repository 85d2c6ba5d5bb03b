"""How many units of each kind a resample has, drawn in blocks. The numbers do not depend on where the blocks are cut."""

from collections.abc import Iterator

import numpy as np

from tercet.arrays import Integers
from tercet.evaluation.resampling import cut_blocks

SMALL, MANY = 12, 1000  # units of a kind, kinds


def draw_kinds(sizes: Integers, resamples: int, seed: int, row_bytes: int = 0) -> Iterator[Integers]:
    """As many units as there are, with replacement: resamples × kinds; `row_bytes` is what else each resample will take.

    >>> sum(draws.sum() for draws in draw_kinds(np.array([4, 5]), resamples=10, seed=0))
    np.int64(90)
    """
    # Where nearly each unit is its own kind, it is quicker to draw a kind for each unit than a number for each kind.
    draw = _draw_by_unit if sizes.sum() < SMALL * len(sizes) else _draw_by_kind
    if len(sizes) > MANY and sizes.min() < SMALL <= sizes.max():  # the confusions of many labels: few large cells, many small
        draw = _draw_by_both
    return draw(sizes, resamples, np.random.default_rng(seed), row_bytes)


def draw_heads(sizes: Integers, resamples: int, seed: int, row_bytes: int = 0) -> Iterator[Integers]:
    """How many units of each kind a fair coin picks: resamples × kinds."""
    rng = np.random.default_rng(seed)
    for start, end in cut_blocks(resamples, 16 * len(sizes) + row_bytes):
        yield rng.binomial(sizes, 0.5, size=(end - start, len(sizes)))


def _draw_by_kind(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    n = int(sizes.sum())
    for start, end in cut_blocks(resamples, 16 * len(sizes) + row_bytes):
        yield rng.multinomial(n, sizes / n, size=end - start)


def _draw_by_unit(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    kind_of = np.repeat(np.arange(len(sizes)), sizes)
    for start, end in cut_blocks(resamples, 24 * len(kind_of) + 16 * len(sizes) + row_bytes):
        drawn = kind_of[rng.integers(len(kind_of), size=(end - start, len(kind_of)))]
        drawn += len(sizes) * np.arange(end - start)[:, None]  # a stretch of numbers for each resample
        yield np.bincount(drawn.ravel(), minlength=(end - start) * len(sizes)).reshape(end - start, len(sizes))


def _draw_by_both(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    """A number for each large kind and one for all small kinds together, whose units are then drawn one by one."""
    is_small = sizes < SMALL
    large, small = sizes[~is_small], sizes[is_small]
    n, kind_of = int(sizes.sum()), np.repeat(np.arange(len(small)), small)
    of_units = rng.spawn(1)[0]  # its own stream, so that it does not matter where blocks are cut
    for start, end in cut_blocks(resamples, 24 * len(kind_of) + 24 * len(sizes) + row_bytes):
        numbers = rng.multinomial(n, [*(large / n), len(kind_of) / n], size=end - start)
        drawn = kind_of[of_units.integers(len(kind_of), size=numbers[:, -1].sum())]
        drawn += len(small) * np.repeat(np.arange(end - start), numbers[:, -1])
        draws = np.empty((end - start, len(sizes)), np.int64)
        draws[:, ~is_small] = numbers[:, :-1]
        draws[:, is_small] = np.bincount(drawn, minlength=(end - start) * len(small)).reshape(end - start, len(small))
        yield draws
