"""The commands give what the library gives, and change files in one step or not at all."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell
from helpers.language_models import write_tiny_models

import tercet
from tercet.cli import commands, demo, train
from tercet.cli import talk as progress
from tercet.cli.options.config import list_given, list_recipe, make_categorizer, write_toml
from tercet.cli.options.option_values import read_selector, write_selector
from tercet.data.documents import DocumentBatch
from tercet.models.smoothing import read_smoothing, write_smoothing
from tercet.text.presets import PRESETS


@pytest.fixture
def model(shell: Shell) -> str:
    """Of reviews.csv, with smoothing 0.5."""
    return "m.tercet"


def read_rows(name: str) -> list[dict[str, str]]:
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


def test_equal_documents_options_and_column_names_make_equal_files(shell: Shell, model: str) -> None:
    c = tercet.Categorizer(model=tercet.NaiveBayes("binary", 0.5), calibrate="auto")
    tercet.train(tercet.read("reviews.csv"), categorizer=c).categorizer.save("own.tercet")
    assert Path("own.tercet").read_bytes() == Path(model).read_bytes()


def test_only_the_record_tells_a_trained_model_from_a_fitted_one(shell: Shell, model: str) -> None:
    rows = read_rows("reviews.csv")
    c = tercet.Categorizer(model=tercet.NaiveBayes("binary", 0.5), calibrate="auto")
    c.fit([r["text"] for r in rows], [r["label"] for r in rows])
    trained = tercet.load(model)
    assert c.record_ is None
    assert trained.record_ is not None
    trained.publish(replace(trained.fitted_, record=None))
    c.save("own.tercet")
    trained.save("trained.tercet")
    assert Path("own.tercet").read_bytes() == Path("trained.tercet").read_bytes()


def test_train_chooses_the_smoothing_unless_told(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o m.tercet --fast")
    assert tercet.load("m.tercet").model.smoothing == "auto"


def test_the_baseline_of_evaluate_answers_the_majority_label_of_the_training_data(shell: Shell) -> None:
    Path("train.csv").write_text("text,label\n" + "a hen,farm\n" * 6 + "a fox,wood\n" * 4)
    Path("test.csv").write_text("text,label\n" + "the hen,farm\n" * 3 + "the fox,wood\n" * 7)
    for option in ("", "--compact"):
        shell.do(f"tercet train train.csv -o own.tercet {option}")
        shown = shell.do("tercet evaluate own.tercet test.csv").out
        assert "majority (farm)" in shown
        assert "In the test documents 'wood' is the most frequent." in shown
        written = json.loads(shell.do("tercet evaluate own.tercet test.csv --json").out)["baseline"]
        assert (written["label"], written["of"], written["metrics"]["accuracy"]["value"]) == ("farm", "training", 0.3)
    card = shell.do("tercet card own.tercet --test test.csv").out
    assert "Always answering 'farm' has accuracy 0.300. The majority label is that of the training data" in card


def test_train_tells_the_leave_one_out_estimate_beside_the_majority(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o m.tercet --fast --calibrate none")
    rows = read_rows("reviews.csv")
    texts, labels = [r["text"] for r in rows], [r["label"] for r in rows]
    report = tercet.load("m.tercet").leave_one_out(texts, labels, copies="all").report
    line = next(line for line in told.out.split("\n") if line.startswith("accuracy"))
    assert line.endswith(f"  {report.accuracy}  {report.baseline.estimates['accuracy']}")
    assert "looks mislabelled" in told.out
    assert "mistaken for" in told.out


def test_the_cpu_time_is_that_of_the_whole_process(tmp_path: Path) -> None:
    rows = [f"{'good fine lovely' if k % 2 else 'bad dull weak'} film number {k},{'+-'[k % 2]}" for k in range(9000)]
    (tmp_path / "many.csv").write_text("text,label\n" + "\n".join(rows) + "\n")
    before = os.times()
    line = [sys.executable, "-m", "tercet", "train", "many.csv", "-o", "m.tercet", "--json"]
    done = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    told = float(re.search(r"CPU time: ([\d.]+) s", done.stderr)[1])  # type: ignore[index]
    assert json.loads(done.stdout)["cpu_seconds"] == pytest.approx(told, abs=0.01)
    assert used - max(0.2 * used, 0.1) < told <= used + 0.02  # the rest ends the process


def test_the_summary_of_training_and_its_test_are_results(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o m.tercet --test test.csv")
    guess, of_test, times, written, contains = told.err.splitlines()  # talk: what was guessed, and what was written
    assert (guess.split(":")[0], of_test.split(":")[0]) == ("reviews.csv", "test.csv")
    assert re.match(r"CPU time: \d+\.\d\d s, of which NB-SVM on words \d", times)
    assert written.startswith("written: m.tercet (")
    assert contains == "this file contains the training texts; --no-documents leaves them out"
    assert [told.out.count(f"\n{title} ") for title in ("accuracy", "member", "test")] == [2, 1, 1]
    quiet = shell.do("tercet train reviews.csv -o m.tercet --test test.csv --quiet")
    assert (quiet.out, quiet.err) == (told.out, "")  # it has no times, so equal inputs give equal results


def test_a_command_whose_result_is_a_file_prints_only_talk(shell: Shell) -> None:
    told = [
        shell.do("tercet learn m.tercet new.csv -o grown.tercet"),
        shell.do("tercet forget reviews.tercet removed.csv -o less.tercet"),
        shell.do("tercet merge north.tercet south.tercet -o sum.tercet"),
    ]
    assert [one.out for one in told] == ["", "", ""]
    assert all("written: " in one.err for one in told)


def test_train_gives_json_for_machines(shell: Shell) -> None:
    told = shell.do("tercet train reviews.csv -o m.tercet --test test.csv --json --quiet")
    found = json.loads(told.out)
    assert told.err == ""
    assert (found["documents"], found["labels"], found["model"]) == (120, ["bad", "good"], "m.tercet")
    assert found["bytes"] == Path("m.tercet").stat().st_size
    assert found["estimate"]["n"] == 120
    assert found["test"]["n"] == 40
    facts = {"position", "label", "better", "probability", "beginning", "place", "row", "columns"}
    assert set(found["suspects"][0]) == facts


def test_folds_take_the_place_of_leave_one_out(shell: Shell) -> None:
    assert "5 folds" in shell.do("tercet train reviews.csv -o m.tercet --folds 5 --smoothing 1").out


def test_predict_says_what_the_library_says(shell: Shell, model: str) -> None:
    texts = [row["text"] for row in read_rows("test.csv")]
    lines = shell.do(f"tercet predict {model} test.csv").out.splitlines()
    c = tercet.load(model)
    assert [line.split("\t")[0] for line in lines] == c.predict(texts).tolist()
    probabilities = c.predict_proba(texts).max(axis=1)
    assert np.allclose([float(line.split("\t")[1]) for line in lines], probabilities, atol=1e-6)


def test_all_forms_of_an_answer_agree(shell: Shell, model: str) -> None:
    tabs = [line.split("\t") for line in shell.do(f"tercet predict {model} test.csv --proba").out.splitlines()]
    table = list(csv.reader(io.StringIO(shell.do(f"tercet predict {model} test.csv --proba --csv").out)))
    objects = [json.loads(line) for line in shell.do(f"tercet predict {model} test.csv --top 2 --json").out.splitlines()]
    assert table[0] == ["label", "probability", "label_2", "probability_2"]
    assert table[1:] == tabs
    assert [[row["label"], f"{row['probability']:.6f}"] for row in objects] == [row[:2] for row in tabs]
    assert all(list(row["probabilities"]) == [tab[0], tab[2]] for row, tab in zip(objects, tabs, strict=True))


def test_kept_columns_stand_before_the_answer(shell: Shell, model: str) -> None:
    rows = list(csv.DictReader(io.StringIO(shell.do(f"tercet predict {model} test.csv --csv --columns id,label").out)))
    given = read_rows("test.csv")
    assert [(row["id"], row["label"]) for row in rows] == [(row["id"], row["label"]) for row in given]
    assert set(rows[0]) == {"id", "label", "predicted_label", "probability"}
    assert shell.do(f"tercet predict {model} dull --string --csv --columns id").out.startswith("id,label,probability\n,bad,")


def test_there_are_as_many_answers_as_rows(shell: Shell, model: str) -> None:
    Path("odd.jsonl").write_text('{"text": "dull"}\n{"text": 3}\nnothing\n{"text": "lovely"}\n{"text": null}\n')
    told = shell.do(f"tercet predict {model} odd.jsonl --on-error skip")
    assert [line.split("\t")[0] for line in told.out.splitlines()] == ["bad", "", "", "good", ""]
    assert "3 of 5 rows" in told.err
    told = shell.do(f"tercet predict {model} odd.jsonl --on-error skip --json")
    assert [json.loads(line)["label"] for line in told.out.splitlines()] == ["bad", None, None, "good", None]


def test_lines_of_standard_input_are_documents(shell: Shell, model: str) -> None:
    lines = shell.do(f"tercet predict {model} - --format text < texts.txt").out.splitlines()
    assert [line.split("\t")[0] for line in lines[:2]] == ["bad", "good"]
    assert len(lines) == 3  # the empty one, too


def test_an_input_is_a_file_if_there_is_one(shell: Shell, model: str) -> None:
    Path("lovely").write_text("dull\nboring\n")
    assert len(shell.do(f"tercet predict {model} lovely --format text").out.splitlines()) == 2
    assert shell.do(f"tercet predict {model} lovely --string").out.startswith("good\t")
    assert shell(f"tercet predict {model} nowhere --file").code == 2
    assert shell.do(f"tercet predict {model} ''").out.startswith(("good\t", "bad\t"))  # an empty text
    assert shell.do(f"tercet predict {model} '{'dull ' * 2000}'").out.startswith("bad\t")


def test_odd_labels_stay_on_their_line(shell: Shell) -> None:
    Path("odd.jsonl").write_text(
        "".join(json.dumps({"text": text, "label": label}) + "\n" for text, label in [("a", "x\ty"), ("b", "x\ny\\")] * 3)
    )
    shell.do("tercet train odd.jsonl -o odd.tercet")
    assert [line.split("\t")[0] for line in shell.do("tercet predict odd.tercet a b --string").out.splitlines()] == [
        "x\\ty",
        "x\\ny\\\\",
    ]
    objects = map(json.loads, shell.do("tercet predict odd.tercet a b --string --json").out.splitlines())
    assert [row["label"] for row in objects] == ["x\ty", "x\ny\\"]


def test_documents_that_were_learned_are_too_easy_and_it_is_said(shell: Shell, model: str) -> None:
    n = len(read_rows("reviews.csv"))
    said = f"has learned {n} of the {n} documents"
    assert said in shell.do(f"tercet evaluate {model} reviews.csv").err
    assert said in shell.do("tercet train reviews.csv -o again.tercet --test reviews.csv").err
    assert "has learned" not in shell.do(f"tercet evaluate {model} test.csv").err
    shell.do("tercet train test.csv -o other.tercet")
    compared = shell.do(f"tercet compare {model} other.tercet test.csv").err
    assert "other.tercet has learned" in compared
    assert f"{model} has learned" not in compared
    for options in ("--compact", "--no-fingerprints"):
        shell.do(f"tercet train reviews.csv -o small.tercet {options}")
        assert "has learned" not in shell.do("tercet evaluate small.tercet reviews.csv").err


def test_evaluate_reports_what_the_library_reports(shell: Shell, model: str) -> None:
    rows = read_rows("test.csv")
    gold, c = [row["label"] for row in rows], tercet.load(model)
    texts = [row["text"] for row in rows]
    probabilities = c.predict_proba(texts)
    slices = {"source": [row["source"] for row in rows]}
    documents = DocumentBatch(texts, columns=slices, source="test.csv, line ", lines=range(2, 2 + len(texts)))
    options: Any = {"slices": slices, "labels": c.classes_, "texts": documents, "explain": c.explain}
    options["majority"] = c.majority_label_
    report = tercet.evaluate(gold, c.classes_[probabilities.argmax(axis=1)], probabilities, **options)
    assert json.loads(shell.do(f"tercet evaluate {model} test.csv --by source --json").out) == report.to_dict()
    assert shell.do(f"tercet evaluate {model} test.csv --by source").out == report.to_table() + "\n"
    assert shell.do(f"tercet evaluate {model} test.csv --by source --markdown").out == report.to_markdown() + "\n"
    assert shell.do(f"tercet evaluate {model} test.csv --by source --latex").out == report.to_latex() + "\n"
    shell.do(f"tercet evaluate {model} test.csv --by source --html r.html")
    assert report.to_html() in Path("r.html").read_text()
    assert Path("r.html").read_text().startswith("<!doctype html>")


def test_a_label_never_seen_is_counted_as_wrong(shell: Shell, model: str) -> None:
    Path("other.csv").write_text("text,label\ndull plot,bad\nlovely film,splendid\n")
    assert json.loads(shell.do(f"tercet evaluate {model} other.csv --json").out)["metrics"]["accuracy"]["value"] == 0.5


def test_compare_says_what_may_be_claimed(shell: Shell, model: str) -> None:
    shell.do("tercet train new.csv -o small.tercet --smoothing 1")
    told = shell.do(f"tercet compare {model} small.tercet test.csv --json --metric macro_f1")
    gold, texts = [row["label"] for row in read_rows("test.csv")], [row["text"] for row in read_rows("test.csv")]
    answers = {name: tercet.load(name).predict(texts) for name in (model, "small.tercet")}
    assert json.loads(told.out) == tercet.compare(gold, answers, "macro_f1").to_dict()


def test_explain_shows_the_evidence(shell: Shell, model: str) -> None:
    explanation = tercet.load(model).explain("not a dull film", "good")
    assert json.loads(shell.do(f"tercet explain {model} 'not a dull film' --label good --json").out) == explanation.to_dict()
    assert explanation.to_table(3) in shell.do(f"tercet explain {model} 'not a dull film' --label good --terms 3").out
    shell.do(f"tercet explain {model} 'not a dull film' --label good --html why.html")
    assert explanation.to_html() in Path("why.html").read_text()


def test_explain_lists_the_parts_of_words_on_request(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o chars.tercet --char-ngrams 2-3 --char-ngrams-over words")
    explanation = tercet.load("chars.tercet").explain("not a dull film")
    plain, detailed = (
        shell.do(f"tercet explain chars.tercet 'not a dull film' --terms 3{option}").out for option in ("", " --detail")
    )
    assert explanation.to_table(3) in plain
    assert "char:" not in plain
    assert explanation.to_table(3, detail=True) in detailed
    assert "char:" in detailed
    shell.do("tercet explain chars.tercet 'not a dull film' --detail --html why.html")
    assert explanation.to_html(detail=True) in Path("why.html").read_text()
    assert "char:" in shell.do("tercet explain chars.tercet 'not a dull film' --json").out
    assert "char:" not in shell.do("tercet inspect chars.tercet").out.split("label")[-1]


def test_learn_then_forget_leaves_the_same_file(shell: Shell, model: str) -> None:
    before = Path(model).read_bytes()
    shell.do(f"tercet learn {model} new.csv")
    assert Path(model).read_bytes() != before
    shell.do(f"tercet forget {model} new.csv")
    assert Path(model).read_bytes() == before


def test_forgetting_what_was_never_learned_changes_nothing(shell: Shell, model: str) -> None:
    before = Path(model).read_bytes()
    refused = shell(f"tercet forget {model} new.csv")
    assert (refused.code, refused.out) == (2, "")
    assert "was never learned" in refused.err
    assert Path(model).read_bytes() == before


def read_without_record(path: str) -> bytes:
    """The bytes of the model without the record of its training."""
    model = tercet.load(path)
    model.publish(replace(model.fitted_, record=None))
    model.save("plain.tercet")
    return Path("plain.tercet").read_bytes()


def test_the_sum_of_parts_is_the_model_of_all_but_for_the_estimate(shell: Shell) -> None:
    lines = Path("reviews.csv").read_text().splitlines(keepends=True)
    Path("first.csv").write_text("".join(lines[:50]))
    Path("second.csv").write_text(lines[0] + "".join(lines[50:]))
    for part in ("first", "second"):
        shell.do(f"tercet train {part}.csv -o {part}.tercet --smoothing 0.5 --calibrate none")
    shell.do("tercet merge first.tercet second.tercet -o sum.tercet")
    assert read_without_record("sum.tercet") == read_without_record("raw.tercet")


def test_the_written_recipe_trains_the_same_model(shell: Shell) -> None:
    options = "--preset sentiment --stop-words the,a --char-ngrams 2-3 --select chi2:50 --min-documents 2 --prior uniform"
    Path("the,a").write_text("the\na\n")  # an option that takes a file
    shell.do(f"tercet train reviews.csv -o one.tercet {options}")
    shell.do("tercet inspect one.tercet --config > one.toml")
    shell.do("tercet train reviews.csv -o two.tercet --config one.toml")
    assert Path("one.tercet").read_bytes() == Path("two.tercet").read_bytes()


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_survives_as_a_recipe_file(name: str, tmp_path: Path) -> None:
    made = make_categorizer({"preset": name})
    path = tmp_path / "recipe.toml"
    path.write_text(write_toml(list_recipe(made)))
    context = train.command.make_context("train", ["data", "-o", str(tmp_path / "model"), "--config", str(path)])
    again = make_categorizer(list_given(context))
    assert again.analyzer == made.analyzer
    assert repr(again.model) == repr(made.model)


@pytest.mark.parametrize("written", ["auto", "table", "jelinek_mercer:0.5", "dirichlet:200.0", "absolute_discount:0.1"])
def test_a_smoothing_is_written_as_it_is_read(written: str) -> None:
    assert write_smoothing(read_smoothing(written)) == written


@pytest.mark.parametrize(
    "written",
    ["chi2:5", "ld:5:source", "without_most_frequent:3", "without_most_frequent:3:negations", "without_most_frequent:3:no,not"],
)
def test_a_selection_is_written_as_it_is_read(written: str) -> None:
    assert write_selector(read_selector(written)) == written


def test_the_command_line_wins_over_the_file(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o m.tercet --config recipe.toml --min-documents 3")
    c = tercet.load("m.tercet")
    assert (c.min_documents, c.model.smoothing.value) == (3, 50)


def test_a_recipe_file_may_name_one_of_several(shell: Shell) -> None:
    Path("one.toml").write_text('select = "chi2:7"\nsmoothing = 1\n')
    shell.do("tercet train reviews.csv -o m.tercet --config one.toml")
    assert write_selector(tercet.load("m.tercet").select[0]) == "chi2:7"


def test_numeric_columns_are_read_where_the_model_needs_them(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o m.tercet --numeric id --numeric n_words --smoothing 1")
    assert len(shell.do("tercet predict m.tercet test.csv").out.splitlines()) == 40
    shell.do("tercet evaluate m.tercet test.csv")
    shell.do("tercet learn m.tercet new.csv")
    shell.do("tercet train reviews.csv -o c.tercet --numeric id --smoothing 1 --compact")
    assert len(shell.do("tercet predict c.tercet test.csv").out.splitlines()) == 40


def test_the_column_of_a_selection_is_read_where_the_model_learns(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o m.tercet --select ld:30:source --smoothing 1")
    before = Path("m.tercet").read_bytes()
    shell.do("tercet learn m.tercet new.csv")
    shell.do("tercet forget m.tercet new.csv")
    assert Path("m.tercet").read_bytes() == before


def test_a_compact_model_decides_and_does_not_learn(shell: Shell, model: str) -> None:
    shell.do("tercet train reviews.csv -o c.tercet --smoothing 0.5 --compact")
    assert Path("c.tercet").stat().st_size < Path(model).stat().st_size
    full, small = (shell.do(f"tercet predict {name} test.csv").out.splitlines() for name in (model, "c.tercet"))
    assert [line.split("\t")[0] for line in full] == [line.split("\t")[0] for line in small]
    for line in ("learn c.tercet new.csv", "forget c.tercet new.csv", "merge c.tercet c.tercet -o d.tercet"):
        assert shell(f"tercet {line}").code == 2
    assert shell("tercet generate c.tercet good").code == 2
    assert shell("tercet inspect c.tercet --config").code == 2
    assert json.loads(shell.do("tercet inspect c.tercet --json").out)["compact"] is True


def test_without_fingerprints_nothing_tells_what_was_learned(shell: Shell, model: str) -> None:
    shell.do("tercet train reviews.csv -o bare.tercet --smoothing 0.5 --no-fingerprints")
    assert Path("bare.tercet").stat().st_size < Path(model).stat().st_size
    assert shell.do(f"tercet predict {model} test.csv").out == shell.do("tercet predict bare.tercet test.csv").out


def test_threads_change_nothing(shell: Shell, model: str) -> None:
    shell.do("tercet train reviews.csv -o one.tercet --smoothing 0.5 --threads 1")
    assert Path("one.tercet").read_bytes() == Path(model).read_bytes()


def test_inspect_tells_what_is_in_a_model(shell: Shell, model: str) -> None:
    facts = json.loads(shell.do(f"tercet inspect {model} --terms 2 --json").out)
    c = tercet.load(model)
    assert facts["fingerprint"] == c.table_.fingerprint()
    assert (facts["terms"], facts["smoothing"], facts["kind"]) == (len(c.table_), "additive:0.5", "binary")
    assert [row["documents"] for row in facts["labels"]] == c.table_.n_documents.tolist()
    assert facts["labels"][0]["terms"] == [term for term, _ in c.most_informative(2)["bad"]]
    assert facts["fingerprint"] in shell.do(f"tercet inspect {model}").out


def test_inspect_does_not_call_a_term_evidence_for_a_label_that_it_speaks_against(shell: Shell) -> None:
    tercet.Categorizer("words").fit(["fun", "dull"], ["good", "bad"]).save("small.tercet")
    facts = json.loads(shell.do("tercet inspect small.tercet --json").out)
    assert {row["label"]: row["terms"] for row in facts["labels"]} == {"bad": ["dull"], "good": ["fun"]}
    tercet.Categorizer("words").fit(["fun"], ["good"]).save("one.tercet")
    assert json.loads(shell.do("tercet inspect one.tercet --json").out)["labels"][0]["terms"] == ["fun"]


def test_generate_repeats_itself_by_seed(shell: Shell, model: str) -> None:
    text = tercet.load(model).generate("good", 7, 3)
    assert shell.do(f"tercet generate {model} good --words 7 --seed 3").out == text + "\n"
    found = shell.do(f"tercet generate {model} good --words 7 --seed 3 --json").out
    assert json.loads(found) == {"label": "good", "seed": 3, "text": text}


def test_quiet_says_nothing_but_results(shell: Shell, model: str) -> None:
    for line in ("train reviews.csv -o q.tercet", f"learn {model} new.csv", f"evaluate {model} test.csv --html r.html"):
        assert shell.do(f"tercet {line} --quiet").err == ""


def test_nothing_is_coloured_where_no_terminal_is(shell: Shell, model: str) -> None:
    assert (
        "\x1b" not in shell.do(f"tercet explain {model} 'a dull film'").out + shell.do(f"tercet evaluate {model} test.csv").out
    )


def test_a_bar_is_shown_for_what_takes_long(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Slow:
        n_bytes, bytes_read = 1000, 500

    monkeypatch.setattr(progress, "can_show_progress", lambda: True)
    with progress.show_progress(Slow(), "learning"):
        pass
    assert capsys.readouterr().err == ""  # it was quick
    monkeypatch.setattr(progress, "DELAY_SECONDS", 0.0)
    monkeypatch.setenv("FORCE_COLOR", "1")
    with progress.show_progress(Slow(), "learning"):
        time.sleep(0.3)
    assert "learning" in capsys.readouterr().err


def test_the_demo_runs_and_what_it_names_next_runs(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    words = {"Croatian": "svatko ima pravo tko", "Bosnian": "svako ima pravo ko", "Italian": "ogni individuo ha diritto"}
    phrases = {name: [f"{text} {k}" for k in "abcdefgh"] for name, text in words.items()}
    monkeypatch.setattr(demo, "read_declaration", lambda: phrases)
    monkeypatch.setenv("TERCET_CACHE", str(write_tiny_models(Path("models"))))
    told = shell.do("tercet demo --folder d")
    assert "Croatian" in told.out
    assert "exactly the same bytes" in told.err
    assert Path("d/report.html").exists()
    lines = [line.strip() for line in told.err.split("What to try next")[1].splitlines() if line.startswith("  tercet ")]
    assert len(lines) >= 5
    for line in lines:
        shell.do(line)


def test_the_declaration_is_there_in_hundreds_of_languages() -> None:
    pytest.importorskip("gflanguages")
    found = demo.read_declaration()
    assert len(found) > 500
    assert {"German", "Portuguese", "Croatian", "Bosnian"} <= set(found)
    assert all(len(phrases) >= demo.MIN_PHRASES for phrases in found.values())


PROGRAM = [sys.executable, "-m", "tercet"]


def test_the_entry_point_is_installed() -> None:
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="console_scripts", name="tercet")
    assert entry.value == "tercet.cli.main:main"
    assert subprocess.run([*PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.startswith("tercet ")


def test_a_closed_pipe_ends_the_program_without_a_word(shell: Shell, model: str) -> None:
    Path("many.txt").write_text("dull\n" * 200_000)
    command = [*PROGRAM, "predict", model, "many.txt", "--format", "text"]
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}  # without a buffer, Python itself takes half a write for a whole one
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=buffered) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def test_control_c_ends_the_program_in_one_line_and_leaves_no_file(shell: Shell) -> None:
    os.mkfifo("slow")
    command = [*PROGRAM, "train", "slow", "--format", "csv", "-o", "fresh.tercet"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process,
        open("slow", "w") as pipe,  # opens when the program reads
    ):
        pipe.write("text,label\nlovely,good\n")
        pipe.flush()
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err.splitlines()[1:]) == (130, ["tercet: stopped."])  # after the guess
    assert not list(Path().glob("*fresh*"))


def test_a_bug_shows_its_traceback_and_asks_for_a_report(shell: Shell, model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(commands.CommandGroup, "get_command", fail)
    broken = shell(f"tercet inspect {model}")
    assert broken.code == 1
    assert "Traceback" in broken.err
    assert broken.err.endswith("please report it with the lines above.\n")


def test_bad_rows_are_reported_at_once_or_listed_at_the_end(shell: Shell, model: str) -> None:
    Path("odd.jsonl").write_text('{"text": "dull"}\n{"text": 3}\n{"text": "lovely"}\n')
    bad = "odd.jsonl, line 2: its text is a number (3), not a string."
    reported = shell.do(f"tercet predict {model} odd.jsonl --text text --on-error report")
    assert reported.err == f"tercet: {bad}\n1 of 3 rows of odd.jsonl was skipped\n"
    assert shell.do(f"tercet predict {model} odd.jsonl --text text --on-error skip").err == (
        f"1 of 3 rows of odd.jsonl was skipped\n  {bad}\n"
    )
    assert shell.do(f"tercet predict {model} odd.jsonl --on-error report --quiet").err == ""
    stopped = shell(f"tercet predict {model} odd.jsonl --text text")
    assert (stopped.code, stopped.err) == (2, f"tercet: {bad} --on-error skip leaves such rows out.\n")
    assert stopped.out.startswith("bad\t")  # what stands before it is answered


def test_lines_of_a_pipe_are_answered_as_they_come(shell: Shell, model: str) -> None:
    command = [*PROGRAM, "predict", model, "-", "--format", "text"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for text, label in (("dull", "bad"), ("lovely", "good")):
            process.stdin.write(text + "\n")
            process.stdin.flush()
            assert process.stdout.readline().startswith(label)  # the pipe is still open
        process.stdin.close()
        assert process.wait() == 0


def test_keep_puts_all_columns_before_the_answer(shell: Shell, model: str) -> None:
    rows = list(csv.reader(io.StringIO(Path("new.csv").read_text())))
    kept = list(csv.reader(io.StringIO(shell.do(f"tercet predict {model} new.csv --keep --csv").out)))
    assert [row[:-2] for row in kept] == rows
    assert kept[0][-2:] == ["predicted_label", "probability"]
    assert [row[-2] for row in kept[1:]] == [
        line.split("\t")[0] for line in shell.do(f"tercet predict {model} new.csv").out.splitlines()
    ]


def test_keep_repeats_a_text_that_has_no_columns(shell: Shell, model: str) -> None:
    told = shell.do(f'tercet predict {model} "a dull plot" --keep')
    assert told.out.startswith("a dull plot\tbad\t")
    (found,) = map(json.loads, shell.do(f'tercet predict {model} "a dull plot" --keep --json').out.splitlines())
    assert list(found) == ["text", "label", "probability"]


def test_suspects_are_named_by_their_row(shell: Shell) -> None:
    lines = Path("reviews.csv").read_text().splitlines()
    (found,) = [json.loads(shell.do("tercet train reviews.csv -o m.tercet --json --quiet").out)["suspects"]]
    for suspect in found:
        number = int(suspect["place"].removeprefix("reviews.csv, line "))
        assert suspect["beginning"] in lines[number - 1]
    assert f"row {found[0]['row']} " in shell.do("tercet train reviews.csv -o m.tercet").out


def test_a_seed_draws_the_folds(shell: Shell) -> None:
    told = [
        json.loads(shell.do(f"tercet train reviews.csv -o m.tercet --folds 3 --seed {seed} --json --quiet").out)["estimate"]
        for seed in (0, 0, 1)
    ]
    assert told[0] == told[1]
    assert "folds:3+seed=1" in told[2]["signature"]
    assert told[0]["confusion"] != told[2]["confusion"]


def test_notes_of_the_estimate_are_told(shell: Shell) -> None:
    Path("few.csv").write_text("text,label\nso,a\nla,b\nlo,a\n")
    assert "unreliable: only 3 documents" in shell.do("tercet train few.csv -o m.tercet").out
    Path("few.csv").write_text("text,label\nso,a\nla,a\n")
    for form in ("", "--json"):
        assert "all documents have one label" in shell.do(f"tercet train few.csv -o m.tercet {form}").err


def test_a_model_that_has_forgotten_everything_can_be_looked_at(shell: Shell) -> None:
    shell.do("tercet train new.csv -o m.tercet --quiet")
    before = json.loads(shell.do("tercet inspect m.tercet --json").out)
    shell.do("tercet forget m.tercet new.csv --quiet")
    found = json.loads(shell.do("tercet inspect m.tercet --json").out)
    assert (found["labels"], found["terms"]) == ([], 0)
    assert all(found[name] == before[name] for name in ("analyzer", "kind", "smoothing"))
    assert "0 labels" in shell.do("tercet inspect m.tercet").out


def test_a_table_from_a_pipe_is_known_by_its_header(shell: Shell, model: str) -> None:
    table = subprocess.run([*PROGRAM, "predict", model, "-"], input=b"id,text\n1,dull\n2,lovely\n", capture_output=True)
    assert [line.split(b"\t")[0] for line in table.stdout.splitlines()] == [b"bad", b"good"]
    texts = subprocess.run([*PROGRAM, "predict", model, "-"], input=b"dull, long\nlovely, warm\n", capture_output=True)
    assert [line.split(b"\t")[0] for line in texts.stdout.splitlines()] == [b"bad", b"good"]


def test_a_page_is_titled_by_what_was_judged(shell: Shell, model: str) -> None:
    shell.do(f"tercet evaluate {model} test.csv --html r.html")
    assert f"<title>{model} on test.csv</title>" in Path("r.html").read_text()


def test_the_threshold_for_a_precision_is_printed_and_can_be_measured_on_other_documents(shell: Shell, model: str) -> None:
    told = shell.do(f"tercet evaluate {model} reviews.csv --precision good=0.8 --precision bad=0.9 --json")
    good, bad = json.loads(told.out)["thresholds"]
    assert (good["label"], good["wanted"], bad["label"]) == ("good", 0.8, "bad")
    assert good["precision"]["value"] >= 0.8
    again = shell.do(f"tercet evaluate {model} reviews.csv --threshold good={good['threshold']!r} --json")
    (measured,) = json.loads(again.out)["thresholds"]
    assert [measured[part]["value"] for part in ("precision", "recall", "answered")] == [
        good[part]["value"] for part in ("precision", "recall", "answered")
    ]
    table = shell.do(f"tercet evaluate {model} reviews.csv --precision good=0.8").out
    assert "the threshold was chosen on these documents" in table


def test_a_precision_that_is_not_reached_is_a_result_and_no_error(shell: Shell, model: str) -> None:
    Path("odd.csv").write_text("text,label\nlovely warm,bad\ndull boring,good\n")
    told = shell.do(f"tercet evaluate {model} odd.csv --precision good=0.9")
    assert re.search(r"^good +≥ 0\.9 +none +at most 0\.500$", told.out, re.MULTILINE)
