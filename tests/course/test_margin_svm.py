"""The maximum margin: scikit-learn's SVC as oracle, the conditions of Karush, Kuhn and Tucker, convex hulls, bad input."""

import sys
import warnings
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet import MarginSVM, nearest_hull_points
from tercet.errors import (
    InvalidLabel,
    InvalidMatrix,
    InvalidOption,
    MissingExtra,
    NotFitted,
    NotSeparable,
    NotSolved,
    NoWeights,
)

SEEDS = range(200)
KERNELS: list[dict[str, Any]] = [{}, {"kernel": "polynomial", "coef0": 1.0}, {"kernel": "rbf"}]


def draw_separable(seed: int, gaps: tuple[float, ...] = (0.02, 0.2, 1.0)) -> tuple[Any, Any]:
    """Two labels on the sides of a random plane, some way from it, wherever the origin may be."""
    rng = np.random.default_rng(seed)
    n, n_columns = rng.integers(6, 30), rng.integers(1, 6)
    X, normal = rng.normal(size=(n, n_columns)), rng.normal(size=n_columns)
    y = np.where(X @ normal > np.median(X @ normal), 1, -1)
    return X + np.outer(y, normal) / np.linalg.norm(normal) * rng.choice(gaps) + rng.normal(size=n_columns), y


def draw_mixed(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rng.integers(6, 30), rng.integers(1, 6)))
    y = np.where(X[:, 0] + rng.normal(size=len(X)) > 0, "spam", "ham")
    y[:2] = "spam", "ham"
    return X, y


def assert_close(a: Any, b: Any, tolerance: float) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1.0, np.abs(b).max()))


def test_the_hard_margin_is_that_of_svc_with_a_huge_cost() -> None:
    for seed in SEEDS:
        X, y = draw_separable(seed)
        model, theirs = MarginSVM(C=None).fit(X, y), SVC(kernel="linear", C=1e9, tol=1e-6).fit(X, y)
        assert_close(model.decision_function(X), theirs.decision_function(X), 1e-4)
        assert_close(model.weights_, theirs.coef_[0], 1e-4)
        assert_close(model.bias_, theirs.intercept_[0], 1e-4)


def test_the_soft_margin_is_that_of_svc() -> None:
    for seed in SEEDS:
        X, y = draw_mixed(seed)
        model, theirs = MarginSVM(1.0, kernel="rbf").fit(X, y), SVC(kernel="rbf", C=1.0, tol=1e-9).fit(X, y)
        grid = np.random.default_rng(seed).normal(size=X[:9].shape)
        assert_close(model.decision_function(grid), theirs.decision_function(grid), 1e-5)
        assert model.classes_.tolist() == theirs.classes_.tolist()


@pytest.mark.parametrize("C", [1e-4, 0.1, 100.0])
@pytest.mark.parametrize("options", [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 2, "gamma": 0.5, "coef0": 1.0}])
def test_other_kernels_and_costs_are_those_of_svc(options: dict[str, Any], C: float) -> None:
    names = options | {"kernel": options["kernel"].replace("nomial", "")}
    for seed in range(8):
        X, y = draw_mixed(seed)
        theirs = SVC(**names, C=C, tol=1e-7).fit(X, y)
        assert_close(MarginSVM(C, **options).fit(X, y).decision_function(X), theirs.decision_function(X), 1e-4)


def test_the_distance_of_the_hulls_is_twice_the_margin() -> None:
    for seed in range(60):
        X, y = draw_separable(seed, gaps=(1e-5, 1e-3, 0.1, 1.0))
        model, nearest = MarginSVM(C=None).fit(X, y), nearest_hull_points(X[y > 0], X[y < 0])
        assert nearest.distance == pytest.approx(2 * model.margin_, rel=1e-6)
        # w points from one nearest point to the other, and the border stands in the middle.
        assert_close(nearest.a - nearest.b, 2 * model.weights_ * model.margin_**2, 1e-6)
        assert_close(model.decision_function([nearest.a, nearest.b]), [1, -1], 1e-5)


def draw_narrow(seed: int, gap: float) -> tuple[Any, Any]:
    """Most of the documents are exactly so far from the plane."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(20, 3)), np.resize([1, -1], 20)
    X[:, 0] = y * np.maximum(np.abs(X[:, 0]), gap)
    X[:12, 0] = gap * y[:12]
    return X, y


@pytest.mark.parametrize("options", [{}, {"kernel": "polynomial", "degree": 1, "gamma": 1.0}])
def test_data_that_a_hair_parts_are_not_called_inseparable(options: dict[str, Any]) -> None:
    for seed in range(10):
        X, y = draw_narrow(seed, 1e-5)
        distance = nearest_hull_points(X[y > 0], X[y < 0]).distance
        assert MarginSVM(C=None, **options).fit(X, y).margin_ == pytest.approx(distance / 2, rel=1e-4)
        with suppress(NotSolved):
            MarginSVM(C=None, **options).fit(*draw_narrow(seed, 1e-7))


def test_hull_points_are_mixtures_of_their_own_points() -> None:
    for seed in range(20):
        X, y = draw_mixed(seed)
        A, B = X[y == "spam"], X[y == "ham"]
        nearest = nearest_hull_points(A, B)
        for weights, points, point in [(nearest.weights_a, A, nearest.a), (nearest.weights_b, B, nearest.b)]:
            assert weights.min() >= 0
            assert weights.sum() == pytest.approx(1, abs=1e-12)
            assert_close(weights @ points, point, 1e-8)
        assert np.linalg.norm(nearest.a - nearest.b) == pytest.approx(nearest.distance, abs=1e-12)


def test_hulls_that_meet_have_distance_0() -> None:
    square, inside, touching = [[0, 0], [0, 2], [2, 0], [2, 2]], [[1, 1]], [[2, 1], [3, 5]]
    for other in (inside, touching, square):
        nearest = nearest_hull_points(square, other)
        assert nearest.distance == 0
        assert (nearest.a == nearest.b).all()
    assert nearest_hull_points([[1.0, 2.0]], [[1.0, 2.0]]).distance == 0
    assert nearest_hull_points(square, [[2 + 1e-6, 1]]).distance == pytest.approx(1e-6, rel=1e-6)


@pytest.mark.parametrize("options", KERNELS)
@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_karush_kuhn_tucker(options: dict[str, Any], C: float) -> None:
    for seed in range(10):
        X, y = draw_mixed(seed)
        model = MarginSVM(C, **options).fit(X, y)
        signs, dual = np.where(y == model.classes_[1], 1.0, -1.0), model.dual_variables_
        margins = signs * model.decision_function(X)
        assert dual.min() >= 0
        assert dual.max() <= C
        assert abs(dual @ signs) < 1e-7 * C
        assert (margins[dual == 0] > 1 - 1e-6).all()
        assert (margins[dual == C] < 1 + 1e-6).all()
        assert_close(margins[(dual > 0) & (dual < C)], 1.0, 1e-6)
        assert_close(model.slacks_, np.maximum(1 - margins, 0), 1e-8)
        assert model.support_.tolist() == np.flatnonzero(dual).tolist()
        assert (model.support_vectors_ == X[dual > 0]).all()


@pytest.mark.parametrize("options", KERNELS)
def test_every_support_vector_is_on_or_inside_the_margin(options: dict[str, Any]) -> None:
    names = options | {"kernel": options.get("kernel", "linear").replace("nomial", "")}
    for seed in range(60):
        X, y = draw_separable(seed)
        model = MarginSVM(100.0, **options).fit(X, y)
        dual, margins = model.dual_variables_, y * model.decision_function(X)
        assert margins[model.support_].max() < 1 + 1e-6
        assert margins[dual == 0].min(initial=np.inf) > 1 - 1e-6
        assert dual.min() >= 0
        assert abs(dual @ y) < 1e-8 * dual.sum()
        if seed < 20:
            assert model.support_.tolist() == np.sort(SVC(**names, C=100.0, tol=1e-9).fit(X, y).support_).tolist()


def test_without_its_other_documents_the_border_stays() -> None:
    X, y = draw_separable(7)
    model = MarginSVM(C=None).fit(X, y)
    alone = MarginSVM(C=None).fit(X[model.support_], y[model.support_])
    assert len(model.support_) < len(X)
    assert_close(alone.decision_function(X), model.decision_function(X), 1e-6)


def test_the_bias_is_not_part_of_the_norm() -> None:
    X, y = draw_separable(3)
    near, far = MarginSVM(C=None).fit(X, y), MarginSVM(C=None).fit(X + 1e6, y)
    assert far.margin_ == pytest.approx(near.margin_, rel=1e-6)
    assert_close(far.decision_function(X + 1e6), near.decision_function(X), 1e-6)


@pytest.mark.parametrize("scale", [1e-100, 1e-6, 1e6, 1e100])
def test_the_margin_has_the_unit_of_the_columns(scale: float) -> None:
    X, y = draw_separable(5)
    model, scaled = MarginSVM(C=None).fit(X, y), MarginSVM(C=None).fit(X * scale, y)
    assert scaled.margin_ == pytest.approx(scale * model.margin_, rel=1e-6)
    assert_close(scaled.decision_function(X * scale), model.decision_function(X), 1e-6)


def test_data_that_no_border_parts_need_the_soft_margin() -> None:
    xor, y = np.array([[0, 0], [1, 1], [0, 1], [1, 0]]), ["same", "same", "other", "other"]
    with pytest.raises(NotSeparable, match=r"not separable .* MarginSVM\(C=1\.0\)") as refused:
        MarginSVM(C=None).fit(xor, y)
    assert isinstance(refused.value, ValueError)
    assert MarginSVM(1.0).fit(xor, y).slacks_.sum() > 0
    assert MarginSVM(C=None, kernel="rbf").fit(xor, y).predict(xor).tolist() == y
    for seed in range(30):
        X, y = draw_mixed(seed)
        meets = nearest_hull_points(X[y == "ham"], X[y == "spam"]).distance == 0
        if meets:
            with pytest.raises(NotSeparable):
                MarginSVM(C=None).fit(X, y)
        else:
            assert (MarginSVM(C=None).fit(X, y).predict(X) == y).all()


@pytest.mark.parametrize("options", KERNELS)
def test_equal_documents_with_different_labels_are_not_separable(options: dict[str, Any]) -> None:
    X, y = [[1.0, 2.0], [1.0, 2.0], [3.0, 5.0]], ["ham", "spam", "spam"]
    with pytest.raises(NotSeparable):
        MarginSVM(C=None, **options).fit(X, y)
    assert MarginSVM(1.0, **options).fit(X, y).slacks_[:2].sum() == pytest.approx(2, abs=1e-6)
    same = MarginSVM(1.0, **options).fit([X[0]] * 3, y)
    assert same.margin_ > 1e6
    assert same.predict(X).tolist() == ["spam"] * 3


def test_constant_columns_and_copies_change_nothing() -> None:
    X, y = draw_separable(11)
    model = MarginSVM(C=None).fit(X, y)
    wider = np.column_stack([np.full(len(X), 7.0), X])
    assert_close(MarginSVM(C=None).fit(wider, y).weights_, np.append(0.0, model.weights_), 1e-6)
    doubled = MarginSVM(C=None).fit(np.tile(X, (2, 1)), np.tile(y, 2))
    assert_close(doubled.decision_function(X), model.decision_function(X), 1e-6)


def test_a_cost_that_no_document_reaches_gives_the_hard_margin() -> None:
    X, y = draw_separable(13)
    hard = MarginSVM(C=None).fit(X, y)
    for C in (1.01 * hard.dual_variables_.max(), 1e4, 1e9, 1e15):
        assert_close(MarginSVM(C).fit(X, y).decision_function(X), hard.decision_function(X), 1e-6)
        assert not MarginSVM(C).fit(X, y).slacks_.any()


def test_a_solution_that_is_far_from_exact_is_refused() -> None:
    X, y = draw_mixed(4)
    with pytest.raises(NotSolved, match="C nearer to 1"):
        MarginSVM(1e30).fit(X, y)
    for large in (1e200, 1e-200):
        with pytest.raises(InvalidMatrix, match="Scale the columns"):
            MarginSVM(1.0).fit(X * large, y)


@pytest.mark.parametrize(
    "options",
    [
        {"C": 0},
        {"C": "1"},
        {"C": np.nan},
        {"kernel": "cosine"},
        {"degree": 0},
        {"gamma": 0.0},
        {"gamma": "auto"},
        {"coef0": -1},
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=f"{next(iter(options))} must be"):
        MarginSVM(**options).fit([[0.0], [1.0]], [0, 1])


def test_labels_and_matrices_that_make_no_sense() -> None:
    with pytest.raises(InvalidLabel, match="1 class"):
        MarginSVM().fit([[0.0], [1.0]], ["a", "a"])
    with pytest.raises(InvalidLabel, match="3 labels"):
        MarginSVM().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"])
    with pytest.raises(InvalidMatrix, match="not in the same space"):
        nearest_hull_points([[1.0, 2.0]], [[1.0]])
    with pytest.raises(NotFitted):
        _ = MarginSVM().weights_
    with pytest.raises(NoWeights, match="rbf"):
        _ = MarginSVM(kernel="rbf").fit([[0.0], [1.0]], [0, 1]).weights_


def test_the_solver_is_an_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "clarabel", None)
    with pytest.raises(MissingExtra, match=r"clarabel.*pip install 'tercet\[svm\]'"):
        MarginSVM().fit([[0.0], [1.0]], [0, 1])


with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Estimator MarginSVM does not inherit")  # it follows the contract anyway
    theirs = parametrize_with_checks([MarginSVM(kernel="rbf")])
    checks = pytest.mark.parametrize(theirs.args[0], list(theirs.args[1]), **theirs.kwargs)


@checks
@pytest.mark.filterwarnings("ignore:Estimator MarginSVM does not inherit")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)
