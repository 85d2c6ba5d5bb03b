"""Neutral words make no difference: texts that differ only in them have the same terms, scores and decisions."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.analyzer_recipes import analyzers
from helpers.command_line import Shell
from helpers.invented_texts import FRAGMENTS, triggering_texts
from hypothesis import given
from hypothesis import strategies as st

import tercet
from tercet import NBSVM, Analyzer, Categorizer, Documents, LinearSVM, LogisticRegression, Rule
from tercet.errors import InvalidFile, InvalidOption, NeverLearned
from tercet.kernel import _native, reference
from tercet.text.measures import MEASURES
from tercet.text.recipe import list_options

LISTED = ["he", "She", "ANN-Marie", "o'brien", "José", "她", "他们", "ΑΣ", "é", "x_7"]
NEUTRAL = Analyzer(neutral=LISTED)

# Texts that differ only in listed words: what is around the words is the same in both.
words = st.sampled_from([written for word in LISTED for written in (word, word.upper(), word.lower(), word.title())])
borders = st.sampled_from([*" .,'’\"-()#@~*/:;!?=$\n", " ", " ", ". ", " 3.5 ", " (", ":-) "])
others = st.sampled_from([text for text in FRAGMENTS if not set(text) & set("<&\x1f")] + ["not", "mr", "LOUD", "#tag"])
places = st.lists(st.tuples(others, borders, words, words, borders), min_size=1, max_size=6)


def write_pair(drawn: list[tuple[str, ...]]) -> tuple[str, str]:
    first = "".join(other + left + word + right for other, left, word, _, right in drawn)
    return first, "".join(other + left + word + right for other, left, _, word, right in drawn)


@given(analyzers(), places, places)
def test_texts_that_differ_in_neutral_words_have_the_same_terms(
    analyzer: Analyzer, subject: list[tuple[str, ...]], body: list[tuple[str, ...]]
) -> None:
    neutral, layout = analyzer.replace(neutral=LISTED), analyzer.layout
    columns = [write_pair(subject), write_pair(body)] if layout is None or layout.texts else [write_pair(subject)]
    one, two = ("\x1f".join([*texts, "mutt", "he"]) if layout else " ".join(texts) for texts in zip(*columns, strict=True))
    assert neutral.neutralize(one) == neutral.neutralize(two)
    assert neutral.terms(one) == neutral.terms(two)
    assert [token.text for token in neutral.tokens(one)] == [token.text for token in neutral.tokens(two)]


@given(analyzers(), triggering_texts, st.lists(st.sampled_from([*LISTED, "1", "a b", "b", "", "-"]), max_size=4))
def test_native_finds_the_neutral_words_of_the_reference(analyzer: Analyzer, text: str, listed: list[str]) -> None:
    options = list_options(analyzer) | {"neutral": listed}
    native, plain = _native.Recipe(**options), reference.Recipe(**options)
    assert native.list_neutral(text) == plain.list_neutral(text)
    assert native.list_terms(text) == plain.list_terms(text)


@given(analyzers(), triggering_texts)
def test_a_list_without_a_word_of_the_text_changes_nothing(analyzer: Analyzer, text: str) -> None:
    plain = analyzer.replace(neutral=None)
    assert plain.replace(neutral=["qqq"]).located_terms(text) == plain.located_terms(text)
    assert plain.neutralize(text) == text


@pytest.mark.parametrize(
    ("text", "options", "seen"),
    [
        ("He, he's HE; she’s 'he'", {}, "_neutral, _neutral's _neutral; _neutral’s '_neutral'"),
        ("he-man there he_1 he2 heé", {}, "_neutral-man there he_1 he2 heé"),
        ("#he @She http://he.org", {}, "#_neutral @_neutral http://_neutral.org"),
        ("O'BRIEN O’Brien O'Brien's Brien", {}, "_neutral _neutral _neutral's Brien"),
        ("Ann-Marie Ann Marie ann-marie-he", {}, "_neutral Ann Marie _neutral-_neutral"),
        ("jose Jose\u0301 HÉ", {}, "jose _neutral HÉ"),
        ("jose HÉ", {"strip_marks": True}, "_neutral _neutral"),
        ("她是 他们 他", {}, "_neutral是 _neutral 他"),
        ("ΑΣ ΑΣ'Α ας", {}, "_neutral _neutral'Α _neutral"),
        ("heee heee\u0301", {"max_repeats": 1}, "_neutral heee\u0301"),
        ("<he>h&#101;</he> &lt;he", {"html": "strip"}, "<he>_neutral</he> &lt;_neutral"),
        ("<he>h&#101;</he>", {}, "<_neutral>h&#101;</_neutral>"),
        ("From: he <he@b.org>\nTo: x\n\n<he>", {"html": "strip", "header_fields": True},
         "From: _neutral <_neutral@b.org>\nTo: x\n\n<he>"),
        ("he ½", {"unicode_form": "nfkc", "neutral": ["1", "2", "he"]}, "_neutral _neutral"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("tokens", ["words", "whitespace", "characters"])
def test_what_is_replaced_does_not_depend_on_the_kind_of_tokens(text: str, options: Any, seen: str, tokens: Any) -> None:
    for lowercase in (False, True):
        assert NEUTRAL.replace(lowercase=lowercase, tokens=tokens, **options).neutralize(text) == seen


@pytest.mark.parametrize("start", ["{}: <she>\nTo: x\n\n", "X-{}: <she>\nTo: x\n\n", "From: x\n{}: y\nTo: <he>\n\n<she>"])
def test_a_neutral_word_does_not_decide_where_a_header_ends(start: str) -> None:
    options: dict[str, Any] = {"html": "strip", "header_fields": True, "word_ngrams": [(1, 1)], "neutral": LISTED}
    for engine in (_native, reference):
        recipe = engine.Recipe(**options)
        he, jose = ([term for term, _ in recipe.list_terms(start.format(word) + "<b>so</b>")] for word in ("he", "José"))
        assert he == jose


def test_the_source_of_the_placeholder_is_the_word() -> None:
    text = "Why O'Brien’s 他们 ran"
    analyzer = NEUTRAL.replace(word_ngrams=(1, 2), char_ngrams=(3, 3))
    assert [(token.text, text[token.start : token.end]) for token in analyzer.tokens(text)] == [
        ("why", "Why"), ("_neutral", "O'Brien"), ("s", "s"), ("_neutral", "他们"), ("ran", "ran"),
    ]  # fmt: skip
    spans = dict(analyzer.located_terms(text))
    assert [text[start:end] for start, end in spans["word:_neutral ran"]] == ["他们", "ran"]
    assert [text[start:end] for start, end in spans["char:y _"]] == ["y O'Brien"]
    assert [text[start:end] for start, end in spans["char:l r"]] == ["他们 r"]


def test_patterns_tags_and_lexicons_see_the_placeholder() -> None:
    options: dict[str, Any] = {"patterns": {"loud": "[A-Z]{2,}", "he": "he", "any": "_neutral"}, "word_ngrams": None}
    assert NEUTRAL.replace(**options).located_terms("HE and SHE") == [
        ("PATTERN:any", [(0, 2)]), ("PATTERN:any", [(7, 10)]),
    ]  # fmt: skip
    tags = [NEUTRAL.tags(text) for text in ("He saw Ann-Marie.", "José saw she.")]
    assert [tag.tag for tag in tags[0]] == [tag.tag for tag in tags[1]]
    assert [tag.token for tag in tags[0]] == ["He", "saw", "Ann-Marie", "."]
    assert NEUTRAL.replace(lexicon={"person": ["he"]}, stop_words=["she"]).terms("he and she") == [
        "_neutral", "and", "_neutral",
    ]  # fmt: skip


def test_the_value_of_a_category_is_not_a_word() -> None:
    analyzer = NEUTRAL.replace(layout=tercet.text.layout.Layout(["a", "b"], ["he"], fields=True))
    assert analyzer.terms("he ran\x1fShe\x1fshe") == ["a:_neutral", "a:ran", "b:_neutral", "he=she"]
    assert analyzer.located_terms("Ann-Marie\x1f她\x1fshe")[-2:] == [("b:_neutral", [(10, 11)]), ("he=she", [(12, 15)])]


TEXTS = [
    f"{who} {what} {i % 7}" for i in range(60) for who, what in [("He", "is glad"), ("She's", "so sad"), ("Ann-Marie", "ran")]
]
LABELS = ["good", "bad", "good"] * 60
PAIRS = [
    (f"{one} feels {what}!", f"{two} feels {what}!")
    for one, two in [("HE", "she"), ("José", "Ann-Marie")]
    for what in ("sad", "so")
]
MODELS: dict[str, dict[str, Any]] = {
    "bayes": {"numeric": list(MEASURES), "calibrate": "auto"},
    "svm": {"model": LinearSVM()},
    "nbsvm": {"model": NBSVM(), "rules": [Rule("[A-Z]{2,}", "good"), Rule("José|She|she", "bad")]},
    "logistic": {"model": LogisticRegression()},
    "auto": {"model": "auto"},
}


@pytest.fixture(scope="module")
def fitted() -> dict[str, Categorizer]:
    recipe = NEUTRAL.replace(word_ngrams=(1, 2), char_ngrams=(2, 5), char_ngrams_over="text", lowercase=False)
    return {name: Categorizer(recipe, **options).fit(TEXTS, LABELS) for name, options in MODELS.items()}


@pytest.mark.parametrize("name", MODELS)
def test_every_model_decides_alike_about_texts_that_differ_in_neutral_words(name: str, fitted: dict[str, Categorizer]) -> None:
    categorizer = fitted[name]
    for score in (categorizer.log_joint, categorizer.predict_proba):
        one, two = (score(texts) for texts in zip(*PAIRS, strict=True))
        assert one.tolist() == two.tolist()
    plain = Categorizer(**categorizer.get_params(deep=False)).set_params(analyzer__neutral=None).fit(TEXTS, LABELS)
    assert not np.array_equal(*(plain.log_joint(texts) for texts in zip(*PAIRS, strict=True)))


def test_the_option_survives_files_copies_and_parameters(fitted: dict[str, Categorizer], tmp_path: Path) -> None:
    for name, made in {"whole": fitted["svm"], "compact": fitted["svm"].compact()}.items():
        made.save(tmp_path / name)
        loaded = tercet.load(tmp_path / name)
        assert loaded.predict_proba(PAIRS[0]).tolist() == made.predict_proba(PAIRS[0]).tolist()
        assert loaded.predict_proba(PAIRS[0]).tolist()[0] == loaded.predict_proba(PAIRS[0]).tolist()[1]
    analyzer = fitted["svm"].analyzer
    assert Analyzer.from_dict(json.loads(json.dumps(analyzer.to_dict()))) == analyzer
    assert fitted["svm"].get_params()["analyzer__neutral"]["words"] == list(analyzer.neutral)
    assert analyzer.signature.startswith("neutral=10:")
    assert analyzer.identity != analyzer.replace(neutral=None).identity
    assert hash(analyzer.replace(neutral=reversed(LISTED))) == hash(analyzer)
    assert Analyzer.preset("tweets", neutral=["he"]).terms("HE") == Analyzer.preset("tweets").terms("_neutral")


def test_a_recipe_that_was_written_before_the_option_is_read() -> None:
    written = Analyzer(word_ngrams=(1, 2)).to_dict()
    del written["neutral"]
    assert Analyzer.from_dict(written) == Analyzer(word_ngrams=(1, 2))


def test_documents_are_forgotten_by_their_own_words() -> None:
    categorizer = Categorizer(NEUTRAL).fit(["he ran", "she sat"], ["a", "b"])
    with pytest.raises(NeverLearned):
        categorizer.forget(["she ran"], ["a"])
    categorizer.forget(["he ran"], ["a"])
    assert categorizer.table_.labels.tolist() == ["b"]


def test_an_explanation_shows_the_word_of_the_text(fitted: dict[str, Categorizer]) -> None:
    explanation = fitted["bayes"].explain("Is Ann-Marie glad?")
    assert {"_neutral": ((3, 12),)}.items() <= {line.term: line.spans for line in explanation.evidence}.items()


def test_measures_are_those_of_the_text_with_placeholders() -> None:
    measured = Documents.join({"a": ["HE", "so"], "b": ["x", "ANN-Marie y"]}, ["p", "q"])
    written = Documents.join({"a": ["_neutral", "so"], "b": ["x", "_neutral y"]}, ["p", "q"])
    by_model = [
        Categorizer(NEUTRAL, numeric=["n_characters", "loud_share"]).fit(documents).log_joint(measured).tolist()
        for documents in (measured, written)
    ]
    assert by_model[0] == by_model[1]


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("he", "neutral must be a list of words, got 'he': one word is a list too"),
        (["New York"], "neutral holds 'New York', which is not one word"),
        (["he", ":-)"], r"neutral holds ':-\)', which does not begin and end with a letter or a digit: only words"),
        (["-".join("abcdefghijklmnopq")], "which has 17 parts: at most 16 are compared. Split it."),
        ([3], "neutral must be a list of str, got 3"),
    ],
)  # fmt: skip
def test_words_that_are_never_found_are_refused(bad: Any, said: str) -> None:
    with pytest.raises(InvalidOption, match=said):
        Analyzer(neutral=bad)


def test_the_command_line_takes_words_or_a_file(shell: Shell) -> None:
    Path("words.txt").write_text("# adjectives\nlovely\ndull\n")
    for value in ("lovely,dull", "words.txt"):
        shell.do(f"tercet train reviews.csv -o m.tercet --model svm --neutral {value}")
        assert list(tercet.load("m.tercet").analyzer.neutral) == ["dull", "lovely"]
    shell.do("tercet inspect m.tercet --config > one.toml")
    shell.do("tercet train reviews.csv -o n.tercet --config one.toml")
    assert Path("m.tercet").read_bytes() == Path("n.tercet").read_bytes()
    Path("two.toml").write_text('neutral = ["lovely", "dull"]\n')
    shell.do("tercet train reviews.csv -o two.tercet --config two.toml")
    one, two = (shell.do(f"tercet predict two.tercet '{word} film' --json").out for word in ("a lovely", "A DULL"))
    assert json.loads(one) == json.loads(two)


def test_a_missing_word_list_is_an_error_and_not_a_word(shell: Shell, tmp_path: Path) -> None:
    outcome = shell("tercet train reviews.csv -o m.tercet --neutral missing.txt")
    assert outcome.code == 2
    assert "there is no file 'missing.txt'" in outcome.err
    with pytest.raises(InvalidFile, match="can't be read"):
        Analyzer(neutral=tmp_path / "missing.txt")
