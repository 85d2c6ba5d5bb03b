"""The recipe as users see it."""

import copy
import json
import pickle
import re

import pytest
from helpers.invented_texts import is_agreed, texts
from hypothesis import given

import tercet
from tercet import Analyzer
from tercet.errors import InvalidOption, InvalidText


def words(text: str, **options: object) -> list[str]:
    return [token.text for token in Analyzer(**options).tokens(text)]  # type: ignore[arg-type]


def test_marks_stay_inside_words_of_indic_scripts() -> None:
    assert words("हिन्दी में नमस्ते") == ["हिन्दी", "में", "नमस्ते"]
    assert words("நீர் தமிழ்") == ["நீர்", "தமிழ்"]


def test_zero_width_joiners_stay_inside_persian_words() -> None:
    assert words("می\u200cخواهم رفت") == ["می\u200cخواهم", "رفت"]


@pytest.mark.parametrize("text", ["你好吗", "ภาษา", "ພາສາ", "မစတ", "テスト", "ខមរ"])
def test_scripts_without_spaces_fall_to_characters_and_pairs(text: str) -> None:
    terms = Analyzer().terms(text)
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    assert sorted(terms) == sorted([*text, *pairs])


def test_no_word_ngram_goes_through_a_run_without_spaces() -> None:
    assert Analyzer(word_ngrams=(2, 2)).terms("buy iPhone手机 right now") == ["buy iphone", "right now"]


def test_marks_are_tokens_of_their_own_when_asked() -> None:
    assert words("Didn't like it, 5€!", tokens="words_and_marks") == ["didn't", "like", "it", ",", "5", "€", "!"]


def test_the_variation_selector_belongs_to_its_heart() -> None:
    assert words("I ❤️ NY", tokens="words_and_marks") == ["i", "❤️", "ny"]


def test_accents_go_and_letters_stay() -> None:
    assert words("México Ångström 한국 ñandú", strip_marks=True) == ["mexico", "angstrom", "한국", "nandu"]


def test_both_spellings_of_an_accent_are_one_word() -> None:
    assert words("café cafe\u0301") == ["café", "café"]
    assert words("café cafe\u0301", unicode_form="none") == ["café", "cafe\u0301"]


def test_the_last_sigma_of_a_word_is_found() -> None:
    assert words("ΟΔΥΣΣΕΥΣ ΣΑΣ") == ["οδυσσευς", "σας"]


def test_short_tokens_are_dropped_before_ngrams_are_formed() -> None:
    assert Analyzer(min_token_length=2, word_ngrams=(2, 2)).terms("state of a nation") == ["state of", "of nation"]


def test_padded_characters_stay_inside_words() -> None:
    analyzer = Analyzer(word_ngrams=None, char_ngrams=(3, 3), char_ngrams_over="words")
    assert analyzer.terms("to  be") == [" to", "to ", " be", "be "]


def test_two_kinds_of_terms_never_meet() -> None:
    terms = Analyzer(char_ngrams=(3, 3)).terms("the")
    assert terms == ["word:the", "char:the"]


def test_broken_bytes_have_a_spelling_that_can_be_read_back() -> None:
    analyzer = Analyzer(word_ngrams=None, char_ngrams=(1, 1), char_ngrams_over="bytes")
    assert analyzer.terms("é\\") == ["\\xc3", "\\xa9", "\\\\"]
    counter = tercet.TermCounter(analyzer, vocabulary=["\\\\", "\\xa9"])
    assert counter.transform(["é\\ \\"]).toarray().tolist() == [[2, 1]]


def test_terms_have_the_places_of_all_their_tokens() -> None:
    text = "So bitter it is"
    located = Analyzer(word_ngrams=(3, 3)).located_terms(text)
    assert [(term, [text[a:b] for a, b in spans]) for term, spans in located] == [
        ("so bitter it", ["So", "bitter", "it"]),
        ("bitter it is", ["bitter", "it", "is"]),
    ]


@given(texts)
def test_the_sklearn_preset_finds_what_its_regular_expression_finds(text: str) -> None:
    assert all(map(is_agreed, text))
    assert Analyzer.preset("sklearn").terms(text) == re.findall(r"(?u)\b\w\w+\b", text.lower())


@given(texts)
def test_whitespace_tokens_are_those_of_str_split(text: str) -> None:
    assert Analyzer.preset("whitespace").terms(text) == text.split()


def test_a_recipe_is_a_value() -> None:
    analyzer = Analyzer(tokens="whitespace", word_ngrams=(1, 2))
    assert Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict()))) == analyzer
    assert hash(analyzer) == hash(Analyzer.from_dict(analyzer.to_dict()))
    assert analyzer != analyzer.replace(lowercase=False)
    assert pickle.loads(pickle.dumps(analyzer)) == copy.deepcopy(analyzer) == analyzer
    assert eval(repr(analyzer)) == analyzer
    with pytest.raises(AttributeError):
        analyzer.lowercase = False  # type: ignore[misc]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tokens": "word"},
            "tokens must be one of words, words_and_marks, regex_words, tweet_words, treebank, whitespace, characters, bytes",
        ),
        ({"lowercase": 1}, "lowercase must be True or False, got 1"),
        ({"unicode_form": "NFD"}, "unicode_form must be one of none, nfc, nfkc, nfd, got 'NFD'"),
        ({"min_token_length": 0}, "min_token_length must be an int >= 1, got 0"),
        ({"min_token_length": True}, "min_token_length must be an int >= 1, got True"),
        ({"word_ngrams": 2}, "word_ngrams must be None or (low, high), got 2"),
        ({"word_ngrams": (2, 1)}, "word_ngrams must be (low, high) with 1 <= low <= high, got (2, 1)"),
        ({"char_ngrams": (0, 1)}, "char_ngrams must be (low, high) with 1 <= low <= high, got (0, 1)"),
        ({"char_ngrams": (1.0, 2)}, "char_ngrams must be None or (low, high), got (1.0, 2)"),
        ({"tokens": "bytes", "min_token_length": 2}, "min_token_length must be 1 with tokens='bytes', got 2"),
        ({"tokens": "bytes", "header_fields": True}, "header_fields=True needs words, and tokens='bytes' has none"),
        ({"min_token_length": 2**31}, "min_token_length must be an int from 1 to 2147483647"),
        ({"word_ngrams": None}, "word_ngrams, skip_grams, char_ngrams, lexicon, patterns, tag_terms are all None"),
    ],
)
def test_a_bad_option_is_named_with_what_it_got(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidOption, match=re.escape(message)):
        Analyzer(**options)  # type: ignore[arg-type]


def test_unknown_names_are_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"no option ngrams: it has neutral, html, .*word_ngrams"):
        Analyzer.from_dict({"ngrams": (1, 2)})
    with pytest.raises(InvalidOption, match=r"preset must be one of words, .*sklearn, .*, got 'word'"):
        Analyzer.preset("word")


@pytest.mark.parametrize("text", [None, b"bytes", ["a list"], 3])
def test_only_a_str_is_a_text(text: object) -> None:
    with pytest.raises(InvalidText, match="a text must be a str"):
        Analyzer().terms(text)  # type: ignore[arg-type]
