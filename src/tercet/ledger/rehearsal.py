"""May these events be written? The model decides, inside the transaction, before they are committed.

The events are applied to the counts of a model, its labels, its weights and its rules, by the functions that change a model
(`rehearse_change`), but the model stays as it is. It is the model of a `LiveModel` if there is one. Otherwise it has only
counts: it is made of all documents before the first change, which takes as long as counting them. Training is no part of it: if
a training fails, the model before it still answers.

A replay learns before it forgets, so for a moment it may have the documents of two events. Therefore a ledger takes at most
half of the room of a table.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tercet.categorizer.categorizer import Categorizer
from tercet.categorizer.fitted import ChangedSums, Fitted, rehearse_change
from tercet.categorizer.fitting import count_like
from tercet.categorizer.state import State
from tercet.counts.units import MAX_UNITS, no_room
from tercet.errors import CannotWrite, InvalidFile, MissingLabel, TercetError
from tercet.ledger.events import Event
from tercet.ledger.history import SAME
from tercet.ledger.lost_model import has_model
from tercet.ledger.replay import ChangedLabels, Labelled, ReadChange, count_documents
from tercet.options import n_threads

if TYPE_CHECKING:
    from tercet.ledger.ledger import Ledger

MAX_LAG = 100  # events that the live model may be behind: each change would count their documents again
MAX_UNUSED = 1000  # events after which our own model is dropped if the live one was near enough
FREE = SAME | {"begin", "erase"}  # verbs that are not rehearsed: an erasure makes the model itself


class ModelOfEvent(Protocol):
    """A model, the event that it belongs to, and the labels of the documents that it has learned."""

    @property
    def number(self) -> int: ...
    @property
    def model(self) -> Categorizer | None: ...
    @property
    def labels(self) -> Labelled: ...


@dataclass
class CountedModel:
    """A model of counts alone. It changes with each change that is accepted."""

    number: int = 0
    model: Categorizer | None = None
    labels: dict[int, Any] = field(default_factory=dict)

    def follow(self, change: ReadChange, number: int) -> None:
        assert self.model is not None
        change.apply(self.model, self.labels)
        self.number = number


class Rehearsal:
    """Decides about the events of one ledger. Only the thread that has the turn of the ledger may use it."""

    def __init__(self, ledger: "Ledger") -> None:
        self.ledger = ledger
        self.hold_model: Callable[[], AbstractContextManager[ModelOfEvent]] | None = None  # of a LiveModel
        self._own = CountedModel()

    def check(self, events: Sequence[Event]) -> None:
        """Raise an error if there would be no model after these events. They are in the history, and not committed yet."""
        if FREE.issuperset(event.verb for event in events):
            return
        try:
            if not self._change_live() and not self._change_own():
                self._count_all(events[0].number)
        except (CannotWrite, InvalidFile):  # errors of the ledger, not of the model
            raise
        except TercetError as error:
            raise refuse(error) from error

    def forget_after(self, number: int) -> None:
        """The events after this one were not committed."""
        if self._own.number > number:
            self._own = CountedModel()

    def _change_live(self) -> bool:
        """Rehearse the events since the live model. Returns False if there is none, or if it is too far behind."""
        if self.hold_model is None:
            return False
        is_done = False
        # Reading and counting take long, and answers do not wait for them. So the model may have changed meanwhile.
        while not is_done:
            with self.hold_model() as known:
                if not self._is_base(known) or self.ledger.history.last - known.number > MAX_LAG:
                    return False
                number, changed = known.number, ChangedLabels.since(self.ledger, known.number, known.labels)
                model = known.model
                assert model is not None  # it is a base
                fitted, threads = model.fitted_, n_threads(model.threads)
            more, less = count_change(fitted, changed.read(self.ledger), threads)
            with self.hold_model() as known:
                if is_done := known.number == number and known.model is model:
                    fitted = model.fitted_
                    check_sums(rehearse_change(fitted, more, less), fitted.state.table.sum_units(), self.ledger)
        if self.ledger.history.last - self._own.number > MAX_UNUSED:
            self._own = CountedModel()
        return True

    def _change_own(self) -> bool:
        """Rehearse the events since our own model, and change it. Returns False if there is none."""
        own, self._own = self._own, CountedModel()  # an error leaves nothing that is half changed
        if not self._is_base(own):
            return False
        change = rehearse(self.ledger, own)
        own.follow(change, self.ledger.history.last)
        self._own = own
        return True

    def _is_base(self, known: ModelOfEvent) -> bool:
        """Whether the events since are a change of this model."""
        has_documents = bool(known.labels) or self.ledger.has_start
        return known.model is not None and has_documents and "erase" not in self.ledger.history.verbs[known.number + 1 :]

    def _count_all(self, first: int) -> None:
        """Count all documents. If there is no model afterwards, there may have been none before the first of these events."""
        after = self.ledger.history.summarize()
        try:
            model = count_documents(self.ledger, after)
        except (CannotWrite, InvalidFile):
            raise
        except TercetError as error:
            before = self.ledger.find_learned(first - 1)
            if not may_follow(error, before.labels, after.labels) or has_model(self.ledger, before.number):
                raise
            return
        if model is not None:
            check_sums(rehearse_change(model.fitted_, None, None), (0, 0), self.ledger)
            self._own = CountedModel(after.number, model, after.labels)


def rehearse(ledger: "Ledger", known: ModelOfEvent) -> ReadChange:
    """Raise an error if there would be no model after the events that follow this model. The model does not change."""
    assert known.model is not None
    change = ChangedLabels.since(ledger, known.number, known.labels).read(ledger)
    fitted = known.model.fitted_
    more, less = count_change(fitted, change, n_threads(known.model.threads))
    check_sums(rehearse_change(fitted, more, less), fitted.state.table.sum_units(), ledger)
    return change


def count_change(fitted: Fitted, change: ReadChange, threads: int) -> tuple[State | None, State | None]:
    """What is learned and forgotten, counted. Of the model only the options are read, which never change."""
    learned, forgotten = (
        count_like(fitted, iter(batches), threads)[1] if batches else None for batches in (change.learned, change.forgotten)
    )
    return learned, forgotten


def check_sums(after: ChangedSums, before: tuple[int, int], ledger: "Ledger") -> None:
    """Raise an error if there is no model of such documents, or if a sum has grown to more than half of the room of a table."""
    if any(now > max(then, MAX_UNITS // 2) for now, then in zip(after.units, before, strict=True)):
        raise no_room(bits=41)
    if len(after.labels):
        ledger.recipe.check_all_labels(after.labels)


def may_follow(error: TercetError, before: Labelled, after: Labelled) -> bool:
    """Whether a change may leave a ledger without a model that had none: it takes documents away, or waits for more labels."""
    return isinstance(error, MissingLabel) or after.items() <= before.items()


def refuse(error: TercetError) -> TercetError:
    """The error of the model, which says that nothing is written."""
    said = str(error)
    ending = "" if "othing is written" in said else " Nothing is written."
    return type(error)(f"the model can't follow this change: {said}{ending}")
