"""LinearSVM and LogisticRegression: scikit-learn's contract, liblinear's decisions on corpora, and what is refused."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import coo_array, csr_matrix, hstack
from sklearn import linear_model as theirs
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from tercet import Categorizer, LinearSVM, LogisticRegression, TermCounter
from tercet.counts.matrices import BLOCK, Matrix
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, NotConverged, NotFitted

MODELS: list[Any] = [LinearSVM, LogisticRegression]
VARIANTS: list[Any] = [
    LinearSVM(),
    LinearSVM(loss="hinge"),
    LinearSVM(multi="crammer_singer"),
    LogisticRegression(),
    LogisticRegression(multi="softmax"),
]
each_model = pytest.mark.parametrize("model", MODELS)
each_variant = pytest.mark.parametrize("variant", VARIANTS, ids=repr)

# The smaller corpora, and how many documents of each are enough.
CORPORA = ["sms_spam/all", "trec_qc/train", "cr/all", "mr/all", "subj/all", "uci_sentiment/yelp"]
ENOUGH = 500


def make_data(n_labels: int = 3, n: int = 120, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, n)
    X = rng.normal(size=(n, 8)) + 0.7 * np.eye(8)[codes]
    return X, np.array(["ham", "spam", "eggs", "bacon"])[codes], rng.random(n) + 0.1


def make_liblinear(model: Any, **options: Any) -> Any:
    options = {"C": model.C, "class_weight": model.class_weight, "tol": 1e-8, "max_iter": 10**6, "random_state": 0} | options
    if isinstance(model, LogisticRegression):
        return theirs.LogisticRegression(solver="liblinear", dual=True, **options)
    multi = "ovr" if model.multi == "one_vs_rest" else "crammer_singer"
    return LinearSVC(loss=model.loss, multi_class=multi, dual=True, **options)


def assert_same_decisions(model: Any, other: Any, X: Any, tolerance: float = 1e-3) -> None:
    ours, others = model.decision_function(X), other.decision_function(X)
    assert ours.shape == others.shape
    np.testing.assert_allclose(ours, others, atol=tolerance, rtol=0)
    sure = np.abs(ours if ours.ndim == 1 else np.diff(np.sort(ours, axis=1)[:, -2:])[:, 0]) > tolerance
    assert model.predict(X)[sure].tolist() == other.predict(X)[sure].tolist()


@each_variant
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {"spam": 3.0}], ids=repr)
def test_decisions_on_weighted_numbers_are_those_of_liblinear(variant: Any, n_labels: int, class_weight: Any) -> None:
    if isinstance(variant, LogisticRegression) and n_labels > 2:
        return  # scikit-learn's refuses; the corpora below have many labels
    X, y, weights = make_data(n_labels)
    model = clone(variant).set_params(tol=1e-9, class_weight=class_weight, C=0.3, max_epochs=10**5)
    assert_same_decisions(model.fit(X, y, weights), make_liblinear(model).fit(X, y, weights), X)
    assert (model.gap_ <= 1e-9).all()


@pytest.mark.parametrize("name", CORPORA)
@each_variant
def test_decisions_on_corpora_are_those_of_scikit_learn(variant: Any, name: str, corpus: Callable[[str], Any]) -> None:
    rows = corpus(name)
    rows = rows[:: 1 + len(rows) // ENOUGH]
    X = TfidfTransformer(sublinear_tf=True).fit_transform(TermCounter("words").fit_transform([row["text"] for row in rows]))
    y = np.array([row["label"] for row in rows])
    model = clone(variant).set_params(tol=1e-8, max_epochs=10**5).fit(X, y)
    if isinstance(variant, LogisticRegression) and len(model.classes_) > 2:
        assert_probable(model, X, y)
    else:
        assert_same_decisions(model, make_liblinear(model).fit(X, y), X)


def assert_probable(model: LogisticRegression, X: Any, y: Any) -> None:
    """Against scikit-learn's models of two labels and of all, the constant column appended."""
    X1 = csr_matrix(hstack([X, np.ones((X.shape[0], 1))]))
    other = theirs.LogisticRegression(C=model.C, fit_intercept=False, solver="newton-cg", tol=1e-8)
    if model.multi == "one_vs_rest":
        other = OneVsRestClassifier(other)
    np.testing.assert_allclose(model.predict_proba(X), other.fit(X1, y).predict_proba(X1), atol=1e-3, rtol=0)


def test_the_default_cost_of_logistic_regression_fits_texts(corpus: Callable[[str], Any]) -> None:
    texts, labels = zip(*((row["text"], row["label"]) for row in corpus("cr/all")), strict=True)
    default, weak = (
        Categorizer(model=model).cross_validate(list(texts), list(labels), folds=3)
        for model in (LogisticRegression(), LogisticRegression(C=1.0))
    )
    assert default.accuracy > weak.accuracy + 0.02


@each_variant
def test_weights_are_the_same_as_repeated_documents(variant: Any) -> None:
    X, y, _ = make_data()
    times = np.arange(len(y)) % 3
    model = clone(variant).set_params(tol=1e-10, max_epochs=10**5)
    repeated = clone(model).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    assert_same_decisions(model.fit(X, y, sample_weight=times), repeated, X)


@each_variant
def test_sparse_and_dense_matrices_give_the_same_model(variant: Any) -> None:
    X, y, _ = make_data()
    X = X * (X > 0)
    dense, sparse = clone(variant).fit(X, y), clone(variant).fit(csr_matrix(X), y)
    assert dense.coef_.tobytes() == sparse.coef_.tobytes()
    assert dense.decision_function(X).tolist() == sparse.decision_function(csr_matrix(X)).tolist()


def test_entries_that_stand_twice_are_added_up_and_the_matrix_stays_as_it_was() -> None:
    twice = csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([1, 0, 1]), np.array([0, 3, 3])), (2, 2))
    model = LinearSVM().fit(twice, ["a", "b"])
    assert model.coef_.tolist() == LinearSVM().fit([[2.0, 5.0], [0.0, 0.0]], ["a", "b"]).coef_.tolist()
    assert twice.indices.tolist() == [1, 0, 1]


@each_variant
def test_same_coefficients_for_any_number_of_threads(variant: Any) -> None:
    X, y, _ = make_data(4)
    one, *more = [clone(variant).set_params(threads=threads, C=0.1).fit(X, y) for threads in (1, 2, 5)]
    assert all(model.coef_.tobytes() == one.coef_.tobytes() for model in more)
    assert all(model.gap_.tolist() == one.gap_.tolist() for model in more)


def test_bias_of_0_is_no_constant() -> None:
    X, y, _ = make_data(2)
    model = LinearSVM(bias=0, tol=1e-8, max_epochs=10**5).fit(X, y)
    assert model.intercept_.tolist() == [0.0]
    assert_same_decisions(model, make_liblinear(model, fit_intercept=False).fit(X, y), X)


def test_bias_scales_the_constant_column() -> None:
    X, y, _ = make_data(2)
    model = LinearSVM(bias=10.0, tol=1e-9, max_epochs=10**5).fit(X, y)
    assert_same_decisions(model, make_liblinear(model, intercept_scaling=10.0).fit(X, y), X)


@pytest.mark.parametrize("multi", ["one_vs_rest", "softmax"])
def test_probabilities_sum_to_1_and_agree_with_the_labels(multi: Any) -> None:
    for n_labels in (2, 3):
        X, y, _ = make_data(n_labels)
        model = LogisticRegression(multi=multi).fit(X, y)
        probabilities = model.predict_proba(np.vstack([X, 1e6 * X]))
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert np.isfinite(probabilities).all()
        labels = model.classes_[model.predict_proba(X).argmax(axis=1)]
        assert labels.tolist() == model.predict(X).tolist()


def test_of_two_labels_softmax_is_logistic_regression() -> None:
    X, y, _ = make_data(2)
    one, other = LogisticRegression(multi="softmax").fit(X, y), LogisticRegression().fit(X, y)
    assert one.coef_.tolist() == other.coef_.tolist()
    assert one.predict_proba(X).tolist() == other.predict_proba(X).tolist()


def test_linear_svm_has_no_probabilities() -> None:
    assert not hasattr(LinearSVM(), "predict_proba")


def test_ties_go_to_the_first_label() -> None:
    assert LinearSVM(bias=0).fit([[1.0], [-1.0]], ["b", "a"]).predict([[0.0]]).tolist() == ["a"]
    assert LinearSVM(bias=0).fit([[1.0], [-1.0], [2.0]], ["b", "a", "c"]).predict([[0.0]]).tolist() == ["a"]


def test_too_few_epochs_are_told() -> None:
    X, y, _ = make_data()
    with pytest.warns(NotConverged, match="max_epochs=1 epochs: the objective may be .* Raise max_epochs"):
        model = LinearSVM(max_epochs=1, tol=1e-9).fit(X, y)
    assert model.n_iter_.tolist() == [1, 1, 1]
    assert (model.gap_ > 1e-9).any()


@each_variant
@pytest.mark.parametrize("size", [1e160, 1e300])
def test_numbers_too_large_are_told(variant: Any, size: float) -> None:
    X, y, _ = make_data()
    with np.errstate(all="ignore"), pytest.warns(NotConverged, match="or scale X"):
        clone(variant).set_params(max_epochs=5).fit(size * X, y)


@each_variant
def test_pickle_keeps_what_was_learned(variant: Any) -> None:
    X, y, _ = make_data()
    model = clone(variant).fit(X, y)
    assert pickle.loads(pickle.dumps(model)).decision_function(X).tolist() == model.decision_function(X).tolist()


BAD: list[dict[str, Any]] = [
    *({"C": value} for value in (0, -1.0, np.nan, np.inf, "1", True, None)),
    *({"bias": value} for value in (-1.0, np.nan, np.inf, None)),
    *({"tol": value} for value in (0, -1e-3, 1, np.nan, "small")),
    *({"max_epochs": value} for value in (0, 1.5, None)),
    *({"seed": value} for value in (-1, 0.5, None, 2**63)),
    *({"multi": value} for value in ("ovr", None)),
    *({"threads": value} for value in (0, "two")),
    *({"class_weight": value} for value in ("even", 3.0)),
]


@each_model
@pytest.mark.parametrize("options", BAD, ids=repr)
def test_bad_options_are_refused(model: Any, options: dict[str, Any]) -> None:
    X, y, _ = make_data()
    with pytest.raises(InvalidOption, match=next(iter(options))):
        model(**options).fit(X, y)


def test_unknown_loss_is_refused() -> None:
    with pytest.raises(InvalidOption, match="loss must be one of squared_hinge, hinge"):
        LinearSVM(loss="logistic").fit([[0.0], [1.0]], [0, 1])  # type: ignore[arg-type]


@each_model
def test_bad_input_is_refused_and_loses_nothing(model: Any) -> None:
    X, y, _ = make_data()
    fitted = model().fit(X, y)
    before = pickle.dumps(fitted)
    with pytest.raises(InvalidLabel, match="y has 1 class"):
        fitted.fit(X, ["spam"] * len(y))
    with pytest.raises(InvalidMatrix, match="NaN"):
        fitted.fit(np.full_like(X, np.nan), y)
    with pytest.raises(InvalidMatrix, match="one number for each"):
        fitted.fit(X, y, sample_weight=[1.0])
    with pytest.raises(InvalidMatrix, match="features"):
        fitted.predict(X[:, :3])
    assert pickle.dumps(fitted) == before


@each_model
def test_asking_before_learning_is_an_error(model: Any) -> None:
    with pytest.raises(NotFitted):
        model().predict([[0.0]])


@each_model
def test_wide_and_64_bit_sparse_forms_are_taken(model: Any) -> None:
    X, y, _ = make_data()
    wide = csr_matrix(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    assert model().fit(wide, y).coef_.tolist() == model().fit(coo_array(X), y).coef_.tolist()


def test_costs_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(InvalidOption, match="C must be a number that can be multiplied"):
        LinearSVM(1e300).fit([[0.0], [1.0]], [0, 1], [1e9, 1e9])


@pytest.mark.parametrize("extra", [0, 1])
def test_documents_are_counted_in_blocks(extra: int) -> None:
    rng, n = np.random.default_rng(0), BLOCK + extra
    X, codes, weights = rng.integers(0, 2, (n, 3)), np.arange(n) % 2, rng.integers(1, 4, n).astype(float)
    matrix = Matrix.of(csr_matrix(X))
    assert matrix.count_documents(codes, 2).tolist() == [X[codes == k].sum(axis=0).tolist() for k in (0, 1)]
    weighted = X * weights[:, None]
    assert matrix.count_documents(codes, 2, weights).tolist() == [weighted[codes == k].sum(axis=0).tolist() for k in (0, 1)]
