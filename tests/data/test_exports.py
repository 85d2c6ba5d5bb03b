"""Exports of other programs: the right columns are found without an option, or the program stops and says why."""

import gzip
import json
import random
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.command_line import Shell
from helpers.help_desk_exports import (
    GERMAN_FILLERS,
    GERMAN_TOPICS,
    SPANISH_FILLERS,
    SPANISH_TOPICS,
    TOPICS,
    Row,
    export,
    make_tickets,
    to_csv,
)

import tercet
from tercet.errors import BadSource

# Names of an export, and which column of `make_tickets` each one is. The topic is the right label, the body the right text.
DESK = {"Ticket ID": "id", "Created At": "created", "Customer Name": "customer", "Agent": "agent", "Priority": "priority"}
DESK |= {"Status": "status", "Country": "country"}
GERMAN = {"Ticket-Nr.": "id", "Erstellt am": "day", "Kunde": "customer", "Bearbeiter": "agent", "Priorität": "priority"}
GERMAN |= {"Status": "status", "Land": "country", "Kategorie": "topic", "Betreff": "subject", "Beschreibung": "body"}


def find_columns(path: Path, **options: Any) -> tuple[str, ...]:
    """The columns of text and label that are found in a file."""
    fields = tercet.read(path, **options).start().fields
    assert fields is not None
    assert fields.label is not None
    return (*fields.texts, fields.label)


def find_sentence(path: Path, **options: Any) -> str:
    """What is said if the columns are not clear."""
    with pytest.raises(BadSource) as refused:
        tercet.read(path, **options).start()
    return str(refused.value).removeprefix(f"{path}: ")


def sort_by_topic(rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: row["topic"])


def misspell(rows: list[Row]) -> list[Row]:
    """60 spellings of 20 topics."""
    draw = random.Random(1)
    names = [f"{topic} {place}" for topic in TOPICS for place in ("North", "South", "East", "West")]
    for row in rows:
        name = draw.choice([each for each in names if each.startswith(row["topic"])])
        row["topic"] = draw.choice([name, name.lower(), name.replace(" ", "_")])
    return rows


def blank_some(rows: list[Row]) -> list[Row]:
    """One cell in fifty of text and label is blank."""
    for place, row in enumerate(rows):
        if place % 50 == 7:
            row["topic" if place % 100 == 7 else "body"] = ""
    return rows


# name: the bytes of the file, and the right columns
EXPORTS: dict[str, tuple[Callable[[], bytes], tuple[str, str]]] = {
    "sorted by label": (
        lambda: to_csv(export(sort_by_topic(make_tickets()), DESK | {"Category": "topic", "Body": "body"})).encode(),
        ("Body", "Category"),
    ),
    "ids first": (
        lambda: to_csv(
            export(make_tickets(), {"": "number", "uuid": "uuid", "queue": "topic"} | DESK | {"msg": "body"})
        ).encode(),
        ("msg", "queue"),
    ),
    "dates": (
        lambda: to_csv(
            export(make_tickets(), {"day": "day", "opened": "created", "CLASS": "topic", "due": "day", "text": "body"} | DESK)
        ).encode(),
        ("text", "CLASS"),
    ),
    "semicolons and a byte order mark": (
        lambda: to_csv(export(make_tickets(), DESK | {"Queue": "topic", "Message": "body"}), ";").encode("utf-8-sig"),
        ("Message", "Queue"),
    ),
    "60 spellings of 20 labels": (
        lambda: to_csv(export(misspell(make_tickets(600)), DESK | {"category": "topic", "description": "body"})).encode(),
        ("description", "category"),
    ),
    "2 % blanks": (
        lambda: to_csv(export(blank_some(make_tickets()), {"comment": "body", "topic": "topic"} | DESK)).encode(),
        ("comment", "topic"),
    ),
    "subject and body": (
        lambda: to_csv(
            export(make_tickets(), DESK | {"subject": "subject", "body": "body", "answer": "answer", "queue": "topic"})
        ).encode(),
        ("body", "queue"),
    ),
    "numbers as labels": (
        lambda: to_csv(export(make_tickets(), DESK | {"minutes": "minutes", "class": "number", "text": "body"})).encode(),
        ("text", "class"),
    ),
    "German headers": (
        lambda: to_csv(export(make_tickets(400, GERMAN_TOPICS, GERMAN_FILLERS), GERMAN), ";").encode(),
        ("Beschreibung", "Kategorie"),
    ),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_an_export_trains_on_the_right_columns_without_an_option(name: str, shell: Shell) -> None:
    write, expected = EXPORTS[name]
    Path("export.csv").write_bytes(write())
    said = shell.do("tercet train export.csv -o export.tercet").err
    assert f"text: column {expected[0]!r} (" in said
    assert f"label: column {expected[1]!r} (" in said
    record = tercet.load("export.tercet").record_
    assert record is not None
    assert record.columns is not None
    assert (*record.columns.texts, record.columns.label) == expected
    assert record.estimate["accuracy"].value > 0.8 or name.startswith("60")  # the number of the place says nothing


def test_a_pipe_trains_on_the_right_columns_without_an_option(tmp_path: Path) -> None:
    content = to_csv(export(make_tickets(), DESK | {"category": "topic", "body": "body"})).encode()
    command = [sys.executable, "-m", "tercet", "train", "-", "-o", str(tmp_path / "m.tercet")]
    done = subprocess.run(command, input=content, capture_output=True, check=True)
    assert b"standard input: format: csv, text: column 'body' (" in done.stderr
    assert b"label: column 'category' ('" in done.stderr


def test_merged_cells_train_on_the_right_columns_without_an_option(shell: Shell) -> None:
    rows = export(sort_by_topic(make_tickets()), DESK | {"Category": "topic", "Message": "body"})
    write_workbook(Path("export.xlsx"), rows, merged="Category")
    said = shell.do("tercet train export.xlsx -o export.tercet").err
    assert "5 cells merged over several rows: the value is used in each of them" in said
    assert "text: column 'Message' ('" in said
    assert "label: column 'Category' ('Account', 'Billing'; second choice: 'Priority')" in said
    assert "no label" not in said
    documents = tercet.read("export.xlsx")
    assert documents.labels == [row["Category"] for row in rows]


def test_a_label_that_stands_only_in_the_first_row_of_its_group_stops(shell: Shell) -> None:
    rows = export(sort_by_topic(make_tickets()), DESK | {"Category": "topic", "Message": "body"})
    seen: set[str] = set()
    for row in rows:  # as a sheet with merged cells is saved as CSV
        row["Category"], _ = "" if row["Category"] in seen else row["Category"], seen.add(row["Category"])
    Path("export.csv").write_text(to_csv(rows))
    refused = shell("tercet train export.csv -o export.tercet")
    assert refused.code == 2
    assert "--label" in refused.err
    assert not Path("export.tercet").exists()


def test_cp1252_stops_with_the_encoding_and_trains_with_it(shell: Shell) -> None:
    tickets = [row | {"body": f"„{row['body']}“ – 5 €"} for row in make_tickets(400, GERMAN_TOPICS, GERMAN_FILLERS)]
    rows = export(tickets, {name: column for name, column in GERMAN.items() if name.isascii()})
    Path("export.csv").write_bytes(to_csv(rows, ";").encode("cp1252"))
    refused = shell("tercet train export.csv -o export.tercet")
    assert refused.code == 2
    assert "--encoding cp1252" in refused.err
    assert not Path("export.tercet").exists()
    shell.do("tercet train export.csv -o export.tercet --encoding cp1252")
    assert find_columns(Path("export.csv"), encoding="cp1252") == ("Beschreibung", "Kategorie")


# the columns of other exports, and which are the right ones
OTHERS: list[tuple[dict[str, str], tuple[str, str]]] = [
    (DESK | {"type": "topic", "description": "body"}, ("description", "type")),
    (DESK | {"Tags": "topic", "message": "body"}, ("message", "Tags")),
    (DESK | {"Assigned_Group": "topic", "Short Description": "body"}, ("Short Description", "Assigned_Group")),
    ({"user": "customer", "stars": "stars", "review_text": "body", "helpful_votes": "minutes"}, ("review_text", "stars")),
    ({"col1": "topic", "col2": "body"}, ("col2", "col1")),
    ({"id": "id", "label": "topic", "label_num": "number", "text": "body", "split": "status"}, ("text", "label")),
    ({"text": "body", "category_id": "number", "n_likes": "minutes", "date": "created"}, ("text", "category_id")),
    (DESK | {"subcategory": "stars", "category": "topic", "body": "body"}, ("body", "category")),
    ({"body": "body", "answer": "answer", "type": "status", "queue": "topic", "language": "country"}, ("body", "queue")),
    ({"TICKET_ID": "id", "CATEGORY": "topic", "SUBJECT": "subject", "BODY": "body", "OWNER": "agent"}, ("BODY", "CATEGORY")),
    ({"ticketId": "uuid", "createdAt": "day", "issueType": "topic", "messageBody": "body"}, ("messageBody", "issueType")),
    ({"id": "id", "created": "day", "customer": "customer", "text": "body", "bucket": "topic"}, ("text", "bucket")),
    ({"id": "id", "text": "body", "lang": "country"}, ("text", "lang")),
]


@pytest.mark.parametrize(("columns", "expected"), OTHERS)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_the_columns_of_other_exports_are_found(
    columns: dict[str, str], expected: tuple[str, str], is_sorted: bool, tmp_path: Path
) -> None:
    rows = make_tickets()
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(sort_by_topic(rows) if is_sorted else rows, columns)))
    assert find_columns(path) == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ("id|fecha|cliente|prioridad|categoría|asunto|mensaje", ("mensaje", "categoría")),
        ("N°|Date de création|Client|Priorité|Catégorie|Objet|Message", ("Message", "Catégorie")),
        ("ID|Data apertura|Cliente|Priorità|Etichetta|Oggetto|Descrizione", ("Descrizione", "Etichetta")),
        ("ID|Data|Cliente|Prioridade|Categoria|Assunto|Mensagem", ("Mensagem", "Categoria")),
        ("Nr|Datum|Klant|Prioriteit|Categorie|Onderwerp|Omschrijving", ("Omschrijving", "Categorie")),
    ],
)
def test_names_of_other_languages_are_known(names: str, expected: tuple[str, str], tmp_path: Path) -> None:
    ours = ("id", "created", "customer", "priority", "topic", "subject", "body")
    rows = export(make_tickets(200, SPANISH_TOPICS, SPANISH_FILLERS), dict(zip(names.split("|"), ours, strict=True)))
    path = tmp_path / "a.csv"
    path.write_text(to_csv(rows, ";"))
    assert find_columns(path) == expected


LABEL_NAMES = (
    "label Category CATEGORY queue Class target topic Department team Kategorie Klasse categoría étiquette sentiment tags "
)
LABEL_NAMES += (
    "issue_category Ticketkategorie assigned_group reason gold_label category_name Thema Warteschlange bucket Zuordnung"
)
TEXT_NAMES = (
    "text Body message DESCRIPTION comment review_text msg Nachricht Beschreibung mensaje descripción notes inquiry xyz"
)
BESIDE = {"ID": "id", "uuid": "uuid", "Created At": "created", "date": "day", "customer_name": "customer", "Agent": "agent"}
BESIDE |= {"customer_email": "email", "owner": "agent", "Priority": "priority", "status": "status", "Country": "country"}
BESIDE |= {"satisfaction_rating": "stars", "response_minutes": "minutes", "Region": "country", "subject": "subject"}
BESIDE |= {
    "resolution": "answer",
    "closed": "day",
    "Bearbeiter": "agent",
    "Priorität": "priority",
    "x1": "stars",
    "tier": "status",
}


def test_random_exports_are_never_read_by_a_wrong_column(tmp_path: Path) -> None:
    path, draw, n_found = tmp_path / "a.csv", random.Random(0), 0
    tickets = make_tickets(200)
    for _ in range(100):
        label, text = draw.choice(LABEL_NAMES.split()), draw.choice(TEXT_NAMES.split())
        beside = draw.sample(sorted(BESIDE.items()), draw.randrange(9))
        columns = dict(draw.sample([(label, "topic"), (text, "body"), *beside], 2 + len(beside)))
        path.write_text(to_csv(export(sort_by_topic(tickets) if draw.random() < 0.5 else tickets, columns), draw.choice(",;")))
        with suppress(BadSource):
            assert find_columns(path) == (text, label), columns
            n_found += 1
    assert n_found >= 80


# the columns of an export, and the two that may both be meant
UNCLEAR: list[tuple[dict[str, str], str, tuple[str, str]]] = [
    (DESK | {"queue": "topic", "category": "number", "body": "body"}, "label", ("queue", "category")),
    (DESK | {"bucket": "topic", "body": "body"}, "label", ("bucket", "Priority")),
    (
        {"product_category": "topic", "star_rating": "stars", "review_body": "body"},
        "label",
        ("product_category", "star_rating"),
    ),
    ({"text": "body", "product": "topic", "country": "country"}, "label", ("product", "country")),
    ({"description": "body", "comments": "answer", "label": "topic"}, "text", ("description", "comments")),
]


@pytest.mark.parametrize(("columns", "field", "both"), UNCLEAR)
def test_where_two_columns_are_close_the_sentence_names_both_and_the_option(
    columns: dict[str, str], field: str, both: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    rows = make_tickets()
    for row in rows:  # otherwise each number stands beside the same topic, and both say the same
        row["number"] = (row["number"] + row["id"]) % 7
    path.write_text(to_csv(export(rows, columns)))
    said = find_sentence(path)
    assert said.startswith(f"both column {both[0]!r} ('")
    assert f") and column {both[1]!r} ('" in said
    assert said.endswith(f") may be the {field}: name one of them with --{field}.")
    assert "\n" not in said


@pytest.mark.parametrize("columns", [{"agent": "agent"}, {"handled": "customer"}, {"sent": "day"}, {"from": "email"}])
def test_a_person_a_date_or_an_address_is_never_taken_as_the_label(columns: dict[str, str], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(sort_by_topic(export(make_tickets(), {"topic": "topic"} | columns | {"body": "body"}))))
    assert find_columns(path) == ("body", "topic")
    path.write_text(to_csv(export(make_tickets(), {"id": "id"} | columns | {"body": "body"})))
    assert find_sentence(path).startswith("it is not clear which column is the label: 'id', ")


def test_a_weak_label_is_not_taken_where_another_column_is_named_like_one(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    rows = export(make_tickets(), {"number": "id", "title": "subject", "body": "body", "state": "status"})
    path.write_text("".join(json.dumps(row | {"labels": ["bug", "ui"]}) + "\n" for row in rows))
    assert find_sentence(path).startswith("the column 'labels' holds lists, and a document has one label. Write one label for")
    assert find_columns(path, label="state") == ("body", "state")
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), {"text": "body", "label": "subject", "status": "status"})))
    assert find_sentence(path).startswith("every row has its own label in the column 'label'")


def test_a_property_of_tickets_is_not_taken_as_the_label_because_there_is_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), {"id": "id", "created": "day", "status": "status", "body": "body"})))
    assert find_sentence(path).startswith("only column 'status' ('")
    assert find_sentence(path).endswith(
        "') could be the label, but a column of this name rarely is: name the label column with --label."
    )
    path.write_text(to_csv(export(make_tickets(), {"status": "status", "body": "body"})))
    assert find_columns(path) == ("body", "status")


HEADERS: list[tuple[dict[str, str], tuple[str, str]]] = [
    ({"Unnamed: 0": "id", "statement": "body", "status": "topic"}, ("statement", "status")),
    ({" id ": "id", " Text (raw) ": "body", " Category [final] ": "topic"}, ("Text (raw)", "Category [final]")),
    ({"time [s]": "minutes", "Size (µm)": "minutes", "operator note": "body", "fault": "topic"}, ("operator note", "fault")),
    ({"N° de dossier": "id", "Montant (€)": "minutes", "Motif": "topic", "Texte": "body"}, ("Texte", "Motif")),
    ({"How many stars do you give us, from 1 to 5?": "stars", "class": "topic", "text": "body"}, ("text", "class")),
]


@pytest.mark.parametrize(("columns", "expected"), HEADERS)
def test_names_with_units_blanks_and_signs_are_a_header(
    columns: dict[str, str], expected: tuple[str, str], tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), columns), ";"))
    assert find_columns(path) == expected


def test_columns_without_name_and_cells_do_not_hide_the_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("v1,v2,,\n" + "".join(f"{row['topic']},{row['body']},,\n" for row in make_tickets()))
    assert find_columns(path) == ("v2", "v1")


# the columns of an export with a column that has a name of labels, but is none, and what the label is
TRAPS: list[tuple[dict[str, str], str]] = [
    ({"id": "id", "Age Group": "priority", "comment": "body", "finding": "topic"}, "finding"),
    ({"Kundengruppe": "priority", "Text": "body", "Einstufung": "topic"}, "Einstufung"),
    ({"section": "priority", "complaint": "body", "what": "topic"}, "what"),
    ({"airline": "status", "class": "priority", "review": "body", "recommended": "topic"}, "recommended"),
    ({"Y": "country", "comment": "body", "species": "topic"}, "species"),
    ({"subreddit": "topic", "score": "minutes", "body": "body"}, "subreddit"),
    ({"flair": "topic", "score": "stars", "body": "body"}, "flair"),
    ({"Product Group": "priority", "complaint": "body", "root": "topic"}, "root"),
]


@pytest.mark.parametrize(("columns", "label"), TRAPS)
def test_a_name_of_labels_is_not_enough_where_the_texts_say_nothing_about_it(
    columns: dict[str, str], label: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), columns)))
    with suppress(BadSource):
        assert find_columns(path)[-1] == label
        return
    assert find_sentence(path).endswith("with --label.")


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ({"problem": "body", "solution_text": "answer", "category": "topic"}, "problem"),
        ({"context": "subject", "statement": "body", "label": "topic"}, "statement"),
        ({"title_text": "subject", "details": "body", "category": "topic"}, "details"),
        ({"Category Text": "topic", "long": "body", "label": "status"}, "long"),
    ],
)
def test_a_part_of_a_name_does_not_make_a_text(columns: dict[str, str], text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), columns)))
    with suppress(BadSource):
        assert find_columns(path)[0] == text
        return
    assert find_sentence(path).endswith(("with --text.", "with --label."))


def test_tables_without_rows_or_with_one_column_are_refused(shell: Shell) -> None:
    tables = {"text,label\n": "a.csv holds no documents: give another file or folder."}
    tables["text\nso\nla\n"] = (
        "a.csv has no column for the label: only one column was found, 'text'. "
        "Is the --format right? Without labels: `tercet begin`."
    )
    for content, said in tables.items():
        Path("a.csv").write_text(content)
        refused = shell("tercet train a.csv -o new.tercet")
        assert (refused.code, refused.err.splitlines()[-1]) == (2, f"tercet: {said}")
    assert not Path("new.tercet").exists()


def test_a_column_that_is_used_as_weight_or_kept_is_never_the_label(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(make_tickets(), {"stars": "stars", "kind": "status", "text": "body"})))
    assert find_columns(path) == ("text", "stars")
    assert find_columns(path, weight="stars") == find_columns(path, columns=["stars"]) == ("text", "kind")


def test_labels_that_are_all_different_are_refused(shell: Shell) -> None:
    Path("a.csv").write_text(to_csv(export(make_tickets(), {"id": "id", "label": "subject", "ticket": "uuid", "text": "body"})))
    for option, name in ("", "label"), (" --label ticket", "ticket"):
        refused = shell(f"tercet train a.csv -o new.tercet{option}")
        said = f"tercet: a.csv: every row has its own label in the column {name!r}, so there is nothing to learn: "
        assert (refused.code, refused.err.splitlines()[-1]) == (2, f"{said}name the label column with --label.")
    assert not Path("new.tercet").exists()


def write_workbook(path: Path, rows: list[Row], merged: str = "") -> None:
    """A workbook with one sheet. Equal cells of the column `merged` that stand below each other are one cell."""
    sheet: Any = (book := openpyxl.Workbook()).active
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    if merged:
        column = list(rows[0]).index(merged) + 1
        for value in dict.fromkeys(row[merged] for row in rows):
            places = [place for place, row in enumerate(rows, 2) if row[merged] == value]
            sheet.merge_cells(start_row=places[0], end_row=places[-1], start_column=column, end_column=column)
    book.save(path)


def write_sorted(path: Path, columns: dict[str, str]) -> None:
    """A file of some megabytes, sorted by topic, in the format of its suffix."""
    rows = export(sort_by_topic(make_tickets(12_000)), columns)
    if path.suffix == ".xlsx":
        write_workbook(path, rows[::10])
    elif path.suffix == ".json":
        path.write_text(json.dumps(rows[::10]))
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, pa.Table.from_pylist(rows).schema) as writer:
            writer.write_table(pa.Table.from_pylist(rows), 500)
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        path.write_text(to_csv(rows, "\t" if path.suffix == ".tsv" else ","), newline="")


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet", ".arrow", ".xlsx"])
def test_rows_are_sampled_across_a_large_file(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"a{suffix}"
    write_sorted(path, {"id": "id", "text": "body", "bucket": "topic"})
    assert find_columns(path) == ("text", "bucket")
    write_sorted(path, {"id": "id", "text": "body", "bucket": "topic", "box": "status"})
    assert find_sentence(path).startswith("both column 'bucket' ('Account', 'Billing') and column 'box' ('")


def test_cells_with_line_breaks_are_sampled_as_whole_rows(tmp_path: Path) -> None:
    rows = make_tickets(12_000)
    for row in rows:
        row["body"] = row["body"].replace(" ", ",\n", 6).replace("please", '"please"')
    path = tmp_path / "a.csv"
    path.write_text(to_csv(export(sort_by_topic(rows), {"text": "body", "bucket": "topic"})), newline="")
    assert find_columns(path) == ("text", "bucket")


def test_the_beginning_of_a_compressed_file_may_show_one_label_only(tmp_path: Path) -> None:
    columns = {"id": "id", "text": "body", "box": "status"}
    for name, expected in ("category", ("text", "category")), ("bucket", None):
        content = to_csv(export(sort_by_topic(make_tickets(12_000) * 3), columns | {name: "topic"}))
        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(content.encode(), 1))
        if expected is None:  # it has one value there, but nobody knows how it continues
            assert "column 'bucket' ('Account')" in find_sentence(path)
        else:
            assert find_columns(path) == expected


def test_one_of_several_files_may_show_one_label_only(tmp_path: Path) -> None:
    rows = sort_by_topic(make_tickets())
    for name in ("Account", "Billing"):
        part = [row for row in rows if row["topic"] == name]
        (tmp_path / f"{name}.csv").write_text(to_csv(export(part, {"text": "body", "bucket": "topic", "box": "status"})))
    with pytest.raises(BadSource, match=r"column 'bucket' \('Account'\)"):
        tercet.read([tmp_path / "Account.csv", tmp_path / "Billing.csv"]).start()


def test_rows_without_label_or_text_are_left_out_and_counted(shell: Shell) -> None:
    rows = blank_some(make_tickets())
    Path("a.csv").write_text(to_csv(export(rows, {"topic": "topic", "text": "body"})))
    said = shell.do("tercet train a.csv -o a.tercet").err
    n_label, n_text = (sum(not row[name] for row in rows) for name in ("topic", "body"))
    assert f"a.csv: of 400 rows, {n_label} have no label ('topic'), {n_text} no text ('text'); they are left out" in said
    full = [row for row in rows if row["topic"] and row["body"]]
    Path("b.csv").write_text(to_csv(export(full, {"topic": "topic", "text": "body"})))
    shell.do("tercet train b.csv -o b.tercet")
    assert Path("a.tercet").read_bytes() == Path("b.tercet").read_bytes()
    assert tercet.read("a.csv", training=True).collect().texts == [row["body"] for row in full]


def test_more_than_a_tenth_of_blank_rows_is_an_error_that_names_skip(shell: Shell) -> None:
    rows = make_tickets(100)
    for row in rows[:11]:
        row["topic"] = " " * (row["id"] % 2)
    Path("a.csv").write_text(to_csv(export(rows, {"topic": "topic", "text": "body"})))
    refused = shell("tercet train a.csv -o new.tercet")
    assert refused.code == 2
    assert "a.csv: of 100 rows, 11 have no label ('topic'). More than 10 % are left out" in refused.err
    assert "leave them out with --on-error skip" in refused.err
    assert not Path("new.tercet").exists()
    shell.do("tercet train a.csv -o new.tercet --on-error skip")
