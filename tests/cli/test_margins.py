"""Margins on the command line are those of the library, and say so when they are out of date."""

import json
from typing import Any

import pytest
from helpers.command_line import Shell

import tercet
from tercet import NBSVM, Categorizer, LinearSVM, LogisticRegression

MODELS = {"nbsvm": NBSVM(C=0.5), "svm": LinearSVM(C=0.5), "logistic": LogisticRegression(C=0.5)}
STALE = "its margins and calibration are of the documents before the last change"


@pytest.mark.parametrize("name", MODELS)
def test_a_margin_is_trained_as_the_library_does(shell: Shell, name: str) -> None:
    told = shell.do(f"tercet train reviews.csv -o margin.tercet --model {name} --cost 0.5")
    assert f"; {name}; calibration " in told.out
    assert "\n5 folds " in told.out
    same = Categorizer(model=MODELS[name], calibrate="auto", keep_documents=True)
    tercet.train(tercet.read("reviews.csv"), categorizer=same).categorizer.save("same.tercet")
    assert (shell.folder / "margin.tercet").read_bytes() == (shell.folder / "same.tercet").read_bytes()
    shell.do("tercet inspect margin.tercet --config > recipe.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml")
    assert (shell.folder / "again.tercet").read_bytes() == (shell.folder / "same.tercet").read_bytes()


def test_explain_and_predict_say_the_same_probability(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o margin.tercet --model nbsvm")
    (answer,) = shell.do('tercet predict margin.tercet "a dull plot" --json').out.splitlines()
    explained = json.loads(shell.do('tercet explain margin.tercet "a dull plot" --json').out)
    assert explained["label"] == json.loads(answer)["label"]
    assert explained["probability"] == pytest.approx(json.loads(answer)["probability"])


def test_whoever_changes_the_counts_hears_that_margins_do_not_follow(shell: Shell) -> None:
    for name in ("reviews", "new"):
        shell.do(f"tercet train {name}.csv -o {name}.tercet --model svm --no-documents")
    assert "its margins are of the documents before" in shell.do("tercet merge reviews.tercet new.tercet -o all.tercet").err
    assert STALE in shell.do("tercet learn reviews.tercet new.csv").err
    assert STALE in shell.do('tercet predict reviews.tercet "a dull plot"').err
    assert STALE in shell.do("tercet evaluate reviews.tercet test.csv").err
    assert STALE in shell.do("tercet inspect reviews.tercet").out
    assert STALE not in shell.do("tercet forget reviews.tercet new.csv").err
    assert STALE not in shell.do("tercet learn m.tercet new.csv").err


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--model svm --smoothing 0.5", "--smoothing is for naive Bayes"),
        ("--cost 3", "--cost is for margin models, and not for auto"),
        ("--model svm --cost 0", "C must be a number > 0"),
        ("--model nbsvm --numeric capital_share", "can't use numbers beside the text"),
    ],
)
def test_options_of_another_model_are_refused_and_nothing_is_written(shell: Shell, options: str, why: str) -> None:
    told = shell(f"tercet train reviews.csv -o margin.tercet {options}")
    assert told.code == 2
    assert why in told.err
    assert not (shell.folder / "margin.tercet").exists()


@pytest.mark.parametrize(("written", "class_weight"), [("balanced", "balanced"), ("bad=3,good=0.5", {"bad": 3.0, "good": 0.5})])
def test_a_class_weight_is_that_of_the_library_and_of_the_recipe(shell: Shell, written: str, class_weight: Any) -> None:
    shell.do(f"tercet train reviews.csv -o margin.tercet --model svm --class-weight {written}")
    same = Categorizer(model=LinearSVM(class_weight=class_weight), calibrate="auto").fit(tercet.read("reviews.csv"))
    found = tercet.load("margin.tercet")
    assert found.model.class_weight == class_weight
    assert found.log_joint(["a dull plot"]).tolist() == same.log_joint(["a dull plot"]).tolist()
    shell.do("tercet inspect margin.tercet --config > recipe.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml")
    assert tercet.load("again.tercet").model.class_weight == class_weight


def test_a_class_weight_changes_the_scores_towards_its_label(shell: Shell) -> None:
    scores = []
    for weights in ("bad=9,good=1", "bad=1,good=9"):
        shell.do(f"tercet train reviews.csv -o margin.tercet --model svm --class-weight {weights}")
        scores.append(tercet.load("margin.tercet").log_joint(["film"])[0].tolist())
    assert scores[0][0] > scores[1][0]  # of bad
    assert scores[0][1] < scores[1][1]  # of good
