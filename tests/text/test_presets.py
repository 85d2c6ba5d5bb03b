"""Each preset finds what it promises, and a Categorizer of its name learns with it."""

import json
from typing import Any

import pytest

from tercet import Analyzer, Categorizer
from tercet.errors import InvalidOption
from tercet.text.presets import PRESETS

MAIL = "Subject: FREE money\nFrom: joe\n\nWin $1,000,000 <b>now</b>, it's 100% guaranteed!!!"


@pytest.mark.parametrize(
    ("name", "text", "some"),
    [
        ("words", "Don't, ÉTÉ 5", ["don", "t", "été", "5"]),
        ("words_and_marks", "Don't; 5€", ["don't", ";", "5", "€"]),
        ("sklearn", "I think, therefore", ["think", "therefore"]),
        ("whitespace", "So, So", ["So,", "So"]),
        ("sentiment", "I'm not<br />happy!", ["i'm", "not", "NOT_happy", "!", "i'm not", "not NOT_happy", "NOT_happy !"]),
        ("tweets", "@joe ¡Sí!", ["word:_usr", "word:si", "word:_usr si", "char:~_", "char:usr~", "char:~si", "char:si~"]),
        ("lemmas", "The mice were running away from 2 cats", ["mouse", "run", "cat"]),
        ("languages", "é a", [" ", "\\xc3", "\\xa9", "é", " é", " é ", " \\xc3", "\\xa9 ", "a", " a", " a "]),
        ("spam", MAIL, ["subject:free", "from:joe", "win", "now", "win 1", "PATTERN:money_amount", "PATTERN:loud_word"]),
        ("authorship", "The king and I", ["word:The", "word:and", "word:I", "char:The", "char:he ", "char: ki", "char:kin"]),
    ],
)
def test_a_preset_finds_what_it_promises(name: str, text: str, some: list[str]) -> None:
    terms = Analyzer.preset(name).terms(text)
    assert set(some) <= set(terms)
    if name in ("words", "words_and_marks", "sklearn", "whitespace", "sentiment", "lemmas"):
        assert terms == some


def test_every_preset_is_tested() -> None:
    marks: Any = test_a_preset_finds_what_it_promises
    assert [case[0] for case in marks.pytestmark[0].args[1]] == list(PRESETS)


@pytest.mark.parametrize("name", PRESETS)
def test_a_categorizer_learns_forgets_and_explains_with_a_preset(name: str) -> None:
    texts, labels = ["a lovely movie, not dull at all", "dull and sad", MAIL], ["+", "-", "spam"]
    fitted = Categorizer.preset(name, threads=1).fit(texts, labels)
    before = fitted.table_.fingerprint()
    fitted.learn(["so sad"], ["-"]).forget(["so sad"], ["-"])
    assert fitted.table_.fingerprint() == before
    assert fitted.predict(texts).tolist() == labels
    assert fitted.explain(texts[0]).label == "+"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_can_be_changed_and_stored(name: str) -> None:
    analyzer = Analyzer.preset(name, min_token_length=4)
    assert analyzer.options["min_token_length"] == 4
    assert Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict()))) == analyzer


def test_presets_do_not_share_their_models() -> None:
    first, second = Categorizer.preset("tweets"), Categorizer.preset("tweets")
    assert first.model is not second.model
    first.set_params(model__smoothing=1.0, analyzer__lowercase=False)
    assert (second.model.smoothing, second.analyzer.options["lowercase"]) == (0.1, True)  # type: ignore[union-attr]


def test_an_unknown_preset_is_answered_with_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"preset must be one of words, .*, authorship, got 'sentiments'"):
        Categorizer.preset("sentiments")


@pytest.mark.parametrize("option", ["word_ngrams", "analyzer__word_ngrams"])
def test_an_option_of_the_analyzer_is_sent_there(option: str) -> None:
    with pytest.raises(InvalidOption, match=r"Pass analyzer=Analyzer.preset\('tweets', word_ngrams=\.\.\.\)"):
        Categorizer.preset("tweets", **{option: (1, 1)})
