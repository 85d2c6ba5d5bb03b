"""tercet split, and the shares of tercet train: the files that they write, and what they refuse."""

import csv
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.command_line import Shell

import tercet


def read_rows(path: str) -> list[dict[str, str]]:
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def list_files(folder: str) -> list[str]:
    return sorted(path.name for path in Path(folder).iterdir())


def test_the_files_have_all_rows_and_columns_and_the_labels_in_proportion(shell: Shell) -> None:
    printed = shell.do("tercet split reviews.csv --test 0.2 --dev 0.1 --seed 3 -o parts")
    assert list_files("parts") == ["dev.csv", "test.csv", "train.csv"]
    rows, parts = read_rows("reviews.csv"), {name: read_rows(f"parts/{name}.csv") for name in ("train", "dev", "test")}
    assert sorted((row for part in parts.values() for row in part), key=lambda row: int(row["id"])) == rows
    for part in parts.values():
        assert [int(row["id"]) for row in part] == sorted(int(row["id"]) for row in part)
    n_good = sum(row["label"] == "good" for row in rows)
    assert abs(sum(row["label"] == "good" for row in parts["test"]) - 0.2 * n_good) <= 1
    found = tercet.split(tercet.read("reviews.csv", columns="all"), test=0.2, dev=0.1, seed=3)
    assert [row["id"] for row in parts["test"]] == found.test.columns["id"]
    assert printed.out.splitlines()[-1].split() == ["all", *(str(len(part)) for part in parts.values())]
    assert "written: parts/dev.csv (12 documents)" in printed.err


def test_copies_are_counted_and_stay_on_one_side(shell: Shell) -> None:
    rows = [("to be", "x"), ("or not", "y")] * 2 + [(f"line {k}", "xy"[k % 2]) for k in range(16)]
    Path("twice.csv").write_text("text,label\n" + "".join(f"{text},{label}\n" for text, label in rows))
    printed = shell.do("tercet split twice.csv -o parts --json")
    assert "4 documents have a text that another document has, too: copies are on one side" in printed.err
    described = json.loads(printed.out)
    assert (described["copies"], described["leaks"]) == (4, 0)
    assert described["parts"]["test"] == {"file": "parts/test.csv", "documents": 4, "labels": {"x": 2, "y": 2}}
    train, test = ({row["text"] for row in read_rows(f"parts/{name}.csv")} for name in ("train", "test"))
    assert not train & test
    leaked = shell.do("tercet split twice.csv -o leaks --every 3").err
    assert "a training document has the same text as" in leaked
    assert "no text occurs twice" in shell.do("tercet split reviews.csv -o once").err


def test_every_nth_line_of_a_label_is_for_testing(shell: Shell) -> None:
    shell.do("tercet split reviews.csv --every 4 -o fourths")
    rows = read_rows("reviews.csv")
    of_label = {label: [row for row in rows if row["label"] == label] for label in ("good", "bad")}
    assert sorted(row["id"] for row in read_rows("fourths/test.csv")) == sorted(
        row["id"] for own in of_label.values() for row in own[::4]
    )


def test_groups_stay_together(shell: Shell) -> None:
    shell.do("tercet split reviews.csv --group source --test 0.5 -o halves")
    sides = [{row["source"] for row in read_rows(f"halves/{name}.csv")} for name in ("train", "test")]
    assert [len(side) for side in sides] == [1, 1]
    assert sides[0] != sides[1]


ROWS: list[dict[str, Any]] = [
    {"text": f'=line {k}, "so"\tit\nis', "label": "ab"[k % 2], "n": k, "tags": ["x", None]} for k in range(10)
]


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.json", "rows.parquet", "rows.csv", "rows.tsv"])
def test_values_are_written_as_they_were_read(name: str, shell: Shell) -> None:
    suffix = Path(name).suffix
    names = ["text", "label", "n", *(["tags"] if suffix.startswith(".json") else [])]
    rows = [{key: row[key] for key in names} for row in ROWS]
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), name)
    elif suffix.startswith(".json"):
        lines = [json.dumps(row) for row in rows]
        Path(name).write_text("\n".join(lines) if suffix == ".jsonl" else f"[{','.join(lines)}]")
    else:
        with open(name, "w", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]), delimiter="\t" if suffix == ".tsv" else ",")
            table.writeheader()
            table.writerows(rows)
    shell.do(f"tercet split {name} --every 2 -o parts --text text --label label")
    written = ".jsonl" if suffix == ".json" else suffix
    assert list_files("parts") == [f"test{written}", f"train{written}"]
    found = tercet.read(f"parts/test{written}", text="text", label="label", columns="all")
    expected = tercet.read(name, text="text", label="label", columns="all").collect().pick([0, 1, 4, 5, 8, 9])
    assert (found.texts, found.labels, dict(found.columns)) == (expected.texts, expected.labels, dict(expected.columns))


def test_a_table_without_a_header_stays_without_one(shell: Shell) -> None:
    Path("plain.csv").write_text("".join(f"{'ab'[k % 2]},a line of words {k}\n" for k in range(30)))
    shell.do("tercet split plain.csv -o parts")
    assert all(line[0] in "ab" for line in Path("parts/test.csv").read_text().splitlines())
    shell.do("tercet train parts/train.csv -o m.tercet --fast --test parts/test.csv")


def test_a_folder_of_texts_becomes_json_lines(shell: Shell) -> None:
    for label in ("spam", "ham"):
        Path("mails", label).mkdir(parents=True)
        for k in range(5):
            Path("mails", label, f"{k}.txt").write_text(f"text {k} of {label}")
    shell.do("tercet split mails -o parts")
    rows = [json.loads(line) for name in ("train", "test") for line in Path(f"parts/{name}.jsonl").read_text().splitlines()]
    assert sorted((row["text"], row["label"]) for row in rows) == sorted(
        (f"text {k} of {label}", label) for label in ("spam", "ham") for k in range(5)
    )


def test_texts_without_labels_are_drawn(shell: Shell) -> None:
    Path("unlabelled.csv").write_text("id,text\n" + "".join(f"{k},a line of words {k}\n" for k in range(10)))
    assert shell.do("tercet split unlabelled.csv --no-stratify -o parts").out.split() == ["train", "test", "all", "8", "2"]


def test_the_same_data_and_seed_give_the_same_files(shell: Shell) -> None:
    for folder, seed in (("a", 1), ("b", 1), ("c", 2)):
        shell.do(f"tercet split reviews.csv --seed {seed} -o {folder}")
    a, b, c = (Path(folder, "test.csv").read_bytes() for folder in "abc")
    assert a == b != c


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "--test 0",
            "'0' is not a number > 0 and < 1: there must be documents to learn from and documents to test with. Try 0.2.",
        ),
        ("--test 1", "'1' is not a number > 0 and < 1"),
        ("--test 20%", "'20%' is not a number > 0 and < 1"),
        ("--test 0.5 --dev 0.5", "must be shares >= 0.0 that sum to less than 1.0"),
        ("--test 0.001", "no document of 120 is left for test"),
        ("--every 1", "every must be an int >= 2, got 1"),
        ("--every 4 --test 0.2", "both say which documents are for testing"),
        ("--every 4 --group source", "would divide groups"),
        ("--group author", "no column 'author' for groups: there is 'id', 'text', 'label', 'source'"),
        ("--label nope", "nope"),
    ],
)
def test_a_split_that_is_refused_writes_nothing(options: str, message: str, shell: Shell) -> None:
    refused = shell(f"tercet split reviews.csv {options} -o parts")
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]
    assert not Path("parts").exists()


def test_an_older_split_is_not_mixed_with_a_new_one(shell: Shell) -> None:
    shell.do("tercet split reviews.csv --dev 0.1 -o parts")
    before = {name: Path("parts", name).read_bytes() for name in list_files("parts")}
    refused = shell("tercet split reviews.csv --seed 1 -o parts")
    assert refused.code == 2
    assert "parts/dev.csv is there already" in refused.err
    assert {name: Path("parts", name).read_bytes() for name in list_files("parts")} == before
    Path("mails", "spam").mkdir(parents=True)
    refused = shell("tercet split mails -o mails")
    assert (refused.code, "mails is read" in refused.err) == (2, True)
    refused = shell("tercet split reviews.csv -o reviews.csv")
    assert (refused.code, "is a file: name a folder" in refused.err) == (2, True)


def test_a_failure_in_the_last_file_leaves_none(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.store import atomic_file

    write = atomic_file.write_beside

    def fail(beside: Path, parts: Any, mode: Any) -> None:
        if "test" in beside.name:
            raise OSError(28, "No space left on device")
        write(beside, parts, mode)

    monkeypatch.setattr(atomic_file, "write_beside", fail)
    refused = shell("tercet split reviews.csv -o parts")
    assert refused.code == 2
    assert "No space left on device. Nothing is written." in refused.err
    assert not Path("parts").exists()


# The shares of train


def test_shares_are_not_learned_and_are_measured(shell: Shell) -> None:
    shell.do("tercet split reviews.csv --test 0.2 --dev 0.1 --seed 5 -o parts")
    shell.do("tercet train parts/train.csv -o a.tercet --fast --seed 5")
    shared = shell.do("tercet train reviews.csv -o b.tercet --fast --test-share 0.2 --dev-share 0.1 --seed 5 --json")
    assert Path("a.tercet").read_bytes() == Path("b.tercet").read_bytes()
    summary = json.loads(shared.out)
    for name in ("dev", "test"):
        report = json.loads(shell.do(f"tercet evaluate a.tercet parts/{name}.csv --json").out)
        assert summary[name]["metrics"] == report["metrics"]
    assert summary["documents"] == len(read_rows("parts/train.csv"))


def test_the_text_of_a_training_names_dev_and_test(shell: Shell) -> None:
    printed = shell.do("tercet train reviews.csv -o a.tercet --fast --test-share 0.2 --dev-share 0.1").out
    assert [line.split()[0] for line in printed.splitlines() if " value " in line] == ["leave-one-out", "dev", "test"]
    printed = shell.do("tercet train reviews.csv -o a.tercet --fast --dev-share 0.1 --test test.csv").out
    assert [line.split()[0] for line in printed.splitlines() if " value " in line] == ["leave-one-out", "dev", "test"]


def test_suspects_are_those_of_the_learned_documents(shell: Shell) -> None:
    shell.do("tercet train reviews.csv -o a.tercet --fast --test-share 0.5 --suspects s.csv --columns id")
    rows = {row["id"]: row for row in read_rows("reviews.csv")}
    suspects = read_rows("s.csv")
    assert suspects
    assert all(rows[suspect["id"]]["text"] == suspect["text"] for suspect in suspects)
    assert all(int(suspect["row"]) == int(suspect["id"]) + 2 for suspect in suspects)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("tercet train reviews.csv -o x.tercet --test-share 1", "'1' is not a number > 0 and < 1"),
        ("tercet train reviews.csv -o x.tercet --test-share 0.5 --dev-share 0.5", "must be shares"),
        ("tercet train reviews.csv -o x.tercet --test-share 0.001", "no document of 120 is left for test"),
        ("tercet train reviews.csv -o x.tercet --test-share 0.2 --test test.csv", "both say what to test with"),
        ("tercet train - --format csv -o x.tercet --test-share 0.2 < reviews.csv", "can be read only once"),
    ],
)
def test_shares_that_are_refused_write_nothing(line: str, message: str, shell: Shell) -> None:
    refused = shell(line)
    assert refused.code == 2
    assert message in refused.err.splitlines()[-1]
    assert not Path("x.tercet").exists()
