"""Labels that are probably spellings of others are found; labels that are not, are not."""

import sys
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from tercet.data.label_rules import LabelRules
from tercet.data.similar_labels import FORM, TYPING_ERROR, find_known_spellings, find_similar


def list_pairs(counts: dict[str, float]) -> list[tuple[str, str, str]]:
    return [(found.label, found.better, found.difference) for found in find_similar(counts)]


@pytest.mark.parametrize("wrong", ["Biling", "Billling", "Bililng", "Billimg", "Billin", "biling"])
def test_one_typing_error_is_found(wrong: str) -> None:
    assert list_pairs({"Billing": 40, wrong: 4}) == [(wrong, "Billing", TYPING_ERROR)]
    assert list_pairs({"Tech Billing": 40, f"tech_{wrong}": 4}) == [(f"tech_{wrong}", "Tech Billing", TYPING_ERROR)]
    assert find_known_spellings([wrong], ["Spam", "Billing"]) == {wrong: "Billing"}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [("Data Privacy", "Daa Privacy"), ("Sales", "Saes"), ("Sales Lead", "sales leaad"), ("Data Privacy", "Data rivacy")],
)
def test_a_missing_letter_is_found_in_shorter_words(right: str, wrong: str) -> None:
    assert list_pairs({right: 40, wrong: 4}) == [(wrong, right, TYPING_ERROR)]


@pytest.mark.parametrize(
    ("frequent", "rare"),
    [
        ("2", "3"),
        ("A1", "A2"),
        ("level 12345", "level 12346"),
        ("group10", "group1"),
        ("grade_a", "grade_b"),
        ("class A", "class B"),
        ("rec.autos", "rec.a"),
        ("mail", "male"),
        ("spam", "span"),
        ("spot", "spt"),
        ("section a", "section ab"),
        ("home page", "home pace"),
        ("Zambia", "Gambia"),
        ("typical", "atypical"),
        ("in Zambia", "in Gambia"),
        ("positive", "negative"),
        ("Billing", "Bling"),
        ("", "x"),
    ],
)
def test_labels_that_are_alike_but_two_are_not_taken_for_one(frequent: str, rare: str) -> None:
    assert list_pairs({frequent: 100, rare: 1}) == []
    assert find_known_spellings([rare], [frequent]) == {}


def test_an_error_is_rarer_than_the_right_label() -> None:
    assert list_pairs({"employer": 40, "employee": 30}) == []


def test_all_spellings_of_a_wrong_label_lead_to_the_right_one() -> None:
    counts = {"Billing": 50.0, "BILLING": 9.0, "Biling": 4.0, "biling": 3.0, "Bilin": 1.0, "Spam": 3.0}
    found = find_similar(counts)
    assert {similar.label: similar.better for similar in found} == dict.fromkeys(
        ["BILLING", "Biling", "biling", "Bilin"], "Billing"
    )
    LabelRules(mapping={similar.label: similar.better for similar in found})  # has no chains
    assert {similar.difference for similar in found if similar.label == "BILLING"} == {FORM}


def test_without_the_package_only_forms_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz.distance", None)
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    assert list_pairs({"Billing": 40, "Biling": 4, "billing": 2}) == [("billing", "Billing", FORM)]
    assert find_known_spellings(["Biling"], ["Billing"]) == {}


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("20newsgroups/train", "label"),
        ("lingua_sentences/train", "label"),
        ("trec_qc/train", "label"),
        ("trec_qc/train", "fine"),
        ("eec/all", "emotion_word"),
        ("spamassassin/all", "dir"),
        ("evomsa_tweets/all", "label"),
    ],
)
def test_labels_of_real_corpora_are_not_alike(name: str, field: str, corpus: Callable[[str], list[dict[str, Any]]]) -> None:
    counts = Counter(row[field] for row in corpus(name) if row[field])
    assert find_similar(counts) == []
    assert [find_known_spellings([label], set(counts) - {label}) for label in counts] == [{}] * len(counts)
