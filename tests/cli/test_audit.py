"""tercet audit: every kind of audit at the command line, the page, and what is refused."""

import json
import os
from pathlib import Path

import pytest
from helpers.command_line import Shell

import tercet

AUDIT = "tercet audit reviews.tercet"


def test_groups_are_those_of_the_library(shell: Shell) -> None:
    printed = json.loads(shell.do(f"{AUDIT} test.csv --by source --json").out)
    expected = tercet.audit(tercet.load("reviews.tercet"), tercet.read("test.csv", columns="all"), by="source").to_dict()
    assert printed == expected
    assert printed["pairs"] is None
    assert printed["probe"] is None


def test_standard_input_is_read_once_for_groups_swaps_and_a_page(shell: Shell) -> None:
    line = f"{AUDIT} - --format csv --by source --swap film/story --html page.html --json < test.csv"
    printed, page = shell.do(line), Path("page.html")
    assert "written: page.html" in printed.err
    found, written = json.loads(printed.out), page.read_text(encoding="utf-8")
    assert found["groups"]["n"] == found["probe"]["n_documents"] == 40
    assert written.startswith("<!doctype html>")
    assert "<script" not in written
    assert written.count("<svg") >= 3


def test_pairs_need_no_labels_that_the_model_knows(shell: Shell) -> None:
    rows = Path("pairs.csv").read_text().splitlines()
    Path("labelled.csv").write_text("\n".join(row + (",label" if k == 0 else ",joy") for k, row in enumerate(rows)) + "\n")
    plain, labelled = (
        json.loads(shell.do(f"{AUDIT} {name} --pair template --by gender --json").out) for name in ("pairs.csv", "labelled.csv")
    )
    assert plain["pairs"]["comparisons"] == labelled["pairs"]["comparisons"]
    assert "mood" in plain["pairs"]["held_fixed"]


def test_templates_and_words_give_the_sentences_of_a_file(shell: Shell) -> None:
    Path("one.txt").write_text("{person} is {mood}.\n")
    made = json.loads(shell.do(f"{AUDIT} --templates one.txt --words people.csv --words moods.csv --by gender --json").out)
    read = json.loads(shell.do(f"{AUDIT} pairs.csv --pair template --by gender --json").out)
    own, other = (each["pairs"]["comparisons"][0]["probability"]["estimate"]["value"] for each in (made, read))
    assert own == pytest.approx(other, abs=1e-12)


def test_swaps_come_from_options_and_from_a_file(shell: Shell) -> None:
    Path("swaps.txt").write_text("# two sets\nfilm / story\n\nplot/cast\n")
    options = shell.do(f"{AUDIT} test.csv --swap film/story --swap plot/cast --json").out
    assert shell.do(f"{AUDIT} test.csv --swaps swaps.txt --json").out == options
    assert json.loads(options)["probe"]["groups"] == ["film, plot", "story, cast"]


def test_a_model_with_numbers_as_labels_knows_the_labels_of_a_file(shell: Shell) -> None:
    read = tercet.read("reviews.csv")
    labels = [int(label == "good") for label in read.labels or ()]
    tercet.Categorizer().fit(read.texts, labels).save("numbers.tercet")
    rows = Path("test.csv").read_text().replace(",good,", ",1,").replace(",bad,", ",0,")
    Path("numbers.csv").write_text(rows)
    found = json.loads(shell.do("tercet audit numbers.tercet numbers.csv --by source --positive 0 --json").out)
    labels_of_rates = {each["label"] for each in found["groups"]["differences"] if each["metric"] == "false_positive_rate"}
    assert labels_of_rates == {0}


def test_a_test_file_that_is_the_training_file_is_said(shell: Shell) -> None:
    printed = shell.do(f"{AUDIT} reviews.csv --by source")
    for written in (printed.out, printed.err):
        assert "has learned" in written
        assert "too good" in written
    assert "learned" not in shell.do(f"{AUDIT} test.csv --by source").err


def test_texts_without_labels_can_be_probed(shell: Shell) -> None:
    out = shell.do(f"{AUDIT} texts.txt --swap film/plot").out
    assert "2 of 3 texts have a listed term" in out


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{AUDIT} test.csv --html page.html", "nothing to audit: by (--by) compares groups"),
        (f"{AUDIT} --by source --html page.html", "there are no documents to audit"),
        (f"{AUDIT} test.csv --pair id --html page.html", "Name it with by (--by)"),
        (f"{AUDIT} test.csv --templates templates.txt --by gender --html page.html", "need words (--words)"),
        (f"{AUDIT} test.csv --by nothing --html page.html", "the documents have no column 'nothing': there is 'id', "),
        (f"{AUDIT} test.csv --by source --positive fine --html page.html", "'fine'"),
        (f"{AUDIT} test.csv --swap film --html page.html", "needs two or more terms, got 'film': a term"),
        (f"{AUDIT} test.csv --swap xyz/zyx --html page.html", "none of the 40 texts has a listed term"),
        (f"{AUDIT} test.csv --swaps missing.txt --html page.html", "missing.txt"),
        (f"{AUDIT} test.csv --by source --swaps none.txt --html page.html", "swaps is empty"),
        (f"{AUDIT} strange.csv --by source --html page.html", "knows none"),
        (f"{AUDIT} missing.csv --by source --html page.html", "missing.csv does not exist"),
        (f"{AUDIT} test.csv --by source --html test.csv", "is read and would be overwritten"),
        ("tercet audit test.csv reviews.tercet --by source", "the model comes first"),
    ],
)
def test_what_is_refused_writes_nothing(line: str, message: str, shell: Shell) -> None:
    Path("strange.csv").write_text("text,label,source\na film,joy,a\na plot,fear,b\n")
    Path("none.txt").write_text("# no sets\n")
    before = sorted(os.listdir())
    refused = shell(line)
    assert refused.code == 2
    assert refused.out == ""
    assert message in refused.err.splitlines()[-1]
    assert sorted(os.listdir()) == before
