"""The nearest points of the convex hulls of two sets of points: the dual view of the largest margin."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import check_dense, sparse
from tercet.course.quadratic_program import solve_program
from tercet.errors import InvalidMatrix

MIN_DISTANCE = 1e-9  # a smaller distance is 0, for points of length 1
SMALL_DISTANCE = 0.1  # for a smaller distance the program is solved again, with this distance as the unit


@dataclass(frozen=True)
class HullPoints:
    """The nearest points of two hulls: a = Σ weights_a · A and b = Σ weights_b · B, weights >= 0 that sum to 1."""

    a: Floats
    b: Floats
    weights_a: Floats
    weights_b: Floats
    distance: float


def nearest_hull_points(A: Any, B: Any) -> HullPoints:
    """The nearest points of the convex hulls of the rows of A and of B; distance 0 if the hulls meet.

    The border with the largest margin is the perpendicular bisector of the two points, so the distance is twice the margin.

    >>> nearest = nearest_hull_points([[0.0, 0.0], [0.0, 2.0]], [[3.0, 1.0], [5.0, 7.0]])
    >>> nearest.a.round(6), nearest.b.round(6), round(nearest.distance, 6)
    (array([0., 1.]), array([3., 1.]), 3.0)
    """
    A, B = check_dense(A, "A"), check_dense(B, "B")
    if A.shape[1] != B.shape[1]:
        raise InvalidMatrix(f"A has {A.shape[1]} columns and B has {B.shape[1]}: their points are not in the same space.")
    points = np.concatenate([A, B])
    centred = points - points.mean(axis=0)
    size = float(np.sqrt((centred**2).sum(axis=1).mean())) or 1.0
    weights = compute_weights(centred / size, len(A))
    weights_a, weights_b = weights[: len(A)], weights[len(A) :]
    a, b = weights_a @ A, weights_b @ B
    distance = float(np.linalg.norm(weights_a @ centred[: len(A)] - weights_b @ centred[len(A) :]))
    if distance < MIN_DISTANCE * size:
        a = b = (a + b) / 2
        distance = 0.0
    return HullPoints(a, b, weights_a, weights_b, distance)


def compute_weights(points: Floats, n_a: int) -> Floats:
    """The weights of the points, which have length 1; the first `n_a` are the points of A."""
    signed = points * np.where(np.arange(len(points)) < n_a, 1.0, -1.0)[:, None]
    weights = minimize_distance(signed, n_a, 1.0)
    distance = float(np.linalg.norm(weights @ signed))
    # The solver's tolerance is absolute: scale a small distance to 1 to make it exact.
    if MIN_DISTANCE < distance < SMALL_DISTANCE:
        weights = minimize_distance(signed, n_a, distance)
    return weights


def minimize_distance(signed: Floats, n_a: int, unit: float) -> Floats:
    """The weights with the shortest Σ weights · signed. The program's variables are the weights, then that vector."""
    n, n_columns = signed.shape
    vector = sparse().identity(n_columns, format="csc")
    quadratic = sparse().block_diag([sparse().csc_matrix((n, n)), vector / unit**2], format="csc")
    sums = np.stack([np.arange(n) < n_a, np.arange(n) >= n_a]).astype(np.float64)
    equal = sparse().bmat([[sums, None], [signed.T, -vector]], format="csc")
    right = np.concatenate([np.ones(2), np.zeros(n_columns)])
    solved = solve_program(quadratic, np.zeros(n + n_columns), equal, right, n, None)
    assert solved is not None, "a squared length has a minimum"
    weights = np.maximum(solved[:n], 0.0)
    return np.asarray(weights / (sums.T @ (sums @ weights)), np.float64)
