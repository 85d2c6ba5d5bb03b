"""The perceptron: its path replayed, Novikoff's bound, separable and other data, bad input."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet import MarginSVM, Perceptron
from tercet.errors import InvalidLabel, InvalidOption, NotFitted

seeds = st.integers(0, 2**32 - 1)


def draw_separable(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X, normal = rng.normal(size=(rng.integers(4, 30), 3)), rng.normal(size=3)
    y = np.where(X @ normal > np.median(X @ normal), 1, -1)
    return X + np.outer(y, normal) / np.linalg.norm(normal) * rng.choice([0.1, 1.0]), y


@given(seeds, st.none() | st.integers(0, 5), st.sampled_from([0.1, 1.0, 3.0]))
def test_separable_data_are_separated_and_the_path_replays(draw: int, seed: int | None, rate: float) -> None:
    X, y = draw_separable(draw)
    model = Perceptron(rate=rate, seed=seed).fit(X, y)
    assert model.is_separating_
    assert (model.predict(X) == y).all()
    weights, bias = np.zeros(3), 0.0
    for mistake in model.path_:
        i = mistake.document
        assert y[i] * (X[i] @ weights + bias) <= 0
        weights, bias = weights + rate * y[i] * X[i], bias + rate * y[i]
        assert mistake.weights.tolist() == weights.tolist()
        assert mistake.bias == bias
    assert (model.weights_.tolist(), model.bias_) == (weights.tolist(), bias)


@given(seeds, st.none() | st.integers(0, 5))
def test_novikoffs_bound(draw: int, seed: int | None) -> None:
    X, y = draw_separable(draw)
    best = MarginSVM(C=None).fit(X, y)
    border = np.append(best.weights_, best.bias_)
    documents = np.column_stack([X, np.ones(len(X))])
    margin = (y * (documents @ border)).min() / np.linalg.norm(border)
    radius = np.linalg.norm(documents, axis=1).max()
    assert 1 <= len(Perceptron(100_000, seed=seed).fit(X, y).path_) <= (radius / margin) ** 2


@given(hnp.arrays(np.float64, (5, 2), elements=st.integers(-3, 3)), st.integers(1, 4))
def test_an_epoch_without_a_mistake_is_the_last(X: Any, max_epochs: int) -> None:
    y = [0, 1, 0, 1, 1]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = Perceptron(max_epochs).fit(X, y)
    assert model.n_epochs_ <= max_epochs
    assert model.is_separating_ or model.n_epochs_ == max_epochs
    assert not model.is_separating_ or (model.predict(X) == y).all()
    assert bool(caught) == (not model.is_separating_)


def test_data_that_no_border_parts_end_with_a_warning() -> None:
    with pytest.warns(RuntimeWarning, match=r"epoch 7, its last.*may not be separable.*MarginSVM\(C=1\.0\)"):
        model = Perceptron(max_epochs=7).fit([[0, 0], [1, 1], [0, 1], [1, 0]], ["same", "same", "other", "other"])
    assert model.n_epochs_ == 7
    assert len(model.path_) >= 7


def test_the_order_follows_from_the_seed() -> None:
    X, y = draw_separable(1)
    order = [[mistake.document for mistake in Perceptron(seed=seed).fit(X, y).path_] for seed in (0, 0, 1, None)]
    assert order[0] == order[1]
    assert order[0] != order[2]
    assert order[3][0] == 0


@pytest.mark.parametrize("options", [{"max_epochs": 0}, {"rate": 0}, {"rate": np.inf}, {"seed": -1}, {"seed": 0.5}])
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=f"{next(iter(options))} must be"):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_labels_that_make_no_sense() -> None:
    with pytest.raises(InvalidLabel, match="3 labels"):
        Perceptron().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    with pytest.raises(NotFitted):
        Perceptron().predict([[0.0]])


with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Estimator Perceptron does not inherit")  # it follows the contract anyway
    theirs = parametrize_with_checks([Perceptron(max_epochs=20, seed=0)])
    checks = pytest.mark.parametrize(theirs.args[0], list(theirs.args[1]), **theirs.kwargs)


@checks
@pytest.mark.filterwarnings("ignore:Estimator Perceptron does not inherit")
@pytest.mark.filterwarnings("ignore:the perceptron still made mistakes")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_a_document_on_the_border_gets_the_first_label() -> None:
    model = Perceptron().fit([[-1.0], [1.0]], ["first", "second"])
    assert model.decision_function([[0.0]]).tolist() == [0.0]
    assert model.predict([[0.0]]).tolist() == ["first"]
