"""The application: routes, checks around them, and models that are opened at the start and closed at the end."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from traceback import extract_tb
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tercet.errors import TercetError
from tercet.ledger.ledger import Ledger
from tercet.ledger.trainer import Trainer
from tercet.server.access import Access, Identify
from tercet.server.accounts import Accounts
from tercet.server.addresses import Address, CheckAddress
from tercet.server.calls import Endpoint, Service
from tercet.server.limits import Limits, Rates
from tercet.server.memory import give_back_after_work
from tercet.server.openapi import write_openapi
from tercet.server.problems import Problem, explain_error
from tercet.server.prometheus import Metrics
from tercet.server.routes import OPERATIONS
from tercet.server.served_model import ModelLocation, ServedModel
from tercet.server.threads import Threads

ACTOR = "server"  # the actor of trainings and publications that nobody asked for
LAST_SECONDS = 10.0  # for the last things, when the server ends
FOLLOW_SECONDS = 0.05  # between two looks for events of other processes
PAGES = {"": "index.html", "docs": "docs.html"}
KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}
SECURITY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

log = logging.getLogger("tercet.server")


@dataclass(frozen=True)
class ServerOptions:
    """Everything that a process of the server needs to know."""

    models: tuple[ModelLocation, ...]
    accounts: str
    address: Address
    port: int
    limits: Limits = field(default_factory=Limits)
    proxies: tuple[str, ...] = ()
    is_locked: bool = False  # whether the process that started this one holds the locks of the ledgers
    models_folder: Path | None = None  # where new models are made; None if none can be made
    is_alone: bool = True  # whether no other process answers, so that a new model can be served at once


def make_app(options: ServerOptions) -> Starlette:
    """The application. Its models are opened when it starts."""
    threads = Threads()
    access = Access(Accounts(options.accounts), options.address, options.port, Rates(options.limits.rate), threads)
    service = Service({}, {}, access, options.limits, Metrics(), threads, options.models_folder)
    document = msgspec.json.encode(write_openapi(OPERATIONS, options.address.prefix))

    async def show_openapi(_: Request) -> Response:
        return Response(document, media_type="application/json")

    return Starlette(
        routes=[
            *(Route(each.path, Endpoint(each, service), methods=[each.method]) for each in OPERATIONS),
            Route("/openapi.json", show_openapi),
            *list_pages(),
        ],
        middleware=[
            Middleware(Guard, service.metrics, options.limits),
            Middleware(CheckAddress, options.address, options.proxies),
            Middleware(Identify, access),
        ],
        exception_handlers={HTTPException: refuse},
        lifespan=lambda _: open_models(options, service),
    )


def list_pages() -> list[Route]:
    """The pages, and what they load."""
    found = []
    for file in files("tercet.server").joinpath("pages").iterdir():
        kind = KINDS.get(file.name.rpartition(".")[2])
        if kind is not None:
            path = next((name for name, page in PAGES.items() if page == file.name), f"pages/{file.name}")
            found.append(Route(f"/{path}", show_file(file.read_bytes(), kind)))
    return found


def show_file(content: bytes, kind: str) -> Any:
    async def show(_: Request) -> Response:
        return Response(content, media_type=f"{kind}; charset=utf-8")

    return show


async def refuse(_: Request, error: Exception) -> Response:
    """The answer to a path or a method that does not exist."""
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing at this path: /openapi.json lists what there is.", 405: "this path takes another method."}
    problem = Problem(
        error.status_code,
        "not_found" if error.status_code == 404 else "not_allowed",
        words.get(error.status_code, error.detail),
    )
    problem.headers |= dict(error.headers or {})
    return problem.to_response()


@asynccontextmanager
async def open_models(options: ServerOptions, service: Service) -> AsyncIterator[None]:
    """Open the models and their ledgers, and follow the events of other processes until the end."""
    with ExitStack() as opened:
        following = [asyncio.create_task(give_back_after_work(service.threads.following))]

        def note(location: ModelLocation, served: ServedModel) -> None:
            opened.callback(served.close)
            service.trainers[location.name] = Trainer(served.live, served.name, ACTOR)
            service.models[location.name] = served
            if served.can_learn:
                following.append(asyncio.create_task(follow(served, service)))

        async def add(location: ModelLocation) -> None:
            note(location, await service.threads.changes.run(lambda: ServedModel(location), ACTOR))

        for location in options.models:
            note(location, open_model(location, options))
        service.add_model = add if options.is_alone else None
        for trainer in service.trainers.values():
            trainer.consider()
        try:
            yield
        finally:
            for task in following:
                task.cancel()
            await end(service)


def open_model(location: ModelLocation, options: ServerOptions) -> ServedModel:
    """The model at this location. An error ends the server, and its message goes to the log."""
    try:
        served = ServedModel(location, is_locked=options.is_locked)
        if served.live is not None and served.live.state.is_gone:
            log.error("%s: %s", served.name, served.live.problem)
        return served
    except TercetError as error:
        log.error("%s", error)
        raise
    except Exception as error:
        log.error("%s", describe_bug("open_model", error))
        raise


async def follow(served: ServedModel, service: Service) -> None:
    """Bring the model to the events that others write, and train it when it is time for that."""
    assert served.ledger is not None
    lane = service.threads.following
    while True:
        try:
            if await lane.run(served.ledger.has_news, served.name):
                await lane.run(served.follow, served.name)
            service.trainers[served.name].consider()
        except TercetError as error:
            log.error("%s can't follow its ledger: %s", served.name, error)
        await asyncio.sleep(FOLLOW_SECONDS)


async def end(service: Service) -> None:
    """Finish what takes a moment. Whatever takes longer is given up: the ledger has everything."""
    trainers = list(service.trainers.values())
    try:
        async with asyncio.timeout(LAST_SECONDS):
            await service.threads.changes.run(lambda: finish(trainers), ACTOR)
    except TimeoutError:
        log.warning("the models could not be written in %g seconds: the next start makes them from the ledger", LAST_SECONDS)
    service.threads.close(LAST_SECONDS / 10)


def finish(trainers: Sequence[Trainer]) -> None:
    """Write the model files, so that the next start is quick."""
    for trainer in trainers:
        trainer.finish()
        live = trainer.live
        if live is not None and live.model is not None and not is_published(live.ledger):
            with suppress(TercetError):  # the ledger has everything
                live.publish(actor=ACTOR)


def is_published(ledger: Ledger) -> bool:
    """Whether the model file is that of the last event."""
    return ledger.history.publications[-1:] == [ledger.head.number]


class Guard:
    """The outermost middleware: headers for browsers, the time limit, errors as JSON, and the metrics."""

    def __init__(self, app: ASGIApp, metrics: Metrics, limits: Limits) -> None:
        self.app, self.metrics, self.limits = app, metrics, limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope["state"] = {"operation": "other", "identity": None, "client": ""}
        sender = GuardedSend(send, self.limits.seconds)
        started = time.perf_counter()
        try:
            await self._answer(scope, receive, sender)
        finally:
            seconds = time.perf_counter() - started
            self.metrics.note_request(scope["state"]["operation"], sender.status, seconds)

    async def _answer(self, scope: Scope, receive: Receive, sender: "GuardedSend") -> None:
        # The response, never the error: a frame that keeps its own error keeps all that the request has in memory.
        try:
            await self.app(scope, receive, sender)
            return
        except Problem as problem:
            response = problem.to_response()
        except TercetError as error:
            response = explain_error(error).to_response()
        except ClientDisconnect:
            if not sender.status:
                return
            response = Response()
        except Exception as error:
            response = Problem(500, "bug", "this is a bug in tercet: the log of the server says more.").to_response()
            log.error("%s", describe_bug(scope["state"]["operation"], error))
        if sender.status:  # a part of the answer is sent already: the connection ends, so that the client notices
            raise CutOff
        await response(scope, receive, sender)


class CutOff(Exception):
    """An answer that can't be completed."""


class GuardedSend:
    """Adds headers to the answer, remembers its status, and gives up a client that does not read."""

    def __init__(self, send: Send, seconds: float) -> None:
        self.send, self.seconds, self.status = send, seconds, 0

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY.items():
                headers.setdefault(name, value)
        if not message.get("more_body", False):  # the last part does not wait for the client
            await self.send(message)
            return
        try:
            async with asyncio.timeout(self.seconds):
                await self.send(message)
        except TimeoutError:
            raise ClientDisconnect from None


def describe_bug(operation: str, error: Exception) -> str:
    """Where a bug is, without the message of the error: it may have a part of a text."""
    location = extract_tb(error.__traceback__)[-1]
    return f"a bug in {operation}: {type(error).__name__} at {location.filename}, line {location.lineno}, in {location.name}"
