"""Locks for objects that threads share. A forked child has fresh ones: the threads that held them do not exist there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, RLock
from weakref import WeakSet


class ChangeLock:
    """The lock of one object, which a thread may take again while it has it.

    `with lock:` nobody changes the object meanwhile. `with lock.change():` this thread changes it, and a fork waits until the
    change is complete, so that a child never sees half of it.

    >>> lock = ChangeLock()
    >>> with lock, lock.change():
    ...     "changed"
    'changed'
    """

    def __init__(self) -> None:
        self.renew()
        LIVE.add(self)

    def renew(self) -> None:
        """Replace the locks by new ones that nobody holds."""
        self._turn = RLock()
        self.changing = RLock()

    def __enter__(self) -> None:
        self._turn.acquire()

    def __exit__(self, *_: object) -> None:
        self._turn.release()

    @contextmanager
    def change(self) -> Iterator[None]:
        with self._turn, self.changing:
            yield


LIVE: "WeakSet[ChangeLock]" = WeakSet()


class Fork:
    """What happens to the locks around a fork, which one thread does at a time."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.held: list[ChangeLock] = []

    def prepare(self) -> None:
        self.turn.acquire()
        for lock in list(LIVE):
            lock.changing.acquire()
            self.held.append(lock)

    def release(self) -> None:
        while self.held:
            self.held.pop().changing.release()
        self.turn.release()

    def renew(self) -> None:
        self.__init__()  # type: ignore[misc]
        for lock in list(LIVE):
            lock.renew()


if hasattr(os, "register_at_fork"):
    FORK = Fork()
    os.register_at_fork(before=FORK.prepare, after_in_parent=FORK.release, after_in_child=FORK.renew)
