"""Readers strip labels and join spellings; the rules are pure, can be written, and do not depend on the order of rows."""

import json
import random
import sys
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tercet import Categorizer, LabelRules, read
from tercet.data.label_rules import BLANKS, fold_label, read_label_map
from tercet.errors import BadRow, BadSource, InvalidOption

NAMES = [
    "Billing",
    "billing",
    "BILLING ",
    "Tech support",
    "tech_support",
    "Tech-Support",
    "Spam",
    "spam\u00a0",
    "-1",
    "1",
    "é",
    "E\u0301",
]
names = st.sampled_from(NAMES) | st.text(max_size=4)
some_names = st.lists(names, max_size=6)


@st.composite
def rules(draw: Any) -> LabelRules:
    """Rules that are valid, with a definite choice of spellings."""
    pairs = {a: b for a, b in draw(st.lists(st.tuples(names, names), max_size=3)) if a.strip(BLANKS) and b.strip(BLANKS)}
    try:
        made = LabelRules(mapping=pairs, fold=draw(st.booleans()))
    except InvalidOption:
        made = LabelRules(fold=True)
    return made.choose_spellings(Counter(filter(None, map(made.apply, draw(some_names)))))


@given(rules(), names)
def test_rules_applied_twice_are_rules_applied_once(made: LabelRules, label: str) -> None:
    assert made.apply(made.apply(label)) == made.apply(label)


@given(rules())
def test_written_rules_are_read_again(made: LabelRules) -> None:
    assert LabelRules.from_dict(json.loads(json.dumps(made.to_dict()))) == made
    assert hash(LabelRules.from_dict(made.to_dict())) == hash(made)


@given(st.lists(names.filter(lambda name: name.strip(BLANKS)), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_the_chosen_spelling_does_not_depend_on_the_order(labels: list[str], draw: random.Random) -> None:
    base = LabelRules(fold=True)
    shuffled = draw.sample(labels, len(labels))
    made = [base.choose_spellings(Counter(map(base.apply, rows))) for rows in (labels, shuffled)]
    assert made[0] == made[1]
    folded = {made[0].apply(label) for label in labels}
    assert len(folded) == len({fold_label(label.strip(BLANKS)) for label in labels})


def test_every_character_but_a_blank_leaves_something_when_it_is_folded() -> None:
    characters = (c for c in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(c) not in ("Cn", "Co", "Cs"))
    assert [c for c in characters if bool(c.strip(BLANKS)) != bool(fold_label(c))] == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Spam", "spam"),
        ("Tech support", "tech_support"),
        ("Tech support", "TechSupport"),
        ("e-mail", "E\u2011mail"),
        ("caf\u00e9", "cafe\u0301"),
        ("ＳＰＡＭ", "spam"),
        ("covid-19", "COVID 19"),
        ("two  blanks", "two blanks"),
        ("no\u00a0break", "no break"),
        ("zero\u200bwidth", "zerowidth"),
    ],
)
def test_spellings_of_one_label_are_joined(one: str, other: str) -> None:
    assert fold_label(one) == fold_label(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("-1", "1"),
        ("A-", "A"),
        ("A+", "A"),
        ("1-2", "12"),
        ("1 2", "12"),
        ("C", "C#"),
        ("temp -1", "temp 1"),
        ("a.b", "ab"),
        ("é", "e"),
    ],
)
def test_labels_that_mean_something_else_are_not_joined(one: str, other: str) -> None:
    assert fold_label(one) != fold_label(other)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"mapping": {"a": "b", "b": "c"}}, "'a' is replaced by 'b', which is itself replaced by 'c'"),
        ({"mapping": {"a": "SPAM", "spam": "c"}, "fold": True}, "which is itself replaced"),
        ({"mapping": {"a": " "}}, "labels that are not blank"),
        ({"mapping": {"a": 3}}, "labels that are not blank"),
        ({"mapping": "ab"}, "a mapping of labels"),
        ({"mapping": [("a", "b"), ("a ", "c")]}, "one label for each spelling"),
        ({"fold": ("a", "A")}, "one spelling of each label"),
        ({"fold": (" a",)}, "fold must be True, False or a tuple of labels"),
        ({"fold": 3}, "fold must be True or False"),
        ({"strip": 1}, "strip must be True or False"),
        ({"strip": False, "fold": True}, "strip must be True if fold is given"),
    ],
)
def test_wrong_rules_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption, match=message):
        LabelRules(**options)


def write_csv(path: Path, labels: list[str]) -> Path:
    path.write_text("text,label\n" + "".join(f"the text {i},{label}\n" for i, label in enumerate(labels)), encoding="utf-8")
    return path


def test_readers_strip_labels_and_fit_does_not(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", [" spam", "spam\u00a0", "\u3000ham\u200b", '"ham\t"'])
    assert read(path, label="label").labels == ["spam", "spam", "ham", "ham"]
    assert read(path, label="label", label_rules=LabelRules(strip=False)).labels == [
        " spam",
        "spam\u00a0",
        "\u3000ham\u200b",
        "ham\t",
    ]
    assert Categorizer().fit(["a", "b"], [" x", "x"]).classes_.tolist() == [" x", "x"]


def test_a_blank_label_is_a_missing_label(tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", ["spam", " \u00a0", "ham"])
    stream = read(path, label="label", on_error="skip")
    assert stream.labels == ["spam", "ham"]
    assert [str(error) for error in stream.bad_rows] == [f"{path}, line 3: it has no label."]
    with pytest.raises(BadRow, match="it has no label"):
        read(path, label="label").collect()


def test_other_formats_strip_labels_too(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"text": "so", "label": " x "}\n{"text": "no", "label": 3}\n{"text": "", "label": null}\n'
    )
    stream = read(tmp_path / "a.jsonl", on_error="skip")
    assert (stream.labels, stream.n_bad) == (["x", "3"], 1)
    for name in ("x ", "y"):
        (tmp_path / "folder" / name).mkdir(parents=True)
        (tmp_path / "folder" / name / "1.txt").write_text("so")
    assert read(tmp_path / "folder", format="folders").labels == ["x", "y"]


def test_a_reader_joins_spellings_under_the_most_frequent_one(tmp_path: Path) -> None:
    labels = ["spam", "Spam", "Spam", "SPAM ", "ham", "Ham", "hamm"]
    stream = read(write_csv(tmp_path / "a.csv", labels), label="label", label_rules=LabelRules(True, {"hamm": "ham"}, True))
    assert stream.labels == ["Spam"] * 4 + ["ham"] * 3
    assert stream.label_rules.fold == ("Spam", "ham")
    assert stream.collect().labels == stream.labels  # once more, with definite rules


def test_a_pipe_is_read_once_to_join_spellings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = write_csv(tmp_path / "a.csv", ["spam", "Spam", "Spam"])
    with path.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        assert read("-", format="csv", label="label", label_rules=LabelRules(fold=True)).labels == ["Spam"] * 3


def test_a_map_of_labels_is_a_csv_file(tmp_path: Path) -> None:
    path = tmp_path / "map.csv"
    path.write_text('\ufefffrom,to,documents\n biling ,Billing,3\n"a, b",c,1\n', encoding="utf-8")
    assert read_label_map(path) == {"biling": "Billing", "a, b": "c"}


@pytest.mark.parametrize("separator", [";", "\t"])
def test_a_spreadsheet_may_separate_the_cells_of_a_map_otherwise(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes("\ufefffrom,to\r\nbiling,Billing\r\n".replace(",", separator).encode())
    assert read_label_map(path) == {"biling": "Billing"}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "its first line must be from,to"),
        ("old,new\na,b\n", "its first line must be from,to"),
        ("from,to\n", "has no line below from,to"),
        ("from,to\na\n", "line 2: a label is missing"),
        ("from,to\na, \n", "line 2: a label is missing"),
        ("from,to\na,b\na,c\n", "line 3: 'a' is to be replaced by 'b' and by 'c'"),
        ('from,to\n"a,b\n', "is no CSV file in UTF-8"),
        (b"from,to\n\xff,b\n", "is no CSV file in UTF-8"),
    ],
)
def test_a_wrong_map_is_refused_with_its_line(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "map.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(BadSource, match=message):
        read_label_map(path)


def test_a_map_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSource, match="can't be opened"):
        read_label_map(tmp_path / "none.csv")


@pytest.mark.parametrize("mark", ["\u00ad", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069", "\ufeff"])
def test_labels_that_differ_only_by_an_invisible_character_are_one_label(mark: str) -> None:
    assert LabelRules().apply(f"{mark}Sales{mark}") == "Sales"
    assert LabelRules(fold=("Sales",)).apply(f"Sa{mark}les") == "Sales"


@pytest.mark.parametrize("joiner", ["\u200c", "\u200d"])
def test_a_joiner_means_nothing_at_the_end_of_a_label_but_something_inside(joiner: str) -> None:
    assert LabelRules().apply(f"Sales{joiner}") == "Sales"
    assert fold_label(f"a{joiner}b") != fold_label("ab")
