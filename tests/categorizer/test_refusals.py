"""What a categorizer refuses: early, with a remedy, and unchanged; and what it must not refuse."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import assert_same

from tercet import Categorizer, Documents, NaiveBayes
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, InvalidText, TercetError
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

BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"analyzer": 5}, "analyzer must be an Analyzer or the name of a preset, got 5"),
    ({"analyzer": "wrods"}, "preset must be one of words, .*, got 'wrods'"),
    ({"model": "bayes"}, "model must be 'auto', a NaiveBayes, NBSVM, .* got 'bayes'"),
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
    (
        {"model": NaiveBayes(smoothing="best")},
        "smoothing must be auto, table, a number or NAME:NUMBER .*got 'best'",
    ),
    ({"model": NaiveBayes(smoothing=[1.0])}, r"smoothing must be a number >= 0, got \[1.0\]"),
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
    ((["a"], ["x"], [1e-9]), InvalidMatrix, "sample_weight"),  # less than the least unit, 2⁻²⁰: nothing would be learned
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
    with pytest.raises(InvalidOption, match=r"each label needs one|Number of priors"):
        model.learn(["owl"], ["owl"])
    assert_same(model, untouched, TEXTS)


@pytest.mark.parametrize("change", [lambda c: c.restrict(["a", "b"]), lambda c: c.forget(["z"], ["c"])])
def test_a_given_prior_is_shared_out_among_the_labels_that_are_left(change: Any) -> None:
    model = Categorizer(model=NaiveBayes(prior={"a": 0.3, "b": 0.1, "c": 0.6})).fit(["x", "y", "z"], ["a", "b", "c"])
    assert change(model).predict_proba([""]).round(9).tolist() == [[0.75, 0.25]]


def test_labels_that_a_given_prior_rules_out_have_probabilities_among_themselves() -> None:
    model = Categorizer(model=NaiveBayes(prior={"a": 0.0, "b": 0.0, "c": 1.0})).fit(["x", "y", "z"], ["a", "b", "c"])
    assert np.isfinite(model.restrict(["a", "b"]).predict_proba(["x", ""])).all()


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
    with pytest.raises(InvalidOption, match="Number of priors"):
        model.fit(["a", "b", "c"], ["x", "y", "z"])
    assert_same(model, Categorizer(model=NaiveBayes(prior=[0.5, 0.5])).fit(TEXTS, LABELS), TEXTS)
