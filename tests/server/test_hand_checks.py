"""Checks by hand on the server: draw texts, answer, and write the result down; restarts, changes and erasures in between."""

import base64
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.folder_contents import read_files
from helpers.servers import Served, serve_apart, serve_here, write_model

import tercet
from tercet.ledger.ledger import Ledger
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.server

WORDS = ["good", "lovely", "warm", "great", "dull", "bad", "awful", "boring"]
NEW = [f"what a {word} {thing} {number}" for number in range(5) for word in WORDS for thing in ("film", "plot")]


def answer_by_words(text: str) -> str:
    return "pos" if any(word in text for word in WORDS[:4]) else "neg"


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_here(tmp_path) as server:
        offer(server)
        yield server


def offer(served: Served, texts: list[str] = NEW, pool: str = "new") -> None:
    body = "\n".join(texts).encode()
    answer = served.post(f"pools?name={pool}", content=body, headers={"Content-Type": "text/plain"}, role="teacher")
    assert answer.status_code == 200, answer.text


def draw(served: Served, **message: Any) -> dict[str, Any]:
    answer = served.post("checks/draw", {"pool": "new", "n": 30} | message, role="teacher")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def read(served: Served, offers: list[int]) -> dict[int, str]:
    answer = served.post("checks/texts", {"offers": offers}, role="teacher")
    assert answer.status_code == 200, answer.text
    return {each["offer"]: each["text"] for each in answer.json()["texts"]}


def answer_all(served: Served, drawn: dict[str, Any]) -> list[str | None]:
    texts = read_some(served, drawn["offers"])
    return [answer_by_words(texts[number]) if number in texts else None for number in drawn["offers"]]


def save(served: Served, drawn: dict[str, Any], answers: list[Any]) -> dict[str, Any]:
    answer = served.post("checks", {"sample": drawn["sample"], "answers": answers}, role="teacher")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def last_check(served: Served, role: str = "reader") -> dict[str, Any] | None:
    (model,) = served("GET", "/api/models", role=role).json()["models"]
    check: dict[str, Any] | None = model["check"]
    return check


def test_a_check_says_what_the_function_says(served: Served, tmp_path: Path) -> None:
    assert last_check(served) is None
    drawn = draw(served, seed=7)
    assert (len(drawn["offers"]), len(set(drawn["offers"])), drawn["n_pool"]) == (30, 30, 80)
    assert drawn["labels"] == ["neg", "pos"]
    shown = served.post("checks/texts", {"offers": drawn["offers"]}, role="teacher").json()["texts"]
    assert [each["offer"] for each in shown] == drawn["offers"]  # in the order of the question
    assert all(set(each) == {"offer", "text", "columns"} for each in shown)  # not what the model says
    saved = save(served, drawn, answer_all(served, drawn))["check"]
    model = Ledger.open(tmp_path / "reviews.ledger").replay().model
    right = sum(model.predict([text])[0] == answer_by_words(text) for text in NEW) / len(NEW)
    assert saved["accuracy"]["low"] <= right <= saved["accuracy"]["high"]
    assert (saved["n"], saved["n_pool"], saved["pool"], saved["actor"], saved["is_current"]) == (30, 80, "new", "teacher", True)
    share = next(each for each in saved["shares"] if each["label"] == "pos")
    assert share["share"]["low"] <= 0.5 <= share["share"]["high"]
    assert share["predicted"] == pytest.approx(float((model.predict(NEW) == "pos").mean()))
    assert "checked by hand, 30 of 80 texts" in saved["words"]
    assert draw(served, seed=7)["offers"] == drawn["offers"]
    assert draw(served, seed=8)["offers"] != drawn["offers"]


def test_a_check_is_an_event_without_texts_and_answers(served: Served, tmp_path: Path) -> None:
    drawn = draw(served)
    saved = save(served, drawn, answer_all(served, drawn))
    (event,) = saved["events"]
    shown = served("GET", f"/api/models/reviews/history/{event}", role="teacher").json()
    assert (shown["verb"], shown["actor"]) == ("check", "teacher")
    assert not any(text in json.dumps(shown["content"]) for text in NEW)
    with Ledger.open(tmp_path / "reviews.ledger") as ledger:
        model = ledger.replay().model
        assert model.hand_check_ is not None
        assert (model.hand_check_.n, model.is_check_current_) == (30, True)
    undone = served.post("undo", {"event": event}, role="teacher")
    assert undone.status_code == 200
    assert last_check(served) is None
    assert served("GET", "/api/models/reviews/checks", role="reader").json()["checks"] == []


def test_readers_see_the_result_and_not_who_has_checked(served: Served) -> None:
    drawn = draw(served)
    save(served, drawn, answer_all(served, drawn))
    (seen,) = served("GET", "/api/models/reviews/checks", role="reader").json()["checks"]
    assert seen["actor"] is None
    (known,) = served("GET", "/api/models/reviews/checks", role="teacher").json()["checks"]
    assert known["actor"] == "teacher"
    for what, message in (("draw", {"pool": "new"}), ("texts", {"offers": [8]})):
        assert served.post(f"checks/{what}", message, role="reader").status_code == 403
    assert served.post("checks", {"sample": drawn["sample"], "answers": [None]}, role="reader").status_code == 403


def test_the_result_of_a_model_that_has_changed_meanwhile_is_marked(served: Served) -> None:
    drawn = draw(served)
    answers = answer_all(served, drawn)
    served.post("learn", {"documents": [{"text": "so odd", "label": "pos"}]}, role="teacher")
    assert save(served, drawn, answers)["check"]["is_current"] is False
    check = last_check(served)
    assert check is not None
    assert check["words"].endswith("the model has changed since")
    fresh = draw(served)
    assert save(served, fresh, answer_all(served, fresh))["check"]["is_current"] is True
    served.post("learn", {"documents": [{"text": "odd again", "label": "pos"}]}, role="teacher")
    check = last_check(served)
    assert check is not None
    assert check["is_current"] is False


def test_a_part_of_the_answers_is_a_random_sample_and_an_unknown_label_is_an_error_of_the_model(served: Served) -> None:
    drawn = draw(served)
    answers: list[Any] = answer_all(served, drawn)[:12] + [None] * 18
    saved = save(served, drawn, answers)["check"]
    assert (saved["n"], saved["n_pool"]) == (12, 80)
    assert "unreliable: only 12 texts" in saved["accuracy"]["note"]
    answers[:12] = ["mixed"] * 12
    wrong = save(served, drawn, answers)["check"]
    assert wrong["accuracy"]["value"] == 0
    assert {each["label"] for each in wrong["shares"]} == {"neg", "pos"}  # what was typed is not written down


def test_labelled_texts_are_not_drawn(served: Served) -> None:
    drawn = draw(served, n=80)
    for number in drawn["offers"][:5]:
        served.post("judge", {"offer": number, "label": "pos"}, role="teacher")
    again = draw(served, n=75)
    assert set(again["offers"]) == set(drawn["offers"][5:])
    too_many = served.post("checks/draw", {"pool": "new", "n": 76}, role="teacher")
    assert (too_many.status_code, "only 75 texts" in too_many.text) == (422, True)


def test_a_whole_pool_is_labelled(served: Served) -> None:
    offer(served, ["the only one"], pool="small")
    (number,) = draw(served, pool="small", n=1)["offers"]
    served.post("judge", {"offer": number, "label": "pos"}, role="teacher")
    answer = served.post("checks/draw", {"pool": "small", "n": 1}, role="teacher")
    assert (answer.status_code, "import new texts" in answer.text) == (422, True)


def seal_again(sample: str, **changes: Any) -> str:
    signature, _, written = sample.partition(".")
    plain = json.loads(zlib.decompress(base64.urlsafe_b64decode(written))) | changes
    return f"{signature}.{base64.urlsafe_b64encode(zlib.compress(json.dumps(plain).encode())).decode()}"


WRONG = {
    "not sealed": lambda sample: {"sample": "so good"},
    "changed": lambda sample: {"sample": seal_again(sample, pool="other")},
    "cut": lambda sample: {"sample": sample[:-9]},
    "no ASCII": lambda sample: {"sample": "é" + sample},
    "too few answers": lambda sample: {"answers": ["pos"]},
    "no answer": lambda sample: {"answers": [None] * 30},
    "a number": lambda sample: {"answers": [3] * 30},
    "an empty label": lambda sample: {"answers": [""] * 30},
    "a long label": lambda sample: {"answers": ["x" * 1001] * 30},
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_answers_are_refused_and_nothing_is_written(served: Served, what: str) -> None:
    drawn = draw(served)
    message = {"sample": drawn["sample"], "answers": ["pos"] * 30} | WRONG[what](drawn["sample"])
    before = served("GET", "/api/models/reviews").json()["event"]
    answer = served.post("checks", message, role="teacher")
    assert answer.status_code == 422
    assert served("GET", "/api/models/reviews").json()["event"] == before


@pytest.mark.parametrize("message", [{"pool": "nothing"}, {"n": 0}, {"n": 1001}, {"n": 81}, {"seed": -1}])
def test_wrong_draws_are_refused(served: Served, message: dict[str, Any]) -> None:
    assert served.post("checks/draw", {"pool": "new", "n": 30} | message, role="teacher").status_code == 422


def test_a_sample_of_another_ledger_is_refused(tmp_path: Path) -> None:
    places = [write_model(tmp_path, name) for name in ("reviews", "others")]
    with serve_here(tmp_path, places) as served:
        offer(served)
        drawn = draw(served)
        answers = answer_all(served, drawn)
        message = {"sample": drawn["sample"], "answers": answers}
        answer = served("POST", "/api/models/others/checks", message, role="teacher")
        assert (answer.status_code, "not drawn from this ledger" in answer.text) == (422, True)
        save(served, drawn, answers)


def test_what_was_erased_meanwhile_is_shown_to_nobody_and_counts_nowhere(served: Served, tmp_path: Path) -> None:
    body = "text,who\n" + "".join(f"{text},ann\n" for text in ("a secret good film", "a secret bad film"))
    served.post("pools?name=new&subject=who", content=body.encode(), headers={"Content-Type": "text/csv"}, role="teacher")
    drawn = draw(served, n=82)
    answers = answer_all(served, drawn)
    assert served.post("erase", {"subject": "ann"}).status_code == 200
    assert len(read_some(served, drawn["offers"])) == 80
    saved = save(served, drawn, answers)["check"]
    assert saved["n"] == 80
    assert "secret" not in served("GET", "/api/models/reviews/checks").text
    assert all(b"secret" not in content for content in read_files(tmp_path).values())


def read_some(served: Served, offers: list[int]) -> dict[int, str]:
    found: dict[int, str] = {}
    for start in range(0, len(offers), 50):
        found |= read(served, offers[start : start + 50])
    return found


def test_texts_of_a_deleted_pool_and_other_events_are_not_shown(served: Served) -> None:
    drawn = draw(served)
    assert read(served, [1, 2, *drawn["offers"][:2]]).keys() == set(drawn["offers"][:2])
    answers = answer_all(served, drawn)
    served.post("pools/delete", {"pool": "new"})
    assert read(served, drawn["offers"]) == {}
    assert save(served, drawn, answers)["check"]["n"] == 30  # what was answered is measured


def test_a_model_that_only_answers_shows_the_check_of_its_file(tmp_path: Path) -> None:
    model = tercet.Categorizer().fit(["so good", "so bad"], ["pos", "neg"])
    sample = tercet.draw_check_sample(model, NEW, 20)
    model.record_check(sample.measure([answer_by_words(NEW[i]) for i in sample.positions]), "new.csv")
    model.save(tmp_path / "reviews.tercet")
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "reviews.tercet", None)]) as served:
        (check,) = served("GET", "/api/models/reviews/checks", role="reader").json()["checks"]
        assert (check["n"], check["is_current"], check["event"]) == (20, True, None)
        assert served.post("checks/draw", {"pool": "new"}, role="teacher").status_code == 409
        card = served("GET", "/api/models/reviews/card", role="reader").text
        assert "checked by hand, 20 of 80 texts" in card


def test_a_check_goes_on_in_another_process_after_a_restart(tmp_path: Path) -> None:
    tercet.train(["so good", "so bad"] * 10, ["pos", "neg"] * 10).categorizer.save(tmp_path / "reviews.tercet")
    with serve_apart("reviews.tercet", "--workers", "2", cwd=tmp_path) as program:
        path = "/api/models/reviews/pools?name=new"
        program.client.post(path, content="\n".join(NEW).encode(), headers={"Content-Type": "text/plain"})
        drawn = program.post("checks/draw", {"pool": "new", "n": 20}).json()
    with serve_apart("reviews.tercet", "--workers", "2", cwd=tmp_path) as program:
        texts = program.post("checks/texts", {"offers": drawn["offers"]}).json()["texts"]
        answers = [answer_by_words(each["text"]) for each in texts]
        saved = program.post("checks", {"sample": drawn["sample"], "answers": answers}).json()
        assert (saved["check"]["n"], saved["check"]["is_current"]) == (20, True)
        found = program.client.get("/api/models/reviews").json()
        assert found["check"]["n"] == 20


def test_a_model_that_changes_while_the_pool_is_predicted_is_asked_again(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tercet.ledger import pool_sample

    predict, asked = pool_sample.predict_pool, []

    def change_once(queue: Any, numbers: Any) -> Any:
        asked.append(1)
        return None if len(asked) == 1 else predict(queue, numbers)

    monkeypatch.setattr(pool_sample, "predict_pool", change_once)
    assert len(draw(served)["offers"]) == 30
    assert len(asked) == 2
    monkeypatch.setattr(pool_sample, "predict_pool", lambda *_: None)
    answer = served.post("checks/draw", {"pool": "new", "n": 30}, role="teacher")
    assert (answer.status_code, "try again" in answer.text) == (422, True)


def test_predictions_of_two_models_make_no_sample(served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tercet.ledger import pool_sample
    from tercet.ledger.label_queue import LabelQueue

    read_offers, done = LabelQueue.read, []

    def learn_first(queue: LabelQueue, numbers: Any) -> Any:
        done.append(1)
        if len(done) == 3:  # between two parts of the pool
            queue.ledger.learn(tercet.Documents(["so odd"], ["pos"]), actor="ann")
            queue.live.follow()
        return read_offers(queue, numbers)

    monkeypatch.setattr(pool_sample, "AT_A_TIME", 20)
    monkeypatch.setattr(LabelQueue, "read", learn_first)
    drawn = draw(served)
    assert len(done) == 8  # the whole pool, twice
    assert save(served, drawn, answer_all(served, drawn))["check"]["is_current"] is True
