"""CountTable.from_ngrams: counts without their texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.counts.table import CountTable
from tercet.errors import InvalidOption

words = st.text("abcä", min_size=1, max_size=5)


@given(st.dictionaries(st.sampled_from(["x", "y", "z"]), st.lists(words, min_size=1, max_size=6).map(" ".join), min_size=1))
def test_counts_of_a_table_give_the_same_table_again(texts):
    """One document for each label: its counts, written down and read again."""
    analyzer = Analyzer(word_ngrams=None, char_ngrams=(1, 5), char_ngrams_over="words")
    counted = CountTable.of(list(texts.values()), list(texts), analyzer=analyzer)
    counts = {label: {term: counted[term, label] for term in counted if counted[term, label]} for label in texts}
    assert CountTable.from_ngrams(counts) == counted


def test_given_counts_add_up_like_others():
    a, b = CountTable.from_ngrams({"de": {"ei": 3}}), CountTable.from_ngrams({"de": {"ei": 2, "ie": 1}, "en": {"th": 4}})
    assert (a + b)["ei"] == {"de": 5, "en": 0}
    assert a + b - b == a
    assert (a + b).n_documents.tolist() == [2, 1]


def test_labels_may_be_numbers_and_counts_may_be_large():
    table = CountTable.from_ngrams({2: {"ab": 10**12}, 1: {"ab": np.int64(3)}}, analyzer="languages")
    assert table.labels.tolist() == [1, 2]
    assert table["ab"] == {1: 3, 2: 10**12}


def test_words_can_be_given_with_their_analyzer():
    table = CountTable.from_ngrams({"good": {"fine": 3, "film": 1}, "bad": {"dull": 2, "film": 1}}, analyzer="words")
    assert table["film"] == {"good": 1, "bad": 1}
    assert table.n_documents.tolist() == [1, 1]


@pytest.mark.parametrize(
    "counts",
    [
        {},
        {"x": {}},
        {"x": {"ab": 0}},
        {"x": {"ab": -1}},
        {"x": {"ab": 1.5}},
        {"x": {"ab": True}},
        {"x": {3: 1}},
        [("x", "ab")],
        {"x": {"ab": 2**60}},
    ],
)
def test_impossible_counts_are_refused(counts):
    with pytest.raises(InvalidOption):
        CountTable.from_ngrams(counts)


def test_a_term_that_the_analyzer_never_finds_is_refused():
    with pytest.raises(InvalidOption, match="would never be found"):
        CountTable.from_ngrams({"x": {"abcdefgh": 1}})
    with pytest.raises(InvalidOption, match="would never be found"):
        CountTable.from_ngrams({"x": {"The": 1}}, analyzer="words")
