"""The whole chain from texts to labels: parts add up to the whole, what is learned can be forgotten, N texts get N answers."""

import operator
import pickle
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.labelled_documents import (
    LANGUAGE_MODELS,
    MODELS,
    Learned,
    any_text,
    assert_close,
    assert_same,
    learned,
    plain_texts,
    some,
)
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Analyzer, Categorizer, Documents, LinearSVM, NaiveBayes
from tercet.models.smoothing import Additive

each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
probes = st.lists(any_text, max_size=4).map(lambda texts: ["", "the hen", *texts])
TEXTS = ["the hen sat", "a hen and a hen", "the fox ran", "sly fox, sly", ""]
LABELS = ["hen", "hen", "fox", "fox", "fox"]


@each_model
@given(learned(), learned(plain_texts), learned(plain_texts), probes)
@some(0.12)
def test_parts_add_up_to_the_whole(model: NaiveBayes, a: Learned, b: Learned, c: Learned, texts: list[str]) -> None:
    parts, everything = [a, b, c], a + b + c
    whole = Categorizer(model=model, threads=1).fit(*everything)
    shards = [Categorizer(model=model, threads=3).fit(*part) for part in parts]
    assert_same(reduce(operator.add, shards), whole, texts + everything.texts)
    assert_same(shards[2] + (shards[1] + shards[0]), whole, texts)
    assert_same(pickle.loads(pickle.dumps(shards[1] + pickle.loads(pickle.dumps(shards[2])))) + shards[0], whole, texts)
    assert_same(Categorizer(model=model).fit(*b).learn(*c).learn(*a), whole, texts)
    for shard, part in zip(shards, parts, strict=True):  # a sum leaves its parts as they are
        assert_same(shard, Categorizer(model=model).fit(*part), texts)


@each_model
@pytest.mark.parametrize("options", [{"min_documents": 2}, {"max_terms": 3}, {"remember": False}], ids=str)
@given(learned(plain_texts, min_size=2), learned(plain_texts), probes)
@some(0.05)
def test_parts_add_up_with_every_option(model: NaiveBayes, options: Any, a: Learned, b: Learned, texts: list[str]) -> None:
    one, other, whole = (Categorizer("words", model, **options).fit(*part) for part in (a, b, a + b))
    assert_same(one + other, whole, texts)
    assert_same(whole.forget(*b), one, texts)


@pytest.mark.parametrize("model", [MODELS[0], MODELS[-2]], ids=repr)
def test_neither_threads_nor_order_show_in_many_documents(model: NaiveBayes) -> None:
    rng = np.random.default_rng(0)
    texts = [" ".join(f"w{i}" for i in row) for row in rng.zipf(1.3, (9000, 10)) % 3000]
    everything = Learned(texts, rng.integers(0, 100, len(texts)).tolist(), rng.integers(1, 9, len(texts)).tolist())
    one = Categorizer(model=model, threads=1).fit(*everything)
    assert_same(Categorizer(model=model, threads=3).fit(*everything.pick(rng.permutation(len(texts)))), one, texts[:200])
    assert (Categorizer(model=model, threads=3).fit(*everything).log_joint(texts[:5000]) == one.log_joint(texts[:5000])).all()


@each_model
@given(learned(), learned(labels=st.sampled_from(["a", "b", "a new label"])), probes)
@some(0.15)
def test_learning_then_forgetting_is_the_identity(model: NaiveBayes, a: Learned, b: Learned, texts: list[str]) -> None:
    ours, untouched = (Categorizer(model=model).fit(*a) for _ in "ab")
    ours.log_joint(texts)  # what was worked out before must not be used after
    assert_same(ours.learn(*b), Categorizer(model=model).fit(*(a + b)), texts)
    assert_same(ours.forget(*b), untouched, texts + a.texts + b.texts)
    assert_same(ours.learn(*b).forget(*a), Categorizer(model=model).fit(*b), texts)


def test_new_words_and_labels_come_and_go() -> None:
    model = Categorizer().fit(["the hen"], ["hen"]).learn(["an owl flew", "the hen"], ["owl", "owl"])
    assert model.classes_.tolist() == ["hen", "owl"]
    assert model.predict(["owl"]).tolist() == ["owl"]
    model.forget(["an owl flew", "the hen"], ["owl", "owl"])
    assert model.classes_.tolist() == ["hen"]
    assert model.table_.terms() == ["hen", "the", "the hen"]
    assert model.predict_proba(["owl"]).tolist() == [[1.0]]


def test_all_can_be_forgotten_and_something_else_learned() -> None:
    model = Categorizer().fit(["the hen"], ["hen"]).forget(["the hen"], ["hen"])
    assert len(model.classes_) == len(model.table_) == 0
    model.learn(["one", "two"], [1, 2])
    assert model.classes_.tolist() == [1, 2]
    assert_same(model, Categorizer().fit(["one", "two"], [1, 2]), ["one", "two"])
    numbers = Documents(["a"], ["x"], columns={"n": [1.0]})
    assert len(Categorizer(numeric=["n"]).fit(numbers).forget(numbers).classes_) == 0


def test_a_document_without_weight_neither_stays_nor_goes() -> None:
    model = Categorizer().fit(["a", "b", "c"], ["x", "y", "z"], sample_weight=[1, 1, 0])
    before, scores = model.classes_.tolist(), model.log_joint(["a", "c", ""]).tolist()
    model.learn(["a"], ["x"]).forget(["a"], ["x"])
    assert model.classes_.tolist() == before
    assert model.log_joint(["a", "c", ""]).tolist() == scores


@pytest.mark.parametrize("smoothing", ["auto", "table", 1.0])
def test_documents_without_weight_may_be_anywhere(smoothing: Any) -> None:
    texts, labels, weights = ["a", "b", "a b", "c", "d"], ["x", "y", "x", "y", "z"], [1, 1, 1, 0, 0]
    model = Categorizer(model=NaiveBayes(smoothing=smoothing)).fit(texts, labels, weights)
    plain = Categorizer(model=NaiveBayes(smoothing=smoothing)).fit(texts[:3], labels[:3])
    assert model.table_ == plain.table_
    assert model.smoothing_ == plain.smoothing_
    assert_close(
        model.leave_one_out(texts, labels, weights).log_joint[:3], plain.leave_one_out(texts[:3], labels[:3]).log_joint
    )
    assert model.cross_validate(texts, labels, weights, folds=2).log_joint.shape[0] == 5
    assert model.forget(texts[2:], labels[2:], weights[2:]).table_ == Categorizer().fit(texts[:2], labels[:2]).table_


@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
@given(learned(plain_texts, min_size=2, weights=st.sampled_from([0.25, 0.5, 1.0, 3.0])), st.lists(plain_texts, min_size=1))
@some(0.4)
def test_texts_are_scored_as_matrices_are(kind: Any, documents: Learned, texts: list[str]) -> None:
    documents += Learned(["the"], ["a"], [1.0])  # a matrix must have a column
    terms = sorted({word for text in documents.texts for word in Analyzer().terms(text)})

    def to_matrix(texts: list[str]) -> Any:
        return np.array([[Analyzer().terms(text).count(term) for term in terms] for text in texts])

    expected = NaiveBayes(kind, 0.5).fit(to_matrix(documents.texts), documents.labels, sample_weight=documents.weights)
    ours = Categorizer("words", NaiveBayes(kind, 0.5)).fit(*documents)
    assert_close(ours.log_joint(texts), expected.log_joint(to_matrix(texts)))
    assert_close(ours.log_likelihood(texts), expected.log_likelihood(to_matrix(texts)))


@each_model
@given(learned(), st.lists(any_text, max_size=6))
@some(0.25)
def test_many_texts_get_what_each_gets_alone(model: NaiveBayes, documents: Learned, texts: list[str]) -> None:
    ours = Categorizer(model=model, threads=3).fit(*documents)
    assert ours.predict(texts).shape == (len(texts),)
    assert ours.log_joint(texts).shape == ours.predict_proba(texts).shape == (len(texts), len(ours.classes_))
    assert ours.log_joint(texts).tolist() == [ours.log_joint([text])[0].tolist() for text in texts]
    assert ours.predict_proba(texts).tolist() == [ours.predict_proba([text])[0].tolist() for text in texts]
    assert ours.predict(texts).tolist() == [ours.predict([text])[0].item() for text in texts]
    assert ours.predict(texts).tolist() == ours.classes_[ours.log_joint(texts).argmax(axis=1)].tolist()
    assert_close(ours.predict_proba(texts).sum(axis=1), 1.0)
    assert_close(ours.log_joint(texts), ours.log_likelihood(texts) + ours.log_joint([""]) - ours.log_likelihood([""]))


CONTAINERS = [
    *(tuple, np.array, lambda texts: np.array(texts, object), lambda texts: (text for text in texts), dict.fromkeys),
    *(
        pd.Series,
        lambda texts: pd.Series(texts, dtype=object),
        pl.Series,
        pa.array,
        lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
    ),
    *(lambda texts: pa.array(texts, pa.large_string()), lambda texts: pl.Series(texts, dtype=pl.Categorical), Documents),
]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("remember", [True, False])
def test_texts_may_come_in_any_container(container: Any, remember: bool) -> None:
    expected = Categorizer(remember=remember).fit(TEXTS, LABELS)
    if container is not Documents:
        assert_same(Categorizer(remember=remember).fit(container(TEXTS), LABELS), expected, TEXTS)
    for ask in (expected.predict, expected.log_joint, expected.log_likelihood, expected.predict_proba):
        assert ask(container(TEXTS)).tolist() == ask(TEXTS).tolist()
    assert expected.forget(
        *((Documents(TEXTS[:2], LABELS[:2]),) if container is Documents else (container(TEXTS[:2]), LABELS[:2]))
    )


@pytest.mark.parametrize(
    "container", [list, tuple, iter, np.array, pl.Series, pa.array, Documents, lambda _: pa.chunked_array([], pa.string())]
)
def test_no_texts_get_no_answers(container: Any) -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    assert model.predict(container([])).shape == (0,)
    assert model.predict(container([])).dtype == model.classes_.dtype
    for ask in (model.log_joint, model.log_likelihood, model.predict_proba, model.predict_log_proba):
        assert ask(container([])).shape == (0, 2)


@pytest.mark.parametrize(
    "labels", [LABELS, np.array(LABELS), pd.Series(LABELS), pl.Series(LABELS), pa.array(LABELS), iter(LABELS)]
)
def test_labels_may_come_in_any_container(labels: Any) -> None:
    assert_same(Categorizer().fit(TEXTS, labels), Categorizer().fit(TEXTS, LABELS), TEXTS)


@pytest.mark.parametrize(
    ("labels", "kind"), [([0, 0, 1, 1, 1], "i"), ([True, True, False, False, False], "b"), (list("xxyyy"), "U")]
)
def test_labels_keep_the_type_they_came_with(labels: list[Any], kind: str) -> None:
    model = Categorizer().fit(TEXTS, labels)
    for same in (model, pickle.loads(pickle.dumps(model)), model + model, model.restrict(set(labels)), model.compact()):
        assert same.classes_.dtype.kind == same.predict(TEXTS).dtype.kind == kind
        assert same.predict(["hen", "fox"]).tolist() == [labels[0], labels[2]]
    held = model.leave_one_out(TEXTS, labels)
    assert (held.gold.tolist(), held.labels.dtype.kind, held.predicted.dtype.kind) == (labels, kind, kind)
    assert type(model.explain("hen").label) is type(labels[0])


def test_documents_bring_labels_weights_and_columns() -> None:
    documents = Documents(TEXTS, LABELS, weights=[1, 2, 1, 1, 3], columns={"ignored": list("abcde")})
    expected = Categorizer().fit(TEXTS, LABELS, sample_weight=[1, 2, 1, 1, 3])
    assert_same(Categorizer().fit(documents), expected, TEXTS)
    assert_same(Categorizer().fit(["x"], ["fox"]).learn(documents).forget(["x"], ["fox"]), expected, TEXTS)
    assert expected.score(documents) == expected.score(TEXTS, LABELS)
    assert (
        expected.leave_one_out(documents).log_joint == expected.leave_one_out(TEXTS, LABELS, [1, 2, 1, 1, 3]).log_joint
    ).all()
    assert len(expected.forget(documents).classes_) == 0


@each_model
def test_empty_huge_and_unknown_texts_have_probabilities(model: NaiveBayes) -> None:
    ours = Categorizer(model=model).fit(TEXTS, LABELS)
    huge = "the hen and the fox ran " * 420_000  # 10 MB
    texts = ["", huge, "日本 " * 10, "hen"]
    probabilities = ours.predict_proba(texts)
    assert np.isfinite(ours.log_joint(texts)).all()
    assert np.isfinite(probabilities).all()
    assert_close(probabilities.sum(axis=1), 1.0)
    learned = Categorizer(model=model).fit([*TEXTS, huge], [*LABELS, "fox"])
    assert_close(learned.predict_proba(texts).sum(axis=1), 1.0)
    assert_same(learned.forget([huge], ["fox"]), ours, texts[2:])


@pytest.mark.parametrize("model", [model for model in LANGUAGE_MODELS if model.unknown == "ignore"], ids=repr)
@given(learned(plain_texts), st.sampled_from(["", "日本", "zzz zzz\x00", "\udfff"]))
@some(0.3)
def test_an_unknown_text_gets_exactly_the_prior(model: NaiveBayes, documents: Learned, text: str) -> None:
    ours = Categorizer("words", model).fit(*documents)
    counts = ours.table_.n_documents if model.prior == "empirical" else np.ones(len(ours.classes_))
    assert ours.log_joint([text]).tolist() == [np.log(counts / counts.sum()).tolist()]
    assert ours.log_likelihood([text]).tolist() == [[0.0] * len(counts)]


@each_model
@pytest.mark.parametrize("texts", [["hen", "hen fox", ""], ["", "", ""], ["a", "b", "c"]], ids=str)
def test_labels_and_texts_without_terms_work(model: NaiveBayes, texts: list[str]) -> None:
    for labels in (["x", "x", "y"], ["x", "x", "x"]):  # y may have no terms, and x may be the only label
        ours = Categorizer(model=model).fit(texts, labels)
        probabilities = ours.predict_proba(["", "hen", "zzz", *texts])
        assert probabilities.shape == (6, len(set(labels)))
        assert_close(probabilities.sum(axis=1), 1.0)
        assert set(ours.predict(texts)) <= set(labels)
        assert set(ours.most_informative()) == set(labels)
        np.testing.assert_allclose(ours.compact().predict_proba(texts), ours.predict_proba(texts), atol=1e-4)
        assert_close(ours.leave_one_out(texts, labels).probabilities.sum(axis=1), 1.0)
        assert_close(ours.cross_validate(texts, labels, folds=3).probabilities.sum(axis=1), 1.0)


def test_ten_thousand_labels_work() -> None:
    n = 10_000
    texts, labels = [f"word{i % n} common w{i % 7}" for i in range(2 * n)], [i % n for i in range(2 * n)]
    for model in (NaiveBayes(), NaiveBayes("binary", "table"), NaiveBayes("complement")):
        ours = Categorizer(model=model).fit(texts, labels)
        assert len(ours.classes_) == n
        assert (ours.predict(texts[:n:5]) == labels[:n:5]).all()
        assert_close(ours.predict_proba(texts[:50]).sum(axis=1), 1.0)
        assert ours.forget(texts[n:], labels[n:]).predict(["word77"]).tolist() == [77]


@given(learned(plain_texts, st.sampled_from("abc"), min_size=3), learned(plain_texts, st.sampled_from("abd")), probes)
@some(0.5)
def test_who_decides_between_some_labels_learns_and_forgets_too(a: Learned, b: Learned, texts: list[str]) -> None:
    full = Categorizer("words", NaiveBayes(smoothing=0.5)).fit(*a)
    some_labels, untouched = (full.restrict(a.labels[:2]) for _ in "ab")
    assert_same(pickle.loads(pickle.dumps(some_labels)), untouched, texts)
    assert_same(some_labels.learn(*b).forget(*b), untouched, texts)
    assert_same(full, Categorizer("words", NaiveBayes(smoothing=0.5)).fit(*a), texts)


def test_parts_that_decide_between_some_labels_add_up_in_any_order() -> None:
    one = Categorizer().fit([*TEXTS, "owl"], [*LABELS, "owl"])
    other = Categorizer().fit(["hen"], ["hen"])
    for a, b in ((one.restrict(["hen", "fox"]), other), (one.restrict(["hen", "fox"]), other.restrict(["hen"]))):
        assert_same(a + b, b + a, TEXTS)


@pytest.mark.parametrize("model", [NaiveBayes(), LinearSVM()], ids=repr)
def test_who_decides_between_some_labels_does_so_after_a_refit(model: Any) -> None:
    texts, labels = [*TEXTS, "owl"], [*LABELS, "owl"]
    two = Categorizer(model=model).fit(texts, labels).restrict(["hen", "fox"])
    assert two.refit(texts, labels).classes_.tolist() == ["fox", "hen"]


def test_the_rows_of_some_labels_say_what_they_said_among_all() -> None:
    texts, labels = [*TEXTS, "the owl sat", "owl"], [*LABELS, "owl", "owl"]
    model = Categorizer(model=NaiveBayes(smoothing=Additive(0.5))).fit(texts, labels)
    two = model.restrict(["hen", "fox"])
    assert two.log_likelihood(texts).tolist() == model.log_likelihood(texts)[:, :2].tolist()
    assert_close(np.exp(two.log_joint([""])), [[3 / 5, 2 / 5]])
    assert two.explain("owl flew").unknown == ("flew", "owl flew")
    assert model.classes_.tolist() == ["fox", "hen", "owl"]
    assert model.restrict(np.array(["owl"])).predict_proba(["hen"]).tolist() == [[1.0]]


@pytest.mark.parametrize("keep_documents", [False, True])
@pytest.mark.parametrize("weight", [2.0**39, 2.0**40, 1.3 * 2.0**40])
def test_whatever_weight_is_learned_can_be_saved_and_loaded(tmp_path: Path, weight: float, keep_documents: bool) -> None:
    model = Categorizer(keep_documents=keep_documents).fit(["free 0", "so bad"], ["a", "b"], sample_weight=[weight, 1])
    model.save(tmp_path / "m.tercet")
    assert tercet.load(tmp_path / "m.tercet").table_ == model.table_
