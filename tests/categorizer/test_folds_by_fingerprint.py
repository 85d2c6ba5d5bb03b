"""Folds by the fingerprint of a text: they need no other document, so that a cluster deals the same folds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, LinearSVM, load
from tercet.categorizer.files.record import TrainingRecord
from tercet.categorizer.train import train
from tercet.counts.fingerprints import assign_by_print
from tercet.errors import BadModelFile, InvalidOption
from tercet.store.model_file import read_model, write_model

TEXTS = [f"{word} number {i}" for i in range(40) for word in ("good", "bad")]
LABELS = ["+", "-"] * 40


def deal(texts: list[str], labels: list[str], **options: Any) -> Any:
    return Categorizer("words").cross_validate(texts, labels, folds=5, folds_by="fingerprint", **options).folds


@given(st.permutations(range(80)), st.integers(0, 3))
def test_neither_the_order_nor_other_documents_matter(order: list[int], seed: int) -> None:
    folds = deal(TEXTS, LABELS, seed=seed)
    some = order[:30]
    found = deal([TEXTS[i] for i in some], [LABELS[i] for i in some], seed=seed)
    assert found.tolist() == folds[some].tolist()


def test_copies_are_together_whatever_their_label() -> None:
    folds = deal([*TEXTS, *TEXTS], [*LABELS, *LABELS[::-1]])
    assert folds[:80].tolist() == folds[80:].tolist()


def test_folds_are_of_about_the_same_size_and_depend_on_the_seed() -> None:
    prints = np.random.default_rng(0).integers(0, 2**64, (20_000, 2), np.uint64)
    first, second = (assign_by_print(prints, 4, seed) for seed in (0, 1))
    for fold_of in (first, second):
        assert np.abs(np.bincount(fold_of, minlength=4) - 5000).max() < 300
    assert 0.2 < (first == second).mean() < 0.3


def test_the_estimate_is_that_of_cross_validation() -> None:
    trained = train(TEXTS, LABELS, categorizer=Categorizer(), folds=4, seed=2, folds_by="fingerprint")
    held = Categorizer().cross_validate(TEXTS, LABELS, folds=4, seed=2, folds_by="fingerprint")
    assert trained.estimate.accuracy.value == held.accuracy
    assert "folds:4+seed=2+by=fingerprint" in trained.estimate.signature
    assert held.report.recipe["folds"] == "4+seed=2+by=fingerprint"


def test_the_record_keeps_the_rule(tmp_path: Path) -> None:
    kept = Categorizer(keep_documents=True)
    train(TEXTS[:60], LABELS[:60], categorizer=kept, folds=4, folds_by="fingerprint")
    kept.learn(TEXTS[60:], LABELS[60:])
    whole = Categorizer(keep_documents=True)
    train(TEXTS, LABELS, categorizer=whole, folds=4, folds_by="fingerprint")
    for name, model in (("kept", kept), ("whole", whole)):
        model.save(tmp_path / name)
    assert (tmp_path / "kept").read_bytes() == (tmp_path / "whole").read_bytes()
    record = load(tmp_path / "kept").record_
    assert isinstance(record, TrainingRecord)
    assert record.folds_by == "fingerprint"
    other = train(TEXTS, LABELS, categorizer=Categorizer(keep_documents=True), folds=4).categorizer
    assert "folds_by" not in (other.record_ or record).to_dict()
    assert (kept + other).record_ is not None
    file = read_model(tmp_path / "kept")
    file.content["record"]["folds_by"] = "chance"
    write_model(tmp_path / "kept", file.content, file.arrays)
    with pytest.raises(BadModelFile, match="folds_by"):
        load(tmp_path / "kept")


def test_margins_are_trained_for_these_folds() -> None:
    held = Categorizer(model=LinearSVM()).cross_validate(TEXTS, LABELS, folds=3, folds_by="fingerprint")
    assert held.accuracy > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 3, "folds_by": "chance"}, "one of random, fingerprint"),
        ({"folds": [0, 1] * 40, "folds_by": "fingerprint"}, "the folds are given"),
        ({"folds": 1, "folds_by": "fingerprint"}, "an int >= 2"),
        ({"folds": 3, "folds_by": "fingerprint", "seed": -1}, "seed"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        Categorizer("words").cross_validate(TEXTS, LABELS, **options)


def test_one_text_can_not_be_held_out() -> None:
    with pytest.raises(InvalidOption, match="all documents are in one fold"):
        Categorizer().cross_validate(["a", "a"], ["x", "y"], folds=3, folds_by="fingerprint")
    with pytest.raises(InvalidOption, match="say how many"):
        train(TEXTS, LABELS, categorizer=Categorizer(), folds_by="fingerprint")
