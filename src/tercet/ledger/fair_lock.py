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
        with self._state:
            if not self._is_held:
                self._is_held = True
                return
            turn = Lock()
            turn.acquire()
            self._waiting.append(turn)
        try:
            turn.acquire()  # until the thread before this one passes the lock on
        except BaseException:  # Ctrl-C
            with self._state:
                if turn in self._waiting:
                    self._waiting.remove(turn)
                    raise
            self.__exit__()
            raise

    def __exit__(self, *_: object) -> None:
        with self._state:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._is_held = False
