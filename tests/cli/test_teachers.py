"""tercet train --teacher: columns and rules that teach, what is reported, and one line for what is wrong."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Shell, refuse

import tercet

TRAIN = "tercet train taught.csv -o t.tercet --fast"
GOLD = f"{TRAIN} --label label --teacher llm --teacher votes --teacher rules.toml"


def test_it_says_how_good_each_teacher_is_and_judges_on_gold_documents(shell: Shell) -> None:
    printed = shell.do(GOLD).out
    for shown in ("5 folds of 40 gold documents", "3 teachers, 120 documents, 40 of them", "on 40 gold labels", "rules", "llm"):
        assert shown in printed
    record = tercet.load("t.tercet").record_
    assert record is not None
    assert record.columns is not None
    assert (record.columns.texts, record.columns.label) == (("text",), "label")
    assert record.teachers == ("llm", "votes", "rules")
    assert "teachers           llm, votes, rules" in shell.do("tercet inspect t.tercet").out
    assert not tercet.load("t.tercet").rules


def test_rows_without_a_gold_label_are_not_bad(shell: Shell) -> None:
    printed = shell.do(GOLD)
    assert "left out" not in printed.err
    assert "120 documents" in printed.out


def test_without_gold_labels_nothing_has_been_checked(shell: Shell) -> None:
    printed = shell.do(f"{TRAIN} --teacher llm --teacher votes --teacher rules.toml").out
    assert "Nothing has been checked" in printed
    assert "`tercet check`" in printed
    assert "by agreement of 3 teachers" in printed
    assert "can't be seen" in printed
    assert "labels of the texts come from teachers" in shell.do("tercet inspect t.tercet").out
    assert "come from teachers: nothing has been checked" in shell.do("tercet card t.tercet").out
    shell.do("tercet learn t.tercet new.csv --label label")
    assert "nothing has been checked" in shell.do("tercet inspect t.tercet").out


def test_json_has_everything(shell: Shell) -> None:
    found = json.loads(shell.do(f"{GOLD} --json").out)
    assert [own["name"] for own in found["teachers"]["teachers"]] == ["llm", "votes", "rules"]
    assert found["estimate"]["n"] == 40
    assert found["teachers"]["gold"] == 40
    assert json.loads(shell.do("tercet train reviews.csv -o r.tercet --fast --json").out)["teachers"] is None


def test_the_usual_model_learns_from_teachers_and_can_be_tested(shell: Shell) -> None:
    line = "tercet train taught.csv -o t.tercet --label label --teacher llm --teacher votes --test test.csv"
    printed = shell.do(line).out
    assert "stack of linear models" in printed
    assert "\ntest " in printed
    facts = json.loads(shell.do("tercet inspect t.tercet --json").out)
    assert all("estimate" not in member for member in facts["members"])


def test_json_lines_hold_lists_and_mappings(shell: Shell) -> None:
    rows = [
        {"text": f"a {word} film", "llm": {label: 0.75, other: 0.25}, "votes": [label, label, other], "label": gold}
        for word, label, other in (("lovely", "good", "bad"), ("dull", "bad", "good"))
        for gold in (label, None, None)
    ]
    Path("taught.jsonl").write_text("\n".join(map(json.dumps, rows)))
    line = "tercet train taught.jsonl -o t.tercet --fast --text text --label label --teacher llm --teacher votes"
    assert "2 teachers, 6 documents, 2 of them" in shell.do(line).out


def test_labels_of_teachers_are_mapped(shell: Shell) -> None:
    Path("taught.csv").write_text(Path("taught.csv").read_text().replace('""good""', '""fine""'))
    Path("map.csv").write_text("from,to\nfine,good\n")
    assert "says 'fine'" in refuse(shell, f"{TRAIN} --label label --teacher llm --teacher votes")
    shell.do(f"{TRAIN} --label label --teacher llm --teacher votes --map-labels map.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--label label --teacher lm", "Did you mean 'llm'? Name one of these with --teacher."),
        ("--label label --teacher label", "says exactly the gold labels"),
        ("--label label --teacher llm --teacher llm", "is given twice"),
        ("--teacher llm --teacher none.toml", "none.toml can't be read"),
        ("--teacher llm --teacher recipe.toml", "recipe.toml sets 'word-ngrams'"),
        ("--teacher llm --teacher empty.toml", "empty.toml has no rules"),
        ("--teacher llm --teacher broken.toml", "broken.toml is not TOML"),
        ("--teacher llm --teacher unclear.toml", "is not of the form REGEX=LABEL"),
        ("--teacher llm --teacher one.toml", "always says 'good'"),
        ("--teacher llm --folds 5", "--teacher can't go with --folds"),
        ("--teacher llm --weight id", "--teacher can't go with --weight"),
        ("--teacher llm --labels good,bad", "--teacher can't go with --labels"),
        ("--teacher llm --suspects s.csv", "--teacher can't go with --suspects"),
        ("--teacher llm --test-share 0.2", "--teacher can't go with --test-share"),
        ("--teacher llm --subject-column id", "--teacher can't go with --subject-column"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(shell: Shell, options: str, message: str) -> None:
    Path("empty.toml").write_text("rules = []\n")
    Path("broken.toml").write_text("rules = [\n")
    Path("unclear.toml").write_text('rules = ["lovely"]\n')
    Path("one.toml").write_text('rules = ["lovely=good"]\n')
    assert message in refuse(shell, f"{TRAIN} {options}")


def test_a_bad_cell_is_named_with_its_row(shell: Shell) -> None:
    lines = Path("taught.csv").read_text().splitlines()
    lines[3] = 'a plot,good,"{""good"": 0.9, ""bad"": 0.3}",good'
    Path("taught.csv").write_text("\n".join(lines))
    said = refuse(shell, f"{TRAIN} --label label --teacher llm")
    assert "the teacher 'llm', taught.csv, row 4: the probabilities add up to 1.2" in said
