"""`tercet label`: one key for each decision, everything in the ledger at once, and the next start goes on."""

import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

import tercet
from tercet.cli.labelling.keys import END, ENTER, RESIZED, Key, LineKeys
from tercet.cli.labelling.screen import Screen, name_keys, wrap_painted
from tercet.cli.main import run
from tercet.cli.stop_signals import StopSignals
from tercet.ledger.ledger import Ledger
from tercet.ledger.verification import verify

TEXTS = ["so good a film", "a lovely warm story", "dull and bad", "an awful plot", "a great cast", "a boring mess"]
LABELS = ["pos", "pos", "neg", "neg", "pos", "neg"]
NEW = ["a good plot", "a dull cast", "what a mess", "so lovely"]

Label = Callable[..., tuple[int, str]]


@pytest.fixture
def label(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Label:
    """Runs `tercet label new.txt -m m.tercet` with these lines as keys. Returns the exit code and what it has said."""
    monkeypatch.chdir(tmp_path)
    tercet.Categorizer(keep_documents=True).fit(TEXTS, LABELS).save("m.tercet")
    Path("new.txt").write_text("\n".join([*NEW, "", NEW[0]]))

    def call(*lines: str, words: str = "new.txt -m m.tercet -o labels.csv --actor ann") -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        capsys.readouterr()
        code = run(["label", *words.split()])
        return code, capsys.readouterr().err

    return call


def read_labels(path: str = "labels.csv") -> dict[str, dict[str, str]]:
    with open(path, newline="") as file:
        return {row["text"]: row for row in csv.DictReader(file)}


def list_verbs(first: int = 9) -> list[str]:
    return [event.verb for event in Ledger.open("m.ledger").events(first)]


def test_each_key_is_a_decision_that_is_learned_at_once(label: Label) -> None:
    code, said = label("", "1", "2", "q")
    assert code == 0
    assert "4 new texts in the pool new.txt" in said
    assert "1 row without a text left out" in said
    assert "3 of 4 labelled, 1 left" in said
    assert list_verbs() == [*["offer"] * 4, *["judge", "learn"] * 3, "publish"]
    rows = read_labels()
    assert len(rows) == 3
    for text, row in rows.items():
        assert row["row"] == str(NEW.index(text) + 1)
        assert 0.5 <= float(row["probability"]) <= 1
    judged = [event for event in Ledger.open("m.ledger").events(8) if event.verb == "judge"]
    assert judged[0].details["label"] == judged[0].details["proposal"]["label"]  # Enter accepts the proposal
    assert [event.details["label"] for event in judged[1:]] == ["neg", "pos"]
    learned = tercet.Categorizer().fit([*TEXTS, *rows], [*LABELS, *(row["label"] for row in rows.values())])
    assert tercet.load("m.tercet").table_ == learned.table_  # the file has what was learned
    assert verify("m.ledger").is_good


def test_a_key_says_what_the_next_labels_would_bring(label: Label) -> None:
    code, said = label("+", "q")
    assert code == 0
    assert "can't tell what 50 more labels bring: 6 documents of 2 labels, it takes 50" in said
    texts = [f"{word} number {i}" for i in range(30) for word in ("good", "bad")]
    tercet.Categorizer(keep_documents=True).fit(texts, ["pos", "neg"] * 30).save("more.tercet")
    _, said = label("+", "q", words="new.txt -m more.tercet --actor ann")
    assert "on texts like those with labels, 100.0 % are right, and 50 more labels bring +0.0 points" in " ".join(said.split())


def test_the_next_start_goes_on_and_the_file_has_all_decisions(label: Label) -> None:
    label("1", "1")
    code, said = label("1", "1", "1")
    assert code == 0
    assert "new texts" not in said
    assert "no text of new.txt is left for ann" in said
    assert {row["label"] for row in read_labels().values()} == {"neg"}
    assert set(read_labels()) == set(NEW)
    assert list_verbs().count("offer") == 4


def test_undo_goes_back_step_by_step_also_over_sessions(label: Label) -> None:
    before = tercet.load("m.tercet").table_
    label("1", "s")
    _, said = label("u", "u", "u", "q")
    assert "undone: skip" in said
    assert "undone: neg" in said
    assert "there is nothing to undo" in said
    assert tercet.load("m.tercet").table_ == before
    assert read_labels() == {}
    code, said = label("1", "2", "u", "1", "q")  # after an undo, the same text is there again
    assert code == 0
    assert [row["label"] for row in read_labels().values()] == ["neg", "neg"]


def test_not_sure_skip_and_notes_are_in_the_file(label: Label) -> None:
    _, said = label("n what a text", "n", "really", "?", "s", "q")
    assert "noted: " in said
    rows = list(read_labels().values())
    assert sorted((row["kind"], row["label"], row["note"]) for row in rows) == [
        ("skip", "", ""),
        ("unsure", "", "what a text; really"),
    ]
    assert "learn" not in list_verbs()


def test_a_label_is_typed_by_its_name_or_its_beginning(label: Label) -> None:
    _, said = label("l pos", "l NE", "l", "pos", "l so so", "n", "l so so", "y", "q")
    assert "nothing is learned" in said
    rows = read_labels()
    assert sorted(row["label"] for row in rows.values()) == ["neg", "pos", "pos", "so so"]
    assert tercet.load("m.tercet").classes_.tolist() == ["neg", "pos", "so so"]


def test_other_keys_do_nothing_and_help_lists_the_keys(label: Label) -> None:
    _, said = label("x", "12", "h", "é", "\x1b", "q")
    assert "x does nothing: h shows the keys" in said
    assert "é does nothing" in said
    assert "\x1b" not in said
    assert "undo your last step" in said
    assert "judge" not in list_verbs()


def test_others_have_decisions_of_their_own(label: Label) -> None:
    label("1", "1", "q")
    label("2", "2", "2", words="new.txt -m m.tercet -o ben.csv --actor ben")
    assert len(read_labels("ben.csv")) == 2  # what Ann has labelled is done
    assert set(read_labels("ben.csv")).isdisjoint(read_labels())
    assert label("q", words="new.txt -m m.tercet -o ben.csv --actor ben")[0] == 0
    assert len(read_labels("ben.csv")) == 2


def test_a_pool_of_the_ledger_needs_no_file(label: Label) -> None:
    label("1", "q")
    Path("new.txt").unlink()
    code, _ = label("1", "q")
    assert (code, len(read_labels())) == (0, 2)
    code, said = label("q", words="other.txt -m m.tercet")
    assert code == 2
    assert "other.txt" in said


def test_columns_persons_and_orders(label: Label, tmp_path: Path) -> None:
    documents = tercet.Documents.join(
        {"subject": ["refund", "crash"], "body": ["my money", "it fails"]},
        ["bill", "tech"],
        columns={"mailer": ["mutt", "elm"]},
    )
    tercet.Categorizer(categorical=["mailer"], keep_documents=True).fit(documents).save("t.tercet")
    Path("new.csv").write_text("mailer,subject,body,who\nmutt,help,where is it,7\nelm,hi,there,\n")
    code, said = label("2", "2", words="new.csv -m t.tercet -o t.jsonl --subject-column who --order random --actor ann")
    assert code == 0
    assert "help\n\nwhere is it" in said
    with Ledger.open("t.ledger") as ledger:
        subjects = [event.subject for event in ledger.events() if event.verb == "offer"]
        assert subjects == ["7", None]
        assert ledger.replay().model.table_.n_documents.tolist() == [1, 3]
    assert '"subject": "help", "body": "where is it", "label": "tech"' in Path("t.jsonl").read_text()


def test_what_can_not_be_labelled_is_refused(label: Label, tmp_path: Path) -> None:
    tercet.load("m.tercet").compact().save("small.tercet")
    Path("empty.txt").write_text("\n\n")
    for words, message in (
        ("new.txt -m small.tercet", "can't learn"),
        ("new.txt -m none.tercet", "none.tercet"),
        ("nothing.csv -m m.tercet", "nothing.csv"),
        ("empty.txt -m m.tercet", "no texts to label"),
        ("new.txt -m m.tercet -o labels.txt", "let its name end"),
        ("new.txt -m m.tercet -o new.txt", ""),
    ):
        code, said = label("1", words=words)
        assert code == 2, words
        assert message in said
    with Ledger.open("m.ledger", write=True):
        code, said = label("1")
        assert (code, "is in use" in said) == (2, True)


def test_a_trained_model_is_trained_again_when_enough_has_changed(label: Label) -> None:
    texts = [f"{text} w{i % 7}" for i, text in enumerate(TEXTS * 7)]
    tercet.Categorizer(model=tercet.NBSVM(), keep_documents=True).fit(texts, LABELS * 7).save("n.tercet")
    Path("pool.txt").write_text("\n".join(f"{text} x{i}" for i, text in enumerate(NEW * 6)))
    code, said = label(*["1"] * 21, "q", words="pool.txt -m n.tercet --actor ann")
    assert code == 0
    assert "before the last change" not in said
    with Ledger.open("n.ledger") as ledger:
        assert [event.verb for event in ledger.events()].count("train") == 2
    code, said = label("2", "2", "q", words="pool.txt -m n.tercet --actor ann")
    assert "tercet refit n.tercet --ledger n.ledger" in said


# The keys of a terminal.


def test_lines_are_keys() -> None:
    keys = LineKeys.__new__(LineKeys)
    keys._lines = iter(["1\n", "\n", "n  what a text \n", "n\n", "a note\n"])
    assert [keys.read() for _ in range(4)] == [Key("1"), Key(ENTER), Key("n", "what a text"), Key("n")]
    assert (keys.ask("?"), keys.read(), keys.ask("?")) == ("a note", Key(END), "")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Any, int]]:
    """The keys of a terminal, and the handle that types into it."""
    pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
    from tercet.cli.labelling.keys import TerminalKeys

    outside, inside = pty.openpty()
    with os.fdopen(inside, "r", closefd=True) as file:
        monkeypatch.setattr(sys, "stdin", file)
        with TerminalKeys().open() as keys:
            yield keys, outside
    os.close(outside)


def test_escape_sequences_and_what_is_pasted_are_no_keys(terminal: tuple[Any, int]) -> None:
    keys, outside = terminal
    os.write(outside, b"1\x1b[A\x1bOP\x1b[1;5C\xc3\xa9\r\x1b[200~1\n2\nx\x1b[201~\xf0\x9f\x98\x80?\x1b[200~\x1b[201~\x04")
    assert [keys.read() for _ in range(6)] == [Key("1"), Key("é"), Key(ENTER), Key("😀"), Key("?"), Key(END)]


def test_a_new_size_is_noticed_and_a_line_can_be_typed(terminal: tuple[Any, int], monkeypatch: pytest.MonkeyPatch) -> None:
    keys, outside = terminal
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((40, 10)))
    assert keys.read() == Key(RESIZED)
    os.kill(os.getpid(), signal.SIGCONT)
    assert keys.read() == Key(RESIZED)
    typing = Timer(0.2, os.write, (outside, b"a note\n"))
    typing.start()
    assert keys.ask("") == "a note"
    os.write(outside, b"1")
    assert keys.read() == Key("1")


def test_the_terminal_is_left_as_it_was() -> None:
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    outside, inside = pty.openpty()
    before = termios.tcgetattr(inside)
    script = (
        "import sys, time; from tercet.cli.labelling.keys import open_keys\n"
        "with open_keys() as keys:\n    print('ready', flush=True); keys.read()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdin=inside, stderr=inside, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert termios.tcgetattr(inside)[3] != before[3]
        process.send_signal(signal.SIGINT)
        process.wait(60)
    assert termios.tcgetattr(inside) == before
    os.close(outside)
    os.close(inside)


def test_a_killed_program_loses_nothing(label: Label) -> None:
    command = [sys.executable, "-m", "tercet", "label", "new.txt", "-m", "m.tercet", "-o", "labels.csv", "--actor", "ann"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        process.stdin.write("1\n1\n")
        process.stdin.flush()
        said = ""
        until = time.monotonic() + 120
        while "2 of 4 labelled" not in said and time.monotonic() < until:
            said += process.stderr.readline()
        process.kill()
        process.wait(60)
    assert not Path("labels.csv").exists()
    assert verify("m.ledger").is_good
    code, said = label("q")
    assert (code, len(read_labels())) == (0, 2)


def start_in_terminal(*command: str) -> tuple[int, int]:
    """Start a program in a terminal of its own. Returns its process id and the handle of the other end of the terminal."""
    pty = pytest.importorskip("pty", reason="this system has no terminals of this kind")
    process, terminal = pty.fork()
    if process == 0:
        os.execvp(command[0], command)
    return int(process), int(terminal)


def wait_for_screen(terminal: int, words: str) -> None:
    said, until = "", time.monotonic() + 120
    while words not in said:
        assert time.monotonic() < until, said
        said += os.read(terminal, 65536).decode("utf-8", "replace")


@pytest.mark.parametrize("presses_q", [False, True], ids=["closed", "closed while it ends"])
def test_a_terminal_that_is_closed_loses_nothing(label: Label, presses_q: bool) -> None:
    """As when a window is closed, or a session of tmux is killed."""
    words = ["label", "new.txt", "-m", "m.tercet", "-o", "labels.csv", "--actor", "ann"]
    process, terminal = start_in_terminal(sys.executable, "-m", "tercet", *words)
    wait_for_screen(terminal, "accept")
    for n in (1, 2):
        os.write(terminal, b"1")
        wait_for_screen(terminal, f"{n} of 4 labelled")
    if presses_q:
        os.write(terminal, b"q")
        wait_for_screen(terminal, "written")  # labels.csv: the model file comes next
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) in (0, 128 + signal.SIGHUP)
    assert len(read_labels()) == 2
    assert list_verbs() == [*["offer"] * 4, *["judge", "learn"] * 2, "publish"]
    assert len(tercet.load("m.tercet").table_.n_documents) == 2
    assert tercet.load("m.tercet").table_.n_documents.sum() == len(TEXTS) + 2
    assert verify("m.ledger").is_good
    assert label("q")[0] == 0
    assert len(read_labels()) == 2


def test_a_signal_ends_the_program_after_the_work() -> None:
    done = []

    def work() -> None:
        with StopSignals().hold() as signals:
            with signals.allow():
                done.append("allowed")
            for _ in range(2):
                os.kill(os.getpid(), signal.SIGTERM)
            done.append("finished")
            with signals.allow():
                done.append("never")

    with pytest.raises(SystemExit) as ended:
        work()
    assert (ended.value.code, done) == (128 + signal.SIGTERM, ["allowed", "finished"])


def test_a_signal_ends_the_program_at_once_where_it_may() -> None:
    done = []

    def work() -> None:
        with StopSignals().hold() as signals:
            try:
                with signals.allow():
                    os.kill(os.getpid(), signal.SIGTERM)
                    done.append("never")
            finally:
                os.kill(os.getpid(), signal.SIGTERM)
                done.append("finished")

    with pytest.raises(SystemExit) as ended:
        work()
    assert (ended.value.code, done) == (128 + signal.SIGTERM, ["finished"])


# The screen.


def test_keys_of_labels_are_digits_and_then_letters_without_other_meanings() -> None:
    keys = name_keys(range(40))
    assert list(keys)[:10] == [*"123456789", "a"]
    assert set(keys).isdisjoint({*"usnlhq?", " "})


def test_a_painted_text_fits_and_keeps_its_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    painted = "so \x1b[1;38;5;231;48;5;27mlovely and warm\x1b[0m 日本日本日本"
    lines = wrap_painted(painted, 10, has_color=True)
    assert [line.count("\x1b[1;38;5;231;48;5;27m") for line in lines[:2]] == [1, 1]
    plain = wrap_painted("so lovely and warm 日本日本日本 " + "x" * 25, 10, has_color=False)
    assert plain == ["so lovely", "and warm", "日本日本日", "本", "x" * 10, "x" * 10, "x" * 5]


def test_a_long_text_comes_in_parts_that_fit(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((40, 15)))
    screen = Screen(is_terminal=True)
    words = [f"word{i}" for i in range(300)]
    seen: list[str] = []
    for _ in range(40):
        screen.draw("head", " ".join(words), [("pos", 0.75), ("neg", 0.25)], {"1": "neg", "2": "pos"}, "")
        shown = capsys.readouterr().err
        assert shown.count("\n") <= 15
        assert "[1] neg 0.25   → [2] pos 0.75" in shown
        seen += [word for word in shown.split() if word.startswith("word")]
        screen.turn_page()
        if "word299" in shown:
            break
    assert seen == words
