"""Pools of texts to label: how the texts of a file come into a pool, and where each text of a pool stands.

The entries are kept up to date event by event, so that a pool of 100,000 texts answers at once.
"""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from hashlib import blake2b
from heapq import merge
from itertools import islice
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from tercet.characters import show_line
from tercet.data.documents import DocumentBatch
from tercet.errors import InvalidOption, suggest
from tercet.kernel.text.columns import SEPARATOR
from tercet.ledger.documents import list_subjects
from tercet.ledger.labelling import DISAGREEMENT, MAX_OFFERED, Labelling, derive_offer_key
from tercet.report.tables import pluralize

if TYPE_CHECKING:
    from tercet.auditing.doctor.diagnosis import Finding
    from tercet.ledger.events import Event
    from tercet.ledger.ledger import Ledger

MAX_EXAMINED = 2000  # new texts that the doctor looks at
MAX_LENGTH = 60  # characters of a text in a sentence
OUT_SECONDS = 900.0  # for how long a text stays with a person of whom nothing is heard


class PoolImport:
    """Counts what becomes of the texts. Each batch is one transaction: if the import is cut off, the next one goes on."""

    def __init__(self, ledger: "Ledger", pool: str, actor: str, subject_column: str | None = None) -> None:
        self.ledger, self.pool, self.actor, self.subject_column = ledger, pool, actor, subject_column
        self.n_read, self.n_offered, self.n_blank, self.n_long, self.n_learned = 0, 0, 0, 0, 0
        self.first: int | None = None  # the number of the first event, and of the last one
        self.last: int | None = None
        self._new: list[tuple[int, str]] = []  # the events and their texts, for the doctor

    @property
    def n_copies(self) -> int:
        """The texts that the pool had already."""
        return self.n_read - self.n_left_out - self.n_offered

    @property
    def n_left_out(self) -> int:
        """The rows without a text, and those with a text that is too long to be judged."""
        return self.n_blank + self.n_long

    def add(self, batch: DocumentBatch) -> None:
        """Offer the texts of a batch."""
        self.n_read += len(batch)
        written = [index for index, text in enumerate(batch.texts) if text.replace(SEPARATOR, "").strip()]
        good = [index for index in written if len(batch.texts[index]) <= MAX_OFFERED]
        self.n_blank += len(batch) - len(written)
        self.n_long += len(written) - len(good)
        chosen = batch.pick(good)
        rows, subjects = [chosen.row(index) for index in range(len(chosen))], list_subjects(chosen, self.subject_column)
        if events := self.ledger.offer(chosen, pool=self.pool, actor=self.actor, rows=rows, subjects=subjects):
            self._note(events)

    def _note(self, events: "list[Event]") -> None:
        self.first, self.last = self.first or events[0].number, events[-1].number
        self.n_offered += len(events)
        contents = [event.details for event in events]
        with self.ledger.turn:  # nobody changes the history meanwhile
            history = self.ledger.history
            self.n_learned += sum(any(True for _ in history.find_documents(derive_offer_key(content))) for content in contents)
        new = [(event.number, content["text"]) for event, content in zip(events, contents, strict=True)]
        self._new += new[: MAX_EXAMINED - len(self._new)]

    def describe(self) -> list[str]:
        """What is remarkable about the new texts, in sentences: what the doctor finds, kind by kind."""
        found = [f"The model has learned {pluralize(self.n_learned, 'text')} of these already."] if self.n_learned else []
        if self.n_long:
            have = f"{pluralize(self.n_long, 'text')} of more than {MAX_OFFERED} characters"
            found.append(f"{have}: too long to be judged, and left out. Divide them, and import them again.")
        entries = [f"event {number}" for number, _ in self._new]
        found += describe_findings(DocumentBatch([text for _, text in self._new], lines=entries))
        if found and self.n_offered > len(self._new):
            found.append(f"Only the first {len(self._new)} of {self.n_offered} new texts were examined.")
        return found


def describe_findings(batch: DocumentBatch) -> list[str]:
    """What the doctor finds in documents, in a sentence for each kind.

    >>> (found,) = describe_findings(DocumentBatch(["to be", "to be", "so it is"], lines=["event 7", "event 8", "event 9"]))
    >>> found.partition(" Keep ")[0]
    "copy: 1 found, such as 'to be' (event 7). The same text is in event 8."
    """
    if not batch.texts:
        return []
    from tercet.auditing.doctor.doctor import examine  # on first use: the command line starts without it

    diagnosis = examine([batch])
    return [describe_kind(n, diagnosis.of_kind(kind)[0]) for kind, n in diagnosis.counts.items()]


def describe_kind(n: int, first: "Finding") -> str:
    example = (
        f"such as {show_line(first.beginning, MAX_LENGTH)!r} ({first.place})" if first.beginning else f"such as {first.place}"
    )
    return f"{first.kind}: {n} found, {example}. {first.sentence} {first.remedy}"


Entry = tuple[bytes, int]  # the key of a text, which is as good as random, and the number of its offer


class Standing(NamedTuple):
    """The status of an offer (see `Labelling.derive_status`), and how many people have given it a label."""

    status: str
    n_labels: int


class Pool:
    """The texts of one pool."""

    def __init__(self) -> None:
        self.standings: dict[int, Standing] = {}  # by the number of the offer
        self.counts: Counter[str] = Counter()  # offers of each status
        self.disagreements: list[int] = []  # the numbers of offers, in their order
        self.by_labels: defaultdict[int, list[Entry]] = defaultdict(list)  # sorted; by the number of labels

    def note_standing(self, number: int, key: bytes, now: Standing) -> None:
        """Note where an offer stands now. Sort afterwards if it is new."""
        before = self.standings.get(number)
        if before == now:
            return
        self.standings[number] = now
        self.counts[now.status] += 1
        if now.status == DISAGREEMENT and (before is None or before.status != DISAGREEMENT):
            insort(self.disagreements, number)
        if before is None:
            self.by_labels[now.n_labels].append((key, number))
            return
        self.counts[before.status] -= 1
        if before.status == DISAGREEMENT and now.status != DISAGREEMENT:
            self.disagreements.remove(number)
        if before.n_labels != now.n_labels:
            entries = self.by_labels[before.n_labels]
            del entries[bisect_left(entries, (key, number))]
            insort(self.by_labels[now.n_labels], (key, number))

    def sort(self) -> None:
        for entries in self.by_labels.values():
            entries.sort()

    def list_open(self, judges: int, first: bytes) -> Iterator[int]:
        """The offers that fewer than so many people have labelled. Those that somebody has labelled come first.

        Their order is that of their keys, which is as good as random; it begins at the key `first`.
        """
        for n_labels in (*range(judges - 1, 0, -1), 0):
            entries = self.by_labels.get(n_labels, [])
            start = bisect_left(entries, (first, 0))
            yield from (number for _, number in entries[start:] + entries[:start])

    def list_first(self, n: int) -> list[int]:
        """The first n offers in the order of their keys, wherever they stand."""
        return [number for _, number in islice(merge(*self.by_labels.values()), n)]


class Pools:
    """All pools of a ledger."""

    def __init__(self, ledger: "Ledger") -> None:
        self._ledger = ledger
        self._lock = Lock()
        self._pools: dict[str, Pool] = {}
        self._number, self._n_removals = 0, 0  # the last event, and the erasures and deleted pools up to it

    def count(self) -> dict[str, Counter[str]]:
        """How many offers of each pool have each status."""
        with self._lock:
            self._follow()
            return {name: Counter(pool.counts) for name, pool in sorted(self._pools.items())}

    def list_open(
        self, pool: str, actor: str, judges: int, n: int, handed: "HandedOut | None" = None, *, together: bool = False
    ) -> list[int]:
        """The first n offers that this person may judge, and that fewer than so many others have labelled, or have at hand.

        Each person begins at another text of the pool, unless all begin together.
        """
        with self._lock, self._ledger.turn:
            labelling = self._follow()
            first = b"" if together else blake2b(actor.encode(), digest_size=16).digest()
            found = self._find(pool).list_open(judges, first)
            mine = (number for number in found if is_open(labelling, number, actor))
            free = mine if handed is None else (each for each in mine if handed.is_free(each, actor, judges, labelling))
            return list(islice(free, n))

    def list_first(self, pool: str, n: int) -> list[int]:
        """The first n offers of a pool in the order of their keys, wherever they stand."""
        with self._lock:
            self._follow()
            return self._find(pool).list_first(n)

    def list_disagreements(self, pool: str | None, before: int | None, limit: int) -> list[int]:
        """The offers whose labels differ, of one pool or of all, the newest first."""
        with self._lock:
            self._follow()
            chosen = [self._find(pool)] if pool is not None else self._pools.values()
            found = sorted((number for each in chosen for number in each.disagreements), reverse=True)
            return [number for number in found if before is None or number < before][:limit]

    def _find(self, name: str) -> Pool:
        if name not in self._pools:
            raise InvalidOption(f"there is no pool {name!r}.{suggest(name, self._pools)} Offer texts in it first.")
        return self._pools[name]

    def _follow(self) -> Labelling:
        """Look at all offers that events since the last time are about."""
        with self._ledger.turn:  # nobody changes the history meanwhile
            history = self._ledger.history
            labelling = history.labelling
            n_removals = len(history.erasures) + len(labelling.withdrawals)
            if n_removals != self._n_removals:
                self._pools, self._number, self._n_removals = {}, 0, n_removals
            since = range(self._number + 1, history.last + 1)
            touched = {number for event in since if (number := labelling.find_offer(event)) is not None}
            # New offers come last: they are not sorted before the end.
            for number in sorted(touched, key=lambda number: number > self._number):
                offer = labelling.offers[number]
                if offer.key and not offer.is_withdrawn:
                    now = Standing(labelling.derive_status(number), len(labelling.list_labels(number)))
                    self._pools.setdefault(offer.pool, Pool()).note_standing(number, offer.key, now)
            for name in {labelling.offers[number].pool for number in touched if number > self._number}:
                if name in self._pools:
                    self._pools[name].sort()
            self._number = history.last
            return labelling


class HandedOut:
    """The texts that people have at hand. While a text is out, it is not given to more people than shall judge it.

    It is out until it is judged, or nothing was heard of its person for so long. Each process of a server knows its own.
    """

    def __init__(self, seconds: float = OUT_SECONDS, clock: Callable[[], float] = monotonic) -> None:
        self._seconds, self._clock, self._lock = seconds, clock, Lock()
        self._until: dict[str, float] = {}  # by person
        self._holders: dict[int, set[str]] = {}  # by offer

    def is_free(self, number: int, actor: str, judges: int, labelling: Labelling) -> bool:
        """Whether this person may get a text."""
        others = [other for other in tuple(self._holders.get(number, ())) if other != actor and self._is_there(other)]
        if not others:
            return True
        decided = {own.actor for own in labelling.list_decisions(number)}
        return len(labelling.list_labels(number)) + len([other for other in others if other not in decided]) < judges

    def take(self, numbers: Sequence[int], actor: str, judges: int, labelling: Labelling) -> list[int]:
        """Hand out those of these texts that are still free."""
        with self._lock:
            self._renew(actor)
            free = [number for number in numbers if self.is_free(number, actor, judges, labelling)]
            for number in free:
                self._holders.setdefault(number, set()).add(actor)
            return free

    def give_back(self, number: int, actor: str) -> None:
        """Note that a person has judged a text."""
        with self._lock:
            self._renew(actor)
            holders = self._holders.get(number, set())
            holders.discard(actor)
            if not holders:
                self._holders.pop(number, None)

    def _renew(self, actor: str) -> None:
        """Note that a person is there, and forget what those had who are not."""
        self._until[actor] = self._clock() + self._seconds
        for other in [other for other in self._until if not self._is_there(other)]:
            del self._until[other]
            for holders in self._holders.values():
                holders.discard(other)
        if any(not holders for holders in self._holders.values()):
            self._holders = {number: holders for number, holders in self._holders.items() if holders}

    def _is_there(self, actor: str) -> bool:
        return self._until.get(actor, 0.0) > self._clock()


def is_open(labelling: Labelling, number: int, actor: str) -> bool:
    """Whether this person has not judged the offer."""
    return not labelling.offers[number].judgments or all(own.actor != actor for own in labelling.list_decisions(number))
