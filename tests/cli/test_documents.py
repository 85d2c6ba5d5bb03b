"""Models that keep their documents on the command line: after a change they are the models of the new documents."""

import json
from pathlib import Path

import pytest
from helpers.command_line import Shell

import tercet

CONTAINS = "this file contains the training texts; --no-documents leaves them out"
NAIVE_BAYES = "--model bayes --documents --calibrate auto --folds 4 --seed 3"
OPTIONS = ["--model nbsvm", "--model svm --fold-labels", NAIVE_BAYES, "--model auto"]
each_model = pytest.mark.parametrize("options", OPTIONS)


def read(name: str) -> bytes:
    return Path(name).read_bytes()


def split(n: int) -> None:
    """reviews.csv in two files: the first n rows, and the others."""
    header, *rows = Path("reviews.csv").read_text().splitlines()
    for name, part in (("first", rows[:n]), ("rest", rows[n:])):
        Path(f"{name}.csv").write_text("\n".join([header, *part]) + "\n")


@each_model
def test_after_forgetting_the_file_is_that_of_training_without_the_documents(shell: Shell, options: str) -> None:
    split(100)
    shell.do(f"tercet train reviews.csv -o all.tercet {options}")
    shell.do(f"tercet train first.csv -o first.tercet {options}")
    forgotten = shell.do("tercet forget all.tercet rest.csv -o forgetful.tercet").err
    assert f"held-out accuracy: {tercet.load('first.tercet').record_.estimate['accuracy']}" in forgotten
    assert read("forgetful.tercet") == read("first.tercet")
    shell.do("tercet learn forgetful.tercet rest.csv")
    assert read("forgetful.tercet") == read("all.tercet")


@each_model
def test_a_change_can_be_trained_later(shell: Shell, options: str) -> None:
    split(100)
    shell.do(f"tercet train reviews.csv -o all.tercet {options}")
    shell.do(f"tercet train first.csv -o grown.tercet {options}")
    said = shell.do("tercet learn grown.tercet rest.csv --later").err
    assert "of the documents before the last change: refit() or `tercet refit` works" in said
    assert "anew." in said
    assert "of the documents before the last change" in shell.do("tercet inspect grown.tercet").out
    assert "of the documents before the last change" in shell.do("tercet predict grown.tercet 'a dull plot'").err
    assert "of the documents before the last change" in shell.do("tercet evaluate grown.tercet test.csv").err
    refitted = shell.do("tercet refit grown.tercet").err
    assert "trained on 120 documents; written: grown.tercet\nheld-out accuracy: " in refitted
    assert read("grown.tercet") == read("all.tercet")
    shell.do("tercet relabel grown.tercet corrected.csv --text text --label label --later")
    shell.do("tercet refit grown.tercet -o right.tercet")
    shell.do("tercet relabel all.tercet corrected.csv --text text --label label")
    assert read("right.tercet") == read("all.tercet")


@each_model
def test_merged_models_are_trained_on_all_documents(shell: Shell, options: str) -> None:
    split(60)
    for name in ("reviews", "first", "rest"):
        shell.do(f"tercet train {name}.csv -o {name}.tercet {options}")
    shell.do("tercet merge first.tercet rest.tercet -o sum.tercet")
    shell.do("tercet merge rest.tercet first.tercet -o other.tercet")
    assert read("sum.tercet") == read("other.tercet") == read("reviews.tercet")


def test_train_and_inspect_say_that_the_file_contains_the_texts(shell: Shell) -> None:
    assert CONTAINS in shell.do("tercet train reviews.csv -o m.tercet --model svm").err
    assert CONTAINS in shell.do("tercet inspect m.tercet").out
    assert json.loads(shell.do("tercet inspect m.tercet --json").out)["documents"] is True
    for options in ("--no-documents", "--compact", "--min-documents 2 --prune", "--no-fingerprints"):
        assert CONTAINS not in shell.do(f"tercet train reviews.csv -o m.tercet --model svm {options}").err
        assert CONTAINS not in shell.do("tercet inspect m.tercet").out
        assert not getattr(tercet.load("m.tercet"), "keeps_documents_", False)
    assert CONTAINS not in shell.do("tercet train reviews.csv -o m.tercet --model bayes").err


def test_a_recipe_says_whether_documents_are_kept(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o a.tercet --model svm --no-documents")
    shell.do("tercet inspect a.tercet --config > recipe.toml")
    shell.do("tercet train reviews.csv -o b.tercet --config recipe.toml")
    assert read("a.tercet") == read("b.tercet")


@pytest.mark.parametrize("reason", ["--compact", "--no-fingerprints", "--prune --min-documents 2"])
def test_documents_that_cannot_be_kept_are_an_error(shell: Shell, reason: str) -> None:
    refused = shell(f"tercet train reviews.csv -o kept.tercet --model svm --documents {reason}")
    assert refused.code == 2
    assert "leaves out more than --documents keeps: give one of the two" in refused.err
    assert not Path("kept.tercet").exists()


@pytest.mark.parametrize("command", ["learn m.tercet new.csv", "forget m.tercet removed.csv", "relabel m.tercet corrected.csv"])
def test_later_without_kept_documents_is_an_error(shell: Shell, command: str) -> None:
    before = read("m.tercet")
    refused = shell(f"tercet {command} --later")
    assert refused.code == 2
    assert "--later is for models that keep their documents" in refused.err
    assert read("m.tercet") == before


def test_refit_needs_documents(shell: Shell) -> None:
    before = read("margins.tercet")
    refused = shell("tercet refit margins.tercet")
    assert refused.code == 2
    assert "does not keep its documents" in refused.err
    assert "name the files" in refused.err
    assert read("margins.tercet") == before


def test_what_cannot_be_forgotten_or_trained_changes_nothing(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o kept.tercet --model svm")
    before = read("kept.tercet")
    for data, why in (("new.csv", "new.csv, line 2: this document was never learned"), ("reviews.csv", "--later")):
        refused = shell(f"tercet forget kept.tercet {data}")
        assert refused.code == 2
        assert why in refused.err
        assert len(refused.err.strip().splitlines()) <= 2
        assert read("kept.tercet") == before
    shell.do("tercet forget kept.tercet reviews.csv --later")
    shell.do("tercet learn kept.tercet reviews.csv")
    assert read("kept.tercet") == before
