"""The textbook support vector machine: of all borders between two labels the one that is farthest from both."""

from typing import Any, Literal, Self

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import check_dense
from tercet.errors import NoWeights, bad_option
from tercet.models.classifier import TwoLabelModel, encode_signs
from tercet.models.kernel_functions import Kernel, KernelFunction
from tercet.models.margin_border import find_border
from tercet.options import is_number


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
        border = find_border(X - origin, signs, kernel, C)
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
