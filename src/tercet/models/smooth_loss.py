"""Where a smooth loss is lowest."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tercet.arrays import Floats

Bounds = Sequence[tuple[float | None, float | None]]


def minimize_loss(loss: Callable[[Floats], tuple[float, Floats]], first: Floats, bounds: Bounds, precision: float) -> Floats:
    """The parameters, searched from the first ones on inside the bounds; the loss comes with its gradient.

    >>> minimize_loss(lambda x: (float(((x - 3) ** 2).sum()), 2 * (x - 3)), np.zeros(2), [(None, None), (None, 1)], 1e-9)
    array([3., 1.])
    """
    from scipy.optimize import minimize  # on first use

    search: Any = minimize  # its overloads know no loss that is an object
    options = {"maxiter": 500, "ftol": precision, "gtol": np.sqrt(precision) / 10}
    return np.asarray(search(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x, np.float64)
