"""--labels: some of the labels only, learned again or decided between; and the laboratory's split and figures."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Shell

import tercet

PLANTS = {
    "rose": "red petals scent",
    "oak": "acorn bark leaves",
    "reed, tall": "water stem leaves",
    "fern": "green water shade",
}


def write_plants(path: str, n: int) -> None:
    rows = [
        {"text": f"{' '.join(words.split()[k % 2 : k % 2 + 2])} number {k}", "label": label}
        for k in range(n)
        for label, words in PLANTS.items()
    ]
    Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture
def plants(shell: Shell) -> Shell:
    write_plants("plants.jsonl", 12)
    write_plants("more.jsonl", 5)
    shell.do("tercet train plants.jsonl -o all.tercet --smoothing 0.5 --calibrate none --quiet")
    return shell


def test_train_learns_only_these_labels(plants: Shell) -> None:
    plants.do("tercet train plants.jsonl -o two.tercet --smoothing 0.5 --calibrate none --labels oak,rose --test more.jsonl")
    rows = [json.loads(line) for line in Path("plants.jsonl").read_text().splitlines()]
    chosen = [row for row in rows if row["label"] in ("oak", "rose")]
    Path("chosen.jsonl").write_text("".join(json.dumps(row) + "\n" for row in chosen))
    plants.do("tercet train chosen.jsonl -o same.tercet --smoothing 0.5 --calibrate none")
    assert Path("two.tercet").read_bytes() == Path("same.tercet").read_bytes()


def test_the_test_documents_of_a_training_have_these_labels_only(plants: Shell) -> None:
    line = "tercet train plants.jsonl -o two.tercet --fast --labels oak --labels rose"
    assert json.loads(plants.do(f"{line} --test more.jsonl --json").out)["test"]["n"] == 10
    assert json.loads(plants.do(f"{line} --test-share 0.25 --json").out)["test"]["n"] == 6


def test_predict_decides_only_between_these_labels(plants: Shell) -> None:
    model = tercet.load("all.tercet")
    assert isinstance(model, tercet.Categorizer)
    printed = plants.do("""tercet predict all.tercet "green water" --proba --json --labels '"reed, tall",oak'""").out
    oak, reed = model.restrict(["oak", "reed, tall"]).predict_proba(["green water"])[0]
    assert json.loads(printed)["label"] == "reed, tall"
    assert json.loads(printed)["probabilities"] == pytest.approx({"oak": oak, "reed, tall": reed})


def test_evaluate_measures_only_documents_of_these_labels(plants: Shell) -> None:
    report = json.loads(plants.do("tercet evaluate all.tercet more.jsonl --labels oak,rose --json").out)
    assert (report["n"], report["labels"]) == (10, ["oak", "rose"])
    printed = plants.do("tercet evaluate all.tercet more.jsonl --labels oak,rose --mistakes wrong.csv").out
    assert "10 documents, 2 labels" in printed


def test_a_label_that_no_test_document_has_may_be_decided_for(plants: Shell) -> None:
    rows = [line for line in Path("more.jsonl").read_text().splitlines() if json.loads(line)["label"] == "oak"]
    Path("oaks.jsonl").write_text("\n".join(rows))
    assert json.loads(plants.do("tercet evaluate all.tercet oaks.jsonl --labels oak,rose --json").out)["n"] == 5
    refused = plants("tercet evaluate all.tercet oaks.jsonl --labels fern,rose")
    assert (refused.code, "no document of oaks.jsonl has the label 'fern': there is 'oak'" in refused.err) == (2, True)


def test_compare_compares_models_on_these_labels(plants: Shell) -> None:
    plants.do("tercet train plants.jsonl -o two.tercet --smoothing 5 --calibrate none --labels oak,rose --quiet")
    compared = json.loads(plants.do("tercet compare all.tercet two.tercet more.jsonl --labels oak,rose --json").out)
    assert compared["n"] == 10
    refused = plants("tercet compare all.tercet two.tercet more.jsonl --labels oak,fern")
    assert (refused.code, "two.tercet has no label 'fern': it has 'oak', 'rose'" in refused.err) == (2, True)


def test_labels_that_are_numbers_are_named_as_text(shell: Shell) -> None:
    model = tercet.Categorizer("words").fit(["red rose", "oak bark", "green fern"], [1, 2, 3])
    model.save("numbers.tercet")
    Path("numbers.jsonl").write_text('{"text": "a rose", "label": 1}\n{"text": "a fern", "label": 3}\n')
    assert shell.do('tercet predict numbers.tercet "green oak" --labels 1,3').out.startswith("3\t")
    line = "tercet evaluate numbers.tercet numbers.jsonl --text text --label label --labels 1 --labels 3 --json"
    assert json.loads(shell.do(line).out)["labels"] == ["1", "3"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("train plants.jsonl -o x.tercet --labels oak,ros", "no document of plants.jsonl has the label 'ros': there is 'fern'"),
        ("train plants.jsonl -o x.tercet --labels oak,", "is not of the form LABEL,…"),
        (
            "predict all.tercet --string oak --labels oka",
            "the model has no label 'oka': it has 'fern', 'oak', 'reed, tall', 'rose'",
        ),
        ("evaluate all.tercet more.jsonl --labels rosa", "Did you mean 'rose'?"),
        ("compare all.tercet a.tercet more.jsonl --labels oak,rose", "a.tercet has no label 'oak': it has 'bad', 'good'"),
        ("train plants.jsonl -o x.tercet --labels oak", "names only 'oak': with one label there is nothing to decide"),
        ("evaluate all.tercet more.jsonl --labels oak", "names only 'oak'"),
        ("predict all.tercet --string oak --labels oak,oak", "names only 'oak'"),
        ("predict compact.tercet --string oak --labels oak", "is compact and decides between all its labels"),
    ],
)
def test_labels_that_are_no_sub_problem_are_refused(line: str, message: str, plants: Shell) -> None:
    plants.do("tercet train plants.jsonl -o compact.tercet --fast --compact --quiet")
    refused = plants(f"tercet {line}")
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]
    assert not Path("x.tercet").exists()


# The laboratory: every fourth tercet of each cantica is for testing.

RECIPE = (
    "--tokens whitespace --no-lowercase --unicode-form none --word-ngrams 1 --kind multinomial --prior uniform --calibrate none"
)
FIGURES = [
    (
        "0.001",
        {"inferno": 52.50, "purgatorio": 47.51, "paradiso": 57.21},
        52.41,
        {"inferno,paradiso": 74.56, "inferno,purgatorio": 61.97, "purgatorio,paradiso": 65.05},
        {"inferno,paradiso": 74.56, "inferno,purgatorio": 61.97, "purgatorio,paradiso": 65.05},
    ),
    (
        "1",
        {"inferno": 61.25, "purgatorio": 50.50, "paradiso": 63.68},
        58.47,
        {"inferno,paradiso": 80.42, "inferno,purgatorio": 68.20, "purgatorio,paradiso": 68.78},
        {"inferno,paradiso": 80.30, "inferno,purgatorio": 68.33, "purgatorio,paradiso": 68.53},
    ),
]


def write_commedia(corpus: Callable[[str], Any]) -> None:
    """All tercets in one file, so that every fourth of a cantica, from the first, is one of the test file."""
    waiting = {name: corpus(f"dante/{name}") for name in ("train", "test")}
    with open("commedia.jsonl", "w", encoding="utf-8") as file:
        for label in ("inferno", "purgatorio", "paradiso"):
            train, test = (iter([row for row in rows if row["label"] == label]) for rows in waiting.values())
            n = sum(row["label"] == label for rows in waiting.values() for row in rows)
            file.writelines(json.dumps(next(train if k % 4 else test)) + "\n" for k in range(n))


def measure(shell: Shell, line: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(shell.do(f"tercet evaluate {line} --json --quiet").out)
    return report


def percent(estimate: dict[str, float]) -> float:
    return round(100 * estimate["value"], 2)


def test_the_figures_of_the_laboratory_come_from_the_command_line(shell: Shell, corpus: Callable[[str], Any]) -> None:
    write_commedia(corpus)
    shell.do("tercet split commedia.jsonl --every 4 --text text_latin1 -o lab")
    for name in ("train", "test"):
        written = [json.loads(line) for line in Path(f"lab/{name}.jsonl").read_text(encoding="utf-8").splitlines()]
        assert sorted(written, key=str) == sorted(corpus(f"dante/{name}"), key=str)
    for smoothing, recalls, accuracy, retrained, rows_kept in FIGURES:
        train = f"tercet train lab/train.jsonl --text text_latin1 {RECIPE} --calibrate none --smoothing {smoothing} --quiet"
        shell.do(f"{train} -o three.tercet")
        report = measure(shell, "three.tercet lab/test.jsonl")
        assert {row["label"]: percent(row["recall"]) for row in report["per_label"]} == recalls
        assert percent(report["metrics"]["accuracy"]) == accuracy
        for labels, expected in rows_kept.items():
            kept = measure(shell, f"three.tercet lab/test.jsonl --labels {labels}")
            assert percent(kept["metrics"]["accuracy"]) == expected
            shell.do(f"{train} -o two.tercet --labels {labels}")
            again = measure(shell, f"two.tercet lab/test.jsonl --labels {labels}")
            assert percent(again["metrics"]["accuracy"]) == retrained[labels]
