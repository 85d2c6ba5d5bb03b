"""Log in and out, and tokens for programs."""

from collections.abc import Callable
from typing import Any, TypeVar

from starlette.responses import Response

from tercet.errors import InvalidOption
from tercet.server.calls import WANTED, Call, encoder
from tercet.server.messages import IssuedToken, LogIn, NewToken, Session, TokenFacts, Tokens
from tercet.server.problems import Problem

Result = TypeVar("Result")
DAY_SECONDS = 86400.0


async def log_in(call: Call, message: LogIn) -> Any:
    """Begin a session. The answer sets a cookie."""
    access, response = call.service.access, Response(media_type="application/json")
    if message.token is not None:
        known = await run_identity(call, lambda: access.accounts.find(message.token or ""))
        found = None if known is None or known.kind == "session" else (known.owner, known.role)
    elif message.name is not None and message.password is not None:
        user = await access.log_ins.check(message.name, message.password, call.client)
        found = None if user is None else (user.name, user.role)
    else:
        raise InvalidOption("send a token, or a name and a password.")
    if found is None:
        raise Problem(401, "wrong_password", "the name, the password or the token is wrong, or expired.", WANTED)
    name, role = found
    csrf = await access.log_in(name, role, response)
    response.body = encoder.encode(Session(name, role, csrf))
    response.headers["content-length"] = str(len(response.body))
    return response


async def run_identity(call: Call, function: Callable[[], Result]) -> Result:
    """Ask the database of users, beside everything else that the server does."""
    return await call.service.threads.identity.run(function, call.user)


async def who_am_i(call: Call) -> Any:
    """Who is asking, with which role."""
    identity = call.identity
    return Session(identity.name, identity.role, identity.csrf)


async def log_out(call: Call) -> Any:
    """End the session of the cookie, or revoke the token."""
    response = Response(status_code=204)
    await call.service.access.log_out(call.identity, response)
    return response


async def make_token(call: Call, message: NewToken) -> Any:
    """Make a token for a program, which sends it in the header `Authorization: Bearer`. It is shown once."""
    identity, accounts = call.identity, call.service.access.accounts
    role = message.role or identity.role
    check_own_role(call, role)
    seconds = message.days * DAY_SECONDS
    token = await run_identity(
        call, lambda: accounts.issue(identity.name, "token", seconds=seconds, role=role, note=message.note)
    )
    known = await run_identity(call, lambda: accounts.find(token))
    assert known is not None
    return IssuedToken(token, known.id, known.expires_at)


def check_own_role(call: Call, role: str) -> None:
    """Raise an error if a token of a lower role asks for a higher one."""
    from tercet.server.accounts import ROLES, check_role

    own = call.identity.role
    if ROLES.index(check_role(role)) > ROLES.index(own):
        raise Problem(403, "not_allowed", f"a session with the role {own} can't make a token with the role {role}.")


async def list_tokens(call: Call) -> Any:
    """List one's own sessions and tokens."""
    identity, accounts = call.identity, call.service.access.accounts
    found = await run_identity(call, lambda: accounts.list_tokens(identity.name))
    return Tokens([TokenFacts(each.id, each.kind, each.role, each.note, each.expires_at) for each in found])


async def revoke_token(call: Call) -> Any:
    """End one of one's own sessions or tokens."""
    identity, access = call.identity, call.service.access
    await run_identity(call, lambda: access.accounts.revoke(identity.name, call.request.path_params["id"]))
    access.forget()
    return Response(status_code=204)
