"""Normal distributions on matrices: the laws of exact sums, scikit-learn and SciPy as oracles, the formulas written out."""

import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix
from scipy.stats import multivariate_normal
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet.counts.exact_sums import SCALE, ExactSums
from tercet.counts.label_moments import LabelMoments
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, NeverLearned, NotFitted
from tercet.models.gaussian import GaussianBayes

COVARIANCES: list[Any] = ["diagonal", "full", "shared"]
WILD = [0.0, -0.0, 5e-324, -2.3e-308, 1e-300, 1e300, -1e300, 1.7976931348623157e308, 1.0, -1.0, 0.1, 1e9 + 0.1, 2.0**-600]
wild_floats = st.sampled_from(WILD) | st.floats(allow_nan=False, allow_infinity=False)
over_covariances = pytest.mark.parametrize("covariance", COVARIANCES)


@st.composite
def problems(draw: st.DrawFn, min_documents: int = 2) -> tuple[Any, Any, Any]:
    """Numbers of any size, labels, and weights with more bits than are kept."""
    n, n_columns = draw(st.integers(min_documents, 6)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, n_columns), elements=wild_floats))
    y = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    weights = st.sampled_from([1.0, 1.0, 0.1, 3.0, 2.0**-20, 2.0**32]) | st.floats(0.01, 1e6)
    return X, y, np.array(draw(st.lists(weights, min_size=n, max_size=n)))


def draw_problem(seed: int, n: int = 60, n_columns: int = 4) -> tuple[Any, Any, Any]:
    """Three labels around three points, columns that depend on one another, and weights."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    X = rng.normal(size=(n, n_columns)) @ rng.normal(size=(n_columns, n_columns)) + y[:, None] * rng.normal(size=n_columns)
    return X, np.array(["ham", "spam", "eggs"])[y], rng.random(n) + 0.1


def assert_close(a: Any, b: Any, tolerance: float = 1e-9) -> None:
    np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def assert_same(a: GaussianBayes, b: GaussianBayes, X: Any) -> None:
    """Bit for bit, nan included."""
    assert a.moments_ == b.moments_
    assert a.means_.tobytes() == b.means_.tobytes()
    assert a.covariances_.tobytes() == b.covariances_.tobytes()
    assert a.log_joint(X).tobytes() == b.log_joint(X).tobytes()
    assert a.predict(X).tolist() == b.predict(X).tolist()


# Many checks have constant columns or labels with fewer documents than columns. GaussianNB widens all variances silently;
# here that is an error whose remedy is shrinkage, so the remedy is what is checked.
def expected_failures(estimator: GaussianBayes) -> dict[str, str]:
    if estimator.covariance == "shared":
        return {}
    return {"check_sample_weight_equivalence_on_dense_data": "a label of one document has no variance; ours is tested below"}


with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Estimator GaussianBayes does not inherit")  # it follows the contract anyway
    models = [GaussianBayes(covariance, shrinkage=0.01) for covariance in COVARIANCES]
    theirs = parametrize_with_checks(models, expected_failed_checks=expected_failures)
    checks = pytest.mark.parametrize(theirs.args[0], list(theirs.args[1]), **theirs.kwargs)


@checks
@pytest.mark.filterwarnings("ignore:Estimator GaussianBayes does not inherit")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


def test_the_posterior_of_two_normals_is_the_formula() -> None:
    low, high = np.array([[1.0], [2.0], [6.0]]), np.array([[8.0], [9.0]])
    model = GaussianBayes().fit(np.concatenate([low, high]), ["low"] * 3 + ["high"] * 2)
    x = np.linspace(-20, 30, 1000)

    def joint(points: Any, prior: float) -> Any:
        mean, variance = points.mean(), points.var()
        return prior * np.exp(-((x - mean) ** 2) / (2 * variance)) / np.sqrt(2 * np.pi * variance)

    joints = np.stack([joint(high, 0.4), joint(low, 0.6)], axis=1)
    X = x[:, None]
    assert model.classes_.tolist() == ["high", "low"]
    assert_close(model.posterior(X), joints / joints.sum(axis=1, keepdims=True))
    assert_close(model.evidence(X), joints.sum(axis=1))
    assert_close(model.likelihood(X), joints / [0.4, 0.6])
    assert (model.posterior(X) == model.predict_proba(X)).all()
    assert_close(np.exp(model.log_joint(X)), joints)
    assert_close(np.exp(model.predict_log_proba(X)).sum(axis=1), 1.0)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("weighted", [True, False])
def test_independent_columns_are_those_of_scikit_learn(seed: int, weighted: bool) -> None:
    X, y, weights = draw_problem(seed)
    # Ours are rounded to multiples of 2⁻²⁰.
    weights = np.round(weights * 2**20) / 2**20 if weighted else None
    expected = GaussianNB(var_smoothing=0).fit(X, y, sample_weight=weights)
    ours = GaussianBayes().fit(X, y, sample_weight=weights)
    assert_close(ours.means_, expected.theta_)
    assert_close(ours.covariances_, expected.var_)
    assert_close(ours.log_joint(X), expected.predict_joint_log_proba(X))
    assert (ours.predict(X) == expected.predict(X)).all()


@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_the_likelihood_of_many_columns_is_that_of_scipy(seed: int, ddof: int) -> None:
    X, y, weights = draw_problem(seed)
    weights = np.round(weights * 2**20) / 2**20
    model = GaussianBayes("full", ddof=ddof).fit(X, y)
    weighted = GaussianBayes("full").fit(X, y, sample_weight=weights)
    for i, label in enumerate(model.classes_):
        own = X[y == label]
        assert_close(model.covariances_[i], np.cov(own.T, ddof=ddof))
        expected = multivariate_normal(own.mean(axis=0), np.cov(own.T, ddof=ddof)).logpdf(X)
        assert_close(model.log_likelihood(X)[:, i], expected)
        assert_close(weighted.covariances_[i], np.cov(own.T, ddof=0, aweights=weights[y == label]))


@pytest.mark.parametrize("seed", range(5))
def test_one_covariance_for_each_label_is_quadratic_discriminant_analysis(seed: int) -> None:
    X, y, _ = draw_problem(seed)
    expected = QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    # It divided by n - 1 once, and divides by n now.
    ours = [GaussianBayes("full", ddof=ddof).fit(X, y) for ddof in (0, 1)]
    (alike,) = [model for model in ours if np.allclose(model.covariances_, expected.covariance_, rtol=1e-9)]
    assert_close(alike.predict_log_proba(X), expected.predict_log_proba(X))


@pytest.mark.parametrize("shrinkage", [None, 0.3])
@pytest.mark.parametrize("seed", range(5))
def test_a_shared_covariance_is_linear_discriminant_analysis(seed: int, shrinkage: float | None) -> None:
    X, y, _ = draw_problem(seed)
    model = GaussianBayes("shared", shrinkage=shrinkage).fit(X, y)
    expected = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=shrinkage).fit(X, y)
    assert_close(model.predict_log_proba(X), expected.predict_log_proba(X), 1e-8)
    if shrinkage is None:
        centred = np.concatenate([X[y == label] - X[y == label].mean(axis=0) for label in model.classes_])
        assert_close(model.covariances_, centred.T @ centred / len(X))
        unbiased = GaussianBayes("shared", ddof=1).fit(X, y).covariances_
        assert_close(unbiased, centred.T @ centred / (len(X) - 3))


def test_ddof_is_taken_from_the_number_of_documents() -> None:
    X, y = np.array([[1.0], [2.0], [6.0], [0.0], [5.0]]), list("aaabb")
    for ddof in (0, 1):
        expected = [[X[:3].var(ddof=ddof)], [X[3:].var(ddof=ddof)]]
        assert_close(GaussianBayes(ddof=ddof).fit(X, y).covariances_, expected)
    for covariance in COVARIANCES:
        with pytest.raises(InvalidMatrix, match=r"too few documents .* ddof=1: use ddof=0"):
            GaussianBayes(covariance, ddof=1).fit([[1.0], [2.0]], ["a", "b"])


@over_covariances
def test_shrinkage_mixes_with_the_round_covariance(covariance: Any) -> None:
    X, y, _ = draw_problem(3)
    plain, shrunk = (GaussianBayes(covariance, shrinkage=s).fit(X, y).covariances_ for s in (None, 0.25))
    if covariance == "diagonal":
        expected = 0.75 * plain + 0.25 * plain.mean(axis=1, keepdims=True)
    else:
        matrices = plain.reshape(-1, 4, 4)
        expected = np.stack([0.75 * C + 0.25 * np.trace(C) / 4 * np.eye(4) for C in matrices]).reshape(plain.shape)
    assert_close(shrunk, expected)
    constant = np.column_stack([X, np.ones(len(X)), X[:, 0]])
    assert np.isfinite(GaussianBayes(covariance, shrinkage=1e-3).fit(constant, y).log_joint(constant)).all()


@given(hnp.arrays(np.float64, st.tuples(st.integers(0, 8), st.integers(1, 3)), elements=wild_floats))
def test_sums_are_those_of_fractions(values: Any) -> None:
    sums = ExactSums.zeros(values.shape[1:]).add(values)
    exact = [sum(map(Fraction, column), Fraction(0)) for column in values.T]
    assert [Fraction(int(unit), SCALE) for unit in sums.units] == exact
    for rounded, fraction in zip(sums.round(), exact, strict=True):
        try:
            assert rounded == float(fraction)
        except OverflowError:
            assert np.isinf(rounded)
            assert (rounded > 0) == (fraction > 0)
    assert sums + sums - sums == sums
    assert sums - sums == ExactSums.zeros(values.shape[1:])
    assert sums != ExactSums(sums.units + 1)
    assert ExactSums.zeros(values.shape[1:]).add(values[::-1]) == sums


@pytest.mark.parametrize("full", [True, False])
@given(problem=problems())
def test_moments_are_those_of_fractions(full: bool, problem: Any) -> None:
    X, _, weights = problem
    moments = LabelMoments.of(X, np.array(["a"]), np.zeros(len(X), np.int64), weights, full=full)
    w = [Fraction(round(weight * 2**20), 2**20) for weight in weights]
    columns = [list(map(Fraction, column)) for column in X.T]
    sums = [sum(map(Fraction.__mul__, w, x)) for x in columns]
    products = [[sum(a * b * c for a, b, c in zip(w, x, y, strict=True)) for y in columns] for x in columns]
    assert Fraction(int(moments.n.units[0]), SCALE) == sum(w)
    assert [Fraction(int(unit), SCALE) for unit in moments.sums.units[0]] == sums
    units = moments.products.units[0]
    ours = units if full else np.diag(units)
    for i, j in np.ndindex(len(sums), len(sums)):
        if full or i == j:
            assert Fraction(int(ours[i, j]), SCALE) == products[i][j]
            scatter = moments.scatter()[0][(i, j) if full else i]
            assert Fraction(int(scatter), SCALE**2) == sum(w) * products[i][j] - sums[i] * sums[j]


@pytest.mark.parametrize("full", [True, False])
def test_blocks_are_added_up(full: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, codes, weights = rng.normal(size=(200, 3)), rng.integers(0, 2, 200), rng.random(200)
    labels = np.array(["a", "b"])
    whole = LabelMoments.of(X, labels, codes, weights, full=full)
    monkeypatch.setattr("tercet.counts.exact_sums.MAX_ROWS", 7)
    monkeypatch.setattr("tercet.counts.label_moments.MAX_ROWS", 7)
    assert LabelMoments.of(X, labels, codes, weights, full=full) == whole


def test_the_largest_digits_stay_exact_in_the_largest_block() -> None:
    n = 1 << 16
    x = np.nextafter(2.0**32, 0)  # every bit is set
    weight = 2.0**32 - 2.0**-20
    moments = LabelMoments.of(np.full((n, 1), x), np.array([0]), np.zeros(n, np.int64), np.full(n, weight), full=True)
    assert Fraction(int(moments.products.units[0, 0, 0]), SCALE) == n * Fraction(weight) * Fraction(x) ** 2
    assert moments.scatter()[0, 0, 0] == 0


@over_covariances
@given(problem=problems(), seed=st.integers(0, 9))
@some(0.4)
def test_any_order_and_any_parts_give_the_same_moments(covariance: Any, problem: Any, seed: int) -> None:
    X, y, weights = problem
    whole = GaussianBayes(covariance).partial_fit(X, y, sample_weight=weights)
    order = np.random.default_rng(seed).permutation(len(y))
    shuffled = GaussianBayes(covariance).partial_fit(X[order], y[order], sample_weight=weights[order])
    left, right = (GaussianBayes(covariance).partial_fit(X[s], y[s], sample_weight=weights[s]) for s in (order[:1], order[1:]))
    for other in (shuffled, left + right, right + left, left.learn(X[order[1:]], y[order[1:]], weights[order[1:]])):
        assert other.moments_ == whole.moments_
        assert other.means_.tobytes() == whole.means_.tobytes()
        assert other.classes_.tolist() == whole.classes_.tolist()


@over_covariances
@given(first=problems(), second=problems())
@some(0.4)
def test_learning_then_forgetting_is_the_identity(covariance: Any, first: Any, second: Any) -> None:
    (X, y, weights), (X2, y2, weights2) = first, second
    n_columns = min(X.shape[1], X2.shape[1])
    X, X2 = X[:, :n_columns], X2[:, :n_columns]
    model = GaussianBayes(covariance).partial_fit(X, y, classes=list("abc"), sample_weight=weights)
    before = model.moments_
    model.learn(X2, y2, sample_weight=weights2).forget(X2, y2, sample_weight=weights2)
    assert model.moments_ == before


@over_covariances
@pytest.mark.parametrize("weighted", [True, False])
def test_predictions_are_the_same_bits_in_any_order_and_after_forgetting(covariance: Any, weighted: bool) -> None:
    X, y, weights = draw_problem(0, n=90)
    w = weights if weighted else np.ones(90)
    whole = GaussianBayes(covariance).fit(X[:60], y[:60], w[:60])
    order = np.random.default_rng(1).permutation(60)
    assert_same(GaussianBayes(covariance).fit(X[order], y[order], w[order]), whole, X)
    parts = [GaussianBayes(covariance).fit(X[part], y[part], w[part]) for part in (slice(0, 30), slice(30, 60))]
    assert_same(parts[1] + parts[0], whole, X)
    assert_same(GaussianBayes(covariance).fit(X, y, w).forget(X[60:], y[60:], w[60:]), whole, X)
    one_by_one = GaussianBayes(covariance)
    for i in order:
        one_by_one.learn(X[i : i + 1], y[i : i + 1], w[i : i + 1])
    assert_same(one_by_one, whole, X)
    assert_same(pickle.loads(pickle.dumps(whole)), whole, X)


@over_covariances
def test_many_documents_get_what_each_gets_alone(covariance: Any) -> None:
    X, y, _ = draw_problem(0, n=200, n_columns=11)
    model = GaussianBayes(covariance).fit(X, y)
    assert model.log_joint(X).tolist() == [model.log_joint(X[i : i + 1])[0].tolist() for i in range(len(X))]


@over_covariances
def test_a_weight_is_a_number_of_copies(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    assert_same(GaussianBayes(covariance).fit(X, y, weights), GaussianBayes(covariance).fit(X[copies], y[copies]), X)


@over_covariances
def test_a_large_offset_loses_nothing(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    X = np.round(X * 2**20) / 2**20  # so that x + 1e9 is exact
    near, far = GaussianBayes(covariance).fit(X, y), GaussianBayes(covariance).fit(X + 1e9, y)
    assert (near.covariances_ == far.covariances_).all()
    assert_close(far.log_joint(X + 1e9), near.log_joint(X), 1e-12)


def test_numbers_whose_squares_overflow_are_right_or_a_clear_error() -> None:
    huge = np.array([[1e300], [1e300 + 1e290], [-1e300], [-1e300 - 1e285]])
    with pytest.raises(InvalidMatrix, match="covariance of the label 'a' is too large for a float64: divide"):
        GaussianBayes().fit(huge, list("abab"))
    same = np.array([[1e200, 1.0], [1e200, 2.0], [-1e200, 3.0], [-1e200, 5.0]])
    with pytest.raises(InvalidMatrix, match=r"label 'a' is singular: column 0 .* has variance 0"):
        GaussianBayes().fit(same, list("aabb"))
    exact = np.array([[1e160], [1e160 + 1e145]])  # the squares overflow, the variance does not
    expected = float((Fraction(exact[1, 0]) - Fraction(exact[0, 0])) ** 2 / 4)
    assert GaussianBayes().fit(exact, list("aa")).covariances_.tolist() == [[expected]]
    with pytest.raises(InvalidMatrix, match="covariance of the label 'a' is 0"):
        GaussianBayes().fit([[1e-200], [2e-200]], list("aa"))


def test_a_point_too_far_for_a_float_gets_the_prior() -> None:
    model = GaussianBayes("full").fit([[0.0, 1], [1, 0], [3, 3], [5, 6], [6, 5], [9, 9]], list("aaabbb"))
    with pytest.warns(RuntimeWarning, match="1 of 2 documents are too far"):
        probabilities = model.predict_proba([[1e300, -1e300], [0, 0]])
    assert_close(probabilities[0], [0.5, 0.5])
    assert_close(probabilities.sum(axis=1), 1.0)
    assert model.evidence([[1e300, -1e300]]).tolist() == [0.0]
    assert np.isfinite(model.predict_log_proba([[1e100, -1e100]])).all()


@over_covariances
def test_a_singular_covariance_names_the_label_and_the_remedy(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    who = "all labels together" if covariance == "shared" else "the label 'spam'"
    X[y == "spam", 2] = 7.0
    if covariance == "shared":
        X[:, 2] = 7.0
    message = f"covariance of {who} is singular: column 2 .counted from 0. has variance 0.*set shrinkage, for example 0.01"
    with pytest.raises(InvalidMatrix, match=message):
        GaussianBayes(covariance).fit(X, y)
    later = GaussianBayes(covariance).partial_fit(X, y)  # more documents may still come
    assert np.isfinite(later.means_).all()
    with pytest.raises(InvalidMatrix, match=message):
        later.predict(X)
    with pytest.raises(InvalidMatrix, match=r"is 0: no column varies, as with one document .*even with shrinkage"):
        GaussianBayes(covariance, shrinkage=0.5).fit([[1.0, 2.0]], ["a"])


@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_columns_that_follow_from_others_are_singular(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    for dependent in (X[:, 0], X[:, 0] + X[:, 1], 1e6 * X[:, 2] - 3, X @ [0.1, 0.2, 0.3, 0.4]):
        with pytest.raises(InvalidMatrix, match="is singular: a column follows from the others, or there are too few"):
            GaussianBayes(covariance).fit(np.column_stack([X, dependent]), y)
    with pytest.raises(InvalidMatrix, match="too few documents"):
        GaussianBayes(covariance).fit(X[:4], ["a"] * 4)
    scaled = GaussianBayes(covariance).fit(X * [1e-100, 1.0, 1e100, 1e8], y)  # units of measurement make nothing singular
    assert_close(scaled.predict_proba(X * [1e-100, 1.0, 1e100, 1e8]), GaussianBayes(covariance).fit(X, y).predict_proba(X))


@over_covariances
def test_what_was_never_learned_is_not_forgotten_and_nothing_changes(covariance: Any) -> None:
    X, y = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 5.0], [5.0, 1.0], [4.0, 2.0], [6.0, 7.0]]), np.array(list("aaabbb"))
    model = GaussianBayes(covariance).fit(X, y)
    before = pickle.loads(pickle.dumps(model))
    never = [
        (X[[0, 0, 0, 0]], list("aaaa")),  # more than there are
        ([[100.0, 0.0]], ["a"]),  # the squares fall below zero
        (X[:3] + 1e-9, list("aaa")),  # nothing left, but sums
        ([[1.0, 3.0], [2.0, 0.0], [3.0, 5.0]], list("aaa")),  # nothing left, but squares
        (X[:1], ["c"]),
        ([*X[:1], [100.0, 0.0]], ["a", "b"]),  # refused as a whole
    ]
    for documents, labels in never:
        with pytest.raises(NeverLearned, match="Nothing is changed"):
            model.forget(documents, labels)
        assert_same(model, before, X)
    if covariance != "diagonal":
        with pytest.raises(NeverLearned):  # each column alone could have been
            GaussianBayes(covariance).partial_fit([[0.0, 0], [1, 1], [2, 2]], list("aaa")).forget([[1.0, 1.5]], ["a"])


@over_covariances
def test_everything_may_be_forgotten(covariance: Any) -> None:
    X, y, weights = draw_problem(0)
    model = GaussianBayes(covariance).fit(X, y, weights).forget(X, y, weights)
    assert model.classes_.tolist() == ["eggs", "ham", "spam"]
    assert np.isnan(model.means_).all()
    assert np.isnan(model.covariances_).all()
    with pytest.warns(RuntimeWarning, match="60 of 60"):
        assert_close(model.predict_proba(X), 1 / 3)
    assert_same(model.learn(X, y, weights), GaussianBayes(covariance).fit(X, y, weights), X)


@over_covariances
def test_new_labels_may_come_and_one_without_documents_is_never_chosen(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    model = GaussianBayes(covariance, prior="uniform").partial_fit(X, y, classes=["eggs", "ham", "spam", "tea"])
    assert np.isnan(model.means_[3]).all()
    assert (model.predict_proba(X)[:, 3] == 0).all()
    with pytest.raises(InvalidLabel, match="'tea' has no documents"):
        model.sample(5, label="tea")
    model.learn(X + 50, ["tea"] * len(X))
    assert model.predict(X[:1] + 50).tolist() == ["tea"]
    with pytest.raises(InvalidLabel, match="'ham' is unknown"):
        GaussianBayes(covariance).partial_fit(X, y, classes=["eggs"])


@over_covariances
def test_two_rows_decide_between_two_labels(covariance: Any) -> None:
    X, y, _ = draw_problem(0)
    two, only = GaussianBayes(covariance).fit(X, y).restrict(["spam", "ham"]), y != "eggs"
    assert two.classes_.tolist() == ["ham", "spam"]
    assert_same(two, GaussianBayes(covariance).fit(X[only], y[only]), X)
    with pytest.raises(InvalidLabel, match="'eggs' is unknown"):
        two.restrict(["eggs"])
    with pytest.raises(InvalidLabel, match="no label is left"):
        two.restrict([])


@over_covariances
def test_samples_have_the_moments_of_the_model(covariance: Any) -> None:
    X, y, _ = draw_problem(2)
    model = GaussianBayes(covariance).fit(X, y)
    drawn, labels = model.sample(100_000, seed=7, label="ham")
    assert set(labels.tolist()) == {"ham"}
    own = model.covariances_ if covariance == "shared" else model.covariances_[1]
    C = np.diag(own) if covariance == "diagonal" else own
    scale = np.sqrt(np.diag(C))
    assert (np.abs(drawn.mean(axis=0) - model.means_[1]) < 0.02 * scale).all()
    assert (np.abs(np.cov(drawn.T) - C) < 0.03 * scale[:, None] * scale).all()
    mixed, labels = model.sample(50_000)
    shares = [(labels == label).mean() for label in model.classes_]
    assert_close(shares, [(y == label).mean() for label in model.classes_], 0.01)
    assert (model.predict(mixed) == labels).mean() > 0.5
    again = model.sample(50_000, seed=0)
    assert mixed.tobytes() == again[0].tobytes()
    assert mixed.tobytes() != model.sample(50_000, seed=1)[0].tobytes()


def test_samples_that_make_no_sense_are_refused() -> None:
    model = GaussianBayes().fit([[1.0], [2.0]], ["a", "a"])
    with pytest.raises(InvalidOption, match="n must be an int >= 1, got 0"):
        model.sample(0)
    with pytest.raises(InvalidOption, match="seed must be an int >= 0, got None"):
        model.sample(1, seed=None)  # type: ignore[arg-type]
    with pytest.raises(InvalidLabel, match="'b' is unknown"):
        model.sample(1, label="b")


def test_priors_may_be_given() -> None:
    X, y = [[0.0], [2.0], [0.0], [2.0], [0.0], [2.0]], list("aabbbb")
    for prior, expected in (("empirical", [1 / 3, 2 / 3]), ("uniform", [0.5, 0.5]), ({"b": 0.9, "a": 0.1}, [0.1, 0.9])):
        assert_close(GaussianBayes(prior=prior).fit(X, y).posterior([[1.0], [7.0]]), [expected] * 2)
    with pytest.raises(InvalidOption, match="no probability for the label 'b'"):
        GaussianBayes(prior={"a": 1.0}).fit(X, y)
    arrays = [GaussianBayes(prior=np.array([0.1, 0.9])).fit(X, y) for _ in range(2)]
    assert_close((arrays[0] + arrays[1]).posterior([[1.0]]), [[0.1, 0.9]])


def test_models_that_differ_are_not_added() -> None:
    X, y, _ = draw_problem(0)
    model = GaussianBayes().fit(X, y)
    for other in (GaussianBayes("full"), GaussianBayes(ddof=1), GaussianBayes(shrinkage=0.1), GaussianBayes(prior="uniform")):
        with pytest.raises(InvalidOption, match="Fit both alike"):
            model + other.fit(X, y)
    with pytest.raises(InvalidOption, match="Fit both alike"):
        model + GaussianBayes().fit(X[:, :2], y)
    with pytest.raises(InvalidOption, match="use the same covariance"):
        model.set_params(covariance="full").learn(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"covariance": "tied"}, "covariance must be one of diagonal, full, shared, got 'tied'"),
        ({"ddof": 2}, "ddof must be 0 or 1, got 2"),
        ({"ddof": True}, "ddof must be 0 or 1, got True"),
        ({"shrinkage": 0}, "shrinkage must be None or a number with 0 < shrinkage <= 1, got 0.*Try 0.01"),
        ({"shrinkage": 1.5}, "shrinkage must be None"),
        ({"shrinkage": "auto"}, "shrinkage must be None"),
        ({"prior": "equal"}, "prior must be empirical, uniform"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        GaussianBayes(**options).fit([[1.0], [0.0], [1.0], [3.0]], list("aabb"))


def test_bad_input_is_refused() -> None:
    model = GaussianBayes()
    with pytest.raises(NotFitted):
        model.predict([[1.0]])
    with pytest.raises(NotFitted):
        model.forget([[1.0]], ["a"])
    assert not hasattr(model, "means_")
    assert not hasattr(model, "covariances_")
    for X, message in (
        ([[np.nan], [0.0]], "NaN"),
        ([[np.inf], [0.0]], "infinity"),
        ([1, 2], "Reshape"),
        (np.zeros((0, 2)), "0 sample"),
        (csr_matrix(np.eye(2)), "sparse"),
        ([["x"], ["y"]], "numbers"),
    ):
        with pytest.raises(InvalidMatrix, match=message):
            model.fit(X, ["a", "a"])
    for weights, message in (([1.0], "one number for each of 2"), ([-1, 1], ">= 0"), ([1, 1e10], "at most 2³²")):
        with pytest.raises(InvalidMatrix, match=message):
            model.fit([[1.0], [2.0]], ["a", "a"], sample_weight=weights)
    for y, message in (
        ([0.5, 1.0], "continuous"),
        (["a", None], "label 1 .* is None"),
        (None, "requires y"),
        (["a"], "2 documents and y has 1"),
    ):
        with pytest.raises(InvalidLabel, match=message):
            model.fit([[1.0], [2.0]], y)
    assert not hasattr(model, "classes_")
    model.fit([[1.0], [2.0]], ["a", "a"])
    for method in (model.predict, model.likelihood, model.evidence):
        with pytest.raises(InvalidMatrix, match="X has 2 features, but GaussianBayes is expecting 1"):
            method([[1.0, 2.0]])
    with pytest.raises(InvalidMatrix, match="X has 2 features"):
        model.learn([[1.0, 2.0]], ["a"])
