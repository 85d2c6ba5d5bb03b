"""Begin a model on the server, from texts without labels: read, work out, make; and what is refused."""

import random
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.folder_contents import read_files
from helpers.servers import Served, serve_apart, serve_here, write_model

import tercet
from tercet.categorizer.seeds import begin as begin_module
from tercet.data.documents import DocumentBatch
from tercet.ledger.ledger import Ledger
from tercet.ledger.verification import verify
from tercet.server import beginnings
from tercet.server.problems import Problem
from tercet.server.start import find_models

pytestmark = pytest.mark.server

PLAY, MONEY = ["team", "goal", "match", "coach", "referee"], ["bank", "rate", "loan", "market", "bond"]
LABELS = {"sports": {"words": ["team", "goal"]}, "business": {"words": ["bank", "rate"]}}


def make_texts(n: int = 60) -> list[str]:
    draw = random.Random(0)
    return [" ".join(["the", *draw.choices(PLAY if i % 2 else MONEY, k=3), f"today {i}"]) for i in range(n)]


TEXTS = [{"text": text, "subject": "ann" if place == 0 else None} for place, text in enumerate(make_texts())]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    return folder


@pytest.fixture
def served(tmp_path: Path, folder: Path) -> Iterator[Served]:
    with serve_here(tmp_path, [write_model(folder)], models_folder=folder) as server:
        yield server


def begin(served: Served, **message: Any) -> Any:
    return served("POST", "/api/beginnings", {"texts": TEXTS, "labels": LABELS} | message)


def make(served: Served, **message: Any) -> Any:
    return served("POST", "/api/models", {"texts": TEXTS, "labels": LABELS, "name": "news"} | message)


def test_a_file_is_read_and_a_first_model_is_worked_out(served: Served, folder: Path) -> None:
    before = read_files(folder)
    body = "who,text\n" + "".join(f"{'ann' if i == 0 else ''},{text}\n" for i, text in enumerate([*make_texts(), "", "a bond"]))
    read = served(
        "POST", "/api/beginnings/texts?subject=who", content=body.encode(), headers={"Content-Type": "text/csv"}
    ).json()
    assert sorted(each["text"] for each in read["texts"]) == sorted([*make_texts(), "a bond"])
    assert [each["subject"] for each in read["texts"] if each["subject"]] == ["ann"]
    assert read["bad"] == 1
    found = begin(served).json()
    expected = tercet.begin(make_texts(), {"sports": ["team", "goal"], "business": ["bank", "rate"]})
    assert [each["label"] for each in found["labels"]] == ["business", "sports"]
    for each, own in zip(found["labels"], expected.labels, strict=True):
        assert (each["share"], each["proposed"]) == (own.share, list(own.proposed))
        assert each["evidence"] == [word for word, _ in own.evidence]
        assert [text["text"] for text in each["typical"]] == [text.text for text in own.typical]
    assert found["labels"][1]["words"] == ["team", "goal"]
    assert found["texts"] == 60
    assert read_files(folder) == before  # nothing is written before somebody makes the model


def test_a_model_is_made_and_served_at_once(served: Served, folder: Path, tmp_path: Path) -> None:
    answer = make(served, pool="letters")
    assert answer.status_code == 201, answer.text
    assert answer.json() == {"model": "news", "pool": "letters", "texts": 60, "is_served": True}
    known = served("GET", "/api/models").json()
    assert known["can_begin"] is True
    facts = next(each for each in known["models"] if each["model"] == "news")
    assert (facts["is_guessed"], facts["check"], facts["estimate"]) == (True, None, {})
    said = served("POST", "/api/models/news/classify", {"texts": ["the referee", "a bond market"]}).json()
    assert [each["label"] for each in said["answers"]] == ["sports", "business"]
    (pool,) = served("GET", "/api/models/news/pools").json()["pools"]
    assert (pool["pool"], pool["offers"]) == ("letters", 60)
    drawn = served("POST", "/api/models/news/checks/draw", {"pool": "letters", "n": 20}).json()
    assert len(drawn["offers"]) == 20
    learned = served("POST", "/api/models/news/learn", {"documents": [{"text": "a bond", "label": "business"}]})
    assert learned.status_code == 200
    erased = served("POST", "/api/models/news/erase", {"subject": "ann"}).json()
    assert erased["documents"] >= 1
    secret = TEXTS[0]["text"]
    assert secret is not None
    assert all(secret.encode() not in content for content in read_files(folder).values())
    expected = tercet.begin(make_texts(), {"sports": ["team", "goal"], "business": ["bank", "rate"]}).categorizer
    with Ledger.open(folder / "news.ledger") as ledger:
        assert ledger.history.beginning["recipe"]["record"]["is_checked"] is False
    assert expected.record_ is not None


def test_the_ledger_gives_the_model_file_again_after_a_restart(tmp_path: Path, folder: Path) -> None:
    with serve_here(tmp_path, [write_model(folder)], models_folder=folder) as served:
        assert make(served).status_code == 201
    assert verify(folder / "news.ledger").is_good
    expected = tercet.begin(make_texts(), {"sports": ["team", "goal"], "business": ["bank", "rate"]}).categorizer
    expected.save(tmp_path / "expected.tercet")
    with Ledger.open(folder / "news.ledger") as ledger:
        ledger.replay().model.save(tmp_path / "again.tercet")
    assert (tmp_path / "again.tercet").read_bytes() == (tmp_path / "expected.tercet").read_bytes()


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"labels": {"sports": {"words": ["team"]}}}, "only the label 'sports'"),
        ({"labels": {"a": {"words": ["team"]}, "b": {"words": ["team"]}}}, "can't tell them apart"),
        ({"labels": {"a": {"words": ["team"]}, "b": {"words": ["zebra"]}}}, "zebra"),
        ({"texts": []}, "no texts"),
        ({"texts": [{"text": " "}]}, "0 different texts that are not blank"),
        ({"texts": [{"text": "x" * 70_000}]}, "65536 are the most"),
        ({"shares": {"sports": 0.7, "business": 0.7}}, "add up"),
        ({"labels": {str(i): {} for i in range(300)}}, "at most 250"),
        ({"labels": {}}, "no labels"),
    ],
)
def test_bad_input_is_one_sentence_and_nothing_is_written(
    served: Served, folder: Path, message: dict[str, Any], words: str
) -> None:
    before = read_files(folder)
    for answer in (begin(served, **message), make(served, **message)):
        assert answer.status_code == 422, answer.text
        assert words in answer.json()["error"]["message"]
    assert read_files(folder) == before


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "x" * 65, "a\n", "news.", " a", "a\0b", "-x"])
def test_a_name_that_is_no_name_is_refused(served: Served, tmp_path: Path, name: str) -> None:
    before = set(tmp_path.rglob("*"))
    assert make(served, name=name).status_code == 422
    assert set(tmp_path.rglob("*")) == before


def test_a_name_that_is_taken_is_refused(served: Served, folder: Path) -> None:
    assert make(served, name="Reviews").status_code == 409
    (folder / "Old.ledger").write_text("something else")
    assert make(served, name="old").status_code == 409
    assert (folder / "Old.ledger").read_text() == "something else"


def test_an_error_while_files_are_written_leaves_nothing(served: Served, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "news.b.tercet").write_text("of somebody else")
    before = read_files(folder)

    def fail(*_: Any, **__: Any) -> None:
        raise tercet.errors.CannotWrite("the disk is full.")

    monkeypatch.setattr(Ledger, "offer", fail)
    assert make(served).status_code == 503
    assert {name for name in read_files(folder) if not name.endswith(".lock")} == {
        name for name in before if not name.endswith(".lock")
    }
    monkeypatch.undo()
    assert make(served).status_code == 201


def test_a_server_of_one_file_can_not_begin_a_model(tmp_path: Path) -> None:
    with serve_here(tmp_path) as served:
        assert served("GET", "/api/models").json()["can_begin"] is False
        for answer in (begin(served), make(served)):
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "no_folder")


def test_only_admins_begin(served: Served) -> None:
    for role in ("reader", "teacher"):
        assert served("POST", "/api/beginnings", {"texts": TEXTS, "labels": LABELS}, role=role).status_code == 403
        message = {"texts": TEXTS, "labels": LABELS, "name": "news"}
        assert served("POST", "/api/models", message, role=role).status_code == 403


def test_of_a_large_file_a_bounded_part_comes_back(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beginnings, "MAX_TEXTS", 50)
    lines = [f"text number {i}" for i in range(3000)]

    def read(content: list[str]) -> list[str]:
        body = "\n".join(content).encode()
        answer = served("POST", "/api/beginnings/texts", content=body, headers={"Content-Type": "text/plain"})
        return [each["text"] for each in answer.json()["texts"]]

    found = read(lines)
    assert len(found) == 50
    assert read(lines[::-1] + lines) == found  # neither the order nor copies matter
    monkeypatch.setattr(beginnings, "BODY_SHARE", 1e-5)  # 168 bytes
    assert 0 < len(read(lines)) < 20


def test_one_beginning_at_a_time_runs_and_others_do_not_wait_for_it(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    work, running, go, most = beginnings.begin_from, [], threading.Event(), []

    def slow(*arguments: Any, **options: Any) -> Any:
        running.append(1)
        most.append(len(running))
        go.wait(30)
        running.pop()
        return work(*arguments, **options)

    monkeypatch.setattr(beginnings, "begin_from", slow)
    answers: list[Any] = []
    threads = [threading.Thread(target=lambda: answers.append(begin(served))) for _ in range(2)]
    for thread in threads:
        thread.start()
    while not running:
        pass
    said = served.post("classify", {"texts": ["so good"]})  # others are answered meanwhile
    assert said.status_code == 200
    go.set()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [200, 200]
    assert most == [1, 1]


def test_an_empty_folder_is_served_and_gets_its_first_model(tmp_path: Path) -> None:
    (tmp_path / "models").mkdir()
    with serve_apart("models", cwd=tmp_path) as program:
        assert program.client.get("/api/models").json() == {"models": [], "can_begin": True}
        message = {"texts": TEXTS, "labels": LABELS, "name": "news"}
        assert program.client.post("/api/models", json=message).json()["is_served"] is True
        assert program.post("classify", {"text": "the referee"}, "news").json()["answers"][0]["label"] == "sports"
    with serve_apart("models", "--workers", "2", cwd=tmp_path) as program:
        assert [each["model"] for each in program.client.get("/api/models").json()["models"]] == ["news"]
        message["name"] = "other"
        assert program.client.post("/api/models", json=message).json()["is_served"] is False
    with serve_apart("models", cwd=tmp_path) as program:
        assert len(program.client.get("/api/models").json()["models"]) == 2


def test_the_most_texts_of_a_request_are_those_that_teach() -> None:
    assert begin_module.MAX_TEXTS == beginnings.MAX_TEXTS == 10_000


def test_a_name_that_another_process_has_taken_meanwhile_is_left_alone(folder: Path) -> None:
    for name in ("new.ledger", "new.tercet"):
        (folder / name).write_bytes(b"of another process")
        before = read_files(folder)
        parts = folder.parent / "apart"
        parts.mkdir()
        pairs = [(parts / ending, folder / f"new.{ending}") for ending in ("ledger", "tercet")]
        for new, _ in pairs:
            new.write_bytes(b"mine")
        with pytest.raises(Problem, match="choose another name"):
            beginnings.give_names(pairs, "new")
        shutil.rmtree(parts)
        assert read_files(folder) == before
        (folder / name).unlink()


def test_what_a_killed_process_has_left_is_removed_and_others_are_served(folder: Path) -> None:
    write_model(folder)
    left = folder / f"{beginnings.UNFINISHED}x1"
    left.mkdir()
    (left / "new.ledger").write_bytes(b"half of a ledger")
    beginnings.remove_unfinished(folder)
    assert not left.exists()
    assert [each.name for each in find_models(folder, None, read_only=False)] == ["reviews"]


def test_texts_of_a_file_are_bounded_while_they_are_read() -> None:
    chosen = beginnings.ChosenTexts(max_bytes=1000)
    for i in range(50):
        chosen.add(DocumentBatch([f"{i} " + "x" * 90]), None)
        assert sum(len(text) for _, text, _ in chosen._heap) <= 1000
    whole = beginnings.ChosenTexts(max_bytes=10**6)
    for i in reversed(range(50)):
        whole.add(DocumentBatch([f"{i} " + "x" * 90]), None)
    kept = [each.text for each in chosen.list()]
    assert kept == [each.text for each in whole.list()][: len(kept)]
    assert len(kept) == 10
