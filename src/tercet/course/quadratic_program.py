"""Quadratic programs, solved by Clarabel (an interior-point method)."""

from typing import Any

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import sparse
from tercet.extras import import_extra

TOLERANCE = 1e-12  # of constraints and of the gap between the program and its dual
# Smaller than the smallest margin that counts: otherwise data with a tiny margin would seem not to be separable.
DIRECTION_TOLERANCE = 1e-13


def solve_program(
    quadratic: Any, linear: Floats, equal: Any, right: Floats, n_bounded: int, most: float | None
) -> Floats | None:
    """The x that minimises ½ xᵀPx + qᵀx where Ax = r and the first `n_bounded` variables are from 0 to `most`.

    None if the minimum is -∞. The caller must check the answer: it may be inexact if the numbers have very different sizes.

    >>> two = np.eye(2)
    >>> solve_program(two, np.zeros(2), np.ones((1, 2)), np.ones(1), 2, None).round(6)
    array([0.5, 0.5])
    """
    clarabel = import_extra("clarabel", package="clarabel", extra="svm", purpose="quadratic programs need")
    bounded = sparse().eye(n_bounded, len(linear), format="csc")
    rows, limits = [sparse().csc_matrix(equal), -bounded], [right, np.zeros(n_bounded)]
    if most is not None:
        rows, limits = [*rows, bounded], [*limits, np.full(n_bounded, most)]
    cones = [clarabel.ZeroConeT(len(right)), clarabel.NonnegativeConeT(sum(map(len, limits)) - len(right))]
    upper = sparse().triu(quadratic, format="csc")
    solver = clarabel.DefaultSolver(
        upper, linear, sparse().vstack(rows, format="csc"), np.concatenate(limits), cones, make_settings(clarabel)
    )
    solution = solver.solve()
    unbounded = (clarabel.SolverStatus.DualInfeasible, clarabel.SolverStatus.AlmostDualInfeasible)
    return None if solution.status in unbounded else np.array(solution.x)


def make_settings(clarabel: Any) -> Any:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = TOLERANCE
    settings.tol_infeas_abs = settings.tol_infeas_rel = DIRECTION_TOLERANCE
    return settings
