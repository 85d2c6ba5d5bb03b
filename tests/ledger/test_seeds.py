"""Seeds in a ledger: a change of them is an event, each training uses those of its time, and replay gives the same bytes."""

from pathlib import Path
from typing import Any

import pytest
from helpers.two_topics import POOL

from tercet import Categorizer, Documents, Ledger
from tercet.errors import InvalidOption
from tercet.ledger.live import LiveModel
from tercet.ledger.trainer import Trainer
from tercet.ledger.verification import verify

SEEDS = {"sports": ["team", "goal"], "business": ["bank", "rate"]}
OTHERS = {"sports": ["match", "coach"], "business": ["loan", "bond"]}
TEXTS = ["goal of the week", "a rate today", "the coach", "the price", "match report", "a bond"]
LABELS = ["sports", "business"] * 3


def make(seeds: Any = SEEDS) -> Categorizer:
    return Categorizer(model="auto", seeds=seeds, calibrate="auto", keep_documents=True)


def write(model: Categorizer | None, folder: Path) -> bytes:
    assert model is not None
    model.save(folder / "written.tercet")
    return (folder / "written.tercet").read_bytes()


def begin(folder: Path, seeds: Any = SEEDS) -> tuple[Ledger, LiveModel]:
    ledger = Ledger.begin(folder / "a.ledger", make(seeds), actor="ann")
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    ledger.offer(Documents(POOL), pool="new", actor="ann", subjects=["bob"] + [None] * (len(POOL) - 1))
    return ledger, LiveModel(ledger, folder / "a.tercet")


def test_each_training_uses_the_seeds_of_its_time(tmp_path: Path) -> None:
    ledger, live = begin(tmp_path)
    with ledger:
        live.train(actor="ann")
        first, number = write(live.model, tmp_path), ledger.history.last
        assert first == write(make().fit(TEXTS, LABELS, unlabelled=POOL), tmp_path)
        (event,) = ledger.change_seeds(OTHERS, actor="ben")
        assert (event.verb, event.actor, event.details) == (
            "seeds",
            "ben",
            {"seeds": {label: {"words": words} for label, words in OTHERS.items()}},
        )
        live.follow()
        assert write(live.model, tmp_path) == first  # until the next training
        trainer = Trainer(live, "a", "ann")
        assert trainer.has_new_texts()
        live.train(actor="ann")
        assert not trainer.has_new_texts()
        assert write(live.model, tmp_path) == write(make(OTHERS).fit(TEXTS, LABELS, unlabelled=POOL), tmp_path)
        assert write(ledger.replay().model, tmp_path) == write(live.model, tmp_path)
        assert write(ledger.replay(number).model, tmp_path) == first
        assert ledger.change_seeds(OTHERS, actor="ben") == []  # nothing new
    assert verify(tmp_path / "a.ledger").is_good


def test_without_seeds_and_encoder_offered_texts_do_not_teach(tmp_path: Path) -> None:
    ledger, live = begin(tmp_path, None)
    with ledger:
        live.train(actor="ann")
        assert write(live.model, tmp_path) == write(make(None).fit(TEXTS, LABELS), tmp_path)
        ledger.change_seeds(SEEDS, actor="ann")
        live.train(actor="ann")
        assert write(live.model, tmp_path) == write(make().fit(TEXTS, LABELS, unlabelled=POOL), tmp_path)
        ledger.change_seeds(None, actor="ann")
        live.train(actor="ann")
        assert write(live.model, tmp_path) == write(make(None).fit(TEXTS, LABELS), tmp_path)
        assert write(ledger.replay().model, tmp_path) == write(live.model, tmp_path)


def test_an_erased_text_that_seeds_have_made_teach_is_in_no_model(tmp_path: Path) -> None:
    ledger, live = begin(tmp_path)
    with ledger:
        live.train(actor="ann")
        ledger.change_seeds(None, actor="ann")
        live.erase("bob", actor="ann")
        assert live.training is None  # the training had seen the text, though there are no seeds any more
        ledger.change_seeds(SEEDS, actor="ann")
        live.train(actor="ann")
        assert write(live.model, tmp_path) == write(make().fit(TEXTS, LABELS, unlabelled=POOL[1:]), tmp_path)
    for path in tmp_path.iterdir():
        assert not path.is_file() or POOL[0].encode() not in path.read_bytes()


@pytest.mark.parametrize("seeds", [{"sports": ["goal"]}, {"sports": ["goal"], "business": ["goal"]}, 7])
def test_bad_seeds_are_refused_and_nothing_is_written(tmp_path: Path, seeds: Any) -> None:
    ledger, _ = begin(tmp_path)
    with ledger:
        last = ledger.history.last
        with pytest.raises(InvalidOption):
            ledger.change_seeds(seeds, actor="ann")
        assert ledger.history.last == last


def test_a_model_that_can_not_use_seeds_refuses_them(tmp_path: Path) -> None:
    for name, model, words in (
        ("b", Categorizer(), "seeds are for model='auto'"),
        ("c", Categorizer(model="auto").fit(TEXTS * 10, LABELS * 10), "does not have the first documents"),
    ):
        ledger = Ledger.begin(tmp_path / f"{name}.ledger", model, actor="ann")
        with ledger, pytest.raises(InvalidOption, match=words):
            ledger.change_seeds(SEEDS, actor="ann")


def test_a_change_that_is_not_committed_is_taken_back(tmp_path: Path) -> None:
    ledger, _ = begin(tmp_path)

    def change() -> None:
        with ledger.transaction():
            ledger.change_seeds(OTHERS, actor="ann")
            raise RuntimeError

    with ledger:
        with pytest.raises(RuntimeError):
            change()
        assert ledger.find_learned().seeds == {label: {"words": words} for label, words in SEEDS.items()}
