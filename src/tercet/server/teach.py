"""Learn, unlearn, relabel, undo, erase and train."""

from itertools import islice
from typing import Any

from tercet.ledger import mentions
from tercet.ledger.certificate import Certificate
from tercet.ledger.erasure import confirm
from tercet.ledger.label_queue import show_document
from tercet.ledger.mentions import list_names
from tercet.server.calls import Call
from tercet.server.classify import check_number
from tercet.server.limits import TextLimit
from tercet.server.messages import (
    CertificateFaults,
    Changed,
    CheckCertificate,
    Erase,
    Erased,
    FindMentions,
    Learn,
    MentioningText,
    Mentions,
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

    The answer comes when all processes of the server answer without them, and no other process has them any more. Processes
    that do not say so in time are named in `unconfirmed` and in the certificate. If the certificate is null, a reader still
    holds old pages of the database. In both cases ask for the certificate later.
    """
    check_number(call, len(message.events or ()))
    served, actor = call.served, call.identity.name
    seconds = min(CERTIFICATE_SECONDS, call.limits.seconds / 2)
    erasure = await call.change(lambda: served.erase(message.subject, message.events, message.names, actor, seconds))
    call.service.metrics.count("erased", erasure.n_documents)
    mentioned = None if erasure.mentions is None else len(erasure.mentions)
    return describe_erasure(call, erasure.number, erasure.n_documents, mentioned, erasure.certificate)


async def find_mentions(call: Call, message: FindMentions) -> Any:
    """List the texts of other people that mention a person. An erasure does not delete them: decide about each."""
    names = list_names(message.subject, message.names)
    if not names:
        raise Problem(422, "invalid", "name whom to look for: a subject, or names.")
    ledger, columns = call.served.check_ledger(), call.served.columns.texts
    limit = TextLimit(message.limit)

    def find() -> tuple[list[MentioningText], int]:
        """The first of these texts, and the number of all of them. Not all of them may fit into memory."""
        found = mentions.find_mentions(ledger, names, subject=message.subject)
        texts = [
            MentioningText(event=each.number, subject=each.subject, text=limit.cut(show_document(each.content, columns)[0]))
            for each in islice(found, message.limit)
        ]
        return texts, len(texts) + sum(1 for _ in found)

    texts, total = await call.work(find)
    return Mentions(**call.describe(call.served.state), total=total, texts=texts)


async def certificate(call: Call) -> Any:
    """Issue the certificate of an erasure, when nobody reads the old pages of the database any more."""
    served, number = call.served, call.event
    ledger = served.check_ledger()
    waiting = served.erasures.get(number)
    if waiting is None:
        issued = await call.in_thread(lambda: confirm(ledger, number, None, 0.0))
    else:
        issued = await call.in_thread(lambda: waiting.confirm(0.0))
        if waiting.is_confirmed:  # otherwise the next one has the salt, too
            served.erasures.pop(number, None)
    mentioned = None if issued.mentions is None else issued.mentions["texts"]
    return describe_erasure(call, number, issued.event.details["documents"], mentioned, issued)


def describe_erasure(call: Call, number: int, documents: int, mentioned: int | None, issued: Certificate | None) -> Erased:
    return Erased(
        **call.describe(call.served.state),
        events=[number],
        documents=documents,
        mentions=mentioned,
        unconfirmed=[] if issued is None else list(issued.unconfirmed),
        certificate=None if issued is None else issued.to_dict(),
    )


async def check_certificate(call: Call, message: CheckCertificate) -> Any:
    """Check a certificate of an erasure: its own hashes, the person if one is named, and the ledger if a model is named."""
    ledger = None if message.model is None else call.find_model(message.model).check_ledger()

    def check() -> CertificateFaults:
        given = Certificate.from_dict(message.certificate)
        return CertificateFaults(list(given.check(ledger=ledger, subject=message.subject)), list(given.notes))

    return await call.work(check)


async def train(call: Call) -> Any:
    """Begin to train the model on all documents, in the background."""
    trainer = call.trainer
    if not trainer.can_train:
        raise Problem(409, "nothing_to_train", f"{call.served.name!r} follows from its counts, or its documents are not known.")
    trainer.begin(call.identity.name)
    return Training(**call.describe(call.served.state), training=trainer.state)
