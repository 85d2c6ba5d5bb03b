"""The border with the largest margin between two labels, from the dual program; nothing is believed unchecked."""

from dataclasses import dataclass

import numpy as np

from tercet.arrays import Floats
from tercet.errors import InvalidMatrix, NotSeparable, NotSolved
from tercet.models.kernel_functions import KernelFunction
from tercet.models.margin_dual import find_dual_of_kernel, find_dual_of_points

NO_SLACK = 1e-9  # what rounding leaves of a slack of 0
LARGEST_GAP = 1e-4  # between the objective and that of the dual, as a share


@dataclass(frozen=True)
class Border:
    """One dual variable and one slack for each document; the margin is 1 / ‖w‖."""

    dual: Floats
    bias: float
    slacks: Floats
    margin: float


def find_border(points: Floats, signs: Floats, kernel: KernelFunction, C: float | None) -> Border:
    """NotSeparable where C is None and no border parts the labels; NotSolved where rounding leaves too little of it."""
    # What is not finite is refused by the checks.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        products = multiply_all(points, kernel)
        dual = find_dual(points, products, signs, kernel, C)
        pushes = products @ (dual * signs)
        bias = find_bias(pushes, signs)
        margins = signs * (pushes + bias)
        slacks = np.where(1 - margins > NO_SLACK, 1 - margins, 0.0)
        squared_norm = float((dual * signs) @ pushes)
        if C is None:
            check_hard_margin(dual, margins, squared_norm)
        else:
            check_gap(dual, squared_norm, squared_norm / 2 + C * slacks.sum())
    return Border(dual, bias, slacks, float(1 / np.sqrt(squared_norm)) if squared_norm > 0 else np.inf)


def find_dual(points: Floats, products: Floats, signs: Floats, kernel: KernelFunction, C: float | None) -> Floats:
    is_linear = kernel.kernel == "linear"
    dual = find_dual_of_points(points, signs, C) if is_linear else find_dual_of_kernel(products, signs, C)
    if dual is None:
        raise not_separable()
    return dual


def multiply_all(points: Floats, kernel: KernelFunction) -> Floats:
    products = kernel.multiply(points, points)
    if not np.isfinite(products).all() or (points.any() and not products.any()):
        raise InvalidMatrix(
            f"X holds {np.abs(points).max():.1g} (from its mean), whose products with itself are no float64: lengths and "
            "margins can't be measured. Scale the columns of X."
        )
    return products


def find_bias(pushes: Floats, signs: Floats) -> float:
    """The bias with the least sum of slacks, in the middle where there are many.

    That sum falls by 1 for each document of the second label at first, and by one less after each place where a slack
    begins or ends; so it is flat between two neighbours among these.

    >>> find_bias(np.array([-3.0, 0.0, 2.0]), np.array([-1.0, -1.0, 1.0]))
    -1.0
    """
    places = np.sort(signs - pushes)
    n_second = int((signs > 0).sum())
    return float(places[n_second - 1 : n_second + 1].mean())


def check_hard_margin(dual: Floats, margins: Floats, squared_norm: float) -> None:
    if not margins.min() > 0:
        raise not_separable()
    # Stretched until every document is out of the margin, the weights are allowed ones.
    check_gap(dual, squared_norm, squared_norm / 2 / margins.min() ** 2)


def check_gap(dual: Floats, squared_norm: float, objective: float) -> None:
    """What the solver says is not believed, but that objective and dual objective are nearly the same."""
    gap = abs(objective - (dual.sum() - squared_norm / 2)) / np.float64(objective)
    if not gap <= LARGEST_GAP:
        raise NotSolved(
            f"the margin is known to a share of {gap:.1g} only: numbers of very different size meet in X, or in X and C. "
            "Scale the columns of X alike, or use the soft margin with a C nearer to 1.0."
        )


def not_separable() -> NotSeparable:
    return NotSeparable(
        "no border with a margin parts the two labels: the data are not separable by this kernel, and the hard margin "
        "(C=None) allows no mistake. Use the soft margin, MarginSVM(C=1.0), or another kernel."
    )
