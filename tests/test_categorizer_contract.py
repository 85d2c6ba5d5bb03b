"""A categorizer as scikit-learn's tools meet it, and what it refuses: early, with a remedy, and unchanged."""

import pickle
from typing import Any

import numpy as np
import pytest
from learned import Learned, assert_same
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from tercet import Analyzer, Categorizer, Documents, NaiveBayes
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, InvalidText, NotFitted, TercetError
from tercet.models.smoothing import AbsoluteDiscount, JelinekMercer

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
    with pytest.raises(TercetError, match="learn|fit"):
        getattr(model, ask)(["hen"])


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"analyzer": 5}, "analyzer must be an Analyzer or the name of a preset, got 5"),
    ({"analyzer": "wrods"}, "preset must be one of words, sklearn, whitespace.*, got 'wrods'"),
    ({"model": "bayes"}, "model must be a NaiveBayes or None, got 'bayes'"),
    ({"min_documents": 0}, "min_documents must be an int >= 1, got 0"),
    ({"min_documents": 0.5}, "min_documents must be an int >= 1, got 0.5"),
    ({"max_terms": 0}, "max_terms must be an int >= 1, got 0"),
    ({"max_terms": "all"}, "max_terms must be an int >= 1, got 'all'"),
    ({"numeric": "links"}, "numeric must be a list of names of columns, got 'links'"),
    ({"numeric": [1]}, r"numeric must be a list of names of columns, got \[1\]"),
    ({"numeric": 5}, "numeric must be a list of names of columns, got 5"),
    ({"numeric": None}, "numeric must be a list of names of columns, got None"),
    ({"numeric": ["links"]}, r"pass Documents\(texts, labels, columns="),
    ({"remember": "yes"}, "remember must be True or False, got 'yes'"),
    ({"threads": 0}, "threads must be an int >= 1, got 0"),
    ({"threads": 1.5}, "threads must be an int >= 1, got 1.5"),
    ({"model": NaiveBayes("gaussian")}, "kind must be one of multinomial, binary, bernoulli, complement, got 'gaussian'"),  # type: ignore[arg-type]
    ({"model": NaiveBayes(smoothing=-1)}, "smoothing must be a number >= 0, got -1.*Try 0.001"),
    ({"model": NaiveBayes(smoothing="best")}, "smoothing must be one of auto, table, got 'best'"),
    ({"model": NaiveBayes(smoothing=None)}, "smoothing must be a number >= 0, got None"),
    ({"model": NaiveBayes(prior="unifrom")}, "prior must be empirical, uniform, a mapping or a sequence, got 'unifrom'"),
    ({"model": NaiveBayes(prior={"hen": 1.0})}, "no probability for the label 'fox'"),
    ({"model": NaiveBayes(prior=[0.5, 0.6])}, "sum of the priors should be 1, got 1.1"),
    ({"model": NaiveBayes(vocabulary="all")}, "vocabulary must be one of union, shared, got 'all'"),  # type: ignore[arg-type]
    ({"model": NaiveBayes(unknown="drop")}, "unknown must be one of ignore, unk, got 'drop'"),  # type: ignore[arg-type]
    ({"model": NaiveBayes("bernoulli", "table")}, "has no smoothing='table': give a number, or 'auto'"),
    ({"model": NaiveBayes("complement", JelinekMercer(0.5))}, "has no JelinekMercer smoothing: give a number"),
    ({"model": NaiveBayes("complement", 0)}, "'complement' needs smoothing > 0"),
    ({"model": NaiveBayes("bernoulli", vocabulary="shared")}, "has no vocabulary='shared'"),
    (
        {"model": NaiveBayes(smoothing=AbsoluteDiscount(0.5), unknown="unk")},
        "unknown='unk' needs kind='multinomial' or 'binary'",
    ),
]


@pytest.mark.parametrize(("options", "message"), BAD_OPTIONS, ids=str)
def test_a_bad_option_is_refused_by_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Categorizer(**options).fit(TEXTS, LABELS)


@pytest.mark.parametrize(("options", "message"), [row for row in BAD_OPTIONS if row[0].get("model")], ids=str)
def test_a_bad_option_is_refused_by_cross_validation(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Categorizer(**options).cross_validate(TEXTS, LABELS, folds=2)


BAD_DOCUMENTS: list[tuple[tuple[Any, ...], type[TercetError], str]] = [
    (("the hen", ["hen"]), InvalidText, r"got a single str.*Write \[text\]"),
    ((5, ["hen"]), InvalidText, "got int"),
    ((None, ["hen"]), InvalidText, "got NoneType"),
    ((["a", None], ["x", "y"]), InvalidText, r'text 1 \(counted from 0\) is None.*Fill it with "" or drop the row'),
    ((["a", 5], ["x", "y"]), InvalidText, r"text 1 \(counted from 0\) is int 5, not a str"),
    ((["a", float("nan")], ["x", "y"]), InvalidText, r"text 1 .* is nan.*drop the row"),
    (([["a"], ["b"]], ["x", "y"]), InvalidText, "text 0 .* is list"),
    ((np.array([["a", "b"]]), ["x", "y"]), InvalidText, "Choose one column"),
    ((["a", "b"], None), InvalidLabel, "requires y to be passed"),
    ((["a", "b"], "xy"), InvalidLabel, "labels must be a list with one label for each document, got 'xy'"),
    ((["a", "b"], ["x", None]), InvalidLabel, r"label 1 \(counted from 0\) is None.*Drop the row"),
    ((["a", "b"], ["x", 1]), InvalidLabel, "labels must have one type.*Convert them to str"),
    ((["a", "b"], [0.5, 1.5]), InvalidLabel, "Unknown label type: continuous"),
    ((["a", "b"], ["x"]), InvalidLabel, "1 labels and more texts: each text needs one label"),
    ((["a"], ["x", "y"]), InvalidLabel, "2 labels and 1 texts: each text needs one label"),
    (({"a": 1}.keys(), ["x", "y"]), InvalidLabel, "2 labels and 1 texts: each text needs one label"),
    (([], []), InvalidLabel, "give at least one document"),
    ((["a"], ["x"], [1, 2]), InvalidMatrix, "sample_weight must have one number for each of 1 documents"),
    ((["a"], ["x"], [-1]), InvalidMatrix, "sample_weight must hold finite numbers >= 0"),
    ((["a"], ["x"], [np.nan]), InvalidMatrix, "sample_weight must hold finite numbers >= 0"),
    ((["a"], ["x"], [0]), InvalidMatrix, "sample_weight is zero for every document"),
    ((["a"], ["x"], ["heavy"]), InvalidMatrix, "sample_weight must hold .*numbers"),
    ((["a"], ["x"], [1e15]), InvalidMatrix, "Use smaller weights"),
    ((Documents(["a"], ["x"]), ["x"]), InvalidLabel, "Give one"),
    ((Documents(["a"]),), InvalidLabel, "requires y to be passed"),
    ((Documents(["a", None], ["x", "y"]),), InvalidText, "text 1"),
]


@pytest.mark.parametrize(("documents", "error", "message"), BAD_DOCUMENTS, ids=str)
@pytest.mark.parametrize("way", ["fit", "learn", "forget", "cross_validate"])
def test_bad_documents_are_refused_and_nothing_changes(way: str, documents: Any, error: type[Exception], message: str) -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    with pytest.raises(error, match=message):
        getattr(model, way)(*documents)
    assert_same(model, Categorizer().fit(TEXTS, LABELS), TEXTS)


@pytest.mark.parametrize("way", ["fit", "learn"])
def test_sums_that_could_not_be_exact_are_refused_and_nothing_changes(way: str) -> None:
    """They are counted in 64 bits, in units of 2⁻²⁰: 2⁴³ is too much, at once or bit by bit."""
    model = Categorizer().fit(["hen"], ["hen"], sample_weight=[2.0**41])
    before = model.table_.fingerprint()
    with pytest.raises(InvalidMatrix, match="Use smaller weights"):
        getattr(model, way)(["hen " * 4], ["hen"], [2.0**41])
    assert model.table_.fingerprint() == before


def test_labels_of_another_type_are_refused_and_nothing_changes() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    with pytest.raises(InvalidLabel, match="Use one type"):
        model.learn(["a"], [1])
    assert_same(model, Categorizer().fit(TEXTS, LABELS), TEXTS)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({}, "no column 'n': there is none"),
        ({"m": [1, 2]}, "no column 'n': there is 'm'"),
        ({"n": [1, None]}, "the column 'n' has (None|nan) at 1"),
        ({"n": [1, "x"]}, "the column 'n' has 'x' at 1"),
        ({"n": [1, np.inf]}, "the column 'n' has inf at 1"),
        ({"n": [1]}, "rows? of numbers|'n' has 1"),
        ({"n": [1, 2, 3]}, "rows? of numbers|'n' has 3"),
        ({"n": [[1, 2], [3, 4]]}, "one dimension|one number"),
    ],
    ids=str,
)
def test_bad_columns_are_refused(columns: Any, message: str) -> None:
    with pytest.raises(TercetError, match=message):
        Categorizer(numeric=["n"]).fit(Documents(["a", "b"], ["x", "y"], columns=columns))
    model = Categorizer(numeric=["n"]).fit(Documents(["a", "b"], ["x", "y"], columns={"n": [1, 2]}))
    with pytest.raises(TercetError, match=message):
        model.predict(Documents(["a", "b"], columns=columns))


def test_large_numbers_have_finite_probabilities() -> None:
    documents = Documents(["a", "b"], ["x", "y"], columns={"n": [1e200, -1e200]})
    probabilities = Categorizer(numeric=["n"]).fit(documents).predict_proba(documents)
    assert np.isfinite(probabilities).all()


@pytest.mark.parametrize("smoothing", [1e-9, 1e-100, 1e-300, 5e-324])
@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
def test_any_smoothing_above_zero_gives_probabilities(kind: Any, smoothing: float) -> None:
    model = Categorizer(model=NaiveBayes(kind, smoothing)).fit(TEXTS, LABELS)
    probabilities = model.predict_proba(["hen", "hen fox fox", ""])
    assert np.isfinite(probabilities).all()
    assert model.predict(["hen", "fox"]).tolist() == ["hen", "fox"]


@pytest.mark.parametrize("prior", [{"fox": 0.5, "hen": 0.5}, [0.5, 0.5]], ids=str)
def test_a_given_prior_that_no_longer_fits_is_refused_and_nothing_changes(prior: Any) -> None:
    """A new label has no probability; so what brings one is refused, not every question after it."""
    model, untouched = (Categorizer(model=NaiveBayes(prior=prior)).fit(TEXTS, LABELS) for _ in "ab")
    with pytest.raises(InvalidOption, match="each label needs one|Number of priors"):
        model.learn(["owl"], ["owl"])
    assert_same(model, untouched, TEXTS)


@pytest.mark.parametrize("change", [lambda c: c.restrict(["a", "b"]), lambda c: c.forget(["z"], ["c"])])
def test_a_given_prior_is_shared_out_among_the_labels_that_are_left(change: Any) -> None:
    model = Categorizer(model=NaiveBayes(prior={"a": 0.3, "b": 0.1, "c": 0.6})).fit(["x", "y", "z"], ["a", "b", "c"])
    assert change(model).predict_proba([""]).round(9).tolist() == [[0.75, 0.25]]


@pytest.mark.parametrize(
    ("gold", "message"), [(None, "labels"), (["hen"], "8 texts|1 labels"), ([*LABELS, "hen"], "8 texts|9 labels")]
)
def test_a_score_needs_one_label_for_each_text(gold: Any, message: str) -> None:
    with pytest.raises(InvalidLabel, match=message):
        Categorizer().fit(TEXTS, LABELS).score(TEXTS, gold)


def test_only_categorizers_can_be_added() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    for other in (1, "x", NaiveBayes().fit([[1]], ["a"]), model.table_):
        with pytest.raises((TypeError, TercetError)):
            model + other
    assert_same(sum([model, model], start=Categorizer().fit(["x"], ["hen"])).forget(["x"], ["hen"]), model + model, TEXTS)


def test_a_failed_fit_leaves_what_was_learned() -> None:
    model = Categorizer(model=NaiveBayes(prior=[0.5, 0.5])).fit(TEXTS, LABELS)
    before = Learned(TEXTS, LABELS, [1.0] * 8)
    with pytest.raises(InvalidOption, match="Number of priors"):
        model.fit(["a", "b", "c"], ["x", "y", "z"])
    assert_same(model, Categorizer(model=NaiveBayes(prior=[0.5, 0.5])).fit(*before), TEXTS)
