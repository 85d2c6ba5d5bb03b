"""Texts without labels on the command line, with an invented sentence encoder."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from helpers.command_line import BAD, BOTH, GOOD, Shell
from helpers.invented_encoders import InventedMeanings

import tercet

ROWS = np.random.default_rng(0).normal(size=(24, 8)) * 0.3 + np.eye(8)[0] * np.repeat([3, -3, 0], 8)[:, None]


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> InventedMeanings:
    source = InventedMeanings([*GOOD, *BAD, *BOTH], ROWS)
    monkeypatch.setattr("tercet.text.vectors.word_vectors.open_encoded_words", lambda: source)
    return source


@pytest.fixture
def files(shell: Shell) -> Shell:
    """few.csv has 10 documents, pool.csv 40 texts, and test.csv some texts of the pool."""
    with Path("reviews.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, header, own in (
        ("few", ["text", "label"], [[row["text"], row["label"]] for row in rows[:10]]),
        ("pool", ["id", "text"], [[row["id"], row["text"]] for row in rows[10:50]]),
        ("one", ["text"], [[rows[10]["text"]]]),
        ("others", ["text"], [["a brilliant plot"], ["a messy plot"]]),
        ("mixed", ["text", "label"], [[row["text"], row["label"]] for row in rows[45:60]]),
        ("empty", ["text"], []),
    ):
        with Path(f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *own])
    return shell


def test_training_learns_from_texts_without_labels(files: Shell, encoder: InventedMeanings) -> None:
    found = files.do("tercet train few.csv -o new.tercet --unlabelled pool.csv")
    assert "10 documents, 2 labels" in found.out
    assert "40 unlabelled texts learned" in found.out
    assert "student of unlabelled texts" in found.out
    assert "pool.csv: text: column 'text'" in found.err
    assert "learned from 40 texts without labels" in files.do("tercet inspect new.tercet").out
    assert json.loads(files.do("tercet inspect new.tercet --json").out)["unlabelled"] == 40
    summary = json.loads(files.do("tercet train few.csv -o n.tercet --unlabelled pool.csv --json").out)
    assert summary["unlabelled"] == 40
    assert Path("n.tercet").read_bytes() == Path("new.tercet").read_bytes()


def test_learning_and_forgetting_texts_is_exact(files: Shell, encoder: InventedMeanings) -> None:
    files.do("tercet train few.csv -o new.tercet --unlabelled pool.csv")
    assert "2 texts without labels learned" in files.do("tercet learn new.tercet others.csv --unlabelled -o n.tercet").err
    assert tercet.load("n.tercet").n_unlabelled_ == 42
    assert "2 texts without labels forgotten" in files.do("tercet forget n.tercet others.csv --unlabelled").err
    assert Path("n.tercet").read_bytes() == Path("new.tercet").read_bytes()
    refused = files("tercet forget n.tercet others.csv --unlabelled")
    assert refused.code == 2
    assert "2 of 2 texts are not among those without labels that the model has learned from, such as" in refused.err
    assert Path("n.tercet").read_bytes() == Path("new.tercet").read_bytes()


def test_test_texts_that_were_among_them_are_named(files: Shell, encoder: InventedMeanings) -> None:
    found = files.do("tercet train few.csv -o new.tercet --unlabelled pool.csv --test mixed.csv --no-documents")
    assert "the model has learned from 5 of the 15 texts, without their labels" in found.err
    assert "learned from 5 of the 15 texts" in files.do("tercet evaluate new.tercet mixed.csv").err
    assert b"plot" in Path("pool.csv").read_bytes()
    assert not any(row.encode() in Path("new.tercet").read_bytes() for row in Path("one.csv").read_text().splitlines()[1:])


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("tercet train few.csv -o new.tercet --unlabelled empty.csv", "no unlabelled texts"),
        ("tercet train few.csv -o new.tercet --unlabelled missing.csv", "missing.csv"),
        ("tercet train few.csv -o new.tercet --fast --unlabelled pool.csv", "unlabelled texts teach the default model alone"),
        ("tercet train few.csv -o new.tercet --vectors none --unlabelled pool.csv", "no --vectors none"),
        ("tercet forget few.tercet pool.csv --unlabelled --later", "--later is for documents with labels"),
        ("tercet train few.csv -o new.tercet --unlabelled pool.csv --subject-column id", "no column 'id'"),
        ("tercet learn few.tercet pool.csv --unlabelled --once", "are for documents with labels"),
        ("tercet learn plain.tercet pool.csv --unlabelled", "does not keep its documents"),
        ("tercet forget few.tercet pool.csv --unlabelled", "has no unlabelled texts"),
    ],
)
def test_what_can_not_be_done_is_said_in_one_line(files: Shell, encoder: InventedMeanings, command: str, why: str) -> None:
    files.do("tercet train few.csv -o few.tercet")
    files.do("tercet train few.csv -o plain.tercet --no-documents")
    refused = files(command)
    assert refused.code == 2
    assert why in refused.err.splitlines()[-1]
    assert "Traceback" not in refused.err
    assert not Path("new.tercet").exists()


def test_without_the_encoder_the_command_that_installs_it_is_named(files: Shell) -> None:
    refused = files("tercet train few.csv -o new.tercet --unlabelled pool.csv")
    assert refused.code == 2
    assert "pip install 'tercet[vectors]'" in refused.err.splitlines()[-1]
    assert not Path("new.tercet").exists()


def test_a_model_with_a_ledger_learns_from_its_pools(files: Shell, encoder: InventedMeanings) -> None:
    files.do("tercet train few.csv -o new.tercet --unlabelled pool.csv")
    files.do("tercet ledger begin new.ledger new.tercet --actor ann")
    assert files("tercet ledger verify new.ledger").code == 0
    refused = files("tercet learn new.tercet others.csv --unlabelled --ledger new.ledger")
    assert refused.code == 2
    assert "texts of its pools" in refused.err


def test_a_person_is_erased_with_the_texts_without_labels(files: Shell, encoder: InventedMeanings) -> None:
    with Path("reviews.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, own in (("people", rows[:10]), ("more", rows[10:50])):
        with Path(f"{name}.csv").open("w", newline="") as file:
            table = [[f"p{int(row['id']) % 5}", row["text"], row["label"]] for row in own]
            csv.writer(file).writerows([["person", "text", "label"], *table])
    files.do("tercet train people.csv -o new.tercet --unlabelled more.csv --subject-column person")
    assert tercet.load("new.tercet").n_unlabelled_ == 40
    files.do("tercet ledger erase new.ledger --subject p3 --model new.tercet -o certificate.json --actor ann")
    gone = [row["text"] for row in rows[:50] if int(row["id"]) % 5 == 3]
    assert not any(text.encode() in path.read_bytes() for path in Path().glob("new.*") for text in gone)
    refused = files("tercet train people.csv -o no.tercet --unlabelled more.csv --subject-column person --no-documents")
    assert refused.code == 2
    assert not Path("no.tercet").exists()


def test_a_pool_may_have_another_name_for_its_only_text_column(files: Shell, encoder: InventedMeanings) -> None:
    Path("messages.csv").write_text(Path("pool.csv").read_text().replace("id,text", "id,message", 1))
    files.do("tercet train few.csv -o new.tercet --unlabelled messages.csv")
    files.do("tercet train few.csv -o same.tercet --unlabelled pool.csv")
    assert Path("new.tercet").read_bytes() == Path("same.tercet").read_bytes()
