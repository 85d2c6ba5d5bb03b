"""With the preset `sklearn` the matrix and the names are CountVectorizer's, column by column."""

from collections.abc import Callable
from typing import Any

import pytest
from helpers.invented_texts import collections
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

from tercet import Analyzer, TermCounter

Options = dict[str, Any]

# Theirs, and how the same is said here.
ANALYZERS: dict[str, tuple[Options, Options]] = {
    "words": ({}, {}),
    "words 1-2": ({"ngram_range": (1, 2)}, {"word_ngrams": (1, 2)}),
    "words 1-3": ({"ngram_range": (1, 3)}, {"word_ngrams": (1, 3)}),
    "words 2-3": ({"ngram_range": (2, 3)}, {"word_ngrams": (2, 3)}),
    "words as written": ({"lowercase": False}, {"lowercase": False}),
    "char 2-4": ({"analyzer": "char", "ngram_range": (2, 4)}, {"word_ngrams": None, "char_ngrams": (2, 4)}),
    "char_wb 2-4": (
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"word_ngrams": None, "char_ngrams": (2, 4), "char_ngrams_over": "words"},
    ),
}
SELECTIONS: dict[str, tuple[Options, Options]] = {
    "all": ({}, {}),
    "binary": ({"binary": True}, {"binary": True}),
    "min 2": ({"min_df": 2}, {"min_documents": 2}),
    "min and max share": ({"min_df": 0.2, "max_df": 0.7}, {"min_documents": 0.2, "max_documents": 0.7}),
    "max 3": ({"max_df": 3}, {"max_documents": 3}),
}


def assert_same(texts: list[str], analyzer: str, selection: str = "all", later: list[str] | None = None) -> None:
    theirs = CountVectorizer(**ANALYZERS[analyzer][0], **SELECTIONS[selection][0])
    ours = TermCounter(Analyzer.preset("sklearn", **ANALYZERS[analyzer][1]), **SELECTIONS[selection][1])
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(ValueError, match=r"vocabulary|no terms remain|fewer documents"):
            ours.fit_transform(texts)
        return
    matrix = ours.fit_transform(texts)
    assert matrix.dtype == expected.dtype
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert_equal(matrix, expected)
    assert_equal(ours.transform(later or texts), theirs.transform(later or texts))


def assert_equal(matrix: Any, expected: Any) -> None:
    assert matrix.shape == expected.shape
    expected.sort_indices()
    for name in ("indptr", "indices", "data"):
        assert (getattr(matrix, name) == getattr(expected, name)).all()


@pytest.mark.parametrize("analyzer", ANALYZERS)
@given(texts=collections, later=collections, selection=st.sampled_from([*SELECTIONS]))
@some(0.4)
def test_invented_texts_are_counted_alike(analyzer: str, texts: list[str], later: list[str], selection: str) -> None:
    assert_same([*texts, "two words"], analyzer, selection, [*later, "two words more"])


@given(collections, st.lists(st.text("ab ", min_size=1, max_size=5), unique=True, min_size=1, max_size=6))
@some(0.5)
def test_a_fixed_vocabulary_is_counted_alike(texts: list[str], terms: list[str]) -> None:
    for name, (their_options, our_options) in ANALYZERS.items():
        theirs = CountVectorizer(vocabulary=terms, **their_options)
        ours = TermCounter(Analyzer.preset("sklearn", **our_options), vocabulary=terms)
        texts = [*texts, "aa bb ab", "ba ab aa"]
        assert (theirs.transform(texts) != ours.transform(texts)).nnz == 0, name


@pytest.mark.parametrize("analyzer", ANALYZERS)
@pytest.mark.parametrize("name", ["sms_spam/all", "evomsa_tweets/all"])
def test_real_corpora_are_counted_alike(corpus: Callable[[str], list[dict[str, str]]], name: str, analyzer: str) -> None:
    texts = [row["text"] for row in corpus(name)][:1000]
    assert_same(texts, analyzer)
    assert_same(texts, analyzer, "min and max share")


@pytest.mark.parametrize("analyzer", ["words 1-2", "char_wb 2-4"])
def test_sentences_of_75_languages_are_counted_alike(corpus: Callable[[str], list[dict[str, str]]], analyzer: str) -> None:
    assert_same([row["text"] for row in corpus("lingua_sentences/train")][::18], analyzer)


def test_the_most_frequent_terms_are_the_same(corpus: Callable[[str], list[dict[str, str]]]) -> None:
    texts = [row["text"] for row in corpus("sms_spam/all")]
    counts = CountVectorizer().fit_transform(texts).sum(axis=0).A1
    falling = sorted(counts, reverse=True)
    limit = next(n for n in range(500, 600) if falling[n - 1] > falling[n])  # no tie at the cut
    theirs = CountVectorizer(max_features=limit).fit(texts)
    ours = TermCounter("sklearn", max_terms=limit).fit(texts)
    assert ours.vocabulary_ == theirs.vocabulary_
