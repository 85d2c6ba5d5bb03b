"""Offers and judgments: they are in the chain, they do not change the model, and they can be undone and erased."""

import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.folder_contents import read_files

from tercet import Categorizer, Documents
from tercet.errors import BadLedger, InvalidLabel, InvalidOption, NeverLearned
from tercet.ledger.changes import Verdict
from tercet.ledger.events import Draft
from tercet.ledger.label_queue import MAX_POOLS, FirstTexts, LabelQueue, group_texts
from tercet.ledger.labelling import Proposal
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.pools import HandedOut, Pools
from tercet.ledger.verification import verify

TEXTS = ["so good a film", "so bad", "a dull film", "what a lovely cast", "lovely and good", "the plot is bad"]
LABELS = ["+", "-", "-", "+", "+", "-"]
NEW = ["a good plot", "a dull cast", "what a mess", "so lovely"]


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(TEXTS, LABELS), actor="ann") as ledger:
        yield ledger


def offer(ledger: Ledger, *texts: str, pool: str = "new", **more: Any) -> list[int]:
    return [event.number for event in ledger.offer(Documents(list(texts)), pool=pool, actor="ann", **more)]


def give(ledger: Ledger, number: int, label: Any, actor: str = "ann", **more: Any) -> list[str]:
    """Label an offer. Returns the verbs of the events."""
    return [event.verb for event in ledger.judge(number, Verdict(label=label, **more), actor=actor)]


def derive_status(ledger: Ledger, number: int) -> str:
    return ledger.history.labelling.derive_status(number)


# What follows from a judgment.


def test_a_label_is_learned_and_points_to_its_offer(ledger: Ledger) -> None:
    (number,) = offer(ledger, "a good plot", subjects=["zoe"], rows=[7])
    proposal = Proposal("-", 0.75, 7)
    judged, learned = ledger.judge(number, Verdict(label="+", note="sure", proposal=proposal), actor="ben")
    (offered,) = ledger.events(number, number)
    assert (offered.verb, offered.details, offered.subject) == (
        "offer",
        {"pool": "new", "row": 7, "text": "a good plot"},
        "zoe",
    )
    assert (judged.verb, judged.target, judged.actor) == ("judge", number, "ben")
    expected = {"kind": "label", "label": "+", "note": "sure", "acts": True}
    assert judged.details == {**expected, "proposal": {"label": "-", "probability": 0.75, "event": 7}}
    assert (learned.verb, learned.target, learned.subject) == ("learn", number, "zoe")
    assert learned.details == {"label": "+", "text": "a good plot"}
    fresh = Categorizer().fit([*TEXTS, "a good plot"], [*LABELS, "+"])
    assert ledger.replay().model.table_ == fresh.table_


def test_offers_and_judgments_alone_do_not_change_the_model(ledger: Ledger) -> None:
    before = ledger.replay().checksum
    first, second, third, _ = offer(ledger, *NEW)
    assert give(ledger, first, "+", learn=False) == ["judge"]
    assert give(ledger, second, "+", judges=2) == ["judge"]
    for kind in ("unsure", "skip"):
        ledger.judge(third, Verdict(kind), actor="ann")
    ledger.judge(third, Verdict("note", note="who knows"), actor="ann")
    assert ledger.replay().checksum == before
    assert ledger.history.is_same_since(7)


def test_a_text_is_learned_when_enough_people_agree_and_nobody_disagrees(ledger: Ledger) -> None:
    first, second, _, _ = offer(ledger, *NEW)
    assert give(ledger, first, "+", "ann", judges=2) == ["judge"]
    assert give(ledger, first, "+", "ann", judges=2) == ["judge"]  # the same person twice is one person
    assert give(ledger, first, "+", "ben", judges=2) == ["judge", "learn"]
    assert give(ledger, first, "+", "eve", judges=2) == ["judge"]
    assert give(ledger, second, "+", "ann", judges=2) == ["judge"]
    assert give(ledger, second, "-", "ben", judges=2) == ["judge"]
    assert give(ledger, second, "-", "eve", judges=2) == ["judge"]
    assert [derive_status(ledger, number) for number in (first, second)] == ["labelled", "disagreements"]
    assert give(ledger, second, "-", "boss", settles=True) == ["judge", "learn"]
    assert derive_status(ledger, second) == "labelled"
    assert give(ledger, second, "+", "eve", judges=2) == ["judge"]  # after it was settled: again a disagreement
    assert derive_status(ledger, second) == "disagreements"


def test_another_decision_of_the_same_person_changes_what_was_learned(ledger: Ledger) -> None:
    (number,) = offer(ledger, "a good plot")
    assert give(ledger, number, "+") == ["judge", "learn"]
    assert give(ledger, number, "-") == ["judge", "relabel"]
    assert ledger.replay().model.table_ == Categorizer().fit([*TEXTS, "a good plot"], [*LABELS, "-"]).table_
    assert [event.verb for event in ledger.judge(number, Verdict("unsure"), actor="ann")] == ["judge", "unlearn"]
    assert derive_status(ledger, number) == "unsure"
    assert ledger.replay().model.table_ == Categorizer().fit(TEXTS, LABELS).table_
    ledger.judge(number, Verdict("note", note="hm"), actor="ann")
    assert derive_status(ledger, number) == "unsure"  # a note is no decision
    assert give(ledger, number, "+") == ["judge", "learn"]
    assert give(ledger, number, "-", "ben") == ["judge"]
    assert [event.verb for event in ledger.judge(number, Verdict("skip"), actor="ann")] == ["judge"]  # Ben's label is there
    assert derive_status(ledger, number) == "labelled"


def test_a_correction_is_offered_judged_and_learned_at_once(ledger: Ledger) -> None:
    def correct(label: str, actor: str, **more: Any) -> list[tuple[str, int | None]]:
        events = ledger.correct(Documents(["a gnu"]), Verdict(label=label), pool="classify", actor=actor, **more)
        return [(event.verb, event.target) for event in events]

    assert correct("+", "ann", subject="zoe") == [("offer", None), ("judge", 8), ("learn", 8)]
    assert [event.subject for event in ledger.events(8, 10)] == ["zoe", None, "zoe"]
    assert correct("-", "ben") == [("judge", 8), ("relabel", 10)]  # the last correction counts
    assert (derive_status(ledger, 8), ledger.history.find_label(10)) == ("labelled", "-")
    assert correct("-", "ann") == [("judge", 8)]
    assert ledger.replay().model.table_ == Categorizer().fit([*TEXTS, "a gnu"], [*LABELS, "-"]).table_
    with pytest.raises(InvalidOption, match="gives a label"):
        ledger.correct(Documents(["x"]), Verdict("skip", "+"), pool="classify", actor="ann")


def test_undo_of_a_judgment_undoes_what_followed_from_it_back_and_forth(ledger: Ledger) -> None:
    number, other = offer(ledger, "a good plot", "a dull cast")
    before = ledger.replay().model.table_
    judged = ledger.judge(number, Verdict(label="+"), actor="ann")[0].number
    after = ledger.replay().model.table_
    last = judged
    for step in range(4):
        events = ledger.undo(last, actor="ben")
        assert [event.target for event in events] == [last, last + 1]
        last = events[0].number
        assert ledger.replay().model.table_ == (after if step % 2 else before)
        assert derive_status(ledger, number) == ("labelled" if step % 2 else "open")
    assert len(ledger.undo(judged + 1, actor="ben")) == 1  # what was learned can be undone alone
    assert derive_status(ledger, number) == "labelled"
    (undone,) = ledger.undo(judged, actor="ben")
    assert ledger.replay().model.table_ == before
    alone = ledger.judge(other, Verdict(label="-", learn=False), actor="ann")[0].number
    ledger.learn(Documents(["more"], ["+"]), actor="ben")
    assert len(ledger.undo(alone, actor="ben")) == 1  # nothing followed from it
    assert len(ledger.undo(undone.number, actor="ben")) == 1
    assert len(ledger.undo(judged, actor="ben")) == 1
    with pytest.raises(NeverLearned, match="undone already"):
        ledger.undo(judged, actor="ben")
    with pytest.raises(NeverLearned, match="can't be undone"):
        ledger.undo(number, actor="ben")


def test_a_pool_has_each_text_once(ledger: Ledger) -> None:
    assert len(offer(ledger, "a", "b", "a")) == 2
    assert [event.details["text"] for event in ledger.offer(Documents(["b", "c"]), pool="new", actor="ben")] == ["c"]
    assert len(offer(ledger, "a", "b", pool="other")) == 2


@pytest.mark.parametrize(
    ("verdict", "error", "message"),
    [
        (Verdict(label=None), InvalidOption, "gives a label"),
        (Verdict("unsure", "+"), InvalidOption, "gives a label"),
        (Verdict("perhaps"), InvalidOption, "must be one of"),
        (Verdict("note"), InvalidOption, "empty"),
        (Verdict(label="+", judges=0), InvalidOption, "an int >= 1"),
        (Verdict(label="+", proposal=Proposal("+", 1.5)), InvalidOption, "from 0 to 1"),
        (Verdict(label="+", proposal=Proposal("+", float("nan"))), InvalidOption, "from 0 to 1"),
        (Verdict(label=3), InvalidLabel, "two types"),
        (Verdict(label="+", proposal=Proposal(3, 0.5)), InvalidLabel, "two types"),
    ],
)
def test_a_bad_verdict_writes_nothing(verdict: Verdict, error: type[Exception], message: str, ledger: Ledger) -> None:
    (number,) = offer(ledger, "a")
    with pytest.raises(error, match=message):
        ledger.judge(number, verdict, actor="ann")
    assert ledger.head.number == number
    with pytest.raises(NeverLearned, match="no text that was offered"):
        ledger.judge(number - 1, Verdict(label="+"), actor="ann")


@pytest.mark.parametrize(
    "draft",
    [
        Draft("offer", {"text": "x"}),
        Draft("offer", {"text": 7, "pool": "p"}),
        Draft("offer", {"text": "a good plot", "pool": "new"}),
        Draft("judge", {"kind": "label", "label": "+"}, 2),
        Draft("judge", {"kind": "label", "label": "+"}),
        Draft("judge", {"kind": "label"}, 8),
        Draft("judge", {"kind": "other"}, 8),
        Draft("judge", {"kind": "unsure", "label": "+"}, 8),
        Draft("judge", {"kind": "unsure", "note": 7}, 8),
        Draft("judge", {"kind": "label", "label": "+", "proposal": {"label": "+"}}, 8),
        Draft("learn", {"text": "x", "label": "+"}, 2),
    ],
)
def test_crafted_events_are_refused(draft: Draft, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    assert offer(ledger, "a good plot") == [8]
    monkeypatch.setattr("tercet.ledger.history.History.apply", lambda self, event: None)
    ledger.append(lambda _: [draft], "eve")
    monkeypatch.undo()
    with pytest.raises(BadLedger, match="last good event is 8"):
        Ledger.open(ledger.place)


# The order in which they come does not matter.


def draw_step(ledger: Ledger, draw: random.Random) -> None:
    """Any event of a ledger with offers."""
    labelling = ledger.history.labelling
    alive = [number for number, offer in labelling.offers.items() if offer.key]
    learned = sorted(ledger.history.list_learned())
    act = draw.choice(["offer", "judge", "judge", "judge", "judge", "undo", "undo", "relabel", "unlearn", "erase", "fail"])
    actor = draw.choice(["ann", "ben", "eve"])
    if act == "offer" or not alive:
        texts = [f"{draw.choice(TEXTS)} w{draw.randrange(30)}" for _ in range(3)]
        ledger.offer(Documents(texts), pool=draw.choice("pq"), actor=actor, subjects=[draw.choice(["x", None]) for _ in texts])
    elif act == "judge":
        kind = draw.choice(["label", "label", "label", "unsure", "skip", "note"])
        label = draw.choice("+-") if kind == "label" else None
        verdict = Verdict(kind, label, "n", judges=draw.choice([1, 2]), learn=draw.random() < 0.8, settles=draw.random() < 0.1)
        ledger.judge(draw.choice(alive[-6:]), verdict, actor=actor)
    elif act == "undo":
        with suppress(NeverLearned):
            ledger.undo(draw.randrange(8, ledger.head.number + 1), actor=actor)
    elif act == "relabel":
        ledger.relabel_event(draw.choice(learned), draw.choice("+-"), actor=actor)
    elif act == "unlearn":
        if len(learned) > 3:
            ledger.unlearn(events=[draw.choice(learned)], actor=actor)
    elif act == "erase":
        if draw.random() < 0.3:
            ledger.erase(events=[draw.choice(alive)], actor=actor)
    else:
        with suppress(ZeroDivisionError), ledger.transaction():
            (event,) = ledger.offer(Documents([f"{draw.random()}"]), pool=draw.choice("pr"), actor=actor)
            for number in (event.number, *alive[-2:]):
                ledger.judge(number, Verdict(label="+", settles=True), actor=actor)
            raise ZeroDivisionError


def summarize(ledger: Ledger, pools: Pools) -> Any:
    labelling, names = ledger.history.labelling, sorted(ledger.history.labelling.pools)
    open_ = [sorted(pools.list_open(name, actor, n, 99)) for name in names for actor in ("ann", "ben") for n in (1, 2, 3)]
    statuses = {number: labelling.derive_status(number) for number, offer in labelling.offers.items() if offer.key}
    return labelling.offers, labelling.pools, statuses, pools.count(), open_, pools.list_disagreements(None, None, 99)


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_of_a_ledger_is_the_same_event_by_event_and_all_at_once(seed: int, ledger: Ledger) -> None:
    draw = random.Random(seed)
    live = LiveModel(ledger)
    pools = Pools(ledger)
    for step in range(60):
        draw_step(ledger, draw)
        if draw.random() < 0.3:
            pools.count()
        live.follow()
        if step % 12 == 11:
            again = Ledger.open(ledger.place)
            assert summarize(ledger, pools) == summarize(again, Pools(again))
            assert live.model is not None
            assert live.model.table_ == again.replay().model.table_
    counted, labelling = pools.count(), ledger.history.labelling
    for name, counts in counted.items():
        statuses = [labelling.derive_status(number) for number in labelling.pools[name].values()]
        assert {status: n for status, n in counts.items() if n} == {status: statuses.count(status) for status in set(statuses)}
    assert verify(ledger.place).is_good


# Erasure.


def test_an_erased_person_is_in_no_offer_and_no_judgment(tmp_path: Path) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(TEXTS, LABELS), actor="ann") as ledger:
        numbers = offer(ledger, "zyxmarker a", "zyxmarker b", "other", subjects=["zyxperson", "zyxperson", "zoe"])
        give(ledger, numbers[0], "zyxlabel", note="zyxnote")
        ledger.judge(numbers[1], Verdict("note", note="zyxnote"), actor="ben")
        give(ledger, numbers[2], "+")
        erasure = ledger.erase("zyxperson", actor="admin")
        assert erasure.n_documents == 1
        assert erasure.certificate is not None
        assert erasure.certificate.check(ledger=ledger, subject="zyxperson") == ()
        content = b"".join(read_files(tmp_path).values())
        assert b"zyx" not in content
        for again in (ledger, Ledger.open(ledger.place)):
            assert Pools(again).count() == {"new": {"labelled": 1}}
            assert again.replay().model.table_ == Categorizer().fit([*TEXTS, "other"], [*LABELS, "+"]).table_
        for number in numbers[:2]:
            with pytest.raises(NeverLearned, match="erased"):
                give(ledger, number, "+")
        with pytest.raises(NeverLearned, match="erased"):
            ledger.undo(numbers[2] + 1, actor="ann")
        assert offer(ledger, "zyxmarker a")  # it may be offered again


def test_a_document_is_erased_with_its_offer_and_an_offer_with_its_document(ledger: Ledger) -> None:
    first, second = offer(ledger, "zyxmarker a", "zyxmarker b")
    learned = ledger.judge(first, Verdict(label="+"), actor="ann")[-1].number
    give(ledger, second, "-")
    ledger.erase(events=[learned], actor="admin")
    ledger.erase(events=[second], actor="admin")
    assert b"zyxmarker" not in b"".join(read_files(Path(ledger.place).parent).values())
    assert ledger.replay().model.table_ == Categorizer().fit(TEXTS, LABELS).table_
    with pytest.raises(NeverLearned, match="erased already"):
        ledger.erase(events=[first], actor="admin")


def test_erasing_offers_alone_leaves_the_model_and_what_is_known_of_it(ledger: Ledger) -> None:
    offer(ledger, "never learned", subjects=["zoe"])
    ledger.publish(ledger.replay(), actor="ann")
    published, before = ledger.history.publications[-1], ledger.replay().checksum
    assert ledger.erase("zoe", actor="admin").n_documents == 0
    assert ledger.replay().checksum == before
    (event,) = ledger.events(published, published)
    assert not event.is_erased


# A live model.


def test_a_live_model_follows_over_offers_and_judgments_without_making_another(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = LiveModel(ledger)
    model = live.model

    def fail(*_: object) -> None:
        raise AssertionError("the model is made anew")

    monkeypatch.setattr(LiveModel, "_replace", fail)
    monkeypatch.setattr("tercet.ledger.live.count_lost", fail)
    numbers = offer(ledger, *NEW)
    assert live.follow() == ledger.head.number
    judged = ledger.judge(numbers[0], Verdict("skip"), actor="ann")[0].number
    ledger.undo(judged, actor="ann")
    give(ledger, numbers[1], "+", learn=False)
    assert live.follow() == ledger.head.number
    assert live.model is model
    assert live.model.table_ == Categorizer().fit(TEXTS, LABELS).table_
    give(ledger, numbers[1], "+")
    assert live.follow() == ledger.head.number
    assert live.model is model
    assert live.model.table_ == Categorizer().fit([*TEXTS, NEW[1]], [*LABELS, "+"]).table_


# The queue.


def test_the_queue_gives_each_person_what_is_left(ledger: Ledger) -> None:
    queue = LabelQueue(LiveModel(ledger))
    offer(ledger, *NEW)
    for order in ("random", "suggested"):
        found = queue.pick("new", "ann", order=order, limit=9)
        assert sorted(text.offer.details["text"] for text in found) == sorted(NEW)
        assert found == queue.pick("new", "ann", order=order, limit=9)  # no dice
        probabilities = ledger.replay().model.predict_proba([text.offer.details["text"] for text in found])
        assert [[p for _, p in text.ranked] for text in found] == [sorted(row, reverse=True) for row in probabilities.tolist()]
    first, second, third = (text.offer.number for text in queue.pick("new", "ann", limit=3))
    give(ledger, first, "+")
    ledger.judge(second, Verdict("skip"), actor="ann")
    ledger.judge(third, Verdict("note", note="hm"), actor="ann")
    left = queue.pick("new", "ann", limit=9)
    assert {text.offer.number for text in left} == set(range(8, 12)) - {first, second}
    assert [text.own.kind for text in left if text.own] == ["note"]
    assert {text.offer.number for text in queue.pick("new", "ben", limit=9)} == {second}  # ann has the others at hand
    queue = LabelQueue(LiveModel(ledger))
    assert {text.offer.number for text in queue.pick("new", "ben", limit=9)} == set(range(8, 12)) - {first}
    for order in ("random", "suggested"):  # with two judges, what somebody has begun comes first
        both = queue.pick("new", "ben", limit=9, judges=2, order=order)
        assert ([text.offer.number for text in both[:1]], len(both)) == ([first], 4)
        assert [text.n_labels for text in both] == [1, 0, 0, 0]
    with pytest.raises(InvalidOption, match=r"no pool 'knew'\. Did you mean 'new'"):
        queue.pick("knew", "ann")


ANIMALS = ["zebra quagga gnu", "zebra quagga", "gnu zebra", "quagga gnu zebra gnu"]
TOOLS = ["hammer saw", "saw hammer axe", "axe saw hammer"]
MANY = Documents([f"{word} number {i}" for i in range(10) for word in ("good", "bad")], ["+", "-"] * 10)


def test_the_first_texts_come_from_groups_of_which_nobody_has_one(ledger: Ledger) -> None:
    queue = LabelQueue(LiveModel(ledger))
    numbers = dict(zip(offer(ledger, *ANIMALS, *TOOLS), [*ANIMALS, *TOOLS], strict=True))
    groups = group_texts(queue.read(queue.pools.list_first("new", 99)))
    code = {number: groups.clusters.codes[index] for index, number in enumerate(groups.numbers)}
    taken: list[int] = []
    for actor in ("ann", "ben", "ann", "cleo", "ann"):  # by one person after another, and while others have texts at hand
        (text,) = queue.pick("new", actor)
        if len({code[number] for number in taken}) < len(set(code.values())):
            assert code[text.offer.number] not in {code[number] for number in taken}
        taken.append(text.offer.number)
        if actor == "ann":
            give(ledger, text.offer.number, "+", actor)
    assert len(set(taken)) == 5
    assert set(taken) <= set(numbers)


def test_the_order_does_not_depend_on_what_was_asked_before(ledger: Ledger) -> None:
    offer(ledger, *ANIMALS, *TOOLS)
    asked = LabelQueue(LiveModel(ledger))
    for _ in range(4):
        (text,) = asked.pick("new", "ann")
        (again,) = LabelQueue(LiveModel(ledger)).pick("new", "ann")
        assert text.offer == again.offer
        ledger.judge(text.offer.number, Verdict("skip"), actor="ann")


def test_then_the_text_comes_for_which_the_model_can_hardly_decide(ledger: Ledger) -> None:
    ledger.learn(MANY, actor="ann")
    queue = LabelQueue(LiveModel(ledger))
    sure, half, unknown = offer(ledger, "good lovely good number 3", "good bad lovely", "zebra")
    found = queue.pick("new", "ann", limit=3)
    margins = [text.ranked[0][1] - text.ranked[1][1] for text in found]
    assert margins == sorted(margins)
    assert found[-1].offer.number == sure
    give(ledger, half, "+", "ben")
    assert queue.pick("new", "ann", limit=3, judges=2)[0].offer.number == half  # what somebody has begun comes first
    assert unknown in [text.offer.number for text in queue.pick("new", "ann", limit=3)]


def test_a_near_copy_of_what_was_judged_just_now_waits(ledger: Ledger) -> None:
    ledger.learn(MANY, actor="ann")
    queue = LabelQueue(LiveModel(ledger))
    first, copy, other = offer(ledger, "good bad zebra quagga", "bad good quagga zebra", "good good number 3")
    give(ledger, first, "+", learn=False)  # the model stays as it is
    assert [text.offer.number for text in queue.pick("new", "ann", limit=2)] == [other, copy]


def test_groups_are_worked_out_once_for_the_same_texts(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    grouped: list[int] = []

    def note(offers: Any) -> Any:
        grouped.append(len(offers))
        return group_texts(offers)

    monkeypatch.setattr("tercet.ledger.label_queue.group_texts", note)
    queue = LabelQueue(LiveModel(ledger))
    offer(ledger, *ANIMALS)
    for actor in ("ann", "ben"):
        (text,) = queue.pick("new", actor)
        give(ledger, text.offer.number, "+", actor)
    assert grouped == [4]
    offer(ledger, *TOOLS)
    queue.pick("new", "ann")
    assert grouped == [4, 7]


def test_only_so_many_pools_have_their_groups_in_memory(ledger: Ledger) -> None:
    first = FirstTexts()
    for number in range(MAX_POOLS + 2):
        first.note(f"pool {number}", [number], group_texts([]))
    assert [number for number in range(MAX_POOLS + 2) if first.find(f"pool {number}", [number]) is None] == [0, 1]
    assert first.find("pool 5", [5, 6]) is None  # it has other texts now


def test_the_first_texts_of_a_large_pool_come_from_all_groups(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("MAX_SPREAD", 12), ("MAX_SCORED", 12), ("N_FIRST", 4)):
        monkeypatch.setattr(f"tercet.ledger.label_queue.{name}", value)
    queue = LabelQueue(LiveModel(ledger))
    offer(ledger, *(f"{word} {word} number {i}" for i in range(20) for word in ("zebra", "hammer", "parcel", "film")))
    numbers = queue.pools.list_first("new", 12)
    groups = group_texts(queue.read(numbers))
    for actor in ("ann", "ben", "cleo", "dan"):  # each begins at another text of the pool when texts are random
        (text,) = queue.pick("new", actor)
        assert text.offer.number in numbers
        give(ledger, text.offer.number, "+", actor, learn=False)
    judged = {event.target for event in ledger.events() if event.verb == "judge"}
    codes = {int(groups.clusters.codes[groups.numbers.index(number)]) for number in judged if number is not None}
    assert len(codes) == len(set(groups.clusters.codes.tolist())) == 4


def test_texts_outside_of_the_groups_come_too(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.ledger.label_queue.MAX_SPREAD", 2)
    queue = LabelQueue(LiveModel(ledger))
    numbers = offer(ledger, *ANIMALS, *TOOLS)
    assert {text.offer.number for text in queue.pick("new", "ann", limit=9)} == set(numbers)


def test_an_erased_text_is_in_no_group(ledger: Ledger) -> None:
    queue = LabelQueue(LiveModel(ledger))
    numbers = offer(ledger, *ANIMALS, subjects=["zoe", None, None, None])
    queue.pick("new", "ann")
    ledger.erase("zoe", actor="ann")
    assert set(queue.pools.list_first("new", 9)) == set(numbers[1:])
    assert {text.offer.number for text in queue.pick("new", "ann", limit=9)} == set(numbers[1:])


def test_disagreements_come_page_by_page_until_they_are_settled(ledger: Ledger) -> None:
    pools, numbers = Pools(ledger), [*offer(ledger, *NEW), *offer(ledger, *NEW, pool="more")]
    for number in numbers:
        give(ledger, number, "+", "ann")
        give(ledger, number, "-", "ben")
    assert pools.list_disagreements(None, None, 3) == numbers[:-4:-1]
    assert pools.list_disagreements(None, numbers[5], 99) == numbers[4::-1]
    assert pools.list_disagreements("new", None, 99) == numbers[3::-1]
    give(ledger, numbers[1], "-", "boss", settles=True)
    assert pools.list_disagreements("new", None, 99) == [numbers[3], numbers[2], numbers[0]]
    assert pools.count()["new"] == {"disagreements": 3, "labelled": 1}


def test_without_a_model_the_queue_has_no_proposal(tmp_path: Path) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann") as ledger:
        queue = LabelQueue(LiveModel(ledger))
        offer(ledger, *NEW)
        (text,) = queue.pick("new", "ann")
        assert text.ranked == []
        give(ledger, text.offer.number, "+")
        queue.live.follow()
        assert queue.pick("new", "ann")[0].ranked == [("+", 1.0)]


# Pools that are deleted, and texts that somebody has at hand.


def test_a_deleted_pool_is_gone_and_what_was_learned_stays(tmp_path: Path, ledger: Ledger) -> None:
    first, second, *_ = offer(ledger, *NEW)
    offer(ledger, "another", pool="other")
    give(ledger, first, "+")
    pools, learned = Pools(ledger), ledger.history.labelling.find_document(first)
    assert list(pools.count()) == ["new", "other"]
    assert [event.verb for event in ledger.withdraw("new", actor="ben")] == ["withdraw"]
    assert list(pools.count()) == ["other"]
    assert ledger.history.labelling.find_document(first) == learned
    with pytest.raises(NeverLearned, match="was deleted"):
        give(ledger, second, "-")
    with pytest.raises(InvalidOption, match="there is no pool 'new'"):
        ledger.withdraw("new", actor="ben")
    again = offer(ledger, *NEW)  # the same texts can be imported again
    assert pools.count()["new"]["open"] == 4
    give(ledger, again[1], "-")
    ledger.close()
    assert verify(tmp_path / "a.ledger").is_good
    with Ledger.open(tmp_path / "a.ledger") as reopened:
        counts = Pools(reopened).count()
        assert (list(counts), counts["new"]["open"]) == (["new", "other"], 3)


def test_a_person_is_erased_from_a_deleted_pool(tmp_path: Path, ledger: Ledger) -> None:
    numbers = offer(ledger, *NEW, subjects=["zoe", None, "zoe", None])
    give(ledger, numbers[0], "+")
    ledger.withdraw("new", actor="ann")
    live = LiveModel(ledger, tmp_path / "m.tercet")
    live.erase("zoe", actor="ann", wait_seconds=1.0)
    assert [event.is_erased for event in ledger.pick_events(numbers)] == [True, False, True, False]
    assert Pools(ledger).count() == {}
    ledger.close()
    assert verify(tmp_path / "a.ledger").is_good
    for name, content in read_files(tmp_path).items():
        assert NEW[0].encode() not in content, name


def test_a_deletion_that_is_not_committed_is_taken_back(ledger: Ledger) -> None:
    numbers = offer(ledger, *NEW)
    with suppress(ZeroDivisionError), ledger.transaction():
        ledger.withdraw("new", actor="ann")
        raise ZeroDivisionError
    assert Pools(ledger).count()["new"]["open"] == 4
    assert give(ledger, numbers[0], "+") == ["judge", "learn"]


def test_people_who_work_at_the_same_time_get_different_texts(tmp_path: Path, ledger: Ledger) -> None:
    offer(ledger, *(f"text number {i}" for i in range(20)))
    queue = LabelQueue(LiveModel(ledger, tmp_path / "m.tercet"))
    hands = {actor: [text.offer.number for text in queue.pick("new", actor, limit=5)] for actor in ("ann", "ben", "cleo")}
    assert len({number for own in hands.values() for number in own}) == 15
    assert [text.offer.number for text in queue.pick("new", "ann", limit=5)] == hands["ann"]
    two = {actor: [text.offer.number for text in queue.pick("new", actor, limit=20, judges=2)] for actor in ("dan", "eve")}
    assert len(two["dan"]) == len(two["eve"]) + 15 == 20  # those that one person has go to one more


def test_a_text_comes_back_when_nothing_is_heard_of_a_person(ledger: Ledger) -> None:
    numbers, now = offer(ledger, *NEW), [0.0]
    labelling, handed = ledger.history.labelling, HandedOut(60.0, lambda: now[0])
    assert handed.take(numbers[:3], "ann", 1, labelling) == numbers[:3]
    assert handed.take(numbers, "ben", 1, labelling) == numbers[3:]
    handed.give_back(numbers[0], "ann")
    assert handed.take(numbers, "ben", 1, labelling) == [numbers[0], numbers[3]]
    now[0] = 59.0
    handed.take([], "ben", 1, labelling)
    now[0] = 61.0
    assert handed.take(numbers, "cleo", 1, labelling) == numbers[1:3]
