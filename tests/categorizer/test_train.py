"""What `train` says of a categorizer is what holding its documents out says."""

from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import AUTO, Stream, invent

from tercet import Categorizer, Documents, MostInformative, NaiveBayes
from tercet.categorizer.train import train
from tercet.errors import InvalidLabel, InvalidOption

OPTIONS: list[dict[str, Any]] = [
    {"model": AUTO},
    {"model": NaiveBayes("multinomial", "table")},
    {"model": NaiveBayes("bernoulli", 0.1), "min_documents": 2},
    {"model": NaiveBayes("complement", "auto")},
    {"model": NaiveBayes(vocabulary="shared"), "max_terms": 9},
    {"select": MostInformative(9), "numeric": ["n_words"]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_estimate_is_that_of_leaving_out_every_copy(options: dict[str, Any]) -> None:
    documents = invent(80)
    documents = documents + documents.pick(range(0, 80, 9))
    trained = train(Stream(documents, 11), categorizer=Categorizer(**options))
    held = Categorizer(**options).fit(*documents).leave_one_out(*documents, copies="all")
    assert trained.n_documents == len(documents.texts)
    assert trained.estimate.confusion.counts.tolist() == held.report.confusion.counts.tolist()
    assert trained.estimate.accuracy == held.report.accuracy
    assert trained.estimate.macro_f1 == held.report.macro_f1
    assert trained.estimate.baseline.accuracy == held.report.baseline.accuracy
    assert trained.estimate.rows == held.report.rows
    assert (trained.estimate.note, trained.estimate.selection) == (held.report.note, held.report.selection)
    assert trained.categorizer.table_ == Categorizer(**options).fit(*documents).table_


@pytest.mark.parametrize("options", OPTIONS[:2], ids=str)
def test_the_estimate_by_folds_is_that_of_cross_validation(options: dict[str, Any]) -> None:
    documents = invent(60)
    trained = train(Stream(documents, 13), categorizer=Categorizer(**options), folds=5)
    report = Categorizer(**options).cross_validate(*documents, folds=5, copies="all").report
    assert trained.estimate.confusion.counts.tolist() == report.confusion.counts.tolist()
    assert trained.estimate.recipe == report.recipe


def test_suspects_are_the_documents_whose_own_label_is_least_probable() -> None:
    documents = invent(200, n_labels=2)
    wrong = [17, 90, 151]
    for i in wrong:
        documents.labels[i] = "l0" if documents.labels[i] == "l1" else "l1"
        documents.texts[i] += " w1" * 30
    model = Categorizer("words", NaiveBayes(smoothing=0.5))
    trained = train(Stream(documents, 16), categorizer=model)
    held = model.leave_one_out(*documents, copies="all")
    own = held.probabilities[np.arange(200), np.searchsorted(held.labels, documents.labels)]
    expected = [i for i in np.argsort(own, kind="stable") if held.predicted[i] != documents.labels[i]][:10]
    assert [suspect.position for suspect in trained.suspects] == expected
    for suspect in trained.suspects:
        i = suspect.position
        assert (suspect.label, suspect.better) == (documents.labels[i], held.predicted[i])
        assert suspect.beginning == documents.texts[i][:80]
        assert suspect.probability == pytest.approx(own[i], rel=1e-5)
    assert trained.confusions[0].documents == held.report.confusion.counts[~np.eye(2, dtype=bool)].max()


def test_the_only_document_of_a_label_is_no_suspect() -> None:
    documents = Documents(["a b", "a c", "x", "x y", "q"], ["h", "h", "f", "f", "only"])
    trained = train([documents], categorizer=Categorizer())
    assert 4 not in [suspect.position for suspect in trained.suspects]
    assert trained.estimate.confusion.counts[2].sum() == 1


def test_documents_without_weight_are_not_judged() -> None:
    trained = train(
        [Documents(["a", "b", "a", "b", "b"], ["x", "y", "x", "y", "z"], [1, 1, 1, 1, 0])], categorizer=Categorizer()
    )
    assert (trained.n_documents, trained.estimate.n, trained.estimate.labels.tolist()) == (5, 4, ["x", "y"])


@pytest.mark.parametrize(
    "texts", [["a\0b", "\0", "c\ud800", ""], (t for t in ["a", "b", "c", ""]), np.array(["é" * 99, "a", "b", ""]), [b"a"] * 4]
)
def test_any_texts_have_a_beginning(texts: Any) -> None:
    trained = train(Documents(texts, ["x", "y", "x", "y"]), categorizer=Categorizer())
    assert trained.n_documents == 4
    assert all(len(suspect.beginning) <= 80 for suspect in trained.suspects)


def test_who_watches_is_told_how_many_documents_were_read() -> None:
    told: list[int] = []
    train(Stream(invent(10), 4), categorizer=Categorizer(), watch=told.append)
    assert told == [4, 8, 10]


def test_too_many_folds_are_refused() -> None:
    with pytest.raises(InvalidOption, match="Use fewer"):
        train(Stream(invent(4), 2), categorizer=Categorizer(), folds=5)
    with pytest.raises(InvalidOption, match="folds must be"):
        train(Stream(invent(4), 2), categorizer=Categorizer(), folds=0)


def test_ids_that_are_taken_for_labels_are_named_before_anything_is_trained(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.categorizer.fitting.train_counted", None)
    with pytest.raises(InvalidLabel, match="40 documents have 38 different labels, so there is nothing to learn"):
        train(["to be", "or not"] * 20, [f"id{k % 38}" for k in range(40)])
