"""tercet check: a sample of predictions is judged by a person, in the terminal or in a sheet, and stands for all texts."""

import csv
import json
from pathlib import Path

import pytest
from helpers.command_line import Shell, list_files, refuse

import tercet

MODEL = "tercet check reviews.tercet test.csv"


def read_rows(path: str) -> list[dict[str, str]]:
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: str, rows: list[dict[str, str]]) -> None:
    with open(path, "w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def measure(shell: Shell, path: str) -> dict[str, object]:
    found: dict[str, object] = json.loads(shell.do(f"{MODEL} --answers {path} --json").out)
    return found


def test_the_sheet_gives_what_the_function_gives(shell: Shell) -> None:
    model, texts = tercet.load("reviews.tercet"), [row["text"] for row in read_rows("test.csv")]
    gold = {row["text"]: row["label"] for row in read_rows("test.csv")}
    sample = tercet.draw_check_sample(model, texts, 30)
    rows = read_rows("filled.csv")
    assert [row["text"] for row in rows] == [texts[position] for position in sample.positions]
    assert [float(row["weight"]) for row in rows] == pytest.approx(list(sample.weights))
    expected = sample.measure([gold[texts[position]] for position in sample.positions])
    found = measure(shell, "filled.csv")
    assert found["accuracy"] == expected.to_dict()["accuracy"]
    assert found["shares"] == expected.to_dict()["shares"]
    printed = shell.do(f"{MODEL} --answers filled.csv").out
    assert printed.startswith(f"accuracy {expected.accuracy} — checked by hand, 30 of 40 texts\n")
    assert "drawn at random" in printed
    assert all(str(row.share) in printed for row in expected.shares)


def test_the_sheet_does_not_show_the_answers_of_the_model(shell: Shell) -> None:
    shell.do(f"{MODEL} -n 12 --columns id -o sheet.csv")
    rows = read_rows("sheet.csv")
    assert list(rows[0]) == ["text", "id", "label", "row", "weight", "check"]
    assert {row["label"] for row in rows} == {""}
    by_text = {row["text"]: row["id"] for row in read_rows("test.csv")}
    assert all(by_text[row["text"]] == row["id"] for row in rows)


def test_sorted_and_edited_rows_give_the_same_result(shell: Shell) -> None:
    rows, before = read_rows("filled.csv"), measure(shell, "filled.csv")
    edited = [{"mine": "!", **row, "text": "", "label": f" {row['label'].upper()} "} for row in rows]
    write_rows("sorted.csv", sorted(edited, key=lambda row: row["check"]))
    assert measure(shell, "sorted.csv") == before
    for form in ("jsonl", "parquet"):
        shell.do(f"{MODEL} -n 30 -o sheet.{form}")
    Path("sheet.jsonl").write_text(
        "".join(
            json.dumps(json.loads(line) | {"label": row["label"]}) + "\n"
            for line, row in zip(Path("sheet.jsonl").read_text().splitlines(), rows, strict=True)
        )
    )
    assert measure(shell, "sheet.jsonl") == before


def test_the_order_of_the_pool_does_not_matter(shell: Shell) -> None:
    write_rows("turned.csv", read_rows("test.csv")[::-1])
    shell.do("tercet check reviews.tercet turned.csv -n 30 -o turned-sheet.csv")
    expected = [(row["text"], row["check"]) for row in read_rows("filled.csv")]
    assert [(row["text"], row["check"]) for row in read_rows("turned-sheet.csv")] == expected
    assert json.loads(shell.do("tercet check reviews.tercet turned.csv --answers filled.csv --json").out)["n"] == 30


def test_missing_rows_and_labels_are_counted(shell: Shell) -> None:
    rows = read_rows("filled.csv")[4:]
    rows[0]["label"] = ""
    write_rows("part.csv", rows)
    told = shell.do(f"{MODEL} --answers part.csv --json")
    assert json.loads(told.out)["n"] == 25
    assert "5 texts of 30 without an answer" in told.err
    assert "unreliable: only 25 texts" in told.err


def test_unknown_labels_are_said_and_count_as_errors(shell: Shell) -> None:
    rows = read_rows("filled.csv")
    for row in rows[:3]:
        row["label"] = "goodd"
    write_rows("odd.csv", rows)
    told = shell.do(f"{MODEL} --answers odd.csv --json")
    found = json.loads(told.out)
    assert found["unknown"] == ["goodd"]
    assert "the model has no label 'goodd' (3 answers): this counts as an error of the model. Did you mean 'good'?" in told.err
    assert found["shares"][-1]["label"] == "goodd"


def test_keys_answer_and_the_proposal_is_not_shown(shell: Shell) -> None:
    model, texts = tercet.load("reviews.tercet"), [row["text"] for row in read_rows("test.csv")]
    sample = tercet.draw_check_sample(model, texts, 6)
    Path("keys.txt").write_text("1\n2\nu\n1\n?\nl goo\nl other\ny\nx\nh\n2\n1\n")
    told = shell.do(f"{MODEL} -n 6 --json < keys.txt")
    expected = sample.measure(["bad", "bad", None, "good", "other", "good"])
    found = json.loads(told.out)
    assert found["accuracy"] == expected.to_dict()["accuracy"]
    assert (found["n"], found["n_drawn"], found["unknown"]) == (5, 6, ["other"])
    assert "6 of 6 texts to check" in told.err
    assert "x does nothing: h shows the keys" in told.err
    assert "→" not in told.err
    assert "Nothing is learned." in told.err


def test_who_stops_early_gets_what_was_answered(shell: Shell) -> None:
    before = list_files(shell.folder)["reviews.tercet"]
    Path("keys.txt").write_text("1\n2\n1\nq\n2\n")
    assert json.loads(shell.do(f"{MODEL} -n 30 --json < keys.txt").out)["n"] == 3
    assert list_files(shell.folder)["reviews.tercet"] == before


def test_a_text_that_occurs_twice_is_asked_once(shell: Shell) -> None:
    rows = read_rows("test.csv")
    write_rows("twice.csv", [*rows, *rows])
    shell.do("tercet check reviews.tercet twice.csv -n 80 -o sheet.csv")
    sheet = read_rows("sheet.csv")
    assert len(sheet) == len({row["text"] for row in rows})
    gold = {row["text"]: row["label"] for row in rows}
    write_rows("sheet.csv", [{**row, "label": gold[row["text"]]} for row in sheet])
    found = json.loads(shell.do("tercet check reviews.tercet twice.csv --answers sheet.csv --json").out)
    assert found["n"] == found["n_pool"] == 80
    assert found["accuracy"]["low"] == found["accuracy"]["high"]


def test_a_compact_model_is_fine(shell: Shell) -> None:
    model = tercet.load("reviews.tercet")
    assert isinstance(model, tercet.Categorizer)
    model.compact().save("small.tercet")
    shell.do("tercet check small.tercet test.csv -n 12 -o small.csv")
    shell.do(f"{MODEL} -n 12 -o whole.csv")
    assert [row["text"] for row in read_rows("small.csv")] == [row["text"] for row in read_rows("whole.csv")]


def test_texts_that_the_model_has_learned_are_said(shell: Shell) -> None:
    Path("keys.txt").write_text("1\n2\n")
    told = shell.do("tercet check reviews.tercet reviews.csv -n 2 < keys.txt")
    assert "the model has learned 120 of the 120 documents" in told.err


def test_several_text_columns_stay_columns(shell: Shell) -> None:
    shell.do("tercet train tickets.csv --text subject --text body --label queue --fast -o tickets.tercet -q")
    shell.do("tercet check tickets.tercet tickets.csv -n 3 -o some.csv")
    known = {(row["subject"], row["body"]) for row in read_rows("tickets.csv")}
    assert {(row["subject"], row["body"]) for row in read_rows("some.csv")} <= known


def test_formulas_in_the_sheet_are_defused_and_labels_restored(shell: Shell) -> None:
    rows = [{"text": f"=1+{i} what a lovely film", "label": "+good" if i % 2 else "-bad"} for i in range(12)]
    write_rows("sums.csv", [{**row, "text": f"{row['text']} {row['label'][1:]}"} for row in rows])
    shell.do("tercet train sums.csv --text text --label label --fast -o sums.tercet -q")
    shell.do("tercet check sums.tercet sums.csv -n 6 -o sheet.csv")
    sheet = read_rows("sheet.csv")
    assert all(row["text"].startswith("'=") for row in sheet)
    write_rows("sheet.csv", [{**row, "label": "'+good" if row["text"].endswith("good") else "-bad"} for row in sheet])
    found = json.loads(shell.do("tercet check sums.tercet sums.csv --answers sheet.csv --json").out)
    assert found["unknown"] == []
    assert found["accuracy"]["value"] == 1


def spoil(name: str) -> None:
    rows = read_rows("filled.csv")
    changed = {
        "unfilled": [{**row, "label": " "} for row in rows],
        "foreign": [{**row, "label": "7"} for row in rows],
        "keyless": [{"text": row["text"], "label": row["label"]} for row in rows],
        "torn": [{**row, "check": row["check"][:-8]} for row in rows],
        "mixed": [{**row, "check": row["check"].replace("check-30-0", f"check-30-{i % 2}")} for i, row in enumerate(rows)],
        "doubled": [*rows, {**rows[0], "label": "bad" if rows[0]["label"] == "good" else "good"}],
        "strange": [{**row, "check": f"{row['check']}99"} for row in rows],
        "larger": [{**row, "check": row["check"].replace("check-30-", "check-3000-")} for row in rows],
    }
    if name in changed:
        write_rows(f"{name}.csv", changed[name])
    if name == "latin":
        Path("latin.csv").write_bytes(Path("filled.csv").read_bytes().replace(b"film", b"caf\xe9"))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("test.csv -n 41", "n=41, but the pool has only 40 texts that are not blank: ask for at most 40."),
        ("test.csv -n 0", "0 is not in the range"),
        ("test.csv", "ask for at most 40"),
        ("header.csv", "header.csv has no texts: give another file."),
        ("blank.csv -n 1", "the pool has no texts, or only blank ones"),
        ("new.csv --answers filled.csv", "filled.csv is a sheet of another pool or model"),
        ("test.csv --answers larger.csv", "larger.csv is a sheet of another pool or model"),
        ("test.csv --answers unfilled.csv", "unfilled.csv has no answers: fill in its column 'label'."),
        ("test.csv --answers foreign.csv", "no label that the model has: it has 'bad', 'good'"),
        ("test.csv --answers keyless.csv", "keyless.csv has no column 'check'"),
        ("test.csv --answers torn.csv", "these keys say which text a row is"),
        ("test.csv --answers mixed.csv", "mixed.csv has rows of several sheets"),
        ("test.csv --answers doubled.csv", "leave only one"),
        ("test.csv --answers strange.csv", "that was not drawn"),
        ("test.csv --answers latin.csv", "Save the sheet as CSV in UTF-8, or as .xlsx."),
        ("test.csv --answers missing.csv", "missing.csv does not exist"),
        ("test.csv --answers filled.csv -n 30", "leave out -n and --seed"),
        ("test.csv --answers filled.csv -o sheet.csv", "give one of them"),
        ("- -n 3", "standard input can't be the pool and the keys"),
        ("test.csv -n 3", "no text has an answer"),
        ("test.csv -n 3 -o out.txt", "let its name end in .csv"),
    ],
)
def test_bad_input_is_one_line_with_the_remedy(shell: Shell, options: str, words: str) -> None:
    Path("header.csv").write_text("text\n")
    Path("blank.csv").write_text('text\n" "\n" "\n')
    for word in options.split():
        spoil(word.removesuffix(".csv"))
    assert words in refuse(shell, f"tercet check reviews.tercet {options}")


def test_another_model_is_refused(shell: Shell) -> None:
    assert "another pool or model" in refuse(shell, "tercet check a.tercet test.csv --answers filled.csv")


# The result in the model file.


def test_the_result_is_written_down_only_if_somebody_asks_for_it(shell: Shell) -> None:
    before = Path("reviews.tercet").read_bytes()
    shell.do(f"{MODEL} --answers filled.csv")
    assert Path("reviews.tercet").read_bytes() == before
    assert "hand_check" not in json.loads(shell.do("tercet inspect reviews.tercet --json").out)
    assert "written: reviews.tercet" in shell.do(f"{MODEL} --answers filled.csv --record").err
    shown = json.loads(shell.do("tercet inspect reviews.tercet --json").out)["hand_check"]
    assert (shown["n"], shown["n_pool"], shown["pool"], shown["is_current"]) == (30, 40, "test.csv", True)
    accuracy = tercet.load("reviews.tercet").hand_check_.accuracy
    line = f"accuracy {accuracy}, checked by hand, 30 of 40 texts"
    facts = dict(row.split("  ", 1) for row in shell.do("tercet inspect reviews.tercet").out.splitlines() if "  " in row)
    assert facts["checked"].strip() == f"{line} (test.csv)"
    card = shell.do("tercet card reviews.tercet").out
    assert f"A{line[1:]}." in card
    assert "### Checked by hand" in card
    assert b"a dull" not in Path("reviews.tercet").read_bytes().partition(b"hand_check")[2][:2000]


def test_a_changed_model_says_that_it_was_checked_before(shell: Shell) -> None:
    shell.do(f"{MODEL} --answers filled.csv --record")
    Path("more.csv").write_text("text,label\na fine plot,good\n")
    shell.do("tercet learn reviews.tercet more.csv --new-labels")
    assert "30 of 40 texts; the model has changed since (test.csv)" in shell.do("tercet inspect reviews.tercet").out
    card = shell.do("tercet card reviews.tercet").out
    assert "30 of 40 texts; the model has changed since." in card
    assert "check it again with tercet check" in card


def test_a_ledger_has_the_check_and_gives_the_same_file(shell: Shell) -> None:
    shell.do("tercet ledger begin reviews.ledger reviews.tercet")
    told = shell.do(f"{MODEL} --answers filled.csv --record --ledger reviews.ledger --actor ann").err
    assert "written: reviews.tercet and reviews.ledger" in told
    assert json.loads(shell.do("tercet inspect reviews.tercet --json").out)["hand_check"]["is_current"] is True
    assert "check" in shell.do("tercet ledger show reviews.ledger").out
    shell.do("tercet ledger replay reviews.ledger -o again.tercet")
    assert Path("again.tercet").read_bytes() == Path("reviews.tercet").read_bytes()
    shell.do("tercet ledger verify reviews.ledger")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("-n 5 -o sheet.csv --record", "no result yet"),
        ("--answers filled.csv --ledger reviews.ledger", "give --record, too"),
        ("--answers filled.csv --actor ann", "give --record, too"),
    ],
)
def test_what_can_not_be_written_down_is_refused(shell: Shell, options: str, words: str) -> None:
    assert words in refuse(shell, f"{MODEL} {options}")


def test_a_file_that_has_changed_while_somebody_answered_is_left_alone(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.cli import check

    def ask(*_: object) -> dict[int, str]:
        other = tercet.load("reviews.tercet")
        other.learn(["so odd"], ["good"])
        other.save("reviews.tercet")
        return {1: "good", 2: "bad"}

    monkeypatch.setattr(check, "ask", ask)
    outcome = shell(f"{MODEL} -n 5 --record")
    assert outcome.code == 2
    assert "has changed" in outcome.err or "was changed" in outcome.err
    assert tercet.load("reviews.tercet").hand_check_ is None


def test_a_model_of_guessed_labels_says_so_also_after_a_check(shell: Shell) -> None:
    Path("seeds.toml").write_text('[good]\nwords = ["lovely", "warm"]\n[bad]\nwords = ["dull", "awful"]\n')
    shell.do("tercet begin test.csv --seeds seeds.toml -o first.tercet --vectors none")
    assert "nothing has been checked" in shell.do("tercet inspect first.tercet").out
    Path("keys.txt").write_text("1\n2\n" * 10)
    shell.do("tercet check first.tercet test.csv -n 20 --record < keys.txt")
    shown = shell.do("tercet inspect first.tercet").out
    assert "nothing has been checked" not in shown
    assert "labels of the texts were guessed" in shown
    card = shell.do("tercet card first.tercet").out
    assert "nothing has been checked" not in card
    assert "were guessed from names and words of the labels." in card
    assert "Nothing was measured" not in card


def test_a_filled_sheet_is_not_overwritten(shell: Shell) -> None:
    before = Path("filled.csv").read_bytes()
    for line in (f"{MODEL} -n 30 -o filled.csv", "tercet suggest test.csv -o filled.csv"):
        assert "may have labels that somebody has filled in" in refuse(shell, line)
    assert Path("filled.csv").read_bytes() == before


def test_a_question_mark_in_the_sheet_is_no_answer(shell: Shell) -> None:
    rows = read_rows("filled.csv")
    write_rows("unsure.csv", [{**row, "label": "?" if i < 5 else row["label"]} for i, row in enumerate(rows)])
    write_rows("empty.csv", [{**row, "label": "" if i < 5 else row["label"]} for i, row in enumerate(rows)])
    assert measure(shell, "unsure.csv") == measure(shell, "empty.csv")
