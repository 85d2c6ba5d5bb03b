"""What was learned is known by its fingerprint: it can be forgotten once, as it was learned, and nothing else can."""

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import Learned, any_text, assert_same, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, Documents, NaiveBayes
from tercet.counts import fingerprints
from tercet.counts.fingerprints import Fingerprints, digest_prints, fingerprint_documents, fingerprint_texts
from tercet.errors import InvalidOption, NeverLearned
from tercet.kernel.batches import batches

prints = st.lists(st.integers(0, 5).map(lambda n: bytes([n] * 8 + [0] * 7 + [n % 2])), max_size=12)
TEXTS, LABELS = ["the hen sat", "the fox", "the fox", ""], ["hen", "fox", "fox", "fox"]


def as_array(values: list[bytes]) -> Any:
    return np.array(values, "S16")


@given(prints, prints, prints)
def test_fingerprints_are_a_multiset_that_adds_up(first: list[bytes], second: list[bytes], gone: list[bytes]) -> None:
    both = Fingerprints(as_array(first)) + Fingerprints(as_array(second))
    other = Fingerprints(as_array(second))
    other.add(as_array(first))
    assert both == other
    assert len(both) == len(first) + len(second)
    assert Counter(both.sorted().tolist()) == Counter(as_array(first + second).tolist())
    left = Counter(as_array(first + second).tolist())
    left.subtract(as_array(gone).tolist())
    if min(left.values(), default=0) < 0:
        with pytest.raises(NeverLearned, match=r"nothing is changed"):
            both.remove(as_array(gone))
        assert both == other
    else:
        both.remove(as_array(gone))
        assert Counter(both.sorted().tolist()) == +left


@pytest.mark.parametrize("at_least", [0, 3, 1000])
@given(prints, st.lists(st.tuples(st.sampled_from(["add", "remove", "sort", "digest"]), prints), max_size=8))
def test_fingerprints_stay_a_multiset_after_any_changes(
    at_least: int, first: list[bytes], changes: list[tuple[str, list[bytes]]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fingerprints, "MIN_UNSETTLED", at_least)  # changes that are not yet sorted in
        known, expected = Fingerprints(as_array(first)), Counter(as_array(first).tolist())
        for act, given_prints in changes:
            named = Counter(as_array(given_prints).tolist())
            if act == "add":
                known.add(as_array(given_prints))
                expected += named
            elif act == "remove" and all(expected[each] >= n for each, n in named.items()):
                known.remove(as_array(given_prints))
                expected -= named
            elif act == "remove":
                with pytest.raises(NeverLearned):
                    known.remove(as_array(given_prints))
            elif act == "sort":
                assert known.sorted().tolist() == sorted(expected.elements())
            else:
                assert known.digest() == Fingerprints(as_array(list(expected.elements()))).digest()
            assert len(known) == expected.total()
            assert known.find_known(as_array(given_prints)).tolist() == [
                expected[each] > 0 for each in as_array(given_prints).tolist()
            ]
        assert known.digest() == digest_prints(np.sort(as_array(list(expected.elements()))))
        assert Counter(known.listed().tolist()) == expected
        assert known == pickle.loads(pickle.dumps(known)) == Fingerprints(as_array(list(expected.elements())))


def test_the_error_names_the_first_document_that_was_never_learned() -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    with pytest.raises(NeverLearned, match=r"document 2 \(counted from 0\) was never learned with this label and weight"):
        model.forget(["the fox", "", "owl", "owls"], ["fox"] * 4)


@given(st.lists(any_text, min_size=2, max_size=8))
def test_texts_have_the_same_fingerprint_only_if_they_are_equal(texts: list[str]) -> None:
    words = fingerprint_texts(batches(texts), 2)
    assert len(set(map(tuple, words.tolist()))) == len(set(texts))
    assert (fingerprint_texts(batches(iter(texts[::-1])), 1)[::-1] == words).all()


def test_text_label_weight_and_numbers_all_show_in_a_fingerprint() -> None:
    words = fingerprint_texts(batches(["a", "b"]), 1)

    def stamp(text: int, label: Any, weight: int, *numbers: float) -> bytes:
        values = np.array([label]), np.zeros(1, np.int64), np.array([weight]), np.array([numbers]).reshape(1, -1)
        (stamped,) = fingerprint_documents(words[text : text + 1], *values).tolist()
        return stamped

    documents = [(0, "x", 1), (1, "x", 1), (0, "y", 1), (0, "x", 2), (0, 1, 1), (0, "1", 1)]
    documents += [(0, "x", 1, 0.5), (0, "x", 1, 0.5, 0.25), (0, "x", 1, 0.25, 0.5), (0, "x", 1, -0.5)]  # type: ignore[list-item]
    assert len({stamp(*document) for document in documents}) == len(documents)


@given(learned(), learned(plain_texts), st.sampled_from(["text", "label", "weight", "twice"]), st.data())
@some(0.7)
def test_what_was_never_learned_is_refused_and_nothing_changes(a: Learned, b: Learned, what: str, data: st.DataObject) -> None:
    everything = a + b
    model, untouched = (Categorizer().fit(*everything) for _ in "ab")
    i = data.draw(st.integers(0, len(everything.texts) - 1))
    text, label, weight = everything.texts[i], everything.labels[i], everything.weights[i]
    forged = {
        "text": ([text + "!"], [label], [weight]),
        "label": ([text], ["another label"], [weight]),
        "weight": ([text], [label], [weight + 0.25]),
        "twice": everything + Learned([text], [label], [weight]),
    }[what]
    if what == "text" and text + "!" in everything.texts:
        return
    before = pickle.dumps(model.table_.arrays())
    with pytest.raises(NeverLearned, match=r"[Nn]othing is changed"):
        model.forget(*forged)
    assert pickle.dumps(model.table_.arrays()) == before
    assert_same(model, untouched, everything.texts)


def test_the_same_words_in_another_order_are_another_document() -> None:
    model = Categorizer("words").fit(TEXTS, LABELS)
    with pytest.raises(NeverLearned):
        model.forget(["fox the"], ["fox"])
    blind = Categorizer("words", remember=False).fit(TEXTS, LABELS)
    assert blind.forget(["fox the"], ["fox"]).table_.n_documents.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("texts", "labels", "weights"),
    [
        (["the owl"], ["fox"], [1]),
        (["the hen sat"], ["fox"], [1]),
        (["the hen"], ["hen"], [1]),
        (["the fox"], ["fox"], [3]),
        (["the fox"] * 3, ["fox"] * 3, [1] * 3),
        (["the fox"], ["owl"], [1]),
        (["fox"], ["fox"], [1]),  # no document has this length
    ],
)
def test_without_memory_what_the_counts_disprove_is_refused(texts: list[str], labels: list[str], weights: list[float]) -> None:
    model, untouched = (Categorizer(remember=False).fit(TEXTS, LABELS) for _ in "ab")
    with pytest.raises(NeverLearned, match=r"[Nn]othing is changed"):
        model.forget(texts, labels, weights)
    assert_same(model, untouched, TEXTS)


def test_a_number_that_was_never_learned_is_refused_and_nothing_changes() -> None:
    documents = Documents(["a", "b", "a"], ["x", "y", "x"], columns={"links": [1, 2, 3]})
    for remember in (True, False):
        model, untouched = (Categorizer(numeric=["links"], remember=remember).fit(documents) for _ in "ab")
        with pytest.raises(NeverLearned, match=r"[Nn]othing is changed"):
            model.forget(Documents(["a"], ["x"], columns={"links": [100]}))
        assert model.table_ == untouched.table_
        assert model.fitted_.state.moments == untouched.fitted_.state.moments
        assert model.fitted_.state.prints == untouched.fitted_.state.prints
        assert (model.log_joint(documents) == untouched.log_joint(documents)).all()


def test_who_decides_between_some_labels_remembers_all() -> None:
    two = Categorizer().fit([*TEXTS, "owl"], [*LABELS, "owl"]).restrict(["fox", "hen"])
    with pytest.raises(NeverLearned):
        two.forget(["owl"], ["hen"])
    assert two.forget(["owl"], ["owl"]).forget(["the fox"], ["fox"]).table_.n_documents.tolist() == [2, 1]


def test_fingerprints_merge_and_are_pickled() -> None:
    one, other = Categorizer().fit(TEXTS[:2], LABELS[:2]), Categorizer().fit(TEXTS[2:], LABELS[2:])
    both = pickle.loads(pickle.dumps(one + other))
    assert_same(both, Categorizer().fit(TEXTS, LABELS), TEXTS)
    assert_same(both.forget(TEXTS[2:], LABELS[2:]), one, TEXTS)
    with pytest.raises(NeverLearned):
        both.forget([""], ["fox"])


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_a_document_without_words_is_remembered_too(kind: Any) -> None:
    model = Categorizer(model=NaiveBayes(kind)).fit(TEXTS, LABELS).forget([""], ["fox"])
    assert model.table_.n_documents.tolist() == [2, 1]
    with pytest.raises(NeverLearned):
        model.forget([""], ["fox"])


def test_what_was_learned_is_counted_by_text_label_and_weight() -> None:
    c = Categorizer().fit(["to be", "or not", "or not"], ["x", "y", "y"])
    assert c.count_learned(["to be", "or not", "to be"], ["x", "y", "y"]) == 2
    assert c.count_learned(["to be"], ["x"], [2.0]) == 0
    assert c.forget(["to be", "or not", "or not"], ["x", "y", "y"]).count_learned(["to be"], ["x"]) == 0
    with pytest.raises(InvalidOption, match="remember=True"):
        Categorizer(remember=False).fit(["to be"], ["x"]).count_learned(["to be"], ["x"])
