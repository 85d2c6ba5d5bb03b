"""The command line with several text columns and categorical columns."""

import json
import re
from pathlib import Path

import pytest
from helpers.command_line import Shell

import tercet
from tercet import Categorizer

TEXTS = "--text subject --text body"
TRAIN = f"tercet train tickets.csv -o t.tercet {TEXTS} --label queue --fields --categorical mailer --smoothing 1"


@pytest.fixture
def tickets(shell: Shell) -> Shell:
    Path("more.csv").write_text("mailer,body,subject,queue\nelm,No money,Refund,bill\n")
    shell.do(f"{TRAIN} --quiet")
    return shell


def test_every_command_takes_several_texts_and_categories(tickets: Shell) -> None:
    predicted = tickets.do(f"tercet predict t.tercet tickets.csv {TEXTS} --columns subject").out.splitlines()
    assert [line.split("\t")[:2] for line in predicted[:3]] == [
        ["Refund please", "bill"],
        ["Invoice wrong", "bill"],
        ["Server down", "tech"],
    ]
    assert "accuracy" in tickets.do(f"tercet evaluate t.tercet tickets.csv {TEXTS} --label queue").out
    before = Path("t.tercet").read_bytes()
    tickets.do(f"tercet learn t.tercet more.csv {TEXTS} --label queue")
    assert Path("t.tercet").read_bytes() != before
    tickets.do(f"tercet forget t.tercet more.csv {TEXTS} --label queue")
    assert Path("t.tercet").read_bytes() == before
    tickets.do(f"tercet train tickets.csv -o s.tercet {TEXTS} --label queue --smoothing 1 --quiet")
    assert "accuracy" in tickets.do(f"tercet compare s.tercet t.tercet tickets.csv {TEXTS} --label queue").out
    tickets.do(f"{TRAIN} --compact --quiet")
    assert len(tickets.do(f"tercet predict t.tercet tickets.csv {TEXTS}").out.splitlines()) == 6


def test_the_model_is_that_of_python(tickets: Shell) -> None:
    documents = tercet.read("tickets.csv", text=["subject", "body"], label="queue", columns=["mailer"])
    model = tercet.NaiveBayes("binary", 1.0)
    expected = Categorizer(model=model, categorical=["mailer"], fields=True).fit(documents)
    loaded = tercet.load("t.tercet")
    assert isinstance(loaded, Categorizer)
    assert loaded.table_ == expected.table_
    assert loaded.columns_ == ["mailer"]


def test_a_model_without_a_record_finds_its_text_columns(tickets: Shell) -> None:
    documents = tercet.read("tickets.csv", text=["subject", "body"], label="queue", columns=["mailer"])
    c = Categorizer(categorical=["mailer"], fields=True, model=tercet.NaiveBayes("binary", 1.0), calibrate="auto")
    c.fit(documents).save("fitted.tercet")
    same = tickets.do("tercet predict t.tercet tickets.csv")
    assert tickets.do("tercet predict fitted.tercet tickets.csv").out == same.out
    assert "text: columns 'subject' and 'body', as in the training data" in same.err


def test_the_recipe_of_a_model_trains_it_again(tickets: Shell) -> None:
    recipe = tickets.do("tercet inspect t.tercet --config").out
    assert 'categorical = ["mailer"]\nfields = true\n' in recipe
    assert 'text = ["subject", "body"]\n' in recipe
    Path("again.toml").write_text(recipe)
    tickets.do("tercet train tickets.csv -o again.tercet --label queue --config again.toml --quiet")
    assert Path("again.tercet").read_bytes() == Path("t.tercet").read_bytes()


def test_inspect_shows_the_columns(tickets: Shell) -> None:
    out = tickets.do("tercet inspect t.tercet").out
    assert "layout=subject:,body:,mailer=" in out
    assert re.search("categorical +mailer\n", out)
    assert json.loads(tickets.do("tercet inspect t.tercet --json").out)["categorical"] == ["mailer"]


def test_explain_takes_a_text_as_the_last_column(tickets: Shell) -> None:
    tickets.do(f"tercet train tickets.csv -o s.tercet {TEXTS} --label queue --fields --smoothing 1 --quiet")
    out = tickets.do('tercet explain s.tercet "my money"').out
    assert out.startswith("body: my money\n")
    assert "  my money  body    0:2 3:8\n" in out  # the column stands beside the term, so the term has no prefix
    page = tickets.do('tercet explain s.tercet "my money" --html why.html') and Path("why.html").read_text()
    assert "<bdi>my money</bdi>" in page
    assert "body:" not in page.replace("body:</span>", "")


def test_one_of_several_text_columns_is_read_as_itself_and_that_is_said(tickets: Shell) -> None:
    tickets.do(f"tercet train tickets.csv -o s.tercet {TEXTS} --label queue --fields --smoothing 1 --quiet")
    trained = "the model was trained on the text columns 'subject' and 'body'; "
    model, documents = tercet.load("s.tercet"), tercet.read("tickets.csv", text=["subject", "body"], label="queue").collect()
    subjects, bodies = zip(*(text.split("\x1f") for text in documents.texts), strict=True)
    empty = [""] * len(subjects)
    for name, parts in {"subject": (subjects, empty), "body": (empty, bodies)}.items():
        expected = model.predict_proba(tercet.Documents.join(dict(zip(("subject", "body"), parts, strict=True))))
        answered = tickets.do(f"tercet predict s.tercet tickets.csv --text {name} --json")
        assert [json.loads(line)["probability"] for line in answered.out.splitlines()] == expected.max(axis=1).tolist()
        assert f"{trained}only '{name}' is read, and the others are empty\n" in answered.err
    other = tickets.do("tercet evaluate s.tercet tickets.csv --text mailer --on-error skip").err
    assert f"{trained}'mailer' is read as 'body', and the others are empty\n" in other
    assert trained not in tickets.do("tercet evaluate s.tercet tickets.csv").err


# commands, and how their complaint begins
REFUSED = {
    f"tercet train tickets.csv -o x.tercet {TEXTS} --label queue --categorical queues": "tickets.csv has no column 'queues'",
    "tercet train tickets.csv -o x.tercet --text body --label queue --fields": "--fields needs several text columns, because "
    "with one text all terms have the same column: give --text once for each column",
    f"tercet train tickets.csv -o x.tercet {TEXTS} --text body --label queue": "the column 'body' is named twice as text",
    f"tercet train tickets.csv -o x.tercet {TEXTS} --label queue --categorical mailer --categorical mailer": "categorical must "
    "be names, each once",
    "tercet predict t.tercet tickets.csv --text body --text subject": "the documents have the text columns 'body', 'subject', "
    "and the model learned 'subject', 'body'",
    "tercet predict m.tercet tickets.csv --text body --text subject": "the documents have the text columns 'body', 'subject', "
    "and the model learned one text",
    "tercet predict t.tercet reviews.csv --text text": "reviews.csv has no column 'mailer'",
    'tercet predict t.tercet "some words"': "the model needs the column 'mailer' beside the text: give a file that has it.",
    'tercet explain t.tercet "some words"': "the model needs the column 'mailer' beside the text",
    f"tercet train tickets.csv -o x.tercet {TEXTS} --label queue --categorical queue": "the column 'queue' is the label, and "
    "categorical names it, too: the model would only repeat it.",
    "tercet predict t.tercet texts.txt": "texts.txt is read as text, which has no columns, and the model needs 'mailer' "
    "beside the text: give a table that has it.",
    f"tercet train texts.txt -o x.tercet {TEXTS} --label queue": "texts.txt is read as text, which has no columns: leave --",
}


@pytest.mark.parametrize("line", REFUSED)
def test_columns_that_do_not_fit_are_refused_in_one_line(line: str, tickets: Shell) -> None:
    outcome = tickets(line)
    assert outcome.code == 2
    last = outcome.err.strip().splitlines()[-1]
    assert last.removeprefix("tercet: ").startswith(REFUSED[line])
    assert not Path("x.tercet").exists()


def test_a_missing_column_is_named_with_the_option_that_asked_for_it(tickets: Shell) -> None:
    for option in ("categorical", "numeric"):
        said = tickets(f"tercet train tickets.csv -o x.tercet {TEXTS} --label queue --{option} nope").err
        assert f"Name one of these with --{option}." in said


def test_long_labels_are_shortened_in_messages(tickets: Shell) -> None:
    Path("long.csv").write_text("subject,body,mailer,queue\n" + "".join(f"a,b,c,{'so ' * 500}{n}\n" for n in range(30)))
    refused = tickets("tercet evaluate t.tercet long.csv")
    assert "the model knows none of the labels of long.csv: 'so so so" in refused.err
    assert max(map(len, refused.err.splitlines())) < 1200
