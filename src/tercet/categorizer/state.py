"""The state of a categorizer: its counts, the result of training, and the lock for changes."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from threading import Lock, RLock
from typing import Any, NamedTuple, Self
from weakref import WeakSet

import numpy as np

from tercet.categorizer.model.text_model import TrainedState
from tercet.categorizer.unlabelled import TrainingPool, UnlabelledTexts
from tercet.counts.fingerprints import Fingerprints
from tercet.counts.kept_documents import KeptDocuments
from tercet.counts.label_moments import LabelMoments
from tercet.counts.labels import Labels, merge_labels
from tercet.counts.table import NEVER_LEARNED, CountTable, Mask, list_counted_terms
from tercet.errors import NeverLearned


class DocumentsDigest(NamedTuple):
    """Which documents something was fitted to: 32 hexadecimal digits for their fingerprints, and 32 for totals of their counts.

    Without fingerprints, the totals are compared. Two empty strings are those of no documents.
    """

    prints: str = ""
    counts: str = ""

    @classmethod
    def of(cls, state: "State") -> "DocumentsDigest":
        counts = digest_counts(state)
        return cls("" if state.prints is None else state.prints.digest(), counts)

    def is_of(self, state: "State") -> bool:
        """Whether these are exactly the documents that the state has learned.

        Counts that differ are those of other documents, so only with equal counts all fingerprints are looked at.
        """
        if digest_counts(state) != self.counts:
            return False
        return state.prints is None or not self.prints or state.prints.digest() == self.prints

    def prune(self, before: "State", after: "State") -> "DocumentsDigest":
        """The digest of the same documents after the terms of a state were pruned, if they are its documents."""
        return self._replace(counts=digest_counts(after)) if self.is_of(before) else self


def digest_counts(state: "State") -> str:
    """32 hexadecimal digits for the number of terms, and for the documents of each label and their squared weights."""
    table = state.table
    numbers = [len(table), table.labels.tolist(), table.counts.n_documents().tolist(), table.counts.squares().tolist()]
    return blake2b(repr(numbers).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass
class State:
    """Everything that a categorizer has learned. All parts but `trained` can be added and subtracted."""

    table: CountTable
    prints: Fingerprints | None
    moments: LabelMoments | None  # of numeric columns
    domains: CountTable | None  # the same documents by domain instead of label
    documents: KeptDocuments | None  # the documents themselves, if they are kept
    trained: TrainedState | None = None  # None for documents that were only counted
    unlabelled: UnlabelledTexts | None = None  # texts without a label, from which it learned, too

    def check(self) -> None:
        """An error if it is from a file and its parts do not fit each other."""
        assert self.trained is not None
        self.table.check()
        if self.moments is not None and not np.array_equal(self.moments.n.round(), self.table.n_documents):
            raise ValueError("the moments are of other documents")
        if self.domains is not None:
            self.domains.check()
            if len(self.domains) != len(self.table):
                raise ValueError("the domains have other terms")
        if self.documents is not None:
            self.documents.check()
        if self.unlabelled is not None:
            self.unlabelled.check()
        self.trained.check_table(self.table)

    def make_pool(self, *, has_unlabelled: bool) -> TrainingPool | None:
        """The texts that a student learns from, with or without unlabelled ones; None if they are not here."""
        unlabelled = None if self.unlabelled is None else self.unlabelled.documents
        if self.documents is None or (has_unlabelled and unlabelled is None):
            return None
        return TrainingPool(self.documents, unlabelled if has_unlabelled else None)

    def drop_texts(self) -> None:
        """Keep no text, only fingerprints."""
        self.documents = None
        self.unlabelled = None if self.unlabelled is None or self.prints is None else self.unlabelled.drop_texts()

    def check_sum(self, other: "State") -> None:
        """Raise the error that `+=` would raise, and change nothing: see `CountTable.check_sum`."""
        _add(self.moments, other.moments)
        if self.domains is not None and other.domains is not None:
            self.domains.check_sum(other.domains)
        self.table.check_sum(other.table)

    def __iadd__(self, other: "State") -> Self:
        """Add the other state. A part that is None in either state is None in the sum."""
        moments, domains = _add(self.moments, other.moments), _add(self.domains, other.domains)
        self.table += other.table  # the last step that may refuse
        self.moments, self.domains = _pick(moments, self.table.labels), domains
        if self.prints is None or other.prints is None:
            self.prints = None
        else:
            self.prints.add(other.prints.listed())
        self.documents = _add(self.documents, other.documents)
        self.add_unlabelled(other)
        return self

    def add_unlabelled(self, other: "State") -> None:
        """Add the unlabelled texts of the other state. They are kept only if documents are, and are known by fingerprints."""
        parts = [state.unlabelled for state in (self, other) if state.unlabelled is not None]
        joined = parts[0] + parts[1] if len(parts) == 2 else (parts[0] if parts else None)
        joined = joined if joined is None or self.documents is not None else joined.drop_texts()
        self.unlabelled = None if self.prints is None else joined

    def __isub__(self, other: "State") -> Self:
        """Subtract the other state. If one of its documents was never learned, raise an error and change nothing."""
        self._subtract(other)
        self._drop_forgotten()
        return self

    def exchange(self, old: "State", new: "State", check_labels: Callable[[Labels], None]) -> None:
        """Subtract one state and add another with the same texts, in one step. If that raises an error, nothing has changed.

        `check_labels` may refuse the labels of the result.
        """
        self._subtract(old)
        try:
            check_labels(merge_labels(self.table.labels, new.table.labels))
            self += new
        except BaseException:
            self += old  # these documents were there before, so nothing refuses them
            raise

    def _subtract(self, other: "State") -> None:
        """Subtract the other state. Forgotten terms stay in the table."""
        moments = None if self.moments is None or other.moments is None else self.moments - other.moments
        domains = None if self.domains is None or other.domains is None else self.domains - other.domains
        gone = None if self.prints is None or other.prints is None else other.prints.listed()
        if self.prints is not None and gone is not None:
            self.prints.check_known(gone)
        elif self.prints is None and domains is not None and not domains.is_possible():
            raise NeverLearned(NEVER_LEARNED)
        # The last step that may refuse. Without fingerprints only the counts can tell that a document was never learned.
        self.table.subtract(other.table, possible=self.prints is None)
        if self.prints is not None and gone is not None:
            self.prints.remove(gone)
        self.documents = None if self.documents is None or gone is None else self.documents.leave_out(gone)
        self.moments, self.domains = _pick(moments, self.table.labels), domains

    def _drop_forgotten(self) -> None:
        before = self.table.table
        self.table.drop_forgotten()
        if self.trained is not None and self.table.table is not before:
            self.trained = self.trained.in_order(before)  # forgotten terms were dropped, and the others are in order

    def is_same(self, other: "State") -> bool:
        """Whether both have learned the same documents, in any order."""
        ours, theirs = ((each.table, each.prints, each.moments, each.domains) for each in (self, other))
        return ours == theirs

    def compare_documents(self, other: "State") -> str:
        """How the documents of the other state differ from the learned ones, in words; empty if that is not known."""
        if self.prints is None or other.prints is None:
            return ""
        n_new = int((~self.prints.find_known(other.prints.sorted())).sum())
        never = f", and {n_new} of them were never learned" if n_new else ""
        return f" ({len(self.prints)} were learned, {len(other.prints)} are given{never})"

    def prune(self, kept: Mask) -> "State":
        """A copy with the terms that have a 1 in `kept`, without kept documents.

        The domains are left out, too: only a selection of terms needs them.
        """
        prints = None if self.prints is None else Fingerprints(self.prints.sorted())
        terms = list_counted_terms(self.table.table, kept)[0]
        trained = None if self.trained is None else self.trained.take(terms)
        unlabelled = None if self.unlabelled is None else self.unlabelled.drop_texts()
        return State(self.table.keep_terms(kept), prints, self.moments, None, None, trained, unlabelled)

    def copy(self) -> "State":
        """An independent copy."""
        prints = None if self.prints is None else Fingerprints(self.prints.sorted())
        table, domains = self.table.copy(), None if self.domains is None else self.domains.copy()
        trained = None if self.trained is None else self.trained.move(self.table.table, table.table)
        return State(table, prints, self.moments, domains, self.documents, trained, self.unlabelled)

    def __getstate__(self) -> dict[str, Any]:
        """The parts to pickle. Terms have other numbers in a pickled table, so `trained` is reordered."""
        trained = None if self.trained is None else self.trained.in_order(self.table.table)
        return self.__dict__ | {"trained": trained}


def _pick(moments: LabelMoments | None, labels: Labels) -> LabelMoments | None:
    """The moments of these labels."""
    return None if moments is None else moments.pick(labels)


def _add(a: Any, b: Any) -> Any:
    return None if a is None or b is None else a + b


class ChangeLock:
    """The lock of one object. A thread that holds the lock may take it again.

    Inside `with lock:` no other thread changes the object. Inside `with lock.change():` this thread changes it, and a fork
    waits until the change is complete. So a child process never sees half of a change.

    >>> lock = ChangeLock()
    >>> with lock, lock.change():
    ...     "changed"
    'changed'
    """

    def __init__(self) -> None:
        self.renew()
        LIVE.add(self)

    def renew(self) -> None:
        """Replace the locks by new ones that nobody holds."""
        self._turn = RLock()
        self.changing = RLock()

    def __enter__(self) -> None:
        self._turn.acquire()

    def __exit__(self, *_: object) -> None:
        self._turn.release()

    @contextmanager
    def change(self) -> Iterator[None]:
        with self._turn, self.changing:
            yield


LIVE: "WeakSet[ChangeLock]" = WeakSet()


class Fork:
    """Prepares the locks for a fork and releases them afterwards. Only one thread forks at a time."""

    def __init__(self) -> None:
        self.turn = Lock()
        self.held: list[ChangeLock] = []

    def prepare(self) -> None:
        self.turn.acquire()
        for lock in list(LIVE):
            lock.changing.acquire()
            self.held.append(lock)

    def release(self) -> None:
        while self.held:
            self.held.pop().changing.release()
        self.turn.release()

    def renew(self) -> None:
        self.__init__()  # type: ignore[misc]
        for lock in list(LIVE):
            lock.renew()


if hasattr(os, "register_at_fork"):
    FORK = Fork()
    os.register_at_fork(before=FORK.prepare, after_in_parent=FORK.release, after_in_child=FORK.renew)
