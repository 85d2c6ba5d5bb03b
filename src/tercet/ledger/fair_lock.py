"""A lock that threads get in the order in which they ask for it."""

from collections import deque
from threading import Lock


class FairLock:
    """With a plain lock, a thread that asks for it again and again can keep the others waiting for ever.

    >>> with FairLock():
    ...     "nobody else is here"
    'nobody else is here'
    """

    def __init__(self) -> None:
        self._state = Lock()  # held for a moment only
        self._waiting: deque[Lock] = deque()
        self._is_held = False

    def __enter__(self) -> None:
        turn = Lock()
        turn.acquire()
        try:
            with self._state:
                if not self._is_held:
                    self._is_held = True
                    return
                self._waiting.append(turn)
            turn.acquire()  # until the thread before this one passes the lock on
        except BaseException:  # Ctrl-C
            self._give_up(turn)
            raise

    def _give_up(self, turn: Lock) -> None:
        """This thread no longer waits. If the lock was passed on to it just now, it passes it on."""
        with self._state:
            is_waiting = turn in self._waiting
            if is_waiting:
                self._waiting.remove(turn)
        if not is_waiting and not turn.locked():
            self.__exit__()

    def __exit__(self, *_: object) -> None:
        with self._state:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False
