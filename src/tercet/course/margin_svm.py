"""The textbook support vector machine: the border between two labels with the largest margin, with or without kernels.

The dual problem is solved as a quadratic program, and the border is derived from its solution and checked. A kernel function is
a product of two documents in a space with more columns, computed from the original columns.
"""

from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import check_dense, sparse
from tercet.course.quadratic_program import solve_program
from tercet.errors import InvalidMatrix, NotSeparable, NotSolved, NoWeights, bad_option
from tercet.models.classifier import TwoLabelModel, encode_signs
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
        return cls(kernel, degree, compute_scale(X) if gamma == "scale" else float(gamma), float(coef0))

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


def compute_scale(X: Floats) -> float:
    """The γ of "scale"; 1 if all numbers are the same; 0 or infinity if the variance does not fit into a float64."""
    largest = float(np.abs(X).max()) or 1.0
    deviation = largest * (X / largest).std()
    with np.errstate(over="ignore", divide="ignore"):
        return float(1 / (X.shape[1] * np.float64(deviation) ** 2)) if deviation else 1.0


MIN_SLACK = 1e-9  # a smaller slack is a rounding error of 0
MAX_GAP = 1e-4  # between the objective and the dual objective, as a share
MAX_BOUND = 10.0  # a bound on the dual variables (for documents of length 1) that few documents reach
NEAR_BOUND = 1e-8  # dual variables this near to 0 or to C, as a share, are exactly 0 or C
MAX_ROUNDS = 5  # of solving the program again without the documents outside the margin


class MarginSVM(TwoLabelModel):
    """A scikit-learn classifier for two labels on small dense matrices, solved as a quadratic program (`tercet[svm]`).

    - `C`: a number, the soft margin, which minimises ½ ‖w‖² + C Σ slack where y (w·x + b) >= 1 - slack; None, the hard
      margin, which minimises ½ ‖w‖² where y (w·x + b) >= 1 for every document. The bias b is not part of the norm.
    - `kernel`: `"linear"`, `"polynomial"`: (γ x·z + coef0)^degree, or `"rbf"`: exp(-γ ‖x - z‖²).
    - `gamma`: γ, or `"scale"`: 1 / (columns · variance of all numbers in X).

    `dual_variables_` has one α for each document; `support_` has the positions of the documents with α > 0, and none of them
    is outside the margin. `support_vectors_` has their rows. `weights_` is w (for a linear kernel), `bias_` b, `margin_`
    1 / ‖w‖, the distance from the border to its margin on each side; `slacks_` has one number for each document. If many b are
    optimal, the middle is taken.

    >>> model = MarginSVM(C=None).fit([[0.0, 0.0], [1.0, 3.0], [2.0, 0.0], [5.0, 1.0]], ["no", "no", "yes", "yes"])
    >>> model.weights_.round(6), round(model.bias_, 6), model.support_, round(model.margin_, 6)
    (array([ 1.      , -0.333333]), -1.0, array([0, 1, 2]), 0.948683)
    """

    def __init__(
        self,
        C: float | None = 1.0,
        *,
        kernel: Kernel = "linear",
        degree: int = 3,
        gamma: float | Literal["scale"] = "scale",
        coef0: float = 0.0,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    def fit(self, X: Any, y: Any) -> Self:
        """Learn these documents; NotSeparable if the margin is hard and no border separates the labels."""
        C = check_cost(self.C)
        X = check_dense(X)
        kernel = KernelFunction.of(X, self.kernel, self.degree, self.gamma, self.coef0)
        labels, signs = encode_signs(y, len(X))
        # Centred points have smaller rounding errors. Only the polynomial kernel depends on the origin.
        origin = X.mean(axis=0) * (kernel.kernel != "polynomial")
        border = compute_border(X - origin, signs, kernel, C)
        self.classes_, self.n_features_in_ = labels, X.shape[1]
        self.dual_variables_, self.slacks_ = border.dual, border.slacks
        self.support_ = np.flatnonzero(border.dual)
        self.support_vectors_ = X[self.support_]
        self.margin_ = border.margin
        self._kernel, self._origin, self._bias = kernel, origin, border.bias
        self._coefficients = (border.dual * signs)[self.support_]
        return self

    @property
    def weights_(self) -> Floats:
        """One weight for each column."""
        self._check_fitted()
        if self._kernel.kernel != "linear":
            raise NoWeights(
                f"kernel={self._kernel.kernel!r} has no weight for each column: its border is not a plane. "
                'Use decision_function, or kernel="linear".'
            )
        return np.asarray(self._coefficients @ (self.support_vectors_ - self._origin), np.float64)

    @property
    def bias_(self) -> float:
        """The number that is added to w·x."""
        self._check_fitted()
        return self._bias - (float(self.weights_ @ self._origin) if self._kernel.kernel == "linear" else 0.0)

    def _decide(self, X: Floats) -> Floats:
        products = self._kernel.multiply(X - self._origin, self.support_vectors_ - self._origin)
        return np.asarray(products @ self._coefficients + self._bias, np.float64)


def check_cost(C: Any) -> float | None:
    if C is None:
        return None
    if not is_number(C) or not 0 < C < np.inf:
        raise bad_option("C", "None (the hard margin) or a number > 0", C, "it is the price of a slack. Try 1.0.")
    return float(C)


@dataclass(frozen=True)
class Border:
    """A border between two labels: one dual variable and one slack for each document; the margin is 1 / ‖w‖."""

    dual: Floats
    bias: float
    slacks: Floats
    margin: float


def compute_border(points: Floats, signs: Floats, kernel: KernelFunction, C: float | None) -> Border:
    """The best border; NotSeparable if there is none and C is None; NotSolved if rounding errors are too large."""
    # The checks below refuse numbers that are not finite.
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        products = multiply_all(points, kernel)
        dual = drop_outside(compute_dual(points, products, signs, kernel, C), points, products, signs, kernel, C)
        scores, bias, margins = measure_margins(dual, products, signs)
        slacks = np.where(1 - margins > MIN_SLACK, 1 - margins, 0.0)
        squared_norm = float((dual * signs) @ scores)
        if C is None:
            check_hard_margin(dual, margins, squared_norm)
        else:
            check_gap(dual, squared_norm, squared_norm / 2 + C * slacks.sum())
    return Border(dual, bias, slacks, float(1 / np.sqrt(squared_norm)) if squared_norm > 0 else np.inf)


def measure_margins(dual: Floats, products: Floats, signs: Floats) -> tuple[Floats, float, Floats]:
    """w·x, b, and y (w·x + b) for each document."""
    scores = products @ (dual * signs)
    bias = compute_bias(scores, signs)
    return scores, bias, signs * (scores + bias)


def drop_outside(
    dual: Floats, points: Floats, products: Floats, signs: Floats, kernel: KernelFunction, C: float | None
) -> Floats:
    """The dual variables, with 0 for each document outside the margin.

    By the conditions of Karush, Kuhn and Tucker either α or the distance of the document outside the margin is 0. The solver
    makes the product of both small. So whichever is smaller, α as a share of the largest or the distance, is a rounding error
    of 0. The border depends on its support vectors only: so the others are left out, and the program is solved for the rest.
    """
    for _ in range(MAX_ROUNDS):
        _, _, margins = measure_margins(dual, products, signs)
        is_outside = (dual > 0) & (margins - 1 > np.maximum(dual / dual.max(), NEAR_BOUND))
        (kept,) = np.nonzero((dual > 0) & ~is_outside)
        if not is_outside.any() or len(np.unique(signs[kept])) < 2:
            break
        dual = np.zeros_like(dual)
        dual[kept] = compute_dual(points[kept], products[np.ix_(kept, kept)], signs[kept], kernel, C)
    return dual


def compute_dual(points: Floats, products: Floats, signs: Floats, kernel: KernelFunction, C: float | None) -> Floats:
    is_linear = kernel.kernel == "linear"
    dual = compute_dual_of_points(points, signs, C) if is_linear else compute_dual_of_kernel(products, signs, C)
    if dual is None:
        raise not_separable()
    return dual


def multiply_all(points: Floats, kernel: KernelFunction) -> Floats:
    products = kernel.multiply(points, points)
    if not np.isfinite(products).all() or (points.any() and not products.any()):
        raise InvalidMatrix(
            f"X holds {np.abs(points).max():.1g} (from its mean), whose products do not fit into a float64: lengths and "
            "margins can't be computed. Scale the columns of X."
        )
    return products


def compute_bias(scores: Floats, signs: Floats) -> float:
    """The bias with the smallest sum of slacks; the middle if there are many.

    As a function of the bias the sum is piecewise linear. It starts with the slope -n, where n documents have the second
    label, and the slope grows by 1 at each point where a slack begins or ends. So it is flat after the n-th of these points.

    >>> compute_bias(np.array([-3.0, 0.0, 2.0]), np.array([-1.0, -1.0, 1.0]))
    -1.0
    """
    ends = np.sort(signs - scores)
    n_second = int((signs > 0).sum())
    return float(ends[n_second - 1 : n_second + 1].mean())


def check_hard_margin(dual: Floats, margins: Floats, squared_norm: float) -> None:
    if not margins.min() > 0:
        raise not_separable()
    # Scaled until every document is outside the margin, the weights satisfy the constraints.
    check_gap(dual, squared_norm, squared_norm / 2 / margins.min() ** 2)


def check_gap(dual: Floats, squared_norm: float, objective: float) -> None:
    """Raises NotSolved if objective and dual objective differ: then the solver has not found the optimum."""
    gap = abs(objective - (dual.sum() - squared_norm / 2)) / np.float64(objective)
    if not gap <= MAX_GAP:
        raise NotSolved(
            f"the margin has a relative error of up to {gap:.1g}: X, or X and C, have numbers of very different size. "
            "Scale all columns of X to one size, or use the soft margin with a C nearer to 1.0."
        )


def not_separable() -> NotSeparable:
    return NotSeparable(
        "no border with a margin separates the two labels: the data are not separable by this kernel, and the hard margin "
        "(C=None) allows no mistake. Use the soft margin, MarginSVM(C=1.0), or another kernel."
    )


def compute_dual_of_points(points: Floats, signs: Floats, C: float | None) -> Floats | None:
    """The α >= 0 that maximise Σ α - ½ ‖Σ α y x‖² where Σ α y = 0 and α <= C; None if the maximum is infinite.

    >>> compute_dual_of_points(np.array([[0.0], [2.0]]), np.array([-1.0, 1.0]), None).round(6)
    array([0.5, 0.5])
    """
    n, n_columns = points.shape
    # Σ α y = 0, so the origin changes only rounding errors.
    centred = points - points.mean(axis=0)
    size = choose_size((centred**2).sum() / n)
    # With w = Σ α y x as variables, the program needs no n × n matrix, and few columns make it small.
    signed = sparse().csc_matrix((centred * signs[:, None]).T / np.sqrt(size))
    weights = sparse().identity(n_columns, format="csc")
    quadratic = sparse().block_diag([sparse().csc_matrix((n, n)), weights], format="csc")
    equal = sparse().bmat([[signs[None, :], None], [signed, -weights]], format="csc")
    return maximize_dual(quadratic, equal, n, C, size)


def compute_dual_of_kernel(products: Floats, signs: Floats, C: float | None) -> Floats | None:
    """The same α, from the kernel of each pair of documents."""
    n = len(signs)
    means = products.mean(axis=0)
    centred = products - means - means[:, None] + means.mean()
    size = choose_size(np.trace(centred) / n)
    return maximize_dual(centred / size * np.outer(signs, signs), signs[None, :], n, C, size)


def choose_size(mean_square: float) -> float:
    """The mean squared length, by which documents are divided so that they have length 1; 1 if all are the same point."""
    return float(mean_square) if mean_square > 0 else 1.0


def maximize_dual(quadratic: Any, equal: Any, n: int, C: float | None, size: float) -> Floats | None:
    most = None if C is None else C * size
    dual = None
    # A bound that no variable reaches makes the solver less exact, so try without a far bound first.
    if most is None or most > MAX_BOUND:
        dual = solve_dual(quadratic, equal, n, None, 1.0)
    if most is not None and (dual is None or dual.max() > most):
        dual = solve_dual(quadratic, equal, n, 1.0, most)
    return None if dual is None else clean_dual(dual / size, C)


def solve_dual(quadratic: Any, equal: Any, n: int, most: float | None, unit: float) -> Floats | None:
    """The dual variables; the solver gets them divided by `unit`."""
    linear = np.zeros(equal.shape[1])
    linear[:n] = -1
    share = max(unit, 1)
    solved = solve_program(quadratic * (unit / share), linear / share, equal, np.zeros(equal.shape[0]), n, most)
    return None if solved is None else solved[:n] * unit


def clean_dual(dual: Floats, C: float | None) -> Floats:
    """Dual variables that are nearly 0 or C become exactly 0 or C."""
    if C is not None:
        dual = np.where(dual > C * (1 - NEAR_BOUND), C, dual)
    return np.where(dual > NEAR_BOUND * dual.max(), dual, 0.0)
