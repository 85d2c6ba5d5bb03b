"""What a notebook shows: the facts, escaped, small, and without changing or reading anything that can be read only once."""

import warnings
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tercet
from tercet import NBSVM, Categorizer, Documents, MostInformative, NaiveBayes, compare, evaluate
from tercet.counts.table import CountTable
from tercet.data.documents import DocumentBatch

EVIL = "<script>alert('x')</script> & \"quotes\" \x1b[31m"
TEXTS = ["to be", "or not", "to be so", "not that", "be to", "that or not"]
LABELS = ["x", "y", "x", "y", "x", "y"]
MIXED = ["x", "y", "x", "y", "y", "y"]
WRONG = ["x", "y", "x", "x", "x", "x"]


class Tags(HTMLParser):
    """The tags of a fragment, and whether each is closed in its order."""

    def __init__(self, fragment: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.text, self._open = "", list[str]()
        self.feed(fragment)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def fit(**options: Any) -> Categorizer:
    return Categorizer("words", **options).fit(TEXTS, LABELS)


def show_all(name: str) -> list[Any]:
    """One of everything that a notebook shows, with this name in every place where users put names."""
    texts = [f"{text} {name}" for text in TEXTS]
    labels = [f"{label} {name}" for label in LABELS]
    categorizer = Categorizer().fit(texts, labels)
    return [
        Categorizer(numeric=[name]),
        categorizer,
        categorizer.compact(),
        categorizer.leave_one_out(texts, labels),
        categorizer.table_,
        Documents(texts, labels, columns={name: texts}),
        evaluate(labels, labels[::-1], texts=texts),
        compare(labels, {name: labels, "b": labels[::-1]}),
        evaluate(labels, labels[::-1], texts=texts).mistakes(),
        (trained := tercet.train(texts, [f"{label} {name}" for label in MIXED])),
        trained.all_suspects,
    ]


@pytest.mark.parametrize("place", range(11))
def test_every_name_is_escaped_and_every_tag_is_closed(place: int) -> None:
    shown = show_all(EVIL)[place]._repr_html_()
    assert "script" not in Tags(shown).tags
    assert "<script" not in shown
    assert "\x1b" not in shown
    assert len(shown) < 20_000
    assert "mathjax_ignore" in shown


def test_a_categorizer_that_is_not_fitted_shows_its_recipe() -> None:
    shown = Categorizer("words", min_documents=2)._repr_html_()
    assert "not fitted yet" in shown
    assert "min_documents=2" in shown


def test_a_fitted_categorizer_shows_labels_with_their_documents_and_strongest_terms() -> None:
    categorizer = fit(calibrate="temperature")
    text = Tags(categorizer._repr_html_()).text
    assert "6 documents, 2 labels, 6 terms" in text
    assert "calibration: temperature" in text
    for label, terms in categorizer.most_informative(5).items():
        assert f"{label}3{' · '.join(term for term, _ in terms)}" in text.replace("\n", "")


def test_a_trained_categorizer_shows_its_estimate_and_whether_it_is_that_of_its_documents() -> None:
    trained = tercet.train(TEXTS, LABELS)
    estimate = f"accuracy {trained.estimate.accuracy}"
    assert f"estimate: {estimate}" in Tags(trained.categorizer._repr_html_()).text
    trained.categorizer.learn(["so"], ["x"])
    assert f"estimate, of the documents before the last change: {estimate}" in Tags(trained.categorizer._repr_html_()).text


def test_margins_that_are_out_of_date_are_named_without_a_warning() -> None:
    categorizer = fit(model=NBSVM())
    assert "refit" not in categorizer._repr_html_()
    categorizer.learn(["so"], ["x"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "works them out anew" in categorizer._repr_html_()


@pytest.mark.parametrize(
    "options",
    [{"model": NaiveBayes("bernoulli")}, {"select": MostInformative(2)}, {"numeric": ["n_words"]}, {"remember": False}],
)
def test_any_categorizer_can_be_shown(options: dict[str, Any]) -> None:
    assert "strongest terms" in fit(**options)._repr_html_()


def test_a_categorizer_that_has_forgotten_everything_can_be_shown() -> None:
    categorizer = fit().forget(TEXTS, LABELS)
    assert "0 documents, 0 labels, 0 terms" in categorizer._repr_html_()


def test_many_labels_are_cut_and_very_many_terms_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = [f"label {i:02}" for i in range(30)]
    categorizer = Categorizer("words").fit([f"word{i} so" for i in range(30)], labels)
    text = Tags(categorizer._repr_html_()).text
    assert "label 09" in text
    assert "label 10" not in text
    assert "… 20 more labels" in text
    monkeypatch.setattr("tercet.categorizer.notebook.MAX_WEIGHTS", 10)
    assert "most_informative() has the strongest terms" in categorizer._repr_html_()
    assert "… 10 more labels" in categorizer.table_._repr_html_()


@pytest.mark.parametrize("most", [0, 10_000])
def test_no_column_is_empty(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.notebook.MAX_WEIGHTS", most)
    without_terms = fit(min_documents=99)
    assert "strongest terms" not in Tags(without_terms._repr_html_()).text.replace("has the strongest terms", "")
    assert ("strongest termsx" in Tags(fit()._repr_html_()).text.replace("\n", "")) == (most > 0)
    assert "documents" not in Tags(fit().compact()._repr_html_()).text


def test_a_training_shows_the_tables_of_the_command_line() -> None:
    trained = tercet.train(TEXTS, MIXED, categorizer=Categorizer("words", calibrate="temperature"))
    text = Tags(trained._repr_html_()).text
    for shown in ("leave-one-out", f"{trained.estimate.accuracy}", "mistaken for", "calibration error", "looks mislabelled"):
        assert shown in text
    assert trained.all_suspects[0].beginning in text


def test_more_suspects_than_are_shown_are_counted() -> None:
    trained = tercet.train(["so la", "mi do"] * 20 + ["so la mi"], ["x", "y"] * 10 + ["y", "x"] * 10 + ["x"])
    n = len(trained.all_suspects)
    assert n > 10
    assert f"… {n - 10} more: all_suspects.to_frame()" in trained._repr_html_()
    assert f"… {n - 10} more: to_frame()" in trained.all_suspects._repr_html_()


def test_every_repr_is_one_short_line() -> None:
    texts = [f"{text}\n{'so long ' * 1000}" for text in TEXTS]
    trained = tercet.train(texts, MIXED)
    report = evaluate(MIXED, WRONG, texts=Documents.join({"a": texts, "b": texts}))
    shown = [
        *(trained, trained.all_suspects, report.mistakes(), report.mistakes()[0], Documents(iter(texts))),
        *(Documents(container(texts), LABELS) for container in (list, np.array, pd.Series, pa.array)),
        DocumentBatch([text.encode() for text in texts], source="a.csv, line ", lines=range(6)),
    ]
    for each in map(repr, shown):
        assert len(each) < 150
        assert each.isprintable()
    assert repr(Documents(["so"], columns={"id": [7]})) == "Documents(1 document: 'so'; columns 'id')"
    assert repr(Documents([])) == "Documents(0 documents)"
    assert repr(report.mistakes()) == "Mistakes(3 of 6 documents)"


def test_mistakes_and_suspects_are_sequences_and_frames() -> None:
    documents = Documents(TEXTS, MIXED, columns={"id": range(6), "text": "abcdef"})
    mistakes = evaluate(MIXED, WRONG, texts=documents).mistakes()
    frame = mistakes.to_frame()
    assert frame["id"].tolist() == [mistake.position for mistake in mistakes]
    assert frame["text"].tolist() == [mistake.text for mistake in mistakes]
    assert [mistake.position for mistake in mistakes[1:]] == frame["position"].tolist()[1:]
    suspects = tercet.train(documents).all_suspects
    frame = suspects.to_frame()
    assert len(frame) == len(suspects) > 0
    assert frame["better"].tolist() == [suspect.better for suspect in suspects]
    assert frame["id"].tolist() == [suspect.columns["id"] for suspect in suspects]


def test_showing_a_categorizer_changes_nothing() -> None:
    categorizer, same = fit(), fit()
    categorizer._repr_html_()
    assert categorizer.table_ == same.table_
    assert categorizer.predict_proba(TEXTS).tolist() == same.predict_proba(TEXTS).tolist()


def test_held_out_documents_show_the_accuracy_the_confusions_and_the_suspects() -> None:
    labels = ["x", "y", "x", "y", "y", "y"]
    held_out = Categorizer("words").fit(TEXTS, labels).leave_one_out(TEXTS, labels)
    text = Tags(held_out._repr_html_()).text
    assert f"accuracy: {held_out.report.accuracy}" in text
    assert "mistaken for" in text
    n = len(held_out.suspects())
    assert f"{n} document{'s' if n > 1 else ''} may have a wrong label" in text


def test_held_out_documents_without_a_mistake_show_no_empty_tables() -> None:
    held_out = fit().leave_one_out(TEXTS, LABELS)
    assert held_out.accuracy == 1
    assert "mistaken for" not in held_out._repr_html_()


@pytest.mark.parametrize("container", [list, tuple, np.array, pd.Series, pa.array], ids=lambda f: f.__module__)
def test_documents_show_the_first_rows_of_any_container(container: Any) -> None:
    text = Tags(Documents(container(TEXTS), container(LABELS), columns={"id": range(6)})._repr_html_()).text
    assert "Documents: 6 documents" in text
    assert "be to" in text
    assert "that or not" not in text
    assert "… 1 more" in text


def test_documents_that_can_be_read_only_once_are_not_read() -> None:
    texts = iter(TEXTS)
    assert "only once" in Documents(texts)._repr_html_()
    assert list(texts) == TEXTS


def test_the_cells_of_several_text_columns_are_shown_in_one_line() -> None:
    documents = Documents.join({"subject": ["Refund"], "body": ["Where is it?"]})
    assert "Refund · Where is it?" in documents._repr_html_()


def test_no_documents_can_be_shown() -> None:
    assert "0 documents" in Documents([])._repr_html_()


def test_a_table_of_counts_shows_documents_terms_and_occurrences_of_each_label() -> None:
    table = CountTable.of(["to be to", "or not", "be"], ["x", "y", "x"])
    assert repr(table) == "CountTable(2 labels, 4 terms, 3 documents)"
    text = Tags(table._repr_html_()).text.replace("\n", "")
    assert "x224" in text  # label x: 2 documents, 2 terms, 4 occurrences
    assert "y122" in text
