"""Documents to draw from: those that count alike are one kind, so that a draw costs as much as there are kinds."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import encode_labels
from tercet.errors import InvalidLabel, InvalidMatrix
from tercet.evaluation.draws import draw_heads, draw_kinds
from tercet.evaluation.resampling import cut_blocks

MOST_DENSE = 4096  # numbers, which are summed sooner than scipy is imported
ConfusionMetric = Callable[[Floats], Floats]  # confusion matrices (…, labels, labels) → numbers (…); NaN where undefined


@dataclass(frozen=True, eq=False)
class Pool:
    """Units that are drawn whole (documents, or groups of them), and what each adds to the confusion matrices.

    A resample of documents only changes how many fall in each cell, so kinds of documents are drawn, not documents.

    >>> pool = Pool.of_counts(np.array([[3, 1], [0, 2]]))
    >>> next(pool.resample(resamples=3, seed=0)).sum(axis=(-2, -1))
    array([6., 6., 6.])
    """

    sizes: Integers  # how many units of each kind
    parts: Any  # kinds × cells, sparse where they are many: what a unit of each kind adds
    shape: tuple[int, ...]  # of what they add up to: labels × labels, or systems × labels × labels

    @classmethod
    def of_counts(cls, counts: npt.ArrayLike) -> "Pool":
        """The documents of a confusion matrix, a row for each gold label."""
        matrix = np.asarray(counts, np.float64)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise InvalidMatrix(f"a confusion matrix has a row and a column for each label, got shape {matrix.shape}.")
        if not np.all((matrix >= 0) & (matrix < 2**53) & (matrix == np.floor(matrix))):
            raise InvalidMatrix(
                "a confusion matrix to draw from counts documents, and this one has cells that are no whole numbers >= 0: of "
                "weighted documents it does not say how many there are. Use Pool.of_documents with weights."
            )
        (cells,) = np.nonzero(matrix.ravel())
        if not len(cells):
            raise InvalidMatrix("there is no document to draw from: every cell is 0.")
        parts = _add_up(np.arange(len(cells)), cells[None], np.ones(len(cells)), matrix.size)
        return cls(matrix.ravel()[cells].astype(np.int64), parts, matrix.shape)

    @classmethod
    def of_documents(
        cls,
        gold: npt.ArrayLike,
        answers: Sequence[npt.ArrayLike],
        n_labels: int,
        *,
        groups: Any = None,
        weights: npt.ArrayLike | None = None,
    ) -> "Pool":
        """The documents that one or more systems labelled, as places of labels; those of a group are drawn together.

        >>> Pool.of_documents([0, 0, 1], [[0, 0, 1], [0, 0, 0]], n_labels=2).sizes
        array([2, 1])
        """
        rows = _check_codes([gold, *answers], n_labels)
        weight = np.ones(rows.shape[1]) if weights is None else _check_weights(weights, rows.shape[1])
        shape = (len(answers), n_labels, n_labels) if len(answers) > 1 else (n_labels, n_labels)
        cells = rows[0] * n_labels + rows[1:] + np.arange(len(answers))[:, None] * n_labels**2
        if groups is not None:
            known, unit = encode_labels(groups)
            if len(unit) != len(weight):
                raise InvalidLabel(f"there are {len(weight)} documents and {len(unit)} groups: each document needs one.")
            return cls(np.ones(len(known), np.int64), _add_up(unit, cells, weight, int(np.prod(shape))), shape)
        _, kind = np.unique(weight, return_inverse=True)
        for row in rows:
            _, first, kind = np.unique(kind * n_labels + row, return_index=True, return_inverse=True)
        parts = _add_up(np.arange(len(first)), cells[:, first], weight[first], int(np.prod(shape)))
        return cls(np.bincount(kind), parts, shape)

    def to_margins(self) -> "Pool":
        """The same with (…, 3, labels) instead of matrices: of each label what is right, gold and predicted.

        Most metrics need no more, and with many labels it is much less.

        >>> Pool.of_counts([[3, 1], [0, 2]]).to_margins().total
        array([[3., 2.], [4., 2.], [3., 3.]])
        """
        *systems, n_labels, _ = self.shape
        cells = np.union1d([0], np.flatnonzero(self.total))  # of many labels few pairs occur
        block, gold, predicted = cells // n_labels**2 * 3 * n_labels, cells // n_labels % n_labels, cells % n_labels
        margins = np.stack([block + gold, block + n_labels + gold, block + 2 * n_labels + predicted])
        counted = np.stack([gold == predicted, cells >= 0, cells >= 0]).astype(np.float64)
        shape = (*systems, 3, n_labels)
        parts = _add_up(np.arange(len(cells)), margins, counted, int(np.prod(shape)))
        return Pool(self.sizes, self.parts[:, cells] @ parts, shape)

    @property
    def n_units(self) -> int:
        """How many are drawn."""
        return int(self.sizes.sum())

    @cached_property
    def total(self) -> Floats:
        """The matrices of all units."""
        return np.asarray(self.parts.T @ self.sizes.astype(np.float64)).reshape(self.shape)

    def resample(self, resamples: int, seed: int) -> Iterator[Floats]:
        """Matrices of as many units, drawn with replacement, in blocks."""
        for draws in draw_kinds(self.sizes, resamples, seed, 16 * self.total.size):
            yield self._add_parts(self.parts, draws)

    def swap(self, resamples: int, seed: int) -> Iterator[Floats]:
        """Matrices of two systems, each unit's answers swapped or not by the toss of a coin, in blocks."""
        cells = np.arange(self.total.size)
        change = self.parts[:, np.roll(cells, self.total.size // 2)] - self.parts
        (kinds,) = np.nonzero(abs(change).sum(axis=1))  # the others' answers count the same when swapped
        for draws in draw_heads(self.sizes[kinds], resamples, seed, 24 * self.total.size):
            yield self.total + self._add_parts(change[kinds], draws)

    def leave_out(self, kinds: Integers) -> Iterator[Floats]:
        """The matrices without one unit of each of these kinds, in blocks."""
        for start, end in cut_blocks(len(kinds), 24 * self.total.size):
            parts = self.parts[kinds[start:end]]
            yield self.total - (parts if isinstance(parts, np.ndarray) else parts.toarray()).reshape(-1, *self.shape)

    def _add_parts(self, parts: Any, draws: Integers) -> Floats:
        # The resamples lie side by side in memory: a metric then sums long rows, however few labels there are.
        sums = parts.T @ np.ascontiguousarray(draws.T, np.float64)
        return np.moveaxis(np.asarray(sums).reshape(*self.shape, len(draws)), -1, 0)


def _add_up(kind: Integers, cells: Integers, values: Floats, n_cells: int) -> Any:
    """Kinds × cells from the cells of each kind (one or more rows of them) and what it adds to them; sparse if large."""
    places = np.broadcast_to(kind, cells.shape).ravel(), cells.ravel()
    shape = int(kind.max()) + 1, n_cells
    if shape[0] * shape[1] <= MOST_DENSE:
        parts = np.zeros(shape)
        np.add.at(parts, places, np.broadcast_to(values, cells.shape).ravel())
        return parts
    from scipy.sparse import coo_array

    return coo_array((np.broadcast_to(values, cells.shape).ravel(), places), shape=shape).tocsr()


def _check_codes(columns: Sequence[npt.ArrayLike], n_labels: int) -> Integers:
    if len(columns) < 2:
        raise InvalidLabel("there are no answers to hold against gold: give those of one system at least.")
    rows = [np.asarray(column) for column in columns]
    if any(row.ndim != 1 or len(row) != len(rows[0]) or row.dtype.kind not in "iu" for row in rows) or not len(rows[0]):
        raise InvalidLabel("gold and answers must have one whole number for each document, the place of its label.")
    codes = np.stack(rows).astype(np.int64)
    if codes.min() < 0 or codes.max() >= n_labels:
        raise InvalidLabel(f"gold and answers must be places of labels, 0 … {n_labels - 1}, got {codes.min()} … {codes.max()}.")
    return codes


def _check_weights(weights: npt.ArrayLike, n: int) -> Floats:
    weight = np.asarray(weights, np.float64)
    if weight.shape != (n,) or not np.all((weight >= 0) & np.isfinite(weight)):
        raise InvalidMatrix(f"weights must be {n} finite numbers >= 0, one for each document, got shape {weight.shape}.")
    # As multiples of a power of 2 so coarse that all sums are exact: a cell from which all is taken is 0, not almost 0.
    scale = 2.0 ** (52 - np.ceil(np.log2(max(weight.sum(), n * weight.max(), 1e-300))))
    return np.asarray(np.rint(weight * scale) / scale)
