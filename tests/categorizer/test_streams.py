"""Documents that come in batches are learned as those that come at once, and a reader that fails changes nothing."""

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.labelled_documents import (
    AUTO,
    Learned,
    Stream,
    any_label,
    any_text,
    assert_same,
    invent,
    learned,
    plain_texts,
    some,
)
from hypothesis import given
from hypothesis import strategies as st

import tercet.categorizer.model.bayes_model
import tercet.counts.document_rows
from tercet import Categorizer, Documents, MostInformative
from tercet.categorizer.held_out.held_out import Copies
from tercet.counts.document_rows import Spool
from tercet.data.document_batches import read_ahead
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned, NoRoom, TercetError

some_documents = learned(any_text, any_label, min_size=1, max_size=9)


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tercet.counts.document_rows, "Spool", lambda: Spool(0))


@given(some_documents, st.integers(1, 4), st.integers(1, 3))
def test_a_stream_is_learned_as_a_list_is(documents: Learned, size: int, threads: int) -> None:
    at_once = Categorizer(model=AUTO).fit(*documents)
    assert_same(Categorizer(model=AUTO, threads=threads).fit(Stream(documents, size)), at_once, documents.texts)
    assert_same(Categorizer(model=AUTO).fit(iter(Stream(documents, size))), at_once, documents.texts)


@given(some_documents, some_documents, st.integers(1, 4))
@some(0.5)
def test_a_stream_is_learned_on_and_forgotten(first: Learned, second: Learned, size: int) -> None:
    model, expected = Categorizer().fit(*first), Categorizer().fit(*(first + second))
    assert_same(model.learn(Stream(second, size)), expected, first.texts)
    assert_same(model.forget(Stream(second, size)), Categorizer().fit(*first), first.texts)


@given(learned(plain_texts, st.sampled_from("ab"), min_size=6, max_size=12), st.integers(1, 5), st.data())
@some(0.5)
def test_a_sample_chooses_the_same_smoothing_in_any_order(documents: Learned, size: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(documents.texts))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tercet.categorizer.model.bayes_model, "SAMPLE", 4)
        first = Categorizer(model=AUTO, threads=1).fit(*documents)
        other = Categorizer(model=AUTO, threads=3).fit(Stream(documents.pick(order), size))
    assert_same(first, other, documents.texts)


def test_a_sample_is_what_the_smoothing_is_chosen_by(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    documents = invent(50)
    choose = tercet.categorizer.model.bayes_model.choose_by_labels

    def watch(left_out: Any, rows: Any, codes: Any, weights: Any) -> Any:
        asked.append((len(rows), len(codes), len(weights)))
        return choose(left_out, rows, codes, weights)

    monkeypatch.setattr(tercet.categorizer.model.bayes_model, "choose_by_labels", watch)
    monkeypatch.setattr(tercet.categorizer.model.bayes_model, "SAMPLE", 7)
    Categorizer(model=AUTO).fit(*documents)
    assert asked == [(7, 7, 7)]


@given(learned(plain_texts, st.sampled_from("ab"), min_size=4, max_size=9), st.integers(1, 4))
@some(0.3)
def test_a_stream_is_cross_validated_as_a_list_is(documents: Learned, size: int) -> None:
    at_once = Categorizer(model=AUTO).cross_validate(*documents, folds=3)
    streamed = Categorizer(model=AUTO).cross_validate(Stream(documents, size), folds=3)
    assert streamed.log_joint.tolist() == at_once.log_joint.tolist()
    assert streamed.gold.tolist() == at_once.gold.tolist() == documents.labels


@given(learned(plain_texts, st.sampled_from("ab"), min_size=2), st.integers(1, 3))
@some(0.3)
def test_a_stream_is_left_out_as_a_list_is(documents: Learned, size: int) -> None:
    model = Categorizer().fit(*documents)
    held, streamed = (model.leave_one_out(*way) for way in (documents, (Stream(documents, size),)))
    assert streamed.log_joint.tolist() == held.log_joint.tolist()


def test_documents_without_weight_are_held_out_as_by_retraining() -> None:
    documents = invent(30)
    weights = [0.0 if i % 4 == 0 else weight for i, weight in enumerate(documents.weights)]
    documents = documents._replace(weights=weights, texts=[f"{text} own{i}" for i, text in enumerate(documents.texts)])
    held = Categorizer().cross_validate(Stream(documents, 7), folds=30)
    for i in range(0, 30, 4):
        rest = Categorizer().fit(*documents.pick(np.delete(np.arange(30), i)))
        np.testing.assert_allclose(held.log_joint[i], rest.log_joint([documents.texts[i]])[0], rtol=1e-9)


def test_a_selection_by_domain_is_cross_validated_from_a_stream() -> None:
    documents, domains = invent(40, n_labels=2), ["x", "y", "z", "y"] * 10
    columns = {"from": domains}
    whole = Documents(documents.texts, documents.labels, columns=columns)
    parts = [
        Documents(documents.texts[i : i + 9], documents.labels[i : i + 9], columns={"from": domains[i : i + 9]})
        for i in range(0, 40, 9)
    ]
    select = MostInformative(9, "ld", domain="from")
    at_once, streamed = (Categorizer(select=select).cross_validate(way, folds=4) for way in (whole, parts))
    assert streamed.log_joint.tolist() == at_once.log_joint.tolist()
    a, b = (Categorizer(select=select).fit(way) for way in (whole, parts))
    assert_same(a, b, documents.texts)
    assert a.leave_one_out(whole).log_joint.tolist() == b.leave_one_out(parts).log_joint.tolist()


@pytest.mark.usefixtures("on_disk")
def test_rows_on_disk_are_those_in_memory() -> None:
    documents = invent(60)
    on_disk = Categorizer(model=AUTO).cross_validate(Stream(documents, 8), folds=5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tercet.counts.document_rows, "Spool", Spool)
        in_memory = Categorizer(model=AUTO).cross_validate(Stream(documents, 8), folds=5)
    assert on_disk.log_joint.tolist() == in_memory.log_joint.tolist()


@pytest.mark.usefixtures("on_disk")
def test_no_room_for_the_temporary_file_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(buffering: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    model = Categorizer(model=AUTO)
    with pytest.raises(NoRoom, match=r"No space left on device.*set TMPDIR"):
        model.fit(Stream(invent(9), 3))
    assert not hasattr(model, "table_")


@given(st.lists(st.binary(max_size=5)), st.integers(0, 12))
def test_a_spool_gives_back_what_it_got(blocks: list[bytes], in_memory: int) -> None:
    spool = Spool(in_memory)
    for block in blocks:
        spool.append(block)
    assert [spool[i] for i in reversed(range(len(spool)))] == blocks[::-1]


@pytest.mark.parametrize("change", ["fit", "learn", "forget"])
def test_a_reader_that_fails_changes_nothing(change: str) -> None:
    documents = invent(20)
    model, same = (Categorizer(model=AUTO).fit(*documents) for _ in range(2))
    with pytest.raises(OSError, match="the disk is gone"):
        getattr(model, change)(Stream(documents.pick(range(9)), 4, fails=True))
    assert_same(model, same, documents.texts)


def test_what_was_never_learned_is_not_forgotten_by_a_stream() -> None:
    documents = invent(20)
    model, same = (Categorizer().fit(*documents) for _ in range(2))
    with pytest.raises(NeverLearned):
        model.forget(Stream(documents.pick([3, 4]) + invent(3, seed=1), 2))
    assert_same(model, same, documents.texts)


@pytest.mark.parametrize(
    ("batches", "message"),
    [
        ([Documents(["a"], ["x"]), Documents(["b"], [1])], "labels of two types"),
        ([Documents(["a"], [1]), Documents(["b"], [True])], "labels of two types"),
        ([Documents(["a"], ["x"]), Documents(["b"])], "requires y to be passed"),
        ([Documents(["a"], ["x"]), Documents(["b", "c"], ["x"])], "1 labels and more texts"),
        ([Documents(["a"], ["x"], [0.0]), Documents(["b"], ["x"], [0.0])], "nothing would be learned"),
        ([Documents([], [])], "nothing to learn"),
        ([Documents(["a"], ["x"]), Documents([None], ["x"])], "text 0 .* is None"),
    ],
)
def test_bad_batches_are_refused(batches: list[Documents], message: str) -> None:
    model = Categorizer()
    for stream in (batches, iter(batches)):
        with pytest.raises(TercetError, match=message):
            model.fit(stream)
    assert not hasattr(model, "table_")


def test_a_stream_has_its_own_labels_and_weights() -> None:
    stream = Stream(invent(4), 2)
    with pytest.raises(InvalidLabel, match="labels of their own"):
        Categorizer().fit(stream, ["x"] * 4)
    with pytest.raises(InvalidOption, match="weights of its own"):
        Categorizer().fit(stream, sample_weight=[1] * 4)
    with pytest.raises(InvalidLabel, match="requires y"):
        Categorizer().fit(iter([]))


def test_reading_ahead_fails_where_reading_would() -> None:
    def items() -> Iterator[int]:
        yield from range(5)
        raise KeyError("six")

    ahead = read_ahead(items())
    assert [next(ahead) for _ in range(5)] == list(range(5))
    with pytest.raises(KeyError, match="six"):
        next(ahead)


def test_who_stops_reads_no_further() -> None:
    read = []

    def items() -> Iterator[int]:
        for i in range(1000):
            read.append(i)
            yield i

    ahead = read_ahead(items())
    assert next(ahead) == 0
    ahead.close()  # type: ignore[attr-defined]
    assert len(read) < 9


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1)), min_size=1), st.data())
def test_copies_go_out_together(words: list[tuple[int, int]], data: st.DataObject) -> None:
    n = len(words)
    codes = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)), np.int64)
    weights = np.array(data.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)), np.int64)
    places = np.array(sorted(data.draw(st.sets(st.integers(0, n - 1)))), np.int64)
    copies = Copies.of(np.array(words, np.uint64))
    together = copies.take(codes[copies.members], weights[copies.members], 3)
    alone = tercet.categorizer.held_out.held_out.Taken.own(codes[places], weights[places])
    starts, labels, totals, squares = copies.join(places, alone, together)
    for k, place in enumerate(places):
        is_copy = np.array([word == words[place] for word in words])
        own = slice(starts[k], starts[k + 1])
        for sums, power in ((totals, 1), (squares[:, 1], 2)):
            found = np.zeros(3)
            found[labels[own]] = sums[own]
            assert found.tolist() == np.bincount(codes, weights**power * is_copy, minlength=3).tolist()
        assert copies.with_copies(place).tolist() == np.flatnonzero(is_copy).tolist()
    assert len(labels) == starts[-1]
    assert sorted(np.concatenate([[], *copies.split()])) == copies.members.tolist()
