"""Signals that end the program, while there is work that has to be finished."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

NAMES = ("SIGTERM", "SIGHUP")  # Windows has no SIGHUP
SIGNALLED = 128  # added to the number of the signal that ended the program


class StopSignals:
    """Ends the program where it may be ended, and else after the work.

    When a terminal is closed, a program reads the end of its input, and some moments later it gets SIGHUP. Without this, the
    signal would interrupt what the program does at its end.
    """

    def __init__(self) -> None:
        self._may_stop = False
        self._number: int | None = None  # the number of the signal that came

    @contextmanager
    def hold(self) -> Iterator["StopSignals"]:
        """Finish what is in this block before the program ends, but for what is in `allow`."""
        numbers = [number for name in NAMES if (number := getattr(signal, name, None)) is not None]
        former = {number: handler for number in numbers if (handler := signal.getsignal(number)) not in (None, signal.SIG_IGN)}
        for number in former:  # nohup lets the program ignore SIGHUP
            signal.signal(number, self._note)
        try:
            yield self
        finally:
            for number, handler in former.items():
                signal.signal(number, handler)
        self._stop()

    @contextmanager
    def allow(self) -> Iterator[None]:
        """End this block at once when a signal comes, or has come."""
        self._may_stop = True
        try:
            self._stop()
            yield
        finally:
            self._may_stop = False

    def _note(self, number: int, _: FrameType | None) -> None:
        self._number = self._number or number
        if self._may_stop:
            self._may_stop = False  # some programs send it twice
            self._stop()

    def _stop(self) -> None:
        if self._number is not None:
            raise SystemExit(SIGNALLED + self._number)
