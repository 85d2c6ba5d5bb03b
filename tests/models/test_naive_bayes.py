"""Naive Bayes on matrices: the laws of the counts, scikit-learn as an oracle, the figures of the textbooks."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_matrix, random_array
from scipy.stats import multinomial
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from tercet import Categorizer, NaiveBayes, TermCounter
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, NeverLearned, NotFitted
from tercet.models.bayes_rule import log_prior
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer, resolve_smoothing

Rows = Callable[[str], list[dict[str, str]]]

SMOOTHINGS = [1.0, 0.1, JelinekMercer(0.3), Dirichlet(2.0), AbsoluteDiscount(0.5)]
COMBINATIONS = [(kind, smoothing) for kind in ("multinomial", "binary") for smoothing in SMOOTHINGS]
COMBINATIONS += [(kind, smoothing) for kind in ("bernoulli", "complement") for smoothing in (1.0, 0.1)]


@st.composite
def problems(draw: st.DrawFn, min_documents: int = 2) -> tuple[Any, Any, Any]:
    """Small counts with many zeros, labels and whole weights."""
    n, n_terms = draw(st.integers(min_documents, 7)), draw(st.integers(1, 6))
    X = draw(hnp.arrays(np.int64, (n, n_terms), elements=st.sampled_from([0, 0, 1, 1, 2, 5])))
    y = np.array(draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n)))
    return X, y, np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))


def assert_close(a: Any, b: Any) -> None:
    np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


DISCOUNTED = "absolute discounting tells one document of weight 2 from two documents: its discount grows with the weights"
EXPECTED = {f"check_sample_weight_equivalence_on_{data}_data": DISCOUNTED for data in ("dense", "sparse")}


def expected_failures(model: NaiveBayes) -> dict[str, str]:
    # For a binary model it does not show in scikit-learn's data, in which each document has each term.
    return EXPECTED if model.kind == "multinomial" and isinstance(model.smoothing, AbsoluteDiscount) else {}


with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Estimator NaiveBayes does not inherit")  # it follows the contract without importing it
    models = [NaiveBayes(), NaiveBayes("multinomial", AbsoluteDiscount(0.9))]
    models += [NaiveBayes(kind) for kind in ("multinomial", "binary", "bernoulli", "complement")]  # type: ignore[arg-type]
    theirs = parametrize_with_checks(models, expected_failed_checks=expected_failures)
    checks = pytest.mark.parametrize(theirs.args[0], list(theirs.args[1]), **theirs.kwargs)


@checks
@pytest.mark.filterwarnings("ignore:Estimator NaiveBayes does not inherit")
def test_scikit_learn_accepts_it(estimator: Any, check: Any) -> None:
    check(estimator)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("whole", [True, False])
def test_scores_are_those_of_scikit_learn(seed: int, whole: bool) -> None:
    rng = np.random.default_rng(seed)
    X = csr_matrix(random_array((40, 30), density=0.2, rng=rng, data_sampler=lambda size: rng.integers(1, 5000, size) / 1024))
    X = csr_matrix(np.ceil(X.toarray())) if whole else X
    # Products of thousandths, more or less, are multiples of 2⁻²⁰: so finely we count, without rounding.
    y, weights = rng.choice(["ham", "spam", "eggs"], 40), rng.integers(1, 1024, 40) / 1024
    alpha = float(rng.choice([1.0, 0.5, 1e-3]))
    for kind, theirs in (("multinomial", MultinomialNB), ("complement", ComplementNB), ("bernoulli", BernoulliNB)):
        for prior in ("empirical", "uniform"):
            expected = theirs(alpha=alpha, fit_prior=prior == "empirical").fit(X, y, sample_weight=weights)
            ours = NaiveBayes(kind, smoothing=alpha, prior=prior).fit(X, y, sample_weight=weights)  # type: ignore[arg-type]
            assert_close(ours.log_joint(X), expected.predict_joint_log_proba(X))
            assert_close(ours.predict_proba(X), expected.predict_proba(X))
            assert (ours.predict(X) == expected.predict(X)).all()
            assert_close(ours.log_joint(X.toarray()), ours.log_joint(X))


def test_binary_is_multinomial_on_clipped_counts() -> None:
    X, y = np.array([[3, 0, 1], [0, 2, 2]]), ["a", "b"]
    expected = MultinomialNB().fit(X > 0, y).predict_proba([[1, 0, 1]])
    assert_close(NaiveBayes("binary").fit(X, y).predict_proba([[7, 0, 2]]), expected)


@pytest.mark.parametrize("smoothing", [Additive(0.3), JelinekMercer(0.4), Dirichlet(3.0), AbsoluteDiscount(0.6)])
@given(hnp.arrays(np.int64, (3, 5), elements=st.integers(0, 4)))
def test_the_probabilities_of_all_terms_sum_to_one(smoothing: Any, table: Any) -> None:
    table[:, 0] += 1  # a collection without terms has no probabilities
    ours = NaiveBayes(smoothing=smoothing).fit(table, ["a", "b", "c"])
    seen = table.sum(axis=0) > 0
    one_each = np.exp(ours.log_likelihood(np.eye(5)))
    assert_close(one_each[seen | isinstance(smoothing, Additive)].sum(axis=0), 1.0)


def test_the_formulas_are_those_of_the_books() -> None:
    # Under the label a the first term occurs 3 times of 10, with 6 distinct terms; 4 times of 25 in all; 9 terms.
    X = [[3, 1, 1, 1, 2, 2, 0, 0, 0], [1, 0, 0, 0, 0, 4, 5, 2, 3]]

    def probability(smoothing: Any) -> float:
        model = NaiveBayes(smoothing=smoothing).fit(X, ["a", "b"])
        return float(np.exp(model.log_likelihood([[1, 0, 0, 0, 0, 0, 0, 0, 0]])[0, 0]))

    assert_close(probability(0.5), 3.5 / 14.5)
    assert_close(probability(JelinekMercer(0.25)), 0.75 * 3 / 10 + 0.25 * 4 / 25)
    assert_close(probability(Dirichlet(5.0)), (3 + 5 * 4 / 25) / 15)
    assert_close(probability(AbsoluteDiscount(0.5)), (2.5 + 0.5 * 6 * 4 / 25) / 10)


@pytest.mark.parametrize(("kind", "smoothing"), COMBINATIONS, ids=str)
@pytest.mark.parametrize("vocabulary", ["union", "shared"])
@given(problem=problems(), prior=st.sampled_from(["empirical", "uniform"]))
@some(0.25)
def test_leaving_out_is_learning_without(kind: Any, smoothing: Any, vocabulary: Any, problem: Any, prior: str) -> None:
    if vocabulary == "shared" and kind in ("bernoulli", "complement"):
        return
    X, y, weights = problem
    model = NaiveBayes(kind, smoothing, prior, vocabulary=vocabulary).fit(X, y, sample_weight=weights)
    scores = model.leave_one_out_log_joint(X, y, sample_weight=weights)
    for i in range(len(y)):
        rest = np.arange(len(y)) != i
        # Labels that only this document had stay as labels without documents.
        without = NaiveBayes(kind, smoothing, prior, vocabulary=vocabulary)
        without.partial_fit(X[rest], y[rest], classes=model.classes_, sample_weight=weights[rest])
        assert_close(scores[i], without.log_joint(X[i : i + 1])[0])


@given(problems(), problems())
def test_learning_then_forgetting_is_the_identity(first: Any, second: Any) -> None:
    (X, y, weights), (X2, y2, weights2) = first, second
    n_terms = min(X.shape[1], X2.shape[1])
    X, X2 = X[:, :n_terms], X2[:, :n_terms]
    model = NaiveBayes("multinomial").partial_fit(X, y, classes=list("abc"), sample_weight=weights)
    before = model.counts_
    model.learn(X2, y2, sample_weight=weights2).forget(X2, y2, sample_weight=weights2)
    for name in ("n_documents", "occurrences", "documents"):
        assert (getattr(model.counts_, name) == getattr(before, name)).all()


@given(problems(min_documents=4))
def test_parts_added_up_are_the_whole(problem: Any) -> None:
    X, y, weights = problem
    whole = NaiveBayes("multinomial").fit(X, y, sample_weight=weights)
    left = NaiveBayes("multinomial").fit(X[:2], y[:2], sample_weight=weights[:2])
    right = NaiveBayes("multinomial").fit(X[2:], y[2:], sample_weight=weights[2:])
    for merged in (left + right, right + left, left.learn(X[2:], y[2:], sample_weight=weights[2:])):
        assert (merged.log_joint(X) == whole.log_joint(X)).all()
        assert merged.classes_.tolist() == whole.classes_.tolist()


def test_what_was_never_learned_is_not_forgotten_and_nothing_changes() -> None:
    model = NaiveBayes("multinomial").fit([[1, 0], [0, 1]], ["a", "b"])
    before = model.log_joint([[1, 1]]).tolist()
    for X, y in (([[2, 0]], ["a"]), ([[0, 1]], ["a"]), ([[1, 0]], ["c"]), ([[0, 0], [0, 0]], ["a", "a"])):
        with pytest.raises(NeverLearned, match="Nothing is changed"):
            model.forget(X, y)
    assert model.log_joint([[1, 1]]).tolist() == before
    with pytest.raises(NeverLearned):
        model.leave_one_out_log_joint([[2, 0]], ["a"])


def test_two_rows_decide_between_two_labels() -> None:
    X, y = np.array([[2, 1, 0], [0, 3, 1], [1, 0, 4]]), np.array(["a", "b", "c"])
    two = NaiveBayes(prior="uniform").fit(X, y).restrict(["c", "a"])
    assert two.classes_.tolist() == ["a", "c"]
    assert (two.log_joint(X) == NaiveBayes(prior="uniform").fit(X[[0, 2]], y[[0, 2]]).log_joint(X)).all()
    with pytest.raises(InvalidLabel, match="'d' is unknown"):
        two.restrict(["d"])


@pytest.mark.parametrize(("kind", "smoothing"), [c for c in COMBINATIONS if c[0] in ("multinomial", "binary")], ids=str)
def test_an_empty_document_gets_exactly_the_prior(kind: Any, smoothing: Any) -> None:
    model = NaiveBayes(kind, smoothing).fit([[1, 2, 0], [0, 1, 0], [3, 0, 0]], ["a", "b", "a"])
    assert model.log_joint(np.zeros((1, 3))).tolist() == [np.log([2 / 3, 1 / 3]).tolist()]
    huge = model.predict_proba([[10**7, 10**7, 0]])
    assert np.isfinite(huge).all()
    assert_close(huge.sum(), 1)


def test_without_smoothing_a_label_with_a_zero_is_out() -> None:
    model = NaiveBayes(smoothing=0.0).fit([[2, 1, 0], [0, 1, 1]], ["a", "b"])
    assert_close(model.predict_proba([[1, 1, 0], [0, 1, 0]]), [[1, 0], [0.4, 0.6]])
    with pytest.warns(RuntimeWarning, match="1 of 2 documents have probability 0 under every label"):
        assert_close(model.predict_proba([[1, 0, 1], [0, 1, 0]])[0], [0.5, 0.5])
    always = NaiveBayes("bernoulli", smoothing=0.0).fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"])
    assert always.predict([[1, 0], [0, 1]]).tolist() == ["a", "b"]


def test_shared_terms_alone_need_no_smoothing() -> None:
    model = NaiveBayes(smoothing=0.0, vocabulary="shared").fit([[1, 3, 2], [2, 0, 2]], ["a", "b"])
    assert_close(np.exp(model.log_likelihood([[1, 1, 0]])), [[1 / 3, 1 / 2]])


def test_priors_may_be_given() -> None:
    X, y = [[1, 0], [0, 1], [0, 1]], ["a", "b", "b"]
    for prior in ({"b": 0.9, "a": 0.1}, [0.1, 0.9]):
        assert_close(np.exp(NaiveBayes(prior=prior).fit(X, y).log_joint([[0, 0]])), [[0.1, 0.9]])
    for prior, message in (
        ({"a": 1.0}, "no probability for the label 'b'"),
        ([0.5, 0.2, 0.3], "Number of priors must match"),
        ([0.5, 0.6], "sum of the priors should be 1, got 1.1"),
        ([-1.0, 2.0], "non-negative"),
        ("equal", "prior must be empirical, uniform"),
    ):
        with pytest.raises(InvalidOption, match=message):
            NaiveBayes(prior=prior).fit(X, y)


def test_the_multinomial_coefficient_makes_it_a_probability_of_the_bag() -> None:
    X, y = np.array([[2, 1, 1], [0, 1, 3]]), ["a", "b"]
    model = NaiveBayes("multinomial").fit(X, y)
    p = np.exp(model.log_likelihood(np.eye(3))).T
    expected = [[multinomial.logpmf(row, row.sum(), q / q.sum()) for q in p] for row in X]
    assert_close(model.log_likelihood(X, coefficient=True), expected)


def test_weights_of_labels_multiply_those_of_documents() -> None:
    X, y = np.array([[1, 0], [0, 1], [0, 2]]), np.array(["a", "b", "b"])
    weighted = NaiveBayes("multinomial").fit(X, y, class_weight={"a": 3.0})
    assert_close(weighted.log_joint(X), NaiveBayes("multinomial").fit(X[[0, 0, 0, 1, 2]], y[[0, 0, 0, 1, 2]]).log_joint(X))
    balanced = NaiveBayes("multinomial").fit(X, y, class_weight="balanced")
    assert_close(np.exp(balanced.log_joint([[0, 0]])), [[0.5, 0.5]])
    with pytest.raises(InvalidOption, match="class_weight must be None, balanced or a mapping, got 3"):
        NaiveBayes("multinomial").fit(X, y, class_weight=3)


def test_new_labels_may_come_at_any_time() -> None:
    model = NaiveBayes("multinomial").fit([[1, 0]], ["b"])
    assert model.predict([[0, 1]]).tolist() == ["b"]
    model.learn([[0, 3]], ["a"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.predict([[0, 1]]).tolist() == ["a"]


@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
def test_the_chosen_smoothing_is_the_best_of_all_candidates(kind: Any) -> None:
    from tercet.models.classifier import normalize_scores
    from tercet.models.smoothing_choice import list_candidates

    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 60)
    X = rng.poisson(0.3 + (y[:, None] == np.arange(12) % 3), (60, 12))
    chosen = NaiveBayes(kind, "auto").fit(X, y)

    def likelihood(smoothing: Any) -> float:
        scores = NaiveBayes(kind, smoothing).fit(X, y).leave_one_out_log_joint(X, y)
        factors = 2.0 ** (-np.arange(17) / 2)
        return max(float(normalize_scores(scores * factor)[np.arange(60), y].sum()) for factor in factors)

    assert likelihood(chosen.smoothing_) == pytest.approx(max(map(likelihood, list_candidates(chosen.likelihood()))), abs=1e-4)
    kept = chosen.smoothing_
    assert chosen.learn(X[:5], y[:5]).smoothing_ == kept
    assert chosen.forget(X[:5], y[:5]).retune(X, y).smoothing_ == kept


def test_the_choice_by_the_table_depends_on_the_table_alone() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.poisson(0.5, (50, 20)), rng.integers(0, 2, 50)
    whole = NaiveBayes(smoothing="table").fit(X, y)
    parts = NaiveBayes(smoothing="table").fit(X[30:], y[30:]) + NaiveBayes(smoothing="table").fit(X[:30], y[:30])
    assert parts.smoothing_ == whole.smoothing_
    assert whole.learn(X[:9], y[:9]).forget(X[:9], y[:9]).smoothing_ == parts.smoothing_
    with pytest.raises(InvalidOption, match="has no smoothing='table'"):
        NaiveBayes("bernoulli", "table").fit(X, y)


def test_models_with_arrays_for_parameters_can_be_added() -> None:
    a, b = (NaiveBayes(prior=np.array([0.5, 0.5])).fit([[1, 0], [1, 1]], [0, 1]) for _ in "ab")
    assert (a + b).counts_.n_documents.tolist() == [2, 2]
    with pytest.raises(InvalidOption, match="count differently"):
        a + NaiveBayes("multinomial").fit([[1, 0], [1, 1]], [0, 1])


def test_two_choices_are_not_merged_silently() -> None:
    a, b = NaiveBayes(smoothing="auto").fit([[1, 0]], ["a"]), NaiveBayes(smoothing="auto").fit([[0, 1]], ["b"])
    b.smoothing_ = Dirichlet(7.0)
    with pytest.raises(InvalidOption, match="two choices of smoothing"):
        a + b


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "gaussian"}, "kind must be one of multinomial, binary, bernoulli, complement, got 'gaussian'"),
        ({"smoothing": -1}, "smoothing must be a number >= 0, got -1.*Try 0.001"),
        ({"smoothing": "best"}, "smoothing must be auto, table, a number or NAME:NUMBER such as dirichlet:100, got 'best'"),
        ({"smoothing": "laplace:1"}, "'laplace' is not a smoothing: there are absolute_discount, additive, dirichlet"),
        ({"smoothing": "dirichlet:0"}, "mass must be a number > 0, got 0.0"),
        ({"vocabulary": "all"}, "vocabulary must be one of union, shared"),
        ({"kind": "bernoulli", "smoothing": JelinekMercer(0.5)}, "has no JelinekMercer smoothing"),
        ({"kind": "complement", "smoothing": 0}, "complement' needs smoothing > 0"),
    ],
)
def test_a_bad_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        NaiveBayes(**options).fit([[1, 0], [0, 1]], ["a", "b"])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a", None], "label 1 .* is None"),
        (["a", 3], "labels must have one type|labels must be text"),
        ([0.5, 1.0], "Unknown label type: continuous. Label 0"),
        ("ab", "labels must be a list"),
        (["a"], "2 documents and y has 1 labels"),
        ([["a", "b"], ["c", "d"]], "one dimension"),
    ],
)
def test_bad_labels_are_refused_with_their_place(y: Any, message: str) -> None:
    with pytest.raises((InvalidLabel, InvalidMatrix), match=message):
        NaiveBayes("multinomial").fit([[1, 0], [0, 1]], np.array(y, object) if isinstance(y, list) and None in y else y)


def test_a_bad_matrix_is_refused() -> None:
    model = NaiveBayes("multinomial")
    with pytest.raises(NotFitted):
        model.predict([[1]])
    for X, message in (
        ([[-1, 0]], "Negative values"),
        ([[np.nan, 0]], "NaN"),
        ([1, 2], "Reshape"),
        (np.zeros((0, 2)), "0 sample"),
    ):
        with pytest.raises(InvalidMatrix, match=message):
            model.fit(X, ["a"])
    with pytest.raises(InvalidMatrix, match="X has 3 features, but NaiveBayes is expecting 2"):
        model.fit([[1, 0]], ["a"]).predict([[1, 2, 3]])


def test_one_label_and_no_terms_work() -> None:
    assert NaiveBayes("multinomial").fit([[0, 0]], ["only"]).predict_proba([[1, 1]]).tolist() == [[1.0]]
    assert NaiveBayes("complement").fit([[0, 0]], ["only"]).predict([[1, 1]]).tolist() == ["only"]


def test_the_textbook_example() -> None:
    """Three negative and two positive reviews, add-one: 6.1e-5 against 3.3e-5, `with` unknown."""
    texts = ["just plain boring", "entirely predictable and lacks energy", "no surprises and very few laughs"]
    texts += ["very powerful", "the most fun film of the summer"]
    counter = TermCounter()
    model = NaiveBayes("multinomial").fit(counter.fit_transform(texts), list("---++"))
    joint = np.exp(model.log_joint(counter.transform(["predictable with no fun"])))
    assert_close(joint, [[2 / 5 * 2 / 29**3, 3 / 5 * 4 / 34**3]])


def test_the_poem(corpus: Rows) -> None:
    train, test = corpus("poem/train"), corpus("poem/test")
    pipeline = make_pipeline(TermCounter("sklearn"), NaiveBayes("multinomial"))
    pipeline.fit([row["text"] for row in train], [row["label"] for row in train])
    posterior = pipeline.predict_proba([row["text"] for row in test])[:, 0]
    expected = [0.97215134, 0.90261594, 0.02876761, 0.02173201, 0.81322712, 0.9251394]
    assert posterior.round(8).tolist() == expected


LABELS = ["inferno", "purgatorio", "paradiso"]
PAIRS = {  # retrained with 0.001 and rows kept, then retrained with 1 and rows kept
    ("inferno", "paradiso"): (74.56, 74.56, 80.42, 80.30),
    ("inferno", "purgatorio"): (61.97, 61.97, 68.20, 68.33),
    ("purgatorio", "paradiso"): (65.05, 65.05, 68.78, 68.53),
}


class Dante:
    """The published exercise: whitespace tokens, UTF-8 read as Latin-1, uniform prior."""

    def __init__(self, corpus: Rows) -> None:
        train, test = corpus("dante/train"), corpus("dante/test")
        self.y, self.gold = (np.array([row["label"] for row in rows]) for rows in (train, test))
        self.train, self.test = ([row["text_latin1"] for row in rows] for rows in (train, test))

    def percent(self, smoothing: float, labels: Any, retrained: bool) -> tuple[list[float], float]:
        learned = np.isin(self.y, labels) if retrained else np.ones(len(self.y), bool)
        counter = TermCounter("whitespace")
        X = counter.fit_transform([text for text, keep in zip(self.train, learned, strict=True) if keep])
        model = NaiveBayes(smoothing=smoothing, prior="uniform").fit(X, self.y[learned]).restrict(labels)
        asked = np.isin(self.gold, labels)
        right = model.predict(counter.transform(self.test))[asked] == self.gold[asked]
        each = [round(100 * right[self.gold[asked] == label].mean(), 2) for label in labels]
        return each, round(100 * right.mean(), 2)


@pytest.fixture(scope="module")
def dante(corpus: Rows) -> Dante:
    return Dante(corpus)


def test_dante_between_three_labels(dante: Dante) -> None:
    assert dante.percent(0.001, LABELS, retrained=True) == ([52.50, 47.51, 57.21], 52.41)
    assert dante.percent(1.0, LABELS, retrained=True) == ([61.25, 50.50, 63.68], 58.47)


@pytest.mark.parametrize("pair", PAIRS)
def test_dante_between_two_labels(dante: Dante, pair: tuple[str, str]) -> None:
    ways = [(0.001, True), (0.001, False), (1.0, True), (1.0, False)]
    assert tuple(dante.percent(smoothing, list(pair), retrained)[1] for smoothing, retrained in ways) == PAIRS[pair]


def test_a_prior_for_more_labels_is_scaled_to_the_labels_that_are_there() -> None:
    prior = {"a": 0.2, "b": 0.3, "c": 0.5, "d": 0.0}
    for labels, expected in ((["a", "b"], [0.4, 0.6]), (["c", "d"], [1.0, 0.0]), (["d"], [1.0])):
        np.testing.assert_allclose(np.exp(log_prior(prior, np.array(labels), np.ones(len(labels)))), expected)


def test_given_nothing_it_is_the_model_of_a_categorizer() -> None:
    texts, labels = ["to be or not", "to be", "not so", "or so"], ["a", "a", "b", "b"]
    plain = Categorizer().fit(texts, labels)
    for model in (NaiveBayes(), NaiveBayes("binary", AbsoluteDiscount(0.9))):
        same = Categorizer(model=model).fit(texts, labels)
        assert same.log_joint(texts).tolist() == plain.log_joint(texts).tolist()
        assert (same + plain).table_ == (plain + plain).table_
        assert same.describe() == plain.describe()
    uniform = Categorizer(model=NaiveBayes(prior="uniform")).fit(texts[1:], labels[1:])
    assert (uniform.smoothing_, uniform.describe()["kind"]) == (AbsoluteDiscount(0.9), "binary")
    assert uniform.log_joint(texts).tolist() == (
        Categorizer().set_params(model__prior="uniform").fit(texts[1:], labels[1:]).log_joint(texts).tolist()
    )


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ({}, ("binary", AbsoluteDiscount(0.9))),
        ({"kind": "binary"}, ("binary", 1.0)),
        ({"kind": "multinomial"}, ("multinomial", 1.0)),
        ({"smoothing": 0.1}, ("multinomial", 0.1)),
        ({"smoothing": "auto"}, ("multinomial", "auto")),
        ({"kind": "bernoulli", "smoothing": 0.1}, ("bernoulli", 0.1)),
    ],
    ids=str,
)
def test_what_is_not_given_follows_from_what_is_given(given: dict[str, Any], used: tuple[str, Any]) -> None:
    model = NaiveBayes(**given)
    assert (model.used_kind, model.used_smoothing) == used
    assert {name: value for name, value in model.get_params().items() if name in ("kind", "smoothing")} == {
        "kind": given.get("kind"),
        "smoothing": given.get("smoothing"),
    }
    X, y = [[2, 1, 0], [0, 1, 1], [3, 0, 0]], ["a", "b", "a"]
    written_out = NaiveBayes(*used).fit(X, y)  # type: ignore[arg-type]
    assert model.fit(X, y).log_joint(X).tolist() == written_out.log_joint(X).tolist()
    assert NaiveBayes.from_dict(model.to_dict()).get_params() == model.get_params()
    assert model.is_like(written_out)


def test_a_changed_smoothing_keeps_the_kind_of_a_default_categorizer() -> None:
    model = Categorizer().set_params(model__smoothing="auto").model
    assert isinstance(model, NaiveBayes)
    assert (model.kind, model.smoothing) == ("binary", "auto")


@pytest.mark.parametrize("X", [[[0.0, 0.0], [0.0, 0.0]], [[1.0, 0.0], [2.5, 0.0]], [[1e-7, 3.0], [0.0, 1e6]]], ids=str)
@pytest.mark.parametrize("y", [["a", "b"], ["a", "a"]], ids=str)
def test_the_default_is_finite_on_any_matrix(X: list[list[float]], y: list[str]) -> None:
    model = NaiveBayes().fit(X, y)
    asked = [*X, [0.0, 5.0], [7.0, 7.0]]
    assert np.isfinite(model.log_joint(asked)).all()
    assert_close(model.predict_proba(asked).sum(axis=1), np.ones(len(asked)))


@pytest.mark.parametrize(
    ("name", "smoothing"),
    [
        ("0.5", 0.5),
        ("additive:0.5", Additive(0.5)),
        ("jelinek_mercer:0.3", JelinekMercer(0.3)),
        ("dirichlet:100", Dirichlet(100)),
        ("absolute_discount:0.9", AbsoluteDiscount(0.9)),
    ],
)
def test_a_smoothing_by_its_name_is_the_smoothing(name: str, smoothing: Any) -> None:
    X, y = [[2, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "b"]
    named, given = (NaiveBayes("binary", each).fit(X, y) for each in (name, smoothing))
    assert named.smoothing_ == given.smoothing_
    assert named.log_joint(X).tolist() == given.log_joint(X).tolist()
    assert named.is_like(given)
    assert (named + given).counts_ == given.counts_ + given.counts_
    assert named.get_params()["smoothing"] == name  # as scikit-learn wants it
    assert NaiveBayes.from_dict(named.to_dict()).is_like(given)
    written = [Categorizer(model=NaiveBayes("binary", each)).fit(["a b", "b c"], y[:2]) for each in (name, smoothing)]
    assert written[0].table_ == written[1].table_
    assert written[0].smoothing_ == written[1].smoothing_
    assert (written[0] + written[1]).smoothing_ == resolve_smoothing(smoothing)


def test_a_number_is_additive_smoothing() -> None:
    assert NaiveBayes("binary", 0.5).is_like(NaiveBayes("binary", Additive(0.5)))
    assert not NaiveBayes("binary", 0.5).is_like(NaiveBayes("binary", "additive:0.25"))
