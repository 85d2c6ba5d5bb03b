"""Processes that have a ledger open: each is known, drops what is erased, and is named in the certificate if it does not."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from helpers.postgresql import explain_missing, make_schema, start_server

from tercet import Categorizer, Documents
from tercet.ledger import open_processes
from tercet.ledger.ledger import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.open_processes import DropWait, Entry, SeenEntry, find_machine, find_start

TEXTS, LABELS, PERSONS = ["so good", "so bad", "a lovely cast"], ["+", "-", "+"], ["ann", "ben", "cas"]
FOLLOW = """
import sys, threading, time
from tercet import Ledger
from tercet.ledger.live import LiveModel
from tercet.ledger.replay import find_terms
ledger = Ledger.open(sys.argv[1])
live = LiveModel(ledger)
def follow():
    while sys.argv[2] == "follows":
        live.follow()
        time.sleep(0.02)
threading.Thread(target=follow, daemon=True).start()
print("open", flush=True)
for line in sys.stdin:
    print(live.answer(lambda model: bool((find_terms(model.table_, line.strip()) >= 0).any())).result, flush=True)
"""

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell which processes run")


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    if reason := explain_missing():
        pytest.skip(reason)
    with start_server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "a.ledger")
    return make_schema(request.getfixturevalue("server"))


@pytest.fixture
def ledger(place: str) -> Iterator[Ledger]:
    with Ledger.begin(place, Categorizer(), Documents(TEXTS, LABELS), actor="ann", subjects=PERSONS) as ledger:
        yield ledger


@contextmanager
def follow(place: str, how: str = "follows") -> Iterator["subprocess.Popen[str]"]:
    """Another process, which has the ledger open and answers by a model."""
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", FOLLOW, place, how], stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "open\n"
            yield process
        finally:
            process.kill()


def knows(process: "subprocess.Popen[str]", word: str) -> bool:
    assert process.stdin is not None
    assert process.stdout is not None
    print(word, file=process.stdin, flush=True)
    return process.stdout.readline() == "True\n"


def list_names(ledger: Ledger) -> list[str]:
    return [seen.entry.name for seen in ledger.database.read_entries()]


def test_each_process_that_has_the_ledger_open_has_an_entry(ledger: Ledger, place: str) -> None:
    own = ledger.process.entry.name
    assert list_names(ledger) == [own]
    with Ledger.open(place):
        assert list_names(ledger) == [own, own]
    unclosed = Ledger.open(place)
    assert len(list_names(ledger)) == 2
    del unclosed
    with follow(place) as process:
        assert sorted(list_names(ledger)) == sorted([own, f"process {process.pid} on {ledger.process.entry.host}"])
        process.terminate()
        process.wait()
        assert len(list_names(ledger)) == 2  # it could not say good-bye
    assert DropWait(ledger, ledger.head.number + 1).wait(0) == ()  # but the system knows that it has ended
    assert list_names(ledger) == [own]


def test_a_file_of_entries_is_deleted_with_the_last_one(tmp_path: Path) -> None:
    Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann").close()
    assert os.listdir(tmp_path) == ["a.ledger"]
    (tmp_path / "a.ledger").chmod(0o640)
    with Ledger.open(tmp_path / "a.ledger"), Ledger.open(tmp_path / "a.ledger"):
        entries = tmp_path / ".a.ledger.open"
        assert entries.stat().st_mode & 0o777 == 0o640
    assert os.listdir(tmp_path) == ["a.ledger"]


def test_a_damaged_file_of_entries_does_no_harm(tmp_path: Path) -> None:
    Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann").close()
    (tmp_path / ".a.ledger.open").write_bytes(b"no database" * 1000)
    with Ledger.open(tmp_path / "a.ledger", write=True) as ledger:
        assert len(list_names(ledger)) == 1


def test_who_may_not_write_beside_a_ledger_can_read_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Ledger.begin(tmp_path / "a.ledger", Categorizer(), actor="ann").close()
    monkeypatch.setattr("tercet.ledger.database.make_like", refuse)
    with Ledger.open(tmp_path / "a.ledger") as ledger:
        assert ledger.head.number == 1


def refuse(*_: Any) -> None:
    raise PermissionError


def test_the_certificate_waits_until_other_processes_have_dropped_the_text(ledger: Ledger, place: str) -> None:
    with follow(place) as process:
        assert knows(process, "lovely")
        certificate = ledger.erase("cas", actor="admin").certificate
        assert certificate is not None
        assert certificate.notes == ()
        assert not knows(process, "lovely")


def test_a_process_that_does_not_answer_is_named_until_it_does(ledger: Ledger, place: str) -> None:
    with follow(place) as process:
        # Just after a sign of life: it does not write its entry now, so it holds no lock.
        wait_until(lambda: all(seen.age < 0.5 for seen in ledger.database.read_entries() if seen.entry.process == process.pid))
        os.kill(process.pid, signal.SIGSTOP)
        erasure = ledger.erase("cas", actor="admin", wait_seconds=0.5)
        assert erasure.certificate is not None
        name = f"process {process.pid} on {ledger.process.entry.host}"
        assert erasure.certificate.unconfirmed == (name,)
        assert name in erasure.certificate.notes[0]
        assert erasure.certificate.check(ledger=ledger, subject="cas") == ()
        assert not erasure.is_confirmed
        os.kill(process.pid, signal.SIGCONT)
        assert erasure.confirm(10).unconfirmed == ()
        assert erasure.is_confirmed
        assert not knows(process, "lovely")


def test_a_program_whose_model_does_not_follow_is_named(ledger: Ledger, place: str) -> None:
    with follow(place, "sleeps") as process:
        certificate = ledger.erase("cas", actor="admin", wait_seconds=0.5).certificate
        assert certificate is not None
        assert [name.split()[1] for name in certificate.unconfirmed] == [str(process.pid)]
        assert knows(process, "lovely")


def test_an_erasure_is_dropped_when_all_models_include_it(ledger: Ledger, place: str) -> None:
    with Ledger.open(place) as other:
        live = LiveModel(other)
        ledger.erase("cas", actor="admin")
        time.sleep(2 * open_processes.WATCH_SECONDS)
        assert other.process.entry.dropped < ledger.head.number
        live.follow()
        wait_until(lambda: other.process.entry.dropped == ledger.head.number)


def test_a_ledger_without_a_model_has_nothing_to_drop_but_what_is_made_now(ledger: Ledger, place: str) -> None:
    with Ledger.open(place) as other:
        with other.process.keep_texts():
            ledger.erase("cas", actor="admin")
            time.sleep(2 * open_processes.WATCH_SECONDS)
            assert other.process.entry.dropped < ledger.head.number
        wait_until(lambda: other.process.entry.dropped == ledger.head.number)
        assert other.head.number < ledger.head.number  # events are read when somebody asks for them


def wait_until(is_done: Any) -> None:
    for _ in range(400):
        if is_done():
            return
        time.sleep(0.05)
    raise AssertionError("it takes too long")


def test_a_process_elsewhere_expires_if_it_is_silent_while_somebody_waits(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_processes, "SILENCE_SECONDS", 0.2)
    elsewhere = Entry("7", "other", "another machine", 7, 0, 0)
    ages = {"silent": 100.0, "heard": 100.0, "new": 1.0}

    def read_entries() -> list[SeenEntry]:
        ages["heard"] = 1.0 if time.monotonic() > heard_at else 100.0
        return [SeenEntry(elsewhere._replace(id=each, host=each), age) for each, age in ages.items()]

    monkeypatch.setattr(ledger.database, "read_entries", read_entries)
    heard_at = time.monotonic() + 0.1  # such as after an outage of the database
    assert DropWait(ledger, 5).wait(0.4) == ("process 7 on heard", "process 7 on new")


def test_a_process_has_ended_if_another_one_has_its_number(ledger: Ledger) -> None:
    own = ledger.process.entry
    assert (own.machine, own.started) == (find_machine(), find_start(os.getpid()))
    assert not own.is_ended()
    assert own._replace(started=own.started + 1).is_ended()
    assert not own._replace(started=own.started + 1, machine="another").is_ended()


def test_a_forked_process_does_not_delete_the_entry(ledger: Ledger) -> None:
    if (child := os.fork()) == 0:
        with suppress(BaseException):
            ledger.process.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert len(list_names(ledger)) == 1


def test_an_old_ledger_in_postgresql_gets_the_table_when_it_is_opened(server: str) -> None:
    import psycopg

    place = make_schema(server)
    with Ledger.begin(place, Categorizer(), actor="ann"):
        pass
    with psycopg.connect(place, autocommit=True) as connection:
        connection.execute("DROP TABLE processes")
    with Ledger.open(place) as ledger:
        assert len(list_names(ledger)) == 1


def test_a_database_without_a_ledger_gets_no_table(server: str) -> None:
    import psycopg

    from tercet.errors import NoLedger

    place = make_schema(server)
    with pytest.raises(NoLedger):
        Ledger.open(place)
    with psycopg.connect(place, autocommit=True) as connection:
        assert connection.execute("SELECT to_regclass('processes')").fetchone() == (None,)
