"""NB-SVM: a linear support vector machine on terms that are scaled by their log-count ratios, as in naive Bayes."""

from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.matrices import Matrix, check_columns, check_counts
from tercet.errors import bad_option
from tercet.kernel import engine
from tercet.models.linear import LinearModel, Solution, split_one_vs_rest
from tercet.options import check_choice, is_number, n_threads
from tercet.registry import register

Loss = Literal["squared_hinge", "hinge", "logistic"]


@register("model", "nbsvm")
class NBSVM(LinearModel):
    """A scikit-learn classifier on matrices of counts, after Wang and Manning (2012). It is strong on most texts.

    Counts become 0 or 1 and are scaled by the log-count ratio r of their term: the logarithm of how much more often documents
    of the label have it than others. A linear model is trained on them, and its weights w are interpolated with their mean
    size: r · ((1 - beta) · mean |w| + beta · w). With more than two labels, each label is trained against the others.

    - `C`, `class_weight`, `bias`, `tol`, `max_epochs`, `seed` and `threads` are as in `LinearSVM`. A large `tol` is enough,
      because the weights are interpolated: on held-out parts of five corpora, 0.1 and 0.001 differ by at most 0.1 points.
    - `beta`: from 0, naive Bayes only, to 1, the linear model only.
    - `smoothing`: the pseudo-count that is added to each count of documents for r.
    - `loss`: the loss of the linear model; `"logistic"` makes it a logistic regression.

    `coef_` applies to counts clipped at 1: it includes r and beta.

    >>> from tercet import TermCounter
    >>> counter = TermCounter()
    >>> X = counter.fit_transform(["a plain bore", "no laughs and no plot", "so much fun", "fun and powerful"])
    >>> model = NBSVM().fit(X, ["-", "-", "+", "+"])
    >>> model.predict(counter.transform(["such fun", "a bore"]))
    array(['+', '-'], dtype='<U1')
    """

    def __init__(
        self,
        C: float = 1.0,
        *,
        beta: float = 0.25,
        smoothing: float = 0.5,
        loss: Loss = "squared_hinge",
        class_weight: Any = None,
        bias: float = 1.0,
        tol: float = 0.1,
        max_epochs: int = 1000,
        seed: int = 0,
        threads: int | None = None,
    ) -> None:
        self.C = C
        self.beta = beta
        self.smoothing = smoothing
        self.loss = loss
        self.class_weight = class_weight
        self.bias = bias
        self.tol = tol
        self.max_epochs = max_epochs
        self.seed = seed
        self.threads = threads

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these documents only. Warns NotConverged if `max_epochs` are too few for `tol`."""
        return super().fit(_clip(X), y, sample_weight)

    def decision_function(self, X: Any) -> Floats:
        """Scores, documents × labels; for two labels one number per document, above 0 for the second label, `classes_[1]`."""
        self._check_fitted()
        X = _clip(X)
        check_columns(X, self.n_features_in_, self)
        return super().decision_function(X)

    def _one_vs_rest_loss(self, n_labels: int) -> str | None:
        return self.loss

    def _ratio_options(self) -> tuple[float, float] | None:
        return float(self.smoothing), float(self.beta)

    def _solve(self, matrix: Matrix, codes: Integers, costs: Floats, weights: Floats) -> Solution:
        document_weights = None if (costs == self.C).all() else costs / self.C
        ratios = compute_ratios(matrix.count_documents(codes, len(weights), document_weights), float(self.smoothing))
        positive, each_cost = split_one_vs_rest(codes, costs, weights)
        problem = engine.LinearProblem(*matrix._replace(values=None))
        solution = problem.fit_binary(positive, each_cost, ratios, self.loss, *self._descent(), n_threads(self.threads))
        coefficients, intercepts, epochs, gaps = solution
        for own, ratio in zip(coefficients, ratios, strict=True):
            self._interpolate(own, ratio)
        return coefficients, float(self.beta) * intercepts, epochs, gaps

    def _interpolate(self, coefficients: Floats, ratios: Floats) -> None:
        """Interpolate the coefficients r · w of one label, in place to save memory. r is 0 if no document has the term."""
        sizes = np.divide(coefficients, ratios, out=np.zeros_like(ratios), where=ratios != 0)
        mean = np.abs(sizes, out=sizes).sum() / max(np.count_nonzero(ratios), 1)
        coefficients *= self.beta
        coefficients += (1 - self.beta) * mean * ratios

    def _check_options(self) -> None:
        super()._check_options()
        check_choice("loss", self.loss, get_args(Loss))
        if not is_number(self.beta) or not 0 <= self.beta <= 1:
            raise bad_option("beta", "a number from 0 to 1", self.beta, "it is the linear model's share. Try 0.25.")
        check_smoothing(self.smoothing)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def compute_ratios(documents: Floats, smoothing: float) -> Floats:
    """Log-count ratios of each label against the others, labels × terms; for two labels one row, the second against the first.

    >>> compute_ratios(np.array([[3.0, 1, 0], [1, 3, 0]]), 1.0).round(2)
    array([[-0.69,  0.69,  0.  ]])
    """
    totals = documents.sum(axis=0)
    known = slice(None) if totals.all() else totals > 0
    inside = documents[1:] if len(documents) == 2 else documents
    ratios = np.zeros_like(inside)
    for row, own in zip(ratios, inside, strict=True):
        row[known] = log_count_ratio(own[known], (totals - own)[known], smoothing)
    return ratios


def check_smoothing(smoothing: Any) -> None:
    if not is_number(smoothing) or not 0 < smoothing < np.inf:
        raise bad_option("smoothing", "a number > 0", smoothing, "a ratio could be infinite. Try 1.0.")


def log_count_ratio(inside: Any, outside: Any, smoothing: float = 1.0) -> Floats:
    """The log of how much more probable each term is inside a label than outside: log (p / Σp) / (q / Σq), where p and q are
    the counts plus the smoothing.

    >>> log_count_ratio([3, 1], [1, 3]).round(4)
    array([ 0.6931, -0.6931])
    """
    check_smoothing(smoothing)
    p: Floats = np.asarray(inside, np.float64) + smoothing
    q: Floats = np.asarray(outside, np.float64) + smoothing
    if not p.size:
        return p
    shift = np.log(q.sum() / p.sum())
    p /= q  # in place: there may be millions of terms
    np.log(p, out=p)
    p += shift
    return p


def _clip(X: Any) -> Any:
    matrix = check_counts(X)
    matrix.data = np.ones_like(matrix.data)
    return matrix
