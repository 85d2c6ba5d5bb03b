"""Languages with the real sources: `make test-languages`. It builds all models twice, in about two minutes on two cores."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tercet.cache_folder import choose_folder
from tercet.languages.codes import GROUPS, shorten_label
from tercet.languages.identifier import LanguageIdentifier
from tercet.languages.installing import install_models, name_model_file
from tercet.languages.ngram_counts import split_words

FOLDED = {shorten_label(member): shorten_label(group) for group, (_, members) in GROUPS.items() for member in members}

pytestmark = pytest.mark.skipif(
    os.environ.get("TERCET_TEST_LANGUAGES") != "1",
    reason="builds the models of languages from their real sources: make test-languages",
)


@pytest.fixture(scope="session")
def built(tmp_path_factory):
    """Two folders with the models, built at the same time. The wheel of lingua comes from the cache folder if it is there."""
    folders = [tmp_path_factory.mktemp("built") for _ in range(2)]
    started = []
    for folder in folders:
        for wheel in choose_folder().glob("*.whl"):
            (folder / wheel.name).symlink_to(wheel)
        command = [sys.executable, "-m", "tercet", "languages", "--build", "--models", str(folder)]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
    said = [process.communicate()[1] for process in started]
    assert [process.returncode for process in started] == [0, 0], said
    if "missing: " in said[0]:
        pytest.skip(f"a source is missing: {said[0]}")
    return folders


@pytest.fixture(scope="session")
def sentences(corpus):
    rows = corpus("lingua_sentences/test")
    return [row["text"] for row in rows], [row["label"] for row in rows]


def recall(gold, answers):
    gold, answers = np.array(gold), np.array(answers)
    return np.mean([(answers[gold == language] == language).mean() for language in sorted(set(gold.tolist()))])


def fold(codes):
    return [FOLDED.get(code, code) for code in codes]


def test_two_builds_give_equal_bytes(built):
    first, second = built
    for name, most in (("full", 40e6), ("small", 5e6), ("wide", 100e6)):
        content = name_model_file(name, first).read_bytes()
        assert content == name_model_file(name, second).read_bytes()
        assert len(content) <= most


@pytest.mark.parametrize(("model", "bar"), [("full", 0.96), ("small", 0.953)])
def test_sentences_are_recognised(built, sentences, model, bar):
    texts, gold = sentences
    identifier = LanguageIdentifier(model, strict=True, unknown=False, folder=built[0])
    one, two = (identifier.identify(texts, threads=threads) for threads in (1, 2))
    assert list(one) == list(two)
    assert recall(gold, one.codes) >= bar
    assert recall(fold(gold), fold(one.codes)) >= 0.985


def test_known_languages_are_rarely_called_unknown(built, sentences):
    found = LanguageIdentifier(folder=built[0]).identify(sentences[0])
    assert found.codes.count("und") <= 0.03 * len(found)


def test_questions_get_sensible_answers(built):
    from tercet.cli.demo import HAWAIIAN, QUESTIONS, WITHOUT_LANGUAGE

    expected = "de,es,fr,it,pt,nl,nb,sv,fi,hu,pl,cs,hbs,tr,ru,uk,el,he,ar,fa,hi,ta,th,zh,ja,ko,vi,id,sw,en"
    identifier = LanguageIdentifier(folder=built[0])
    assert fold(identifier.identify(QUESTIONS).codes) == fold(expected.split(","))
    assert set(identifier.identify([HAWAIIAN, *WITHOUT_LANGUAGE, "", "ok"]).codes) == {"und"}
    assert identifier.identify_one("早上好").code == "zh"  # the characters of both scripts
    assert LanguageIdentifier("wide", folder=built[0]).identify_one(HAWAIIAN).code == "haw"


def test_short_texts_get_the_answers_that_people_expect(built):
    expected = {
        "hello": "en", "hi": "en", "Hola": "es", "नमस्ते": "hi", "please": "en", "My name is Giuseppe": "en", "merci": "fr",
        "teh quick borwn fox": "en", "Schmetterling": "de", "kiitos": "fi", "strawberry": "en", "да": "ru", "早上好": "zh",
    }  # fmt: skip
    identifier = LanguageIdentifier(folder=built[0])
    assert dict(zip(expected, identifier.identify(list(expected)).codes, strict=True)) == expected
    for strict in (False, True):
        found = LanguageIdentifier(strict=strict, folder=built[0]).identify(["早上好", "这是一本书"], top=3)
        for codes in ([each.code for each in found.ranked(i)] for i in range(2)):
            assert len(set(codes)) == len(codes)
        assert found[0].label == "zho_Hani"  # the characters of both scripts


def test_texts_of_five_words_do_not_depend_on_the_prior(built, sentences):
    long = [text for text in sentences[0] if len(split_words(text)) > 4 and not any(c in text for c in ("://", "www.", "@"))]
    one, other = (LanguageIdentifier(prior=prior, folder=built[0]).identify(long) for prior in ("writers", "uniform"))
    assert list(one) == list(other)


def test_only_installed_sources_give_models_too(tmp_path, monkeypatch):
    """Without the network and the wheel."""
    from tercet.languages import lingua_counts

    monkeypatch.setattr(lingua_counts, "FETCH", ("-c", "import sys; sys.exit('no network')"))
    said = []
    install_models(tmp_path, said.append)
    assert any("no network" in message for message in said)
    found = LanguageIdentifier(folder=tmp_path).identify_one("Wo ist der nächste Bahnhof, bitte? Ich suche die Haltestelle.")
    assert found.code == "de"
    assert not list(Path(tmp_path).glob("*.whl"))
