"""Bayes' rule with normal distributions: the model for columns of numbers.

Moments (n, Σx, Σxxᵀ) are summed exactly for each label; `Normals` derives the normal distributions from them.
"""

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.exact_sums import SCALE, ExactSums, divide
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, encode_labels, encode_training, find_labels, pick_labels
from tercet.counts.matrices import check_columns, check_dense, check_weights
from tercet.counts.term_names import ColumnTerms
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, bad_option
from tercet.models.bayes_rule import log_prior, sum_labels
from tercet.models.classifier import Classifier
from tercet.models.given_parameters import GivenLabels, no_counts, read_numbers
from tercet.models.parameters import show_labels
from tercet.options import check_choice, check_count, is_int, is_number
from tercet.row_table import Coded, ColumnRows, Listed, RowTable

Covariance = Literal["diagonal", "full", "shared"]


class GaussianBayes(Classifier):
    """A scikit-learn classifier on dense matrices, documents × columns. `forget` undoes `learn` exactly.

    - `covariance`: `"diagonal"`, the columns are independent, given the label (Gaussian naive Bayes); `"full"`, a
      multivariate normal for each label; `"shared"`, one covariance for all labels, pooled within them, so that the border
      between two labels is a plane.
    - `ddof`: a covariance is divided by n - ddof (`"shared"`: by n - ddof · labels): 0 is maximum likelihood, 1 is unbiased.
    - `prior`: `"empirical"`, `"uniform"`, a mapping from label to probability or a sequence in the order of the labels.
    - `shrinkage`: None, or the share s in (1 - s) C + s mean(diag C) I, which also allows constant and dependent columns.

    `means_` is labels × columns; `covariances_` is labels × columns (the variances), labels × columns × columns or, if
    shared, columns × columns. A label without documents has nan there, and the density 0 everywhere. `fit` refuses a
    singular covariance at once; after `learn`, `forget` or `+` it is refused when it is used, so that documents may come one
    by one. `GaussianBayes.from_parameters` takes means and covariances instead of documents.

    >>> model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    >>> model.means_.ravel(), model.covariances_.ravel(), model.predict([[4.0], [5.0]])
    (array([7., 2.]), array([1., 1.]), array(['low', 'high'], dtype='<U4'))
    """

    moments_: LabelMoments
    _normals: "Normals | None"

    def __init__(
        self, covariance: Covariance = "diagonal", prior: Any = "empirical", *, ddof: int = 0, shrinkage: float | None = None
    ) -> None:
        self.covariance = covariance
        self.prior = prior
        self.ddof = ddof
        self.shrinkage = shrinkage

    @classmethod
    def from_parameters(
        cls, labels: Any, means: Any, covariances: Any, prior: Any, *, covariance: Covariance = "diagonal"
    ) -> Self:
        """A model with given normal distributions. It predicts and samples, and can't learn or forget; `fit` begins anew.

        - `means`: labels × columns; or, for one column, a number for each label.
        - `covariances`: in the shape of `covariances_`. Numbers are variances, not standard deviations. For one column, a
          number for each label, or one number if it is shared.
        - `prior`: probabilities in the order of `labels`, a mapping from label to probability, or `"uniform"`.

        >>> model = GaussianBayes.from_parameters(["low", "high"], [2.0, 7.0], [1.0, 4.0], [0.5, 0.5])
        >>> model.predict([[3.0], [5.0]]), model.posterior([[4.0]]).round(3)
        (array(['low', 'high'], dtype='<U4'), array([[0.545, 0.455]]))
        """
        given = GivenLabels.of(labels)
        model = cls(covariance, given.name_prior(prior))
        model._check_options()
        centers, spreads = check_normals(means, covariances, given.names, covariance)
        spreads = spreads if covariance == "shared" else spreads[given.order]
        normals = Normals.make(
            centers[given.order], np.zeros(centers.shape), spreads, given.labels, shared=covariance == "shared"
        )
        return model._keep_normals(given.labels, normals)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn these documents only, and forget all others. A singular covariance is refused here."""
        moments = self._sum_moments(X, y, None, sample_weight)
        return self._keep(moments, self._derive_normals(moments))

    def learn(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn more documents; they may have new labels."""
        return self.partial_fit(X, y, sample_weight=sample_weight)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """`learn` under its name in scikit-learn; `classes` may name labels that have no documents yet."""
        self._check_not_given()
        moments = self._sum_moments(X, y, classes, sample_weight, known=self.__sklearn_is_fitted__())
        return self._keep(self.moments_ + moments if self.__sklearn_is_fitted__() else moments)

    def forget(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Forget learned documents. Raises NeverLearned, and changes nothing, if the moments show that one was not learned."""
        self._check_fitted()
        self._check_not_given()
        return self._keep(self.moments_ - self._sum_moments(X, y, None, sample_weight, known=True))

    def __add__(self, other: "GaussianBayes") -> "GaussianBayes":
        """The model that has learned the documents of both."""
        for model in (self, other):
            model._check_fitted()
            model._check_not_given()
        if repr(self) != repr(other) or self.n_features_in_ != other.n_features_in_:
            raise InvalidOption(f"{self!r} and {other!r} sum differently: their sum would mean nothing. Fit both alike.")
        return type(self)(**self.get_params())._keep(self.moments_ + other.moments_)

    def restrict(self, labels: Any) -> "GaussianBayes":
        """The model that decides between these labels only: their rows of the moments are kept."""
        self._check_fitted()
        some_labels = type(self)(**self.get_params())
        if self._is_given:
            kept = pick_labels(labels, self.classes_)
            return some_labels._keep_normals(kept, self._prepare_normals().pick(find_labels(kept, self.classes_)))
        return some_labels._keep(self.moments_.restrict(labels))

    @property
    def means_(self) -> Floats:
        self._check_fitted()
        return self._prepare_normals().means if self._is_given else compute_means(self.moments_)[0]

    @property
    def covariances_(self) -> Floats:
        return self._prepare_normals().covariances

    @property
    def log_prior_(self) -> Floats:
        """log P(label), in the order of `classes_`."""
        self._check_fitted()
        return self._log_prior()

    @property
    def prior_(self) -> Floats:
        """P(label), in the order of `classes_`."""
        return np.exp(self.log_prior_)

    def parameters(self, label: Any = None, *, names: Any = None) -> RowTable:
        """The mean, the variance and the standard deviation of each column under each label.

        A column is its number, or its name if `names` has one for each column. `covariances_` has the covariances of two
        columns.

        >>> GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"]).parameters("low", names=["size"])
        diagonal: 1 normal distribution
        label  column  mean  variance  deviation
        low    size       2         1          1
        prior: high 0.5, low 0.5
        """
        normals, columns = self._prepare_normals(), ColumnTerms.check(self.n_features_in_, names)
        indices = np.arange(len(self.classes_)) if label is None else find_labels([label], self.classes_)
        numbers, n = np.arange(self.n_features_in_), len(indices) * self.n_features_in_
        read = {
            "label": Coded(Listed(self.classes_.tolist()), np.repeat(indices, len(numbers))),
            "column": Coded(columns.spell(numbers), np.tile(numbers, len(indices))),
            "mean": normals.means[indices].ravel(),
            "variance": normals.variances[indices].ravel(),
            "deviation": normals.scales[indices].ravel(),
        }
        prior = show_labels(dict(zip(self.classes_.tolist(), self.prior_.tolist(), strict=True)))
        title = f"{self.covariance}: {n} normal distribution{'' if n == 1 else 's'}"
        return RowTable(title, tuple(read), ColumnRows(read, n), (f"prior: {prior}",))

    def log_likelihood(self, X: Any) -> Floats:
        """log P(document | label), the density of each label's normal distribution, documents × labels."""
        normals = self._prepare_normals()
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
        """P(document) = Σ P(label) P(document | label), one number for each document: how typical it is."""
        with np.errstate(over="ignore"):
            return np.exp(self.log_evidence(X))

    def log_evidence(self, X: Any) -> Floats:
        """log P(document). It is finite for documents so far away that `evidence` is 0."""
        return sum_labels(self.log_likelihood(X), self._log_prior())

    def posterior(self, X: Any) -> Floats:
        """P(label | document) = P(label) P(document | label) / P(document), documents × labels: `predict_proba`."""
        return self.predict_proba(X)

    def sample(self, n: int, seed: int = 0, label: Any = None) -> tuple[Floats, Labels]:
        """n documents and their labels: labels drawn from the prior, or all with this label."""
        n, normals = check_count("n", n), self._prepare_normals()
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
            raise InvalidLabel(f"the label {label!r} has no documents to learn a distribution from: learn some, or restrict.")
        return X, self.classes_[codes]

    def _sum_moments(self, X: Any, y: Any, classes: Any, sample_weight: Any, known: bool = False) -> LabelMoments:
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

    def _derive_normals(self, moments: LabelMoments) -> "Normals":
        self._check_options()
        if moments.is_full == (self.covariance == "diagonal"):
            raise InvalidOption(f"covariance={self.covariance!r} was set after other moments were learned: fit again.")
        return Normals.of(moments, self.covariance == "shared", self.ddof, self.shrinkage)

    def _prepare_normals(self) -> "Normals":
        self._check_fitted()
        if self._normals is None:
            self._normals = self._derive_normals(self.moments_)
        return self._normals

    def _log_prior(self) -> Floats:
        n_documents = np.zeros(len(self.classes_)) if self._is_given else self.moments_.n.round()
        return log_prior(self.prior, self.classes_, n_documents)

    @property
    def _is_given(self) -> bool:
        """Whether it has normal distributions that were given, and no moments."""
        return self.__sklearn_is_fitted__() and "moments_" not in self.__dict__

    def _check_not_given(self) -> None:
        if self._is_given:
            raise no_counts(self)

    def _keep_normals(self, labels: Labels, normals: "Normals") -> Self:
        self._normals, self.classes_, self.n_features_in_ = normals, labels, normals.means.shape[1]
        return self

    def _keep(self, moments: LabelMoments, normals: "Normals | None" = None) -> Self:
        log_prior(self.prior, moments.labels, moments.n.round())  # a bad prior is an error before anything changes
        self.moments_, self._normals = moments, normals
        self.classes_, self.n_features_in_ = moments.labels, moments.sums.units.shape[1]
        return self


@dataclass(frozen=True)
class Normals:
    """The normal distribution of each label: covariance = diag(scales) · factor · factorᵀ · diag(scales)."""

    means: Floats  # labels × columns
    rests: Floats  # exact means minus `means`: the rounding errors
    covariances: Floats
    scales: Floats  # labels × columns: standard deviations
    factors: Floats | None  # labels × columns × columns: lower triangles; None if the columns are independent

    @classmethod
    def of(cls, moments: LabelMoments, shared: bool, ddof: int, shrinkage: float | None) -> Self:
        """The distributions of these moments. Raises InvalidMatrix if a covariance is singular."""
        means, rests = compute_means(moments)
        _check_sizes(moments, shared, ddof)
        covariances = (pool_covariances if shared else compute_covariances)(moments, ddof)
        with np.errstate(over="ignore"):
            covariances = covariances if shrinkage is None else shrink(covariances, shrinkage, moments.is_full)
        return cls.make(means, rests, covariances, moments.labels, shared=shared)

    @classmethod
    def make(cls, means: Floats, rests: Floats, covariances: Floats, labels: Labels, *, shared: bool) -> Self:
        """The distributions with these means and covariances: one covariance for each label, or a single shared one."""
        names = ["all labels together"] if shared else [f"the label {label!r}" for label in labels.tolist()]
        parts = [decompose(C, name) for C, name in zip(covariances, names, strict=True)]
        shape = means.shape
        scales = np.broadcast_to(np.stack([scale for scale, _ in parts]), shape)
        is_full = covariances.ndim == 3
        factors = np.broadcast_to(np.stack([f for _, f in parts]), (*shape, shape[1])) if is_full else None
        return cls(means, rests, covariances[0] if shared else covariances, scales, factors)

    def pick(self, indices: Integers) -> "Normals":
        """The distributions of the labels at these indices."""
        is_shared = self.covariances.ndim == 2 and self.factors is not None
        covariances = self.covariances if is_shared else self.covariances[indices]
        factors = None if self.factors is None else self.factors[indices]
        return Normals(self.means[indices], self.rests[indices], covariances, self.scales[indices], factors)

    @property
    def variances(self) -> Floats:
        """Labels × columns."""
        is_matrix = self.factors is not None
        found = np.diagonal(self.covariances, axis1=-2, axis2=-1) if is_matrix else self.covariances
        return np.broadcast_to(found, self.means.shape)

    def log_density(self, X: Floats) -> Floats:
        scores = np.empty((len(X), len(self.means)))
        for label, scale in enumerate(self.scales):
            with np.errstate(over="ignore", invalid="ignore"):
                # Subtract both parts of the mean: for means far from 0 the rounding error alone would change the density.
                z = (X - self.means[label] - self.rests[label]) / scale
                log_volume = np.log(scale).sum() + 0.5 * len(scale) * math.log(2 * math.pi)
                if self.factors is not None:
                    z = _solve(self.factors[label], z)
                    log_volume += np.log(np.diag(self.factors[label])).sum()
                scores[:, label] = -0.5 * (z * z).sum(axis=1) - log_volume
        return np.where(np.isnan(scores), -np.inf, scores)  # nan: the label has no documents, or ∞ - ∞ for a point far away

    def draw(self, z: Floats, codes: Integers) -> Floats:
        """Random points of the labels in `codes`, from standard normal numbers z."""
        if self.factors is not None:
            z = z.copy()
            for label in np.unique(codes):
                z[codes == label] = z[codes == label] @ self.factors[label].T
        return self.means[codes] + self.scales[codes] * z


def check_normals(means: Any, covariances: Any, labels: list[Any], kind: Covariance) -> tuple[Floats, Floats]:
    """The means, labels × columns, and the covariance of each label, or a single shared one.

    Raises InvalidMatrix if no normal distributions have them.
    """
    centers, spreads = read_numbers("means", means), read_numbers("covariances", covariances)
    centers = centers[:, None] if centers.ndim == 1 else centers
    if centers.ndim != 2 or len(centers) != len(labels) or not centers.shape[1]:
        raise InvalidMatrix(f"means must have a row for each of {len(labels)} labels, got shape {np.shape(means)}.")
    n, d = centers.shape
    shapes = {"diagonal": (n, d), "full": (n, d, d), "shared": (d, d)}
    shape = shapes[kind]
    if d == 1 and spreads.size == math.prod(shape):
        spreads = spreads.reshape(shape)
    if spreads.shape != shape:
        fitting = next((other for other, expected in shapes.items() if spreads.shape == expected), None)
        raise InvalidMatrix(
            f"covariances must have the shape {shape} for covariance={kind!r}, {n} labels and {d} columns, got {spreads.shape}"
            + ("." if fitting is None else f", the shape for covariance={fitting!r}: pass that, if you mean it.")
        )
    if not np.isfinite(centers).all() or not np.isfinite(spreads).all():
        raise InvalidMatrix("means and covariances must be finite numbers, got nan or infinity: no density follows from them.")
    each = spreads[None] if kind == "shared" else spreads
    names = ["all labels together"] if kind == "shared" else [f"the label {label!r}" for label in labels]
    for name, spread in zip(names, each, strict=True):
        _check_covariance(np.diag(spread) if spread.ndim == 1 else spread, name)
    return centers, each


def _check_covariance(covariance: Floats, name: str) -> None:
    variances = np.diag(covariance)
    if (variances <= 0).any():
        raise InvalidMatrix(f"each variance must be > 0, got {variances.min():g} for {name}: it is the square of a width.")
    scales = np.sqrt(variances)
    correlations = covariance / scales[:, None] / scales
    if not np.allclose(correlations, correlations.T, rtol=0, atol=1e-9):
        raise InvalidMatrix(
            f"the covariance of {name} is not symmetric: cov(i, j) and cov(j, i) are the same number, so it must equal its "
            "transpose."
        )
    eigenvalues = np.linalg.eigvalsh(correlations)
    if eigenvalues[0] <= eigenvalues[-1] * len(scales) * np.finfo(np.float64).eps:
        raise InvalidMatrix(
            f"the covariance of {name} is not positive definite: some direction would have a variance of 0 or below, and the "
            "normal distribution no density. A correlation may be too large."
        )


def compute_means(moments: LabelMoments) -> tuple[Floats, Floats]:
    """The mean of each column under each label as two floats: the nearest float, and the rounding error."""
    n, sums = moments.n.units[:, None], moments.sums.units
    means = divide(sums, n)
    nearest = ExactSums.zeros(means.shape).add(np.nan_to_num(means)[None]).units
    return means, divide(sums * SCALE - nearest * n, n * SCALE)


def compute_covariances(moments: LabelMoments, ddof: int) -> Floats:
    """The covariance of each label, rounded once."""
    n = moments.n.units.reshape((-1,) + (1,) * (moments.products.units.ndim - 1))
    return divide(moments.scatter(), n * (n - ddof * SCALE))


def pool_covariances(moments: LabelMoments, ddof: int) -> Floats:
    """The covariance that all labels share, rounded once: Σ (Σxxᵀ - Σx Σxᵀ / n) / (Σ n - ddof · labels)."""
    seen = np.flatnonzero(moments.n.units)
    n, scatter = moments.n.units[seen], moments.scatter()[seen]
    common = math.lcm(*n)
    total = (scatter * (common // n)[:, None, None]).sum(axis=0)
    return divide(total, np.asarray(common * (sum(n) - len(seen) * ddof * SCALE), object))[None]


def shrink(covariances: Floats, share: float, full: bool) -> Floats:
    """(1 - s) C + s mean(diag C) I."""
    variances = np.diagonal(covariances, axis1=1, axis2=2) if full else covariances
    mean = variances.mean(axis=1, keepdims=True)
    target = mean[:, :, None] * np.eye(variances.shape[1]) if full else mean
    return np.asarray((1 - share) * covariances + share * target, np.float64)


def decompose(covariance: Floats, name: str) -> tuple[Floats, Floats]:
    """Standard deviations and the Cholesky factor of the correlations; the factor of a row of variances is empty."""
    variances = covariance if covariance.ndim == 1 else np.diag(covariance)
    if np.isnan(variances).all():  # no documents
        return variances, covariance
    if not np.isfinite(covariance).all():
        raise InvalidMatrix(f"the covariance of {name} is too large for a float64: divide the columns by a large number.")
    flat = np.flatnonzero(variances <= 0)
    if len(flat) == len(variances):
        raise InvalidMatrix(
            f"the covariance of {name} is 0: no column varies, as with one document (n_samples=1), so the width of the normal "
            "distribution is unknown, even with shrinkage. Learn more documents."
        )
    if len(flat):
        raise _singular(name, f"column {flat[0]} (counted from 0) has variance 0")
    scales = np.sqrt(variances)
    if covariance.ndim == 1:
        return scales, np.empty(0)
    correlations = covariance / scales[:, None] / scales
    if np.linalg.matrix_rank(correlations, hermitian=True) < len(scales):
        raise _singular(name, "a column follows from the others, or there are too few documents")
    return scales, np.asarray(np.linalg.cholesky(correlations), np.float64)


def _solve(factor: Floats, z: Floats) -> Floats:
    """factor⁻¹ z for each row. It does not use BLAS, whose rounding of a row depends on the number of rows."""
    solved = np.empty_like(z)
    for j in range(z.shape[1]):
        solved[:, j] = (z[:, j] - (solved[:, :j] * factor[j, :j]).sum(axis=1)) / factor[j, j]
    return solved


def _singular(name: str, why: str) -> InvalidMatrix:
    return InvalidMatrix(
        f"the covariance of {name} is singular: {why}, so the normal distribution has no density. "
        "Drop such columns, learn more documents or set shrinkage, for example 0.01."
    )


def _check_sizes(moments: LabelMoments, shared: bool, ddof: int) -> None:
    n = moments.n.units
    seen = np.flatnonzero(n)
    if shared:
        few = ["all labels together"] if len(seen) and sum(n) <= len(seen) * ddof * SCALE else []
    else:
        few = [f"the label {moments.labels.tolist()[position]!r}" for position in seen if n[position] <= ddof * SCALE]
    if few:
        raise InvalidMatrix(
            f"too few documents for the covariance of {few[0]} with ddof={ddof}: use ddof=0, or learn more documents."
        )
