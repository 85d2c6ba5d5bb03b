"""evaluate and compare at the command line: metrics, intervals and levels by name, and answers from files."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Shell

import tercet
from tercet.cli.evaluate import INTERVALS
from tercet.evaluation import resampling


def read_rows(name: str) -> list[dict[str, str]]:
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(name: str, rows: list[dict[str, Any]]) -> None:
    with Path(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def measure(shell: Shell, line: str) -> Any:
    return json.loads(shell.do(f"tercet evaluate {line} --json").out)


def forget_baselines(report: Any) -> Any:
    """The report without its baselines: a model knows the majority label of its training data, and answers in a file do not."""
    if isinstance(report, list):
        return [forget_baselines(each) for each in report]
    if not isinstance(report, dict):
        return report
    return {name: forget_baselines(each) for name, each in report.items() if name != "baseline"}


def test_files_that_predict_writes_give_the_report_of_the_model(shell: Shell) -> None:
    """Also with the probabilities, which CSV has with six digits and JSON has in full."""
    wanted = forget_baselines(measure(shell, "a.tercet test.csv --by source"))
    shell.do("tercet predict a.tercet test.csv -o answers.jsonl --proba")
    assert forget_baselines(measure(shell, "--gold test.csv --predicted answers.jsonl --by source")) == wanted
    rounded = measure(shell, "--gold test.csv --predicted answers_a.csv --by source")
    assert {name: each["value"] for name, each in rounded["metrics"].items()} == pytest.approx(
        {name: each["value"] for name, each in wanted["metrics"].items()}, abs=1e-5
    )
    assert rounded["confusion"] == wanted["confusion"]
    shell.do("tercet predict a.tercet test.csv -o answers.parquet --proba")
    assert forget_baselines(measure(shell, "--gold test.csv --predicted answers.parquet --by source")) == wanted


def test_a_gold_label_that_the_system_does_not_know_has_probability_0(shell: Shell) -> None:
    rows = read_rows("test.csv")
    write_rows("other.csv", [row | {"label": "so-so" if int(row["id"]) < 5 else row["label"]} for row in rows])
    shell.do("tercet predict a.tercet other.csv -o answers.jsonl --proba")
    found = measure(shell, "--gold other.csv --predicted answers.jsonl")
    assert found["metrics"]["log_loss"]["value"] == pytest.approx(
        measure(shell, "a.tercet other.csv")["metrics"]["log_loss"]["value"]
    )
    assert found["labels"] == ["bad", "good", "so-so"]


def test_answers_without_probabilities_have_metrics_of_labels_only(shell: Shell) -> None:
    shell.do("tercet predict a.tercet test.csv --csv --columns id > labels.csv")
    found = measure(shell, "--gold test.csv --predicted labels.csv")
    assert "log_loss" not in found["metrics"]
    assert found["metrics"] == {
        name: each for name, each in measure(shell, "a.tercet test.csv")["metrics"].items() if name in found["metrics"]
    }
    shell.do("tercet predict a.tercet test.csv --csv --top 2 > top.csv")
    assert "log_loss" in measure(shell, "--gold test.csv --predicted top.csv")["metrics"]  # two labels are all


def test_answers_of_two_systems_are_compared_as_their_models_are(shell: Shell) -> None:
    options = "--metric f2:good --metric accuracy --level 0.99 --resamples 500 --seed 3 --json"
    by_models = json.loads(shell.do(f"tercet compare a.tercet b.tercet test.csv {options}").out)
    by_files = json.loads(shell.do(f"tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv {options}").out)
    for key in ("n", "metric", "test", "signature"):
        assert by_files[key] == by_models[key]
    for key in ("difference", "p_value", "n_needed"):
        assert by_files["rows"][0][key] == by_models["rows"][0][key]
    assert list(by_files["scores"]) == list(by_files["others"]["accuracy"]) == ["a", "b"]
    assert "|interval:bca99+wilson99|resamples:500|seed:3|" in by_files["signature"]


def test_compare_of_files_is_compare_of_lists(shell: Shell) -> None:
    gold = [row["label"] for row in read_rows("test.csv")]
    answers = {name: [row["predicted_label"] for row in read_rows(f"answers_{name}.csv")] for name in "ab"}
    wanted = tercet.compare(gold, answers, "macro_f1", test="paired_bootstrap", baseline="b", confidence=0.9)
    line = "--metric macro_f1 --test paired_bootstrap --baseline b --level 0.9"
    found = shell.do(f"tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv {line}")
    assert found.out == wanted.to_table() + "\n"


def test_the_course_at_the_command_line(shell: Shell) -> None:
    Path("gold.txt").write_text("spam\n" * 500 + "ham\n" * 500)
    Path("answers.txt").write_text("spam\n" * 300 + "ham\n" * 515 + "spam\n" * 185)
    line = "--gold gold.txt --predicted answers.txt --metric accuracy --metric f2:spam"
    wald = measure(shell, f"{line} --interval wald")["metrics"]
    assert (round(wald["accuracy"]["low"], 5), round(wald["accuracy"]["high"], 5)) == (0.58484, 0.64516)
    assert list(wald) == ["accuracy", "f2:spam"]
    assert (wald["accuracy"]["method"], wald["f2:spam"]["method"]) == ("wald", "bca")
    assert wald["f2:spam"]["value"] == pytest.approx(5 * 300 / (4 * 500 + 485))
    drawn = measure(shell, f"{line} --interval percentile --resamples 2000")["metrics"]["accuracy"]
    assert (drawn["low"], drawn["high"]) == pytest.approx((0.585, 0.645), abs=0.004)
    wide = measure(shell, f"{line} --interval wald --level 0.99")["metrics"]["accuracy"]
    assert wide["high"] - wide["low"] == pytest.approx((0.64516 - 0.58484) * 2.575829 / 1.959964, abs=1e-4)
    told = shell.do(f"tercet evaluate {line} --interval wald --level 0.99").out
    assert "intervals: wald for accuracy, precision, recall; bca for f2:spam, f1, better by" in told
    assert told.startswith("1000 documents, 2 labels; 99 % intervals in brackets")


@pytest.mark.parametrize("name", ["answers.csv", "answers.jsonl"])
def test_ids_bring_answers_into_the_order_of_the_gold_labels(shell: Shell, name: str) -> None:
    wanted = measure(shell, "--gold test.csv --predicted answers_a.csv")
    rows = read_rows("answers_a.csv")[::-1]
    if name == "answers.csv":
        write_rows(name, rows)
    else:
        Path(name).write_text(
            "".join(json.dumps({"id": int(row["id"]), "pred": row["predicted_label"]}) + "\n" for row in rows)
        )
    found = measure(shell, f"--gold test.csv --predicted {name}")
    assert found["confusion"] == wanted["confusion"]
    assert found["metrics"]["accuracy"] == wanted["metrics"]["accuracy"]
    renamed = [{"nr": row["id"], "verdict": row["predicted_label"]} for row in rows]
    write_rows("renamed.csv", renamed)
    write_rows("gold.csv", [{"nr": row["id"], "truth": row["label"]} for row in read_rows("test.csv")])
    by_name = "--gold gold.csv --predicted renamed.csv --id-column nr --label truth --predicted-label verdict"
    assert measure(shell, by_name)["confusion"] == wanted["confusion"]


@pytest.mark.parametrize("name", ["Prediction", "y_pred", "PREDICTED"])
def test_a_prediction_is_never_mistaken_for_the_gold_label_beside_it(shell: Shell, name: str) -> None:
    rows = [{"label": row["label"], name: row["predicted_label"]} for row in read_rows("answers_a.csv")]
    write_rows("both.csv", rows)
    told = shell.do("tercet evaluate --gold both.csv --predicted both.csv --json")
    assert json.loads(told.out)["confusion"] == measure(shell, "a.tercet test.csv")["confusion"]
    assert "both.csv: its rows belong to those of both.csv in the same order, because there is no column of ids" in told.err


def test_weights_of_the_gold_file_count(shell: Shell) -> None:
    rows = read_rows("test.csv")
    write_rows("gold.csv", [{"id": row["id"], "label": row["label"], "n": place % 3} for place, row in enumerate(rows)])
    predicted = [row["predicted_label"] for row in read_rows("answers_a.csv")]
    gold, weights = [row["label"] for row in rows], [float(place % 3) for place in range(len(rows))]
    wanted = tercet.evaluate(gold, predicted, weights=weights, metrics=["accuracy"]).to_dict()["metrics"]
    assert measure(shell, "--gold gold.csv --predicted answers_a.csv --weight n --metric accuracy")["metrics"] == wanted
    difference = shell.do("tercet compare --gold gold.csv a=answers_a.csv b=answers_b.csv --weight n --json").out
    assert json.loads(difference)["scores"]["a"] == wanted["accuracy"]


def test_labels_that_begin_like_formulas_are_the_gold_labels(shell: Shell) -> None:
    write_rows("gold.csv", [{"label": label, "text": f"{label} so"} for label in ("=a", "+b", "-c", "=a")])
    shell.do("tercet train gold.csv -o x.tercet --model bayes --quiet --text text --label label")
    shell.do("tercet predict x.tercet gold.csv -o answers.csv --text text")
    assert "'=a" in Path("answers.csv").read_text()
    assert measure(shell, "--gold gold.csv --predicted answers.csv --label label")["labels"] == ["+b", "-c", "=a"]


def test_the_command_line_has_all_intervals_of_the_library() -> None:
    assert sorted(INTERVALS) == sorted(resampling.INTERVALS)


def test_the_answers_may_come_from_a_pipe(shell: Shell) -> None:
    told = shell.do("tercet evaluate --gold test.csv --predicted - --html page.html < answers_a.csv")
    assert told.out == shell.do("tercet evaluate --gold test.csv --predicted answers_a.csv").out
    assert "<table" in Path("page.html").read_text()


def test_a_threshold_is_measured_on_answers_with_probabilities(shell: Shell) -> None:
    found = measure(shell, "--gold test.csv --predicted answers_a.csv --threshold good=0.8")["thresholds"]
    assert [(each["label"], each["threshold"]) for each in found] == [("good", 0.8)]


def spoil_answers() -> None:
    """Files of answers with something wrong, and gold labels without ids."""
    rows = read_rows("answers_a.csv")
    write_rows("short.csv", rows[:30])
    write_rows("bare.csv", [{"label": row["predicted_label"]} for row in rows[:30]])
    write_rows("other_ids.csv", [row | {"id": row["id"] if row["id"] != "7" else "77"} for row in rows])
    write_rows("twice.csv", [row | {"id": "6" if row["id"] == "7" else row["id"]} for row in rows])
    write_rows("foreign.csv", [{"label": "hot" if row["label"] == "good" else "cold"} for row in rows])
    write_rows("missing.csv", [{"id": row["id"], "label": row["label"] if row["id"] != "3" else ""} for row in rows])
    write_rows("unclear.csv", [{"x": row["label"], "z": row["source"]} for row in rows])
    write_rows("words.csv", [row | {"probability": "high"} for row in rows])
    write_rows("partial.csv", [row | {"probability_2": "0.0"} for row in rows])


GIVEN = "tercet evaluate --gold test.csv --predicted answers_a.csv"
LINES = {
    "tercet evaluate --gold test.csv --predicted short.csv": "test.csv has 40 gold labels and short.csv has 30 answers, and "
    "there is no answer for 10 of them: id '30', '31', '32', '33', '34', '35', '36', '37', '38', '39'. Every document needs",
    "tercet evaluate --gold test.csv --predicted bare.csv": "test.csv has 40 gold labels and bare.csv "
    "has 30 answers: which answer belongs to which document?",
    "tercet compare --gold test.csv a=answers_a.csv b=bare.csv": "test.csv has 40 gold labels and bare",
    "tercet evaluate --gold test.csv --predicted other_ids.csv": "there is no answer for 1 of them: id '7'.",
    "tercet evaluate --gold short.csv --label label --predicted answers_a.csv": "there is no gold label for 10 of them: id",
    "tercet evaluate --gold test.csv --predicted twice.csv": "twice.csv has the id '6' twice, and the files have different",
    "tercet evaluate --gold test.csv --predicted foreign.csv": "no answer of foreign.csv is a gold label: the answers are "
    "'cold', 'hot', and the gold labels 'bad', 'good'. Name the right columns with --predicted-label and --label.",
    "tercet evaluate --gold test.csv --predicted missing.csv": "missing.csv, line 5: it has no label. Every document needs one",
    "tercet evaluate --gold test.csv --predicted unclear.csv": "may be the label: name one of them with --predicted-label.",
    "tercet evaluate --gold unclear.csv --predicted answers_a.csv": "may be the label: name one of them with --label.",
    "tercet evaluate --gold test.csv --predicted words.csv": "words.csv: the probability of answer 1 is 'high', not a number.",
    "tercet evaluate --gold test.csv --predicted nowhere.csv": "nowhere.csv does not exist: check the name and the folder.",
    "tercet evaluate --gold - --predicted -": "standard input can be read only once: give - once.",
    "tercet evaluate --gold a.tercet --predicted answers_a.csv": "a.tercet is a model, not data",
    "tercet evaluate --gold test.csv": "--gold needs answers to measure: give their file with --predicted.",
    "tercet evaluate --predicted answers_a.csv": "--predicted is for answers from files: give the file of gold labels with",
    "tercet evaluate a.tercet test.csv --id-column id": "--id-column is for answers from files",
    "tercet evaluate a.tercet --gold test.csv --predicted answers_a.csv": "without a model: leave out --gold or a model.",
    "tercet evaluate a.tercet": "give a model and the data to measure it on, or --gold and --predicted.",
    "tercet evaluate": "give a model and the data to measure it on, or --gold and --predicted.",
    f"{GIVEN} --on-error skip": "without a model: leave out --gold or --on-error.",
    f"{GIVEN} --mistakes m.csv": "without a model: leave out --gold or --mistakes.",
    f"{GIVEN} --id-column nr": "test.csv has no column 'nr': it has 'id', 'text', 'label', 'source'. Name one of these with",
    f"{GIVEN} --by nr": "test.csv has no column 'nr': it has 'id', 'text', 'label', 'source'. Name one of these with --by.",
    f"{GIVEN} --predicted-label nr": "answers_a.csv has no column 'nr'",
    f"{GIVEN} --html answers_a.csv": "answers_a.csv is read and would be overwritten",
    f"{GIVEN} --interval jeffreys": "'jeffreys' is not one of 'wilson', 'wald', 'clopper_pearson', 'percentile', 'bca'.",
    f"{GIVEN} --metric beauty": "there is no metric 'beauty'. Did you mean 'accuracy'? There are accuracy, balanced_accuracy,",
    f"{GIVEN} --metric f2:gut": "asks for the label 'gut', which is in neither gold nor predicted. Did you mean 'good'?",
    f"{GIVEN} --level 0": "Invalid value for '--level': 0.0 is not in the range 0<x<1.",
    f"{GIVEN} --level 1": "Invalid value for '--level': 1.0 is not in the range 0<x<1.",
    f"{GIVEN} --resamples 1": "resamples must be an int >= 2, got 1: one resample has no spread.",
    "tercet compare --gold test.csv a=answers_a.csv": "a comparison takes the answers of at least two systems",
    "tercet compare --gold test.csv a=answers_a.csv a=answers_b.csv": "at least two systems with different names",
    "tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv --html answers_b.csv": "answers_b.csv is read and would be",
    "tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv --baseline c": "baseline='c' is not one of the systems",
    "tercet compare --gold test.csv a=answers_a.csv b=answers_b.csv --metric brier": "the metric 'brier' needs probabilities",
    "tercet compare a=answers_a.csv b=answers_b.csv": "To compare answers from files, give --gold.",
}


@pytest.mark.parametrize("line", LINES)
def test_what_can_not_be_measured_is_one_clear_error(line: str, shell: Shell) -> None:
    spoil_answers()
    told = shell(line)
    assert (told.code, told.out) == (2, "")
    complaint = told.err.splitlines()[-1]
    assert complaint.startswith("tercet: ")
    assert LINES[line] in complaint


def test_probabilities_that_do_not_sum_to_1_are_not_measured(shell: Shell) -> None:
    spoil_answers()
    told = shell.do("tercet evaluate --gold test.csv --predicted partial.csv")
    assert "partial.csv: the probabilities of a document do not sum to 1, so they are not measured" in told.err
    assert "log_loss" not in told.out
