"""scikit-learn's own tests of CountVectorizer, run on TermCounter.

The cases are called where scikit-learn installed them, with `StandIn` in the place of CountVectorizer. Each is in one of
three lists: RUN, OUT_OF_SCOPE (it needs what TermCounter does not have; it is run up to there) and LEFT_OUT.
"""

import inspect
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any, Self

import numpy as np
import pytest
from helpers.sklearn_cases import Case, NotOffered, cases_in, check_lists, list_arguments, make_run, share_left_out
from sklearn.feature_extraction.tests import test_text as suite
from sklearn.feature_extraction.text import CountVectorizer

from tercet import Analyzer, TermCounter

# A name stands for all cases of a test, or with [its arguments] for one.
RUN = [
    "test_word_analyzer_unigrams_and_bigrams",
    "test_char_ngram_analyzer",
    "test_char_wb_ngram_analyzer",
    "test_word_ngram_analyzer",
    "test_countvectorizer_custom_vocabulary",
    "test_countvectorizer_custom_vocabulary_pipeline",
    "test_countvectorizer_custom_vocabulary_repeated_indices",
    "test_countvectorizer_custom_vocabulary_gap_index",
    "test_fit_countvectorizer_twice",
    "test_feature_names",
    "test_vectorizer_max_features",
    "test_count_vectorizer_max_features",
    "test_vectorizer_max_df",
    "test_vectorizer_min_df",
    "test_count_binary_occurrences",
    "test_vectorizer_inverse_transform",
    "test_count_vectorizer_pipeline_grid_selection",
    "test_vectorizer_unicode",
    "test_pickling_built_processors[build_analyzer]",
    "test_countvectorizer_vocab_sets_when_pickling",
    "test_countvectorizer_vocab_dicts_when_pickling",
    "test_pickling_transformer",
    "test_transformer_idf_setter",
    "test_non_unique_vocab",
    "test_vectorizer_string_object_as_input",
    "test_vectorizers_invalid_ngram_range",
    "test_n_features_in",
    "test_tie_breaking_sample_order_invariance",
    "test_countvectorizer_uppercase_in_vocab",
]

# The reason is the first thing a case asks for that TermCounter does not have: there it must stop, and not before.
OUT_OF_SCOPE = {
    "test_word_analyzer_unigrams": "strip_accents='ascii'",  # then a callable preprocessor and tokenizer
    "test_unicode_decode_error": "encoding",
    "test_countvectorizer_stop_words": "stop_words",
    "test_countvectorizer_empty_vocabulary": "stop_words",
    "test_countvectorizer_custom_token_pattern": "token_pattern",
    "test_countvectorizer_custom_token_pattern_with_several_group": "token_pattern",
    "test_vectorizer": "strip_accents='ascii'",  # then build_preprocessor
    "test_pickling_vectorizer": "preprocessor",
    "test_pickling_built_processors[build_preprocessor]": "build_preprocessor",
    "test_pickling_built_processors[build_tokenizer]": "build_tokenizer",
    "test_vectorizer_stop_words_inconsistent": "stop_words",
    "test_countvectorizer_sort_features_64bit_sparse_indices": "_sort_features",  # a private method
    "test_stop_word_validation_custom_preprocessor": "stop_words",
    "test_callable_analyzer_error": "a callable analyzer",
    "test_callable_analyzer_change_behavior": "a callable analyzer",
    "test_callable_analyzer_reraise_error": "a callable analyzer",
    "test_unused_parameters_warn": "stop_words",  # then a callable tokenizer, preprocessor and analyzer, token_pattern
}

LEFT_OUT = {
    "test_vectorizers_do_not_have_set_output": "TermCounter has set_output, so that a pipeline may set that of other steps",
}

# The errors and warnings are the same, their words are not: a piece of scikit-learn's message → what ours must say.
WORDING = {
    "repeated indices": "two terms would share a column",
    "doesn't contain index": "a column would have no term",
    "string object received": "must be a list of str or another iterable, got a single str",
    "ngram_range": r"must be \(low, high\) with 1 <= low <= high, got \(2, 1\)",
    "Upper case characters": "Upper case characters found in vocabulary .* such columns stay empty",
}

NO_WORDS: dict[str, Any] = {"word_ngrams": None}
OPTIONS: dict[str, Any] = {
    "input": "content",
    "strip_accents": None,
    "lowercase": True,
    "ngram_range": (1, 1),
    "analyzer": "word",
    "max_df": 1.0,
    "min_df": 1,
    "max_features": None,
    "vocabulary": None,
    "binary": False,
    "dtype": np.int64,
}


class StandIn(TermCounter):
    """TermCounter with the parameters of CountVectorizer."""

    min_documents = property(attrgetter("min_df"))
    max_documents = property(attrgetter("max_df"))
    max_terms = property(attrgetter("max_features"))
    fixed_vocabulary_ = property(lambda self: self.vocabulary is not None)
    threads = None
    __repr__ = object.__repr__

    def __init__(self, **options: Any) -> None:
        self.set_params(**OPTIONS | options)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: vars(self)[name] for name in OPTIONS}

    def set_params(self, **options: Any) -> Self:
        for name, value in options.items():
            if name not in OPTIONS or (name, value) == ("strip_accents", "ascii"):
                raise NotOffered(f"{name}={value!r}")
            if name == "analyzer" and callable(value):
                raise NotOffered("a callable analyzer")
            vars(self)[name] = value
        return self

    @property
    def analyzer(self) -> Analyzer:
        lengths = self.ngram_range
        ngrams = {
            "word": {"word_ngrams": lengths},
            "char": NO_WORDS | {"char_ngrams": lengths},
            "char_wb": NO_WORDS | {"char_ngrams": lengths, "char_ngrams_over": "words"},
        }[vars(self)["analyzer"]]
        marks = {"strip_marks": True, "unicode_form": "nfkc"} if self.strip_accents else {}
        return Analyzer.preset("sklearn", lowercase=self.lowercase, **ngrams, **marks)

    def build_analyzer(self) -> Callable[[Any], list[str]]:
        terms = self.analyzer.terms
        return (lambda file: terms(file.read())) if self.input == "file" else terms

    def fit_transform(self, texts: Any, y: object = None) -> Any:
        return super().fit_transform(texts).astype(self.dtype)


def list_cases() -> Iterator[Case]:
    """The cases that use CountVectorizer; of a test over many vectorizers those with CountVectorizer among its arguments."""
    for name, test in vars(suite).items():
        if name.startswith("test_") and "CountVectorizer" in inspect.getsource(test):
            cases = [Case(test, arguments) for arguments in list_arguments(test)]
            ours = [case for case in cases if any(map(is_theirs, case.arguments.values()))]
            yield from ours or cases


def is_theirs(value: Any) -> bool:
    """Whether it is CountVectorizer, one of it or a method of it; TfidfVectorizer, its child, is not."""
    return value is CountVectorizer or type(value) is CountVectorizer or is_method(value)


def is_method(value: Any) -> bool:
    return inspect.isfunction(value) and getattr(CountVectorizer, value.__name__, None) is value


def replace_theirs(value: Any) -> Any:
    if value is CountVectorizer:
        return StandIn
    if type(value) is CountVectorizer:
        defaults = CountVectorizer().get_params()
        return StandIn(**{name: v for name, v in value.get_params().items() if v != defaults[name]})
    return getattr(StandIn, value.__name__) if is_method(value) else value


run = make_run(suite, {"CountVectorizer": StandIn}, replace_theirs, WORDING)
CASES = list(list_cases())


@cases_in(CASES, RUN)
def test_case_of_scikit_learn_holds(case: Case, run: Callable[[Case], None]) -> None:
    run(case)


@cases_in(CASES, OUT_OF_SCOPE)
def test_case_out_of_scope_holds_up_to_what_is_not_offered(case: Case, run: Callable[[Case], None]) -> None:
    with pytest.raises((NotOffered, AttributeError), match=case.reason(OUT_OF_SCOPE)):
        run(case)


@cases_in(CASES, LEFT_OUT)
def test_case_left_out_does_not_hold(case: Case, run: Callable[[Case], None]) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):  # if it does one day, move it to RUN
        run(case)


def test_every_case_of_scikit_learn_is_in_one_list() -> None:
    check_lists(CASES, RUN, OUT_OF_SCOPE, LEFT_OUT)


def test_at_most_one_case_in_ten_is_left_out() -> None:
    assert share_left_out(CASES, RUN, LEFT_OUT) <= 0.1
