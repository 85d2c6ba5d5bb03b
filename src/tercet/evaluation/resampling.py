"""Resampling of documents: the plan (how often, from which seed), the units that are drawn, and the draws in small blocks.

A metric of a confusion matrix needs only the number of documents in each cell. So a resample draws how many documents fall in
each cell, and 10,000 resamples of a million documents cost no more than those of a thousand.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.cached import cached_property
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidLabel, InvalidMatrix, bad_option
from tercet.evaluation.intervals import PROPORTIONS, check_confidence
from tercet.options import check_choice, check_count, check_seed

DRAWN = ("percentile", "bca")
INTERVALS = (*PROPORTIONS, *DRAWN)
BLOCK = 2**25  # bytes; with what a metric needs beside its matrices that stays below 64 MB
MAX_RESAMPLES = 10_000_000  # more would take hours and change no digit that is shown
MAX_DENSE = 4096  # numbers; so few are summed in less time than scipy takes to import
SMALL, MANY = 12, 1000  # units of a kind, kinds
N_BITS = np.array([number.bit_count() for number in range(256)], np.uint8)
ConfusionMetric = Callable[[Floats], Floats]  # confusion matrices (…, labels, labels) → numbers (…); NaN where undefined


@dataclass(frozen=True)
class Resampling:
    """The plan of all intervals: confidence, number of resamples, seed and kind of interval. All metrics use the same plan.

    >>> Resampling(seed=7, interval="wald").share_method, Resampling(interval="percentile").method
    ('wald', 'percentile')
    """

    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0
    interval: str | None = None  # one of INTERVALS for all metrics that it fits; None for the usual one of each metric

    def __post_init__(self) -> None:
        check_confidence(self.confidence)
        if check_count("resamples", self.resamples, MAX_RESAMPLES) < 2:
            raise bad_option("resamples", "an int >= 2", self.resamples, "one resample has no spread. 10000 is usual.")
        check_seed(self.seed)
        if self.interval is not None:
            check_choice("interval", self.interval, INTERVALS)

    @property
    def is_drawn(self) -> bool:
        """Whether every metric has a bootstrap interval, because one was named."""
        return self.interval in DRAWN

    @property
    def method(self) -> str:
        """The kind of bootstrap interval."""
        return "percentile" if self.interval == "percentile" else "bca"

    @property
    def share_method(self) -> str:
        """The interval of shares that are not bootstrapped."""
        return self.interval if self.interval in PROPORTIONS else "wilson"


DEFAULT = Resampling()


@dataclass(frozen=True, eq=False)
class SamplingUnits:
    """Units that are drawn whole (documents, or groups of documents), and what each adds to the confusion matrices.

    Units that add the same are of one kind, and a draw costs as much as there are kinds.

    >>> units = SamplingUnits.of_counts(np.array([[3, 1], [0, 2]]))
    >>> next(units.resample(resamples=3, seed=0)).sum(axis=(-2, -1))
    array([6., 6., 6.])
    """

    sizes: Integers  # the number of units of each kind
    parts: Any  # kinds × cells, sparse if large: what a unit of each kind adds
    shape: tuple[int, ...]  # of the sum: labels × labels, or systems × labels × labels
    weights: Floats  # of a unit of each kind: the sum of its documents' weights
    patterns: Integers | None  # documents of one pattern have the same gold label and the same answers; None for groups

    @classmethod
    def of_counts(cls, counts: npt.ArrayLike) -> "SamplingUnits":
        """The documents of a confusion matrix, with a row for each gold label."""
        matrix = np.asarray(counts, np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InvalidMatrix(f"a confusion matrix has a row and a column for each label, got shape {matrix.shape}.")
        (cells,) = np.nonzero(matrix.ravel())
        return cls.of_cells(cells, matrix.ravel()[cells], len(matrix))

    @classmethod
    def of_cells(cls, cells: Integers, values: Floats, n_labels: int) -> "SamplingUnits":
        """The documents of the cells of a confusion matrix that are not 0. Cells are gold · labels + predicted."""
        if not np.all((values >= 0) & (values < 2**53) & (values == np.floor(values))):
            raise InvalidMatrix(
                "a confusion matrix to draw from counts documents, and this one has cells that are not whole numbers >= 0: for "
                "weighted documents it does not say how many there are. Use SamplingUnits.of_documents with weights."
            )
        cells, values = cells[values > 0], values[values > 0]
        if not len(cells):
            raise InvalidMatrix("there is no document to draw from: every cell is 0.")
        parts, ones = _add_up(np.arange(len(cells)), cells[None], np.ones(len(cells)), n_labels**2), np.ones(len(cells))
        return cls(values.astype(np.int64), parts, (n_labels, n_labels), ones, np.arange(len(cells)))

    @classmethod
    def of_documents(
        cls,
        gold: npt.ArrayLike,
        answers: Sequence[npt.ArrayLike],
        n_labels: int,
        *,
        groups: Any = None,
        weights: npt.ArrayLike | None = None,
    ) -> "SamplingUnits":
        """The documents that one or more systems labelled, with labels as codes. Documents of a group are drawn together.

        >>> SamplingUnits.of_documents([0, 0, 1], [[0, 0, 1], [0, 0, 0]], n_labels=2).sizes
        array([2, 1])
        """
        rows = _check_codes([gold, *answers], n_labels)
        unit = None if groups is None else encode_labels(groups)[1]
        if unit is not None and len(unit) != rows.shape[1]:
            raise InvalidLabel(f"there are {rows.shape[1]} documents and {len(unit)} groups: each document needs one.")
        weight = np.ones(rows.shape[1]) if weights is None else _round_weights(weights, rows.shape[1])
        (counted,) = np.nonzero(weight)  # a document with weight 0 is none
        if not len(counted):
            raise InvalidMatrix("there is no document to draw from: every weight is 0.")
        rows, weight = rows[:, counted], weight[counted]
        shape = (len(answers), n_labels, n_labels) if len(answers) > 1 else (n_labels, n_labels)
        cells = rows[0] * n_labels + rows[1:] + np.arange(len(answers))[:, None] * n_labels**2
        if unit is not None:
            known, unit = np.unique(unit[counted], return_inverse=True)
            parts, ones = _add_up(unit, cells, weight, int(np.prod(shape))), np.ones(len(known), np.int64)
            return cls(ones, parts, shape, np.bincount(unit, weight).astype(np.float64), None)
        pattern = np.zeros(len(weight), np.int64)
        for row in rows:
            _, pattern = np.unique(pattern * n_labels + row, return_inverse=True)
        _, kind = np.unique(weight, return_inverse=True)
        for row in rows:
            _, first, kind = np.unique(kind * n_labels + row, return_index=True, return_inverse=True)
        parts = _add_up(np.arange(len(first)), cells[:, first], weight[first], int(np.prod(shape)))
        return cls(np.bincount(kind), parts, shape, weight[first], pattern[first])

    def to_marginal_sums(self) -> "SamplingUnits":
        """The same units with (…, 3, labels) instead of matrices: correct, gold and predicted documents of each label.

        Most metrics need no more, and with many labels it is much smaller.

        >>> SamplingUnits.of_counts([[3, 1], [0, 2]]).to_marginal_sums().total
        array([[3., 2.], [4., 2.], [3., 3.]])
        """
        *systems, n_labels, _ = self.shape
        cells, own = self._list_cells()  # with many labels few pairs occur
        block, gold, predicted = cells // n_labels**2 * 3 * n_labels, cells // n_labels % n_labels, cells % n_labels
        sums = np.stack([block + gold, block + n_labels + gold, block + 2 * n_labels + predicted])
        counted = np.stack([gold == predicted, cells >= 0, cells >= 0]).astype(np.float64)
        shape = (*systems, 3, n_labels)
        parts = _add_up(np.arange(len(cells)), sums, counted, int(np.prod(shape)))
        return replace(self, parts=own @ parts, shape=shape)

    def _list_cells(self) -> tuple[Integers, Any]:
        """The cells that are not 0, and the first one; and the columns of `parts` for these cells."""
        if isinstance(self.parts, np.ndarray):
            occurs = self.total.ravel() != 0
            occurs[:1] = True  # one cell at least
            return np.flatnonzero(occurs), self.parts[:, occurs]
        from scipy.sparse import csr_array

        # Columns are numbered anew, because scipy would make a list of all of them: labels × labels.
        cells = np.union1d([0], self.parts.indices).astype(np.int64)
        columns = np.searchsorted(cells, self.parts.indices)
        shape = self.parts.shape[0], len(cells)
        return cells, csr_array((self.parts.data, columns, self.parts.indptr), shape=shape)

    @property
    def n_units(self) -> int:
        """The number of units in each resample."""
        return int(self.sizes.sum())

    @property
    def is_even(self) -> bool:
        """Whether the units are single documents that all count the same."""
        return self.patterns is not None and bool(np.all(self.weights == self.weights[0]))

    @property
    def effective(self) -> float:
        """The effective number of units, (Σw)² / Σw²: so many units of equal weight would say as much."""
        return float((self.sizes @ self.weights) ** 2 / (self.sizes @ self.weights**2))

    @cached_property
    def total(self) -> Floats:
        """The matrices of all units."""
        return np.asarray(self.parts.T @ self.sizes.astype(np.float64)).reshape(self.shape)

    def resample(self, resamples: int, seed: int) -> Iterator[Floats]:
        """Matrices of as many units, drawn with replacement, in blocks."""
        for draws in draw_with_replacement(self.sizes, resamples, seed, 16 * self.total.size):
            yield self._add_parts(self.parts, draws)

    def swap(self, resamples: int, seed: int) -> Iterator[Floats]:
        """Matrices of two systems after each unit's answers were swapped with probability 1/2, in blocks."""
        cells = np.arange(self.total.size)
        change = self.parts[:, np.roll(cells, self.total.size // 2)] - self.parts
        (kinds,) = np.nonzero(abs(change).sum(axis=1))  # swapping the answers of the other kinds changes nothing
        for draws in draw_halves(self.sizes[kinds], resamples, seed, 24 * self.total.size):
            yield self.total + self._add_parts(change[kinds], draws)

    def leave_out(self, kinds: Integers) -> Iterator[Floats]:
        """The matrices without one unit of each of these kinds, in blocks."""
        for start, end in cut_blocks(len(kinds), 24 * self.total.size):
            parts = self.parts[kinds[start:end]]
            yield self.total - (parts if isinstance(parts, np.ndarray) else parts.toarray()).reshape(-1, *self.shape)

    def _add_parts(self, parts: Any, draws: npt.NDArray[Any]) -> Floats:
        # The resamples lie side by side in memory: a metric then sums long rows, however few labels there are.
        sums = parts.T @ np.ascontiguousarray(draws.T, np.float64)
        return np.moveaxis(np.asarray(sums).reshape(*self.shape, len(draws)), -1, 0)


def _add_up(kind: Integers, cells: Integers, values: Floats, n_cells: int) -> Any:
    """Kinds × cells from the cells of each kind (one or more rows of them) and what it adds to them; sparse if large."""
    indices = np.broadcast_to(kind, cells.shape).ravel(), cells.ravel()
    shape = int(kind.max()) + 1, n_cells
    if shape[0] * shape[1] <= MAX_DENSE:
        parts = np.zeros(shape)
        np.add.at(parts, indices, np.broadcast_to(values, cells.shape).ravel())
        return parts
    from scipy.sparse import coo_array

    return coo_array((np.broadcast_to(values, cells.shape).ravel(), indices), shape=shape).tocsr()


def _check_codes(columns: Sequence[npt.ArrayLike], n_labels: int) -> Integers:
    if len(columns) < 2:
        raise InvalidLabel("there are no answers to compare with gold: pass the answers of at least one system.")
    rows = [np.asarray(column) for column in columns]
    if any(row.ndim != 1 or len(row) != len(rows[0]) or row.dtype.kind not in "iu" for row in rows) or not len(rows[0]):
        raise InvalidLabel("gold and answers must have one whole number for each document, the place of its label.")
    codes = np.stack(rows).astype(np.int64)
    if codes.min() < 0 or codes.max() >= n_labels:
        raise InvalidLabel(f"gold and answers must be places of labels, 0 … {n_labels - 1}, got {codes.min()} … {codes.max()}.")
    return codes


def _round_weights(weights: npt.ArrayLike, n: int) -> Floats:
    values = np.asarray(weights, np.float64)
    if values.shape != (n,) or not np.all((values >= 0) & np.isfinite(values)):
        raise InvalidMatrix(f"weights must be {n} finite numbers >= 0, one for each document, got shape {values.shape}.")
    # Multiples of a power of 2 that is coarse enough for exact sums: a cell that loses all its documents is 0, not almost 0.
    scale = 2.0 ** (52 - np.ceil(np.log2(max(values.sum(), n * values.max(), 1e-300))))
    return np.asarray(np.maximum(np.rint(values * scale), values > 0) / scale)  # no document is lost


# Draws: the number of units of each kind in each resample. They do not depend on where the blocks are cut.


def cut_blocks(n: int, row_bytes: int) -> Iterator[tuple[int, int]]:
    """The first row of each block and the first row after it; each block has about BLOCK bytes.

    >>> list(cut_blocks(5, row_bytes=BLOCK // 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = max(1, BLOCK // max(1, row_bytes))
    return ((start, min(start + size, n)) for start in range(0, n, size))


def draw_with_replacement(sizes: Integers, resamples: int, seed: int, row_bytes: int = 0) -> Iterator[Integers]:
    """As many units as there are: resamples × kinds, in blocks. `row_bytes` is what each resample will need in addition.

    >>> sum(draws.sum() for draws in draw_with_replacement(np.array([4, 5]), resamples=10, seed=0))
    np.int64(90)
    """
    # Where nearly every unit is a kind of its own, drawing a kind for each unit is quicker than a number for each kind.
    draw = _draw_by_unit if sizes.sum() < SMALL * len(sizes) else _draw_by_kind
    if len(sizes) > MANY and sizes.min() < SMALL <= sizes.max():  # with many labels: few large cells, many small ones
        draw = _draw_by_both
    return draw(sizes, resamples, np.random.default_rng(seed), row_bytes)


def draw_halves(sizes: Integers, resamples: int, seed: int, row_bytes: int = 0) -> Iterator[npt.NDArray[Any]]:
    """Each unit with probability 1/2: resamples × kinds, in blocks."""
    rng = np.random.default_rng(seed)
    if len(sizes) > MANY:
        yield from _draw_halves_of_many(sizes, resamples, rng, row_bytes)
        return
    for start, end in cut_blocks(resamples, 16 * len(sizes) + row_bytes):
        yield rng.binomial(sizes, 0.5, size=(end - start, len(sizes)))


def _draw_halves_of_many(
    sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int
) -> Iterator[npt.NDArray[Any]]:
    """A random byte for each kind with few units, one bit for each of them; a number for each of the other kinds."""
    is_large = sizes > 8
    masks = np.where(is_large, 0, (1 << np.minimum(sizes, 8)) - 1).astype(np.uint8)
    width = -(-len(sizes) // 8) * 8  # whole words of random bits, so that it does not matter where blocks are cut
    large_rng = rng.spawn(1)[0]
    for start, end in cut_blocks(resamples, 16 * len(sizes) + row_bytes):
        drawn = np.frombuffer(rng.bytes((end - start) * width), np.uint8).reshape(-1, width)
        draws = N_BITS[drawn[:, : len(sizes)] & masks]
        if is_large.any():
            draws = draws.astype(np.int64)
            draws[:, is_large] = large_rng.binomial(sizes[is_large], 0.5, size=(end - start, np.count_nonzero(is_large)))
        yield draws


def _draw_by_kind(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    n = int(sizes.sum())
    for start, end in cut_blocks(resamples, 16 * len(sizes) + row_bytes):
        yield rng.multinomial(n, sizes / n, size=end - start)


def _draw_by_unit(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    kind_of = np.repeat(np.arange(len(sizes)), sizes)
    for start, end in cut_blocks(resamples, 24 * len(kind_of) + 16 * len(sizes) + row_bytes):
        drawn = kind_of[rng.integers(len(kind_of), size=(end - start, len(kind_of)))]
        drawn += len(sizes) * np.arange(end - start)[:, None]  # a range of numbers for each resample
        yield np.bincount(drawn.ravel(), minlength=(end - start) * len(sizes)).reshape(end - start, len(sizes))


def _draw_by_both(sizes: Integers, resamples: int, rng: np.random.Generator, row_bytes: int) -> Iterator[Integers]:
    """A number for each large kind and one number for all small kinds together, whose units are then drawn one by one."""
    is_small = sizes < SMALL
    large, small = sizes[~is_small], sizes[is_small]
    n, kind_of = int(sizes.sum()), np.repeat(np.arange(len(small)), small)
    unit_rng = rng.spawn(1)[0]  # a stream of its own, so that it does not matter where blocks are cut
    for start, end in cut_blocks(resamples, 24 * len(kind_of) + 24 * len(sizes) + row_bytes):
        numbers = rng.multinomial(n, [*(large / n), len(kind_of) / n], size=end - start)
        drawn = kind_of[unit_rng.integers(len(kind_of), size=numbers[:, -1].sum())]
        drawn += len(small) * np.repeat(np.arange(end - start), numbers[:, -1])
        draws = np.empty((end - start, len(sizes)), np.int64)
        draws[:, ~is_small] = numbers[:, :-1]
        draws[:, is_small] = np.bincount(drawn, minlength=(end - start) * len(small)).reshape(end - start, len(small))
        yield draws
