"""The model decides whether an event is written. A ledger that an older tercet left without a model gets it back by an undo."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tercet
from tercet import Categorizer, Documents, Ledger
from tercet.counts.selection import MostInformative
from tercet.counts.table import CountTable
from tercet.counts.units import ONE
from tercet.errors import InvalidLabel, InvalidMatrix, InvalidOption, MissingLabel, ModelGone, TercetError
from tercet.ledger.changes import Verdict
from tercet.ledger.live import LiveModel
from tercet.ledger.rehearsal import Rehearsal
from tercet.ledger.verification import verify

TEXTS, LABELS = ["so good a film", "lovely", "dull and bad", "awful"], ["+", "+", "-", "-"]
RULED = {"rules": {"cast": "+"}}
PRIORS = {"model": tercet.NaiveBayes(prior=[0.5, 0.5])}
HEAVY = 2.0**40

Change = Callable[[Ledger], Any]


def learn(ledger: Ledger, text: str = "new", label: Any = "+", weight: float = 1.0) -> Any:
    return ledger.learn(Documents([text], [label], [weight]), actor="ann")


def learn_twice(ledger: Ledger) -> None:
    for text in ("one two", "three four"):
        learn(ledger, text, weight=2.0**39)


def relabel_both(ledger: Ledger) -> None:
    for number in (2, 3):
        ledger.relabel_event(number, "-", actor="ann")


CHANGES: list[tuple[str, dict[str, Any], Change, type[TercetError]]] = [
    ("a huge weight", {}, lambda ledger: learn(ledger, weight=2.0**42), InvalidMatrix),
    ("weights that add up", {}, learn_twice, InvalidMatrix),
    ("a long text", {}, lambda ledger: learn(ledger, "a b " * 99, weight=2.0**36), InvalidMatrix),
    ("the last document of a rule", RULED, lambda ledger: ledger.unlearn(events=[2, 3], actor="ann"), MissingLabel),
    (
        "the last label of a rule",
        RULED,
        relabel_both,
        MissingLabel,
    ),
    ("an undo of a rule", RULED, lambda ledger: [ledger.undo(n, actor="ann") for n in (2, 3)], MissingLabel),
    (
        "one label too many",
        PRIORS,
        lambda ledger: learn(ledger, label="?"),
        InvalidOption,
    ),
    (
        "one label too few",
        PRIORS,
        lambda ledger: ledger.unlearn(events=[2, 3], actor="ann"),
        MissingLabel,
    ),
    ("a correction", {}, lambda ledger: correct(ledger, 7), InvalidLabel),
]


def correct(ledger: Ledger, label: Any) -> Any:
    return ledger.correct(Documents(["so new"]), Verdict(label=label), pool="classify", actor="ann")


@pytest.fixture(params=["alone", "live"])
def follows(request: pytest.FixtureRequest) -> bool:
    return bool(request.param == "live")


def begin(folder: Path, follows: bool = False, **options: Any) -> Ledger:
    ledger = Ledger.begin(folder / "x.ledger", Categorizer(**options), Documents(TEXTS, LABELS), actor="ann")
    if follows:
        LiveModel(ledger)
    return ledger


@pytest.mark.parametrize(("options", "change", "kind"), [pytest.param(*case[1:], id=case[0]) for case in CHANGES])
def test_what_would_take_the_model_away_is_refused_and_leaves_no_trace(
    tmp_path: Path, follows: bool, options: dict[str, Any], change: Change, kind: type[TercetError]
) -> None:
    with begin(tmp_path, follows, **options) as ledger:
        with pytest.raises(kind) as refused:
            change(ledger)
        number = ledger.head.number
        assert "othing is written" in str(refused.value) or "2⁴²" in str(refused.value)
        learned = learn(ledger, "after it")  # a change that is fine is written at the number of the one that was refused
        assert learned[0].number == number + 1
        assert len(ledger.replay().model.predict(TEXTS)) == len(TEXTS)
    with Ledger.open(tmp_path / "x.ledger") as again:
        assert again.head == learned[0].link
        assert verify(tmp_path / "x.ledger").is_good


def test_labels_of_a_model_without_documents_have_one_type(tmp_path: Path, follows: bool) -> None:
    with Ledger.begin(tmp_path / "x.ledger", Categorizer().fit(TEXTS, LABELS), actor="ann") as ledger:
        if follows:
            LiveModel(ledger)
        with pytest.raises(InvalidLabel, match=r"can't follow this change: labels of two types .* Nothing is written"):
            learn(ledger, label=7)
        with pytest.raises(InvalidLabel):
            correct(ledger, 7)
        assert ledger.head.number == 2
        learn(ledger, label="?")


def test_a_domain_of_another_type_is_refused(tmp_path: Path, follows: bool) -> None:
    categorizer = Categorizer(select=MostInformative(3, "ld", domain="site"))
    documents = Documents(TEXTS, LABELS, columns={"site": ["a", "b", "a", "b"]})
    with Ledger.begin(tmp_path / "x.ledger", categorizer, documents, actor="ann") as ledger:
        if follows:
            LiveModel(ledger)
        with pytest.raises(TercetError):
            ledger.learn(Documents(["new"], ["+"], columns={"site": [7]}), actor="ann")
        assert ledger.replay().number == ledger.head.number


def test_one_refusal_does_not_refuse_the_others_of_a_commit(tmp_path: Path) -> None:
    with begin(tmp_path) as ledger:
        with ledger.transaction():
            learn(ledger, "first")
            with pytest.raises(InvalidMatrix):
                learn(ledger, "x y", weight=HEAVY * 2)
            learn(ledger, "second")
        texts = [event.details["text"] for event in ledger.events(6)]
    assert texts == ["first", "second"]
    with Ledger.open(tmp_path / "x.ledger") as again:
        assert again.head.number == 7


def test_a_model_that_waits_for_its_labels_learns_them_one_by_one(tmp_path: Path) -> None:
    rules = {"cast": "+", "mess": "-"}
    with Ledger.begin(tmp_path / "x.ledger", Categorizer(rules=rules), actor="ann") as ledger:
        live = LiveModel(ledger)
        learn(ledger, label="+")
        live.follow()
        assert (live.model, live.state.is_gone) == (None, False)
        assert "no model yet" in " ".join(verify(tmp_path / "x.ledger").findings)
        with pytest.raises(InvalidMatrix):
            learn(ledger, weight=2.0**41, label="-")
        learn(ledger, label="-")
        live.follow()
        assert live.model is not None
        with pytest.raises(MissingLabel):
            ledger.unlearn(events=[3], actor="ann")
        ledger.unlearn(events=[2, 3], actor="ann")  # nothing is left, so there is nothing that could be wrong
        assert ledger.head.number == 5


def test_a_ledger_holds_half_of_a_table_so_that_a_replay_can_learn_before_it_forgets(tmp_path: Path) -> None:
    with begin(tmp_path, model=tercet.LinearSVM()) as ledger:
        live = LiveModel(ledger, tmp_path / "x.tercet")
        (first,) = learn(ledger, "heavy", weight=HEAVY)
        live.train(actor="ann")
        ledger.unlearn(events=[first.number], actor="ann")
        learn(ledger, "heavy again", weight=HEAVY / 2)
        live.follow()
        assert live.is_trained
        assert live.trained_to == first.number
        assert ledger.replay().training == live.training


def test_an_erasure_that_would_take_the_model_away_is_refused(tmp_path: Path, follows: bool) -> None:
    with begin(tmp_path, **RULED) as ledger:
        erase = LiveModel(ledger, tmp_path / "x.tercet").erase if follows else ledger.erase
        with pytest.raises(MissingLabel, match=r"without these documents there would be no model: .* Nothing is erased"):
            erase(events=[2, 3], actor="ann")
        learn(ledger, "another")
        assert erase(events=[2, 3], actor="ann").replay is not None


def test_margins_that_know_no_label_any_more_leave_the_answer_to_the_counts(tmp_path: Path) -> None:
    with begin(tmp_path, model=tercet.LinearSVM()) as ledger:
        live = LiveModel(ledger, tmp_path / "x.tercet")
        live.train(actor="ann")
        learn(ledger, "only this", "?")
        ledger.unlearn(events=[2, 3, 4, 5], actor="ann")
        live.follow()
        assert live.answer(lambda model: model.predict(["this"]).tolist()).result == ["?"]
        assert not live.is_trained
        assert live.training is None
        check_law(live)
        live.publish(actor="ann")
        assert LiveModel(ledger, tmp_path / "x.tercet").training is None
        ledger.undo(ledger.history.last - 1, actor="ann")  # the label of document 5 comes back, and with it the training
        live.follow()
        assert live.is_trained
        check_law(live)


def check_law(live: LiveModel) -> None:
    replay = live.ledger.replay()
    assert live.model is not None
    assert (replay.number, replay.training, replay.is_trained) == (live.number, live.training, live.is_trained)
    assert replay.model.fitted_.state.is_same(live.model.fitted_.state)


# Ledgers that an older tercet has written, which did not ask the model.

POISONS: list[tuple[str, dict[str, Any], Change]] = [
    ("weights", {}, lambda ledger: learn(ledger, "one two", weight=2.0**41 * 1.5)),
    ("rules", RULED, lambda ledger: ledger.unlearn(events=[2, 3], actor="ann")),
    ("priors", PRIORS, lambda ledger: learn(ledger, label="?")),
]


@pytest.fixture(params=POISONS, ids=lambda case: case[0])
def poisoned(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A ledger with an event that the model does not accept, and with others after it that it would accept."""
    _, options, change = request.param
    with begin(tmp_path, **options) as ledger, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rehearsal, "check", lambda *_: None)
        learn(ledger, "before", "-")
        change(ledger)
        ledger.offer(Documents(["offered"]), pool="p", actor="ann")
        learn(ledger, "after", "-")
    return tmp_path / "x.ledger"


def test_a_ledger_without_a_model_names_the_event_and_its_undo_brings_the_model_back(poisoned: Path, follows: bool) -> None:
    with Ledger.open(poisoned, write=True) as ledger:
        number = ledger.head.number - 2  # the last event of the change
        with pytest.raises(ModelGone, match=rf"gone since event {number} .* tercet ledger undo .* {number}") as gone:
            ledger.replay()
        assert gone.value.event == number
        verified = verify(poisoned)
        assert not verified.is_good
        assert verified.findings[0] == str(gone.value)
        live = LiveModel(ledger, poisoned.with_suffix(".tercet")) if follows else None
        if live is not None:
            assert (live.model, live.problem, live.state.is_gone) == (None, str(gone.value), True)
        if "rule" not in str(gone.value):  # a model that waits for a label may learn
            with pytest.raises(TercetError, match="Nothing is written"):
                learn(ledger, "more", "-")
        ledger.undo(number, actor="ann")
        assert ledger.replay().number == number + 3
        if live is not None:
            live.follow()
            assert live.model is not None
            assert not live.state.is_gone
    assert verify(poisoned).is_good


def test_several_such_events_are_undone_one_by_one(tmp_path: Path) -> None:
    with begin(tmp_path) as ledger, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rehearsal, "check", lambda *_: None)
        numbers = [learn(ledger, f"one {i}", weight=2.0**41 * 1.5)[0].number for i in range(3)]
    with Ledger.open(tmp_path / "x.ledger", write=True) as ledger:
        for _ in numbers:
            with pytest.raises(ModelGone) as gone:
                ledger.replay()
            ledger.undo(gone.value.event, actor="ann")
        ledger.replay()


def test_documents_of_a_ledger_without_a_model_can_be_erased(poisoned: Path, follows: bool) -> None:
    with Ledger.open(poisoned, write=True) as ledger:
        live = LiveModel(ledger, poisoned.with_suffix(".tercet")) if follows else None
        erase = ledger.erase if live is None else live.erase
        erased = erase(events=[4], actor="ann")
        assert (erased.replay, erased.certificate is None) == (None, False)
        assert live is None or live.state.is_gone
        ledger.undo(ledger.head.number - 3, actor="ann")
        ledger.replay()


def test_a_sum_is_refused_before_it_is_made_as_the_sum_itself_is() -> None:
    rng = np.random.default_rng(0)
    for bits in rng.uniform(39, 42, (40, 2)):
        one, other = (CountTable.of(["a b c"], ["x"], np.array([int(2.0**n) * ONE // 3])) for n in bits)
        one.sum_occurrences()
        try:
            one.check_sum(other)
        except InvalidMatrix:
            with pytest.raises(InvalidMatrix):
                one += other
            continue
        one += other
        assert one.sum_occurrences() == one.copy().sum_occurrences()
        one.subtract(other)
        assert one.sum_occurrences() == one.copy().sum_occurrences()


def test_a_ledger_that_begins_with_a_model_takes_at_most_half_of_the_room_of_a_table(tmp_path: Path) -> None:
    model = Categorizer().fit(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "a.ledger", model, actor="ann") as ledger:
        assert ledger.has_start
        live = LiveModel(ledger, tmp_path / "a.tercet")
        learn(ledger, "one", weight=HEAVY)
        with pytest.raises(InvalidMatrix, match=r"2⁴¹.*Nothing is written"):
            learn(ledger, "two", weight=2 * HEAVY)
        live.follow()
        live.publish(actor="ann")
        assert tercet.load(tmp_path / "a.tercet").table_ == live.model.table_  # type: ignore[union-attr]
        assert verify(tmp_path / "a.ledger").is_good


def test_counting_a_large_change_keeps_no_answer_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(TEXTS, LABELS), actor="ann") as ledger:
        live = LiveModel(ledger)
        count, answered = tercet.ledger.rehearsal.count_change, []  # type: ignore[attr-defined]

        def answer_meanwhile(*arguments: Any) -> Any:
            with live._changing:  # nobody holds it
                answered.append(live.answer(lambda model: model.predict(["lovely"]).tolist()).result)
            return count(*arguments)

        monkeypatch.setattr("tercet.ledger.rehearsal.count_change", answer_meanwhile)
        learn(ledger)
        assert answered == [["+"]]
        assert live.follow() == ledger.head.number
