"""Who is asking, and may they? Tokens of programs, cookies of browsers, roles, and protection against forged requests."""

import hashlib
import hmac
import time
from collections import OrderedDict
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from tercet.server.accounts import ROLES, SESSION_SECONDS, Accounts
from tercet.server.addresses import Address
from tercet.server.limits import Rates
from tercet.server.log_ins import LogIns
from tercet.server.problems import Problem
from tercet.server.threads import Threads

TRUST_SECONDS = 1.0  # how long a token is not looked up again: a revoked token works for a second at most
MAX_TRUSTED = 10_000
SAFE = ("GET", "HEAD")


@dataclass(frozen=True)
class Identity:
    """Who is asking: name, role, and the token that says so. `csrf` is None unless the token came in a cookie."""

    name: str
    role: str
    kind: str
    digest: str
    csrf: str | None = None

    def has_role(self, role: str) -> bool:
        """Whether this person may do what somebody with this role may do."""
        return ROLES.index(self.role) >= ROLES.index(role)

    def check(self, role: str, method: str, headers: Headers) -> None:
        """Raise a Problem if the role is not enough, or if a page of somebody else may have forged the request."""
        if not self.has_role(role):
            raise Problem(403, "not_allowed", f"this needs the role {role}, and {self.name!r} has the role {self.role}.")
        if self.csrf is not None and method not in SAFE:
            sent = headers.get("x-csrf-token", "")
            if not hmac.compare_digest(sent.encode(), self.csrf.encode()):
                raise Problem(403, "forged", "the header X-CSRF-Token is missing or wrong: GET /api/session tells its value.")


class Access:
    """The tokens that are known, with a short memory so that not each request asks the database."""

    def __init__(self, accounts: Accounts, address: Address, port: int, rates: Rates, threads: Threads) -> None:
        self.accounts, self.address, self.rates, self.threads = accounts, address, rates, threads
        # Cookies do not know ports: servers on one computer need different names.
        self.cookie = f"__Host-tercet-{port}" if address.is_secure and not address.prefix else f"tercet-{port}"
        self._trusted: OrderedDict[str, tuple[Identity, float]] = OrderedDict()
        self._checked: OrderedDict[str, tuple[bool, float]] = OrderedDict()  # whether the token of a stream is good, until when
        self.log_ins = LogIns(accounts, threads)

    async def identify(self, headers: Headers, client: str) -> Identity | None:
        """Who sends a request with these headers; None if nobody that is known. Raises a Problem if somebody asks too often."""
        sent = headers.get("authorization")
        if sent is not None:
            kind, _, token = sent.partition(" ")
            token, is_cookie = token.strip() if kind.lower() == "bearer" else "", False
        else:
            token, is_cookie = cookie_parser(headers.get("cookie", "")).get(self.cookie, ""), True
        key, now = f"{is_cookie} {token}", time.monotonic()
        known, until = self._trusted.get(key, (None, 0.0))
        if known is not None and until > now:
            self._check_rate(f"user {known.name}")
            return known
        self._check_rate(f"address {client}")  # before the database is asked: anybody can send any token
        identity = await self.threads.identity.run(lambda: self._look_up(token, is_cookie), client) if token else None
        if identity is not None:
            self._trusted[key] = (identity, now + TRUST_SECONDS)
            self._trusted.move_to_end(key)
            if len(self._trusted) > MAX_TRUSTED:
                self._trusted.popitem(last=False)
        return identity

    def _check_rate(self, who: str) -> None:
        seconds = self.rates.wait(who)
        if seconds:
            headers = {"Retry-After": str(int(seconds) + 1)}
            raise Problem(429, "too_many_requests", "too many requests: wait a moment.", headers)

    async def is_trusted(self, identity: Identity) -> bool:
        """Whether the token of somebody is still good. All streams with this token ask the database once in a second."""
        known = self._checked.get(identity.digest)
        if known is not None and known[1] > time.monotonic():
            return known[0]
        is_good = await self.threads.identity.run(
            lambda: self.accounts.has_token(identity.name, identity.digest), identity.name
        )
        self._checked[identity.digest] = is_good, time.monotonic() + TRUST_SECONDS
        self._checked.move_to_end(identity.digest)
        if len(self._checked) > MAX_TRUSTED:
            self._checked.popitem(last=False)
        return is_good

    def _look_up(self, token: str, is_cookie: bool) -> Identity | None:
        known = self.accounts.find(token)
        # A cookie is a session, and a session is only good as a cookie. So neither can be used to make the other.
        if known is None or (known.kind == "session") != is_cookie or known.kind == "link":
            return None
        return Identity(known.owner, known.role, known.kind, known.digest, derive_csrf(token) if is_cookie else None)

    async def log_in(self, user: str, role: str | None, response: Response) -> str:
        """Begin a session: a new token goes into the cookie of the response. Returns its CSRF token."""
        token = await self.threads.identity.run(
            lambda: self.accounts.issue(user, "session", seconds=SESSION_SECONDS, role=role), user
        )
        response.set_cookie(
            self.cookie,
            token,
            max_age=int(SESSION_SECONDS),
            path=self.address.prefix or "/",
            secure=self.address.is_secure,
            httponly=True,
            samesite="strict",
        )
        return derive_csrf(token)

    async def log_out(self, identity: Identity, response: Response) -> None:
        """End the session of a cookie."""
        await self.threads.identity.run(lambda: self.accounts.revoke(identity.name, identity.digest[:16]), identity.name)
        self.forget()
        response.delete_cookie(
            self.cookie, path=self.address.prefix or "/", secure=self.address.is_secure, httponly=True, samesite="strict"
        )

    def forget(self) -> None:
        """Look up all tokens again."""
        self._trusted.clear()
        self._checked.clear()


def derive_csrf(token: str) -> str:
    """The CSRF token of a session. Who does not have the cookie can't work it out."""
    return hmac.new(token.encode(), b"csrf", hashlib.sha256).hexdigest()


class Identify:
    """The middleware that finds out who is asking, and refuses clients that ask too often."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self.app, self.access = app, access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            state = scope["state"]
            state["identity"] = await self.access.identify(Headers(scope=scope), state["client"])
        await self.app(scope, receive, send)
