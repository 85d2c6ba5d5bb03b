"""How often passwords may be tried, so that nobody guesses one, and nobody locks out somebody else.

Failed log-ins of the last ten minutes are counted in the database of the users, which all processes share:

- of a name from an address: after ten, this name is refused at this address;
- from an address, for all names: after fifty, the address is refused;
- of a name, from all addresses: they never refuse. After twenty, each further log-in waits, up to ten seconds.

Only the first count applies to an address from which this name has logged in before. So strangers who guess a password can't
keep its owner out. Log-ins from such addresses also have a thread of their own.
"""

import asyncio
from collections import Counter

from tercet.server.accounts import Accounts, Failures, User
from tercet.server.problems import Problem
from tercet.server.threads import Threads

MAX_FAILURES = 10  # of a name from an address
MAX_OF_ADDRESS = 50  # for all names
FREE_FAILURES = 20  # of a name from all addresses, before log-ins wait
SECONDS_PER_FAILURE = 0.1
MAX_SECONDS = 10.0
MAX_AT_ONCE = 5  # log-ins of an address that wait
MAX_WAITING = 1000  # log-ins of strangers that wait


def compute_wait(n_failures: int) -> float:
    """The seconds that a log-in waits after so many failures of its name from all addresses.

    >>> compute_wait(20), compute_wait(50), compute_wait(1000)
    (0.0, 3.0, 10.0)
    """
    return min(MAX_SECONDS, max(0, n_failures - FREE_FAILURES) * SECONDS_PER_FAILURE)


def is_refused(failures: Failures) -> bool:
    """Whether too many log-ins have failed."""
    return failures.own >= MAX_FAILURES or (not failures.is_known and failures.of_address >= MAX_OF_ADDRESS)


class LogIns:
    """The log-ins with a name and a password that one process of the server takes."""

    def __init__(self, accounts: Accounts, threads: Threads) -> None:
        self.accounts, self.threads = accounts, threads
        self._waiting = Counter[str]()  # log-ins of strangers that wait, by address

    async def check(self, name: str, password: str, client: str) -> User | None:
        """The user with this name and password. Raises a Problem after too many failures, also for the right password."""
        failures = await self.threads.identity.run(lambda: self.accounts.count_failures(name, client), client)
        if is_refused(failures):
            raise too_many_failures()
        if not failures.is_known:
            await self._wait(compute_wait(failures.of_name), client)
        lane = self.threads.known_passwords if failures.is_known else self.threads.passwords
        return await lane.run(lambda: self._try(name, password, client), client)

    async def _wait(self, seconds: float, client: str) -> None:
        if not seconds:
            return
        if self._waiting[client] >= MAX_AT_ONCE or self._waiting.total() >= MAX_WAITING:
            raise Problem(429, "too_many_log_ins", "too many log-ins wait already: try it again in ten seconds.", LATER)
        self._waiting[client] += 1
        try:
            await asyncio.sleep(seconds)
        finally:
            self._waiting[client] -= 1
            self._waiting += Counter()  # without those that have none

    def _try(self, name: str, password: str, client: str) -> User | None:
        # Written down as failed before the password is checked, so that several processes can't try more together.
        attempt = self.accounts.begin_attempt(name, client, is_refused)
        if attempt is None:
            raise too_many_failures()
        user = self.accounts.check_password(name, password)
        if user is not None:
            self.accounts.accept_attempt(attempt)
        return user


LATER = {"Retry-After": "10"}


def too_many_failures() -> Problem:
    return Problem(429, "too_many_failures", "too many log-ins have failed: wait ten minutes.", {"Retry-After": "600"})
