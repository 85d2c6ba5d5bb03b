"""Confusion: labels of any container on both sides → counts, and clear words about what can't be counted."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.invented_answers import Answers, any_answers
from hypothesis import given
from sklearn.metrics import confusion_matrix, multilabel_confusion_matrix

from tercet.errors import InvalidLabel, InvalidMatrix, TercetError
from tercet.evaluation.baseline import sum_majority_cells
from tercet.evaluation.confusion import Confusion, list_confused_pairs, sum_cells
from tercet.evaluation.metrics import METRICS, precision, recall
from tercet.evaluation.sample import Sample

GOLD, PREDICTED = ["spam", "ham", "ham", "eggs"], ["spam", "spam", "ham", "ham"]
TEXT = {
    "list": list,
    "tuple": tuple,
    "generator": lambda y: (label for label in y),
    "numpy": np.array,
    "numpy objects": lambda y: np.array(y, dtype=object),
    "list of numpy": lambda y: list(np.array(y)),
    "pandas": pd.Series,
    "pandas objects": lambda y: pd.Series(y, dtype=object),
    "pandas categories": lambda y: pd.Series(y, dtype=pd.CategoricalDtype(["unused", "spam", "ham", "eggs"])),
    "pandas categorical": pd.Categorical,
    "pandas index": pd.Index,
    "pandas shuffled index": lambda y: pd.Series(y, index=[3, 1, 0, 2]),
    "polars": pl.Series,
    "polars categories": lambda y: pl.Series(y, dtype=pl.Categorical),
    "polars enum": lambda y: pl.Series(y, dtype=pl.Enum(["unused", "spam", "ham", "eggs"])),
    "polars chunks": lambda y: pl.concat([pl.Series(y[:1]), pl.Series(y[1:])], rechunk=False),
    "arrow": pa.array,
    "arrow large": lambda y: pa.array(y, pa.large_string()),
    "arrow slice": lambda y: pa.array(["x", *y])[1:],
    "arrow chunks": lambda y: pa.chunked_array([y[:2], y[2:]]),
    "arrow dictionary": lambda y: pa.array(y).dictionary_encode(),
    "arrow dictionary chunks": lambda y: pa.chunked_array([y[:2], y[2:]]).dictionary_encode(),
}

NUMBERS = {
    "list": list,
    "int64": np.array,
    "int8": lambda y: np.array(y, np.int8),
    "uint16": lambda y: np.array(y, np.uint16),
    "float": lambda y: np.array(y, np.float64),
    "pandas": pd.Series,
    "pandas Int64": lambda y: pd.Series(y, dtype="Int64"),
    "pandas categories": lambda y: pd.Series(y, dtype="category"),
    "polars": pl.Series,
    "arrow": pa.array,
}


@pytest.mark.parametrize("predicted", TEXT)
@pytest.mark.parametrize("gold", TEXT)
def test_any_container_of_text_gives_the_same(gold: str, predicted: str) -> None:
    confusion = Confusion.of(TEXT[gold](GOLD), TEXT[predicted](PREDICTED))
    assert confusion.labels.tolist() == ["eggs", "ham", "spam"]
    assert confusion.labels.dtype.kind == "U"
    assert confusion.counts.tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert confusion.n == 4


@pytest.mark.parametrize("predicted", NUMBERS)
@pytest.mark.parametrize("gold", NUMBERS)
def test_any_container_of_numbers_gives_the_same(gold: str, predicted: str) -> None:
    confusion = Confusion.of(NUMBERS[gold]([7, 5, 5]), NUMBERS[predicted]([7, 127, 5]))
    assert confusion.labels.tolist() == [5, 7, 127]
    assert (confusion.labels.dtype.kind in "iu") == ((gold, predicted) != ("float", "float"))
    assert confusion.counts.tolist() == [[1, 0, 1], [0, 1, 0], [0, 0, 0]]


@pytest.mark.parametrize("labels", [[True, False], [2**70, -1], [-128, 127], [0, 2**63], ["a", "a\0"], ["", " "]])
@pytest.mark.parametrize("container", [list, np.array, lambda y: np.array(y, dtype=object)])
def test_labels_keep_their_type_and_value(labels: list[Any], container: Any) -> None:
    if container is np.array and list(map(repr, np.array(labels).tolist())) != list(map(repr, labels)):
        pytest.skip("such an array has lost them already")
    confusion = Confusion.of(container(labels), container(labels))
    assert confusion.labels.tolist() == sorted(labels)
    assert [type(label) for label in confusion.labels.tolist()] == [type(label) for label in labels]
    assert confusion.counts.tolist() == [[1, 0], [0, 1]]


@pytest.mark.filterwarnings("ignore:A single label")
@given(any_answers())
def test_counts_are_those_of_scikit_learn(case: Answers) -> None:
    confusion = Confusion.of(*case)
    theirs = confusion_matrix(case.gold, case.predicted, labels=np.union1d(*case[:2]), sample_weight=case.weights)
    np.testing.assert_allclose(confusion.counts, theirs, rtol=1e-12)
    tables = multilabel_confusion_matrix(case.gold, case.predicted, sample_weight=case.weights)
    ours = [confusion.table_of(label)[::-1, ::-1] for label in confusion.labels.tolist()]
    np.testing.assert_allclose(ours, tables, atol=1e-12)
    np.testing.assert_allclose(confusion.pool_tables()[::-1, ::-1], tables.sum(axis=0), atol=1e-11)


@given(any_answers())
def test_a_table_of_one_label_is_a_confusion_matrix(case: Answers) -> None:
    confusion = Confusion.of(*case)
    for place, label in enumerate(confusion.labels.tolist()):
        table = confusion.table_of(label)
        for score in (precision, recall):
            np.testing.assert_allclose(score(table)[0], score(confusion.counts)[place], atol=1e-12)


def test_labels_may_be_ordered_and_more_than_there_are() -> None:
    confusion = Confusion.of(GOLD, PREDICTED, labels=["spam", "none", "eggs", "ham"])
    assert confusion.labels.tolist() == ["spam", "none", "eggs", "ham"]
    assert confusion.support.tolist() == [1, 0, 1, 2]
    assert confusion.table_of("ham").tolist() == [[1, 1], [1, 1]]


def test_weights_are_summed_and_documents_counted() -> None:
    confusion = Confusion.of(["a", "b", "b"], ["a", "a", "b"], weights=[0.5, 2, 0])
    assert (confusion.counts.tolist(), confusion.n) == ([[0.5, 0], [2, 0]], 3)


def test_the_majority_is_that_of_gold_and_the_first_of_several() -> None:
    assert Confusion.of(["b", "a", "c", "c", "b"], ["a"] * 5).majority_label == "b"
    assert Confusion.of([1, 2], [2, 2], weights=[1, 3]).majority_label == 2


@given(any_answers())
def test_the_baseline_answers_the_majority_label_only(case: Answers) -> None:
    confusion = Confusion.of(*case)
    baseline = Confusion.of(case.gold, np.full_like(case.gold, confusion.majority_label), case.weights, labels=confusion.labels)
    majority = sum_majority_cells(np.stack([confusion.counts, 2 * confusion.counts]), confusion.majority_index)
    for k, times in enumerate((1, 2)):
        for own, sums in zip(majority, sum_cells(times * baseline.counts), strict=True):
            np.testing.assert_allclose(own[k], sums, rtol=1e-12)
    assert float(METRICS["accuracy"](baseline.counts)) >= 1 / len(confusion.labels) - 1e-12


NO_LABEL = [None, float("nan"), np.nan, pd.NA]
BAD: list[tuple[Any, Any, dict[str, Any], str]] = [
    (["a", "b"], ["a"], {}, "gold has 2 labels and predicted has 1: which answer belongs to which document"),
    ([], [], {}, "gold is empty"),
    (["a"], [], {}, "predicted is empty"),
    ("a", ["a"], {}, r"gold must hold one label for each document, got only 'a'. Pass a list, such as \['a'\]"),
    (["a"], b"a", {}, "predicted must hold one label"),
    (None, ["a"], {}, "gold must hold one label .* got only None"),
    (["a"], 3, {}, "predicted must hold one label .* got only 3"),
    ([1, 2], ["1", "2"], {}, r"gold has numbers \(1\) and predicted has text \('1'\) .* Convert one side"),
    (["1"], np.array([1]), {}, r"gold has text \('1'\) and predicted has numbers \(1\)"),
    ([True], [1], {}, r"gold has True or False \(True\) and predicted has numbers \(1\)"),
    (["a"], [b"a"], {}, "gold has text .* and predicted has bytes"),
    (["a", 1], ["a", "a"], {}, "gold: labels must have one type: the first is 'a', label 1 is 1"),
    ([0.5, 1.0], [1, 1], {}, "gold: Unknown label type: continuous. Label 0"),
    (["a"], [["a", "b"]], {}, "predicted: labels must have one dimension"),
    ([object(), object()], ["a", "a"], {}, "gold: its labels can't be put in an order .* Convert them to str"),
    (["a", "b"], ["a", "a"], {"labels": ["a"]}, r"gold has the label 'b' \(at 1, counted from 0\), which labels does not name"),
    (["a"], ["b"], {"labels": ["a"]}, r"predicted has the label 'b' \(at 0"),
    (["a"], ["a"], {"labels": ["a", "b", "a"]}, "labels names 'a' more than once"),
    (["a"], ["a"], {"labels": "a"}, "labels must hold one label"),
    ([1], [1], {"labels": ["1"]}, "labels has text .* and gold has numbers"),
    (["a"], ["a"], {"weights": [1, 2]}, r"one number for each of 1 documents, got shape \(2,\)"),
    (["a"], ["a"], {"weights": 2.0}, "one number for each of 1 documents"),
    (["a", "b"], ["a", "b"], {"weights": [1, -1]}, r"weight 1 \(counted from 0\) is -1.0"),
    (["a", "b"], ["a", "b"], {"weights": [np.nan, 1]}, r"weight 0 \(counted from 0\) is nan"),
    (["a"], ["a"], {"weights": [0]}, "zero for every document"),
    (["a"], ["a"], {"weights": ["heavy"]}, "weights must be numbers"),
    (np.arange(20_000), np.arange(20_000), {}, "20000 different labels in 20000 documents"),
]


@pytest.mark.parametrize(("gold", "predicted", "options", "message"), BAD, ids=[case[3][:40] for case in BAD])
def test_bad_input_is_refused_with_what_where_and_what_to_do(gold: Any, predicted: Any, options: Any, message: str) -> None:
    with pytest.raises(TercetError, match=message) as caught:
        Confusion.of(gold, predicted, **options)
    assert isinstance(caught.value, InvalidLabel | InvalidMatrix)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("missing", NO_LABEL, ids=repr)
@pytest.mark.parametrize("container", [list, pd.Series, lambda y: pd.Series(y, dtype=object), pd.Categorical])
def test_a_missing_label_is_refused_by_its_place_and_side(missing: Any, container: Any) -> None:
    with pytest.raises(InvalidLabel, match=r"predicted: label 2 \(counted from 0\) is"):
        Confusion.of(["a", "b", "b"], container(["a", "b", missing]))


@pytest.mark.parametrize(
    "container", [pl.Series, pa.array, lambda y: pa.array(y).dictionary_encode(), lambda y: pa.chunked_array([y])]
)
def test_a_null_is_refused_by_its_place_and_side(container: Any) -> None:
    with pytest.raises(InvalidLabel, match=r"gold: label 1 \(counted from 0\) is None"):
        Confusion.of(container(["a", None]), ["a", "b"])
    with pytest.raises(InvalidLabel, match=r"gold: .*Label 1 \(counted from 0\) is nan"):
        Confusion.of(np.asarray(pl.Series([1, None])), [1, 2])


def test_a_gap_among_arrow_categories_is_refused() -> None:
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1]), pa.array(["a", None]))
    with pytest.raises(InvalidLabel, match=r"label 1 \(counted from 0\) is None"):
        Confusion.of(column, ["a", "a"])


def test_a_label_that_neither_side_has_is_no_row() -> None:
    with pytest.raises(InvalidLabel, match="'c' is in neither gold nor predicted: there are 'a', 'b'"):
        Confusion.of(["a"], ["b"]).table_of("c")


def test_very_many_labels_need_no_whole_matrix() -> None:
    """The cells, sums and pairs of a large matrix are those of the whole one, which is not made."""
    rng = np.random.default_rng(0)
    gold, predicted = rng.integers(1500, size=(2, 6000))
    labels = np.arange(1500)
    confusion = Confusion.from_codes(labels, gold, predicted)
    whole = np.zeros((1500, 1500))
    np.add.at(whole, (gold, predicted), 1)
    for ours, theirs in zip(confusion.sums, sum_cells(whole), strict=True):
        assert ours.tolist() == theirs.tolist()
    np.fill_diagonal(wrong := whole.copy(), 0)
    largest = np.argsort(-wrong.ravel(), kind="stable")[:5]
    pairs = list_confused_pairs(confusion)
    assert [(pair.gold, pair.predicted) for pair in pairs] == [divmod(int(cell), 1500) for cell in largest]
    sample = Sample.of(confusion)
    assert sample.estimate(["accuracy"])[0].value == np.trace(whole) / 6000
    assert "counts" not in vars(confusion)
