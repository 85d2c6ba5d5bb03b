"""The ledger at the command line."""

import json
import sqlite3
import threading
import time
from hashlib import sha256
from pathlib import Path

import click
import pytest
from helpers.command_line import Shell

from tercet import Documents
from tercet.cli.ledger import command as group
from tercet.cli.main import run
from tercet.ledger.ledger import Ledger
from tercet.ledger.rehearsal import Rehearsal
from tercet.store.file_lock import lock_file
from tercet.store.model_file import read_checksum


@pytest.mark.parametrize("name", group.commands)
def test_examples_of_the_commands_run_as_printed(name: str, shell: Shell) -> None:
    for line in group.commands[name].examples:  # type: ignore[attr-defined]
        assert line in shell.do(f"tercet ledger {name} --help").out
        Path("new.ledger").unlink(missing_ok=True)
        shell.do(line)


@pytest.mark.parametrize("name", group.commands)
def test_every_option_is_explained(name: str) -> None:
    options = [option for option in group.commands[name].params if isinstance(option, click.Option)]
    assert [option.name for option in options if not option.help] == []


def test_the_model_of_the_ledger_is_the_model_without_one(shell: Shell) -> None:
    """Learn, forget and relabel with a ledger give the same files as without one."""
    Path("plain.tercet").write_bytes(Path("later.tercet").read_bytes())
    shell.do("tercet ledger begin later.ledger later.tercet")
    for line in ("learn {} new.csv", "forget {} new.csv", "relabel {} corrected.csv --old before"):
        shell.do(f"tercet {line.format('plain.tercet')}")
        shell.do(f"tercet {line.format('later.tercet')} --ledger later.ledger --actor ann")
        assert Path("plain.tercet").read_bytes() == Path("later.tercet").read_bytes()
    Path("later.tercet").unlink()  # it is a cache
    shell.do("tercet ledger replay later.ledger -o later.tercet")
    assert Path("plain.tercet").read_bytes() == Path("later.tercet").read_bytes()
    shell.do("tercet learn later.tercet new.csv --ledger later.ledger --later")
    shell.do("tercet learn plain.tercet new.csv --later")
    assert Path("plain.tercet").read_bytes() == Path("later.tercet").read_bytes()
    shell.do("tercet refit later.tercet --ledger later.ledger")
    shell.do("tercet refit plain.tercet")
    assert Path("plain.tercet").read_bytes() == Path("later.tercet").read_bytes()
    assert shell.do("tercet ledger verify later.ledger").out.startswith("yes: the chain of")


def test_training_keeps_whom_documents_are_about(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o plain.tercet")
    shell.do("tercet train reviews.csv -o about.tercet --subject-column id")
    assert Path("about.tercet").read_bytes() == Path("plain.tercet").read_bytes()
    with Ledger.open("about.ledger") as ledger:
        persons = [event.subject for event in ledger.events() if event.verb == "import"]
        assert persons[:2] == [row.split(",")[0] for row in Path("reviews.csv").read_text().splitlines()[1:3]]
        assert None not in persons
        assert ledger.replay().checksum == read_checksum(Path("about.tercet"))
    shell.do(f"tercet ledger erase about.ledger --subject {persons[0]} --model about.tercet -o about.json")
    shell.do("tercet learn about.tercet new.csv --ledger about.ledger")
    assert shell.do("tercet ledger check about.json --model about.tercet --ledger about.ledger").out.startswith("yes")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("forget live.tercet new.csv --ledger live.ledger", "new.csv, line 2: this document was never learned in this ledger"),
        ("learn live.tercet new.csv --ledger missing.ledger", "tercet ledger begin"),
        ("learn live.tercet new.csv --ledger reviews.csv", "is no ledger"),
        ("learn raw.tercet new.csv --ledger live.ledger", "is not a model of live.ledger"),
        ("learn live.tercet new.csv --actor ann", "name it with --ledger"),
        ("learn live.tercet new.csv --ledger live.ledger --subject-column person", "--subject-column"),
        ("refit live.tercet reviews.csv --ledger live.ledger", "the ledger has all documents"),
        ("ledger begin live.ledger m.tercet", "never overwritten"),
        ("ledger begin new.ledger m.tercet new.csv", "do not give this model again"),
        ("ledger begin new.ledger m.tercet --subject-column id", "name the files"),
        ("train reviews.csv -o live.tercet --subject-column id", "never overwritten"),
        ("train reviews.csv -o new.tercet --subject-column id --compact", "leave out --compact"),
        ("train - --format csv -o new.tercet --subject-column id", "give a file"),
        ("ledger undo live.ledger 1", "can't be undone"),
        ("ledger undo live.ledger 99999", "the last event is 123"),
        ("ledger erase live.ledger", "name a subject"),
        ("ledger erase live.ledger --subject nobody", "no document of the ledger is about this subject"),
        ("ledger replay live.ledger --to 200 -o x.tercet", "there is no event 200"),
        ("ledger replay live.ledger --to 1 -o x.tercet", "no document is learned"),
        ("ledger certificate live.ledger 5", "is no erasure"),
        ("ledger check reviews.csv", "it is not JSON"),
        ("ledger verify nothing.ledger", "does not exist"),
        ("backup live.ledger reviews.csv", "exists"),
        ("backup reviews.csv copy.ledger", "is no ledger"),
    ],
)
def test_bad_input_is_one_line_and_changes_nothing(line: str, message: str, shell: Shell) -> None:
    before = {path.name: path.read_bytes() for path in shell.folder.iterdir() if path.is_file()}
    outcome = shell(f"tercet {line}")
    said = outcome.err.splitlines()[-1]
    assert outcome.code == 2
    assert message in said
    assert {path.name: path.read_bytes() for path in shell.folder.iterdir() if path.is_file()} == before


def test_a_model_file_that_was_changed_without_the_ledger_is_not_overwritten(shell: Shell) -> None:
    shell.do("tercet learn live.tercet new.csv")
    outcome = shell("tercet learn live.tercet removed.csv --ledger live.ledger")
    assert outcome.code == 2
    assert "changed without the ledger" in outcome.err


def test_texts_of_others_that_mention_the_person_are_listed(shell: Shell) -> None:
    rows = ["I am Cas Lee,good,Cas Lee", "thanks to CAS LEE,bad,ben", "mail cas@example.org,good,", "a casual lee,bad,"]
    Path("more.csv").write_text("\n".join(["text,label,person", *rows, ""]))
    shell.do("tercet ledger begin later.ledger later.tercet")
    shell.do("tercet learn later.tercet more.csv --ledger later.ledger --subject-column person --new-labels")
    names = "--subject 'Cas Lee' --name cas@example.org"
    found = json.loads(shell.do(f"tercet ledger mentions later.ledger {names} --json").out)
    assert [(each["subject"], each["text"]) for each in found] == [("ben", "thanks to CAS LEE"), (None, "mail cas@example.org")]
    assert "'thanks to CAS LEE'  about ben" in shell.do(f"tercet ledger mentions later.ledger {names}").out
    outcome = shell.do(f"tercet ledger erase later.ledger {names} -o certificate.json")
    listed = ", ".join(str(each["event"]) for each in found)
    assert f"2 texts of other people mention the person, and stay: event {listed}." in outcome.err
    assert json.loads(Path("certificate.json").read_text())["mentions"] == {"names": 2, "texts": 2}
    assert shell("tercet ledger mentions later.ledger --subject 7").code == 2
    last = found[0]["event"]
    assert "no text of other people" in shell.do(f"tercet ledger erase later.ledger --event {last} --name nobody").err


def test_erase_deletes_the_words_of_a_person_from_ledger_and_model(shell: Shell) -> None:
    Path("more.csv").write_text("text,label,person\nzyxmarker zyxother,good,zyxann\nzyxthird,bad,zyxann\nplain,bad,\n")
    shell.do("tercet ledger begin later.ledger later.tercet")
    before = Path("later.tercet").read_bytes()
    shell.do("tercet learn later.tercet more.csv --ledger later.ledger --subject-column person --new-labels")
    shell.do("tercet ledger undo later.ledger 126 --model later.tercet")
    shell.do("tercet ledger erase later.ledger --subject zyxann --model later.tercet -o certificate.json")
    Path("more.csv").unlink()
    words = [b"zyxmarker", b"zyxother", b"zyxthird", b"zyxann"]
    files = [path for path in shell.folder.rglob("*") if path.is_file()]
    left = {path.name for path in files if any(word in path.read_bytes() for word in words)}
    assert left == set()
    assert Path("later.tercet").read_bytes() == before
    line = "tercet ledger check certificate.json --subject zyxann --model later.tercet --ledger later.ledger"
    assert shell.do(line).out.startswith("yes")
    assert shell(line.replace("--subject zyxann", "--subject ben")).code == 3
    assert shell("tercet ledger check certificate.json --model m.tercet").code == 3
    assert shell("tercet ledger check certificate.json --ledger erased.ledger").code == 3
    assert "2 documents erased" in shell.do("tercet ledger verify later.ledger").out
    assert "erased since then" in shell.do("tercet ledger replay later.ledger --to 126 -o then.tercet").err


def test_the_model_file_is_deleted_with_the_last_document(shell: Shell) -> None:
    Path("one.csv").write_text("text,label,person\nso good,good,ann\n")
    shell.do("tercet train one.csv -o one.tercet --smoothing 0.5 --calibrate none")
    shell.do("tercet ledger begin one.ledger one.tercet one.csv --subject-column person")
    shell.do("tercet ledger erase one.ledger --subject ann --model one.tercet -o certificate.json")
    assert not Path("one.tercet").exists()
    assert json.loads(Path("certificate.json").read_text())["model"] is None
    assert shell.do("tercet ledger check certificate.json --subject ann --ledger one.ledger").out.startswith("yes")


def test_verify_says_no_and_names_the_last_good_event(shell: Shell) -> None:
    with sqlite3.connect("live.ledger") as database:
        database.execute("UPDATE events SET actor = 'eve' WHERE number = 60")
    database.close()
    outcome = shell("tercet ledger verify live.ledger")
    assert outcome.code == 3
    assert "The last good event is 59" in outcome.out
    assert json.loads(shell("tercet ledger verify live.ledger --json").out)["n_events"] == 59
    assert "The last good event is 59" in shell("tercet learn live.tercet new.csv --ledger live.ledger").err
    assert "The last good event is 59" in shell("tercet backup live.ledger copy.ledger").err
    assert not Path("copy.ledger").exists()


def test_verify_compares_counts_only_under_another_version(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.__version__", "99")
    monkeypatch.setattr("tercet.ledger.replay.Replay.checksum", "0" * 64)
    assert "trained weights are not compared" in shell.do("tercet ledger verify live.ledger").out
    monkeypatch.setattr("tercet.ledger.replay.Replay.counts_checksum", "0" * 64)
    assert shell("tercet ledger verify live.ledger").code == 3


def test_a_copy_is_the_same_ledger_and_can_be_written_to(shell: Shell) -> None:
    shell.do("tercet backup live.ledger copy.ledger")
    assert Ledger.open("copy.ledger").head == Ledger.open("live.ledger").head
    shell.do("tercet learn live.tercet new.csv --ledger copy.ledger")
    assert Ledger.open("copy.ledger").head.number > Ledger.open("live.ledger").head.number


def test_the_chain_of_an_export_can_be_checked_without_tercet(shell: Shell) -> None:
    shell.do("tercet ledger export erased.ledger -o events.jsonl")
    previous, n_erased = "0" * 64, 0
    for line in Path("events.jsonl").read_text().splitlines():
        event = json.loads(line)
        header = [event[name] for name in ("number", "time", "actor", "verb", "target", "previous", "commitment")]
        assert event["previous"] == previous
        assert sha256(json.dumps(header, separators=(",", ":")).encode()).hexdigest() == event["hash"]
        previous = event["hash"]
        if event["content"] is None:
            n_erased += 1
            continue
        content = json.dumps(event["content"], sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        subject = b"" if event["subject"] is None else b"\0" + event["subject"].encode()
        committed = bytes.fromhex(event["salt"]) + content.encode() + subject
        assert sha256(committed).hexdigest() == event["commitment"]
    assert n_erased == 2  # the document, and the checksum of the model that had learned it
    assert shell.do("tercet ledger export erased.ledger").out == Path("events.jsonl").read_text()


@pytest.mark.parametrize("command", ["learn later.tercet new.csv", "refit later.tercet"])
def test_a_command_that_waits_for_the_ledger_does_not_hold_the_model_file(
    command: str, shell: Shell, capfd: pytest.CaptureFixture[str]
) -> None:
    """A server holds the lock of the ledger and needs that of the file: they would wait for each other for ever."""
    shell.do("tercet ledger begin later.ledger later.tercet")
    codes: list[int] = []
    with Ledger.hold("later.ledger"):
        waiting = threading.Thread(target=lambda: codes.append(run([*command.split(), "--ledger", "later.ledger"])))
        waiting.start()
        said = ""
        while "waiting for another program that is changing later.ledger" not in said:
            said += capfd.readouterr().err
            time.sleep(0.01)
        with lock_file("later.tercet", wait_seconds=0):  # free
            pass
    waiting.join(30)
    assert codes == [0]


def test_a_ledger_without_a_model_is_mended_by_an_undo(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.do("tercet ledger begin later.ledger later.tercet")
    with monkeypatch.context() as patch, Ledger.open("later.ledger", write=True) as ledger:
        patch.setattr(Rehearsal, "check", lambda *_: None)
        (event,) = ledger.learn(Documents(["so heavy"], ["good"], [2.0**41]), actor="ann")
        (other,) = ledger.learn(Documents(["as heavy"], ["good"], [2.0**41]), actor="ann")
    said = shell("tercet ledger verify later.ledger").out
    assert said.startswith(f"no: the model is gone since event {event.number} (learn, by ann): the weighted counts sum to")
    assert f"tercet ledger undo later.ledger {event.number}" in said
    assert f"gone since event {event.number}" in shell("tercet ledger replay later.ledger -o new.tercet").err
    assert (
        f"gone since event {other.number}"
        in shell.do(f"tercet ledger undo later.ledger {event.number} --model later.tercet").err
    )
    shell.do(f"tercet ledger undo later.ledger {other.number} --model later.tercet")
    assert shell.do("tercet ledger verify later.ledger").out.startswith("yes: ")
