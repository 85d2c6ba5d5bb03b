"""Categorizers of documents with several text columns and categorical columns: the laws of learning hold for them, too."""

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import texts as odd_texts
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Analyzer, Categorizer, Documents, LinearSVM, LogisticRegression
from tercet.data.documents import DocumentBatch
from tercet.errors import BadModelFile, InvalidOption, InvalidText, NeverLearned
from tercet.store.model_file import read_model, write_model

words = st.lists(st.sampled_from(["refund", "money", "not", "crash", "é", "the"]), max_size=5).map(" ".join)
texts = words | odd_texts
values = st.sampled_from(["mutt", "pine", "", None, "a b", "mutt\x1fx", 3, True])
Row = tuple[str, str, Any, str]
rows = st.lists(st.tuples(texts, texts, values, st.sampled_from(["bill", "tech", "ham"])), min_size=1, max_size=6)


def join(documents: list[Row]) -> Documents:
    subjects, bodies, mailers, labels = (list(column) for column in zip(*documents, strict=True))
    return Documents.join({"subject": subjects, "body": bodies}, labels, columns={"mailer": mailers})


ROWS: list[Row] = [
    ("Refund please", "Where is my money?", "mutt", "bill"),
    ("Invoice wrong", "The sum is wrong", "pine", "bill"),
    ("Server down", "It does not start", "mutt", "tech"),
    ("Crash again", "It crashes each day", "elm", "tech"),
    ("Refund", "I want my money back", "pine", "bill"),
    ("Screen black", "The screen is black", "elm", "tech"),
]
DOCUMENTS = join(ROWS)


def make(fields: bool = True, **options: Any) -> Categorizer:
    return Categorizer(categorical=["mailer"], fields=fields, **options)


def save(categorizer: Any, folder: Path, name: str = "m.tercet") -> bytes:
    categorizer.save(folder / name)
    return (folder / name).read_bytes()


@given(rows, rows, st.booleans())
@some(0.5)
def test_what_is_learned_and_forgotten_leaves_no_trace(first: list[Row], second: list[Row], fields: bool) -> None:
    c = make(fields, model=tercet.NaiveBayes("multinomial", 1.0)).fit(join(first))
    before = c.table_.fingerprint()
    c.learn(join(second)).forget(join(second))
    assert c.table_.fingerprint() == before
    assert (
        c.predict_proba(join(second)).tolist()
        == make(fields, model=c.model).fit(join(first)).predict_proba(join(second)).tolist()
    )


@given(rows, rows, st.booleans())
@some(0.5)
def test_a_sum_is_the_categorizer_of_all_documents(first: list[Row], second: list[Row], fields: bool) -> None:
    model = tercet.NaiveBayes("multinomial", 1.0)
    parts = [make(fields, model=model).fit(join(part)) for part in (first, second)]
    assert (parts[0] + parts[1]).table_ == make(fields, model=model).fit(join(first + second)).table_


@given(rows, texts, texts, values, st.booleans())
@some(0.5)
def test_evidence_adds_up_to_the_decision(documents: list[Row], subject: str, body: str, mailer: Any, fields: bool) -> None:
    c = make(fields, numeric=["n_words"], model=tercet.NaiveBayes("multinomial", 1.0)).fit(join([*ROWS, *documents]))
    one = join([(subject, body, mailer, "")])
    explanation = c.explain(one)
    scores = dict(zip(c.classes_.tolist(), c.log_joint(one)[0], strict=True))
    assert explanation.score == pytest.approx(scores[explanation.label] - scores[explanation.against], abs=1e-6)
    assert explanation.columns == ("subject", "body", "mailer")
    explanation.to_table(), explanation.to_html(), explanation.to_terminal(color=True)


@pytest.mark.parametrize("fields", [False, True])
def test_a_held_out_document_is_scored_as_if_it_were_never_learned(fields: bool) -> None:
    c = make(fields, model=tercet.NaiveBayes("multinomial", 1.0)).fit(DOCUMENTS)
    held = c.leave_one_out(DOCUMENTS)
    for i in range(len(ROWS)):
        others = make(fields, model=c.model).fit(join(ROWS[:i] + ROWS[i + 1 :]))
        assert held.log_joint[i] == pytest.approx(others.log_joint(join(ROWS[i : i + 1]))[0])


def test_shared_words_are_those_of_the_texts_together() -> None:
    joined = Categorizer("words").fit(Documents.join({"a": ["so la", "mi"], "b": ["mi", "so so"]}, ["x", "y"]))
    plain = Categorizer("words").fit(["so la mi", "mi so so"], ["x", "y"])
    assert sorted(joined.table_.table.terms()) == sorted(plain.table_.table.terms())
    assert joined.predict_proba(["so"]).tolist() == plain.predict_proba(["so"]).tolist()


def test_with_fields_a_word_knows_its_column() -> None:
    documents = Documents.join({"subject": ["free", "lunch"], "body": ["lunch", "free"]}, ["spam", "ham"])
    c = Categorizer("words", fields=True).fit(documents)
    assert c.predict(Documents.join({"subject": ["free"], "body": [""]})).tolist() == ["spam"]
    assert c.predict(Documents.join({"subject": [""], "body": ["free"]})).tolist() == ["ham"]


def fit_mails(**options: Any) -> Categorizer:
    documents = Documents(DOCUMENTS.texts, DOCUMENTS.labels, text_columns=("subject", "body"))
    return Categorizer(fields=True, **options).fit(documents)


def test_a_plain_text_counts_as_the_last_text_column() -> None:
    c = fit_mails()
    plain, joined = ["my\x1fmoney\x1fback"], Documents.join({"subject": [""], "body": ["my\x1fmoney\x1fback"]})
    assert c.predict_proba(plain).tolist() == c.predict_proba(joined).tolist()
    assert c.predict_proba(Documents(plain, text_columns=("message",))).tolist() == c.predict_proba(joined).tolist()
    assert c.explain(plain[0]).text == "\x1fmy money back"
    c.learn(plain, ["bill"])
    c.forget(Documents(joined.texts, ["bill"], text_columns=joined.text_columns))


@pytest.mark.parametrize("numeric", [(), ("n_lines", "n_words")])
def test_the_joined_texts_alone_mean_the_same_as_their_documents(numeric: tuple[str, ...]) -> None:
    c = fit_mails(numeric=numeric)
    texts = [*DOCUMENTS.texts, "\x1fmy money", "my money\x1f"]
    whole = Documents(texts, text_columns=("subject", "body"))
    assert c.log_joint(texts).tolist() == c.log_joint(whole).tolist()
    assert c.explain(texts[0]).text == texts[0]
    assert c.count_learned(DOCUMENTS.texts, DOCUMENTS.labels) == len(ROWS)


def test_a_text_of_one_named_column_goes_into_that_column() -> None:
    c = fit_mails(numeric=["n_words"])
    subject, body = (Documents(["my\x1frefund"], text_columns=(name,)) for name in ("subject", "body"))
    joined = Documents.join({"subject": ["my refund", ""], "body": ["", "my refund"]})
    assert [c.log_joint(subject)[0].tolist(), c.log_joint(body)[0].tolist()] == c.log_joint(joined).tolist()
    assert c.explain(subject).text == "my refund\x1f"


def test_values_become_terms_and_missing_ones_do_not() -> None:
    texts = ["so"] * 6
    mailers = ["mutt", None, "", float("nan"), 3, True]
    c = Categorizer("words", categorical=["mailer"]).fit(Documents(texts, ["a", "b"] * 3, columns={"mailer": mailers}))
    terms = {term for each in c.most_informative(20).values() for term, _ in each}
    assert terms == {"so", "mailer=mutt", "mailer=3", "mailer=true"}
    assert c.predict(Documents(["so"], columns={"mailer": ["mutt"]})).tolist() == ["a"]
    assert c.predict(Documents(["so"], columns={"mailer": [True]})).tolist() == ["b"]


@pytest.mark.parametrize("fields", [False, True])
def test_a_file_has_the_columns(fields: bool, tmp_path: Path) -> None:
    c = make(fields).fit(DOCUMENTS)
    content = save(c, tmp_path)
    loaded = tercet.load(tmp_path / "m.tercet")
    assert save(loaded, tmp_path, "again.tercet") == content
    assert save(make(fields).fit(DOCUMENTS), tmp_path, "same.tercet") == content
    assert (loaded.text_columns_, loaded.columns_) == (("subject", "body"), ["mailer"])
    assert loaded.get_params()["categorical"] == ["mailer"]
    assert loaded.analyzer == Analyzer(word_ngrams=(1, 2))
    for model in (loaded, c.compact(), pickle.loads(pickle.dumps(c)), pickle.loads(pickle.dumps(c.compact()))):
        np.testing.assert_allclose(model.predict_proba(DOCUMENTS), c.predict_proba(DOCUMENTS), atol=1e-5)
        assert model.columns_ == ["mailer"]
    save(c.compact(), tmp_path, "compact.tercet")
    compact = tercet.load(tmp_path / "compact.tercet")
    assert (compact.text_columns_, compact.categorical_columns_) == (("subject", "body"), ("mailer",))
    with pytest.raises(NeverLearned):
        loaded.forget(join([("Refund please", "Where is my money?", "pine", "bill")]))


def test_a_file_whose_layout_does_not_fit_its_options_is_refused(tmp_path: Path) -> None:
    save(make().fit(DOCUMENTS), tmp_path)
    file = read_model(tmp_path / "m.tercet")
    layout = file.content["analyzer"]["layout"]
    wrong = [
        None,
        layout | {"fields": False},
        layout | {"categorical": []},
        layout | {"texts": ["a"]},
        layout | {"fields": 1},
        "x",
    ]
    for number, each in enumerate(wrong):
        content = file.content | {"analyzer": file.content["analyzer"] | {"layout": each}}
        write_model(tmp_path / f"{number}.tercet", content, file.arrays)
        with pytest.raises(BadModelFile):
            tercet.load(tmp_path / f"{number}.tercet")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("model", [LinearSVM(), LogisticRegression(), tercet.NBSVM()])
def test_margins_are_trained_on_columns(model: Any) -> None:
    c = make(model=model, calibrate="auto").fit(join(ROWS * 3))
    assert c.predict(DOCUMENTS).tolist() == DOCUMENTS.labels
    c.learn(join(ROWS[:1])).refit(join(ROWS * 3 + ROWS[:1]))
    assert {item.term for item in c.explain(join(ROWS[:1])).evidence} >= {"mailer=mutt", "subject:refund", "body:money"}


@pytest.mark.filterwarnings("ignore")
def test_every_method_takes_documents_with_columns() -> None:
    c = make().fit(join(ROWS * 2))
    assert c.count_learned(DOCUMENTS) == 6
    assert c.calibrate_on(join(ROWS * 20)).score(DOCUMENTS) == 1
    assert len(c.predict_sets(DOCUMENTS, 0.5)) == 6
    assert len(c.cross_validate(join(ROWS * 2), folds=2).gold) == 12
    assert c.retune(join(ROWS * 2)).perplexity(DOCUMENTS, "bill").shape == (6,)
    trained = tercet.train(join(ROWS * 2), categorizer=make())
    assert trained.categorizer.predict(DOCUMENTS).tolist() == DOCUMENTS.labels


def test_suspects_show_columns_apart(tmp_path: Path) -> None:
    trained = tercet.train(join([*ROWS * 3, ("Refund", "money", "mutt", "tech")]), categorizer=make())
    assert trained.suspects[0].beginning == "Refund · money"


def test_measures_of_several_columns_see_lines() -> None:
    documents = Documents.join({"a": ["so", "la"], "b": ["mi", "do re"]}, ["x", "y"])
    c = Categorizer(numeric=["n_lines", "n_words"]).fit(documents)
    found = {item.term for item in c.explain(Documents.join({"a": ["so"], "b": ["mi mi"]})).evidence}
    assert {"n_lines = 2", "n_words = 3"} <= found


def test_the_selection_of_words_sees_through_columns() -> None:
    documents = Documents.join({"a": ["not so", "so la"], "b": ["so", "so not"]}, ["x", "y"])
    c = Categorizer("words", fields=True, select=tercet.WithoutMostFrequent(2, keep=("so",))).fit(documents)
    terms = {term for each in c.most_informative(20).values() for term, _ in each}
    assert {"a:so", "b:so"} <= terms


def test_a_copy_without_a_layout_is_fitted_on_other_columns() -> None:
    c = Categorizer(fields=True).fit(Documents.join({"a": ["so"], "b": ["la"]}, ["x"]))
    c.fit(Documents.join({"c": ["so"], "d": ["la"]}, ["x"]))
    assert c.text_columns_ == ("c", "d")
    again = Categorizer(c.table_.analyzer).fit(["so"], ["x"])
    assert again.text_columns_ == ()


class TestRefusals:
    """What does not fit the columns of the model is refused, and changes nothing."""

    def test_documents_with_other_text_columns(self) -> None:
        c, plain = make().fit(DOCUMENTS), Categorizer().fit(["so", "la"], ["x", "y"])
        swapped = Documents.join({"body": ["so"], "subject": ["la"]}, ["bill"], columns={"mailer": ["mutt"]})
        said = (
            "have the text columns 'body', 'subject', and the model learned 'subject', 'body': its terms would be looked up in"
        )
        for use in (c.predict, c.learn, c.forget, c.explain, c.compact().predict):
            with pytest.raises(InvalidOption, match=said):
                use(swapped)
        with pytest.raises(InvalidOption, match="have the text columns 'body', 'subject', and the model learned one text"):
            plain.predict(swapped)

    def test_a_stream_that_changes_its_columns(self) -> None:
        other = Documents.join({"a": ["so"], "b": ["la"]}, ["x"])
        with pytest.raises(InvalidOption, match="and the model learned 'subject', 'body'"):
            Categorizer().fit(iter([Documents.join({"subject": ["so"], "body": ["la"]}, ["x"]), other]))

    def test_documents_without_a_categorical_column(self) -> None:
        c = make().fit(DOCUMENTS)
        with pytest.raises(InvalidOption, match="categorical='mailer' names a column, and texts alone have none"):
            c.predict(["so"])
        with pytest.raises(InvalidOption, match="categorical='mailer' names a column, and texts alone have none"):
            make(fields=False).fit(["so"], ["x"])
        with pytest.raises(InvalidOption, match=r"no column 'mailer', which the model needs: there is 'queue'\. Add it"):
            c.predict(Documents(["so"], columns={"queue": ["a"]}))
        with pytest.raises(InvalidOption, match="there are 1 texts, and 2 values of 'mailer'"):
            c.predict(Documents(["so"], columns={"mailer": ["a", "b"]}))

    def test_fields_without_several_texts(self) -> None:
        for documents in (["so"], Documents(["so"]), DocumentBatch(["so"], text_columns=("body",))):
            with pytest.raises(InvalidOption, match="fields=True needs several text columns, and the documents have one text"):
                Categorizer(fields=True).fit(documents, ["x"] if isinstance(documents, list) else None)

    def test_texts_with_another_number_of_parts(self) -> None:
        for text in ("so", "so\x1fla\x1fmi"):
            with pytest.raises(InvalidText, match=r"text 1 \(counted from 0\) does not have 2 parts"):
                Categorizer().fit(Documents(["so\x1fla", text], ["x", "y"], text_columns=("a", "b")))

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"categorical": "mailer"}, "categorical must be a list of names of columns, got 'mailer'"),
            ({"categorical": ["a", "a"]}, "categorical must be names, each once, got ['a', 'a']"),
            ({"fields": "yes"}, "fields must be"),
        ],
    )
    def test_options_that_make_no_sense(self, options: dict[str, Any], said: str) -> None:
        with pytest.raises(InvalidOption, match=re.escape(said)):
            Categorizer(**options).fit(["so"], ["x"])

    def test_sums_of_other_columns(self) -> None:
        with pytest.raises(InvalidOption, match="count differently"):
            make(True).fit(DOCUMENTS) + make(False).fit(DOCUMENTS)
        with pytest.raises(InvalidOption, match="count differently"):
            Categorizer().fit(Documents.join({"a": ["so"], "b": ["la"]}, ["x"])) + Categorizer().fit(["so"], ["x"])


def test_an_explanation_shows_the_column_of_each_term() -> None:
    c = make(False, analyzer=Analyzer()).fit(DOCUMENTS)
    explanation = c.explain(join([("Refund <wrong>", "The money is wrong", "pine", "")]))
    lines = explanation.to_table().splitlines()
    assert lines[2].split() == ["value", "term", "column", "places"]
    found = {line.split()[1]: line.split()[2:] for line in lines[3:] if line.startswith(("+", "-"))}
    assert found["refund"] == ["subject", "0:6"]
    assert found["money"] == ["body", "4:9"]
    assert found["wrong"] == ["subject,", "body", "8:13", "13:18"]
    assert found["mailer=pine"] == ["mailer", "0:4"]
    assert explanation.to_terminal(color=False) == "subject: Refund <wrong>\nbody: The money is wrong\nmailer: pine"
    painted = re.sub("\x1b\\[[0-9;]*m", "", explanation.to_terminal(color=True))
    assert painted == explanation.to_terminal(color=False)
    html = explanation.to_html()
    assert "subject:</span> <mark" in html
    assert "&lt;<mark" in html
    assert "\x1f" not in html
    written = explanation.to_dict()
    assert [column["text"] for column in written["columns"]] == ["Refund <wrong>", "The money is wrong", "pine"]
    assert all(written["text"][column["start"] :].startswith(column["text"]) for column in written["columns"])
    by_term = {item["term"]: item["columns"] for item in written["evidence"]}
    assert (by_term["wrong"], by_term["mailer=pine"]) == (["subject", "body"], ["mailer"])


def test_an_explanation_of_a_plain_text_has_no_columns() -> None:
    explanation = Categorizer().fit(["so", "la"], ["x", "y"]).explain("so")
    assert "column" not in explanation.to_table()
    assert "columns" not in explanation.to_dict()
