"""Train the model of a ledger in the background, while it answers and learns.

Counts follow each document at once. Margins, smoothing, calibration and the estimate are fitted to all documents, which takes
time. A training begins by itself when an erasure has made the last one void; when many documents have changed since, a
twentieth of all and at least twenty; or when one has changed, and the rest since the last training was twenty times as long as
that took.
So a small model is trained some seconds after each correction, and training takes a twentieth of the time at most.
"""

import logging
import time
from contextlib import nullcontext
from threading import Lock, Thread

from tercet.cached import cached_property
from tercet.errors import CannotWrite, TercetError
from tercet.ledger.events import DOCUMENT_VERBS
from tercet.ledger.live import LiveModel
from tercet.store.file_lock import own_lock

MIN_CHANGES = 20
SHARE = 20  # a training is due when one of 20 documents has changed
REST = 20  # times as long as the last training took
MAX_LAST_SECONDS = 1.0  # the longest training before the end
SECONDS_PER_DOCUMENT = 1e-3  # guess for the first training
CHANGES = (*DOCUMENT_VERBS, "unlearn", "relabel", "undo")

log = logging.getLogger("tercet.server")


class Trainer:
    """Trains one model, one training at a time. A model without a ledger is never trained."""

    def __init__(self, live: LiveModel | None, name: str, actor: str) -> None:
        self.live, self.name, self.actor = live, name, actor
        self._lock = Lock()
        self._thread: Thread | None = None
        self._failure = ""
        self._counted = 0, 0, 0  # the changes since an event, up to another one
        self._failed_at = 0  # the last event when a training failed: it is not tried again before there are others
        self._seconds: float | None = None  # the time that the last training took
        self._rests_since = time.monotonic()

    @property
    def state(self) -> str:
        """What it does: "idle", "running", or the error of the last training."""
        return "running" if self.is_running else self._failure or self.problem or "idle"

    @property
    def is_running(self) -> bool:
        thread = self._thread
        return thread is not None and thread.is_alive()

    @property
    def can_train(self) -> bool:
        """Whether something in the model is fitted to documents that the ledger has."""
        ledger = None if self.live is None else self.live.ledger
        return ledger is not None and ledger.recipe.needs_training and not ledger.has_start and not self.problem

    @cached_property
    def problem(self) -> str:
        """Why the model can't be trained here, in words: its word vectors are missing. Empty if it can."""
        vectors = None if self.live is None else self.live.ledger.recipe.settings.vectors
        try:
            if vectors is not None:
                vectors.check()
        except TercetError as error:
            log.warning("%s can't be trained here: %s", self.name, error)
            return str(error)
        return ""

    def consider(self) -> None:
        """Begin a training if it is time for it."""
        if self.can_train and not self.is_running and self.is_due():
            self.begin(self.actor)

    def is_due(self) -> bool:
        assert self.live is not None
        state, history = self.live.state, self.live.ledger.history
        if state.number <= self._failed_at or state.model is None:
            return False
        if not state.is_trained:
            return True
        n = self.count_changes()
        if n >= max(MIN_CHANGES, len(history.documents) // SHARE):
            return True
        return (n > 0 or self.has_new_texts()) and time.monotonic() - self._rests_since >= REST * self.guess_seconds()

    def guess_seconds(self) -> float:
        """How long the next training takes."""
        assert self.live is not None
        return SECONDS_PER_DOCUMENT * len(self.live.ledger.history.documents) if self._seconds is None else self._seconds

    def count_changes(self) -> int:
        """The changes since the last training. Each event is looked at once, because a pool for labelling may have many."""
        assert self.live is not None
        since = self.live.trained_to or 0
        counted, last, n = self._counted if self._counted[0] == since else (since, since, 0)
        verbs = self.live.ledger.history.verbs[last + 1 :]
        self._counted = counted, last + len(verbs), n + sum(verb in CHANGES for verb in verbs)
        return self._counted[2]

    def has_new_texts(self) -> bool:
        """Whether other texts without labels, or other seeds, would teach the model than at the last training."""
        assert self.live is not None
        history, since = self.live.ledger.history, self.live.trained_to or 0
        verbs = set(history.verbs[since + 1 :])
        return "seeds" in verbs or (history.reads_offers and not verbs.isdisjoint({"offer", "withdraw"}))

    def begin(self, actor: str) -> bool:
        """Begin a training. Returns False if one runs already."""
        with self._lock:
            if self.is_running:
                return False
            self._failure = ""
            self._thread = Thread(target=self._train, args=(actor,), name=f"train {self.name}", daemon=True)
            self._thread.start()
            return True

    def _train(self, actor: str) -> None:
        live = self.live
        assert live is not None
        number, path, started = live.number, live.path, time.monotonic()
        try:
            # Other processes of a server train the same model: one of them is enough.
            alone = nullcontext() if path is None else own_lock(path.with_name(f"{path.name}.training"), wait_seconds=0.0)
            with alone:
                live.train(actor=actor)
            self._seconds = time.monotonic() - started
        except CannotWrite as error:
            log.debug("%s is not trained now: %s", self.name, error)
        except TercetError as error:
            self._failure, self._failed_at = str(error), number
            log.warning("the training of %s has failed: %s", self.name, error)
        except Exception as error:
            self._failure, self._failed_at = "an unexpected error: see the log of the server.", number
            log.error("the training of %s has failed: %s", self.name, type(error).__name__)
        finally:
            self._rests_since = time.monotonic()

    def finish(self) -> None:
        """Train what has changed, if that takes a moment only: nobody may ask for it later."""
        if not self.is_running and self.can_train and self.guess_seconds() <= MAX_LAST_SECONDS and self.count_changes():
            self._train(self.actor)

    def wait(self, seconds: float | None = None) -> None:
        """Wait for the training that runs, if there is one."""
        if self._thread is not None:
            self._thread.join(seconds)
