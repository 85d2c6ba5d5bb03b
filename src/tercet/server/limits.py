"""How much a client may ask for: the size of a request, its time, and the rate of requests."""

import asyncio
import re
import time
from collections import Counter, OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from tercet.server.problems import SOON, Problem

MAX_SCORED = 200_000  # labels with a probability, of all documents that are answered at once
MAX_LISTED = 1 << 22  # characters of all texts that an answer lists
MAX_CLIENTS = 10_000  # clients whose rates are remembered


@dataclass(frozen=True)
class Limits:
    """The limits of a server.

    - `body`: bytes of a request; of a stream, bytes of a line.
    - `texts`: documents of a request.
    - `seconds`: for a request, and for a client that sends or reads nothing.
    - `rate`: requests of a client in a second, on average. A client may be ahead by as many as it may send in ten seconds.

    What a user has under way at a time has limits as well: four requests of the largest size, with their answers. All users
    together may have four times as much.
    """

    body: int = 16 << 20
    texts: int = 10_000
    seconds: float = 60.0
    rate: float = 1000.0


@dataclass(frozen=True)
class TextLimit:
    """How many characters each text of a list may have: a list of `n` texts has at most `MAX_LISTED` in all.

    >>> TextLimit(1000).cut("so good"), TextLimit(MAX_LISTED).cut("so good")
    ('so good', 's … (cut: the text has 7 characters)')
    """

    n: int

    @property
    def most(self) -> int:
        return max(1, MAX_LISTED // self.n)

    def cut(self, text: str) -> str:
        """The text; its beginning if it is too long."""
        return text if len(text) <= self.most else f"{text[: self.most]} … (cut: the text has {len(text)} characters)"

    def cut_all(self, value: Any) -> Any:
        """The same for all texts and names in values of JSON together: when they are used up, the others are left out.

        >>> TextLimit(MAX_LISTED // 8).cut_all({"text": "so good", "columns": {"place": "Rome"}})
        {'text': 'so g … (cut: the text has 7 characters)'}
        """
        return self._cut(value, [self.most])

    def _cut(self, value: Any, left: list[int]) -> Any:
        """The value; `left` has the number of characters that may still come."""
        if isinstance(value, str):
            most, left[0] = left[0], left[0] - len(value)
            return value if len(value) <= most else f"{value[: max(most, 0)]} … (cut: the text has {len(value)} characters)"
        if isinstance(value, dict):
            found = {}
            for name, own in value.items():
                left[0] -= len(name)
                if left[0] <= 0:
                    break
                found[name] = self._cut(own, left)
            return found
        return [self._cut(own, left) for own in value] if isinstance(value, list) else value


async def read_body(request: Request, limits: Limits, taken: "Portion") -> bytes:
    """The body of a request. Raises a Problem if it is too large, or if the client takes too long to send it."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit():
        if int(announced) > limits.body:
            raise too_large(limits)
        taken.grow_to(int(announced))
    parts, size, is_complete = [], 0, False
    try:
        async with asyncio.timeout(limits.seconds):
            while not is_complete:
                message = await request.receive()
                if message["type"] == "http.disconnect":
                    raise Problem(400, "cut_off", "the connection ended before the request was complete.")
                parts.append(message.get("body", b""))
                size += len(parts[-1])
                if size > limits.body:
                    raise too_large(limits)
                taken.grow_to(size)
                is_complete = not message.get("more_body", False)
    except TimeoutError:
        raise Problem(408, "too_slow", f"the request did not arrive in {limits.seconds:g} seconds.", CLOSE) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


CLOSE = {"Connection": "close"}
STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
VALUES_PER_DOCUMENT = 40


def check_values(body: bytes, limits: Limits) -> None:
    """Raise a Problem if a request in JSON has far more values than its documents can need: each takes time and memory.

    >>> check_values(b'{"texts": ["a", "b, [c], {d}"]}', Limits(texts=1))
    >>> check_values(b"[" + 50 * b"{}," + b"{}]", Limits(texts=1))
    Traceback (most recent call last):
    tercet.server.problems.Problem: the request has more than 40 values: send fewer documents at a time.
    """
    most = VALUES_PER_DOCUMENT * limits.texts
    n_strings = (body.count(b'"') - body.count(b'\\"')) / 2
    if n_strings <= most and sum(map(body.count, (b"{", b"[", b","))) > most:  # they may stand inside of strings
        body = STRING.sub(b"", body)
    if n_strings > most or sum(map(body.count, (b"{", b"[", b","))) > most:
        raise Problem(413, "too_many", f"the request has more than {most} values: send fewer documents at a time.")


def too_large(limits: Limits) -> Problem:
    most = f"{limits.body / (1 << 20):g} MiB"
    return Problem(413, "too_large", f"a request may have at most {most}: send fewer documents at a time, or a stream.", CLOSE)


class Allowance:
    """How much of something each user has at a time, and all users together.

    >>> streams = Allowance("streams", of_user=2, in_all=3)
    >>> with streams.take("ann"), streams.take("ann"), streams.take("ben"):
    ...     with streams.take("ben"):
    ...         pass
    Traceback (most recent call last):
    tercet.server.problems.Problem: the server has too many streams under way: try again in a moment.
    """

    def __init__(self, what: str, *, of_user: int, in_all: int) -> None:
        self.what, self.of_user, self.in_all = what, of_user, in_all
        self._taken: Counter[str] = Counter()

    @contextmanager
    def take(self, user: str, amount: int = 1) -> Iterator["Portion"]:
        """Take this amount, and give it back at the end. Raises a Problem if there is not so much."""
        taken = Portion(self, user)
        try:
            taken.grow_to(amount)
            yield taken
        finally:
            self.change(user, -taken.amount)

    def check(self, user: str, more: int) -> None:
        """Raise a Problem if a user can't have so much more."""
        if self._taken[user] + more > self.of_user:
            message = f"you have too many {self.what} under way: wait until one of them has ended."
            raise Problem(429, "too_much_at_once", message, SOON)
        if self._taken.total() + more > self.in_all:
            raise Problem(503, "busy", f"the server has too many {self.what} under way: try again in a moment.", SOON)

    def change(self, user: str, more: int) -> None:
        self._taken[user] += more
        if not self._taken[user]:
            del self._taken[user]


class Portion:
    """What one request of a user has."""

    def __init__(self, allowance: Allowance, user: str) -> None:
        self.allowance, self.user, self.amount = allowance, user, 0

    def grow_to(self, amount: int) -> None:
        """Have at least this amount; all that a user may have, if it is more. Raises a Problem if there is not so much."""
        amount = min(amount, self.allowance.of_user)
        more = amount - self.amount
        if more > 0:
            self.allowance.check(self.user, more)
            self.allowance.change(self.user, more)
            self.amount = amount


class Rates:
    """How fast each client may ask. A client that waits gets its allowance back.

    >>> rates = Rates(1.0)
    >>> [rates.wait("ann", now=0.0) for _ in range(11)][-2:], rates.wait("ben", now=0.0)
    ([0.0, 1.0], 0.0)
    """

    def __init__(self, per_second: float) -> None:
        self.per_second, self.most = per_second, max(1.0, 10 * per_second)
        self._known: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what is left, and since when

    def wait(self, client: str, now: float | None = None) -> float:
        """Take one request from the allowance of a client. Returns the seconds that it has to wait; 0 if it may go on."""
        now = time.monotonic() if now is None else now
        left, since = self._known.pop(client, (self.most, now))
        left = min(self.most, left + (now - since) * self.per_second)
        is_allowed = left >= 1
        self._known[client] = (left - 1 if is_allowed else left, now)
        if len(self._known) > MAX_CLIENTS:
            self._known.popitem(last=False)
        return 0.0 if is_allowed else (1 - left) / self.per_second
