"""Pools of texts to label: import a file, list the pools, and give out the next texts.

A thread reads a file piece by piece, while it arrives, without a copy on the disk.
"""

import asyncio
import io
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

from anyio import from_thread
from starlette.requests import ClientDisconnect

from tercet.data.documents import NUMBERED
from tercet.data.reading import DocumentStream, read_upload
from tercet.data.source import BLOCK_BYTES, detect_compression
from tercet.errors import BadRow as BadRowError
from tercet.errors import MissingColumn
from tercet.ledger.label_queue import QueuedText, show_document
from tercet.ledger.labelling import STATUSES, Judgment
from tercet.ledger.pools import PoolImport
from tercet.report.prediction_lines import Ranked
from tercet.server import messages
from tercet.server.calls import Call, parse_content_type
from tercet.server.limits import Limits, too_large
from tercet.server.problems import Problem
from tercet.server.served_model import ServedModel


class Upload(io.RawIOBase):
    """The body of a request, for a thread of the server. A line may be as long as a request may be large."""

    def __init__(self, body: AsyncIterator[bytes], limits: Limits, beginning: bytes = b"") -> None:
        self._body, self._limits, self._beginning = body, limits, beginning
        self._rest, self._n_line, self._is_first = beginning, 0, True

    def begin_again(self) -> "Upload":
        """The same file from its beginning. It must not have been read further than its first part."""
        return Upload(self._body, self._limits, self._beginning)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = from_thread.run(self._receive)
            self._check(self._rest)
            self._beginning += self._rest if len(self._beginning) < BLOCK_BYTES else b""
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n

    async def _receive(self) -> bytes:
        """The next bytes; empty at the end."""
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for part in self._body:
                    if part:
                        return part
        except (TimeoutError, ClientDisconnect):
            raise Problem(408, "too_slow", "the file ended before it was complete. What had arrived is kept.") from None
        return b""

    def _check(self, part: bytes) -> None:
        if self._is_first and detect_compression(part) is not None:
            raise Problem(415, "compressed", "the file is compressed: send it as plain text, CSV or lines of JSON.")
        self._is_first = False
        end = part.rfind(b"\n")
        self._n_line = len(part) - end - 1 + (self._n_line if end < 0 else 0)
        if self._n_line > self._limits.body:
            raise too_large(self._limits)


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
    job = PoolImport(ledger, name, call.identity.name, subject)
    try:
        answer = await call.change(partial(import_file, call, job, Upload(call.request.stream(), call.limits), FORMATS[kind]))
    finally:
        call.served.imports.pop(job, None)
    call.service.metrics.count("offered", job.n_offered)
    return answer


def import_file(call: Call, job: PoolImport, file: Upload, form: str) -> messages.Imported:
    """Read a file into a pool."""
    served = call.served
    stream = open_file(served, job, file, form)
    for batch in stream:
        job.add(batch)
        served.imports[job] = messages.ImportProgress(job.pool, job.n_read, job.n_offered)
    served.follow()
    return messages.Imported(
        **call.describe(served.state),
        pool=job.pool,
        read=stream.n_rows,
        offered=job.n_offered,
        skipped_duplicates=job.n_copies,
        bad=stream.n_bad + job.n_blank,
        bad_rows=[describe_bad(error) for error in stream.bad_rows[:MAX_BAD]],
        findings=job.describe(),
        events=[] if job.first is None or job.last is None else [job.first, job.last],
    )


def open_file(served: ServedModel, job: PoolImport, file: Upload, form: str) -> DocumentStream:
    """The texts of a file. If it does not have the text column that the model was trained on, the column is guessed."""
    columns = [] if job.subject_column is None else [job.subject_column]
    try:
        return read_upload(job.pool, file, format=form, like=served.model, columns=columns)
    except MissingColumn as error:
        if error.column in columns or not served.columns.are_plain:
            raise
        return read_upload(job.pool, file.begin_again(), format=form, columns=columns)


def describe_bad(error: BadRowError) -> messages.BadRow:
    """
    >>> describe_bad(BadRowError("new.csv, line 17", "it has no text."))
    BadRow(row=17, message='it has no text.')
    """
    found = NUMBERED.search(error.place)
    return messages.BadRow(int(found[1]) if found else None, error.reason)


async def list_pools(call: Call) -> Any:
    """List the pools, with how many of their texts are labelled."""
    counts = await call.in_thread(call.served.queue.pools.count)
    found = [
        messages.PoolFacts(name, own.total(), **{status: own[status] for status in STATUSES}) for name, own in counts.items()
    ]
    return messages.PoolList(**call.describe(call.served.state), pools=found)


async def pick_texts(call: Call, message: messages.NextTexts) -> Any:
    """The texts that this user should judge next, with what the model says of them.

    A text that the user has judged or skipped does not come again, unless that is undone. Texts that others have judged, but
    not enough of them, come first.
    """
    await call.wait_for(message.after)
    served, actor = call.served, call.identity.name
    found = await call.in_thread(
        lambda: served.queue.pick(message.pool, actor, order=message.order, limit=message.limit, judges=message.judges)
    )
    return messages.QueuedTexts(**call.describe(served.state), offers=[describe_text(served, text) for text in found])


def describe_text(served: ServedModel, text: QueuedText) -> messages.QueuedText:
    details = text.offer.details
    shown, columns = show_document(details, served.columns.texts)
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
