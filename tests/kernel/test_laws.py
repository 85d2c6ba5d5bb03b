"""Laws 1, 5 and 8 of the design, on any text that can be invented."""

from typing import Any

import numpy as np
from helpers.invented_texts import TOKENS, collections, normalize, recipes, texts
from helpers.labelled_documents import some
from hypothesis import given
from hypothesis import strategies as st

from tercet.kernel import _native, reference


def count(kernel: Any, options: dict[str, Any], documents: list[str], threads: int = 1) -> tuple[list[str], list[list[int]]]:
    """The terms, and the three arrays of the matrix."""
    counter = kernel.MatrixCounter(kernel.Recipe(**options), threads)
    counter.add(kernel.Texts(documents))
    counter.finish()
    arrays = [array.tolist() for array in counter.matrix()]
    return counter.vocabulary().terms(), arrays


@given(recipes(), texts)
def test_native_finds_the_tokens_of_the_reference(options: dict[str, Any], text: str) -> None:
    assert _native.Recipe(**options).list_tokens(text) == reference.Recipe(**options).list_tokens(text)


@given(recipes(), texts)
def test_native_finds_the_terms_of_the_reference(options: dict[str, Any], text: str) -> None:
    assert _native.Recipe(**options).list_terms(text) == reference.Recipe(**options).list_terms(text)


clauses = st.lists(
    st.sampled_from([*" -/'’_`|,…€é", " not ", "don't", " good", "goodness", " a", "\n\n", "👍", "हिन"]), max_size=10
)
entries = st.lists(
    st.sampled_from(["good", "go*", "good*", "goodness", "a go*", "not good*", "é*", "don't*", "-*", "हि*"]), max_size=4
)


@given(clauses.map("".join), st.sampled_from([kind for kind in TOKENS if kind != "bytes"]), entries, entries)
def test_native_ends_negations_and_finds_prefixes_as_the_reference(text: str, kind: str, a: list[str], b: list[str]) -> None:
    names = [f"{negated}LEX:{name}" for negated in ("", "NOT_") for name in "ab"]
    options: dict[str, Any] = {"tokens": kind, "negation": ["not", "n't"], "lexicon": [a, b], "features": names}
    assert _native.Recipe(**options).list_terms(text) == reference.Recipe(**options).list_terms(text)


@given(recipes(), collections)
def test_native_counts_what_the_reference_counts(options: dict[str, Any], documents: list[str]) -> None:
    assert count(_native, options, documents) == count(reference, options, documents)


@given(recipes(), collections, collections)
@some(0.5)
def test_a_vocabulary_read_back_counts_as_before(options: dict[str, Any], known: list[str], others: list[str]) -> None:
    terms, _ = count(_native, options, known)
    rows = [
        [array.tolist() for array in kernel.Vocabulary(kernel.Recipe(**options), terms).count(kernel.Texts(others))]
        for kernel in (_native, reference)
    ]
    assert rows[0] == rows[1]
    assert _native.Vocabulary(_native.Recipe(**options), terms).terms() == terms


@given(recipes(), collections, st.data())
@some(0.5)
def test_selected_terms_are_counted_alike(options: dict[str, Any], documents: list[str], data: st.DataObject) -> None:
    results = []
    terms, _ = count(_native, options, documents)
    chosen = np.array([i for i in range(len(terms)) if data.draw(st.booleans())], np.int64)
    for kernel in (_native, reference):
        counter: Any = kernel.MatrixCounter(kernel.Recipe(**options))
        counter.add(kernel.Texts(documents))
        counter.finish()
        sums = [array.tolist() for array in counter.sum_columns()]
        counter.select(chosen)
        matrix = [array.tolist() for array in counter.matrix()]
        vocabulary = counter.vocabulary()
        again = [array.tolist() for array in vocabulary.count(kernel.Texts(documents))]
        assert again == matrix
        results.append((sums, matrix, vocabulary.terms()))
    assert results[0] == results[1]


@given(recipes(), collections)
def test_each_document_is_counted_as_if_it_were_alone(options: dict[str, Any], documents: list[str]) -> None:
    terms, _ = count(_native, options, [*documents, "the hen 你好 é"])
    vocabulary = _native.Vocabulary(_native.Recipe(**options), terms)
    data, columns, ends = vocabulary.count(_native.Texts(documents))
    for i, document in enumerate(documents):
        alone = vocabulary.count(_native.Texts([document]))
        row = slice(ends[i], ends[i + 1])  # type: ignore[index]
        assert alone[0].tolist() == data[row].tolist()
        assert alone[1].tolist() == columns[row].tolist()  # type: ignore[index, attr-defined]


@given(recipes(), texts)
def test_the_span_of_a_token_is_its_source(options: dict[str, Any], text: str) -> None:
    def one_sigma(raw: bytes) -> bytes:
        return raw.replace("ς".encode(), "σ".encode())  # which sigma it is depends on what stands behind the source

    # These write what the source does not have.
    options |= {"find_forms": None, "negation": None, "header_fields": False, "columns": []}
    for token, start, end in _native.Recipe(**options).list_tokens(text):
        assert 0 <= start < end <= len(text)
        if options["tokens"] == "treebank" and token in ("``", "''"):
            continue  # a straight quote: test_treebank has its source
        raw = token.encode("utf-8", "surrogatepass")
        if options["tokens"] == "bytes":
            raw = token.encode("latin-1").decode("unicode_escape").encode("latin-1")
            assert raw in normalize(text[start:end], options) + "ς".encode()
        else:
            assert one_sigma(raw) in one_sigma(normalize(text[start:end], options))


@given(texts)
def test_the_source_of_a_plain_token_is_the_token(text: str) -> None:
    for kind in ("words", "words_and_marks", "regex_words", "whitespace", "characters"):
        options = {"form": "none", "lowercase": False, "strip_marks": False, "tokens": kind, "min_token_length": 1}
        recipe = _native.Recipe(**options, word_ngrams=[(1, 1)], char_ngrams=[], char_ngrams_over="text")
        assert all(text[start:end] == token for token, start, end in recipe.list_tokens(text))


def test_spans_survive_every_normalisation() -> None:
    options = {"lowercase": True, "strip_marks": True, "form": "nfkc", "tokens": "words", "min_token_length": 1}
    recipe = _native.Recipe(**options, word_ngrams=[(1, 1)], char_ngrams=[], char_ngrams_over="text")
    text = "E\u0301tude ﬁn İstanbul ½"
    assert [(token, text[start:end]) for token, start, end in recipe.list_tokens(text)] == [
        ("etude", "E\u0301tude"),
        ("fin", "ﬁn"),
        ("istanbul", "İstanbul"),
        ("1", "½"),
        ("2", "½"),
    ]


def test_the_number_of_threads_changes_nothing() -> None:
    rng = np.random.default_rng(0)
    words = [f"{'wörd'[: 1 + i % 4]}{i}" for i in range(3000)]
    documents = [" ".join(rng.choice(words, 300)) for _ in range(400)]  # enough for many ranges of documents
    options = {"form": "nfc", "lowercase": True, "strip_marks": False, "tokens": "words", "min_token_length": 1}
    options |= {"word_ngrams": [(1, 3)], "char_ngrams": [(2, 3)], "char_ngrams_over": "words"}
    one = count(_native, options, documents, threads=1)
    assert count(_native, options, documents, threads=2) == one
    assert count(_native, options, documents, threads=7) == one
