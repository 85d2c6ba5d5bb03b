"""Pools of texts to label: import a file, list the pools, and give out the next texts.

A file is read piece by piece, while it arrives, without a copy on the disk.
"""

from collections.abc import Sequence
from contextlib import closing
from functools import partial
from typing import Any

from tercet.data.documents import NUMBERED, DocumentBatch
from tercet.data.reading import DocumentStream, FedDocuments
from tercet.data.source import BLOCK_BYTES
from tercet.errors import BadRow as BadRowError
from tercet.ledger.label_queue import QueuedText, show_document
from tercet.ledger.labelling import STATUSES, Judgment
from tercet.ledger.ledger import Ledger
from tercet.ledger.pools import PoolImport
from tercet.report.prediction_lines import Ranked
from tercet.server import messages
from tercet.server.calls import Call, parse_content_type
from tercet.server.limits import TextLimit
from tercet.server.problems import Problem
from tercet.server.served_model import ServedModel
from tercet.server.uploads import Body, EncodingWatch, choose_encoding, open_documents, spell_for_clients

FORMATS = {"text/csv": "csv", "application/x-ndjson": "jsonl", "text/plain": "text"}
MAX_BAD = 20  # bad rows that an answer lists
MAX_LABELS = 20  # of a proposal
MAX_NAME_LENGTH = 200  # characters


async def import_pool(call: Call) -> Any:
    """Offer the texts of a file for labelling, in the pool that `name` names.

    The file is text/csv, application/x-ndjson, or text/plain with a text on each line. It is read while it arrives, and may
    have any size. `subject` names the column of the person whom a text is about. Texts that the pool has already are left out:
    an import that was cut off can be sent again.
    """
    kind, name = parse_content_type(call.request), call.request.query_params.get("name", "")
    if kind not in FORMATS:
        raise Problem(415, "unknown_type", f"send {', '.join(FORMATS)}; got {kind or 'no Content-Type'}.")
    if not name.strip() or len(name) > MAX_NAME_LENGTH:
        raise Problem(422, "invalid", f"name the pool: ?name=NAME, with 1 to {MAX_NAME_LENGTH} characters.")
    ledger, subject = call.served.check_ledger(), call.request.query_params.get("subject")
    job, body = PoolImport(ledger, name, call.identity.name, subject), Body(call.request, call.limits)
    with call.service.imports.take(call.user), closing(body):
        try:
            async with body.explain_errors():
                stream = await import_file(call, job, body, FORMATS[kind])
        finally:
            call.served.imports.pop(job, None)
    call.service.metrics.count("offered", job.n_offered)
    return await call.change(partial(describe_import, call, job, stream))  # without a time limit: it is written already


async def import_file(call: Call, job: PoolImport, body: Body, form: str) -> DocumentStream:
    """Read a file into a pool."""
    beginning = await body.read_block()
    encoding, is_certain = choose_encoding(call.request, beginning)
    watch = EncodingWatch(is_certain=is_certain)
    options = {
        "format": form,
        "encoding": encoding,
        "is_whole": body.is_over,
        "text": call.request.query_params.get("text"),
        "columns": [] if job.subject_column is None else [job.subject_column],
    }
    await call.work(lambda: watch.look(beginning))
    fed = await call.work(partial(open_documents, call.served, job.pool, beginning, call.limits, **options))
    await call.change(lambda: offer_texts(call.served, job, fed.feed(b"")))
    async for piece in body.read_pieces(BLOCK_BYTES):
        await call.work(partial(watch.look, piece))
        await call.change(partial(feed_texts, call.served, job, fed, piece))
    for _ in range(2):  # an error that came after documents is raised by the second call
        await call.change(lambda: offer_texts(call.served, job, fed.finish()))
    return fed.stream


def feed_texts(served: ServedModel, job: PoolImport, fed: FedDocuments, piece: bytes) -> None:
    offer_texts(served, job, fed.feed(piece))


def offer_texts(served: ServedModel, job: PoolImport, batches: Sequence[DocumentBatch]) -> None:
    """Offer texts in the pool, and tell how far the import is."""
    for batch in batches:
        job.add(batch)
        served.imports[job] = messages.ImportProgress(job.pool, job.n_read, job.n_offered)
    served.follow()


def describe_import(call: Call, job: PoolImport, stream: DocumentStream) -> messages.Imported:
    return messages.Imported(
        **call.describe(call.served.state),
        pool=job.pool,
        read=stream.n_rows,
        offered=job.n_offered,
        skipped_duplicates=job.n_copies,
        bad=stream.n_bad + job.n_left_out,
        bad_rows=[describe_bad(error) for error in stream.bad_rows[:MAX_BAD]],
        findings=job.describe(),
        events=[] if job.first is None or job.last is None else [job.first, job.last],
    )


def describe_bad(error: BadRowError) -> messages.BadRow:
    """
    >>> describe_bad(BadRowError("new.csv, line 17", "it has no text."))
    BadRow(row=17, message='it has no text.')
    """
    found = NUMBERED.search(error.place)
    return messages.BadRow(int(found[1]) if found else None, spell_for_clients(error.reason))


async def list_pools(call: Call) -> Any:
    """List the pools, with how many of their texts are labelled."""
    counts = await call.work(call.served.queue.pools.count)
    found = [
        messages.PoolFacts(name, own.total(), **{status: own[status] for status in STATUSES}) for name, own in counts.items()
    ]
    return messages.PoolList(**call.describe(call.served.state), pools=found)


async def delete_pool(call: Call, message: messages.DeletePool) -> Any:
    """Delete a pool: nobody is asked for its texts any more.

    What was learned from it stays learned, and the history keeps its texts: an erasure deletes those of a person for ever. If
    others have judged texts of the pool, this needs the role admin.
    """
    served, actor = call.served, call.identity.name
    ledger = served.check_ledger()
    judges = await call.in_thread(lambda: list_judges(ledger, message.pool))
    if not call.identity.has_role("admin") and judges - {actor}:
        words = f"others have judged texts of the pool {message.pool!r}: this needs the role admin."
        raise Problem(403, "not_allowed", words)
    events = await call.change(lambda: served.withdraw(message.pool, actor))
    return messages.Changed(**call.describe(served.state), events=[event.number for event in events])


def list_judges(ledger: Ledger, pool: str) -> set[str]:
    """Who has judged texts of a pool."""
    with ledger.turn:  # nobody changes the history meanwhile
        return ledger.history.labelling.list_judges(pool)


async def pick_texts(call: Call, message: messages.NextTexts) -> Any:
    """The texts that this user should judge next, with what the model says of them.

    A text that the user has judged or skipped does not come again, unless that is undone. Texts that others have judged, but
    not enough of them, come first.
    """
    await call.wait_for(message.after)
    served, actor = call.served, call.identity.name
    found = await call.work(
        lambda: served.queue.pick(message.pool, actor, order=message.order, limit=message.limit, judges=message.judges)
    )
    limit = TextLimit(message.limit)
    return messages.QueuedTexts(**call.describe(served.state), offers=[describe_text(served, text, limit) for text in found])


def describe_text(served: ServedModel, text: QueuedText, limit: TextLimit) -> messages.QueuedText:
    details = text.offer.details
    shown, columns = limit.cut_all(list(show_document(details, served.columns.texts)))
    return messages.QueuedText(
        offer=text.offer.number,
        text=shown,
        columns=columns,
        row=details.get("row"),
        proposal=propose(text.ranked, text.event),
        judged_by_me=None if text.own is None else describe_own(text.own),
        n_judgments=text.n_labels,
    )


def propose(ranked: Ranked, event: int) -> messages.Proposed | None:
    """The proposal of a model; None if there was no model."""
    if not ranked:
        return None
    labels = [messages.Scored(label, probability) for label, probability in ranked[:MAX_LABELS]]
    return messages.Proposed(labels[0].label, labels[0].probability, labels, event=event)


def describe_own(judgment: Judgment) -> messages.OwnJudgment:
    return messages.OwnJudgment(event=judgment.number, kind=judgment.kind, label=judgment.label)
