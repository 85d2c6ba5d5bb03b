"""Documents as rows of numbers, and linear models fitted to them. Only the reference makes the matrix dense."""

import math

import numpy as np
import numpy.typing as npt

from tercet.arrays import Floats, Integers
from tercet.kernel.base.arguments import MAX_IDS, expect, expect_below, read_ranges
from tercet.kernel.linear.descent import Options, descend
from tercet.kernel.linear.dual_descent import BINARY_LOSSES, DualDescent
from tercet.kernel.linear.joint_descent import JOINT_LOSSES, JointDescent

# Coefficients, intercepts, numbers of passes over the documents, and gaps as a share of the objective.
Fitted = tuple[Floats, Floats, Integers, Floats]


class LinearProblem:
    def __init__(self, ends: Integers, columns: npt.NDArray[np.int32], values: Floats | None, n_columns: int) -> None:
        """The rows of a CSR matrix. Without values, all values are 1."""
        expect(0 <= n_columns < MAX_IDS, "so many columns have no numbers")
        ranges = read_ranges(ends, len(columns))
        expect_below(columns.astype(np.int64), n_columns, "no such column")
        expect(values is None or len(values) == len(columns), "each column needs a value")
        expect(values is None or bool(np.isfinite(values).all()), "values must be finite")
        self._matrix = np.zeros((len(ranges), n_columns))
        for i, (begin, end) in enumerate(ranges):
            expect(len(set(columns[begin:end].tolist())) == end - begin, "a document has a column twice")
            self._matrix[i, columns[begin:end]] = 1.0 if values is None else values[begin:end]

    def fit_binary(
        self,
        positive: npt.NDArray[np.uint8],
        costs: Floats,
        scale: Floats | None,
        loss: str,
        bias: float,
        tol: float,
        max_epochs: int,
        seed: int,
        threads: int = 1,
    ) -> Fitted:
        """Coefficients as problems × columns, for the values as given. Training multiplies the values by the scale."""
        (n, n_columns), n_problems = self._matrix.shape, len(positive)
        expect(positive.shape == costs.shape == (n_problems, n), "each document needs a side and a cost")
        expect(scale is None or scale.shape == (n_problems, n_columns), "each column needs a scale")
        expect_costs(costs)
        expect(scale is None or bool(np.isfinite(scale).all()), "scales must be finite")
        options = read_options(bias, tol, max_epochs, seed)
        expect(loss in BINARY_LOSSES, f"no such choice: {loss}")
        factors = np.ones((n_problems, n_columns)) if scale is None else scale
        weights, results = np.zeros((n_problems, n_columns + 1)), []
        for p in range(n_problems):
            sides = np.where(positive[p], 1.0, -1.0).tolist()
            X = append_constant(self._matrix * factors[p], bias)
            descent = DualDescent(X, sides, costs[p].tolist(), BINARY_LOSSES[loss], p, options)
            results.append(descend(descent, options))
            weights[p] = descent.weights
        return make_fitted(weights * append_constant(factors, bias), results)

    def fit_joint(
        self,
        codes: Integers,
        n_labels: int,
        costs: Floats,
        loss: str,
        bias: float,
        tol: float,
        max_epochs: int,
        seed: int,
    ) -> Fitted:
        """Coefficients as labels × columns, with one number of passes and one gap."""
        expect(len(codes) == len(costs) == len(self._matrix), "each document needs a label and a cost")
        expect(1 <= n_labels < MAX_IDS, "there must be labels")
        labels = expect_below(codes, n_labels, "no such label")
        expect_costs(costs)
        options = read_options(bias, tol, max_epochs, seed)
        expect(loss in JOINT_LOSSES, f"no such choice: {loss}")
        table = np.zeros((len(codes), n_labels))
        table[np.arange(len(codes)), codes] = costs
        descent = JointDescent(append_constant(self._matrix, bias), labels, table, JOINT_LOSSES[loss], options)
        results = [descend(descent, options)]
        return make_fitted(descent.weights * append_constant(np.ones((n_labels, self._matrix.shape[1])), bias), results)


def append_constant(X: Floats, value: float) -> Floats:
    return np.hstack([X, np.full((len(X), 1), value)])


def make_fitted(weights: Floats, results: list[tuple[int, float]]) -> Fitted:
    epochs, gaps = [epoch for epoch, _ in results], [gap for _, gap in results]
    return weights[:, :-1].copy(), weights[:, -1].copy(), np.array(epochs, np.int64), np.array(gaps, np.float64)


def expect_costs(costs: Floats) -> None:
    expect(bool((np.isfinite(costs) & (costs >= 0)).all()), "costs must be finite and >= 0")


def read_options(bias: float, tol: float, max_epochs: int, seed: int) -> Options:
    expect(math.isfinite(bias) and bias >= 0, "the bias must be finite and >= 0")
    expect(math.isfinite(tol) and tol > 0, "tol must be above 0")
    expect(max_epochs >= 1, "at least one epoch")
    return Options(bias, tol, max_epochs, seed)
