"""A request as the operations see it: who asks, for which model, with which message."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import msgspec
from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tercet.errors import suggest
from tercet.ledger.trainer import Trainer
from tercet.server.access import Access, Identity
from tercet.server.limits import Limits, read_body
from tercet.server.messages import State
from tercet.server.problems import Problem
from tercet.server.prometheus import Metrics
from tercet.server.served_model import ModelState, ServedModel

Result = TypeVar("Result")
Kept = TypeVar("Kept")
STEP_SECONDS = 0.005
JSON = "application/json"

encoder = msgspec.json.Encoder()


@dataclass
class Service:
    """What all requests share."""

    models: dict[str, ServedModel]
    trainers: dict[str, Trainer]
    access: Access
    limits: Limits
    metrics: Metrics
    kept: dict[tuple[Any, str], Any] = field(default_factory=dict)  # by class and name of the model: see Call.keep


class Call:
    """One request."""

    def __init__(self, service: Service, request: Request) -> None:
        self.service, self.request = service, request

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
        try:
            async with asyncio.timeout(self.limits.seconds):
                while not self.served.has_event(number):
                    await asyncio.sleep(STEP_SECONDS)
        except TimeoutError:
            known = self.served.state.number
            raise Problem(409, "no_event_yet", f"there is no event {number} yet: the last one is {known}.") from None

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """Do what takes long beside the other requests. Raises a Problem if it takes too long; it changes nothing."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                return await run_sync(function, abandon_on_cancel=True)
        except TimeoutError:
            raise Problem(503, "too_long", f"this takes longer than {self.limits.seconds:g} seconds: ask for less.") from None

    async def change(self, function: Callable[[], Result]) -> Result:
        """Do what changes the model, and train it if that is due."""
        result = await run_sync(function)
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
        if self._decoder is None:
            answer = await operation.answer(call)
        elif (kind := parse_content_type(request)) == JSON:
            answer = await operation.answer(call, self._decode(await read_body(request, self.service.limits)))
        elif operation.streams:
            answer = await operation.answer(call)
        else:
            raise Problem(415, "not_json", f"the request must have the Content-Type {JSON}, got {kind or 'none'}.")
        if not isinstance(answer, Response):
            answer = Response(encoder.encode(answer), operation.status, media_type=JSON)
        await answer(scope, receive, send)

    def _decode(self, body: bytes) -> Any:
        """The message of a request."""
        assert self._decoder is not None
        try:
            return self._decoder.decode(body)
        except msgspec.ValidationError as error:
            raise Problem(422, "invalid", f"the request is not as expected: {error}.") from None
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise Problem(400, "not_json", f"the request is not JSON in UTF-8: {error}.") from None


def parse_content_type(request: Request) -> str:
    """The type of the content, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def check_identity(identity: Identity | None, role: str, request: Request) -> None:
    if identity is None:
        raise Problem(401, "who_are_you", "log in, or send a token that is not expired in the header Authorization.", WANTED)
    identity.check(role, request.method, request.headers)


WANTED = {"WWW-Authenticate": "Bearer"}
