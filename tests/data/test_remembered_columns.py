"""A model remembers the columns that it was trained on: other files are read by them, and what is used is said."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Outcome, Shell
from helpers.help_desk_exports import export, make_tickets, to_csv

import tercet
from tercet.errors import BadSource, InvalidOption

TRAINED = {"id": "id", "note": "body", "extra": "subject", "bucket": "topic", "box": "status"}
SAID = "text: column 'note', label: column 'bucket', as in the training data"


@pytest.fixture
def desk(shell: Shell) -> Shell:
    """A model that was trained on columns that the guess would not take, and files to use it on."""
    rows = make_tickets(300)
    Path("train.csv").write_text(to_csv(export(rows[:200], TRAINED)))
    Path("more.csv").write_text(to_csv(export(rows[200:], TRAINED)))
    Path("other.csv").write_text(to_csv(export(rows[200:], {"text": "body", "label": "topic"})))
    Path("unlabelled.csv").write_text(to_csv(export(rows[200:], {"box": "status", "note": "body"})))
    shell.do("tercet train train.csv -o m.tercet --text note --label bucket")
    return shell


def refuse(desk: Shell, line: str) -> str:
    """The only line that is said of what can not be done."""
    outcome = desk(line)
    assert (outcome.code, outcome.out) == (2, ""), outcome.err
    return outcome.err.splitlines()[-1]


def test_the_guess_alone_would_stop(desk: Shell) -> None:
    assert "may be the" in refuse(desk, "tercet train more.csv -o new.tercet")


@pytest.mark.parametrize(
    "line",
    [
        "tercet evaluate m.tercet more.csv",
        "tercet learn m.tercet more.csv",
        "tercet forget m.tercet train.csv",
        "tercet relabel m.tercet train.csv",
        "tercet refit twin.tercet train.csv",
        "tercet compare m.tercet twin.tercet more.csv",
        "tercet figure confusion m.tercet more.csv -o a.svg",
        "tercet figure learning m.tercet train.csv -o a.svg",
    ],
)
def test_commands_use_the_columns_of_the_training_and_say_so(line: str, desk: Shell) -> None:
    desk.do("tercet train train.csv -o twin.tercet --text note --label bucket --word-ngrams 1 --model svm")
    said = desk.do(line)
    assert f"{'more' if 'more.csv' in line else 'train'}.csv: {SAID}" in said.err


def test_test_documents_are_read_by_the_columns_of_the_training_file(desk: Shell) -> None:
    rows = make_tickets(300)
    Path("train.csv").write_text(to_csv(export(rows[:200], {"id": "id", "body": "body", "bucket": "topic"})))
    decoys = {"text": "subject", "label": "status"}
    Path("test.csv").write_text(to_csv(export(rows[200:], decoys | {"bucket": "topic", "body": "body"})))
    said = desk.do("tercet train train.csv -o new.tercet --test test.csv").err
    assert "test.csv: text: column 'body', label: column 'bucket', as in the training data\n" in said


def test_predict_reads_the_same_column_and_needs_no_label(desk: Shell) -> None:
    said = desk.do("tercet predict m.tercet unlabelled.csv")
    assert said.err == "unlabelled.csv: text: column 'note', as in the training data\n"
    model = tercet.load("m.tercet")
    texts = [row["body"] for row in make_tickets(300)[200:]]
    assert [line.split("\t")[0] for line in said.out.splitlines()] == model.predict(texts).tolist()


def test_a_table_from_a_pipe_is_known_by_the_remembered_names(desk: Shell) -> None:
    answers = desk.do("tercet predict m.tercet unlabelled.csv").out
    piped = desk.do("tercet predict m.tercet - < unlabelled.csv")
    assert (piped.out, piped.err) == (answers, "standard input: format: csv, text: column 'note', as in the training data\n")


def test_options_override_what_is_remembered(desk: Shell) -> None:
    said = desk.do("tercet evaluate m.tercet more.csv --text extra").err
    assert said.startswith("more.csv: label: column 'bucket', as in the training data\n")
    said = desk.do("tercet evaluate m.tercet other.csv --text text --label label").err
    assert "as in the training data" not in said


LACKS = {
    "tercet predict m.tercet other.csv": ("note", "text"),
    "tercet evaluate m.tercet other.csv": ("note", "text"),
    "tercet learn m.tercet other.csv --text text": ("bucket", "label"),
    "tercet forget m.tercet unlabelled.csv": ("bucket", "label"),
    "tercet compare m.tercet twin.tercet other.csv": ("note", "text"),
    "tercet train reviews.csv -o new.tercet --test train.csv": ("text", "text"),
}


@pytest.mark.parametrize("line", LACKS)
def test_a_column_that_a_file_lacks_is_named_with_the_option(line: str, desk: Shell) -> None:
    desk.do("tercet train train.csv -o twin.tercet --text note --label bucket --word-ngrams 1")
    model, (name, option) = Path("m.tercet").read_bytes(), LACKS[line]
    said = refuse(desk, line)
    assert f"has no column {name!r}, which was the {option} of the training data: it has '" in said
    assert said.endswith(f". Name one of these with --{option}.")
    assert Path("m.tercet").read_bytes() == model
    assert not Path("new.tercet").exists()


def test_a_column_that_the_model_needs_beside_the_text_is_named(desk: Shell) -> None:
    columns = TRAINED | {"stars": "stars", "country": "country"}
    Path("train.csv").write_text(to_csv(export(make_tickets(100), columns)))
    for name, option in ("stars", "--numeric stars"), ("country", "--categorical country"):
        desk.do(f"tercet train train.csv -o n.tercet --text note --label bucket {option}")
        for line in "tercet predict n.tercet more.csv", "tercet learn n.tercet more.csv", "tercet evaluate n.tercet more.csv":
            said = refuse(desk, line)
            missing = f"more.csv has no column {name!r}, which the model needs beside the text: it has 'id', 'note', "
            assert said.startswith(f"tercet: {missing}")
            assert said.endswith(". Add it to the file.")
        Path("more.txt").write_text("so la\n")
        said = refuse(desk, "tercet predict n.tercet more.txt")
        assert said.endswith(f"has no columns, and the model needs {name!r} beside the text: give a table that has it.")


def test_explain_reads_a_file_by_the_columns_of_the_training(desk: Shell) -> None:
    said = desk.do("tercet explain m.tercet more.csv --row 2 --json")
    assert said.err == "more.csv: text: column 'note', as in the training data\n"
    assert make_tickets(300)[200]["body"][:20] in said.out


def test_formats_without_columns_are_read_as_they_are(desk: Shell) -> None:
    Path("more.ft").write_text("".join(f"__label__{row['topic'].split()[0]} {row['body']}\n" for row in make_tickets(50)))
    Path("more.txt").write_text("".join(f"{row['body']}\n" for row in make_tickets(50)))
    desk.do("tercet evaluate m.tercet more.ft")
    assert len(desk.do("tercet predict m.tercet more.txt").out.splitlines()) == 50


def test_a_model_that_was_fitted_remembers_nothing(desk: Shell) -> None:
    tercet.Categorizer("words").fit(["so la", "mi do"], ["a", "b"]).save("own.tercet")
    assert "other.csv: text: column 'text' (" in desk.do("tercet predict own.tercet other.csv").err


def test_a_model_of_a_file_without_header_reads_such_files(desk: Shell) -> None:
    for name in ("train", "more"):
        lines = Path(f"{name}.csv").read_text().splitlines(True)
        Path(f"bare_{name}.csv").write_text("".join(lines[1:]))
    desk.do("tercet train bare_train.csv -o bare.tercet --text 2 --label 4")
    said = desk.do("tercet evaluate bare.tercet bare_more.csv").err
    assert said.startswith("bare_more.csv: no header, text: column 2, label: column 4, as in the training data\n")
    assert "more.csv has no column '2', which was the text" in refuse(desk, "tercet evaluate bare.tercet more.csv")


def test_the_weight_column_is_remembered(desk: Shell) -> None:
    rows = export(make_tickets(), {"text": "body", "label": "topic", "stars": "stars"})
    Path("weighted.csv").write_text(to_csv(rows))
    desk.do("tercet train weighted.csv -o w.tercet --weight stars")
    said = desk.do("tercet forget w.tercet weighted.csv").err
    assert "text: column 'text', label: column 'label', weight: column 'stars', as in the training data" in said
    for command in ("learn", "forget", "relabel", "refit"):
        said = refuse(desk, f"tercet {command} w.tercet other.csv")
        assert "has no column 'stars', which was the weight of the training data" in said


def test_a_test_without_the_column_of_weights_weighs_all_documents_1(desk: Shell) -> None:
    rows = export(make_tickets(), {"text": "body", "label": "topic", "stars": "stars"})
    Path("weighted.csv").write_text(to_csv(rows))
    said = "no column 'stars', the weight of the training data: all weights are 1"
    trained = desk.do("tercet train weighted.csv -o w.tercet --weight stars --test other.csv --json")
    assert said in trained.err
    measured = desk.do("tercet evaluate w.tercet other.csv --json")
    assert said in measured.err
    assert json.loads(trained.out)["test"] == json.loads(measured.out)
    Path("ones.csv").write_text(to_csv([row | {"stars": 1} for row in rows[:50]]))
    Path("none.csv").write_text(to_csv([{"text": row["text"], "label": row["label"]} for row in rows[:50]]))
    ones, none = (json.loads(desk.do(f"tercet evaluate w.tercet {name}.csv --json").out) for name in ("ones", "none"))
    assert ones["metrics"]["accuracy"]["value"] == none["metrics"]["accuracy"]["value"]


def test_read_takes_all_that_a_model_needs(tmp_path: Path) -> None:
    columns = {"note": "body", "bucket": "topic", "minutes": "minutes", "country": "country"}
    (tmp_path / "a.csv").write_text(to_csv(export(make_tickets(100), columns)))
    named = {"text": "note", "label": "bucket", "numbers": ["minutes"], "columns": ["country"]}
    rules = tercet.LabelRules(mapping={"Billing": "Money"})
    recipe = tercet.Categorizer(numeric=["minutes"], categorical=["country"])
    c = tercet.train(tercet.read(tmp_path / "a.csv", label_rules=rules, **named), categorizer=recipe).categorizer
    again = tercet.read(tmp_path / "a.csv", like=c).collect()
    assert again == tercet.read(tmp_path / "a.csv", label_rules=rules, **named).collect()
    assert c.score(again) > 0.9
    assert c.compact().score(tercet.read(tmp_path / "a.csv", like=c.compact()).collect()) > 0.9
    (tmp_path / "b.csv").write_text("note,bucket\nso,la\n")
    with pytest.raises(BadSource, match=r"b.csv has no column 'minutes', which the model needs beside the text: it has 'note'"):
        tercet.read(tmp_path / "b.csv", like=c).start()
    with pytest.raises(InvalidOption, match="like must be a fitted categorizer"):
        tercet.read(tmp_path / "b.csv", like="m.tercet")


def test_the_file_of_the_training_can_be_forgotten_with_its_blank_rows(desk: Shell) -> None:
    rows = make_tickets(100)
    rows[3]["body"], rows[7]["topic"], rows[9]["body"] = "", " ", " \t"
    columns = {"text": "body", "label": "topic"}
    Path("blank.csv").write_text(to_csv(export(rows, columns)))
    desk.do("tercet train blank.csv -o margins.tercet --model svm --text text --label label")
    before = Path("margins.tercet").read_bytes()
    said = "blank.csv: of 100 rows, 1 has no label ('label'), 2 no text ('text'); they are left out"
    assert said in desk.do("tercet refit margins.tercet blank.csv").err
    assert Path("margins.tercet").read_bytes() == before
    Path("one.csv").write_text(to_csv(export(rows[10:30], columns)))
    desk.do("tercet train blank.csv one.csv -o both.tercet --text text --label label --smoothing 1")
    desk.do("tercet train one.csv -o grown.tercet --text text --label label --smoothing 1")
    assert said in desk.do("tercet learn grown.tercet blank.csv").err
    prints = [tercet.load(name).table_.fingerprint() for name in ("both.tercet", "grown.tercet")]
    assert prints[0] == prints[1]
    assert said in desk.do("tercet forget both.tercet blank.csv").err


def test_a_few_documents_of_many_labels_can_be_learned(desk: Shell) -> None:
    lines = [f"paper number {i},kind{chr(97 + i) * 3}" for i in range(25)]
    Path("many.csv").write_text("\n".join(["text,label", *lines, *lines]))
    Path("each.csv").write_text("\n".join(["text,label", *lines]))
    desk.do("tercet train many.csv -o many.tercet --text text --label label")
    desk.do("tercet learn many.tercet each.csv")
    tercet.Categorizer("words").fit(tercet.read("many.csv", text="text", label="label")).save("own.tercet")
    desk.do("tercet learn own.tercet each.csv --text text --label label")


def test_models_of_different_columns_are_compared_each_on_its_own(desk: Shell) -> None:
    desk.do("tercet train train.csv -o short.tercet --text extra --label bucket")
    said = desk.do("tercet compare m.tercet short.tercet more.csv")
    assert f"more.csv: {SAID}" in said.err
    assert "more.csv: text: column 'extra', label: column 'bucket', as in the training data" in said.err
    alone = {name: desk.do(f"tercet evaluate {name} more.csv --json").out for name in ("m.tercet", "short.tercet")}
    assert len(set(alone.values())) == 2
    assert "give a file" in refuse(desk, "tercet compare m.tercet short.tercet -")


def test_models_that_take_other_labels_are_not_compared(desk: Shell) -> None:
    desk.do("tercet train train.csv -o box.tercet --text note --label box")
    assert "take other documents, labels or weights from more.csv" in refuse(
        desk, "tercet compare m.tercet box.tercet more.csv"
    )


def test_read_takes_the_columns_of_another_stream(tmp_path: Path) -> None:
    for name, header in ("a.csv", "id,words,box"), ("b.csv", "box,id,words"), ("c.csv", "id,text,label"):
        (tmp_path / name).write_text(f"{header}\nx,y,z\n")
    fields = tercet.read(tmp_path / "a.csv", text="words", label="box").start().fields
    again = tercet.read(tmp_path / "b.csv", like=fields)
    assert (again.texts, again.labels) == (["z"], ["x"])
    with pytest.raises(BadSource, match=r"no column 'words', which was the text of the training data: it has 'id', 'text'"):
        tercet.read(tmp_path / "c.csv", like=fields).start()


def measure(desk: Shell, labels: list[str]) -> Outcome:
    rows = make_tickets(len(labels))
    for row, label in zip(rows, labels, strict=True):
        row["topic"] = label
    Path("gold.csv").write_text(to_csv(export(rows, TRAINED)))
    return desk("tercet evaluate m.tercet gold.csv")


def test_gold_labels_that_the_model_does_not_know_are_listed_first(desk: Shell) -> None:
    outcome = measure(desk, ["Billing", "Bills", "Bills", "Refund"])
    known = "the model does not know 2 labels of 3 of the 4 documents, which count as errors: 'Bills' (2), 'Refund' (1)"
    assert outcome.code == 0
    assert outcome.err.splitlines()[1] == known


def test_a_model_is_not_written_if_it_can_not_be_tested(desk: Shell) -> None:
    measure(desk, ["x", "y", "x"])
    said = refuse(desk, "tercet train train.csv -o new.tercet --text note --label bucket --test gold.csv")
    assert "knows none of the labels of gold.csv" in said
    assert not Path("new.tercet").exists()


def test_gold_labels_of_which_none_is_known_are_refused(desk: Shell) -> None:
    outcome = measure(desk, ["x", "y", "x"])
    said = "tercet: the model knows none of the labels of gold.csv: 'x' (2), 'y' (1). It knows 'Account', 'Billing', "
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.splitlines()[-1].startswith(said)
    assert outcome.err.splitlines()[-1].endswith("Name the label column with --label.")
    desk.do("tercet train train.csv -o twin.tercet --text note --label bucket --word-ngrams 1")
    assert "m.tercet knows none of the labels of gold.csv" in refuse(desk, "tercet compare m.tercet twin.tercet gold.csv")
