"""Erasure: the documents about a person are deleted for ever, with everything that was derived from them.

The events stay in the chain, without salt, content and subject. New labels of the documents go, too, and the checksums of
models that had learned them: with all other documents, a checksum would let one test a guess of the deleted text. If the text
was offered for labelling, the offer and its judgments go, too. The erasure is confirmed, and a certificate is issued, when each
other process that has the ledger open has dropped the documents (`open_processes.py`), and no reader holds the old pages of the
database any more. A process that does not answer in time is named.
"""

import math
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from secrets import token_bytes
from typing import TYPE_CHECKING

from tercet.errors import CannotWrite, InvalidOption, NeverLearned
from tercet.ledger.certificate import Certificate, hash_subject, list_outside
from tercet.ledger.events import N_SALT, Draft, check_name
from tercet.ledger.lost_model import has_model
from tercet.ledger.mentions import find_mentions, list_names
from tercet.ledger.open_processes import DropWait
from tercet.ledger.publishing import Remake, publish_after_erasure
from tercet.ledger.replay import Replay
from tercet.text.vectors.encoded_words import drop_encoded_texts

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

STEP_SECONDS = 0.05
PROCESS_SECONDS = 60.0  # to wait for other processes


@dataclass
class Erasure:
    """An erasure, and its certificate when it is confirmed."""

    ledger: "Ledger"
    number: int  # of the event
    n_documents: int
    replay: Replay | None  # the model afterwards; None if no document is left, or if there was none before
    subject_salt: bytes | None
    mentions: tuple[int, ...] | None  # texts of others that mention the person; None if no name is known
    certificate: Certificate | None = None

    @property
    def is_confirmed(self) -> bool:
        """Whether there is a certificate, which names no process."""
        return self.certificate is not None and not self.certificate.unconfirmed

    def confirm(self, wait_seconds: float | None) -> Certificate:
        """The certificate, when all processes have dropped the documents, and nobody reads the old pages any more.

        It names the processes that take longer. Raises CannotWrite if a reader of old pages takes longer.
        """
        self.certificate = confirm(self.ledger, self.number, self.subject_salt, wait_seconds)
        return self.certificate


def erase(
    ledger: "Ledger",
    subject: str | None,
    events: Sequence[int],
    actor: str,
    wait_seconds: float | None,
    *,
    names: Sequence[str] = (),
    train: bool,
) -> Erasure:
    """Erase documents. There is no certificate yet if a reader holds old pages for longer than `wait_seconds`."""
    erasure = erase_unconfirmed(ledger, subject, events, actor, names=names, train=train)
    with suppress(CannotWrite):
        erasure.confirm(wait_seconds)
    return erasure


def erase_unconfirmed(
    ledger: "Ledger", subject: str | None, events: Sequence[int], actor: str, *, names: Sequence[str] = (), train: bool
) -> Erasure:
    """Erase documents. The certificate comes when the erasure is confirmed."""
    keeps_model = has_model(ledger, ledger.head.number)
    return write_erasure(ledger, subject, events, actor, names=names, train=train, keeps_model=keeps_model)


def write_erasure(
    ledger: "Ledger",
    subject: str | None,
    events: Sequence[int],
    actor: str,
    *,
    keeps_model: bool,
    names: Sequence[str] = (),
    train: bool = False,
    prepare: Callable[[Sequence[int]], Remake] = lambda _: lambda: None,
) -> Erasure:
    """Erase documents in the tables. What the database keeps of their bytes elsewhere is deleted when it is confirmed.

    `prepare` gets the numbers of the documents while their texts are still there: see `publish_after_erasure`.
    `keeps_model` says whether there is a model now: then there must be one afterwards, too, unless no document is left.
    `names` are other names of the person: texts of others that have one are not erased, but listed.
    """
    known_names = list_names(subject, names)
    salt = None if subject is None else token_bytes(N_SALT)
    with ledger.transaction():
        history = ledger.history
        found = history.labelling.list_related(find_named(ledger, subject, events))
        documents = sorted(found & history.documents.keys())
        remake = prepare(documents)
        erased = sorted({*found, *history.list_derived(found)})
        digest = None if subject is None or salt is None else hash_subject(salt, subject)
        mentions = tuple(each.number for each in find_mentions(ledger, known_names, without=found)) if known_names else None
        content = {"events": erased, "documents": len(documents), "subject": digest, "outside": list_outside(ledger)}
        if mentions is not None:
            content["mentions"] = {"names": len(known_names), "texts": len(mentions)}
        draft = Draft("erase", content)
        number = ledger.append(lambda _: [draft], actor)[0].number
        ledger.database.blank(erased)
        drop_encoded_texts()
        replay = publish_after_erasure(ledger, actor, train=train, keeps_model=keeps_model, remake=remake)
    return Erasure(ledger, number, len(documents), replay, salt, mentions)


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
    """The certificate of an erasure, when its bytes are nowhere in the database and its log, and in no other process.

    Processes are waited for at most a minute.
    """
    Certificate.issue(ledger, number)  # an error if the event is no erasure
    started = time.monotonic()
    seconds = PROCESS_SECONDS if wait_seconds is None else min(wait_seconds, PROCESS_SECONDS)
    unconfirmed = DropWait(ledger, number).wait(seconds)
    rest = None if wait_seconds is None else max(0.0, wait_seconds - (time.monotonic() - started))
    if not scrub(ledger, rest):
        raise CannotWrite(
            f"{ledger.name}: somebody still reads the database as it was before the erasure, so it can't be confirmed yet. "
            f"The erasure itself is written (event {number}). When the reader has ended: tercet ledger certificate."
        )
    return Certificate.issue(ledger, number, salt, unconfirmed)


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
