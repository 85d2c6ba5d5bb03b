"""The vector space model: TermWeighting gives the numbers of scikit-learn's TfidfTransformer, and its parts their formulas."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet import Analyzer, TermCounter, TermWeighting
from tercet.counts import weighting as steps
from tercet.errors import InvalidMatrix, InvalidOption, NotFitted
from tercet.models.nbsvm import log_count_ratio

Floats = npt.NDArray[np.float64]

TEXTS = ["the hen and the fox", "the fox the fox the fox", "a dog", "the dog and the hen"]
IDF: dict[str | None, dict[str, Any]] = {None: {"use_idf": False}, "plain": {"smooth_idf": False}, "smooth": {}}
TF: dict[str, dict[str, Any]] = {"raw": {}, "log": {"sublinear_tf": True}}

counts = arrays(np.int64, st.tuples(st.integers(1, 6), st.integers(1, 5)), elements=st.sampled_from([0, 0, 1, 1, 2, 9]))
shares = arrays(np.float64, (4, 3), elements=st.sampled_from([0.0, 0.25, 1.0, 1.5, 7.0]))
SETTINGS: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"tf": tf, "idf": idf, "norm": norm}, TF[tf] | IDF[idf] | {"norm": norm})
    for tf in TF
    for idf in IDF
    for norm in (None, "l1", "l2")
]

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Estimator TermWeighting does not inherit")  # it follows the contract anyway
    checked = parametrize_with_checks(
        [TermWeighting(), TermWeighting("log", "plain", "l1"), TermWeighting("binary", None, None)]
    )
    checks = pytest.mark.parametrize(checked.args[0], list(checked.args[1]), **checked.kwargs)


@checks
@pytest.mark.filterwarnings("ignore:Estimator TermWeighting does not inherit")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


@given(st.sampled_from(SETTINGS), counts | shares)
def test_weights_are_those_of_scikit_learn(both: tuple[dict[str, Any], dict[str, Any]], X: Floats) -> None:
    ours, theirs = both
    X = np.vstack([X, np.ones_like(X[:1])])  # theirs divides by 0 for a term that no document has
    expected = TfidfTransformer(**theirs).fit(X)
    weighting = TermWeighting(**ours).fit(X)
    for counts in (X, X[::-1] * 3, sparse.csr_matrix(X), sparse.csc_array(X)):
        before = counts.copy()
        np.testing.assert_allclose(
            weighting.transform(counts).toarray(), expected.transform(sparse.csr_matrix(counts)).toarray(), rtol=1e-12
        )
        assert abs(before - counts).max() == 0  # the argument stays as it was


@pytest.mark.parametrize(("ours", "theirs"), SETTINGS, ids=str)
def test_texts_get_the_weights_of_tfidfvectorizer(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    pipeline = make_pipeline(TermCounter(Analyzer.preset("sklearn", word_ngrams=(1, 2))), TermWeighting(**ours))
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), **theirs)
    np.testing.assert_allclose(pipeline.fit_transform(TEXTS).toarray(), vectorizer.fit_transform(TEXTS).toarray(), rtol=1e-12)
    assert list(pipeline.get_feature_names_out()) == list(vectorizer.get_feature_names_out())
    later = ["the hen and an unknown word", ""]
    np.testing.assert_allclose(pipeline.transform(later).toarray(), vectorizer.transform(later).toarray(), rtol=1e-12)


def test_a_corpus_gets_the_weights_of_scikit_learn(corpus: Callable[[str], list[dict[str, str]]]) -> None:
    texts = [row["text"] for row in corpus("sms_spam/all")]
    X = TermCounter("sklearn").fit_transform(texts)
    ours, theirs = TermWeighting("log").fit_transform(X), TfidfTransformer(sublinear_tf=True).fit_transform(X)
    assert (ours.indices == theirs.indices).all()
    np.testing.assert_allclose(ours.data, theirs.data, rtol=1e-12)


@given(counts)
def test_fit_then_transform_is_fit_transform(X: npt.NDArray[np.int64]) -> None:
    assert (TermWeighting().fit(X).transform(X) != TermWeighting().fit_transform(X)).nnz == 0


def test_the_matrix_that_was_given_stays_as_it_was() -> None:
    X = sparse.csr_matrix(([3.0, 0.0, 2.0, 1.0], [1, 0, 1, 0], [0, 3, 4]), shape=(2, 2))  # a zero, twice the same column
    before = X.copy()
    TermWeighting("log").fit_transform(X).data[:] = 9
    for name in ("data", "indices", "indptr"):
        assert getattr(X, name).tolist() == getattr(before, name).tolist()


def test_a_stored_zero_is_no_document_that_has_the_term() -> None:
    X = sparse.csr_matrix(([0.0, 2.0], [0, 1], [0, 2]), shape=(1, 2))
    assert TermWeighting().fit(X).document_frequencies_.tolist() == [0, 1]


def test_a_binary_tf_forgets_how_often() -> None:
    X = TermCounter().fit_transform(TEXTS)
    assert (TermWeighting("binary").fit_transform(X) != TermWeighting().fit_transform(X.sign())).nnz == 0


def test_a_document_without_terms_has_no_weights_and_no_nan() -> None:
    for norm in ("l1", "l2"):
        assert TermWeighting(norm=norm).fit([[1, 2]]).transform([[0, 0]]).toarray().tolist() == [[0, 0]]


def test_idf_is_its_formula() -> None:
    document_frequencies = [1, 2, 5, 9, 10]
    for way, formula in {
        "plain": lambda df: math.log(10 / df) + 1,
        "smooth": lambda df: math.log(11 / (df + 1)) + 1,
        "probabilistic": lambda df: max(0.0, math.log((10 - df) / df)) if df < 10 else 0.0,
        None: lambda df: 1.0,
    }.items():
        expected = [formula(df) for df in document_frequencies]
        assert steps.inverse_frequencies(document_frequencies, 10, way) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("way", ["plain", "probabilistic"])
def test_a_term_that_no_document_has_weighs_nothing(way: Any) -> None:
    assert steps.inverse_frequencies([0], 10, way).tolist() == [0.0]
    assert TermWeighting(idf=way).fit([[1, 0], [0, 0], [0, 0]]).transform([[2, 2]]).toarray().tolist() == [[1.0, 0.0]]


def test_log_count_ratio_is_its_formula_and_changes_its_sign_with_the_sides() -> None:
    inside, outside = np.array([5, 0, 2]), np.array([1, 1, 4])
    p, q = inside + 0.5, outside + 0.5
    expected = np.log((p / p.sum()) / (q / q.sum()))
    np.testing.assert_allclose(log_count_ratio(inside, outside, 0.5), expected, rtol=1e-12)
    np.testing.assert_allclose(log_count_ratio(outside, inside, 0.5), -expected, rtol=1e-12)


@pytest.mark.parametrize("smoothing", [0, -1, math.nan, math.inf, "1", True])
def test_a_smoothing_that_is_none_is_refused(smoothing: Any) -> None:
    with pytest.raises(InvalidOption, match="smoothing must be a number > 0"):
        log_count_ratio([1], [1], smoothing)


@pytest.mark.parametrize("option", [{"tf": "sqrt"}, {"tf": None}, {"idf": True}, {"norm": "max"}])
def test_an_unknown_way_is_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match=f"{next(iter(option))} must be one of"):
        TermWeighting(**option).fit([[1]])


def test_negative_counts_other_columns_and_no_fit_are_refused() -> None:
    with pytest.raises(InvalidMatrix, match="Negative"):
        TermWeighting().fit([[-1]])
    with pytest.raises(InvalidMatrix, match="expecting 1 features"):
        TermWeighting().fit([[1]]).transform([[1, 2]])
    with pytest.raises(NotFitted):
        TermWeighting().transform([[1]])
