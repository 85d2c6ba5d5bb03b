"""Rosenblatt's perceptron, with all of its updates."""

import warnings
from typing import Any, NamedTuple, Self

import numpy as np

from tercet.arrays import Floats
from tercet.counts.matrices import check_dense
from tercet.errors import bad_option
from tercet.models.classifier import TwoLabelModel, encode_signs
from tercet.options import check_count, is_int, is_number


class Update(NamedTuple):
    """One mistake: the document that was on the wrong side or on the border, and the weights and bias after its update."""

    document: int
    weights: Floats
    bias: float


class Perceptron(TwoLabelModel):
    """A scikit-learn classifier for two labels on dense matrices, which learns only from its mistakes.

    - `max_epochs`: the maximum number of passes over all documents; training stops after an epoch without a mistake.
    - `rate`: each mistake adds rate · y · x to the weights and rate · y to the bias, which start at 0.
    - `seed`: None keeps the order of the documents; an int is the random seed of a new order in each epoch.

    `weights_`, `bias_`; `path_` has an `Update` for each mistake, so the last update is the model; `n_epochs_`;
    `is_separating_`: whether the last epoch had no mistake. If some border separates the labels, this is the case after at
    most (R / margin)² mistakes, where R is the length of the longest document with a column of ones for the bias.

    >>> model = Perceptron().fit([[0.0], [1.0], [3.0]], ["low", "low", "high"])
    >>> model.predict([[1.5], [2.9]]), [(update.document, update.bias) for update in model.path_]
    (array(['low', 'high'], dtype='<U4'), [(0, 1.0), (2, 0.0), (0, 1.0), (1, 2.0), (1, 3.0), (2, 2.0), (1, 3.0), (1, 4.0)])
    """

    def __init__(self, max_epochs: int = 1000, *, rate: float = 1.0, seed: int | None = None) -> None:
        self.max_epochs = max_epochs
        self.rate = rate
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Learn these documents only. Warns if the last epoch still had mistakes."""
        self._check_options()
        X = check_dense(X)
        labels, signs = encode_signs(y, len(X))
        path, n_epochs, is_separating = compute_updates(X, signs, self.max_epochs, float(self.rate), self.seed)
        if not is_separating:
            warnings.warn(
                f"the perceptron still made mistakes in epoch {n_epochs}, its last: the data may not be separable. "
                "Allow more epochs (max_epochs), or use a soft margin, MarginSVM(C=1.0).",
                RuntimeWarning,
                stacklevel=2,
            )
        self.classes_, self.n_features_in_ = labels, X.shape[1]
        self.path_, self.n_epochs_, self.is_separating_ = path, n_epochs, is_separating
        self.weights_, self.bias_ = path[-1].weights, path[-1].bias
        return self

    def _check_options(self) -> None:
        check_count("max_epochs", self.max_epochs)
        if not is_number(self.rate) or not 0 < self.rate < np.inf:
            raise bad_option("rate", "a number > 0", self.rate, "it is how far a mistake moves the border. Try 1.0.")
        if self.seed is not None and not (is_int(self.seed) and self.seed >= 0):
            raise bad_option("seed", "None or an int >= 0", self.seed, "the same seed gives the same order.")

    def _decide(self, X: Floats) -> Floats:
        return np.asarray(X @ self.weights_ + self.bias_, np.float64)


def compute_updates(X: Floats, signs: Floats, max_epochs: int, rate: float, seed: int | None) -> tuple[list[Update], int, bool]:
    """An update for each mistake, the number of epochs, and whether the last epoch had no mistake."""
    rng = None if seed is None else np.random.default_rng(seed)
    path: list[Update] = []
    weights, bias = np.zeros(X.shape[1]), 0.0
    for epoch in range(1, max_epochs + 1):
        n_before = len(path)
        for i in range(len(X)) if rng is None else rng.permutation(len(X)).tolist():
            if signs[i] * (X[i] @ weights + bias) <= 0:
                weights, bias = weights + rate * signs[i] * X[i], bias + rate * signs[i]
                path.append(Update(i, weights, float(bias)))
        if len(path) == n_before:
            return path, epoch, True
    return path, max_epochs, False
