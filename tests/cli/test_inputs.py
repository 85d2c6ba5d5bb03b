"""Texts and files as arguments, several files, one e-mail, and files of answers."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pyarrow.parquet as pq
import pytest
from helpers.command_line import Outcome, Shell
from helpers.written_files import write_xlsx

MAIL = "From: =?utf-8?q?Zo=C3=AB?= <a@b.org>\nSubject: tonight\nMessage-ID: <7@b.org>\n\nwhat a {} film\n"


@pytest.fixture(autouse=True)
def mails(shell: Shell) -> None:
    Path("lovely.eml").write_text(MAIL.format("lovely"))
    Path("dull.eml").write_text(MAIL.format("dull, boring"))


def read_rows(name: str) -> list[dict[str, str]]:
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def refuse(shell: Shell, line: str) -> str:
    """What is said, on one line, about something that can't be done; nothing is written."""
    before = sorted(Path().rglob("*"))
    told = shell(line)
    assert told.code == 2, told
    assert (told.out, sorted(Path().rglob("*"))) == ("", before)
    (error,) = told.err.splitlines()[-1:]
    return error.removeprefix("tercet: ")


def list_labels(told: Outcome) -> list[str]:
    return [line.split("\t")[0] for line in told.out.splitlines()]


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize(
    "word", ["nowhere.csv", "'my new file.csv.gz'", "'a mail.eml'", "lovely", "'old reviews.txt'", "电影.csv", "资料/电影"]
)
def test_what_looks_like_a_file_is_no_text(shell: Shell, command: str, word: str) -> None:
    said = refuse(shell, f"tercet {command} m.tercet {word}")
    name = word.strip("'")
    assert said.startswith(
        f"there is no file '{name}': check the name and the folder. If it is a text, give --string before it."
    )


def test_a_text_has_a_blank_or_is_given_as_a_string(shell: Shell) -> None:
    assert list_labels(shell.do("tercet predict m.tercet 'a dull plot.' lovely.csv --string")) == ["bad", "good"]
    assert list_labels(shell.do("tercet predict m.tercet 'a lovely film, 5.0 stars?'")) == ["good"]
    shell.do("tercet explain m.tercet --string lovely")


def test_a_text_in_a_writing_system_without_spaces_needs_no_option(shell: Shell) -> None:
    assert len(list_labels(shell.do("tercet predict m.tercet 好电影 หนังดี"))) == 2
    Path("电影").write_text("text\na lovely film\n")
    assert list_labels(shell.do("tercet predict m.tercet 电影 --format csv")) == ["good"]


def test_one_email_is_predicted_and_its_header_stands_beside_the_answer(shell: Shell) -> None:
    assert list_labels(shell.do("tercet predict m.tercet lovely.eml")) == ["good"]
    told = shell.do("tercet predict m.tercet lovely.eml dull.eml --columns subject,from,message-id --csv")
    rows = list(csv.DictReader(io.StringIO(told.out)))
    assert [row["label"] for row in rows] == ["good", "bad"]
    assert {row["from"] for row in rows} == {"Zoë <a@b.org>"}
    assert {(row["subject"], row["message-id"]) for row in rows} == {("tonight", "<7@b.org>")}
    assert list_labels(shell.do("tercet predict m.tercet - --format email < dull.eml")) == ["bad"]


def test_the_exit_code_says_whether_the_answer_is_the_label(shell: Shell) -> None:
    for label, code in (("good", 0), ("bad", 3)):
        told = shell(f"tercet predict m.tercet lovely.eml --exit-code {label}")
        assert (told.code, list_labels(told)) == (code, ["good"])
    assert shell("tercet predict m.tercet - --format email --exit-code good < lovely.eml").code == 0
    assert shell("tercet predict m.tercet lovely.eml --exit-code good --abstain-below 1").code == 3
    assert shell("tercet predict m.tercet lovely.eml --exit-code bad -o answer.csv").code == 3
    assert Path("answer.csv").exists()


WRONG_CODES = {
    "lovely.eml --exit-code splendid": "the model has no label 'splendid': it has 'bad', 'good'. Give one of these",
    "lovely.eml dull.eml --exit-code good": "--exit-code takes one document, but there are several: give one text",
    "test.csv --exit-code good": "--exit-code takes one document, but there are several: give one text or one e-mail.",
    "empty.txt --exit-code good": "--exit-code takes one document, but there is none that can be read: give one text or one",
    "bad.jsonl --on-error skip --exit-code good": "--exit-code takes one document, but there is none that can be read",
    "lovely.eml --exit-code good --coverage 0.9": "--exit-code and --coverage exclude each other: a set of labels is not one",
    "test.csv -o answers.xlsx": "answers.xlsx does not say what to write: let its name end in .csv, .jsonl or .parquet.",
    "test.csv -o answers.csv --json": "--json is for standard output, and the name of the file of -o says its form: give",
    "test.csv -o test.csv": "test.csv is read and would be overwritten: name another file for --output.",
    "'t*.csv' -o test.csv": "test.csv is read and would be overwritten: name another file for --output.",
    "'nothing*.csv'": "no file matches 'nothing*.csv': check the name and the folder.",
    "test.csv test.csv": "test.csv is named twice: its documents would count twice. Name it once.",
    "test.csv -": "standard input can't be read together with files: read it alone, or save it to a file first.",
}


@pytest.mark.parametrize("words", WRONG_CODES)
def test_wrong_uses_of_predict_are_refused(shell: Shell, words: str) -> None:
    Path("empty.txt").write_text("")
    Path("bad.jsonl").write_text('{"text": 3}\n')
    assert WRONG_CODES[words] in refuse(shell, f"tercet predict m.tercet {words}")


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_file_of_answers_has_the_columns_of_the_input(shell: Shell, suffix: str) -> None:
    told = shell.do(f"tercet predict m.tercet test.csv -o answers{suffix}")
    assert (told.out, told.err.splitlines()[-1]) == ("", f"written: answers{suffix} (40 rows)")
    rows = read_answers(suffix)
    given = read_rows("test.csv")
    assert [{name: row[name] for name in given[0]} for row in rows] == given
    assert [row["predicted_label"] for row in rows] == list_labels(shell.do("tercet predict m.tercet test.csv"))
    assert all(0.5 <= float(row["probability"]) <= 1 for row in rows)
    shell.do(f"tercet predict m.tercet test.csv -o answers{suffix} --columns id --top 2")
    names = ["id", "label", "probability", *(["probabilities"] if suffix == ".jsonl" else ["label_2", "probability_2"])]
    assert list(read_answers(suffix)[0]) == names


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_file_of_answers_can_be_predicted_again(shell: Shell, suffix: str) -> None:
    shell.do(f"tercet predict m.tercet test.csv -o first{suffix}")
    shell.do(f"tercet predict m.tercet first{suffix} --text text -o answers{suffix}")
    rows = read_answers(suffix)
    assert list(rows[0])[-2:] == ["predicted_predicted_label", "predicted_probability"]
    assert [row["predicted_predicted_label"] for row in rows] == [row["predicted_label"] for row in rows]


def read_answers(suffix: str) -> list[dict[str, object]]:
    path = Path(f"answers{suffix}")
    if suffix == ".parquet":
        rows: list[dict[str, object]] = pq.read_table(path).to_pylist()
        return rows
    if suffix == ".jsonl":
        return list(map(json.loads, path.read_text().splitlines()))
    return [dict(row) for row in read_rows(path.name)]


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_a_file_of_answers_has_a_row_for_each_bad_row(shell: Shell, suffix: str) -> None:
    Path("odd.jsonl").write_text('{"text": "dull", "id": 1}\n{"text": 3, "id": 2}\n{"text": "lovely", "id": "c"}\n')
    shell.do(f"tercet predict m.tercet odd.jsonl --on-error skip -o answers{suffix}")
    assert [row["label"] or None for row in read_answers(suffix)] == ["bad", None, "good"]


def test_a_csv_file_of_answers_runs_no_formula(shell: Shell) -> None:
    Path("odd.csv").write_text("id,text\n1,=1+1 so\n-2,@so\n3,so\n")
    said = shell.do("tercet predict m.tercet odd.csv -o answers.csv").err
    assert [row["text"] for row in read_answers(".csv")] == ["'=1+1 so", "'@so", "so"]
    assert said.endswith("\n2 cells begin like a formula and got an apostrophe: --keep-formulas leaves them as they are\n")
    said = shell.do("tercet predict m.tercet odd.csv -o answers.csv --keep-formulas").err
    assert read_answers(".csv")[0]["text"] == "=1+1 so"
    assert "apostrophe" not in said + shell.do("tercet predict m.tercet odd.csv -o answers.jsonl").err
    Path("odd.csv").write_text("id,text,label\n1,=1+1 dull,good\n")
    said = shell.do("tercet evaluate m.tercet odd.csv --mistakes mistakes.csv").err
    assert "1 cell begins like a formula and got an apostrophe: a .jsonl or .parquet file has them as they are\n" in said


def test_a_failure_leaves_the_old_file_of_answers(shell: Shell) -> None:
    Path("answers.csv").write_text("old")
    Path("odd.csv").write_text("id,text,label\n1,fine,good\n2,bad\n")
    assert shell("tercet predict m.tercet odd.csv -o answers.csv").code == 2
    assert Path("answers.csv").read_text() == "old"


def test_types_of_columns_survive_in_parquet_and_mixed_ones_become_text(shell: Shell) -> None:
    records = [{"text": "a film", "n": 1, "x": 1, "y": {"a": 1}}, {"text": "a plot", "n": 2, "x": "one", "y": None}]
    Path("typed.jsonl").write_text("\n".join(map(json.dumps, records)))
    shell.do("tercet predict m.tercet typed.jsonl -o answers.parquet")
    rows = read_answers(".parquet")
    assert [(row["n"], row["x"], row["y"]) for row in rows] == [(1, "1", {"a": 1}), (2, "one", None)]


def test_several_files_are_one(shell: Shell) -> None:
    lines = Path("reviews.csv").read_text().splitlines(keepends=True)
    Path("part1.csv").write_text("".join(lines[:60]))
    Path("part2.csv").write_text("".join([lines[0], *lines[60:]]))
    shell.do("tercet train reviews.csv -o whole.tercet --text text --label label")
    shell.do("tercet train part1.csv part2.csv -o parts.tercet --text text --label label")
    shell.do("tercet train 'part?.csv' -o pattern.tercet --text text --label label")
    whole = Path("whole.tercet").read_bytes()
    assert Path("parts.tercet").read_bytes() == Path("pattern.tercet").read_bytes() == whole
    for command in ("learn", "forget"):
        told = shell.do(f"tercet {command} parts.tercet new.csv removed.csv")
        assert any(line.startswith("20 documents ") for line in told.err.splitlines())
    told = shell.do("tercet evaluate whole.tercet test.csv new.csv --json")
    assert json.loads(told.out)["n"] == 50
    assert len(list_labels(shell.do("tercet predict whole.tercet test.csv new.csv"))) == 50
    assert len(list_labels(shell.do("tercet predict whole.tercet '*.eml'"))) == 3


def test_files_with_other_columns_are_refused_by_name(shell: Shell) -> None:
    Path("other.csv").write_text("id,text,queue\n1,fine,good\n")
    Path("more.csv").write_text("id,text,label,source,date\n1,fine,good,a,b\n")
    same = "files that are read together must have the same columns."
    assert f"other.csv has no column 'label', but new.csv has one: {same}" in refuse(
        shell, "tercet train new.csv other.csv -o x.tercet"
    )
    assert f"more.csv has a column 'date', but new.csv has none: {same}" in refuse(
        shell, "tercet train new.csv more.csv -o x.tercet"
    )
    assert f"new.csv is a table, but lovely.eml is not: {same}" in refuse(shell, "tercet predict m.tercet lovely.eml new.csv")


def test_a_bad_row_of_several_files_names_its_file(shell: Shell) -> None:
    Path("part.csv").write_text("id,text,label,source\n1,fine,,a\n")
    told = shell("tercet evaluate m.tercet new.csv part.csv --on-error skip")
    assert "part.csv, line 2: it has no label." in told.err


def test_the_document_of_a_row_or_an_id_is_explained(shell: Shell) -> None:
    rows = read_rows("test.csv")
    expected = json.loads(shell.do(f"tercet explain m.tercet '{rows[5]['text']}' --json").out)
    assert json.loads(shell.do("tercet explain m.tercet test.csv --row 7 --json").out) == expected
    assert json.loads(shell.do("tercet explain m.tercet test.csv --id 5 --id-column id --json").out) == expected
    Path("test.json").write_text(json.dumps(rows, indent=2))
    assert json.loads(shell.do("tercet explain m.tercet test.json --row 6 --json").out) == expected
    one = json.loads(shell.do("tercet explain m.tercet lovely.eml --json").out)
    assert one["label"] == "good"
    assert json.loads(shell.do("tercet explain m.tercet - --format email --json < lovely.eml").out) == one


def test_numbers_of_the_file_are_explained(shell: Shell) -> None:
    Path("stars.csv").write_text("text,label,stars\nfine,good,5\nfair,good,4\ndull,bad,1\nlong,bad,2\n")
    shell.do("tercet train stars.csv -o stars.tercet --numeric stars --text text --label label")
    assert "stars = 4" in shell.do("tercet explain stars.tercet stars.csv --row 3").out


WRONG_CHOICES = {
    "test.csv": "test.csv has several documents: choose one by --row, or by --id and --id-column.",
    "test.csv --row 1": "test.csv has no document in row 1: rows are counted from 1, and the header is a row.",
    "test.csv --row 99": "test.csv has no document in row 99: rows are counted from 1, and the header is a row.",
    "test.csv --id x --id-column id": "test.csv has no row with 'x' in the column 'id': choose the document by --row.",
    "test.csv --id a --id-column source": "test.csv has several rows with 'a' in the column 'source': choose the document by",
    "test.csv --id 5": "--id and --id-column belong together: give the value and the column that has it.",
    "test.csv --id 5 --id-column nr": "test.csv has no column 'nr': it has 'id', 'text', 'label', 'source'.",
    "test.csv --row 2 --id 5 --id-column id": "--row and --id exclude each other: choose the document by one of them.",
    "'a dull plot' --row 2": "--row and --id choose a document of a file, but 'a dull plot' is a text: give a file.",
}


@pytest.mark.parametrize("words", WRONG_CHOICES)
def test_wrong_choices_of_a_document_are_refused(shell: Shell, words: str) -> None:
    assert WRONG_CHOICES[words] in refuse(shell, f"tercet explain m.tercet {words}")


def write_json_array(path: Path) -> None:
    path.write_text(json.dumps([{"text": "a dull film"}, 3, {"text": None}, {"text": "a lovely film"}], indent=1))


def write_workbook(path: Path) -> None:
    rows = [
        ["text", "note", "other"],
        ["a dull film", "x", "y"],
        ["merged", None, "y"],
        [3, "x", "y"],
        ["a lovely film", "x", "y"],
    ]
    path.write_bytes(write_xlsx(rows, ["A3:B3"]))


def write_maildir(path: Path) -> None:
    for name in ("cur", "new", "tmp"):
        (path / name).mkdir(parents=True)
    (path / "cur" / "1:2,S").write_text(MAIL.format("dull, boring"))
    (path / "cur" / "2:2,").symlink_to("nowhere")
    (path / "new" / "3").write_text("")
    (path / "new" / "4").write_text(MAIL.format("lovely"))


# How to write it, the labels of the answers (None: any label; empty: a bad row).
ROWS: dict[str, tuple[Callable[[Path], None], list[str | None]]] = {
    "rows.json": (write_json_array, ["bad", "", "", "good"]),
    "rows.xlsx": (write_workbook, ["bad", "", None, "good"]),
    "box": (write_maildir, ["bad", "", None, "good"]),
}


@pytest.mark.parametrize("name", ROWS)
def test_there_are_as_many_answers_as_rows_in_every_format(shell: Shell, name: str) -> None:
    write, expected = ROWS[name]
    write(Path(name))
    told = shell.do(f"tercet predict m.tercet {name} --on-error skip")
    found = list_labels(told)
    assert [label if wanted is not None else None for label, wanted in zip(found, expected, strict=True)] == expected
    stopped = shell(f"tercet predict m.tercet {name}")
    assert (stopped.code, list_labels(stopped)) == (2, ["bad"])  # the answers before the bad row are given
    assert f"{name}" in stopped.err.splitlines()[-1]
    both = shell.do(f"tercet predict m.tercet {name} --on-error skip --json -- 'a dull plot'")
    assert len(both.out.splitlines()) == len(expected) + 1


def test_suspects_are_shown_by_row_and_with_several_files_by_file(shell: Shell) -> None:
    rows = [f"{words} number {i},{label}" for i in range(20) for words, label in (("good film", "x"), ("bad plot", "y"))]
    Path("one.csv").write_text("\n".join(["text,label", "bad bad plot,x", *rows[:20]]) + "\n")
    Path("two.csv").write_text("\n".join(["text,label", *rows[20:], "good good film,y"]) + "\n")
    both = shell.do("tercet train one.csv two.csv -o both.tercet").out
    shown = [line.split()[:8] for line in both.splitlines()]
    assert ["bad", "bad", "plot", "one.csv", "row", "2", "x", "y"] in shown
    assert ["good", "good", "film", "two.csv", "row", "22", "y", "x"] in shown


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
def test_a_named_pipe_is_waited_for_and_read(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.cli.talk.PATIENCE_SECONDS", 0.05)
    os.mkfifo("pipe")

    def write() -> None:
        time.sleep(0.5)
        Path("pipe").write_text("text\nlovely\nawful\n")

    for quiet in ("", " -q"):
        writer = Thread(target=write)
        writer.start()
        outcome = shell(f"tercet predict m.tercet pipe --format csv{quiet}")
        writer.join()
        assert (outcome.code, len(outcome.out.splitlines())) == (0, 2)
        waits = [line for line in outcome.err.splitlines() if "waiting" in line]
        assert waits == ([] if quiet else ["waiting for the first rows of pipe: Ctrl-C ends this"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes")
@pytest.mark.parametrize("begun", [False, True])
def test_ctrl_c_ends_the_waiting_for_a_pipe(begun: bool, shell: Shell) -> None:
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "tercet", "train", "pipe", "-o", "new.tercet"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as program:
        handle = os.open("pipe", os.O_RDWR) if begun else None
        if handle is not None:
            os.write(handle, b"text,label\nso,a\nla,b\n")
        assert program.stderr is not None
        wanted = "pipe: format: csv" if begun else "waiting for the first rows of pipe"
        assert any(line.startswith(wanted) for line in program.stderr)  # it goes on only after this line
        program.send_signal(signal.SIGINT)
        assert (program.wait(timeout=30), program.stderr.readlines()) == (130, ["tercet: stopped.\n"])
        if handle is not None:
            os.close(handle)
    assert not Path("new.tercet").exists()
