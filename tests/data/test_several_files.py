"""Several files are one source, if they have the same columns."""

import gzip
import json
from pathlib import Path

import pytest
from helpers.written_files import MAILS, write_xlsx

import tercet
from tercet.errors import BadRow, BadSource, InvalidOption


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("text,label\nso,x\nla,y\n")
    Path("b.csv").write_text("label,text\nx,mi\n")
    Path("c.csv.gz").write_bytes(gzip.compress(b"text;label\ndo;x\nre;z\n"))
    Path("d.jsonl").write_text(json.dumps({"text": "fa", "label": "y"}))
    Path("e.xlsx").write_bytes(write_xlsx([["text", "label"], ["sol", "x"]]))


NAMES = ["a.csv", "b.csv", "c.csv.gz", "d.jsonl", "e.xlsx"]
PLACES = ["a.csv, line 2", "b.csv, line 2", "c.csv.gz, line 2", "d.jsonl, line 1", "e.xlsx, row 2"]
TEXTS = ["so", "la", "mi", "do", "re", "fa", "sol"]


def test_documents_of_several_files_come_in_the_order_of_the_files() -> None:
    stream = tercet.read(NAMES)
    assert stream.texts == TEXTS
    assert stream.labels == ["x", "y", "x", "x", "z", "y", "x"]
    assert stream.name == "a.csv and 4 other files"
    assert stream.n_bytes == sum(Path(name).stat().st_size for name in NAMES)
    assert [batch.place(0) for batch in stream] == [
        "a.csv, row 2",
        "b.csv, row 2",
        "c.csv.gz, row 2",
        "d.jsonl, row 1",
        "e.xlsx, row 2",
    ]
    assert stream.n_rows == 7
    assert sorted(tercet.read(NAMES[::-1]).texts) == sorted(TEXTS)


def test_a_pattern_names_files_in_sorted_order_and_an_existing_file_is_no_pattern() -> None:
    assert tercet.read("?.csv").texts == tercet.read(Path("?.csv")).texts == ["so", "la", "mi"]
    assert tercet.read(["?.csv", Path("d.jsonl")]).texts == ["so", "la", "mi", "fa"]
    Path("[ab].csv").write_text("text,label\nalone,x\n")
    assert tercet.read("[ab].csv").texts == ["alone"]
    Path("below/deep").mkdir(parents=True)
    Path("below/deep/f.csv").write_text("text,label\nti,x\n")
    assert tercet.read("below/**/*.csv").texts == ["ti"]


def test_the_columns_of_the_first_file_are_used_and_nothing_is_guessed_about_the_others() -> None:
    Path("f.csv").write_text("text,label\n1,a rather long text that looks like one\n2,another one of them\n")
    stream = tercet.read(["a.csv", "f.csv"])
    assert stream.texts == ["so", "la", "1", "2"]
    assert stream.fields is not None
    assert (stream.fields.texts, stream.fields.label) == (("text",), "label")


def test_mboxes_have_the_label_of_their_file() -> None:
    Path("ham.mbox").write_text(MAILS[0])
    Path("spam.mbox").write_text(MAILS[1])
    assert tercet.read(["ham.mbox", "spam.mbox"]).labels == ["ham", "spam"]


def test_a_bad_row_names_its_file_and_the_documents_before_it_come_first() -> None:
    Path("f.csv").write_text("text,label\nti,x\nno\n")
    batches = iter(tercet.read(["a.csv", "f.csv"]))
    assert [next(batches).texts, next(batches).texts] == [["so", "la"], ["ti"]]
    with pytest.raises(BadRow, match=r"^f\.csv, line 3: it has 1 cell, but the first row has 2"):
        next(batches)


def test_other_columns_are_refused_before_anything_is_read() -> None:
    Path("f.csv").write_text("text,queue\nti,x\n")
    Path("g.csv").write_text("text,label,date\nti,x,1\n")
    Path("h.ft").write_text("__label__x ti\n")
    for names, said in {
        ("a.csv", "f.csv"): "f.csv has no column 'label', but a.csv has one: files that are read together must have the same",
        ("a.csv", "g.csv"): "g.csv has a column 'date', but a.csv has none: files that are read together must have the same",
        ("g.csv", "a.csv"): "a.csv has no column 'date', but g.csv has one: files that are read together must have the same",
        ("a.csv", "h.ft"): "h.ft has no column 'text', but a.csv has one: files that are read together must have the same",
        ("h.ft", "a.csv"): "a.csv is a table, but h.ft is not: files that are read together must have the same columns.",
    }.items():
        with pytest.raises(BadSource, match=f"^{said}"):
            tercet.read(list(names)).start()


def test_wrong_lists_of_files_are_refused() -> None:
    with pytest.raises(BadSource, match=r"^no file matches z/\*\.csv: check the pattern and the folder"):
        tercet.read("z/*.csv")
    with pytest.raises(BadSource, match=r"^z\.csv does not exist"):
        tercet.read(["a.csv", "z.csv"])
    with pytest.raises(BadSource, match=r"^a\.csv is named twice: its documents would count twice"):
        tercet.read(["a.csv", "?.csv"])
    with pytest.raises(BadSource, match=r"^standard input can't be read together with files"):
        tercet.read(["a.csv", "-"])
    with pytest.raises(InvalidOption, match=r"source must be at least one path, got \[\]"):
        tercet.read([])
