"""Tokens of the Penn Treebank, against NLTK's on each sentence."""

from typing import Any

import pytest
from helpers.invented_texts import UNAGREED, is_agreed, texts
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from tercet import Analyzer, TermCounter
from tercet.kernel import _native, reference

PLAIN: dict[str, Any] = {
    "form": "none",
    "lowercase": False,
    "strip_marks": False,
    "tokens": "treebank",
    "min_token_length": 1,
    "word_ngrams": [(1, 1)],
    "char_ngrams": [],
    "char_ngrams_over": "text",
}
FRAGMENTS = [
    *('"', "'", "''", "``", "`", ".", "..", "...", "--", "-", ",", ":", ";", "?", "!", "$", "%", "&", "@", "#", "_"),
    *("(", ")", "[", "]", "{", "}", "<", ">", " ", " ", " ", "\n", "\t", "\x1c", "\xa0", "\u2009", "\x00", "\ud800"),
    *("a", "n", "t", "d", "D", "x", "He", "The", "5", "3.14", "1,000", "٣", "𝟗", "é", "ß", "ΟΔΟΣ", "\u0301", "你好。", "”"),
    *("'s", "'S", "'m", "'d", "'ll", "'LL", "'Ll", "'re", "'ve", "'VE", "n't", "N'T", "N't", "s'", "’s", "o'clock"),
    *("cannot", "CANNOT", "gimme", "gonna", "Gotta", "lemme", "wanna", "d'ye", "D'YE", "more'n", "'tis", "'Twas", "'tis'"),
    *("gımme", "GİMME", "'tıs", "'twaſ", "cann", "annon", "don't", "Mr", "U.S"),
]
quoted = st.lists(st.sampled_from(FRAGMENTS), max_size=20).map("".join)
# NLTK's engine may know digits that are newer than the kernel's Unicode.
basic = st.characters(codec=None, categories=None, max_codepoint=0xFFFF, exclude_characters=UNAGREED)
others = st.lists(st.sampled_from(FRAGMENTS) | st.text(basic, max_size=4), max_size=12)


def nltk_tokens(text: str) -> list[str]:
    tokenizer = TreebankWordTokenizer()
    return [token for a, b in reference.split_sentences(text) for token in tokenizer.tokenize(text[a:b])]


def found(text: str, **options: Any) -> list[str]:
    return [token for token, _, _ in _native.Recipe(**PLAIN | options).list_tokens(text)]


@given(quoted | others.map("".join))
def test_tokens_are_those_of_nltk_in_each_sentence(text: str) -> None:
    assert found(text) == nltk_tokens(text)


@given(quoted)
def test_lower_casing_comes_after_and_changes_no_token_else(text: str) -> None:
    assert found(text, lowercase=True) == [token.lower() for token in nltk_tokens(text)]


@given(quoted | texts, st.sampled_from(["none", "nfc", "nfkc"]), st.booleans(), st.booleans(), st.integers(1, 3))
def test_native_finds_the_tokens_of_the_reference(text: str, form: str, lowercase: bool, strip_marks: bool, least: int) -> None:
    options = PLAIN | {"form": form, "lowercase": lowercase, "strip_marks": strip_marks, "min_token_length": least}
    assert _native.Recipe(**options).list_tokens(text) == reference.Recipe(**options).list_tokens(text)


@given(quoted)
def test_a_token_has_the_place_it_came_from(text: str) -> None:
    last = 0
    for token, start, end in _native.Recipe(**PLAIN).list_tokens(text):
        assert last <= start < end
        assert text[start:end] == token or (token in ("``", "''") and text[start:end] in ('"', "''"))
        last = end


@given(quoted)
def test_tokens_hold_every_character_that_is_not_white(text: str) -> None:
    spans = [(start, end) for _, start, end in _native.Recipe(**PLAIN).list_tokens(text)]
    assert "".join(text[start:end] for start, end in spans) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They'll save more.", "They 'll save more ."),
        ("I can't. Don't you?", "I ca n't . Do n't you ?"),
        ('He said, "Go (now)."', "He said , `` Go ( now ) . ''"),
        ("The U.S. Army paid $3.88, i.e. 10%.", "The U.S. Army paid $ 3.88 , i.e. 10 % ."),
        ("the dogs' bowl isn't Tom's", "the dogs ' bowl is n't Tom 's"),
        ("We cannot go -- 'tis late...", "We can not go -- 't is late ..."),
        ("gonna, wanna go", "gon na , wan na go"),
        ("1,000 men, at 5:30: done", "1,000 men , at 5:30 : done"),
        ("a,,b ::", "a , ,b : :"),
        ("it's\nhers", "it's hers"),
        ("x's' y, x's'll y", "x 's ' y , x's 'll y"),
        ("'tis'twas'tis", "'t is 't was 'tis"),
        ('""Go', "`` `` Go"),
        ("gonnan't be", "gon na n't be"),
    ],
)
def test_the_traps_of_the_rules_are_met(text: str, expected: str) -> None:
    assert found(text) == expected.split() == nltk_tokens(text)


def test_a_stop_is_parted_from_the_last_word_of_each_sentence_alone() -> None:
    analyzer = Analyzer(tokens="treebank")
    assert analyzer.terms("Mr. X left. He ran.") == ["mr.", "x", "left", ".", "he", "ran", "."]


def test_short_tokens_are_left_out_by_characters() -> None:
    assert found("Él is n't é, ok.", min_token_length=2) == ["Él", "is", "n't", "ok"]


def test_character_ngrams_are_of_the_text_without_gaps() -> None:
    analyzer = Analyzer(tokens="treebank", char_ngrams=(3, 3), lowercase=False)
    assert analyzer.terms('"No"') == ["word:``", "word:No", "word:''", 'char:"No', 'char:No"']
    assert analyzer.replace(word_ngrams=None).terms('"No"') == ['"No', 'No"']


def test_what_is_listed_is_what_is_counted() -> None:
    text = "He said \"I don't.\" Then he left, 'tis true."
    analyzer = Analyzer(tokens="treebank", word_ngrams=(1, 2), char_ngrams=(2, 2))
    counter = TermCounter(analyzer)
    counts = counter.fit_transform([text, text])
    terms = analyzer.terms(text)
    assert dict(zip(counter.get_feature_names_out(), counts.toarray()[1], strict=True)) == {t: terms.count(t) for t in terms}


@pytest.mark.parametrize(
    "piece", ['"', "'", ".", "`", "-", ",", "(", "x'", "' ", ". ", "'tis", "n't ", "。", "\n", "A. ", ". -"]
)
def test_a_long_run_is_split_in_linear_time(piece: str) -> None:
    # A quadratic rule would take minutes.
    text = piece * (1_000_000 // len(piece))
    assert sum(end - start for start, end in _native.split_sentences(text)) <= len(text)
    counter = _native.MatrixCounter(_native.Recipe(**PLAIN))
    counter.add(_native.Texts([text]))
    counter.finish()


def test_a_comma_holds_on_to_the_digits_of_every_script() -> None:
    known = [c for c in map(chr, range(0x20, 0x20000)) if is_agreed(c) and not c.isspace()]
    held = [token[1:] for token in found("\n\n".join(f"x ,{c}" for c in known)) if token[0] == "," and token[1:]]
    assert held == [c for c in known if c.isdecimal()]
