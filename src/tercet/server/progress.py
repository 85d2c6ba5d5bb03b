"""What happens to a model, as server-sent events: the state after each change, and how far imports are.

A stream ends when its client goes, when the token of the client is not good any more, when the server ends, or after some
minutes: then the client connects again.
"""

import asyncio
import time
from typing import Any

import msgspec
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tercet.ledger.pools import PoolImport
from tercet.server.calls import Call, encoder, wait_for_end
from tercet.server.messages import ImportProgress, ProgressState

STEP_SECONDS = 0.1  # between two looks at the state
QUIET_SECONDS = 15.0  # after so long a line without meaning shows that the connection is alive
TRUST_SECONDS = 1.0  # how long a revoked token still gets news
LIFE_SECONDS = 600.0


async def show_progress(call: Call) -> Any:
    """What happens to a model, as server-sent events.

    `state` comes at the beginning and after each change: event, trained_to, is_trained, training. `import` comes while a file
    is imported, and once more, with `done`, when it is complete or was cut off.
    """
    call.served  # noqa: B018 (an error if there is no such model)
    return ProgressStream(call)


class ProgressStream(Response):
    """The stream of one client."""

    def __init__(self, call: Call) -> None:
        super().__init__(media_type="text/event-stream")
        del self.headers["content-length"]
        self._call = call
        self._state: ProgressState | None = None  # the state that was sent last
        self._imports: dict[PoolImport, ImportProgress] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._call.service.streams.take(self._call.user):
            scope["state"]["is_endless"] = True  # the server does not wait for its end when it stops
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            gone = asyncio.create_task(wait_for_end(receive))
            try:
                await self._follow(gone, send)
            finally:
                gone.cancel()
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _follow(self, gone: "asyncio.Task[None]", send: Send) -> None:
        begin = last = checked = time.monotonic()
        while not gone.done() and (now := time.monotonic()) < begin + LIFE_SECONDS:
            if now >= checked + TRUST_SECONDS:
                if not await self._call.service.access.is_trusted(self._call.identity):
                    return
                checked = now
            news = self._list_news() or ([b":\n\n"] if now >= last + QUIET_SECONDS else [])
            if news:
                await send({"type": "http.response.body", "body": b"".join(news), "more_body": True})
                last = now
            await asyncio.wait([gone], timeout=STEP_SECONDS)

    def _list_news(self) -> list[bytes]:
        served = self._call.served
        now, imports, news = served.state, dict(served.imports), list[bytes]()
        state = ProgressState(now.number, now.trained_to, now.is_trained, self._call.trainer.state)
        if state != self._state:
            news.append(write_event("state", state))
        done = [msgspec.structs.replace(each, done=True) for job, each in self._imports.items() if job not in imports]
        changed = [each for job, each in imports.items() if self._imports.get(job) != each]
        news += [write_event("import", each) for each in (*done, *changed)]
        self._state, self._imports = state, imports
        return news


def write_event(name: str, message: msgspec.Struct) -> bytes:
    """
    >>> write_event("import", ImportProgress("new.csv", 7, 5))
    b'event: import\\ndata: {"pool":"new.csv","read":7,"offered":5,"done":false}\\n\\n'
    """
    return b"event: %s\ndata: %s\n\n" % (name.encode(), encoder.encode(message))
