"""Streams of JSON lines and CSV: each line has its answer, in order, however the bytes are cut."""

import csv
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path

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
    assert head == ["id", "text", "label", "probability", "label_2", "probability_2"]
    assert [row[0] for row in rows] == [str(i) for i in range(200)]
    expected = tercet.Categorizer().fit(TEXTS, LABELS).predict_proba(texts).max(axis=1)
    assert [row[3] for row in rows] == [f"{value:.6f}" for value in expected]


def test_a_row_that_cannot_be_read_has_no_answer(served: Served) -> None:
    answer = served.post("classify", content=b"id,text\n1,good\n2\n3,bad,more\n4,dull\n", headers=TABLE).text
    assert [line.split(",")[2] for line in answer.splitlines()[1:]] == ["pos", "", "", "neg"]


def test_one_column_of_any_name_is_the_text(served: Served) -> None:
    answer = served.post("classify", content=b"\xef\xbb\xbfreview\ngood\n", headers=TABLE).text
    assert answer.splitlines()[0] == "review,label,probability"
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
