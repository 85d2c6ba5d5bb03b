"""Labels, terms, columns and file names may hold anything. A terminal and a browser obey none of it; pipes get it exactly."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import tercet
from tercet.cli.main import run

# A title and a colour for a terminal, an old control sequence, and all bidirectional controls.
EVIL = "e\u202e\x1b]0;own\x07\x1b[31mvil\x9b2J\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069"
SHOWN = EVIL.encode("unicode_escape").decode()
UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
COLOURS = re.compile(r"\x1b\[[0-9;]*m")  # colours that tercet itself writes

pytestmark = pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs pseudo-terminals")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model whose labels, terms and file name are hostile, and documents with a hostile column."""
    monkeypatch.chdir(tmp_path)
    texts = [f"good {EVIL}x film", "good day", "dull film", "dull day"] * 3
    analyzer = tercet.Analyzer(tokens="whitespace", unicode_form="none", lowercase=False)
    tercet.Categorizer(analyzer).fit(texts, [EVIL, EVIL, "b", "b"] * 3).save(f"{EVIL}.tercet")
    tercet.Categorizer().fit(texts, ["b", EVIL, "b", EVIL] * 3).save(f"{EVIL}2.tercet")
    with open(f"{EVIL}.csv", "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "label", EVIL])
        rows.writerows([text, EVIL if "good" in text else "b", EVIL] for text in texts)
    return tmp_path


def show_on_terminal(*arguments: str) -> tuple[int, str]:
    """The exit code, and all that appears on a terminal that has standard output and standard error."""
    ours, theirs = os.openpty()
    received: list[bytes] = []

    def read() -> None:
        try:
            while part := os.read(ours, 65536):
                received.append(part)
        except OSError:
            pass  # the other end is closed

    reader = threading.Thread(target=read)
    reader.start()
    with pytest.MonkeyPatch.context() as patch, open(theirs, "w", encoding="utf-8", errors="backslashreplace") as terminal:
        patch.setattr(sys, "stdout", terminal)
        patch.setattr(sys, "stderr", terminal)
        code = run(list(arguments))
    reader.join()
    os.close(ours)
    return code, b"".join(received).decode()


MODEL, DATA = f"{EVIL}.tercet", f"{EVIL}.csv"
COLUMNS = ("--text", "text", "--label", "label")
COMMANDS = [
    ("predict", MODEL, "good film"),
    ("predict", MODEL, "good film", "--top", "2", "--json"),
    ("predict", MODEL, DATA, "--csv", "--keep"),
    ("inspect", MODEL),
    ("inspect", MODEL, "--json"),
    ("inspect", MODEL, "--config"),
    ("explain", MODEL, f"good {EVIL}x film {EVIL}y"),
    ("explain", MODEL, f"good {EVIL}x film", "--json"),
    ("explain", MODEL, f"good {EVIL}x film", "--html", f"{EVIL}.html"),
    ("evaluate", MODEL, DATA, "--by", EVIL, *COLUMNS),
    ("evaluate", MODEL, DATA, "--markdown", *COLUMNS),
    ("generate", MODEL, EVIL, "--words", "30"),
    ("compare", MODEL, f"{EVIL}2.tercet", DATA, *COLUMNS),
    ("train", DATA, "-o", f"{EVIL}3.tercet", *COLUMNS),
    ("learn", MODEL, DATA, *COLUMNS),
    ("forget", MODEL, DATA, *COLUMNS),
]
ERRORS = [
    ("inspect", f"{EVIL}none.tercet"),
    ("inspect", DATA),
    ("predict", MODEL, DATA, "--columns", f"{EVIL}z"),
    ("evaluate", MODEL, f"{EVIL}none.csv"),
    ("train", DATA, "-o", f"{EVIL}/none/x.tercet"),
    ("train", DATA, "--label", f"{EVIL}q", "-o", "x.tercet"),
    ("explain", MODEL, "a good film", "--label", f"{EVIL}q"),
    ("generate", MODEL, f"{EVIL}q"),
    (f"{EVIL}command",),
    ("predict", f"--{EVIL}", MODEL),
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=[" ".join(command[:1]) + str(i) for i, command in enumerate(COMMANDS)])
def test_a_terminal_obeys_no_name(folder: Path, arguments: tuple[str, ...]) -> None:
    code, seen = show_on_terminal(*arguments)
    assert code == 0, seen
    assert UNSAFE.findall(COLOURS.sub("", seen)) == []


@pytest.mark.parametrize("arguments", ERRORS, ids=[str(i) for i in range(len(ERRORS))])
def test_an_error_has_no_command_for_a_terminal(folder: Path, arguments: tuple[str, ...]) -> None:
    code, seen = show_on_terminal(*arguments)
    assert code == 2, seen
    assert r"\x1b[31m" in seen
    assert UNSAFE.findall(COLOURS.sub("", seen)) == []


def test_a_terminal_shows_labels_and_terms_as_escapes(folder: Path) -> None:
    assert show_on_terminal("predict", MODEL, "good film", "-q")[1].startswith(f"{SHOWN}\t")
    assert f"{SHOWN}x"[:39] in show_on_terminal("inspect", MODEL)[1]


def test_a_pipe_gets_labels_exactly(folder: Path) -> None:
    def ask(*options: str) -> str:
        command = [sys.executable, "-m", "tercet", "predict", MODEL, "good film", *options]
        return subprocess.run(command, capture_output=True, check=True).stdout.decode()

    assert ask().split("\t")[0] == EVIL
    assert next(csv.DictReader(io.StringIO(ask("--csv"), newline="")))["label"] == EVIL
    assert json.loads(ask("--json"))["label"] == EVIL


def test_a_file_gets_terms_exactly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["inspect", MODEL, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["labels"][1]["label"] == EVIL
    assert any(f"{EVIL}x" in term for term in facts["labels"][1]["terms"])


def test_pages_of_html_have_no_bidirectional_control(folder: Path) -> None:
    gold, predicted = [EVIL, "b"] * 10, [EVIL, "b", "b", EVIL] * 5
    model = tercet.load(MODEL)
    pages = [
        tercet.evaluate(gold, predicted, slices={EVIL: gold}, resamples=20).to_html(),
        tercet.compare(gold, {EVIL: predicted, "b": gold}, resamples=20).to_html(),
        model.explain(f"good {EVIL}x film {EVIL}y").to_html(),
    ]
    assert run(["explain", MODEL, f"good {EVIL}x", "--html", "page.html", "-q"]) == 0
    for page in [*pages, Path("page.html").read_text(encoding="utf-8")]:
        assert UNSAFE.findall(page) == []
        assert r"\x1b" in page
        assert r"\u202e" in page


def test_a_number_that_is_not_finite_becomes_null_in_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_text('{"text": "good film", "n": NaN, "m": 1e999}\n')
    assert run(["predict", MODEL, "rows.jsonl", "--json", "--keep", "-q"]) == 0
    row = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert (row["n"], row["m"]) == (None, None)
