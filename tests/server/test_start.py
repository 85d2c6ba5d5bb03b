"""The server as a program: links, signals, several processes, slow clients, wrong options, PostgreSQL."""

import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import helpers.postgresql as postgresql
import httpx
import pytest
from helpers.servers import serve_apart, write_model, write_users

import tercet
from tercet.ledger.ledger import Ledger
from tercet.ledger.verification import verify
from tercet.server.start import StartOptions, serve

pytestmark = pytest.mark.server


def run(*words: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "tercet", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=60, check=False)


def test_a_spreadsheet_becomes_a_server_in_two_commands(tmp_path: Path) -> None:
    rows = [f"{text},{label}" for text, label in [("so good a film", "pos"), ("dull and bad", "neg")] * 6]
    (tmp_path / "reviews.csv").write_text("\n".join(["text,label", *rows]))
    assert run("train", "reviews.csv", "-o", "reviews.tercet", "-q", cwd=tmp_path).returncode == 0
    with serve_apart("reviews.tercet", cwd=tmp_path) as program:
        assert program.post("classify", {"text": "so good"}).json()["answers"][0]["label"] == "pos"
        learned = program.post("learn", {"documents": [{"text": "a zebra", "label": "neg"}]}).json()
        assert learned["events"]
        second = run("serve", "reviews.tercet", "--port", "0", cwd=tmp_path)
        assert second.returncode == 2
        assert second.stderr.endswith("is in use: another server or program writes to it. End that one first.\n")
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(30) == 0
        assert program.process.stderr is not None
        talk = program.process.stderr.read()
        assert "Traceback" not in talk
        assert talk.endswith("the server has ended\n")
    assert verify(tmp_path / "reviews.ledger").is_good
    (tmp_path / "reviews.tercet").unlink()  # the ledger has everything
    with serve_apart("reviews.tercet", cwd=tmp_path) as program:
        assert program.post("classify", {"text": "a zebra"}).json()["event"] >= learned["event"]


def test_processes_of_a_server_follow_each_other(tmp_path: Path) -> None:
    place = write_model(tmp_path)
    with serve_apart("reviews.tercet", "--workers", "3", cwd=tmp_path) as program:
        token = program.make_token()

        def teach(i: int) -> int:
            # A new connection for each request, so that any process answers it.
            headers = {"Authorization": f"Bearer {token}"}
            message = {"documents": [{"text": f"a zebra {i}", "label": "neg"}]}
            learned = httpx.post(f"{program.url}/api/models/reviews/learn", json=message, headers=headers, timeout=60).json()
            (number,) = learned["events"]
            asked = {"text": f"a zebra {i}", "after": number}
            answer = httpx.post(f"{program.url}/api/models/reviews/classify", json=asked, headers=headers, timeout=60).json()
            assert answer["event"] >= number
            return int(number)

        with ThreadPoolExecutor(8) as pool:
            numbers = list(pool.map(teach, range(40)))
        assert sorted(numbers) == list(range(min(numbers), min(numbers) + 40))
        program.process.send_signal(signal.SIGTERM)
        assert program.process.wait(60) == 0
    assert place.ledger is not None
    assert verify(place.ledger).is_good


def is_closed(connection: socket.socket) -> bool:
    try:
        return connection.recv(1000) == b""
    except ConnectionResetError:
        return True


def test_slow_clients_do_not_hold_up_others(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", "--timeout", "1", cwd=tmp_path) as program:
        host, port = program.url.removeprefix("http://").split(":")
        silent = [socket.create_connection((host, int(port))) for _ in range(50)]
        for each in silent[:25]:
            each.sendall(b"POST /api/session HTTP/1.1\r\nHost: ")
        slow = socket.create_connection((host, int(port)))
        names = f"Host: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n"
        slow.sendall(f"POST /api/session HTTP/1.1\r\n{names}\r\n{{".encode())
        started = time.monotonic()
        assert program.post("classify", {"text": "good"}).status_code == 200
        assert time.monotonic() - started < 1
        slow.settimeout(20)
        assert b"408" in slow.recv(1000)
        huge = socket.create_connection((host, int(port)))
        huge.settimeout(20)
        huge.sendall(b"GET / HTTP/1.1\r\nX: " + b"a" * 100_000)
        assert is_closed(huge)
        for each in [*silent, slow, huge]:
            each.close()


def test_a_stream_is_answered_while_it_is_sent_and_says_so_if_a_line_is_too_long(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", "--max-body", "0.01", cwd=tmp_path) as program:
        path, headers = "/api/models/reviews/classify", {"Content-Type": "application/x-ndjson"}
        many = program.client.post(path, content=(b'"a good film"\n' * 1000 for _ in range(200)), headers=headers)
        assert many.text.count("\n") == 200_000
        good, long = program.client.post(path, content=[b'"good"\n', b'"' + b"a" * 20_000], headers=headers).text.splitlines()
        assert "pos" in good
        assert "line 2 is longer than 10000 bytes" in long or "line 2 is longer than 10485 bytes" in long


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--host", "0.0.0.0"], "others can reach 0.0.0.0, so the server needs to know its users"),
        (["--url", "https://tercet.example"], "others can reach https://tercet.example, so the server needs to know its users"),
        (["--host", "0.0.0.0", "--users", "team.users"], "give the address that they use: --url"),
        (["--url", "tercet.example", "--users", "team.users"], "--url must be an address such as https://tercet.example"),
        (["--proxy", "here"], "--proxy must be an address such as 10.0.0.5"),
        (["--proxy", "0.0.0.0/0"], "--proxy 0.0.0.0/0 would trust every computer"),
        (["--users", "nothing.users"], "nothing.users does not exist"),
        (["--read-only", "--ledger", "x.ledger"], "--read-only needs no ledger"),
        (["--host", "300.1.1.1", "--users", "team.users", "--url", "http://x.example"], "can't listen at 300.1.1.1"),
    ],
)
def test_wrong_options_are_one_line(tmp_path: Path, words: list[str], error: str) -> None:
    write_model(tmp_path)
    write_users(tmp_path)
    refused = run("serve", "reviews.tercet", "--port", "0", *words, cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert error in refused.stderr
    assert refused.stderr.count("\n") == 1


def test_the_server_says_whose_header_it_trusts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    how = StartOptions(port=0, proxies=("127.0.0.1", "10.0.0.0/24"))
    monkeypatch.setattr("tercet.server.start.run", lambda *_: True)
    assert serve([write_model(tmp_path)], how, announce=said.append, tell=said.append)
    trusted = "the header X-Forwarded-For is trusted from every program"
    assert said == [
        f"--proxy 127.0.0.1: {trusted} and user of this computer",
        f"--proxy 10.0.0.0/24: {trusted} at these 256 addresses",
    ]


def test_what_cannot_be_served_is_one_line(tmp_path: Path) -> None:
    assert "nothing.tercet" in run("serve", "nothing.tercet", cwd=tmp_path).stderr
    (tmp_path / "empty").mkdir()
    assert "empty has no model" in run("serve", "empty", "--read-only", cwd=tmp_path).stderr
    place = write_model(tmp_path)
    assert place.ledger is not None
    Path(place.ledger).write_bytes(b"this is no database" * 100)
    damaged = run("serve", "reviews.tercet", "--port", "0", cwd=tmp_path)
    assert damaged.returncode == 2
    assert "is no ledger, or is damaged" in damaged.stderr
    assert damaged.stdout == ""  # a link would be for nothing
    assert "Traceback" not in damaged.stderr


def test_a_server_that_can_not_start_ends_with_an_error(tmp_path: Path) -> None:
    place = write_model(tmp_path)
    tercet.Categorizer().fit(["so good", "so bad"], ["+", "-"]).save(place.path)
    refused = run("serve", "reviews.tercet", "--port", "0", cwd=tmp_path)
    assert refused.returncode == 2
    assert "is not a model of" in refused.stderr


def test_several_models_of_a_folder_are_served(tmp_path: Path) -> None:
    for name in ("reviews", "tickets"):
        write_model(tmp_path, name)
    with serve_apart(".", cwd=tmp_path) as program:
        assert [each["model"] for each in program.client.get("/api/models").json()["models"]] == ["reviews", "tickets"]
        program.post("learn", {"documents": [{"text": "a zebra", "label": "neg"}]}, model="tickets")
        assert program.post("classify", {"text": "a zebra"}, model="reviews").json()["event"] == 7


@pytest.mark.skipif(bool(postgresql.explain_missing()), reason=postgresql.explain_missing())
def test_servers_on_one_postgresql_ledger_follow_each_other(tmp_path: Path) -> None:
    with postgresql.start_server() as url:
        Ledger.begin(url, tercet.Categorizer(), tercet.Documents(["so good", "so bad"], ["pos", "neg"]), actor="ann").close()
        words = ["reviews.tercet", "--ledger", url]
        for name in "ab":
            (tmp_path / name).mkdir()
        with serve_apart(*words, cwd=tmp_path / "a") as first, serve_apart(*words, cwd=tmp_path / "b") as second:
            for i in range(10):
                teacher, other = (first, second) if i % 2 else (second, first)
                (number,) = teacher.post("learn", {"documents": [{"text": f"zebra {i}", "label": "neg"}]}).json()["events"]
                asked = {"text": f"zebra {i}", "top": 0, "after": number}
                answers = [program.post("classify", asked).json() for program in (teacher, other)]
                assert answers[0]["answers"] == answers[1]["answers"]
        assert verify(url).is_good
