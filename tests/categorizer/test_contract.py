"""A categorizer as scikit-learn's tools meet it: clone, searches, pipelines, options that are set, and who is not fitted."""

import pickle
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import assert_same
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from tercet import Analyzer, Categorizer, NaiveBayes
from tercet.errors import InvalidOption, NotFitted, TercetError
from tercet.models.smoothing import JelinekMercer

TEXTS = [
    "the hen sat",
    "a hen and a hen",
    "hen eggs",
    "an old hen",
    "the fox ran",
    "a fox and a dog",
    "fox dens",
    "the sly fox",
]
LABELS = ["hen"] * 4 + ["fox"] * 4


def test_a_clone_has_the_options_and_nothing_learned() -> None:
    model = Categorizer("sklearn", NaiveBayes("bernoulli", 0.5), min_documents=2, max_terms=9, remember=False, threads=1)
    copied = clone(model.fit(TEXTS, LABELS))
    assert repr(copied) == repr(model)
    assert copied.model is not model.model
    with pytest.raises(NotFittedError):
        check_is_fitted(copied)
    check_is_fitted(model)
    assert is_classifier(model)


@pytest.mark.parametrize("model", [Categorizer(), Categorizer("words", NaiveBayes())], ids=repr)
def test_a_search_reaches_the_options_of_analyzer_and_model(model: Categorizer) -> None:
    grid = {
        "model__smoothing": [0.1, 1.0, JelinekMercer(0.5)],
        "analyzer__word_ngrams": [(1, 1), (1, 2)],
        "min_documents": [1, 2],
    }
    search = GridSearchCV(model, grid, cv=2, error_score="raise").fit(TEXTS, LABELS)
    best = search.best_estimator_
    assert best.analyzer.word_ngrams == search.best_params_["analyzer__word_ngrams"]
    assert best.model.smoothing == search.best_params_["model__smoothing"]
    assert search.predict(["hen", "fox"]).tolist() == ["hen", "fox"]
    assert search.predict_proba(["hen"]).shape == (1, 2)
    assert len(search.cv_results_["params"]) == 12


def test_options_can_be_set_by_their_path() -> None:
    model = Categorizer().set_params(model__smoothing=0.1, analyzer__word_ngrams=(1, 3), min_documents=2)
    assert (model.model.kind, model.model.smoothing, model.analyzer.word_ngrams, model.min_documents) == (
        "binary",
        0.1,
        (1, 3),
        2,
    )  # type: ignore[union-attr]
    assert Categorizer("sklearn").set_params(analyzer__lowercase=False).analyzer == Analyzer.preset("sklearn", lowercase=False)
    assert Categorizer().model is None  # the default belongs to all
    with pytest.raises(InvalidOption, match="has no parameter 'alpha': it has analyzer, model"):
        model.set_params(alpha=1)
    with pytest.raises(InvalidOption, match="has no parameter 'alpha'"):
        model.set_params(model__alpha=1)


def test_it_is_cross_validated_and_ends_a_pipeline() -> None:
    assert cross_val_score(Categorizer(), TEXTS, LABELS, cv=2).tolist() == [1.0, 1.0]
    assert cross_val_predict(Categorizer(), np.array(TEXTS), LABELS, cv=2, method="predict_proba").shape == (8, 2)
    pipeline = Pipeline(
        [("upper", FunctionTransformer(lambda texts: [text.upper() for text in texts])), ("words", Categorizer())]
    )
    assert pipeline.fit(TEXTS, LABELS).predict(["A HEN"]).tolist() == ["hen"]
    assert pipeline.score(TEXTS, LABELS) == 1.0
    assert pipeline.set_params(words__model__smoothing=0.5).fit(TEXTS, LABELS)[-1].model.smoothing == 0.5


def test_learning_in_parts_has_the_name_that_scikit_learn_gives_it() -> None:
    model = Categorizer().partial_fit(TEXTS[:5], LABELS[:5], classes=["fox", "hen"])
    model.partial_fit(TEXTS[5:], LABELS[5:], sample_weight=[1, 2, 1])
    assert_same(model, Categorizer().fit(TEXTS, LABELS, sample_weight=[1] * 6 + [2, 1]), TEXTS)


@pytest.mark.parametrize("change", [{"model__smoothing": 5.0}, {"min_documents": 3}, {"max_terms": 1}], ids=str)
@pytest.mark.parametrize("asked_before", [True, False])
def test_options_set_after_fit_wait_for_the_next_fit(change: Any, asked_before: bool) -> None:
    model = Categorizer(model=NaiveBayes(smoothing=0.1)).fit(TEXTS, LABELS)
    expected = Categorizer(model=NaiveBayes(smoothing=0.1)).fit(TEXTS, LABELS).log_joint(TEXTS)
    if asked_before:
        model.log_joint(TEXTS)
    model.set_params(**change)
    assert (model.log_joint(TEXTS) == expected).all()
    assert (pickle.loads(pickle.dumps(model)).log_joint(TEXTS) == expected).all()
    assert (model.fit(TEXTS, LABELS).log_joint(TEXTS) != expected).any()


@pytest.mark.parametrize(
    "ask",
    [
        *("predict", "predict_proba", "predict_log_proba", "log_joint", "log_likelihood", "explain", "restrict"),
        *(lambda c: c.classes_, lambda c: c.smoothing_, lambda c: c.compact(), lambda c: c.most_informative(), lambda c: c + c),
        *(lambda c: c.forget(TEXTS, LABELS), lambda c: c.retune(TEXTS, LABELS), lambda c: c.leave_one_out(TEXTS, LABELS)),
        *(lambda c: c.generate("hen"), lambda c: c.perplexity(TEXTS, "hen"), lambda c: c.score(TEXTS, LABELS)),
    ],
)
def test_who_has_learned_nothing_says_so(ask: Any) -> None:
    model = Categorizer()
    with pytest.raises(NotFitted, match="Categorizer is not fitted yet: call fit") as caught:
        getattr(model, ask)(TEXTS) if isinstance(ask, str) else ask(model)
    assert isinstance(caught.value, NotFittedError)


def test_the_remedy_is_something_that_it_has() -> None:
    with pytest.raises(NotFitted) as caught:
        Categorizer().predict(TEXTS)
    assert "fit_transform" not in str(caught.value)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "log_joint", "explain"])
def test_who_has_forgotten_all_says_so(ask: str) -> None:
    model = Categorizer().fit(["hen"], ["hen"]).forget(["hen"], ["hen"])
    with pytest.raises(TercetError, match=r"learn|fit"):
        getattr(model, ask)(["hen"])


def test_labels_that_a_user_changes_are_a_copy() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    model.classes_[:] = "???"
    assert model.classes_.tolist() == sorted(set(LABELS))
    assert model.predict(["hen"]).tolist() == ["hen"]


class Named(Categorizer):
    """A subclass with an attribute of its own, which is no option."""

    def __init__(self, owner: str = "", **options: Any) -> None:
        super().__init__(**options)
        self.owner = owner


@pytest.mark.parametrize("make", [lambda c: c.restrict(["hen", "fox"]), lambda c: c.prune(), lambda c: c + c])
def test_a_copy_of_a_subclass_keeps_what_its_objects_have(make: Any) -> None:
    model = Named("ann", min_documents=2).fit(TEXTS, LABELS)
    model.tells_age = False
    made = make(model)
    assert (type(made), made.owner, made.min_documents, made.tells_age) == (Named, "ann", 2, False)
    assert made.predict(["hen"]).tolist() == ["hen"]


def test_two_fitted_values_are_equal_only_if_they_are_one() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    assert model.fitted_ != Categorizer().fit(TEXTS, LABELS).fitted_
    assert len({model.fitted_, model.fitted_}) == 2
