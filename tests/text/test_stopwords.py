"""Stop words, negation words and function words."""

import json
import sys
import warnings
from pathlib import Path

import pytest

from tercet import Analyzer
from tercet.errors import InvalidFile, InvalidOption, MissingExtra
from tercet.text.word_lists import (
    FUNCTION_WORDS,
    WordList,
    is_negation,
    list_negation,
    list_stop_words,
    resolve_negation,
    resolve_stop_words,
)


def found(value: object) -> WordList:
    words = resolve_stop_words(value)  # type: ignore[arg-type]
    assert words is not None
    return words


def test_nothing_is_nothing() -> None:
    assert resolve_stop_words(None) is None
    assert resolve_negation(None) is None


def test_a_language_goes_by_code_or_name() -> None:
    assert found("en") == found("English")
    assert found("en").name == "en"
    assert {"the", "of", "and"} <= set(found("en"))
    assert "и" in found("russian")


@pytest.mark.parametrize("code", ["en", "es", "it", "de", "fr", "pt"])
def test_stop_words_of_a_language_do_not_negate(code: str) -> None:
    assert not [word for word in found(code) if is_negation(word, list_negation(code))]


def test_english_contractions_do_not_stop() -> None:
    assert {"don't", "isn't", "cannot", "dont"}.isdisjoint(found("en"))
    left = Analyzer(stop_words="en").terms("I don't, it won't, you haven't: no!")
    assert left == ["don", "t", "won", "t", "haven", "t", "no"]


def test_an_own_list_that_negates_is_kept_with_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"negate: didn't, not\. ") as caught:
        words = found(["the", "not", "didn't"])
    assert words == WordList(["the", "not", "didn't"])
    assert caught[0].filename == __file__


def test_an_own_list_that_does_not_negate_is_kept_in_silence() -> None:
    own = ["the", "n", "a", "point"]
    for value in [own, tuple(own), set(own), WordList(own)]:
        assert found(value) == WordList(own)


def test_a_stored_list_of_a_language_is_read_in_silence() -> None:
    for code in ["en", "de", "pl"]:
        stored = json.loads(json.dumps(found(code).to_dict()))
        assert found(WordList.from_dict(stored)) == found(code)


def test_a_path_is_read_and_a_str_is_a_language(tmp_path: Path) -> None:
    path = tmp_path / "stop.txt"
    path.write_text("the\na\n")
    assert found(path) == WordList(["a", "the"])
    with pytest.raises(
        InvalidOption,
        match=r"stop_words must be None, a language, a list of words, or Path\('stop.txt'\) for a file, got .*stop.txt",
    ):
        resolve_stop_words(str(path))


@pytest.mark.parametrize("bad", ["xx", "", 3, [3], ["a", ""]])
def test_bad_stop_words_are_refused(bad: object) -> None:
    with pytest.raises(InvalidOption):
        resolve_stop_words(bad)  # type: ignore[arg-type]


def test_without_the_package_a_language_is_refused_and_a_list_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stopwordsiso", None)
    with pytest.raises(MissingExtra, match=r"need stopwordsiso, which is not installed: pip install 'tercet\[forms\]'"):
        resolve_stop_words("en")
    assert found(["the"]) == WordList(["the"])


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "not no never none nobody nothing neither nor nowhere cannot without hardly n't dont didnt isnt"),
        ("spanish", "no ni nunca jamás nada nadie ningún tampoco sin"),
        ("it", "non né mai niente nulla nessuno senza neanche"),
        ("de", "nicht nie kein keine niemand nichts weder ohne"),
        ("fr", "ne pas jamais rien aucun ni sans"),
        ("pt", "não nem nunca nada ninguém nenhum sem"),
    ],
)
def test_negation_of_six_languages(language: str, words: str) -> None:
    assert set(words.split()) <= set(resolve_negation(language) or [])


def test_words_that_mean_something_else_do_not_negate() -> None:
    assert {"can", "don", "won", "haven"}.isdisjoint(resolve_negation("en") or [])


def test_negation_takes_languages_or_words_but_no_mixture() -> None:
    assert resolve_negation(("en", "german")) == WordList([*list_negation("en"), *list_negation("de")])
    assert resolve_negation({"no", "ne"}) == WordList(["no", "ne"])
    assert resolve_negation(WordList(["en", "no"])) == WordList(["en", "no"])
    with pytest.raises(InvalidOption, match="Pass a WordList"):
        resolve_negation(["en", "no"])


@pytest.mark.parametrize("bad", ["xx", "fi", 3, [3]])
def test_bad_negation_is_refused(bad: object) -> None:
    with pytest.raises(InvalidOption):
        resolve_negation(bad)  # type: ignore[arg-type]


def test_function_words_are_about_two_hundred_and_carry_no_content() -> None:
    assert 180 <= len(FUNCTION_WORDS) <= 320
    assert {"the", "upon", "while", "whilst", "of", "she", "would", "not"} <= set(FUNCTION_WORDS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert len(set(FUNCTION_WORDS) & set(list_stop_words("en"))) > 0.8 * len(FUNCTION_WORDS)


@pytest.mark.parametrize("option", ["stop_words", "keep_words", "negation"])
def test_a_phrase_is_no_word(option: str, tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("New York\n")
    for value in (["York", "New York"], WordList(["New\u00a0York"]), path):
        if option != "negation" or value is not path:
            with pytest.raises(InvalidOption, match=rf"{option} holds 'New.*York', which is not one word"):
                Analyzer(**{option: value})  # type: ignore[arg-type]


def test_lists_of_languages_have_single_words() -> None:
    for code in ("en", "vi", "fr", "fa"):
        assert not [word for word in found(code) if len(word.split()) > 1]


@pytest.mark.parametrize("option", ["stop_words", "keep_words", "negation"])
@pytest.mark.parametrize("bad", [["a", 3], ["a", ""], [" a"]])
def test_an_error_names_the_option(option: str, bad: object) -> None:
    with pytest.raises(InvalidOption, match=rf"^{option} (must be|holds)"):
        Analyzer(**{option: bad})  # type: ignore[arg-type]


@pytest.mark.parametrize("option", ["stop_words", "keep_words"])
def test_a_missing_file_is_named(option: str, tmp_path: Path) -> None:
    with pytest.raises(InvalidFile, match=r"none\.txt' can't be read"):
        Analyzer(**{option: tmp_path / "none.txt"})  # type: ignore[arg-type]
    with pytest.raises(InvalidFile, match="it is a folder"):
        Analyzer(**{option: tmp_path})  # type: ignore[arg-type]
