"""The model of a ledger, always at its last event. It is changed step by step, and not made again from all events.

An answer needs no lock: the model is asked, and then it is checked that no event was applied meanwhile. Otherwise it is asked
once more, with a lock that keeps events away. So answers never wait for each other, only for the change of some counts, and an
event waits for an answer at most once. All that takes long, such as a training, makes another model, which then takes the place
of the old one.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.files.save_load import load
from tercet.counts.table import CountTable
from tercet.errors import (
    BadModelFile,
    CannotWrite,
    ErasedSince,
    InvalidFile,
    InvalidOption,
    ModelGone,
    NeverLearned,
    TercetError,
)
from tercet.ledger import changes
from tercet.ledger.erasure import Erasure, write_erasure
from tercet.ledger.events import DOCUMENT_VERBS, Event, check_name
from tercet.ledger.fair_lock import FairLock
from tercet.ledger.history import LastCheck, LearnedDocuments, Training
from tercet.ledger.lost_model import explain_loss
from tercet.ledger.publishing import Remake, find_published
from tercet.ledger.replay import (
    GONE,
    ReadChange,
    Replay,
    WrittenModel,
    attach_check,
    brings_back,
    change_counts,
    change_trained,
    count_lost,
    find_label,
    find_training,
    make_model,
    no_model,
    read_documents,
    train_model,
)
from tercet.store.atomic_file import write_whole
from tercet.store.file_lock import lock_file, read_mode
from tercet.store.model_file import read_checksum
from tercet.text.vectors.encoded_words import drop_encoded_texts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tercet.ledger.ledger import Ledger

T = TypeVar("T")
AT_A_TIME = 200  # learned documents that are applied together: answers wait for them


class LiveState(NamedTuple):
    """The model after an event.

    - `number`: the event.
    - `training`: the training that the model has; None if everything in it follows from the counts.
    - `is_trained`: whether the model has all that its options ask for. If not, the counts answer until the next training.
    - `problem`: why there is no model, in words.
    - `is_gone`: whether an event has taken the model away. Otherwise it waits for its first documents.
    """

    number: int
    model: Categorizer | None
    training: Training | None
    is_trained: bool
    problem: str = ""
    is_gone: bool = False

    @property
    def trained_to(self) -> int | None:
        """The last event that margins, smoothing, calibration and estimate cover; None if the model has none of them."""
        return None if self.training is None else self.training.covers

    def need_model(self) -> Categorizer:
        if self.model is None:
            raise NeverLearned(self.problem)
        return self.model


class LiveAnswer(NamedTuple, Generic[T]):
    """The result of a function of the model, and which model that was: see `LiveState`."""

    result: T
    number: int
    trained_to: int | None
    is_trained: bool


@dataclass
class MadeModel:
    """A model that was made, and the documents that it has learned, which change with it."""

    number: int
    model: Categorizer | None = None
    training: Training | None = None
    is_trained: bool = False
    labels: dict[int, Any] = field(default_factory=dict)  # of the learned documents, by number
    lost: CountTable | None = None  # see `count_lost`
    problem: str = ""
    is_gone: bool = False  # whether an event has taken the model away
    is_unfollowed: bool = False  # whether the last training can't follow these documents, so that the counts answer
    check: LastCheck | None = None  # the last check by hand, which the model has


class NewEvents(NamedTuple):
    """The events after a state: the last one, their verbs, the labels of the documents that they are about, and the last check
    by hand after them."""

    number: int
    verbs: set[str]
    labels: dict[int, Any]  # GONE for a document that is not learned
    check: LastCheck | None


class LiveModel:
    """The model of a ledger after its last event.

    - `number`, `model`, `training`, `trained_to`, `is_trained`, `problem`: see `LiveState`. The model is None before the first
      document is learned.

    `path` is the model file, which is only a copy of what the ledger says: it is read at the beginning if it is the last model
    that was published, and `train`, `publish` and `erase` write it. Without it, the model is made of all events.

    Threads may share a live model and its ledger. Do not call its methods inside a transaction of the ledger, nor inside the
    function of an answer.

    >>> from tempfile import TemporaryDirectory
    >>> from tercet import Documents, Ledger
    >>> folder = TemporaryDirectory()
    >>> ledger = Ledger.begin(folder.name + "/reviews.ledger", Categorizer(), actor="ann")
    >>> live = LiveModel(ledger, folder.name + "/reviews.tercet")
    >>> live.problem
    'after event 1 no document is learned, so there is no model.'
    >>> learned = ledger.learn(Documents(["so good", "so bad"], ["+", "-"]), actor="ann")
    >>> live.follow()
    3
    >>> live.answer(lambda model: model.predict(["how good"]).tolist()[0])
    LiveAnswer(result='+', number=3, trained_to=None, is_trained=True)
    >>> live.publish(actor="server").target
    3
    >>> LiveModel(ledger, live.path).number  # from the file
    4
    >>> ledger.close(); folder.cleanup()
    """

    def __init__(
        self, ledger: "Ledger", path: str | os.PathLike[str] | None = None, *, wait_seconds: float | None = None
    ) -> None:
        """`wait_seconds` is for another program that changes the file; None is without a limit."""
        self.ledger = ledger
        self.path = None if path is None else Path(path)
        self.wait_seconds = wait_seconds
        # The order of all locks is in the docstring of tercet.ledger.
        self._following = RLock()  # held while events are applied
        self._changing = FairLock()  # held while the model changes, or must not change
        self._training = Lock()  # one training at a time
        self._building: LearnedDocuments | None = None  # what a thread makes a model of now
        self._made = MadeModel(0)
        self._mode: int | None = None  # of the file, if an erasure has deleted it: the next one gets the same
        self._stable: LiveState | None = None  # the state; None while the model changes
        self._state = self._stable = LiveState(0, None, None, False)
        self._check_file()
        ledger.add_follower(self)
        self.follow()
        ledger.rehearsal.hold_model = self._hold_made  # from now on, this model decides about new events

    @contextmanager
    def _hold_made(self) -> "Iterator[MadeModel]":
        """What was made, which does not change in the block."""
        with self._changing:
            yield self._made

    def _check_file(self) -> None:
        """Raise InvalidOption if the file is not a model of this ledger: what it has learned would be lost."""
        if self.path is not None and not self._knows_file(self.path):
            raise InvalidOption(
                f"{self.path} is not a model of {self.ledger.name}: it was changed without the ledger, or has learned "
                "documents that were erased since. If it belongs to another ledger, name that one (--ledger). Otherwise move "
                "the file away: this ledger then gives its own model again, without what only the file has learned."
            )

    def _knows_file(self, path: Path) -> bool:
        """Whether the file is a model that was published, and has learned nothing that was erased since, or does not exist."""
        checksum = read_checksum(path)
        self.ledger.catch_up()  # afterwards: a file is published just before it is there
        published = self.ledger.pick_events(self.ledger.history.publications)
        return checksum is None or any(event.details.get("model") == checksum for event in published)

    # The state.

    @property
    def state(self) -> LiveState:
        """The last complete state."""
        return self._state

    @property
    def number(self) -> int:
        return self._state.number

    @property
    def model(self) -> Categorizer | None:
        return self._state.model

    @property
    def training(self) -> Training | None:
        return self._state.training

    @property
    def trained_to(self) -> int | None:
        return self._state.trained_to

    @property
    def is_trained(self) -> bool:
        return self._state.is_trained

    @property
    def problem(self) -> str:
        return self._state.problem

    def answer(self, function: Callable[[Categorizer], T]) -> LiveAnswer[T]:
        """The result of a function of the model, and the number of the event that it belongs to.

        The function may be called twice, so it must change nothing. During the second call no event is applied: split a batch
        that takes longer than a fraction of a second. Raises NeverLearned if there is no model.
        """
        found = self.try_answer(function)
        if found is not None:
            return found
        with self._changing:
            state = self._state
            return LiveAnswer(function(state.need_model()), state.number, state.trained_to, state.is_trained)

    def try_answer(self, function: Callable[[Categorizer], T]) -> LiveAnswer[T] | None:
        """The same; None if it would have to wait, because an event is applied just now."""
        state = self._stable
        if state is None:
            return None
        try:
            result = function(state.need_model())
        except Exception:
            if self._stable is state:
                raise
            return None
        return LiveAnswer(result, state.number, state.trained_to, state.is_trained) if self._stable is state else None

    # Following the ledger.

    def follow(self) -> int:
        """Apply the events that the model does not include yet. Returns the number of the last event that it includes.

        If another thread makes a new model at the moment, this does not wait for it: that thread will apply the events.
        """
        if self.ledger.has_news():
            self.ledger.catch_up()
        last = self.ledger.head.number  # events that others append meanwhile may never end
        while (then := self._step(last)) is not None:
            self._replace(then)
            last = self.ledger.head.number  # others have left these events to this thread
        return self.number

    def _step(self, last: int) -> LearnedDocuments | None:
        """Apply the news up to this event. If that needs a new model, and no other thread makes one, what to make it of."""
        with self._following:
            if self._apply_news(last):
                return None
            if self._building is not None and not self._is_erased_since(self._building.number):
                return None
            self._building = self.ledger.find_learned()
            return self._building

    def _apply_news(self, last: int) -> bool:
        """Change the model in place up to this event. Returns False if that needs a new model."""
        while self._made.number < last and (news := self._read_news()) is not None:
            if not self._apply(news):
                return False
        return True

    def _is_erased_since(self, number: int) -> bool:
        erasures = self.ledger.history.erasures
        return bool(erasures) and erasures[-1][0] > number

    def _read_news(self) -> NewEvents | None:
        with self.ledger.turn:  # nobody changes the history meanwhile
            history, last = self.ledger.history, self.ledger.head.number
            if last == self._made.number:  # an event that was not committed is gone again
                return None
            some = range(self._made.number + 1, min(last, self._made.number + AT_A_TIME) + 1)
            verbs = {history.verbs[number] for number in some}
            if verbs.issubset(DOCUMENT_VERBS):  # new documents have their own labels, whatever later events say
                check = None if self._made.check is None else self._made.check._replace(is_current=False)
                return NewEvents(some[-1], verbs, {number: history.find_given_label(number) for number in some}, check)
            since = range(self._made.number + 1, last + 1)
            found = {history.find_document(number) for number in since if self._made.model is not None}
            labels = {number: find_label(history, number) for number in found if number is not None}
            return NewEvents(last, {history.verbs[number] for number in since}, labels, history.find_check())

    def _apply(self, news: NewEvents) -> bool:
        """Change the model in place. Returns False if it must be made anew."""
        made = self._made
        is_new = "erase" in news.verbs or ("train" in news.verbs and self.ledger.recipe.needs_training)
        if made.model is None or is_new or not self._keeps_labels(news):
            return False
        change = ReadChange.between(self.ledger, made.labels, news.labels)
        if made.is_unfollowed and (change.new or change.gone):
            return False
        if not change.is_whole:  # another process has erased some just now
            self.ledger.catch_up()
            return False
        if made.lost is not None and brings_back(made.lost, made.model, change.learned):
            return False
        table = made.model.table_.table
        try:
            with self._change():
                change.apply(made.model, made.labels)
                if made.check != news.check:
                    made.check = news.check
                    attach_check(made.model, news.check)
                made.number = news.number
            if made.model.table_.table is not table:  # forgotten terms were dropped
                made.lost = count_lost(self.ledger, made.model, made.training, made.labels)
        except (CannotWrite, InvalidFile):  # errors of the ledger, not of the model
            raise
        except TercetError:
            return False
        return len(made.model.fitted_.labels) > 0 or not made.labels

    def _keeps_labels(self, news: NewEvents) -> bool:
        """Whether the labels stay the same, if there is a model only for some labels."""
        if self._made.training is not None or not self.ledger.recipe.needs_labels:
            return True
        after = {number: label for number, label in {**self._made.labels, **news.labels}.items() if label is not GONE}
        return set(after.values()) == set(self._made.labels.values())

    @contextmanager
    def _change(self) -> "Iterator[None]":
        """The model changes in this block. After an error it is made again by the next call of `follow`."""
        with self._changing:
            self._stable = None
            try:
                yield
            except BaseException:
                self._made = MadeModel(0, problem="an event could not be applied, and the model was not made again yet.")
                raise
            finally:
                self._show()

    def _show(self) -> None:
        """Let answers use what was made."""
        made = self._made
        if made.model is not None and (made.labels or self.ledger.has_start):
            made.model.tells_age = False  # each answer says up to which event the model is trained
            state = LiveState(made.number, made.model, made.training, made.is_trained)
        else:
            state = LiveState(made.number, None, None, False, made.problem or str(no_model(made.number)), made.is_gone)
        self._state = self._stable = state

    # A new model takes the place of the old one.

    def _replace(self, then: LearnedDocuments) -> None:
        """Make the model of these documents, and let it answer. The old model answers meanwhile."""
        try:
            made = self._make(then)
        except BaseException:
            self._end_building(then)
            raise
        with self._following:
            if not self._end_building(then) or made.number < self._made.number:
                return
            is_erased = self._is_erased_since(self._made.number)
            if is_erased:
                drop_encoded_texts()
            self._made = made
            self._show()
        if is_erased:
            self._remove_file()

    def _end_building(self, then: LearnedDocuments) -> bool:
        """Whether no other thread has begun to make a model since, after an erasure."""
        with self._following:
            is_last = self._building is then
            self._building = None if is_last else self._building
            return is_last

    def _make(self, then: LearnedDocuments) -> MadeModel:
        training = known = find_training(self.ledger, then)
        try:
            model = self._load(then, training)
            if model is None:
                with explain_loss(self.ledger, then.number):
                    replay = make_model(self.ledger, then)
                model, training = replay.model, replay.training
        except (CannotWrite, InvalidFile):  # errors of the ledger or the file, not of the model
            raise
        except TercetError as error:
            return MadeModel(then.number, labels=then.labels, problem=str(error), is_gone=isinstance(error, ModelGone))
        attach_check(model, then.check)
        lost = count_lost(self.ledger, model, training, then.labels)
        is_trained = training is not None or self.ledger.has_start or not self.ledger.recipe.needs_training
        made = MadeModel(then.number, model, training, is_trained, then.labels, lost, is_unfollowed=training != known)
        made.check = then.check
        return made

    def _load(self, then: LearnedDocuments, training: Training | None) -> Categorizer | None:
        """The model of the file, with the changes since it was published; None if it is not the last one that was published."""
        from tercet import __version__

        published = None if self.path is None else find_published(self.ledger)
        if self.path is None or published is None or published.target is None or published.target > then.number:
            return None
        known = published.details
        if known["version"] != __version__ or read_checksum(self.path) != known["model"]:
            return None
        at = self.ledger.find_learned(published.target)
        if find_training(self.ledger, at) != training or (training is None and self.ledger.recipe.needs_labels):
            return None
        try:
            model = load(self.path)
        except BadModelFile:  # it is only a copy of what the ledger says
            return None
        if not isinstance(model, Categorizer) or [file.checksum for file in model.files.values()] != [known["model"]]:
            return None  # another program has replaced it just now
        model.files = {}
        if training is not None and not self.ledger.recipe.is_trained(model):
            return None
        return model if change_trained(self.ledger, model, training, at.labels, then.labels) else None

    def _remove_file(self) -> None:
        """Delete the file if it may have something that was erased."""
        if self.path is None:
            return
        with lock_file(self.path, wait_seconds=self.wait_seconds):
            if not self._knows_file(self.path):
                self._delete_file()

    def _delete_file(self) -> None:
        """Delete the file, and remember its mode for the next one."""
        if self.path is not None and (mode := read_mode(self.path)) is not None:
            self._mode = mode
            self.path.unlink(missing_ok=True)

    def _write_file(self, written: WrittenModel, check: Callable[[], None] | None = None) -> None:
        assert self.path is not None
        mode = written.mode if self._mode is None else self._mode
        write_whole(self.path, written.parts, check=check, mode=mode, wait_seconds=self.wait_seconds)

    # Writing.

    def train(self, *, actor: str) -> Training:
        """Train a model on all documents of now. It takes the place of the old one when it is ready.

        Answers and events go on meanwhile. At the end, the `train` event is appended. If there is a file, it is written, and
        the model is published, so that other processes that use the file need not train, too.
        """
        check_name("actor", actor)
        self.ledger.check_trainable()
        with self._training:
            while True:
                then = self.ledger.find_learned()
                if not then.labels:
                    raise no_model(then.number)
                try:
                    return self._finish_training(train_model(self.ledger, then), then, actor)
                except ErasedSince:  # the model has seen what is erased by now: it is not kept during the next training
                    drop_encoded_texts()

    def _finish_training(self, model: Categorizer, then: LearnedDocuments, actor: str) -> Training:
        now = self.ledger.find_learned()
        change_counts(model, self.ledger, then.labels, now.labels)
        attach_check(model, None if now.check is None else now.check._replace(is_current=False))  # the training comes after it
        if self.path is None:
            return name_training(self._append_training(model, then, now, None, actor))
        written, events = WrittenModel.of(model), []

        def append() -> None:
            events.extend(self._append_training(model, then, now, written.describe(), actor))
            if len(events) == 1:
                raise OthersWrote

        try:
            self._write_file(written, append)
        except OthersWrote:
            self.publish(actor=actor)
        return name_training(events)

    def _append_training(
        self,
        model: Categorizer,
        then: LearnedDocuments,
        now: LearnedDocuments,
        description: Mapping[str, Any] | None,
        actor: str,
    ) -> list[Event]:
        """Append the event, and `publish` if the model is still that of the last event. Then the model answers."""
        with self._following:
            seen = then.labels.keys() | (then.offers if self.ledger.history.reads_offers else frozenset())
            change = changes.finish_training(then.number, seen, now.number, description)
            events = self.ledger.append(change, actor)
            training, last = name_training(events), self.ledger.find_learned()
            is_erased = self._is_erased_since(training.number)
            if not is_erased and change_trained(self.ledger, model, training, now.labels, last.labels):
                used = training if self.ledger.recipe.needs_training else None
                lost = count_lost(self.ledger, model, used, last.labels)
                attach_check(model, last.check)
                self._made = MadeModel(last.number, model, used, True, last.labels, lost, check=last.check)
                self._show()
            return events  # if the model could not be used, `follow` makes another one

    def publish(self, *, actor: str) -> Event:
        """Write the model to the file, if there is one, and its checksum into the ledger. The `publish` event is returned."""
        check_name("actor", actor)
        while True:
            self.follow()
            with self._following:
                number, written = self.number, WrittenModel.of(self._state.need_model())
            try:
                event = self._write(written, changes.publish(number, written.describe()), actor)
            except ErasedSince:
                continue
            self.follow()
            return event

    def _write(self, written: WrittenModel, change: changes.Change, actor: str) -> Event:
        """Append the event just before the new file takes the place of the old one, while nobody else writes the file."""
        if self.path is None:
            return self.ledger.append(change, actor)[0]
        events: list[Event] = []
        self._write_file(written, lambda: events.extend(self.ledger.append(change, actor)))
        return events[0]

    def erase(
        self,
        subject: str | None = None,
        *,
        events: Sequence[int] = (),
        actor: str,
        names: Sequence[str] = (),
        wait_seconds: float | None = 60.0,
    ) -> Erasure:
        """Delete the documents about a person, or of some events, for ever, also from the model and its file.

        See `Ledger.erase`. If the training had seen them, the counts answer until the next training. If another program changes
        the file for longer than `wait_seconds`, nothing is erased.
        """
        check_name("actor", actor)
        with ExitStack() as locks:
            if self.path is not None:
                locks.enter_context(lock_file(self.path, wait_seconds=wait_seconds))
            locks.enter_context(self._following)
            with self.ledger.transaction():
                self._apply_news(self.ledger.head.number)
                keeps_model, prepare = self._made.model is not None, self._prepare_without
                erasure = write_erasure(
                    self.ledger, subject, events, actor, names=names, keeps_model=keeps_model, prepare=prepare
                )
                then = self.ledger.find_learned()
                self._delete_file()  # before the erasure is written: no file may have more than the ledger
            self._show_erased(erasure, then)
        with suppress(CannotWrite):
            erasure.confirm(wait_seconds)
        return erasure

    def _prepare_without(self, erased: Sequence[int]) -> Remake:
        """How to make the model without these documents from the model of now, if this is possible: it takes less time."""
        made = self._made
        learned = {number: made.labels[number] for number in erased if number in made.labels}
        forgotten = list(read_documents(self.ledger, learned))  # now: their texts are gone soon
        is_last, needs_labels = made.number == self.ledger.head.number, self.ledger.recipe.needs_labels

        def remake() -> Replay | None:
            then = self.ledger.find_learned()
            if made.model is None or not is_last or needs_labels or find_training(self.ledger, then) != made.training:
                return None
            model = deepcopy(made.model)
            for batch in forgotten:
                model.forget(batch, later=True)
            attach_check(model, then.check)
            # Another copy, because the first one still has the forgotten terms in memory.
            return Replay(then.number, deepcopy(model), made.training, len(then.erased), made.is_trained)

        return remake

    def _show_erased(self, erasure: Erasure, then: LearnedDocuments) -> None:
        """Let the model without the erased documents answer, and write it."""
        drop_encoded_texts()
        replay = erasure.replay
        if replay is None:
            self._made = self._make(then)  # no document is left, or there was no model before
        else:
            lost = count_lost(self.ledger, replay.model, replay.training, then.labels)
            made = MadeModel(then.number, replay.model, replay.training, replay.is_trained, then.labels, lost, check=then.check)
            self._made = made
        self._show()
        if self.path is not None and replay is not None:
            with suppress(CannotWrite):  # the ledger has everything
                self._write_file(WrittenModel.of(replay.model))


def name_training(events: Sequence[Event]) -> Training:
    """The training of a `train` event, which is the first one."""
    event = events[0]
    return Training(event.number, event.target or 0, event.details["version"])


class OthersWrote(Exception):
    """Others have appended events since the model was written, so it is not that of the last event."""
