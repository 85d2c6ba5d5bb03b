"""The dual of the maximum margin: how much each document pushes the border away, found as a quadratic program."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import sparse
from tercet.models.quadratic_program import solve_program

FAR_BOUND = 1e3  # a C (with documents of length 1) that few documents reach
NO_PUSH = 1e-8  # of the largest dual variable: what the solver leaves of 0, and of the way to C


def find_dual_of_points(points: Floats, signs: Floats, C: float | None) -> Floats | None:
    """The α >= 0 that maximise Σ α - ½ ‖Σ α y x‖² where Σ α y = 0 and α <= C; None where they grow without end.

    >>> find_dual_of_points(np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]), None).round(6)
    array([0.5, 0.5])
    """
    n, n_columns = points.shape
    # Σ α y = 0, so the place of the origin changes nothing but the rounding.
    centred = points - points.mean(axis=0)
    size = find_size((centred**2).sum() / n)
    # With w = Σ α y x as variables of their own no squares are built, and few columns make a small program.
    pushes = sparse().csc_matrix((centred * signs[:, None]).T / np.sqrt(size))
    weights = sparse().identity(n_columns, format="csc")
    quadratic = sparse().block_diag([sparse().csc_matrix((n, n)), weights], format="csc")
    equal = sparse().bmat([[signs[None, :], None], [pushes, -weights]], format="csc")
    return maximize_dual(quadratic, equal, n, C, size)


def find_dual_of_kernel(products: Floats, signs: Floats, C: float | None) -> Floats | None:
    """The same with the products of documents instead of documents."""
    n = len(signs)
    means = products.mean(axis=0)
    centred = products - means - means[:, None] + means.mean()
    size = find_size(np.trace(centred) / n)
    return maximize_dual(centred / size * np.outer(signs, signs), signs[None, :], n, C, size)


def find_size(mean_square: float) -> float:
    """The square by which documents are divided, so that they have length 1; all the same, they have none."""
    return float(mean_square) if mean_square > 0 else 1.0


def maximize_dual(quadratic: Any, equal: Any, n: int, C: float | None, size: float) -> Floats | None:
    most = None if C is None else C * size
    dual = None
    # A bound that nobody reaches disturbs the solver, so a far one is left out at first.
    if most is None or most > FAR_BOUND:
        dual = maximize_pushes(quadratic, equal, n, None, 1.0)
    if most is not None and (dual is None or dual.max() > most):
        dual = maximize_pushes(quadratic, equal, n, 1.0, most)
    return None if dual is None else clean_dual(dual / size, C)


def maximize_pushes(quadratic: Any, equal: Any, n: int, most: float | None, unit: float) -> Floats | None:
    """The dual variables, which the solver sees in this unit."""
    linear = np.zeros(equal.shape[1])
    linear[:n] = -1
    share = max(unit, 1)
    pushes = solve_program(quadratic * (unit / share), linear / share, equal, np.zeros(equal.shape[0]), n, most)
    return None if pushes is None else pushes[:n] * unit


def clean_dual(dual: Floats, C: float | None) -> Floats:
    """With exactly 0 and exactly C where the solver came near."""
    if C is not None:
        dual = np.where(dual > C * (1 - NO_PUSH), C, dual)
    return np.where(dual > NO_PUSH * dual.max(), dual, 0.0)
