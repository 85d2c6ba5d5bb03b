"""The parameters of models: counts by hand, probabilities by their formulas, and scores recomputed from them."""

import csv
import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from helpers.labelled_documents import LANGUAGE_MODELS, MODELS, Learned, assert_close, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import mutual_info_score
from sklearn.naive_bayes import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

import tercet
from tercet import NBSVM, Analyzer, Categorizer, GaussianBayes, MostInformative, NaiveBayes, WithoutMostFrequent
from tercet.counts.table import CountTable
from tercet.errors import InvalidLabel, InvalidOption, NoPrior, NotFitted

TEXTS = ["good good film", "a good day", "bad film", "so bad a film", "not good"]
LABELS = ["pos", "pos", "neg", "neg", "neg"]
each_model = pytest.mark.parametrize("model", MODELS, ids=repr)
filled_texts = plain_texts.map(lambda text: f"{text} hen")
documents = learned(filled_texts, st.sampled_from(["a", "b", "Σ"]), weights=st.sampled_from([1.0, 2.0, 1.5]))


def fit(model: Any = None, analyzer: Any = "words", **options: Any) -> Categorizer:
    return Categorizer(analyzer, model or NaiveBayes("multinomial"), **options).fit(TEXTS, LABELS)


def by_term(table: Any, column: str) -> dict[tuple[Any, Any], float]:
    return {(row.term, row.label): getattr(row, column) for row in table}


# What the rows say.


def test_counts_are_those_of_the_texts() -> None:
    rows = fit().parameters()
    counts, in_documents = Counter(), Counter()
    for text, label in zip(TEXTS, LABELS, strict=True):
        counts.update((word, label) for word in text.split())
        in_documents.update((word, label) for word in set(text.split()))
    assert len(rows) == 2 * len({word for text in TEXTS for word in text.split()})
    assert all(counts[row.term, row.label] == row.count for row in rows)
    assert all(in_documents[row.term, row.label] == row.documents for row in rows)
    assert {type(row.count) for row in rows} == {int}


@given(documents)
@some(0.3)
@pytest.mark.parametrize("model", LANGUAGE_MODELS, ids=repr)
def test_probabilities_of_all_terms_sum_to_1(model: NaiveBayes, taught: Learned) -> None:
    c = Categorizer("words", model).fit(*taught)
    rows = c.parameters()
    for label in c.classes_.tolist():
        total = math.fsum(row.probability for row in rows if row.label == label)
        if rows:  # with vocabulary="shared" there may be no term
            assert_close(total + (rows.unknown or {}).get(label, 0.0), 1.0)


@given(documents, filled_texts)
@some(0.3)
@each_model
def test_scores_can_be_recomputed_from_the_parameters(model: NaiveBayes, taught: Learned, text: str) -> None:
    c = Categorizer("words", model).fit(*taught)
    rows, found = c.parameters(), Counter(Analyzer().terms(text))
    is_clipped, is_bernoulli = model.kind in ("binary", "bernoulli"), model.kind == "bernoulli"
    column = "weight" if model.kind == "complement" else "log_probability"
    for place, label in enumerate(c.classes_.tolist()):
        values = {row.term: getattr(row, column) for row in rows if row.label == label}
        counts = {term: 1 if is_clipped else n for term, n in found.items() if term in values}
        score = 0.0 if rows.prior is None else math.log(rows.prior[label])
        score += math.fsum(n * values[term] for term, n in counts.items())
        n_unknown = sum(n for term, n in found.items() if term not in values)
        if rows.unknown is not None and n_unknown:
            score += (1 if is_clipped else n_unknown) * math.log(rows.unknown[label])
        if is_bernoulli:
            score += math.fsum(math.log1p(-math.exp(value)) for term, value in values.items() if term not in counts)
        assert_close(c.log_joint([text])[0, place], score)


def test_bernoulli_gives_the_share_of_documents_with_a_term() -> None:
    for smoothing in (0.0, 0.5):
        rows = fit(NaiveBayes("bernoulli", smoothing)).parameters()
        n = {"neg": 3, "pos": 2}
        expected = [(row.documents + smoothing) / (n[row.label] + 2 * smoothing) for row in rows]
        assert_close([row.probability for row in rows], expected)


def test_margins_have_weights_that_add_up_to_the_scores() -> None:
    c = Categorizer("words", NBSVM()).fit(TEXTS, LABELS)
    rows = c.parameters()
    weights = by_term(rows, "weight")
    assert rows.columns == ("term", "label", "count", "documents", "weight")
    assert rows.bias is not None
    for place, label in enumerate(c.classes_.tolist()):
        score = rows.bias[label] + sum(weights[word, label] for word in ("good", "film"))
        assert_close(c.log_joint(["good film film"])[0, place], score)


def test_a_compact_categorizer_has_the_same_probabilities_without_counts() -> None:
    for model in (NaiveBayes("multinomial", unknown="unk"), NaiveBayes("bernoulli"), NaiveBayes("complement"), NBSVM()):
        whole = fit(model)
        small, rows = whole.compact().parameters(), whole.parameters()
        value = rows.columns[-1]
        assert small.columns == tuple(name for name in rows.columns if name not in ("count", "documents"))
        assert by_term(small, value).keys() == by_term(rows, value).keys()
        assert all(abs(a - b) < 0.01 for a, b in zip(small.to_dict()[value], rows.to_dict()[value], strict=True))


def test_a_categorizer_of_some_labels_has_their_rows() -> None:
    c = Categorizer("words", NaiveBayes("multinomial")).fit([*TEXTS, "dull"], [*LABELS, "odd"])
    some_labels = c.restrict(["pos", "odd"]).parameters()
    assert {row.label for row in some_labels} == {"pos", "odd"}
    assert {key: n for key, n in by_term(c.parameters(), "count").items() if key[1] != "neg"} == by_term(some_labels, "count")


def test_parameters_do_not_change_when_the_categorizer_learns() -> None:
    for model in (NaiveBayes("multinomial"), NaiveBayes("bernoulli", 0)):
        c = fit(model)
        before = c.parameters()
        shown = list(before)
        c.learn(["good good good new"], ["neg"])
        assert list(before) == shown
        assert list(c.parameters()) != shown
        c.forget(["good good good new"], ["neg"])
        unread = c.parameters()
        c.forget(TEXTS[2:], LABELS[2:])  # then a label is gone
        assert list(unread) == shown


# Which rows.


def test_terms_are_in_canonical_order_whatever_the_order_of_the_documents() -> None:
    forwards, backwards = fit(), Categorizer("words", NaiveBayes("multinomial")).fit(TEXTS[::-1], LABELS[::-1])
    assert list(forwards.parameters()) == list(backwards.parameters())
    assert [row.term for row in forwards.parameters("neg")] == sorted({word for text in TEXTS for word in text.split()})


@given(documents, st.integers(1, 9))
@some(0.5)
@each_model
def test_top_terms_are_the_first_of_all_terms_sorted(model: NaiveBayes, taught: Learned, n: int) -> None:
    c = Categorizer(Analyzer(word_ngrams=(1, 2)), model).fit(*taught)
    rows = c.parameters()
    expected = []
    for label in c.classes_.tolist():
        own = [row for row in rows if row.label == label]
        expected += sorted(own, key=lambda row: -row[-1])[:n]  # a stable sort: ties stay in canonical order
    assert list(c.parameters(top=n)) == expected
    assert list(c.parameters(c.classes_.tolist()[0], top=n)) == [row for row in expected if row.label == c.classes_[0]]


def test_more_top_terms_than_there_are_give_all_terms() -> None:
    assert len(fit().parameters(top=2**31 - 1)) == len(fit().parameters())
    assert len(Categorizer().fit([""], ["x"]).parameters(top=3)) == 0


def test_many_tied_terms_are_in_canonical_order() -> None:
    words = [f"w{i:05}" for i in range(9000)]
    c = Categorizer("words", NaiveBayes("multinomial")).fit([" ".join(words[::-1]), "other"], ["a", "b"])
    assert [row.term for row in c.parameters("a", top=3)] == words[:3]


def test_some_terms_and_one_label() -> None:
    rows = fit().parameters("pos", terms=["so", "good", "so"])
    assert [(row.term, row.label, row.count) for row in rows] == [("so", "pos", 0), ("good", "pos", 3)]
    assert fit(analyzer=Analyzer(char_ngrams=(2, 3))).parameters(terms=["good"])[0].term == "word:good"


@pytest.mark.parametrize(
    ("error", "options", "message"),
    [
        (InvalidLabel, {"label": "posi"}, "the label 'posi' is unknown here: known are 'neg', 'pos'. Did you mean 'pos'?"),
        (InvalidOption, {"label": ["pos"]}, "label must be one label or None, got ['pos']"),
        (InvalidOption, {"terms": ["goood"]}, "the term 'goood' is unknown here: no learned document has it"),
        (InvalidOption, {"terms": ["Good"]}, "The analyzer writes 'good'."),
        (InvalidOption, {"terms": "good"}, "terms must be a list of terms, got 'good'"),
        (InvalidOption, {"terms": [7]}, "a term must be a str, got 7"),
        (InvalidOption, {"terms": []}, "terms must be a list of terms, got"),
        (InvalidOption, {"terms": 7}, "terms must be a list of terms, got 7"),
        (InvalidOption, {"terms": [["good"]]}, "terms must be a list of terms, got [['good']]"),
        (InvalidOption, {"top": 0}, "top must be an int >= 1, got 0"),
        (InvalidOption, {"top": 2.5}, "top must be an int >= 1, got 2.5"),
        (InvalidOption, {"top": 1, "terms": ["good"]}, "top must be None if terms are given, got 1"),
    ],
)
def test_rows_that_are_not_there_are_refused(error: Any, options: dict[str, Any], message: str) -> None:
    for c in (fit(), fit().compact()):
        with pytest.raises(error) as refusal:
            c.parameters(**options)
        assert message in str(refusal.value)
        assert "\n" not in str(refusal.value)


def test_a_term_that_is_not_used_says_why() -> None:
    with pytest.raises(InvalidOption, match="does not use the term 'good': it has no parameters"):
        fit(select=WithoutMostFrequent(1)).parameters(terms=["good"])
    with pytest.raises(InvalidOption, match=r"unknown here.*It is a stop word"):
        fit(analyzer=Analyzer(stop_words=["good"])).parameters(terms=["good"])
    with pytest.raises(NotFitted):
        Categorizer().parameters()


# The table.


def test_all_forms_of_a_table_agree() -> None:
    table = fit().parameters()
    rows = list(table)
    assert [table[i] for i in range(len(table))] == rows == table[:] == [*table[:3], *table[3:]]
    assert table[::-1] == rows[::-1]
    assert table[-1] == rows[-1]
    assert [list(column) for column in table.to_dict().values()] == [list(column) for column in zip(*rows, strict=True)]
    assert table.to_frame().to_dict("list") == table.to_arrow().to_pydict() == table.to_dict()
    with pytest.raises(IndexError):
        table[len(table)]
    with pytest.raises(AttributeError):
        table.columns = ()


def test_a_table_shows_its_first_rows_and_counts_the_others() -> None:
    c = Categorizer("words", NaiveBayes("multinomial")).fit([" ".join(f"w{i}" for i in range(50)), "<b>"], ["a", "b"])
    lines = repr(c.parameters()).splitlines()
    assert lines[1].split() == ["term", "label", "count", "documents", "probability", "log_probability"]
    assert "… 62 more rows" in lines
    page = c.parameters()._repr_html_()
    assert page.count("<tr") == 41
    assert "… 62 more rows" in page


def test_labels_and_terms_of_any_kind_are_shown() -> None:
    odd = (
        Categorizer(Analyzer(tokens="whitespace"), NaiveBayes("multinomial"))
        .fit(["\ud800 a", "b"], ["\ud800", "<b>"])
        .parameters()
    )
    assert "\\ud800" in repr(odd)
    assert "&lt;b&gt;" in odd._repr_html_()
    assert odd.to_arrow().column("term").to_pylist()[-1] == "\\ud800"
    assert odd.to_dict()["term"][-1] == "\ud800"
    for labels in ([1, 2], [True, False], [2**70, 3]):
        rows = Categorizer("words", NaiveBayes("multinomial")).fit(["a", "b"], labels).parameters()
        assert {row.label for row in rows} == set(labels)
        assert rows.to_arrow().num_rows == len(rows.to_frame()) == 4


def test_weighted_documents_have_counts_that_are_not_whole() -> None:
    c = Categorizer("words", NaiveBayes("multinomial")).fit(["a a", "b"], ["x", "y"], [0.5, 1.0])
    assert by_term(c.parameters(), "count")["a", "x"] == 1.0
    assert by_term(c.parameters(), "documents")["a", "x"] == 0.5


# Priors and unknown terms.


def test_priors_are_in_the_order_of_the_labels() -> None:
    c = fit()
    assert_close(c.prior_, [3 / 5, 2 / 5])
    assert_close(c.log_prior_, np.log(c.prior_))
    assert c.parameters().prior == dict(zip(["neg", "pos"], c.prior_, strict=True))
    assert_close(c.compact().prior_, c.prior_)
    assert_close(fit(NaiveBayes("multinomial", prior={"pos": 0.9, "neg": 0.1})).prior_, [0.1, 0.9])


def test_a_model_without_a_prior_says_so() -> None:
    for c in (fit(NBSVM()), fit(NaiveBayes("complement")), fit(NBSVM()).compact()):
        with pytest.raises(NoPrior, match="no prior"):
            c.prior_  # noqa: B018
        assert not hasattr(c, "log_prior_")
        assert c.parameters().prior is None


def test_an_unknown_term_has_a_probability_only_if_it_is_counted() -> None:
    c = fit(NaiveBayes("multinomial", 0.5, unknown="unk"))
    n_terms, rows = len(c.table_), c.parameters()
    totals = [sum(row.count for row in rows if row.label == label) for label in ("neg", "pos")]
    assert c.unknown_probability_ is not None
    assert_close(c.unknown_probability_, [0.5 / (total + 0.5 * (n_terms + 1)) for total in totals])
    assert_close(np.log(c.unknown_probability_), (c.log_joint(["unseen"]) - c.log_prior_)[0])
    for other in (fit(), fit(NBSVM()), fit().compact()):
        assert other.unknown_probability_ is None
        assert other.parameters().unknown is None
    assert "Unknown terms are ignored" in repr(fit().parameters())


def test_fitted_attributes_need_a_fit_and_survive_none() -> None:
    for estimator in (Categorizer(), NaiveBayes(), GaussianBayes()):
        for name in ("prior_", "log_prior_"):
            with pytest.raises(NotFitted):
                getattr(estimator, name)
    assert not hasattr(clone(fit()), "prior_")


# Matrices.

X = np.array([[2, 0, 1, 0], [0, 1, 1, 0], [3, 0, 0, 0], [0, 2, 0, 0]])
Y = ["x", "y", "x", "y"]


@pytest.mark.parametrize(
    ("kind", "theirs"), [("multinomial", MultinomialNB()), ("bernoulli", BernoulliNB()), ("complement", ComplementNB())]
)
def test_parameters_are_those_of_scikit_learn(kind: Any, theirs: Any) -> None:
    model = NaiveBayes(kind).fit(X, Y)
    theirs.fit(X, Y)
    rows = model.parameters()
    found = np.array([row[-1] for row in rows]).reshape(4, 2).T
    assert_close(found, theirs.feature_log_prob_)
    assert [row.term for row in rows[::2]] == [0, 1, 2, 3]
    if kind != "complement":
        assert_close(model.log_prior_, theirs.class_log_prior_)


def test_a_column_without_counts_has_the_probability_of_its_formula() -> None:
    rows = NaiveBayes().fit(X, Y).parameters()
    assert [row.probability for row in rows if row.term == 3] == [0.0, 0.0]
    assert_close(sum(row.probability for row in rows if row.label == "x"), 1.0)
    assert [row.probability for row in NaiveBayes("multinomial").fit(X, Y).parameters(terms=[3])] == pytest.approx([0.1, 0.125])


def test_columns_of_a_matrix_may_have_names() -> None:
    model = NaiveBayes("multinomial").fit(X, Y)
    rows = model.parameters("x", terms=["hen", "fox"], names=["hen", "fox", "dog", "cat"])
    assert [(row.term, row.count) for row in rows] == [("hen", 5), ("fox", 0)]
    with pytest.raises(InvalidOption, match="the term 'emu' is unknown here: no column has this name"):
        model.parameters(terms=["emu"], names=["hen", "fox", "dog", "cat"])
    with pytest.raises(InvalidOption, match="the term 4 is unknown here: the columns are 0 to 3"):
        model.parameters(terms=[4])
    for names in (["hen"], ["hen", "hen", "fox", "cat"]):
        with pytest.raises(InvalidOption, match="names must be 4 different names"):
            model.parameters(names=names)
    with pytest.raises(InvalidLabel, match="the label 'z' is unknown"):
        model.parameters("z")


def test_normal_distributions_are_listed() -> None:
    numbers = np.random.default_rng(0).normal(size=(20, 3))
    labels = np.repeat(["low", "high"], 10)
    theirs = GaussianNB(var_smoothing=0).fit(numbers, labels)
    rows = GaussianBayes().fit(numbers, labels).parameters()
    assert rows.columns == ("label", "column", "mean", "variance", "deviation")
    assert_close([row.mean for row in rows], theirs.theta_.ravel())
    assert_close([row.variance for row in rows], theirs.var_.ravel())
    assert_close([row.deviation**2 for row in rows], theirs.var_.ravel())
    assert [(row.label, row.column) for row in rows[:4]] == [("high", 0), ("high", 1), ("high", 2), ("low", 0)]
    for covariance in ("full", "shared"):
        model = GaussianBayes(covariance).fit(numbers, labels)  # type: ignore[arg-type]
        expected = np.broadcast_to(np.diagonal(model.covariances_, axis1=-2, axis2=-1), (2, 3))
        assert_close([row.variance for row in model.parameters()], expected.ravel())
        assert_close(model.prior_, [0.5, 0.5])
    assert [row.column for row in model.parameters("low", names=["a", "b", "c"])] == ["a", "b", "c"]
    with pytest.raises(InvalidLabel):
        model.parameters("middle")


# The table of counts.


@given(documents)
@some(0.5)
def test_a_count_table_is_indexed_by_term_and_label(taught: Learned) -> None:
    table = CountTable.of(taught.texts, taught.labels, taught.units)
    counts: Counter[tuple[str, str]] = Counter()
    for text, label, weight in zip(*taught, strict=True):
        for term in Analyzer().terms(text):
            counts[term, label] += weight  # type: ignore[assignment]
    labels = table.labels.tolist()
    for term in [*table, "unseen"]:
        assert table[term] == {label: counts[term, label] for label in labels}
        assert [table[term, label] for label in labels] == [counts[term, label] for label in labels]
        assert (term in table) == (term != "unseen")
    assert list(table) == table.terms()
    assert {(row.term, row.label): row.count for row in table.to_rows()} == {key: n for key, n in counts.items() if n}


def test_a_count_table_refuses_what_is_no_key() -> None:
    table = CountTable.of(TEXTS, LABELS)
    assert type(table["good", "pos"]) is int
    with pytest.raises(InvalidLabel, match="the label 'posi' is unknown"):
        table["good", "posi"]
    for key in (7, ("good", "pos", "neg"), None, ()):
        with pytest.raises(InvalidOption, match="the key of a table must be a term, or a term and a label"):
            table[key]
    assert 7 not in table
    frame = table.to_frame()
    assert frame.pivot(index="term", columns="label", values="count").loc["good", "pos"] == table["good", "pos"] == 3


# Selected and dropped terms.

SELECTIONS: list[Any] = [
    {"select": MostInformative(2)},
    {"select": [WithoutMostFrequent(1), MostInformative(2, "chi2")]},
    {"select": [WithoutMostFrequent(1), WithoutMostFrequent(1)], "max_terms": 2},
    {"min_documents": 2},
    {"max_terms": 3},
    {},
]


@given(documents)
@some(0.3)
@pytest.mark.parametrize("options", SELECTIONS, ids=str)
@pytest.mark.parametrize("model", [NaiveBayes("multinomial", 0.5), NaiveBayes("binary", 1.0, vocabulary="shared")], ids=repr)
def test_each_term_is_either_used_or_dropped(model: NaiveBayes, options: dict[str, Any], taught: Learned) -> None:
    c = Categorizer("words", model, **options).fit(*taught)
    selected, dropped = [row.term for row in c.selected_terms()], [row.term for row in c.dropped_terms()]
    assert sorted(selected + dropped) == sorted(c.table_.terms())
    assert set(selected) == {row.term for row in c.parameters()}


def test_selected_terms_have_scores_and_documents() -> None:
    rows = fit(select=MostInformative(3)).selected_terms()
    assert rows.columns == ("term", "score", "documents")
    having = {word: [word in text.split() for text in TEXTS] for text in TEXTS for word in text.split()}
    gains = {word: round(mutual_info_score(LABELS, flags), 9) for word, flags in having.items()}
    assert [row.term for row in rows] == sorted(gains, key=lambda word: (-gains[word], -sum(having[word]), word))[:3]
    assert_close([row.score for row in rows], [gains[row.term] for row in rows])
    assert [row.documents for row in rows] == [sum(having[row.term]) for row in rows]
    plain = fit().selected_terms()
    assert {row.score for row in plain} == {None}
    assert [row.documents for row in plain] == sorted((row.documents for row in plain), reverse=True)
    assert plain.to_arrow().num_rows == len(plain)


def test_one_term_is_one_term() -> None:
    c = Categorizer("words", min_documents=2).fit(["hen", "hen fox", "hen", "hen"], ["a", "a", "b", "b"])
    assert str(c.dropped_terms()).startswith("1 term is dropped\n")
    assert str(c.selected_terms()).startswith("1 term is used\n")


def test_dropped_terms_name_the_step_that_dropped_them() -> None:
    analyzer = Analyzer(stop_words=["a", "so"])
    c = fit(analyzer=analyzer, select=WithoutMostFrequent(2), min_documents=2)
    found = [(row.term, row.dropped_by, row.documents) for row in c.dropped_terms()]
    assert found == [
        ("day", "min_documents=2", 1),
        ("not", "min_documents=2", 1),
        ("film", "WithoutMostFrequent(k=2, keep=())", 3),
        ("good", "WithoutMostFrequent(k=2, keep=())", 3),
        ("a", "stop_words", None),
        ("so", "stop_words", None),
    ]
    with pytest.raises(InvalidOption, match="a pruned model does not have the terms that it dropped"):
        c.prune().dropped_terms()
    assert list(c.prune().selected_terms()) == list(c.selected_terms())


def test_files_of_the_old_default_still_keep_negation_words() -> None:
    written = {"type": "without_most_frequent", "k": 3, "keep": None}
    assert tercet.registry.read("selector", written) == WithoutMostFrequent(3, keep="negations")


# The command line.


def test_inspect_writes_all_parameters(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o nb.tercet --model bayes --word-ngrams 1 --select chi2:9")
    model = tercet.load("nb.tercet")
    for name in ("t.csv", "t.jsonl", "t.parquet"):
        outcome = shell.do(f"tercet inspect nb.tercet --table {name}")
        assert outcome.out == ""
        assert f"written: {name} (18 parameters)" in outcome.err
    with Path("t.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [row._asdict() for row in model.parameters()]
    assert [row["term"] for row in rows] == [row["term"] for row in expected]
    assert [float(row["probability"]) for row in rows] == [row["probability"] for row in expected]
    assert [json.loads(line) for line in Path("t.jsonl").read_text().splitlines()] == expected
    assert shell.do("tercet inspect nb.tercet --term dull --table t.csv").err.startswith("written: t.csv (2 parameters)")


def test_inspect_shows_the_parameters_of_a_term(shell: Shell) -> None:
    model = tercet.load("m.tercet")
    assert shell.do("tercet inspect m.tercet --term dull").out == repr(model.parameters(terms=["dull"])) + "\n"
    found = json.loads(shell.do("tercet inspect m.tercet --term dull --term lovely --json").out)
    assert found["parameters"] == [row._asdict() for row in model.parameters(terms=["dull", "lovely"])]
    assert found["prior"] == model.parameters().prior
    assert found["bias"] is found["unknown"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--term dulll", "the term 'dulll' is unknown here"),
        ("--table t.xlsx", "let its name end in .csv, .jsonl or .parquet"),
    ],
)
def test_inspect_refuses_unknown_terms_and_files(shell: Shell, options: str, message: str) -> None:
    outcome = shell(f"tercet inspect m.tercet {options}")
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1


def test_inspect_shows_what_was_selected_and_dropped(shell: Shell) -> None:
    Path("stop.txt").write_text("a\nwhat\n")
    options = "--word-ngrams 1 --stop-words stop.txt --select without_most_frequent:2 --select chi2:4"
    shell.do(f"tercet train reviews.csv -o nb.tercet --model bayes {options}")
    model = tercet.load("nb.tercet")
    shown = shell.do("tercet inspect nb.tercet").out
    assert "4 terms: " in shown
    assert "2 terms by WithoutMostFrequent(k=2, keep=()): " in shown
    assert "; 2 terms by stop_words: a · what" in shown
    selection = json.loads(shell.do("tercet inspect nb.tercet --json").out)["selection"]
    assert selection["used"] == 4
    assert selection["best"] == [row.term for row in model.selected_terms()]
    assert [step["terms"] for step in selection["dropped"]] == [2, 16, 2]
    shell.do("tercet train reviews.csv -o all.tercet --model bayes --word-ngrams 1")
    assert "dropped" not in shell.do("tercet inspect all.tercet").out
