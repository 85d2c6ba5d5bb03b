"""Labels of a table keep their type, stay apart, and are not mixed with others."""

from typing import Any

import numpy as np
import pytest

from tercet.counts.table import CountTable
from tercet.errors import InvalidLabel, TercetError


def assert_equal(a: CountTable, b: CountTable) -> None:
    assert a == b
    assert a.fingerprint() == b.fingerprint()


@pytest.mark.parametrize(
    ("one", "like_it"),
    [
        ([1, 2], [1.0, 2.0]),
        ([0, 1], [False, True]),
        ([1, 2], np.array([1, 2], np.int8)),
        (["a", "b"], np.array(["a", "b"], "<U9")),
    ],
)
def test_equal_tables_have_equal_fingerprints_whatever_type_their_labels_have(one: Any, like_it: Any) -> None:
    a, b = CountTable.of(["to", "be"], one), CountTable.of(["to", "be"], like_it)
    assert (a == b) == (a.fingerprint() == b.fingerprint())


@pytest.mark.parametrize("labels", [[3, -1], [True, False], np.array([3, 1], np.uint8), ["x", "y"]])
def test_labels_keep_their_type(labels: Any) -> None:
    table, nothing, names = CountTable.of(["a", "b"], labels), CountTable.of([], []), CountTable.of(["a"], ["x"])
    plain = np.asarray(labels).tolist()
    for same in (table, table + nothing, nothing + table, table - nothing, (names - names) + table, table.restrict(plain)):
        assert [repr(label) for label in same.labels.tolist()] == [repr(label) for label in sorted(plain)]
        assert_equal(same, CountTable.of(["a", "b"], labels))


def test_labels_of_two_types_are_not_mixed() -> None:
    numbers, names = CountTable.of(["a"], [1]), CountTable.of(["a"], ["1"])
    assert numbers != names
    for one, other in ((numbers, names), (names, numbers)):
        with pytest.raises(InvalidLabel, match="Use one type"):
            one + other
        with pytest.raises(TercetError, match="Nothing is changed"):
            one - other
    assert (numbers.labels.tolist(), names.labels.tolist()) == ([1], ["1"])


@pytest.mark.parametrize("labels", [["x", "x\x00"], ["", "\x00"], ["e\u0301", "é"], ["\ud800", "\udfff"]])
def test_labels_that_look_alike_stay_apart(labels: list[str]) -> None:
    table = CountTable.of(["a", "b"], labels)
    assert table.labels.tolist() == sorted(labels)
    assert_equal(table - CountTable.of(["b"], labels[1:]), CountTable.of(["a"], labels[:1]))


@pytest.mark.parametrize(("one", "other"), [([1], [1.0]), ([1], [2.0]), ([True], [1]), ([0], [True])], ids=str)
def test_numbers_of_two_types_are_not_mixed_either(one: Any, other: Any) -> None:
    """Since 1 and 1.0 are two labels, none may become the other."""
    a, b = CountTable.of(["a"], one), CountTable.of(["b"], other)
    for left, right in ((a, b), (b, a)):
        with pytest.raises(InvalidLabel, match="Use one type"):
            left + right
    assert [repr(table.labels.tolist()) for table in (a, b)] == [repr(one), repr(other)]


def test_whole_numbers_of_any_size_stay_whole() -> None:
    small, large = CountTable.of(["a"], np.array([2], np.int64)), CountTable.of(["b"], np.array([2**63 + 1], np.uint64))
    assert repr((small + large).labels.tolist()) == f"[2, {2**63 + 1}]"
    assert_equal(small + large - large, small)
