"""The nearest documents are those that comparing with all of them finds, and the terms that are named are the whole reason."""

import pickle
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from helpers.invented_encoders import invent_text_encoder
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from tercet import Analyzer, DocumentIndex, TermWeighting, WordVectors
from tercet.counts.document_index import Neighbour
from tercet.counts.near_meanings import find_near_meanings
from tercet.errors import EmptyVocabulary, InvalidOption, InvalidText, NotFitted
from tercet.text.vectors.encoded_words import EncodedWords

TEXTS = ["the hen sat", "a sly fox", "", "an old hen", "the hen sat", "the sly old dog"]
words = st.lists(st.sampled_from(["hen", "fox", "dog", "owl", "the"]), max_size=6).map(" ".join)
weightings = st.builds(
    TermWeighting,
    st.sampled_from(["raw", "log", "binary"]),
    st.sampled_from([None, "plain", "smooth", "probabilistic"]),
    st.sampled_from([None, "l1", "l2"]),
)


def find_by_hand(texts: list[str], text: str, weighting: TermWeighting) -> list[float]:
    """The cosine of the text with each of the texts, term by term."""
    documents = [words.split() for words in texts]
    terms = sorted({term for words in documents for term in words})
    having = [sum(term in words for words in documents) for term in terms]
    counts = np.array([[words.count(term) for term in terms] for words in [*documents, text.split()]], float)
    tf = {"raw": counts, "binary": np.sign(counts), "log": np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0)}
    n, df = len(texts), np.array(having, float)
    idf = {"plain": np.log(n / df) + 1, "smooth": np.log((n + 1) / (df + 1)) + 1, None: np.ones(len(terms))}
    idf["probabilistic"] = np.log(np.maximum(1, (n - df) / df))
    vectors = tf[weighting.tf] * idf[weighting.idf]
    cosines: list[float] = cosine_similarity(vectors[:-1], vectors[-1:]).ravel().tolist()
    return cosines


@given(st.lists(words, min_size=1, max_size=8), words, weightings, st.integers(1, 9))
def test_nearest_are_those_that_comparing_with_all_finds(texts: list[str], text: str, weighting: Any, k: int) -> None:
    texts = [*texts, "hen fox"]
    cosines = find_by_hand(texts, text, weighting)
    expected = sorted((-round(cosine, 9), position) for position, cosine in enumerate(cosines) if cosine > 1e-9)[:k]
    found = DocumentIndex(weighting=weighting).fit(texts).nearest(text, k)
    assert [(-round(near.similarity, 9), near.position) for near in found] == expected


@given(st.lists(words, min_size=1, max_size=8), words, weightings)
def test_the_terms_add_up_to_the_similarity(texts: list[str], text: str, weighting: TermWeighting) -> None:
    for near in DocumentIndex(weighting=weighting).fit([*texts, "hen fox"]).nearest(text):
        assert sum(share for _, share in near.terms) == pytest.approx(near.similarity, abs=1e-12)
        assert {term for term, _ in near.terms} <= {*text.split()} & {*[*texts, "hen fox"][near.position].split()}
        assert all(one >= other > 0 for (_, one), (_, other) in pairwise(near.terms))


def test_a_corpus_has_the_neighbours_that_scikit_learn_finds(corpus: Callable[[str], list[dict[str, str]]]) -> None:
    texts = [row["text"] for row in corpus("sms_spam/all")]
    texts, asked = texts[50:], texts[:50]
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True).fit(texts)
    similarities = cosine_similarity(vectorizer.transform(asked), vectorizer.transform(texts))
    analyzer = Analyzer.preset("sklearn", word_ngrams=(1, 2))
    index = DocumentIndex(analyzer, weighting=TermWeighting("log")).fit(texts)
    for text, row in zip(asked, similarities, strict=True):
        found = index.nearest(text, 10)
        assert [near.similarity for near in found] == pytest.approx(sorted(row[row > 0], reverse=True)[:10], abs=1e-12)
        assert [row[near.position] for near in found] == pytest.approx([near.similarity for near in found], abs=1e-12)


def test_equals_come_in_the_order_of_the_documents() -> None:
    found = DocumentIndex().fit(TEXTS).nearest("the hen sat", 2)
    assert [near.position for near in found] == [0, 4]
    assert [near.similarity for near in found] == pytest.approx([1.0, 1.0])
    assert all(near.similarity <= 1 for near in found)


@pytest.mark.parametrize("text", ["", "unknown words", "\0"])
def test_a_text_without_known_terms_has_no_neighbours(text: str) -> None:
    assert DocumentIndex().fit(TEXTS).nearest(text) == []


def test_there_are_no_more_neighbours_than_documents_with_a_common_term() -> None:
    assert [near.position for near in DocumentIndex().fit(TEXTS).nearest("fox", 1000)] == [1]


def test_terms_that_half_of_the_documents_have_make_no_neighbours_if_they_weigh_nothing() -> None:
    index = DocumentIndex(weighting=TermWeighting(idf="probabilistic")).fit(["the hen", "the fox", "the owl"])
    assert index.nearest("the") == []
    assert index.nearest("the hen") == [Neighbour(0, pytest.approx(1.0), (("hen", pytest.approx(1.0)),))]


def test_the_weighting_that_was_given_learns_nothing() -> None:
    weighting = TermWeighting(norm="l1")
    DocumentIndex(weighting=weighting).fit(TEXTS)
    assert vars(weighting) == vars(TermWeighting(norm="l1"))


def test_a_pickle_finds_the_same() -> None:
    index = DocumentIndex(Analyzer(word_ngrams=(1, 2)), threads=2).fit(TEXTS)
    copy = pickle.loads(pickle.dumps(index))
    assert copy.nearest("the old hen sat") == index.nearest("the old hen sat") != []


def test_bad_input_is_refused() -> None:
    with pytest.raises(NotFitted):
        DocumentIndex().nearest("hen")
    with pytest.raises(InvalidOption, match="weighting must be a TermWeighting"):
        DocumentIndex(weighting="log").fit(TEXTS)  # type: ignore[arg-type]
    with pytest.raises(EmptyVocabulary):
        DocumentIndex().fit(["", ""])
    index = DocumentIndex().fit(TEXTS)
    with pytest.raises(InvalidText):
        index.fit([None])  # type: ignore[list-item]
    assert index.nearest("fox") != []  # what was learned before
    with pytest.raises(InvalidOption, match="k must be an int >= 1"):
        index.nearest("hen", 0)
    with pytest.raises(InvalidText):
        index.nearest(None)  # type: ignore[arg-type]


@given(st.lists(st.text("abc ", max_size=6), max_size=8), st.text("abc ", max_size=6), st.integers(1, 5))
def test_near_meanings_have_the_greatest_cosines(texts, query, k):
    vectors = WordVectors(EncodedWords(invent_text_encoder()))
    found = find_near_meanings(vectors, texts, query, k)
    own, others = vectors.encode_texts([query])[0].astype(float), vectors.encode_texts(texts).astype(float)
    cosines = [float(own @ other / np.linalg.norm(own) / np.linalg.norm(other)) for other in others]
    expected = sorted((-round(cosine, 9), place) for place, cosine in enumerate(cosines) if cosine > 1e-9)[:k]
    assert [(-round(near.similarity, 9), near.position) for near in found] == expected


def test_the_nearest_meaning_of_a_text_is_that_text():
    vectors = WordVectors(EncodedWords(invent_text_encoder()))
    (near, *_) = find_near_meanings(vectors, ["a sly fox", "the old hen", "an owl"], "the old hen")
    assert (near.position, round(near.similarity, 12), near.terms) == (1, 1.0, ())
