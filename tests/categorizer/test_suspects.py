"""All suspects: from the command line with the rows of a spreadsheet, from `train` and from held-out predictions."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from helpers.command_line import BAD, GOOD, Shell, write_files
from helpers.labelled_documents import Stream, invent

import tercet
from tercet import Categorizer, Documents
from tercet.data.document_batches import READ_TOGETHER, Beginnings, Places
from tercet.errors import InvalidText


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    write_files(tmp_path)
    return Shell(tmp_path, monkeypatch, capfd)


def read_csv(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def count_rows(content: str) -> dict[str, int]:
    """The row of each id as a spreadsheet counts rows, by another reader of CSV: blank lines are rows, too."""
    return {row[0]: number for number, row in enumerate(csv.reader(io.StringIO(content)), 1) if row}


def write_long_rows(path: str, *, header: bool) -> str:
    """Texts of several lines, blank lines between rows, and two mislabelled rows."""
    rows = ["id,text,label"] if header else []
    for i in range(40):
        words, label = (GOOD, "good") if i % 2 else (BAD, "bad")
        label = {7: "bad", 30: "good"}.get(i, label)
        lines = "\n".join(f"{words[(i + k) % 8]} {words[(i + k + 3) % 8]}, film" for k in range(1 + i % 3))
        rows += [f'{i},"{lines}",{label}'] + [""] * (i % 5 == 0)
    content = "\n".join(rows) + "\n"
    Path(path).write_text(content)
    return content


def test_a_long_text_is_not_as_improbable_as_naive_bayes_claims() -> None:
    rng = np.random.default_rng(0)
    words = {label: [f"{label}{k}" for k in range(60)] for label in "ab"}

    def write(label: str, n_words: int) -> str:
        other = "ab"[label == "a"]
        return " ".join(rng.choice(words[label if rng.random() < 0.75 else other]) for _ in range(n_words))

    labels = ["a", "b"] * 800
    texts = [write(label, 8) for label in labels]
    texts[0], labels[0] = write("a", 4000), "b"
    first = tercet.train(texts, labels).all_suspects[0]
    assert (first.position, first.better) == (0, "a")
    assert 1e-4 < first.probability < 0.2


def test_all_suspects_are_written_with_the_row_that_a_spreadsheet_shows(shell: Shell) -> None:
    rows = count_rows(write_long_rows("long.csv", header=True))
    shell.do("tercet train long.csv -o m.tercet --suspects suspects.csv --columns id --text text --label label")
    found = read_csv("suspects.csv")
    assert {"7", "30"} <= {row["id"] for row in found}
    assert all(int(row["row"]) == rows[row["id"]] for row in found)
    assert list(found[0]) == ["row", "id", "text", "label", "better_label", "probability"]
    assert [float(row["probability"]) for row in found] == sorted(float(row["probability"]) for row in found)


def test_the_first_row_without_a_header_is_row_1(shell: Shell) -> None:
    rows = count_rows(write_long_rows("long.csv", header=False))
    shell.do("tercet train long.csv -o m.tercet --suspects suspects.jsonl --columns 1 --text 2 --label 3")
    found = [json.loads(line) for line in Path("suspects.jsonl").read_text().splitlines()]
    assert found
    assert all(row["row"] == rows[row["1"]] for row in found)


def test_rows_count_bad_rows_that_are_skipped(shell: Shell) -> None:
    content = write_long_rows("long.csv", header=True).replace("5,", "5,x,y,z,", 1)
    Path("long.csv").write_text(content)
    rows = count_rows(content)
    shell.do("tercet train long.csv -o m.tercet --suspects s.csv --columns id --text text --label label --on-error skip")
    assert all(int(row["row"]) == rows[row["id"]] for row in read_csv("s.csv"))


def test_the_file_has_every_suspect_of_the_library_and_the_summary_says_how_many_there_are(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o m.tercet --suspects s.csv --columns id")
    trained = tercet.train(tercet.read("reviews.csv", columns=["id"]), categorizer=tercet.load("m.tercet"))
    found = read_csv("s.csv")
    assert len(found) > 10
    texts = {row["id"]: row["text"] for row in read_csv("reviews.csv")}
    assert [(row["id"], row["label"], row["better_label"], row["text"]) for row in found] == [
        (suspect.columns["id"], suspect.label, suspect.better, texts[suspect.columns["id"]]) for suspect in trained.all_suspects
    ]
    assert f"… {len(found) - 10} more in s.csv" in told.out
    assert f"… {len(found) - 10} more: --suspects FILE" in shell.do("tercet train reviews.csv -o m.tercet").out
    assert f"written: s.csv ({len(found)} suspects)\n" in told.err
    assert json.loads(shell.do("tercet train reviews.csv -o m.tercet --json").out)["n_suspects"] == len(found)


def test_a_column_of_the_same_name_is_kept_beside_the_suspects_own(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o m.tercet --suspects s.csv --columns label,id --text text --label label")
    found = read_csv("s.csv")
    assert list(found[0])[:5] == ["row", "label", "id", "text", "suspect_label"]
    assert all(row["label"] == row["suspect_label"] for row in found)


def test_the_file_of_each_suspect_is_named_if_there_are_several(shell: Shell) -> None:
    for i in range(12):
        label, words = ("good", GOOD) if i % 2 else ("bad", BAD)
        Path("mails", "bad" if i == 3 else label).mkdir(parents=True, exist_ok=True)
        Path("mails", "bad" if i == 3 else label, f"{i}.txt").write_text(
            f"{words[i % 8]} {words[(i + 1) % 8]} {words[(i + 2) % 8]}"
        )
    shell.do("tercet train mails -o m.tercet --suspects s.csv")
    found = read_csv("s.csv")
    assert str(Path("mails", "bad", "3.txt")) in [row["file"] for row in found]
    assert {row["row"] for row in found} == {""}


def test_rows_are_counted_in_each_of_several_files(shell: Shell) -> None:
    content = write_long_rows("long.csv", header=True)
    Path("second.csv").write_text(content)
    shell.do("tercet train long.csv second.csv -o m.tercet --suspects s.csv --columns id --text text --label label")
    found, rows = read_csv("s.csv"), count_rows(content)
    assert list(found[0])[:3] == ["file", "row", "id"]
    assert {row["file"] for row in found} == {"long.csv", "second.csv"}
    assert all(int(row["row"]) == rows[row["id"]] for row in found)


def test_the_row_of_a_workbook_is_the_one_that_it_shows(shell: Shell) -> None:
    write_long_rows("long.csv", header=True)
    book = openpyxl.Workbook()
    for row in csv.reader(io.StringIO(Path("long.csv").read_text())):
        book.active.append(row)
    book.save("long.xlsx")
    shell.do("tercet train long.xlsx -o m.tercet --suspects s.csv --columns id --text text --label label")
    shown = {str(cells[0]): number for number, cells in enumerate(book.active.iter_rows(values_only=True), 1)}
    found = read_csv("s.csv")
    assert found
    assert all(int(row["row"]) == shown[row["id"]] for row in found)


def test_a_file_for_each_label_has_rows_that_are_its_lines(shell: Shell) -> None:
    Path("files").mkdir()
    Path("files", "good.txt").write_text("\n".join([" ".join(GOOD[:5]), "", " ".join(BAD[:5]), " ".join(GOOD[2:7])]) + "\n")
    Path("files", "bad.txt").write_text("\n".join([" ".join(BAD[:6]), " ".join(BAD[1:]), " ".join(BAD[:3])]) + "\n")
    shell.do("tercet train files -o m.tercet --suspects s.csv --format files")
    assert (str(Path("files", "good.txt")), "3") in [(row["file"], row["row"]) for row in read_csv("s.csv")]


def test_a_value_that_looks_like_a_formula_is_written_as_text(shell: Shell) -> None:
    Path("odd.csv").write_text("text,label\n=lovely warm,bad\nlovely warm,good\nwarm lovely film,good\ndull,bad\nso dull,bad\n")
    shell.do("tercet train odd.csv -o m.tercet --suspects s.csv")
    assert "'=lovely warm" in [row["text"] for row in read_csv("s.csv")]


def write_odd_tickets(path: str) -> None:
    """Long texts of two columns with line breaks, quotes and formulas, a weight, a category, and two mislabelled rows."""
    with open(path, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["subject", "body", "mailer", "queue", "times"])
        for i in range(30):
            words, queue = (GOOD, "good") if i % 2 else (BAD, "bad")
            begin = ("=", "'=", "'", "- ", "", "@")[i % 6]
            head = f'{begin}{words[i % 8]} "{words[(i + 1) % 8]}"' + ("\r\n" if i % 4 else "\r")
            body = head + f"{words[i % 7]}, {i} " * 30
            rows.writerow(
                [f"{begin}{words[i % 5]}", body, "mutt" if i % 3 else "", {7: "bad", 20: "good"}.get(i, queue), 1 + i % 2]
            )


@pytest.mark.parametrize("name", ["s.csv", "s.jsonl", "s.parquet"])
def test_relabel_takes_the_table_of_suspects_as_it_is(shell: Shell, name: str) -> None:
    write_odd_tickets("odd.csv")
    reading = "--text subject --text body --label queue --weight times --categorical mailer"
    shell.do(f"tercet train odd.csv -o m.tercet {reading} --suspects {name}")
    documents = tercet.read("odd.csv", text=["subject", "body"], label="queue", weight="times", columns=["mailer"])
    trained = tercet.train(documents, categorizer=tercet.load("m.tercet"))
    better = {suspect.position: suspect.better for suspect in trained.all_suspects}
    told = shell.do(f"tercet relabel m.tercet {name} --label better_label --old label")
    assert {7, 20} <= set(better)
    assert f"{len(better)} documents relabelled; written" in told.err
    rows = read_csv("odd.csv")
    with open("right.csv", "w", newline="", encoding="utf-8") as file:
        written = csv.DictWriter(file, list(rows[0]))
        written.writeheader()
        written.writerows(row | {"queue": better.get(place, row["queue"])} for place, row in enumerate(rows))
    shell.do(f"tercet train right.csv -o right.tercet {reading}")
    assert tercet.load("m.tercet").table_ == tercet.load("right.tercet").table_


@pytest.mark.parametrize("header", [True, False])
def test_relabel_takes_the_suspects_of_a_file_without_a_header_and_of_a_folder(shell: Shell, header: bool) -> None:
    if header:
        for i in range(12):
            label, words = ("good", GOOD) if i % 2 else ("bad", BAD)
            Path("mails", "bad" if i == 3 else label).mkdir(parents=True, exist_ok=True)
            Path("mails", "bad" if i == 3 else label, f"{i}.txt").write_text(
                f"{words[i % 8]} {words[(i + 1) % 8]}\n\n{words[0]}"
            )
        shell.do("tercet train mails -o m.tercet --suspects s.csv")
    else:
        write_long_rows("long.csv", header=False)
        shell.do("tercet train long.csv -o m.tercet --suspects s.csv --text 2 --label 3")
    assert "relabelled" in shell.do("tercet relabel m.tercet s.csv --label better_label --old label").err


def test_from_a_pipe_only_the_beginnings_are_written_and_that_is_said(shell: Shell) -> None:
    told = shell.do("tercet train - --format csv -o m.tercet --suspects s.csv < reviews.csv")
    assert "s.csv has only the beginnings of the texts, because standard input can be read only once" in told.err
    assert list(read_csv("s.csv")[0]) == ["row", "beginning", "label", "better_label", "probability"]


@pytest.mark.parametrize("name", ["s.xlsx", "s", "s.csv.gz"])
def test_a_file_of_another_kind_is_refused_before_the_work(shell: Shell, name: str) -> None:
    outcome = shell(f"tercet train reviews.csv -o fresh.tercet --suspects {name}")
    assert outcome.code == 2
    assert f"{name} does not say what to write: let its name end in .csv, .jsonl or .parquet." in outcome.err
    assert not Path("fresh.tercet").exists()


def test_one_file_for_two_results_is_refused(shell: Shell) -> None:
    outcome = shell("tercet evaluate m.tercet test.csv --html fresh.csv --mistakes ./fresh.csv")
    assert outcome.code == 2
    assert "is named for --" in outcome.err
    assert ": name two files." in outcome.err
    assert (
        "reviews.csv is read and would be overwritten"
        in shell("tercet train reviews.csv -o x.tercet --suspects reviews.csv").err
    )
    assert not Path("fresh.csv").exists()


def test_the_ten_worst_are_the_first_of_all() -> None:
    documents = invent(200, n_labels=3)
    for i in range(0, 200, 4):
        documents.labels[i] = f"l{(int(documents.labels[i][1]) + 1) % 3}"
    trained = tercet.train(Stream(documents, 16), categorizer=Categorizer("words"))
    everything = list(trained.all_suspects)
    assert len(everything) == len(trained.all_suspects) > 10
    assert trained.suspects == everything[:10] == trained.all_suspects[:10]
    assert trained.all_suspects[-1] == everything[-1]
    with pytest.raises(IndexError):
        trained.all_suspects[len(everything)]


def test_suspects_of_held_out_documents_are_those_of_training() -> None:
    documents = invent(120, n_labels=3)
    for i in range(0, 120, 7):
        documents.labels[i] = "l0"
    model = Categorizer("words")
    trained = tercet.train(Stream(documents, 16), categorizer=model)
    held_out = model.leave_one_out(*documents, copies="all")
    found = held_out.suspects(documents.texts)
    worst = found[: len(trained.all_suspects)]
    assert worst
    assert [(s.position, s.label, s.better, s.beginning) for s in worst] == [
        (s.position, s.label, s.better, s.beginning) for s in trained.all_suspects
    ]
    assert [s.probability for s in worst] == pytest.approx([s.probability for s in trained.all_suspects], rel=1e-5)
    with_ids = held_out.suspects(Documents(np.array(documents.texts), columns={"id": range(120)}))
    assert [(s.columns["id"], s.beginning) for s in with_ids] == [(s.position, s.beginning) for s in found]
    assert [s[:4] for s in held_out.suspects()] == [s[:4] for s in found]
    with pytest.raises(InvalidText, match="3 texts for 120 documents"):
        held_out.suspects(["a", "b", "c"])


def test_suspects_keep_the_columns_of_their_documents_as_plain_values() -> None:
    columns: dict[str, Any] = {"id": np.arange(8), "when": [None, "so", 1.5, True, "é", (1, 2), "", ""]}
    texts = ["a b", "a c", "x", "x y", "a b c", "x y z", "a b a", "x x"]
    documents = Documents(texts, ["h", "h", "f", "f", "f", "h", "h", "f"], columns=columns)
    found = {suspect.position: suspect.columns for suspect in tercet.train(documents).all_suspects}
    assert found[4] == {"id": 4, "when": "é"}
    assert found[5] == {"id": 5, "when": "(1, 2)"}


def test_beginnings_are_read_in_any_order_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.data.document_batches.READ_TOGETHER", 7)
    assert READ_TOGETHER > 7
    beginnings = Beginnings()
    list(
        beginnings.follow(
            Documents([f"text {i}" for i in range(k, k + 9)], columns={"id": range(k, k + 9)}) for k in range(0, 90, 9)
        )
    )
    order = np.random.default_rng(0).permutation(90).tolist()
    assert list(beginnings.read(order)) == [(f"text {i}", {"id": i}) for i in order]


def test_documents_that_were_not_read_have_no_row() -> None:
    places = Places()
    list(places.follow([Documents(["a"])]))
    assert (places.find(0), places.find_row(0), places.has_several_files) == ("", None, False)


def test_few_texts_are_suspects_if_labels_are_only_uncertain() -> None:
    """Five grades that run into each other: most wrong predictions are no wrong labels."""
    rng = np.random.default_rng(0)
    words, grades = [f"w{i}" for i in range(60)], rng.integers(5, size=400)
    lean = np.array([[1 + 3 * (grade if i < 20 else 4 - grade if i < 40 else 0) / 4 for i in range(60)] for grade in range(5)])
    texts = [" ".join(rng.choice(words, 15, p=lean[grade] / lean[grade].sum())) for grade in grades]
    labels = [f"{grade + 1} stars" for grade in grades]
    trained = tercet.train(texts, labels, categorizer=Categorizer("words"))
    assert trained.estimate.accuracy.value < 0.6
    assert len(trained.all_suspects) < 40
    tiny = tercet.train(texts[:10], labels[:10])
    assert len(tiny.all_suspects) <= 2
