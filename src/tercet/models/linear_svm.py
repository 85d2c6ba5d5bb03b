"""Linear support vector machines: the widest margin between labels, and a price for each document inside it."""

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.models.linear import Fitted, LinearModel
from tercet.models.matrix import Matrix
from tercet.options import check_choice
from tercet.registry import register

Loss = Literal["squared_hinge", "hinge"]
Multi = Literal["one_vs_rest", "crammer_singer"]


@register("model", "svm")
class LinearSVM(LinearModel):
    """A scikit-learn classifier on matrices, sparse or dense: liblinear's problems, solved faster.

    It minimises ½ ‖w‖² + C Σ loss, where a document at margin m has the loss max(0, 1 - m)², or max(0, 1 - m).

    - `multi`: `"one_vs_rest"`, a problem for each label; or `"crammer_singer"`, one for all, in which the best other label
      must stay 1 below (then `loss` has no say).
    - `class_weight`: None, `"balanced"` or a mapping from label to the factor of its documents' cost. One-vs-rest weighs
      a label's documents where they are the positive side, as liblinear does.
    - `bias`: the value of a constant column, whose weight is part of w; 0 for none.
    - `tol`: the objective is at most this share above the best one: the duality gap says so, over all documents.
    - `threads` share the problems; the result never depends on them, only on `seed`.

    `coef_` is labels × columns, one row for two labels; `n_iter_` has the passes over the documents and `gap_` the share
    that was reached, of each problem. There are no probabilities: see `LogisticRegression`.

    >>> from tercet import TermCounter
    >>> counter = TermCounter()
    >>> X = counter.fit_transform(["a plain bore", "no laughs and no plot", "so much fun", "fun and powerful"])
    >>> model = LinearSVM().fit(X, ["-", "-", "+", "+"])
    >>> model.predict(counter.transform(["such fun", "a bore"]))
    array(['+', '-'], dtype='<U1')
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        loss: Loss = "squared_hinge",
        multi: Multi = "one_vs_rest",
        class_weight: Any = None,
        bias: float = 1.0,
        tol: float = 1e-4,
        max_epochs: int = 1000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.C = C
        self.loss = loss
        self.multi = multi
        self.class_weight = class_weight
        self.bias = bias
        self.tol = tol
        self.max_epochs = max_epochs
        self.seed = seed
        self.threads = threads

    def _solve(self, matrix: Matrix, codes: npt.NDArray[np.int64], costs: Floats, weights: Floats) -> Fitted:
        if self.multi == "one_vs_rest":
            return self._fit_one_vs_rest(matrix.problem(), codes, costs, weights, self.loss)
        fitted = self._fit_jointly(matrix.problem(), codes, costs, weights, self.multi)
        return subtract_rows(fitted) if len(weights) == 2 else fitted

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("loss", self.loss, get_args(Loss))
        check_choice("multi", self.multi, get_args(Multi))


def subtract_rows(fitted: Fitted) -> Fitted:
    """The scores of two labels as one: how far the second is above the first."""
    coefficients, intercepts, epochs, gaps = fitted
    return np.diff(coefficients, axis=0), np.diff(intercepts), epochs, gaps
