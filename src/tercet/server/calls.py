"""A request as the operations see it: who asks, for which model, with which message."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tercet.errors import suggest
from tercet.ledger.trainer import Trainer
from tercet.server.access import Access, Identity
from tercet.server.limits import Allowance, Limits, Portion, check_values, read_body
from tercet.server.messages import State
from tercet.server.problems import Problem
from tercet.server.prometheus import Metrics
from tercet.server.served_model import ModelLocation, ModelState, ServedModel
from tercet.server.threads import Lane, Threads

Result = TypeVar("Result")
Kept = TypeVar("Kept")
JSON = "application/json"
MAX_SHORT_BODY = 1 << 16  # bytes that are read in the thread of all requests
MAX_PART = 1 << 16  # bytes of an answer that are sent at once: a larger answer waits for the client to read
MAX_EVENT = 2**62

encoder = msgspec.json.Encoder()


@dataclass
class Service:
    """What all requests share."""

    models: dict[str, ServedModel]
    trainers: dict[str, Trainer]
    access: Access
    limits: Limits
    metrics: Metrics
    threads: Threads
    folder: Path | None = None  # where new models are made; None if none can be made
    kept: dict[tuple[Any, str], Any] = field(default_factory=dict)  # by class and name of the model: see Call.keep
    add_model: Callable[[ModelLocation], Awaitable[None]] | None = None  # serves a new model; None with several processes

    def __post_init__(self) -> None:
        most = 4 * self.limits.body
        self.bytes = Allowance("megabytes of requests and answers", of_user=most, in_all=4 * most)
        self.waits = Allowance("requests that wait for an event", of_user=64, in_all=1024)
        self.streams = Allowance("streams", of_user=16, in_all=256)
        self.line_streams = Allowance("streams", of_user=8, in_all=32)
        self.imports = Allowance("files that are imported", of_user=4, in_all=64)
        self.beginnings = Allowance("new models", of_user=1, in_all=1)


class Call:
    """One request."""

    def __init__(self, service: Service, request: Request) -> None:
        self.service, self.request = service, request
        self.is_read = False  # whether the whole request has arrived

    @property
    def limits(self) -> Limits:
        return self.service.limits

    @property
    def identity(self) -> Identity:
        """Who is asking. Only operations that need no role may be asked by nobody."""
        found: Identity = self.request.scope["state"]["identity"]
        return found

    @property
    def client(self) -> str:
        return str(self.request.scope["state"]["client"])

    @property
    def user(self) -> str:
        """Who takes turns with others: a user, or the address of somebody who is not known."""
        identity = self.request.scope["state"]["identity"]
        return f"address {self.client}" if identity is None else f"user {identity.name}"

    @property
    def event(self) -> int:
        """The number of the event that the path names."""
        number: int = self.request.path_params["event"]
        if number > MAX_EVENT:
            raise Problem(404, "no_event", "there is no event with so large a number.")
        return number

    @cached_property
    def served(self) -> ServedModel:
        """The model that the path names."""
        return self.find_model(self.request.path_params["model"])

    def find_model(self, name: str) -> ServedModel:
        """The model with this name. Raises a Problem if there is none."""
        models = self.service.models
        if name not in models:
            raise Problem(404, "no_model", f"there is no model {name!r}.{suggest(name, models)} GET /api/models lists them.")
        return models[name]

    @property
    def trainer(self) -> Trainer:
        return self.service.trainers[self.served.name]

    def keep(self, kind: Callable[[ServedModel], Kept]) -> Kept:
        """The one object of this class for the model that the path names. It is made at the first call, and kept."""
        kept: Kept = self.service.kept.setdefault((kind, self.served.name), kind(self.served))
        return kept

    def describe(self, state: ModelState) -> dict[str, Any]:
        """The fields that every answer about a model begins with."""
        return {
            "model": self.served.name,
            "event": state.number,
            "trained_to": state.trained_to,
            "is_trained": state.is_trained,
        }

    async def wait_for(self, number: int | None) -> None:
        """Wait until the answers of this process include an event, which another process may have written."""
        if number is None or self.served.has_event(number):
            return
        with self.service.waits.take(self.user):
            try:
                async with asyncio.timeout(self.limits.seconds):
                    await self.served.waits.wait_for(number)
            except TimeoutError:
                known = self.served.state.number
                raise Problem(409, "no_event_yet", f"there is no event {number} yet: the last one is {known}.") from None

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """Do what takes a moment, or waits for the disk, beside the other requests."""
        return await self._run(self.service.threads.answers, function)

    async def work(self, function: Callable[[], Result]) -> Result:
        """Do what may take long, beside the other requests."""
        return await self._run(self.service.threads.work, function)

    async def find_evidence(self, function: Callable[[], Result]) -> Result:
        """Explain a long text, beside the other requests."""
        return await self._run(self.service.threads.evidence, function)

    async def run_long(self, lane: Lane, function: Callable[[], Result], seconds: float) -> Result:
        """Do what may take so many seconds, beside the other requests."""
        return await self._run(lane, function, seconds)

    async def _run(self, lane: Lane, function: Callable[[], Result], seconds: float | None = None) -> Result:
        """What the function says. It changes nothing. Raises a Problem if it takes too long; ends when the client has gone."""
        seconds = self.limits.seconds if seconds is None else seconds
        gone = asyncio.ensure_future(wait_for_end(self.request.receive)) if self.is_read else None
        working = asyncio.ensure_future(lane.run(function, self.user))
        try:
            async with asyncio.timeout(seconds):
                await asyncio.wait([working] if gone is None else [working, gone], return_when=asyncio.FIRST_COMPLETED)
            if not working.done():
                raise ClientDisconnect
            return working.result()
        except TimeoutError:
            raise Problem(503, "too_long", f"this takes longer than {seconds:g} seconds: ask for less.") from None
        finally:
            working.cancel()
            if gone is not None:
                gone.cancel()
            del working, gone  # an error has this frame, and they have the error: they would keep each other in memory

    async def change(self, function: Callable[[], Result]) -> Result:
        """Do what changes the model, and train it if that is due."""
        result = await self.service.threads.changes.run(function, self.user)
        self.trainer.consider()
        return result


Answering = Callable[..., Awaitable[State | msgspec.Struct | Response]]


@dataclass(frozen=True)
class Operation:
    """An HTTP operation: its method and path, the role that it needs, its messages, and the function that answers."""

    method: str
    path: str
    role: str | None  # None: anybody may ask
    answer: Answering
    takes: type[msgspec.Struct] | None = None
    gives: type[msgspec.Struct] | None = None
    status: int = 200
    streams: bool = False  # whether the request may also be lines of JSON or CSV
    accepts: tuple[str, ...] = ()  # the types of a request that is a file
    query: tuple[tuple[str, str], ...] = ()  # parameters in the query, and what they are

    @property
    def name(self) -> str:
        return self.answer.__name__

    @property
    def summary(self) -> str:
        return (self.answer.__doc__ or "").strip()


def encode_answer(answer: Any) -> bytes:
    """The answer as JSON. Half of a character, which UTF-8 has no bytes for, is written as an escape."""
    try:
        encoded: bytes = encoder.encode(answer)
        return encoded
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(answer)).encode()


class Endpoint:
    """An operation as Starlette calls it."""

    def __init__(self, operation: Operation, service: Service) -> None:
        self.operation, self.service = operation, service
        self._decoder = None if operation.takes is None else msgspec.json.Decoder(operation.takes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        operation, request = self.operation, Request(scope, receive)
        scope["state"]["operation"] = operation.name
        if operation.role is not None:
            check_identity(scope["state"]["identity"], operation.role, request)
        call = Call(self.service, request)
        with self.service.bytes.take(call.user, 0) as taken:
            answer = await self._answer(call, taken)
            if not isinstance(answer, Response):
                answer = Response(encode_answer(answer), operation.status, media_type=JSON)
            if len(answer.body) > MAX_PART:
                taken.grow_to(taken.amount + len(answer.body))
                answer = InParts(answer)
            await answer(scope, receive, send)

    async def _answer(self, call: Call, taken: Portion) -> State | msgspec.Struct | Response:
        """What the operation answers."""
        operation = self.operation
        if operation.method == "GET":
            call.is_read = True  # it has no body
        if self._decoder is None:
            return await operation.answer(call)
        if (kind := parse_content_type(call.request)) == JSON:
            body = await read_body(call.request, call.limits, taken)
            call.is_read = True
            return await operation.answer(call, await self._read_message(call, body))
        if operation.streams:
            return await operation.answer(call)
        raise Problem(415, "not_json", f"the request must have the Content-Type {JSON}, got {kind or 'none'}.")

    async def _read_message(self, call: Call, body: bytes) -> Any:
        """The message of a request. A long one is read in another thread."""
        if len(body) <= MAX_SHORT_BODY:
            return self._decode(body)
        return await call.work(lambda: self._decode_long(body, call.limits))

    def _decode_long(self, body: bytes, limits: Limits) -> Any:
        check_values(body, limits)
        return self._decode(body)

    def _decode(self, body: bytes) -> Any:
        """The message of a request."""
        assert self._decoder is not None
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError as error:
            raise Problem(422, "invalid", f"the request is not as expected: {error}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Problem(400, "not_json", f"the request is not JSON in UTF-8: {error}.") from None


class InParts(Response):
    """A large answer. It is sent as fast as the client reads: otherwise it would wait in memory for one that reads nothing."""

    def __init__(self, whole: Response) -> None:
        self.whole = whole
        self.background = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        whole, body = self.whole, memoryview(self.whole.body)
        await send({"type": "http.response.start", "status": whole.status_code, "headers": whole.raw_headers})
        for start in range(0, len(body), MAX_PART):
            await send({"type": "http.response.body", "body": bytes(body[start : start + MAX_PART]), "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def wait_for_end(receive: Receive) -> None:
    """Return when the client has gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def parse_content_type(request: Request) -> str:
    """The type of the content, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_identity(identity: Identity | None, role: str, request: Request) -> None:
    if identity is None:
        raise Problem(401, "who_are_you", "log in, or send a token that is not expired in the header Authorization.", WANTED)
    identity.check(role, request.method, request.headers)


WANTED = {"WWW-Authenticate": "Bearer"}
