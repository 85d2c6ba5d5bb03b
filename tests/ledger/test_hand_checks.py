"""Checks by hand in a ledger: an event of numbers without a text, which the model of the ledger carries."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from helpers.hand_checks import make_check

import tercet
from tercet import Categorizer, Documents, load
from tercet.categorizer.files.hand_check import HandCheck
from tercet.errors import InvalidOption
from tercet.ledger.events import Draft
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.replay import WrittenModel
from tercet.ledger.verification import verify

TEXTS = ["so good a film", "so bad", "a dull film", "what a lovely cast", "lovely and good", "the plot is bad"]
LABELS = ["+", "-", "-", "+", "+", "-"]


def encode(model: Categorizer) -> bytes:
    return b"".join(WrittenModel.of(model).parts)


@pytest.fixture(params=["counts", "margins"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    model = Categorizer() if request.param == "counts" else Categorizer(model=tercet.LinearSVM())
    subjects = ["ann", *[None] * 5]
    with Ledger.begin(tmp_path / "a.ledger", model, Documents(TEXTS, LABELS), actor="ann", subjects=subjects) as made:
        yield made


def test_the_model_has_the_last_check_and_says_when_it_has_changed_since(ledger: Ledger, tmp_path: Path) -> None:
    live = LiveModel(ledger, tmp_path / "m.tercet")
    before = encode(ledger.replay().model)
    ledger.check(make_check(20), ledger.head.number, actor="ben")
    (event,) = ledger.check(make_check(30), ledger.head.number, actor="ben")
    live.follow()
    model = live.model
    assert model is not None
    assert model.hand_check_ == make_check(30).belong_to(model.fitted_.digest)
    assert model.is_check_current_
    assert "text" not in event.details
    assert event.details["model"] == ""  # a digest would let one test a guess of a text that is erased later
    learned = ledger.learn(Documents(["so odd"], ["+"]), actor="ann")
    live.follow()
    assert model.is_check_current_ is False
    assert encode(model) == encode(ledger.replay().model)
    ledger.undo(learned[0].number, actor="ann")
    ledger.undo(event.number, actor="ben")
    live.follow()
    assert model.hand_check_ is not None
    assert model.hand_check_.n == 21  # the check before it
    ledger.undo(event.number - 1, actor="ben")
    assert encode(ledger.replay().model) == before


def test_a_check_of_an_earlier_model_is_out_of_date_at_once(ledger: Ledger) -> None:
    drawn = ledger.head.number
    ledger.learn(Documents(["so odd"], ["+"]), actor="ann")
    ledger.check(make_check(), drawn, actor="ben")
    assert ledger.replay().model.is_check_current_ is False
    ledger.check(make_check(), ledger.head.number, actor="ben")
    assert ledger.replay().model.is_check_current_ is True
    ledger.offer(Documents(["a text without a label"]), pool="new", actor="ann")  # the model stays the same
    assert ledger.replay().model.is_check_current_ is True
    with pytest.raises(InvalidOption, match="no event 99"):
        ledger.check(make_check(), 99, actor="ben")


def test_a_training_makes_a_check_out_of_date(ledger: Ledger, tmp_path: Path) -> None:
    live = LiveModel(ledger, tmp_path / "m.tercet")
    ledger.check(make_check(), ledger.head.number, actor="ben")
    live.follow()
    live.train(actor="ann")
    assert live.model is not None
    assert live.model.is_check_current_ is False
    assert encode(live.model) == encode(ledger.replay().model) == (tmp_path / "m.tercet").read_bytes()
    assert verify(tmp_path / "a.ledger").is_good


def test_an_erasure_keeps_the_numbers_of_a_check_and_no_digest_of_the_erased_texts(ledger: Ledger, tmp_path: Path) -> None:
    live = LiveModel(ledger, tmp_path / "m.tercet")
    (checked,) = ledger.check(make_check(20), ledger.head.number, actor="ben")
    live.publish(actor="ben")
    assert live.model is not None
    digest = live.model.fitted_.digest
    assert digest.encode() in (tmp_path / "m.tercet").read_bytes()
    (foreign,) = ledger.check(make_check(30, model=digest), None, actor="ben")
    live.erase("ann", actor="eve")
    live.follow()
    assert live.model is not None
    assert live.model.hand_check_ == make_check(20)
    assert live.model.is_check_current_ is False
    assert encode(live.model) == encode(ledger.replay().model)
    assert [event.is_erased for event in ledger.pick_events([checked.number, foreign.number])] == [False, True]
    assert all(digest.encode() not in file.read_bytes() for file in tmp_path.iterdir())
    ledger.close()
    with Ledger.open(tmp_path / "a.ledger") as again:
        assert encode(again.replay().model) == encode(live.model)


@pytest.mark.parametrize("is_current", [True, False])
@pytest.mark.parametrize("keeps", [True, False])
def test_a_ledger_begins_with_the_check_of_the_model_file(is_current: bool, keeps: bool, tmp_path: Path) -> None:
    model = Categorizer(keep_documents=keeps).fit(TEXTS, LABELS)
    sample = tercet.draw_check_sample(model, TEXTS, 6)
    model.record_check(sample.measure([LABELS[i] for i in sample.positions]), "new.csv")
    if not is_current:
        model.learn(["so odd"], ["+"])
    model.save(tmp_path / "m.tercet")
    with Ledger.begin(tmp_path / "a.ledger", load(tmp_path / "m.tercet"), actor="ann") as ledger:
        live = LiveModel(ledger, tmp_path / "m.tercet")  # the file is a model of the ledger
        assert live.model is not None
        assert live.model.is_check_current_ is is_current
        (check,) = ledger.history.checks.values()
        assert (check.model == "") is is_current  # a digest only where nothing else tells which model was checked
        assert encode(live.model) == encode(ledger.replay().model) == (tmp_path / "m.tercet").read_bytes()


def test_a_change_that_is_taken_back_leaves_no_check(ledger: Ledger) -> None:
    before = encode(ledger.replay().model)
    with suppress(RuntimeError), ledger.transaction():
        ledger.check(make_check(), ledger.head.number, actor="ben")
        raise RuntimeError
    assert ledger.history.checks == {}
    assert encode(ledger.replay().model) == before


def test_a_damaged_check_is_refused(ledger: Ledger) -> None:
    wrong = make_check().to_dict() | {"n": 700}  # more than the pool has
    with pytest.raises(ValueError, match="number of texts"):
        HandCheck.from_dict(wrong)
    last = ledger.head.number
    with pytest.raises(ValueError, match="number of texts"):
        ledger.append(lambda _: [Draft("check", wrong)], "eve")
    assert ledger.database.find_last() == ledger.head.number == last
