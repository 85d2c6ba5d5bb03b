"""Seeds beside labels on the command line."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Shell

import tercet


@pytest.fixture
def files(shell: Shell) -> Shell:
    """few.csv has 10 documents, pool.csv 40 texts, words.toml good seeds, and wrong.toml seeds of the other label."""
    with Path("reviews.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name, header, own in (
        ("few", ["text", "label", "id"], [[row["text"], row["label"], row["id"]] for row in rows[:10]]),
        ("pool", ["text", "id"], [[row["text"], row["id"]] for row in rows[10:50]]),
    ):
        with Path(f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([header, *own])
    Path("wrong.toml").write_text('[bad]\nwords = ["lovely", "great"]\n\n[good]\nwords = ["dull", "awful"]\n')
    return shell


def test_seeds_are_used_said_and_shown(files: Shell) -> None:
    found = files.do("tercet train few.csv -o new.tercet --seeds labels.toml --unlabelled pool.csv")
    assert "the seeds count with weight " in found.out + found.err
    assert "student of seeds and unlabelled texts" in found.out
    assert "good: lovely, great" in files.do("tercet inspect new.tercet").out
    assert json.loads(files.do("tercet inspect new.tercet --json").out)["seeds"]["bad"] == {"words": ["dull", "awful"]}
    assert "--seeds FILE" in files.do("tercet inspect new.tercet --config").err
    assert "2 labels, 4 words" in files.do("tercet card new.tercet").out
    files.do("tercet train few.csv -o again.tercet --seeds labels.toml --unlabelled pool.csv")
    assert Path("again.tercet").read_bytes() == Path("new.tercet").read_bytes()


def test_refit_changes_the_seeds(files: Shell) -> None:
    for name in ("labels", "wrong"):
        files.do(f"tercet train few.csv -o {name}.tercet --seeds {name}.toml")
    files.do("tercet train few.csv -o none.tercet")
    files.do("tercet refit labels.tercet --seeds wrong.toml -o n.tercet")
    assert Path("n.tercet").read_bytes() == Path("wrong.tercet").read_bytes()
    files.do("tercet refit labels.tercet --seeds none -o n.tercet")
    assert Path("n.tercet").read_bytes() == Path("none.tercet").read_bytes()


def test_a_ledger_has_the_change_as_an_event(files: Shell) -> None:
    files.do("tercet train few.csv -o m.tercet --seeds labels.toml --subject-column id --unlabelled pool.csv")
    files.do("tercet refit m.tercet --seeds wrong.toml --ledger m.ledger --actor ann")
    seeds = tercet.load("m.tercet").seeds_
    assert seeds is not None
    assert seeds.labels[1].words == ("dull", "awful")
    assert "seeds" in files.do("tercet ledger show m.ledger").out
    files.do("tercet ledger replay m.ledger -o r.tercet")
    assert Path("r.tercet").read_bytes() == Path("m.tercet").read_bytes()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("train few.csv -o x.tercet --seeds missing.toml", "can't be read"),
        ("train few.csv -o x.tercet --seeds labels.toml --fast", "seeds are for model='auto'"),
        ("train few.csv -o x.tercet --seeds few.csv", "is not TOML"),
        ("refit m.tercet few.csv --seeds labels.toml", "leave the files out"),
        ("refit m.tercet --seeds missing.toml", "can't be read"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(files: Shell, line: str, words: str) -> None:
    before = Path("m.tercet").read_bytes()
    found = files(f"tercet {line}")
    assert found.code == 2
    assert words in found.err
    assert not Path("x.tercet").exists()
    assert Path("m.tercet").read_bytes() == before
