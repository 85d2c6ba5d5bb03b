"""What the command line says to do next, after a mistake or a result that is easily misread."""

import csv
import random
from pathlib import Path

import pytest
from helpers.command_line import BAD, GOOD, Shell, refuse

import tercet
from tercet.characters import measure_columns
from tercet.errors import NotConverged


def write_rows(path: str, rows: list[list[object]]) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def write_long(path: str, n: int, *, noise: float = 0.0, seed: int = 0) -> None:
    """Texts of many repeated words, some with the wrong label: naive Bayes is far too sure about them."""
    draw = random.Random(seed)
    rows: list[list[object]] = [["text", "label"]]
    for _ in range(n):
        label = draw.choice(["good", "bad"])
        words = GOOD if (label == "good") == (draw.random() >= noise) else BAD
        rows.append([" ".join(draw.choices(words, k=30)), label])
    write_rows(path, rows)


@pytest.mark.parametrize("command", ["evaluate"])
def test_a_bad_row_names_the_option_that_leaves_it_out(shell: Shell, command: str) -> None:
    Path("odd.csv").write_text("text,label\nfine,good\ndull,\n")
    said = refuse(shell, f"tercet {command} m.tercet odd.csv")
    assert said.startswith("odd.csv, line 3: it has no label. --on-error skip leaves such rows out.")


def test_a_bad_row_with_a_remedy_of_its_own_gets_no_other(shell: Shell) -> None:
    Path("odd.csv").write_bytes("text,label\ncafé,good\n".encode("latin-1"))
    assert refuse(shell, "tercet train odd.csv -o x.tercet").endswith("Is it --encoding latin-1?")


def test_fits_that_were_not_finished_are_said_once_with_the_option(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.models.linear.LinearModel._descent", lambda self: (1.0, 1e-12, 1, 0))
    told = shell.do("tercet train reviews.csv -o x.tercet --model nbsvm --cost 2")
    lines = [line for line in told.err.splitlines() if "not finished" in line]
    assert len(lines) == 1
    assert lines[0].startswith("tercet: training was not finished in ")
    assert lines[0].endswith(" fits, so the weights are not exact: train with a lower cost, such as --cost 0.2")
    assert "max_epochs" not in told.err


def test_nobody_is_warned_of_a_cost_that_nobody_chose(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.models.linear.LinearModel._descent", lambda self: (1.0, 1e-12, 1, 0))
    assert "not finished" not in shell.do("tercet train reviews.csv -o x.tercet").err
    texts, labels = ["a hen", "a fox"] * 20, ["farm", "wood"] * 20
    own = tercet.Stack([tercet.Member(tercet.LinearSVM()), tercet.Member(tercet.NBSVM())])
    with pytest.warns(NotConverged):
        tercet.Categorizer(model=own).fit(texts, labels)


DIFFERENT = "these documents differ from the training data."


def test_documents_that_differ_from_the_training_data_are_said_to_differ(shell: Shell) -> None:
    for seed, (name, noise) in enumerate({"train": 0.0, "same": 0.0, "other": 0.4}.items()):
        write_long(f"{name}.csv", 150, noise=noise, seed=seed)
    shell.do("tercet train train.csv -o x.tercet")
    held_out = tercet.load("x.tercet").record_.estimate["accuracy"]
    told = shell.do("tercet evaluate x.tercet other.csv")
    assert f"held-out accuracy in training was {held_out}: {DIFFERENT}\n" in told.err
    assert DIFFERENT not in shell.do("tercet evaluate x.tercet same.csv").err
    assert DIFFERENT in shell.do("tercet train train.csv -o x.tercet --test other.csv").err
    assert DIFFERENT in shell.do("tercet train train.csv -o c.tercet --test other.csv --compact").err
    assert DIFFERENT not in shell.do("tercet evaluate x.tercet other.csv --quiet").err
    shell.do("tercet train train.csv -o x.tercet --no-documents")
    shell.do("tercet learn x.tercet new.csv")  # the estimate is not that of this model any more
    assert DIFFERENT not in shell.do("tercet evaluate x.tercet other.csv").err


def test_probabilities_that_are_too_sure_are_said_to_be(shell: Shell) -> None:
    write_long("train.csv", 200, noise=0.3, seed=1)
    write_long("test.csv", 200, noise=0.3, seed=2)
    shell.do("tercet train train.csv -o x.tercet --smoothing 1 --calibrate none")
    told = shell.do("tercet evaluate x.tercet test.csv")
    assert "the probabilities are too sure (calibration error 0." in told.err
    assert told.err.count("train with --calibrate auto.") == 1
    shell.do("tercet train train.csv -o y.tercet --smoothing 1")
    assert "calibrate" not in shell.do("tercet evaluate y.tercet test.csv").err


NAMED = "Name one of these with"
MISSING = {
    "tercet evaluate m.tercet test.csv --by Source": f"Did you mean 'source'? {NAMED} --by.",
    "tercet relabel m.tercet corrected.csv --old befor": f"Did you mean 'before'? {NAMED} --old.",
    "tercet explain m.tercet test.csv --id 7 --id-column ID": f"Did you mean 'id'? {NAMED} --id-column.",
    "tercet train reviews.csv -o x.tercet --categorical sources": f"Did you mean 'source'? {NAMED} --categorical.",
    "tercet train reviews.csv -o x.tercet --numeric stars": f"'id', 'text', 'label', 'source'. {NAMED} --numeric.",
    "tercet train reviews.csv -o x.tercet --columns ids": f"Did you mean 'id'? {NAMED} --columns.",
    "tercet train reviews.csv -o x.tercet --label Lable": f"Did you mean 'label'? {NAMED} --label.",
    "tercet train tickets.csv -o x.tercet --text Subject,Body": "Give --text once for each column.",
    "tercet evaluate m.tercet test.csv --precision Good=0.9": "there is 'bad', 'good'. Did you mean 'good'? Name one of these.",
    "tercet explain m.tercet 'a film' --label goood": "Did you mean 'good'?",
    "tercet explain m.tercet 'a film' --against BAD": "Did you mean 'bad'?",
    "tercet predict m.tercet 'a film' --exit-code Bad": "Did you mean 'bad'?",
}


@pytest.mark.parametrize("line", MISSING)
def test_an_unknown_name_is_answered_with_the_nearest_one_and_the_option(line: str, shell: Shell) -> None:
    assert MISSING[line] in refuse(shell, line)


def test_at_most_ten_names_are_listed(shell: Shell) -> None:
    names = [f"n{i}" for i in range(30)]
    write_rows("wide.csv", [["text", "label", *names], ["so", "a", *["1"] * 30], ["no", "b", *["1"] * 30]])
    said = refuse(shell, "tercet train wide.csv -o x.tercet --label queue")
    assert "'n7', …. Name" in said
    assert "'n8'" not in said


@pytest.mark.parametrize("n", [2, 30])
def test_learned_documents_in_a_test_are_judged_by_their_share(shell: Shell, n: int) -> None:
    write_long("train.csv", 300, seed=1)
    write_long("fresh.csv", 300 - n, seed=2)
    learned = Path("train.csv").read_text().splitlines()[1 : 1 + n]
    Path("mixed.csv").write_text(Path("fresh.csv").read_text() + "\n".join(learned) + "\n")
    shell.do("tercet train train.csv -o x.tercet")
    told = shell.do("tercet evaluate x.tercet mixed.csv").err
    if n == 2:
        assert "has learned 2 of the 300 documents (0.67 %): leave them out for an exact measure." in told
    else:
        assert "has learned 30 of the 300 documents, so the numbers are too good: test with other documents." in told


MISTAKEN = {
    "tercet train m.tercet -o x.tercet": "m.tercet is a model, not data: give a file or folder of documents.",
    "tercet train - -o x.tercet < m.tercet": "standard input is a model, not data",
    "tercet predict m.tercet m.tercet": "m.tercet is a model, not data",
    "tercet evaluate m.tercet copy.csv": "copy.csv is a model, not data",
    "tercet evaluate test.csv m.tercet": "the model comes first: give m.tercet before test.csv.",
    "tercet predict test.csv m.tercet": "the model comes first: give m.tercet before test.csv.",
    "tercet compare test.csv a.tercet b.tercet": "the model comes first: give a.tercet before test.csv.",
    "tercet evaluate bth.tercet test.csv": "bth.tercet does not exist: check the name and the folder.",
    "tercet evaluate m.tercet empty.csv": "empty.csv is empty, so it holds no documents: give another file.",
    "tercet train semicolons.csv --format tsv -o x.tercet": "only one column was found, 'text;label'. Is the --format right?",
    "tercet train semicolons.csv --format tsv --label label -o x.tercet": "only one column was found, 'text;label'.",
}


@pytest.mark.parametrize("line", MISTAKEN)
def test_a_file_that_is_taken_for_another_is_named(line: str, shell: Shell) -> None:
    Path("copy.csv").write_bytes(Path("m.tercet").read_bytes())
    Path("empty.csv").write_bytes(b"")
    Path("semicolons.csv").write_text("text;label\nso it is;a\nno;b\n")
    assert MISTAKEN[line] in refuse(shell, line)


def test_the_terms_that_inspect_shows_fit_on_a_line(shell: Shell) -> None:
    long = {"good": "incomprehensibilities", "bad": "counterrevolutionaries"}
    rows = [[f"{word}{i} {word}{i + 1} 日本語日本語{word}", "x", label] for label, word in long.items() for i in range(5)]
    write_rows("t.csv", [["a_long_name_of_a_column", "body", "label"], *rows])
    shell.do("tercet train t.csv -o x.tercet --text a_long_name_of_a_column --text body --fields --label label")
    table = shell.do("tercet inspect x.tercet --terms 10").out.split("\n\n")[1].splitlines()
    assert max(map(measure_columns, table)) == 120
    assert all(line.endswith("…") for line in table[1:])


def test_the_evidence_of_a_mistake_begins_with_what_led_to_it(shell: Shell) -> None:
    write_rows("t.csv", [["text", "label"], *[[" ".join(GOOD), "good"], [" ".join(BAD), "bad"]] * 3])
    write_rows("odd.csv", [["text", "label"], ["dull dull lovely warm funny", "bad"]])
    shell.do("tercet train t.csv -o x.tercet --kind multinomial --word-ngrams 1 --smoothing 1 --text text --label label")
    shell.do("tercet evaluate x.tercet odd.csv --mistakes mistakes.csv")
    with open("mistakes.csv", newline="") as file:
        evidence = next(csv.DictReader(file))["evidence"].split(", ")
    assert [item.split()[0] for item in evidence] == ["funny", "lovely", "warm", "dull"]
    assert [item.split()[1][0] for item in evidence] == ["+", "+", "+", "-"]


def test_new_spellings_are_joined_when_they_are_learned(shell: Shell) -> None:
    rows = [["so long", "Billing"], ["not so", "billing"], ["to be", "Billing"], ["or else", "Screens"]]
    write_rows("t.csv", [["text", "label"], *rows])
    more = [["it jams", "printers"], ["no ink", "Printers"], ["paper", "printers"], ["the bill", "BILLING"]]
    write_rows("more.csv", [["text", "label"], *more])
    write_rows("last.csv", [["text", "label"], ["toner", "PRINTERS"]])
    reading = "--text text --label label --fold-labels"
    shell.do(f"tercet train t.csv -o x.tercet {reading}")
    told = shell.do("tercet learn x.tercet more.csv").err
    assert "new label: printers (3 documents)\n" in told
    assert "new label: " not in shell.do("tercet learn x.tercet last.csv").err
    assert tercet.load("x.tercet").table_.labels.tolist() == ["Billing", "Screens", "printers"]
    shell.do(f"tercet train t.csv more.csv last.csv -o all.tercet {reading}")
    assert tercet.load("all.tercet").table_ == tercet.load("x.tercet").table_
    shell.do("tercet forget x.tercet more.csv")
