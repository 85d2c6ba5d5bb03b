"""Texts that are impossible under every label, which smoothing 0 allows: one answer everywhere."""

import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Categorizer, Documents, NaiveBayes, TermCounter
from tercet.errors import InvalidOption

TEXTS = ["aa bb", "aa cc", "dd ee", "dd ff", "aa gg", "aa gg hh"]
LABELS = ["x", "x", "y", "y", "z", "z"]
LOST = ["bb ee gg", "cc ff hh", "bb bb ee gg unheard"]  # no label has all of their words
KINDS = ["multinomial", "binary", "bernoulli"]
INF = math.inf


@pytest.fixture(autouse=True)
def ignore_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*probability 0 under every label", RuntimeWarning)
        yield


def assert_lost(model: Any, documents: Any, prior: np.ndarray[Any, Any]) -> None:
    n = len(LOST)
    assert (model.log_joint(documents) == -INF).all()
    np.testing.assert_allclose(model.predict_proba(documents), np.tile(prior, (n, 1)), rtol=1e-12)
    np.testing.assert_allclose(model.predict_log_proba(documents), np.tile(np.log(prior), (n, 1)), rtol=1e-12)
    assert model.predict(documents).tolist() == [model.classes_[prior.argmax()]] * n


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("prior", [[1 / 3, 1 / 3, 1 / 3], [0.2, 0.7, 0.1]])
def test_the_formula_gives_minus_infinity_and_the_prior_decides(kind: Any, prior: list[float], tmp_path: Path) -> None:
    own = np.array(prior)
    categorizer = Categorizer(model=NaiveBayes(kind, 0, prior)).fit(TEXTS, LABELS)
    categorizer.save(tmp_path / "model.tercet")
    for model in (categorizer, tercet.load(tmp_path / "model.tercet")):
        assert_lost(model, LOST, own)
        assert (model.log_likelihood(LOST) == -INF).all()
        assert (model.log_evidence(LOST) == -INF).all()
        assert (model.evidence(LOST) == 0).all()
        np.testing.assert_array_equal(model.log_joint([*LOST, *TEXTS])[len(LOST) :], model.log_joint(TEXTS))
    counter = TermCounter()
    matrix = NaiveBayes(kind, 0, prior).fit(counter.fit_transform(TEXTS), LABELS)
    assert_lost(matrix, counter.transform(LOST), own)
    assert (matrix.evidence(counter.transform(LOST)) == 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_are_those_of_the_formula(kind: Any) -> None:
    model = Categorizer(model=NaiveBayes(kind, 0)).fit(TEXTS, LABELS)
    texts = [*TEXTS, *LOST, "", "aa", "bb ee", "gg hh"]
    formula = model.log_likelihood(texts) + model.log_prior_
    np.testing.assert_allclose(model.log_joint(texts), formula, rtol=1e-12)
    np.testing.assert_allclose(np.logaddexp.reduce(formula, axis=1), model.log_evidence(texts), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_explain_shows_the_prior(kind: Any) -> None:
    model = Categorizer(model=NaiveBayes(kind, 0, [0.2, 0.7, 0.1])).fit(TEXTS, LABELS)
    for text in LOST:
        explanation = model.explain(text, arithmetic=kind != "bernoulli")
        assert (explanation.label, explanation.against) == ("y", "x")
        assert explanation.is_impossible
        assert explanation.score == explanation.prior == pytest.approx(math.log(3.5))
        assert explanation.probability == pytest.approx(7 / 9)
        shown = [str(explanation), explanation.to_html(), explanation.to_latex(), str(explanation.to_dict())]
        assert all("nan" not in form for form in shown)
        assert all("only the prior decides" in form for form in shown[:3])
        assert explanation.to_dict()["impossible"] is True
    possible = model.explain("aa")
    assert not possible.is_impossible
    assert "impossible" not in possible.to_dict()


def test_two_impossible_labels_are_compared_by_the_prior_even_if_a_third_is_possible() -> None:
    model = Categorizer(model=NaiveBayes("multinomial", 0, [0.2, 0.7, 0.1])).fit(TEXTS, LABELS)
    text = "gg aa hh"
    assert np.isfinite(model.log_joint([text])[0]).tolist() == [False, False, True]
    explanation = model.explain(text, "x", "y")  # "aa" is in x and not in y, and neither has "gg"
    assert explanation.is_impossible
    assert explanation.probability == pytest.approx(2 / 9)
    restricted = model.restrict(["x", "y"])
    assert restricted.predict_proba([text])[0].tolist() == pytest.approx([2 / 9, 7 / 9])


def test_columns_of_numbers_decide_with_the_prior() -> None:
    numbers = {"n": [1.0, 2.0, 8.0, 9.0, 1.5, 8.5]}
    model = Categorizer(model=NaiveBayes("multinomial", 0), numeric=["n"]).fit(Documents(TEXTS, LABELS, columns=numbers))
    lost = Documents(LOST[:1], columns={"n": [8.5]})
    assert (model.log_joint(lost) == -INF).all()
    best, second = model.rank_labels(lost)[0][:2]
    explanation = model.explain(lost)
    assert (explanation.label, explanation.against) == (best[0], second[0])
    assert explanation.probability == pytest.approx(best[1] / (best[1] + second[1]))


def test_probabilities_given_as_0_are_answered_alike() -> None:
    given = [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    model = Categorizer.from_probabilities(["x", "y"], ["aa", "bb", "cc"], given, [0.3, 0.7])
    assert (model.log_joint(["aa cc"]) == -INF).all()
    assert model.predict_proba(["aa cc"])[0].tolist() == pytest.approx([0.3, 0.7])
    assert model.explain("aa cc").probability == pytest.approx(0.7)


def test_predictions_warn_and_scores_do_not() -> None:
    model = Categorizer(model=NaiveBayes("multinomial", 0)).fit(TEXTS, LABELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.log_joint(LOST)
        model.evidence(LOST)
    for ask in (model.predict, model.predict_proba, model.rank_labels):
        with pytest.warns(RuntimeWarning, match="3 of 3 documents have probability 0 under every label, and get the prior"):
            ask(LOST)


def test_a_calibrated_model_calibrates_the_prior() -> None:
    model = Categorizer(model=NaiveBayes("multinomial", 0), calibrate="auto").fit(TEXTS * 4, LABELS * 4)
    assert (model.log_joint(LOST) == -INF).all()
    probabilities = model.predict_proba(LOST)
    np.testing.assert_allclose(probabilities, model.predict_proba([""] * len(LOST)))
    explanation = model.explain(LOST[0], "x", "y")
    assert explanation.probability == pytest.approx(probabilities[0, 0] / probabilities[0, :2].sum())


def test_a_compact_form_is_refused() -> None:
    with pytest.raises(InvalidOption, match="smoothing=0 has no compact form"):
        Categorizer(model=NaiveBayes("multinomial", 0)).fit(TEXTS, LABELS).compact()
