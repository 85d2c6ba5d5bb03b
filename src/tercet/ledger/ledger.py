"""The ledger: an append-only list of events that says what a model has learned, when, and from whom."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from itertools import islice
from threading import Lock, RLock, get_ident
from typing import TYPE_CHECKING, Any, Protocol, Self
from weakref import ReferenceType, ref

import numpy as np

from tercet.cached import cached_property
from tercet.categorizer.files.hand_check import HandCheck
from tercet.data.documents import Documents
from tercet.errors import BadLedger, CannotWrite, InvalidOption, NoLedger
from tercet.ledger import changes
from tercet.ledger.changes import Change
from tercet.ledger.database import Database, Location, is_url, open_database
from tercet.ledger.event_index import EventIndex, read_time, write_time
from tercet.ledger.events import VERBS, Draft, Event, Link, check_name
from tercet.ledger.history import History, LearnedDocuments, summarize_events
from tercet.ledger.model_options import ModelOptions
from tercet.ledger.open_processes import OpenProcess
from tercet.options import check_choice, check_count
from tercet.store.file_lock import end_turns, own_lock, warn

if TYPE_CHECKING:
    from tercet.ledger.beginning import UnlabelledDocuments
    from tercet.ledger.erasure import Erasure
    from tercet.ledger.rehearsal import Rehearsal
    from tercet.ledger.replay import Replay

FORMAT = 1


class Follower(Protocol):
    """What follows the events of a ledger, such as a live model. `number` is the last event that it includes, at first 0."""

    @property
    def number(self) -> int: ...


class WaitingChange:
    """A change that waits for its turn, and what became of it."""

    def __init__(self, change: Change, actor: str) -> None:
        self.change, self.actor = change, actor
        self.events: list[Event] | None = None
        self.error: BaseException | None = None

    @property
    def is_done(self) -> bool:
        return self.events is not None or self.error is not None

    def take(self) -> list[Event]:
        """The events of the change. Raises its error; this may be called once."""
        error, self.error = self.error, None
        try:
            if error is not None:
                raise error
        finally:
            del error  # its traceback has this frame: they would keep each other, and a model of the frames, in memory
        assert self.events is not None
        return self.events


class Ledger:
    """The events of a model, in one file or in PostgreSQL. The model can be made again from them, byte for byte.

    `Ledger.begin` makes a new ledger, and `Ledger.open` opens one. Opening reads all events and checks the chain of hashes. One
    process writes to a file at a time; others wait, or are refused. Reading needs no lock. Threads may share a ledger: changes
    that come at the same time share one commit, and each method returns only when its events are on the disk.

    >>> from tempfile import TemporaryDirectory
    >>> from tercet import Categorizer
    >>> folder = TemporaryDirectory()
    >>> path = folder.name + "/reviews.ledger"
    >>> with Ledger.begin(path, Categorizer(), actor="ann") as ledger:
    ...     learned = ledger.learn(Documents(["so good", "so bad"], ["+", "-"]), actor="ann")
    ...     unlearned = ledger.unlearn(Documents(["so bad"], ["-"]), actor="ben")
    ...     ledger.replay().model.table_.n_documents, ledger.undo(unlearned[0].number, actor="ann")[0].number
    (array([1.]), 5)
    >>> Ledger.open(path).replay().model.table_ == Categorizer().fit(["so good", "so bad"], ["+", "-"]).table_
    True
    >>> folder.cleanup()
    """

    def __init__(self, database: Database, resources: ExitStack) -> None:
        self.database, self._resources = database, resources
        self.process = OpenProcess(database)  # before anything is read
        resources.callback(self.process.close)
        self._followers: list[ReferenceType[Follower]] = []
        self.turn = RLock()  # held by the thread that writes
        self._queue: list[WaitingChange] = []
        self._queue_lock = Lock()
        self._fresh: list[Event] | None = None  # the events of the transaction that is open, if there is one
        self._writer: int | None = None  # the thread of this transaction
        self._index: EventIndex | None = None  # made by the first search
        self._load()
        self.process.watch(self)

    @cached_property
    def rehearsal(self) -> "Rehearsal":
        """Asks the model whether it accepts new events."""
        from tercet.ledger.rehearsal import Rehearsal

        return Rehearsal(self)

    @classmethod
    def open(
        cls,
        path: Location,
        *,
        write: bool = False,
        locked: bool = False,
        wait_seconds: float | None = None,
        tell: Callable[[str], None] = warn,
    ) -> "Ledger":
        """The ledger of this file, or of this URL of PostgreSQL. With `write`, no other process can write to the file until it
        is closed; in PostgreSQL several processes may write.

        If another process writes to the file now, this waits: for at most `wait_seconds`, or without a limit. `tell` gets a
        message. With `locked`, the process that has started this one holds the lock (see `hold`): then this one and others that
        it has started may write.
        """
        return cls._open(path, wait_seconds, tell, write=write, locked=locked)

    @classmethod
    def _open(
        cls,
        path: Location,
        wait_seconds: float | None,
        tell: Callable[[str], None],
        *,
        write: bool,
        locked: bool = False,
        new: bool = False,
    ) -> "Ledger":
        with ExitStack() as resources:
            database = open_database(
                path, new=new, write=write, locked=locked, wait_seconds=wait_seconds, tell=tell, resources=resources
            )
            ledger = cls(database, resources)
            if not new:
                ledger._check_beginning()
            ledger._resources = resources.pop_all()
            return ledger

    @staticmethod
    @contextmanager
    def hold(path: Location, *, wait_seconds: float | None = None, tell: Callable[[str], None] = warn) -> Iterator[None]:
        """Hold the lock of a ledger for the processes that this one starts. They open it with `write=True, locked=True`.

        Their transactions take turns. All other processes that want to write are refused. PostgreSQL needs no such lock.
        """
        if is_url(path):
            yield
            return
        with own_lock(path, wait_seconds=wait_seconds, tell=tell):
            try:
                yield
            finally:
                end_turns(path)

    @classmethod
    def begin(
        cls,
        path: Location,
        categorizer: Any,
        documents: Documents | None = None,
        *,
        actor: str,
        subjects: Sequence[str | None] | None = None,
        unlabelled: "UnlabelledDocuments | None" = None,
        wait_seconds: float | None = None,
        tell: Callable[[str], None] = warn,
    ) -> "Ledger":
        """A new ledger for a categorizer: see `tercet.ledger.beginning`. It is open for writing."""
        from tercet.ledger.beginning import write_beginning

        ledger = cls._open(path, wait_seconds, tell, write=True, new=True)
        try:
            with ledger.transaction():
                write_beginning(ledger, categorizer, documents, subjects, check_name("actor", actor), unlabelled)
        except BaseException:
            ledger.database.close()
            ledger.database.discard()
            ledger.close()
            raise
        return ledger

    def _check_beginning(self) -> None:
        """Raise an error if it was not begun to the end, or by a tercet that writes another format."""
        if not self.head.number:
            raise NoLedger(f"{self.name} has no events: it was not begun to the end. Delete it, and begin again.")
        if (form := self.history.beginning.get("format")) != FORMAT:
            raise BadLedger(
                f"{self.name} has format {form!r}, and this tercet knows format {FORMAT}: install the newest, with "
                "pip install --upgrade tercet."
            )

    def close(self) -> None:
        """Close the files, and let others write."""
        self._resources.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Reading.

    @property
    def place(self) -> str:
        """The file or the URL, as `Ledger.open` takes it."""
        return self.database.location

    @property
    def name(self) -> str:
        """The file, or the database without a password, for messages."""
        return self.database.name

    @property
    def head(self) -> Link:
        """Number and hash of the last event that this object knows."""
        return Link(self._head.number, self._head.hash)

    @cached_property
    def recipe(self) -> ModelOptions:
        """The options of the model."""
        try:
            return ModelOptions.from_dict(self.history.beginning["recipe"])
        except (ValueError, TypeError, LookupError, AttributeError) as error:  # anybody may have written the file
            raise BadLedger(f"{self.name} does not have the options of a model that this tercet knows.") from error

    def events(self, first: int = 1, last: int | None = None) -> Iterator[Event]:
        """The events with these numbers."""
        return self.database.read(first, last)

    def search(
        self,
        *,
        before: int | None = None,
        after: int | None = None,
        limit: int = 50,
        actor: str | None = None,
        verb: str | None = None,
        without: Sequence[str] = (),
        label: Any = None,
        subject: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
    ) -> list[Event]:
        """The last events that fit, the newest first, at most `limit`. For the next page, `before` is the last number.

        With `after`, the first events that fit after this number, the oldest first.

        `without` has verbs whose events are left out.

        An event has a label if it gives this label to a document: `import`, `learn` and `relabel`. It has a subject if it is
        about a document of this person: `import` and `learn`. `since` is included, `until` is not; a time without a zone is in
        UTC.
        """
        check_count("limit", limit)
        for each in (*([] if verb is None else [verb]), *without):
            check_choice("verb", each, VERBS)
        times = read_time("since", since), read_time("until", until)
        about = None if subject is None else self.database.find_subject(check_name("a subject", subject))
        with self.turn:  # events that are not committed yet are not found
            if any(each is not None for each in (actor, verb, label, *times)):
                self._index = self._index or EventIndex.of(self.events(last=self._head.number), self.history)
                found = self._index.search(before, after, actor, verb, label, *times)
            else:  # all events: the index, which takes a second for 100,000, is made when somebody needs it
                last = self._head.number if before is None else min(before - 1, self._head.number)
                found = np.arange(last, after or 0, -1)
            found = found if about is None else found[np.isin(found, about)]
            ordered, verbs = map(int, found if after is None else found[::-1]), self.history.verbs
            chosen = list(islice((number for number in ordered if verbs[number] not in without), limit))
        picked = list(self.pick_events(chosen))
        return picked[::-1] if after is None else picked

    def pick_events(self, numbers: Iterable[int]) -> Iterator[Event]:
        """The events with these numbers, in their order."""
        return self.database.pick(numbers)

    @property
    def has_start(self) -> bool:
        """Whether the ledger began with a model whose documents it does not know."""
        return bool(self.history.beginning.get("has_start"))

    def read_start(self) -> bytes:
        """The model file that the ledger began with, if its documents are not known."""
        start = self.database.read_start()
        if start is None:
            raise BadLedger(f"{self.name} is damaged: the model that it began with is missing. Take a good copy.")
        return start

    def replay(self, number: int | None = None) -> "Replay":
        """The model after this event, by default the last one."""
        from tercet.ledger.lost_model import explain_loss
        from tercet.ledger.replay import replay

        with self.process.keep_texts(), explain_loss(self, number):
            return replay(self, number)

    def find_learned(self, number: int | None = None) -> LearnedDocuments:
        """Which documents are learned after this event, by default the last one."""
        with self.turn:  # nobody changes the history meanwhile
            if number is None or number == self.head.number:
                return self.history.summarize()
            if not 1 <= number <= self.head.number:
                raise InvalidOption(f"there is no event {number}: the last one is {self.head.number}.")
            if self.history.is_same_since(number):
                return self.history.summarize(number)
        return summarize_events(self.events(last=number))

    def _load(self) -> None:
        """Read all events, and check that they are a chain."""
        self._head: Link | Event = Link()
        self.history, self._index = History(), None
        self.catch_up()

    def has_news(self) -> bool:
        """Whether another process has written events that this object does not know. It takes some microseconds in a file."""
        is_alone = not self.database.is_shared and not self.database.is_read_only
        return not is_alone and self.database.find_last() > self.head.number

    def catch_up(self) -> None:
        """Read the events that others have written since, and check that they follow."""
        with self.turn:
            self._catch_up()

    def _catch_up(self) -> None:
        blank: set[int] = set()
        try:
            for event in self.database.read(self._head.number + 1):
                if fault := event.describe_fault(self._head) or describe_wrong_target(event):
                    raise BadLedger(f"{self.name} is damaged: {fault}.")
                self._apply(event)
                if event.content is None:
                    blank.add(event.number)
        except NoLedger:
            raise
        except BadLedger as error:
            raise name_last_good(error, self._head.number) from None
        except (ValueError, TypeError, LookupError, AttributeError) as error:
            damage = BadLedger(f"{self.name} is damaged: event {self._head.number + 1} can't be read.")
            raise name_last_good(damage, self._head.number) from error
        if missing := blank.difference(*(events for _, events in self.history.erasures)):
            damage = BadLedger(f"{self.name} is damaged: the content of event {min(missing)} is gone, and nobody erased it.")
            raise name_last_good(damage, min(missing) - 1)

    def _apply(self, event: Event) -> None:
        self.history.apply(event)
        if self._index is not None:
            self._index.add(event, self.history)
        if event.verb == "erase":
            self.database.close_idle()
            self.process.hurry()
        self._head = event

    def add_follower(self, follower: Follower) -> None:
        """Note what is made of the texts: an erasure is confirmed only when it includes the erasure, or is gone."""
        self._followers = [*(each for each in self._followers if each() is not None), ref(follower)]

    def list_followers(self) -> list[Follower]:
        return [follower for each in self._followers if (follower := each()) is not None]

    # Writing. Each method returns when its events are on the disk. If there is an error, nothing is written.

    def learn(self, documents: Documents, *, actor: str, subjects: Sequence[str | None] | None = None) -> list[Event]:
        """Learn documents; `subjects` are the persons whom they are about."""
        return self.append(changes.learn(self.recipe, documents, subjects), actor)

    def unlearn(self, documents: Documents | None = None, *, events: Sequence[int] = (), actor: str) -> list[Event]:
        """Forget learned documents, or those of some events. Their texts are kept, so this can be undone."""
        if documents is None:
            return self.append(changes.unlearn_events(events), actor)
        return self.append(changes.unlearn(self.recipe.shape, documents), actor)

    def relabel(self, documents: Documents, old: Any = None, *, actor: str) -> list[Event]:
        """Give learned documents new labels."""
        return self.append(changes.relabel(self.recipe, documents, old), actor)

    def relabel_event(self, number: int, label: Any, *, actor: str) -> list[Event]:
        """Give the document of an event a new label."""
        return self.append(changes.relabel_event(self.recipe, number, label), actor)

    def undo(self, number: int, *, actor: str) -> list[Event]:
        """Undo an event: a document that was learned, unlearned or relabelled, or another undo."""
        return self.append(changes.undo(number), actor)

    def offer(
        self,
        documents: Documents,
        *,
        pool: str,
        actor: str,
        rows: Sequence[int | None] | None = None,
        subjects: Sequence[str | None] | None = None,
    ) -> list[Event]:
        """Offer texts for labelling, in a pool. A text that the pool has already is left out. The model does not change."""
        return self.append(changes.offer(self.recipe.shape, documents, pool, rows, subjects), actor)

    def change_seeds(self, seeds: Any, *, actor: str) -> list[Event]:
        """Tell the model something else of its labels, or nothing (None). The next training uses it."""
        return self.append(changes.change_seeds(self.recipe, seeds, has_start=self.has_start), actor)

    def withdraw(self, pool: str, *, actor: str) -> list[Event]:
        """Delete a pool. What was learned from its texts stays learned."""
        return self.append(changes.withdraw(pool), actor)

    def judge(self, offer: int, verdict: changes.Verdict, *, actor: str) -> list[Event]:
        """Judge an offered text. If enough people agree on its label, it is learned, too."""
        self.history.labelling.check_offer(offer)
        return self.append(changes.judge(self.recipe, next(self.pick_events([offer])), verdict, actor), actor)

    def correct(
        self, document: Documents, verdict: changes.Verdict, *, pool: str, actor: str, subject: str | None = None
    ) -> list[Event]:
        """Offer one text and give it a label, which is learned at once, whatever others said of it."""
        return self.append(changes.correct(self.recipe, document, verdict, pool, subject, actor), actor)

    def check(self, found: HandCheck, covers: int | None = None, *, actor: str) -> list[Event]:
        """Write down a check by hand of the model of an event; None if the model has changed since it was checked."""
        return self.append(changes.check(found, covers), actor)

    def erase(
        self,
        subject: str | None = None,
        *,
        events: Sequence[int] = (),
        actor: str,
        names: Sequence[str] = (),
        wait_seconds: float | None = 60.0,
        train: bool = False,
    ) -> "Erasure":
        """Delete the documents about a person, or of some events, for ever. With `train`, the model is trained without them.

        The result has the certificate, unless somebody reads the old database for longer than `wait_seconds`. Its `mentions`
        are the texts of other people that have the subject or one of the `names`: they are not erased.
        """
        from tercet.ledger.erasure import erase

        return erase(self, subject, events, check_name("actor", actor), wait_seconds, names=names, train=train)

    def train(self, *, actor: str) -> "Replay":
        """Train the model on all documents of now, and append a `train` event when it has succeeded."""
        from tercet.ledger.publishing import train_now

        return train_now(self, check_name("actor", actor))

    def note_training(self, covers: int, *, actor: str) -> Event:
        """Append a `train` event for a training on all documents up to this event that has succeeded already."""
        self.check_trainable()
        return self.append(changes.note_training(covers), actor)[0]

    def check_trainable(self) -> None:
        """Raise InvalidOption if the ledger does not have all documents of the model."""
        if self.has_start:
            raise InvalidOption(
                f"{self.name} began with a model whose documents it does not know, so it can't be trained again: begin a "
                "ledger with the documents."
            )

    def publish(self, replay: "Replay", *, actor: str) -> Event:
        """Write down the checksum of a model, which is going to be served or written to a file."""
        return self.append(changes.publish(replay.number, replay.describe()), actor)[0]

    def append(self, change: Change, actor: str) -> list[Event]:
        """Append the events of a change. All changes that wait at the same time are committed together."""
        self._check_open()
        waiting = WaitingChange(change, check_name("actor", actor))
        if self._writer == get_ident():
            return self._write(waiting)
        with self._queue_lock:
            self._queue.append(waiting)
        with self.turn:
            if not waiting.is_done:
                self._commit_waiting()
        return waiting.take()

    def _check_open(self) -> None:
        if self.database.is_read_only:
            raise CannotWrite(f"{self.name} is open for reading only: open it with write=True.")

    def _commit_waiting(self) -> None:
        """Write all changes that wait. An error of one change concerns only this one; an error of the disk concerns all."""
        with self._queue_lock:
            group, self._queue = self._queue, []
        written: list[tuple[WaitingChange, list[Event]]] = []
        try:
            with self.transaction():
                for waiting in group:
                    try:
                        written.append((waiting, self._write(waiting)))
                    except (CannotWrite, BadLedger):
                        raise
                    except Exception as error:
                        waiting.error = error
        except BaseException as error:
            is_stopped = not isinstance(error, Exception)
            for waiting in group:
                waiting.error = waiting.error or (
                    CannotWrite("the change was stopped: nothing was written.") if is_stopped else error
                )
            if is_stopped:
                raise
            return
        for waiting, events in written:
            waiting.events = events

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Events that are appended in this block by this thread are written together at its end; none after an error.

        Inside the block, `events` and `replay` see them already.
        """
        self._check_open()
        with self.turn:
            if self._fresh is not None:
                yield
                return
            self._fresh, self._writer = [], get_ident()
            try:
                with self.database.transaction():
                    if self.database.is_shared:
                        self.catch_up()
                    yield
            except BaseException:
                self._take_back(self._fresh)
                raise
            finally:
                self._fresh, self._writer = None, None

    def _take_back(self, events: list[Event]) -> None:
        """Forget events that were not committed."""
        if any(event.verb == "erase" for event in events):
            self._load()
            self.rehearsal.forget_after(0)
            return
        for event in reversed(events):
            self.history.revert(event)
            if self._index is not None:
                self._index.pop()
            self._head = Link(event.number - 1, event.previous)
        self.rehearsal.forget_after(self._head.number)

    def _write(self, waiting: WaitingChange) -> list[Event]:
        """Write the events of a change, if the change and the model accept them. Otherwise there is no trace of them."""
        assert self._fresh is not None
        drafts, n_before = waiting.change(self.history), len(self._fresh)
        try:
            with self.database.savepoint():
                events = self._write_drafts(drafts, waiting.actor)
                self.rehearsal.check(events)
                return events
        except BaseException:
            self._take_back(self._fresh[n_before:])
            del self._fresh[n_before:]
            raise

    def _write_drafts(self, drafts: Sequence[Draft], actor: str) -> list[Event]:
        assert self._fresh is not None
        events: list[Event] = []
        for draft in drafts:
            events.append(Event.follow(events[-1] if events else self._head, draft, actor, write_time(datetime.now(UTC))))
        self.database.insert(events)
        for event in events:
            self._apply(event)
            self._fresh.append(event)
        return events


def describe_wrong_target(event: Event) -> str:
    """A fault if an event is about an event that does not come before it, or if the first event does not begin the ledger."""
    if (event.verb == "begin") != (event.number == 1):
        return f"event {event.number} is {event.verb!r}"
    is_earlier = event.target is None or 1 <= event.target < event.number
    return "" if is_earlier else f"event {event.number} is about event {event.target}"


def name_last_good(error: BadLedger, number: int) -> BadLedger:
    """The error with the number of the last event before the fault."""
    known = f"The last good event is {number}" if number else "No event is good"
    named = BadLedger(f"{error} {known}. Nothing was changed; take a good copy (tercet backup makes copies).")
    named.last_good = number
    return named
