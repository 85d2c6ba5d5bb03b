"""The mistakes of a report: which documents, in which order, with which evidence, in Python, in files and in pages."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from helpers.command_line import Shell, write_files

import tercet
from tercet import Categorizer, Documents, evaluate
from tercet.errors import InvalidOption, InvalidText

TEXTS = ["so fine", "dull", "<b>fine</b> film", "a dull film", "fine"]
GOLD = ["good", "bad", "bad", "good", "good"]
MODEL = Categorizer("words").fit(["so dull", "so fine", "dull film", "fine play"], ["bad", "good", "bad", "good"])


def report_on(texts: Any = TEXTS, gold: Any = GOLD, **options: Any) -> Any:
    plain = texts.texts if isinstance(texts, Documents) else texts
    return evaluate(gold, MODEL.predict(plain), MODEL.predict_proba(plain), texts=texts, labels=MODEL.classes_, **options)


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Shell:
    write_files(tmp_path)
    return Shell(tmp_path, monkeypatch, capfd)


def test_mistakes_are_the_wrong_answers_the_least_probable_gold_label_first() -> None:
    report = report_on()
    found = report.mistakes()
    assert {mistake.position for mistake in found} == {2, 3}
    own = [mistake.gold_probability for mistake in found]
    assert own == sorted(own)
    for mistake in found:
        i = mistake.position
        assert (mistake.text, mistake.gold, mistake.predicted) == (TEXTS[i], GOLD[i], MODEL.predict([TEXTS[i]])[0])
        assert mistake.probability == pytest.approx(MODEL.predict_proba([TEXTS[i]]).max())
        assert mistake.explanation is None
        assert mistake.write_evidence() == ""
    assert [mistake.position for mistake in report.mistakes(1)] == [found[0].position]


def test_without_probabilities_mistakes_are_in_the_order_of_the_documents() -> None:
    found = evaluate(["a", "b", "a", "b"], ["b", "b", "b", "a"], texts=["w", "x", "y", "z"]).mistakes()
    assert [mistake.position for mistake in found] == [0, 2, 3]
    assert math.isnan(found[0].probability)


def test_documents_without_weight_are_no_mistakes() -> None:
    found = report_on(weights=[1, 1, 0, 1, 1]).mistakes()
    assert [mistake.position for mistake in found] == [3]


def test_the_evidence_is_for_the_wrong_label_against_the_gold_label() -> None:
    for mistake in report_on(explain=MODEL.explain).mistakes():
        expected = MODEL.explain(mistake.text, mistake.predicted, mistake.gold)
        assert mistake.explanation == expected
        assert mistake.write_evidence(1) == f"{expected.evidence[0].term} {expected.evidence[0].value:+.2f}"


@pytest.mark.filterwarnings("ignore:precision is undefined")
def test_a_gold_label_that_the_model_does_not_know_is_explained_against_the_second_best() -> None:
    probabilities = np.pad(MODEL.predict_proba(TEXTS), ((0, 0), (0, 1)))
    gold = ["unknown", "bad", "bad", "good", "good"]
    report = evaluate(
        gold, MODEL.predict(TEXTS), probabilities, texts=TEXTS, explain=MODEL.explain, labels=["bad", "good", "unknown"],
        metrics="accuracy",
    )  # fmt: skip
    (found,) = [mistake for mistake in report.mistakes() if mistake.gold == "unknown"]
    assert found.explanation == MODEL.explain(TEXTS[0], "good")


def test_documents_give_their_columns_to_their_mistakes() -> None:
    model = Categorizer("words", numeric=["stars"])
    documents = Documents(["a b", "b c", "x y", "y z"], ["p", "p", "q", "q"], columns={"stars": [1, 2, 8, 9]})
    model.fit(documents)
    test = Documents(["a", "x"], columns={"stars": [9, 1]})
    report = evaluate(["q", "p"], ["p", "q"], texts=test, explain=model.explain)
    first = report.mistakes()[0]
    assert first.columns == {"stars": 9}
    assert "stars = 9" in {item.term for item in first.explanation.evidence}


def test_a_report_without_texts_says_how_to_get_mistakes() -> None:
    with pytest.raises(InvalidOption, match=r"pass texts=\.\.\. to evaluate"):
        evaluate(["a", "b"], ["b", "a"]).mistakes()


def test_texts_that_do_not_fit_the_labels_are_refused() -> None:
    with pytest.raises(InvalidText, match="2 texts for 5 labels"):
        evaluate(GOLD, GOLD, texts=["a", "b"])
    with pytest.raises(InvalidText, match=r"text 1 \(counted from 0\) is None"):
        evaluate(["a", "b"], ["a", "b"], texts=["so", None])


def test_the_page_shows_the_worst_twenty_with_their_words_marked_and_escaped() -> None:
    texts, gold = ["fine <i>film</i> &"] * 15 + ["dull play"] * 15, ["bad"] * 15 + ["good"] * 15
    report = report_on(texts, gold, explain=MODEL.explain)
    page = report.to_html()
    assert "worst 20 of 30 mistakes" in page
    assert page.count(" instead of ") == 20
    assert "<i>" not in page
    assert ">fine</mark> &lt;" in page
    assert "instead of" not in report._repr_html_()


def test_the_table_of_mistakes_is_that_of_the_library(shell: Shell) -> None:
    told = shell.do("tercet evaluate m.tercet test.csv --mistakes mistakes.csv --columns id")
    with open("mistakes.csv", newline="") as file:
        found = list(csv.DictReader(file))
    with open("test.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    model = tercet.load("m.tercet")
    predicted = model.predict([row["text"] for row in rows]).tolist()
    wrong = [row for row, label in zip(rows, predicted, strict=True) if row["label"] != label]
    assert list(found[0]) == ["row", "id", "gold", "predicted", "probability", "gold_probability", "evidence", "text"]
    assert sorted(row["id"] for row in found) == sorted(row["id"] for row in wrong)
    assert told.err.endswith(f"written: mistakes.csv ({len(wrong)} mistakes)\n")
    for row in found:
        assert int(row["row"]) == int(row["id"]) + 2  # ids count from 0, and the header is row 1
        strongest = model.explain(row["text"], row["predicted"], row["gold"]).evidence[0]
        assert row["evidence"].startswith(f"{strongest.term} {strongest.value:+.2f}")
    shell.do("tercet evaluate m.tercet test.csv --mistakes mistakes.jsonl --columns id")
    assert [json.loads(line)["id"] for line in Path("mistakes.jsonl").read_text().splitlines()] == [row["id"] for row in found]


def test_a_table_of_mistakes_can_be_parquet(shell: Shell) -> None:
    shell.do("tercet evaluate m.tercet test.csv --mistakes mistakes.csv --columns id")
    shell.do("tercet evaluate m.tercet test.csv --mistakes mistakes.parquet --columns id")
    written, table = pd.read_csv("mistakes.csv", dtype={"id": str}), pd.read_parquet("mistakes.parquet")
    assert table.to_dict("list") == written.to_dict("list")


def test_a_mistake_in_several_columns_shows_each_with_its_words(shell: Shell) -> None:
    rows = ["subject,body,queue", "dull,boring and long,bad", "lovely,warm and funny,good", "awful,weak and messy,bad"]
    Path("tickets.csv").write_text("\n".join([*rows, "great,superb and clever,good"]) + "\n")
    Path("judged.csv").write_text("subject,body,queue\nlovely,superb and warm,bad\ndull,weak,bad\nfunny,great,good\n")
    shell.do("tercet train tickets.csv -o t.tercet --text subject --text body --label queue")
    shell.do("tercet evaluate t.tercet judged.csv --mistakes mistakes.jsonl --html page.html")
    (found,) = map(json.loads, Path("mistakes.jsonl").read_text().splitlines())
    assert (found["row"], found["text"]) == (2, "lovely\nsuperb and warm")
    page = Path("page.html").read_text()
    assert "\x1f" not in page
    assert "\\x1f" not in page
    assert ">body:</span>" in page


def test_the_page_of_the_command_line_has_the_worst_mistakes(shell: Shell) -> None:
    shell.do("tercet evaluate m.tercet test.csv --html report.html")
    page = Path("report.html").read_text()
    assert "mistakes, the worst first" in page
    assert "<mark " in page
    assert "test.csv, row " in page


def test_a_compact_model_explains_its_mistakes(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o small.tercet --compact")
    shell.do("tercet evaluate small.tercet test.csv --mistakes mistakes.csv")
    assert " +" in Path("mistakes.csv").read_text()


def test_a_model_without_mistakes_writes_an_empty_table(shell: Shell) -> None:
    Path("easy.csv").write_text("text,label\nlovely warm,good\ndull boring,bad\n")
    told = shell.do("tercet evaluate m.tercet easy.csv --mistakes mistakes.csv --html report.html")
    assert Path("mistakes.csv").read_text() == "row,gold,predicted,probability,gold_probability,evidence,text\n"
    assert "written: mistakes.csv (0 mistakes)" in told.err
    assert "instead of" not in Path("report.html").read_text()


def test_a_file_of_mistakes_of_another_kind_is_refused_before_the_work(shell: Shell) -> None:
    outcome = shell("tercet evaluate m.tercet test.csv --mistakes mistakes.txt")
    assert (outcome.code, outcome.out) == (2, "")
    assert "let its name end in .csv, .jsonl or .parquet." in outcome.err
