"""Kernel functions: products of documents in a space with more columns, computed from the original columns."""

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats
from tercet.errors import bad_option
from tercet.options import check_choice, check_count, is_number

Kernel = Literal["linear", "polynomial", "rbf"]


@dataclass(frozen=True)
class KernelFunction:
    """`"linear"`: x·z; `"polynomial"`: (γ x·z + coef0)^degree; `"rbf"`: exp(-γ ‖x - z‖²).

    >>> KernelFunction("polynomial", 2, 1.0, 1.0).multiply(np.array([[1.0, 2.0]]), np.array([[3.0, 4.0]]))
    array([[144.]])
    """

    kernel: Kernel
    degree: int
    gamma: float
    coef0: float

    @classmethod
    def of(cls, X: Floats, kernel: Any, degree: Any, gamma: Any, coef0: Any) -> Self:
        """The kernel with checked options; γ of `"scale"` is 1 / (columns · variance of all numbers in X)."""
        check_choice("kernel", kernel, get_args(Kernel))
        check_count("degree", degree)
        if not is_number(coef0) or not 0 <= coef0 < np.inf:
            raise bad_option("coef0", "a number >= 0", coef0, "with a negative number the function is not a kernel. Try 1.0.")
        if gamma != "scale" and not (is_number(gamma) and 0 < gamma < np.inf):
            raise bad_option("gamma", '"scale" or a number > 0', gamma, "it says how near documents must be to be similar.")
        return cls(kernel, degree, find_scale(X) if gamma == "scale" else float(gamma), float(coef0))

    def multiply(self, X: Floats, Z: Floats) -> Floats:
        """The kernel of each row of X with each row of Z."""
        products = X @ Z.T
        if self.kernel == "polynomial":
            return np.asarray((self.gamma * products + self.coef0) ** self.degree, np.float64)
        if self.kernel == "rbf":
            squares = (X * X).sum(axis=1)[:, None] + (Z * Z).sum(axis=1)
            # Rounding may make the distance between equal rows negative.
            return np.asarray(np.exp(-self.gamma * np.maximum(squares - 2 * products, 0)), np.float64)
        return np.asarray(products, np.float64)


def find_scale(X: Floats) -> float:
    """The γ of "scale"; 1 if all numbers are the same; 0 or infinity if the variance does not fit into a float64."""
    largest = float(np.abs(X).max()) or 1.0
    deviation = largest * (X / largest).std()
    with np.errstate(over="ignore", divide="ignore"):
        return float(1 / (X.shape[1] * np.float64(deviation) ** 2)) if deviation else 1.0
