"""Inputs that an honest person would not write: bombs, pipes and loops in folders, odd blanks, many columns, closed streams."""

import csv
import gzip
import io
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import time
import tracemalloc
from contextlib import closing
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.written_files import compress
from hypothesis import example, given
from hypothesis import strategies as st

import tercet
from tercet.errors import BadRow, BadSource
from tercet.report.prediction_lines import SpreadsheetLines
from tercet.report.tables import defuse_formula

MIB = 1 << 20
on_posix = pytest.mark.skipif(os.name != "posix", reason="needs the files and streams of POSIX")


def run_program(*words: str, closed: tuple[int, ...] = (), n_bytes: int | None = None) -> "subprocess.CompletedProcess[str]":
    """Run tercet with closed streams, or with a limit on the size of the files that it writes."""

    def prepare() -> None:
        for stream in closed:
            os.close(stream)
        if n_bytes is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    command = [sys.executable, "-m", "tercet", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, preexec_fn=prepare)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("model") / "m.tercet"
    tercet.Categorizer().fit(["cheap watches", "see you"], ["spam", "ham"]).save(path)
    return str(path)


@pytest.mark.parametrize("form", ["folders", "emails", "files", "mbox"])
def test_a_bomb_in_a_folder_is_a_bad_row(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.source.MAX_DOCUMENT_BYTES", 4 * MIB)
    below = tmp_path / "a" if form in ("folders", "emails") else tmp_path
    below.mkdir(exist_ok=True)
    line = b"From a@b.org\n" if form == "mbox" else b""
    (below / "bomb.txt.gz").write_bytes(gzip.compress(line + (b"x" * 99 + b"\n" * (form == "mbox")) * (100 * MIB // 100)))
    (below / "good.txt").write_bytes(line + b"so")
    stream = tercet.read(tmp_path, format=form, on_error="skip")
    tracemalloc.start()
    labels = [label for batch in stream for label in batch.labels]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert labels == ["a" if form in ("folders", "emails") else "good"]
    assert peak < 40 * MIB
    (row,) = stream.bad_rows
    assert row.place == str(below / "bomb.txt.gz")
    assert "is longer than 4 MiB: is it a text file?" in row.reason


def test_an_mbox_alone_has_the_same_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.source.MAX_DOCUMENT_BYTES", 4 * MIB)
    path = tmp_path / "a.mbox"
    path.write_bytes(b"From a@b.org\n" + b"so\n" * (2 * MIB))
    with pytest.raises(BadSource, match=r"a\.mbox, the e-mail of line 1 is longer than 4 MiB"):
        tercet.read(path).collect()


ODD_FILES = """
import os, pathlib, socket, sys
import tercet
os.chdir(sys.argv[1])
stream = tercet.read(".", format=sys.argv[2], labelled=len(sys.argv) < 4, on_error="skip")
print(stream.texts, stream.n_bytes)
for row in stream.bad_rows: print(row)
"""


def make_odd_files(below: Path) -> None:
    """A file that can be read, and all that can not, in this folder."""
    os.mkfifo(below / "1-pipe")
    (below / "2-device").symlink_to("/dev/zero")
    (below / "3-itself").symlink_to("3-itself")
    (below / "4-nowhere").symlink_to("no such file")
    (below / "good.txt").write_text("so")
    held = os.getcwd()
    os.chdir(below)  # the name of a socket must be short
    try:
        with closing(socket.socket(socket.AF_UNIX)) as server:
            server.bind("5-socket")
    finally:
        os.chdir(held)


@on_posix
@pytest.mark.parametrize(("form", "labels"), [("folders", ()), ("folders", ("no",)), ("emails", ()), ("files", ())])
def test_what_is_no_file_in_a_folder_is_a_bad_row(form: str, labels: tuple[str, ...], tmp_path: Path) -> None:
    below = tmp_path / "a" if form != "files" else tmp_path
    below.mkdir(exist_ok=True)
    make_odd_files(below)
    command = [sys.executable, "-c", ODD_FILES, str(tmp_path), form, *labels]
    run = subprocess.run(command, capture_output=True, text=True, timeout=30)
    start = "a/" if form != "files" else ""
    never = "not a regular file: reading it may never end. Move it out of the folder."
    assert (run.stderr, run.stdout.splitlines()) == (
        "",
        [
            "['so'] 2",
            f"./{start}1-pipe: it is a named pipe, {never}",
            f"./{start}2-device: it is a device, {never}",
            f"./{start}3-itself: it can't be opened: Too many levels of symbolic links.",
            f"./{start}4-nowhere: it can't be opened: No such file or directory.",
            f"./{start}5-socket: it is a socket, {never}",
        ],
    )


@on_posix
def test_a_loop_of_folders_is_a_bad_row_and_no_file_comes_twice(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "so.txt").write_text("so")
    (tmp_path / "a" / "b" / "up").symlink_to("..")
    (tmp_path / "here").symlink_to(".")
    (tmp_path / "a" / "root").symlink_to("..")
    for labelled in (True, False):
        stream = tercet.read(tmp_path, on_error="skip", labelled=labelled)
        assert stream.texts == ["so"]
        places = [tmp_path / "a" / "b" / "up", tmp_path / "a" / "root", tmp_path / "here"]
        assert [row.place for row in stream.bad_rows] == list(map(str, places))
        assert stream.bad_rows[0].reason.startswith("it is a link to a folder that it is in")
    with pytest.raises(BadRow, match="Remove the link"):
        tercet.read(tmp_path).collect()


@on_posix
def test_a_link_to_another_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "so.txt").write_text("so")
    (tmp_path / "b").symlink_to("a")
    assert tercet.read(tmp_path).labels == ["a", "b"]


@pytest.mark.skipif(sys.platform != "linux", reason="paths are shorter elsewhere")
def test_folders_may_be_a_thousand_deep() -> None:
    # Not in pytest's own folder: pytest fails if it has to remove so many folders in each other after a test was killed.
    top = Path(tempfile.mkdtemp())
    deepest = top
    for _ in range(1050):
        deepest /= "d"
        deepest.mkdir()
    (deepest / "so.txt").write_text("so")
    try:
        assert tercet.read(top).texts == ["so"]
    finally:
        (deepest / "so.txt").unlink()
        for folder in (deepest, *list(deepest.parents)[:1050]):
            folder.rmdir()
    assert not top.exists()


def test_a_damaged_file_of_a_label_is_a_bad_row(tmp_path: Path) -> None:
    (tmp_path / "a.txt.gz").write_bytes(b"no")
    (tmp_path / "b.txt").write_text("so\n")
    stream = tercet.read(tmp_path, on_error="skip")
    assert (stream.texts, stream.labels) == (["so"], ["b"])
    assert str(stream.bad_rows[0]).startswith(f"{tmp_path / 'a.txt.gz'}: it can't be read as gzip any further")


ODD_BLANKS = ["\u2028", "\u2029", "\x85", "\x1c", "\x1d", "\x1e", "\x1f", "\x0b", "\x0c", "\xa0", "\u3000", " ", "\t", "\r", ""]
JSON_PIECES = [
    *ODD_BLANKS,
    '{"text": "so"}',
    '{"text": "a\u2028b\x85\u2029"}',
    "{}",
    "3",
    '"',
    "\n",
    "\n",
    "{",
    "null",
    "[",
    "]",
]


def read_as_json(content: str) -> list[str | None]:
    """The text of each line that is not blank, by the rules of JSON; None if it has none."""
    found: list[str | None] = []
    for line in content.split("\n"):
        if line.strip(" \t\r\n"):
            try:
                value: Any = json.loads(line)
            except ValueError:
                value = None
            text = value.get("text") if isinstance(value, dict) else None
            found.append(text if isinstance(text, str) else None)
    return found


@example(["\u2028"])
@example(["\x1c", "\n", "\x85", "\n", '{"text": "so"}', "\x1e"])
@given(st.lists(st.sampled_from(JSON_PIECES), max_size=12))
def test_every_line_of_json_is_a_row(tmp_path_factory: pytest.TempPathFactory, pieces: list[str]) -> None:
    path = tmp_path_factory.getbasetemp() / "odd.jsonl"
    content = '{"text": "first"}\n' + "".join(pieces)
    path.write_bytes(content.encode())
    stream = tercet.read(path, text="text", labelled=False, on_error="skip")
    rows: list[str | None] = []
    for batch in stream:
        texts: list[str | None] = list(batch.texts)
        for position, _ in reversed(batch.bad):
            texts.insert(position, None)
        rows += texts
    assert rows == read_as_json(content)


@pytest.mark.parametrize("blank", ["\u2028", "\x85", "\x1d", "\xa0"])
def test_odd_blanks_are_part_of_lines_and_labels(blank: str, tmp_path: Path) -> None:
    path = tmp_path / "a.ft"
    path.write_bytes(f"__label__New{blank}York so{blank}\n{blank}\n".encode())
    stream = tercet.read(path, on_error="skip")
    assert (stream.labels, stream.texts, stream.n_bad) == ([f"New{blank}York"], [f"so{blank}"], 1)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.txt").write_bytes(f"so{blank}la\n{blank}\n \n".encode())
    assert tercet.read(tmp_path / "files").texts == [f"so{blank}la", blank]


@pytest.mark.parametrize(("kind", "columns"), [("csv", ()), ("csv", "all"), ("csv", "named"), ("jsonl", "named")])
def test_columns_cost_linear_time(kind: str, columns: Any, tmp_path: Path) -> None:
    n = 40_000
    names = ["text", "label", *(f"c{i}" for i in range(n))]
    row = dict(zip(names, ["so la", "a", *["1"] * n], strict=True))
    path = tmp_path / f"wide.{kind}"
    path.write_text(json.dumps(row) + "\n" if kind == "jsonl" else f"{','.join(row)}\n{','.join(row.values())}\n")
    begin = time.process_time()
    tercet.read(path, columns=names[2:] if columns == "named" else columns).collect()
    assert time.process_time() - begin < 2.5


@on_posix
@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_a_closed_standard_output_is_said(closed: tuple[int, ...], model: str, tmp_path: Path) -> None:
    content = Path(model).read_bytes()
    (tmp_path / "new.csv").write_text("text,label\nso,ham\n")
    for words in (["predict", model, "cheap"], ["learn", model, str(tmp_path / "new.csv")]):
        run = run_program(*words, closed=closed)
        assert run.returncode == 2
        assert run.stderr == "" if 2 in closed else run.stderr.startswith("tercet: standard output is closed, so the result")
    assert Path(model).read_bytes() == content


@on_posix
def test_a_closed_standard_error_changes_no_result(model: str) -> None:
    run = run_program("predict", model, "cheap", "--string", closed=(2,))
    assert (run.returncode, run.stdout.partition("\t")[0]) == (0, "spam")


@on_posix
def test_a_full_folder_of_temporary_files_is_said(model: str, tmp_path: Path) -> None:
    table = pa.table({"text": random.Random(0).choices(["so", "la", "mi"], k=50_000)})
    sink = io.BytesIO()
    pq.write_table(table, sink, compression="none", use_dictionary=False)
    path = tmp_path / "a.parquet.gz"
    path.write_bytes(gzip.compress(sink.getvalue()))
    run = run_program("predict", model, str(path), n_bytes=10_000)
    assert (run.returncode, run.stdout) == (2, "")
    assert run.stderr == (
        f"tercet: the decompressed content of {path} must be kept in a temporary file in {tempfile.gettempdir()}, "
        "which can't be written: File too large. Make room there, or set TMPDIR to another folder.\n"
    )


@on_posix
def test_a_file_may_have_a_name_of_250_bytes(tmp_path: Path, model: str) -> None:
    path = tmp_path / ("x" * 246 + ".csv")
    path.write_text("text,label\nso,a\n")
    assert tercet.read(path).texts == ["so"]
    assert run_program("predict", model, str(path)).returncode == 0
    with pytest.raises(BadSource, match="can't be opened: File name too long"):
        tercet.read(tmp_path / ("x" * 300))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.ft", "a.txt", "a", "folder"])
@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", ["so la mi", "Тихо в лесу", "Μήνιν ἄειδε θεά"])
def test_utf_16_without_a_mark_is_named(name: str, order: str, text: str, tmp_path: Path) -> None:
    content = {"a.jsonl": f'{{"text": "{text}", "label": "a"}}\n', "a.ft": f"__label__a {text}\n"}.get(name)
    path = tmp_path / name
    if name == "folder":
        (path / "a").mkdir(parents=True)
    ((path / "a" / "1.txt") if name == "folder" else path).write_bytes(
        (content or f"text,label\n{text},a\n{text},b\n").encode(order)
    )
    said = rf"({path.name}|: it) looks like UTF-16 without a byte order mark, not like .*: read it with --encoding {order}\."
    for encoding in ("utf-8", "latin-1"):
        for labelled in (True, False):
            with pytest.raises((BadSource, BadRow), match=said):
                tercet.read(path, encoding=encoding, labelled=labelled).collect()
    with pytest.raises((BadSource, BadRow), match=f"has no byte order mark, .*: try --encoding {order}"):
        tercet.read(path, encoding="utf-16").collect()


def test_utf_16_of_other_letters_is_hinted_at(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text,label\n道可道非常道，名可名非常名。無名天地之始\n".encode("utf-16-le")[20:])
    with pytest.raises(BadRow, match=r"as UTF-16 has: try --encoding utf-16-le or utf-16-be"):
        tercet.read(path, text="1", labelled=False).collect()


FORMULAS = ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", "\xa0=1", "\n=1", "＝1+1", "=cmd|' /C'!A0", "-a"]
HARMLESS = ["", "so", "-1", "-1.5", "+3e-7", "+", "-", "a=b", "1-2", "'so", "-.5", "a@b.org"]


@pytest.mark.parametrize("value", FORMULAS)
def test_formulas_get_an_apostrophe(value: str) -> None:
    assert defuse_formula(value) == f"'{value}"


@pytest.mark.parametrize("value", HARMLESS)
def test_numbers_signs_and_words_stay_as_they_are(value: str) -> None:
    assert defuse_formula(value) == value


@given(st.text(), st.text(), st.text())
def test_no_cell_of_csv_begins_as_a_formula_does(name: str, text: str, label: str) -> None:
    lines = SpreadsheetLines(1, kept=[name])
    written = lines.head() + lines.write([[(lines.spell(label), 0.5)]], [{name: text}])
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert [len(row) for row in rows] == [3, 3]
    for cell in rows[0] + rows[1]:
        start = cell.lstrip()
        is_number = start == cell and cell.lstrip("+-")[:1] in "0123456789."
        assert not start.startswith(("=", "+", "-", "@")) or is_number or len(start) == 1


def test_formulas_are_defused_unless_the_user_keeps_them(tmp_path: Path) -> None:
    model, data = str(tmp_path / "m.tercet"), str(tmp_path / "new.jsonl")
    tercet.Categorizer().fit(["so", "la"], ["=1+1", "-1"]).save(model)
    Path(data).write_text(json.dumps({"text": "so", "@x": "-2.5"}) + "\n" + json.dumps({"text": "=la la", "@x": " +a"}) + "\n")
    defused = run_program("predict", model, data, "--csv", "--keep", "-q").stdout
    kept = run_program("predict", model, data, "--csv", "--keep", "-q", "--keep-formulas").stdout
    (head, first, second), (_, plain, _) = (list(csv.reader(io.StringIO(out))) for out in (defused, kept))
    assert (head[:2], first[:3], second[:2]) == (["text", "'@x"], ["so", "-2.5", "'=1+1"], ["'=la la", "' +a"])
    assert plain[2] == "=1+1"
    assert '"=1+1"' in run_program("predict", model, data, "--json", "-q").stdout


@pytest.mark.parametrize(
    ("name", "start", "line"),
    [
        ("a.csv", b"text,label\nso,a\n", b"\n"),
        ("a.csv", b"text,label\nso,a\n", b",\n"),
        ("a.csv.gz", b"text,label\nso,a\n", b"\r\n"),
        ("a.txt", b"so\n", b"\n"),
        ("a.jsonl", b'{"text": "so", "label": "a"}\n', b"\n"),
        ("a.ft", b"__label__a so\n", b"\n"),
    ],
)
def test_a_file_of_blank_rows_is_not_read_to_its_end(
    name: str, start: bytes, line: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.data.blank_rows.MAX_BLANK_ROWS", 10_000)
    path = tmp_path / name
    content = start + line * 100_000
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.raises(BadSource, match=r"of its first \d+ rows have nothing in them, so it is not read any further"):
        tercet.read(path, labelled=name != "a.txt", on_error="skip").collect()
    if name != "a.txt":
        with pytest.raises(BadSource, match="remove its blank rows first"):
            tercet.read(path, training=True).collect()


def test_blank_rows_between_documents_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.blank_rows.MAX_BLANK_ROWS", 10_000)
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "so,a\n\n\n" * 10_000)
    assert len(tercet.read(path).texts) == 10_000


def test_a_table_of_nulls_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.blank_rows.MAX_BLANK_ROWS", 10_000)
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["so", *[None] * 50_000], "label": ["a"] * 50_001}), path)
    with pytest.raises(BadSource, match="rows have nothing in them"):
        tercet.read(path, text="text", label="label", on_error="skip").collect()


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz", ".zst"])
def test_what_unpacks_to_far_more_than_texts_do_is_not_read_to_its_end(
    compression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tercet.data.source.MAX_UNPACKED_BYTES", 8 * MIB)
    path = tmp_path / f"a.csv{compression}"
    path.write_bytes(compress(b"text,label\n" + b"so la,a\n" * (4 * MIB), compression))
    with pytest.raises(BadSource, match=r"unpacks to more than 500 times its size .*If it is right, unpack it first"):
        for _ in tercet.read(path):
            pass
    code = "import sys, tercet; from tercet.data import source; source.MAX_UNPACKED_BYTES = 1 << 23; list(tercet.read('-'))"
    with path.open("rb") as file:
        run = subprocess.run([sys.executable, "-c", code], stdin=file, capture_output=True, text=True)
    assert "standard input unpacks to more than 500 times its size" in run.stderr
