"""Erasure: the documents about a person are deleted for ever, with everything that was derived from them.

The events stay in the chain, without salt, content and subject. New labels of the documents go, too, and the checksums of
models that had learned them: with all other documents, a checksum would let one test a guess of the deleted text. If the text
was offered for labelling, the offer and its judgments go, too. The erasure is confirmed, and a certificate is issued, only when
no reader holds the old pages of the database any more.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_bytes
from typing import TYPE_CHECKING

from tercet.errors import CannotWrite, InvalidOption, NeverLearned
from tercet.ledger.certificate import Certificate, hash_subject
from tercet.ledger.events import N_SALT, Draft, check_name
from tercet.ledger.publishing import Remake, publish_after_erasure
from tercet.ledger.replay import Replay

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

STEP_SECONDS = 0.05


@dataclass
class Erasure:
    """An erasure, and its certificate when it is confirmed."""

    ledger: "Ledger"
    number: int  # of the event
    n_documents: int
    replay: Replay | None  # the model afterwards; None if no document is left
    subject_salt: bytes | None
    certificate: Certificate | None = None

    def confirm(self, wait_seconds: float | None) -> Certificate:
        """The certificate, when nobody reads the old pages any more. Raises CannotWrite if that takes longer."""
        self.certificate = confirm(self.ledger, self.number, self.subject_salt, wait_seconds)
        return self.certificate


def erase(
    ledger: "Ledger", subject: str | None, events: Sequence[int], actor: str, wait_seconds: float | None, *, train: bool
) -> Erasure:
    """Erase documents. There is no certificate yet if a reader holds old pages for longer than `wait_seconds`."""
    erasure = write_erasure(ledger, subject, events, actor, train=train)
    with suppress(CannotWrite):
        erasure.confirm(wait_seconds)
    return erasure


def write_erasure(
    ledger: "Ledger",
    subject: str | None,
    events: Sequence[int],
    actor: str,
    *,
    train: bool = False,
    prepare: Callable[[Sequence[int]], Remake] = lambda _: lambda: None,
) -> Erasure:
    """Erase documents in the tables. What the database keeps of their bytes elsewhere is deleted when it is confirmed.

    `prepare` gets the numbers of the documents while their texts are still there: see `publish_after_erasure`.
    """
    salt = None if subject is None else token_bytes(N_SALT)
    with ledger.transaction():
        history = ledger.history
        found = history.labelling.list_related(find_named(ledger, subject, events))
        documents = sorted(found & history.documents.keys())
        remake = prepare(documents)
        erased = sorted({*found, *history.list_derived(found)})
        digest = None if subject is None or salt is None else hash_subject(salt, subject)
        draft = Draft("erase", {"events": erased, "documents": len(documents), "subject": digest})
        number = ledger.append(lambda _: [draft], actor)[0].number
        ledger.database.blank(erased)
        replay = publish_after_erasure(ledger, actor, train=train, remake=remake)
    return Erasure(ledger, number, len(documents), replay, salt)


def find_named(ledger: "Ledger", subject: str | None, events: Sequence[int]) -> list[int]:
    """The documents and offers to erase, learned or not."""
    if (subject is None) == (not events):
        raise InvalidOption("name a subject, or the events of documents, to say what is erased: one of both.")
    known = ledger.history.documents
    if subject is None:
        offers = ledger.history.labelling.offers
        for number in events:
            if number in offers and offers[number].key:
                continue
            if not known.get(number):
                raise NeverLearned(f"event {number} is no document, or is erased already. Nothing is erased.")
        return list(dict.fromkeys(events))
    found = ledger.database.find_subject(check_name("a subject", subject), looks_at_all=True)
    if not found:
        raise NeverLearned("no document of the ledger is about this subject, or all are erased already. Nothing is erased.")
    return found


def confirm(ledger: "Ledger", number: int, salt: bytes | None, wait_seconds: float | None) -> Certificate:
    """The certificate of an erasure, when its bytes are nowhere in the database and its log."""
    certificate = Certificate.issue(ledger, number, salt)
    if not scrub(ledger, wait_seconds):
        raise CannotWrite(
            f"{ledger.name}: somebody still reads the database as it was before the erasure, so it can't be confirmed yet. "
            f"The erasure itself is written (event {number}). When the reader has ended: tercet ledger certificate."
        )
    return certificate


def scrub(ledger: "Ledger", wait_seconds: float | None) -> bool:
    """Delete what the database keeps of erased bytes. Returns whether no reader held it before the time was over.

    Others can write between two attempts.
    """
    until = math.inf if wait_seconds is None else time.monotonic() + wait_seconds
    is_rewritten = False
    while True:
        with ledger.turn:
            is_rewritten = is_rewritten or ledger.database.rewrite()
            if is_rewritten and ledger.database.empty_log():
                return True
        if time.monotonic() >= until:
            return False
        time.sleep(STEP_SECONDS)
