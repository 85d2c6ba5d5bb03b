"""Term weighting: from counts to the weight of each term in each document, by tf, idf and norm; and log-count ratios."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.counts.matrices import check_columns, check_counts, sparse
from tercet.errors import InvalidMatrix, InvalidOption, bad_option, not_fitted
from tercet.estimator import Estimator
from tercet.kernel import engine
from tercet.options import check_choice, n_threads
from tercet.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Tf = Literal["raw", "log", "binary"]
Idf = Literal["plain", "smooth", "probabilistic"]
Norm = Literal["l1", "l2"]
Blocks = npt.NDArray[np.uint8]
MAX_BLOCKS = 255


@register("weighting", "tf_idf")
class TermWeighting(Estimator):
    """A scikit-learn transformer: a matrix of counts in, a CSR matrix of weights out, documents × terms.

    - `tf`: `"raw"`, the counts; `"log"`, 1 + log(count); `"binary"`, 1 for a term that occurs.
    - `idf`: a smaller weight for terms that many documents have: `"smooth"`, log((N + 1) / (df + 1)) + 1; `"plain"`,
      log(N / df) + 1; or `"probabilistic"`, max(0, log((N - df) / df)). None for no such weight.
    - `norm`: each document is divided by its length, `"l2"` or `"l1"`. None leaves it as it is.
    - `blocks`: each block of terms is divided by its own length, so that many character n-grams do not outweigh few words.
      Here it is a list with the number of each column's block. In a categorizer it is `"kinds"`, for character n-grams and
      all other terms, or `"fields"`, for the text columns of a document. None: all terms are one block.

    The numbers are equal to those of scikit-learn's TfidfTransformer. `fit` learns `document_frequencies_` and `n_documents_`.

    >>> weighting = TermWeighting(tf="log", norm=None).fit([[1, 0], [2, 1], [4, 0]])
    >>> weighting.document_frequencies_, weighting.n_documents_
    (array([3, 1]), 3)
    >>> weighting.transform([[4, 1]]).toarray().round(4)
    array([[2.3863, 1.6931]])
    >>> TermWeighting(idf=None, blocks=[0, 0, 1]).fit_transform([[3, 4, 2]]).toarray().tolist()
    [[0.6, 0.8, 1.0]]
    """

    document_frequencies_: Integers
    n_documents_: int
    n_features_in_: int
    idf_: Floats | None

    def __init__(self, tf: Tf = "raw", idf: Idf | None = "smooth", norm: Norm | None = "l2", *, blocks: Any = None) -> None:
        self.tf = tf
        self.idf = idf
        self.norm = norm
        self.blocks = blocks

    def fit(self, X: Any, y: object = None) -> Self:
        """Count the documents that have each term. `y` is ignored."""
        self._check_options()
        return self._learn(check_counts(X))

    def fit_transform(self, X: Any, y: object = None) -> "csr_matrix":
        """`fit` and `transform`, with one check of the matrix."""
        self._check_options()
        matrix = check_counts(X)
        return self._learn(matrix)._weigh(matrix)

    def transform(self, X: Any) -> "csr_matrix":
        """The weights. A document without terms has no weights."""
        self._check_fitted()
        self._check_options()
        matrix = check_counts(X)
        check_columns(matrix, self.n_features_in_, self)
        return self._weigh(matrix)

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """The names of the input columns: `input_features`, or x0, x1 and so on."""
        self._check_fitted()
        n = self.n_features_in_
        names = [f"x{column}" for column in range(n)] if input_features is None else list(input_features)
        if len(names) != n:
            raise InvalidMatrix(f"input_features should have length equal to number of features ({n}), got {len(names)}.")
        return np.array(names, dtype=object)

    def to_dict(self) -> dict[str, Any]:
        """The options by name, for JSON, without the learned frequencies. `from_dict` reads them back."""
        blocks = self.blocks
        return self.get_params() | {
            "blocks": blocks if blocks is None or isinstance(blocks, str) else np.asarray(blocks).tolist()
        }

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> Self:
        """
        >>> TermWeighting.from_dict({"tf": "log", "idf": None, "norm": "l1", "blocks": "kinds"})
        TermWeighting(tf='log', idf=None, norm='l1', blocks='kinds')
        """
        if unknown := set(written) - set(cls._parameters()):
            raise InvalidOption(f"a {cls.__name__} has no option {min(unknown)!r}: it has {', '.join(cls._parameters())}.")
        weighting = cls(**written)
        weighting._check_options()
        return weighting

    def copy_checked(self) -> Self:
        """A weighting with the same options, not fitted. Raises InvalidOption if an option is wrong."""
        copy = type(self)(**self.get_params(deep=False))
        copy._check_options()
        return copy

    def _check_options(self) -> None:
        check_choice("tf", self.tf, get_args(Tf))
        if self.idf is not None:
            check_choice("idf", self.idf, get_args(Idf), or_none=True)
        if self.norm is not None:
            check_choice("norm", self.norm, get_args(Norm), or_none=True)
        if isinstance(self.blocks, str):
            check_choice("blocks", self.blocks, ("kinds", "fields"))
        elif self.blocks is not None:
            check_blocks(self.blocks)

    def _column_blocks(self) -> Blocks | None:
        """The block of each column of a matrix."""
        if isinstance(self.blocks, str):
            why = "a matrix does not say which columns are character n-grams. Give a list, or use it in a Categorizer."
            raise bad_option("blocks", "None or a list with a number for each column", self.blocks, why)
        if self.blocks is None:
            return None
        blocks = check_blocks(self.blocks)
        if len(blocks) != self.n_features_in_:
            raise InvalidMatrix(f"blocks has {len(blocks)} numbers and the matrix {self.n_features_in_} columns.")
        return blocks

    def _learn(self, matrix: "csr_matrix") -> Self:
        self.n_documents_, self.n_features_in_ = matrix.shape
        self.document_frequencies_ = np.bincount(matrix.indices, minlength=self.n_features_in_)
        idf = self.idf
        self.idf_ = None if idf is None else inverse_frequencies(self.document_frequencies_, self.n_documents_, idf)
        return self

    def _weigh(self, matrix: "csr_matrix") -> "csr_matrix":
        blocks = self._column_blocks()
        weights = weigh_counts(
            matrix.indptr, matrix.indices, matrix.data, self.tf, self.idf_, self.norm, blocks, n_threads(None)
        )
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


def check_blocks(blocks: Any) -> Blocks:
    """The block of each column. Raises InvalidOption if they are not numbers from 0 to 254.

    >>> check_blocks([0, 0, 1])
    array([0, 0, 1], dtype=uint8)
    """
    numbers = np.asarray(blocks)
    if numbers.ndim != 1 or (
        numbers.size and (numbers.dtype.kind not in "iu" or numbers.min() < 0 or numbers.max() >= MAX_BLOCKS)
    ):
        known = f"None, 'kinds', 'fields' or a list of numbers from 0 to {MAX_BLOCKS - 1}"
        raise bad_option("blocks", known, blocks, "each column is in one block.")
    return numbers.astype(np.uint8)


def inverse_frequencies(document_frequencies: Any, n_documents: float, idf: Idf | None) -> Floats:
    """The idf of each term that df of N documents have; all 1 for None.

    - `"plain"`: log(N / df) + 1
    - `"smooth"`: log((N + 1) / (df + 1)) + 1, as if one more document had every term
    - `"probabilistic"`: log((N - df) / df), or 0 for a term that at least half of the documents have

    A term that no document has gets 0, because nothing is known about it. With `"smooth"` it has a finite weight.

    >>> inverse_frequencies([1, 3], 4, "probabilistic").round(4)
    array([1.0986, 0.    ])
    """
    having = np.asarray(document_frequencies, np.float64)
    if idf is None:
        return np.ones_like(having)
    if idf == "smooth":
        return np.asarray(np.log((n_documents + 1) / (having + 1)) + 1, np.float64)
    known = having > 0
    ratio = np.divide(n_documents, having, out=np.ones_like(having), where=known)
    if idf == "plain":
        return np.asarray(known * (np.log(ratio) + 1), np.float64)
    return np.asarray(np.log(np.maximum(ratio - 1, 1.0)), np.float64)


def weigh_counts(
    ends: Any,
    columns: Any,
    counts: Any,
    tf: Tf,
    inverse: Floats | None,
    norm: Norm | None,
    blocks: Blocks | None = None,
    threads: int = 1,
) -> Floats:
    """tf · idf of each count of a CSR matrix, divided by the length of its document.

    The counts of document i are `counts[ends[i]:ends[i + 1]]`, and `columns` are their terms. `inverse` is the idf of each
    term; None for all 1. `blocks` is the block of each term; None for one block.

    >>> weigh_counts(np.array([0, 2]), np.array([0, 1]), np.array([3, 2]), "raw", np.array([1.0, 2.0]), "l2")
    array([0.6, 0.8])
    """
    arrays = ends.astype(np.int64, copy=False), columns.astype(np.int32, copy=False), counts.astype(np.float64, copy=False)
    return engine.weigh_counts(*arrays, inverse, tf, norm or "none", blocks, threads)
