"""Naive Bayes: Bayes' rule for documents whose terms are taken to be independent, given the label."""

from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from tercet.counts.label_counts import LabelCounts
from tercet.counts.labels import Labels, encode_labels, encode_training, find_labels
from tercet.counts.matrices import check_columns, check_counts, check_weights
from tercet.errors import InvalidOption, bad_option
from tercet.models.classifier import Classifier
from tercet.models.leave_one_out import LeaveOneOut
from tercet.models.priors import log_prior
from tercet.models.scores import Kind, derive_scores, fall_back
from tercet.models.smoothing import Smoothing, find_smoothing
from tercet.models.smoothing_choice import choose_by_labels, choose_by_table
from tercet.options import check_choice

Floats = npt.NDArray[np.float64]


class NaiveBayes(Classifier):
    """A scikit-learn classifier on matrices of counts, documents × terms. What it learns it can exactly forget.

    - `kind`: `"multinomial"`; `"binary"`, each document's counts clipped at 1; `"bernoulli"`, which also counts what is
      absent; `"complement"`, which weighs a term by how rarely the other labels have it, and has no prior.
    - `smoothing`: a pseudo-count for every term (1.0 is Laplace's), another of `tercet.models.smoothing`, or a choice among
      them: `"auto"` by the likelihood of the labels when each document in turn is left out, `"table"` by the likelihood
      of the terms when each occurrence is left out, which needs the counts alone. `smoothing_` tells what was chosen.
    - `prior`: `"empirical"`, `"uniform"`, a mapping from label to probability or a sequence in the order of the labels.
    - `vocabulary`: `"union"` of the labels' terms, or only the terms `"shared"` by all labels.

    >>> from tercet import TermCounter
    >>> counter = TermCounter()
    >>> reviews = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    >>> reviews += ["very powerful", "the most fun film of the summer"]
    >>> model = NaiveBayes().fit(counter.fit_transform(reviews), ["-", "-", "-", "+", "+"])
    >>> X = counter.transform(["predictable with no fun"])
    >>> model.predict(X), np.exp(model.log_joint(X)).round(7)
    (array(['-'], dtype='<U1'), array([[3.28e-05, 6.11e-05]]))
    """

    def __init__(
        self,
        kind: Kind = "multinomial",
        smoothing: Any = 1.0,
        prior: Any = "empirical",
        *,
        vocabulary: Literal["union", "shared"] = "union",
    ) -> None:
        self.kind = kind
        self.smoothing = smoothing
        self.prior = prior
        self.vocabulary = vocabulary

    def fit(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """Count afresh. Choices of the smoothing are made here.

        `class_weight` multiplies the weights of the documents: a mapping from label to weight, or `"balanced"`.
        """
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        weights = weights * label_weights(class_weight, labels, codes)[codes]
        counts = LabelCounts.of(X, labels, codes, weights)
        return self._keep(counts, self._choose_smoothing(counts, X, codes, weights), X.shape[1])

    def learn(self, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """Count more documents; they may bring new labels."""
        return self.partial_fit(X, y, sample_weight=sample_weight, class_weight=class_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, class_weight: Any = None) -> Self:
        """`learn` under the name that scikit-learn gives it; `classes` may name labels that are still to come."""
        is_new = not self.__sklearn_is_fitted__()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        weights = weights * label_weights(class_weight, labels, codes)[codes]
        if classes is not None:
            known, _ = encode_labels(classes)
            codes = find_labels(labels, known)[codes]
            labels = known
        if not is_new:
            check_columns(X, self.n_features_in_, self)
        counts = LabelCounts.of(X, labels, codes, weights)
        counts = counts if is_new else self.counts_ + counts
        if self._chooses("auto") and not is_new:
            smoothing = self.smoothing_
        else:
            smoothing = self._choose_smoothing(counts, X, codes, weights)
        return self._keep(counts, smoothing, X.shape[1])

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take documents away that were learned. What the counts can disprove is refused, and then nothing changes."""
        self._check_fitted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        counts = self.counts_ - LabelCounts.of(X, labels, codes, weights)
        return self._keep(counts, self._kept_smoothing(counts), X.shape[1])

    def retune(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the smoothing anew for these documents, which must be those that were learned."""
        self._check_fitted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        codes = find_labels(labels, self.classes_)[codes]
        return self._keep(self.counts_, self._choose_smoothing(self.counts_, X, codes, weights), X.shape[1])

    def __add__(self, other: "NaiveBayes") -> "NaiveBayes":
        """The model that has learned what both have."""
        self._check_fitted()
        other._check_fitted()
        if repr(self) != repr(other) or self.n_features_in_ != other.n_features_in_:
            raise InvalidOption(f"{self!r} and {other!r} count differently: their sum would mean nothing. Fit both alike.")
        if self._chooses("auto") and self.smoothing_ != other.smoothing_:
            raise InvalidOption(
                f"two choices of smoothing, {self.smoothing_} and {other.smoothing_}: set smoothing to one of them in both."
            )
        counts = self.counts_ + other.counts_
        return type(self)(**self.get_params())._keep(counts, self._kept_smoothing(counts), self.n_features_in_)

    def restrict(self, labels: Any) -> "NaiveBayes":
        """The model that decides between these labels alone: their rows of the counts are kept."""
        self._check_fitted()
        counts = self.counts_.restrict(labels)
        return type(self)(**self.get_params())._keep(counts, self._kept_smoothing(counts), self.n_features_in_)

    def log_likelihood(self, X: Any, *, coefficient: bool = False) -> Floats:
        """log P(document | label), documents × labels: the scores without the prior.

        With `coefficient` the multinomial coefficient is in it: the number of orders in which the terms can stand.
        """
        X = self._check_documents(X)
        scores = self._scores.score(X)
        return scores + _log_orders(X)[:, None] if coefficient else scores

    def log_joint(self, X: Any) -> Floats:
        """log P(label) + log P(document | label), documents × labels. A document without terms scores the prior."""
        scores = self.log_likelihood(X)
        prior = self._log_prior()
        return fall_back(scores + prior, prior)

    def leave_one_out_log_joint(self, X: Any, y: Any, sample_weight: Any = None) -> Floats:
        """The scores that each training document would get from a model that has not learned it."""
        self._check_fitted()
        X, labels, codes, weights = self._check_training(X, y, sample_weight)
        check_columns(X, self.n_features_in_, self)
        codes = find_labels(labels, self.classes_)[codes]
        _ = self.counts_ - LabelCounts.of(X, self.classes_, codes, weights)  # refuses documents that were never learned
        return self._leave_one_out(self.counts_, X, codes, weights).log_joint(self.smoothing_)

    def _leave_one_out(self, counts: LabelCounts, X: Any, codes: Any, weights: Floats) -> LeaveOneOut:
        return LeaveOneOut(self.kind, self.vocabulary, self.prior, counts, X, codes, weights)

    def _log_prior(self) -> Floats:
        if self.kind == "complement" and len(self.classes_) > 1:
            return np.zeros(len(self.classes_))
        return log_prior(self.prior, self.classes_, self.counts_.n_documents)

    def _keep(self, counts: LabelCounts, smoothing: Smoothing, n_terms: int) -> Self:
        scores = derive_scores(self.kind, counts, smoothing, self.vocabulary)
        log_prior(self.prior, counts.labels, counts.n_documents)  # a bad prior is an error before anything changes
        self.counts_, self.smoothing_, self._scores = counts, smoothing, scores
        self.classes_, self.n_features_in_ = counts.labels, n_terms
        return self

    def _kept_smoothing(self, counts: LabelCounts) -> Smoothing:
        return choose_by_table(self.kind, counts) if self._chooses("table") else self.smoothing_

    def _chooses(self, way: str) -> bool:
        return isinstance(self.smoothing, str) and self.smoothing == way

    def _choose_smoothing(self, counts: LabelCounts, X: Any, codes: Any, weights: Floats) -> Smoothing:
        if isinstance(self.smoothing, str):
            if check_choice("smoothing", self.smoothing, ("auto", "table")) == "table":
                return choose_by_table(self.kind, counts)
            return choose_by_labels(self._leave_one_out(counts, X, codes, weights))
        return find_smoothing(self.smoothing)

    def _check_training(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Labels, npt.NDArray[np.int64], Floats]:
        check_choice("kind", self.kind, get_args(Kind))
        check_choice("vocabulary", self.vocabulary, ("union", "shared"))
        X = check_counts(X)
        labels, codes = encode_training(y, X.shape[0])
        return self._prepare(X), labels, codes, check_weights(sample_weight, X.shape[0])

    def _check_documents(self, X: Any) -> Any:
        self._check_fitted()
        X = check_counts(X)
        check_columns(X, self.n_features_in_, self)
        return self._prepare(X)

    def _prepare(self, X: Any) -> Any:
        if self.kind in ("binary", "bernoulli"):
            X.data = np.ones_like(X.data)
        return X

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags


def label_weights(class_weight: Any, labels: Labels, codes: npt.NDArray[np.int64]) -> Floats:
    """The weight of a document of each label."""
    if class_weight is None:
        return np.ones(len(labels))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return len(codes) / (len(labels) * np.bincount(codes))
    if not hasattr(class_weight, "get"):
        raise bad_option("class_weight", "None, balanced or a mapping", class_weight, "each label has one weight.")
    return check_weights([class_weight.get(label, 1.0) for label in labels.tolist()], len(labels))


def _log_orders(X: Any) -> Floats:
    from scipy.special import gammaln

    n = X.shape[0]
    rows = np.repeat(np.arange(n), np.diff(X.indptr))
    totals = np.bincount(rows, weights=X.data, minlength=n)
    repeats = np.bincount(rows, weights=gammaln(X.data + 1), minlength=n)
    return np.asarray(gammaln(totals + 1) - repeats, np.float64)
