"""Damaged columns of Arrow, in files and in memory, are refused. Reading them unchecked would end the process."""

import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tercet
from tercet import Categorizer, Documents
from tercet.arrow_columns import is_arrow
from tercet.errors import BadSource, InvalidLabel, InvalidMatrix, InvalidText, TercetError

TEXTS, LABELS = ["so la", "la mi", "so mi", "mi mi"], ["a", "b", "a", "b"]


def write_arrow(columns: dict[str, Any], *, stream: bool = False) -> bytes:
    table, sink = pa.table(columns), pa.BufferOutputStream()
    with (pa.ipc.new_stream if stream else pa.ipc.new_file)(sink, table.schema) as writer:
        writer.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def change(content: bytes, old: bytes, new: bytes) -> bytes:
    assert content.count(old) == 1
    assert len(old) == len(new)
    return content.replace(old, new)


def change_offset(content: bytes) -> bytes:
    """The same file with one offset of the texts changed: it leads far beyond the column."""
    return change(content, struct.pack("<5i", 0, 5, 10, 15, 20), struct.pack("<5i", 0, 5, 10, 1 << 30, 20))


def read_unchecked(content: bytes) -> Any:
    return pa.ipc.open_stream(content).read_all()


def make_damaged(texts: list[str] = TEXTS) -> Any:
    """A column of text with one changed offset."""
    return read_unchecked(change_offset(write_arrow({"text": texts}, stream=True))).column("text")


def make_undecodable(kind: Any = None) -> Any:
    """A column of text with a letter that is not UTF-8."""
    column = pa.array(["so é la, a text that is longer than a short view"] * 4, kind or pa.string())
    content = write_arrow({"text": column}, stream=True)
    return read_unchecked(content.replace("é".encode(), b"\xe9 ")).column("text")


COMMANDS = """
import sys
from tercet.cli.main import run
model, path, new = sys.argv[1:]
print(run(["predict", model, path]), run(["train", path, "-o", new]), run(["doctor", path]))
"""


@pytest.mark.parametrize("suffix", ["arrow", "arrows"])
def test_one_changed_offset_is_refused_in_one_line(suffix: str, tmp_path: Path) -> None:
    path, model = tmp_path / f"a.{suffix}", tmp_path / "m.tercet"
    path.write_bytes(change_offset(write_arrow({"text": TEXTS, "label": LABELS}, stream=suffix == "arrows")))
    Categorizer().fit(TEXTS, LABELS).save(model)
    words = [str(model), str(path), str(tmp_path / "new.tercet")]
    run = subprocess.run([sys.executable, "-c", COMMANDS, *words], capture_output=True, text=True)
    assert (run.returncode, run.stdout) == (0, "2 2 2\n")
    errors = run.stderr.splitlines()
    assert len(errors) == 3
    assert all(line.startswith(f"tercet: {path} can't be read as Parquet or Arrow: ") for line in errors)


def test_names_cells_and_indices_of_files_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    plain = write_arrow({"text": TEXTS, "label": LABELS, "nöte": LABELS})
    coded = write_arrow(
        {"text": TEXTS, "label": pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, 1], pa.int32()), ["a", "b"])}
    )
    for content in (
        plain.replace("nöte".encode(), b"n\xf6 te"),
        plain.replace(b"so lala mi", b"so lal\xff mi"),
        change(coded, struct.pack("<4i", 0, 1, 0, 1), struct.pack("<4i", 0, 1, 0, 7)),
    ):
        path.write_bytes(content)
        with pytest.raises(BadSource, match=r"can't be read as Parquet or Arrow: .*Is it complete\?"):
            tercet.read(path, columns="all").collect()


def test_parquet_with_cells_that_are_not_utf_8_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"text": TEXTS, "label": LABELS}), path, compression="none", use_dictionary=False)
    path.write_bytes(path.read_bytes().replace(b"so la", b"so \xff\xff"))
    with pytest.raises(BadSource, match=r"can't be read as Parquet or Arrow: .*Invalid UTF8"):
        tercet.read(path).collect()


def test_dates_that_python_can_not_hold_are_texts(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    path.write_bytes(write_arrow({"text": TEXTS, "label": LABELS, "day": pa.array([2**60] * 4, pa.timestamp("s"))}))
    assert tercet.read(path, columns="all").columns["day"] == [f"<value out of range: {2**60}>"] * 4
    path.write_bytes(write_arrow({"text": TEXTS, "label": LABELS, "day": pa.array([1] * 4, pa.timestamp("s", "nowhere"))}))
    with pytest.raises(BadSource, match=r"the cells of 'day' hold .*tz=nowhere.* that can't be read: .* Convert them to text"):
        tercet.read(path, columns="all").collect()


def test_files_of_views_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.arrow"
    path.write_bytes(write_arrow({"text": pa.array(TEXTS * 30, pa.string_view()), "label": pa.array(LABELS * 30)}))
    assert tercet.read(path).texts == TEXTS * 30


CALLS = """
import sys
sys.path.insert(0, sys.argv[1])
from test_damaged_columns import *
from tercet import evaluate
from tercet.spark.arrow_documents import Columns
for column in (make_damaged(), make_undecodable(), make_undecodable(pa.string_view()), make_undecodable(pa.large_string())):
    model = Categorizer().fit(TEXTS, LABELS)
    for call in (
        lambda: model.predict(column),
        lambda: model.learn(column, LABELS),
        lambda: Categorizer().fit(TEXTS, column),
        lambda: tercet.train(column, LABELS),
        lambda: tercet.train(TEXTS, column),
        lambda: Documents.join({"a": column, "b": TEXTS}),
        lambda: Documents(TEXTS, columns={"a": column}),
        lambda: evaluate(LABELS, column),
        lambda: Columns.of("text").detect_missing(pa.table({"text": column}).combine_chunks().to_batches()[0]),
    ):
        try:
            call()
            print("no error")
        except TercetError as error:
            print("refused" if "damaged column of Arrow" in str(error) else error)
"""


def test_damaged_columns_in_memory_are_refused() -> None:
    command = [sys.executable, "-c", CALLS, str(Path(__file__).parent)]
    run = subprocess.run(command, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.split() == ["refused"] * 36


def test_the_error_says_which_column_and_what_to_do() -> None:
    damaged = make_damaged()
    for call, kind, what in (
        (lambda: Documents(damaged), InvalidText, "the texts are"),
        (lambda: Documents(TEXTS, damaged), InvalidLabel, "the labels are"),
        (lambda: Documents(TEXTS, LABELS, damaged), InvalidMatrix, "the weights are"),
        (lambda: Documents(TEXTS, columns={"stars": damaged}), InvalidMatrix, "the cells of 'stars' are"),
    ):
        with pytest.raises(kind, match=f"{what} a damaged column of Arrow .*: .*Make it anew from its source"):
            call()


class Broken:
    """Something that says it is a column of Arrow, and is not."""

    def __init__(self, made: object) -> None:
        self.made = made

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


@pytest.mark.parametrize("made", [None, 3, RuntimeError("no"), KeyError(), pa.table({"a": [1]}).__arrow_c_stream__()])
def test_broken_capsules_are_refused(made: object) -> None:
    with pytest.raises(TercetError):
        Categorizer().fit(TEXTS, LABELS).predict(Broken(made))
    with pytest.raises(TercetError):
        Categorizer().fit(TEXTS, Broken(made))


def test_good_columns_of_all_libraries_stay_as_they_are() -> None:
    expected = Categorizer().fit(TEXTS, LABELS).predict_proba(TEXTS)
    for texts in (pa.array(TEXTS), pa.chunked_array([TEXTS[:2], TEXTS[2:]]), pl.Series(TEXTS), pd.Series(TEXTS)):
        for labels in (pa.array(LABELS), pl.Series(LABELS), pl.Series(LABELS, dtype=pl.Categorical), pd.Series(LABELS)):
            documents = Documents(texts, labels, columns={"id": texts})
            assert [documents.texts is texts, documents.labels is labels, documents.columns["id"] is texts] == [True] * 3
            assert np.array_equal(Categorizer().fit(documents).predict_proba(texts), expected)


def test_a_buffer_of_offsets_may_be_longer_than_its_offsets() -> None:
    offsets = pa.py_buffer(struct.pack("<3i", 0, 2, 4) + b"\0\0\0")
    column = pa.Array.from_buffers(pa.string(), 2, [None, offsets, pa.py_buffer(b"sola")])
    empty = pa.Array.from_buffers(pa.string(), 0, [None, pa.py_buffer(b""), pa.py_buffer(b"")])
    model = Categorizer().fit(["so", "la"], ["a", "b"])
    assert model.predict(column).tolist() == ["a", "b"]
    assert model.predict(pa.chunked_array([empty, column])).tolist() == ["a", "b"]


def test_columns_of_numpy_are_no_columns_of_arrow() -> None:
    assert not any(map(is_arrow, (pd.Series([1]), pd.Series(["a"], dtype=object), np.array(["a"]), ["a"], None)))
    assert all(map(is_arrow, (pd.Series(["a"], dtype="string[pyarrow]"), pl.Series(["a"]), pa.array(["a"]))))


@pytest.mark.parametrize("column", [pa.array(["1", "mutt"]), pa.chunked_array([["1"], ["mutt"]]), ["1", "mutt"]])
def test_a_cell_that_is_no_number_is_named_in_every_kind_of_column(column: Any) -> None:
    documents = Documents(["a", "b"], ["x", "y"], columns={"mailer": column})
    with pytest.raises(InvalidMatrix, match=r"'mailer' has 'mutt' at 1 .*not a number"):
        documents.numbers(["mailer"])
