"""Work that somebody waits for, in another thread, ends soon after nobody waits any more.

A thread can't be stopped from outside. So long work asks now and then whether it is still wanted.
"""

from collections.abc import Callable
from contextvars import ContextVar

_is_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("is_wanted", default=None)


class Interrupted(BaseException):
    """Nobody waits for the result. No code that handles errors should catch this."""


def work_while(is_wanted: Callable[[], bool]) -> None:
    """Say how this thread finds out whether its work is wanted."""
    _is_wanted.set(is_wanted)


def check_wanted() -> None:
    """Raise Interrupted if nobody waits for this work.

    >>> check_wanted()
    >>> work_while(lambda: False)
    >>> check_wanted()
    Traceback (most recent call last):
    tercet.interruption.Interrupted
    >>> work_while(lambda: True)
    """
    is_wanted = _is_wanted.get()
    if is_wanted is not None and not is_wanted():
        raise Interrupted
