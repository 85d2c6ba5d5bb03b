"""Who gets in: every operation with every role and with every bad token; addresses, forged requests, log-ins."""

import asyncio
import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import helpers.postgresql as postgresql
import httpx
import pytest
from helpers.servers import PASSWORD, ROLES, Served, serve_here, write_users

from tercet.errors import BadAccounts
from tercet.server.accounts import MAX_ADDRESSES, Accounts, Attempt, Failures
from tercet.server.addresses import Address
from tercet.server.calls import Operation
from tercet.server.log_ins import MAX_SECONDS, LogIns
from tercet.server.problems import Problem
from tercet.server.routes import OPERATIONS
from tercet.server.threads import Threads

pytestmark = pytest.mark.server

PATHS = {"{model}": "reviews", "{event:int}": "7", "{id}": "0123456789abcdef"}
IDS = [f"{each.method} {each.path}" for each in OPERATIONS]


@pytest.fixture(autouse=True)
def short_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client of these tests reads an answer to its end."""
    monkeypatch.setattr("tercet.server.progress.LIFE_SECONDS", 0.05)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve_here(tmp_path_factory.mktemp("served")) as server:
        yield server


def name_path(operation: Operation) -> str:
    return re.sub(r"{[^}]*}", lambda found: PATHS[found[0]], operation.path)


def send(served: Served, operation: Operation, headers: dict[str, str], **more: Any) -> httpx.Response:
    """A request with an empty message: who gets in is told that it is wrong, and nothing happens."""
    served.client.cookies.clear()
    given: dict[str, Any] = {"json": {"x": 1}} if operation.takes is not None else {}
    return served.client.request(operation.method, name_path(operation), headers=headers, **given, **more)


def refused(answer: httpx.Response) -> str:
    """The code of the error, if the answer is one."""
    return str(answer.json()["error"]["code"]) if answer.status_code >= 400 else ""


@pytest.mark.parametrize("operation", OPERATIONS, ids=IDS)
@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_do_what_the_table_says(served: Served, operation: Operation, role: str) -> None:
    if operation.method == "DELETE" and operation.path == "/api/session":
        pytest.skip("the token would be gone")
    answer = send(served, operation, {"Authorization": f"Bearer {served.tokens[role]}"})
    is_allowed = operation.role is None or ROLES.index(role) >= ROLES.index(operation.role)
    if is_allowed:
        assert answer.status_code not in (401, 403)
    else:
        assert (answer.status_code, refused(answer)) == (403, "not_allowed")


WRONG = {
    "no token": lambda served: {},
    "a wrong token": lambda served: {"Authorization": "Bearer x" + served.tokens["admin"][1:]},
    "an empty token": lambda served: {"Authorization": "Bearer "},
    "another scheme": lambda served: {"Authorization": "Basic " + served.tokens["admin"]},
    "an expired token": lambda served: {"Authorization": f"Bearer {served.accounts.issue('admin', 'token', seconds=-1)}"},
    "a session as a token": lambda served: {"Authorization": f"Bearer {served.accounts.issue('admin', 'session', seconds=9)}"},
    "a link as a token": lambda served: {"Authorization": f"Bearer {served.accounts.issue('admin', 'link', seconds=9)}"},
    "a token as a cookie": lambda served: {"Cookie": f"tercet-8420={served.tokens['admin']}"},
    "a wrong cookie": lambda served: {"Cookie": "tercet-8420=x"},
}


@pytest.mark.parametrize(
    "operation", [each for each in OPERATIONS if each.role], ids=[i for i, o in zip(IDS, OPERATIONS, strict=True) if o.role]
)
@pytest.mark.parametrize("what", WRONG)
def test_nobody_gets_in_without_a_good_token(served: Served, operation: Operation, what: str) -> None:
    answer = send(served, operation, WRONG[what](served))
    assert (answer.status_code, refused(answer)) == (401, "who_are_you")
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.parametrize(
    "path", [*(name_path(each) for each in OPERATIONS), "/", "/docs", "/openapi.json", "/pages/style.css", "/nothing"]
)
def test_another_host_or_origin_is_refused_everywhere(served: Served, path: str) -> None:
    good = {"Authorization": f"Bearer {served.tokens['admin']}"}
    for method in ("GET", "POST", "OPTIONS"):
        for host in (
            "evil.example",
            "127.0.0.1",
            "127.0.0.1:8421",
            "localhost.evil.example:8420",
            "",
            "127.0.0.1:8420.evil.example",
        ):
            answer = served.client.request(method, path, headers=good | {"Host": host})
            assert (answer.status_code, refused(answer)) == (421, "wrong_host")
        for origin in ("https://evil.example", "null", "http://127.0.0.1:8421", "https://127.0.0.1:8420", "http://localhost"):
            answer = served.client.request(method, path, headers=good | {"Origin": origin})
            assert (answer.status_code, refused(answer)) == (403, "wrong_origin")


def test_pages_of_other_ports_are_refused(served: Served) -> None:
    good = {"Authorization": f"Bearer {served.tokens['admin']}"}
    for site, status in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403)):
        assert served.client.get("/api/models", headers=good | {"Sec-Fetch-Site": site}).status_code == status


# Sessions.


def log_in(served: Served, **message: str) -> httpx.Response:
    served.client.cookies.clear()
    return served.client.post("/api/session", json=message)


def test_a_link_becomes_a_cookie_that_scripts_of_pages_cannot_read(served: Served) -> None:
    answer = log_in(served, token=served.accounts.issue("teacher", "link", seconds=60))
    assert (answer.json()["name"], answer.json()["role"]) == ("teacher", "teacher")
    cookie = answer.headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=strict", "path=/", "max-age=43200"))
    assert served.client.get("/api/session").json() == answer.json()
    assert served.client.get("/api/models").status_code == 200


def test_a_change_with_the_cookie_needs_the_csrf_token(served: Served) -> None:
    csrf = log_in(served, token=served.accounts.issue("admin", "link", seconds=60)).json()["csrf"]
    path, message = "/api/models/reviews/classify", {"text": "good"}
    for headers, status in (({}, 403), ({"X-CSRF-Token": "x"}, 403), ({"X-CSRF-Token": csrf}, 200)):
        assert served.client.post(path, json=message, headers=headers).status_code == status


def test_each_log_in_gives_a_new_session(served: Served) -> None:
    planted = "planted-by-somebody"
    served.client.cookies.clear()
    served.client.cookies.set("tercet-8420", planted)
    answer = served.client.post("/api/session", json={"name": "teacher", "password": PASSWORD})
    assert planted not in answer.headers["set-cookie"]
    first = answer.json()["csrf"]
    assert log_in(served, name="teacher", password=PASSWORD).json()["csrf"] != first
    assert served.accounts.find(planted) is None


def test_log_out_ends_the_session(served: Served) -> None:
    csrf = log_in(served, token=served.accounts.issue("admin", "link", seconds=60)).json()["csrf"]
    cookie = served.client.cookies["tercet-8420"]
    assert served.client.delete("/api/session", headers={"X-CSRF-Token": csrf}).status_code == 204
    served.client.cookies.set("tercet-8420", cookie)
    assert served.client.get("/api/session").status_code == 401


def test_a_session_does_not_open_another_one(served: Served) -> None:
    session = served.accounts.issue("admin", "session", seconds=60)
    assert log_in(served, token=session).status_code == 401


def test_revoked_tokens_and_removed_users_are_out_after_a_second(served: Served) -> None:
    served.accounts.add_user("guest", "admin", None)
    token = served.accounts.issue("guest", "token", seconds=60)
    headers = {"Authorization": f"Bearer {token}"}
    served.client.cookies.clear()
    assert served.client.get("/api/session", headers=headers).json()["role"] == "admin"
    served.accounts.change_user("guest", role="reader")
    time.sleep(1.05)
    assert served.client.get("/api/session", headers=headers).status_code == 401  # all tokens end with the role
    token = served.accounts.issue("guest", "token", seconds=60)
    headers = {"Authorization": f"Bearer {token}"}
    made = served.client.post("/api/tokens", json={"note": "robot"}, headers=headers).json()
    own = {"Authorization": f"Bearer {made['token']}"}
    assert served.client.get("/api/session", headers=own).status_code == 200
    assert served.client.delete(f"/api/tokens/{made['id']}", headers=headers).status_code == 204
    assert served.client.get("/api/session", headers=own).status_code == 401  # at once in the process that revoked it
    served.accounts.remove_user("guest")
    time.sleep(1.05)
    assert served.client.get("/api/session", headers=headers).status_code == 401


def test_nobody_makes_a_token_with_a_higher_role(served: Served) -> None:
    for role, wanted, status in (
        ("reader", "admin", 403),
        ("teacher", "admin", 403),
        ("teacher", "reader", 201),
        ("admin", "boss", 422),
    ):
        assert served("POST", "/api/tokens", {"role": wanted}, role=role).status_code == status
    # A token of an admin with the role of a reader does not grow either.
    weak = served.accounts.issue("admin", "token", seconds=60, role="reader")
    headers = {"Authorization": f"Bearer {weak}"}
    assert served.client.post("/api/tokens", json={"role": "admin"}, headers=headers).status_code == 403
    assert served.client.post("/api/tokens", json={}, headers=headers).status_code == 201


def test_passwords_cannot_be_tried_for_ever(tmp_path: Path) -> None:
    with serve_here(tmp_path) as served:
        codes = [log_in(served, name="teacher", password=f"wrong guess {i}").status_code for i in range(11)]
        assert codes == [401] * 10 + [429]
        assert log_in(served, name="teacher", password=PASSWORD).status_code == 429  # also with the right one
        assert log_in(served, name="nobody", password=PASSWORD).status_code == 401
        assert served("GET", "/api/session", role="teacher").status_code == 200  # programs go on


def log_in_from(served: Served, name: str, address: str, password: str) -> int:
    """The status of a log-in that comes through a proxy, from a computer with this address."""
    message, headers = {"name": name, "password": password}, {"X-Forwarded-For": address}
    return int(served.client.post("/api/session", json=message, headers=headers).status_code)


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that log-ins would have waited. Passwords are compared at once: hashing takes long."""
    seconds: list[float] = []

    async def note(self: LogIns, wait: float, client: str) -> None:
        seconds.append(wait)

    monkeypatch.setattr(LogIns, "_wait", note)
    monkeypatch.setattr("tercet.server.accounts.is_password", lambda password, _: password == PASSWORD)
    return seconds


def test_an_address_that_guesses_many_names_is_refused_but_not_where_a_name_is_known(
    tmp_path: Path, waits: list[float]
) -> None:
    with serve_here(tmp_path, proxies=("127.0.0.1",)) as served:
        assert log_in_from(served, "teacher", "10.0.0.1", PASSWORD) == 200
        guesses = [log_in_from(served, f"user {i}", "10.0.0.1", "a wrong guess") for i in range(51)]
        assert guesses == [401] * 50 + [429]
        assert log_in_from(served, "teacher", "10.0.0.1", PASSWORD) == 200
        assert log_in_from(served, "admin", "10.0.0.2", "a wrong guess") == 401


def test_guesses_from_many_addresses_lock_nobody_out(tmp_path: Path, waits: list[float]) -> None:
    with serve_here(tmp_path, proxies=("127.0.0.1",)) as served:
        assert log_in_from(served, "teacher", "10.0.9.9", PASSWORD) == 200
        guesses = [log_in_from(served, "teacher", f"10.0.0.{i % 12}", "a wrong guess") for i in range(132)]
        assert (guesses.count(401), guesses.count(429)) == (120, 12)
        waits.clear()
        assert log_in_from(served, "teacher", "10.0.9.9", PASSWORD) == 200
        assert waits == []  # known: at once
        assert log_in_from(served, "teacher", "10.0.8.8", PASSWORD) == 200
        assert waits == [MAX_SECONDS]  # new: slower, but not refused
        assert log_in_from(served, "teacher", "10.0.8.8", PASSWORD) == 200
        assert waits == [MAX_SECONDS]  # known from now on
        assert log_in_from(served, "nobody", "10.0.8.8", "a wrong guess") == 401
        assert waits == [MAX_SECONDS, 0.0]


def test_a_known_address_is_refused_after_its_own_failures_only(tmp_path: Path, waits: list[float]) -> None:
    with serve_here(tmp_path, proxies=("127.0.0.1",)) as served:
        assert log_in_from(served, "teacher", "10.0.9.9", PASSWORD) == 200
        assert [log_in_from(served, "teacher", "10.0.9.9", "a wrong guess") for _ in range(11)] == [401] * 10 + [429]
        assert log_in_from(served, "teacher", "10.0.9.9", PASSWORD) == 429


def test_addresses_of_one_ipv6_network_count_as_one(tmp_path: Path, waits: list[float]) -> None:
    with serve_here(tmp_path, proxies=("127.0.0.1",)) as served:
        guesses = [log_in_from(served, "teacher", f"[2001:db8:1:2::{i}]:443", "a wrong guess") for i in range(11)]
        assert guesses == [401] * 10 + [429]
        assert log_in_from(served, "teacher", "2001:db8:1:3::1", "a wrong guess") == 401


def test_log_ins_that_wait_are_few_for_each_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    log_ins = LogIns(write_users(tmp_path), Threads())

    async def wait_often() -> list[object]:
        waiting = [log_ins._wait(0.01, client) for client in ["10.0.0.1"] * 7 + ["10.0.0.2"]]
        return await asyncio.gather(*waiting, return_exceptions=True)

    found = asyncio.run(wait_often())
    assert [isinstance(each, Problem) for each in found] == [False] * 5 + [True] * 2 + [False]
    assert not log_ins._waiting


def guess_at_once(location: str) -> Counter[int]:
    """The statuses of 24 guesses of a password, each by a server of its own."""

    def guess(_: int) -> int:
        try:
            found = LogIns(Accounts(location), Threads())._try("teacher", "a wrong guess", "10.0.0.1")
        except Problem as problem:
            return problem.status
        return 401 if found is None else 200

    with ThreadPoolExecutor(8) as threads:
        return Counter(threads.map(guess, range(24)))


def test_processes_together_allow_no_more_guesses_than_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.accounts.is_password", lambda password, _: password == PASSWORD)
    assert guess_at_once(write_users(tmp_path).location) == {401: 10, 429: 14}


@pytest.mark.skipif(bool(postgresql.explain_missing()), reason=postgresql.explain_missing())
def test_log_ins_are_limited_in_postgresql_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tercet.server.accounts.is_password", lambda password, _: password == PASSWORD)
    with postgresql.start_server() as url:
        accounts = Accounts(postgresql.make_schema(url), new=True)
        accounts.add_user("teacher", "teacher", PASSWORD)
        assert guess_at_once(accounts.location) == {401: 10, 429: 14}
        assert LogIns(accounts, Threads())._try("teacher", PASSWORD, "10.0.0.2") is not None
        assert accounts.count_failures("teacher", "10.0.0.2") == Failures(True, 0, 0, 10)
        assert not accounts.count_failures("teacher", "10.0.0.3").is_known


def test_known_addresses_are_kept_as_hashes_and_are_limited(tmp_path: Path) -> None:
    accounts = write_users(tmp_path)
    for i in range(MAX_ADDRESSES + 1):
        accounts.accept_attempt(Attempt("teacher", f"10.0.0.{i}", time.time() + i))
    known = [accounts.count_failures("teacher", f"10.0.0.{i}").is_known for i in range(MAX_ADDRESSES + 1)]
    assert known == [False] + [True] * MAX_ADDRESSES
    assert not accounts.count_failures("admin", "10.0.0.5").is_known
    assert b"10.0.0." not in Path(accounts.location).read_bytes()
    accounts.change_user("teacher", password="another password")
    assert not accounts.count_failures("teacher", "10.0.0.5").is_known


def test_users_of_an_older_version_get_the_new_tables_and_other_files_do_not(tmp_path: Path) -> None:
    accounts = write_users(tmp_path)
    with closing(sqlite3.connect(accounts.location)) as older:
        older.execute("DROP TABLE tercet_addresses")
        older.commit()
    assert not Accounts(accounts.location).count_failures("teacher", "10.0.0.1").is_known
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as made:
        made.execute("CREATE TABLE something (x)")
        made.commit()
    before = other.read_bytes()
    with pytest.raises(BadAccounts, match="has no users"):
        Accounts(other)
    assert other.read_bytes() == before


@pytest.mark.parametrize(
    "path",
    [
        "/../etc/passwd",
        "/pages/../app.py",
        "/pages/..%2fapp.py",
        "/pages/%2e%2e/app.py",
        "/pages//etc/passwd",
        "/api/models/..%2f..%2fetc%2fpasswd",
        "/api/models/%00",
    ],
)
def test_no_path_leads_to_a_file(served: Served, path: str) -> None:
    answer = served("GET", path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_no_header_can_be_planted(served: Served) -> None:
    for value in ("a\r\nX-Evil: 1", "a\nSet-Cookie: x=1"):
        answer = served("GET", "/api/models/" + value.replace("\r", "%0d").replace("\n", "%0a").replace(" ", "%20"))
        assert "x-evil" not in answer.headers
        assert answer.status_code == 404


def test_every_answer_has_the_headers_that_protect_browsers(served: Served) -> None:
    for path in ("/", "/health", "/api/models", "/nothing"):
        headers = served.client.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert "access-control-allow-origin" not in headers
        assert "server" not in headers


# Addresses.


def test_a_prefix_and_a_public_name_work(tmp_path: Path) -> None:
    with serve_here(tmp_path, address=Address.public("https://tercet.example/reviews")) as served:
        good = {"Host": "tercet.example"}
        assert served("GET", "/reviews/api/models", headers=good).status_code == 200
        assert served("GET", "/api/models", headers=good).status_code == 200  # a proxy may take the prefix off
        assert served("GET", "/reviews/api/models").status_code == 421
        answer = served.client.post(
            "/reviews/api/session", json={"token": served.accounts.issue("admin", "link", seconds=9)}, headers=good
        )
        assert "path=/reviews" in answer.headers["set-cookie"].lower()
        assert "secure" in answer.headers["set-cookie"].lower()
        assert served.client.get("/reviews/openapi.json", headers=good).json()["servers"] == [{"url": "/reviews"}]


@pytest.mark.parametrize(
    ("proxies", "header", "expected"),
    [
        ((), "1.2.3.4", "testclient"),
        (("10.0.0.1",), "1.2.3.4", "testclient"),
    ],
)
def test_forwarded_headers_count_only_from_named_proxies(
    tmp_path: Path, proxies: tuple[str, ...], header: str, expected: str
) -> None:
    from starlette.datastructures import Headers

    from tercet.server.addresses import read_network, resolve_client

    networks = [read_network(proxy) for proxy in proxies]
    headers = Headers({"x-forwarded-for": header})
    assert resolve_client({"client": ("testclient", 1)}, headers, networks) == expected
    near = [read_network("10.0.0.0/8")]
    chain = Headers({"x-forwarded-for": "6.6.6.6, 1.2.3.4, 10.0.0.7"})
    assert resolve_client({"client": ("10.0.0.1", 1)}, chain, near) == "1.2.3.4"  # what the client itself wrote does not count
    assert resolve_client({"client": ("9.9.9.9", 1)}, chain, near) == "9.9.9.9"
    assert resolve_client({"client": ("10.0.0.1", 1)}, Headers({"x-forwarded-for": "nonsense"}), near) == "nonsense"


def test_texts_and_tokens_are_in_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tercet.categorizer.categorizer import Categorizer

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret text stands in this message")

    with serve_here(tmp_path) as served:
        monkeypatch.setattr(Categorizer, "rank_labels", fail)
        answer = served.post("classify", {"text": "the secret text"})
        assert (answer.status_code, refused(answer)) == (500, "bug")
        assert "RuntimeError" in caplog.text
        assert "secret" not in caplog.text
        assert "secret" not in answer.text
        assert served.tokens["admin"] not in caplog.text


# Users.


def test_passwords_and_tokens_are_kept_as_hashes(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path / "team.users", new=True)
    accounts.add_user("ann", "admin", "a secret password")
    token = accounts.issue("ann", "token", seconds=60, note="robot")
    content = (tmp_path / "team.users").read_bytes()
    assert b"secret" not in content
    assert token.encode() not in content
    assert (tmp_path / "team.users").stat().st_mode & 0o077 == 0
    (listed,) = accounts.list_tokens("ann")
    assert (listed.kind, listed.note, listed.role) == ("token", "robot", "admin")
    assert accounts.check_password("ann", "a secret password") is not None
    assert accounts.check_password("ann", "a secret passwor") is None
    assert accounts.check_password("nobody", "a secret password") is None
    accounts.change_user("ann", password="another password")
    assert accounts.find(token) is None
    assert accounts.check_password("ann", "a secret password") is None
