"""Models with given parameters: the numbers are those of the textbook's formula, and nothing can be learned."""

import math
import pickle
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm
from sklearn.base import clone

from tercet import Analyzer, Categorizer, GaussianBayes, NaiveBayes, TermCounter, figures, load
from tercet.errors import BadModelFile, InvalidLabel, InvalidMatrix, InvalidOption, NotFitted
from tercet.store.model_file import read_model, write_model

# An exercise of textbooks: which label does the sentence get?
LABELS = ["pos", "neg"]
TERMS = ["i", "always", "like", "foreign", "films", "never"]
MATRIX = [[0.09, 0.07, 0.29, 0.04, 0.08, 0.01], [0.16, 0.06, 0.06, 0.15, 0.11, 0.02]]
PRIOR = [0.4, 0.6]
SENTENCE = "I always like foreign films."
TABLE = {label: dict(zip(TERMS, row, strict=True)) for label, row in zip(LABELS, MATRIX, strict=True)}


def make_categorizer(**options: Any) -> Any:
    return Categorizer.from_probabilities(LABELS, TERMS, MATRIX, PRIOR, **options)


def make_model(**options: Any) -> NaiveBayes:
    return NaiveBayes.from_probabilities(LABELS, TERMS, MATRIX, PRIOR, **options)


def multiply(words: list[str], label: str) -> float:
    return PRIOR[LABELS.index(label)] * math.prod(TABLE[label][word] for word in words)


def test_the_exercise_of_the_textbook_takes_four_lines() -> None:
    from tercet import Categorizer

    terms, matrix = (
        ["i", "always", "like", "foreign", "films"],
        [[0.09, 0.07, 0.29, 0.04, 0.08], [0.16, 0.06, 0.06, 0.15, 0.11]],
    )
    model = Categorizer.from_probabilities(["pos", "neg"], terms, matrix, [0.5, 0.5])
    assert model.predict(["I always like foreign films."]).tolist() == ["neg"]


@pytest.mark.parametrize("text", [SENTENCE, "like like like films", "", "nothing of this is listed", "I never like NEVER!"])
def test_the_joint_probability_is_the_product_of_the_given_ones(text: str) -> None:
    words = [word for word in Analyzer().terms(text) if word in TERMS]
    expected = [multiply(words, label) for label in ("neg", "pos")]
    c = make_categorizer()
    assert c.classes_.tolist() == ["neg", "pos"]
    np.testing.assert_allclose(np.exp(c.log_joint([text]))[0], expected, rtol=1e-12)
    np.testing.assert_allclose(c.predict_proba([text])[0], np.array(expected) / sum(expected), rtol=1e-12)
    model, X = make_model(), TermCounter(vocabulary=TERMS).transform([text])
    np.testing.assert_allclose(model.log_joint(X), c.log_joint([text]), rtol=1e-14)
    np.testing.assert_allclose(model.log_likelihood(X), c.log_likelihood([text]), rtol=1e-14, atol=1e-300)
    assert model.feature_names_in_.tolist() == TERMS


def test_a_term_that_is_repeated_counts_once_if_the_kind_is_binary() -> None:
    expected = [multiply(["like"], label) for label in ("neg", "pos")]
    np.testing.assert_allclose(np.exp(make_categorizer(kind="binary").log_joint(["like, like"]))[0], expected, rtol=1e-12)


@pytest.mark.filterwarnings("ignore:.*probability 0 under every label")
@given(st.lists(st.lists(st.sampled_from([0.0, 0.2, 0.5, 1.0]), min_size=3, max_size=3), min_size=2, max_size=2))
def test_bernoulli_multiplies_absent_terms_too(matrix: list[list[float]]) -> None:
    c = Categorizer.from_probabilities(["x", "y"], ["a", "b", "c"], matrix, [0.25, 0.75], kind="bernoulli")
    for has in product([False, True], repeat=3):
        text = " ".join(term for term, is_there in zip("abc", has, strict=True) if is_there)
        products = [math.prod(p if is_there else 1 - p for p, is_there in zip(row, has, strict=True)) for row in matrix]
        np.testing.assert_allclose(np.exp(c.log_likelihood([text]))[0], products, rtol=1e-12)
        if any(products):
            (joint,), explained = c.log_joint([text]), c.explain(text, "x")
            assert explained.score == pytest.approx(joint[0] - joint[1], rel=1e-12, abs=1e-12)


def test_a_term_of_probability_0_makes_its_label_impossible() -> None:
    c = Categorizer.from_probabilities(["x", "y"], ["a", "b"], [[0.5, 0.0], [0.1, 0.9]], [0.9, 0.1])
    assert c.predict_proba(["a a a b"]).tolist() == [[0.0, 1.0]]
    assert c.predict(["a", "b"]).tolist() == ["x", "y"]


def test_a_document_that_no_label_can_have_gets_the_prior() -> None:
    c = Categorizer.from_probabilities(["x", "y"], ["a", "b"], [[0.5, 0.0], [0.1, 0.0]], [0.9, 0.1])
    with pytest.warns(RuntimeWarning, match="1 of 1 documents have probability 0 under every label"):
        assert c.predict_proba(["b"])[0].tolist() == pytest.approx([0.9, 0.1])


def test_the_evidence_is_the_logarithm_of_the_ratio() -> None:
    explained = make_categorizer().explain(SENTENCE, "pos", "neg")
    values = {each.term: each.value for each in explained.evidence}
    expected = {term: math.log(TABLE["pos"][term] / TABLE["neg"][term]) for term in TERMS if term != "never"}
    assert values == pytest.approx(expected, rel=1e-12)
    assert explained.prior == pytest.approx(math.log(0.4 / 0.6), rel=1e-12)


def test_the_parameters_are_those_given_and_nothing_is_said_of_documents() -> None:
    rows = make_categorizer(kind="binary").parameters("pos", terms=["like"])
    assert [(row.term, row.label, round(row.probability, 12)) for row in rows] == [("like", "pos", 0.29)]
    assert "binary: 1 parameter\n" in repr(rows)
    assert "documents`" not in repr(rows)


def test_a_term_of_one_label_alone_has_infinite_odds() -> None:
    c = Categorizer.from_probabilities(["x", "y"], ["a", "b"], [[0.5, 0.5], [0.0, 0.5]], "uniform")
    assert c.most_informative() == {"x": [("a", math.inf), ("b", 0.0)], "y": [("b", 0.0), ("a", -math.inf)]}


def test_the_order_of_labels_and_terms_does_not_matter() -> None:
    turned = Categorizer.from_probabilities(
        LABELS[::-1], TERMS[::-1], np.array(MATRIX)[::-1, ::-1], dict(zip(LABELS, PRIOR, strict=True))
    )
    assert turned.log_joint([SENTENCE, "never"]).tolist() == make_categorizer().log_joint([SENTENCE, "never"]).tolist()


def test_pairs_of_words_are_terms_if_the_analyzer_makes_them() -> None:
    c = Categorizer.from_probabilities(
        ["x", "y"], ["not good", "good"], [[0.1, 0.4], [0.4, 0.1]], "uniform", analyzer=Analyzer(word_ngrams=(1, 2))
    )
    np.testing.assert_allclose(c.predict_proba(["not good", "good"]), [[0.5, 0.5], [0.8, 0.2]], rtol=1e-12)
    assert c.explain("not good").unknown == ("not",)


def test_labels_keep_their_type() -> None:
    c = Categorizer.from_probabilities([2, 1], ["a"], [[0.5], [0.1]], {1: 0.5, 2: 0.5})
    assert c.predict(["a"]).tolist() == [2]


def test_restrict_keeps_the_rows_and_scales_the_prior() -> None:
    model = NaiveBayes.from_probabilities(["x", "y", "z"], ["a", "b"], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.5]], [0.5, 0.3, 0.2])
    some = model.restrict(["z", "x"])
    assert some.classes_.tolist() == ["x", "z"]
    joint = np.array([0.5 / 0.7 * 0.1 * 0.2, 0.2 / 0.7 * 0.5 * 0.5])
    np.testing.assert_allclose(np.exp(some.log_joint([[1, 1]]))[0], joint, rtol=1e-12)
    assert some.feature_names_in_.tolist() == ["a", "b"]


def test_a_saved_categorizer_decides_and_explains_exactly_as_before(tmp_path: Path) -> None:
    for number, c in enumerate([make_categorizer(), make_categorizer(kind="bernoulli")]):
        c.save(tmp_path / f"{number}.tercet")
        loaded = load(tmp_path / f"{number}.tercet")
        for other in (loaded, pickle.loads(pickle.dumps(c))):
            assert other.log_joint([SENTENCE, ""]).tolist() == c.log_joint([SENTENCE, ""]).tolist()
            assert other.explain(SENTENCE).to_dict() == c.explain(SENTENCE).to_dict()
        loaded.save(tmp_path / "again.tercet")
        assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / f"{number}.tercet").read_bytes()


def test_a_model_survives_a_pickle() -> None:
    model = make_model()
    again = pickle.loads(pickle.dumps(model))
    assert again.log_joint(np.eye(6)).tolist() == model.log_joint(np.eye(6)).tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [("probabilities", 1.5), ("probabilities", -0.1), ("probabilities", 0.9), ("prior", 0.9), ("prior", -0.5)],
)
def test_a_file_with_other_numbers_than_probabilities_is_refused(name: str, value: float, tmp_path: Path) -> None:
    make_categorizer().save(tmp_path / "a.tercet")
    file = read_model(tmp_path / "a.tercet")
    changed = np.array(file.arrays[f"weights/{name}"])
    changed.flat[0] = value
    write_model(tmp_path / "b.tercet", file.content, {**file.arrays, f"weights/{name}": changed})
    with pytest.raises(BadModelFile):
        load(tmp_path / "b.tercet")


# Nothing can be learned.


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.learn([[1] * 6], ["pos"]),
        lambda m: m.partial_fit([[1] * 6], ["pos"]),
        lambda m: m.forget([[1] * 6], ["pos"]),
        lambda m: m.retune([[1] * 6], ["pos"]),
        lambda m: m.leave_one_out_log_joint([[1] * 6], ["pos"]),
        lambda m: m + m,
        lambda m: NaiveBayes("multinomial").fit([[1] * 6], ["pos"]) + m,
    ],
)
def test_given_probabilities_have_no_counts_to_change(change: Any) -> None:
    model = make_model()
    before = model.log_joint(np.eye(6)).tolist()
    with pytest.raises(InvalidOption, match="the parameters of this NaiveBayes were given, so there are no counts"):
        change(model)
    assert model.log_joint(np.eye(6)).tolist() == before


@pytest.mark.parametrize("name", ["learn", "fit", "partial_fit", "forget", "relabel", "refit"])
def test_a_categorizer_with_given_probabilities_cannot_learn(name: str) -> None:
    with pytest.raises(InvalidOption, match="given probabilities: it can't learn or forget"):
        getattr(make_categorizer(), name)(["a"], ["pos"])


def test_fit_begins_anew_and_clone_drops_given_parameters() -> None:
    X, y = [[1, 2], [2, 1]], ["pos", "neg"]
    fresh = NaiveBayes("multinomial", prior=dict(zip(LABELS, PRIOR, strict=True))).fit(X, y)
    fitted = make_model().fit(X, y)
    assert fitted.log_joint(X).tolist() == fresh.log_joint(X).tolist()
    assert not hasattr(fitted, "feature_names_in_")
    fitted.learn(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it follows scikit-learn's contract without its base class
        copy = clone(make_model())
    with pytest.raises(NotFitted):
        copy.predict(X)


def test_a_learning_categorizer_refuses_a_model_with_given_probabilities() -> None:
    with pytest.raises(InvalidOption, match=r"Categorizer\.from_probabilities"):
        Categorizer("words", make_model()).fit(["a", "b"], ["x", "y"])


# Bad input: one clear error each, the same for matrices and for texts.

BAD: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"prior": [0.5, 0.4]}, InvalidOption, "sum of the priors should be 1, got 0.9"),
    ({"prior": [1.5, -0.5]}, InvalidOption, "non-negative"),
    ({"prior": [math.nan, 1]}, InvalidOption, "non-negative"),
    ({"prior": [1.0]}, InvalidOption, "prior must be uniform, a mapping or 2 numbers, got"),
    ({"prior": None}, InvalidOption, "prior must be uniform, a mapping or 2 numbers, got None"),
    ({"prior": ["a", "b"]}, InvalidOption, "prior must be uniform, a mapping or 2 numbers"),
    ({"prior": "empirical"}, InvalidOption, "prior must be one of uniform"),
    ({"prior": {"x": 1.0}}, InvalidOption, "prior has no probability for the label 'y'"),
    ({"prior": {"x": 0.5, "y": 0.5, "z": 0.0}}, InvalidOption, "prior has the label 'z', which has no parameters"),
    ({"labels": ["x", "x"]}, InvalidLabel, "the label 'x' is given twice"),
    ({"labels": []}, InvalidLabel, "labels is empty"),
    ({"labels": "xy"}, InvalidLabel, "labels must be a list"),
    ({"terms": ["a", "a"]}, InvalidOption, "the term 'a' is given twice"),
    ({"terms": "ab"}, InvalidOption, "terms must be a list of texts"),
    ({"terms": ["a", 1]}, InvalidOption, "terms must be a list of texts"),
    ({"terms": []}, InvalidOption, "terms must be a list of texts"),
    (
        {"matrix": [[0.5, 0.5]]},
        InvalidMatrix,
        r"a row for each of 2 labels and a column for each of 2 terms, got shape \(1, 2\)",
    ),
    ({"matrix": [[0.5], [0.5]]}, InvalidMatrix, r"got shape \(2, 1\)"),
    ({"matrix": [[0.5, 0.1], [0.5]]}, InvalidMatrix, "matrix must hold numbers, in rows of equal length"),
    ({"matrix": [["p", "q"], [0.1, 0.2]]}, InvalidMatrix, "matrix must hold numbers"),
    ({"matrix": [[0.5, 0.1], [-0.1, 0.2]]}, InvalidMatrix, "got -0.1 for the term 'a' under the label 'y'"),
    ({"matrix": [[0.5, math.nan], [0.1, 0.2]]}, InvalidMatrix, "got nan for the term 'b' under the label 'x'"),
    ({"matrix": [[0.5, 0.4], [0.7, 0.5]]}, InvalidMatrix, "under the label 'y' sum to 1.2"),
    ({"matrix": [[0.5, 1.4], [0.7, 0.5]], "kind": "bernoulli"}, InvalidMatrix, "got 1.4 for the term 'b'"),
    ({"kind": "complement"}, InvalidOption, "kind must be one of multinomial, binary, bernoulli, got 'complement'"),
]
GOOD: dict[str, Any] = {"labels": ["x", "y"], "terms": ["a", "b"], "matrix": [[0.5, 0.5], [0.1, 0.2]], "prior": [0.5, 0.5]}


@pytest.mark.parametrize("make", [NaiveBayes.from_probabilities, Categorizer.from_probabilities])
@pytest.mark.parametrize(("changes", "error", "message"), BAD)
def test_numbers_that_are_no_model_are_refused(make: Any, changes: Any, error: type[Exception], message: str) -> None:
    make(**GOOD)
    with pytest.raises(error, match=message):
        make(**GOOD | changes)


@pytest.mark.parametrize(
    ("term", "analyzer", "message"),
    [
        ("Good", "words", "the term 'Good' would never be found in a text: the analyzer reads it as 'good'"),
        ("not good", "words", "the analyzer reads it as 'not', 'good'"),
        ("!", "words", "the analyzer leaves it out"),
        ("", "words", "the analyzer leaves it out"),
    ],
)
def test_a_term_that_no_text_has_is_refused(term: str, analyzer: str, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Categorizer.from_probabilities(["x", "y"], [term], [[0.5], [0.1]], "uniform", analyzer=analyzer)
    NaiveBayes.from_probabilities(["x", "y"], [term], [[0.5], [0.1]], "uniform")  # a matrix has columns of any name


# Normal distributions.


def make_normals() -> GaussianBayes:
    return GaussianBayes.from_parameters(["low", "high"], [2.0, 7.0], [1.0, 4.0], [0.3, 0.7])


def test_two_given_normals_follow_bayes_rule() -> None:
    model, x = make_normals(), np.array([-3.0, 2.0, 4.1, 9.0])
    joint = np.stack([0.7 * norm(7, 2).pdf(x), 0.3 * norm(2, 1).pdf(x)], axis=1)
    assert model.classes_.tolist() == ["high", "low"]
    assert (model.means_.tolist(), model.covariances_.tolist()) == ([[7.0], [2.0]], [[4.0], [1.0]])
    np.testing.assert_allclose(model.evidence(x[:, None]), joint.sum(axis=1), rtol=1e-12)
    np.testing.assert_allclose(model.posterior(x[:, None]), joint / joint.sum(axis=1, keepdims=True), rtol=1e-12)
    np.testing.assert_allclose(model.likelihood(x[:, None]) * [0.7, 0.3], joint, rtol=1e-12)
    assert model.predict(x[:, None]).tolist() == ["high", "low", "high", "high"]  # at -3 the wide distribution wins
    assert model.predict(x[:, None]).tolist() == model.classes_[joint.argmax(axis=1)].tolist()


MEANS, FULL = [[0.0, 1.0], [3.0, -1.0]], [[[2.0, 0.6], [0.6, 1.0]], [[1.0, -0.3], [-0.3, 0.5]]]


@pytest.mark.parametrize(
    ("kind", "given", "each"),
    [
        ("full", FULL, FULL),
        ("shared", FULL[0], [FULL[0]] * 2),
        ("diagonal", [[2.0, 1.0], [1.0, 0.5]], [np.diag([2.0, 1.0]), np.diag([1.0, 0.5])]),
    ],
)
def test_given_covariances_have_the_densities_of_scipy(kind: Any, given: Any, each: Any) -> None:
    model = GaussianBayes.from_parameters(["b", "a"], MEANS, given, "uniform", covariance=kind)
    X = np.random.default_rng(0).normal(0, 3, (20, 2))
    expected = [multivariate_normal(mean, C).logpdf(X) for mean, C in zip(MEANS[::-1], each[::-1], strict=True)]
    np.testing.assert_allclose(model.log_likelihood(X), np.stack(expected, axis=1), rtol=1e-9)
    shape = model.covariances_.shape
    again = GaussianBayes.from_parameters(model.classes_, model.means_, model.covariances_, model.prior, covariance=kind)
    assert (again.log_joint(X).tolist(), again.covariances_.shape) == (model.log_joint(X).tolist(), shape)
    some = model.restrict(["b"])
    np.testing.assert_allclose(some.log_joint(X)[:, 0], expected[1], rtol=1e-9)


@pytest.mark.parametrize(("kind", "given"), [("diagonal", [4, 9]), ("full", [4, 9]), ("shared", 4)])
def test_one_column_takes_plain_numbers(kind: Any, given: Any) -> None:
    model = GaussianBayes.from_parameters(["a", "b"], [0, 1], given, "uniform", covariance=kind)
    np.testing.assert_allclose(model.likelihood([[3.0]])[0, 0], norm(0, 2).pdf(3), rtol=1e-12)
    other = 3 if kind != "shared" else 2
    np.testing.assert_allclose(model.likelihood([[3.0]])[0, 1], norm(1, other).pdf(3), rtol=1e-12)


def test_given_normals_cannot_learn_and_fit_begins_anew() -> None:
    model, X, y = make_normals(), [[1.0], [3.0], [6.0], [8.0]], ["low", "low", "high", "high"]
    for change in (model.learn, model.partial_fit, model.forget):
        with pytest.raises(InvalidOption, match="the parameters of this GaussianBayes were given"):
            change(X, y)
    with pytest.raises(InvalidOption, match="the parameters of this GaussianBayes were given"):
        model + model
    again = pickle.loads(pickle.dumps(model))
    assert again.log_joint(X).tolist() == model.log_joint(X).tolist()
    assert model.fit(X, y).learn(X, y).means_.ravel().tolist() == [7.0, 2.0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"means": [1.0]}, r"means must have a row for each of 2 labels, got shape \(1,\)"),
        ({"means": ["a", "b"]}, "means must hold numbers"),
        ({"means": [1.0, math.nan]}, "must be finite"),
        ({"covariances": [1.0]}, r"covariances must have the shape \(2, 1\)"),
        ({"covariances": [1.0, math.inf]}, "must be finite"),
        ({"covariances": [1.0, -1.0]}, "each variance must be > 0, got -1 for the label 'y'"),
        ({"covariances": [0.0, 1.0]}, "each variance must be > 0, got 0 for the label 'x'"),
        (
            {"means": MEANS, "covariances": FULL},
            r"shape \(2, 2\) for covariance='diagonal', .* the shape for covariance='full'",
        ),
        ({"means": MEANS, "covariances": [FULL[0], [[1, 0.5], [0.4, 1]]], "covariance": "full"}, "'y' is not symmetric"),
        ({"means": MEANS, "covariances": [FULL[0], [[1, 2], [2, 1]]], "covariance": "full"}, "'y' is not positive definite"),
        ({"means": MEANS, "covariances": [[1, 1], [1, 1]], "covariance": "shared"}, "all labels together is not positive"),
        ({"means": MEANS, "covariances": [[1, 0.5], [0, 1]], "covariance": "shared"}, "not symmetric"),
        ({"covariance": "round"}, "covariance must be one of diagonal, full, shared"),
        ({"prior": None}, "prior must be uniform, a mapping or 2 numbers"),
        ({"labels": ["x", "x"]}, "the label 'x' is given twice"),
    ],
)
def test_numbers_that_are_no_normals_are_refused(changes: Any, message: str) -> None:
    given = {"labels": ["x", "y"], "means": [1.0, 2.0], "covariances": [1.0, 1.0], "prior": [0.5, 0.5]}
    GaussianBayes.from_parameters(**given)
    with pytest.raises(ValueError, match=message):
        GaussianBayes.from_parameters(**given | changes)


def test_the_figures_of_normals_take_given_ones() -> None:
    model = make_normals()
    figure = figures.two_normals(model, *model.sample(30))
    assert len(figure.axes) == 2
    plane = GaussianBayes.from_parameters(["a", "b"], MEANS, FULL, "uniform", covariance="full")
    assert len(figures.two_bivariate_normals(plane, *plane.sample(30)).axes) == 1
