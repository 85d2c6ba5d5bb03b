"""Bayes' rule with normal distributions: numbers instead of counts, under the same laws."""

import warnings
from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels, encode_training, find_labels
from tercet.counts.matrices import check_columns, check_dense, check_weights
from tercet.errors import InvalidLabel, InvalidOption, bad_option
from tercet.models.classifier import Classifier
from tercet.models.normals import Normals, find_means
from tercet.models.priors import log_prior
from tercet.options import check_choice, check_count, is_int, is_number

Covariance = Literal["diagonal", "full", "shared"]


class GaussianBayes(Classifier):
    """A scikit-learn classifier on dense matrices, documents × columns. What it learns it can exactly forget.

    - `covariance`: `"diagonal"`, the columns are independent, given the label (Gaussian naive Bayes); `"full"`, a
      multivariate normal for each label; `"shared"`, one covariance for all labels, pooled within them, so that the border
      between two labels is a plane.
    - `ddof`: a covariance is divided by n - ddof (`"shared"`: by n - ddof · labels): 0 is the likeliest, 1 the unbiased one.
    - `prior`: `"empirical"`, `"uniform"`, a mapping from label to probability or a sequence in the order of the labels.
    - `shrinkage`: None, or the share s of (1 - s) C + s mean(diag C) I, which also mends constant and dependent columns.

    `means_` is labels × columns; `covariances_` is labels × columns (the variances), labels × columns × columns or, if
    shared, columns × columns. A label without documents has nan there, and no point is likely under it. `fit` refuses a
    singular covariance at once; after `learn`, `forget` or `+` only its use does, so that documents may come one by one.

    >>> model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    >>> model.means_.ravel(), model.covariances_.ravel(), model.predict([[4.0], [5.0]])
    (array([7., 2.]), array([1., 1.]), array(['low', 'high'], dtype='<U4'))
    """

    moments_: LabelMoments
    _normals: Normals | None

    def __init__(
        self, covariance: Covariance = "diagonal", prior: Any = "empirical", *, ddof: int = 0, shrinkage: float | None = None
    ) -> None:
        self.covariance = covariance
        self.prior = prior
        self.ddof = ddof
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sum up afresh. A covariance that is singular is refused here."""
        moments = self._sum_up(X, y, None, sample_weight)
        return self._keep(moments, self._derive_normals(moments))

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Sum up more documents; they may bring new labels."""
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn` under the name that scikit-learn gives it; `classes` may name labels that are still to come."""
        moments = self._sum_up(X, y, classes, sample_weight, known=self.__sklearn_is_fitted__())
        return self._keep(self.moments_ + moments if self.__sklearn_is_fitted__() else moments)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take documents away that were learned. What the moments can disprove is refused, and then nothing changes."""
        self._check_fitted()
        return self._keep(self.moments_ - self._sum_up(X, y, None, sample_weight, known=True))

    def __add__(self, other: "GaussianBayes") -> "GaussianBayes":
        """The model that has learned what both have."""
        self._check_fitted()
        other._check_fitted()
        if repr(self) != repr(other) or self.n_features_in_ != other.n_features_in_:
            raise InvalidOption(f"{self!r} and {other!r} sum differently: their sum would mean nothing. Fit both alike.")
        return type(self)(**self.get_params())._keep(self.moments_ + other.moments_)

    def restrict(self, labels: Any) -> "GaussianBayes":
        """The model that decides between these labels alone: their rows of the moments are kept."""
        self._check_fitted()
        return type(self)(**self.get_params())._keep(self.moments_.restrict(labels))

    @property
    def means_(self) -> Floats:
        self._check_fitted()
        return find_means(self.moments_)[0]

    @property
    def covariances_(self) -> Floats:
        return self._find_normals().covariances

    def log_likelihood(self, X: Any) -> Floats:
        """log P(document | label), the density of each label's normal distribution, documents × labels."""
        normals = self._find_normals()
        X = check_dense(X)
        check_columns(X, self.n_features_in_, self)
        return normals.log_density(X)

    def log_joint(self, X: Any) -> Floats:
        """log P(label) + log P(document | label), documents × labels."""
        scores, prior = self.log_likelihood(X), self._log_prior()
        lost = np.asarray(np.isneginf(scores + prior).all(axis=1))
        if lost.any():
            warnings.warn(
                f"{lost.sum()} of {len(lost)} documents are too far from every label for a float64, and get the prior.",
                RuntimeWarning,
                stacklevel=2,
            )
        return np.asarray(np.where(lost[:, None], 0.0, scores) + prior, np.float64)

    def likelihood(self, X: Any) -> Floats:
        """P(document | label), documents × labels: a density, which may be above 1."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_likelihood(X))

    def evidence(self, X: Any) -> Floats:
        """P(document) = Σ P(label) P(document | label), one number for each document: how usual it is at all."""
        with np.errstate(over="ignore"):
            return np.asarray(np.exp(self.log_likelihood(X) + self._log_prior()).sum(axis=1), np.float64)

    def posterior(self, X: Any) -> Floats:
        """P(label | document) = P(label) P(document | label) / P(document), documents × labels: `predict_proba`."""
        return self.predict_proba(X)

    def sample(self, n: int, seed: int = 0, label: Any = None) -> tuple[Floats, Labels]:
        """n documents and their labels: labels drawn from the prior, or the one that is named."""
        n, normals = check_count("n", n), self._find_normals()
        if not is_int(seed) or seed < 0:
            raise bad_option("seed", "an int >= 0", seed, "the same seed gives the same documents.")
        rng, prior = np.random.default_rng(seed), np.exp(self._log_prior())
        if label is None:
            codes = rng.choice(len(prior), n, p=prior / prior.sum())
        else:
            codes = np.repeat(find_labels([label], self.classes_), n)
        X = normals.draw(rng.standard_normal((n, self.n_features_in_)), codes)
        unseen = codes[np.isnan(X).any(axis=1)]
        if len(unseen):
            label = self.classes_.tolist()[unseen[0]]
            raise InvalidLabel(f"the label {label!r} has no documents that others could be like: learn some, or restrict.")
        return X, self.classes_[codes]

    def _sum_up(self, X: Any, y: Any, classes: Any, sample_weight: Any, known: bool = False) -> LabelMoments:
        self._check_options()
        X = check_dense(X)
        if known:
            check_columns(X, self.n_features_in_, self)
        labels, codes = encode_training(y, len(X))
        if classes is not None:
            declared, _ = encode_labels(classes)
            labels, codes = declared, find_labels(labels, declared)[codes]
        weights = check_weights(sample_weight, len(X))
        return LabelMoments.of(X, labels, codes, weights, full=self.covariance != "diagonal")

    def _check_options(self) -> None:
        check_choice("covariance", self.covariance, get_args(Covariance))
        if not is_int(self.ddof) or self.ddof not in (0, 1):
            raise bad_option("ddof", "0 or 1", self.ddof, "a covariance is divided by n - ddof.")
        if self.shrinkage is not None and not (is_number(self.shrinkage) and 0 < self.shrinkage <= 1):
            why = "it is the share of the round covariance. Try 0.01."
            raise bad_option("shrinkage", "None or a number with 0 < shrinkage <= 1", self.shrinkage, why)

    def _derive_normals(self, moments: LabelMoments) -> Normals:
        self._check_options()
        if moments.is_full == (self.covariance == "diagonal"):
            raise InvalidOption(f"covariance={self.covariance!r} was set after other moments were learned: fit again.")
        return Normals.of(moments, self.covariance == "shared", self.ddof, self.shrinkage)

    def _find_normals(self) -> Normals:
        self._check_fitted()
        if self._normals is None:
            self._normals = self._derive_normals(self.moments_)
        return self._normals

    def _log_prior(self) -> Floats:
        return log_prior(self.prior, self.classes_, self.moments_.n.round())

    def _keep(self, moments: LabelMoments, normals: Normals | None = None) -> Self:
        log_prior(self.prior, moments.labels, moments.n.round())  # a bad prior is an error before anything changes
        self.moments_, self._normals = moments, normals
        self.classes_, self.n_features_in_ = moments.labels, moments.sums.units.shape[1]
        return self
