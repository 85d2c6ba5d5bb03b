"""Streams of JSON lines and CSV: each line has its answer, in order, however the bytes are cut."""

import csv
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.servers import LABELS, TEXTS, Served, serve_here

import tercet
from tercet.server.limits import Limits

pytestmark = pytest.mark.server

LINES, TABLE = {"Content-Type": "application/x-ndjson"}, {"Content-Type": "text/csv"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_here(tmp_path_factory.mktemp("served"), limits=Limits(body=4000)) as server:
        yield server


def cut(body: bytes, seed: int) -> Iterator[bytes]:
    draw = random.Random(seed)
    while body:
        n = draw.choice((1, 2, 7, 50, 1000))
        yield body[:n]
        body = body[n:]


@pytest.mark.parametrize("seed", range(3))
def test_json_lines_are_answered_one_by_one(served: Served, seed: int) -> None:
    texts = ["a good film", "é 😀 dull", "", "two\nlines"] * 30
    lines = [json.dumps(text if i % 2 else {"text": text}) for i, text in enumerate(texts)]
    lines[5:5] = ["", "{", '{"x": 1}', "3", '"a" "b"', '{"text": null}']
    ending = "\n" if seed % 2 else ""
    answers = served.post("classify", content=cut(("\r\n".join(lines) + ending).encode(), seed), headers=LINES).text
    found = [json.loads(line) for line in answers.splitlines()]
    bad = found[5:10]
    assert all(list(each) == ["error"] for each in bad)
    expected = tercet.Categorizer().fit(TEXTS, LABELS).predict_proba(texts).max(axis=1).tolist()
    assert [each["probability"] for each in found[:5] + found[10:]] == expected


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_a_table_are_answered_one_by_one(served: Served, seed: int) -> None:
    draw = random.Random(seed)
    texts = ["".join(draw.choices('good bad "film", \n=1+1é', k=draw.randrange(12))) or "x" for _ in range(200)]
    table = io.StringIO()
    csv.writer(table).writerows([("id", "text"), *enumerate(texts)])
    answer = served.post("classify?top=2", content=cut(table.getvalue().encode(), seed), headers=TABLE).text
    head, *rows = csv.reader(io.StringIO(answer, newline=""))
    assert head == ["id", "text", "label", "probability", "label_2", "probability_2", "error"]
    assert [row[0] for row in rows] == [str(i) for i in range(200)]
    expected = tercet.Categorizer().fit(TEXTS, LABELS).predict_proba(texts).max(axis=1)
    assert [row[3] for row in rows] == [f"{value:.6f}" for value in expected]


def test_a_row_that_cannot_be_read_has_no_answer(served: Served) -> None:
    answer = served.post("classify", content=b"id,text\n1,good\n2\n3,bad,more\n4,dull\n", headers=TABLE).text
    assert [line.split(",")[2] for line in answer.splitlines()[1:]] == ["pos", "", "", "neg"]
    faults = [row["error"] for row in csv.DictReader(io.StringIO(answer))]
    assert faults[1:3] == [
        "line 3: it has 1 cell, but the first row has 2.",
        "line 4: it has 3 cells, but the first row has 2.",
    ]


def test_one_column_of_any_name_is_the_text(served: Served) -> None:
    answer = served.post("classify", content=b"\xef\xbb\xbfreview\ngood\n", headers=TABLE).text
    assert answer.splitlines()[0] == "review,label,probability,error"
    assert answer.splitlines()[1].startswith("good,pos,")


@pytest.mark.parametrize(
    ("kind", "query", "status"), [("text/plain", "", 415), ("text/csv", "?top=x", 422), ("text/csv", "?top=-1", 422)]
)
def test_what_is_no_stream_is_refused(served: Served, kind: str, query: str, status: int) -> None:
    answer = served.post(f"classify{query}", content=b"text\na\n", headers={"Content-Type": kind})
    assert answer.status_code == status
    assert list(answer.json()["error"]) == ["code", "message"]


def test_an_empty_stream_has_an_empty_answer(served: Served, tmp_path: Path) -> None:
    for headers in (LINES, TABLE):
        answer = served.post("classify", content=b"", headers=headers)
        assert (answer.status_code, answer.text) == (200, "")


def read_table(answer: Any) -> list[dict[str, str]]:
    assert answer.status_code == 200, answer.text
    return list(csv.DictReader(io.StringIO(answer.content.decode(), newline="")))


STRANGE = ["a\u2028b", "a\x85b", "a\vb", "a\fb", "a\x1cb", "a\0b", "a\r\nb", "a\rb", "a\nb", 'say "so"', "a,b;c", "\ufeffa"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("seed", range(2))
def test_a_row_is_one_row_whatever_its_cells_hold(served: Served, seed: int, end: str) -> None:
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([("id", "text"), *enumerate(STRANGE * 20)])
    found = read_table(served.post("classify", content=cut(table.getvalue().encode(), seed), headers=TABLE))
    assert [row["text"].removeprefix("'") for row in found] == STRANGE * 20
    assert all(row["label"] and not row["error"] for row in found)


def test_a_cell_goes_on_after_two_thousand_lines(served: Served) -> None:
    long = "\n".join(["so"] * 900)
    body = "id,text\n" + "1,good\n" * 1500 + f'2,"{long}"\n' + "3,bad\n"
    found = read_table(served.post("classify", content=body.encode(), headers=TABLE))
    assert [row["id"] for row in found] == ["1"] * 1500 + ["2", "3"]
    assert found[1500]["text"] == long


def test_a_long_cell_is_read_up_to_the_limit(tmp_path: Path) -> None:
    with serve_here(tmp_path, limits=Limits(body=2 << 20)) as served:
        cell = "good " * 80_000
        found = read_table(served.post("classify", content=f"id,text\n1,{cell}\n2,so\n".encode(), headers=TABLE))
        assert [(row["id"], len(row["text"]), row["error"]) for row in found] == [("1", 400_000, ""), ("2", 2, "")]


@pytest.mark.parametrize(("headers", "row"), [(TABLE, b'2,"%s\n3,so\n'), (LINES, b'{"text": "%s"}\n"so"\n')])
def test_what_is_beyond_the_limit_is_said_in_the_last_line(tmp_path: Path, headers: dict[str, str], row: bytes) -> None:
    first = b"id,text\n1,good\n" if headers is TABLE else b'"good"\n'
    with serve_here(tmp_path, limits=Limits(body=2 << 20)) as served:
        cell = b"good\n" * 700_000 if headers is TABLE else b"good " * 700_000
        answer = served.post("classify", content=first + row % cell, headers=headers)
        assert answer.status_code == 200
        *_, good, last = answer.text.splitlines()
        assert "pos" in good
        assert ("line 3: the row" if headers is TABLE else "line 2") + " is longer than 2 MiB" in last


def test_two_columns_of_one_name_are_refused(served: Served) -> None:
    answer = served.post("classify", content=b"text,text\ngood,bad\n", headers=TABLE)
    assert (answer.status_code, answer.json()["error"]["message"]) == (
        422,
        "the stream has two columns 'text': rename one, so that it is clear which is meant.",
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252", "latin-1"])
def test_another_encoding_is_read_if_it_is_declared(served: Served, encoding: str) -> None:
    body, kind = "id,text\n1,gröse\n2,gut\n".encode(encoding), f"text/csv; charset={encoding}"
    found = read_table(served.post("classify", content=cut(body, 1), headers={"Content-Type": kind}))
    assert [row["text"] for row in found] == ["gröse", "gut"]
    lines = '{"text": "gröse"}\n"gut"\n'.encode(encoding)
    answer = served.post("classify", content=lines, headers={"Content-Type": f"application/x-ndjson; charset={encoding}"})
    assert [list(json.loads(line)) for line in answer.text.splitlines()] == [["label", "probability"]] * 2


def test_another_encoding_is_refused_if_it_is_not_declared(served: Served) -> None:
    body = "id;text\n1;gröse\n2;gut\n"
    assert [row["text"] for row in read_table(served.post("classify", content=body.encode("utf-16"), headers=TABLE))]
    for encoding, words in (("cp1252", "It looks like cp1252"), ("utf-16-le", "It looks like utf-16-le")):
        error = served.post("classify", content=body.encode(encoding), headers=TABLE).json()["error"]
        assert words in error["message"]
        assert "--" not in error["message"]
    unknown = served.post("classify", content=b"text\na\n", headers={"Content-Type": "text/csv; charset=klingon"})
    assert unknown.status_code == 422
