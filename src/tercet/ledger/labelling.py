"""What was offered for labelling, and how people judged it. Neither changes the model: only a `learn` that follows does."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from sys import intern
from typing import TYPE_CHECKING, Any, NamedTuple

from tercet.errors import NeverLearned
from tercet.ledger.documents import derive_key
from tercet.ledger.events import DOCUMENT_VERBS, Event

if TYPE_CHECKING:
    from tercet.ledger.history import History

LABEL, UNSURE, SKIP, NOTE = KINDS = ("label", "unsure", "skip", "note")
OPEN, LABELLED, DISAGREEMENT, UNSURE_ONLY, SKIPPED = STATUSES = ("open", "labelled", "disagreements", "unsure", "skipped")
MAX_OFFERED = 1 << 16  # characters of a text that people judge


class Proposal(NamedTuple):
    """What the model said of a text before it was judged: the best label, its probability, and the last event of the model."""

    label: Any
    probability: float
    event: int | None = None


class Judgment(NamedTuple):
    """A `judge` event.

    - `kind`: one of KINDS. A note decides nothing, and leaves the decision of its author as it is.
    - `settles`: whether its author had seen the judgments of others, to settle their disagreement.
    - `acts`: whether the next event is what follows from it: the text is learned, relabelled or unlearned.
    """

    number: int
    actor: str
    kind: str
    label: Any = None
    proposal: Proposal | None = None
    settles: bool = False
    acts: bool = False


@dataclass(slots=True)
class Offer:
    """An `offer` event. The key of its document is empty if it was erased."""

    key: bytes = b""
    pool: str = ""
    judgments: tuple[Judgment, ...] = ()  # in the order of their events, also those that were undone
    learned: tuple[int, ...] = ()  # the `learn` events
    withdrawn_by: int = 0  # the event that has deleted its pool since; 0 if none has

    @property
    def is_withdrawn(self) -> bool:
        return self.withdrawn_by > 0

    def is_there(self, number: int) -> bool:
        """Whether its text is there after this event, which does not come before the offer."""
        return bool(self.key) and not 0 < self.withdrawn_by <= number


class Labelling:
    """All offers and judgments of a ledger."""

    def __init__(self, history: "History") -> None:
        self.offers: dict[int, Offer] = {}
        self.pools: dict[str, dict[bytes, int]] = {}  # the offers of each pool by their keys, without those that are erased
        self.withdrawals: list[dict[bytes, int]] = []  # the offers of each pool that was deleted
        self._history = history

    def release(self) -> None:
        """Let go of the history, which is not used any more. It goes at once, without waiting for the garbage collector."""
        del self._history

    # Events.

    def apply(self, event: Event, details: Mapping[str, Any]) -> None:
        """Add an offer or a judgment, or delete a pool. Raises ValueError if it is not a good one."""
        if event.verb == "withdraw":
            self._withdraw(details["pool"], event.number)
            return
        if event.verb == "judge":
            judged = self.offers[event.target or 0]
            if not event.is_erased:
                judged.judgments += (read_judgment(event, details),)
            return
        if event.is_erased:
            self.offers[event.number] = Offer()
            return
        if not isinstance(details["text"], str) or not isinstance(details["pool"], str):
            raise ValueError("an offer needs a text and a pool")
        offer = Offer(derive_offer_key(details), intern(details["pool"]))
        if self.find_same(offer.pool, offer.key) is not None:
            raise ValueError("a pool has each text once")
        self.offers[event.number] = offer
        self.pools.setdefault(offer.pool, {})[offer.key] = event.number

    def note_learned(self, offer: int, number: int) -> None:
        """Say that an event has learned the document of an offer."""
        self.offers[offer].learned += (number,)

    def _withdraw(self, pool: str, event: int) -> None:
        """Delete a pool. It may be empty by now: its texts were erased."""
        own = self.pools.pop(pool, {})
        self.withdrawals.append(own)
        for number in own.values():
            self.offers[number].withdrawn_by = event

    def revert(self, event: Event) -> None:
        """Take back the last event."""
        if event.verb == "withdraw":
            if own := self.withdrawals.pop():
                self.pools[event.details["pool"]] = own
            for number in own.values():
                self.offers[number].withdrawn_by = 0
            return
        if event.verb == "offer":
            self._drop(self.offers.pop(event.number))
            return
        offer = self.offers[event.target or 0]
        if event.verb == "judge":
            offer.judgments = offer.judgments[:-1]
        else:
            offer.learned = offer.learned[:-1]

    def erase(self, numbers: Iterable[int]) -> None:
        """Forget the offers with these numbers, and their judgments."""
        for number in self.offers.keys() & numbers:
            offer = self.offers[number]
            if offer.key:
                self._drop(offer)
            self.offers[number] = Offer(learned=offer.learned)

    def _drop(self, offer: Offer) -> None:
        if offer.is_withdrawn:
            for withdrawn in self.withdrawals:
                withdrawn.pop(offer.key, None)
            return
        own = self.pools[offer.pool]
        del own[offer.key]
        if not own:
            del self.pools[offer.pool]

    # What they mean by now.

    def list_texts(self, number: int) -> tuple[frozenset[int], frozenset[int]]:
        """The offers up to this event whose texts were there then, and those that are erased by now."""
        offers = [(own, offer) for own, offer in self.offers.items() if own <= number]
        there = frozenset(own for own, offer in offers if offer.is_there(number))
        return there, frozenset(own for own, offer in offers if not offer.key)

    def list_judgments(self, number: int) -> list[Judgment]:
        """The judgments of an offer that are not undone."""
        judgments = self.offers[number].judgments
        return [judgment for judgment in judgments if self._history.is_in_effect(judgment.number)] if judgments else []

    def list_decisions(self, number: int) -> list[Judgment]:
        """The last decision of each person, in the order of their events. A note is none."""
        last = {judgment.actor: judgment for judgment in self.list_judgments(number) if judgment.kind != NOTE}
        return sorted(last.values())

    def list_labels(self, number: int) -> list[Judgment]:
        """The decisions that give a label."""
        return [decision for decision in self.list_decisions(number) if decision.kind == LABEL]

    def find_document(self, number: int) -> int | None:
        """The learned document of an offer; None if there is none."""
        learned = (event for event in reversed(self.offers[number].learned) if self._history.is_learned(event))
        return next(learned, None)

    def derive_status(self, number: int) -> str:
        """One of STATUSES.

        Labels that differ are a disagreement until it is settled, and nobody has given another label since.
        """
        decisions = self.list_decisions(number)
        labels = [decision for decision in decisions if decision.kind == LABEL]
        if not labels:
            kinds = {decision.kind for decision in decisions}
            return UNSURE_ONLY if UNSURE in kinds else SKIPPED if SKIP in kinds else OPEN
        last = labels[-1]
        return LABELLED if last.settles or all(each.label == last.label for each in labels) else DISAGREEMENT

    def find_offer(self, number: int) -> int | None:
        """The offer that an event is about; None if it is about none."""
        verbs, targets = self._history.verbs, self._history.targets
        while verbs[number] in ("undo", "unlearn", "relabel"):
            number = targets[number]
        if verbs[number] == "offer":
            return number
        is_about = verbs[number] == "judge" or verbs[number] in DOCUMENT_VERBS
        return targets[number] or None if is_about else None

    def find_act(self, number: int) -> int | None:
        """The event that follows from a judgment, or from an undo of it; None if nothing does."""
        verbs, targets = self._history.verbs, self._history.targets
        chain = [number]
        while verbs[chain[-1]] == "undo":
            chain.append(targets[chain[-1]])
        judged = chain.pop()
        judgments = self.offers[targets[judged]].judgments if verbs[judged] == "judge" else ()
        if not any(judgment.acts for judgment in judgments if judgment.number == judged):
            return None
        act = judged + 1
        for undo in reversed(chain):
            if undo == self._history.last or verbs[undo + 1] != "undo" or targets[undo + 1] != act:
                return None
            act = undo + 1
        return act

    def find_same(self, pool: str, key: bytes) -> int | None:
        """The offer of this document in a pool; None if there is none."""
        return self.pools.get(pool, {}).get(key)

    def list_judges(self, pool: str) -> set[str]:
        """Who has judged texts of a pool."""
        numbers = self.pools.get(pool, {}).values()
        return {judgment.actor for number in numbers for judgment in self.offers[number].judgments}

    def list_related(self, numbers: Iterable[int]) -> set[int]:
        """These documents and offers, with the offers of the documents, and all documents that were learned from the offers."""
        named = set(numbers)
        offers = {offer for number in named if (offer := self.find_offer(number)) is not None}
        return named.union(offers, *(self.offers[offer].learned for offer in offers))

    def list_derived(self, numbers: Iterable[int]) -> list[int]:
        """The judgments of these offers."""
        return [judgment.number for number in self.offers.keys() & numbers for judgment in self.offers[number].judgments]

    def check_offer(self, number: int) -> Offer:
        """The offer with this number. Raises NeverLearned if there is none, or if it was erased."""
        offer = self.offers.get(number)
        if offer is None:
            raise NeverLearned(f"event {number} is no text that was offered for labelling. Nothing is written.")
        if not offer.key:
            raise NeverLearned(f"event {number} was erased, so its labels can't change any more. Nothing is written.")
        if offer.is_withdrawn:
            raise NeverLearned(
                f"the pool {offer.pool!r} of event {number} was deleted: import its file again. Nothing is written."
            )
        return offer


def strip_offer(content: Mapping[str, Any]) -> dict[str, Any]:
    """The document of an offer, without a label.

    >>> strip_offer({"text": "so good", "pool": "new.csv", "row": 7})
    {'text': 'so good'}
    """
    return {name: content[name] for name in ("text", "columns") if name in content}


def derive_offer_key(content: Mapping[str, Any]) -> bytes:
    """The key of the document of an offer: see `derive_key`."""
    return derive_key({**strip_offer(content), "label": None})


def read_judgment(event: Event, details: Mapping[str, Any]) -> Judgment:
    """The judgment of an event. Raises ValueError if its content is not good."""
    kind, label, proposal = details["kind"], details.get("label"), details.get("proposal")
    is_good = kind in KINDS and (kind == LABEL) == isinstance(label, str | int | float)
    if not is_good or not isinstance(details.get("note", ""), str):
        raise ValueError("a judgment needs a kind, and a label if it gives one")
    proposed = None if proposal is None else Proposal(proposal["label"], float(proposal["probability"]), proposal["event"])
    settles, acts = bool(details.get("settles")), bool(details.get("acts"))
    return Judgment(event.number, intern(event.actor), intern(kind), label, proposed, settles, acts)
