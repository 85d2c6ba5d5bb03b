"""--label-separator: cells, lists in JSON and lines of fastText are sets of labels for evaluate, compare and split."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.command_line import Shell, refuse

import tercet

FORMS = ["csv", "jsonl", "txt"]


def read_tags(name: str) -> list[dict[str, str]]:
    with Path(name).open(newline="") as file:
        return list(csv.DictReader(file))


def split_tags(row: dict[str, str]) -> list[str]:
    return [tag.strip() for tag in row["label"].split(";") if tag.strip()]


def write_form(name: str, form: str) -> str:
    """The file of tags in another format."""
    rows, path = read_tags(f"{name}.csv"), Path(f"{name}.{form}")
    if form == "jsonl":
        path.write_text("".join(json.dumps({**row, "label": split_tags(row)}) + "\n" for row in rows))
    elif form == "txt":
        lines = ["".join(f"__label__{tag} " for tag in split_tags(row)) + row["text"] for row in rows]
        path.write_text("\n".join(lines) + "\n")
    return str(path)


def measure(shell: Shell, line: str) -> Any:
    return json.loads(shell.do(f"tercet {line} --label-separator ; --resamples 200 --json").out)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("gold_form", FORMS)
def test_every_format_gives_the_report_of_the_library(shell: Shell, form: str, gold_form: str) -> None:
    gold, predicted = write_form("tags", gold_form), write_form("tags_a", form)
    found = measure(shell, f"evaluate --gold {gold} --predicted {predicted}")
    sets = [[split_tags(row) for row in read_tags(f"{name}.csv")] for name in ("tags", "tags_a")]
    assert found == tercet.evaluate_sets(*sets, resamples=200).to_dict()
    assert found["set_sizes"][0]["n_labels"] == 0


def test_the_report_is_text_or_a_page(shell: Shell) -> None:
    printed = shell.do("tercet evaluate --gold tags.csv --predicted tags_a.csv --label-separator ; --html page.html").out
    assert "micro_f1" in printed
    assert "subset_accuracy" in printed
    assert "<svg" in Path("page.html").read_text()
    one = shell.do("tercet evaluate --gold tags.csv --predicted tags_a.csv --label-separator ; --metric f1:art").out
    assert "f1:art" in one
    assert "micro_f1" not in one


def test_answers_are_found_by_their_ids(shell: Shell) -> None:
    wanted = measure(shell, "evaluate --gold tags.csv --predicted tags_a.csv")
    rows = read_tags("tags_a.csv")[::-1]
    with Path("turned.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    assert measure(shell, "evaluate --gold tags.csv --predicted turned.csv") == wanted


def test_compare_says_which_system_is_better(shell: Shell) -> None:
    found = measure(shell, "compare --gold tags.csv a=tags_a.csv b=tags_b.csv --metric macro_f1 --metric subset_accuracy")
    sets = {name: [split_tags(row) for row in read_tags(f"{name}.csv")] for name in ("tags", "tags_a", "tags_b")}
    systems = {"a": sets["tags_a"], "b": sets["tags_b"]}
    assert found == tercet.compare_sets(sets["tags"], systems, ["macro_f1", "subset_accuracy"], resamples=200).to_dict()
    assert measure(shell, "compare --gold tags.csv a=tags_a.csv b=tags_b.csv")["metric"] == "micro_f1"


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_split_keeps_the_cells_and_counts_each_label(shell: Shell, form: str) -> None:
    source = write_form("tags", form)
    found = json.loads(shell.do(f"tercet split {source} --label-separator ; --test 0.3 -o tagged --json").out)
    counts = {name: part["labels"] for name, part in found["parts"].items()}
    assert set(counts["test"]) == {"art", "politics", "sport", "travel"}
    total = sum(len(split_tags(row)) for row in read_tags("tags.csv"))
    assert sum(sum(each.values()) for each in counts.values()) == total
    assert sum(part["documents"] for part in found["parts"].values()) == 60
    first = Path(f"tagged/test.{form}").read_text().splitlines()[1]
    assert first in Path(source).read_text().splitlines()
    assert "politics" in shell.do(f"tercet split {source} --label-separator ; -o again").out


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("evaluate --gold tags.csv --predicted tags_a.csv --label-separator ; --by id", "--by is for documents with one label"),
        ("evaluate --gold tags.csv --predicted tags_a.csv --label-separator ; --weight id", "--weight is for documents"),
        ("evaluate --gold tags.csv --predicted tags_a.csv --label-separator ; --metric accuracy", "no metric 'accuracy'"),
        ("evaluate a.tercet test.csv --label-separator ;", "--label-separator is for answers from files"),
        ("compare a.tercet b.tercet test.csv --label-separator ;", "--label-separator is for answers from files"),
        ("split tags.csv --label-separator ; --every 3 -o parts", "documents have several"),
        ("evaluate --gold bad.csv --predicted tags_a.csv --label-separator ;", "empty label"),
        ("evaluate --gold bad.jsonl --predicted tags_a.csv --label-separator ;", "contains the separator"),
        ("evaluate --gold other.csv --predicted tags_a.csv --label-separator ;", "no answer of tags_a.csv is a gold label"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_line(shell: Shell, line: str, words: str) -> None:
    Path("bad.csv").write_text("id,label\n" + "".join(f"{k},art;;sport\n" for k in range(60)))
    Path("bad.jsonl").write_text("".join(json.dumps({"id": k, "label": ["art;sport"]}) + "\n" for k in range(60)))
    Path("other.csv").write_text("id,label\n" + "".join(f"{k},x; y\n" for k in range(60)))
    failed = refuse(shell, f"tercet {line}")
    assert words in failed
    assert "Traceback" not in failed


def test_without_the_option_a_cell_is_one_label_as_before(shell: Shell) -> None:
    rows = [f"{k},{label}\n" for k, label in enumerate(["a; b", "a", "b"] * 10)]
    Path("joined.csv").write_text("id,label\n" + "".join(rows))
    found = json.loads(shell.do("tercet evaluate --gold joined.csv --predicted joined.csv --json").out)
    assert found["labels"] == ["a", "a; b", "b"]
    Path("lists.jsonl").write_text('{"text": "x", "label": ["a", "b"]}\n{"text": "y", "label": ["a"]}\n' * 10)
    failed = refuse(shell, "tercet evaluate --gold lists.jsonl --predicted lists.jsonl")
    assert "holds lists" in failed
    assert "give --label-separator" in failed
