"""A stream of documents: its memory, its pipes, its places, its guesses."""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.written_files import TEXTS, WRITERS, compress

import tercet
from tercet.data import source
from tercet.errors import BadRow, BadSource, InvalidOption

Rows = list[dict[str, str]]


@pytest.fixture
def long_csv(tmp_path: Path) -> Iterator[Path]:
    """50 MB, more than any batch."""
    path = tmp_path / "long.csv"
    with path.open("w", newline="") as file:
        file.write("text,label\n")
        for number in range(5000):
            file.write(f'"{"so la mi " * 1100}\n{number}",{number % 7}\n')
    yield path
    path.unlink()


def test_memory_does_not_grow_with_the_file(long_csv: Path) -> None:
    stream, n_bytes = tercet.read(long_csv), 0
    tracemalloc.start()
    for batch in stream:
        n_bytes += sum(map(len, batch.texts))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_bytes > 45e6
    assert peak < 20e6
    assert stream.n_rows == 5000
    assert stream.bytes_read == long_csv.stat().st_size


def test_memory_does_not_grow_with_an_array_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "long.json"
    rows = (json.dumps({"text": "so la mi " * 1100, "label": str(number % 7)}) for number in range(3000))
    path.write_text(f"[{', '.join(rows)}]")
    tracemalloc.start()
    n_documents = sum(len(batch) for batch in tercet.read(path, text="text", label="label"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert n_documents == 3000
    assert peak < 20e6


def test_a_line_of_many_megabytes_is_one_document(tmp_path: Path) -> None:
    long = "so la " * 4_000_000
    for name, content in {"a.csv": f'text,label\n"{long}",a\n', "a.jsonl": json.dumps({"text": long, "label": "a"})}.items():
        (tmp_path / name).write_text(content)
        assert tercet.read(tmp_path / name).texts == [long]


def test_a_line_that_no_memory_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.source.MAX_DOCUMENT_BYTES", 3 << 20)
    path = tmp_path / "a.txt"
    path.write_text("so\n" + "la " * (3 << 20))
    with pytest.raises(BadSource, match="line 2 is longer than 3 MiB: is it a text file"):
        tercet.read(path, labelled=False).collect()


@pytest.mark.parametrize("kind", WRITERS)
def test_blocks_of_any_size_give_the_same_documents(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / f"a.{kind}"
    path.write_bytes(WRITERS[kind]())
    whole = [(batch.place(position), batch.texts[position]) for batch in tercet.read(path) for position in range(len(batch))]
    for size in (4096, 64, 7, 1):
        monkeypatch.setattr(source, "BLOCK_BYTES", size)
        stream = tercet.read(path, text="text", label="label")
        parts = [(batch.place(position), batch.texts[position]) for batch in stream for position in range(len(batch))]
        assert parts == whole
    assert [text for _, text in whole] == TEXTS


def test_a_file_need_not_end_with_the_end_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,so la mi\nb,so do")
    (batch,) = tercet.read(path)
    assert (batch.texts, batch.labels) == (["so la mi", "so do"], ["a", "b"])
    path.write_text("so la mi,a")
    assert tercet.read(path, text=1, label=2).texts == ["so la mi"]


def test_blank_lines_at_the_beginning_may_hide_the_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "BLOCK_BYTES", 4)
    for name, content in {"a.csv": "text,label\nso,a\n", "a.jsonl": '{"text": "so", "label": "a"}'}.items():
        path = tmp_path / name
        path.write_text("\n" * 8 + content)
        with pytest.raises(BadSource, match="line 9: only blank lines come before it, so the columns are unknown"):
            tercet.read(path).collect()


def test_places_are_where_documents_begin(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('text,label\n\n"so\nla",a\nmi,b\n"",c\nbad\ndo,d\n')
    (batch,) = tercet.read(path, on_error="skip")
    assert list(batch.lines) == [3, 5, 6, 8]
    assert [batch.place(position) for position in range(4)] == [f"{path}, row {number}" for number in (3, 4, 5, 7)]
    assert [(position, str(row)) for position, row in batch.bad] == [
        (3, f"{path}, line 7: it has 1 cell, but the first row has 2.")
    ]


def test_a_file_is_read_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\nso,a\nbad\nla,b\n")
    stream = tercet.read(path, on_error="report")
    told: list[BadRow] = []
    stream.tell = told.append
    assert stream.is_repeatable
    assert stream.start().guess == "text: column 'text' ('so', 'la'), label: column 'label' ('a', 'b')"
    for _ in range(3):
        assert [text for batch in stream for text in batch.texts] == ["so", "la"]
        assert (stream.n_rows, len(stream.bad_rows)) == (3, 1)
    assert len(told) == 3
    assert stream.texts is stream.texts


def pipe_in(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.parametrize("compression", ["", ".gz", ".bz2", ".xz", ".zst"])
@pytest.mark.parametrize("kind", WRITERS)
def test_standard_input_is_known_by_its_content(kind: str, compression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe_in(monkeypatch, compress(WRITERS[kind](), compression))
    stream = tercet.read("-")
    assert stream.texts == TEXTS
    assert (stream.name, stream.is_repeatable, stream.n_bytes) == ("standard input", False, None)
    assert stream.bytes_read > 0
    with pytest.raises(BadSource, match="standard input can be read only once: save it to a file first, and read that"):
        iter(stream)


def test_lines_on_standard_input_are_texts_where_no_labels_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    pipe_in(monkeypatch, b"well, well\nso, so\n")
    assert tercet.read("-", labelled=False).texts == ["well, well", "so, so"]
    pipe_in(monkeypatch, b"so\n\n\nla")
    assert tercet.read("-", labelled=False).texts == ["so", "", "", "la"]
    pipe_in(monkeypatch, b"")
    assert tercet.read("-", labelled=False).texts == []


@pytest.mark.parametrize("kind", ["csv", "json", "jsonl", "text"])
def test_what_came_through_a_pipe_is_given_before_more_comes(kind: str) -> None:
    lines = {"csv": ["text\nso\n", "la\n"], "jsonl": ['{"text": "so"}\n', '{"text": "la"}\n'], "text": ["so\n", "la\n"]}
    lines["json"] = ['[{"text": "so"},\n', '{"text": "la"}\n]']
    code = f"for batch in tercet.read('-', format={kind!r}, labelled=False):\n print(batch.texts, flush=True)"
    command = [sys.executable, "-c", f"import tercet\n{code}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for line, text in zip(lines[kind], ["so", "la"], strict=True):
            child.stdin.write(line.encode())
            child.stdin.flush()
            assert child.stdout.readline().decode().strip() == str([text])
        child.stdin.close()
        assert child.wait() == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_named_pipe_is_read_once(tmp_path: Path) -> None:
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    with subprocess.Popen(["sh", "-c", 'printf "text,label\nso,a\n" > "$0"', str(path)]):
        stream = tercet.read(path)
        assert (stream.is_repeatable, stream.n_bytes) == (False, None)
        assert stream.texts == ["so"]


# content of a file, and what is guessed about it
GUESSED = {
    '"3","Wall St.","Bears claw"\n"4","Oil up","It rose"\n': "no header, text: columns 2 and 3, label: column 1 ('3', '4')",
    "Klass;Review\na;Well, well\nb;So, so\n": "cells separated by semicolons, text: column 'Review' ('Well, well', 'So, so'), "
    "label: column 'Klass' ('a', 'b')",
    "text|label\nso|a\n": "cells separated by bars, text: column 'text' ('so'), label: column 'label' ('a')",
    "id,title,kind\n1,so la,x\n2,la so,y\n3,mi,x\n4,so,y\n5,do,y\n": "text: column 'title' ('so la', 'la so'), "
    "label: column 'kind' ('x', 'y')",
    "a,so la mi\nb,so do\na,mi\n": "no header, text: column 2 ('so la mi', 'so do'), label: column 1 ('a', 'b')",
    "so la mi,a\nso do,b\nmi,a\n": "no header, text: column 1 ('so la mi', 'so do'), label: column 2 ('a', 'b')",
    "number,words\n1,so la mi do\n2,mi do so la\n": "text: column 'words' ('so la mi do', 'mi do so la'), "
    "label: column 'number' ('1', '2')",
    ",text,label\n0,so,a\n1,la,b\n": "text: column 'text' ('so', 'la'), label: column 'label' ('a', 'b'; second choice: '')",
    "subject,body,queue,type\nso,la mi do,a,x\n": "text: column 'body' ('la mi do'; second choice: 'subject'; "
    "to read both: --text subject --text body), label: column 'queue' ('a'; second choice: 'type')",
}


@pytest.mark.parametrize(("content", "guess"), GUESSED.items())
def test_columns_are_guessed_and_the_guess_is_said(content: str, guess: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(content)
    assert tercet.read(path).start().guess == guess


@pytest.mark.parametrize(("n_years", "has_header"), [(3, True), (4, False)])
def test_usual_names_in_more_than_a_third_of_the_first_row_are_a_header(n_years: int, has_header: bool, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    years = ["2021", "2022", "2023", "2024"][:n_years]  # a number alone is not taken for the name of a column
    rows = [["text", "label", *years], ["so la mi", "a", *"1234"[:n_years]], ["mi do", "b", *"5678"[:n_years]]]
    path.write_text("".join(",".join(row) + "\n" for row in rows))
    assert tercet.read(path, labelled=False).texts == ["text", "so la mi", "mi do"][has_header:]


def test_what_is_told_is_not_guessed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label,stars\nso,a,5\n")
    stream = tercet.read(path, text="label", label="stars", columns=["text"])
    assert (stream.texts, stream.labels, stream.columns) == (["a"], ["5"], {"text": ["so"]})
    assert stream.guess is None
    path.write_text("3,so,la\n1,mi,do\n")
    stream = tercet.read(path, text=2, label=1, columns=[3])
    assert (stream.texts, stream.labels, stream.columns) == (["so", "mi"], ["3", "1"], {"3": ["la", "do"]})


def test_a_test_file_of_the_benchmark_form_has_the_same_texts_without_labels(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('"3","Wall St.","Bears claw"\n"4","Oil up","It rose"\n')
    for stream in (tercet.read(path), tercet.read(path, labelled=False)):
        assert stream.texts == ["Wall St.\x1fBears claw", "Oil up\x1fIt rose"]
        assert stream.text_columns == ("2", "3")


def test_quotes_are_letters_in_a_tsv_that_does_not_quote(tmp_path: Path) -> None:
    path = tmp_path / "SMSCollection"
    path.write_text('ham\t"Go until\nspam\t"Free" entry\nham\tOk\n')
    stream = tercet.read(path)
    assert stream.texts == ['"Go until', '"Free" entry', "Ok"]
    found = """text: column 2 ('"Go until', '"Free" entry'), label: column 1 ('ham', 'spam')"""
    assert stream.guess == f"format: tsv, quotes are part of the text, no header, {found}"


@pytest.mark.parametrize("name", ["sms_spam/all", "trec_qc/test", "eec/all"])
def test_corpora_are_read_as_they_are(name: str, corpus: Callable[[str], Rows], tmp_path: Path) -> None:
    rows = corpus(name)
    plain = Path(os.environ["TERCET_DATA"], f"{name}.jsonl")
    stream = tercet.read(plain if plain.exists() else f"{plain}.gz")
    assert stream.texts == [row["text"] for row in rows]
    assert stream.labels == [row["label"] for row in rows]
    path = tmp_path / "a.csv.gz"
    with gzip.open(path, "wt", compresslevel=1, newline="", encoding="utf-8") as file:
        writer: Any = csv.writer(file)
        writer.writerow(["label", "text"])
        writer.writerows([row["label"], row["text"]] for row in rows)
    again = tercet.read(path)
    assert (again.texts, again.labels) == (stream.texts, stream.labels)


def test_a_categorizer_takes_what_was_collected(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\nso la,a\nmi do,b\n")
    documents = tercet.read(path).collect()
    assert list(tercet.Categorizer().fit(documents).predict(["so", "do"])) == ["a", "b"]


def test_a_wholly_bad_file_is_counted_and_its_first_thousand_rows_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text,label\n" + "so\n" * 2500)
    stream = tercet.read(path, on_error="skip")
    assert [batch.texts for batch in stream if batch.texts] == []
    assert (stream.n_rows, stream.n_bad, len(stream.bad_rows)) == (2500, 2500, 1000)
    assert stream.bad_rows[-1].place == f"{path}, line 1001"


@pytest.mark.parametrize(
    ("name", "content"), [("a.csv", "id,text,label\n7,so,a\n"), ("a.jsonl", '{"id": "7", "text": "so", "label": "a"}\n')]
)
def test_all_columns_can_be_kept(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content)
    documents = tercet.read(path, columns="all").collect()
    assert documents.columns == {"id": ["7"], "text": ["so"], "label": ["a"]}
    assert (documents.texts, documents.labels) == (["so"], ["a"])


def test_a_fitted_categorizer_takes_a_stream_wherever_it_takes_documents(tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    rows = [f"{'refund' if i % 2 else 'crash'} {i},my text {i},{'bill' if i % 2 else 'tech'}" for i in range(40)]
    path.write_text("\n".join(["subject,body,queue", *rows]))
    stream = tercet.read(path, text=["subject", "body"], label="queue")
    collected = stream.collect()
    for c in (tercet.Categorizer(numeric=["n_words"]).fit(stream), tercet.Categorizer(calibrate="auto").fit(stream)):
        for compute in (c.predict, c.predict_proba, c.predict_log_proba, c.log_joint, c.log_likelihood, c.score):
            expected = np.asarray(compute(collected)).tolist()
            assert np.asarray(compute(stream)).tolist() == expected
            assert np.asarray(compute(iter([collected.pick(range(9)), collected.pick(range(9, 40))]))).tolist() == expected
        assert c.predict(stream, abstain_below=0.5).tolist() == c.predict(collected, abstain_below=0.5).tolist()
        one = collected.pick([3])
        assert c.explain([one]).evidence == c.explain(one).evidence
        assert c.predict(collected.texts).tolist() == c.predict(stream).tolist()
    assert c.predict_sets(stream) == c.predict_sets(collected)
    gold = stream.labels
    report = tercet.evaluate(gold, gold[1:] + gold[:1], texts=stream)  # type: ignore[index, operator]
    assert report.mistakes()[0].text == "crash 0\nmy text 0"


def test_batches_with_different_text_columns_are_refused() -> None:
    batches = [tercet.Documents.join({"a": ["so"], "b": ["la"]}), tercet.Documents.join({"a": ["so"], "c": ["la"]})]
    c = tercet.Categorizer().fit(["so", "la"], ["x", "y"])
    with pytest.raises(InvalidOption, match="give all of them the same"):
        c.predict(batches)
