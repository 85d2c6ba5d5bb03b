"""About the models: what they are, their training, their card; and about the server."""

from functools import partial
from typing import Any

from starlette.responses import Response

from tercet.auditing.card.card import make_card
from tercet.server.calls import Call
from tercet.server.hand_checks import describe_last
from tercet.server.messages import Health, ModelFacts, Models, Training
from tercet.server.served_model import ServedModel


async def list_models(call: Call) -> Any:
    """List the models with what is known of them."""
    models = list(call.service.models.values())  # another one may be made meanwhile
    found = [await call.in_thread(partial(describe_model, call, served)) for served in models]
    return Models(found, can_begin=call.service.folder is not None)


async def show_model(call: Call) -> Any:
    """What a model is: its labels, its columns, its training, and how good it was then."""
    return await call.in_thread(lambda: describe_model(call, call.served))


def describe_model(call: Call, served: ServedModel) -> ModelFacts:
    trainer, model, state = call.service.trainers[served.name], served.model, served.state
    record = None if model is None else model.record_
    table = getattr(model, "table_", None)
    known = served.columns
    return ModelFacts(
        model=served.name,
        event=state.number,
        trained_to=state.trained_to,
        is_trained=state.is_trained,
        kind=None if model is None else model.describe()["kind"],
        labels=[] if model is None else model.classes_.tolist(),
        columns=[*known.texts, *known.others],
        texts=list(known.texts),
        numbers=list(known.numbers),
        documents=None if table is None else float(table.n_documents.sum()),
        terms=None if model is None else int(model.describe()["terms"]),
        estimate=None if record is None else record.to_dict().get("estimate"),
        check=describe_last(served),
        is_guessed=record is not None and not record.is_checked,
        can_learn=served.can_learn,
        can_train=trainer.can_train,
        training=trainer.state,
        fingerprint=served.find_fingerprint(),
    )


async def show_training(call: Call) -> Any:
    """What the trainer of a model does."""
    return Training(**call.describe(call.served.state), training=call.trainer.state)


async def show_card(call: Call) -> Any:
    """The model card, as Markdown. A file MODEL.card.md beside the model is the card; without it, the server writes one."""
    written = await call.work(lambda: read_or_make_card(call.served))
    return Response(written.encode("utf-8", "replace"), media_type="text/markdown")


def read_or_make_card(served: ServedModel) -> str:
    """The card that somebody has written with `tercet card -o`, or one without test documents and without the doctor."""
    file = served.path.with_suffix(".card.md")
    if file.is_file():
        return file.read_text("utf-8", "replace")
    card, _ = served.answer(lambda model: make_card(model, diagnose=False))
    return card.to_markdown()


async def show_metrics(call: Call) -> Any:
    """Numbers for Prometheus. Each process of the server counts its own."""
    events = {name: served.state.number for name, served in call.service.models.items()}
    return Response(call.service.metrics.write(events), media_type="text/plain; version=0.0.4")


async def is_alive(call: Call) -> Any:
    """Whether the server runs."""
    return Health("ok")


async def is_ready(call: Call) -> Any:
    """Whether all models are there, and their ledgers can be read."""
    for served in list(call.service.models.values()):
        await call.in_thread(served.check_ready)
    return Health("ready")
