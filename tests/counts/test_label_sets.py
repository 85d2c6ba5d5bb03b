"""DocumentLabels: lists, indicator matrices and joined cells give the same sets; bad input is refused in one line."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csr_array
from sklearn.preprocessing import MultiLabelBinarizer

from tercet.counts.label_sets import DocumentLabels, are_sets, encode_label_sets, split_cell
from tercet.errors import InvalidLabel, InvalidOption

SETS = [["b", "a"], [], ["c"]]
MATRIX = np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1]])
NAMES = ["a", "b", "c"]
FORMS: dict[str, Any] = {
    "lists": SETS,
    "tuples": tuple(map(tuple, SETS)),
    "sets": [set(own) for own in SETS],
    "frozen sets": [frozenset(own) for own in SETS],
    "arrays": [np.array(own, str) for own in SETS],
    "generator": (own for own in SETS),
    "array of objects": np.array([*map(tuple, SETS), None], object)[:3],
    "repeated": [["b", "a", "b"], [], ["c"]],
    "pandas": pd.Series(SETS),
    "polars": pl.Series(SETS, dtype=pl.List(pl.String)),
    "arrow": pa.array(SETS),
    "frame": pd.DataFrame(MATRIX, columns=NAMES),
    "polars frame": pl.DataFrame(MATRIX, schema=NAMES),
    "frame in another order": pd.DataFrame(MATRIX[:, [2, 0, 1]], columns=["c", "a", "b"]),
}
MATRICES: dict[str, Any] = {
    "int": MATRIX,
    "bool": MATRIX.astype(bool),
    "float": MATRIX.astype(float),
    "csr": csr_array(MATRIX),
    "coo": coo_matrix(MATRIX),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_container_gives_the_same_sets(form: str) -> None:
    found = DocumentLabels.of(FORMS[form])
    assert [sorted(own) for own in found.to_lists()] == [["a", "b"], [], ["c"]]
    assert found.sizes.tolist() == [2, 0, 1]


@pytest.mark.parametrize("form", MATRICES)
def test_an_indicator_matrix_has_its_columns_named(form: str) -> None:
    assert DocumentLabels.of(MATRICES[form], NAMES).to_lists() == [["a", "b"], [], ["c"]]
    assert DocumentLabels.of(MATRICES[form]).to_lists() == [[0, 1], [], [2]]
    np.testing.assert_array_equal(DocumentLabels.of(MATRICES[form]).to_indicator().toarray(), MATRIX)


@given(st.lists(st.sets(st.sampled_from("abcde")), min_size=1, max_size=20))
def test_sets_make_the_indicator_of_scikit_learn(sets: list[set[str]]) -> None:
    names = list("abcde")
    found = DocumentLabels.of(sets, names)
    np.testing.assert_array_equal(found.to_indicator().toarray(), MultiLabelBinarizer(classes=names).fit_transform(sets))
    assert [set(own) for own in found.to_lists()] == sets
    assert [
        set(own) for own in DocumentLabels.of(["; ".join(sorted(own)) for own in sets], names, separator=";").to_lists()
    ] == sets
    kinds = found.number_kinds().tolist()
    assert all((sets[i] == sets[j]) == (kinds[i] == kinds[j]) for i in range(len(sets)) for j in range(len(sets)))
    order = np.arange(len(sets))[::-1]
    assert [set(own) for own in found.take(order).to_lists()] == sets[::-1]


def test_gold_names_the_labels_if_it_is_an_indicator_matrix() -> None:
    found = encode_label_sets({"gold": pd.DataFrame(MATRIX, columns=["z", "y", "x"]), "predicted": [["x"], [], ["y"]]})
    assert found["predicted"].labels.tolist() == ["z", "y", "x"]
    assert found["predicted"].codes.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("values", "options", "words"),
    [
        (np.array([[0, 2], [1, 0]]), {}, "has 2 in row 0, column 1"),
        (csr_array([[0, -1], [1, 0]]), {}, "has -1 in row 0, column 1"),
        (np.array([[0, np.nan], [1, 0]]), {}, "has nan in row 0, column 1"),
        (np.array([["a", "b"]]), {}, "an indicator matrix has 1"),
        (np.eye(3), {"labels": ["a", "b"]}, "3 columns and 2 labels"),
        (np.eye(2), {"labels": ["a", "a"]}, "'a' more than once"),
        (np.eye(2), {"labels": ["a", ""]}, "names nothing"),
        (np.eye(2), {"labels": "ab"}, "must be a list of names"),
        (["a", "b"], {}, "document 0 .* is the str 'a', not a set of labels"),
        ("ab", {}, "got only 'ab'"),
        (7, {}, "got only 7"),
        ([["a"], None], {}, "document 1 .* is None, not a set"),
        ([["a"], 3], {}, "document 1 .* is 3, not a set"),
        ([["a", " "]], {}, "names nothing"),
        ([["a", None]], {}, "names nothing"),
        ([["a", 3]], {}, "one type"),
        ([[1, 0, 0], [0, 1, 0]], {}, "the label 0 twice. .*np.array"),
        ([["a;b"]], {"separator": ";"}, "contains the separator"),
        (["a;;b"], {"separator": ";"}, "document 0 .*empty label"),
        (["a;"], {"separator": ";"}, "empty label"),
        ([["a", "b"]], {"labels": ["a"]}, "'b' .*which labels does not name"),
        ([[], []], {}, "nothing to measure"),
        ([], {}, "is empty"),
    ],
)
def test_bad_sets_are_refused_in_one_line(values: Any, options: Any, words: str) -> None:
    with pytest.raises(InvalidLabel, match=words) as caught:
        DocumentLabels.of(values, **options)
    assert "\n" not in str(caught.value)


def test_different_numbers_of_documents_and_types_of_labels_are_refused() -> None:
    with pytest.raises(InvalidLabel, match="gold has 1 documents and predicted has 2"):
        encode_label_sets({"gold": [["a"]], "predicted": [["a"], []]})
    with pytest.raises(InvalidLabel, match="gold and predicted: labels of two types"):
        encode_label_sets({"gold": [["1"]], "predicted": [[1]]})
    with pytest.raises(InvalidLabel, match="4 columns and 3 labels"):
        encode_label_sets({"gold": MATRIX, "predicted": np.zeros((3, 4))})


@pytest.mark.parametrize("separator", ["", " ", 3])
def test_a_separator_is_not_blank(separator: Any) -> None:
    with pytest.raises(InvalidOption, match="label_separator"):
        DocumentLabels.of(["a"], separator=separator)


def test_a_str_is_split_only_if_a_separator_is_named() -> None:
    assert DocumentLabels.of(["a|b", "", ["c"]], separator="|").to_lists() == [["a", "b"], [], ["c"]]
    assert split_cell("a;b", "|") == ["a;b"]


def test_one_label_for_each_document_is_not_taken_for_sets() -> None:
    assert not are_sets(["ab", "cd"])
    assert not are_sets([1, 2])
    assert not are_sets(np.array([0, 1]))
    assert are_sets([("a",), ()])
    assert are_sets(csr_array(MATRIX))
