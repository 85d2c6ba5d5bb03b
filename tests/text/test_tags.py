"""Parts of speech: figures, the glossaries, and words that no tagger expects."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.errors import InvalidOption, InvalidText, MissingExtra
from tercet.text.tags import (
    PENN_TAGS,
    UNIVERSAL_TAGS,
    load_tagger,
    make_span_tagger,
    require_tagger,
    tag_words,
    to_penn,
    to_universal,
)

words = st.text(st.characters(exclude_categories=[]), min_size=1, max_size=12)


def universal(sentence: str, language: str = "en") -> list[str]:
    split = sentence.split()
    return [to_universal(tag, word, language) for tag, word in zip(tag_words([split], language)[0], split, strict=True)]


def test_the_first_run() -> None:
    assert universal("The very first run was unsuccessful .") == ["DET", "ADV", "ADJ", "NOUN", "AUX", "ADJ", "PUNCT"]


def test_an_analyzer_tells_each_token_its_tag_and_the_meaning() -> None:
    assert Analyzer().tags("She didn't give up.") == [
        ("She", "PRP", PENN_TAGS["PRP"]),
        ("did", "VBD", PENN_TAGS["VBD"]),
        ("n't", "RB", PENN_TAGS["RB"]),
        ("give", "VB", PENN_TAGS["VB"]),
        ("up", "RP", PENN_TAGS["RP"]),
        (".", ".", PENN_TAGS["."]),
    ]
    universal = Analyzer(tag_terms="universal", html="strip").tags("<p>The <b>first</b> run</p>")
    assert universal == [
        (token, tag, UNIVERSAL_TAGS[tag]) for token, tag in [("The", "DET"), ("first", "ADJ"), ("run", "NOUN")]
    ]
    assert Analyzer().tags("") == []
    with pytest.raises(InvalidText, match="a text must be a str, got list"):
        Analyzer().tags(["a"])  # type: ignore[arg-type]


@given(
    st.lists(
        st.sampled_from(["She", "don't", "walk", "the", "dog", "'s", "3", "%", "(", '"', "😀", "é", ".", "\n\n"]), max_size=8
    )
)
def test_the_tags_that_are_listed_are_those_that_are_counted(words: list[str]) -> None:
    text = " ".join(words)
    for kind, meanings in (("penn", PENN_TAGS), ("universal", UNIVERSAL_TAGS)):
        analyzer = Analyzer(word_ngrams=None, tag_terms=kind)  # type: ignore[arg-type]
        tagged = analyzer.tags(text)
        assert [f"TAG:{each.tag}" for each in tagged] == analyzer.terms(text)
        assert all(each.token in text and each.meaning == meanings[each.tag] for each in tagged)


def test_figures_of_penn_tags() -> None:
    figures = {"She": "PRP", "could": "MD", "n't": "RB", "sell": "VB", "John": "NNP", "'s": "POS", "3": "CD", "biggest": "JJS"}
    figures |= {"dogs": "NNS", ",": ",", "because": "IN", "there": "EX", "were": "VBD", "none": "NN", "to": "TO", "see": "VB"}
    assert tag_words([list(figures)]) == [list(figures.values())]


def test_contractions_have_the_tag_of_their_word() -> None:
    assert tag_words([["I", "can't", "sing"]]) == [["PRP", "MD", "VB"]]
    assert tag_words([["She’s", "late"]])[0][0] == "PRP"


def test_german_and_dutch_have_tags_of_their_own() -> None:
    assert tag_words([["Der", "Hund", "läuft", "."]], "german") == [["ART", "NN", "VV(FIN)", "$."]]
    assert universal("Der Hund von Anna läuft nicht .", "de") == ["DET", "NOUN", "ADP", "PROPN", "VERB", "PART", "PUNCT"]
    assert universal("De hond van Anna loopt snel .", "nl") == ["DET", "NOUN", "ADP", "PROPN", "VERB", "ADJ", "PUNCT"]


def test_marks_go_by_what_they_are() -> None:
    marks = {".": ".", "?": ".", ",": ",", ";": ":", "--": ":", "(": "(", "]": ")", "“": "``", '"': "''", "€": "$", "😀": "SYM"}
    assert {mark: to_penn("UNC", mark) for mark in marks} == marks


@pytest.mark.parametrize("code", ["en", "de", "nl"])
def test_each_tag_of_a_model_has_a_universal_tag(code: str) -> None:
    known = load_tagger(code).int2tag.values()
    tags = {tag.removeprefix("END_") for tag in known if tag.startswith("END_")} - {"UNKNOWN"}
    shown = {to_penn(tag, "word") for tag in tags} if code == "en" else tags
    assert {to_universal(tag, "word", code) for tag in shown} <= set(UNIVERSAL_TAGS)
    assert code != "en" or shown <= set(PENN_TAGS)


def test_glossaries_say_something_about_each_tag() -> None:
    assert all(PENN_TAGS.values())
    assert {to_universal(tag) for tag in PENN_TAGS} | {"SCONJ"} == set(UNIVERSAL_TAGS)


@given(st.lists(st.lists(words, max_size=6), max_size=3))
def test_any_words_have_tags_one_for_each(sentences: list[list[str]]) -> None:
    tags = tag_words(sentences)
    assert [len(row) for row in tags] == [len(row) for row in sentences]
    assert {tag for row in tags for tag in row} <= set(PENN_TAGS)


def test_a_word_of_a_megabyte_takes_no_long_time() -> None:
    assert len(tag_words([["x" * 1_000_000, "ab" * 500_000]])[0]) == 2


def test_spans_are_tagged_in_their_own_case() -> None:
    text = "we saw Rose . A rose !"
    tokens = [(word.lower(), text.index(word), text.index(word) + len(word)) for word in ["we", "saw", "Rose", "."]]
    later = [("a", 14, 15), ("rose", 16, 20), ("", 20, 20), ("!", 21, 22)]
    tagged = make_span_tagger(lambda _: [tokens, [], later])(text)
    assert tagged == [
        (0, 2, "PRP"),
        (3, 6, "VBD"),
        (7, 11, "NNP"),
        (12, 13, "."),
        (14, 15, "DT"),
        (16, 20, "NN"),
        (21, 22, "."),
    ]


def test_an_empty_word_is_refused() -> None:
    with pytest.raises(InvalidText, match="empty word, at 1"):
        tag_words([["a", ""]])


@pytest.mark.parametrize("bad", ["fr", "xx", None])
def test_languages_without_a_model_are_refused(bad: str) -> None:
    with pytest.raises(InvalidOption, match="tags must be a language"):
        tag_words([["a"]], bad)


@pytest.mark.parametrize("bad", ["NP0", "", "VBX"])
def test_unknown_tags_are_refused(bad: str) -> None:
    with pytest.raises(InvalidOption, match="tag must be"):
        to_universal(bad)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    load_tagger.cache_clear()
    monkeypatch.setitem(sys.modules, "HanTa", None)
    monkeypatch.setitem(sys.modules, "HanTa.HanoverTagger", None)
    with pytest.raises(MissingExtra, match=r"tags need HanTa, which is not installed: pip install 'tercet\[forms\]'"):
        tag_words([["a"]])
    with pytest.raises(MissingExtra, match="tags need HanTa"):
        require_tagger()
