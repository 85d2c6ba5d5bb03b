"""Quality, agreement, words, progress, e-mails, export and certificates on the server."""

import json
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np
import pytest
from helpers.servers import LABELS, TEXTS, Served, serve_apart, serve_here, write_model

import tercet
from tercet.evaluation.intervals import wilson
from tercet.ledger.changes import Verdict
from tercet.ledger.expected_gain import estimate_gain_of_ledger
from tercet.ledger.labelling import Proposal
from tercet.ledger.ledger import Ledger
from tercet.server.progress import ProgressStream
from tercet.server.quality import GainFinder, SuspectFinder
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.server


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_here(tmp_path) as server:
        yield server


def get(served: Served, what: str, role: str = "reader") -> dict[str, Any]:
    answer = served("GET", f"/api/models/reviews/{what}", role=role)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def write_judgments(ledger: Ledger, n: int, seed: int = 1) -> list[tuple[str, str, float]]:
    """Judge n texts with proposals that are right in most cases. Returns label, proposed label and probability of each."""
    draw, found = random.Random(seed), []
    offers = ledger.offer(tercet.Documents([f"text {i}" for i in range(n)]), pool="p", actor="ann")
    for event in offers:
        label, probability = draw.choice(["neg", "pos"]), draw.uniform(0.5, 1)
        said = label if draw.random() < probability else {"neg": "pos", "pos": "neg"}[label]
        verdict = Verdict(label=label, proposal=Proposal(said, probability, event.number), learn=False)
        ledger.judge(event.number, verdict, actor="ann")
        found.append((label, said, probability))
    return found


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[tuple[str, str, float]]]]:
    """A server with 450 judged proposals."""
    folder = tmp_path_factory.mktemp("judged")
    place = write_model(folder)
    assert place.ledger is not None
    with Ledger.open(place.ledger, write=True) as ledger:
        found = write_judgments(ledger, 450)
        other = ledger.offer(tercet.Documents(["not counted"]), pool="p", actor="ann")[0].number
        ledger.judge(other, Verdict(label="neg"), actor="ann")  # without a proposal
        ledger.judge(other, Verdict("skip", proposal=Proposal("pos", 0.9)), actor="ann")
        ledger.correct(
            tercet.Documents(["nor this"]), Verdict(label="neg", proposal=Proposal("pos", 0.9)), pool="c", actor="ann"
        )
        undone = ledger.judge(other, Verdict(label="neg", proposal=Proposal("pos", 0.9)), actor="ann")[0].number
        ledger.undo(undone, actor="ann")
    with serve_here(folder, [place]) as served:
        yield served, found


# Quality.


def test_proposals_are_counted_against_labels(judged: tuple[Served, list[tuple[str, str, float]]]) -> None:
    served, found = judged
    quality = get(served, "quality")
    right = [label == said for label, said, _ in found]
    expected = wilson(sum(right), len(right))
    assert (quality["proposals"]["n"], quality["proposals"]["right"]) == (450, sum(right))
    accuracy = quality["proposals"]["accuracy"]
    assert [accuracy[name] for name in ("value", "low", "high")] == [expected.value, expected.low, expected.high]
    labels = ["neg", "pos"]
    cells = [[sum((a, b) == (label, said) for a, b, _ in found) for said in labels] for label in labels]
    assert quality["confusion"] == {"labels": labels, "cells": cells}
    running = quality["running"]
    assert len(running) == 200
    assert (running[-1]["n"], running[-1]["accuracy"]) == (450, sum(right) / 450)
    for point in running[::37]:
        assert point["accuracy"] == sum(right[: point["n"]]) / point["n"]
        assert point["low"] <= point["accuracy"] <= point["high"]
    assert [point["event"] for point in running] == sorted(point["event"] for point in running)
    learning = quality["learning"]
    assert (len(learning), sum(point["n"] for point in learning)) == (20, 450)
    assert sum(point["n"] * point["accuracy"] for point in learning) == pytest.approx(sum(right))
    assert {point["n_documents"] for point in learning} == {6}


def test_calibration_compares_probabilities_with_what_was_right(judged: tuple[Served, list[tuple[str, str, float]]]) -> None:
    served, found = judged
    calibration = get(served, "quality")["calibration"]
    assert [(each["low"], each["high"]) for each in calibration["bins"]] == [(i / 10, (i + 1) / 10) for i in range(5, 10)]
    error = 0.0
    for each in calibration["bins"]:
        inside = [(label == said, p) for label, said, p in found if each["low"] <= p < each["high"]]
        assert each["n"] == len(inside)
        assert each["accuracy"] == pytest.approx(np.mean([right for right, _ in inside]))
        assert each["mean_probability"] == pytest.approx(np.mean([p for _, p in inside]))
        error += len(inside) / 450 * abs(each["accuracy"] - each["mean_probability"])
    assert calibration["error"] == pytest.approx(error)


def test_without_judgments_quality_is_empty(served: Served) -> None:
    quality = get(served, "quality")
    assert quality["proposals"]["n"] == 0
    assert quality["proposals"]["accuracy"]["value"] is None
    assert (quality["running"], quality["learning"], quality["confusion"]) == ([], [], {"labels": [], "cells": []})
    assert quality["calibration"] == {"bins": [], "error": None}
    served.post("pools?name=p", content=b"a", headers={"Content-Type": "text/plain"})
    served.post("judge", {"offer": 8, "label": "pos", "proposal": {"label": "pos", "probability": 1.0}})
    quality = get(served, "quality")
    assert (quality["proposals"]["n"], len(quality["running"]), quality["learning"]) == (1, 1, [])
    assert quality["calibration"]["bins"][0]["low"] == 0.9


def test_suspects_are_found_in_the_background_and_shown_to_teachers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{words * (i % 4 + 1)}number {i}" for i in range(40) for words in ("good film ", "bad plot ")]
    labels = ["pos", "neg"] * 40
    labels[7] = "pos"
    ledger = tmp_path / "reviews.ledger"
    Ledger.begin(ledger, tercet.Categorizer(), tercet.Documents(texts, labels), actor="ann").close()
    finders: list[SuspectFinder] = []
    begin = SuspectFinder.__init__
    monkeypatch.setattr(SuspectFinder, "__init__", lambda self, served: (begin(self, served), finders.append(self))[0])
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "reviews.tercet", str(ledger))]) as served:

        def find(role: str = "teacher") -> dict[str, Any]:
            get(served, "quality", role)
            for finder in finders:
                finder.wait()
            return get(served, "quality", role)

        found = find()
        first = found["suspects"][0]
        assert (first["event"], first["text"], first["label"], first["looks_like"]) == (9, texts[7], "pos", "neg")
        assert found["suspects_event"] == 81
        assert (find("reader")["suspects"], find("reader")["suspects_event"]) == ([], None)
        served.post("relabel", {"event": 9, "label": "neg"})
        assert 9 not in {each["event"] for each in find()["suspects"]}
        more = [{"text": f"good film {i}", "label": "pos"} for i in range(17)]
        wrong = {"text": "bad plot bad plot indeed", "label": "pos", "subject": "zoe"}
        served.post("learn", {"documents": [*more, wrong]})
        assert find()["suspects_event"] == 81  # eighteen documents and a new label are not enough
        served.post("learn", {"documents": more[:1]})
        found = find()
        assert found["suspects_event"] == 101
        assert wrong["text"] in {each["text"] for each in found["suspects"]}
        served.post("erase", {"subject": "zoe"})
        assert wrong["text"] not in {each["text"] for each in get(served, "quality", "teacher")["suspects"]}


def test_what_more_labels_would_bring_is_worked_out_in_the_background(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{words} number {i}" for i in range(30) for words in ("good film", "bad plot")]
    ledger = tmp_path / "reviews.ledger"
    Ledger.begin(ledger, tercet.Categorizer(), tercet.Documents(texts, ["pos", "neg"] * 30), actor="ann").close()
    finders: list[GainFinder] = []
    begin = GainFinder.__init__
    monkeypatch.setattr(GainFinder, "__init__", lambda self, served: (begin(self, served), finders.append(self))[0])
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "reviews.tercet", str(ledger))]) as served:

        def find() -> dict[str, Any]:
            get(served, "gain", "teacher")
            for finder in finders:
                finder.wait()
            return get(served, "gain", "teacher")

        found = find()
        with Ledger.open(ledger) as opened:
            expected = estimate_gain_of_ledger(opened)
        assert expected.gain is not None
        assert (found["is_running"], found["gain_event"], found["documents"]) == (False, 61, 60)
        assert (found["accuracy"], found["words"]) == (expected.accuracy, expected.words)
        assert [found["gain"][name] for name in ("value", "low", "high")] == [
            expected.gain.value,
            expected.gain.low,
            expected.gain.high,
        ]
        served.post("pools?name=p", content=b"a\nb", headers={"Content-Type": "text/plain"})
        assert find()["gain_event"] == 61  # the same documents
        served.post("learn", {"documents": [{"text": "a good plot", "label": "pos"}]})
        assert find()["documents"] == 61
        assert served("GET", "/api/models/reviews/gain", role="reader").status_code == 403


def test_a_model_of_few_documents_can_not_tell_what_more_would_bring(served: Served) -> None:
    for _ in range(200):
        found = get(served, "gain", "teacher")
        if not found["is_running"] and found["words"]:
            break
        time.sleep(0.05)
    assert found["gain"] is None
    assert found["words"].startswith("can't tell what 50 more labels bring: 6 documents of 2 labels")


# Agreement.


def test_agreement_is_that_of_the_evaluation_room(served: Served) -> None:
    nobody = get(served, "agreement")
    assert (nobody["n_judges"], nobody["pairs"], nobody["alpha"]["value"], nobody["alpha"]["n_units"]) == (0, [], None, 0)
    draw = random.Random(2)
    served.post("pools?name=p", content="\n".join(f"t {i}" for i in range(40)).encode(), headers={"Content-Type": "text/plain"})
    given: dict[str, list[str | None]] = {"admin": [], "teacher": []}
    for number in range(8, 48):
        first = draw.choice(["pos", "neg"])
        for role, label in (("teacher", first), ("admin", draw.choice([first, first, "pos", None]))):
            given[role].append(label)
            if label is not None:
                served.post("judge", {"offer": number, "label": label, "learn": False}, role=role)
    served.post("settle", {"offer": 8, "label": "pos"}, role="reader")
    expected = tercet.measure_agreement(given)
    found = get(served, "agreement")
    assert (found["n_judges"], found["alpha"]["n_units"]) == (2, expected.n_texts)
    assert [found["alpha"][name] for name in ("value", "low", "high")] == [
        expected.alpha.value,
        expected.alpha.low,
        expected.alpha.high,
    ]
    (pair,) = found["pairs"]
    assert (pair["a"], pair["b"], pair["n"]) == ("admin", "teacher", expected.pairs[0].n)
    assert pair["kappa"]["value"] == expected.pairs[0].kappa.value


def test_who_settles_is_no_judge(served: Served) -> None:
    served.post("pools?name=p", content=b"a\nb", headers={"Content-Type": "text/plain"})
    for number in (8, 9):
        served.post("judge", {"offer": number, "label": "pos", "judges": 2}, role="teacher")
        served.post("settle", {"offer": number, "label": "neg"}, role="admin")
    assert (get(served, "agreement")["n_judges"], get(served, "agreement")["pairs"]) == (1, [])


# Words.


def test_words_are_those_of_the_model(served: Served) -> None:
    model = tercet.Categorizer().fit(TEXTS, LABELS)
    found = get(served, "words?limit=3")["labels"]
    expected = model.most_informative(3)
    assert {label: [(each["term"], each["log_odds"]) for each in words] for label, words in found.items()} == expected
    assert all(len(words) > 3 for words in get(served, "words")["labels"].values())
    assert [len(words) for words in get(served, "words?limit=2")["labels"].values()] == [2, 2]
    for bad in ("0", "501", "x", "-1", "1" * 20):
        assert served("GET", f"/api/models/reviews/words?limit={bad}").status_code == 422


def test_no_erased_word_is_shown(served: Served) -> None:
    documents = [{"text": "zyzzyva zyzzyva", "label": "neg", "subject": "zoe"}]
    served.post("learn", {"documents": documents})
    assert "zyzzyva" in json.dumps(get(served, "words"))
    assert "zyzzyva" in served.post("word", {"word": "zyzzyva"}, role="teacher").json()["documents"][0]["text"]
    served.post("erase", {"subject": "zoe"})
    assert "zyzzyva" not in json.dumps(get(served, "words"))
    assert served.post("word", {"word": "zyzzyva"}).json()["known"] is False


def test_a_word_has_counts_documents_and_a_trend(served: Served) -> None:
    served.post("learn", {"documents": [{"text": "a Lovely zebra", "label": "neg"}, {"text": "so lovely", "label": "pos"}]})
    found = served.post("word", {"word": "LOVELY"}, role="teacher").json()
    assert (found["term"], found["known"], found["read"]) == ("lovely", True, 8)
    model = tercet.Categorizer().fit([*TEXTS, "a Lovely zebra", "so lovely"], [*LABELS, "neg", "pos"])
    rows = list(model.parameters(terms=["lovely"]))
    assert [(each["label"], each["count"], each["documents"], each["probability"]) for each in found["counts"]] == [
        (row.label, row.count, row.documents, row.probability) for row in rows
    ]
    assert [(each["event"], each["label"], each["text"]) for each in found["documents"]] == [
        (9, "pos", "so lovely"),
        (8, "neg", "a Lovely zebra"),
        (3, "pos", "a lovely warm story"),
    ]
    assert found["trend"] == [
        {"event": 3, "label": "pos", "n": 1},
        {"event": 8, "label": "neg", "n": 1},
        {"event": 9, "label": "pos", "n": 1},
    ]
    assert served.post("word", {"word": "lovely"}, role="reader").json()["documents"] == []
    quick = served.post("word", {"word": "lovely", "counts_only": True}).json()
    assert (quick["counts"], quick["read"], quick["trend"], quick["documents"]) == (found["counts"], 0, [], [])
    served.post("unlearn", {"events": [9]})
    assert [each["event"] for each in served.post("word", {"word": "lovely"}).json()["documents"]] == [8, 3]
    for unknown in ("quagga", "!?", " "):
        answer = served.post("word", {"word": unknown}).json()
        assert (answer["known"], answer["counts"], answer["documents"], answer["trend"]) == (False, [], [], [])
    for bad in ({}, {"word": ""}, {"word": "x" * 201}, {"word": 3}):
        assert served.post("word", bad).status_code == 422


def test_words_of_a_stack_and_of_columns(tmp_path: Path) -> None:
    texts = [f"{text} w{i % 7}" for i, text in enumerate(TEXTS * 7)]
    model = tercet.Categorizer(tercet.Analyzer(word_ngrams=(1, 2), char_ngrams=(2, 4)), tercet.NBSVM(), keep_documents=True)
    ledger = tmp_path / "reviews.ledger"
    Ledger.begin(ledger, model, tercet.Documents(texts, LABELS * 7), actor="ann").close()
    joined = tercet.Documents.join({"subject": ["refund", "crash"], "body": ["my money", "it fails"]}, ["bill", "tech"])
    Ledger.begin(tmp_path / "t.ledger", tercet.Categorizer(), joined, actor="ann").close()
    places = [ModelLocation(name, tmp_path / f"{name}.tercet", str(tmp_path / f"{name}.ledger")) for name in ("reviews", "t")]
    with serve_here(tmp_path, places) as served:
        found = served.post("word", {"word": "Lovely Warm"}).json()
        assert (found["term"], found["known"], len(found["documents"])) == ("lovely warm", True, 7)
        assert found["counts"][1]["weight"] is not None
        assert served.post("word", {"word": "bad lovely"}).json()["known"] is False
        assert all(get(served, "words")["labels"].values())
        assert "money" in json.dumps(served("GET", "/api/models/t/words").json()["labels"])  # each model has its own
        columns = served("POST", "/api/models/t/word", {"word": "money"}).json()
        assert (columns["known"], [each["text"] for each in columns["documents"]]) == (True, ["refund\n\nmy money"])


def test_a_compact_model_has_words_but_no_counts(tmp_path: Path) -> None:
    path = tmp_path / "small.tercet"
    tercet.Categorizer().fit(TEXTS, LABELS).compact().save(path)
    with serve_here(tmp_path, [ModelLocation("reviews", path, None)]) as served:
        assert get(served, "words")["labels"]["pos"]
        refused = served.post("word", {"word": "good"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "no_counts")
        assert served("GET", "/api/models/reviews/quality").status_code == 409
        assert served("GET", "/api/models/reviews/agreement").status_code == 409
        assert served("GET", "/api/models/reviews/export").content == path.read_bytes()


# Progress.


def read_events(text: str) -> list[tuple[str, dict[str, Any]]]:
    blocks = [block.split("\n") for block in text.split("\n\n") if block and not block.startswith(":")]
    return [(first.removeprefix("event: "), json.loads(second.removeprefix("data: "))) for first, second in blocks]


def test_progress_tells_each_state_and_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, seconds in {"LIFE": 120.0, "STEP": 0.01, "QUIET": 0.3, "TRUST": 0.05}.items():
        monkeypatch.setattr(f"tercet.server.progress.{name}_SECONDS", seconds)
    streams: list[ProgressStream] = []
    begin = ProgressStream.__init__
    monkeypatch.setattr(ProgressStream, "__init__", lambda self, call: (begin(self, call), streams.append(self))[0])

    def wait_for(event: int) -> None:
        until = time.monotonic() + 60
        while not (streams and streams[0]._state and streams[0]._state.event >= event) and time.monotonic() < until:
            time.sleep(0.01)

    with serve_here(tmp_path) as served:
        found: list[httpx.Response] = []
        reader = Thread(target=lambda: found.append(served("GET", "/api/models/reviews/progress", role="reader")))
        reader.start()
        wait_for(7)
        served.post("learn", {"documents": [{"text": "a", "label": "pos"}]})
        wait_for(8)
        served.post("pools?name=new", content=b"a\nb\nc", headers={"Content-Type": "text/plain"})
        wait_for(11)
        time.sleep(0.5)
        served.accounts.remove_user("reader")
        reader.join(60)
        (answer,) = found
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    assert "\n\n:\n\n" in answer.text
    events = read_events(answer.text)
    assert events[0] == ("state", {"event": 7, "trained_to": None, "is_trained": True, "training": "idle"})
    states = [data["event"] for name, data in events if name == "state"]
    assert (states[1], states[-1], states) == (8, 11, sorted(states))
    imports = [data for name, data in events if name == "import"]
    assert imports[-1:] in ([], [{"pool": "new", "read": 3, "offered": 3, "done": True}])


def test_progress_ends_with_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.progress.LIFE_SECONDS", 120.0)
    monkeypatch.setattr("tercet.server.progress.TRUST_SECONDS", 0.1)
    with serve_here(tmp_path) as served:
        timer = Thread(target=lambda: (time.sleep(0.5), served.accounts.remove_user("reader")))
        timer.start()
        begin = time.monotonic()
        assert served("GET", "/api/models/reviews/progress", role="reader").status_code == 200
        assert time.monotonic() - begin < 60
        timer.join()
    assert served.client.get("/nothing").status_code  # the client is whole


def test_a_stream_does_not_keep_the_server_alive(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", cwd=tmp_path) as program:
        headers = {"Authorization": f"Bearer {program.make_token()}"}
        with (
            httpx.Client(base_url=program.url, headers=headers, timeout=60) as client,
            client.stream("GET", "/api/models/reviews/progress") as stream,
        ):
            lines = stream.iter_lines()
            assert next(lines) == "event: state"
            program.post("learn", {"documents": [{"text": "a", "label": "pos"}]})
            assert any('"event":8' in line for line in lines)
            begin = time.monotonic()
            program.process.send_signal(signal.SIGTERM)
            assert program.process.wait(60) == 0
            assert time.monotonic() - begin < 9  # the server would wait ten seconds for another request
            with pytest.raises(httpx.TransportError):
                list(lines)


# E-mails, export, certificates.

MAIL = b"From: Ann <ann@b.org>\r\nSubject: =?utf-8?q?Citt=C3=A0?=\r\nX-Mailer: mutt\r\n\r\nWhere is it?\r\n"


def test_an_email_becomes_a_document(served: Served) -> None:
    headers = {"Content-Type": "message/rfc822"}
    found = served.post("read", content=MAIL, headers=headers, role="teacher").json()
    assert (found["subject"], found["from"], found["columns"]) == ("Città", "Ann <ann@b.org>", {})
    assert "Subject: Città" in found["text"]
    assert served.post("classify", {"text": found["text"]}).status_code == 200
    empty = served.post("read", content=b"", headers=headers).json()
    assert (empty["text"], empty["subject"]) == ("", None)
    assert served.post("read", content=MAIL, headers={"Content-Type": "text/plain"}).status_code == 415
    assert served.post("read", content=bytes(range(256)) * 9, headers=headers).status_code == 200


def test_an_email_has_the_columns_of_the_model(tmp_path: Path) -> None:
    documents = tercet.Documents.join(
        {"subject": ["refund", "crash"], "body": ["my money", "it fails"]},
        ["bill", "tech"],
        columns={"x-mailer": ["mutt", "elm"]},
    )
    ledger = tmp_path / "t.ledger"
    Ledger.begin(ledger, tercet.Categorizer(categorical=["x-mailer"]), documents, actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "t.tercet", str(ledger))]) as served:
        found = served.post("read", content=MAIL, headers={"Content-Type": "message/rfc822"}).json()
        assert found["columns"] == {"subject": "Città", "body": "Where is it?\r\n", "x-mailer": "mutt"}
        assert served.post("classify", {"documents": [{"columns": found["columns"]}]}).status_code == 200


def test_the_exported_model_is_that_of_the_last_event(served: Served, tmp_path: Path) -> None:
    served.post("learn", {"documents": [{"text": "a zebra", "label": "neg"}]})
    answer = served("GET", "/api/models/reviews/export")
    assert answer.headers["content-type"] == "application/octet-stream"
    assert answer.headers["content-disposition"] == "attachment; filename*=UTF-8''reviews.tercet"
    assert answer.headers["x-tercet-event"] == "8"
    (tmp_path / "exported.tercet").write_bytes(answer.content)
    fresh = tercet.Categorizer().fit([*TEXTS, "a zebra"], [*LABELS, "neg"])
    fresh.save(tmp_path / "fresh.tercet")
    assert answer.content == (tmp_path / "fresh.tercet").read_bytes()
    assert get(served, "pools")["event"] == 8  # nothing was written


def test_a_certificate_is_checked(served: Served) -> None:
    issued = served.post("erase", {"subject": "person 1"}).json()["certificate"]

    def check(**message: Any) -> Any:
        return served("POST", "/api/certificates/check", {"certificate": issued} | message, role="reader")

    assert check().json() == {"faults": [], "notes": []}
    assert check(subject="person 1", model="reviews").json() == {"faults": [], "notes": []}
    assert check(subject="person 2").json() == {"faults": ["it is about another subject"], "notes": []}
    changed = json.loads(json.dumps(issued))
    changed["events"][0]["actor"] = "eve"
    number = issued["events"][0]["number"]
    wrong_hash = "it was changed since it was issued: its hash is wrong"
    assert check(certificate=changed).json()["faults"] == [wrong_hash, f"event {number} was changed"]
    old = {name: value for name, value in issued.items() if name not in ("hash", "unconfirmed", "mentions")}
    found = check(certificate=old | {"certificate": "tercet erasure 1"}).json()
    assert (found["faults"], "older kind" in found["notes"][0]) == ([], True)
    assert check(certificate={}).status_code == 422
    assert check(certificate={"certificate": "tercet erasure 1", "events": 7}).status_code == 422
    assert check(model="nothing").status_code == 404


# Findings.


def test_findings_name_what_is_wrong_with_imported_texts_until_it_is_erased(served: Served) -> None:
    table = "text,who\nso lovely a day today,zoe\nso lovely a day today!,tom\ncafÃ© and crÃ¨me,tom\n"
    headers = {"Content-Type": "text/csv"}
    imported = served.post("pools?name=inbox&subject=who", role="teacher", content=table, headers=headers).json()
    first, last = imported["events"]
    assert last - first == 2
    files = {each["pool"]: each for each in get(served, "findings", "teacher")["files"]}
    assert list(files) == ["inbox", None]
    assert [files["inbox"][name] for name in ("texts", "examined")] == [3, 3]
    assert files["inbox"]["findings"] == imported["findings"]
    kinds = {finding.partition(":")[0]: finding for finding in imported["findings"]}
    assert f"(event {last})" in kinds["wrong decoding"]
    assert files[None]["texts"] == 6
    served.post("correct", {"text": "dull and bad again", "label": "neg"}, role="teacher")
    assert [each["pool"] for each in get(served, "findings", "teacher")["files"]] == ["inbox", None]  # no file was imported
    assert served.post("erase", {"subject": "tom"}).status_code == 200
    left = get(served, "findings", "teacher")["files"][0]
    assert (left["texts"], left["findings"]) == (1, [])


def test_findings_follow_the_labels_of_imported_documents(tmp_path: Path) -> None:
    texts = ["so good a film", "so good a film", *TEXTS[1:]]
    labels = ["pos", "neg", *LABELS[1:]]
    Ledger.begin(tmp_path / "r.ledger", tercet.Categorizer(), tercet.Documents(texts, labels), actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "r.tercet", str(tmp_path / "r.ledger"))]) as served:
        (found,) = get(served, "findings", "teacher")["files"]
        assert found["findings"][0].startswith("contradiction: 1 found, such as 'so good a film' (event 2).")
        assert "event 3" in found["findings"][0]
        served.post("relabel", {"event": 3, "label": "pos"})
        (found,) = get(served, "findings", "teacher")["files"]
        assert not any(each.startswith("contradiction") for each in found["findings"])
