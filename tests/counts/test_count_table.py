"""Tables of counts form a group: what is added can be taken away, and neither order nor threads show in the result."""

import operator
import pickle
import subprocess
import sys
from functools import reduce
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.analyzer_recipes import analyzers
from helpers.labelled_documents import ONE, Learned, learned, plain_texts, some
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.counts.table import CountTable, unpack_numbers
from tercet.errors import InvalidLabel, InvalidOption, NeverLearned

WORDS_AND_PAIRS = Analyzer(word_ngrams=(1, 2))


def count(documents: Learned, analyzer: Any = WORDS_AND_PAIRS, threads: int = 1) -> CountTable:
    return CountTable.of(documents.texts, documents.labels, documents.units, analyzer=analyzer, threads=threads)


def assert_equal(a: CountTable, b: CountTable) -> None:
    assert a == b
    assert b == a
    assert a.fingerprint() == b.fingerprint()
    assert {name: array.tolist() for name, array in a.arrays().items()} == {
        n: array.tolist() for n, array in b.arrays().items()
    }
    assert a.terms() == b.terms()
    assert len(a) == len(b) == len(a.terms())


@given(analyzers(), learned(min_size=0), learned(min_size=0))
@some(0.5)
def test_counts_of_parts_add_up_in_any_order(analyzer: Analyzer, a: Learned, b: Learned) -> None:
    one, other = count(a, analyzer), count(b, analyzer)
    before = one.fingerprint(), other.fingerprint()
    assert_equal(one + other, count(a + b, analyzer))
    assert_equal(other + one, count(a + b, analyzer))
    assert (one.fingerprint(), other.fingerprint()) == before  # neither is changed by it


@given(learned(min_size=0), learned(min_size=0), learned(min_size=0))
@some(0.5)
def test_it_does_not_matter_which_are_added_first(a: Learned, b: Learned, c: Learned) -> None:
    one, two, three = map(count, (a, b, c))
    assert_equal((one + two) + three, one + (two + three))


@given(analyzers(), learned(min_size=0), learned(min_size=0))
@some(0.5)
def test_what_was_added_can_be_taken_away(analyzer: Analyzer, a: Learned, b: Learned) -> None:
    one, other = count(a, analyzer), count(b, analyzer)
    assert_equal((one + other) - other, one)
    assert_equal((one + other) - one, other)
    one += other
    one -= other
    assert_equal(one, count(a, analyzer))
    assert_equal(one + other - other + other, count(a + b, analyzer))


@given(learned(min_size=0))
@some(0.5)
def test_a_table_can_be_added_to_itself_and_taken_from_itself(documents: Learned) -> None:
    table = count(documents)
    table += table
    assert_equal(table, count(documents + documents))
    assert_equal(table - count(documents), count(documents))
    table -= table
    assert len(table) == len(table.labels) == 0
    assert_equal(table + count(documents), count(documents))


@given(learned(min_size=0, max_size=8), st.randoms(use_true_random=False))
@some(0.5)
def test_the_order_of_the_documents_does_not_show(documents: Learned, random: Any) -> None:
    places = list(range(len(documents.texts)))
    random.shuffle(places)
    assert_equal(count(documents.pick(places)), count(documents))
    cuts = sorted(random.choices(range(len(places) + 1), k=2))
    shards = [documents.pick(places[begin:end]) for begin, end in pairwise([0, *cuts, len(places)])]
    assert_equal(reduce(operator.add, map(count, shards)), count(documents))


@pytest.mark.parametrize("n_labels", [2, 200])
def test_the_number_of_threads_does_not_show(n_labels: int) -> None:
    rng = np.random.default_rng(n_labels)
    # Threads share out pieces of some 100 kB, so there must be many documents for them to have work.
    texts = [" ".join(f"w{i}" for i in row) for row in rng.zipf(1.4, (9000, 12)) % 5000]
    documents = Learned(texts, rng.integers(0, n_labels, len(texts)).tolist(), rng.integers(1, 9, len(texts)).tolist())
    tables = [count(documents, threads=threads) for threads in (1, 3)]
    assert_equal(*tables)
    shuffled = rng.permutation(len(texts))
    assert_equal(count(documents.pick(shuffled), threads=3), tables[0])
    assert_equal(count(documents.pick(shuffled[:99]), threads=2) + count(documents.pick(shuffled[99:]), threads=3), tables[0])
    rest = tables[0] - count(documents.pick(shuffled[:5000]), threads=3)
    assert_equal(rest, count(documents.pick(shuffled[5000:])))


@given(
    learned(plain_texts, st.integers(0, 199), min_size=1, max_size=40), learned(plain_texts, st.integers(0, 199), max_size=40)
)
@some(0.5)
def test_hundreds_of_labels_add_up_as_few_do(a: Learned, b: Learned) -> None:
    assert_equal(count(a) + count(b), count(b + a))
    assert_equal(count(a + b) - count(a), count(b))


@given(learned(labels=st.sampled_from("abc")))
@some(0.5)
def test_the_counts_are_those_of_counting_by_hand(documents: Learned) -> None:
    table, labels = count(documents), sorted(set(documents.labels))
    numbers = {name: array.tolist() for name, array in unpack_numbers(table.arrays()).items()}
    occurrences: dict[tuple[str, int], int] = {}
    in_documents: dict[tuple[str, int], int] = {}
    lengths: dict[tuple[int, int], int] = {}
    n_documents = [0] * len(labels)
    for text, label, weight in zip(documents.texts, documents.labels, documents.units.tolist(), strict=True):
        place, terms = labels.index(label), WORDS_AND_PAIRS.terms(text)
        n_documents[place] += weight
        for term in terms:
            occurrences[term, place] = occurrences.get((term, place), 0) + weight
        for term in set(terms):
            in_documents[term, place] = in_documents.get((term, place), 0) + weight
        length = len(WORDS_AND_PAIRS.tokens(text))
        lengths[place, length] = lengths.get((place, length), 0) + weight
    cells = list(zip(np.repeat(table.terms(), numbers["sizes"]).tolist(), numbers["labels"], strict=True))
    assert numbers["label_documents"] == n_documents
    assert dict(zip(cells, numbers["occurrences"], strict=True)) == occurrences
    assert dict(zip(cells, numbers["documents"], strict=True)) == in_documents
    pairs = zip(numbers["length_labels"], numbers["lengths"], strict=True)
    assert dict(zip(pairs, numbers["length_documents"], strict=True)) == lengths


@given(learned(min_size=0), learned(min_size=1))
@some(0.5)
def test_below_zero_is_refused_and_nothing_changes(a: Learned, b: Learned) -> None:
    small, large = count(a), count(a + b)
    before = small.fingerprint()
    with pytest.raises(NeverLearned, match=r"[Nn]othing is changed"):
        small -= large
    assert small.fingerprint() == before
    assert_equal(small, count(a))


@pytest.mark.parametrize(
    ("texts", "labels", "weights"),
    [
        (["hen sat"], ["b"], [1]),  # under another label
        (["hen fox"], ["a"], [1]),  # a word more
        (["hen hen"], ["a"], [1]),  # more often
        (["hen sat"], ["a"], [2]),  # heavier
        (["hen sat", "hen sat"], ["a", "a"], [1, 1]),  # twice
        (["hen"], ["a"], [1]),  # no document would be left, but words of one
        (["owl"], ["a"], [1]),  # a word that nobody has
        (["hen sat"], ["z"], [1]),  # a label that nobody has
    ],
)
def test_what_the_counts_disprove_is_refused(texts: list[str], labels: list[str], weights: list[float]) -> None:
    table = CountTable.of(["hen sat", "the fox"], ["a", "b"])
    before = table.fingerprint()
    with pytest.raises(NeverLearned, match=r"[Nn]othing is changed"):
        table -= count(Learned(texts, labels, weights), "words")
    assert table.fingerprint() == before


@given(learned(min_size=1, labels=st.sampled_from("abc")), st.sets(st.sampled_from("abc"), min_size=1))
@some(0.5)
def test_the_rows_of_some_labels_are_the_counts_of_their_documents(documents: Learned, labels: set[str]) -> None:
    labels &= set(documents.labels)
    if labels:
        of_these = [i for i, label in enumerate(documents.labels) if label in labels]
        table = count(documents)
        assert_equal(table.restrict(sorted(labels, reverse=True)), count(documents.pick(of_these)))
        assert_equal(table, count(documents))


@given(learned(min_size=1), learned(plain_texts))
@some(0.5)
def test_rows_that_were_kept_form_a_group_too(a: Learned, b: Learned) -> None:
    kept = count(a).restrict(a.labels[:1])
    before = kept.fingerprint()
    assert_equal(kept + count(b), count(b) + kept)
    assert_equal(kept + count(b) - count(b), kept)
    assert_equal(pickle.loads(pickle.dumps(kept)), kept)
    assert kept.fingerprint() == before


def test_rows_that_are_not_there_are_not_kept() -> None:
    table = CountTable.of(["a", "b"], ["x", "y"])
    with pytest.raises(InvalidLabel, match=r"'z' is unknown here: known are 'x', 'y'"):
        table.restrict(["x", "z"])
    with pytest.raises(InvalidLabel, match="name at least one"):
        table.restrict([])


@given(analyzers(), learned(min_size=0), learned())
@some(0.5)
def test_a_table_survives_pickling_and_counts_on(analyzer: Analyzer, a: Learned, b: Learned) -> None:
    table = pickle.loads(pickle.dumps(count(a, analyzer)))
    assert_equal(table, count(a, analyzer))
    assert_equal(table + count(b, analyzer), count(a + b, analyzer))
    assert_equal(pickle.loads(pickle.dumps(count(a + b, analyzer))) - count(a, analyzer), count(b, analyzer))


def test_terms_of_two_recipes_are_not_mixed() -> None:
    words, pairs = CountTable.of(["to be"], ["x"]), CountTable.of(["to be"], ["x"], analyzer=WORDS_AND_PAIRS)
    assert words != pairs
    for mix in (operator.add, operator.sub, operator.iadd, operator.isub):
        with pytest.raises(InvalidOption, match="Count both alike"):
            mix(words, pairs)
    assert words == CountTable.of(["to be"], ["x"])


@given(learned(plain_texts), learned(plain_texts))
@some(0.5)
def test_tables_are_equal_where_their_fingerprints_are(a: Learned, b: Learned) -> None:
    assert (count(a) == count(b)) == (count(a).fingerprint() == count(b).fingerprint())


@pytest.mark.parametrize(
    "other",
    [
        CountTable.of(["to be", "or"], ["x", "y"]),
        CountTable.of(["to be", "or not"], ["x", "z"]),
        CountTable.of(["to be", "or not"], ["y", "x"]),
        CountTable.of(["to be", "or not not"], ["x", "y"]),
        CountTable.of(["to be", "or not", ""], ["x", "y", "y"]),
        CountTable.of(["to be", "or not"], ["x", "y"], np.array([ONE, ONE + 1])),
        CountTable.of(["to be", "or not"], ["x", "y"], analyzer=WORDS_AND_PAIRS),
        CountTable.of(["to", "be", "or not"], ["x", "x", "y"]),
        CountTable.of(["to be", "or not"], [1, 2]),
    ],
)
def test_other_content_has_another_fingerprint(other: CountTable) -> None:
    table = CountTable.of(["to be", "or not"], ["x", "y"])
    assert table != other
    assert table.fingerprint() != other.fingerprint()


@given(learned(), st.lists(st.tuples(plain_texts, st.sampled_from("abz"))), st.randoms(use_true_random=False))
@some(0.5)
def test_a_document_without_weight_is_as_good_as_none(documents: Learned, weightless: Any, random: Any) -> None:
    both = documents + Learned([text for text, _ in weightless], [label for _, label in weightless], [0.0] * len(weightless))
    places = list(range(len(both.texts)))
    random.shuffle(places)
    assert_equal(count(both.pick(places)), count(documents))


def test_to_take_nothing_from_nothing_is_no_crash() -> None:
    """In a process of its own, since a crash would end all tests: a word that only a document without weight has."""
    code = """
import numpy as np
from tercet.counts.table import CountTable
from tercet.counts.table import unpack_numbers
table = CountTable.of(["to be"], ["x"])
table -= CountTable.of(["or not"], ["x"], np.zeros(1, np.int64))
assert table == CountTable.of(["to be"], ["x"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, f"ended with {done.returncode}: {done.stderr[-300:]}"


def test_the_order_of_the_terms_is_canonical() -> None:
    # By their bytes: capitals before small letters, and é behind all of them.
    table = CountTable.of(["b é Z a", "a b"], ["x", "x"], analyzer=Analyzer(lowercase=False, word_ngrams=(1, 2)))
    assert table.terms() == ["Z", "Z a", "a", "a b", "b", "b é", "é", "é Z"]
