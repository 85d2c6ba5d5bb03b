"""Train models in the background, while they answer and learn.

Counts follow each document at once. Margins, smoothing, calibration and the estimate are fitted to all documents, which takes
time. A training begins by itself when an erasure has made the last one void, or when enough documents have changed since: a
twentieth of all, and at least twenty.
"""

import logging
from threading import Lock, Thread

from tercet.errors import CannotWrite, TercetError
from tercet.ledger.events import DOCUMENT_VERBS
from tercet.server.served import ServedModel
from tercet.store.file_lock import own_lock

FEWEST_CHANGES = 20
SHARE = 20  # one of so many documents has changed
CHANGES = (*DOCUMENT_VERBS, "unlearn", "relabel", "undo")
ACTOR = "server"

log = logging.getLogger("tercet.server")


class Trainer:
    """Trains one model, one training at a time."""

    def __init__(self, served: ServedModel) -> None:
        self.served = served
        self._lock = Lock()
        self._thread: Thread | None = None
        self._failure = ""
        self._counted = 0, 0, 0  # the changes since an event, up to another one
        self._failed_at = 0  # the last event when a training failed: it is not tried again before there are others

    @property
    def state(self) -> str:
        """What it does: "idle", "running", or the error of the last training."""
        thread = self._thread
        return "running" if thread is not None and thread.is_alive() else self._failure or "idle"

    @property
    def can_train(self) -> bool:
        """Whether something in the model is fitted to documents that the ledger has."""
        ledger = self.served.ledger
        return ledger is not None and ledger.recipe.needs_training and not ledger.has_start

    def consider(self) -> None:
        """Begin a training if enough has changed."""
        if self.can_train and self.is_due():
            self.begin(ACTOR)

    def is_due(self) -> bool:
        served = self.served
        assert served.ledger is not None
        history, state = served.ledger.history, served.state
        if state.number <= self._failed_at or served.model is None:
            return False
        if not state.is_trained:
            return True
        return self._count_changes(state.trained_to or 0) >= max(FEWEST_CHANGES, len(history.documents) // SHARE)

    def _count_changes(self, since: int) -> int:
        """The changes after this event. Each event is looked at once, because a pool for labelling may have many."""
        assert self.served.ledger is not None
        history = self.served.ledger.history
        counted, last, n = self._counted if self._counted[0] == since else (since, since, 0)
        verbs = history.verbs[last + 1 :]
        self._counted = counted, last + len(verbs), n + sum(verb in CHANGES for verb in verbs)
        return self._counted[2]

    def begin(self, actor: str) -> bool:
        """Begin a training. Returns False if one runs already."""
        with self._lock:
            if self._thread is not None and self._thread.is_alive():
                return False
            self._failure = ""
            self._thread = Thread(target=self._train, args=(actor,), name=f"train {self.served.name}", daemon=True)
            self._thread.start()
            return True

    def _train(self, actor: str) -> None:
        live, served = self.served.live, self.served
        assert live is not None
        number = live.number
        try:
            # Other processes of this server train the same model: one of them is enough.
            with own_lock(served.path.with_name(f"{served.path.name}.training"), wait_seconds=0.0):
                live.train(actor=actor)
        except CannotWrite as error:
            log.info("%s is not trained now: %s", served.name, error)
        except TercetError as error:
            self._failure, self._failed_at = str(error), number
            log.warning("the training of %s has failed: %s", served.name, error)
        except Exception as error:
            self._failure, self._failed_at = "an unexpected error: see the log of the server.", number
            log.error("the training of %s has failed: %s", served.name, type(error).__name__)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the training that runs, if there is one."""
        if self._thread is not None:
            self._thread.join(seconds)
