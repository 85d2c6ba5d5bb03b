"""Labels that join several labels: a model has one label for a document, so each of them is named."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.command_line import Shell

import tercet
from tercet import Categorizer, evaluate, train
from tercet.data.joined_labels import JoinedLabels, find_joined
from tercet.errors import BadRow, BadSource, InvalidLabel, InvalidOption

TEXTS, LABELS = ["so la", "la mi", "so mi", "mi mi"] * 10, ["sport", "art", "sport", "art"] * 10


@pytest.mark.parametrize("separator", ["; ", ";", "|", ", ", " / ", "+", " & "])
def test_labels_that_join_known_labels_are_found(separator: str) -> None:
    joined = f"sport{separator}art"
    assert find_joined({"sport": 20, "art": 10, joined: 7, "x y": 1}) == JoinedLabels(separator.strip(), (joined,), 7)


@pytest.mark.parametrize("label", ["rock; pop", "sport;", ";", "sport; rock", "sport art", "AC/DC"])
def test_other_labels_may_have_any_character(label: str) -> None:
    assert find_joined({"sport": 20, "art": 10, label: 7}) is None
    assert find_joined({1: 20, 2: 10}) is None


def test_training_names_them() -> None:
    result = train([*TEXTS, "so mi", "la la"], [*LABELS, "sport; art", "art; sport"])
    assert result.joined_labels == JoinedLabels(";", ("art; sport", "sport; art"), 2)
    assert train(TEXTS, LABELS).joined_labels is None


def test_the_doctor_names_them() -> None:
    documents = tercet.Documents([*TEXTS, "so mi so"], [*LABELS, "sport; art"])
    (finding,) = tercet.examine(documents).of_kind("joined label")
    assert finding.sentence.startswith("1 document has a label that joins other labels with ';', such as 'sport; art'")


def test_the_program_names_them_and_says_what_to_do(shell: Shell) -> None:
    rows = zip([*TEXTS, "so mi"], [*LABELS, "sport; art"], strict=True)
    Path("joined.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    outcome = shell.do("tercet train joined.csv -o new.tercet")
    (line,) = [line for line in outcome.err.splitlines() if "joins other labels" in line]
    assert "'sport; art' (1 such label)" in line
    assert line.endswith("or train one model for each label.")
    known = json.loads(shell.do("tercet train joined.csv -o new.tercet --json -q").out)["joined_labels"]
    assert known == {"separator": ";", "labels": ["sport; art"], "n_documents": 1}
    assert "joined label" in shell.do("tercet doctor joined.csv").out


@pytest.mark.parametrize(
    "labels",
    [
        [("a", "b"), ("a",)],
        [("a", "b"), ("b", "c")],
        [["a", "b"], ["a"]],
        [{"a"}, {"b", "c"}],
        [frozenset("a"), frozenset("bc")],
        np.array([[1, 0], [0, 1]]),
        [(), ("a",)],
    ],
    ids=["tuples", "equal tuples", "lists", "sets", "frozen sets", "a matrix", "an empty tuple"],
)
def test_several_labels_of_a_document_are_refused_with_a_remedy(labels: Any) -> None:
    for call in (lambda: Categorizer().fit(["so", "la"], labels), lambda: evaluate(labels, labels)):
        with pytest.raises(InvalidLabel, match="Keep one label for each document, give a document once for each of its labels"):
            call()


def test_a_list_in_a_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(
        "".join(json.dumps({"text": text, "label": [label, "x"]}) + "\n" for text, label in zip(TEXTS, LABELS, strict=True))
    )
    remedy = "Write one label for each row, or the row once for each of its labels; or name another column with --label"
    with pytest.raises(BadSource, match=f"the column 'label' holds lists, and a document has one label. {remedy}"):
        tercet.read(path).collect()
    with pytest.raises(BadRow, match=rf"its label is a list \(\['sport', 'x'\]\), and a document has one label. {remedy}"):
        tercet.read(path, text="text", label="label").collect()
    with pytest.raises(InvalidOption, match=r"no documents to examine: all rows are bad, such as .*its label is a list"):
        tercet.examine(tercet.read(path, text="text", label="label", on_error="skip"))
