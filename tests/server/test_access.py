"""Who gets in: every operation with every role and with every bad token; addresses, forged requests, log-ins."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.servers import PASSWORD, ROLES, Served, serve_here

from tercet.server.accounts import Accounts
from tercet.server.addresses import Address
from tercet.server.calls import Operation
from tercet.server.routes import OPERATIONS

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


@pytest.mark.parametrize(
    ("failed", "held_up", "free"),
    [
        ([(f"user {i}", "10.0.0.1") for i in range(50)], ("teacher", "10.0.0.1"), ("teacher", "10.0.1.1")),
        ([("teacher", f"10.0.0.{i}") for i in range(100)], ("teacher", "10.0.1.1"), ("admin", "10.0.1.1")),
    ],
    ids=["50 from an address", "100 as a name"],
)
def test_failed_log_ins_are_counted_by_address_and_by_name(
    failed: list[tuple[str, str]],
    held_up: tuple[str, str],
    free: tuple[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tercet.server.accounts.is_password", lambda password, _: password == PASSWORD)  # hashing takes long
    with serve_here(tmp_path, proxies=("127.0.0.1",)) as served:
        assert [log_in_from(served, *guess, "a wrong guess") for guess in failed] == [401] * len(failed)
        assert log_in_from(served, *held_up, PASSWORD) == 429
        assert log_in_from(served, *free, "a wrong guess") == 401


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
