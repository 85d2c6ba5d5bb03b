"""Documents whose label looks wrong to models that have not learned them. They are looked for in the background."""

import logging
from threading import Lock, Thread
from typing import Any, NamedTuple

from tercet.auditing.label_errors import find_label_errors
from tercet.errors import TercetError
from tercet.ledger.label_queue import show_document
from tercet.ledger.replay import read_documents
from tercet.ledger.trainer import CHANGES, FEWEST_CHANGES, SHARE
from tercet.server.messages import SuspectFacts
from tercet.server.served import ServedModel

MOST_JUDGED = 20_000  # documents: the newest
MOST_KEPT = 50  # suspects

log = logging.getLogger("tercet.server")


class Doubt(NamedTuple):
    """A document whose label looks wrong, without its text: that may be erased meanwhile."""

    event: int
    label: Any
    looks_like: Any
    probability: float


class SuspectFinder:
    """The suspects of one model. They are looked for anew after a training, or when enough documents have changed."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._thread: Thread | None = None
        self._found: tuple[Doubt, ...] = ()
        self._at: tuple[int | None, int] | None = None  # the training and the last event when they were looked for

    @property
    def event(self) -> int | None:
        """The last event that the suspects are of; None before they were looked for."""
        return None if self._at is None else self._at[1]

    def find(self) -> list[SuspectFacts]:
        """The suspects that are known, with their texts. Others are looked for in the background if that is due."""
        with self._lock:
            is_running = self._thread is not None and self._thread.is_alive()
            if not is_running and self._is_due():
                self._thread = Thread(target=self._look, name=f"suspects of {self.served.name}", daemon=True)
                self._thread.start()
        return self._describe(self._found)

    def wait(self) -> None:
        """Wait until they are found, if they are looked for."""
        if self._thread is not None:
            self._thread.join()

    def _is_due(self) -> bool:
        ledger, state = self.served.check_ledger(), self.served.state
        if self._at is None or self._at[0] != state.trained_to:
            return True
        history = ledger.history
        changes = sum(verb in CHANGES for verb in history.verbs[self._at[1] + 1 :])
        return changes >= max(FEWEST_CHANGES, len(history.documents) // SHARE)

    def _look(self) -> None:
        ledger, trained_to = self.served.check_ledger(), self.served.state.trained_to
        learned = ledger.find_learned()
        numbers = sorted(learned.labels)[-MOST_JUDGED:]
        found: tuple[Doubt, ...] = ()
        try:
            chosen = {number: learned.labels[number] for number in numbers}
            suspects = find_label_errors(read_documents(ledger, chosen)).suspects[:MOST_KEPT]
            found = tuple(Doubt(numbers[each.position], each.label, each.better, each.probability) for each in suspects)
        except TercetError as error:  # too few documents, for example
            log.info("no suspects of %s: %s", self.served.name, error)
        except Exception as error:
            log.error("suspects of %s: %s", self.served.name, type(error).__name__)
        self._found, self._at = found, (trained_to, learned.number)

    def _describe(self, doubts: tuple[Doubt, ...]) -> list[SuspectFacts]:
        """Those that are still learned with the same label."""
        ledger = self.served.check_ledger()
        with ledger.turn:  # nobody changes the history meanwhile
            history = ledger.history
            left = {
                each.event: each
                for each in doubts
                if history.is_learned(each.event) and history.find_label(each.event) == each.label
            }
        texts = {event.number: event.details for event in ledger.pick_events(left) if not event.is_erased}
        return [
            SuspectFacts(
                each.event,
                show_document(texts[each.event], self.served.columns.texts)[0],
                each.label,
                each.looks_like,
                each.probability,
            )
            for each in left.values()
            if each.event in texts
        ]
