"""What the server answers: classify, explain, learn, unlearn, relabel, undo, erase, history, models, card, metrics."""

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.folder_contents import read_files
from helpers.servers import HOST, LABELS, TEXTS, Served, serve_here, write_model

import tercet
from tercet.ledger.ledger import Ledger
from tercet.ledger.rehearsal import Rehearsal
from tercet.ledger.verification import verify
from tercet.server.limits import Limits
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.server


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_here(tmp_path) as server:
        yield server


def test_an_answer_is_that_of_the_model(served: Served) -> None:
    model, texts = tercet.Categorizer().fit(TEXTS, LABELS), ["a good story", "a mess", "", "words nobody knows", "é\0😀"]
    found = served.post("classify", {"texts": texts, "top": 0}).json()
    assert (found["model"], found["event"], found["trained_to"], found["is_trained"]) == ("reviews", 7, None, True)
    proba = model.predict_proba(texts)
    for answer, row in zip(found["answers"], proba, strict=True):
        expected = sorted(zip(row, model.classes_.tolist(), strict=True), key=lambda pair: -pair[0])
        assert [(each["probability"], each["label"]) for each in answer["labels"]] == expected
        assert (answer["probability"], answer["label"]) == expected[0]
    alone = served.post("classify", {"text": texts[0]}).json()["answers"]
    assert alone == [{"label": found["answers"][0]["label"], "probability": found["answers"][0]["probability"]}]
    by_documents = served.post("classify", {"documents": [{"text": text} for text in texts], "top": 0}).json()
    assert by_documents == found


def test_an_explanation_is_that_of_the_model(served: Served) -> None:
    model = tercet.Categorizer().fit(TEXTS, LABELS)
    found = served.post("explain", {"text": "a good story", "arithmetic": True}).json()["explanation"]
    assert found == model.explain("a good story", arithmetic=True).to_dict()
    turned = served.post("explain", {"text": "a good story", "label": "neg", "against": "pos"}).json()["explanation"]
    assert turned["score"] == -found["score"]


def test_the_model_learns_at_once_and_forgets_exactly(served: Served) -> None:
    text = "what a zebra of a film"
    before = served.post("classify", {"text": text, "top": 0}).json()
    learned = served.post("learn", {"documents": [{"text": text, "label": "neg", "subject": "zoe"}]}).json()
    assert learned["events"] == [8]
    after = served.post("classify", {"text": text, "top": 0}).json()
    fresh = tercet.Categorizer().fit([*TEXTS, text], [*LABELS, "neg"])
    assert after["event"] == 8
    assert after["answers"][0]["probability"] == fresh.predict_proba([text]).max()
    assert served.post("unlearn", {"events": [8]}).json()["events"] == [9]
    assert served.post("classify", {"text": text, "top": 0}).json()["answers"] == before["answers"]
    assert served.post("undo", {"event": 9}).json()["events"] == [10]
    assert served.post("classify", {"text": text, "top": 0}).json()["answers"] == after["answers"]
    assert served.post("relabel", {"event": 8, "label": "pos"}).json()["events"] == [11]
    turned = tercet.Categorizer().fit([*TEXTS, text], [*LABELS, "pos"])
    assert served.post("classify", {"text": text}).json()["answers"][0]["label"] == turned.predict([text])[0]
    assert served.post("unlearn", {"documents": [{"text": text, "label": "pos"}]}).json()["events"] == [12]
    assert served.post("classify", {"text": text, "top": 0}).json()["answers"] == before["answers"]


def test_an_erased_person_is_nowhere(served: Served, tmp_path: Path) -> None:
    documents = [{"text": f"the zyzzyva came {i} times", "label": "neg", "subject": "zoe"} for i in range(3)]
    served.post("learn", {"documents": documents})
    erased = served.post("erase", {"subject": "zoe"}).json()
    assert (erased["documents"], erased["certificate"]["subject_hash"] is not None) == (3, True)
    text = "the zyzzyva came"
    expected = tercet.Categorizer().fit(TEXTS, LABELS).predict_proba([text]).max()
    assert served.post("classify", {"text": text}).json()["answers"][0]["probability"] == expected
    for name, content in read_files(tmp_path).items():
        assert b"zyzzyva" not in content, name
        assert b"zoe" not in content, name
    again = served("GET", f"/api/models/reviews/certificates/{erased['events'][0]}").json()["certificate"]
    same = erased["certificate"].keys() - {"subject_salt", "hash"}
    assert {name: again[name] for name in same} == {name: erased["certificate"][name] for name in same}
    assert (again["subject_salt"], again["unconfirmed"], erased["unconfirmed"]) == (None, [], [])


def test_texts_of_others_that_mention_a_person_are_listed_and_counted(served: Served) -> None:
    texts = ["I am Zoe Lee", "zoe lee was here", "write to zoe@example.org", "a zoetrope"]
    subjects = ["Zoe Lee", "person 1", None, None]
    documents = [{"text": text, "label": "neg", "subject": who} for text, who in zip(texts, subjects, strict=True)]
    first = served.post("learn", {"documents": documents}).json()["events"][0]
    message = {"subject": "Zoe Lee", "names": ["zoe@example.org"]}
    found = served.post("mentions", message | {"limit": 1}).json()
    assert (found["total"], found["texts"]) == (2, [{"event": first + 1, "subject": "person 1", "text": "zoe lee was here"}])
    erased = served.post("erase", message).json()
    assert (erased["documents"], erased["mentions"]) == (1, 2)
    assert erased["certificate"]["mentions"] == {"names": 2, "texts": 2}
    again = served("GET", f"/api/models/reviews/certificates/{erased['events'][0]}").json()
    assert again["mentions"] == 2
    assert served.post("mentions", message).json()["total"] == 2
    assert served.post("mentions", {"subject": "7"}).status_code == 422
    assert served.post("mentions", message, role="teacher").status_code == 403
    assert served.post("erase", {"events": [first + 1]}).json()["mentions"] is None


def test_what_was_served_can_be_replayed(tmp_path: Path) -> None:
    place = write_model(tmp_path)
    with serve_here(tmp_path, [place]) as served:
        served.post("learn", {"documents": [{"text": "a zebra", "label": "neg"}, {"text": "a gnu", "label": "pos"}]})
        served.post("undo", {"event": 8})
        last = served.post("classify", {"text": "a gnu"}).json()
    assert place.ledger is not None
    model = Ledger.open(place.ledger).replay(last["event"]).model
    assert model.predict_proba(["a gnu"]).max() == last["answers"][0]["probability"]
    assert verify(place.ledger).is_good
    assert tercet.load(place.path).table_ == model.table_  # the file is written at the end


def test_history_says_who_did_what(served: Served) -> None:
    served.post("learn", {"documents": [{"text": "a zebra", "label": "neg"}]}, role="teacher")
    served.post("undo", {"event": 8}, role="admin")
    events = served.post("history", {"limit": 2}).json()["events"]
    assert [(each["number"], each["verb"], each["actor"], each["target"]) for each in events] == [
        (9, "undo", "admin", 8),
        (8, "learn", "teacher", None),
    ]
    assert [(each["is_in_effect"], each["is_learned"]) for each in events] == [(True, None), (False, False)]
    assert events[1]["content"] == {"label": "neg", "text": "a zebra"}
    assert [each["target_text"] for each in events] == ["a zebra", None]
    older = served.post("history", {"before": 8, "limit": 100}).json()["events"]
    assert [each["number"] for each in older] == [7, 6, 5, 4, 3, 2, 1]
    newer = served.post("history", {"newer_than": 3, "limit": 2}).json()["events"]
    assert [each["number"] for each in newer] == [5, 4]
    assert [each["number"] for each in served.post("history", {"actor": "teacher"}).json()["events"]] == [8]
    assert [each["number"] for each in served.post("history", {"verb": "undo"}).json()["events"]] == [9]
    assert {each["number"] for each in served.post("history", {"label": "neg"}).json()["events"]} == {4, 5, 7, 8}
    assert served("GET", "/api/models/reviews/history/8").json() == events[1]
    assert served("GET", "/api/models/reviews/history/99").status_code == 404


def test_models_are_listed_with_what_they_are(served: Served) -> None:
    (found,) = served("GET", "/api/models").json()["models"]
    assert found == served("GET", "/api/models/reviews").json()
    assert (found["labels"], found["columns"], found["documents"], found["kind"]) == (["neg", "pos"], ["text"], 6.0, "binary")
    assert (found["can_learn"], found["can_train"], found["training"]) == (True, False, "idle")
    assert (
        served("GET", "/api/models/revews")
        .json()["error"]["message"]
        .startswith("there is no model 'revews'. Did you mean 'reviews'?")
    )


def test_a_card_of_the_folder_is_shown_or_one_is_written(served: Served, tmp_path: Path) -> None:
    assert "# Model card" in served("GET", "/api/models/reviews/card").text
    (tmp_path / "reviews.card.md").write_text("# Our card")
    assert served("GET", "/api/models/reviews/card").text == "# Our card"


def test_metrics_count_requests_and_documents(served: Served) -> None:
    served.post("classify", {"texts": ["a", "b"]})
    served.post("classify", {"texts": 3})
    lines = served("GET", "/metrics").text.splitlines()
    assert 'tercet_requests_total{operation="classify",status="200"} 1' in lines
    assert 'tercet_requests_total{operation="classify",status="422"} 1' in lines
    assert 'tercet_documents_total{what="classified"} 2' in lines
    assert 'tercet_last_event{model="reviews"} 7' in lines


def test_a_read_only_model_answers_and_does_not_learn(tmp_path: Path) -> None:
    path = tmp_path / "small.tercet"
    tercet.Categorizer().fit(TEXTS, LABELS).compact().save(path)
    with serve_here(tmp_path, [ModelLocation("reviews", path, None)]) as served:
        assert served.post("classify", {"text": "good"}).json()["answers"][0]["label"] == "pos"
        refused = served.post("learn", {"documents": [{"text": "a", "label": "pos"}]})
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "read_only")
        assert served.post("history", {}).status_code == 409
        assert served("GET", "/api/models/reviews").json()["can_learn"] is False


def test_a_model_without_documents_says_so_and_learns_the_first(tmp_path: Path) -> None:
    ledger = tmp_path / "reviews.ledger"
    Ledger.begin(ledger, tercet.Categorizer(), actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "reviews.tercet", str(ledger))]) as served:
        assert served.post("classify", {"text": "good"}).json()["error"]["code"] == "no_model_yet"
        served.post("learn", {"documents": [{"text": "good", "label": "pos"}, {"text": "bad", "label": "neg"}]})
        assert served.post("classify", {"text": "good"}).json()["answers"][0]["label"] == "pos"


def test_margins_follow_by_training(tmp_path: Path) -> None:
    place = write_model(tmp_path, model=tercet.Categorizer(model=tercet.LinearSVM(), keep_documents=True))
    with serve_here(tmp_path, [place]) as served:
        facts = served("GET", "/api/models/reviews").json()
        assert facts["can_train"] is True
        documents = [{"text": f"a zebra in film {i}", "label": "neg"} for i in range(20)]
        learned = served.post("learn", {"documents": documents}).json()
        for _ in range(200):
            state = served("GET", "/api/models/reviews/train").json()
            if state["training"] != "running" and (state["trained_to"] or 0) >= learned["event"]:
                break
        assert state["is_trained"] is True
        assert state["trained_to"] >= learned["event"]
        assert served.post("classify", {"text": "a zebra in film"}).json()["answers"][0]["label"] == "neg"
        erased = served.post("erase", {"events": learned["events"][:1]}).json()
        assert erased["is_trained"] in (False, True)  # the counts answer until the training is done
    assert place.ledger is not None
    assert verify(place.ledger).is_good


BAD = [
    ("classify", {}, 422),
    ("classify", {"text": "a", "texts": ["b"]}, 422),
    ("classify", {"text": 3}, 422),
    ("classify", {"text": None}, 422),
    ("classify", {"text": "a", "top": -1}, 422),
    ("classify", {"text": "a", "colour": "red"}, 422),
    ("classify", {"texts": ["a", 3]}, 422),
    ("classify", {"documents": [{"columns": {"subject": "a"}}]}, 422),
    ("classify", {"documents": [{}]}, 422),
    ("classify", [], 422),
    ("explain", {"text": "a", "label": "unknown"}, 422),
    ("explain", {"text": "a", "label": "pos", "against": "pos"}, 422),
    ("learn", {"documents": []}, 422),
    ("learn", {"documents": [{"text": "a"}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": "unknown"}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": 3}], "new_labels": True}, 422),
    ("learn", {"documents": [{"text": "a", "label": True}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": "pos", "weight": -1}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": "pos", "weight": 1e300}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": "pos", "subject": ""}]}, 422),
    ("learn", {"documents": [{"text": "a", "label": "pos"}, {"text": "b", "label": "unknown"}]}, 422),
    ("unlearn", {}, 422),
    ("unlearn", {"events": [99]}, 409),
    ("unlearn", {"events": [1]}, 409),
    ("unlearn", {"documents": [{"text": "never seen", "label": "pos"}]}, 409),
    ("relabel", {"event": 2, "label": "unknown"}, 422),
    ("relabel", {"event": 99, "label": "pos"}, 409),
    ("relabel", {"event": -1, "label": "pos"}, 422),
    ("undo", {"event": 99}, 409),
    ("undo", {"event": 1}, 409),
    ("undo", {"event": 2**70}, 422),
    ("erase", {}, 422),
    ("erase", {"subject": "nobody"}, 409),
    ("erase", {"subject": "person 1", "events": [2]}, 422),
    ("erase", {"events": [99]}, 409),
    ("history", {"limit": 0}, 422),
    ("history", {"limit": 10**6}, 422),
    ("train", None, 409),
]


@pytest.mark.parametrize(("what", "message", "status"), BAD)
def test_a_bad_request_has_one_form_of_error_and_changes_nothing(
    served: Served, what: str, message: object, status: int
) -> None:
    before = served.post("history", {}).json()
    answer = served.post(what, message)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    assert list(answer.json()["error"]) == ["code", "message"]
    assert served.post("history", {}).json() == before


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"", "application/json", 400),
        (b"{", "application/json", 400),
        (b'{"text": "\xff"}', "application/json", 400),
        (b'{"text": "\\ud800"}', "application/json", 400),
        (b"[" * 100_000, "application/json", 422),
        (b'{"text": "a"}', "text/plain", 415),
        (b'{"text": "a"}', "", 415),
        (b"text=a", "application/x-www-form-urlencoded", 415),
        (b'{"text": "' + b"a" * 5000 + b'"}', "application/json", 413),
        (b'{"texts": [' + b'"a",' * 10 + b'"a"]}', "application/json", 413),
    ],
)
def test_a_body_that_is_no_message_is_refused(tmp_path: Path, body: bytes, kind: str, status: int) -> None:
    with serve_here(tmp_path, limits=Limits(**{"body": 4000, "texts": 10} if status == 413 else {})) as served:
        answer = served.post("classify", headers={"Content-Type": kind}, content=body)
        assert answer.status_code == status
        assert list(answer.json()["error"]) == ["code", "message"]


def test_too_many_requests_are_refused(tmp_path: Path) -> None:
    with serve_here(tmp_path, limits=Limits(rate=0.5)) as served:
        answers = [served("GET", "/api/session") for _ in range(30)]
        codes = [answer.status_code for answer in answers]
        assert codes[:5] == [200] * 5
        assert 429 in codes
        answers = [answer for answer in answers if answer.status_code == 429]
        assert int(answers[-1].headers["retry-after"]) >= 1
        assert served("GET", "/api/session", role="reader").status_code == 200  # others are not held up


@pytest.mark.parametrize(("rate", "n_at_first", "n_after_six_seconds"), [(0.5, 5, 3), (4.0, 40, 24)])
def test_a_client_that_waits_gets_its_allowance_back_at_the_rate(
    rate: float, n_at_first: int, n_after_six_seconds: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr("tercet.server.limits.time", SimpleNamespace(monotonic=lambda: now))
    with serve_here(tmp_path, limits=Limits(rate=rate)) as served:
        codes = [served.client.get("/health").status_code for _ in range(n_at_first + 1)]
        assert codes == [200] * n_at_first + [429]
        now += 6
        codes = [served.client.get("/health").status_code for _ in range(n_after_six_seconds + 1)]
        assert codes == [200] * n_after_six_seconds + [429]


def test_columns_are_read_by_name(tmp_path: Path) -> None:
    documents = tercet.Documents.join(
        {"subject": ["refund", "crash"], "body": ["my money", "it fails"]},
        ["bill", "tech"],
        columns={"mailer": ["mutt", "elm"]},
    )
    ledger, path = tmp_path / "t.ledger", tmp_path / "t.tercet"
    categorizer = tercet.Categorizer(categorical=["mailer"])
    Ledger.begin(ledger, categorizer, documents, actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", path, str(ledger))]) as served:
        row = {"subject": "refund", "body": "money", "mailer": "mutt"}
        assert served.post("classify", {"documents": [{"columns": row}]}).json()["answers"][0]["label"] == "bill"
        assert served.post("learn", {"documents": [{"columns": row, "label": "bill"}]}).status_code == 200
        for bad in (
            {"text": "refund"},
            {"columns": {"subject": "a"}},
            {"columns": row | {"x": 1}},
            {"columns": row | {"body": 3}},
        ):
            assert served.post("classify", {"documents": [bad]}).status_code == 422
        table = "mailer,subject,body\nmutt,refund,money\n"
        lines = served.post("classify", content=table.encode(), headers={"Content-Type": "text/csv"}).text.splitlines()
        assert lines[0] == "mailer,subject,body,label,probability,error"
        assert lines[1].startswith("mutt,refund,money,bill,")


def test_the_openapi_document_has_every_operation(served: Served) -> None:
    from tercet.server.routes import OPERATIONS

    document = served.client.get("/openapi.json").json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert described == {(each.method, each.path.replace(":int", "")) for each in OPERATIONS}
    for methods in document["paths"].values():
        for operation in methods.values():
            assert operation["summary"]
            assert operation["responses"]


def test_pages_load_nothing_from_elsewhere(served: Served) -> None:
    for path in ("/", "/docs"):
        page = served.client.get(path)
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert "unsafe-inline" not in page.headers["content-security-policy"]
        assert "http://" not in page.text.replace(HOST, "")
        assert "https://" not in page.text
        assert "style=" not in page.text


def test_a_change_that_the_model_can_not_follow_is_refused_with_the_reason(tmp_path: Path) -> None:
    ruled = write_model(tmp_path, model=tercet.Categorizer(rules={"cast": "pos"}))
    with serve_here(tmp_path, [ruled]) as served:
        for weight in (2.0**42, 2.0**41):
            refused = served.post("learn", {"documents": [{"text": "so heavy", "label": "pos", "weight": weight}]})
            assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid")
            assert "Use smaller weights" in refused.json()["error"]["message"]
        refused = served.post("unlearn", {"events": [2, 3, 6]})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_label")
        assert "the rule 'cast' gives the label 'pos'" in refused.json()["error"]["message"]
        assert served.post("classify", {"text": "good"}).json()["event"] == 7
        assert served("GET", "/ready").status_code == 200


def test_a_label_of_another_type_is_refused_by_a_model_without_documents(tmp_path: Path) -> None:
    path, ledger = tmp_path / "reviews.tercet", tmp_path / "reviews.ledger"
    tercet.Categorizer().fit(TEXTS, LABELS).save(path)
    Ledger.begin(ledger, tercet.load(path), actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", path, str(ledger))]) as served:
        refused = served.post("learn", {"documents": [{"text": "new", "label": 7}], "new_labels": True})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid_label")
        assert served.post("classify", {"text": "good"}).status_code == 200


def test_a_server_whose_model_is_gone_is_not_ready_and_an_undo_brings_the_model_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = write_model(tmp_path)
    with monkeypatch.context() as patch, Ledger.open(place.ledger, write=True) as ledger:
        patch.setattr(Rehearsal, "check", lambda *_: None)
        ledger.learn(tercet.Documents(["so heavy a film"], ["pos"], [2.0**41]), actor="ann")
    with serve_here(tmp_path, [place]) as served:
        ready, answer = served("GET", "/ready"), served.post("classify", {"text": "good"})
        assert (ready.status_code, answer.status_code) == (503, 409)
        for refused in (ready, answer):
            assert refused.json()["error"]["code"] == "model_gone"
            assert "gone since event 8 (learn, by ann)" in refused.json()["error"]["message"]
        assert served("GET", "/health").status_code == 200
        assert served("GET", "/api/models").json()["models"][0]["labels"] == []
        assert served.post("undo", {"event": 8}).json()["events"] == [9]
        assert served("GET", "/ready").status_code == 200
        assert served.post("classify", {"text": "good"}).json()["event"] == 9
