"""Label moments: n, Σx and Σxxᵀ of each label, which is all that normal distributions need. They are exact sums."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from tercet.arrays import Floats, Integers
from tercet.counts.exact_sums import BITS, MAX_ROWS, Digits, ExactSums, PythonIntegers, join_digits, split_digits
from tercet.counts.labels import Labels, find_labels, merge_labels, pick_labels
from tercet.errors import InvalidMatrix, InvalidOption, NeverLearned

MAX_CELLS = 1 << 17  # in a block, so that its digits fit in the cache
MAX_WEIGHT = 2.0**32


@dataclass(frozen=True, eq=False)
class LabelMoments:
    """n, Σx and Σxxᵀ over the documents of each label. They can be added and subtracted.

    >>> X, labels = np.array([[0.1], [0.2], [0.7]]), np.array(["a", "b"])
    >>> moments = LabelMoments.of(X, labels, np.array([0, 0, 1]), np.ones(3), full=False)
    >>> moments + moments - moments == moments, moments.sums.round()
    (True, array([[0.3], [0.7]]))
    """

    labels: Labels
    n: ExactSums  # documents, or their weights, of each label
    sums: ExactSums  # labels × columns
    products: ExactSums  # labels × columns × columns; or only the squares, labels × columns

    @classmethod
    def of(cls, X: Floats, labels: Labels, codes: Integers, weights: Floats, *, full: bool) -> Self:
        """Sum the rows; `codes` are the positions of their labels. Weights are rounded to multiples of 2⁻²⁰."""
        if weights.max() > MAX_WEIGHT:
            raise InvalidMatrix(
                f"sample_weight must be at most 2³², got {weights.max():g}: larger ones are not summed exactly."
            )
        weights = np.round(weights * 2.0**20) / 2.0**20
        columns = (X.shape[1],)
        n, sums = ExactSums.zeros((len(labels),)), ExactSums.zeros((len(labels), *columns))
        products = ExactSums.zeros((len(labels), *columns, *(columns if full else ())))
        rows_by_label = np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes, minlength=len(labels)))[:-1])
        size = max(1, min(MAX_ROWS, MAX_CELLS // X.shape[1]))
        for label, rows in enumerate(rows_by_label):
            n.units[label : label + 1] = ExactSums.zeros((1,)).add(weights[rows, None]).units
            for begin in range(0, len(rows), size):
                block = rows[begin : begin + size]
                block_sums, block_products = sum_products(X[block], weights[block], full)
                sums.units[label] += block_sums
                products.units[label] += block_products
        return cls(labels, n, sums, products)

    def __add__(self, other: "LabelMoments") -> "LabelMoments":
        self._check_alike(other)
        labels = merge_labels(self.labels, other.labels)
        a, b = self.spread(labels), other.spread(labels)
        return LabelMoments(labels, a.n + b.n, a.sums + b.sums, a.products + b.products)

    def __sub__(self, other: "LabelMoments") -> "LabelMoments":
        """The difference. Raises NeverLearned if no documents can have these moments. Labels without documents stay."""
        self._check_alike(other)
        unknown = set(other.labels.tolist()) - set(self.labels.tolist())
        if unknown:
            raise NeverLearned(
                f"no document of the label {min(unknown)!r} was learned: it can't be forgotten. Nothing is changed."
            )
        b = other.spread(self.labels)
        left = LabelMoments(self.labels, self.n - b.n, self.sums - b.sums, self.products - b.products)
        if not left.is_possible():
            raise NeverLearned(
                "these documents were never learned: the rest would have a size or a variance below zero. Nothing is changed."
            )
        return left

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelMoments) or not np.array_equal(self.labels, other.labels):
            return False
        return self.n == other.n and self.sums == other.sums and self.products == other.products

    __hash__ = None  # type: ignore[assignment]

    @property
    def is_full(self) -> bool:
        return self.products.units.ndim == 3

    def scatter(self) -> PythonIntegers:
        """n Σxxᵀ - Σx Σxᵀ of each label in units of 1 / SCALE²: n² times the covariance, without rounding."""
        n, sums, products = self.n.units, self.sums.units, self.products.units
        if self.is_full:
            return np.asarray(n[:, None, None] * products - sums[:, :, None] * sums[:, None, :], object)
        return np.asarray(n[:, None] * products - sums * sums, object)

    def is_possible(self) -> bool:
        """Whether documents of positive weight can have these moments. Only pairs of columns are checked."""
        empty = self.n.units == 0
        if (self.n.units < 0).any() or (self.products.units[empty] != 0).any():
            return False
        scatter = self.scatter()
        variances = np.diagonal(scatter, axis1=1, axis2=2) if self.is_full else scatter
        if (variances < 0).any():
            return False
        return not self.is_full or not (scatter * scatter > variances[:, :, None] * variances[:, None, :]).any()

    def spread(self, labels: Labels) -> "LabelMoments":
        """The same moments for a larger set of labels, with zeros for the new labels."""
        if np.array_equal(labels, self.labels):
            return self
        indices = find_labels(self.labels, labels)

        def put(sums: ExactSums) -> ExactSums:
            wide = ExactSums.zeros((len(labels), *sums.units.shape[1:]))
            wide.units[indices] = sums.units
            return wide

        return LabelMoments(labels, put(self.n), put(self.sums), put(self.products))

    def restrict(self, labels: Any) -> "LabelMoments":
        """The moments of these labels only."""
        return self.pick(pick_labels(labels, self.labels))

    def pick(self, labels: Labels) -> "LabelMoments":
        """The moments of these labels, which must be known. The list of labels may be empty."""
        indices = find_labels(labels, self.labels) if len(labels) else np.zeros(0, np.int64)
        kept = (ExactSums(sums.units[indices]) for sums in (self.n, self.sums, self.products))
        return LabelMoments(self.labels[indices], *kept)

    def _check_alike(self, other: "LabelMoments") -> None:
        if self.is_full != other.is_full:
            raise InvalidOption("only one of the two has the products of pairs of columns: use the same covariance for both.")


def sum_products(X: Floats, weights: Floats, full: bool) -> tuple[PythonIntegers, PythonIntegers]:
    """Σ w x and Σ w x xᵀ, or the diagonal of it, over the rows of one block, in units of 1 / SCALE."""
    digits = split_digits(X)
    weighted = digits if (weights == 1).all() else _weigh(digits, split_digits(weights[:, None]))
    products: dict[int, Any] = defaultdict(int)
    for a, left in weighted.items():
        for b, right in digits.items():
            product = left.T @ right if full else np.einsum("ij,ij->j", left, right)
            products[a + b] = products[a + b] + product.astype(np.int64)
    n = X.shape[1]
    sums = {k: plane.sum(axis=0) for k, plane in weighted.items()}
    return join_digits(sums, (n,)), join_digits(products, (n, n) if full else (n,))


def _weigh(digits: Digits, weights: Digits) -> Digits:
    """Products of digits, with the carry added to the next digit. A weight has at most 4 digits, so sums stay below 2¹⁹."""
    weighted: Digits = defaultdict(lambda: np.zeros(()))
    for a, left in weights.items():
        for b, right in digits.items():
            product = left * right
            carry = np.trunc(product / 2.0**BITS)
            weighted[a + b + 1] = weighted[a + b + 1] + carry
            weighted[a + b] = weighted[a + b] + (product - carry * 2.0**BITS)
    return weighted
