"""The ledger: what is written stays, the chain shows every change, and replay gives the same model, byte for byte."""

import random
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from helpers.folder_contents import read_files
from helpers.hand_checks import make_check
from helpers.postgresql import explain_missing, kill_server, make_schema, start_server

import tercet
from tercet import Categorizer, Documents
from tercet.errors import BadLedger, CannotWrite, InvalidFile, InvalidLabel, InvalidOption, NeverLearned, NoLedger, TercetError
from tercet.ledger.backup import back_up
from tercet.ledger.certificate import Certificate
from tercet.ledger.database import SQLiteDatabase
from tercet.ledger.documents import derive_key
from tercet.ledger.events import Draft, Event, Link, read_canonical
from tercet.ledger.ledger import Ledger
from tercet.ledger.publishing import find_published

TEXTS = ["so good a film", "so bad", "a dull film", "what a lovely cast", "lovely and good", "the plot is bad"]
LABELS = ["+", "-", "-", "+", "+", "-"]


def save(model: Any, folder: Path) -> bytes:
    model.save(folder / "saved.tercet")
    return (folder / "saved.tercet").read_bytes()


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if reason := explain_missing():
        pytest.skip(reason)
    with start_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new ledger can be: a file, or a schema of PostgreSQL."""
    if request.param == "sqlite":
        return str(tmp_path / "a.ledger")
    return make_schema(request.getfixturevalue("server"))


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with Ledger.begin(place, Categorizer(), actor="ann") as ledger:
        yield ledger


@pytest.fixture
def file_ledger(tmp_path: Path) -> Iterator[Ledger]:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann") as ledger:
        yield ledger


@contextmanager
def connect(place: str) -> Iterator[Any]:
    """The database itself, to damage it or to look into it."""
    import psycopg

    is_file = not place.startswith("postgresql")
    connection: Any = sqlite3.connect(place, isolation_level=None) if is_file else psycopg.connect(place, autocommit=True)
    with closing(connection):
        yield connection


def list_bytes(place: str) -> bytes:
    """All that the database has on the disk, but for its own log, if it is PostgreSQL."""
    if not place.startswith("postgresql"):
        return b"".join(content for name, content in read_files(Path(place).parent).items() if name.startswith("a.ledger"))
    with connect(place) as connection:
        connection.execute("CHECKPOINT")
        (folder,) = connection.execute("SHOW data_directory").fetchone()
    return b"".join(path.read_bytes() for path in Path(folder, "base").rglob("*") if path.is_file())


def find_markers(place: str) -> list[bytes]:
    """The words of the erased documents that are still there. Shorter words could be found in random bytes."""
    content = list_bytes(place)
    return [word for word in (b"zyxmarker", b"zyxperson", b"zyxlabel") if word in content]


# Replay.


def test_replay_gives_the_model_of_every_event_byte_for_byte(ledger: Ledger, tmp_path: Path) -> None:
    draw = random.Random(1)
    served: dict[int, bytes] = {}
    model = Categorizer().fit(TEXTS, LABELS)
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    learned = {number: (text, label) for number, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True), 2)}
    served[ledger.head.number] = save(model, tmp_path)
    for step in range(25):
        act = draw.choice(["learn", "unlearn", "relabel"])
        if act == "learn" or len(learned) < 3:
            text, label = f"{draw.choice(TEXTS)} w{step}", draw.choice("+-")
            (event,) = ledger.learn(Documents([text], [label]), actor="ben")
            model.learn([text], [label])
            learned[event.number] = text, label
        elif act == "unlearn":
            number = draw.choice(sorted(learned))
            text, label = learned.pop(number)
            ledger.unlearn(events=[number], actor="ann")
            model.forget([text], [label])
        else:
            number = draw.choice(sorted(learned))
            text, label = learned[number]
            learned[number] = text, "?"
            ledger.relabel_event(number, "?", actor="ann")
            model.relabel([text], [label], ["?"])
        served[ledger.head.number] = save(model, tmp_path)
    again = Ledger.open(ledger.place)
    for number, expected in served.items():
        assert save(again.replay(number).model, tmp_path) == expected


@pytest.mark.parametrize(
    "options",
    [
        {"model": tercet.LinearSVM(), "keep_documents": True, "calibrate": "platt"},
        {"model": tercet.NBSVM()},
        {"model": tercet.NaiveBayes("multinomial", smoothing="auto"), "keep_documents": True},
    ],
    ids=["kept", "not kept", "smoothing"],
)
def test_a_training_event_gives_the_trained_model_and_later_events_change_its_counts(
    options: dict[str, Any], tmp_path: Path
) -> None:
    texts, labels = [f"{text} w{i % 5}" for i, text in enumerate(TEXTS * 3)], LABELS * 3
    plain = Categorizer(**options).fit(texts, labels)
    with Ledger.begin(tmp_path / "a.ledger", plain, Documents(texts, labels), actor="ann") as ledger:
        ledger.learn(Documents(["a new word here"], ["+"]), actor="ann")
        ledger.unlearn(Documents(texts[:2], labels[:2]), actor="ann")
        plain.learn(["a new word here"], ["+"], later=True).forget(texts[:2], labels[:2], later=True)
        assert save(ledger.replay().model, tmp_path) == save(plain, tmp_path)
        ledger.train(actor="trainer")
        fresh = Categorizer(**options).fit([*texts[2:], "a new word here"], [*labels[2:], "+"])
        assert save(ledger.replay().model, tmp_path) == save(fresh, tmp_path)


def test_a_term_that_is_forgotten_and_learned_again_keeps_its_trained_weight(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model depends on the documents of the training and of now, not on the way between."""
    monkeypatch.setattr("tercet.counts.table.MIN_FORGOTTEN", 1)  # so that a small table drops forgotten terms
    plain = Categorizer(model=tercet.LinearSVM()).fit(TEXTS, LABELS)
    most = Documents(TEXTS[1:], LABELS[1:])
    with Ledger.begin(tmp_path / "a.ledger", plain, Documents(TEXTS, LABELS), actor="ann") as ledger:
        ledger.unlearn(most, actor="ann")
        ledger.learn(most, actor="ann")
        assert save(ledger.replay().model, tmp_path) == save(plain, tmp_path)


def test_a_ledger_of_a_trained_model_begins_with_its_kept_documents(tmp_path: Path) -> None:
    texts, labels = [f"{text} w{i % 7}" for i, text in enumerate(TEXTS * 7)], LABELS * 7
    trained = tercet.train(texts, labels, categorizer=Categorizer(model="auto", calibrate="auto", keep_documents=True))
    with Ledger.begin(tmp_path / "a.ledger", trained.categorizer, actor="ann") as ledger:
        assert [event.verb for event in ledger.events()] == ["begin", *["import"] * 42, "train", "publish"]
        ledger.learn(Documents(["one more"], ["+"]), actor="ann")
        ledger.train(actor="ann")
        trained.categorizer.learn(["one more"], ["+"])
        assert save(ledger.replay().model, tmp_path) == save(trained.categorizer, tmp_path)


def test_all_columns_of_documents_come_back(tmp_path: Path) -> None:
    columns = {"mailer": ["mutt", None, "pine"], "length": ["7", 3, 2.5]}
    documents = Documents.join(
        {"subject": ["Refund", "Crash", None], "body": ["Where?", "again", "See you"]},
        ["bill", "tech", "bill"],
        [1, 0.3, 2],
        columns,
    )
    options: dict[str, Any] = {"categorical": ["mailer"], "numeric": ["length", "n_characters"], "fields": True}
    plain = Categorizer(**options, keep_documents=True).fit(documents)
    with Ledger.begin(tmp_path / "a.ledger", plain, actor="ann") as ledger:
        ledger.unlearn(documents.pick([1]), actor="ann")
        assert save(ledger.replay().model, tmp_path) == save(plain.forget(documents.pick([1])), tmp_path)
    with Ledger.begin(tmp_path / "b.ledger", Categorizer(**options), documents, actor="ann") as ledger:
        assert ledger.replay().model.table_ == Categorizer(**options).fit(documents).table_


def test_a_model_without_its_documents_is_the_start_and_says_what_it_can_not(tmp_path: Path) -> None:
    plain = Categorizer().fit(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "a.ledger", plain, actor="ann") as ledger:
        ledger.learn(Documents(["more"], ["+"]), actor="ann")
        assert save(ledger.replay().model, tmp_path) == save(plain.learn(["more"], ["+"]), tmp_path)
        with pytest.raises(NeverLearned, match="never learned in this ledger"):
            ledger.unlearn(Documents(TEXTS[:1], LABELS[:1]), actor="ann")
        with pytest.raises(InvalidOption, match="documents it does not know"):
            ledger.train(actor="ann")


def test_a_ledger_does_not_begin_with_documents_that_give_another_model(tmp_path: Path) -> None:
    plain = Categorizer().fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="do not give this model again"):
        Ledger.begin(tmp_path / "a.ledger", plain, Documents(TEXTS[1:], LABELS[1:]), actor="ann")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", [lambda c: c.restrict(["+"]), lambda c: c.prune()], ids=["restricted", "pruned"])
def test_a_ledger_does_not_begin_with_a_part_of_a_model(change: Callable[[Any], Any], tmp_path: Path) -> None:
    whole = Categorizer(min_documents=2).fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="begin with the whole model"):
        Ledger.begin(tmp_path / "a.ledger", change(whole), actor="ann")


# Undo.


def test_undo_and_undo_of_undo_change_the_model_back_and_forth(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    with_all = ledger.replay().checksum
    (unlearned,) = ledger.unlearn(Documents(TEXTS[:1], LABELS[:1]), actor="ann")
    without = ledger.replay().checksum
    (undone,) = ledger.undo(unlearned.number, actor="ann")
    assert ledger.replay().checksum == with_all != without
    ledger.undo(undone.number, actor="ann")
    assert ledger.replay().checksum == without
    with pytest.raises(NeverLearned, match="undone already"):
        ledger.undo(undone.number, actor="ann")
    (relabelled,) = ledger.relabel(Documents(TEXTS[1:2], ["?"]), actor="ann")
    ledger.undo(relabelled.number, actor="ann")
    assert ledger.replay().checksum == without
    (learned,) = ledger.learn(Documents(["more"], ["+"]), actor="ann")
    ledger.undo(learned.number, actor="ann")
    assert ledger.replay().checksum == without == Ledger.open(ledger.place).replay().checksum


def test_a_transaction_can_read_several_times_at_once(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    with ledger.transaction():
        ledger.learn(Documents(["more"], ["+"]), actor="ann")
        pairs = list(zip(ledger.events(), ledger.events(), strict=True))
    assert [(one.number, other.number) for one, other in pairs] == [(number, number) for number in range(1, 9)]


def test_a_training_that_was_done_elsewhere_covers_an_earlier_event(place: str) -> None:
    with Ledger.begin(place, Categorizer(model=tercet.LinearSVM()), actor="ann") as ledger:
        ledger.learn(Documents(TEXTS, LABELS), actor="ann")
        covers = ledger.head.number
        ledger.learn(Documents(["more"], ["+"]), actor="ann")
        ledger.note_training(covers, actor="trainer")
        assert ledger.replay().training == (ledger.head.number, covers, tercet.__version__)
        with pytest.raises(InvalidOption, match="can't cover event 99"):
            ledger.note_training(99, actor="trainer")
        assert Ledger.open(ledger.place).head == ledger.head


def test_a_model_that_follows_from_its_counts_needs_no_training(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    before = ledger.replay()
    ledger.note_training(ledger.head.number, actor="trainer")
    assert ledger.replay().checksum == before.checksum
    assert (ledger.replay().training, ledger.replay().is_trained) == (None, True)


# What is refused writes nothing.


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda own: own.unlearn(Documents(["never"], ["+"]), actor="ann"), NeverLearned),
        (lambda own: own.unlearn(Documents([TEXTS[0]], ["-"]), actor="ann"), NeverLearned),
        (lambda own: own.unlearn(Documents([TEXTS[0]] * 2, ["+"] * 2), actor="ann"), NeverLearned),
        (lambda own: own.unlearn(events=[1], actor="ann"), NeverLearned),
        (lambda own: own.unlearn(events=[99], actor="ann"), NeverLearned),
        (lambda own: own.relabel(Documents(["never"], ["+"]), actor="ann"), NeverLearned),
        (lambda own: own.undo(1, actor="ann"), NeverLearned),
        (lambda own: own.undo(0, actor="ann"), NeverLearned),
        (lambda own: own.erase("nobody", actor="ann"), NeverLearned),
        (lambda own: own.erase(actor="ann"), InvalidOption),
        (lambda own: own.learn(Documents(["a", "b"], ["+"]), actor="ann"), InvalidLabel),
        (lambda own: own.learn(Documents(["a"], [3]), actor="ann"), InvalidLabel),
        (lambda own: own.learn(Documents([None], ["+"]), actor="ann"), TercetError),
        (lambda own: own.learn(Documents(["a"], ["+"], [-1]), actor="ann"), TercetError),
        (lambda own: own.learn(Documents(["a", "b"], ["+", "-"], [1, 0]), actor="ann"), InvalidOption),
        (lambda own: own.learn(Documents(["a"], ["+"]), actor=""), InvalidOption),
        (lambda own: own.learn(Documents(["a"], ["+"]), actor="ann", subjects=["\0"]), InvalidOption),
        (lambda own: own.learn(Documents(["a"], ["+"]), actor="ann", subjects=["x", "y"]), InvalidOption),
    ],
)
def test_a_refused_change_writes_nothing(change: Callable[[Ledger], Any], error: type[Exception], ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    head = ledger.head
    with pytest.raises(error):
        change(ledger)
    assert ledger.head == head == Ledger.open(ledger.place).head


def test_a_label_without_a_prior_is_refused_because_no_model_could_learn_it(tmp_path: Path) -> None:
    plain = Categorizer(model=tercet.NaiveBayes(prior={"+": 0.9, "-": 0.1}))
    with Ledger.begin(tmp_path / "a.ledger", plain, actor="ann") as ledger:
        (learned,) = ledger.learn(Documents(["a"], ["+"]), actor="ann")
        refused: list[Callable[[], Any]] = [
            lambda: ledger.learn(Documents(["b"], ["?"]), actor="ann"),
            lambda: ledger.relabel_event(learned.number, "?", actor="ann"),
            lambda: ledger.relabel(Documents(["a"], ["?"]), actor="ann"),
        ]
        for change in refused:
            with pytest.raises(InvalidOption, match="no probability for the label '\\?'"):
                change()
        assert ledger.head.number == learned.number
        assert ledger.replay().model.classes_.tolist() == ["+"]


def test_an_error_in_a_transaction_takes_back_all_of_it(ledger: Ledger) -> None:
    (learned,) = ledger.learn(Documents(["a"], ["+"]), actor="ann")
    before, number = ledger.head, learned.number

    def change_much() -> None:
        with ledger.transaction():
            ledger.unlearn(events=[number], actor="ann")
            ledger.undo(ledger.head.number, actor="ann")
            ledger.relabel_event(number, "-", actor="ann")
            ledger.unlearn(Documents(["never"], ["+"]), actor="ann")

    with pytest.raises(NeverLearned):
        change_much()
    assert ledger.head == before
    assert ledger.history.list_learned() == {number: "+"} == Ledger.open(ledger.place).history.list_learned()
    ledger.unlearn(events=[number], actor="ann")  # it has the number of an event that was undone and taken back
    assert ledger.history.list_learned() == {} == Ledger.open(ledger.place).history.list_learned()


# The chain.


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE events SET actor = 'eve' WHERE number = 3",
        "UPDATE events SET time = '2020-01-01T00:00:00.000000Z' WHERE number = 3",
        "UPDATE events SET verb = 'import' WHERE number = 3",
        "UPDATE events SET target = 2 WHERE number = 3",
        "UPDATE events SET content = (SELECT content FROM events WHERE number = 4) WHERE number = 3",
        "UPDATE events SET subject = 'eve' WHERE number = 3",
        "UPDATE events SET subject = '' WHERE number = 3",
        "UPDATE events SET salt = hash WHERE number = 3",
        "UPDATE events SET salt = NULL WHERE number = 3",
        "UPDATE events SET salt = NULL, content = NULL WHERE number = 3",
        "UPDATE events SET commitment = hash WHERE number = 3",
        "UPDATE events SET hash = previous WHERE number = 3",
        "UPDATE events SET previous = hash WHERE number = 3",
        "UPDATE events SET actor = 7 WHERE number = 3",
        "DELETE FROM events WHERE number = 3",
    ],
)
def test_every_change_of_an_event_is_found_and_the_last_good_event_is_named(change: str, ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    ledger.close()
    with connect(ledger.place) as database:
        database.execute(change)
    with pytest.raises(BadLedger, match="The last good event is 2") as error:
        Ledger.open(ledger.place)
    assert error.value.last_good == 2


def test_a_forged_event_with_good_hashes_does_not_fit_the_next_one(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    before, old = ledger.events(2, 3)
    forged = Event.follow(before.link, Draft("learn", {"label": "+", "text": "forged"}), old.actor, old.time)
    names = ("salt", "content", "commitment", "hash")
    mark = "%s" if ledger.place.startswith("postgresql") else "?"
    assignments = ", ".join(f"{name} = {mark}" for name in names)
    with connect(ledger.place) as database:
        database.execute(f"UPDATE events SET {assignments} WHERE number = 3", [getattr(forged, name) for name in names])
    with pytest.raises(BadLedger, match="event 4 does not follow event 3"):
        Ledger.open(ledger.place)


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        (Draft("learn", {"label": "+"}), "event 2 can't be read"),
        (Draft("learn", {"text": 7, "label": "+"}), "event 2 can't be read"),
        (Draft("erase", {}), "event 2 can't be read"),
        (Draft("begin", {"format": 1}), "event 2 is 'begin'"),
        (Draft("undo", {}, 7), "event 2 is about event 7"),
    ],
)
def test_crafted_events_with_good_hashes_are_refused(draft: Draft, message: str, file_ledger: Ledger) -> None:
    last = file_ledger.head
    with file_ledger.database.transaction():
        file_ledger.database.insert([Event.follow(last, draft, "eve", "2026-11-17T12:00:00.000000Z")])
    with pytest.raises(BadLedger, match=message):
        Ledger.open(file_ledger.place)


@pytest.mark.parametrize("content", [{}, {"format": 2}, {"format": 1}, {"format": 1, "recipe": {"analyzer": 7}}])
def test_a_ledger_with_a_crafted_beginning_is_refused(content: dict[str, Any], tmp_path: Path) -> None:
    database = SQLiteDatabase(tmp_path / "crafted", new=True)
    with database.transaction():
        database.insert([Event.follow(Link(), Draft("begin", content), "eve", "2026-11-17T12:00:00.000000Z")])
    database.close()
    with pytest.raises(BadLedger):
        Ledger.open(tmp_path / "crafted").recipe  # noqa: B018


def test_a_damaged_or_foreign_file_is_refused(file_ledger: Ledger, tmp_path: Path) -> None:
    file_ledger.learn(Documents([text * 50 for text in TEXTS * 20], LABELS * 20), actor="ann")
    file_ledger.close()
    content = bytearray(Path(file_ledger.place).read_bytes())
    content[len(content) // 2 : len(content) // 2 + 3000] = bytes(3000)
    Path(file_ledger.place).write_bytes(content)
    with pytest.raises(BadLedger, match=r"last good event is [1-9]"):
        Ledger.open(file_ledger.place)
    for name, bad in {"a": b"", "b": b"text,label\n" * 200, "c": bytes(content[:3000])}.items():
        (tmp_path / name).write_bytes(bad)
        with pytest.raises(BadLedger):
            Ledger.open(tmp_path / name)
        with pytest.raises(BadLedger):
            Ledger.open(tmp_path / name, write=True)
        assert (tmp_path / name).read_bytes() == bad
    with pytest.raises(NoLedger, match="does not exist"):
        Ledger.open(tmp_path / "missing")
    SQLiteDatabase(tmp_path / "unfinished", new=True).close()
    with pytest.raises(NoLedger, match="not begun to the end"):
        Ledger.open(tmp_path / "unfinished", write=True)


def test_a_damaged_name_in_the_schema_is_refused(file_ledger: Ledger) -> None:
    file_ledger.close()
    content = Path(file_ledger.place).read_bytes()
    assert b"CREATE INDEX events" in content
    Path(file_ledger.place).write_bytes(content.replace(b"CREATE INDEX events", b"CREATE IN\xacEX events"))
    with pytest.raises(BadLedger, match="damaged"):
        Ledger.open(file_ledger.place)


# Writers.


def test_changes_of_many_threads_share_commits(file_ledger: Ledger) -> None:
    commits: list[str] = []
    writer: Any = file_ledger.database._writer
    writer.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)
    done: list[int] = []

    def learn(name: int) -> None:
        done.extend(event.number for event in file_ledger.learn(Documents([f"text {name}"], ["+"]), actor=f"user {name}"))

    threads = [threading.Thread(target=learn, args=(name,)) for name in range(20)]
    with file_ledger.turn:  # as if a commit took long
        for thread in threads:
            thread.start()
        while len(file_ledger._queue) < len(threads):
            pass
    for thread in threads:
        thread.join()
    assert sorted(done) == list(range(2, 22))
    assert len(commits) == 1
    assert Ledger.open(file_ledger.place).head == file_ledger.head


def test_a_refused_change_does_not_hinder_those_that_share_its_commit(ledger: Ledger) -> None:
    outcomes: dict[int, Any] = {}

    def act(name: int) -> None:
        try:
            outcomes[name] = (
                ledger.unlearn(events=[99], actor="a") if name % 2 else ledger.learn(Documents(["x"], ["+"]), actor="a")
            )
        except NeverLearned as error:
            outcomes[name] = error

    threads = [threading.Thread(target=act, args=(name,)) for name in range(8)]
    with ledger.turn:
        for thread in threads:
            thread.start()
        while len(ledger._queue) < len(threads):
            pass
    for thread in threads:
        thread.join()
    assert [isinstance(outcomes[name], NeverLearned) for name in range(8)] == [False, True] * 4
    assert Ledger.open(ledger.place).head.number == 5


def test_a_second_writer_is_refused_and_readers_are_not(file_ledger: Ledger) -> None:
    with pytest.raises(CannotWrite, match="being changed by another program"):
        Ledger.open(Path(file_ledger.place), write=True, wait_seconds=0)
    reader = Ledger.open(file_ledger.place)
    with pytest.raises(CannotWrite, match="reading only"):
        reader.learn(Documents(["a"], ["+"]), actor="ann")
    reader.close()
    file_ledger.close()
    Ledger.open(Path(file_ledger.place), write=True, wait_seconds=0).close()
    with pytest.raises(CannotWrite, match="never overwritten"):
        Ledger.begin(Path(file_ledger.place), Categorizer(), actor="ann")
    assert [path.name for path in Path(file_ledger.place).parent.iterdir()] == ["a.ledger"]


def test_several_processes_write_to_one_ledger_in_postgresql(server: str) -> None:
    with Ledger.begin(make_schema(server), Categorizer(), actor="ann") as one, Ledger.open(one.place, write=True) as other:
        (first,) = one.learn(Documents(["a"], ["+"]), actor="ann")
        (second,) = other.learn(Documents(["b"], ["-"]), actor="ben")
        one.unlearn(Documents(["b"], ["-"]), actor="ann")
        with pytest.raises(NeverLearned):
            other.unlearn(events=[second.number], actor="ben")
        other.erase(events=[first.number], actor="admin")
        with pytest.raises(NeverLearned):
            one.unlearn(events=[first.number], actor="ann")
        assert one.head == other.head == Ledger.open(one.place).head
        with pytest.raises(CannotWrite, match="never overwritten"):
            Ledger.begin(one.place, Categorizer(), actor="ann")
        assert Ledger.open(one.place).head == one.head


def test_connections_that_the_server_has_closed_are_opened_again(server: str) -> None:
    with Ledger.begin(make_schema(server), Categorizer(), actor="ann") as one, Ledger.open(one.place) as reader:
        one.learn(Documents(["a"], ["+"]), actor="ann")
        reader.catch_up()
        kill_server(one.place)
        assert [event.number for event in one.events()] == [1, 2]
        assert not reader.has_news()
        one.learn(Documents(["b"], ["-"]), actor="ann")
        assert reader.has_news()
        reader.catch_up()
        assert one.head == reader.head


def test_reading_keeps_its_connections(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    opened: list[Any] = []
    connect = type(ledger.database)._connect

    def count(own: Any) -> Any:
        opened.append(connect(own))
        return opened[-1]

    monkeypatch.setattr(type(ledger.database), "_connect", count)
    for _ in range(5):
        assert len(list(ledger.events())) == 7
        assert len(list(ledger.pick_events([2, 5]))) == 2
    assert len(opened) <= 1
    unfinished = [ledger.events() for _ in range(3)]
    assert [next(events).number for events in unfinished] == [1, 1, 1]
    assert len(opened) <= 3


def test_a_reader_has_news_when_others_have_written(ledger: Ledger) -> None:
    with Ledger.open(ledger.place) as reader:
        assert not reader.has_news()
        ledger.learn(Documents(["a"], ["+"]), actor="ann")
        assert not ledger.has_news()
        assert reader.has_news()
        reader.catch_up()
        assert not reader.has_news()
        assert reader.history.list_learned() == {2: "+"}


# Several processes write to one file under the lock of another.

WORKER = """
import sys
from tercet import Documents, Ledger
from tercet.ledger.live import LiveModel

place, name = sys.argv[1:]
with Ledger.open(place, write=True, locked=True) as ledger:
    live = LiveModel(ledger)
    print("ready", flush=True)
    sys.stdin.readline()
    for step in range(20):
        (event,) = ledger.learn(Documents([f"text {step} of {name}"], ["+"]), actor=name)
        if step % 4 == 0:
            ledger.unlearn(events=[event.number], actor=name)
        assert live.follow() >= event.number
        print(event.number)
    replay = ledger.replay(live.number)
    assert live.model.table_ == replay.model.table_
"""


def test_processes_that_share_a_lock_write_in_turn(tmp_path: Path) -> None:
    place = tmp_path / "a.ledger"
    Ledger.begin(place, Categorizer(), actor="ann").close()
    command = [sys.executable, "-c", WORKER, str(place)]
    with Ledger.hold(place, wait_seconds=0):
        with pytest.raises(CannotWrite, match="being changed by another program"):
            Ledger.open(place, write=True, wait_seconds=0)
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        workers = [subprocess.Popen([*command, f"worker {name}"], **pipes) for name in range(3)]
        assert [worker.stdout.readline() for worker in workers if worker.stdout is not None] == ["ready\n"] * 3
        said = [worker.communicate("go\n", timeout=60) for worker in workers]
    assert [error for _, error in said] == [""] * 3
    assert [path.name for path in tmp_path.iterdir()] == ["a.ledger"]
    numbers = [int(line) for lines, _ in said for line in lines.splitlines()]
    with Ledger.open(place, write=True, wait_seconds=0) as ledger:
        assert ledger.head.number == 1 + 3 * 25
        assert len(set(numbers)) == len(numbers) == 60
        learned = [number for number, label in ledger.history.list_learned().items()]
        assert len(learned) == 45


# Searching.


def test_a_search_finds_the_last_events_that_fit(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann", subjects=[None, "x", None, "x", None, None])
    ledger.search(verb="learn")  # makes an index, which must follow the events from now on
    ledger.relabel_event(2, "-", actor="ben")
    (unlearned,) = ledger.unlearn(events=[3], actor="ben")
    ledger.undo(unlearned.number, actor="ann")
    with suppress(NeverLearned), ledger.transaction():
        ledger.learn(Documents(["never"], ["+"]), actor="eve")
        assert [event.actor for event in ledger.search(limit=1)] == ["eve"]
        ledger.unlearn(events=[99], actor="eve")  # takes back the whole transaction
    for found in (ledger, Ledger.open(ledger.place)):
        assert list_numbers(found.search()) == list(range(10, 0, -1))
        assert list_numbers(found.search(limit=3)) == [10, 9, 8]
        assert list_numbers(found.search(limit=3, before=8)) == [7, 6, 5]
        assert list_numbers(found.search(limit=3, before=99)) == [10, 9, 8]
        assert list_numbers(found.search(limit=3, before=1)) == []
        assert list_numbers(found.search(limit=3, after=5)) == [6, 7, 8]
        assert list_numbers(found.search(limit=3, after=8, before=10)) == [9]
        assert list_numbers(found.search(limit=3, after=99)) == []
        assert list_numbers(found.search(actor="ben")) == [9, 8]
        assert list_numbers(found.search(actor="ben", verb="unlearn")) == [9]
        assert list_numbers(found.search(actor="eve")) == []
        assert list_numbers(found.search(verb="undo")) == [10]
        assert list_numbers(found.search(without=["undo", "relabel"], limit=3)) == [9, 7, 6]
        assert list_numbers(found.search(without=["learn"], after=2, limit=2)) == [8, 9]
        assert list_numbers(found.search(actor="ben", without=["unlearn"])) == [8]
        assert list_numbers(found.search(label="-")) == [8, 7, 4, 3]
        assert list_numbers(found.search(label="-", actor="ann", before=7)) == [4, 3]
        assert list_numbers(found.search(subject="x")) == [5, 3]
        assert list_numbers(found.search(subject="nobody")) == []
        middle = next(found.events(5, 5)).time
        assert list_numbers(found.search(since=middle)) == [10, 9, 8, 7, 6, 5]
        assert list_numbers(found.search(until=middle)) == [4, 3, 2, 1]
        assert list_numbers(found.search(since=datetime(2020, 1, 1, tzinfo=UTC), until=datetime(2020, 1, 2, tzinfo=UTC))) == []
        assert found.search(label="-")[0].details == {"label": "-"}


def test_a_search_does_not_mix_up_events_that_are_not_known_yet(place: str) -> None:
    with Ledger.begin(place, Categorizer(), Documents(TEXTS, LABELS), actor="ann") as ledger, Ledger.open(place) as reader:
        ledger.relabel_event(2, "-", actor="ben")
        assert list_numbers(reader.search(limit=1)) == [7]  # the relabelling is there, but the reader has not read it
        reader.catch_up()
        assert list_numbers(reader.search(actor="ben")) == list_numbers(reader.search(limit=1)) == [8]
        assert list_numbers(reader.search(label="-", limit=2)) == [8, 7]


@pytest.mark.parametrize(
    "draft",
    [
        Draft("relabel", {"label": ["+"]}, 2),
        Draft("erase", {"events": [99], "documents": 1, "subject": None}),
        Draft("erase", {"events": ["x"], "documents": 1, "subject": None}),
        Draft("learn", {}),
        Draft("learn", {"label": None, "text": "x"}),
        Draft("learn", {"label": "+", "text": 7}),
        Draft("train", {}, 2),
    ],
)
def test_an_event_that_makes_no_sense_is_refused_although_the_chain_is_whole(draft: Draft, file_ledger: Ledger) -> None:
    (last,) = file_ledger.learn(Documents(["a"], ["+"]), actor="ann")
    file_ledger.close()
    crafted = Event.follow(last, draft, "eve", last.time)
    with connect(file_ledger.place) as database:
        marks = ", ".join("?" * len(crafted))
        database.execute(f"INSERT INTO events ({', '.join(crafted._fields)}) VALUES ({marks})", crafted)
    with pytest.raises(BadLedger, match="The last good event is 2"):
        Ledger.open(file_ledger.place)


@pytest.mark.parametrize("content", [b'{"a":1} ', b'{"a":1}{}', b" {}", b"[]", b"7", b"", b"{"])
def test_content_that_is_not_one_json_object_is_refused(content: bytes) -> None:
    with pytest.raises(ValueError, match=r"content|Expecting|property"):
        read_canonical(content)


def test_documents_that_differ_in_anything_but_the_label_have_different_keys() -> None:
    plain: dict[str, Any] = {"label": "+", "text": "abc"}
    weighted, tricky = {**plain, "weight": 0.5}, {"label": "+", "text": '{"label":null,"text":null,"weight":0.5}abc'}
    columns = [{**plain, "columns": {"a": value}} for value in ("x", "y")]
    assert derive_key(plain) == derive_key({**plain, "label": "-"})
    assert len({derive_key(content) for content in (plain, weighted, tricky, *columns)}) == 5


def test_a_damaged_index_does_not_hide_documents_from_an_erasure(tmp_path: Path) -> None:
    first = Documents(TEXTS, LABELS)
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), first, actor="ann", subjects=["x"] * 6) as ledger:
        ledger.close()
    with connect(str(tmp_path / "a.ledger")) as database:
        (statement,) = database.execute("SELECT sql FROM sqlite_master WHERE name = 'events_subjects'").fetchone()
        database.execute("DROP INDEX events_subjects")
        database.execute(f"{statement} AND number > 4")
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = ? WHERE name = 'events_subjects'", (statement,))
    with Ledger.open(tmp_path / "a.ledger", write=True) as ledger:
        assert len(ledger.database.find_subject("x")) == 3  # what the index says
        with pytest.raises(BadLedger, match="is damaged"):  # and not: three documents were erased
            ledger.erase("x", actor="admin")
        assert ledger.history.erasures == []


def list_numbers(events: list[Event]) -> list[int]:
    return [event.number for event in events]


def test_a_search_finds_nothing_of_what_was_erased(erasable: Ledger) -> None:
    assert list_numbers(erasable.search(label="zyxlabel")) == [183]
    erasable.erase("zyxperson", actor="admin")
    for found in (erasable, Ledger.open(erasable.place)):
        assert found.search(label="zyxlabel") == found.search(subject="zyxperson") == []
    assert "zyxlabel" not in repr(vars(erasable.history)) + repr(vars(erasable._index)["_labels"]._codes)


@pytest.mark.parametrize(
    "options",
    [{"limit": 0}, {"verb": "sing"}, {"since": "yesterday"}, {"until": 7}, {"subject": ""}],
)
def test_a_search_for_something_impossible_is_refused(options: dict[str, Any], file_ledger: Ledger) -> None:
    with pytest.raises(InvalidOption):
        file_ledger.search(**options)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgresql://ann:secret@127.0.0.1:1/none", "can't be reached"),
        ("postgresql://ann:secret@127.0.0.1:x/none", "postgresql://127.0.0.1"),
        ("postgresql://[", "can't be read"),
    ],
)
def test_a_url_without_a_ledger_is_refused_and_no_password_is_shown(url: str, message: str) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises((BadLedger, CannotWrite), match=message) as error:
        Ledger.open(url)
    assert "secret" not in str(error.value)


def test_a_database_without_a_ledger_is_refused(server: str) -> None:
    with pytest.raises(BadLedger, match="has no ledger"):
        Ledger.open(make_schema(server))


def test_a_copy_of_a_ledger_has_the_same_events(ledger: Ledger, tmp_path: Path) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    assert back_up(ledger.place, tmp_path / "copy.ledger") == ledger.head == Ledger.open(tmp_path / "copy.ledger").head
    with pytest.raises(CannotWrite, match="exists"):
        back_up(ledger.place, tmp_path / "copy.ledger")


def test_a_full_disk_loses_no_acknowledged_event_and_the_ledger_goes_on(file_ledger: Ledger) -> None:
    file_ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    before, learned = file_ledger.head, file_ledger.history.list_learned()
    writer: Any = file_ledger.database._writer
    writer.execute("PRAGMA max_page_count = 12")
    with pytest.raises(CannotWrite, match="disk is full"):
        file_ledger.learn(Documents(["long " * 20000], ["+"]), actor="ann")
    assert file_ledger.head == before == Ledger.open(file_ledger.place).head
    assert file_ledger.history.list_learned() == learned
    writer.execute("PRAGMA max_page_count = 100000")
    assert file_ledger.learn(Documents(["long " * 20000], ["+"]), actor="ann")[0].number == before.number + 1
    assert Ledger.open(file_ledger.place).head == file_ledger.head


# Erasure.


@pytest.fixture
def erasable(place: str) -> Iterator[Ledger]:
    plain = Categorizer(model=tercet.LinearSVM())
    texts, labels = TEXTS * 30, LABELS * 30
    subjects: list[str | None] = [None] * len(texts)
    for row in (7, 80, 81, 150):
        texts[row], subjects[row] = f"zyxmarker{row} " * (1 + row), "zyxperson"
    with Ledger.begin(place, plain, Documents(texts, labels), actor="ann", subjects=subjects) as ledger:
        ledger.relabel_event(2 + 80, "zyxlabel", actor="ann")
        ledger.unlearn(events=[2 + 81], actor="ann")
        ledger.publish(ledger.replay(), actor="ann")
        yield ledger


def test_a_check_by_hand_that_names_the_label_of_an_erased_document_is_erased(erasable: Ledger, tmp_path: Path) -> None:
    erasable.check(make_check(20), erasable.head.number, actor="ben")
    erasable.check(make_check(30, label="zyxlabel"), erasable.head.number, actor="ben")
    erasable.erase("zyxperson", actor="admin")
    assert not find_markers(erasable.place)
    model = erasable.replay().model
    assert model.hand_check_ == make_check(20)
    with Ledger.open(erasable.place) as other:
        assert save(other.replay().model, tmp_path) == save(model, tmp_path)


def test_erased_documents_are_nowhere_and_the_model_never_learned_them(erasable: Ledger, tmp_path: Path) -> None:
    assert find_markers(erasable.place)
    erasure = erasable.erase("zyxperson", actor="admin")
    assert not find_markers(erasable.place)
    assert erasure.n_documents == 4
    assert erasure.certificate is not None
    kept = [place for place in range(180) if place not in (7, 80, 81, 150)]
    texts, labels = [(TEXTS * 30)[place] for place in kept], [(LABELS * 30)[place] for place in kept]
    replay = erasable.replay(erasure.number)
    assert not replay.is_trained  # margins that have seen the erased texts are not served
    assert save(replay.model, tmp_path) == save(Categorizer().fit(texts, labels), tmp_path)
    assert erasure.certificate.model == replay.checksum
    erasable.train(actor="ann")
    fresh = save(Categorizer(model=tercet.LinearSVM()).fit(texts, labels), tmp_path)
    assert save(erasable.replay().model, tmp_path) == fresh
    reopened = Ledger.open(erasable.place)
    assert save(reopened.replay().model, tmp_path) == fresh
    assert reopened.replay(182).n_erased == 4
    assert save(reopened.replay(182).model, tmp_path) == fresh  # trained before, and now without the erased documents


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_an_erasure_reaches_copies_in_pages_that_are_no_longer_used(erasable: Ledger) -> None:
    # SQLite sometimes leaves a copy of a row behind when it moves the row, even with `secure_delete`. This makes such a copy.
    with connect(erasable.place) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        n_before = list_bytes(erasable.place).count(b"zyxmarker150")
        connection.execute("PRAGMA secure_delete = OFF")
        connection.execute("CREATE TABLE moved AS SELECT * FROM events WHERE subject = 'zyxperson'")
        connection.execute("DROP TABLE moved")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert list_bytes(erasable.place).count(b"zyxmarker150") > n_before > 0
    assert erasable.erase("zyxperson", actor="admin").certificate is not None
    assert not find_markers(erasable.place)


def test_the_certificate_waits_for_a_reader_of_old_pages(erasable: Ledger, tmp_path: Path) -> None:
    reader = Ledger.open(erasable.place).events()
    next(reader)
    erasure = erasable.erase("zyxperson", actor="admin", wait_seconds=0)
    assert erasure.certificate is None
    assert find_markers(erasable.place)
    with pytest.raises(CannotWrite, match="still reads"):
        erasure.confirm(wait_seconds=0)
    del reader
    assert erasure.confirm(wait_seconds=10).check(ledger=erasable, subject="zyxperson") == ()
    assert not find_markers(erasable.place)


def test_others_write_during_an_erasure(erasable: Ledger) -> None:
    before, errors = erasable.head.number, []

    def learn(name: int) -> None:
        try:
            for step in range(10):
                erasable.learn(Documents([f"text {name} {step}"], ["+"]), actor=f"user {name}")
        except TercetError as error:
            errors.append(error)

    threads = [threading.Thread(target=learn, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    erasure = erasable.erase("zyxperson", actor="admin")
    for thread in threads:
        thread.join()
    assert errors == []
    assert erasure.certificate is not None
    assert erasable.head.number == before + 40 + 2  # the erasure, and the model that it publishes
    assert Ledger.open(erasable.place).head == erasable.head


def test_a_certificate_can_be_checked_and_every_change_of_it_is_found(erasable: Ledger) -> None:
    certificate = erasable.erase("zyxperson", actor="admin").certificate
    assert certificate is not None
    written = certificate.to_dict()
    assert Certificate.from_dict(written) == certificate
    assert certificate.check(ledger=erasable, subject="zyxperson", model=certificate.model) == ()
    assert certificate.check(subject="another") == ("it is about another subject",)
    assert certificate.check(model="0" * 64) == (
        "the model file is not the one after the erasure; if it was published later, only the ledger can tell",
    )
    erasable.learn(Documents(["something new"], ["+"]), actor="ann")
    later = erasable.publish(erasable.replay(), actor="ann").details["model"]
    assert certificate.check(ledger=erasable, model=later) == ()
    assert certificate.check(ledger=erasable, model="0" * 64) == (
        "the model file is not the one after the erasure, and was not published since",
    )
    for part in ("time", "actor", "number"):
        event = written["events"][0] | {part: 7 if part == "number" else "x"}
        assert Certificate.from_dict(written | {"events": [event, *written["events"][1:]]}).check() != ()
    reissued = Certificate.issue(erasable, certificate.event.number)
    assert reissued.subject_salt is None
    assert b"zyxperson" not in repr(written).encode()
    with pytest.raises(TercetError):
        Certificate.from_dict({"certificate": "another"})


def test_a_model_that_another_thread_is_publishing_is_not_found_yet(ledger: Ledger) -> None:
    ledger.learn(Documents(TEXTS, LABELS), actor="ann")
    first = ledger.publish(ledger.replay(), actor="ann")
    with ThreadPoolExecutor(1) as other, ledger.transaction():
        second = ledger.publish(ledger.replay(), actor="ann")
        assert other.submit(find_published, ledger).result() == first
    assert find_published(ledger) == second


def test_a_certificate_has_no_event_of_others(erasable: Ledger) -> None:
    number = erasable.erase(events=list(erasable.history.documents), actor="admin").number
    erasable.learn(Documents(["secret", "other"], ["+", "-"]), actor="ann")
    erasable.publish(erasable.replay(), actor="ann")
    assert [event.verb for event in Certificate.issue(erasable, number).events] == ["erase"]


@pytest.mark.parametrize("value", [None, 7, "x", [], {}, [[]], -1.5, True])
def test_a_damaged_certificate_is_refused_or_not_true(value: Any, erasable: Ledger) -> None:
    certificate = erasable.erase("zyxperson", actor="admin").certificate
    assert certificate is not None
    written = certificate.to_dict()
    first, *others = written["events"]
    damaged = [written | {name: value} for name in written]
    damaged += [written | {"events": [first | {name: value}, *others]} for name in first]
    for one in damaged:
        if one == written:
            continue
        try:
            faults = Certificate.from_dict(one).check(ledger=erasable, subject="zyxperson")
        except InvalidFile:
            continue
        assert faults, one


def test_copies_of_a_document_are_unlearned_one_by_one_the_last_one_first(ledger: Ledger) -> None:
    ledger.learn(Documents(["same"] * 5, ["+", "+", "-", "+", "+"]), actor="ann")
    ledger.erase(events=[3, 6], actor="admin")
    with suppress(NeverLearned), ledger.transaction():
        ledger.learn(Documents(["same"], ["+"]), actor="ann")
        ledger.unlearn(events=[99], actor="ann")  # takes back the whole transaction
    same = Documents(["same"], ["+"])
    for own in (ledger, Ledger.open(ledger.place)):
        assert list(own.history.find_documents(own.history.documents[2])) == [5, 4, 2]
    assert [ledger.unlearn(same, actor="ann")[0].target for _ in range(2)] == [5, 2]
    with pytest.raises(NeverLearned):
        ledger.unlearn(same, actor="ann")


def test_an_erasure_is_final(erasable: Ledger) -> None:
    erasable.erase(events=[2, 3], actor="admin")
    for number in (2, 3):
        with pytest.raises(NeverLearned):
            erasable.undo(number, actor="ann")
        with pytest.raises(NeverLearned):
            erasable.unlearn(events=[number], actor="ann")
    with pytest.raises(NeverLearned):
        erasable.erase(events=[2], actor="admin")


def test_texts_of_any_characters_come_back(ledger: Ledger, tmp_path: Path) -> None:
    texts = ["nul \0 here", "lone \ud800 surrogate", "日本語 é \x1f \u2028", "", "👩‍👩‍👧"]
    ledger.learn(Documents(texts, list("aabb\0")), actor="ann", subjects=[None, "é", "日本", None, None])
    again = Ledger.open(ledger.place)
    assert save(again.replay().model, tmp_path) == save(Categorizer().fit(texts, list("aabb\0")), tmp_path)
    ledger.erase("日本", actor="admin")
    assert "日本語".encode() not in list_bytes(ledger.place)


@pytest.mark.parametrize("labels", [[1, 2], [True, False], ["a", "b"], [1.0, 2.0]])
def test_labels_keep_their_type(labels: list[Any], tmp_path: Path) -> None:
    with Ledger.begin(tmp_path / "a.ledger", Categorizer(), Documents(["x", "y"], labels), actor="ann") as ledger:
        assert save(ledger.replay().model, tmp_path) == save(Categorizer().fit(["x", "y"], labels), tmp_path)


def test_a_search_after_an_event_has_the_oldest_first(file_ledger: Ledger) -> None:
    file_ledger.learn(Documents([f"text {i}" for i in range(9)], ["a", "b", "a"] * 3), actor="ben")
    last = file_ledger.head.number
    assert [event.number for event in file_ledger.search(after=last - 5, limit=3)] == [last - 4, last - 3, last - 2]
    assert [event.number for event in file_ledger.search(after=last - 9, label="b", limit=2)] == [last - 7, last - 4]
    assert file_ledger.search(after=last) == []
