"""Which documents are learned after some events, and with which labels."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import pairwise
from sys import intern
from typing import Any, NamedTuple

from tercet.categorizer.files.hand_check import HandCheck
from tercet.errors import InvalidLabel, NeverLearned
from tercet.ledger.documents import derive_key
from tercet.ledger.events import DOCUMENT_VERBS, Event
from tercet.ledger.labelling import Labelling
from tercet.text.vectors.vector_table import TABLE

LABELS = (str, int, float)  # types of labels
SAME = frozenset({"train", "publish", "offer", "judge", "withdraw", "seeds", "check"})  # they change nothing of what is learned
UNCHANGED = SAME - {"train"}  # verbs that change nothing of the model
UNDOABLE = ("import", "learn", "unlearn", "relabel", "judge", "undo", "check")


class Training(NamedTuple):
    """A `train` event: its number, the last event that it covers, and the version of tercet that trained."""

    number: int
    covers: int
    version: str


class LastCheck(NamedTuple):
    """The last `check` event that is in effect: its number, what it says, and whether the model is still the one that was
    checked."""

    number: int
    check: HandCheck
    is_current: bool


class LearnedDocuments(NamedTuple):
    """What is learned after an event.

    - `labels`: the label of each learned document whose text is still there, by number.
    - `erased`: the documents that were learned then, and were erased by a later event.
    - `training`: the last training, if there was one.
    - `erasures`: the erasures up to then: their events, and what they erased.
    - `offers`: the texts that were offered for labelling, and are still there. A model may learn from them without a label.
    - `erased_offers`: those that were erased, by whatever event.
    - `seeds`: what the model is told of its labels when it is trained, as JSON; None if nothing.
    - `check`: the last check by hand, if there was one.
    """

    number: int
    labels: dict[int, Any]
    erased: frozenset[int]
    training: Training | None
    erasures: tuple[tuple[int, frozenset[int]], ...]
    offers: frozenset[int] = frozenset()
    erased_offers: frozenset[int] = frozenset()
    seeds: Any = None
    check: LastCheck | None = None


class History:
    """What some events mean, in the order of their numbers.

    An event is in effect unless an `undo` of it is in effect. A document is learned if its own event is in effect, no `unlearn`
    of it is in effect, and it is not erased. Its label is that of the last `relabel` in effect.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.beginning: dict[str, Any] = {}
        self.verbs: list[str] = [""]  # by number; numbers begin with 1
        self.targets: list[int] = [0]  # by number; 0 if an event has none
        self.documents: dict[int, bytes] = {}  # the key of each document; empty if it is erased by now
        self.trainings: list[Training] = []
        self.publications: list[int] = []
        self.seed_changes: list[tuple[int, Any]] = []  # the event, and the seeds since then
        self.checks: dict[int, HandCheck] = {}  # by number; without those that are erased
        self.erasures: list[tuple[int, frozenset[int]]] = []  # the event, and what it erased
        self._labels: dict[int, Any] = {}  # the labels that documents were learned with
        self._last_copy: dict[bytes, int] = {}  # the last document of each key
        self._copy_before: dict[int, int] = {}  # the document before with the same key
        self._erased: set[int] = set()  # documents that these events have erased
        self.labelling = Labelling(self)
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
            self._add_document(event.number, None if event.is_erased else details)
            if target:
                self.labelling.note_learned(target, event.number)
        elif event.verb in ("offer", "judge", "withdraw"):
            self.labelling.apply(event, details)
        elif event.verb == "unlearn":
            self._unlearned[target].append(event.number)
        elif event.verb == "relabel":
            if not event.is_erased and not isinstance(details["label"], LABELS):
                raise ValueError("a document needs a label")
            self._relabelled[target].append((event.number, details.get("label")))
        elif event.verb == "undo":
            self._toggle(target)
        elif event.verb == "train":
            self.trainings.append(Training(event.number, target, details["version"]))
        elif event.verb == "publish":
            self.publications.append(event.number)
        elif event.verb == "seeds":
            self.seed_changes.append((event.number, details["seeds"]))
        elif event.verb == "check":
            if not event.is_erased:
                self.checks[event.number] = HandCheck.from_dict(details)
        elif event.verb == "begin":
            self.beginning = details
        elif event.verb == "erase":
            self._erase(event.number, frozenset(details["events"]))

    def _add_document(self, number: int, details: Mapping[str, Any] | None) -> None:
        """Add a document. There are no details if it is erased by now."""
        if details is None:
            self.documents[number] = b""
            return
        if not isinstance(details["text"], str) or not isinstance(details["label"], LABELS):
            raise ValueError("a document needs a text and a label")
        key = self.documents[number] = derive_key(details)
        self._labels[number] = intern(label) if type(label := details["label"]) is str else label
        if key in self._last_copy:
            self._copy_before[number] = self._last_copy[key]
        self._last_copy[key] = number

    def revert(self, event: Event) -> None:
        """Take back the last event, which was applied and then not committed. An erasure can't be taken back."""
        self.verbs.pop()
        target = self.targets.pop()
        if event.verb in DOCUMENT_VERBS:
            self._remove_last(event.number)
            if target:
                self.labelling.revert(event)
        elif event.verb in ("offer", "judge", "withdraw"):
            self.labelling.revert(event)
        elif event.verb == "train":
            self.trainings.pop()
        elif event.verb == "publish":
            self.publications.pop()
        elif event.verb == "seeds":
            self.seed_changes.pop()
        elif event.verb == "check":
            del self.checks[event.number]
        elif event.verb == "unlearn":
            self._unlearned[target].pop()
        elif event.verb == "relabel":
            self._relabelled[target].pop()
        elif event.verb == "undo":
            self._toggle(target)

    def _remove_last(self, number: int) -> None:
        """Remove the last document."""
        key, before = self.documents.pop(number), self._copy_before.pop(number, None)
        del self._labels[number], self._last_copy[key]
        if before is not None:
            self._last_copy[key] = before

    def _toggle(self, number: int) -> None:
        """Undo an event that is in effect, or put it into effect again. If it is an `undo`, its own target changes, too."""
        self._undone ^= {number}
        while self.verbs[number] == "undo":
            number = self.targets[number]
            self._undone ^= {number}

    def _erase(self, number: int, events: frozenset[int]) -> None:
        if not all(0 < erased < number for erased in events):
            raise ValueError("an erasure is about earlier events")
        self.erasures.append((number, events))
        self.labelling.erase(events)
        self.checks = {event: check for event, check in self.checks.items() if event not in events}
        documents = events & self.documents.keys()
        self._erased |= documents
        for key in {self.documents[erased] for erased in documents}:
            self._remove_copies(key, documents)
        for erased in documents:
            self.documents[erased] = b""
            self._labels.pop(erased, None)
            self._relabelled.pop(erased, None)

    def _remove_copies(self, key: bytes, erased: Set[int]) -> None:
        """Take erased documents out of those with the same key."""
        copies = list(self._list_copies(key))
        kept = [number for number in copies if number not in erased]
        for number in copies:
            self._copy_before.pop(number, None)
        self._copy_before.update(pairwise(kept))
        self._last_copy.pop(key, None)
        if kept:
            self._last_copy[key] = kept[0]

    def _list_copies(self, key: bytes) -> Iterator[int]:
        """The documents with this key, the last one first."""
        number = self._last_copy.get(key)
        while number is not None:
            yield number
            number = self._copy_before.get(number)

    @property
    def reads_offers(self) -> bool:
        """Whether texts that are offered for labelling have ever taught the model: it has a sentence encoder, or had seeds."""
        vectors = self._settings.get("vectors")
        has_encoder = isinstance(vectors, str) and not vectors.startswith(TABLE)
        return has_encoder or any(seeds is not None for _, seeds in ((0, self._settings.get("seeds")), *self.seed_changes))

    @property
    def _settings(self) -> Mapping[str, Any]:
        """Those of the model at the beginning."""
        found: Mapping[str, Any] = self.beginning.get("recipe", {}).get("settings", {})
        return found

    def find_seeds(self, number: int) -> Any:
        """What the model is told of its labels after this event, as JSON; None if nothing."""
        changes = [seeds for event, seeds in self.seed_changes if event <= number]
        return changes[-1] if changes else self._settings.get("seeds")

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
        if number not in self.documents or number in self._erased or not self.is_in_effect(number):
            return False
        return self._undone.issuperset(self._unlearned.get(number, ()))

    def find_given_label(self, number: int) -> Any:
        """The label that the event itself gives to a document; None if it gives none, or was erased."""
        if number in self.documents:
            return self._labels.get(number)
        given = self._relabelled.get(self.targets[number], ()) if self.verbs[number] == "relabel" else ()
        return next((label for event, label in given if event == number), None)

    def find_label(self, number: int) -> Any:
        """The label of a document after all events."""
        labels = [label for event, label in self._relabelled.get(number, ()) if self.is_in_effect(event)]
        return labels[-1] if labels else self._labels.get(number)

    def find_labelling(self, number: int) -> int:
        """The event that gives a document its label: the last `relabel` in effect, or its own."""
        given = [event for event, _ in self._relabelled.get(number, ()) if self.is_in_effect(event)]
        return given[-1] if given else number

    def find_label_without(self, number: int) -> Any:
        """The label that the document of this event would have if the event were undone; None if it would not be learned."""
        document = self.find_document(number)
        if document is None:
            return None
        self._toggle(number)
        try:
            return self.find_label(document) if self.is_learned(document) else None
        finally:
            self._toggle(number)

    def list_learned(self) -> dict[int, Any]:
        """The label of each learned document whose text is still there, by number."""
        return {n: self.find_label(n) for n, key in self.documents.items() if key and self.is_learned(n)}

    def is_same_since(self, number: int) -> bool:
        """Whether no event after this one has changed what is learned."""
        return SAME.issuperset(self.verbs[number + 1 :])

    def find_check(self, number: int | None = None) -> LastCheck | None:
        """The last check by hand after all events; `number` is an earlier event since which nothing was undone.

        It is current if no event has changed or trained the model since.
        """
        number = self.last if number is None else number
        last = max((event for event in self.checks if event <= number and self.is_in_effect(event)), default=None)
        if last is None:
            return None
        covers = self.targets[last]
        return LastCheck(last, self.checks[last], covers > 0 and self.is_same_model(covers, number))

    def is_same_model(self, first: int, last: int) -> bool:
        """Whether no event after the first one, up to the last one, has changed or trained the model."""
        return UNCHANGED.issuperset(self.verbs[first + 1 : last + 1])

    def summarize(self, number: int | None = None) -> LearnedDocuments:
        """What is learned after all events; `number` is an earlier event since which nothing else was learned."""
        number = self.last if number is None else number
        erased = frozenset(n for n, key in self.documents.items() if not key and self.is_learned(n))
        training = next((training for training in reversed(self.trainings) if training.number <= number), None)
        texts, seeds, check = self.labelling.list_texts(number), self.find_seeds(number), self.find_check(number)
        return LearnedDocuments(number, self.list_learned(), erased, training, tuple(self.erasures), *texts, seeds, check)

    def list_derived(self, numbers: Iterable[int]) -> list[int]:
        """The events that were derived from these documents and offers.

        These are new labels of documents, judgments of offers, checksums and digests of models that have seen them, and checks
        by hand that name a label which no other document has.
        """
        named = set(numbers)
        documents = named & self.documents.keys()
        labels = [event for number in documents for event, _ in self._relabelled.get(number, ())]
        learned = documents | (named & self.labelling.offers.keys() if self.reads_offers else set())
        gone = self._list_own_labels(documents)
        checks = [event for event, check in self.checks.items() if check.model or not gone.isdisjoint(check.labels)]
        seen = [event for event in (*self.publications, *checks) if learned and event > min(learned)]
        return labels + seen + self.labelling.list_derived(named)

    def _list_own_labels(self, documents: Set[int]) -> set[Any]:
        """The labels that only these documents have, or had before they were relabelled."""
        mine, others = set[Any](), set[Any]()
        for number, label in self._labels.items():
            given = {label, *(each for _, each in self._relabelled.get(number, ()))}
            (mine if number in documents else others).update(given)
        return mine - others

    # What may come next.

    def find_documents(self, key: bytes) -> Iterator[int]:
        """The learned documents with this content, the last one first."""
        return (number for number in self._list_copies(key) if self.is_learned(number))

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
        return " (it was erased)" if not self.documents[number] else " (it was unlearned or undone before)"

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
        if not self.documents.get(number, b"document"):
            raise NeverLearned(f"event {number} was erased, which can't be undone. Nothing is written.")

    def check_labels(self, labels: Iterable[Any]) -> None:
        """Raise InvalidLabel if one of these labels has another type than the labels before."""
        known = next(iter(self._labels.values()), None)
        for label in labels:
            known = label if known is None else known
            if type(label) is not type(known):
                raise InvalidLabel(
                    f"labels of two types can't be put in one order: {known!r} and {label!r}. Use one type. Nothing is written."
                )


def summarize_events(events: Iterable[Event]) -> LearnedDocuments:
    """What is learned after these events, the first ones of a ledger."""
    history = History(events)
    found = history.summarize()
    history.labelling.release()
    return found
