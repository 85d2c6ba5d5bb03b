"""Threads of the server: users take turns, what is too much is refused, and what nobody waits for ends."""

import asyncio
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import httpx
import pytest
from helpers.servers import Served, serve_apart, serve_here, write_model

import tercet
from tercet.errors import suggest
from tercet.evaluation.confusion import Confusion
from tercet.interruption import Interrupted, check_wanted
from tercet.ledger.live import LiveAnswer, LiveModel
from tercet.server.accounts import MAX_TOKENS, Accounts
from tercet.server.calls import MAX_PART, Call
from tercet.server.classify import MAX_EXPLAINED
from tercet.server.limits import MAX_SCORED
from tercet.server.messages import ConfusionFacts
from tercet.server.problems import Problem
from tercet.server.quality import describe_confusion
from tercet.server.served_model import ModelLocation
from tercet.server.threads import Lane
from tercet.server.waits import EventWaits

pytestmark = pytest.mark.server


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with serve_here(tmp_path) as server:
        yield server


def run_lane(lane: Lane, test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 20))
    lane.close(time.monotonic() + 10)


async def wait_until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0.001)


def test_users_take_turns() -> None:
    lane, done, go_on = Lane("test", 1, 1, 100, 100), list[str](), Event()

    async def test() -> None:
        first = asyncio.ensure_future(lane.run(go_on.wait, "ann"))
        await wait_until(lambda: lane.is_busy)
        many = [lane.run(lambda i=i: done.append(f"ann {i}"), "ann") for i in range(3)]  # type: ignore[misc]
        others = [lane.run(lambda: done.append("ben"), "ben"), lane.run(lambda: done.append("cleo"), "cleo")]
        waiting = asyncio.gather(*many, *others)
        await asyncio.sleep(0)
        go_on.set()
        await asyncio.gather(first, waiting)

    run_lane(lane, test)
    assert done == ["ann 0", "ben", "cleo", "ann 1", "ann 2"]


def test_a_user_does_not_take_all_threads() -> None:
    lane, go_on, n = Lane("test", 4, 2, 100, 100), Event(), [0]

    def work() -> None:
        n[0] += 1
        go_on.wait()

    async def test() -> None:
        waiting = [asyncio.ensure_future(lane.run(work, "ann")) for _ in range(4)]
        await wait_until(lambda: n[0] == 2)
        assert await lane.run(lambda: "at once", "ben") == "at once"
        await asyncio.sleep(0.05)
        assert n[0] == 2
        go_on.set()
        await asyncio.gather(*waiting)

    run_lane(lane, test)
    assert n[0] == 4


def test_what_would_wait_too_long_is_refused() -> None:
    lane, go_on = Lane("test", 1, 1, 3, 2), Event()

    async def refuse(user: str) -> Problem:
        with pytest.raises(Problem) as caught:
            await lane.run(lambda: None, user)
        assert caught.value.headers == {"Retry-After": "1"}
        return caught.value

    async def test() -> None:
        waiting = [asyncio.ensure_future(lane.run(go_on.wait, "ann")) for _ in range(3)]
        await asyncio.sleep(0)
        own = await refuse("ann")
        assert (own.status, own.message) == (429, "3 requests of yours are under way: wait until one of them is answered.")
        waiting.append(asyncio.ensure_future(lane.run(go_on.wait, "ben")))
        await asyncio.sleep(0)
        assert (await refuse("cleo")).status == 503
        go_on.set()
        await asyncio.gather(*waiting)
        assert await lane.run(lambda: 7, "ann") == 7

    run_lane(lane, test)


def test_an_error_of_the_work_is_that_of_the_request() -> None:
    lane = Lane("test", 1, 1, 3, 2)

    async def test() -> None:
        with pytest.raises(ZeroDivisionError):
            await lane.run(lambda: 1 // 0, "ann")
        assert await lane.run(lambda: 1, "ann") == 1

    run_lane(lane, test)


def test_what_nobody_waits_for_is_dropped_or_interrupted() -> None:
    lane, started, ended, later = Lane("test", 1, 1, 3, 2), Event(), Event(), list[str]()

    def work() -> None:
        started.set()
        try:
            while True:
                check_wanted()
                time.sleep(0.001)
        except Interrupted:
            ended.set()
            raise

    async def test() -> None:
        running = asyncio.ensure_future(lane.run(work, "ann"))
        waiting = asyncio.ensure_future(lane.run(lambda: later.append("never"), "ann"))
        await wait_until(started.is_set)
        for task in (waiting, running):
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await wait_until(ended.is_set)
        assert await lane.run(lambda: "next", "ann") == "next"

    run_lane(lane, test)
    assert later == []
    assert not lane.is_busy


def test_a_work_that_goes_on_keeps_its_thread() -> None:
    lane, go_on = Lane("test", 1, 1, 3, 2), Event()

    async def test() -> None:
        abandoned = asyncio.ensure_future(lane.run(go_on.wait, "ann"))
        await wait_until(lambda: lane.is_busy)
        abandoned.cancel()
        following = asyncio.ensure_future(lane.run(lambda: 1, "ben"))
        await asyncio.sleep(0.05)
        assert not following.done()
        go_on.set()
        assert await following == 1

    run_lane(lane, test)


def test_one_task_looks_for_all_that_wait() -> None:
    last = [1]
    waits = EventWaits(lambda: last[0])

    async def test() -> None:
        waiting = [asyncio.ensure_future(waits.wait_for(number)) for number in (2, 3, 3)]
        await asyncio.sleep(0.02)
        assert len(asyncio.all_tasks()) == 6  # this one and its caller, the three, and the one that looks
        last[0] = 2
        await waiting[0]
        assert not waiting[1].done()
        last[0] = 3
        await asyncio.gather(*waiting)

    asyncio.run(asyncio.wait_for(test(), 20))


def test_an_explanation_has_a_largest_size(served: Served) -> None:
    assert served.post("explain", {"text": "a" * MAX_EXPLAINED}).status_code == 200
    refused = served.post("explain", {"text": "a" * (MAX_EXPLAINED + 1)})
    assert refused.status_code == 413
    assert "more than 32768 characters" in refused.json()["error"]["message"]


def test_an_answer_has_a_largest_number_of_labels(tmp_path: Path) -> None:
    path, labels = tmp_path / "many.tercet", [f"label {i}" for i in range(1000)]
    tercet.Categorizer().fit([f"word{i}" for i in range(1000)], labels).save(path)
    with serve_here(tmp_path, [ModelLocation("reviews", path, None)]) as served:
        most = MAX_SCORED // 1000
        whole = served.post("classify", {"texts": ["word1"] * most, "top": 0})
        assert len(whole.content) > MAX_PART  # so it was sent in parts
        assert sum(len(answer["labels"]) for answer in whole.json()["answers"]) == MAX_SCORED
        refused = served.post("classify", {"texts": ["word1"] * (most + 1), "top": 0})
        assert refused.status_code == 413
        assert refused.json()["error"]["code"] == "too_many"
        assert served.post("classify", {"texts": ["word1"] * 5000, "top": 1}).status_code == 200
        assert served.post("classify", {"texts": ["word1"] * 5000, "top": 20}).status_code == 200
        for kind, head, line in (("application/x-ndjson", b"", b'"word1"\n'), ("text/csv", b"text\n", b"word1\n")):
            given = {"content": head + line * 500, "headers": {"Content-Type": kind}}
            streamed = served("POST", "/api/models/reviews/classify?top=0", **given)
            assert streamed.content.count(b"\n") == 500 + len(head.splitlines())


@pytest.mark.parametrize("path", ["history/1180591620717411303424", "certificates/1180591620717411303424"])
def test_a_number_that_no_event_has_is_not_found(served: Served, path: str) -> None:
    found = served("GET", f"/api/models/reviews/{path}")
    assert (found.status_code, found.json()["error"]["code"]) == (404, "no_event")


def test_a_user_has_a_largest_number_of_tokens(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "some.users", new=True)
    accounts.add_user("ann", "reader", None)
    accounts.add_user("ben", "reader", None)
    tokens = [accounts.issue("ann", "token", seconds=3600) for _ in range(MAX_TOKENS)]
    with pytest.raises(tercet.errors.InvalidOption, match="'ann' has 100 tokens: revoke one"):
        accounts.issue("ann", "token", seconds=3600)
    accounts.issue("ben", "token", seconds=3600)
    sessions = [accounts.issue("ann", "session", seconds=3600 + i) for i in range(MAX_TOKENS + 2)]
    assert [accounts.find(token) is None for token in sessions[:3]] == [True, True, False]
    assert accounts.find(tokens[0]) is not None
    assert accounts.has_token("ann", accounts.find(tokens[0]).digest)  # type: ignore[union-attr]
    accounts.remove_user("ann")
    assert accounts.find(tokens[0]) is None


def test_requests_that_wait_for_an_event_have_a_limit(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", "--timeout", "4", cwd=tmp_path) as program:
        headers = {"Authorization": f"Bearer {program.make_token()}"}

        async def ask_all() -> list[int]:
            limits = httpx.Limits(max_connections=None)
            async with httpx.AsyncClient(base_url=program.url, headers=headers, limits=limits, timeout=30) as client:
                message = {"text": "good", "after": 10**6}
                asked = (client.post("/api/models/reviews/classify", json=message) for _ in range(70))
                return [answer.status_code for answer in await asyncio.gather(*asked)]

        statuses = asyncio.run(ask_all())
        assert {status: statuses.count(status) for status in set(statuses)} == {409: 64, 429: 6}


def connect(url: str) -> socket.socket:
    host, port = url.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=20)


def send_head(program: Any, token: str, path: str, length: int) -> socket.socket:
    connection = connect(program.url)
    host, port = connection.getpeername()
    names = f"Host: {host}:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: text/csv\r\nContent-Length: {length}\r\n"
    connection.sendall(f"POST {path} HTTP/1.1\r\n{names}\r\n".encode())
    return connection


def test_slow_files_do_not_hold_up_others(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", cwd=tmp_path) as program, ExitStack() as opened:
        token, refused = program.make_token(), list[socket.socket]()
        slow = [send_head(program, token, f"/api/models/reviews/pools?name=slow{i}", 100_000) for i in range(40)]
        for each in slow:
            opened.enter_context(each).sendall(b"text\n")
        while len(refused) < 36:
            (found, _, _) = select.select([each for each in slow if each not in refused], [], [], 20)
            assert all(b"HTTP/1.1 429" in each.recv(12) for each in found)
            refused += found
        assert program.post("classify", {"text": "good"}).status_code == 200
        assert program.post("learn", {"documents": [{"text": "so fine", "label": "pos"}]}).status_code == 200
        assert program.client.get("/ready").status_code == 200


STUCK = """
import sys, threading
from tercet.server import served_model, start
from tercet.cli.main import main
stuck = threading.Event()
served_model.ServedModel.check_ready = lambda self: stuck.wait()
sys.argv = ["tercet", "serve", "reviews.tercet", "--port", "0"]
start.END_SECONDS, start.ANSWER_SECONDS = 6, 1
main()
"""


@contextmanager
def start_stuck(program: str, folder: Path) -> Iterator[tuple["subprocess.Popen[str]", str]]:
    """A server that gets stuck, and its link."""
    with subprocess.Popen([sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def test_a_signal_ends_a_server_whose_threads_are_stuck(tmp_path: Path) -> None:
    write_model(tmp_path)
    with start_stuck(STUCK, tmp_path) as (process, link), connect(link.partition("/#")[0]) as connection:
        host, port = connection.getpeername()
        connection.sendall(f"GET /ready HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_a_signal_ends_a_server_whose_loop_is_stuck(tmp_path: Path) -> None:
    write_model(tmp_path)
    stuck = STUCK.replace("check_ready", "has_event").replace("lambda self:", "lambda self, number:")
    with start_stuck(stuck, tmp_path) as (process, link):
        url, _, token = link.partition("/#token=")
        with httpx.Client(base_url=url, timeout=60) as client:
            headers = {"X-CSRF-Token": client.post("/api/session", json={"token": token}).json()["csrf"]}
            message = {"text": "a", "after": 3}
            with pytest.raises(httpx.TransportError):
                client.post("/api/models/reviews/classify", json=message, headers=headers, timeout=1)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == -signal.SIGALRM


def test_a_client_that_reads_nothing_is_given_up(tmp_path: Path) -> None:
    write_model(tmp_path)
    hurried = STUCK.replace("stuck.wait()", "None").replace("start.END_S", "start.UNREAD_SECONDS = 0.5; start.END_S")
    with start_stuck(hurried, tmp_path) as (_, link):
        url, _, token = link.partition("/#token=")
        with httpx.Client(base_url=url, timeout=60) as client, connect(url) as connection:
            headers = {"X-CSRF-Token": client.post("/api/session", json={"token": token}).json()["csrf"]}
            own = client.post("/api/tokens", json={}, headers=headers).json()["token"]
            body = b'{"texts": [%s]}' % b",".join([b'"good"'] * 10_000)
            host, port = connection.getpeername()
            names = f"Host: {host}:{port}\r\nAuthorization: Bearer {own}\r\nContent-Type: application/json\r\n"
            head = f"POST /api/models/reviews/classify HTTP/1.1\r\n{names}Content-Length: {len(body)}\r\n\r\n"
            with pytest.raises(ConnectionError):
                connection.sendall(1000 * (head.encode() + body))  # more answers than the system keeps for a client
            assert client.get("/health").status_code == 200


def test_a_request_of_very_many_values_is_refused_before_it_is_read(served: Served) -> None:
    headers = {"Content-Type": "application/json"}
    for path, body in (
        ("/api/models/reviews/classify", b'{"documents":[' + b"{}," * 400_000 + b"{}]}"),
        ("/api/models/reviews/classify", b'{"texts":[' + b'"",' * 400_000 + b'""]}'),
        ("/api/certificates/check", b'{"certificate":{"a":[' + b"[]," * 400_000 + b"[]]}}"),
    ):
        refused = served("POST", path, content=body, headers=headers)
        assert refused.status_code == 413
        assert "more than 400000 values" in refused.json()["error"]["message"]
    text = '{[,"' * 200_000  # inside of a string they are no values
    assert served.post("classify", {"text": text}).status_code == 200


@pytest.mark.parametrize(
    ("message", "is_short"),
    [
        ({"text": "good"}, True),
        ({"texts": ["good"] * 16}, True),
        ({"texts": [""] * 17}, False),
        ({"text": "a" * 20_000}, False),
        ({"documents": [{"text": "a" * 20_000}]}, False),
    ],
)
def test_only_what_takes_a_moment_is_answered_in_the_thread_of_all_requests(
    served: Served, monkeypatch: pytest.MonkeyPatch, message: Any, is_short: bool
) -> None:
    worked, work = [], Call.work

    async def note(call: Call, function: Callable[[], Any]) -> Any:
        worked.append(function)
        return await work(call, function)

    monkeypatch.setattr(Call, "work", note)
    assert served.post("classify", message).status_code == 200
    assert bool(worked) != is_short


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_a_refused_request_leaves_nothing_in_memory(tmp_path: Path) -> None:
    write_model(tmp_path)
    with serve_apart("reviews.tercet", cwd=tmp_path) as program:
        before = measure_memory(program.process.pid)
        for end in (b"", b'"}'):  # not complete; a token that is wrong
            for _ in range(10):
                body, headers = b'{"token":"' + b"x" * 15_000_000 + end, {"Content-Type": "application/json"}
                assert program.client.post("/api/session", content=body, headers=headers).status_code == (401 if end else 400)
        assert measure_memory(program.process.pid) < before + 100_000_000


def measure_memory(process: int) -> int:
    """The bytes of a process."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return 1024 * int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


def test_a_long_name_is_compared_with_nothing() -> None:
    assert suggest("reviews" * 1_000_000, ["reviews"]) == ""


def test_the_confusions_of_very_many_labels_are_those_of_the_most_frequent() -> None:
    labels = [f"label {i:05}" for i in range(3000)]
    confusion = Confusion.of([*labels, *labels[:10]], [*labels[1:], labels[0], *labels[:10]])
    found = describe_confusion(confusion)
    assert len(found.labels) == len(found.cells) == 200
    assert set(labels[:10]) <= set(found.labels)
    assert found.cells[0][:2] == [1, 1]
    few = Confusion.of(["a", "b", "b"], ["a", "a", "b"])
    assert describe_confusion(few) == ConfusionFacts(few.labels.tolist(), few.counts.astype(int).tolist())


def test_short_answers_wait_for_a_change_in_another_thread(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []
    monkeypatch.setattr(LiveModel, "try_answer", lambda *_: None)  # as if the model were changing

    def note(live: LiveModel, function: Callable[[Any], Any]) -> Any:
        threads.append(threading.current_thread().name)
        with live._changing:
            return LiveAnswer(function(live.model), live.number, None, is_trained=True)

    monkeypatch.setattr(LiveModel, "answer", note)
    assert served.post("classify", {"text": "good"}).json()["answers"][0]["label"] == "pos"
    assert [name.split()[0] for name in threads] == ["answers"]


def test_a_batch_is_classified_in_parts(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, answer = [], LiveModel.answer
    texts = [f"so good {i}" for i in range(1100)] + ["so bad"]

    def note(live: LiveModel, function: Callable[[Any], Any]) -> Any:
        found = answer(live, function)
        sizes.append(len(found.result))
        return found

    monkeypatch.setattr(LiveModel, "answer", note)
    labels = [each["label"] for each in served.post("classify", {"texts": texts}).json()["answers"]]
    assert (labels, sizes) == (["pos"] * 1100 + ["neg"], [500, 500, 101])


def test_lists_of_texts_have_a_largest_size(served: Served) -> None:
    long = "so good " * 30_000
    for i in range(3):
        served.post("learn", {"documents": [{"text": f"{i} {long}", "label": "pos"}]}, role="teacher")
    events = served.post("history", {"limit": 1000}).json()["events"]
    assert all(len(str(event["content"])) < 5000 for event in events)
    cut = next(event for event in events if event["verb"] == "learn")
    assert cut["content"]["text"].endswith(f"(cut: the text has {len(long) + 2} characters)")
    whole = served("GET", f"/api/models/reviews/history/{cut['number']}").json()
    assert whole["content"]["text"] == f"2 {long}"
