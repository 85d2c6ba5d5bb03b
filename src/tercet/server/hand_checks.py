"""Check a model by hand: draw texts of a pool, show them without the answers of the model, and write the result down.

The client keeps the drawn sample and the answers until somebody ends the check. So an unfinished check needs no memory of the
server: it goes on after a restart, and in any process.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tercet.categorizer.files.hand_check import HandCheck
from tercet.evaluation.checked_sample import LabelShare
from tercet.ledger.events import Event
from tercet.ledger.label_queue import show_document
from tercet.ledger.ledger import Ledger
from tercet.ledger.pool_sample import PoolSample, draw_sample, write_check
from tercet.server import messages
from tercet.server.calls import Call
from tercet.server.limits import TextLimit
from tercet.server.quality import describe_estimate
from tercet.server.served_model import ServedModel

MAX_LISTED = 20  # checks


async def draw_check(call: Call, message: messages.DrawCheck) -> Any:
    """Draw the texts of a pool that a person should check, to know how good the model is on all its texts.

    Only texts that nobody has labelled are drawn. `sample` is sealed: send it back as it is, with the answers. `offers` are in
    the order in which to check them. Whoever stops before the end has checked a random sample, too.
    """
    served = call.served
    sample = await call.work(lambda: draw_sample(served.queue, message.pool, message.n, message.seed))
    ledger = served.check_ledger()
    return messages.DrawnCheck(
        **call.describe(served.state),
        sample=await call.in_thread(lambda: sample.seal(ledger)),
        pool=sample.pool,
        offers=list(sample.offers),
        labels=list(sample.labels),
        n_pool=sample.n_pool,
    )


async def show_check_texts(call: Call, message: messages.FindTexts) -> Any:
    """Texts to check, without what the model says of them. A text that was erased or deleted meanwhile is left out."""
    found = await call.in_thread(lambda: read_texts(call.served, message.offers))
    return messages.CheckTexts(**call.describe(call.served.state), texts=found)


def read_texts(served: ServedModel, numbers: Sequence[int]) -> list[messages.CheckText]:
    ledger, limit = served.check_ledger(), TextLimit(len(numbers))
    with ledger.turn:  # nobody changes the history meanwhile
        offers = ledger.history.labelling.offers
        there = [number for number in numbers if number in offers and offers[number].is_there(ledger.history.last)]
    events = {event.number: event for event in served.queue.read(there)}
    return [describe_text(served, events[number], limit) for number in there if number in events]


def describe_text(served: ServedModel, offer: Event, limit: TextLimit) -> messages.CheckText:
    text, columns = limit.cut_all(list(show_document(offer.details, served.columns.texts)))
    return messages.CheckText(offer=offer.number, text=text, columns=columns)


async def save_check(call: Call, message: messages.SaveCheck) -> Any:
    """Measure the model by the answers of a person, and write the result down. The answers themselves are not kept.

    `answers` has the right label of each text of the sample, in its order; null where nobody gave one. If the model has changed
    since the sample was drawn, the result is that of the model before.
    """
    served, actor = call.served, call.identity.name
    ledger = served.check_ledger()
    change = await call.work(lambda: write_check(PoolSample.open(ledger, message.sample), message.answers))
    event = await call.change(partial(served.append, change, actor))
    call.service.metrics.count("checked", 1)
    return messages.SavedCheck(
        **call.describe(served.state), events=[event.number], check=describe_event(ledger, event, sees_names=True)
    )


async def list_checks(call: Call) -> Any:
    """The checks by hand that are in effect, the newest first. Only teachers and admins see who has checked."""
    served, sees_names = call.served, call.identity.has_role("teacher")
    found = await call.in_thread(lambda: find_checks(served, sees_names=sees_names))
    return messages.Checks(**call.describe(served.state), checks=found)


def find_checks(served: ServedModel, *, sees_names: bool) -> list[messages.CheckFacts]:
    if served.ledger is None:
        known = describe_last(served)
        return [] if known is None else [known]
    ledger = served.ledger
    with ledger.turn:  # nobody changes the history meanwhile
        history = ledger.history
        numbers = sorted((number for number in history.checks if history.is_in_effect(number)), reverse=True)[:MAX_LISTED]
    events = sorted(ledger.pick_events(numbers), key=lambda event: -event.number)
    return [describe_event(ledger, event, sees_names=sees_names) for event in events if not event.is_erased]


def describe_event(ledger: Ledger, event: Event, *, sees_names: bool) -> messages.CheckFacts:
    with ledger.turn:
        covers, history = event.target or 0, ledger.history
        is_current = covers > 0 and history.is_same_model(covers, history.last)
    facts = describe_check(HandCheck.from_dict(event.details), is_current=is_current)
    facts.event, facts.time, facts.actor = event.number, event.time, event.actor if sees_names else None
    return facts


def describe_last(served: ServedModel) -> messages.CheckFacts | None:
    """The check that the model has; None if nobody has checked it."""
    model = served.model
    check = None if model is None else model.hand_check_
    return None if check is None else describe_check(check, is_current=bool(model.is_check_current_))


def describe_check(check: HandCheck, *, is_current: bool) -> messages.CheckFacts:
    return messages.CheckFacts(
        pool=check.pool,
        n=check.n,
        n_pool=check.n_pool,
        accuracy=describe_estimate(check.accuracy),
        shares=[describe_share(share) for share in check.shares],
        is_current=is_current,
        words=check.describe(is_current=is_current),
    )


def describe_share(row: LabelShare) -> messages.ShareFacts:
    return messages.ShareFacts(label=row.label, share=describe_estimate(row.share), predicted=row.predicted)
