"""The history of a model: its events, as people search and read them."""

from collections.abc import Sequence
from typing import Any

from tercet.ledger.events import Event
from tercet.ledger.history import History as LedgerHistory
from tercet.ledger.ledger import Ledger
from tercet.server.calls import Call
from tercet.server.messages import History, HistoryEvent, Search
from tercet.server.problems import Problem
from tercet.server.served_model import ServedModel

ABOUT_OTHERS = ("undo", "judge", "relabel", "unlearn")


async def search_history(call: Call, message: Search) -> Any:
    """List the events of the ledger, the newest first."""
    ledger = call.served.check_ledger()
    filters = {name: getattr(message, name) for name in ("actor", "verb", "without", "label", "subject", "since", "until")}
    start = {"before": message.before} if message.newer_than is None else {"after": message.newer_than}
    events = await call.work(lambda: list(ledger.search(limit=message.limit, **start, **filters)))
    found = await call.in_thread(lambda: describe_events(call.served, sorted(events, key=lambda event: -event.number)))
    return History(**call.describe(call.served.state), events=found)


async def show_event(call: Call) -> Any:
    """One event of the ledger."""
    ledger, number = call.served.check_ledger(), call.event
    events = await call.in_thread(lambda: list(ledger.events(number, number)))
    if not events:
        raise Problem(404, "no_event", f"there is no event {number}: the last one is {ledger.head.number}.")
    return (await call.in_thread(lambda: describe_events(call.served, events)))[0]


def describe_events(served: ServedModel, events: Sequence[Event]) -> list[HistoryEvent]:
    ledger = served.check_ledger()
    texts = find_target_texts(ledger, events)
    return [describe_event(event, ledger.history, texts.get(event.number)) for event in events]


def find_target_texts(ledger: Ledger, events: Sequence[Event]) -> dict[int, str]:
    """The text that each event is about, if it has none of its own: an undo of a judgment is about the text that was judged."""
    verbs, targets = ledger.history.verbs, ledger.history.targets
    wanted = {}
    for event in events:
        number = event.number
        while verbs[number] in ABOUT_OTHERS:
            number = targets[number]
        if number != event.number:
            wanted[event.number] = number
    found = {event.number: event.details.get("text") for event in ledger.pick_events(set(wanted.values()))}
    return {number: text for number, target in wanted.items() if (text := found[target]) is not None}


def describe_event(event: Event, history: LedgerHistory, target_text: str | None) -> HistoryEvent:
    is_document = event.number in history.documents
    is_learned = history.is_learned(event.number) if is_document else None
    return HistoryEvent(
        number=event.number,
        time=event.time,
        actor=event.actor,
        verb=event.verb,
        target=event.target,
        subject=event.subject,
        content=None if event.is_erased else event.details,
        hash=event.hash.hex(),
        is_in_effect=history.is_in_effect(event.number),
        is_learned=is_learned,
        label_now=history.find_label(event.number) if is_learned else None,
        target_text=None if event.is_erased else target_text,
    )
