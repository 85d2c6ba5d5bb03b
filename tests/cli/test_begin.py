"""tercet begin: a first model from texts without labels, words accepted by keys, and one line for what is wrong."""

import json
import sys
from io import StringIO
from pathlib import Path

import pytest
from helpers.command_line import Shell, refuse

import tercet
from tercet.categorizer.seeds.seeds import Seeds
from tercet.cli.labelling.keys import Key, Keys

BEGIN = "tercet begin reviews.csv --seeds labels.toml -o first.tercet"


def type_keys(shell: Shell, line: str, keys: str) -> str:
    """Run a line while these lines of standard input are keys. Returns what was said."""
    Path("keys.txt").write_text(keys)
    return shell.do(f"{line} < keys.txt").err


def test_it_writes_a_model_and_says_that_nothing_has_been_checked(shell: Shell) -> None:
    printed = shell.do(BEGIN)
    assert "Nothing has been checked" in printed.out
    assert "share (a guess)" in printed.out
    assert "good stands on" in printed.out
    assert tercet.load("first.tercet").predict(["a superb and clever film", "a messy, boring plot"]).tolist() == ["good", "bad"]
    shown = shell.do("tercet inspect first.tercet").out
    assert "nothing has been checked" in shown
    assert "held-out" not in shown
    facts = json.loads(shell.do("tercet inspect first.tercet --json").out)
    assert facts["record"]["estimate"] == {}
    assert all("estimate" not in member for member in facts["members"])


def test_json_has_everything(shell: Shell) -> None:
    found = json.loads(shell.do(f"{BEGIN} --json").out)
    assert found["checked"] is False
    assert [own["label"] for own in found["labels"]] == ["bad", "good"]
    assert set(found["labels"][0]) == {"label", "share", "evidence", "proposed", "typical", "doubtful"}
    assert found["seeds"]["good"] == {"words": ["lovely", "great"]}


def test_the_model_remembers_the_column_of_the_text(shell: Shell) -> None:
    shell.do(BEGIN + " --text text")
    record = tercet.load("first.tercet").record_
    assert record is not None
    assert record.columns is not None
    assert (record.columns.texts, record.columns.label) == (("text",), None)
    shell.do("tercet predict first.tercet new.csv")


def test_other_commands_take_the_model(shell: Shell) -> None:
    shell.do(BEGIN)
    assert shell.do("tercet explain first.tercet 'a lovely film'").out
    shell.do("tercet evaluate first.tercet test.csv")
    shell.do("tercet learn first.tercet new.csv")
    assert "nothing has been checked" in shell.do("tercet inspect first.tercet").out
    assert "guessed from names and words" in shell.do("tercet card first.tercet").out


def test_without_a_terminal_nothing_is_asked(shell: Shell) -> None:
    assert "accept a word" not in type_keys(shell, BEGIN, "1\nq\n")
    assert "accept a word" in type_keys(shell, f"{BEGIN} --ask", "q\n")


def test_accepted_and_struck_words_are_in_the_written_seeds(shell: Shell) -> None:
    first = tercet.begin(read_texts(), Seeds.read("labels.toml"), vectors=None)
    said = type_keys(shell, f"{BEGIN} --ask --write-seeds more.toml", "1\n- dull\n+ weak\n\nr\n9\nx\n+ dull plot\nq\n")
    assert "worked out anew" in said
    assert "x is no key" in said
    seeds = {own.label: own.words for own in Seeds.read("more.toml").labels}
    assert seeds["bad"] == ("awful", first.labels[0].proposed[0], "weak")
    again = tercet.begin(read_texts(), Seeds.read("more.toml"), vectors=None)
    assert (
        tercet.load("first.tercet").predict_proba(["a plot"]).tolist() == again.categorizer.predict_proba(["a plot"]).tolist()
    )


def test_what_is_wrong_with_a_word_is_said_and_the_session_goes_on(shell: Shell) -> None:
    said = type_keys(shell, f"{BEGIN} --ask --write-seeds more.toml", "+ lovely\n+ blockchain\nr\n+\n\nq\n")
    assert "a seed of" in said
    assert "never occurs in the pool" in said
    assert Seeds.read("more.toml") == Seeds.read("labels.toml")


def read_texts() -> list[str]:
    return [text for batch in tercet.read("reviews.csv", labelled=False) for text in batch.texts]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("tercet begin reviews.csv -o x.tercet", "nothing says what the labels are"),
        ("tercet begin reviews.csv -o x.tercet --labels a,b --seeds labels.toml", "both say what the labels are"),
        ("tercet begin reviews.csv -o x.tercet --labels good", "only the label 'good'"),
        ("tercet begin reviews.csv -o x.tercet --labels good,bad", "no word of the label 'bad' occurs"),
        ("tercet begin reviews.csv -o x.tercet --seeds none.toml", "none.toml can't be read"),
        ("tercet begin reviews.csv -o x.tercet --seeds recipe.toml", "recipe.toml: "),
        ("tercet begin reviews.csv -o x.tercet --seeds labels.toml --shares good=0.5", "'bad' has no share"),
        ("tercet begin reviews.csv -o x.tercet --seeds labels.toml --shares good=x,bad=1", "is not of the form"),
        ("tercet begin reviews.csv -o x.tercet --seeds labels.toml --write-seeds labels.toml", "would be overwritten"),
        ("tercet begin empty.csv -o x.tercet --seeds labels.toml", "empty.csv"),
        ("tercet begin reviews.csv -o x.csv --seeds labels.toml", "a model file ends in .tercet"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(line: str, complaint: str, shell: Shell) -> None:
    Path("empty.csv").write_text("text\n")
    assert complaint in refuse(shell, line)


def test_a_terminal_is_asked(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.cli.labelling.keys import LineKeys
    from tercet.cli.labelling.seed_session import SeedSession

    first = tercet.begin(read_texts(), Seeds.read("labels.toml"), vectors=None)
    monkeypatch.setattr(sys, "stdin", StringIO("\n\n1\n"))
    session = SeedSession(first, LineKeys(), lambda seeds: tercet.begin(read_texts(), seeds, vectors=None))
    result = session.run()
    assert session.place == 0
    assert first.labels[0].proposed[0] in result.seeds.labels[0].words


def test_ctrl_c_keeps_the_accepted_words(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    read, keys = Keys.read, iter("+")

    def stop(self: Keys) -> Key:
        if next(keys, None) is None:
            raise KeyboardInterrupt
        return read(self)

    monkeypatch.setattr(Keys, "read", stop)
    type_keys(shell, f"{BEGIN} --ask --write-seeds more.toml", "+ weak\n")
    assert "weak" in Seeds.read("more.toml").labels[0].words


def test_a_word_that_is_no_seed_can_not_be_struck(shell: Shell) -> None:
    assert "zzz is no seed: only seeds can be struck" in type_keys(shell, f"{BEGIN} --ask", "- zzz\nq\n")


def test_the_model_of_a_ledger_is_not_replaced(shell: Shell) -> None:
    before = Path("live.tercet").read_bytes()
    for line in ('tercet begin test.csv --labels "good, bad" -o live.tercet', "tercet train reviews.csv -o live.tercet"):
        assert "is the model of live.ledger" in refuse(shell, line)
    assert Path("live.tercet").read_bytes() == before
