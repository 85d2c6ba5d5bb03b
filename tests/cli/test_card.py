"""tercet card: what is printed, written and said, and what is refused before anything is written."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Shell

from tercet.auditing.card.notes import write_template
from tercet.errors import CannotWrite
from tercet.store.atomic_file import write_all


def test_the_card_is_printed_or_written_and_the_same(shell: Shell) -> None:
    printed = shell.do("tercet card a.tercet --test test.csv --notes card.toml --quiet")
    assert printed.err == ""
    written = shell.do("tercet card a.tercet --test test.csv --notes card.toml -o CARD.md --html card.html")
    assert written.out == ""
    assert Path("CARD.md").read_text(encoding="utf-8") == printed.out
    assert "written: CARD.md\nwritten: card.html\n" in written.err
    assert "15 of 17 questions are not answered: model.description, " in written.err
    page = Path("card.html").read_text(encoding="utf-8")
    assert page.count("<h1") == 1
    assert "<title>Model card: a</title>" in page
    assert "Sort film reviews." in page
    assert "Sort film reviews." in printed.out


def test_the_ending_of_the_file_says_the_form(shell: Shell) -> None:
    printed = shell.do("tercet card a.tercet --test test.csv --quiet").out
    for name in ("CARD.md", "CARD", "card.txt"):
        shell.do(f"tercet card a.tercet --test test.csv -o {name}")
        assert Path(name).read_text(encoding="utf-8") == printed
    shell.do("tercet card a.tercet --test test.csv -o CARD.html --html other.html")
    page = Path("CARD.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert page == Path("other.html").read_text(encoding="utf-8")
    shell.do("tercet card a.tercet --test test.csv -o card.json")
    assert json.loads(Path("card.json").read_text()) == json.loads(shell.do("tercet card a.tercet --test test.csv --json").out)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("card a.tercet -o card.pdf", "a card can't be written as .pdf: let the name of the file end in .md, .html or .json."),
        ("train reviews.csv -o model.html", "model.html is named like a file of another form: a model file ends in .tercet."),
        ("ledger export live.ledger -o events.html", "let the name of the file end in .jsonl or .json."),
        ("ledger certificate erased.ledger 124 -o proof.html", "a certificate can't be written as .html"),
    ],
)
def test_an_ending_of_another_form_is_refused_before_any_work(shell: Shell, line: str, message: str) -> None:
    outcome = shell(f"tercet {line}")
    assert outcome.code == 2
    assert message in outcome.err
    assert not Path(line.split()[-1]).exists()


def test_json_has_the_numbers(shell: Shell) -> None:
    card = json.loads(shell.do("tercet card a.tercet --test test.csv --by source --json").out)
    report = json.loads(shell.do("tercet evaluate a.tercet test.csv --by source --json").out)
    assert card["evaluation"]["report"]["metrics"]["accuracy"] == report["metrics"]["accuracy"]
    assert list(card["evaluation"]["report"]["slices"]) == ["source"]
    assert card["model"]["file"] == "a.tercet"
    assert card["model"]["checksum"] in Path("a.tercet").read_bytes()[:200].decode("latin-1")


def test_a_test_file_that_is_the_training_file_is_named_on_standard_error(shell: Shell) -> None:
    outcome = shell.do("tercet card a.tercet --test reviews.csv")
    assert "The model has learned all 120 test documents, so this is not a test" in outcome.err
    assert "The model has learned all 120 test documents, so this is not a test" in outcome.out


def test_the_training_file_is_examined_and_compared(shell: Shell) -> None:
    text = shell.do("tercet card margins.tercet --test test.csv --train reviews.csv --quiet").out
    assert "Membership AUC: 0." in text
    assert "- **Source**: reviews.csv" in text


def test_the_template_needs_no_model(shell: Shell) -> None:
    assert shell.do("tercet card --template").out == write_template()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("", "give a model, or --template"),
        ("a.tercet --by source", "--by names columns of test documents: give these documents with --test."),
        ("a.tercet --test test.csv --by age", "Name one of these with --by."),
        ("a.tercet --notes none.toml", "none.toml does not exist: write it with `tercet card --template > none.toml`"),
        ("a.tercet --notes wrong.toml", "wrong.toml answers model.licence, which no card asks. Did you mean 'license'?"),
        ("a.tercet --test test.csv --train new.csv", "has learned none of the 10 training documents"),
        ("a.tercet --test texts.txt", ""),
        ("a.tercet --test - --train -", "standard input can be read only once"),
        ("a.tercet --notes card.toml -o card.toml", "card.toml is read and would be overwritten"),
        ("a.tercet -o a.tercet", "a card can't be written as .tercet: let the name of the file end in .md, .html or .json."),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(words: str, message: str, shell: Shell) -> None:
    Path("wrong.toml").write_text("[model]\nlicence = 'mit'\n")
    before = [Path(name).read_bytes() for name in ("card.toml", "a.tercet")]
    output = "" if "-o" in words else "-o CARD.md --html card.html"
    outcome = shell(f"tercet card {words} {output}")
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.out == ""
    assert not Path("CARD.md").exists()
    assert not Path("card.html").exists()
    assert [Path(name).read_bytes() for name in ("card.toml", "a.tercet")] == before


def test_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_bytes(b"old")
    with pytest.raises(CannotWrite, match="can't be written"):
        write_all({kept: [b"new"], tmp_path / "missing" / "page.html": [b"new"]})
    assert kept.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
    write_all({kept: [b"new"], tmp_path / "page.html": [b"page"]})
    assert (kept.read_bytes(), (tmp_path / "page.html").read_bytes()) == (b"new", b"page")
