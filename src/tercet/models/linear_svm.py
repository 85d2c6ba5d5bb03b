"""Linear support vector machines: the widest margin between labels, with a cost for each document inside it."""

from typing import Any, Literal, get_args

from tercet.models.linear import LinearModel
from tercet.options import check_choice
from tercet.registry import register

Loss = Literal["squared_hinge", "hinge"]
Multi = Literal["one_vs_rest", "crammer_singer"]


@register("model", "svm")
class LinearSVM(LinearModel):
    """A scikit-learn classifier on matrices, sparse or dense: liblinear's problems, solved faster.

    It minimises ½ ‖w‖² + C Σ loss, where a document at margin m has the loss max(0, 1 - m)², or max(0, 1 - m).

    - `multi`: `"one_vs_rest"`, one problem for each label; or `"crammer_singer"`, one problem for all labels, in which the
      score of the best other label must be 1 lower (`loss` is then ignored).
    - `class_weight`: None, `"balanced"` or a mapping from label to the factor of its documents' cost. In one-vs-rest
      the factor applies in the problem where the label is the positive side, as in liblinear.
    - `bias`: the value of a constant column, whose weight is part of w; 0 for none.
    - `tol`: the objective is at most this share above the minimum, as measured by the duality gap over all documents.
    - `threads`: the number of threads that share the problems. The result depends on `seed`, never on `threads`.

    `coef_` is labels × columns, one row for two labels; `n_iter_` has the number of passes over the documents and
    `gap_` the share that was reached, for each problem. There are no probabilities: see `LogisticRegression`.

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

    def _one_vs_rest_loss(self, n_labels: int) -> str | None:
        return self.loss if self.multi == "one_vs_rest" else None

    def _joint_loss(self) -> str:
        return self.multi

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("loss", self.loss, get_args(Loss))
        check_choice("multi", self.multi, get_args(Multi))
