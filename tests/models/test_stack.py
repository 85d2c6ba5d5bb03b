"""`Stack` on matrices: its parts are the public models, and its weights come from documents that they did not learn."""

from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from tercet import NBSVM, Categorizer, LinearSVM, LogisticRegression, Member, NaiveBayes, Stack, TermWeighting, registry
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption
from tercet.models.classifier import normalize_scores
from tercet.models.stack import deal_stratified

BLOCKS = np.repeat([0, 1], [60, 40])


def draw_documents(n: int, n_labels: int = 2, seed: int = 0) -> tuple[Any, Any]:
    """Counts whose columns each belong a little to one label, in both blocks."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_labels, n)
    rates = 0.15 + 0.25 * (np.arange(100) % 7 == codes[:, None])
    return csr_matrix(rng.poisson(rates)), np.array(["a", "b", "c", "d"])[codes]


def score(estimator: Any, X: Any) -> Any:
    margins = estimator.decision_function(X)
    return margins[:, None] * [-0.5, 0.5] if margins.ndim == 1 else margins


@pytest.mark.parametrize("n_labels", [2, 4])
def test_scores_are_the_weighted_sum_of_the_members(n_labels: int) -> None:
    """An oracle: the public models, fitted one by one, and the weights of the stack."""
    X, y = draw_documents(300, n_labels)
    fresh, _ = draw_documents(50, n_labels, seed=1)
    stack = Stack(blocks=BLOCKS).fit(X, y)
    words = BLOCKS == 0
    tf_idf = TermWeighting("log", blocks=BLOCKS).fit(X)
    scores = np.stack(
        [
            score(NBSVM().fit(X[:, words], y), fresh[:, words]),
            score(NBSVM(C=0.1).fit(X, y), fresh),
            score(LinearSVM(C=0.5, tol=1e-2).fit(tf_idf.transform(X), y), tf_idf.transform(fresh)),
        ]
    )
    np.testing.assert_allclose(
        stack.predict_log_proba(fresh), normalize_scores(stack.stacking_.apply(scores)), rtol=1e-6, atol=1e-9
    )
    assert len(stack.layers_) <= 2


def test_weights_of_members_come_from_held_out_documents() -> None:
    """An oracle: the same folds by hand."""
    X, y = draw_documents(400)
    members = [Member(NBSVM(), name="one"), Member(LogisticRegression(), TermWeighting(), name="two")]
    stack = Stack(members, used_folds=1).fit(X, y)
    held = deal_stratified((y == "b").astype(int), 5, 0) == 0
    found = {}
    weighted = TermWeighting().fit(X[~held])
    for name, model, X_own in (("one", NBSVM(), X), ("two", LogisticRegression(), weighted.transform(X))):
        found[name] = model.fit(X_own[~held], y[~held]).score(X_own[held], y[held])
    assert {name: each.accuracy for name, each in stack.held_out_.items() if name != "stack"} == pytest.approx(found)


@pytest.mark.parametrize(("n", "used"), [(100, 5), (2000, 3), (5000, 1), (10**6, 1)])
def test_enough_folds_are_held_out_for_a_thousand_documents(n: int, used: int) -> None:
    assert Stack().count_used_folds(n, np.array([n // 2, n // 2])) == used
    assert Stack(used_folds=2).count_used_folds(n, np.array([n // 2, n // 2])) == 2


def test_the_estimate_of_shuffled_labels_is_chance() -> None:
    """Each run judges 150 documents, so the mean of 20 runs has a standard error below 0.01."""
    found = []
    for seed in range(20):
        X, _ = draw_documents(150, seed=seed)
        y = np.random.default_rng(seed).permutation(np.repeat(["a", "b"], 75))
        found.append(Stack().fit(X, y).held_out_["stack"].accuracy)
    assert np.mean(found) == pytest.approx(0.5, abs=0.035)


def test_members_without_weight_are_dropped() -> None:
    X, y = draw_documents(300)
    useless = Member(LinearSVM(C=1e-9), TermWeighting(), name="useless")
    stack = Stack([Member(NBSVM(), name="good"), useless]).fit(X, y)
    kept = [member.name for member in stack.members_]
    assert kept == [name for name, weight in zip(["good", "useless"], stack.stacking_.weights, strict=True) if weight > 0]
    assert "good" in kept
    assert {*stack.held_out_} == {"good", "useless", "stack"}


@pytest.mark.parametrize("n_labels", [2, 3])
def test_members_with_the_same_vector_are_one_linear_model(n_labels: int) -> None:
    X, y = draw_documents(300, n_labels)
    stack = Stack([Member(NBSVM(), terms="words"), Member(NBSVM(C=0.1))], blocks=BLOCKS).fit(X, y)
    assert len(stack.layers_) == 1
    margins = (X > 0) @ stack.coef_.T + stack.intercept_
    np.testing.assert_allclose(stack.decision_function(X), margins[:, 0] if n_labels == 2 else margins)
    with pytest.raises(AttributeError, match="several vectors"):
        _ = Stack([Member(NBSVM()), Member(LinearSVM(), TermWeighting())]).fit(X, y).coef_


@pytest.mark.parametrize("n_labels", [2, 4])
def test_threads_do_not_matter_and_the_seed_does(n_labels: int) -> None:
    X, y = draw_documents(300, n_labels)
    fits = [
        Stack(blocks=BLOCKS, threads=threads, seed=seed, used_folds=1).fit(X, y) for threads, seed in ((1, 0), (3, 0), (1, 1))
    ]
    ours, theirs, other = (fit.decision_function(X).tolist() for fit in fits)
    assert ours == theirs
    assert ours != other


def test_documents_of_weight_zero_are_ignored() -> None:
    X, y = draw_documents(200, 3)
    weights = np.where(y == "c", 0.0, np.random.default_rng(0).random(200) + 0.5)
    used = weights > 0
    ours, theirs = Stack().fit(X, y, weights), Stack().fit(X[used], y[used], weights[used])
    assert ours.classes_.tolist() == ["a", "b"]
    assert ours.predict_proba(X).tolist() == theirs.predict_proba(X).tolist()
    assert ours.held_out_ == theirs.held_out_


def test_columns_that_no_document_has_do_not_matter() -> None:
    X, y = draw_documents(200)
    wider = csr_matrix(np.hstack([X.toarray(), np.zeros((200, 3))]))
    asked = wider.toarray()
    asked[:, -3:] = 50
    ours = Stack().fit(X, y).predict_proba(X)
    np.testing.assert_allclose(Stack().fit(wider, y).predict_proba(csr_matrix(asked)), ours)


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b", "b"], ["a", "b", "c", "d"], ["a"] * 9 + ["b"]])
def test_too_few_documents_to_hold_some_out_leave_the_first_member_alone(labels: list[str]) -> None:
    X = np.eye(len(labels), dtype=int)
    stack = Stack().fit(X, labels)
    assert stack.held_out_ == {}
    assert stack.decisions_ == ("there are too few documents to hold some out: NB-SVM on words decides alone",)
    assert [member.name for member in stack.members_] == ["NB-SVM on words"]
    assert stack.predict(X).tolist() == labels
    np.testing.assert_allclose(stack.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["good", "bad"], "ab"),
        (["good", "bad", "worse", "ugly"], "abbb"),
        (["good", "good", "bad", "bad day", "bad plot", "bad film"], "aabbbb"),  # the copies are held out together
    ],
)
def test_a_categorizer_of_a_stack_takes_few_documents(texts: list[str], labels: str) -> None:
    c = Categorizer(model=Stack()).fit(texts, list(labels))
    assert c.predict(texts).tolist() == list(labels)
    np.testing.assert_allclose(c.predict_proba(texts).sum(axis=1), 1)


@pytest.mark.parametrize("n_labels", [2, 4])
def test_a_label_with_one_document_is_possible(n_labels: int) -> None:
    X, y = draw_documents(60, n_labels)
    y = np.append(y[:-1], "z")
    stack = Stack().fit(X, y)
    assert stack.classes_[-1] == "z"
    assert stack.decisions_ == ()
    assert np.isfinite(stack.predict_log_proba(X)).all()


def test_the_third_member_is_for_short_texts() -> None:
    stack = Stack()
    short, long = (stack.list_members(has_characters=True, n_steps=n_steps) for n_steps in (1e6, 1e9))
    assert [member.name for member in short] == ["NB-SVM on words", "NB-SVM on words and characters", "SVM on tf-idf"]
    assert [member.name for member in long] == ["NB-SVM on words", "SVM on tf-idf"]
    assert [member.terms for member in stack.list_members(has_characters=False)] == ["words", "all"]


def test_what_is_written_is_read_again() -> None:
    stack = Stack(
        [Member(NBSVM(beta=0.5), terms="words"), Member(LinearSVM(), TermWeighting("log"), name="x")], folds=4, seed=3
    )
    again = registry.read("model", registry.write(stack))
    assert registry.write(again) == registry.write(stack)
    X, y = draw_documents(150)
    assert again.fit(X, y).predict_proba(X).tolist() == stack.fit(X, y).predict_proba(X).tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"members": []},
        {"members": "all"},
        {"members": [{"estimator": registry.write(Stack()), "weighting": None, "terms": "all", "name": "x"}]},
        {"members": [{"estimator": registry.write(NaiveBayes()), "weighting": None, "terms": "all", "name": "x"}]},
        {"members": [{"estimator": registry.write(NBSVM()), "weighting": None, "terms": "some", "name": "x"}]},
        {"members": [{"estimator": registry.write(NBSVM()), "weighting": None, "terms": "all", "name": 3}]},
        {"members": [{"estimator": registry.write(NBSVM()), "weighting": None, "terms": "all", "name": "stack"}]},
        {"members": [{"estimator": registry.write(NBSVM()), "weighting": 3, "terms": "all", "name": "x"}]},
        {"members": [{}]},
        {"folds": 1},
        {"folds": 10**9},
        {"used_folds": 6},
        {"used_folds": 0},
        {"seed": -1},
        {"surprise": 1},
    ],
    ids=str,
)
def test_options_of_a_file_that_make_no_sense_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        registry.read("model", registry.write(Stack()) | change)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Member(NaiveBayes()), "estimator must be an NBSVM, LinearSVM or LogisticRegression"),  # type: ignore[arg-type]
        (lambda: Member(NBSVM(), "tf-idf"), "weighting must be None or a TermWeighting"),  # type: ignore[arg-type]
        (lambda: Member(NBSVM(), terms="chars"), "terms must be one of all, words, characters"),  # type: ignore[arg-type]
        (lambda: Member(NBSVM(), name=""), "name must be a text of 1 to 100 characters"),
        (lambda: Stack([NBSVM()]).fit([[1], [2]], [0, 1]), "members must be None or a list of Member"),  # type: ignore[list-item]
        (lambda: Stack([Member(NBSVM()), Member(NBSVM())]).fit([[1], [2]], [0, 1]), "members with distinct names"),
        (lambda: Stack([Member(NBSVM(C=0))]).fit([[1], [2]], [0, 1]), "C must be a number > 0"),
        (lambda: Stack(folds=1).fit([[1], [2]], [0, 1]), "folds must be an int >= 2"),
        (lambda: Stack(used_folds=6).fit([[1], [2]], [0, 1]), "used_folds must be None or an int from 1 to folds=5"),
        (lambda: Stack(blocks=[2]).fit([[1], [2]], [0, 1]), "blocks must be None or a list of 0 and 1"),
        (lambda: Stack(seed=-1).fit([[1], [2]], [0, 1]), "seed must be an int >= 0"),
    ],
)
def test_wrong_options_are_errors_that_name_them(make: Any, words: str) -> None:
    with pytest.raises(InvalidOption, match=words):
        make()


def test_wrong_data_are_errors() -> None:
    with pytest.raises(InvalidMatrix, match="blocks has 3 numbers and X has 1 columns"):
        Stack(blocks=[0, 1, 1]).fit([[1], [2]], [0, 1])
    with pytest.raises(InvalidLabel, match="1 class"):
        Stack().fit([[1], [2]], [0, 0])
    with pytest.raises(InvalidMatrix, match="Negative values"):
        Stack().fit([[1], [-2]], [0, 1])
    fields = Member(LinearSVM(), TermWeighting(blocks="fields"))
    with pytest.raises(InvalidOption, match="blocks must be None or a list"):
        Stack([fields]).fit(*draw_documents(50))
