"""Labelling on the server: pools, the next texts, judgments, corrections, disagreements."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.folder_contents import read_files
from helpers.servers import LABELS, TEXTS, Served, serve_here, write_model

import tercet
from tercet.ledger.ledger import Ledger
from tercet.server.limits import Limits
from tercet.server.served_model import ModelLocation

pytestmark = pytest.mark.server

NEW = ["a good plot", "a dull cast", "what a mess", "so lovely"]


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_here(tmp_path) as server:
        yield server


def send(served: Served, content: str | bytes, kind: str = "text/plain", query: str = "name=new", role: str = "teacher") -> Any:
    body = content.encode() if isinstance(content, str) else content
    return served.post(f"pools?{query}", content=body, headers={"Content-Type": kind}, role=role)


def offer(served: Served, *texts: str, pool: str = "new") -> dict[str, int]:
    """The number of the offer of each text."""
    answer = send(served, "\n".join(texts), query=f"name={pool}").json()
    first, last = answer["events"]
    events = [served("GET", f"/api/models/reviews/history/{number}").json() for number in range(first, last + 1)]
    return {event["content"]["text"]: event["number"] for event in events if event["verb"] == "offer"}


def pick(served: Served, role: str = "teacher", **message: Any) -> list[dict[str, Any]]:
    answer = served.post("pools/next", {"pool": "new", "limit": 50} | message, role=role)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["offers"]
    return found


# Import.


def test_half_of_a_character_does_not_stop_anybody(served: Served) -> None:
    found = send(served, b'{"text": "\\ud800 lone"}\n{"text": "a gnu"}', "application/x-ndjson").json()
    assert found["offered"] == 2
    assert {text["text"] for text in pick(served)} == {"\ud800 lone", "a gnu"}
    first, last = found["events"]
    for number in range(first, last + 1):
        assert served("GET", f"/api/models/reviews/history/{number}").status_code == 200


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("text/plain", "a zebra\n\na gnu\na zebra\n  \nan okapi"),
        ("text/csv", 'id,text,label\n1,a zebra,x\n2,"a gnu",\n3,,y\n4,a zebra,x\n5,an okapi,x\n'),
        (
            "application/x-ndjson",
            '{"text": "a zebra"}\n{"text": "a gnu"}\n{"text": 3}\n{"text": "a zebra"}\n{"text": "an okapi"}',
        ),
    ],
)
def test_texts_of_a_file_are_offered_once(served: Served, kind: str, content: str) -> None:
    found = send(served, content, kind).json()
    assert (found["pool"], found["offered"], found["skipped_duplicates"], found["events"]) == ("new", 3, 1, [8, 10])
    assert found["event"] == 10
    assert {text["text"] for text in pick(served)} == {"a zebra", "a gnu", "an okapi"}
    assert found["bad"] == (2 if kind == "text/plain" else 1)
    again = send(served, content, kind).json()
    assert (again["offered"], again["skipped_duplicates"], again["events"]) == (0, 4, [])
    (pool,) = served("GET", "/api/models/reviews/pools", role="reader").json()["pools"]
    assert pool == {"pool": "new", "offers": 3, "open": 3, "labelled": 0, "unsure": 0, "skipped": 0, "disagreements": 0}


def test_a_table_may_have_another_text_column_than_the_training_data(tmp_path: Path) -> None:
    (tmp_path / "r.csv").write_text(
        "review,stars\n" + "".join(f"{t},{label}\n" for t, label in zip(TEXTS, LABELS, strict=True))
    )
    trained = tercet.train(tercet.read(tmp_path / "r.csv"), categorizer=tercet.Categorizer(keep_documents=True))
    ledger = tmp_path / "reviews.ledger"
    Ledger.begin(ledger, trained.categorizer, actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", tmp_path / "reviews.tercet", str(ledger))]) as served:
        rows = "".join(f"{i},a comment about a film {i}\n" for i in range(9000))
        assert send(served, "id,comment\n" + rows, "text/csv").json()["offered"] == 9000
        assert pick(served, limit=1)[0]["text"].startswith("a comment about")
        assert send(served, "id,review\n7,what a review\n", "text/csv", "name=b").json()["offered"] == 1
        assert [text["text"] for text in pick(served, pool="b")] == ["what a review"]


def test_bad_rows_and_what_is_remarkable_are_told(served: Served) -> None:
    rows = "\n".join(['{"text": "cafÃ©"}', "{", '{"text": null}', json.dumps({"text": TEXTS[0]}), *["[1]"] * 30])
    found = send(served, rows, "application/x-ndjson").json()
    assert (found["read"], found["offered"], found["bad"], len(found["bad_rows"])) == (34, 2, 32, 20)
    assert found["bad_rows"][0]["row"] == 2
    assert "not JSON" in found["bad_rows"][0]["message"]
    assert found["findings"][0] == "The model has learned 1 text of these already."
    assert "wrong decoding" in found["findings"][1]


def test_the_column_of_a_person_is_kept_and_erased(served: Served, tmp_path: Path) -> None:
    table = "text,customer,label\na zyzzyva,zoe,x\nanother,yan,y\n"
    assert send(served, table, "text/csv", "name=new&subject=customer").json()["offered"] == 2
    (text,) = (text for text in pick(served) if text["text"] == "a zyzzyva")
    served.post("judge", {"offer": text["offer"], "label": "pos", "note": "a zyzzyva indeed"})
    erased = served.post("erase", {"subject": "zoe"}).json()
    assert erased["documents"] == 1
    assert erased["certificate"] is not None
    for name, content in read_files(tmp_path).items():
        assert b"zyzzyva" not in content, name
        assert b"zoe" not in content, name
    assert [text["text"] for text in pick(served)] == ["another"]
    assert served.post("judge", {"offer": text["offer"], "label": "pos"}).status_code == 409


@pytest.mark.parametrize(
    ("kind", "content", "query", "status"),
    [
        ("application/json", '{"text": "a"}', "name=new", 415),
        ("", "a", "name=new", 415),
        ("text/plain", "a", "", 422),
        ("text/plain", "a", "name=%20", 422),
        ("text/plain", "a", "name=" + "x" * 201, 422),
        ("text/csv", "text,age\na,7\n", "name=new&subject=customer", 422),
        ("text/plain", "a", "name=new&subject=customer", 422),
        ("text/plain", gzip.compress(b"a\nb", mtime=0), "name=new", 415),
        ("text/plain", b"PK\x03\x04\x14\0", "name=new", 422),
        ("text/plain", b"x" * 5000, "name=new", 413),
    ],
)
def test_a_bad_upload_offers_nothing(tmp_path: Path, kind: str, content: str | bytes, query: str, status: int) -> None:
    with serve_here(tmp_path, limits=Limits(body=4000)) as served:
        answer = send(served, content, kind, query)
        assert (answer.status_code, list(answer.json()["error"])) == (status, ["code", "message"])
        assert served("GET", "/api/models/reviews/pools").json()["pools"] == []


def test_a_file_may_be_larger_than_a_request(tmp_path: Path) -> None:
    with serve_here(tmp_path, limits=Limits(body=4000)) as served:
        found = send(served, "\n".join(f"text {i} {'x' * 50}" for i in range(3000))).json()
        assert (found["offered"], found["bad"]) == (3000, 0)
        assert served("GET", "/api/models/reviews/pools").json()["pools"][0]["open"] == 3000


def test_several_columns_are_offered_and_learned(tmp_path: Path) -> None:
    documents = tercet.Documents.join(
        {"subject": ["refund", "crash"], "body": ["my money", "it fails"]},
        ["bill", "tech"],
        columns={"mailer": ["mutt", "elm"]},
    )
    ledger, path = tmp_path / "t.ledger", tmp_path / "t.tercet"
    Ledger.begin(ledger, tercet.Categorizer(categorical=["mailer"]), documents, actor="ann").close()
    with serve_here(tmp_path, [ModelLocation("reviews", path, str(ledger))]) as served:
        assert send(served, "mailer,subject,body\nmutt,help,where is it\n", "text/csv").json()["offered"] == 1
        (text,) = pick(served)
        assert text["text"] == "help\n\nwhere is it"
        assert text["columns"] == {"subject": "help", "body": "where is it", "mailer": "mutt"}
        before = served.post("classify", {"documents": [{"columns": text["columns"]}], "top": 0}).json()["answers"][0]
        assert [each["probability"] for each in text["proposal"]["labels"]] == [
            each["probability"] for each in before["labels"]
        ]
        assert served.post("judge", {"offer": text["offer"], "label": "tech"}).json()["is_learned"] is True
        wrong = {"columns": {"subject": "a", "body": "b", "mailer": "elm"}, "label": "bill"}
        assert served.post("correct", wrong).status_code == 200
        assert send(served, "a\n", "text/plain").status_code == 422  # the model needs its columns
    assert Ledger.open(ledger).replay().model.table_.n_documents.tolist() == [2.0, 2.0]


# Judge.


def test_a_judgment_is_learned_at_once_and_can_be_undone(served: Served) -> None:
    numbers = offer(served, *NEW)
    first = pick(served, limit=1)[0]
    proposal = first["proposal"]
    answer = served.post(
        "judge", {"offer": first["offer"], "label": "neg", "proposal": proposal, "note": "sure"}, role="teacher"
    )
    judged = answer.json()
    assert (judged["events"], judged["status"], judged["is_learned"]) == ([12, 13], "labelled", True)
    assert judged["event"] == 13
    written = served("GET", "/api/models/reviews/history/12").json()
    assert (written["verb"], written["actor"], written["target"]) == ("judge", "teacher", first["offer"])
    assert written["content"]["proposal"] == {name: proposal[name] for name in ("label", "probability", "event")}
    fresh = tercet.Categorizer().fit([*TEXTS, first["text"]], [*LABELS, "neg"])
    found = served.post("classify", {"text": first["text"]}).json()["answers"][0]
    assert found["probability"] == fresh.predict_proba([first["text"]]).max()
    assert first["offer"] not in {text["offer"] for text in pick(served)}
    assert served.post("undo", {"event": 12}).json()["events"] == [14, 15]
    again = pick(served, after=15)
    assert {text["offer"] for text in again} == set(numbers.values())
    assert [text["proposal"] | {"event": 0} for text in again if text["offer"] == first["offer"]] == [proposal | {"event": 0}]


def test_skip_unsure_and_notes(served: Served) -> None:
    first, second, third, _ = offer(served, *NEW).values()
    for number, kind in ((first, "skip"), (second, "unsure"), (third, "note")):
        more = {"note": "why"} if kind == "note" else {}
        judged = served.post("judge", {"offer": number, "kind": kind, **more}, role="teacher").json()
        assert judged["is_learned"] is False
        assert judged["status"] == {"skip": "skipped", "unsure": "unsure", "note": "open"}[kind]
    left = {text["offer"]: text["judged_by_me"] for text in pick(served)}
    assert set(left) == set(range(8, 12)) - {first, second}
    assert left[third] == {"event": 14, "kind": "note", "label": None}
    # Others may judge what one person has skipped. The rest is with that person.
    assert {text["offer"] for text in pick(served, role="admin")} == {first, second}
    (pool,) = served("GET", "/api/models/reviews/pools").json()["pools"]
    assert (pool["offers"], pool["open"], pool["unsure"], pool["skipped"]) == (4, 2, 1, 1)


def test_several_people_judge_a_text_and_a_disagreement_is_settled(served: Served) -> None:
    numbers = offer(served, *NEW)
    first, second, third, fourth = numbers.values()
    for number, ann, ben in ((first, "pos", "pos"), (second, "pos", "neg"), (third, "neg", "pos")):
        one = served.post("judge", {"offer": number, "label": ann, "judges": 2, "note": "n"}, role="teacher").json()
        assert one["is_learned"] is False
        assert number in {text["offer"] for text in pick(served, role="admin", judges=2)}
        assert number not in {text["offer"] for text in pick(served, role="admin", judges=1)}
        two = served.post("judge", {"offer": number, "label": ben, "judges": 2}, role="admin").json()
        assert (two["is_learned"], two["status"]) == (ann == ben, "labelled" if ann == ben else "disagreements")
    found = served.post("disagreements", {}).json()["offers"]
    assert [each["offer"] for each in found] == [third, second]
    assert (found[1]["text"], found[1]["pool"]) == (NEW[1], "new")
    assert [(each["actor"], each["label"], each["note"]) for each in found[1]["judgments"]] == [
        ("teacher", "pos", "n"),
        ("admin", "neg", None),
    ]
    assert found[1]["proposal"]["label"] in ("pos", "neg")
    assert [each["offer"] for each in served.post("disagreements", {"limit": 1, "before": third}).json()["offers"]] == [second]
    assert served.post("disagreements", {"pool": "other"}).status_code == 422
    settled = served.post("settle", {"offer": second, "label": "neg"}).json()
    assert (settled["is_learned"], settled["status"], len(settled["events"])) == (True, "labelled", 2)
    event = served("GET", f"/api/models/reviews/history/{settled['events'][0]}").json()
    assert event["content"] == {"kind": "label", "label": "neg", "note": "settled", "settles": True, "acts": True}
    assert [each["offer"] for each in served.post("disagreements", {"pool": "new"}).json()["offers"]] == [third]
    assert served.post("undo", {"event": settled["events"][0]}).status_code == 200
    assert len(served.post("disagreements", {}).json()["offers"]) == 2
    assert fourth in {text["offer"] for text in pick(served, judges=2)}


def test_a_correction_is_learned_and_kept_with_what_the_model_said(served: Served) -> None:
    answer = served.post("classify", {"text": "a zebra of a film"}).json()
    wrong = answer["answers"][0] | {"event": answer["event"]}
    right = "pos" if wrong["label"] == "neg" else "neg"
    message = {"text": "a zebra of a film", "label": right, "proposal": wrong, "note": "no", "subject": "zoe"}
    judged = served.post("correct", message, role="teacher").json()
    assert (judged["events"], judged["offer"], judged["is_learned"]) == ([8, 9, 10], 8, True)
    assert served.post("classify", {"text": "zebra"}).json()["answers"][0]["label"] == right
    assert served.post("correct", message).json()["events"] == [11]  # it is learned already
    back = served.post("correct", message | {"label": wrong["label"]}).json()
    assert (back["events"], back["status"]) == ([12, 13], "labelled")
    assert served("GET", "/api/models/reviews/history/13").json()["verb"] == "relabel"
    assert served.post("erase", {"subject": "zoe"}).json()["documents"] == 1


def test_a_new_label_needs_to_be_meant(served: Served) -> None:
    (number,) = offer(served, "a film").values()
    for what, message in (
        ("judge", {"offer": number, "label": "poss"}),
        ("settle", {"offer": number, "label": "poss"}),
        ("correct", {"text": "a", "label": "poss"}),
    ):
        refused = served.post(what, message)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "unknown_label")
    assert served.post("judge", {"offer": number, "label": "so so", "new_labels": True}).status_code == 200
    assert served("GET", "/api/models/reviews").json()["labels"] == ["neg", "pos", "so so"]


BAD = [
    ("pools/next", {}, 422),
    ("pools/next", {"pool": "nothing"}, 422),
    ("pools/next", {"pool": "new", "order": "best"}, 422),
    ("pools/next", {"pool": "new", "limit": 51}, 422),
    ("pools/next", {"pool": "new", "judges": 0}, 422),
    ("pools/next", {"pool": 7}, 422),
    ("judge", {"label": "pos"}, 422),
    ("judge", {"offer": 8}, 422),
    ("judge", {"offer": 8, "kind": "perhaps"}, 422),
    ("judge", {"offer": 8, "kind": "unsure", "label": "pos"}, 422),
    ("judge", {"offer": 8, "kind": "note"}, 422),
    ("judge", {"offer": 8, "kind": "note", "note": "x" * 2001}, 422),
    ("judge", {"offer": 8, "label": "pos", "proposal": {"label": "pos", "probability": 2}}, 422),
    ("judge", {"offer": 8, "label": "pos", "proposal": {"label": "pos"}}, 422),
    ("judge", {"offer": 8, "label": 3, "new_labels": True}, 422),
    ("judge", {"offer": 2, "label": "pos"}, 409),
    ("judge", {"offer": 99, "label": "pos"}, 409),
    ("correct", {"label": "pos"}, 422),
    ("correct", {"text": "a"}, 422),
    ("correct", {"columns": {"x": 1}, "label": "pos"}, 422),
    ("correct", {"text": "a", "label": "pos", "subject": ""}, 422),
    ("settle", {"offer": 8}, 422),
    ("settle", {"offer": 2, "label": "pos"}, 409),
    ("disagreements", {"limit": 0}, 422),
    ("disagreements", {"limit": 201}, 422),
    ("undo", {"event": 8}, 409),
    ("erase", {"events": [1]}, 409),
]


@pytest.fixture(scope="module")
def bad_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_here(tmp_path_factory.mktemp("bad")) as server:
        send(server, "a text")
        yield server


@pytest.mark.parametrize(("what", "message", "status"), BAD)
def test_a_bad_request_has_one_form_of_error_and_changes_nothing(
    bad_served: Served, what: str, message: object, status: int
) -> None:
    answer = bad_served.post(what, message)
    assert (answer.status_code, list(answer.json())) == (status, ["error"])
    assert list(answer.json()["error"]) == ["code", "message"]
    assert bad_served("GET", "/api/models/reviews").json()["event"] == 8


def test_a_read_only_model_has_no_pools(tmp_path: Path) -> None:
    path = tmp_path / "small.tercet"
    tercet.Categorizer().fit(TEXTS, LABELS).compact().save(path)
    with serve_here(tmp_path, [ModelLocation("reviews", path, None)]) as served:
        answers = [served("GET", "/api/models/reviews/pools"), send(served, "a")]
        messages = {
            "pools/next": {"pool": "new"},
            "judge": {"offer": 8, "label": "pos"},
            "correct": {"text": "a", "label": "pos"},
        }
        answers += [served.post(what, message) for what, message in messages.items()]
        answers += [served.post("settle", {"offer": 8, "label": "pos"}), served.post("disagreements", {})]
        assert {(answer.status_code, answer.json()["error"]["code"]) for answer in answers} == {(409, "read_only")}


def test_what_was_judged_is_there_after_the_server_has_ended(tmp_path: Path) -> None:
    place = write_model(tmp_path)
    with serve_here(tmp_path, [place]) as served:
        numbers = offer(served, *NEW)
        served.post("judge", {"offer": numbers[NEW[0]], "label": "pos"}, role="teacher")
    (tmp_path / "again").mkdir()
    with serve_here(tmp_path / "again", [place]) as served:
        assert {text["text"] for text in pick(served)} == set(NEW[1:])
        assert served("GET", "/api/models/reviews/pools").json()["pools"][0]["labelled"] == 1


GERMAN = "Nr;Bearbeiter;Text\n" + "".join(
    f"{i};{'Müller' if i % 5 else 'Schmidt'};a letter about case {i}\n" for i in range(500)
)


def test_a_german_table_of_excel_is_imported_whole(served: Served) -> None:
    body = GERMAN.replace("\n", "\r\n").encode("cp1252")
    refused = send(served, body, "text/csv")
    assert (refused.status_code, refused.json()["error"]["charset"]) == (422, "cp1252")
    assert "--" not in refused.json()["error"]["message"]
    answer = send(served, body, "text/csv; charset=cp1252").json()
    assert (answer["read"], answer["offered"], answer["bad"]) == (500, 500, 0)


def test_a_byte_that_is_wrong_costs_its_row_only(served: Served) -> None:
    rows = [f"{i},größe {i}".encode() for i in range(40)]
    rows[20] = b"20,gr\xf6\xdfe"
    answer = send(served, b"id,text\n" + b"\n".join(rows), "text/csv").json()
    assert (answer["offered"], answer["bad"], answer["bad_rows"][0]["row"]) == (39, 1, 22)
    assert "--" not in answer["bad_rows"][0]["message"]


def test_the_column_of_the_texts_can_be_named(served: Served) -> None:
    body = "frage,antwort\nwas ist das denn hier,ein film ist das wohl\nund wer ist das hier,das weiss niemand so genau\n"
    assert send(served, body, "text/csv", "name=new&text=antwort").json()["offered"] == 2
    assert {text["text"] for text in pick(served)} == {"ein film ist das wohl", "das weiss niemand so genau"}


def test_a_pool_is_deleted_by_who_may(served: Served) -> None:
    offers = offer(served, *NEW)
    assert served.post("pools/delete", {"pool": "new"}, role="reader").status_code == 403
    served.post("judge", {"offer": offers[NEW[0]], "label": "pos"}, role="admin")
    refused = served.post("pools/delete", {"pool": "new"}, role="teacher")
    assert (refused.status_code, "others have judged" in refused.json()["error"]["message"]) == (403, True)
    deleted = served.post("pools/delete", {"pool": "new"}, role="admin").json()
    assert served("GET", f"/api/models/reviews/history/{deleted['events'][0]}").json()["verb"] == "withdraw"
    assert served("GET", "/api/models/reviews/pools").json()["pools"] == []
    assert served.post("pools/next", {"pool": "new"}).status_code == 422
    assert served.post("pools/delete", {"pool": "new"}).status_code == 422
    offer(served, *NEW, pool="mine")
    assert served.post("pools/delete", {"pool": "mine"}, role="teacher").status_code == 200


def test_each_text_goes_to_one_person(served: Served) -> None:
    offer(served, *(f"text number {i}" for i in range(6)))
    hands = [{text["offer"] for text in pick(served, role, limit=4)} for role in ("teacher", "admin")]
    assert [len(own) for own in hands] == [4, 2]
    assert not hands[0] & hands[1]


def test_a_label_that_is_not_learned_is_not_said_to_be(served: Served) -> None:
    number = offer(served, *NEW)[NEW[0]]
    first = served.post("judge", {"offer": number, "label": "pos"}, role="teacher").json()
    second = served.post("judge", {"offer": number, "label": "neg"}, role="admin").json()
    assert (first["is_learned"], first["learned_label"]) == (True, "pos")
    assert (second["is_learned"], second["learned_label"], second["status"]) == (False, "pos", "disagreements")


def test_a_text_that_is_too_long_to_be_judged_is_left_out_and_said(served: Served) -> None:
    answer = send(served, "\n".join(["a zebra", "so good " * 10_000, "a gnu"])).json()
    assert (answer["offered"], answer["bad"], answer["skipped_duplicates"]) == (2, 1, 0)
    assert answer["findings"][0].startswith("1 text of more than 65536 characters: too long to be judged, and left out.")
    refused = served.post("correct", {"text": "so good " * 10_000, "label": "pos"})
    assert refused.status_code == 422
    assert "too long to be judged" in refused.text
