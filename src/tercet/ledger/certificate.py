"""The certificate of an erasure. It can be checked without the ledger, and better with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tercet.errors import InvalidFile, InvalidOption, shorten
from tercet.ledger.events import Event, Link, write_canonical
from tercet.store.model_file import read_json

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

KIND, OLD_KIND = "tercet erasure 2", "tercet erasure 1"
OUTSIDE = (
    "copies of the model file, of the ledger and of its exports that were made before, and backups of them",
    "copies of the texts in other files, such as the data that were imported",
    "texts of other people that mention the person",
    "what the file system or the disk keep of deleted blocks",
    "answers that the model gave before",
    "programs that have the ledger open, but may not write to its list of processes",
    "times and actors of the events, which stay in the ledger",
)
OLD_COVER = (
    "it is of an older kind: only its events are under a hash. Its list of what is outside, its ledger and its salt may have "
    "been changed, and events may be missing at its end"
)
OUTSIDE_START = "what the model that the ledger began with has learned: its documents are not in the ledger"


@dataclass(frozen=True)
class Certificate:
    """What was erased, and the model afterwards.

    - `ledger`: the hash of the first event, which no other ledger has.
    - `events`: the `erase` event, and those after it up to the `publish` event, which has the checksum of the model afterwards.
      There is no such event if no document is left, or if a later erasure has deleted the checksum.
    - `subject_salt`: with it, the hash of the subject in the event can be checked. It is only in the first certificate and
      never in the ledger, so that nobody can look for a person there.
    - `outside`: what the erasure does not reach.
    - `mentions`: how many names of the person were looked for in the texts of other people, and how many texts have one; None
      if no name was given. The texts are not named: the list would point at the person.
    - `unconfirmed`: the processes that had the ledger open, and did not say in time that they have dropped the documents.
    - `hash`: SHA-256 of everything else, as JSON with sorted keys and without blanks; None in a certificate of the old kind.
    """

    ledger: str
    events: tuple[Event, ...]
    subject_salt: str | None
    outside: tuple[str, ...]
    unconfirmed: tuple[str, ...] = ()
    hash: str | None = None

    @classmethod
    def issue(cls, ledger: "Ledger", number: int, salt: bytes | None = None, unconfirmed: Sequence[str] = ()) -> "Certificate":
        """The certificate of the `erase` event with this number."""
        first = next(ledger.events(1, 1))
        events = list(ledger.events(number, number + 2))
        if not events or events[0].verb != "erase":
            raise InvalidOption(f"event {number} is no erasure: name the event of one. `tercet ledger show` lists the events.")
        verbs = [event.verb for event in events]
        n = 2 if verbs[1:2] == ["publish"] else 3 if verbs[1:] == ["train", "publish"] else 1
        chosen = events[:1] if events[n - 1].is_erased else events[:n]
        outside = chosen[0].details.get("outside", list_outside(ledger))
        parts = first.hash.hex(), tuple(chosen), None if salt is None else salt.hex(), tuple(outside), tuple(unconfirmed)
        return cls(*parts, hash=cls(*parts, hash="").compute_hash())

    @property
    def event(self) -> Event:
        """The `erase` event."""
        return self.events[0]

    @property
    def model(self) -> str | None:
        """The checksum of the model file after the erasure, if it is known."""
        return self.events[-1].details.get("model")

    @property
    def mentions(self) -> dict[str, int] | None:
        return self.event.details.get("mentions")

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON."""
        old = {
            "certificate": OLD_KIND,
            "ledger": self.ledger,
            "events": [event.to_dict() for event in self.events],
            "model": self.model,
            "subject_hash": self.event.details["subject"],
            "subject_salt": self.subject_salt,
            "outside": list(self.outside),
        }
        if self.hash is None:
            return old
        new = {"certificate": KIND, "mentions": self.mentions, "unconfirmed": list(self.unconfirmed), "hash": self.hash}
        return old | new

    def compute_hash(self) -> str:
        """The hash that the certificate should have."""
        covered = {name: value for name, value in self.to_dict().items() if name != "hash"}
        return sha256(write_canonical(covered)).hexdigest()

    @classmethod
    def from_dict(cls, written: Any) -> "Certificate":
        """The certificate in a file. Raises InvalidFile if it is none; `check` says whether it is true."""
        try:
            if (kind := written["certificate"]) not in (KIND, OLD_KIND):
                raise ValueError("it is of another kind")
            events, outside = tuple(map(Event.from_dict, written["events"])), tuple(map(str, written["outside"]))
            is_new = kind == KIND
            unconfirmed, digest = (tuple(map(str, written["unconfirmed"])), str(written["hash"])) if is_new else ((), None)
            certificate = cls(str(written["ledger"]), events, written["subject_salt"], outside, unconfirmed, digest)
            if write_canonical(certificate.to_dict()) != write_canonical(written):  # for Python, 1 and 1.0 are equal
                raise ValueError("its parts contradict each other")
            certificate.check(subject="")  # an error if a value has another type
        except (TypeError, ValueError, LookupError, AttributeError) as error:
            raise InvalidFile(f"this is no certificate of an erasure, or it was changed: {shorten(str(error))}.") from error
        return certificate

    def check(self, *, ledger: "Ledger | None" = None, subject: str | None = None, model: str | None = None) -> tuple[str, ...]:
        """What is wrong with it, in sentences; none if it is true as far as this can be checked.

        Without a ledger, only its own hashes are checked. `subject` is the name of the person. `model` is the checksum of a
        model file: it must be the one after the erasure, or one that the ledger has published since.
        """
        faults = ["" if self.event.verb == "erase" else f"event {self.event.number} is no erasure", self._check_own()]
        last = Link(self.event.number - 1, self.event.previous)
        for event in self.events:
            faults.append(event.describe_fault(last))
            last = event.link
        if subject is not None:
            faults.append(self._check_subject(subject))
        if model is not None:
            faults.append(self._check_model(model, ledger))
        if ledger is not None and not any(faults):  # a changed certificate may have any values
            faults.append(self._check_ledger(ledger))
        return tuple(filter(None, faults))

    @property
    def notes(self) -> tuple[str, ...]:
        """What `check` can't know, or what the certificate itself restricts, in sentences."""
        left = [f"{name} had the ledger open, and has not confirmed the erasure" for name in self.unconfirmed]
        return (*([OLD_COVER] if self.hash is None else []), *left)

    def _check_own(self) -> str:
        """A fault if something was changed that is under no hash of an event."""
        if self.hash is not None and self.hash != self.compute_hash():
            return "it was changed since it was issued: its hash is wrong"
        outside = self.event.details.get("outside", list(self.outside))
        return "" if outside == list(self.outside) else "its list of what is outside is not that of its event"

    def _check_model(self, model: str, ledger: "Ledger | None") -> str:
        if model == self.model:
            return ""
        if ledger is None:
            return "the model file is not the one after the erasure; if it was published later, only the ledger can tell"
        later = [number for number in ledger.history.publications if number > self.event.number]
        known = {event.details.get("model") for event in ledger.pick_events(later)}
        return "" if model in known else "the model file is not the one after the erasure, and was not published since"

    def _check_subject(self, subject: str) -> str:
        if self.subject_salt is None:
            return "it does not say who the subject was: only the first certificate has the salt"
        digest = hash_subject(bytes.fromhex(self.subject_salt), subject)
        return "" if digest == self.event.details["subject"] else "it is about another subject"

    def _check_ledger(self, ledger: "Ledger") -> str:
        """A fault if this ledger does not have the event, or still has something that was erased."""
        if next(ledger.events(1, 1)).hash.hex() != self.ledger:
            return "it belongs to another ledger"
        own = next(ledger.events(self.event.number, self.event.number), None)
        if own is None or own.hash != self.event.hash:
            return f"the ledger does not have its event {self.event.number}"
        erased = self.event.details["events"]
        left = [n for n in erased for event in ledger.events(n, n) if not event.is_erased]
        return f"the ledger still has the content of event {left[0]}" if left else ""


def list_outside(ledger: "Ledger") -> tuple[str, ...]:
    """What an erasure in this ledger does not reach."""
    start = (OUTSIDE_START,) if ledger.has_start else ()
    return (*start, *ledger.database.outside, *OUTSIDE)


def read_certificate(path: Path) -> Certificate:
    """The certificate in a file of JSON."""
    try:
        written = read_json(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not JSON"
        raise InvalidFile(f"{path} can't be read as a certificate: {reason}.") from error
    return Certificate.from_dict(written)


def hash_subject(salt: bytes, subject: str) -> str:
    return sha256(salt + subject.encode()).hexdigest()
