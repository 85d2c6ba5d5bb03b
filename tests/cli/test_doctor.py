"""tercet doctor: findings with files and rows, the page, the cleaned copy and its log, and what is refused."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.clean_documents import make_clean
from helpers.command_line import Shell

import tercet


def write_rows(path: str, rows: list[tuple[str, ...]], names: tuple[str, ...] = ("text", "label")) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])


def read_rows(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def write_defects() -> list[tuple[str, ...]]:
    """Rows with an empty text, a copy, a wrong decoding, a variant, a contradiction and a row without a label."""
    rows = [list(row) for row in zip(*make_clean(), strict=True)]
    rows[3][0], rows[6][0], rows[9][0] = "", rows[4][0], rows[8][0]
    rows[14][0] = "Ein\nschÃ¶ner " + rows[14][0]
    rows[20][1] = "X"
    rows[30][1] = ""
    written = [(f"n{k}", *row) for k, row in enumerate(rows)]
    write_rows("defects.csv", written, ("id", "text", "label"))
    return written


def test_nobody_is_advised_to_write_the_page_that_was_written(shell: Shell) -> None:
    texts, labels = make_clean()
    write_rows("copies.csv", [*zip(texts, labels, strict=True), *zip(texts[:40], labels[:40], strict=True)])
    assert "more: --html FILE, or --json" in shell.do("tercet doctor copies.csv").out
    told = shell.do("tercet doctor copies.csv --html page.html").out
    assert "--html" not in told
    assert " more in page.html" in told


def test_findings_have_the_file_and_the_row_as_a_spreadsheet_counts(shell: Shell) -> None:
    write_defects()
    printed = json.loads(shell.do("tercet doctor defects.csv --json").out)
    rows = {finding["kind"]: finding["row"] for finding in printed["findings"] if finding["kind"] != "bad row"}
    # The text of row 16 has two lines, so lines and rows differ after it.
    expected = {"empty text": 5, "copy": 6, "contradiction": 10, "wrong decoding": 16, "label variant": 22}
    assert expected.items() <= rows.items()
    assert {finding["file"] for finding in printed["findings"]} == {"defects.csv"}
    (bad,) = (finding for finding in printed["findings"] if finding["kind"] == "bad row")
    assert bad["sentence"] == "line 33: it has no label."
    text = shell.do("tercet doctor defects.csv").out
    assert "  row 16 [x] 'Ein\\nschÃ¶ner" in text


def test_the_cleaned_copy_has_what_the_log_says_and_nothing_else(shell: Shell) -> None:
    rows = write_defects()
    before = Path("defects.csv").read_bytes()
    said = shell.do("tercet doctor defects.csv --fix cleaned.csv").err
    assert Path("defects.csv").read_bytes() == before
    expected = [dict(zip(("id", "text", "label"), row, strict=True)) for row in rows]
    expected[14]["text"] = expected[14]["text"].replace("Ã¶", "ö")
    expected[20]["label"] = "x"
    assert read_rows("cleaned.csv") == [row for k, row in enumerate(expected) if k not in (3, 6, 30)]
    log = read_rows("cleaned.csv.log.csv")
    assert [(row["row"], row["action"], row["first_row"]) for row in log] == [
        ("", "removed", ""),
        ("5", "removed", ""),
        ("8", "removed", "6"),
        ("16", "text repaired", ""),
        ("22", "label replaced", ""),
    ]
    assert log[0]["reason"] == "defects.csv, line 33: it has no label."
    assert (log[4]["before"], log[4]["after"]) == ("X", "x")
    assert "written: cleaned.csv (77 of 79 documents)" in said
    assert "written: cleaned.csv.log.csv (5 changes)" in said


def test_text_columns_are_repaired_each_on_its_own(shell: Shell) -> None:
    rows = [(f"subject {k}", text, label) for k, (text, label) in enumerate(zip(*make_clean(), strict=True))]
    rows[7] = ("cafÃ©", *rows[7][1:])
    write_rows("mails.csv", rows, ("subject", "body", "queue"))
    shell.do("tercet doctor mails.csv --text subject --text body --label queue --fix cleaned.jsonl")
    cleaned = [json.loads(line) for line in Path("cleaned.jsonl").read_text(encoding="utf-8").splitlines()]
    assert cleaned[7] == {"subject": "café", "body": rows[7][1], "queue": rows[7][2]}
    assert [tuple(row.values()) for k, row in enumerate(cleaned) if k != 7] == [row for k, row in enumerate(rows) if k != 7]


def test_the_page_is_written_and_says_where(shell: Shell) -> None:
    write_defects()
    shell.do("tercet doctor defects.csv --test test.csv --html page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "contradiction: 1 (severity: high)" in page
    assert "<bdi>row\N{NO-BREAK SPACE}10</bdi>" in page
    assert "defects.csv (79 documents, 3 labels); test: test.csv (40 documents, 2 labels)" in page


def test_findings_name_their_file_if_the_headline_does_not(shell: Shell) -> None:
    write_defects()
    assert "  row 5 [" in shell.do("tercet doctor defects.csv --test test.csv").out
    write_rows("more.csv", [("n", "a text", "x")], ("id", "text", "label"))
    assert "  defects.csv, row 5 [" in shell.do("tercet doctor defects.csv more.csv").out


def test_a_test_file_that_is_the_data_is_said_in_one_sentence(shell: Shell) -> None:
    out = shell.do("tercet doctor reviews.csv --test reviews.csv").out
    assert "leaked text: 1 (severity: high)" in out
    assert "Every test text (120) is in the data" in out


def test_files_without_labels_are_examined_for_their_texts(shell: Shell) -> None:
    Path("lines.txt").write_text("to be or not\nthat is it\nto be or not\n")
    printed = shell.do("tercet doctor lines.txt")
    assert "lines.txt has no labels, so only the texts are examined" in printed.err
    assert "row 1 'to be" in printed.out
    assert "(the documents have no labels)" in printed.out
    write_rows("unlabelled.csv", [(text,) for text in make_clean()[0]], ("text",))
    tested = shell.do("tercet doctor reviews.csv --test unlabelled.csv --json")
    assert "unlabelled.csv has no labels" in tested.err


def test_a_model_lists_labels_that_it_does_not_know_and_what_it_has_learned(shell: Shell) -> None:
    texts, labels = make_clean()
    write_rows("learned.csv", list(zip(texts[:50], labels[:50], strict=True)))
    write_rows("more.csv", [*zip(texts[40:], labels[40:], strict=True), ("lovely warm superb", "odd")])
    tercet.train(tercet.read("learned.csv"), categorizer=tercet.Categorizer("words")).categorizer.save("model.tercet")
    shown = shell.do("tercet doctor more.csv --model model.tercet")
    assert "The model has learned 10 of the 41 documents of more.csv." in shown.out
    assert "1 document with the label 'odd', which the model does not know." in shown.out
    tercet.load(Path("model.tercet")).compact().save("compact.tercet")
    refused = shell("tercet doctor more.csv --model compact.tercet")
    assert refused.code == 2
    assert "a compact model can't be trained again" in refused.err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tercet doctor reviews.csv --fix reviews.csv", "is read and would be overwritten"),
        ("tercet doctor reviews.csv --test test.csv --fix test.csv", "is read and would be overwritten"),
        ("tercet doctor reviews.csv --fix new.csv", "new.csv is there already"),
        ("tercet doctor reviews.csv --fix logged.csv", "logged.csv.log.csv is there already"),
        ("tercet doctor reviews.csv --fix x.txt", "let its name end in .csv, .jsonl or .parquet"),
        ("tercet doctor - --format csv --fix x.csv < reviews.csv", "standard input can be read only once"),
        ("tercet doctor - --test - < reviews.csv", "standard input can be read only once"),
        ("tercet doctor missing.csv", "missing.csv does not exist"),
        ("tercet doctor reviews.csv --label nothing", "has no column 'nothing'"),
        ("tercet doctor header.csv", "header.csv holds no documents"),
    ],
)
def test_what_is_refused_writes_nothing(line: str, message: str, shell: Shell) -> None:
    Path("logged.csv.log.csv").write_text("")
    Path("header.csv").write_text("text,label\n")
    before = {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    refused = shell(line)
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]
    assert {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before


def test_the_command_runs_in_a_shell(shell: Shell) -> None:
    write_defects()
    command = f"cat defects.csv | '{sys.executable}' -m tercet doctor - --format csv --json > found.json"
    subprocess.run(["sh", "-c", command], check=True, capture_output=True)
    found = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert found["counts"]["contradiction"] == 1
    expected = tercet.examine(tercet.read("defects.csv", columns="all", on_error="skip")).to_dict()
    assert [finding["row"] for finding in found["findings"]] == [finding["row"] for finding in expected["findings"]]
