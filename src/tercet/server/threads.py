"""Threads for the work of requests: a lane for each kind of work, in which users take turns.

So nobody waits for the requests of somebody else: a lane begins only some works of a user at a time, gives the next thread to
the user who has waited longest, and refuses what would wait too long. A work that nobody waits for any more is dropped, or
interrupted if it runs; it keeps its thread until it has ended, so there are never more threads than a lane has.
"""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import Context
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic
from typing import Any, TypeVar

from tercet.interruption import work_while
from tercet.server.problems import SOON, Problem

Result = TypeVar("Result")


class Job:
    """One work: a function, who asked for it, and who waits for its result."""

    def __init__(self, function: Callable[[], Any], user: str) -> None:
        self.function, self.user, self.is_wanted = function, user, True
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[Any] | None = self.loop.create_future()

    def work(self) -> tuple[Any, BaseException | None]:
        """The result, or the error."""
        try:
            work_while(lambda: self.is_wanted)
            return self.function(), None
        except BaseException as error:
            return None, error

    def tell(self, result: Any, error: BaseException | None) -> None:
        """Give the result to who waits for it."""
        if self.future is None or self.future.done():
            return
        if error is None:
            self.future.set_result(result)
        else:
            self.future.set_exception(error)


class Lane:
    """Some threads, in which users take turns.

    - `threads`: how many works run at a time; `of_user`: how many of them are of one user.
    - `waiting`: how many may wait; `waiting_of_user`: how many of them are of one user.
    """

    def __init__(self, name: str, threads: int, of_user: int, waiting: int, waiting_of_user: int) -> None:
        self.name, self.threads, self.of_user, self.waiting, self.waiting_of_user = (
            name,
            threads,
            of_user,
            waiting,
            waiting_of_user,
        )
        self._lock = Lock()
        self._queues: OrderedDict[str, deque[Job]] = OrderedDict()  # of each user who waits, the longest first
        self._running: Counter[str] = Counter()
        self._begun: SimpleQueue[Job | None] = SimpleQueue()
        self._threads: list[Thread] = []

    @property
    def is_busy(self) -> bool:
        return bool(self._running)

    async def run(self, function: Callable[[], Result], user: str) -> Result:
        """Do a work of this user. Raises a Problem if too many works wait."""
        job = Job(function, user)
        with self._lock:
            self._check_room(user)
            self._queues.setdefault(user, deque()).append(job)
            self._begin_next()
        try:
            assert job.future is not None
            result: Result = await job.future
            return result
        finally:
            job.is_wanted = False
            self._drop(job)
            job.future = None  # the traceback of an error has frames with the job: they would keep each other in memory

    def _check_room(self, user: str) -> None:
        if self._running.total() < self.threads and self._running[user] < self.of_user:
            return
        under_way = self._running[user] + len(self._queues.get(user, ()))
        if under_way >= self.of_user + self.waiting_of_user:
            message = f"{under_way} requests of yours are under way: wait until one of them is answered."
            raise Problem(429, "too_much_at_once", message, SOON)
        if sum(map(len, self._queues.values())) >= self.waiting:
            raise Problem(503, "busy", "the server has too much to do: try again in a moment.", SOON)

    def _begin_next(self) -> None:
        """Begin what waits, while there are threads for it."""
        while self._running.total() < self.threads:
            user = next((user for user in self._queues if self._running[user] < self.of_user), None)
            if user is None:
                return
            job = self._queues[user].popleft()
            self._queues.move_to_end(user)
            if not self._queues[user]:
                del self._queues[user]
            self._running[user] += 1
            if self._running.total() > len(self._threads):
                self._threads.append(Thread(target=self._work, name=f"{self.name} {len(self._threads)}", daemon=True))
                self._threads[-1].start()
            self._begun.put(job)

    def _work(self) -> None:
        """What a thread does until the end."""
        while (job := self._begun.get()) is not None:
            result, error = Context().run(job.work)
            with self._lock:
                self._running[job.user] -= 1
                self._running += Counter()  # without those that have none
                self._begin_next()
            with suppress(RuntimeError):  # the loop is closed: nobody waits
                job.loop.call_soon_threadsafe(job.tell, result, error)
            del job, result, error  # or they would stay in memory until the next work

    def _drop(self, job: Job) -> None:
        """Forget a job, if it has not begun."""
        with self._lock:
            queue = self._queues.get(job.user)
            if queue is not None and job in queue:
                queue.remove(job)
                if not queue:
                    del self._queues[job.user]

    def close(self, until: float) -> None:
        """End the threads, and wait for them until this time of the clock."""
        for _ in self._threads:
            self._begun.put(None)
        for thread in self._threads:
            thread.join(max(0.0, until - monotonic()))
        self._threads = [thread for thread in self._threads if thread.is_alive()]


class Threads:
    """The lanes of a server."""

    def __init__(self) -> None:
        self.identity = Lane("identity", 2, 2, 1000, 500)  # who is asking: a row of a table
        self.passwords = Lane("passwords", 1, 1, 1000, 100)  # one at a time: each takes 32 MB
        self.known_passwords = Lane("known passwords", 1, 1, 1000, 100)  # from addresses that are known: see log_ins.py
        self.answers = Lane("answers", 8, 4, 1000, 200)  # what takes a moment
        self.work = Lane("work", 4, 2, 500, 100)  # what takes long
        self.evidence = Lane("evidence", 2, 1, 500, 100)  # explanations of long texts
        self.beginnings = Lane("beginnings", 1, 1, 20, 2)  # first models from texts without labels
        self.changes = Lane("changes", 8, 4, 500, 200)  # what changes a model
        self.following = Lane("following", 4, 1, 1000, 10)  # the events of other processes

    @property
    def lanes(self) -> tuple[Lane, ...]:
        passwords = self.passwords, self.known_passwords
        long = self.work, self.evidence, self.beginnings
        return self.identity, *passwords, self.answers, *long, self.changes, self.following

    def close(self, seconds: float) -> None:
        """End all threads. Those that have not ended after this time go on until the process ends."""
        until = monotonic() + seconds
        for lane in self.lanes:
            lane.close(until)
