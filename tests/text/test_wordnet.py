"""Lemmas of WordNet, where its files are installed, and a clear error where they are not."""

import re
import sys
from pathlib import Path

import pytest
from helpers.command_line import Shell
from nltk import data

import tercet
from tercet import Analyzer, Categorizer
from tercet.errors import MissingExtra
from tercet.text import wordforms as wordnet
from tercet.text.wordforms import lemmatize_words


def is_installed() -> bool:
    try:
        return wordnet.find_wordnet() is not None
    except MissingExtra:
        return False


installed = pytest.mark.skipif(not is_installed(), reason="WordNet is not installed: apt-get install wordnet-base")


@pytest.fixture
def missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(wordnet, "DEBIAN", tmp_path / "nowhere")
    monkeypatch.setattr(data, "path", [str(tmp_path)])


@installed
def test_words_are_counted_in_the_base_form_of_wordnet() -> None:
    forms = {
        "mice": "mouse",
        "geese": "goose",
        "ran": "run",
        "went": "go",
        "churches": "church",
        "cats": "cat",
        "xyzzy": "xyzzy",
    }
    assert lemmatize_words(list(forms), "wordnet") == list(forms.values())
    assert Analyzer(lemmas="wordnet").terms("Mice ran, geese WENT") == ["mouse", "run", "goose", "go"]
    assert Analyzer(lemmas="wordnet", stems="porter").terms("ponies") == ["poni"]
    assert lemmatize_words(["日本", "a\ud800", "", "_", "don't"], "wordnet") == ["日本", "a\ud800", "", "_", "don't"]


@installed
def test_irregular_nouns_have_the_base_form_that_the_file_of_exceptions_names() -> None:
    root = wordnet.find_wordnet()
    with root.join("noun.exc").open() as exceptions, root.join("index.noun").open() as index:
        known = {line.split(b" ", 1)[0] for line in index.read().splitlines()}
        pairs = [line.split() for line in exceptions.read().splitlines()]
    clear = [(form.decode(), base.decode()) for form, base, *more in pairs if not more and form not in known and base in known]
    forms, bases = zip(*clear[::50], strict=True)
    assert len(forms) > 20
    assert lemmatize_words(forms, "wordnet") == list(bases)


@installed
def test_a_recipe_names_the_version_and_is_stored(tmp_path: Path) -> None:
    analyzer = Analyzer(lemmas="wordnet")
    assert re.fullmatch(r"lemmas=wordnet\+unicode=[\d.]+\+nltk=[\d.]+\+wordnet=\d\.\d", analyzer.signature)
    assert Analyzer.from_dict(analyzer.to_dict()) == analyzer
    Categorizer(analyzer).fit(["mice", "fox"], ["a", "b"]).save(tmp_path / "a.tercet")
    assert tercet.load(tmp_path / "a.tercet").predict(["mouse"]).tolist() == ["a"]


def test_files_of_nltk_come_first(tmp_path: Path, missing: None) -> None:
    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    (folder / "data.adj").write_text("  14 WordNet 3.1 Copyright 2011 by somebody\n")
    assert Path(str(wordnet.find_wordnet())) == folder
    assert wordnet.read_wordnet_version() == "3.1"


def test_without_the_files_the_error_says_how_to_get_them(missing: None) -> None:
    why = r"^lemmas='wordnet' needs the files of WordNet, which are not installed: apt-get install wordnet-base .* lemmas='en'"
    with pytest.raises(MissingExtra, match=why):
        Analyzer(lemmas="wordnet")


def test_without_nltk_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "nltk.data", None)
    with pytest.raises(MissingExtra, match=r"WordNet need nltk, which is not installed: pip install 'tercet\[forms\]'"):
        Analyzer(lemmas="wordnet")


def test_missing_files_are_one_line_at_the_command_line(shell: Shell, missing: None) -> None:
    outcome = shell("tercet train reviews.csv -o lemmas.tercet --fast --lemmas wordnet")
    assert outcome.code == 2
    assert "needs the files of WordNet" in outcome.err.strip().splitlines()[-1]


@installed
def test_the_command_line_takes_wordnet(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o lemmas.tercet --fast --lemmas wordnet")
    assert "lemmas=wordnet" in shell.do("tercet inspect lemmas.tercet").out
