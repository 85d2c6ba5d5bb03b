"""Which events have an actor, a verb, a label or a time. It is in memory only, so an erasure leaves nothing of it."""

from array import array
from collections.abc import Hashable, Iterable
from datetime import UTC, datetime
from itertools import count

import numpy as np

from tercet.arrays import Flags, Integers
from tercet.errors import bad_option
from tercet.ledger.events import Event
from tercet.ledger.history import History

N_TIME = 27  # bytes of a time


class Codes:
    """A value for each event, or None. Equal values have the same code.

    >>> codes = Codes()
    >>> for value in ["ann", None, "ben", "ann"]:
    ...     codes.add(value)
    >>> codes.find("ann"), codes.find("eve")
    (array([ True, False, False,  True]), array([False, False, False, False]))
    """

    def __init__(self) -> None:
        self._new = count(1)
        self._codes: dict[Hashable, int] = {None: 0}
        self._by_event = array("I")

    def add(self, value: Hashable) -> None:
        if (code := self._codes.get(value)) is None:
            code = self._codes[value] = next(self._new)
        self._by_event.append(code)

    def pop(self) -> None:
        self._by_event.pop()

    def erase(self, indices: Iterable[int]) -> None:
        """Forget the values at these indices, and those that are nowhere else."""
        for index in indices:
            self._by_event[index] = 0
        used = {0, *self._by_event}
        self._codes = {value: code for value, code in self._codes.items() if code in used}

    def find(self, value: Hashable) -> Flags:
        """Which events have this value."""
        codes, code = np.array(self._by_event), self._codes.get(value)
        return np.zeros(len(codes), np.bool_) if code is None else codes == code


class EventIndex:
    """The actors, verbs, labels and times of all events, by their numbers, which begin with 1."""

    def __init__(self) -> None:
        self._actors, self._verbs, self._labels, self._times = Codes(), Codes(), Codes(), bytearray()

    @classmethod
    def of(cls, events: Iterable[Event], history: History) -> "EventIndex":
        """The index of all events of this history."""
        index = cls()
        for event in events:
            index.add(event, history)
        return index

    def add(self, event: Event, history: History) -> None:
        """Add the next event, which the history has already."""
        self._actors.add(event.actor)
        self._verbs.add(event.verb)
        self._labels.add(history.find_given_label(event.number))
        self._times += event.time.encode("ascii", "replace")[:N_TIME].ljust(N_TIME)
        if event.verb == "erase":
            self._labels.erase(number - 1 for number in event.details["events"])

    def pop(self) -> None:
        """Take back the last event."""
        for codes in (self._actors, self._verbs, self._labels):
            codes.pop()
        del self._times[-N_TIME:]

    def search(
        self,
        before: int | None,
        after: int | None,
        actor: str | None,
        verb: str | None,
        label: Hashable,
        since: str | None,
        until: str | None,
    ) -> Integers:
        """The numbers of the events that fit, the newest first. None stands for all."""
        times = np.frombuffer(bytes(self._times), f"S{N_TIME}")
        numbers = np.arange(1, len(times) + 1)
        fits = (numbers < (len(times) + 1 if before is None else before)) & (numbers > (after or 0))
        for codes, value in ((self._actors, actor), (self._verbs, verb), (self._labels, label)):
            fits &= True if value is None else codes.find(value)
        fits &= True if since is None else times >= since.encode()
        fits &= True if until is None else times < until.encode()
        return np.flatnonzero(fits)[::-1] + 1


def write_time(moment: datetime) -> str:
    """A time as events have it: in UTC, with microseconds.

    >>> from datetime import timedelta, timezone
    >>> write_time(datetime(2026, 11, 17, 12, 0, tzinfo=timezone(timedelta(hours=1))))
    '2026-11-17T11:00:00.000000Z'
    """
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_time(name: str, value: datetime | str | None) -> str | None:
    """The time of an option as events have it. A time without a zone is in UTC, and a day is its first moment.

    >>> read_time("since", "2026-11-17"), read_time("since", "2026-11-17T12:00:00+01:00")
    ('2026-11-17T00:00:00.000000Z', '2026-11-17T11:00:00.000000Z')
    """
    if value is None:
        return None
    try:
        moment = value if isinstance(value, datetime) else datetime.fromisoformat(value)
        return write_time(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (TypeError, ValueError, OverflowError) as error:
        raise bad_option(name, "a time as ISO 8601 writes it", value, "events are compared with it. Try 2026-11-17.") from error
