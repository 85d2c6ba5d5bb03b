"""Logistic regression: linear scores are log odds, so labels have probabilities."""

from typing import Any, Literal, get_args

import numpy as np

from tercet.arrays import Floats
from tercet.models.classifier import normalize_scores
from tercet.models.linear import LinearModel
from tercet.options import check_choice
from tercet.registry import register

Multi = Literal["one_vs_rest", "softmax"]


@register("model", "logistic")
class LogisticRegression(LinearModel):
    """A scikit-learn classifier on matrices, sparse or dense, with probabilities.

    It minimises ½ ‖w‖² + C Σ -log P(label | document).

    - `C`: the price of a wrong probability. 10 fits texts whose tf-idf weights have length 1. scikit-learn's 1 is too weak for
      them: their scores stay near 0, and on seven corpora the accuracy is 2.5 points lower. Use 1 for columns of large numbers.
    - `multi`: `"softmax"`, all labels in one problem, P ∝ exp(score); or `"one_vs_rest"`, each label against the others,
      with probabilities scaled to the sum 1. For two labels both are the same.
    - `class_weight`, `bias`, `tol`, `max_epochs`, `seed` and `threads` are as in `LinearSVM`; so are `coef_`, `intercept_`,
      `n_iter_` and `gap_`.

    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["low", "low", "high", "high"])
    >>> model.classes_, model.predict_proba([[1.5], [3.0]]).round(2)
    (array(['high', 'low'], dtype='<U4'), array([[0.6 , 0.4 ],
           [0.95, 0.05]]))
    """

    def __init__(
        self,
        C: float = 10.0,
        *,
        multi: Multi = "softmax",
        class_weight: Any = None,
        bias: float = 1.0,
        tol: float = 1e-4,
        max_epochs: int = 1000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.C = C
        self.multi = multi
        self.class_weight = class_weight
        self.bias = bias
        self.tol = tol
        self.max_epochs = max_epochs
        self.seed = seed
        self.threads = threads

    def predict_log_proba(self, X: Any) -> Floats:
        """log P(label | document), documents × labels."""
        scores = self._compute_scores(X)
        is_joint = len(self.gap_) < len(self.coef_)  # one problem for all labels
        return normalize_scores(scores if is_joint else -np.logaddexp(0, -scores))

    def predict_proba(self, X: Any) -> Floats:
        """P(label | document), documents × labels; rows sum to 1."""
        return np.exp(self.predict_log_proba(X))

    def _one_vs_rest_loss(self, n_labels: int) -> str | None:
        return "logistic" if self.multi == "one_vs_rest" or n_labels == 2 else None

    def _joint_loss(self) -> str:
        return self.multi

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("multi", self.multi, get_args(Multi))
