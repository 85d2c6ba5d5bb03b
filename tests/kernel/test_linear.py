"""Linear models in the kernel: native equals reference, the gap is a certificate, and liblinear finds the same optimum."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix, hstack, random_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from tercet.kernel import _native, reference

BINARY = ["hinge", "squared_hinge", "logistic"]
JOINT = ["crammer_singer", "softmax"]
over_binary = pytest.mark.parametrize("loss", BINARY)
over_joint = pytest.mark.parametrize("loss", JOINT)
over_engines = pytest.mark.parametrize("engine", [_native, reference])

numbers = st.sampled_from([1.0, -1.0, 0.5, 2.0, 0.0, -0.25, 3.0, 1e-3])
costs = st.sampled_from([1.0, 1.0, 0.0, 0.3, 10.0, 1e-3])


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    """Few documents, some empty, some free; columns out of order, some of one document alone."""
    n, n_columns, n_problems = draw(st.integers(0, 7)), draw(st.integers(0, 6)), draw(st.integers(1, 3))
    rows = [draw(st.lists(st.integers(0, n_columns - 1), unique=True)) if n_columns else [] for _ in range(n)]
    columns = np.array([column for row in rows for column in row], np.int32)
    ends = np.cumsum([0, *map(len, rows)])

    def draw_table(values: st.SearchStrategy[Any], *shape: int) -> Any:
        size = int(np.prod(shape))
        return np.array(draw(st.lists(values, min_size=size, max_size=size))).reshape(shape)

    return {
        "matrix": (ends, columns, draw_table(numbers, len(columns)).astype(float) if draw(st.booleans()) else None, n_columns),
        "positive": draw_table(st.integers(0, 1), n_problems, n).astype(np.uint8),
        "costs": draw_table(costs, n_problems, n).astype(float),
        "scale": draw_table(numbers, n_problems, n_columns).astype(float) if draw(st.booleans()) else None,
        "codes": draw_table(st.integers(0, 2), n).astype(np.int64),
        "options": (draw(st.sampled_from([1.0, 0.0, 0.1])), 1e-9, 3000, draw(st.integers(-5, 2**62))),
    }


def to_dense(ends: Any, columns: Any, values: Any, n_columns: int) -> Any:
    data = np.ones(len(columns)) if values is None else values
    return csr_matrix((data, columns, ends), (len(ends) - 1, n_columns)).toarray()


def make_problem(seed: int = 0, n: int = 150, n_columns: int = 200, n_labels: int = 4) -> tuple[Any, Any, Any, Any]:
    """A sparse matrix, its problem, codes, and costs of which some are 0."""
    rng = np.random.default_rng(seed)
    X = csr_matrix(random_array((n, n_columns), density=0.03, rng=rng))
    problem = _native.LinearProblem(X.indptr.astype(np.int64), X.indices.astype(np.int32), X.data, n_columns)
    weights = rng.random(n) * 2
    weights[:5] = 0
    return X, problem, rng.integers(0, n_labels, n), weights


def with_constant(X: Any, value: float = 1.0) -> Any:
    return csr_matrix(hstack([X, np.full((X.shape[0], 1), value)]))


def find_binary_objective(X: Any, positive: Any, costs: Any, weights: Any, loss: str) -> float:
    margins = (X @ weights) * np.where(positive, 1, -1)
    short = np.maximum(0, 1 - margins)
    losses = {"hinge": short, "squared_hinge": short**2, "logistic": np.logaddexp(0, -margins)}[loss]
    return float(weights @ weights / 2 + costs @ losses)


def find_joint_objective(X: Any, codes: Any, costs: Any, weights: Any, loss: str) -> float:
    scores = X @ weights.T
    scores = scores - scores[np.arange(len(codes)), codes][:, None]
    missing = np.arange(len(weights)) != codes[:, None]
    losses = (scores + missing).max(axis=1) if loss == "crammer_singer" else np.log(np.exp(scores).sum(axis=1))
    return float((weights**2).sum() / 2 + costs @ losses)


def assert_alike(ours: Any, theirs: Any) -> None:
    """Coefficients and intercepts where the optimum is unique, which the gap of 1e-9 tells to about 1e-4."""
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(ours[1], theirs[1], rtol=1e-3, atol=1e-3)


@over_binary
@given(problem=problems())
@settings(max_examples=25)
def test_native_binary_problems_have_the_solutions_of_the_reference(problem: dict[str, Any], loss: str) -> None:
    arguments = problem["positive"], problem["costs"], problem["scale"], loss, *problem["options"]
    ours, theirs = (engine.LinearProblem(*problem["matrix"]).fit_binary(*arguments) for engine in (_native, reference))
    assert (ours[3] <= 1e-9).all()
    assert_alike(ours, theirs)


@over_joint
@given(problem=problems())
@settings(max_examples=15)
def test_native_joint_problems_have_the_solutions_of_the_reference(problem: dict[str, Any], loss: str) -> None:
    arguments = problem["codes"], 3, problem["costs"][0], loss, *problem["options"]
    ours, theirs = (engine.LinearProblem(*problem["matrix"]).fit_joint(*arguments) for engine in (_native, reference))
    assert (ours[3] <= 1e-9).all()
    assert_alike(ours, theirs)


@over_binary
@given(problem=problems())
@settings(max_examples=25)
def test_first_passes_of_native_and_reference_are_the_same(problem: dict[str, Any], loss: str) -> None:
    bias, _, _, seed = problem["options"]
    arguments = problem["positive"], problem["costs"], problem["scale"], loss, bias, 1e-15, 3, seed
    ours, theirs = (engine.LinearProblem(*problem["matrix"]).fit_binary(*arguments) for engine in (_native, reference))
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-8)


@over_binary
@given(problem=problems())
@settings(max_examples=25)
def test_scale_is_the_same_as_scaled_values(problem: dict[str, Any], loss: str) -> None:
    X, scale = to_dense(*problem["matrix"]), problem["scale"]
    if scale is None:
        return
    costs, positive = problem["costs"], problem["positive"]
    fitted = _native.LinearProblem(*problem["matrix"]).fit_binary(positive, costs, scale, loss, *problem["options"])
    for p, row in enumerate(scale):
        scaled = csr_matrix(X * row)
        one = _native.LinearProblem(scaled.indptr.astype(np.int64), scaled.indices.astype(np.int32), scaled.data, len(row))
        theirs = one.fit_binary(positive[p : p + 1], costs[p : p + 1], None, loss, *problem["options"])
        np.testing.assert_allclose(fitted[0][p], theirs[0][0] * row, rtol=1e-3, atol=1e-3)


@over_binary
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_liblinear_finds_no_better_binary_objective(loss: str, C: float) -> None:
    X, problem, codes, weights = make_problem()
    positive = (codes > 1).astype(np.uint8)
    coefficients, intercepts, _, gaps = problem.fit_binary(positive[None], C * weights[None], None, loss, 1.0, 1e-8, 10**5, 0)
    if loss == "logistic":
        model = LogisticRegression(C=C, solver="liblinear", dual=True, tol=1e-9, max_iter=10**6, random_state=0)
    else:
        model = LinearSVC(C=C, loss=loss, dual=True, tol=1e-9, max_iter=10**6, random_state=0)
    model.fit(X, positive, sample_weight=weights)
    constant = with_constant(X)
    ours = find_binary_objective(constant, positive, C * weights, np.append(coefficients[0], intercepts[0]), loss)
    theirs = find_binary_objective(constant, positive, C * weights, np.append(model.coef_[0], model.intercept_[0]), loss)
    assert ours == pytest.approx(theirs, rel=1e-6)
    assert gaps[0] <= 1e-8


@over_joint
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_scikit_learn_finds_no_better_joint_objective(loss: str, C: float) -> None:
    X, problem, codes, weights = make_problem()
    coefficients, intercepts, _, gaps = problem.fit_joint(codes, 4, C * weights, loss, 1.0, 1e-8, 10**5, 0)
    if loss == "softmax":
        model = LogisticRegression(C=C, solver="newton-cg", fit_intercept=False, tol=1e-10, max_iter=10**5)
    else:
        model = LinearSVC(C=C, multi_class=loss, fit_intercept=False, tol=1e-9, max_iter=10**6, random_state=0)
    constant = with_constant(X)
    model.fit(constant, codes, sample_weight=weights)
    ours = find_joint_objective(constant, codes, C * weights, np.hstack([coefficients, intercepts[:, None]]), loss)
    assert ours == pytest.approx(find_joint_objective(constant, codes, C * weights, model.coef_, loss), rel=1e-6)
    assert gaps[0] <= 1e-8


@over_binary
@pytest.mark.parametrize("tol", [0.3, 1e-2, 1e-4])
def test_objective_is_at_most_the_gap_above_the_best(loss: str, tol: float) -> None:
    X, problem, codes, weights = make_problem(1)
    positive = (codes > 1).astype(np.uint8)

    def fit(tol: float) -> tuple[float, float]:
        coefficients, intercepts, _, gaps = problem.fit_binary(
            positive[None], 5 * weights[None], None, loss, 1.0, tol, 10**5, 0
        )
        solution = np.append(coefficients[0], intercepts[0])
        return find_binary_objective(with_constant(X), positive, 5 * weights, solution, loss), float(gaps[0])

    (objective, gap), (best, _) = fit(tol), fit(1e-10)
    assert gap <= tol
    assert objective * (1 - gap) <= best * (1 + 1e-9)


@over_binary
def test_number_of_threads_changes_nothing(loss: str) -> None:
    _, problem, codes, weights = make_problem()
    positive = (codes == np.arange(4)[:, None]).astype(np.uint8)
    table = np.tile(weights, (4, 1))
    one, *more = [problem.fit_binary(positive, table, None, loss, 1.0, 1e-4, 100, 0, threads) for threads in (1, 2, 5)]
    for fitted in more:
        assert [a.tobytes() for a in fitted] == [a.tobytes() for a in one]


def test_seed_changes_the_order_and_not_the_solution() -> None:
    _, problem, codes, weights = make_problem()
    positive = (codes > 1).astype(np.uint8)[None]
    one, other = [problem.fit_binary(positive, weights[None], None, "squared_hinge", 1.0, 1e-9, 10**4, seed) for seed in (0, 1)]
    assert one[0].tobytes() != other[0].tobytes()
    assert_alike(one, other)


def integers(*values: int) -> Any:
    return np.array(values, np.int64)


def floats(*values: float) -> Any:
    return np.array(values, np.float64)


BAD_MATRICES = {
    "no ends": (integers(), [0], None, 1),
    "a start above 0": (integers(1, 1), [0], None, 1),
    "an end too early": (integers(0, 0), [0], None, 1),
    "an end too late": (integers(0, 2), [0], None, 1),
    "ends that fall": (integers(0, 2, 1, 2), [0, 1], None, 2),
    "a column too high": (integers(0, 1), [1], None, 1),
    "a column below 0": (integers(0, 1), [-1], None, 1),
    "no columns": (integers(0, 1), [0], None, 0),
    "a number of columns below 0": (integers(0), [], None, -1),
    "too many columns": (integers(0), [], None, 2**40),
    "a column twice": (integers(0, 3), [0, 1, 0], None, 2),
    "a value too few": (integers(0, 1), [0], floats(), 1),
    "nan": (integers(0, 1), [0], floats(np.nan), 1),
    "infinity": (integers(0, 1), [0], floats(-np.inf), 1),
}


@over_engines
@pytest.mark.parametrize("name", BAD_MATRICES)
def test_bad_matrices_are_refused(engine: Any, name: str) -> None:
    ends, columns, values, n_columns = BAD_MATRICES[name]
    with pytest.raises((ValueError, IndexError)):
        engine.LinearProblem(ends, np.array(columns, np.int32), values, n_columns)


GOOD: dict[str, Any] = {
    "positive": np.array([[0, 1]], np.uint8),
    "costs": floats(1, 1)[None],
    "scale": None,
    "loss": "hinge",
    "bias": 1.0,
    "tol": 0.1,
    "max_epochs": 9,
    "seed": 0,
}
BAD_OPTIONS: list[dict[str, Any]] = [
    {"positive": np.ones((2, 2), np.uint8)},
    {"positive": np.ones((1, 3), np.uint8)},
    {"costs": floats(1, -1)[None]},
    {"costs": floats(1, np.nan)[None]},
    {"costs": floats(1, np.inf)[None]},
    {"scale": floats(1, 1)[None]},
    {"scale": floats(np.nan)[None]},
    {"loss": "softmax"},
    {"bias": np.inf},
    {"bias": -1.0},
    {"tol": 0.0},
    {"tol": np.nan},
    {"max_epochs": 0},
]


@over_engines
@pytest.mark.parametrize("bad", BAD_OPTIONS, ids=repr)
def test_bad_options_of_binary_problems_are_refused(engine: Any, bad: dict[str, Any]) -> None:
    problem = engine.LinearProblem(integers(0, 1, 2), np.array([0, 0], np.int32), None, 1)
    problem.fit_binary(**GOOD)
    with pytest.raises((ValueError, IndexError)):
        problem.fit_binary(**GOOD | bad)


BAD_JOINT_OPTIONS: list[dict[str, Any]] = [
    {"codes": integers(0, 2)},
    {"codes": integers(-1, 0)},
    {"codes": integers(0)},
    {"costs": floats(1)},
    {"n_labels": 0},
    {"loss": "hinge"},
]


@over_engines
@pytest.mark.parametrize("bad", BAD_JOINT_OPTIONS, ids=repr)
def test_bad_options_of_joint_problems_are_refused(engine: Any, bad: dict[str, Any]) -> None:
    problem = engine.LinearProblem(integers(0, 1, 2), np.array([0, 0], np.int32), None, 1)
    good = {"codes": integers(0, 1), "n_labels": 2, "costs": floats(1, 1), "loss": "softmax"}
    good |= {name: GOOD[name] for name in ("bias", "tol", "max_epochs", "seed")}
    problem.fit_joint(**good)
    with pytest.raises((ValueError, IndexError)):
        problem.fit_joint(**good | bad)


@pytest.mark.parametrize("value", [1e300, 1e-300, 5e-324, 1e160])
@pytest.mark.parametrize("loss", BINARY + JOINT)
def test_numbers_of_any_size_end_in_time(loss: str, value: float) -> None:
    problem = _native.LinearProblem(integers(0, 1, 3, 3), np.array([0, 0, 1], np.int32), floats(value, -value, 1), 2)
    if loss in BINARY:
        fitted = problem.fit_binary(np.array([[0, 1, 1]], np.uint8), floats(1, value, 3)[None], None, loss, 1.0, 1e-6, 50, 0)
    else:
        fitted = problem.fit_joint(integers(0, 1, 2), 3, floats(1, value, 3), loss, 1.0, 1e-6, 50, 0)
    assert fitted[2][0] <= 50
