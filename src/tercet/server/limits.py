"""How much a client may ask for: the size of a request, its time, and the rate of requests."""

import asyncio
import time
from collections import OrderedDict
from dataclasses import dataclass

from starlette.requests import Request

from tercet.server.problems import Problem

MAX_CLIENTS = 10_000  # clients whose rates are remembered


@dataclass(frozen=True)
class Limits:
    """The limits of a server.

    - `body`: bytes of a request; of a stream, bytes of a line.
    - `texts`: documents of a request.
    - `seconds`: for a request, and for a client that sends or reads nothing.
    - `rate`: requests of a client in a second, on average. A client may be ahead by as many as it may send in ten seconds.
    """

    body: int = 16 << 20
    texts: int = 10_000
    seconds: float = 60.0
    rate: float = 1000.0


async def read_body(request: Request, limits: Limits) -> bytes:
    """The body of a request. Raises a Problem if it is too large, or if the client takes too long to send it."""
    announced = request.headers.get("content-length", "0")
    if announced.isdigit() and int(announced) > limits.body:
        raise too_large(limits)
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
                is_complete = not message.get("more_body", False)
    except TimeoutError:
        raise Problem(408, "too_slow", f"the request did not arrive in {limits.seconds:g} seconds.", CLOSE) from None
    return parts[0] if len(parts) == 1 else b"".join(parts)


CLOSE = {"Connection": "close"}


def too_large(limits: Limits) -> Problem:
    most = f"{limits.body / (1 << 20):g} MiB"
    return Problem(413, "too_large", f"a request may have at most {most}: send fewer documents at a time, or a stream.", CLOSE)


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
