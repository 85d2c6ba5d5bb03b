"""The textbook support vector machine: of all borders between two labels the one that is farthest from both."""

from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from tercet.counts.matrices import check_dense
from tercet.errors import InvalidMatrix, NotSeparable, NotSolved, NoWeights, bad_option
from tercet.models.kernel_functions import Kernel, KernelFunction
from tercet.models.margin_dual import find_dual_of_kernel, find_dual_of_points
from tercet.models.two_labels import TwoLabelModel, encode_signs
from tercet.options import is_number

Floats = npt.NDArray[np.float64]

NO_SLACK = 1e-9  # what rounding leaves of a slack of 0
LARGEST_GAP = 1e-3  # between the objective and that of the dual, as a share


class MarginSVM(TwoLabelModel):
    """A scikit-learn classifier for two labels on small dense matrices, solved as a quadratic program (`tercet[svm]`).

    - `C`: None, the hard margin, which minimises ½ ‖w‖² where y (w·x + b) >= 1 for every document; a number, the soft
      margin, which minimises ½ ‖w‖² + C Σ slack where y (w·x + b) >= 1 - slack. The bias b is not part of the norm.
    - `kernel`: `"linear"`, `"polynomial"`: (γ x·z + coef0)^degree, or `"rbf"`: exp(-γ ‖x - z‖²).
    - `gamma`: γ, or `"scale"`: 1 / (columns · variance of all numbers in X).

    `dual_variables_` has one α for each document; `support_` numbers the documents with α > 0, `support_vectors_` are their
    rows. `weights_` is w (of a linear kernel), `bias_` b, `margin_` 1 / ‖w‖, the distance from the border to its
    margin on either side; `slacks_` has one number for each document. Where many b are best, it is the middle one.

    >>> model = MarginSVM().fit([[0.0, 0.0], [1.0, 3.0], [2.0, 0.0], [5.0, 1.0]], ["no", "no", "yes", "yes"])
    >>> model.weights_.round(6), round(model.bias_, 6), model.support_, round(model.margin_, 6)
    (array([ 1.      , -0.333333]), -1.0, array([0, 1, 2]), 0.948683)
    """

    def __init__(
        self,
        C: float | None = None,
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
        """NotSeparable where the margin is hard and no border parts the labels."""
        C = check_cost(self.C)
        X = check_dense(X)
        kernel = KernelFunction.of(X, self.kernel, self.degree, self.gamma, self.coef0)
        labels, signs = encode_signs(y, len(X))
        # Near the origin less is rounded; only the polynomial kernel cares where that is.
        origin = X.mean(axis=0) * (kernel.kernel != "polynomial")
        dual, products = find_dual(X - origin, signs, kernel, C)
        support = np.flatnonzero(dual)
        pushes = products[:, support] @ (dual * signs)[support]
        bias = find_bias(pushes, signs)
        squared_norm = float((dual * signs) @ pushes)
        margins = signs * (pushes + bias)
        slacks = np.where(1 - margins > NO_SLACK, 1 - margins, 0.0)
        check_solution(dual, margins, squared_norm, 0.0 if C is None else C * slacks.sum(), is_hard=C is None)
        self.classes_, self.n_features_in_ = labels, X.shape[1]
        self.dual_variables_, self.slacks_ = dual, slacks
        self.support_, self.support_vectors_ = support, X[support]
        self.margin_ = float(1 / np.sqrt(squared_norm)) if squared_norm > 0 else np.inf
        self._kernel, self._origin, self._bias, self._coefficients = kernel, origin, bias, (dual * signs)[support]
        return self

    @property
    def weights_(self) -> Floats:
        """One weight for each column."""
        self._check_fitted()
        if self._kernel.kernel != "linear":
            raise NoWeights(
                f"kernel={self._kernel.kernel!r} has no weight for each column: its border is no plane among them. "
                'Use decision_function, or kernel="linear".'
            )
        return np.asarray(self._coefficients @ (self.support_vectors_ - self._origin), np.float64)

    @property
    def bias_(self) -> float:
        """What is added to w·x."""
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


def find_dual(points: Floats, signs: Floats, kernel: KernelFunction, C: float | None) -> tuple[Floats, Floats]:
    """The dual variables, and the products of all documents."""
    products = multiply_all(points, kernel)
    is_linear = kernel.kernel == "linear"
    dual = find_dual_of_points(points, signs, C) if is_linear else find_dual_of_kernel(products, signs, C)
    if dual is None:
        raise not_separable()
    return dual, products


def multiply_all(points: Floats, kernel: KernelFunction) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
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


def check_solution(dual: Floats, margins: Floats, squared_norm: float, price: float, *, is_hard: bool) -> None:
    """What the solver says is not believed, but that objective and dual objective are nearly the same."""
    if is_hard and margins.min() <= 0:
        raise not_separable()
    # Of a hard margin, the weights are stretched until every document is out of it.
    stretch = 1 / margins.min() ** 2 if is_hard else 1.0
    objective = stretch * squared_norm / 2 + price
    gap = abs(objective - (dual.sum() - squared_norm / 2)) / objective
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
