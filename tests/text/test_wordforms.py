"""Stems and lemmas: figures, agreement of the packages with each other, and what is missing."""

import importlib
import json
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import simplemma
import Stemmer
from hypothesis import given
from hypothesis import strategies as st

from tercet import Analyzer
from tercet.errors import InvalidFile, InvalidOption, MissingExtra
from tercet.text.wordforms import LemmaList, find_stemmer, lemmatize_words, load_stemmer, read_lemma_list, stem_words

SOME = ["consigned", "knightly", "generously", "was", "ponies", "relational", "überzeugungen", "corriendo"]


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Stemmers are loaded anew before and after."""
    load_stemmer.cache_clear()
    yield monkeypatch
    load_stemmer.cache_clear()


def test_figures_of_stems() -> None:
    assert stem_words(["running", "runs", "generously"], "english") == ["run", "run", "generous"]
    assert stem_words(["generously"], "porter") == ["gener"]
    assert stem_words(["corriendo", "corremos"], "es") == ["corr", "corr"]


@pytest.mark.parametrize("name", Stemmer.algorithms())
def test_every_algorithm_is_there_and_the_plain_twin_agrees(name: str, without: pytest.MonkeyPatch) -> None:
    fast = stem_words(SOME, name)
    load_stemmer.cache_clear()
    without.setitem(sys.modules, "Stemmer", None)
    without.delitem(sys.modules, "snowballstemmer", raising=False)
    assert not hasattr(importlib.import_module("snowballstemmer"), "Stemmer")
    assert stem_words(SOME, name) == fast


def test_codes_mean_names() -> None:
    assert find_stemmer("de") == "german"
    assert find_stemmer("Norwegian") == "norwegian"
    assert find_stemmer("sr") == "serbian"


def test_without_any_stemmer_the_error_says_what_to_install(without: pytest.MonkeyPatch) -> None:
    without.setitem(sys.modules, "Stemmer", None)
    without.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(MissingExtra, match=r"^stems need PyStemmer, which is not installed: pip install 'tercet\[forms\]'$"):
        stem_words(["a"], "en")
    with pytest.raises(MissingExtra, match="stems need PyStemmer"):
        Analyzer(stems="porter")


def test_without_simplemma_the_error_says_what_to_install(without: pytest.MonkeyPatch) -> None:
    without.setitem(sys.modules, "simplemma.strategies", None)
    without.setitem(sys.modules, "simplemma", None)
    with pytest.raises(ImportError, match="lemmas need simplemma"):
        lemmatize_words(["a"], "en")


def test_figures_of_lemmas() -> None:
    assert lemmatize_words(["runs", "running", "ran"], "en") == ["run"] * 3
    assert lemmatize_words(["was", "better", "mice", "zqxv"], "english") == ["be", "good", "mouse", "zqxv"]
    assert lemmatize_words(["corriendo"], "spanish") == ["correr"]
    assert lemmatize_words(["gikk"], "norwegian") == lemmatize_words(["gikk"], "nb") == ["gå"]


def test_lower_case_words_have_lower_case_lemmas() -> None:
    assert lemmatize_words(["eurasia", "Eurasia"], "en") == ["eurasia", "Eurasia"]
    assert lemmatize_words(["Zqxv"], "en") == ["Zqxv"]


def test_lemmas_are_those_of_the_package() -> None:
    words = [
        "the",
        "dogs'",
        "barking",
        "don't",
        "isn’t",
        "well-known",
        "1984",
        "½",
        "unhappier",
        "accouterments",
        "mother-in-law's",
    ]
    assert lemmatize_words(words, "en") == [simplemma.lemmatize(word, "en") for word in words]


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=30)))
def test_any_words_have_forms_one_for_each(words: list[str]) -> None:
    stems, lemmas = stem_words(words, "en"), lemmatize_words(words, "en")
    assert len(stems) == len(lemmas) == len(words)
    assert stems == [stem_words([word], "en")[0] for word in words]
    assert all(isinstance(form, str) for form in [*stems, *lemmas])


def test_a_lone_surrogate_stays() -> None:
    assert stem_words(["running", "\ud800running"], "en") == ["run", "\ud800running"]
    assert lemmatize_words(["running", "\ud800running"], "en") == ["run", "\ud800running"]


def test_what_is_too_long_for_a_word_has_no_stem() -> None:
    assert stem_words(["лар" * 300_000, "running"], "sr")[0] == "лар" * 300_000


@pytest.mark.parametrize("bad", ["xx", "", None, 3, "klingon"])
def test_unknown_languages_are_refused(bad: str) -> None:
    with pytest.raises(InvalidOption, match="stems must be a language or 'porter'"):
        stem_words(["a"], bad)
    with pytest.raises(InvalidOption, match="lemmas must be a language, 'wordnet', a mapping from word to lemma, or a Path"):
        lemmatize_words(["a"], bad)


def test_a_lemma_list_is_a_value() -> None:
    lemmas = LemmaList({"went": "go", "goes": "go"}, name="mine")
    assert lemmas == LemmaList({"goes": "go", "went": "go"})
    assert lemmas != LemmaList({"goes": "go", "went": "wend"})
    assert len({lemmas, LemmaList(dict(lemmas.content))}) == 1
    for other in [pickle.loads(pickle.dumps(lemmas)), LemmaList.from_dict(json.loads(json.dumps(lemmas.to_dict())))]:
        assert other == lemmas
        assert other.lemmatize(["he", "goes"]) == ["he", "go"]


@pytest.mark.parametrize("bad", ["ab", [("a", "b")], {"a": 1}, {"": "a"}, {"a": " "}, None])
def test_what_is_no_mapping_of_words_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption, match="lemmas"):
        LemmaList(bad)  # type: ignore[arg-type]


def test_a_lemma_file_gives_lemma_tab_word(tmp_path: Path) -> None:
    path = tmp_path / "lemmas.txt"
    path.write_text("\ufeff# mine\nbe\twas\ngo\twent\nwend\twent\r\n\n")
    assert read_lemma_list(path) == LemmaList({"was": "be", "went": "go"})
    path.write_text("be\twas\nwas\n")
    with pytest.raises(InvalidFile, match=r"lemmas.txt, line 2: 'was' is not a lemma, a tab and a word"):
        read_lemma_list(path)
    path.write_text("")
    with pytest.raises(InvalidFile, match="no lemmas"):
        read_lemma_list(path)


@pytest.mark.parametrize("has_fast", [True, False])
def test_threads_do_not_stem_each_others_words(has_fast: bool, without: pytest.MonkeyPatch) -> None:
    if not has_fast:
        without.setitem(sys.modules, "Stemmer", None)
        without.delitem(sys.modules, "snowballstemmer", raising=False)
    words = [
        f"{word}{ending}" for word in ("connect", "relat", "gener", "hop") for ending in ("ing", "ed", "ions", "ously")
    ] * 25
    before, expected = sys.getswitchinterval(), stem_words(words, "en")
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            assert all(stems == expected for stems in pool.map(lambda _: stem_words(words, "en"), range(16)))
    finally:
        sys.setswitchinterval(before)


@pytest.mark.parametrize("white", [" ", "\t", "\n", "\u00a0", "\u2003"])
def test_a_lemma_of_two_words_is_one_term(white: str) -> None:
    assert Analyzer(lemmas={"ice": f"frozen{white}water"}).terms("ice") == ["frozen_water"]


def test_a_missing_lemma_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"none\.txt' can't be read"):
        read_lemma_list(tmp_path / "none.txt")
    with pytest.raises(InvalidFile, match="it is a folder"):
        read_lemma_list(tmp_path)
