"""Counts → vectors: the weight of each term in each document."""

from typing import TYPE_CHECKING, Any, Self, get_args

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats
from tercet.counts.matrices import check_columns, check_counts, sparse
from tercet.counts.weighting import Idf, Norm, Tf, inverse_frequencies, weigh_counts
from tercet.errors import InvalidMatrix, not_fitted
from tercet.estimator import Estimator
from tercet.kernel.threads import n_threads
from tercet.options import check_choice

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class TermWeighting(Estimator):
    """A scikit-learn transformer: a matrix of counts in, a CSR matrix of weights out, documents × terms.

    - `tf`: `"raw"`, the counts; `"log"`, 1 + log(count); `"binary"`, 1 for a term that occurs.
    - `idf`: terms that many documents have weigh less, by `"smooth"`, log((N + 1) / (df + 1)) + 1, by `"plain"`,
      log(N / df) + 1, or by `"probabilistic"`, max(0, log((N - df) / df)); None for no such weight.
    - `norm`: each document is divided by its length, `"l2"` or `"l1"`; None leaves it as it is.

    The numbers are those of scikit-learn's TfidfTransformer. `fit` learns `document_frequencies_` and `n_documents_`.

    >>> weighting = TermWeighting(tf="log", norm=None).fit([[1, 0], [2, 1], [4, 0]])
    >>> weighting.document_frequencies_, weighting.n_documents_
    (array([3, 1]), 3)
    >>> weighting.transform([[4, 1]]).toarray().round(4)
    array([[2.3863, 1.6931]])
    """

    document_frequencies_: npt.NDArray[np.int64]
    n_documents_: int
    n_features_in_: int
    idf_: Floats | None

    def __init__(self, tf: Tf = "raw", idf: Idf | None = "smooth", norm: Norm | None = "l2") -> None:
        self.tf = tf
        self.idf = idf
        self.norm = norm

    def fit(self, X: Any, y: object = None) -> Self:
        """Count the documents that have each term. `y` is ignored."""
        self._check_options()
        return self._learn(check_counts(X))

    def fit_transform(self, X: Any, y: object = None) -> "csr_matrix":
        """`fit` and `transform`, with one look at the matrix."""
        self._check_options()
        matrix = check_counts(X)
        return self._learn(matrix)._weigh(matrix)

    def transform(self, X: Any) -> "csr_matrix":
        """The weights; a document without terms has none."""
        self._check_fitted()
        self._check_options()
        matrix = check_counts(X)
        check_columns(matrix, self.n_features_in_, self)
        return self._weigh(matrix)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the columns that went in: `input_features`, or x0, x1 and so on."""
        self._check_fitted()
        n = self.n_features_in_
        names = [f"x{column}" for column in range(n)] if input_features is None else list(input_features)
        if len(names) != n:
            raise InvalidMatrix(f"input_features should have length equal to number of features ({n}), got {len(names)}.")
        return np.array(names, dtype=object)

    def _check_options(self) -> None:
        check_choice("tf", self.tf, get_args(Tf))
        if self.idf is not None:
            check_choice("idf", self.idf, get_args(Idf))
        if self.norm is not None:
            check_choice("norm", self.norm, get_args(Norm))

    def _learn(self, matrix: "csr_matrix") -> Self:
        self.n_documents_, self.n_features_in_ = matrix.shape
        self.document_frequencies_ = np.bincount(matrix.indices, minlength=self.n_features_in_)
        idf = self.idf
        self.idf_ = None if idf is None else inverse_frequencies(self.document_frequencies_, self.n_documents_, idf)
        return self

    def _weigh(self, matrix: "csr_matrix") -> "csr_matrix":
        weights = weigh_counts(matrix.indptr, matrix.indices, matrix.data, self.tf, self.idf_, self.norm, n_threads(None))
        weighted: csr_matrix = sparse().csr_matrix((weights, matrix.indices, matrix.indptr), shape=matrix.shape)
        return weighted

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise not_fitted(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "n_documents_" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(preserves_dtype=["float64"]),
            input_tags=InputTags(sparse=True, positive_only=True),
        )
