"""What a ledger and its model no longer use goes from memory at once, without waiting for the garbage collector."""

import gc
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tercet import Categorizer, Documents, Ledger
from tercet.errors import NeverLearned
from tercet.ledger.history import History
from tercet.ledger.live import LiveModel

TEXTS = ["so good a film", "a lovely warm story", "dull and bad", "an awful plot", "a great cast", "a boring mess"] * 4
LABELS = ["pos", "pos", "neg", "neg", "pos", "neg"] * 4


@pytest.fixture
def no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    subjects = [f"person {i}" for i in range(len(TEXTS))]
    begun = Ledger.begin(
        tmp_path / "m.ledger", Categorizer(calibrate="auto"), Documents(TEXTS, LABELS), actor="ann", subjects=subjects
    )
    with begun:
        yield begun


def note_objects(monkeypatch: pytest.MonkeyPatch, owner: type, name: str) -> list["weakref.ref[Any]"]:
    """Weak references to all that a method of this class returns, or makes if it is `__init__`."""
    made: list[weakref.ref[Any]] = []
    method: Callable[..., Any] = getattr(owner, name)

    def note(self: Any, *given: Any, **options: Any) -> Any:
        result = method(self, *given, **options)
        made.append(weakref.ref(self if name == "__init__" else result))
        return result

    monkeypatch.setattr(owner, name, note)
    return made


@pytest.mark.usefixtures("no_collector")
def test_a_model_whose_training_an_erasure_made_void_is_gone(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveModel(ledger)
    trained = note_objects(monkeypatch, type(ledger.recipe), "train")
    finish = live._finish_training

    def erase_first(*given: Any) -> Any:
        if len(trained) < 3:
            ledger.erase(f"person {len(trained)}", actor="ann", train=False)
        return finish(*given)

    monkeypatch.setattr(live, "_finish_training", erase_first)
    live.train(actor="ann")
    assert [model() is None for model in trained] == [True, True, False]


@pytest.mark.usefixtures("no_collector")
def test_an_error_of_a_change_does_not_keep_its_change(ledger: Ledger) -> None:
    class Content:
        pass

    def refuse(content: Content) -> "weakref.ref[Content]":
        def change(_: History) -> list[Any]:
            raise NeverLearned(f"{type(content).__name__} was never learned.")

        with suppress(NeverLearned):  # pytest.raises would keep the error
            ledger.append(change, "ann")
        return weakref.ref(content)

    left = refuse(Content())
    assert left() is None


@pytest.mark.usefixtures("no_collector")
def test_the_history_of_an_earlier_event_is_gone(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    made = note_objects(monkeypatch, History, "__init__")
    assert len(ledger.find_learned(5).labels) == 4
    assert [history() is None for history in made] == [True]
