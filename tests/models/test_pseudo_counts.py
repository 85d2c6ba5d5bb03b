"""Additive smoothing with pseudo-counts of single terms: the prior of a Dirichlet distribution."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from helpers.labelled_documents import Learned, assert_close, assert_same, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.naive_bayes import ComplementNB, MultinomialNB

import tercet
from tercet import Additive, Categorizer, NaiveBayes
from tercet.errors import InvalidOption

KINDS = ["multinomial", "binary", "complement"]
OWN = {"hen": 3.0, "the": 0.01, "fox": 1e4, "never seen": 5.0}
each_kind = pytest.mark.parametrize("kind", KINDS)


def make(kind: Any, **options: Any) -> Categorizer:
    return Categorizer("words", NaiveBayes(kind, Additive(0.5, per_term=OWN)), **options)


@pytest.mark.parametrize(("kind", "oracle"), [("multinomial", MultinomialNB), ("complement", ComplementNB)])
@given(seed=st.integers(0, 99))
@some(0.3)
def test_a_vector_gives_what_scikit_learn_gives(kind: Any, oracle: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    X, y, own = rng.integers(0, 3, (9, 5)), [0, 1, 2] * 3, rng.choice([0.001, 0.5, 2.0, 300.0], 5)
    ours, theirs = NaiveBayes(kind, Additive(per_term=own)).fit(X, y), oracle(alpha=own).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-9, atol=1e-9)
    assert ours.log_joint(X).tolist() == NaiveBayes(kind, Additive(per_term=list(own))).fit(X, y).log_joint(X).tolist()


@each_kind
def test_equal_pseudo_counts_are_one_pseudo_count(kind: Any) -> None:
    X, y = [[2, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "b"]
    own, one = (NaiveBayes(kind, smoothing).fit(X, y) for smoothing in (Additive(per_term=[0.3] * 3), Additive(0.3)))
    assert_close(own.log_joint(X), one.log_joint(X))
    assert_close(own.leave_one_out_log_joint(X, y), one.leave_one_out_log_joint(X, y))


def test_texts_follow_the_formula_and_unseen_terms_add_nothing() -> None:
    ours = make("multinomial").fit(["the hen", "a fox", "hen hen"], ["x", "y", "x"])
    total = 3.0 + 0.01 + 1e4 + 0.5  # "never seen" is in no document
    expected = [(3 + 3) / (4 + total), (1 + 0.01) / (4 + total), (0 + 1e4) / (4 + total), (0 + 0.5) / (4 + total)]
    assert np.exp(ours.log_likelihood(["hen", "the", "fox", "a"]))[:, 0] == pytest.approx(expected)
    with_unknown = Categorizer("words", NaiveBayes("multinomial", Additive(0.5, per_term=OWN), unknown="unk"))
    with_unknown.fit(["the hen", "a fox", "hen hen"], ["x", "y", "x"])
    assert np.exp(with_unknown.log_likelihood(["zebra"]))[0, 0] == pytest.approx(0.5 / (4 + total + 0.5))


@each_kind
@given(learned(plain_texts), learned(plain_texts))
@some(0.2)
def test_learn_forget_and_merge_are_exact(kind: Any, one: Learned, other: Learned) -> None:
    one += Learned(["the hen"], ["a"], [1.0])
    other += Learned(["fox sat"], ["b"], [1.0])
    both, texts = make(kind).fit(*(one + other)), ["the hen sat", "fox fox", ""]
    assert_same(make(kind).fit(*other).learn(*one), both, texts)
    assert_same(make(kind).fit(*one) + make(kind).fit(*other), both, texts)
    assert_same(make(kind).fit(*(one + other)).forget(*other), make(kind).fit(*one), texts)


def test_files_keep_the_pseudo_counts(tmp_path: Path) -> None:
    ours = make("multinomial", min_documents=1).fit(["the hen", "a fox", "hen hen"], ["x", "y", "x"])
    ours.save(tmp_path / "model.tercet")
    again = tercet.load(tmp_path / "model.tercet")
    assert_same(again, ours, ["the hen", "fox"])
    assert again.smoothing_ == Additive(0.5, per_term=OWN)
    again.save(tmp_path / "again.tercet")
    assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "model.tercet").read_bytes()
    ours.compact().save(tmp_path / "compact.tercet")
    small = tercet.load(tmp_path / "compact.tercet")
    np.testing.assert_allclose(small.log_joint(["the hen"]), ours.log_joint(["the hen"]), rtol=1e-5)
    matrix = NaiveBayes("binary", Additive(per_term=[1.0, 2.0])).fit([[1, 0], [0, 1]], ["a", "b"])
    assert pickle.loads(pickle.dumps(matrix)).log_joint([[1, 1]]).tolist() == matrix.log_joint([[1, 1]]).tolist()
    assert clone(matrix).smoothing == matrix.smoothing
    assert NaiveBayes.from_dict(json.loads(json.dumps(matrix.to_dict()))).smoothing == matrix.smoothing


def test_smoothings_with_other_pseudo_counts_differ() -> None:
    one, other = Additive(per_term={"a": 1.0, "b": 2.0}), Additive(per_term={"b": 2, "a": 1})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Additive(per_term={"a": 1.0})
    assert one != Additive()
    with pytest.raises(InvalidOption, match="count differently"):
        _ = make("binary").fit(["a"], ["x"]) + Categorizer("words", NaiveBayes("binary", Additive(0.5))).fit(["b"], ["y"])
    many = [repr(Additive(per_term={f"term {i}": number for i in range(9)})) for number in (1.0, 2.0)]
    assert len(set(many)) == 2
    assert all(len(shown) < 80 for shown in many)


@pytest.mark.parametrize(
    ("per_term", "why"),
    [
        ([1.0, 0.0], "a number from 1e-09 to 1e"),
        ([1.0, -1.0], "got -1.0"),
        ([1.0, float("nan")], "got nan"),
        ({"hen": float("inf")}, "got inf"),
        ({"hen": True}, "got True"),
        ({"hen": "3"}, "got '3'"),
        ({1: 2.0}, "a mapping from terms to numbers"),
        ("hen", "a mapping from terms to numbers, or a sequence"),
        (np.ones((2, 2)), "a number from 1e-09"),
    ],
)
def test_pseudo_counts_that_make_no_sense_are_refused(per_term: Any, why: str) -> None:
    with pytest.raises(InvalidOption, match=why):
        Additive(per_term=per_term)


def test_pseudo_counts_that_do_not_fit_are_refused() -> None:
    X, y = [[1, 0], [0, 1]], ["a", "b"]
    with pytest.raises(InvalidOption, match="a number from 1e-09"):
        Additive(0, per_term=[1.0])
    with pytest.raises(InvalidOption, match="per_term has 3 numbers, and the matrix has 2 columns"):
        NaiveBayes("binary", Additive(per_term=[1, 2, 3])).fit(X, y)
    with pytest.raises(InvalidOption, match="the columns of a matrix have no names"):
        NaiveBayes("binary", Additive(per_term={"a": 1})).fit(X, y)
    with pytest.raises(InvalidOption, match="the terms of texts have no fixed order"):
        Categorizer(model=NaiveBayes("binary", Additive(per_term=[1, 2]))).fit(["a", "b"], y)
    for model in (NaiveBayes("bernoulli", Additive(per_term=[1, 2])), NaiveBayes("bernoulli", Additive(per_term={"a": 2}))):
        with pytest.raises(InvalidOption, match="kind='bernoulli' has no pseudo-counts of single terms"):
            model.fit(X, y)


def test_a_recipe_file_cannot_hold_them(shell: Shell) -> None:
    make("binary").fit(["the hen", "a fox"], ["a", "b"]).save("own.tercet")
    assert "pseudo-counts for 4 terms" in shell.do("tercet inspect own.tercet").out
    outcome = shell("tercet inspect own.tercet --config")
    assert (outcome.code, outcome.out) == (2, "")
    assert "a recipe file can't hold them: train it in Python" in outcome.err
