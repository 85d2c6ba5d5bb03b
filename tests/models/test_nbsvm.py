"""NBSVM: Wang and Manning's formula, step by step."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.svm import LinearSVC

from tercet import NBSVM


def make_data(n_labels: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_labels, 90)
    X = rng.poisson(0.4, (90, 12)) + (np.eye(12, dtype=int)[codes] * rng.integers(0, 3, 90)[:, None])
    X[:, 11] = 0  # a column that nobody has
    return X, np.array(["ham", "spam", "eggs"])[codes]


def follow_the_paper(X: Any, positive: Any, beta: float, alpha: float, loss: str) -> tuple[Any, float]:
    f = (X > 0).astype(float)
    p, q = alpha + f[positive].sum(axis=0), alpha + f[~positive].sum(axis=0)
    seen = f.any(axis=0)
    p, q = p * seen, q * seen
    r = np.zeros(f.shape[1])
    r[seen] = np.log((p / p.sum())[seen] / (q / q.sum())[seen])
    options = {"C": 0.7, "tol": 1e-9, "max_iter": 10**6, "random_state": 0}
    model = LinearSVC(**options) if loss == "squared_hinge" else TheirRegression(solver="liblinear", **options)
    model.fit(f * r, positive)
    w = model.coef_[0]
    return r * ((1 - beta) * np.abs(w).sum() / seen.sum() + beta * w), beta * float(model.intercept_[0])


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize(("n_labels", "beta"), [(2, 0.25), (3, 0.6), (2, 1.0), (3, 0.0)])
def test_it_is_the_formula_of_the_paper(loss: Any, n_labels: int, beta: float) -> None:
    X, y = make_data(n_labels)
    model = NBSVM(C=0.7, beta=beta, smoothing=0.8, loss=loss, tol=1e-10, max_epochs=10**5).fit(csr_matrix(X), y)
    sides = model.classes_[1:] if n_labels == 2 else model.classes_
    for row, intercept, label in zip(model.coef_, model.intercept_, sides, strict=True):
        weights, bias = follow_the_paper(X, y == label, beta, 0.8, loss)
        assert row == pytest.approx(weights, abs=1e-3)
        assert intercept == pytest.approx(bias, abs=1e-3)
    assert model.decision_function(X) == pytest.approx(model.decision_function(np.minimum(X, 1)))


def test_weights_of_documents_count_them_so_often() -> None:
    X, y = make_data(2)
    weights = np.arange(len(y)) % 3 + 1.0
    options: dict[str, Any] = {"tol": 1e-10, "max_epochs": 10**5}
    weighted = NBSVM(**options).fit(X, y, weights)
    repeated = NBSVM(**options).fit(np.repeat(X, weights.astype(int), axis=0), np.repeat(y, weights.astype(int)))
    assert weighted.coef_ == pytest.approx(repeated.coef_, abs=1e-4)
