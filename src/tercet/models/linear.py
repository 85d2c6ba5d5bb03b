"""The base class of linear models: one weight for each column and label, found by coordinate descent."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.labels import Labels, encode_training
from tercet.counts.matrices import Matrix, check_columns, check_numbers, check_weights
from tercet.errors import NotConverged, bad_option, not_fitted
from tercet.kernel import engine
from tercet.models.classifier import MatrixPredictor, check_two_labels, label_weights, read_by_label, write_by_label
from tercet.options import check_count, is_int, is_number, n_threads

# Coefficients, intercepts, epochs and gaps.
Solution = tuple[Floats, Floats, Integers, Floats]


class LinearModel(MatrixPredictor):
    """Scores are weighted sums of the columns. A subclass has these options, and solves the problem of its loss."""

    registered_name: ClassVar[str]

    C: float
    class_weight: Any
    bias: float
    tol: float
    max_epochs: int
    seed: int
    threads: int | None

    coef_: Floats
    intercept_: Floats
    n_iter_: Integers
    gap_: Floats

    def to_dict(self) -> dict[str, Any]:
        """The options as values for JSON, without `threads`, which depends on the machine."""
        options = self.get_params(deep=False)
        del options["threads"]
        for name, value in options.items():
            if isinstance(value, Mapping):
                options[name] = write_by_label(value)
            elif is_number(value):
                options[name] = int(value) if is_int(value) else float(value)
        return options

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        weights = written["class_weight"]
        if not isinstance(weights, Mapping) and weights not in (None, "balanced"):
            raise bad_option("class_weight", "None, balanced or a mapping", weights, "each label has one weight.")
        model = cls(**{**written, "class_weight": read_by_label(weights) if isinstance(weights, Mapping) else weights})
        model._check_options()
        return model

    def copy_checked(self) -> Self:
        """A model with the same options, not fitted. Raises InvalidOption if an option is wrong."""
        copy = type(self)(**self.get_params(deep=False))
        copy._check_options()
        return copy

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these documents only. Warns NotConverged if `max_epochs` are too few for `tol`."""
        self._check_options()
        X = check_numbers(X)
        labels, codes = encode_training(y, X.shape[0])
        return self._fit_matrix(Matrix.of(X), labels, codes, check_weights(sample_weight, X.shape[0]))

    def _fit_matrix(self, matrix: Matrix, labels: Labels, codes: Integers, weights: Floats) -> Self:
        """`fit` on a matrix whose numbers, labels and weights are already checked."""
        check_two_labels(labels)
        of_labels = self._weigh_labels(labels, codes, weights)
        return self._keep(labels, matrix.n_columns, self._solve(matrix, codes, self.C * weights, of_labels))

    def _weigh_labels(self, labels: Labels, codes: Integers, weights: Floats) -> Floats:
        """The weight of a document of each label. Raises InvalidOption if costs would be infinite."""
        of_labels = label_weights(self.class_weight, labels, codes, weights)
        if not float(self.C) * float(weights.max()) * float(of_labels.max()) < np.inf:
            raise bad_option(
                "C", "a number that can be multiplied by all weights", self.C, "the product is not finite. Try 1.0."
            )
        return of_labels

    def decision_function(self, X: Any) -> Floats:
        """Scores, documents × labels; for two labels one number per document, above 0 for the second label, `classes_[1]`."""
        self._check_fitted()
        X = check_numbers(X)
        check_columns(X, self.n_features_in_, self)
        scores = np.asarray(X @ self.coef_.T + self.intercept_, np.float64)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> Labels:
        """The label with the highest score; ties go to the label that sorts first."""
        best = self._compute_scores(X).argmax(axis=1)
        labels: Labels = self.classes_[best]
        return labels

    def _compute_scores(self, X: Any) -> Floats:
        """Scores, documents × labels, also for two labels."""
        scores = self.decision_function(X)
        return np.stack([-scores, scores], axis=1) if scores.ndim == 1 else scores

    def _one_vs_rest_loss(self, n_labels: int) -> str | None:
        """The loss, if each label is trained against the others; None if all labels are one problem."""
        raise not_fitted(self)

    def _joint_loss(self) -> str:
        """The loss of the problem of all labels."""
        raise not_fitted(self)

    def _ratio_options(self) -> tuple[float, float] | None:
        """The smoothing of log-count ratios and the share of the linear model; None for a model without ratios."""
        return None

    def _solve(self, matrix: Matrix, codes: Integers, costs: Floats, weights: Floats) -> Solution:
        problem, loss = engine.LinearProblem(*matrix), self._one_vs_rest_loss(len(weights))
        if loss is None:
            joint = problem.fit_joint(codes, len(weights), costs * weights[codes], self._joint_loss(), *self._descent())
            return subtract_rows(joint) if len(weights) == 2 else joint
        positive, each_cost = split_one_vs_rest(codes, costs, weights)
        return problem.fit_binary(positive, each_cost, None, loss, *self._descent(), n_threads(self.threads))

    def _descent(self) -> tuple[float, float, int, int]:
        return float(self.bias), float(self.tol), int(self.max_epochs), int(self.seed)

    def _keep(self, labels: Labels, n_columns: int, solution: Solution) -> Self:
        coefficients, self.intercept_, self.n_iter_, self.gap_ = solution
        # Columns × labels in memory: otherwise scoring one document would copy the whole array.
        self.coef_ = np.asfortranarray(coefficients)
        self.classes_, self.n_features_in_ = labels, n_columns
        self._check_gaps(self.gap_)
        return self

    def _check_gaps(self, gaps: Floats) -> None:
        """Warns if a gap is above `tol`."""
        worst = float(gaps.max())
        if not worst <= self.tol:  # also true for nan, if numbers are too large
            warning = NotConverged(
                f"{type(self).__name__} stopped after max_epochs={self.max_epochs} epochs: the objective may be "
                f"{worst:.2g} of itself above the minimum, which is more than tol={self.tol}. "
                "Raise max_epochs or tol, lower C, or scale X."
            )
            warning.cost = self.C
            warnings.warn(warning, stacklevel=4)

    def _check_options(self) -> None:
        if not is_number(self.C) or not 0 < self.C < np.inf:
            raise bad_option("C", "a number > 0", self.C, "it is the price of a mistake. Try 1.0.")
        if not is_number(self.bias) or not 0 <= self.bias < np.inf:
            why = "it is the value of a column that all documents have. Try 1.0, or 0 for no such column."
            raise bad_option("bias", "a number >= 0", self.bias, why)
        if not is_number(self.tol) or not 0 < self.tol < 1:
            why = "it is the share by which the objective may be above the minimum. Try 0.0001."
            raise bad_option("tol", "a number with 0 < tol < 1", self.tol, why)
        if not is_int(self.seed) or not 0 <= self.seed < 2**63:
            raise bad_option("seed", "an int from 0 to 2**63 - 1", self.seed, "the same seed gives the same order.")
        check_count("max_epochs", self.max_epochs)
        n_threads(self.threads)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def subtract_rows(solution: Solution) -> Solution:
    """One row for two labels: its score is that of the second label minus that of the first."""
    coefficients, intercepts, epochs, gaps = solution
    return np.diff(coefficients, axis=0), np.diff(intercepts), epochs, gaps


def split_one_vs_rest(codes: Integers, costs: Floats, weights: Floats) -> tuple[npt.NDArray[np.uint8], Floats]:
    """Whether each document is positive, and its cost, problems × documents; two labels make one problem.

    In each problem the weight of the label multiplies the costs of its own documents only, as in liblinear.

    >>> split_one_vs_rest(np.array([0, 1, 2]), np.ones(3), np.array([1.0, 5.0, 7.0]))[1]
    array([[1., 1., 1.],
           [1., 5., 1.],
           [1., 1., 7.]])
    """
    if len(weights) == 2:
        return codes[None].astype(np.uint8), (costs * weights[codes])[None]
    is_own = codes == np.arange(len(weights))[:, None]
    return is_own.astype(np.uint8), costs * np.where(is_own, weights[:, None], 1.0)
