"""Calibration, abstaining and label sets on the command line are those of the library."""

import csv
import io
import json

import pytest
from helpers.command_line import Shell

import tercet

MODEL = "careful.tercet"


@pytest.fixture
def texts(shell: Shell) -> list[str]:
    with open("test.csv", newline="") as file:
        return [row["text"] for row in csv.DictReader(file)]


def test_train_calibrates_as_the_library_does_and_says_by_how_much(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o one.tercet --fast --calibrate length")
    found = tercet.load("one.tercet")
    assert isinstance(found, tercet.Categorizer)
    assert found.fitted_.calibrator is not None
    before, after = (f"{error:.3f}" for error in (found.fitted_.calibrator.error_before, found.fitted_.calibrator.error_after))
    assert "; calibration length" in told.out
    (line,) = (line for line in told.out.splitlines() if line.startswith("calibration error"))
    assert line.split() == ["calibration", "error", before, after]
    printed = json.loads(shell.do("tercet train reviews.csv -o one.tercet --fast --calibrate length --json").out)
    assert printed["calibration"] == found.fitted_.calibrator.summarize()


@pytest.mark.parametrize("model", ["bayes", "nbsvm", "svm", "logistic", "auto"])
def test_every_model_is_calibrated_unless_none_is_asked_for(shell: Shell, model: str) -> None:
    told = shell.do(f"tercet train reviews.csv -o one.tercet --model {model}")
    calibrated = tercet.load("one.tercet")
    method = calibrated.describe()["calibration"]
    assert ("; calibrated" if method == "softmax" else f"; calibration {method}") in told.out
    assert calibrated.predict_sets(["a lovely film"], 0.9)
    told = shell.do(f"tercet train reviews.csv -o two.tercet --model {model} --calibrate none")
    assert "calibration" not in told.out
    assert tercet.load("two.tercet").describe()["calibration"] is None
    printed = shell.do(f"tercet train reviews.csv -o two.tercet --model {model} --calibrate none --json").out
    assert json.loads(printed)["calibration"] is None


@pytest.mark.parametrize(
    "labels", [["x", "x", "x"], ["x", "y"], ["x", "y", "z"], ["x", "x", "y"], ["x"]], ids=lambda labels: "".join(labels)
)
def test_tiny_data_are_trained_without_complaints_about_calibration(shell: Shell, labels: list[str]) -> None:
    rows = "".join(f"text {label} number {i},{label}\n" for i, label in enumerate(labels))
    (shell.folder / "tiny.csv").write_text("text,label\n" + rows)
    told = shell.do("tercet train tiny.csv -o tiny.tercet --fast --text text --label label")
    assert "calibrat" not in told.err
    assert "Warning" not in told.err
    assert shell.do("tercet predict tiny.tercet tiny.csv").out.count("\n") == len(labels)


def test_a_recipe_keeps_the_way(shell: Shell) -> None:
    shell.do(f"tercet inspect {MODEL} --config > recipe.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml")
    assert (shell.folder / "again.tercet").read_bytes() == (shell.folder / MODEL).read_bytes()
    assert (
        json.loads(shell.do(f"tercet inspect {MODEL} --json").out)["calibration"]
        == tercet.load(MODEL).describe()["calibration"]
    )
    assert ["calibration", "none"] in map(str.split, shell.do("tercet inspect raw.tercet").out.splitlines())
    shell.do("tercet inspect raw.tercet --config > recipe.toml")
    shell.do("tercet train reviews.csv -o again.tercet --config recipe.toml")
    assert (shell.folder / "again.tercet").read_bytes() == (shell.folder / "raw.tercet").read_bytes()


def test_predict_abstains_as_the_library_does(shell: Shell, texts: list[str]) -> None:
    c = tercet.load(MODEL)
    limit = sorted(c.predict_proba(texts).max(axis=1))[len(texts) // 2]
    answers = c.predict(texts, abstain_below=limit).tolist()
    assert None in answers
    assert set(answers) > {None}
    tabs = [line.split("\t") for line in shell.do(f"tercet predict {MODEL} test.csv --abstain-below {limit}").out.splitlines()]
    assert [row[0] for row in tabs] == [answer or "" for answer in answers]
    assert [float(row[1]) for row in tabs] == c.predict_proba(texts).max(axis=1).round(6).tolist()
    objects = shell.do(f"tercet predict {MODEL} test.csv --abstain-below {limit} --json").out.splitlines()
    assert [json.loads(line)["label"] for line in objects] == answers
    kept = shell.do(f"tercet predict {MODEL} test.csv --abstain-below {limit} --csv --columns id").out
    assert [row[1] for row in csv.reader(io.StringIO(kept))][1:] == [answer or "" for answer in answers]


@pytest.mark.parametrize("coverage", [0.5, 0.95])
def test_predict_gives_the_sets_of_the_library(shell: Shell, texts: list[str], coverage: float) -> None:
    sets = [list(found) for found in tercet.load(MODEL).predict_sets(texts, coverage)]
    assert len({len(found) for found in sets}) > 1
    command = f"tercet predict {MODEL} test.csv --coverage {coverage}"
    tabs = [line.split("\t") for line in shell.do(command).out.splitlines()]
    assert [[label for label in row[::2] if label] for row in tabs] == sets
    assert [len(row) for row in tabs] == [2 * max(len(found), 1) for found in sets]  # no tabs after the last label
    table = list(csv.reader(io.StringIO(shell.do(f"{command} --csv").out)))
    assert table[1:] == [row + [""] * (4 - len(row)) for row in tabs]
    objects = [json.loads(line) for line in shell.do(f"{command} --json").out.splitlines()]
    assert [list(row["probabilities"]) for row in objects] == sets
    assert [row["label"] for row in objects] == [found[0] if found else None for found in sets]


def test_a_label_exactly_at_the_threshold_is_in_the_set(shell: Shell) -> None:
    with open("test.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    held, labels = [row["text"] for row in rows], [row["label"] for row in rows]
    c = tercet.load("raw.tercet").calibrate_on(held, labels)  # type: ignore[union-attr]
    c.save("tie.tercet")
    threshold, probabilities = c.find_threshold(0.6), c.predict_proba(held)
    places = c.classes_.tolist()
    tied = [i for i, label in enumerate(labels) if probabilities[i, places.index(label)] == threshold]
    assert tied
    answers = [
        json.loads(line) for line in shell.do("tercet predict tie.tercet test.csv --coverage 0.6 --json").out.splitlines()
    ]
    assert all(labels[i] in answers[i]["probabilities"] for i in tied)


def test_compact_models_keep_it(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o small.tercet --fast --compact")
    command = "tercet predict {} test.csv --coverage 0.9"
    assert shell.do(command.format("small.tercet")).out[:4] == shell.do(command.format(MODEL)).out[:4]


def test_merging_says_that_the_sum_is_not_calibrator(shell: Shell) -> None:
    for name in ("reviews", "new"):
        shell.do(f"tercet train {name}.csv -o {name}.tercet --calibrate temperature --smoothing 0.5")
    assert "the sum is not calibrated" in shell.do("tercet merge reviews.tercet new.tercet -o all.tercet").err
    assert json.loads(shell.do("tercet inspect all.tercet --json").out)["calibration"] is None
    shell.do("tercet merge reviews.tercet raw.tercet -o all.tercet")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("predict raw.tercet test.csv --coverage 0.9", "the categorizer is not calibrated"),
        ("predict careful.tercet test.csv --coverage 0", "0<x<=1"),
        ("predict careful.tercet test.csv --abstain-below 1.5", "0<=x<=1"),
        ("predict careful.tercet test.csv --abstain-below 0.5 --coverage 0.9", "ask for one of them"),
        ("predict careful.tercet test.csv --top 2 --coverage 0.9", "ask for one of them"),
        ("train reviews.csv -o m.tercet --calibrate beta", "'beta' is not one of 'auto'"),
    ],
)
def test_what_can_not_be_asked_is_said_in_a_line(shell: Shell, options: str, why: str) -> None:
    told = shell(f"tercet {options}")
    assert told.code == 2
    assert why in told.err
    assert told.out == ""
