"""Judge offered texts, correct an answer, and settle disagreements."""

from collections.abc import Callable
from typing import Any

from tercet.ledger.changes import Verdict
from tercet.ledger.events import Event
from tercet.ledger.label_queue import show_document
from tercet.ledger.labelling import NOTE, Proposal
from tercet.server import messages
from tercet.server.calls import Call
from tercet.server.limits import TextLimit
from tercet.server.pools import propose
from tercet.server.served_model import CLASSIFY, ServedModel

AT_A_TIME = 20  # disagreements that are read together: their texts may be long


async def judge(call: Call, message: messages.Judge) -> Any:
    """Judge an offered text. If enough people agree on its label, it is learned at once."""
    proposal = read_proposal(message.proposal)
    verdict = Verdict(message.kind, message.label, message.note, proposal, message.learn, message.judges)
    served, actor = call.served, call.identity.name
    judged = await answer(call, lambda: served.judge(message.offer, verdict, message.new_labels, actor))
    if message.kind != NOTE:
        served.queue.handed_out.give_back(message.offer, actor)
    return judged


async def correct(call: Call, message: messages.Correct) -> Any:
    """Give a document its right label, which is learned at once. The events tell what the model had said.

    The text is offered in the pool "classify". If it was corrected before, the new label replaces the old one.
    """
    verdict = Verdict(label=message.label, note=message.note, proposal=read_proposal(message.proposal))
    given = messages.Document(text=message.text, columns=message.columns)
    served, actor, subject = call.served, call.identity.name, message.subject
    return await answer(call, lambda: served.correct(given, verdict, message.new_labels, actor, pool=CLASSIFY, subject=subject))


async def settle(call: Call, message: messages.Settle) -> Any:
    """Say which label of a text is right, although people gave different ones. It is learned at once."""
    verdict = Verdict(label=message.label, note=message.note, settles=True)
    served, actor = call.served, call.identity.name
    return await answer(call, lambda: served.judge(message.offer, verdict, message.new_labels, actor))


async def answer(call: Call, change: Callable[[], list[Event]]) -> messages.Judged:
    """Make a change, and tell where its offer stands then."""
    judged = await call.change(lambda: describe_judgment(call, change()))
    call.service.metrics.count("judged", 1)
    return judged


def describe_judgment(call: Call, events: list[Event]) -> messages.Judged:
    ledger = call.served.check_ledger()
    with ledger.turn:  # nobody changes the history meanwhile
        labelling = ledger.history.labelling
        offer = labelling.find_offer(events[0].number)
        assert offer is not None
        document, given = labelling.find_document(offer), next(event for event in events if event.verb == "judge").details
        learned = None if document is None else ledger.history.find_label(document)
        return messages.Judged(
            **call.describe(call.served.state),
            events=[event.number for event in events],
            offer=offer,
            status=labelling.derive_status(offer),
            is_learned=learned is not None and learned == given.get("label"),
            learned_label=learned,
        )


async def list_disagreements(call: Call, message: messages.FindDisagreements) -> Any:
    """List the texts whose judges gave different labels, the newest first, until somebody settles them."""
    found = await call.work(lambda: find_disagreements(call.served, message))
    return messages.Disagreements(**call.describe(call.served.state), offers=found)


def read_proposal(given: messages.GivenProposal | None) -> Proposal | None:
    return None if given is None else Proposal(given.label, given.probability, given.event)


def find_disagreements(served: ServedModel, message: messages.FindDisagreements) -> list[messages.Disagreement]:
    queue, ledger = served.queue, served.check_ledger()
    numbers = queue.pools.list_disagreements(message.pool, message.before, message.limit)
    limit, found = TextLimit(message.limit), []
    for start in range(0, len(numbers), AT_A_TIME):
        some = numbers[start : start + AT_A_TIME]
        with ledger.turn:
            given = {number: [own.number for own in ledger.history.labelling.list_labels(number)] for number in some}
        read = {event.number: event for event in ledger.pick_events([*given, *(n for own in given.values() for n in own)])}
        offers = [read[number] for number in some if not read[number].is_erased]
        ranked, event = queue.rank(offers)
        found += [
            describe_disagreement(served, offer, [read[n] for n in given[offer.number]], propose(best, event), limit)
            for offer, best in zip(offers, ranked, strict=True)
        ]
    return found


def describe_disagreement(
    served: ServedModel, offer: Event, judgments: list[Event], proposal: messages.Proposed | None, limit: TextLimit
) -> messages.Disagreement:
    details = offer.details
    text, columns = limit.cut_all(list(show_document(details, served.columns.texts)))
    return messages.Disagreement(
        offer=offer.number,
        pool=details["pool"],
        text=text,
        columns=columns,
        judgments=[describe_label(event) for event in judgments if not event.is_erased],
        proposal=proposal,
    )


def describe_label(event: Event) -> messages.GivenLabel:
    details = event.details
    return messages.GivenLabel(
        event=event.number, actor=event.actor, label=details["label"], note=details.get("note"), time=event.time
    )
