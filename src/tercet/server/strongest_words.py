"""The words that are the strongest evidence for each label."""

import time
from threading import Lock
from typing import Any, NamedTuple

from tercet.server.served import ModelState, ServedModel

FRESH_SECONDS = 5.0  # how long they are not worked out again


class KnownWords(NamedTuple):
    """So many words of each label, the model that they are of, and how long they are good."""

    words: dict[Any, list[tuple[str, float]]]
    n: int
    state: ModelState
    until: float


class StrongestWords:
    """The strongest words of a model. They take long, so they may be some seconds old."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._known: KnownWords | None = None

    def find(self, n: int) -> tuple[dict[Any, list[tuple[str, float]]], ModelState]:
        """The n strongest words of each label with their log-odds, and the state of the model that they are of."""
        with self._lock:
            if self._known is None or not self._is_good(self._known, n):
                words, state = self.served.answer(lambda model: model.most_informative(n))
                self._known = KnownWords(words, n, state, time.monotonic() + FRESH_SECONDS)
            return self._known.words, self._known.state

    def _is_good(self, known: KnownWords, n: int) -> bool:
        """Whether they are enough and not too old. After an erasure they may have words that nobody else has used."""
        erasures = [] if self.served.ledger is None else self.served.ledger.history.erasures
        if known.n < n or (erasures and erasures[-1][0] > known.state.number):
            return False
        return known.state == self.served.state or time.monotonic() < known.until
