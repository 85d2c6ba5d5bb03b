"""The history of a model: its events, as people search and read them."""

from collections.abc import Iterable, Sequence
from typing import Any

from tercet.ledger.events import Event
from tercet.ledger.history import History as LedgerHistory
from tercet.ledger.ledger import Ledger
from tercet.server.calls import Call
from tercet.server.limits import TextLimit
from tercet.server.messages import History, HistoryEvent, Search
from tercet.server.problems import Problem

ABOUT_OTHERS = ("undo", "judge", "relabel", "unlearn")


async def search_history(call: Call, message: Search) -> Any:
    """List the events of the ledger, the newest first."""
    ledger = call.served.check_ledger()
    filters = {name: getattr(message, name) for name in ("actor", "verb", "without", "label", "subject", "since", "until")}
    start = {"before": message.before} if message.newer_than is None else {"after": message.newer_than}
    found = await call.work(
        lambda: describe_events(ledger, ledger.search(limit=message.limit, **start, **filters), TextLimit(message.limit))
    )
    return History(**call.describe(call.served.state), events=found)


async def show_event(call: Call) -> Any:
    """One event of the ledger."""
    ledger, number = call.served.check_ledger(), call.event
    events = await call.in_thread(lambda: describe_events(ledger, ledger.events(number, number), None))
    if not events:
        raise Problem(404, "no_event", f"there is no event {number}: the last one is {ledger.head.number}.")
    return events[0]


def describe_events(ledger: Ledger, events: Iterable[Event], limit: TextLimit | None) -> list[HistoryEvent]:
    """The events, the newest first. With a limit, long texts are cut as they are read: all of them may not fit into memory."""
    found = [describe_event(event, ledger.history, limit) for event in events]
    texts = find_target_texts(ledger, [event.number for event in found if event.content is not None], limit)
    for event in found:
        event.target_text = texts.get(event.number)
    return sorted(found, key=lambda event: -event.number)


def find_target_texts(ledger: Ledger, numbers: Sequence[int], limit: TextLimit | None) -> dict[int, str]:
    """The text that each event is about, if it has none of its own: an undo of a judgment is about the text that was judged."""
    verbs, targets = ledger.history.verbs, ledger.history.targets
    wanted = {}
    for number in numbers:
        target = number
        while verbs[target] in ABOUT_OTHERS:
            target = targets[target]
        if target != number:
            wanted[number] = target
    read = ledger.pick_events(set(wanted.values()))
    found = {event.number: None if (text := event.details.get("text")) is None else cut(text, limit) for event in read}
    return {number: text for number, target in wanted.items() if (text := found[target]) is not None}


def cut(value: Any, limit: TextLimit | None) -> Any:
    return value if limit is None else limit.cut_all(value)


def describe_event(event: Event, history: LedgerHistory, limit: TextLimit | None) -> HistoryEvent:
    is_document = event.number in history.documents
    is_learned = history.is_learned(event.number) if is_document else None
    return HistoryEvent(
        number=event.number,
        time=event.time,
        actor=event.actor,
        verb=event.verb,
        target=event.target,
        subject=event.subject,
        content=None if event.is_erased else cut(event.details, limit),
        hash=event.hash.hex(),
        is_in_effect=history.is_in_effect(event.number),
        is_learned=is_learned,
        label_now=history.find_label(event.number) if is_learned else None,
        target_text=None,
    )
