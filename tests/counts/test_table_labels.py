"""Labels of a table keep their type, stay apart, and are not mixed with others."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import Categorizer
from tercet.counts.labels import read_labels
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


INTEGERS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
NUMBERS = [*INTEGERS, np.float16, np.float32, np.float64]
KINDS = {"int": INTEGERS, "float": [np.float16, np.float32, np.float64], "bool": [np.bool_]}


def save(model: Categorizer, path: Path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize(("kind", "types"), KINDS.items())
def test_the_width_of_numbers_does_not_show_in_the_file(kind: str, types: list[type], tmp_path: Path) -> None:
    texts, plain = ["to be", "or not", "to be or"], [0, 1, 1]
    files = set()
    for dtype in types:
        forms: list[Any] = [np.array(plain, dtype), [dtype(label) for label in plain], np.array(plain, dtype).astype(object)]
        for labels in (*forms, np.array(plain, np.dtype(dtype).newbyteorder(">"))):
            model = Categorizer().fit(texts, labels)
            assert model.classes_.dtype == {"int": np.int64, "float": np.float64, "bool": np.bool_}[kind]
            files.add(save(model, tmp_path / "model"))
            assert save(tercet.load(tmp_path / "model"), tmp_path / "again") in files
    assert len(files) == 1


@pytest.mark.parametrize("first", NUMBERS)
@pytest.mark.parametrize("then", NUMBERS)
def test_learning_and_forgetting_numbers_of_any_width_restores_the_file(first: Any, then: Any, tmp_path: Path) -> None:
    if np.issubdtype(first, np.floating) != np.issubdtype(then, np.floating):
        return
    model = Categorizer().fit(["to be", "or not"], np.array([1, 2], first))
    before = save(model, tmp_path / "before")
    more = ["to be or", "be"], np.array([2, 3], then)
    model.learn(*more)
    assert save(model, tmp_path / "after") != before  # it can be saved
    model.forget(*more)
    assert save(model, tmp_path / "after") == before
    assert model.classes_.dtype == Categorizer().fit(["to be"], np.array([1], first)).classes_.dtype


labels_of_one_kind = st.sampled_from(
    [
        st.text(st.sampled_from("ab\0é\ud800"), max_size=3),
        st.integers(-(2**70), 2**70) | st.integers(-3, 3),
        st.integers(-3, 3).map(float) | st.just(-0.0) | st.just(1e300),
        st.booleans(),
        st.binary(max_size=3),
    ]
)


@given(labels_of_one_kind.flatmap(lambda kind: st.tuples(st.lists(kind, min_size=1, max_size=3), st.lists(kind, max_size=3))))
def test_learning_and_forgetting_labels_of_any_kind_restores_the_file(learned: Any) -> None:
    first, more = learned
    model = Categorizer().fit(["to be"] * len(first), first)
    with TemporaryDirectory() as folder:
        before = save(model, Path(folder, "before"))
        kept = model.classes_.dtype, [repr(label) for label in model.classes_.tolist()]
        if more:
            model.learn(["or not"] * len(more), more)
            between = save(model, Path(folder, "between"))
            assert save(tercet.load(Path(folder, "between")), Path(folder, "again")) == between
            model.forget(["or not"] * len(more), more)
        assert save(model, Path(folder, "after")) == before
        loaded = tercet.load(Path(folder, "after"))
    for same in (model, loaded):
        assert (same.classes_.dtype, [repr(label) for label in same.classes_.tolist()]) == kept


def test_zero_has_no_sign() -> None:
    for labels in ([-0.0, 0.0], [0.0, -0.0]):
        assert repr(CountTable.of(["a", "b"], labels).labels.tolist()) == "[0.0]"


@pytest.mark.parametrize(
    "written",
    [
        {"type": "int", "values": [2, 1]},
        {"type": "int", "values": [1, 1]},
        {"type": "int", "values": [True]},
        {"type": "bool", "values": [0, 1]},
        {"type": "float", "values": [1]},
        {"type": "text", "values": [1]},
        {"type": "text", "values": "ab"},
        {"type": "bytes", "values": ["€"]},
        {"type": "<i8", "values": [1]},
        {"type": "object", "values": [1]},
    ],
    ids=str,
)
def test_labels_that_were_never_written_are_refused(written: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"type|order|encode"):
        read_labels(written)
