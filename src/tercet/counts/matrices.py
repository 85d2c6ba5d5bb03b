"""Matrices of documents × terms: their format for training linear models, and checks of the matrices that users pass."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tercet.arrays import Array, Floats, Integers
from tercet.arrow_columns import to_array
from tercet.errors import InvalidMatrix, InvalidMatrixType

BLOCK = 1 << 12  # documents at a time: limits the memory


class Matrix(NamedTuple):
    """Documents × columns as a CSR matrix: document i has the entries ends[i] … ends[i + 1]; None as values means all 1."""

    ends: Integers
    columns: npt.NDArray[np.int32]
    values: Floats | None
    n_columns: int

    @classmethod
    def of(cls, X: Any) -> "Matrix":
        """The same matrix from scipy's CSR format."""
        values = None if (X.data == 1).all() else X.data
        return cls(X.indptr.astype(np.int64), X.indices.astype(np.int32, copy=False), values, X.shape[1])

    def count_documents(self, codes: Integers, n_labels: int, weights: Floats | None = None) -> Floats:
        """How many documents of each label have each column, labels × columns.

        >>> Matrix(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), None, 3).count_documents(np.array([0, 1]), 2)
        array([[1., 1., 0.],
               [0., 1., 0.]])
        """
        counts = np.zeros(n_labels * self.n_columns)
        for begin in range(0, len(codes), BLOCK):
            ends = self.ends[begin : begin + BLOCK + 1]
            block, sizes = slice(begin, begin + BLOCK), np.diff(ends)
            cells = np.repeat(codes[block] * self.n_columns, sizes)
            cells += self.columns[ends[0] : ends[-1]]
            np.add.at(counts, cells, 1.0 if weights is None else np.repeat(weights[block], sizes))
        return counts.reshape(n_labels, self.n_columns)


@cache
def sparse() -> Any:
    """scipy.sparse, imported on first use: it takes longer to load than everything else."""
    import scipy.sparse

    return scipy.sparse


def check_dense(X: Any, name: str = "X") -> Floats:
    """A dense matrix of finite float64, documents × columns."""
    if _is_sparse(X):
        raise InvalidMatrix(f"{name} is sparse, and dense data is required here. Use {name}.toarray() if it fits in memory.")
    array = _as_array(X, name)
    if array.dtype.kind == "c":
        raise InvalidMatrix(f"Complex data not supported: {name} is {array.dtype}.")
    if array.dtype.kind not in "fiub":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            kind = InvalidMatrixType if isinstance(error, TypeError) else InvalidMatrix
            raise kind(f"{name} must hold numbers, got {array.dtype}: {error}") from None
    _check_shape(array.shape, name)
    matrix = np.ascontiguousarray(array, np.float64)
    _check_values(matrix, name)
    return matrix


def _as_array(X: Any, name: str) -> Array:
    try:
        return np.asarray(X)
    except ValueError as error:  # rows of different lengths
        raise InvalidMatrix(f"{name} must hold numbers, in rows of equal length: {error}") from None


def check_numbers(X: Any, name: str = "X") -> Any:
    """A CSR matrix of finite float64, columns in order. The argument is not changed, and may share its arrays."""
    if _is_sparse(X):
        if X.dtype.kind == "c":
            raise InvalidMatrix(f"Complex data not supported: {name} is {X.dtype}.")
        _check_shape(X.shape, name)
        matrix = sparse().csr_matrix(X, dtype=np.float64)
        _check_values(matrix.data, name)
    else:
        matrix = sparse().csr_matrix(check_dense(X, name))
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def check_counts(X: Any, name: str = "X") -> Any:
    """A CSR matrix of finite float64 >= 0 without stored zeros, columns in order. The argument is not changed."""
    matrix = check_numbers(X, name)
    if not matrix.data.all():
        matrix = matrix.copy()
        matrix.eliminate_zeros()
    if matrix.nnz and matrix.data.min() < 0:
        raise InvalidMatrix(f"Negative values in data: {name} holds {matrix.data.min()}, and a count is at least 0.")
    return matrix


def check_columns(X: Any, n_columns: int, owner: object) -> None:
    if X.shape[1] != n_columns:
        raise InvalidMatrix(
            f"X has {X.shape[1]} features, but {type(owner).__name__} is expecting {n_columns} features as input: "
            "use the columns that it was fitted with."
        )


def check_weights(weights: Any, n: int) -> Floats:
    """One weight >= 0 for each document; ones for None."""
    if weights is None:
        return np.ones(n)
    values = read_weights(weights, n)
    if n and not values.any():
        raise InvalidMatrix("sample_weight is zero for every document: nothing would be learned.")
    return values


def read_weights(weights: Any, n: int) -> Floats:
    """One weight >= 0 for each document. All may be 0 if there are other documents."""
    try:
        values = to_array(weights, "the weights", InvalidMatrix, np.float64)
    except InvalidMatrix:
        raise
    except (TypeError, ValueError) as error:
        raise InvalidMatrix(
            f"sample_weight must hold numbers, got {weights!r:.60}: a weight is how often a document counts."
        ) from error
    if values.ndim == 0:
        values = np.full(n, float(values))
    if values.shape != (n,):
        raise InvalidMatrix(f"sample_weight must have one number for each of {n} documents, got shape {values.shape}.")
    if not np.isfinite(values).all() or (values < 0).any():
        raise InvalidMatrix("sample_weight must hold finite numbers >= 0: a weight is how often a document counts.")
    return values


def _is_sparse(X: Any) -> bool:
    return hasattr(X, "toarray") and hasattr(X, "nnz")


def _check_shape(shape: tuple[int, ...], name: str) -> None:
    if len(shape) != 2:
        raise InvalidMatrix(
            f"Expected 2D array, got {len(shape)}D array instead: {name} must be documents × columns. Reshape your data "
            "either using array.reshape(-1, 1) if it has a single column or array.reshape(1, -1) if it is one document."
        )
    if shape[0] == 0:
        raise InvalidMatrix(f"Found array with 0 sample(s) (shape={shape}) while a minimum of 1 is required: {name} is empty.")
    if shape[1] == 0:
        raise InvalidMatrix(f"Found array with 0 feature(s) (shape={shape}) while a minimum of 1 is required: {name} is empty.")


def _check_values(values: Floats, name: str) -> None:
    if not np.isfinite(values).all():
        raise InvalidMatrix(f"{name} contains NaN or infinity: such values can't be counted. Fill or drop them first.")
