"""What was written in a format is read from it."""

import csv
import io
import json
import mailbox
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from helpers.written_files import (
    COMPRESSIONS,
    LABELS,
    MAILS,
    ONE_LINERS,
    ONE_WORDS,
    TEXTS,
    WRITERS,
    compress,
    write_csv,
    write_files,
    write_folders,
)
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet.errors import BadRow, BadSource


def pairs(texts: list[str], labels: list[str] | None) -> list[tuple[str, str]]:
    return sorted(zip(texts, labels or [], strict=True))


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", WRITERS)
def test_tables_come_back_as_they_were_written(kind: str, compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"written.{kind}{compression}"
    path.write_bytes(compress(WRITERS[kind](), compression))
    stream = tercet.read(path)
    assert stream.texts == TEXTS
    assert stream.labels == LABELS
    values = """text: column 'text' ('Così "disse", …', '한국어, 日本語; 🚣🏽'), label: column 'label' ('inferno', "it's")"""
    assert stream.guess == values
    assert stream.n_bytes == path.stat().st_size
    # Of a table with a directory at its end, the last bytes are read first.
    assert stream.bytes_read == stream.n_bytes or (compression == "" and kind in ("parquet", "feather", "arrow"))


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_lines_of_fasttext_come_back(compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"written.ft{compression}"
    lines = [f"__label__{label} {text}" for text, label in zip(ONE_LINERS, ONE_WORDS, strict=True)]
    path.write_bytes(compress("\r\n".join(lines).encode(), compression))
    stream = tercet.read(path)
    assert (stream.texts, stream.labels) == (ONE_LINERS, ONE_WORDS)
    assert tercet.read(path, labelled=False).texts == ONE_LINERS


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_lines_of_text_come_back_and_blank_ones_count(compression: str, tmp_path: Path) -> None:
    path = tmp_path / f"written.txt{compression}"
    path.write_bytes(compress("\n".join(["", *ONE_LINERS, "", " x "]).encode() + b"\n", compression))
    stream = tercet.read(path, labelled=False)
    assert stream.texts == ["", *ONE_LINERS, "", " x "]
    assert stream.labels is None


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("write", [write_folders, write_files])
def test_folders_come_back(write: Callable[[Path, str], None], compression: str, tmp_path: Path) -> None:
    write(tmp_path / "corpus", compression)
    (tmp_path / "corpus" / ".hidden").write_text("left out")
    stream = tercet.read(tmp_path / "corpus")
    assert pairs(stream.texts, stream.labels) == pairs(ONE_LINERS, ONE_WORDS)
    assert stream.guess == ("format: folders" if write is write_folders else "format: files")
    assert sorted(tercet.read(tmp_path / "corpus", labelled=False).texts) == sorted(ONE_LINERS)


def test_the_folder_at_hand_has_places_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_folders(tmp_path)
    (tmp_path / "README").write_text("left out")
    monkeypatch.chdir(tmp_path)
    stream = tercet.read(".")
    assert [batch.place(0) for batch in stream] == [os.path.join(".", "inferno", "0.txt")]
    assert stream.guess == "format: folders, 1 file outside the sub-folders left out"
    assert stream.n_rows == len(ONE_LINERS)


@pytest.mark.parametrize("compression", COMPRESSIONS)
def test_an_mbox_is_split_as_the_standard_library_splits_it(compression: str, tmp_path: Path) -> None:
    plain, path = tmp_path / "plain", tmp_path / f"spam.mbox{compression}"
    plain.write_text("\n".join(mail.replace("\nFrom there", "\n>From there") for mail in MAILS) + "\n")
    path.write_bytes(compress(plain.read_bytes(), compression))
    stream, box = tercet.read(path), mailbox.mbox(plain)
    assert [text.strip("\n") for text in stream.texts] == [
        box.get_string(key, from_=True).strip("\n") for key in box.iterkeys()
    ]
    assert stream.labels == ["spam"] * 3
    assert stream.guess == "label: 'spam', the name of the file"
    box.close()


def test_a_mail_begins_behind_a_blank_line_only(tmp_path: Path) -> None:
    (tmp_path / "spam.mbox").write_text("".join(mail + "\n" for mail in MAILS))
    (tmp_path / "ham.mbox").write_text(MAILS[1])
    stream = tercet.read(tmp_path)
    assert stream.texts == [MAILS[1], *MAILS]
    assert stream.labels == ["ham", "spam", "spam", "spam"]
    places = [batch.place(position) for batch in stream for position in range(len(batch))]
    assert places[2] == f"{tmp_path / 'spam.mbox'}, line 10"


def test_emails_in_folders_are_known_by_their_header_and_never_refused(tmp_path: Path) -> None:
    for label, mails in {"ham": MAILS[:1], "spam": MAILS[1:]}.items():
        (tmp_path / label).mkdir()
        for number, mail in enumerate(mails):
            (tmp_path / label / str(number)).write_bytes((mail + "é").encode("latin-1"))
    stream = tercet.read(tmp_path)
    assert stream.texts == [mail + "é" for mail in MAILS]
    assert stream.labels == ["ham", "spam", "spam"]
    assert stream.guess == "format: emails"


CELLS = st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs"])), min_size=2, max_size=2), min_size=1, max_size=8)


@given(CELLS, st.sampled_from(["\n", "\r\n", "\r"]), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
def test_csv_is_what_python_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]], end: str, quoting: int
) -> None:
    file = io.StringIO(newline="")
    csv.writer(file, lineterminator=end, quoting=quoting).writerows([["text", "extra"], *rows])  # type: ignore[arg-type]
    path = tmp_path_factory.getbasetemp() / "invented.csv"
    path.write_bytes(file.getvalue().encode())
    with path.open(newline="", encoding="utf-8") as lines:
        expected = [row for row in csv.reader(lines) if row][1:]
    stream = tercet.read(path, text="text", columns=["extra"], labelled=False, on_error="skip")
    found = [list(row) for row in zip(stream.texts, stream.columns["extra"], strict=True)]
    # Some versions of Python write a \r without quotes: then it ends the row for them, too.
    assert found == [row for row in expected if len(row) == 2]
    assert found == rows or quoting == csv.QUOTE_MINIMAL
    assert stream.n_rows == len(expected)


@given(st.text('ab",;\r\n ', max_size=40))
def test_any_csv_is_read_as_python_reads_it_or_named_bad(tmp_path_factory: pytest.TempPathFactory, content: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(f"text,b\n{content}".encode())
    with path.open(newline="", encoding="utf-8") as lines:
        expected = [row for row in csv.reader(lines) if row][1:]
    stream = tercet.read(path, text="text", columns=["b"], labelled=False, on_error="skip")
    rows = [list(row) for row in zip(stream.texts, stream.columns["b"], strict=True)]
    open_end = [bad for bad in stream.bad_rows if "never closed" in bad.reason]
    comma = [row for row in expected if len(row) == 2][: -1 if open_end and len(expected[-1]) == 2 else None]
    assert rows == comma
    assert stream.n_rows == len(expected)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(), st.lists, max_leaves=3
)


@given(st.lists(st.tuples(st.text(), VALUES), min_size=1, max_size=8), st.booleans())
def test_json_is_what_python_reads(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, object]], plain: bool
) -> None:
    lines = [json.dumps({"text": text, "extra": extra}, ensure_ascii=plain) for text, extra in rows]
    path = tmp_path_factory.getbasetemp() / "invented.jsonl"
    path.write_bytes("\n".join(lines).encode("utf-8", "backslashreplace"))
    expected = [json.loads(line) for line in path.read_bytes().split(b"\n")]
    stream = tercet.read(path, text="text", columns=["extra"], labelled=False)
    assert stream.texts == [row["text"] for row in expected]
    assert stream.columns["extra"] == [row["extra"] for row in expected]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-be", "utf-32", "cp500", "gb18030"])
def test_encodings_that_are_named_are_read(encoding: str, tmp_path: Path) -> None:
    texts, labels = ["Così è", "perché, no\nsì"], ["à", "b"]
    path = tmp_path / "written.csv"
    path.write_bytes(write_csv(texts, labels).decode().encode(encoding))
    stream = tercet.read(path, encoding=encoding)
    assert (stream.texts, stream.labels) == (texts, labels)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_ends_of_lines_and_byte_order_marks_are_no_text(end: str, mark: str, tmp_path: Path) -> None:
    for name, content in {
        "a.csv": f"text,label{end}so,a{end}la\0,b{end}",
        "a.jsonl": f'{{"text": "so", "label": "a"}}{end}{end}{{"text": "la\\u0000", "label": "b"}}{end}',
        "a.ft": f"__label__a so{end}{end}__label__b la\0{end}",
    }.items():
        (tmp_path / name).write_bytes((mark + content).encode())
        stream = tercet.read(tmp_path / name)
        assert (stream.texts, stream.labels) == (["so", "la\0"], ["a", "b"])
    (tmp_path / "a.txt").write_bytes((mark + f"so{end}la\0{end}").encode())
    assert tercet.read(tmp_path / "a.txt", labelled=False).texts == ["so", "la\0"]


def test_labels_become_strings_and_weights_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = [{"text": "so", "stars": stars, "w": w} for stars, w in [(3, 1), (True, "0.5"), ("x", 2.5), (1.5, 0)]]
    path.write_text("\n".join(map(json.dumps, rows)))
    stream = tercet.read(path, label="stars", weight="w", columns=["stars"])
    assert stream.labels == ["3", "true", "x", "1.5"]
    assert stream.weights == [1.0, 0.5, 2.5, 0.0]
    assert stream.columns == {"stars": [3, True, "x", 1.5]}


def test_lines_with_several_labels_are_a_document_for_each(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("#a #b so la\n#c\n#d do\n")
    stream = tercet.read(path, prefix="#")
    assert stream.texts == ["so la", "so la", "", "do"]
    assert stream.labels == ["a", "b", "c", "d"]
    assert stream.guess == "format: fasttext, 1 of the first 3 lines has several labels: one document for each"
    assert tercet.read(path, prefix="#", labelled=False).texts == ["so la", "", "do"]


@pytest.mark.parametrize("first", ["sep=;\r\n", '"sep=;"\r\n', "SEP=;\n"])
def test_the_first_line_may_name_the_delimiter_for_excel(first: str, tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    content = f"{first}text;label\r\nWell, so; la\r\nNo, no; do\r\ncafe, no;la\r\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_bytes(content.encode(encoding))
        stream = tercet.read(path, encoding="utf-16" if encoding == "utf-16" else "utf-8")
        batch = next(iter(stream))
        assert batch.texts == ["Well, so", "No, no", "cafe, no"]
        assert (batch.place(1), batch.row(1)) == (f"{path}, row 3", 3)  # a spreadsheet does not show the first line
    assert stream.guess is not None
    assert stream.guess.startswith("cells separated by semicolons, text: column 'text'")
    path.with_suffix(".dat").write_bytes(content.encode())
    assert tercet.read(path.with_suffix(".dat"), labelled=False).texts == batch.texts
    path.write_bytes(content.replace("cafe", "café").encode("latin-1"))
    with pytest.raises(BadRow, match=rf"line 5: byte 0xe9 \(byte {path.read_bytes().index(0xE9)} of the file"):
        tercet.read(path).collect()


def test_any_sign_may_be_named_as_delimiter(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sep=^\ntext^label\nso, la^x\nmi; do^y\n")
    stream = tercet.read(tmp_path / "a.csv")
    assert (stream.texts, stream.labels) == (["so, la", "mi; do"], ["x", "y"])
    assert "cells separated by '^'" in str(stream.guess)
    (tmp_path / "a.csv").write_text("sep=;\n")
    with pytest.raises(BadSource, match="holds no documents"):
        tercet.read(tmp_path / "a.csv").collect()
