"""Rows that are kept while documents are counted are those that the table reads later."""

from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import recipes, texts
from helpers.kernel_tables import WORDS, Learned, describe, integers, labelled
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native, reference

ONE = 1 << 20
MODEL: dict[str, Any] = {"likelihood": "multinomial", "smoothing": "additive", "value": 0.5, "open": True, "shared": False}
MODEL |= {"unknown_term": False, "min_documents": 0, "kept": None}
batched = st.lists(labelled, max_size=3)


def keep(kernel: Any, options: dict[str, Any], batches: list[Learned], threads: int = 1) -> tuple[Any, Any, list[bytes]]:
    counter = kernel.TableCounter(kernel.Recipe(**options), 3, threads, keep=True)
    blocks = [counter.add(kernel.Texts(texts_of(batch)), *numbers_of(batch)) for batch in batches]
    return counter.take(), counter.take_terms(), blocks


def texts_of(batch: Learned) -> list[str]:
    return [text for text, _, _ in batch]


def numbers_of(batch: Learned) -> tuple[Any, Any]:
    return integers(*(label for _, label, _ in batch)), integers(*(weight for _, _, weight in batch))


def list_rows(kernel: Any, table: Any, rows: Any) -> Any:
    """The terms of each document with their counts, and scores, which depend on the order of the terms."""
    n, terms, by_document = len(rows), table.terms(), kernel.Counts(len(rows), len(table))
    by_document.add_rows(rows, np.arange(n), np.arange(n), np.full(n, ONE))
    starts, labels, occurrences, _ = by_document.cells(np.arange(len(table)))
    spelled = np.repeat(np.arange(len(table)), np.diff(starts)).tolist()
    found = sorted(zip(labels.tolist(), [terms[i] for i in spelled], occurrences.tolist(), strict=True))
    return found, kernel.Weights(table.counts, kernel.Model(**MODEL)).score(rows, np.arange(n)).tolist()


@given(recipes(), batched, st.integers(1, 3))
@some(0.5)
def test_kept_rows_are_those_that_the_table_reads(options: dict[str, Any], batches: list[Learned], threads: int) -> None:
    found = []
    for kernel in (_native, reference):
        table, terms, blocks = keep(kernel, options, batches, threads)
        for batch, block in zip(batches, blocks, strict=True):
            rows = list_rows(kernel, table, terms.rows(block, threads=threads))
            assert rows == list_rows(kernel, table, table.rows(kernel.Texts(texts_of(batch))))
            found.append(rows[0])
    assert found[: len(batches)] == found[len(batches) :]


@pytest.mark.parametrize("kernel", [_native, reference])
@given(batch=labelled, data=st.data())
@some(0.3)
def test_some_rows_of_a_block_are_read_in_any_order(kernel: Any, batch: Learned, data: st.DataObject) -> None:
    table, terms, (block,) = keep(kernel, WORDS, [batch])
    places = data.draw(st.lists(st.sampled_from(range(len(batch))), max_size=6)) if batch else []
    rows = terms.rows(block, integers(*places))
    assert list_rows(kernel, table, rows) == list_rows(kernel, table, terms.rows(block).pick(integers(*places)))
    with pytest.raises(IndexError):
        terms.rows(block, integers(len(batch)))


@pytest.mark.parametrize("kernel", [_native, reference])
def test_a_document_without_weight_has_an_empty_row_and_leaves_nothing(kernel: Any) -> None:
    table, terms, (block,) = keep(kernel, WORDS, [[("the hen", 0, 0), ("the fox", 1, ONE)]])
    assert [term for _, term, _ in list_rows(kernel, table, terms.rows(block))[0]] == ["fox", "the", "the fox"]
    assert sorted(table.terms()) == ["fox", "the", "the fox"]


@given(recipes(), batched, st.permutations([0, 1, 2]))
@some(0.3)
def test_labels_that_come_in_any_order_are_put_in_order(options: dict[str, Any], batches: list[Learned], places: Any) -> None:
    renamed = [[(text, places[label], weight) for text, label, weight in batch] for batch in batches]
    for kernel in (_native, reference):
        counter = kernel.TableCounter(kernel.Recipe(**options), 0, 2)
        counter.grow_labels(1)
        counter.grow_labels(3)
        for batch in batches:
            counter.add(kernel.Texts(texts_of(batch)), *numbers_of(batch))
        assert describe(counter.take(integers(*places), 3)) == describe(keep(kernel, options, renamed)[0])


@pytest.mark.parametrize("kernel", [_native, reference])
@pytest.mark.parametrize("places", [[0], [0, 0], [0, 2], [0, 1, 2]])
def test_bad_places_of_labels_are_refused(kernel: Any, places: list[int]) -> None:
    counter = kernel.TableCounter(kernel.Recipe(**WORDS), 2)
    with pytest.raises(ValueError, match="place"):
        counter.take(integers(*places), 2)


@given(st.binary(max_size=40) | st.none(), st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), max_size=4))
def test_damaged_rows_are_refused_or_read_as_rows(junk: bytes | None, changes: list[tuple[int, int]]) -> None:
    table, terms, (block,) = keep(_native, WORDS, [[("the hen the hen sat", 0, ONE), ("the fox sat", 1, ONE)]], 2)
    damaged = bytearray(block if junk is None else junk)
    for place, byte in changes:
        if damaged:
            damaged[place % len(damaged)] = byte
    try:
        rows = terms.rows(bytes(damaged))
    except ValueError:
        return
    places, weights = np.arange(len(rows) + 1), np.full(len(rows), ONE)
    squares = _native.sum_squares(weights, places[:-1], len(rows))
    _native.LeftOut(table.counts, _native.Model(**MODEL)).score(rows, places, 0 * weights, weights, squares)


@pytest.mark.parametrize("cut", range(1, 12))
def test_rows_that_are_cut_short_are_refused(cut: int) -> None:
    _, terms, (block,) = keep(_native, WORDS, [[("the hen sat", 0, ONE)]])
    with pytest.raises(ValueError, match="damaged"):
        terms.rows(block[:-cut])


@given(st.lists(texts, min_size=1), st.data())
@some(0.3)
def test_picked_texts_are_the_texts(documents: list[str], data: st.DataObject) -> None:
    places = integers(*data.draw(st.lists(st.sampled_from(range(len(documents))))))
    for kernel in (_native, reference):
        picked = kernel.Texts(documents).pick(places)
        assert kernel.fingerprint(picked).tolist() == kernel.fingerprint(kernel.Texts([documents[i] for i in places])).tolist()
        with pytest.raises(IndexError):
            kernel.Texts(documents).pick(integers(len(documents)))


def test_counts_that_have_changed_are_not_asked() -> None:
    table, terms, (block,) = keep(_native, WORDS, [[("the hen", 0, ONE)]])
    left_out, rows = _native.LeftOut(table.counts, _native.Model(**MODEL)), terms.rows(block)
    table.add(keep(_native, WORDS, [[("a fox", 1, ONE)]])[0])
    squares = _native.sum_squares(integers(ONE), integers(0), 1)
    with pytest.raises(ValueError, match="changed"):
        left_out.score(rows, integers(0, 1), integers(0), integers(ONE), squares)
