"""Numbers that a text has of itself are columns like others: computed wherever texts come in."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.labelled_documents import assert_close, assert_same
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from tercet import Categorizer, Documents
from tercet.errors import InvalidOption, InvalidText, NeverLearned
from tercet.text.measures import MEASURES

TEXTS = ["BUY NOW", "buy cheap watches NOW", "see you at noon", "Lunch at noon?", "CHEAP CHEAP", ""]
LABELS = ["spam", "spam", "ham", "ham", "spam", "ham"]
NUMERIC = ["capital_share", "n_characters"]


def with_columns(texts: list[str], labels: Any = None) -> Documents:
    """The same numbers, given by the user."""
    return Documents(texts, labels, columns={name: [MEASURES[name](text) for text in texts] for name in NUMERIC})


@pytest.fixture
def given() -> Categorizer:
    return Categorizer(numeric=NUMERIC).fit(with_columns(TEXTS, LABELS))


@pytest.mark.parametrize(
    "wrap",
    [
        *(list, tuple, iter, np.array, pd.Series, pl.Series, pa.array),
        lambda texts: pa.chunked_array([texts[:2], texts[2:]]),
        lambda texts: [text.encode() for text in texts],
    ],
    ids=["list", "tuple", "iterator", "numpy", "pandas", "polars", "arrow", "chunked", "bytes"],
)
def test_texts_alone_are_measured(wrap: Any, given: Categorizer) -> None:
    measured = Categorizer(numeric=NUMERIC).fit(wrap(TEXTS), LABELS)
    documents = with_columns(TEXTS)
    for ask in ("predict", "predict_proba", "log_joint", "log_likelihood"):
        assert getattr(measured, ask)(wrap(TEXTS)).tolist() == getattr(given, ask)(documents).tolist()
    assert measured.compact().predict(wrap(TEXTS)).tolist() == given.compact().predict(documents).tolist()
    assert measured.score(wrap(TEXTS), LABELS) == given.score(with_columns(TEXTS, LABELS))


def test_what_is_held_out_is_measured(given: Categorizer) -> None:
    measured, documents = Categorizer(numeric=NUMERIC).fit(TEXTS, LABELS), with_columns(TEXTS, LABELS)
    assert_close(measured.leave_one_out(TEXTS, LABELS).log_joint, given.leave_one_out(documents).log_joint)
    folds, expected = (c.cross_validate(*d, folds=2) for c, d in ((measured, (TEXTS, LABELS)), (given, (documents,))))
    assert_close(folds.log_joint, expected.log_joint)


def test_measured_documents_are_learned_and_forgotten(given: Categorizer) -> None:
    texts = with_columns(["SOON"])
    model = Categorizer(numeric=NUMERIC).fit(TEXTS[:3], LABELS[:3]).learn(iter(TEXTS[3:]), LABELS[3:])
    assert_same(model, Categorizer(numeric=NUMERIC).fit(TEXTS, LABELS), TEXTS)
    model.learn(["more"], ["ham"]).forget(["more"], ["ham"])
    assert model.log_joint(texts).tolist() == given.log_joint(texts).tolist()
    parts = [Categorizer(numeric=NUMERIC).fit(TEXTS[i::2], LABELS[i::2]) for i in (0, 1)]
    assert (parts[0] + parts[1]).log_joint(texts).tolist() == given.log_joint(texts).tolist()
    with pytest.raises(NeverLearned):
        model.forget(["more"], ["ham"])


def test_measures_are_evidence(given: Categorizer) -> None:
    measured = Categorizer(numeric=NUMERIC).fit(TEXTS, LABELS)
    explained = measured.explain("Buy NOW", "spam")
    assert {"capital_share = 0.666667", "n_characters = 7"} <= {piece.term for piece in explained.evidence}
    assert explained == given.explain(with_columns(["Buy NOW"]), "spam") == measured.explain(Documents(["Buy NOW"]), "spam")


def test_a_column_goes_before_a_measure_of_its_name() -> None:
    columns = {"n_characters": [1, 2, 30, 40], "links": [0, 1, 0, 1]}
    model = Categorizer(numeric=["n_characters", "links", "capital_share"])
    model.fit(Documents(["a"] * 4, ["x", "x", "y", "y"], columns=columns))
    short, long = (Documents(["a"], columns={"n_characters": [n], "links": [0]}) for n in (1, 40))
    assert model.predict(short).tolist() == ["x"]
    assert model.predict(long).tolist() == ["y"]


def test_scikit_learn_takes_measures_as_options() -> None:
    model = clone(Categorizer(numeric=NUMERIC))
    assert len(cross_val_score(model, TEXTS, LABELS, cv=2, error_score="raise")) == 2


def test_who_measures_nothing_keeps_no_texts() -> None:
    model = Categorizer().fit((text for text in TEXTS), LABELS)
    assert model.predict(text for text in TEXTS).tolist() == model.predict(TEXTS).tolist()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "a single str"),
        (["a", None], r"None"),
        (np.array([["a"], ["b"]]), "one dimension"),
        (5, "got int"),
        (["a", b"\xff"], "not UTF-8"),
    ],
)
def test_what_is_no_text_is_not_measured(texts: Any, message: str) -> None:
    with pytest.raises(InvalidText, match=message):
        Categorizer(numeric=NUMERIC).fit(texts, ["x", "y"])


def test_a_name_that_is_neither_column_nor_measure_is_refused() -> None:
    with pytest.raises(InvalidOption, match=r"names columns, and texts alone have none.*or name measures of the text: n_char"):
        Categorizer(numeric=["n_characters", "links"]).fit(TEXTS, LABELS)
    with pytest.raises(InvalidOption, match="no column 'links'"):
        Categorizer(numeric=["n_characters", "links"]).fit(Documents(TEXTS, LABELS))


def test_a_column_that_was_learned_must_be_there_later() -> None:
    model = Categorizer(numeric=["n_words"]).fit(Documents(["a b", "c"], ["x", "y"], columns={"n_words": [100, 200]}))
    ways = [model.predict, model.log_joint, model.log_likelihood, model.explain, model.compact().predict_proba, model.learn]
    for ask in ways:
        for texts in (
            ("a b", Documents(["a b"])) if ask == model.explain else (["a b"], Documents(["a b"], columns={"links": [1]}))
        ):
            with pytest.raises(InvalidOption, match="have no column 'n_words', and the learned documents had one"):
                ask(texts)  # type: ignore[operator]


def test_what_was_measured_is_always_measured() -> None:
    model = Categorizer(numeric=["n_words"]).fit(["a b", "c"], ["x", "y"])
    other = Documents(["a b"], columns={"n_words": [7000]})
    assert model.log_joint(other).tolist() == model.log_joint(["a b"]).tolist()
    given = Categorizer(numeric=["n_words"]).fit(Documents(["a b", "c"], ["x", "y"], columns={"n_words": [2, 1]}))
    with pytest.raises(InvalidOption, match="count differently"):
        model + given


@pytest.mark.parametrize(
    "bad", [(name for name in NUMERIC), set(NUMERIC), "n_words", [3], None, dict.fromkeys(NUMERIC), iter("a")]
)
def test_names_of_columns_are_a_list(bad: Any) -> None:
    with pytest.raises(InvalidOption, match="numeric must be a list of names of columns"):
        Categorizer(numeric=bad).fit(TEXTS, LABELS)


def test_a_column_named_twice_is_refused() -> None:
    with pytest.raises(InvalidOption, match="'n_words' would count twice"):
        Categorizer(numeric=["n_words", "n_lines", "n_words"]).fit(TEXTS, LABELS)


@pytest.mark.parametrize("wrap", [tuple, np.array, pd.Index, pd.Series])
def test_any_sequence_names_columns(wrap: Any) -> None:
    model = Categorizer(numeric=wrap(NUMERIC)).fit(TEXTS, LABELS)
    assert model.log_joint(TEXTS).tolist() == Categorizer(numeric=NUMERIC).fit(TEXTS, LABELS).log_joint(TEXTS).tolist()
