"""Tables of counts: the native kernel does what the reference does, and what is added can be taken away."""

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.invented_texts import collections, recipes, texts
from helpers.kernel_tables import N_LABELS, ONE, WORDS, Learned, as_lists, describe, integers, labelled
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native, reference

WORDS |= {"word_ngrams": [(1, 2)], "char_ngrams": [], "char_ngrams_over": "text"}


def learn(kernel: Any, options: dict[str, Any], learned: Learned, threads: int = 1) -> Any:
    counter = kernel.TableCounter(kernel.Recipe(**options), N_LABELS, threads)
    documents, labels, weights = zip(*learned, strict=True) if learned else ((), (), ())
    counter.add(kernel.Texts(list(documents)), integers(*labels), integers(*weights))
    return counter.take()


def save(table: Any) -> Any:
    """What `open` takes behind the recipe."""
    order = table.order()
    starts, *cells = table.counts.cells(order)
    counts = type(table.counts).from_cells(table.counts.n_documents(), table.counts.squares(), np.diff(starts), *cells)
    return table.freeze(order), counts, *table.lengths()


@given(recipes(), labelled)
@some(0.5)
def test_native_counts_labels_as_the_reference_does(options: dict[str, Any], learned: Learned) -> None:
    native, plain = (learn(kernel, options, learned) for kernel in (_native, reference))
    assert describe(native) == describe(plain)
    assert len(native) == len(plain) == len(native.order()) == len(plain.order())
    assert native.counts.n_documents().sum() == sum(weight for _, _, weight in learned)


@given(recipes(), labelled, st.lists(st.text("ab \\xe9:word", max_size=6), unique=True), st.randoms(use_true_random=False))
@some(0.5)
def test_terms_are_spelled_sorted_and_looked_up_by_their_numbers(
    options: dict[str, Any], learned: Learned, others: list[str], random: Any
) -> None:
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        terms, order = table.terms(), table.order().tolist()
        some_numbers = random.sample(order, random.randint(0, len(order)))
        ends, content = table.spell(integers(*some_numbers))
        spelled = [content.tobytes()[i:j].decode("utf-8", "surrogatepass") for i, j in pairwise(ends.tolist())]
        assert spelled == [terms[number] for number in some_numbers]
        assert table.sort(integers(*some_numbers)).tolist() == [number for number in order if number in some_numbers]
        assert table.look_up(terms).tolist() == list(range(len(terms)))
        assert table.look_up(others).tolist() == [terms.index(term) if term in terms else -1 for term in others]


@given(recipes(), collections)
def test_a_table_has_the_terms_of_the_matrix_in_the_same_order(options: dict[str, Any], documents: list[str]) -> None:
    counter = _native.MatrixCounter(_native.Recipe(**options))
    counter.add(_native.Texts(documents))  # type: ignore[arg-type]
    counter.finish()
    table = learn(_native, options, [(document, 0, ONE) for document in documents])
    in_documents, occurrences = counter.sum_columns()
    terms, order = table.terms(), table.order()
    assert [terms[i] for i in order] == counter.vocabulary().terms()
    cells = [(occurrences * ONE).tolist(), (in_documents * ONE).tolist()]
    assert as_lists(table.counts.cells(order)[2:]) == cells


@given(recipes(), labelled, labelled)
@some(0.5)
def test_tables_add_up_and_what_was_added_can_be_taken_away(options: dict[str, Any], a: Learned, b: Learned) -> None:
    results = []
    for kernel in (_native, reference):
        total, other = learn(kernel, options, a), learn(kernel, options, b)
        total.add(other)
        assert describe(total) == describe(learn(kernel, options, a + b))
        results.append((describe(total), len(total)))
        assert total.subtract(other)
        assert describe(total) == describe(learn(kernel, options, a))
        total.add(other)
        assert (describe(total), len(total)) == results[-1]
    assert results[0] == results[1]


@given(recipes(), labelled, labelled)
@some(0.5)
def test_what_was_never_learned_is_refused_and_nothing_changes(options: dict[str, Any], a: Learned, b: Learned) -> None:
    results = []
    for kernel in (_native, reference):
        table = learn(kernel, options, a)
        before = describe(table)
        taken = table.subtract(learn(kernel, options, b))
        assert taken or describe(table) == before
        results.append((taken, describe(table), len(table)))
    assert results[0] == results[1]


@pytest.mark.parametrize("kernel", [_native, reference])
@given(options=recipes(), a=labelled, b=labelled, c=labelled)
@some(0.5)
def test_what_was_forgotten_elsewhere_changes_nothing(
    kernel: Any, options: dict[str, Any], a: Learned, b: Learned, c: Learned
) -> None:
    total, part = learn(kernel, options, a + b), learn(kernel, options, b + c)
    assert part.subtract(learn(kernel, options, c))  # its terms keep their numbers
    assert total.subtract(part)
    assert describe(total) == describe(learn(kernel, options, a))


def test_documents_of_other_lengths_were_never_learned() -> None:
    """Though all their words were."""
    words = WORDS | {"word_ngrams": [(1, 1)]}
    for kernel in (_native, reference):
        table = learn(kernel, words, [("a b", 0, ONE), ("c d", 0, ONE)])
        assert not table.subtract(learn(kernel, words, [("a b c", 0, ONE), ("d", 0, ONE)]))


def keep_order(places: list[int]) -> list[int]:
    """Labels keep their order where they are placed; those below zero are left out."""
    kept = iter(sorted(place for place in places if place >= 0))
    return [next(kept) if place >= 0 else place for place in places]


@given(recipes(), labelled, st.permutations([0, 1, 2, 3, -1, -1]), st.integers(4, 6))
@some(0.5)
def test_labels_find_their_places(options: dict[str, Any], learned: Learned, places: list[int], n_labels: int) -> None:
    results, places = [], keep_order(places[:N_LABELS])
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        placed = table.counts.place_labels(integers(*places), n_labels)
        table.place_labels(integers(*places), n_labels)
        assert as_lists(placed.cells(table.order())) == as_lists(table.counts.cells(table.order()))
        assert placed.n_documents().tolist() == table.counts.n_documents().tolist()
        assert placed.squares().tolist() == table.counts.squares().tolist()
        results.append(describe(table))
    assert results[0] == results[1]


@given(recipes(), labelled, labelled)
@some(0.3)
def test_a_table_read_back_is_the_same(options: dict[str, Any], learned: Learned, more: Learned) -> None:
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        again = kernel.Table.open(kernel.Recipe(**options), *save(table))
        again.check()
        assert describe(again) == describe(table)
        assert again.order().tolist() == list(range(len(table)))
        for one in (again, table):
            one.add(learn(kernel, options, more))
        assert describe(again) == describe(table)
        assert again.subtract(learn(kernel, options, learned))
        assert describe(again) == describe(learn(kernel, options, more))


@given(recipes(), labelled)
@some(0.5)
def test_frozen_vocabularies_are_equal_bytes_in_both_kernels(options: dict[str, Any], learned: Learned) -> None:
    native, plain = (learn(kernel, options, learned) for kernel in (_native, reference))
    ours, theirs = native.freeze(native.order()), plain.freeze(plain.order())
    assert {n: (a.dtype, a.shape, a.tolist()) for n, a in ours.items()} == {
        n: (a.dtype, a.shape, a.tolist()) for n, a in theirs.items()
    }


@given(recipes(), labelled, collections)
@some(0.5)
def test_a_frozen_vocabulary_is_looked_up_as_the_growing_one(
    options: dict[str, Any], learned: Learned, more: list[str]
) -> None:
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        frozen = kernel.Table.open(kernel.Recipe(**options), *save(table))
        terms, order = [*table.terms(), None], table.order()
        assert frozen.terms() == [terms[number] for number in order]
        for text in [*more, *(text for text, _, _ in learned)]:
            found = [frozen.find(kernel.Texts([text])).tolist(), table.find(kernel.Texts([text])).tolist()]
            assert [order[number] if number >= 0 else -1 for number in found[0]] == found[1]


@given(recipes(), labelled, st.data())
def test_damaged_arrays_are_refused_or_read_without_harm(
    options: dict[str, Any], learned: Learned, data: st.DataObject
) -> None:
    arrays, *rest = save(learn(_native, options, learned))
    if not arrays:
        return
    name = data.draw(st.sampled_from(sorted(arrays)))
    raw = bytearray(arrays[name].tobytes())
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    arrays[name] = np.frombuffer(bytes(raw), arrays[name].dtype).reshape(arrays[name].shape)
    try:
        table = _native.Table.open(_native.Recipe(**options), arrays, *rest)
        for text, _, _ in learned:
            table.find(_native.Texts([text]))
        table.add(learn(_native, options, [*learned, ("hen fox owl", 0, ONE)]))
        assert len(table.terms()) == len(table)
    except ValueError:
        pass  # refused


@given(recipes(), labelled, st.data())
@some(0.5)
def test_both_kernels_find_the_same_arrays_damaged(options: dict[str, Any], learned: Learned, data: st.DataObject) -> None:
    arrays, counts, *lengths = save(learn(reference, options, learned))
    if not arrays:
        return
    name = data.draw(st.sampled_from(sorted(arrays)))
    changed = arrays[name].copy()
    place = data.draw(st.integers(0, changed.size - 1))
    changed.flat[place] = changed.flat[place] ^ changed.dtype.type(1 << data.draw(st.integers(0, changed.itemsize * 8 - 1)))
    arrays[name] = changed
    own_counts = learn(_native, options, learned).counts
    refused = []
    for kernel, own in ((reference, counts), (_native, own_counts)):
        try:
            kernel.Table.open(kernel.Recipe(**options), arrays, own, *lengths).check()
        except ValueError as error:
            refused.append(str(error))
    if refused != ["a term is there twice"]:  # the reference numbers terms by their spelling
        assert len(refused) != 1, refused


@given(recipes(), labelled, collections)
@some(0.5)
def test_texts_are_read_alike_under_a_table(options: dict[str, Any], learned: Learned, documents: list[str]) -> None:
    results = []
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        terms = [*table.terms(), None]
        rows = table.rows(kernel.Texts(documents))
        found = [table.find(kernel.Texts([document])).tolist() for document in documents]
        assert len(rows) == len(documents)
        assert rows.n_unknown().tolist() == [numbers.count(-1) for numbers in found]
        results.append([[terms[number] for number in numbers] for numbers in found])
    assert results[0] == results[1]


MODELS: list[dict[str, Any]] = [
    {"likelihood": "multinomial", "value": 0.5, "unknown_term": True},
    {"likelihood": "multinomial", "value": 0.0},
    {"likelihood": "multinomial", "smoothing": "dirichlet", "value": 10.0, "shared": True},
    {"likelihood": "binary", "value": 0.1, "min_documents": 2 * ONE},
    {"likelihood": "binary", "value": 1.0, "unknown_term": True},
    {"likelihood": "bernoulli", "value": 1.0},
    {"likelihood": "complement", "value": 1.0},
]
DEFAULTS: dict[str, Any] = {
    "smoothing": "additive",
    "open": True,
    "shared": False,
    "unknown_term": False,
    "min_documents": 0,
    "kept": None,
}


@given(recipes(), labelled, collections, st.sampled_from(MODELS), st.sampled_from([-np.inf, -1.0]))
@some(0.5)
def test_texts_are_judged_alike(
    options: dict[str, Any], learned: Learned, documents: list[str], model: dict[str, Any], log_prior: float
) -> None:
    results, prior = [], np.array([-1.0, log_prior, -0.7])
    for kernel in (_native, reference):
        table = learn(kernel, options, learned)
        weights = kernel.Weights(table.counts, kernel.Model(**DEFAULTS | model))
        table.add(learn(kernel, options, [(document, 0, ONE) for document in documents[1:]]))  # new terms are unknown to them
        results.append(table.log_joint(weights, kernel.Texts(documents), prior))
        best, n_lost = table.predict(weights, kernel.Texts(documents), prior)
        assert n_lost == results[-1][1]
        assert best.dtype == np.int64
        np.testing.assert_allclose(results[-1][0][np.arange(len(best)), best], results[0][0].max(axis=1), rtol=1e-9, atol=1e-9)
    assert results[0][1] == results[1][1]
    assert results[0][0].shape == results[1][0].shape == (len(documents), N_LABELS)
    np.testing.assert_allclose(results[0][0], results[1][0], rtol=1e-9, atol=1e-9, equal_nan=False)


def test_a_text_that_is_impossible_under_every_label_gets_the_prior() -> None:
    prior = np.array([-1.0, -2.0, -np.inf])
    for kernel in (_native, reference):
        table = learn(kernel, WORDS, [("hen", 0, ONE), ("fox", 1, ONE), ("owl", 2, ONE)])
        weights = kernel.Weights(table.counts, kernel.Model(**DEFAULTS | MODELS[1]))
        texts = kernel.Texts(["hen fox", "owl", "fox", "cat", ""])
        scores, n_lost = table.log_joint(weights, texts, prior)
        assert n_lost == 2
        assert scores.tolist() == [[-1, -2, -np.inf], [-1, -2, -np.inf], [-np.inf, -2, -np.inf], *[[-1, -2, -np.inf]] * 2]
        assert table.predict(weights, texts, prior)[0].tolist() == [0, 0, 1, 0, 0]


@given(st.lists(texts | texts.map(lambda text: text.encode("utf-8", "ignore")) | st.text(max_size=100), max_size=4))
def test_texts_have_the_same_fingerprints(documents: list[str | bytes]) -> None:
    native, plain = (kernel.fingerprint(kernel.Texts(list(documents))) for kernel in (_native, reference))
    assert native.dtype == plain.dtype
    assert native.shape == plain.shape == (len(documents), 2)
    assert native.tolist() == plain.tolist()


def test_a_fingerprint_tells_texts_apart() -> None:
    documents = ["", "\0", "\0" * 16, "a", "a\0", "b", "é", "e\u0301", "a" * 16, "a" * 17, "a" * 32]
    assert len({*map(tuple, _native.fingerprint(_native.Texts(documents)).tolist())}) == len(documents)  # type: ignore[arg-type]
    as_bytes = _native.Texts([document.encode() for document in documents])
    assert _native.fingerprint(as_bytes).tolist() == _native.fingerprint(_native.Texts(documents)).tolist()  # type: ignore[arg-type]


# Many labels.
cells = st.dictionaries(st.integers(0, 11), st.tuples(st.integers(0, 3 * ONE), st.integers(0, ONE)), max_size=12)
tables = st.tuples(st.lists(st.integers(0, 5 * ONE), min_size=12, max_size=12), st.lists(cells, min_size=3, max_size=3))


def make_counts(kernel: Any, table: Any) -> Any:
    n_documents, rows = table
    flat = [(label, *cell) for row in rows for label, cell in sorted(row.items())]
    columns = zip(*flat, strict=True) if flat else ((), (), ())
    # Some labels have one document, others may have many of weight 1.
    squares = [(0, n * (n if label % 3 == 0 else min(n, ONE))) for label, n in enumerate(n_documents)]
    return kernel.Counts.from_cells(
        integers(*n_documents),
        np.array(squares, np.uint64),
        integers(*map(len, rows)),
        *(integers(*column) for column in columns),
    )


def list_counts(counts: Any) -> list[list[int]]:
    return [counts.n_documents().tolist(), counts.squares().tolist(), *as_lists(counts.cells(np.arange(counts.n_terms)))]


@given(tables, tables, st.permutations([*range(12), *[-1] * 4]))
def test_any_counts_add_up_alike(a: Any, b: Any, places: list[int]) -> None:
    results = []
    for kernel in (_native, reference):
        one, other = make_counts(kernel, a), make_counts(kernel, b)
        before, copy = list_counts(one), one.copy()
        covers = one.covers(other)
        assert one.subtract(other) == covers
        left = list_counts(one)
        assert covers or left == before
        one.add(other)
        assert not covers or list_counts(one) == before
        placed = one.place_labels(integers(*keep_order(places[:12])), 12)
        results.append((covers, left, list_counts(one), list_counts(placed)))
        assert list_counts(copy) == before
    assert results[0] == results[1]


def test_tables_are_the_same_for_any_number_of_threads() -> None:
    rng = np.random.default_rng(1)
    documents = [" ".join(f"w{i}" for i in rng.zipf(1.3, 400) % 5000) for _ in range(300)]
    labels, weights = rng.integers(0, N_LABELS, len(documents)), rng.integers(1, 3 * ONE, len(documents))
    results: list[list[Any]] = []
    for threads in (1, 3):
        counter = _native.TableCounter(_native.Recipe(**WORDS), N_LABELS, threads)
        counter.add(_native.Texts(documents[:100]), labels[:100], weights[:100])  # type: ignore[arg-type]
        counter.add(_native.Texts(documents[100:]), labels[100:], weights[100:])  # type: ignore[arg-type]
        table = counter.take()
        results.append([describe(table)])
        assert table.counts.cells(table.order())[2].sum() == weights.sum() * (400 + 399)
        unseen = _native.Texts([*documents[:200], "unknown"])
        rows, prior = table.rows(unseen, threads), np.zeros(N_LABELS)
        for model in MODELS:
            made = _native.Weights(table.counts, _native.Model(**DEFAULTS | model))
            results[-1] += [made.score(rows, np.arange(len(rows)), threads).tolist()]
            results[-1] += [table.log_joint(made, unseen, prior, threads)[0].tolist()]
            results[-1] += [table.predict(made, unseen, prior, threads)[0].tolist()]
    assert results[0] == results[1]
    prints = [_native.fingerprint(_native.Texts(documents), threads).tolist() for threads in (1, 3)]  # type: ignore[arg-type]
    assert prints[0] == prints[1]


def test_a_counter_that_gave_its_table_away_begins_anew() -> None:
    for kernel in (_native, reference):
        counter: Any = kernel.TableCounter(kernel.Recipe(**WORDS), 2)
        counter.add(kernel.Texts(["hen"]), integers(0))
        first = counter.take()
        counter.add(kernel.Texts(["fox"]), integers(1))
        assert (first.terms(), counter.take().terms(), counter.take().terms()) == (["hen"], ["fox"], [])
        assert first.counts.n_documents().tolist() == [ONE, 0]


def test_documents_are_as_long_as_they_have_words() -> None:
    learned = [("a hen and a fox", 0, ONE), ("a fox", 2, ONE), ("two hens", 2, ONE // 2), ("", 1, ONE)]
    for options, lengths in (
        (WORDS, [5, 0, 2]),
        (WORDS | {"char_ngrams": [(1, 1)]}, [5, 0, 2]),
        (WORDS | {"word_ngrams": [(2, 3)]}, [4 + 3, 0, 1]),
        (WORDS | {"word_ngrams": [], "char_ngrams": [(1, 1)]}, [15, 0, 5, 8]),
    ):
        for kernel in (_native, reference):
            assert learn(kernel, options, learned).lengths()[1].tolist() == lengths


def open_shard(kernel: Any, options: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """The table of one shard, which has no documents."""
    nothing = np.zeros(N_LABELS, np.int64), np.zeros((N_LABELS, 2), np.uint64)
    cells = (arrays[name] for name in ("sizes", "labels", "occurrences", "documents"))
    vocabulary = {name: array for name, array in arrays.items() if "." in name}
    return kernel.Table.open(
        kernel.Recipe(**options), vocabulary, kernel.Counts.from_cells(*nothing, *cells), integers(), integers(), integers()
    )


@given(recipes(), labelled, labelled, st.integers(1, 5), st.integers(1, 3))
@some(0.5)
def test_shards_have_each_term_once_and_are_those_of_the_reference(
    options: dict[str, Any], learned: Learned, forgotten: Learned, n: int, stride: int
) -> None:
    found = []
    for kernel in (_native, reference):
        table = learn(kernel, options, learned + forgotten)
        assert table.subtract(learn(kernel, options, forgotten))
        shards = {k: open_shard(kernel, options, arrays) for k, arrays in table.split(n, stride)}
        total = kernel.Table(kernel.Recipe(**options), N_LABELS)
        for shard in shards.values():
            assert shard.counts.n_met() == len(shard) > 0
            total.add(shard)
        assert sum(map(len, shards.values())) == len(total) == table.counts.n_met()
        assert describe(total)[0] == describe(table)[0]
        assert describe(total)[2][:4] == describe(table)[2][:4]
        found.append({k: describe(shard) for k, shard in shards.items()})
    assert found[0] == found[1]


@pytest.mark.parametrize(("n", "stride"), [(0, 1), (1, 0), (1 << 32, 1)])
def test_a_table_is_not_split_into_nothing(n: int, stride: int) -> None:
    for kernel in (_native, reference):
        with pytest.raises(ValueError, match="above 0"):
            learn(kernel, WORDS, []).split(n, stride)
