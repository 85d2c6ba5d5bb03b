"""tercet suggest: texts to label next, as a table, as JSON, and as a file to fill in."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Shell

import tercet


def read_rows(path: str) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def test_it_prints_what_the_function_suggests(shell: Shell) -> None:
    texts = [row["text"] for row in read_rows("new.csv")]
    found = json.loads(shell.do("tercet suggest new.csv -n 4 --json").out)["texts"]
    expected = tercet.suggest(texts, 4)
    assert [(each["text"], each["row"]) for each in found] == [(texts[i], i + 2) for i in expected]
    printed = shell.do("tercet suggest new.csv -n 4").out
    assert all(texts[i][:40] in printed for i in expected)


def test_a_model_adds_its_proposal_and_leaves_out_what_it_has_learned(shell: Shell) -> None:
    model = tercet.load("reviews.tercet")
    texts = [row["text"] for row in read_rows("new.csv")]
    found = json.loads(shell.do("tercet suggest new.csv -n 4 --model reviews.tercet --json").out)["texts"]
    assert [each["text"] for each in found] == [texts[i] for i in tercet.suggest(texts, 4, model)]
    assert [each["margin"] for each in found] == sorted(each["margin"] for each in found)
    assert [each["proposed"] for each in found] == model.predict([each["text"] for each in found]).tolist()
    refused = shell("tercet suggest reviews.csv --model reviews.tercet")
    assert refused.code == 2
    assert "every text of the pool has a label already" in refused.err


def test_the_file_is_filled_in_and_learned(shell: Shell) -> None:
    shell.do("tercet suggest new.csv -n 6 --columns id -o to-label.csv")
    rows = read_rows("to-label.csv")
    assert len({row["text"] for row in rows}) == 6
    assert {row["label"] for row in rows} == {""}
    by_text = {row["text"]: row["id"] for row in read_rows("new.csv")}
    assert all(by_text[row["text"]] == row["id"] for row in rows)
    with open("labelled.csv", "w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows({**row, "label": "good" if i % 2 else "bad"} for i, row in enumerate(rows))
    shell.do("tercet train labelled.csv --text text --label label --fast -o six.tercet")
    again = json.loads(shell.do("tercet suggest new.csv -n 3 --labelled labelled.csv --json").out)["texts"]
    assert {each["text"] for each in again}.isdisjoint(row["text"] for row in rows)


def test_several_text_columns_stay_columns(shell: Shell) -> None:
    shell.do("tercet suggest tickets.csv -n 3 --text subject --text body -o some.jsonl")
    rows = [json.loads(line) for line in Path("some.jsonl").read_text().splitlines()]
    known = {(row["subject"], row["body"]) for row in read_rows("tickets.csv")}
    assert {(row["subject"], row["body"]) for row in rows} <= known
    assert len(rows) == 3


def test_the_gain_needs_the_documents_of_a_model(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o kept.tercet --fast --documents --quiet")
    told = shell.do("tercet suggest new.csv -n 2 --model kept.tercet --gain --json")
    gain = json.loads(told.out)["gain"]
    assert gain["gain"]["low"] <= gain["gain"]["value"] <= gain["gain"]["high"]
    assert gain["words"] in told.err
    shell.do("tercet train reviews.csv -o bare.tercet --fast --quiet")
    told = shell.do("tercet suggest new.csv -n 2 --model bare.tercet --gain")
    assert "can't tell what 50 more labels bring: the model has no texts" in told.err


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tercet suggest empty.csv", "empty.csv has no texts: give another file."),
        ("tercet suggest header.csv", "header.csv has no texts: give another file."),
        ("tercet suggest numbers.csv", "which column is the text"),
        ("tercet suggest tickets.csv --text subject -n 99", "n=99, but the pool has only 6 different texts"),
        ("tercet suggest new.csv -n 0", "0 is not in the range"),
        ("tercet suggest new.csv --gain", "name it with --model"),
        ("tercet suggest missing.csv", "missing.csv does not exist"),
        ("tercet suggest new.csv -o out.txt", "let its name end in .csv"),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(shell: Shell, line: str, words: str) -> None:
    Path("empty.csv").touch()
    Path("header.csv").write_text("text\n")
    Path("numbers.csv").write_text("a,b\n1,2\n3,4\n")
    refused = shell(line)
    assert refused.code == 2
    assert words in refused.err
    assert not Path("out.txt").exists()


def test_a_compact_model_is_fine(shell: Shell) -> None:
    model = tercet.load("reviews.tercet")
    assert isinstance(model, tercet.Categorizer)
    model.compact().save("small.tercet")
    whole = json.loads(shell.do("tercet suggest new.csv -n 3 --model reviews.tercet --json").out)["texts"]
    small = json.loads(shell.do("tercet suggest new.csv -n 3 --model small.tercet --json").out)["texts"]
    assert [each["row"] for each in small] == [each["row"] for each in whole]
