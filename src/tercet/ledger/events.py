"""Events: the lines of a ledger, in a chain of hashes.

The hash of an event is made of everything that stays for ever: number, time, actor, verb, target, the hash of the event before,
and a commitment. The commitment is SHA-256(salt ‖ content), with a random salt for each event; if the event has a subject,
0 ‖ subject follows the content. So salt, content and subject can be deleted, and the chain still verifies. Without the salt,
nobody can test a guess of what was deleted.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes
from typing import Any, NamedTuple

from tercet.errors import InvalidOption, shorten

VERBS = (
    *("begin", "import", "learn", "unlearn", "relabel", "undo", "erase"),
    *("train", "publish", "offer", "judge", "withdraw", "seeds", "check"),
)
DOCUMENT_VERBS = ("import", "learn")
NO_HASH = bytes(32)  # "the hash before" of the first event
N_SALT = 32  # bytes
ENCODE = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False).encode
DECODE = json.JSONDecoder().raw_decode  # without looking for blanks
QUOTE = json.encoder.encode_basestring
PLAIN = ("number", "time", "actor", "verb", "target", "subject")  # fields that JSON holds as they are


@dataclass(frozen=True)
class Draft:
    """What somebody wants to write down. The ledger adds number, time, actor, salt and hashes.

    `target` is the event that this one is about: the document to unlearn or relabel, the event to undo, the last event that a
    training covers, the event whose model is published, the offer that is judged, the offer whose document is learned, or the
    last event of the model that was checked by hand.
    """

    verb: str
    content: Mapping[str, Any] = field(default_factory=dict)
    target: int | None = None
    subject: str | None = None


class Link(NamedTuple):
    """The end of a chain: number and hash of its last event."""

    number: int = 0
    hash: bytes = NO_HASH


class Event(NamedTuple):
    """One line of a ledger. Salt, content and subject are None if they were erased; the subject may also be unknown."""

    number: int
    time: str
    actor: str
    verb: str
    target: int | None
    previous: bytes
    commitment: bytes
    hash: bytes
    salt: bytes | None
    content: bytes | None
    subject: str | None

    @classmethod
    def follow(cls, last: "Link | Event", draft: Draft, actor: str, time: str) -> "Event":
        """The event that follows the last one of a chain.

        >>> first = Event.follow(Link(), Draft("learn", {"text": "so good"}), "ann", "2026-11-17T12:00:00.000000Z")
        >>> first.number, first.details, first.describe_fault(Link())
        (1, {'text': 'so good'}, '')
        """
        salt, content, number = token_bytes(N_SALT), write_canonical(draft.content), last.number + 1
        commitment = compute_commitment(salt, content, draft.subject)
        header = hash_header(number, time, actor, draft.verb, draft.target, last.hash, commitment)
        return cls(number, time, actor, draft.verb, draft.target, last.hash, commitment, header, salt, content, draft.subject)

    @property
    def link(self) -> Link:
        return Link(self.number, self.hash)

    @property
    def is_erased(self) -> bool:
        return self.content is None

    @property
    def details(self) -> dict[str, Any]:
        """What the content says; empty if it was erased."""
        return {} if self.content is None else read_canonical(self.content)

    def to_dict(self) -> dict[str, Any]:
        """Values for JSON: bytes in hexadecimal digits, and the content as it is."""
        digests = {name: getattr(self, name).hex() for name in ("previous", "commitment", "hash")}
        plain = {name: getattr(self, name) for name in PLAIN}
        content = None if self.content is None else self.details
        return plain | digests | {"salt": None if self.salt is None else self.salt.hex(), "content": content}

    @classmethod
    def from_dict(cls, written: Mapping[str, Any]) -> "Event":
        """The event that `to_dict` wrote. `describe_fault` says whether it is a good one."""
        digests: dict[str, Any] = {name: bytes.fromhex(written[name]) for name in ("previous", "commitment", "hash")}
        plain: dict[str, Any] = {name: written[name] for name in PLAIN}
        salt = None if written["salt"] is None else bytes.fromhex(written["salt"])
        content = None if written["content"] is None else write_canonical(written["content"])
        return cls(**plain, **digests, salt=salt, content=content)

    def describe_fault(self, last: "Link | Event") -> str:
        """What is wrong with this event after the last one, in words; empty if nothing is wrong."""
        if self.number != last.number + 1:
            return f"event {last.number + 1} is missing"
        if self.previous != last.hash:
            return f"event {self.number} does not follow event {last.number}"
        if self.verb not in VERBS or hash_header(*self[:7]) != self.hash:
            return f"event {self.number} was changed"
        if self.salt is None or self.content is None:
            whole_is_gone = self.salt is None and self.content is None and self.subject is None
            return "" if whole_is_gone else f"a part of event {self.number} is missing"
        if compute_commitment(self.salt, self.content, self.subject) != self.commitment:
            return f"the content of event {self.number} was changed"
        return ""


def write_canonical(value: Any) -> bytes:
    """JSON in one spelling. It has no byte 0, and a text may have any characters.

    >>> write_canonical({"b": 1, "a": "é\\0"})
    b'{"a":"\\xc3\\xa9\\\\u0000","b":1}'
    """
    return ENCODE(value).encode("utf-8", "surrogatepass")


def read_canonical(written: bytes) -> dict[str, Any]:
    """What `write_canonical` has written. Raises ValueError if it is no JSON object."""
    text = written.decode("utf-8", "surrogatepass")
    details, end = DECODE(text)
    if end != len(text) or not isinstance(details, dict):
        raise ValueError("the content is no JSON object")
    return details


def compute_commitment(salt: bytes, content: bytes, subject: str | None) -> bytes:
    return sha256(salt + content + (b"" if subject is None else b"\0" + subject.encode())).digest()


def hash_header(number: int, time: str, actor: str, verb: str, target: int | None, previous: bytes, commitment: bytes) -> bytes:
    # What write_canonical would write, in a third of the time: whoever opens a ledger computes this for each event.
    names = f"{QUOTE(time)},{QUOTE(actor)},{QUOTE(verb)},{'null' if target is None else target}"
    return sha256(f'[{number},{names},"{previous.hex()}","{commitment.hex()}"]'.encode("utf-8", "surrogatepass")).digest()


def check_name(what: str, name: Any) -> str:
    """The name of an actor or a subject, which is a text of at least one character that a database can hold."""
    try:
        if isinstance(name, str) and name.strip() and "\0" not in name and name.encode():
            return name
    except UnicodeEncodeError:
        pass
    raise InvalidOption(f"{what} must be a name that is not empty, got {shorten(repr(name))}: it is written into the ledger.")
