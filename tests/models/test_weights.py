"""Weights of documents: their scale does not matter to the smoothings that promise it, and soft labels work."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, NaiveBayes
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer, Smoothing

SMOOTHINGS = [Additive(1.0), Additive(0.01), JelinekMercer(0.3), Dirichlet(20.0), AbsoluteDiscount(0.9), AbsoluteDiscount(0.3)]
SCALE_FREE = [smoothing for smoothing in SMOOTHINGS if smoothing.is_scale_free]
CONSTANTS = [0.001, 0.01, 0.1, 1 / 3, 10.0, 1000.0]
KINDS = ("multinomial", "binary")

labels = st.sampled_from(["a", "b", "Σ"])
# Powers of two and sums of them: no constant below rounds them.
exact_weights = st.sampled_from([1.0, 1.0, 2.0, 0.5, 0.75, 3.0])
documents = learned(plain_texts, labels, min_size=2, max_size=7, weights=exact_weights)


def scale(documents: Learned, constant: float) -> Learned:
    return documents._replace(weights=[weight * constant for weight in documents.weights])


@pytest.mark.parametrize("smoothing", SCALE_FREE, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@given(documents, st.sampled_from([2.0**-10, 2.0**-3, 4.0, 2.0**10]), st.lists(plain_texts, min_size=1, max_size=4), st.data())
@some(0.3)
def test_the_scale_of_the_weights_changes_no_score(
    kind: Any, smoothing: Smoothing, documents: Learned, constant: float, asked: list[str], data: st.DataObject
) -> None:
    prior = data.draw(st.sampled_from(["empirical", "uniform"]))
    vocabulary = data.draw(st.sampled_from(["union", "shared"]))
    model = Categorizer(model=NaiveBayes(kind, smoothing, prior, vocabulary=vocabulary))  # type: ignore[arg-type]
    expected = model.fit(*documents).log_joint(asked)
    left_out = model.leave_one_out(*documents).log_joint
    scaled = scale(documents, constant)
    np.testing.assert_allclose(model.fit(*scaled).log_joint(asked), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.leave_one_out(*scaled).log_joint, left_out, rtol=1e-9, atol=1e-9)


def make_corpus(n: int = 300, n_labels: int = 4) -> tuple[list[str], Any]:
    """Documents whose words depend a little on the label, so that some decisions are close."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, n_labels, n)
    return [" ".join(f"w{i}" for i in (rng.zipf(1.3, 12) + 7 * label) % 400) for label in y], y


@pytest.mark.parametrize("smoothing", SCALE_FREE, ids=str)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_one_weight_for_all_documents_changes_no_decision(kind: Any, smoothing: Smoothing, constant: float) -> None:
    texts, y = make_corpus()
    model = Categorizer("words", NaiveBayes(kind, smoothing))
    expected = model.fit(texts[:200], y[:200]).predict(texts)
    assert model.fit(texts[:200], y[:200], np.full(200, constant)).predict(texts).tolist() == expected.tolist()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("constant", CONSTANTS)
def test_one_weight_for_all_rows_of_a_matrix_changes_no_decision(kind: Any, constant: float) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.poisson(0.4, (150, 40)), rng.integers(0, 3, 150)
    model = NaiveBayes(kind, AbsoluteDiscount(0.9))
    expected = model.fit(X, y).predict(X)
    assert model.fit(X, y, sample_weight=np.full(150, constant)).predict(X).tolist() == expected.tolist()


@pytest.mark.parametrize("smoothing", [one for one in SMOOTHINGS if not one.is_scale_free], ids=str)
def test_other_smoothings_depend_on_the_scale(smoothing: Smoothing) -> None:
    texts, y = make_corpus()
    model = Categorizer("words", NaiveBayes("multinomial", smoothing))
    expected = model.fit(texts, y).log_likelihood(texts)
    assert not np.allclose(model.fit(texts, y, np.full(300, 0.001)).log_likelihood(texts), expected, rtol=1e-3)


def test_soft_labels_decide_as_hard_labels_do() -> None:
    """Each text is learned under two labels: with weight 0.9 under its own, with weight 0.1 under another."""
    texts, y = make_corpus(1200)
    train, test = slice(0, 800), slice(800, None)
    other = (y[train] + np.random.default_rng(2).integers(1, 4, 800)) % 4
    model = Categorizer("words")
    hard = model.fit(texts[train], y[train]).score(texts[test], y[test])
    weights = np.repeat([0.9, 0.1], 800)
    soft = model.fit(texts[train] * 2, np.concatenate([y[train], other]), weights).score(texts[test], y[test])
    assert hard > 0.5
    assert soft > hard - 0.03


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("discount", [0.1, 0.9, 1.0])
def test_probabilities_of_terms_sum_to_one_with_any_weights(kind: Any, discount: float) -> None:
    """Also where most counts of a label are below its discount."""
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.4, (60, 30)), rng.integers(0, 3, 60)
    model = NaiveBayes(kind, AbsoluteDiscount(discount)).fit(X, y, sample_weight=rng.choice([0.01, 0.3, 1.0, 20.0], 60))
    seen = np.eye(30)[X.any(axis=0)]
    np.testing.assert_allclose(np.exp(model.log_likelihood(seen)).sum(axis=0), 1.0)


def test_a_heavy_document_is_not_two_documents() -> None:
    """A word that one document of weight 2 has was seen in one document."""
    once = NaiveBayes("binary", AbsoluteDiscount(0.9)).fit([[1, 0], [1, 1]], ["a", "b"], sample_weight=[2.0, 2.0])
    twice = NaiveBayes("binary", AbsoluteDiscount(0.9)).fit([[1, 0], [1, 0], [1, 1], [1, 1]], ["a", "a", "b", "b"])
    plain = NaiveBayes("binary", AbsoluteDiscount(0.9)).fit([[1, 0], [1, 1]], ["a", "b"])
    assert once.log_likelihood([[1, 1]]) == pytest.approx(plain.log_likelihood([[1, 1]]))
    assert once.log_likelihood([[1, 1]]) != pytest.approx(twice.log_likelihood([[1, 1]]))


def test_forgetting_with_other_weights_is_refused() -> None:
    """Two documents of weight 1 were never learned, though their weights sum to 2."""
    model = NaiveBayes("binary", AbsoluteDiscount(0.9)).fit([[1, 0], [1, 1]], ["a", "b"], sample_weight=[2.0, 1.0])
    with pytest.raises(ValueError, match="never learned"):
        model.forget([[1, 0], [1, 0]], ["a", "a"])
    model.forget([[1, 0]], ["a"], sample_weight=[2.0])
