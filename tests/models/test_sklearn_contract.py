"""TermCounter as scikit-learn's tools meet it: clone, pipelines, searches, files and data frames."""

import pickle
import warnings
from collections.abc import Callable
from pathlib import Path

import joblib
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError, SkipTestWarning
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks
from sklearn.utils.validation import check_is_fitted

from tercet import Analyzer, TermCounter
from tercet.errors import InvalidOption, NotFitted

TEXTS = [
    *("the hen sat", "a hen and a hen", "hen eggs", "an old hen"),
    *("the fox ran", "a fox and a dog", "fox dens", "the sly fox"),
]
LABELS = ["hen"] * 4 + ["fox"] * 4

COUNTERS = [
    TermCounter(),
    TermCounter("sklearn", binary=True, min_documents=2, max_documents=0.9, max_terms=3, threads=2),
    TermCounter(Analyzer(word_ngrams=None, char_ngrams=(1, 3))),
    TermCounter(vocabulary=["hen", "fox"]),
]
each_counter = pytest.mark.parametrize("counter", COUNTERS, ids=repr)


@pytest.fixture
def pipeline() -> Pipeline:
    return Pipeline([("counter", TermCounter()), ("bayes", MultinomialNB())])


def assert_same_counts(one: TermCounter, other: TermCounter) -> None:
    assert (one.transform(TEXTS) != other.transform(TEXTS)).nnz == 0
    assert list(one.get_feature_names_out()) == list(other.get_feature_names_out())


with warnings.catch_warnings():
    # scikit-learn has just one check for what takes texts, and says so; hence the two lists below.
    warnings.simplefilter("ignore", SkipTestWarning)
    theirs = parametrize_with_checks(COUNTERS)
    names, checks = theirs.args  # the checks are a generator before scikit-learn 1.9
    checks_for_its_tags = pytest.mark.parametrize(names, list(checks), **theirs.kwargs)

CHECKS_WITHOUT_DATA = [
    estimator_checks.check_do_not_raise_errors_in_init_or_set_params,
    estimator_checks.check_estimator_repr,
    estimator_checks.check_estimator_tags_renamed,
    estimator_checks.check_estimators_unfitted,
    estimator_checks.check_get_params_invariance,
    estimator_checks.check_mixin_order,
    estimator_checks.check_no_attributes_set_in_init,
    estimator_checks.check_parameters_default_constructible,
    estimator_checks.check_set_params,
    estimator_checks.check_transformers_unfitted,
    estimator_checks.check_valid_tag_types,
]

CHECKS_WITH_DATA = [
    estimator_checks.check_estimators_fit_returns_self,
    estimator_checks.check_estimators_overwrite_params,
    estimator_checks.check_estimators_pickle,
    estimator_checks.check_fit_idempotent,
    estimator_checks.check_fit_score_takes_y,
    estimator_checks.check_n_features_in_after_fitting,
    estimator_checks.check_pipeline_consistency,
]


@checks_for_its_tags
def test_every_check_of_scikit_learn_for_text_passes(estimator: TermCounter, check: Callable[[TermCounter], None]) -> None:
    check(estimator)


@each_counter
@pytest.mark.parametrize("check", CHECKS_WITHOUT_DATA)
def test_check_of_scikit_learn_that_needs_no_data_passes(counter: TermCounter, check: Callable[..., None]) -> None:
    check("TermCounter", counter)


@each_counter
@pytest.mark.parametrize("check", CHECKS_WITH_DATA)
def test_check_of_scikit_learn_passes_when_its_rows_are_texts(
    counter: TermCounter, check: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(estimator_checks, "_enforce_estimator_tags_X", lambda estimator, X, **_: write_rows(X))
    check("TermCounter", counter)


def write_rows(X: npt.NDArray[np.float64]) -> npt.NDArray[np.object_]:
    """A text for each row: a word for each column and its number, rounded."""
    return np.array([" ".join(f"column{j}is{x:.0f}" for j, x in enumerate(row)) for row in X], dtype=object)


@each_counter
def test_transform_changes_nothing_in_the_counter(counter: TermCounter) -> None:
    fitted = clone(counter).fit(TEXTS)
    before = dict(vars(fitted))
    fitted.transform(TEXTS)
    assert vars(fitted) == before


@each_counter
def test_row_depends_on_its_text_alone(counter: TermCounter) -> None:
    fitted = clone(counter).fit(TEXTS)
    rows = [fitted.transform([text]).toarray()[0].tolist() for text in TEXTS]
    assert fitted.transform(TEXTS).toarray().tolist() == rows


@each_counter
def test_order_of_the_texts_does_not_matter_to_the_vocabulary(counter: TermCounter) -> None:
    assert clone(counter).fit(TEXTS).vocabulary_ == clone(counter).fit(TEXTS[::-1]).vocabulary_


@each_counter
def test_clone_keeps_the_parameters(counter: TermCounter) -> None:
    assert clone(counter).get_params() == counter.get_params()


def test_clone_forgets_what_was_learned() -> None:
    assert not hasattr(clone(TermCounter().fit(TEXTS)), "vocabulary_")


@each_counter
def test_constructor_takes_what_get_params_gives(counter: TermCounter) -> None:
    assert TermCounter(**counter.get_params(deep=False)).get_params() == counter.get_params()


def test_get_params_reaches_into_an_analyzer() -> None:
    counter = TermCounter(Analyzer(word_ngrams=(1, 2)))
    assert counter.get_params()["analyzer__word_ngrams"] == (1, 2)
    assert "analyzer__word_ngrams" not in counter.get_params(deep=False)


@pytest.mark.parametrize("analyzer", ["sklearn", Analyzer.preset("sklearn")])
def test_set_params_reaches_into_an_analyzer_and_into_a_preset(analyzer: Analyzer | str) -> None:
    counter = TermCounter(analyzer).set_params(analyzer__word_ngrams=(1, 2), binary=True)
    assert (counter.analyzer, counter.binary) == (Analyzer.preset("sklearn", word_ngrams=(1, 2)), True)


def test_set_params_takes_an_analyzer_and_its_options_in_any_order() -> None:
    counter = TermCounter().set_params(analyzer__lowercase=False, analyzer="sklearn")
    assert counter.analyzer == Analyzer.preset("sklearn", lowercase=False)


def test_set_params_leaves_the_analyzer_of_a_clone_alone() -> None:
    counter = TermCounter(Analyzer())
    clone(counter).set_params(analyzer__lowercase=False)
    assert counter.analyzer == Analyzer()


@pytest.mark.parametrize("name", ["ngram_range", "analyzer__stop_words", "binary__x"])
def test_unknown_parameter_is_a_value_error_that_names_it(name: str) -> None:
    with pytest.raises(ValueError, match=name.rpartition("__")[2]) as caught:
        TermCounter().set_params(**{name: 1})
    assert isinstance(caught.value, InvalidOption)


def test_pipeline_fits_and_predicts(pipeline: Pipeline) -> None:
    assert list(pipeline.fit(TEXTS, LABELS).predict(["hen and eggs", "sly fox"])) == ["hen", "fox"]


def test_pipeline_can_keep_its_steps_in_a_cache(pipeline: Pipeline, tmp_path: Path) -> None:
    cached = clone(pipeline).set_params(memory=str(tmp_path))
    for _ in range(2):
        assert list(cached.fit(TEXTS, LABELS).predict(TEXTS)) == list(pipeline.fit(TEXTS, LABELS).predict(TEXTS))


def test_pipeline_names_its_columns() -> None:
    pipeline = Pipeline([("counter", TermCounter(vocabulary=["hen", "fox"])), ("tfidf", TfidfTransformer())])
    assert list(pipeline.fit(TEXTS).get_feature_names_out()) == ["hen", "fox"]


def test_pipeline_has_a_picture(pipeline: Pipeline) -> None:
    assert "TermCounter" in pipeline.fit(TEXTS, LABELS)._repr_html_()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search_tries_analyzers(pipeline: Pipeline, n_jobs: int) -> None:
    analyzers = ["words", "sklearn", Analyzer(word_ngrams=None, char_ngrams=(1, 2))]
    search = GridSearchCV(pipeline, {"counter__analyzer": analyzers}, cv=2, n_jobs=n_jobs, error_score="raise")
    search.fit(TEXTS, LABELS)
    assert [params["counter__analyzer"] for params in search.cv_results_["params"]] == analyzers
    assert search.best_estimator_["counter"].analyzer == search.best_params_["counter__analyzer"]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("analyzer", ["sklearn", Analyzer.preset("sklearn")])
def test_grid_search_tries_options_of_an_analyzer(pipeline: Pipeline, analyzer: Analyzer | str, n_jobs: int) -> None:
    pipeline.set_params(counter__analyzer=analyzer)
    grid = {"counter__analyzer__word_ngrams": [(1, 1), (1, 2), (2, 2)], "counter__binary": [False, True]}
    search = GridSearchCV(pipeline, grid, cv=2, n_jobs=n_jobs, error_score="raise").fit(TEXTS, LABELS)
    best = search.best_params_["counter__analyzer__word_ngrams"]
    assert len(search.cv_results_["params"]) == 6
    assert search.best_estimator_["counter"].analyzer == Analyzer.preset("sklearn", word_ngrams=best)
    assert pipeline["counter"].analyzer == analyzer


def test_grid_search_gives_the_same_scores_in_two_processes(pipeline: Pipeline) -> None:
    grid = {"counter__analyzer__word_ngrams": [(1, 1), (1, 2), (2, 2)]}
    scores = [GridSearchCV(pipeline, grid, cv=2, n_jobs=n).fit(TEXTS, LABELS).cv_results_["mean_test_score"] for n in (1, 2)]
    assert scores[0].tolist() == scores[1].tolist()


def test_grid_search_tries_numbers_of_numpy(pipeline: Pipeline) -> None:
    grid = {"counter__max_terms": np.arange(1, 4), "counter__min_documents": np.arange(1, 3)}
    search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    assert len(search.cv_results_["params"]) == 6


@each_counter
def test_pickle_keeps_what_was_learned(counter: TermCounter) -> None:
    fitted = clone(counter).fit(TEXTS)
    assert_same_counts(pickle.loads(pickle.dumps(fitted)), fitted)


@each_counter
def test_joblib_keeps_what_was_learned(counter: TermCounter, tmp_path: Path) -> None:
    fitted = clone(counter).fit(TEXTS)
    joblib.dump(fitted, tmp_path / "counter.joblib")
    assert_same_counts(joblib.load(tmp_path / "counter.joblib"), fitted)


@each_counter
def test_pickle_keeps_the_parameters_of_a_counter_that_has_not_learned(counter: TermCounter) -> None:
    assert pickle.loads(pickle.dumps(counter)).get_params() == counter.get_params()


def test_pickle_remembers_the_analyzer_it_was_fitted_with() -> None:
    fitted = TermCounter("sklearn").fit(TEXTS)
    copy = pickle.loads(pickle.dumps(clone(fitted).fit(TEXTS).set_params(analyzer="whitespace")))
    assert_same_counts(copy, fitted)


def test_set_output_of_a_pipeline_reaches_the_steps_that_can() -> None:
    dense = FunctionTransformer(lambda X: X.toarray(), feature_names_out="one-to-one", check_inverse=False)
    pipeline = Pipeline([("counter", TermCounter(vocabulary=["hen", "fox"])), ("dense", dense), ("scale", StandardScaler())])
    frame = pipeline.set_output(transform="pandas").fit_transform(TEXTS)
    assert isinstance(frame, pd.DataFrame)
    assert len(frame) == len(TEXTS)


def test_set_output_does_not_change_predictions(pipeline: Pipeline) -> None:
    frames = clone(pipeline).set_output(transform="pandas").fit(TEXTS, LABELS)
    assert list(frames.predict(TEXTS)) == list(pipeline.fit(TEXTS, LABELS).predict(TEXTS))


def test_set_output_for_all_of_scikit_learn_does_not_break_a_pipeline(pipeline: Pipeline) -> None:
    with config_context(transform_output="pandas"):
        assert list(pipeline.fit(TEXTS, LABELS).predict(["sly fox"])) == ["fox"]


def test_not_fitted_is_the_error_of_scikit_learn_too() -> None:
    with pytest.raises(NotFittedError) as caught:
        TermCounter().transform(TEXTS)
    assert isinstance(caught.value, NotFitted)


def test_not_fitted_can_be_sent_to_another_process() -> None:
    with pytest.raises(NotFitted) as caught:
        TermCounter().transform(TEXTS)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(copy, NotFittedError)
    assert str(copy) == str(caught.value)


def test_check_is_fitted_sees_whether_there_is_a_vocabulary() -> None:
    with pytest.raises(NotFittedError):
        check_is_fitted(TermCounter())
    check_is_fitted(TermCounter().fit(TEXTS))
    check_is_fitted(TermCounter(vocabulary=["hen"]))


def test_column_transformer_counts_a_column_of_a_data_frame() -> None:
    frame = pd.DataFrame({"text": TEXTS, "length": [len(text) for text in TEXTS]})
    columns = ColumnTransformer([("text", TermCounter(), "text"), ("length", "passthrough", ["length"])], sparse_threshold=1)
    matrix = columns.fit_transform(frame)
    assert (matrix[:, :-1] != TermCounter().fit_transform(TEXTS)).nnz == 0
    assert [*columns.get_feature_names_out()][-2:] == ["text__the", "length__length"]


def test_feature_union_puts_counts_side_by_side() -> None:
    words, characters = TermCounter(), TermCounter(Analyzer(word_ngrams=None, char_ngrams=(2, 2)))
    union = FeatureUnion([("words", words), ("characters", characters)], n_jobs=2)
    matrix = union.fit_transform(TEXTS)
    expected = np.hstack([counter.fit_transform(TEXTS).toarray() for counter in (words, characters)])
    assert matrix.toarray().tolist() == expected.tolist()
    assert union.get_feature_names_out()[0] == "words__a"
