"""Requests that wait until the model has an event, which another process may have written."""

import asyncio
from collections.abc import Callable

STEP_SECONDS = 0.005  # between two looks


class EventWaits:
    """The requests that wait for events of one model. However many they are, one task looks for all of them."""

    def __init__(self, find_last: Callable[[], int]) -> None:
        self._find_last = find_last
        self._waiting: dict[asyncio.Future[None], int] = {}
        self._looking: asyncio.Task[None] | None = None

    async def wait_for(self, number: int) -> None:
        """Return when the model has this event."""
        known = asyncio.get_running_loop().create_future()
        self._waiting[known] = number
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            await known
        finally:
            del self._waiting[known]

    async def _look(self) -> None:
        seen = -1
        n_waiting = 0
        while self._waiting:
            last = self._find_last()
            if last != seen or len(self._waiting) > n_waiting:
                seen, n_waiting = last, len(self._waiting)
                for known, number in self._waiting.items():
                    if number <= last and not known.done():
                        known.set_result(None)
            await asyncio.sleep(STEP_SECONDS)
