"""Which documents are learned after some events, and with which labels."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from sys import intern
from typing import Any, NamedTuple

from tercet.errors import InvalidLabel, NeverLearned
from tercet.ledger.documents import find_key
from tercet.ledger.events import DOCUMENT_VERBS, Event
from tercet.ledger.labelling import Labelling

SAME = frozenset({"train", "publish", "offer", "judge"})  # verbs that change nothing of what is learned
UNDOABLE = ("import", "learn", "unlearn", "relabel", "judge", "undo")


class Training(NamedTuple):
    """A `train` event: its number, the last event that it covers, and the version of tercet that trained."""

    number: int
    covers: int
    version: str


class LearnedDocuments(NamedTuple):
    """What is learned after an event.

    - `labels`: the label of each learned document whose text is still there, by number.
    - `erased`: the documents that were learned then, and were erased by a later event.
    - `training`: the last training, if there was one.
    - `erasures`: the erasures up to then: their events, and what they erased.
    """

    number: int
    labels: dict[int, Any]
    erased: frozenset[int]
    training: Training | None
    erasures: tuple[tuple[int, frozenset[int]], ...]


@dataclass(slots=True)
class KnownDocument:
    """A document of the ledger. Its key is empty if it is erased by now; `erased_by` is the event that did it, if known."""

    key: bytes
    label: Any
    erased_by: int | None = None


class History:
    """What some events mean, in the order of their numbers.

    An event is in effect unless an `undo` of it is in effect. A document is learned if its own event is in effect, no `unlearn`
    of it is in effect, and it is not erased. Its label is that of the last `relabel` in effect.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.beginning: dict[str, Any] = {}
        self.verbs: list[str] = [""]  # by number; numbers begin with 1
        self.targets: list[int] = [0]  # by number; 0 if an event has none
        self.documents: dict[int, KnownDocument] = {}
        self.trainings: list[Training] = []
        self.publications: list[int] = []
        self.erasures: list[tuple[int, frozenset[int]]] = []  # the event, and what it erased
        self.labelling = Labelling(self)
        self._by_key: defaultdict[bytes, list[int]] = defaultdict(list)
        self._undone: set[int] = set()
        self._unlearned: defaultdict[int, list[int]] = defaultdict(list)
        self._relabelled: defaultdict[int, list[tuple[int, Any]]] = defaultdict(list)
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> None:
        details, target = event.details, event.target or 0
        self.verbs.append(intern(event.verb))  # one str for all events of a verb
        self.targets.append(target)
        if event.verb in DOCUMENT_VERBS:
            if not event.is_erased and not (
                isinstance(details["text"], str) and isinstance(details["label"], str | int | float)
            ):
                raise ValueError("a document needs a text and a label")
            key = b"" if event.is_erased else find_key(details)
            self.documents[event.number] = KnownDocument(key, details.get("label"))
            self._by_key[key].append(event.number)
            if target:
                self.labelling.note_learned(target, event.number)
        elif event.verb in ("offer", "judge"):
            self.labelling.apply(event, details)
        elif event.verb == "unlearn":
            self._unlearned[target].append(event.number)
        elif event.verb == "relabel":
            self._relabelled[target].append((event.number, details.get("label")))
        elif event.verb == "undo":
            self._toggle(target)
        elif event.verb == "train":
            self.trainings.append(Training(event.number, target, details["version"]))
        elif event.verb == "publish":
            self.publications.append(event.number)
        elif event.verb == "begin":
            self.beginning = details
        elif event.verb == "erase":
            self._erase(event.number, frozenset(details["events"]))

    def revert(self, event: Event) -> None:
        """Take back the last event, which was applied and then not committed. An erasure can't be taken back."""
        self.verbs.pop()
        target = self.targets.pop()
        if event.verb in DOCUMENT_VERBS:
            self._by_key[self.documents.pop(event.number).key].pop()
            if target:
                self.labelling.revert(event)
        elif event.verb in ("offer", "judge"):
            self.labelling.revert(event)
        elif event.verb == "train":
            self.trainings.pop()
        elif event.verb == "publish":
            self.publications.pop()
        elif event.verb == "unlearn":
            self._unlearned[target].pop()
        elif event.verb == "relabel":
            self._relabelled[target].pop()
        elif event.verb == "undo":
            self._toggle(target)

    def _toggle(self, number: int) -> None:
        """Undo an event that is in effect, or put it into effect again. If it is an `undo`, its own target changes, too."""
        self._undone ^= {number}
        while self.verbs[number] == "undo":
            number = self.targets[number]
            self._undone ^= {number}

    def _erase(self, number: int, events: frozenset[int]) -> None:
        self.erasures.append((number, events))
        self.labelling.erase(events)
        for erased in events & self.documents.keys():
            document = self.documents[erased]
            if document.key:
                self._by_key[document.key].remove(erased)
            document.key, document.label, document.erased_by = b"", None, number

    @property
    def last(self) -> int:
        """The number of the last event."""
        return len(self.verbs) - 1

    def find_document(self, number: int) -> int | None:
        """The document that an event is about; None if it is about none."""
        while self.verbs[number] == "undo":
            number = self.targets[number]
        if self.verbs[number] in DOCUMENT_VERBS:
            return number
        return self.targets[number] if self.verbs[number] in ("unlearn", "relabel") else None

    def is_in_effect(self, number: int) -> bool:
        """Whether the event is not undone. An `undo` may be undone itself."""
        return number not in self._undone

    def is_learned(self, number: int) -> bool:
        """Whether the document of this event is learned after all events."""
        document = self.documents.get(number)
        if document is None or document.erased_by is not None or not self.is_in_effect(number):
            return False
        return self._undone.issuperset(self._unlearned.get(number, ()))

    def find_label(self, number: int) -> Any:
        """The label of a document after all events."""
        labels = [label for event, label in self._relabelled.get(number, ()) if self.is_in_effect(event)]
        return labels[-1] if labels else self.documents[number].label

    def list_learned(self) -> dict[int, Any]:
        """The label of each learned document whose text is still there, by number."""
        return {n: self.find_label(n) for n, document in self.documents.items() if document.key and self.is_learned(n)}

    def is_same_since(self, number: int) -> bool:
        """Whether no event after this one has changed what is learned."""
        return SAME.issuperset(self.verbs[number + 1 :])

    def summarize(self, number: int | None = None) -> LearnedDocuments:
        """What is learned after all events; `number` is an earlier event since which nothing else was learned."""
        number = self.last if number is None else number
        erased = frozenset(n for n, document in self.documents.items() if not document.key and self.is_learned(n))
        training = next((training for training in reversed(self.trainings) if training.number <= number), None)
        return LearnedDocuments(number, self.list_learned(), erased, training, tuple(self.erasures))

    def list_derived(self, numbers: Iterable[int]) -> list[int]:
        """The events that were derived from these documents and offers.

        These are new labels of documents, judgments of offers, and checksums of models that have seen the documents.
        """
        named = set(numbers)
        documents = named & self.documents.keys()
        labels = [event for number in documents for event, _ in self._relabelled.get(number, ())]
        seen = [event for event in self.publications if documents and event > min(documents)]
        return labels + seen + self.labelling.list_derived(named)

    # What may come next.

    def find_documents(self, key: bytes) -> Iterator[int]:
        """The learned documents with this content, the last one first."""
        return (number for number in reversed(self._by_key.get(key, ())) if self.is_learned(number))

    def check_document(self, number: int) -> None:
        """Raise NeverLearned unless this event is a document that is learned now."""
        if not self.is_learned(number):
            raise NeverLearned(
                f"event {number} is no document that is learned now{self._describe(number)}: nothing is written. "
                "`tercet ledger show` lists the events."
            )

    def _describe(self, number: int) -> str:
        """What the event is instead, in words."""
        if not 1 <= number <= self.last:
            return f" (the last event is {self.last})"
        if number not in self.documents:
            return f" (it is the verb {self.verbs[number]!r})"
        is_erased = not self.documents[number].key
        return " (it was erased)" if is_erased else " (it was unlearned or undone before)"

    def check_undo(self, number: int) -> None:
        """Raise NeverLearned if this event can't be undone."""
        if not 1 <= number <= self.last or self.verbs[number] not in UNDOABLE:
            raise NeverLearned(
                f"event {number} can't be undone{self._describe(number)}: only {', '.join(UNDOABLE)} can. Nothing is written."
            )
        if not self.is_in_effect(number):
            raise NeverLearned(f"event {number} is undone already: undo the event that has undone it. Nothing is written.")
        if self.verbs[number] == "judge":
            self.labelling.check_offer(self.targets[number])
        erased = self.documents.get(number)
        if erased is not None and not erased.key:
            raise NeverLearned(f"event {number} was erased, which can't be undone. Nothing is written.")

    def check_labels(self, labels: Iterable[Any]) -> None:
        """Raise InvalidLabel if one of these labels has another type than the labels before."""
        known = next((document.label for document in self.documents.values() if document.key), None)
        for label in labels:
            known = label if known is None else known
            if type(label) is not type(known):
                raise InvalidLabel(
                    f"labels of two types can't be put in one order: {known!r} and {label!r}. Use one type. Nothing is written."
                )
