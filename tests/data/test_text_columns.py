"""Documents with several text columns, from files and from Python."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from tercet.data.documents import Documents
from tercet.errors import BadRow, BadSource, InvalidOption, InvalidText

ROWS = [("Refund", "Where is it?", "bill"), ("", "See you", "ham"), ("Buy\x1fnow", "cheap", "spam")]
JOINED = ["Refund\x1fWhere is it?", "\x1fSee you", "Buy now\x1fcheap"]
CSV = "subject,body,queue\n" + "".join(f'"{s}","{b}",{q}\n' for s, b, q in ROWS)


def write_parquet(path: Path) -> None:
    subjects, bodies, queues = zip(*ROWS, strict=True)
    pq.write_table(pa.table({"subject": subjects, "body": bodies, "queue": queues}), path)


def write(path: Path) -> Path:
    if path.suffix == ".parquet":
        write_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(("subject", "body", "queue"), row, strict=True))) + "\n" for row in ROWS))
    else:
        path.write_text(CSV if path.suffix == ".csv" else CSV.replace(",", "\t"))
    return path


@pytest.mark.parametrize("name", ["a.csv", "a.tsv", "a.jsonl", "a.parquet"])
def test_several_text_columns_are_joined_in_the_order_in_which_they_are_named(name: str, tmp_path: Path) -> None:
    path = write(tmp_path / name)
    stream = tercet.read(path, text=["subject", "body"], label="queue")
    assert (stream.texts, stream.text_columns) == (JOINED, ("subject", "body"))
    assert next(iter(stream)).text_columns == ("subject", "body")
    assert tercet.read(path, text=["body", "subject"], label="queue").texts[0] == "Where is it?\x1fRefund"


def test_one_text_column_is_a_plain_text(tmp_path: Path) -> None:
    stream = tercet.read(write(tmp_path / "a.csv"), text=["subject"], label="queue")
    assert (stream.texts, stream.text_columns) == ([row[0] for row in ROWS], ("subject",))


def test_the_label_is_guessed_beside_several_text_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,subject,body,class\n1,so,la,x\n2,mi,do,y\n")
    stream = tercet.read(path, text=["subject", "body"])
    assert (stream.labels, stream.guess) == (["x", "y"], "label: column 'class' ('x', 'y')")


def test_text_columns_of_a_file_without_a_header_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("x,so,la\ny,mi,do\n")
    stream = tercet.read(path, text=[3, 2], label=1)
    assert (stream.texts, stream.labels, stream.text_columns) == (["la\x1fso", "do\x1fmi"], ["x", "y"], ("3", "2"))


def test_a_row_without_any_text_cell_is_bad_and_one_missing_cell_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": null, "b": "so", "y": 1}\n{"a": null, "b": null, "y": 1}\n{"a": "la", "b": 3, "y": 1}\n{"y": 1}\n')
    stream = tercet.read(path, text=["a", "b"], label="y", on_error="skip")
    assert stream.texts == ["\x1fso"]
    assert [str(bad).partition("a.jsonl, ")[2] for bad in stream.bad_rows] == [
        "line 2: it has no text.",
        "line 3: its 'b' is 3, not a string.",
        "line 4: it has no text.",
    ]


def test_documents_before_a_bad_row_know_their_text_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV + "too,few\n")
    batches = iter(tercet.read(path, text=["subject", "body"], label="queue"))
    first = next(batches)
    assert (first.texts, first.text_columns) == (JOINED, ("subject", "body"))
    with pytest.raises(BadRow):
        next(batches)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"text": ["subject", "subject"]}, "the column 'subject' is named twice as text: name different columns."),
        ({"text": ["subject", "queue"], "label": "queue"}, "the column 'queue' is named for two of text, label and weight"),
        ({"text": ["subject", 0.5]}, "text must be the name of a column or its number from 1 on, got 0.5"),
        ({"text": ["subject", "title"]}, "has no column 'title': it has 'subject', 'body', 'queue'. Name one of these with"),
    ],
)
def test_wrong_names_of_text_columns_are_refused(options: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises((InvalidOption, BadSource), match=said.replace(".", r"\.")):
        tercet.read(write(tmp_path / "a.csv"), **options).collect()


def test_columns_in_memory_are_joined_like_those_of_a_file() -> None:
    subjects, bodies, queues = map(list, zip(*ROWS, strict=True))
    for container in (list, tuple, pd.Series, pa.array):
        documents = Documents.join(
            {"subject": container(subjects), "body": container(bodies)}, queues, columns={"n": [1, 2, 3]}
        )
        assert (documents.texts, documents.text_columns, documents.labels) == (JOINED, ("subject", "body"), queues)
        assert documents.columns == {"n": [1, 2, 3]}


def test_columns_in_memory_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InvalidText, match=r"equally many cells: 'a' has 1, 'b' has 2"):
        Documents.join({"a": ["so"], "b": ["la", "mi"]})
    with pytest.raises(InvalidText, match=r"document 1 \(counted from 0\): all its text columns are missing"):
        Documents.join({"a": ["so", None], "b": ["la", float("nan")]})
    with pytest.raises(InvalidText, match=r"document 0 \(counted from 0\): its 'b' is 3, not a string"):
        Documents.join({"a": ["so"], "b": [3]})
    with pytest.raises(InvalidText, match="the column 'b' is a single str"):
        Documents.join({"a": ["so"], "b": "l"})
    for names in ("body", 3, [3]):
        with pytest.raises(InvalidOption, match="text_columns must be a list of names"):
            Documents(["so"], text_columns=names)  # type: ignore[arg-type]
    assert Documents(["so\x1fla"], text_columns=["a", "b"]).text_columns == ("a", "b")  # type: ignore[arg-type]
    for wrong in (["so"], {}):
        with pytest.raises(InvalidOption, match="columns by name"):
            Documents.join(wrong)  # type: ignore[arg-type]
