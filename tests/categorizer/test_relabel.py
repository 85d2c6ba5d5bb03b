"""Relabelling is forgetting and learning in one step, and the same as training with the new labels."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import MODELS, any_label, assert_same, learned, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, Documents, LinearSVM, MostInformative, load
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned

TEXTS = ["the hen sat", "a hen", "the fox ran", "a fox"]
LABELS = ["bird", "bird", "mammal", "bird"]


def save_bytes(c: Categorizer, folder: Path, name: str = "m") -> bytes:
    c.save(folder / name)
    return (folder / name).read_bytes()


@some(0.5)
@given(learned(), st.data(), st.sampled_from(MODELS))
def test_relabelling_is_training_with_the_new_labels(documents: Any, data: Any, model: Any) -> None:
    n = len(documents.texts)
    new = data.draw(st.lists(any_label, min_size=n, max_size=n))
    places = data.draw(st.lists(st.sampled_from(range(n)), unique=True, min_size=1))
    some_documents, changed = documents.pick(places), list(documents.labels)
    for place in places:
        changed[place] = new[place]
    given_new = [new[place] for place in places]
    c, by_steps = Categorizer(model=model).fit(*documents), Categorizer(model=model).fit(*documents)
    c.relabel(some_documents.texts, some_documents.labels, given_new, some_documents.weights)
    if len(places) < n:  # a categorizer that has forgotten everything learns as a new one does
        by_steps.forget(*some_documents).learn(some_documents.texts, given_new, some_documents.weights)
        assert_same(c, by_steps, documents.texts)
    assert_same(c, Categorizer(model=model).fit(documents.texts, changed, documents.weights), documents.texts)


@some(0.5)
@given(learned(), any_label)
def test_old_labels_are_found_where_a_document_has_one(documents: Any, new: str) -> None:
    c = Categorizer().fit(*documents)
    for text, label, weight in zip(*documents, strict=True):
        same = [(text, weight) == other for other in zip(documents.texts, documents.weights, strict=True)]
        labels = {label for label, is_same in zip(documents.labels, same, strict=True) if is_same}
        if len(labels) > 1:
            with pytest.raises(NeverLearned, match="several labels"):
                c.relabel([text], new=[new], sample_weight=[weight])
            continue
        changed = Categorizer().fit(*documents).relabel([text], [label], [new], [weight])
        found = Categorizer().fit(*documents).relabel([text], None, [new], [weight])
        assert_same(found, changed, documents.texts)


def test_the_domain_of_a_document_is_part_of_it() -> None:
    select = MostInformative(5, by="ld", domain="site")
    documents = Documents(TEXTS, LABELS, columns={"site": ["a", "b", "a", "b"]})
    c = Categorizer(select=select).fit(documents)
    changed = Documents(TEXTS, [*LABELS[:3], "mammal"], columns=documents.columns)
    c.relabel(Documents(TEXTS[3:], ["mammal"], columns={"site": ["b"]}))
    assert_same(c, Categorizer(select=select).fit(changed), TEXTS)
    with pytest.raises(NeverLearned):
        c.relabel(Documents(TEXTS[3:], ["bird"], columns={"site": ["a"]}))


def test_a_relabelled_model_has_the_bytes_of_one_trained_with_the_new_labels(tmp_path: Path) -> None:
    for old in (LABELS[3:], None):
        c = Categorizer().fit(TEXTS, LABELS).relabel(TEXTS[3:], old, ["mammal"])
        again = Categorizer().fit(TEXTS, [*LABELS[:3], "mammal"])
        assert save_bytes(c, tmp_path, "a") == save_bytes(again, tmp_path, "b")


def test_relabelling_back_restores_the_bytes(tmp_path: Path) -> None:
    c = Categorizer(numeric=["n"], calibrate="temperature")
    documents = Documents(TEXTS * 3, LABELS * 3, columns={"n": [1, 2, 3, 4] * 3})
    before = save_bytes(c.fit(documents), tmp_path)
    one = Documents(TEXTS[:1], ["new"], columns={"n": [1]})
    assert save_bytes(c.relabel(one, ["bird"]), tmp_path) != before
    assert save_bytes(c.relabel(Documents(one.texts, ["bird"], columns=one.columns), ["new"]), tmp_path) == before


def test_a_stream_of_documents_has_the_new_labels() -> None:
    c = Categorizer().fit(TEXTS, LABELS)
    c.relabel(iter([Documents(TEXTS[:1], ["x"]), Documents(TEXTS[2:3], ["y"])]), ["bird", "mammal"])
    assert_same(c, Categorizer().fit(TEXTS, ["x", "bird", "y", "bird"]), TEXTS)


def test_a_document_that_has_the_new_label_already_stays() -> None:
    c = Categorizer().fit(TEXTS, LABELS).relabel(TEXTS, new=LABELS)
    assert_same(c, Categorizer().fit(TEXTS, LABELS), TEXTS)


@pytest.mark.parametrize(
    ("texts", "old", "new", "error", "message"),
    [
        (["the hen sat", "unseen"], None, ["x", "x"], NeverLearned, r"document 1 .* was never learned"),
        (["the hen sat", "a hen"], ["bird", "mammal"], ["x", "x"], NeverLearned, r"document 1 .* was never learned"),
        (["the hen sat"] * 2, ["bird", "bird"], ["x", "x"], NeverLearned, "was never learned with this label"),
        (["both"], None, ["x"], NeverLearned, r"document 0 .* several labels \('bird', 'mammal'\): give the old label"),
        (["the hen sat"], ["bird"], [3], InvalidLabel, "labels of two types"),
        (["the hen sat"], ["bird", "bird"], ["x"], InvalidLabel, "1 documents and y has 2 labels"),
        (["the hen sat"], ["bird"], None, InvalidLabel, "requires y"),
        (["the hen sat"], ["bird"], ["x", "y"], InvalidLabel, "labels and 1 texts"),
        ([], [], [], InvalidLabel, "there are no labels"),
    ],
)
def test_nothing_changes_if_a_document_cannot_be_relabelled(
    texts: list[str], old: Any, new: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    c = Categorizer().fit([*TEXTS, "both", "both"], [*LABELS, "bird", "mammal"])
    before = save_bytes(c, tmp_path)
    with pytest.raises(error, match=message):
        c.relabel(texts, old, new)
    assert save_bytes(c, tmp_path) == before


def test_without_fingerprints_the_old_labels_must_be_given(tmp_path: Path) -> None:
    c = Categorizer(remember=False).fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="no fingerprints"):
        c.relabel(TEXTS[3:], new=["mammal"])
    assert c.relabel(TEXTS[3:], LABELS[3:], ["mammal"]).table_ == Categorizer().fit(TEXTS, [*LABELS[:3], "mammal"]).table_
    with pytest.raises(NeverLearned):
        c.relabel(["an unseen text"], ["bird"], ["mammal"])


def test_the_weight_tells_documents_apart() -> None:
    c = Categorizer().fit(["a hen", "a hen"], ["bird", "mammal"], [2.0, 1.0])
    assert c.relabel(["a hen"], new=["fish"], sample_weight=[2.0]).classes_.tolist() == ["fish", "mammal"]


def test_margins_are_stale_after_relabelling_and_refit_makes_them_new(tmp_path: Path) -> None:
    changed = [*LABELS[:3], "mammal"]
    c = Categorizer(model=LinearSVM()).fit(TEXTS, LABELS).relabel(TEXTS[3:], new=["mammal"])
    assert c.is_stale_
    again = Categorizer(model=LinearSVM()).fit(TEXTS, changed)
    assert save_bytes(c.refit(TEXTS, changed), tmp_path, "a") == save_bytes(again, tmp_path, "b")
    assert load(tmp_path / "a").predict(TEXTS).tolist() == again.predict(TEXTS).tolist()


def test_learned_documents_are_found_one_by_one() -> None:
    c = Categorizer().fit(TEXTS, LABELS)
    assert c.find_learned([*TEXTS, "new"], [*LABELS, "bird"]).tolist() == [True] * 4 + [False]
    assert c.find_learned(TEXTS, LABELS, [2.0, 1.0, 0.0, 0.0]).tolist() == [False, True, False, False]
    assert c.find_learned([], []).dtype == np.bool_
