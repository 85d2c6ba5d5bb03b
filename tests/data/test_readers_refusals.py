"""Odd sources: what is said of each, word for word."""

import errno
import gzip
import io
import json
import os
import pickle
import random
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.written_files import write_xlsx
from hypothesis import given, settings
from hypothesis import strategies as st

import tercet
from tercet.errors import BadRow, BadSource, InvalidOption, TercetError

GOOD = "text,label\nso,a\n"
NO_LABELS = (
    "has no labels if each of its lines is a text: give a table with a column of labels, lines of fastText "
    "(__label__spam Buy now), or a folder of such files, one for each label."
)

# name, content, options, what is said
REFUSED: list[tuple[str, str | bytes, dict[str, Any], str]] = [
    ("empty.csv", "", {}, "empty.csv is empty, so it holds no documents: give another file."),
    ("empty.jsonl.gz", b"", {}, "empty.jsonl.gz is empty, so it holds no documents: give another file."),
    ("empty.parquet", "", {}, "empty.parquet is empty, so it holds no documents: give another file."),
    ("blank.csv", "\n\r\n\n", {}, "blank.csv holds no documents: give another file or folder."),
    ("blank.jsonl", "\n \n", {}, "blank.jsonl holds no documents: give another file or folder."),
    ("header.csv", "text,label\n", {}, "header.csv holds no documents: give another file or folder."),
    ("a.csv", "text,text,label\na,b,c\n", {}, "a.csv has two columns 'text': rename one, so that it is clear which is meant."),
    ("a.csv", GOOD, {"text": "review"}, "a.csv has no column 'review': it has 'text', 'label'. Name one of these with --text."),
    ("a.csv", GOOD, {"label": "stars"}, "a.csv has no column 'stars': it has 'text', 'label'. Name one of these with --label."),
    ("a.csv", GOOD, {"columns": ["x"]}, "a.csv has no column 'x': it has 'text', 'label'. Name one of these."),
    (
        "a.jsonl",
        '{"text": "so"}',
        {"label": "x"},
        "a.jsonl has no column 'x': only one column was found, 'text'. Is the --format right?",
    ),
    (
        "a.csv",
        "text\nso\n",
        {},
        "a.csv has no column for the label: only one column was found, 'text'. "
        "Is the --format right? Without labels: `tercet begin`.",
    ),
    ("a.csv", "1,2,3\n4,5,6\n", {}, "a.csv: it is not clear which column is the text: '1', '2', '3'. Name it with --text."),
    ("a.csv", f"{GOOD}la,b,c\n", {}, "a.csv, line 3: it has 3 cells, but the first row has 2."),
    ("a.csv", f'{GOOD}"l\na"\n', {}, "a.csv, line 3: it has 1 cell, but the first row has 2."),
    ("a.csv", f'{GOOD}"la,b\nmi,c\n', {}, "a.csv, line 3: a quote opens in this row and is never closed."),
    ("a.csv", f"{GOOD}la,\n", {}, "a.csv, line 3: it has no label."),
    ("a.csv", "text,label,w\nso,a,x\n", {"weight": "w"}, "a.csv, line 2: its weight is 'x', not a number >= 0."),
    ("a.csv", "text,label,w\nso,a,nan\n", {"weight": "w"}, "a.csv, line 2: its weight is 'nan', not a number >= 0."),
    ("a.csv", "text,label,w\nso,a,-1\n", {"weight": "w"}, "a.csv, line 2: its weight is '-1', not a number >= 0."),
    (
        "a.csv",
        b"text,label\nso,a\ncaf\xe9,b\n",
        {},
        "a.csv, line 3: byte 0xe9 (byte 19 of the file, from 0) is not utf-8. Is it --encoding latin-1?",
    ),
    (
        "a.csv",
        b"t\xe9xt,label\nso,a\n",
        {},
        "a.csv, line 1: byte 0xe9 (byte 1 of the file, from 0) is not utf-8. Is it --encoding latin-1?",
    ),
    (
        "a.csv",
        b"\xef\xbb\xbftext,label\ncaf\xe9,b\n",
        {"encoding": "ascii"},
        "a.csv, line 1: byte 0xef (byte 0 of the file, from 0) is not ascii. Try another --encoding.",
    ),
    (
        "a.csv",
        GOOD.encode("utf-16"),
        {},
        "a.csv, line 1: byte 0xff (byte 0 of the file, from 0) is not utf-8. It begins like --encoding utf-16.",
    ),
    (
        "a.csv",
        gzip.compress(GOOD.encode(), mtime=0),
        {},
        "a.csv, line 1: byte 0x8b (byte 1 of the file, from 0) is not utf-8. It looks compressed: "
        "give its name the suffix of gzip.",
    ),
    (
        "a.csv",
        GOOD.encode("utf-16-le") + b"\x00\xd8a\0",
        {"encoding": "utf-16-le"},
        "a.csv, line 3: byte 0x00 (byte 32 of the file, from 0) is not utf-16-le. Try another --encoding.",
    ),
    (
        "a.jsonl",
        b'{"text": "so", "label": 1}\n\n{"text": "\xe9", "label": 1}\n',
        {},
        "a.jsonl, line 3: byte 0xe9 (byte 38 of the file, from 0) is not utf-8. Is it --encoding latin-1?",
    ),
    (
        "a.csv",
        GOOD,
        {"encoding": "utf-16"},
        "a.csv has no byte order mark, so utf-16 does not say how to read it: try --encoding utf-16-le, utf-16-be or utf-8.",
    ),
    ("a.csv.gz", GOOD, {}, "a.csv.gz can't be read as gzip any further: Not a gzipped file (b'te'). Is it complete?"),
    (
        "a.csv.gz",
        gzip.compress(random.Random(0).randbytes(9999), mtime=0)[:5000],
        {},
        "a.csv.gz can't be read as gzip any further: Compressed file ended before the "
        "end-of-stream marker was reached. Is it complete?",
    ),
    (
        "a.csv.zst",
        b"\x28\xb5\x2f\xfdxx",
        {},
        "a.csv.zst can't be read as zstd any further: Truncated compressed stream. Is it complete?",
    ),
    (
        "a.json",
        '[{"text": "so", "label": 1},\n{"text": "la",, "label": 1}]',
        {},
        "a.json, line 2: it is not JSON: Expecting property name enclosed in double quotes. Nothing after it can be read.",
    ),
    (
        "a.json",
        '[{"text": "so", "label": 1},\n{"text": "la", "label": 1}',
        {},
        "a.json, line 2: ',' or ']' must come next in the array, not the end of the file. Is the file complete?",
    ),
    (
        "a.json",
        '[{"text": "so", "label": 1}]\n[{"text": "so", "label": 1}]',
        {},
        "a.json, line 2: there is more after the end of the array. Put one array into each file.",
    ),
    ("a.json", "[3]", {}, 'a.json, line 1: it is a number, not an object: {"text": …}. The array must hold objects.'),
    ("a.json", "[]", {}, "a.json holds no documents: give another file or folder."),
    (
        "a.json",
        b'[{"text": "so\xe9", "label": 1}, {"text": "so", "label": 1}]',
        {},
        "a.json, line 1: byte 0xe9 is not utf-8. Is it --encoding latin-1?",
    ),
    (
        "a.csv",
        b"text,label\nit\x92s,a\n",
        {},
        "a.csv, line 2: byte 0x92 (byte 13 of the file, from 0) is not utf-8. It has quotes or dashes as cp1252 has: "
        "try --encoding cp1252.",
    ),
    (
        "a.csv",
        "text,label\nВерните деньги за заказ,a\n".encode("cp1251"),
        {},
        "a.csv, line 2: byte 0xc2 (byte 11 of the file, from 0) is not utf-8. By a guess it is cp1251: try --encoding cp1251.",
    ),
    ("a.csv", GOOD, {"sheet": "x"}, "a.csv is read as csv, which has no sheets: leave --sheet out, or give another --format."),
    ("a.csv", GOOD, {"sheet": 1}, "sheet must be the name of a sheet, got 1: a workbook may have several."),
    (
        "a.eml",
        "Subject: so\n\nla",
        {},
        "a.eml is one e-mail, which has no label: put e-mails into a folder with a sub-folder for each label.",
    ),
    (
        "a.eml",
        "Subject: so\n\nla",
        {"text": "subject", "labelled": False},
        "a.eml is read as email, which has no such columns: leave --text out, or give another --format.",
    ),
    (
        "a.xls",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 ...",
        {},
        "a.xls is in the old .xls format, which can't be read: save it as .xlsx or .csv.",
    ),
    (
        "a.xlsx",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
        {},
        "a.xlsx is encrypted with a password, so it can't be read: save it without a password.",
    ),
    (
        "a.ods",
        GOOD,
        {},
        "a.ods can't be read as a spreadsheet: File is not a zip file. Is it a complete .xlsx or .ods file?",
    ),
    (
        "a.json",
        '{\n"text": "so"}',
        {},
        "a.json, line 1: it is not JSON: Expecting property name enclosed in double quotes at "
        "character 2. There must be one object on each line.",
    ),
    ("a.dat", "so la\nmi\n", {}, f"a.dat {NO_LABELS}"),
    ("a.ft", "__label__a so\nla __label__b\n", {}, "a.ft, line 2: its first word does not begin with __label__."),
    ("a.ft", "__label__ so\n", {}, "a.ft, line 1: it has no label."),
    (
        "a.ft",
        "__label__a so\n",
        {"text": "x"},
        "a.ft is read as fasttext, which has no columns: leave --text out, or give another --format.",
    ),
    ("a.mbox", "Dear,\n", {}, "a.mbox is not an mbox: its first line does not begin with 'From '."),
    (
        "a.feather",
        "FEA1 ...",
        {},
        "a.feather is in Feather version 1: write it again as Feather version 2 or as Parquet.",
    ),
    ("a.csv", GOOD, {"format": "folders"}, "a.csv is a file, but the format folders reads a folder: name the folder."),
    (
        "a.csv",
        GOOD,
        {"format": "xls"},
        "format must be one of csv, tsv, json, jsonl, parquet, arrow, xlsx, ods, fasttext, folders, files, email, mbox, "
        "emails, text, got 'xls': nothing else "
        "is known.",
    ),
    (
        "a.csv",
        GOOD,
        {"encoding": "hex"},
        "encoding must be an encoding that Python knows, got 'hex': try utf-8, latin-1, cp1252 or utf-16.",
    ),
    *(
        (
            "a.csv",
            GOOD,
            {"encoding": name},
            f"encoding must be an encoding that Python knows, got {name!r}: try utf-8, latin-1, cp1252 or utf-16.",
        )
        for name in ("utf7", "unicode_escape")
    ),
    ("a.csv", GOOD, {"on_error": "ignore"}, "on_error must be one of stop, skip, report, got 'ignore': nothing else is known."),
    ("a.csv", GOOD, {"prefix": " "}, "prefix must be a str that is not blank, got ' ': every word would be a label."),
    ("a.csv", GOOD, {"text": 0}, "text must be the name of a column or its number from 1 on, got 0: it says where to look."),
    (
        "a.csv",
        GOOD,
        {"columns": "text"},
        "columns must be a list of names of columns or \"all\", got 'text': each is kept beside the text.",
    ),
]


@pytest.mark.parametrize(("name", "content", "options", "said"), REFUSED)
def test_what_is_refused_is_said_in_one_line(
    name: str, content: str | bytes, options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TercetError) as refused:
        tercet.read(name, **options).collect()
    assert str(refused.value) == said


JSON_ROWS = {
    '{"text": "so"': "it is not JSON: Expecting ',' delimiter at character 14.",
    '{"text": 3, "label": "a"}': "its text is a number (3), not a string.",
    '{"text": ["so"], "label": "a"}': "its text is a list (['so']), not a string.",
    '{"text": null, "label": "a"}': "it has no text.",
    '{"label": "a"}': "it has no text.",
    '{"text": "so"}': "it has no label.",
    '{"text": "so", "label": NaN}': "it has no label.",
    '{"text": "so", "label": ""}': "it has no label.",
    '{"text": "so", "label": {"a": 1}}': "its label is an object ({'a': 1}), not a name.",
    "null": 'it is null, not an object: {"text": …}.',
    "[1]": 'it is a list, not an object: {"text": …}.',
    '"so"': 'it is a string, not an object: {"text": …}.',
    '{"text": "so", "label": '
    + "9" * 5000
    + "}": "it can't be read as JSON: Exceeds the limit (4300 digits) for integer string",
    "[" * 100_000: "it can't be read as JSON: maximum recursion depth exceeded",
}


@pytest.mark.parametrize(("row", "said"), JSON_ROWS.items())
def test_a_bad_line_of_json_is_named_and_left_out(row: str, said: str, tmp_path: Path) -> None:
    good = '{"text": "so", "label": "a"}\n'
    path = tmp_path / "a.jsonl"
    path.write_text(f"{good}{row}\n\n{good}")
    with pytest.raises(BadRow) as refused:
        tercet.read(path).collect()
    assert str(refused.value).startswith(f"{path}, line 2: {said}")
    stream = tercet.read(path, on_error="skip")
    assert stream.texts == ["so", "so"]
    assert list(map(str, stream.bad_rows)) == [str(refused.value)]
    assert stream.n_rows == 3


def test_rows_of_a_table_without_text_or_label_are_bad(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["so", None, "la"], "label": [1, 2, None]}), path)
    stream = tercet.read(path, on_error="skip")
    assert (stream.texts, stream.labels) == (["so"], ["1"])
    assert list(map(str, stream.bad_rows)) == [f"{path}, row 2: it has no text.", f"{path}, row 3: it has no label."]
    with pytest.raises(BadSource, match=r"the column 'label' holds int64, not text\. Name another one with --text\."):
        tercet.read(path, text="label", labelled=False).collect()


def test_a_damaged_table_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": ["so"], "label": ["a"]}), path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(BadSource, match="can't be read as Parquet or Arrow: "):
        tercet.read(path).collect()


def test_a_path_that_leads_nowhere_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match=r"nowhere\.csv does not exist: check the name and the folder\."):
        tercet.read(tmp_path / "nowhere.csv")
    with pytest.raises(BadSource, match="can't be opened: File name too long"):
        tercet.read("x" * 5000)
    with pytest.raises(InvalidOption, match='source must be the path of a file or folder, or "-" for standard input, got 3'):
        tercet.read(3)  # type: ignore[arg-type]


def test_a_file_that_must_not_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.csv"
    path.write_text(GOOD)

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "no")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(BadSource, match=r"a\.csv can't be opened: Permission denied\."):
        tercet.read(path).collect()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="is a folder, not a file of the format csv: name the file"):
        tercet.read(tmp_path, format="csv").collect()
    with pytest.raises(BadSource, match="holds no documents"):
        tercet.read(tmp_path).collect()
    with pytest.raises(BadSource, match="is read as files, which has no columns: leave --label out"):
        tercet.read(tmp_path, label="x").collect()


def test_standard_input_may_be_closed_or_no_file_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for stand_in in (None, io.StringIO("so")):
        monkeypatch.setattr(sys, "stdin", stand_in)
        with pytest.raises(BadSource, match="there is no standard input: give a file"):
            tercet.read("-").collect()
    code = "import tercet\ntry: tercet.read('-').collect()\nexcept tercet.errors.BadSource as error: print(error)"
    folder = os.open(tmp_path, os.O_RDONLY)
    said = subprocess.run([sys.executable, "-c", code], stdin=folder, capture_output=True, text=True)
    os.close(folder)
    # Python itself may refuse a folder for its standard input.
    assert "standard input can't be read: Is a directory." in said.stdout or "is a directory" in said.stderr


def test_bad_files_of_a_folder_are_bad_rows(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "1.txt").write_bytes(b"caf\xe9")
    (tmp_path / "a" / "2.txt.gz").write_bytes(b"no")
    (tmp_path / "a" / "3.txt").write_text("so")
    stream = tercet.read(tmp_path, on_error="skip")
    assert stream.texts == ["so"]
    first, second = map(str, stream.bad_rows)
    assert (
        first == f"{tmp_path / 'a' / '1.txt'}: byte 0xe9 (byte 3 of the file, from 0) is not utf-8. Is it --encoding latin-1?"
    )
    assert "can't be read as gzip" in second


def test_undecodable_lines_are_left_out_and_reading_goes_on(tmp_path: Path) -> None:
    rows = [b"so,a", b'"caf\xe9\nbar",b', b"la,c", b"\xff,d", b"mi,e"]
    path = tmp_path / "a.csv"
    path.write_bytes(b"text,label\n" + b"\n".join(rows))
    stream = tercet.read(path, on_error="skip")
    assert (stream.texts, stream.labels) == (["so", "la", "mi"], ["a", "c", "e"])
    assert [row.place for row in stream.bad_rows] == [f"{path}, line 3", f"{path}, line 6"]
    path = tmp_path / "a.txt"
    path.write_bytes(b"so\ncaf\xe9\nla")
    stream = tercet.read(path, on_error="skip", labelled=False)
    assert stream.texts == ["so", "la"]
    assert [bad[0] for batch in stream for bad in batch.bad] == [1]


def test_a_bad_row_survives_a_pickle() -> None:
    row = pickle.loads(pickle.dumps(BadRow("a.csv, line 3", "it has no label.")))
    assert (row.place, row.reason, str(row)) == ("a.csv, line 3", "it has no label.", "a.csv, line 3: it has no label.")


def test_what_stands_before_a_bad_row_is_not_lost(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [json.dumps({"text": str(number), "label": "a"}) for number in range(5)]
    path.write_text("\n".join([*rows, "no"]))
    batches = iter(tercet.read(path))
    assert next(batches).texts == ["0", "1", "2", "3", "4"]
    with pytest.raises(BadRow, match="line 6"):
        next(batches)
    path.write_text(f"[{','.join(rows)}, no]")
    batches = iter(tercet.read(path))
    assert next(batches).texts == ["0", "1", "2", "3", "4"]
    with pytest.raises(BadSource, match="line 1: it is not JSON"):
        next(batches)


PIECES = st.sampled_from(
    [
        b'{"text": ',
        b'"so"',
        b"}",
        b",",
        b'"',
        b"\n",
        b"\r",
        b"\0",
        b"\xff",
        b"a",
        b"__label__",
        b"PAR1",
        b"\t",
        b"3",
        b"[",
        b"]",
    ]
)


SUFFIXES = ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "ft", "mbox", "txt", "csv.gz", "csv.zst", "eml", "xlsx", "ods"]


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(content=st.binary(max_size=60) | st.lists(PIECES, max_size=30).map(b"".join), labelled=st.booleans())
@settings(max_examples=60)
def test_any_bytes_are_read_or_refused(
    suffix: str, content: bytes, labelled: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / f"any.{suffix}"
    path.write_bytes(content)
    with suppress(TercetError):
        stream = tercet.read(path, labelled=labelled, on_error="skip")
        n_given = sum(len(batch) + len(batch.bad) for batch in stream)
        assert n_given == stream.n_rows


def test_a_workbook_a_table_or_a_model_is_not_read_line_by_line(tmp_path: Path) -> None:
    tercet.Categorizer().fit(["so la", "mi"], ["a", "b"]).save(tmp_path / "m.tercet")
    pq.write_table(pa.table({"text": ["so"], "label": ["a"]}), tmp_path / "p.csv")
    (tmp_path / "x.csv").write_bytes(write_xlsx([["text", "label"], ["so", "a"]]))
    said = {"m.tercet": "is a model, not data: give a file or folder of documents."}
    said["p.csv"] = "is not csv: it begins like parquet. Read it with --format parquet."
    said["x.csv"] = "is not csv: it begins like xlsx. Read it with --format xlsx."
    for name, sentence in said.items():
        for options in ({}, {"labelled": False}, {"text": "text", "label": "label"}, {"on_error": "skip"}):
            with pytest.raises(BadSource) as refused:
                tercet.read(tmp_path / name, **options).start()
            assert str(refused.value) == f"{tmp_path / name} {sentence}"
    (tmp_path / "t.txt").write_text("PAR1 is the first word\n")
    assert tercet.read(tmp_path / "t.txt", labelled=False, format="text").texts == ["PAR1 is the first word"]
