"""Trainings that begin by themselves."""

from pathlib import Path

import pytest

from tercet import Categorizer, Documents, Ledger
from tercet.ledger import trainer as trainer_module
from tercet.ledger.live import LiveModel
from tercet.ledger.trainer import MIN_CHANGES, Trainer
from tercet.models.nbsvm import NBSVM

TEXTS = [f"so {word} {n}" for n in range(10) for word in ("good", "bad")]
LABELS = ["+", "-"] * 10


@pytest.fixture
def live(tmp_path: Path):
    model = Categorizer("words", NBSVM(), keep_documents=True).fit(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "m.ledger", model, actor="ann") as ledger:
        yield LiveModel(ledger, tmp_path / "m.tercet")


def learn(live: LiveModel, *texts: str) -> None:
    live.ledger.learn(Documents(list(texts), ["+"] * len(texts)), actor="ann")
    live.follow()


def test_one_correction_is_trained_after_a_rest(live: LiveModel, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(live, "m", "server")
    monkeypatch.setattr(trainer_module, "REST", 0)
    assert not trainer.is_due()  # nothing has changed
    learn(live, "fine")
    monkeypatch.setattr(trainer_module, "REST", 1e9)
    assert not trainer.is_due()
    monkeypatch.setattr(trainer_module, "REST", 0)
    assert trainer.is_due()
    trainer.consider()
    trainer.wait()
    assert live.trained_to is not None
    assert live.trained_to >= max(live.ledger.history.documents)
    assert not trainer.is_due()


def test_many_changes_do_not_wait(live: LiveModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainer_module, "REST", 1e9)
    trainer = Trainer(live, "m", "server")
    learn(live, *(f"fine {n}" for n in range(MIN_CHANGES - 1)))
    assert not trainer.is_due()
    learn(live, "the last one")
    assert trainer.is_due()


def test_a_training_that_another_process_does_is_not_tried_again_at_once(
    live: LiveModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Trainer(live, "m", "server")
    learn(live, "fine")
    monkeypatch.setattr(trainer_module, "REST", 1e9)
    monkeypatch.setattr(trainer, "_rests_since", 0.0)
    monkeypatch.setattr(trainer, "_seconds", 0.0)
    assert trainer.is_due()
    assert live.path is not None
    with trainer_module.own_lock(live.path.with_name(f"{live.path.name}.training"), wait_seconds=0.0):
        trainer.consider()
        trainer.wait()
    assert trainer.state == "idle"
    monkeypatch.setattr(trainer, "_seconds", 1.0)
    assert not trainer.is_due()


def test_what_is_quick_is_trained_before_the_end(live: LiveModel, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = Trainer(live, "m", "server")
    trained_to = live.trained_to
    trainer.finish()
    assert live.trained_to == trained_to  # nothing has changed
    learn(live, "fine")
    monkeypatch.setattr(trainer_module, "MAX_LAST_SECONDS", -1.0)
    trainer.finish()
    assert live.trained_to == trained_to
    monkeypatch.setattr(trainer_module, "MAX_LAST_SECONDS", 1.0)
    trainer.finish()
    assert live.trained_to != trained_to


def test_answers_between_two_trainings_are_not_warned_of(live: LiveModel, recwarn: pytest.WarningsRecorder) -> None:
    """Each answer says up to which event the model is trained."""
    learn(live, "fine")
    found = live.answer(lambda model: model.predict(["fine"]).tolist())
    assert found.trained_to is not None
    assert found.trained_to < found.number
    assert recwarn.list == []
