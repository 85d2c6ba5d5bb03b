"""Counting as users see it: any container in, one matrix out, and errors that help."""

import array
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from helpers.invented_texts import collections
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from tercet import Analyzer, TermCounter
from tercet.errors import EmptyVocabulary, InvalidOption, InvalidText, NotFitted, TercetError
from tercet.kernel import _native
from tercet.text.recipe import make_recipe

TEXTS = ["the hen and the fox", "", "thé 狐 fox 🦊", "naïve \ud800 \x00 hen"]
VALID = [text for text in TEXTS if "\ud800" not in text]  # what Arrow can hold


def as_object_array(texts: list[str]) -> Any:
    return np.array(texts, dtype=object)


CONTAINERS: dict[str, Callable[[list[str]], Any]] = {
    "tuple": tuple,
    "generator": lambda texts: (text for text in texts),
    "dict keys": lambda texts: dict.fromkeys(texts).keys(),
    "numpy objects": as_object_array,
    "numpy str": np.array,
    "pandas str": pd.Series,
    "pandas objects": lambda texts: pd.Series(texts, dtype=object, index=range(7, 7 + len(texts))),
    "pandas category": lambda texts: pd.Series(pd.Categorical(texts)),
    "polars": pl.Series,
    "polars category": lambda texts: pl.Series(texts, dtype=pl.Categorical),
    "arrow string": pa.array,
    "arrow large": lambda texts: pa.array(texts, pa.large_string()),
    "arrow view": lambda texts: pa.array(texts, pa.string_view()),
    "arrow dictionary": lambda texts: pa.array(texts).dictionary_encode(),
    "arrow slice": lambda texts: pa.array(["before", *texts, "after"])[1:-1],
    "arrow chunks": lambda texts: pa.chunked_array([texts[:1], [], texts[1:]], pa.string()),
    "utf-8 bytes": lambda texts: [text.encode() for text in texts],
    "numpy bytes": lambda texts: np.array([text.encode() for text in texts], dtype=object),
}


@pytest.mark.parametrize("container", CONTAINERS.values(), ids=CONTAINERS.keys())
def test_any_container_gives_the_same_matrix(container: Callable[[list[str]], Any]) -> None:
    expected = TermCounter().fit(VALID)
    counter = TermCounter()
    matrix = counter.fit_transform(container(VALID))
    assert matrix.toarray().tolist() == expected.transform(VALID).toarray().tolist()
    assert counter.vocabulary_ == expected.vocabulary_
    assert (counter.transform(container(VALID)) != matrix).nnz == 0


def test_surrogates_and_nul_are_counted() -> None:
    counter = TermCounter(Analyzer(tokens="whitespace"))
    counter.fit(TEXTS)
    assert {"\ud800", "\x00", "狐", "🦊"} <= counter.vocabulary_.keys()
    assert counter.transform(["\ud800 \ud800"]).sum() == 2


def test_a_long_generator_is_read_in_batches() -> None:
    n = 20_000
    counter = TermCounter()
    matrix = counter.fit_transform(f"w{i % 7} all" for i in range(n))
    assert matrix.shape == (n, 8)
    assert counter.transform(f"w{i % 7} all" for i in range(n)).sum(axis=0).tolist()[0][:1] == [n]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("a bare string", r"got a single str: each of its letters would be taken for a document. Write \[text\]"),
        (b"bare bytes", "got a single bytes"),
        (None, "texts must be a list of str or another iterable, got NoneType"),
        (7, "texts must be a list of str or another iterable, got int"),
        (["fine", None], r"text 1 \(counted from 0\) is None, not a str.*Fill it with \"\" or drop the row"),
        (["fine", float("nan")], r"text 1 \(counted from 0\) is nan"),
        (["fine", "fine", 3], r"text 2 \(counted from 0\) is int 3, not a str"),
        (["fine", ["nested"]], r"text 1 .* is list \['nested'\], not a str"),
        (["fine", b"caf\xe9"], r"text 1 .* is bytes that are not UTF-8 \(byte 3 is 0xe9\).*latin-1"),
        ([b"\xed\xa0\x80"], "text 0 .* is bytes that are not UTF-8"),
        (pd.Series(["fine", None]), "text 1 .* is (None|nan)"),
        (pd.Series(["fine", pd.NA], dtype=object), "text 1 .* is <NA>"),
        (pd.Series(["fine", 3], dtype=object), "text 1 .* is int 3"),
        (pd.Series([1.5, 2.5]), "text 0 .* is float 1.5"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}), r"one dimension, got DataFrame of shape \(1, 2\).*Choose one column"),
        (np.array([["a"], ["b"]]), r"one dimension, got ndarray of shape \(2, 1\)"),
        (pl.Series(["fine", None]), "text 1 .* is None"),
        (pl.Series([1, 2]), "text 0 .* is int 1"),
        (pa.array(["fine", None]), "text 1 .* is None"),
        (pa.chunked_array([["a", "b"], ["c", None]]), "text 3 .* is None"),
        (array.array("d", [1.0]), "text 0 .* is float 1.0"),
        ((text for text in ["a"] * 9000 + [None]), "text 9000 .* is None"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else value,
)
def test_what_is_no_text_is_named_with_its_place_and_nothing_is_half_fitted(texts: Any, message: str) -> None:
    counter = TermCounter()
    with pytest.raises(InvalidText, match=message):
        counter.fit(texts)
    assert not counter.__sklearn_is_fitted__()
    with pytest.raises(NotFitted):
        counter.transform(["a"])


def test_a_failed_fit_leaves_the_old_one_as_it_was() -> None:
    counter = TermCounter().fit(["old words"])
    with pytest.raises(InvalidText):
        counter.fit(["new", None])
    with pytest.raises(EmptyVocabulary):
        counter.fit(["", "!"])
    assert counter.vocabulary_ == {"old": 0, "words": 1}


def test_invalid_utf8_inside_arrow_is_refused() -> None:
    broken = pa.Array.from_buffers(pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(b"a\xc3(")])
    with pytest.raises(InvalidText, match=r"damaged column of Arrow .*Invalid UTF8 sequence at string index 1"):
        TermCounter().fit(broken)


def test_arrow_offsets_outside_the_data_are_refused() -> None:
    for offsets in ([0, 900], [-1, 1], [1, 0]):
        with pytest.raises(ValueError, match="offsets of this Arrow array do not fit"):
            _native.Texts.from_arrow(np.array(offsets, np.int32), np.zeros(1, np.uint8), b"")


@given(collections)
def test_binary_counts_are_ones(documents: list[str]) -> None:
    documents = [*documents, "a a b"]
    counts = TermCounter().fit_transform(documents)
    binary = TermCounter(binary=True).fit_transform(documents)
    assert (binary != (counts > 0)).nnz == 0
    assert TermCounter(binary=True, vocabulary=["a"]).transform(["a a"]).toarray().tolist() == [[1]]


@given(collections, st.integers(1, 3), st.integers(2, 4), st.integers(1, 8))
def test_pruning_keeps_columns_of_the_full_matrix(documents: list[str], low: int, high: int, most: int) -> None:
    documents = [*documents, "a a b c", "b c"]
    full = TermCounter()
    matrix = full.fit_transform(documents)
    pruned = TermCounter(min_documents=low, max_documents=high, max_terms=most)
    try:
        kept = pruned.fit_transform(documents)
    except TercetError:
        return
    assert kept.shape[1] <= most
    columns = [full.vocabulary_[term] for term in pruned.get_feature_names_out()]
    assert columns == sorted(columns)
    assert (kept != matrix[:, columns]).nnz == 0
    in_documents = np.asarray((kept > 0).sum(axis=0)).ravel()
    assert ((in_documents >= low) & (in_documents <= high)).all()


def test_of_equally_frequent_terms_the_first_are_kept() -> None:
    assert TermCounter(max_terms=3).fit(["d c b a a"]).get_feature_names_out().tolist() == ["a", "b", "c"]


def test_ngrams_that_survive_pruning_are_found_without_their_words() -> None:
    texts = ["new york times", "new york city", "a new york", "old york"]
    counter = TermCounter(Analyzer(word_ngrams=(1, 3)), min_documents=3, max_documents=3)
    counter.fit(texts)
    assert counter.get_feature_names_out().tolist() == ["new", "new york"]
    assert counter.transform(["york new york"]).toarray().tolist() == [[1, 1]]


def test_a_number_of_documents_is_not_a_share_of_them() -> None:
    texts = ["aa aa bb", "bb cc"]
    assert [*TermCounter(max_documents=1).fit(texts).vocabulary_] == ["aa", "cc"]
    assert [*TermCounter(min_documents=1.0).fit(texts).vocabulary_] == ["bb"]
    assert [*TermCounter(binary=True, max_terms=1).fit(["aa aa aa bb", "bb cc"]).vocabulary_] == ["bb"]


def test_options_are_checked_with_a_given_vocabulary_too() -> None:
    for options in ({"binary": "no"}, {"min_documents": -5}, {"max_terms": "x"}, {"threads": 0}):
        with pytest.raises(InvalidOption, match=next(iter(options))):
            TermCounter(vocabulary=["a"], **options).fit(["a a"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "vocabulary", "message"),
    [
        ({"char_ngrams": (3, 3)}, ["the"], "the term 'the' has no kind: this analyzer writes word:the or char:the"),
        ({"word_ngrams": None, "char_ngrams": (1, 1), "char_ngrams_over": "bytes"}, ["\\x61"], "written as 'a'"),
        ({"word_ngrams": None, "char_ngrams": (2, 2), "char_ngrams_over": "bytes"}, ["\\xc3\\xa9"], "written as 'é'"),
        ({"tokens": "bytes"}, ["\\"], "a backslash is doubled"),
    ],
)
def test_a_term_that_is_not_written_so_is_refused(options: dict[str, Any], vocabulary: list[str], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        TermCounter(Analyzer(**options), vocabulary=vocabulary).fit(["a"])


def test_an_ngram_of_a_million_tokens_has_a_name() -> None:
    term = "a " * 1_000_000 + "a"
    counter = TermCounter(vocabulary=[term]).fit(["a"])
    assert counter.get_feature_names_out().tolist() == [term]


def test_too_many_threads_are_refused() -> None:
    with pytest.raises(InvalidOption, match="threads must be an int from 1 to 1024, got 100000"):
        TermCounter(threads=100_000).fit(["a"])


def test_a_series_as_vocabulary_brings_no_parameters() -> None:
    counter = TermCounter(vocabulary=pd.Series(["fox", "the"]))  # type: ignore[arg-type]
    assert "vocabulary__0" not in counter.get_params()
    assert counter.transform(["the fox"]).toarray().tolist() == [[1, 1]]


def test_an_unfitted_counter_follows_its_parameters() -> None:
    counter = TermCounter(vocabulary=["a"])
    assert counter.transform(["a b"]).toarray().tolist() == [[1]]
    counter.set_params(vocabulary=["b", "c"])
    assert counter.transform(["a b"]).toarray().tolist() == [[1, 0]]


def test_inverse_transform_refuses_other_columns() -> None:
    with pytest.raises(ValueError, match="X has 3 features, but TermCounter is expecting 2"):
        TermCounter().fit(["a b"]).inverse_transform(np.ones((1, 3)))


def test_the_kernel_refuses_what_makes_no_sense() -> None:
    recipe = make_recipe(Analyzer())
    counter = _native.MatrixCounter(recipe, 0)
    counter.add(_native.Texts(["a"]))
    counter.finish()
    assert len(counter.matrix()[0]) == 1
    with pytest.raises(RuntimeError, match="write the matrix once"):
        counter.matrix()
    with pytest.raises(ValueError, match="more than a million labels"):
        _native.TableCounter(recipe, 2**62)
    with pytest.raises(TypeError):
        _native.TableCounter(recipe, 2).add(_native.Texts(["a"]), np.array([0.9]))  # type: ignore[arg-type]


def test_numbers_of_numpy_are_numbers() -> None:
    counter = TermCounter(binary=np.True_, max_terms=np.int64(1), max_documents=np.float32(0.5))  # type: ignore[arg-type]
    assert [*counter.fit(["aa bb", "aa cc"]).vocabulary_] == ["bb"]
    assert Analyzer(word_ngrams=(np.int64(1), np.int64(2))) == Analyzer(word_ngrams=(1, 2))  # type: ignore[arg-type]


@pytest.mark.parametrize("vocabulary", [["fox", "the"], ("fox", "the"), {"the", "fox"}, {"fox": 0, "the": 1}])
def test_a_vocabulary_may_be_given(vocabulary: Any) -> None:
    counter = TermCounter(vocabulary=vocabulary)
    assert counter.transform(TEXTS).toarray().tolist() == [[1, 2], [0, 0], [1, 0], [0, 0]]
    assert counter.fit(TEXTS).vocabulary_ == {"fox": 0, "the": 1}


def test_a_given_vocabulary_keeps_its_own_order() -> None:
    counter = TermCounter(Analyzer(word_ngrams=(1, 2)), vocabulary={"the": 1, "the hen": 0, "never seen at all": 2})
    assert counter.fit_transform(["the hen, the fox"]).toarray().tolist() == [[1, 2, 0]]


@pytest.mark.parametrize(
    ("vocabulary", "message"),
    [
        ([], "empty vocabulary passed to fit"),
        (["a", "b", "a"], "duplicate term 'a'"),
        ({"a": 0, "b": 2}, "the columns 0 to 1, each once"),
        ({"a": 0, "b": 0}, "the columns 0 to 1, each once"),
        (["a", 3], "must hold str, got 3 at 1"),
        ({"a", 3}, "must hold str, got 3"),
        ({"a": "x", "b": 0}, "the columns 0 to 1, each once"),
        ("letters", "vocabulary must be a list, a set or a mapping of terms, got 'letters'"),
        (3, "vocabulary must be a list, a set or a mapping of terms, got 3"),
    ],
)
def test_a_bad_vocabulary_is_refused(vocabulary: Any, message: str) -> None:
    with pytest.raises(TercetError, match=message):
        TermCounter(vocabulary=vocabulary).fit(["a b"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_documents": -1}, "min_documents must be an int >= 0 or a float from 0.0 to 1.0, got -1"),
        ({"max_documents": 1.5}, "max_documents must be .* got 1.5"),
        ({"min_documents": True}, "min_documents must be .* got True"),
        ({"max_documents": float("nan")}, "max_documents must be .* got nan"),
        ({"max_terms": 0}, "max_terms must be an int >= 1, got 0"),
        ({"binary": "yes"}, "binary must be True or False, got 'yes'"),
        ({"threads": 0}, "threads must be an int >= 1, got 0"),
        ({"analyzer": "wrods"}, "preset must be one of"),
        ({"analyzer": 3}, "analyzer must be an Analyzer or the name of a preset, got 3"),
        ({"min_documents": 2, "max_documents": 1}, "max_documents=1 means fewer documents than min_documents=2"),
        ({"min_documents": 5}, "max_documents=1.0 means fewer documents than min_documents=5"),
    ],
)
def test_a_bad_option_is_refused_at_fit(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        TermCounter(**options).fit(["a b", "b"])


def test_no_terms_left_is_an_error_that_says_what_to_try() -> None:
    with pytest.raises(EmptyVocabulary, match=r"empty vocabulary; perhaps the 2 documents"):
        TermCounter().fit(["", "!?"])
    with pytest.raises(EmptyVocabulary, match=r"after pruning, no terms remain of 2.*lower min_documents"):
        TermCounter(min_documents=2).fit(["a", "b"])
    with pytest.raises(EmptyVocabulary, match="the 0 documents"):
        TermCounter().fit([])


def test_no_documents_give_a_matrix_without_rows() -> None:
    counter = TermCounter().fit(["a b"])
    empty: Iterator[str] = iter(())
    assert counter.transform([]).shape == counter.transform(empty).shape == (0, 2)


def test_inverse_transform_gives_the_terms_back() -> None:
    counter = TermCounter()
    matrix = counter.fit_transform(["b a", "", "c a a"])
    for rows in (matrix, matrix.toarray(), matrix.tocoo()):
        assert [terms.tolist() for terms in counter.inverse_transform(rows)] == [["a", "b"], [], ["a", "c"]]


def test_inverse_transform_leaves_its_argument_as_it_was() -> None:
    counter = TermCounter().fit(["a b"])
    matrix = csr_matrix((np.array([0, 1]), np.array([1, 0]), np.array([0, 2])), shape=(1, 2))
    assert [terms.tolist() for terms in counter.inverse_transform(matrix)] == [["a"]]
    assert matrix.indices.tolist() == [1, 0]
    assert counter.inverse_transform(matrix[:0]) == []


def test_upper_case_in_a_vocabulary_that_is_never_met_is_warned_of() -> None:
    with pytest.warns(UserWarning, match="Upper case characters found in vocabulary \\('Fox'\\)"):
        TermCounter(vocabulary=["Fox", "the"]).fit(TEXTS)


def test_a_fitted_counter_survives_pickling_even_after_a_changed_parameter() -> None:
    counter = TermCounter(Analyzer(word_ngrams=(1, 2))).fit(["the hen", "the fox"])
    counter.set_params(analyzer__word_ngrams=(1, 1))
    again = pickle.loads(pickle.dumps(counter))
    assert again.vocabulary_ == counter.vocabulary_
    assert (
        again.transform(["the hen"]).toarray().tolist()
        == counter.transform(["the hen"]).toarray().tolist()
        == [[0, 1, 1, 0, 1]]
    )


def test_threads_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERCET_THREADS", "2")
    assert TermCounter().fit_transform(["a", "b"]).shape == (2, 2)
    monkeypatch.setenv("TERCET_THREADS", "many")
    with pytest.raises(InvalidOption, match="TERCET_THREADS must be an int >= 1, got 'many'"):
        TermCounter().fit(["a"])


def test_a_text_of_ten_megabytes_is_counted() -> None:
    matrix = TermCounter(Analyzer(word_ngrams=(1, 2))).fit_transform(["to be or not " * 800_000, "x" * 10_000_000])
    assert matrix.sum() == 2 * 4 * 800_000 - 1 + 1
