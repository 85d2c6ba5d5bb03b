"""P(document), the evidence of Bayes' rule: it sums to 1 over all documents, and the posterior is joint / evidence."""

from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import LANGUAGE_MODELS, MODELS, Learned, learned, plain_texts, some
from hypothesis import given

import tercet
from tercet import Categorizer, Documents, GaussianBayes, LinearSVM, NaiveBayes
from tercet.errors import InvalidOption

TEXTS, LABELS = ["so good so far", "so bad", "too bad"], ["+", "-", "-"]
GENERATIVE = [model for model in MODELS if model.kind != "complement"]


@pytest.mark.parametrize("model", GENERATIVE, ids=repr)
@given(learned(), plain_texts)
@some(0.2)
def test_the_posterior_is_the_joint_over_the_evidence(model: NaiveBayes, documents: Learned, text: str) -> None:
    documents += Learned(["the hen", "fox"], ["a", "b"], [1.0, 2.0])
    ours = Categorizer(model=model).fit(*documents)
    prior = ours.log_joint([""]) - ours.log_likelihood([""])
    joint = ours.log_likelihood([text]) + prior
    expected = np.log(np.exp(joint).sum(axis=1))
    np.testing.assert_allclose(ours.log_evidence([text]), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(ours.evidence([text]), np.exp(expected), rtol=1e-9)
    posterior = np.exp(joint - ours.log_evidence([text])[:, None])
    np.testing.assert_allclose(ours.predict_proba([text]), posterior, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", LANGUAGE_MODELS, ids=repr)
def test_the_evidence_of_all_texts_of_one_word_sums_to_1(model: NaiveBayes) -> None:
    if model.vocabulary == "shared":
        return  # the words that one label has are unknown
    ours = Categorizer("words", model).fit(TEXTS, LABELS)
    words = ours.table_.terms() + (["zebra"] if model.unknown == "unk" else [])
    assert ours.evidence(words).sum() == pytest.approx(1)
    assert ours.evidence([" ".join(pair) for pair in ((a, b) for a in words for b in words if a != b)]).sum() < 1


def test_the_evidence_of_all_sets_of_words_sums_to_1_for_bernoulli() -> None:
    ours = Categorizer("words", NaiveBayes("bernoulli")).fit(TEXTS, LABELS)
    words = ours.table_.terms()
    sets = chain.from_iterable(combinations(words, n) for n in range(len(words) + 1))
    assert ours.evidence([" ".join(some) for some in sets]).sum() == pytest.approx(1)


def test_matrices_and_texts_have_the_same_evidence() -> None:
    counter = tercet.TermCounter("words")
    for model in (NaiveBayes("multinomial"), NaiveBayes("bernoulli", 0.5), NaiveBayes("binary", "dirichlet:3")):
        of_matrix = NaiveBayes(**model.get_params()).fit(counter.fit_transform(TEXTS), LABELS)
        of_texts = Categorizer("words", model).fit(TEXTS, LABELS)
        for texts in (TEXTS, ["", "so so bad", "far too good"]):
            np.testing.assert_allclose(
                of_matrix.log_evidence(counter.transform(texts)), of_texts.log_evidence(texts), rtol=1e-12
            )
            np.testing.assert_allclose(of_matrix.evidence(counter.transform(texts)), of_texts.evidence(texts), rtol=1e-12)


def test_an_empty_text_is_certain_and_a_long_text_has_a_finite_logarithm() -> None:
    ours = Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS, LABELS)
    assert ours.evidence(["", "zebra"]).tolist() == pytest.approx([1, 1])
    long = "so bad " * 500
    assert ours.evidence([long]).tolist() == [0]
    assert ours.log_evidence([long])[0] == pytest.approx(np.logaddexp.reduce(ours.log_joint([long])[0]))
    assert ours.compact().log_evidence(["so bad"])[0] == pytest.approx(ours.log_evidence(["so bad"])[0], rel=1e-5)
    assert ours.log_evidence([]).tolist() == []


def test_an_impossible_text_has_evidence_0_without_a_warning() -> None:
    ours = Categorizer("words", NaiveBayes("multinomial", 0)).fit(TEXTS, LABELS)
    assert ours.evidence(["good too", "so"]).tolist() == pytest.approx([0, 1 / 3 * 2 / 4 + 2 / 3 * 1 / 4])
    assert ours.log_evidence(["good too"]).tolist() == [-np.inf]


def test_columns_of_numbers_make_it_a_density() -> None:
    documents = Documents(TEXTS, LABELS, columns={"links": [1, 5, 8]})
    ours = Categorizer("words", NaiveBayes("multinomial"), numeric=["links"]).fit(documents)
    links = np.linspace(-60, 70, 2601)
    densities = ours.evidence(Documents([""] * len(links), columns={"links": links}))
    assert densities.sum() * 0.05 == pytest.approx(1, abs=1e-6)


def test_a_stack_answers_as_naive_bayes_on_its_counts() -> None:
    best = tercet.train(tercet.read("docs/reviews.csv")).categorizer
    assert best.describe()["kind"] == "stack"
    assert np.isfinite(best.log_evidence(["a clever plot"])).all()


@pytest.mark.parametrize("model", [NaiveBayes("complement"), LinearSVM()], ids=repr)
def test_models_without_probabilities_of_documents_are_refused(model: Any) -> None:
    ours = Categorizer("words", model).fit(TEXTS, LABELS)
    for ask in (ours.evidence, ours.log_evidence):
        with pytest.raises(InvalidOption, match="has scores and no probabilities of documents"):
            ask(["so"])
    with pytest.raises(InvalidOption, match="complement has scores"):
        NaiveBayes("complement").fit([[1, 0], [0, 1]], LABELS[:2]).evidence([[1, 0]])


def test_far_points_of_a_gaussian_have_a_finite_log_evidence() -> None:
    model = GaussianBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"])
    assert model.evidence([[1e3]]).tolist() == [0]
    assert model.log_evidence([[1e3]])[0] == pytest.approx(np.log(0.5) - 0.5 * 993**2 - 0.5 * np.log(2 * np.pi))
    np.testing.assert_allclose(np.exp(model.log_evidence([[2.0], [5.0]])), model.evidence([[2.0], [5.0]]))
