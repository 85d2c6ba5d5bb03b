"""Learn, unlearn, relabel, undo, erase and train."""

from typing import Any

from tercet.ledger.certificate import Certificate
from tercet.ledger.erasure import confirm
from tercet.server.calls import Call
from tercet.server.classify import check_number
from tercet.server.messages import (
    CertificateFaults,
    Changed,
    CheckCertificate,
    Erase,
    Erased,
    Learn,
    Relabel,
    Training,
    Undo,
    Unlearn,
)
from tercet.server.problems import Problem

CERTIFICATE_SECONDS = 20.0  # to wait for readers of the old database


async def learn(call: Call, message: Learn) -> Any:
    """Learn documents.

    The answer comes when the events are on the disk, and from then on the model has learned them.
    """
    check_number(call, len(message.documents))
    actor = call.identity.name
    events = await call.change(lambda: call.served.learn(message.documents, message.new_labels, actor))
    return describe_change(call, "learned", events)


async def unlearn(call: Call, message: Unlearn) -> Any:
    """Forget documents, exactly. Their texts stay in the ledger, so this can be undone."""
    check_number(call, len(message.documents or message.events or ()))
    actor = call.identity.name
    events = await call.change(lambda: call.served.unlearn(message.documents, message.events, actor))
    return describe_change(call, "unlearned", events)


async def relabel(call: Call, message: Relabel) -> Any:
    """Give a learned document another label."""
    actor = call.identity.name
    events = await call.change(lambda: call.served.relabel(message.event, message.label, message.new_labels, actor))
    return describe_change(call, "relabelled", events)


async def undo(call: Call, message: Undo) -> Any:
    """Undo an event: a document that was learned, unlearned or relabelled, or another undo."""
    actor = call.identity.name
    events = await call.change(lambda: call.served.undo(message.event, actor))
    return describe_change(call, "undone", events)


def describe_change(call: Call, what: str, events: Any) -> Changed:
    call.service.metrics.count(what, len(events))
    return Changed(**call.describe(call.served.state), events=[event.number for event in events])


async def erase(call: Call, message: Erase) -> Any:
    """Delete the documents about a person, or of some events, for ever. The answer has the certificate.

    The model answers without them at once. If the certificate is null, a reader still holds old pages of the database: ask for
    the certificate later.
    """
    check_number(call, len(message.events or ()))
    served, actor = call.served, call.identity.name
    seconds = min(CERTIFICATE_SECONDS, call.limits.seconds / 2)
    erasure = await call.change(lambda: served.erase(message.subject, message.events, actor, seconds))
    call.service.metrics.count("erased", erasure.n_documents)
    issued = None if erasure.certificate is None else erasure.certificate.to_dict()
    state = call.describe(served.state)
    return Erased(**state, events=[erasure.number], documents=erasure.n_documents, certificate=issued)


async def certificate(call: Call) -> Any:
    """Issue the certificate of an erasure, when nobody reads the old pages of the database any more."""
    served, number = call.served, call.request.path_params["event"]
    ledger = served.check_ledger()
    waiting = served.erasures.get(number)
    if waiting is None:
        issued = await call.in_thread(lambda: confirm(ledger, number, None, 0.0))
    else:
        issued = await call.in_thread(lambda: waiting.confirm(0.0))
        served.erasures.pop(number, None)
    return Erased(
        **call.describe(served.state),
        events=[number],
        documents=issued.event.details["documents"],
        certificate=issued.to_dict(),
    )


async def check_certificate(call: Call, message: CheckCertificate) -> Any:
    """Check a certificate of an erasure: its own hashes, the person if one is named, and the ledger if a model is named."""
    ledger = None if message.model is None else call.find_model(message.model).check_ledger()
    found = await call.in_thread(
        lambda: Certificate.from_dict(message.certificate).check(ledger=ledger, subject=message.subject)
    )
    return CertificateFaults(list(found))


async def train(call: Call) -> Any:
    """Begin to train the model on all documents, in the background."""
    trainer = call.trainer
    if not trainer.can_train:
        raise Problem(409, "nothing_to_train", f"{call.served.name!r} follows from its counts, or its documents are not known.")
    trainer.begin(call.identity.name)
    return Training(**call.describe(call.served.state), training=trainer.state)
