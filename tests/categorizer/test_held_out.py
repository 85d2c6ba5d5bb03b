"""Held out by subtraction is held out by retraining: leave-one-out and folds against fits without the documents."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, any_text, assert_close, deal_folds, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, Documents, NaiveBayes, train
from tercet.categorizer.held_out.held_out import Copies
from tercet.errors import InvalidOption, TercetError
from tercet.evaluation.splits import assign_folds
from tercet.models.smoothing import AbsoluteDiscount, Additive, Dirichlet, JelinekMercer
from tercet.models.smoothing_choice import Taken

SMOOTHINGS = [1.0, Additive(0.1), JelinekMercer(0.3), Dirichlet(2.0), AbsoluteDiscount(0.5)]
COMBINATIONS = [(kind, smoothing) for kind in ("multinomial", "binary") for smoothing in SMOOTHINGS]
COMBINATIONS += [(kind, smoothing) for kind in ("bernoulli", "complement") for smoothing in SMOOTHINGS[:2]]
OWN = Additive(0.5, per_term={"hen": 3.0, "the": 0.01, "the hen": 2.0, "fox": 1e6})
COMBINATIONS += [(kind, OWN) for kind in ("multinomial", "binary", "complement")]
each_combination = pytest.mark.parametrize(("kind", "smoothing"), COMBINATIONS, ids=str)
labels = st.sampled_from(["a", "b", "Σ", "Σ"])
whole_or_not = st.sampled_from([1.0, 1.0, 2.0, 1.5, 1 / 3])
documents = learned(plain_texts | any_text, labels, min_size=2, max_size=7, weights=whole_or_not)


@st.composite
def options(draw: st.DrawFn, kind: str, smoothing: Any) -> tuple[NaiveBayes, dict[str, Any]]:
    """All that may go with a kind and a smoothing."""
    is_plain, is_additive = kind in ("multinomial", "binary"), isinstance(smoothing, float | Additive)
    vocabulary = draw(st.sampled_from(["union", "shared"] if is_plain else ["union"]))
    unknown = draw(st.sampled_from(["ignore", "unk"] if is_plain and is_additive else ["ignore"]))
    prior = draw(st.sampled_from(["empirical", "uniform"]))
    model = NaiveBayes(kind, smoothing, prior, vocabulary=vocabulary, unknown=unknown)  # type: ignore[arg-type]
    return model, {
        "min_documents": draw(st.integers(1, 2)),
        "analyzer": draw(st.sampled_from(["words", Categorizer().analyzer])),
    }


def log_joint_without(model: Categorizer, learned: Any, asked: Any, classes: Any) -> Any:
    """The scores of a categorizer that learns afresh; labels that it does not know are out."""
    fresh = Categorizer(**model.get_params(deep=False)).fit(*learned)
    scores = np.full((len(asked.texts) if isinstance(asked, Documents) else len(asked), len(classes)), -np.inf)
    scores[:, np.isin(classes, fresh.classes_)] = fresh.log_joint(asked)
    return scores


def retrain_without(model: Categorizer, learned: Learned, groups: list[list[int]]) -> Any:
    """For each document the scores without those that are named for it."""
    rest = [[k for k in range(len(learned.texts)) if k not in group] for group in groups]
    rows = [
        log_joint_without(model, learned.pick(r), [text], model.classes_) for r, text in zip(rest, learned.texts, strict=True)
    ]
    return np.concatenate(rows)


def probabilities(scores: Any) -> Any:
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return shares / shares.sum(axis=1, keepdims=True)


@each_combination
@given(documents, st.data())
@some(0.25)
def test_leaving_out_is_learning_without(kind: str, smoothing: Any, documents: Learned, data: st.DataObject) -> None:
    nb, others = data.draw(options(kind, smoothing))
    model = Categorizer(model=nb, **others).fit(*documents)
    before = model.table_.fingerprint()
    held = model.leave_one_out(*documents)
    expected = retrain_without(model, documents, [[i] for i in range(len(documents.texts))])
    assert_close(held.log_joint, expected)
    assert_close(held.probabilities, probabilities(expected))
    assert held.labels.tolist() == model.classes_.tolist()
    assert held.gold.tolist() == documents.labels
    assert held.predicted.tolist() == held.labels[held.log_joint.argmax(axis=1)].tolist()
    assert held.accuracy == np.mean(held.predicted == np.array(documents.labels))
    assert model.table_.fingerprint() == before


@each_combination
@given(
    learned(st.sampled_from(["the hen", "the fox sat", "hen", ""]), labels, min_size=2, max_size=8, weights=whole_or_not),
    st.data(),
)
@some(0.15)
def test_all_copies_of_a_text_go_with_it(kind: str, smoothing: Any, documents: Learned, data: st.DataObject) -> None:
    nb, others = data.draw(options(kind, smoothing))
    if len(set(documents.texts)) == 1:
        return
    model = Categorizer(model=nb, **others).fit(*documents)
    copies = [[k for k, other in enumerate(documents.texts) if other == text] for text in documents.texts]
    assert_close(model.leave_one_out(*documents, copies="all").log_joint, retrain_without(model, documents, copies))


@each_combination
@given(learned(plain_texts | any_text, labels, min_size=3, max_size=9, weights=whole_or_not), st.integers(2, 3), st.data())
@some(0.15)
def test_folds_are_scored_as_by_retraining(
    kind: str, smoothing: Any, documents: Learned, folds: int, data: st.DataObject
) -> None:
    nb, others = data.draw(options(kind, smoothing))
    others["max_terms"] = data.draw(st.none() | st.integers(1, 4))
    if kind in ("multinomial", "binary"):
        nb.set_params(smoothing=data.draw(st.sampled_from([nb.smoothing, "table"])))
    check_folds(Categorizer(model=nb, **others), documents, folds, data.draw(st.integers(0, 3)))


def check_folds(model: Categorizer, documents: Learned, folds: int, seed: int) -> None:
    classes = np.unique(documents.labels)
    fold_of = deal_folds(model, *documents, folds=folds, seed=seed)
    held = model.cross_validate(*documents, folds=folds, seed=seed)
    for fold in range(folds):
        (inside,), (outside,) = np.nonzero(fold_of == fold), np.nonzero(fold_of != fold)
        asked = [documents.texts[i] for i in inside]
        assert_close(held.log_joint[inside], log_joint_without(model, documents.pick(outside), asked, classes))
    assert (held.labels.tolist(), held.gold.tolist()) == (classes.tolist(), documents.labels)


def test_folds_of_many_documents_are_scored_as_by_retraining() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 70, 700)  # more than 64 labels, and some in one fold alone
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, 8) % 90 + label) for label in y]
    for nb in (NaiveBayes("binary", "table"), NaiveBayes("bernoulli", 0.1), NaiveBayes(vocabulary="shared")):
        check_folds(Categorizer(model=nb, max_terms=500, threads=3), Learned(texts, y.tolist(), [1.0] * 700), 10, 5)


@pytest.mark.parametrize(
    ("kind", "smoothing"), [("binary", AbsoluteDiscount(0.7)), ("bernoulli", 0.1), ("complement", 1.0)], ids=str
)
def test_leaving_out_of_many_documents_is_learning_without(kind: Any, smoothing: Any) -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 70, 400)
    texts = [" ".join(f"w{i}" for i in rng.zipf(1.3, 8) % 90 + label) for label in y]
    documents = Learned(texts, y.tolist(), rng.choice([1.0, 2.0, 0.5], 400).tolist())
    model = Categorizer(model=NaiveBayes(kind, smoothing), threads=3).fit(*documents)
    held = model.leave_one_out(*documents)
    for i in range(0, 400, 23):
        rest = documents.pick(np.delete(np.arange(400), i))
        assert_close(held.log_joint[i], log_joint_without(model, rest, [texts[i]], model.classes_)[0])


def test_folds_with_a_chosen_smoothing_are_those_of_the_choice() -> None:
    texts, y = ["hen sat", "hen", "the hen", "fox ran", "the fox", "fox fox"] * 2, list("hhhfff") * 2
    chosen = Categorizer(model=NaiveBayes(smoothing="auto"))
    kept = Categorizer(model=NaiveBayes(smoothing=chosen.fit(texts, y).smoothing_))
    unfitted = Categorizer(model=NaiveBayes(smoothing="auto"))
    assert_close(unfitted.cross_validate(texts, y, folds=3).log_joint, kept.cross_validate(texts, y, folds=3).log_joint)
    assert not hasattr(unfitted, "table_")


def test_folds_are_alike_and_repeatable() -> None:
    texts, y = [f"w{i % 5} x" for i in range(40)], [i % 3 for i in range(40)]
    model = Categorizer()
    first, again, other = (model.cross_validate(texts, y, folds=4, seed=seed).log_joint for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    sizes = np.array([np.bincount(assign_folds(np.array(y), 4, 1)[np.array(y) == label]) for label in range(3)])
    assert np.ptp(sizes, axis=1).max() <= 1


@pytest.mark.parametrize("prior", ["empirical", "uniform", {"a": 0.2, "b": 0.3, "only": 0.5}])
@pytest.mark.parametrize("kind", ["multinomial", "binary", "bernoulli", "complement"])
def test_a_label_that_only_the_document_has_gets_probability_zero(kind: Any, prior: Any) -> None:
    texts, labels = ["x y", "y z", "x", "z q"], ["a", "b", "a", "only"]
    model = Categorizer(model=NaiveBayes(kind, prior=prior)).fit(texts, labels)
    held = model.leave_one_out(texts, labels)
    assert held.probabilities[3, 2] == 0
    assert held.probabilities[:3, 2].min() > 0
    assert_close(held.probabilities.sum(axis=1), 1)
    assert held.predicted[3] != "only"
    assert model.cross_validate(texts, labels, folds=4).probabilities[3, 2] == 0


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
@given(
    st.lists(
        st.tuples(plain_texts, labels, st.floats(-1e3, 1e3), st.sampled_from([0.0, 1.0, 7.0]), whole_or_not),
        min_size=3,
        max_size=7,
    ),
    st.sampled_from(["own", "all", "folds"]),
)
@some(0.3)
def test_numbers_are_held_out_as_by_retraining(kind: Any, rows: list[Any], way: str) -> None:
    texts, y, ratio, links, weights = map(list, zip(*rows, strict=True))

    def pick(places: Any) -> Documents:
        columns = {"ratio": [ratio[i] for i in places], "links": [links[i] for i in places]}
        return Documents([texts[i] for i in places], [y[i] for i in places], [weights[i] for i in places], columns)

    if way == "all" and len(set(texts)) == 1:
        return
    everything, n = pick(range(len(texts))), len(texts)
    model = Categorizer("words", NaiveBayes(kind), numeric=["ratio", "links"]).fit(everything)
    if way == "folds":
        fold_of = deal_folds(model, everything, folds=3, seed=0)
        held, groups = model.cross_validate(everything, folds=3), [np.flatnonzero(fold_of == fold_of[i]) for i in range(n)]
    else:
        held = model.leave_one_out(everything, copies=way)
        groups = [np.array([k for k in range(n) if k == i or (way == "all" and texts[k] == texts[i])]) for i in range(n)]
    rest = [pick(np.setdiff1d(np.arange(n), group)) for group in groups]
    expected = [log_joint_without(model, (documents,), pick([i]), model.classes_)[0] for i, documents in enumerate(rest)]
    assert_close(probabilities(held.log_joint), probabilities(np.array(expected)))


@pytest.mark.parametrize("prior", ["empirical", "uniform"])
@given(learned(plain_texts, st.sampled_from("abc"), min_size=3, max_size=7))
@some(0.4)
def test_who_decides_between_some_labels_leaves_out_exactly(prior: str, documents: Learned) -> None:
    full = Categorizer("words", NaiveBayes(smoothing=0.5, prior=prior)).fit(*documents)
    some_labels = full.restrict(documents.labels[:2])
    of_these = [i for i, label in enumerate(documents.labels) if label in some_labels.classes_]
    held = some_labels.leave_one_out(*documents.pick(of_these))
    for row, i in zip(held.probabilities, of_these, strict=True):
        without = Categorizer("words", full.model).fit(*documents.pick(np.delete(np.arange(len(documents.texts)), i)))
        left = np.isin(some_labels.classes_, without.classes_)  # the document's label may be gone with it
        expected = np.where(left, 0.0, 1 / len(left) if not left.any() else 0.0)
        if left.any():
            expected[left] = without.restrict(some_labels.classes_[left]).predict_proba([documents.texts[i]])[0]
        assert_close(row, expected)


def test_who_decides_between_some_labels_has_probabilities_without_them() -> None:
    texts, y = ["a", "b", "c a", "c b", "a b c"], ["x", "y", "x", "y", "z"]
    only = Categorizer().fit(texts, y).restrict(["z"]).leave_one_out(["a b c"], ["z"])
    assert only.probabilities.tolist() == [[1.0]]
    strict = Categorizer(model=NaiveBayes(smoothing=0.0)).fit(texts, y).restrict(["x", "y"])
    with pytest.warns(RuntimeWarning, match="documents have probability 0 under every label"):
        assert_close(strict.leave_one_out(texts, y).probabilities.sum(axis=1), 1.0)


def test_the_only_document_leaves_every_label_as_likely() -> None:
    held = Categorizer().fit(["hen"], ["only"]).leave_one_out(["hen"], ["only"])
    assert held.probabilities.tolist() == [[1.0]]


def test_some_of_the_documents_can_be_left_out() -> None:
    texts, y = ["hen sat", "the fox", "hen", "fox"], ["h", "f", "h", "f"]
    model = Categorizer().fit(texts, y)
    assert (model.leave_one_out(texts[2:], y[2:]).log_joint == model.leave_one_out(texts, y).log_joint[2:]).all()
    generated = model.leave_one_out((text for text in texts), y)
    assert (generated.log_joint == model.leave_one_out(np.array(texts), y).log_joint).all()


@pytest.mark.parametrize("remember", [True, False])
@pytest.mark.parametrize(
    ("text", "label", "weight"), [("owl", "h", 1), ("hen", "f", 1), ("hen sat", "h", 2), ("hen sat", "z", 1)]
)
def test_what_was_never_learned_can_not_be_left_out(remember: bool, text: str, label: str, weight: float) -> None:
    model = Categorizer(remember=remember).fit(["hen sat", "the fox"], ["h", "f"])
    with pytest.raises(TercetError, match=r"never learned|is unknown here"):
        model.leave_one_out([text], [label], [weight])


def test_without_smoothing_bernoulli_is_not_left_out() -> None:
    texts, y = ["a b", "b"], ["x", "y"]
    with pytest.raises(InvalidOption, match="needs smoothing > 0"):
        Categorizer(model=NaiveBayes("bernoulli", 0.0)).fit(texts, y).leave_one_out(texts, y)


@pytest.mark.parametrize("vocabulary", ["union", "shared"])
@pytest.mark.filterwarnings("ignore:. of . documents have probability 0")
@given(learned(plain_texts, labels, min_size=3))
@some(0.4)
def test_without_smoothing_leaving_out_is_learning_without(vocabulary: Any, documents: Learned) -> None:
    model = Categorizer("words", NaiveBayes(smoothing=0.0, vocabulary=vocabulary)).fit(*documents)
    expected = retrain_without(model, documents, [[i] for i in range(len(documents.texts))])
    assert_close(model.leave_one_out(*documents).log_joint, expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"folds": 1}, "folds must be an int >= 2"), ({"folds": 9}, "Use fewer"), ({"seed": -1}, "seed must be an int >= 0")],
)
def test_bad_folds_are_refused(options: Any, message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Categorizer().cross_validate(["a", "b"], ["x", "y"], **{"folds": 2} | options)


def test_a_bad_choice_of_copies_is_refused() -> None:
    with pytest.raises(InvalidOption, match="copies must be one of own, all, got 'none'"):
        Categorizer().fit(["a"], ["x"]).leave_one_out(["a"], ["x"], copies="none")


def test_the_counts_of_copies_are_kept_once_for_each_group() -> None:
    """Many copies of a text take no more memory for each block of documents than a few of them."""
    n = 5000
    copies = Copies.of(np.ones((n, 2), np.uint64))
    together = copies.take(np.arange(n) % 3, np.ones(n, np.int64), n_labels=3)
    assert together.labels.tolist() == [0, 1, 2]
    indices = np.array([7, n - 1])
    alone = Taken.own(np.array([0, 0]), np.array([1, 1]))
    joined = copies.join(indices, alone, together)
    assert (joined.starts.tolist(), joined.labels.tolist()) == ([0, 3, 6], [0, 1, 2, 0, 1, 2])
    assert joined.weights.reshape(2, 3).sum(axis=1).tolist() == [n, n]


def test_one_text_alone_with_many_copies_is_trained() -> None:
    n = 20_000
    result = train(["the same text"] * n, ["a", "b"] * (n // 2))
    assert result.categorizer.classes_.tolist() == ["a", "b"]
