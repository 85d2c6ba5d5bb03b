"""k-means: rows of vectors in groups of similar ones.

    distance(x, c) = |x|² - 2 x · c + |c|²

Every sum has a fixed order, so equal rows give equal groups on every machine.
"""

from typing import NamedTuple

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.categorizer.model.margin_model import Floats32
from tercet.categorizer.model.vector_member import multiply
from tercet.interruption import check_wanted

N_STARTS, MAX_ROUNDS = 5, 20


class Clusters(NamedTuple):
    """The group of each row, and its squared distance to the centre of the group."""

    codes: Integers
    distances: Floats


def cluster_rows(rows: Floats32, k: int, *, threads: int = 1) -> Clusters:
    """k groups of rows, or fewer if there are fewer different rows: the best of several starts, with fixed seeds.

    >>> rows = np.array([[1, 0], [0, 1], [1, 0.1], [0.1, 1]], np.float32)
    >>> cluster_rows(rows, 2).codes.tolist() in ([0, 1, 0, 1], [1, 0, 1, 0])
    True
    """
    measured = MeasuredRows(rows, sum_squares(rows), threads)
    found = [_cluster(measured, k, np.random.default_rng(seed)) for seed in range(N_STARTS)]
    return min(found, key=lambda clusters: float(np.cumsum(clusters.distances)[-1]))


class MeasuredRows(NamedTuple):
    """Rows with their squared lengths, and the number of threads that measure distances."""

    rows: Floats32
    squares: Floats
    threads: int

    def assign(self, centres: Floats) -> Clusters:
        """The nearest centre of each row; ties go to the first."""
        products = multiply(self.rows, centres.T, self.threads)
        lengths = np.diag(multiply(centres.astype(np.float32), centres.T, self.threads))
        distances = np.maximum(self.squares[:, None] - 2 * products + lengths, 0.0)
        codes = distances.argmin(axis=1)
        return Clusters(codes, distances[np.arange(len(codes)), codes])


def _cluster(measured: MeasuredRows, k: int, rng: np.random.Generator) -> Clusters:
    rows, found = measured.rows, measured.assign(_draw_centres(measured, k, rng))
    for _ in range(MAX_ROUNDS):
        check_wanted()
        centres = [rows[found.codes == code].mean(axis=0, dtype=np.float64) for code in np.unique(found.codes)]
        moved = measured.assign(np.stack(centres))
        if np.array_equal(moved.codes, found.codes):
            break
        found = moved
    return found


def _draw_centres(measured: MeasuredRows, k: int, rng: np.random.Generator) -> Floats:
    """The first centres are rows: the farther a row is from those that are drawn, the likelier it is the next (k-means++)."""
    rows = measured.rows.astype(np.float64)
    chosen = [int(rng.integers(len(rows)))]
    left = measured.assign(rows[chosen]).distances
    while len(chosen) < k:
        left[chosen] = 0.0
        sums = np.cumsum(left)
        if not sums[-1] > 0:
            break
        chosen.append(min(int(np.searchsorted(sums, rng.random() * sums[-1], side="right")), len(rows) - 1))
        left = np.minimum(left, measured.assign(rows[chosen[-1:]]).distances)
    return rows[chosen]


def sum_squares(rows: Floats | Floats32) -> Floats:
    """The squared length of each row.

    >>> sum_squares(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([25.,  0.])
    """
    squares = np.zeros(len(rows))
    for column in rows.T:  # one after another: a sum along a row may have another order on another machine
        squares += column.astype(np.float64) ** 2
    return squares
